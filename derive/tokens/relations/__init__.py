"""The built-in library: the economics of a language-model token, in relation files, one for each subject.

Relations are stated as a user would state them, over the vocabulary in `quantities/vocabulary`; `llm.toml` lists the
files in order of precedence. One name has one meaning everywhere: a quantity per chip has `/chip` in its unit, so that
a rack's total is never taken for one chip's; a factor with a unit (the 2 of 2 FLOP per parameter and token) is a
quantity too. Chips, memory tiers, models and price sheets are profiles, in `quantities/values`.

The relations are read and proved once, and kept in the user's cache folder until one of their files or the code that
reads them changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from derive.cache_folder import entry, keep, recalled, sources
from derive.library import Library
from derive.relation_files.writing import packed, unpacked
from quantities.definitions import read
from quantities.profiles import Facts, Profiles

__all__ = ["FACTS", "SOURCE", "Subject", "library", "subjects", "vocabulary"]

FACTS = ("accelerators", "tiers", "models", "prices")

_HOME = Path(__file__).parent
SOURCE = _HOME / "llm.toml"
"""The relation file that names all subjects."""

_READERS = ("derive/expressions", "derive/model", "derive/relation_files", "derive/tokens/relations", "quantities")


@cache
def library() -> Library:
    """The built-in library of token economics, with the relations of all subjects and their profiles."""
    profiles = Profiles(shelves=map(Facts, FACTS))
    path = _cache_entry()
    return (unpacked(recalled(path), profiles) if path else None) or _read_files(profiles, path)


def _read_files(profiles: Profiles, path: str | None) -> Library:
    """Read the built-in library from its relation files, and cache it unless one of them has changed meanwhile."""
    from derive.relation_files.loading import load

    stated = load(SOURCE)
    read = Library(stated.relations.values(), (), profiles, stated.title)
    if path and path == _cache_entry():
        keep(path, packed(read))
    return read


def _cache_entry() -> str | None:
    """The cache entry of the built-in library, named by the contents of its files and of the code that reads them."""
    return entry(["library"], sources(*_READERS), ["tomli"])


@dataclass(frozen=True)
class Subject:
    """A subject of the built-in library: the title of its relation file, and the names of its relations."""

    title: str
    relations: tuple[str, ...]


@cache
def subjects() -> dict[str, Subject]:
    """The subjects of the built-in library of token relations, by the names of their relation files.

    >>> subjects()["cache"].relations[:2]
    ('grouped_kv', 'latent_kv')
    """
    import tomli

    files = [_HOME / name for name in tomli.loads(SOURCE.read_text(encoding="utf-8"))["uses"]]
    read_files = {file.stem: tomli.loads(file.read_text(encoding="utf-8")) for file in files}
    return {name: Subject(data["title"], tuple(data["relations"])) for name, data in read_files.items()}


@cache
def vocabulary(subject: str) -> tuple[str, ...]:
    """The names of the quantities that one vocabulary file of the built-in library declares.

    >>> vocabulary("cache")[:2]
    ('kv_bytes_per_element', 'kv_vectors')
    """
    import tomli

    return tuple(tomli.loads(read("vocabulary", f"{subject}.toml"))["quantities"])
