"""The built-in library: the economics of a language-model token, one module a subject, relations and nothing else.

Relations are stated as text over the vocabulary of `quantities.symbols`, so that a derivation shows them in the order
in which they were thought.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from derive.library import Library

__all__ = ["SUBJECTS", "library"]

SUBJECTS = ("roofline",)


@cache
def library() -> Library:
    """All subjects as one library."""
    modules = [import_module(f"derive.relations.{subject}") for subject in SUBJECTS]
    relations = [relation for module in modules for relation in module.relations]
    return Library(relations, title="The economics of a token")
