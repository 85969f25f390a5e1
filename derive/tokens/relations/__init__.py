"""The built-in library: the economics of a language-model token, in relation files, one a subject.

Relations are stated as a user would state them, over the vocabulary in `quantities/vocabulary`; `llm.toml` names the
files in the order in which they count. One name means one thing everywhere: a quantity that is counted for each chip
carries `/chip`, so that a rack's total is never taken for one chip's; a factor that carries a unit (the 2 of 2 FLOP per
parameter and token) is a quantity too. Chips, memory tiers, models and price sheets are profiles, in
`quantities/values`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomli

from derive.library import Library
from derive.relation_files.loading import load
from quantities.facts import Facts
from quantities.profiles import Profiles
from quantities.texts import read

__all__ = ["FACTS", "SOURCE", "Subject", "library", "subjects", "vocabulary"]

FACTS = ("accelerators", "tiers", "models", "prices")

_HOME = Path(__file__).parent
SOURCE = _HOME / "llm.toml"
"""The relation file that names all subjects."""


@cache
def library() -> Library:
    """All subjects as one library."""
    stated = load(SOURCE)
    return Library(stated.relations.values(), (), Profiles(shelves=[Facts(*FACTS)]), stated.title)


@dataclass(frozen=True)
class Subject:
    """What one file is about, and the names of its relations."""

    title: str
    relations: tuple[str, ...]


@cache
def subjects() -> dict[str, Subject]:
    """The subjects by the names of their files.

    >>> subjects()["cache"].relations[:2]
    ('grouped_kv', 'latent_kv')
    """
    files = [_HOME / name for name in tomli.loads(SOURCE.read_text(encoding="utf-8"))["uses"]]
    read_files = {file.stem: tomli.loads(file.read_text(encoding="utf-8")) for file in files}
    return {name: Subject(data["title"], tuple(data["relations"])) for name, data in read_files.items()}


@cache
def vocabulary(subject: str) -> tuple[str, ...]:
    """The names of the quantities that a file of the vocabulary declares.

    >>> vocabulary("cache")[:2]
    ('kv_bytes_per_element', 'kv_vectors')
    """
    return tuple(tomli.loads(read("vocabulary", f"{subject}.toml"))["quantities"])
