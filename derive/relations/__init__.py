"""The built-in library: the economics of a language-model token, one module a subject, relations and nothing else.

Relations are stated as text over the vocabulary of `quantities.symbols`, so that a derivation shows them in the order
in which they were thought. Chips, memory tiers, models and price sheets are profiles, out of `quantities/values`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

from derive.library import Library
from quantities.facts import Facts
from quantities.profiles import Profiles

__all__ = ["FACTS", "SUBJECTS", "library"]

SUBJECTS = (
    "roofline",
    "costs",
    "cache",
    "capacity",
    "schedule",
    "menu",
    "experts",
    "network",
    "pipeline",
    "context",
    "serving",
    "revenue",
    "prices",
    "tiers",
    "readings",
    "speculation",
    "classic",
    "training",
    "scaling",
    "bills",
    "shapes",
    "attention",
    "parallelism",
    "collectives",
    "memory_in_training",
    "energy",
    "reliability",
    "matrices",
    "silicon",
    "savings",
)

FACTS = ("accelerators", "tiers", "models", "prices")


@cache
def library() -> Library:
    """All subjects as one library."""
    modules = [import_module(f"derive.relations.{subject}") for subject in SUBJECTS]
    relations = [relation for module in modules for relation in module.relations]
    profiles = Profiles(shelves=[Facts(*FACTS)])
    return Library(relations, (), profiles, "The economics of a token")
