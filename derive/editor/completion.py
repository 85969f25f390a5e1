"""What may be written at a place of a file: quantities, functions, units, keys, profiles, libraries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from derive.editor.names import key_meaning
from derive.editor.readings import OpenFile
from derive.expressions.tree import FUNCTIONS
from derive.relation_files import offered
from derive.relation_files.keys import EXAMPLE, FILE, PROFILE, QUANTITY, RELATION, SECTIONS, VALUE
from derive.relation_files.toml_text import Entry, Span, String
from quantities.declaration import Declaration
from quantities.definitions import beginning
from quantities.value import KINDS

__all__ = ["Offer", "offers"]

_Kind = Literal["quantity", "function", "unit", "key", "section", "profile", "library", "file", "word"]
_UNIT = re.compile(r"[A-Za-z_%‰°$µμΩÅ]*$")
_NAME = re.compile(r"[A-Za-z_][\w.]*$")
_MOST = 300  # limit on units that are offered
_DOMAINS = ("positive", "nonnegative", "real", "whole")
_NUMBERED = re.compile(r"\s*[-+]?(?:[0-9.]|\.\.|\+/-|[eE][-+]?[0-9])[^A-Za-z]*\s*")


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that may be written: the text, what it replaces, and what it is."""

    text: str
    span: Span
    kind: _Kind
    detail: str = ""
    meaning: str = ""
    rank: int = 0  # the lower, the earlier


def offers(file: OpenFile, offset: int) -> list[Offer]:
    """What may be written at a place, the nearest first.

    >>> from pathlib import Path
    >>> text = '[quantities]\\nlength = { unit = "m" }\\n[relations.r]\\nequation = "len'
    >>> [offer.text for offer in offers(OpenFile(Path("a.toml"), text), len(text)) if offer.kind == "quantity"]
    ['length']
    """
    entry = file.toml.string_at(offset)
    if entry is not None and entry.string is not None:
        return list(_in_string(file, entry, entry.string, offset))
    return list(_of_keys(file, offset))


def _in_string(file: OpenFile, entry: Entry, string: String, offset: int) -> Iterator[Offer]:
    before = string.value[: string.index(offset)]
    match entry.path:
        case ("relations", _, "equation") | ("relations", _, "when", *_):
            span = _word(before, _NAME, offset)
            yield from _quantities(file, file.reading.known.values(), span)
            for name in FUNCTIONS:
                yield Offer(name, span, "function", f"{name}(...)", rank=3)
        case ("relations", _, "neglects"):
            numbers = [quantity for quantity in file.reading.known.values() if quantity.unit.is_number]
            yield from _quantities(file, numbers, string.span)
        case ("examples", _, "asked"):
            yield from _quantities(file, file.reading.known.values(), string.span)
        case ("examples", _, "profiles", _):
            for name, title in file.reading.profile_titles.items():
                yield Offer(name, string.span, "profile", title)
        case ("quantities", _, "unit") | ("units", _):
            yield from _units(file, before, offset)
        case ("quantities", _, "domain"):
            for word in _DOMAINS:
                yield Offer(word, string.span, "word")
        case (*_, "kind"):
            for word in KINDS:
                yield Offer(word, string.span, "word")
        case ("uses", _):
            yield from _used(file, string.span)
        case _:
            yield from _values(file, entry.path, before, offset)


def _values(file: OpenFile, path: tuple[str, ...], before: str, offset: int) -> Iterator[Offer]:
    """Behind a number, the unit of its quantity and all others."""
    match path:
        case ("quantities", name, "value" | "range" | "otherwise") | ("profiles", _, name) | ("profiles", _, name, *_):
            pass
        case ("examples", _, "given", name):
            pass
        case _:
            return
    met = _NUMBERED.match(before)
    if met is None:
        return
    quantity = file.reading.known.get(name)
    if quantity is not None and quantity.unit.text:
        start = offset - (len(before) - met.end())
        yield Offer(quantity.unit.text, (start, offset), "unit", f"the unit of {name}")
    yield from _units(file, before[met.end() :], offset)


def _units(file: OpenFile, before: str, offset: int) -> Iterator[Offer]:
    span = _word(before, _UNIT, offset)
    word = before[len(before) - (span[1] - span[0]) :]
    whole = {quantity.unit.text: None for quantity in file.reading.own.values() if quantity.unit.factors}
    if before == word:
        for text in whole:
            yield Offer(text, span, "unit", "in this file")
    for name in file.reading.units:
        yield Offer(name, span, "unit", "defined in this file", rank=1)
    for name, dimension in list(beginning(word))[:_MOST]:
        if name not in whole or before != word:
            yield Offer(name, span, "unit", dimension, rank=2)


def _quantities(file: OpenFile, found: Iterable[Declaration], span: Span) -> Iterator[Offer]:
    own = file.reading.own
    for quantity in found:
        detail = f"[{quantity.unit.text or '1'}]"
        yield Offer(quantity.name, span, "quantity", detail, quantity.meaning, 0 if quantity.name in own else 1)


def _used(file: OpenFile, span: Span) -> Iterator[Offer]:
    for name in offered.offers():
        yield Offer(name, span, "library", "an installed library")
    beside = {path.name for path in file.path.parent.glob("*.toml")} if file.path.parent.is_dir() else set()
    beside |= {path.name for path in file.others if path.parent == file.path.parent}
    for name in sorted(beside - {file.path.name}):
        yield Offer(name, span, "file", "a file beside this one")


def _of_keys(file: OpenFile, offset: int) -> Iterator[Offer]:
    """The keys that the table at a place may have."""
    toml = file.toml
    found = toml.key_at(offset)
    if found is not None:
        entry, depth = found
        span = entry.keys[depth - len(entry.path) + len(entry.keys)]
        path, is_new = entry.path[:depth], not entry.is_stated
        if entry.is_header and depth == 0:
            yield from (Offer(name, span, "section", meaning=meaning) for name, meaning in SECTIONS.items())
            return
    else:
        row = toml.text[toml.text.rfind("\n", 0, offset) + 1 : offset]
        inline = any(start < offset <= end for (start, end), _ in toml.tables)
        if row.strip() in ("[", "[["):
            yield from (Offer(name, (offset, offset), "section", meaning=said) for name, said in SECTIONS.items())
            return
        if (inline and not row.rstrip().endswith(("{", ","))) or (row.strip() and not inline):
            return
        path, span, is_new = toml.table_at(offset), (offset, offset), True
    yield from _keys(file, path, span, " = " if is_new else "")


def _keys(file: OpenFile, path: tuple[str, ...], span: Span, behind: str) -> Iterator[Offer]:
    """The keys of a table; those that it already has are left out."""
    keys: Iterable[str]
    names: Iterable[Declaration] = ()
    match path:
        case ():
            keys = FILE
        case ("quantities", _):
            keys = QUANTITY
        case ("relations", _):
            keys = RELATION
        case ("profiles", _):
            keys, names = PROFILE, file.reading.known.values()
        case ("profiles", _, _):
            keys = VALUE
        case ("examples", _):
            keys = EXAMPLE
        case ("examples", _, "given"):
            keys, names = (), file.reading.known.values()
        case _:
            return
    held = {
        entry.path[-1]
        for entry in file.toml.entries
        if entry.path[:-1] == path and entry.keys and entry.keys[-1] != span
    }
    for key in keys:
        if key not in held:
            yield Offer(f"{key}{behind}", span, "key", meaning=key_meaning((*path, key)))
    for offer in _quantities(file, names, span):
        if offer.text not in held:
            yield Offer(f"{offer.text}{behind}", span, "quantity", offer.detail, offer.meaning, offer.rank)


def _word(before: str, pattern: re.Pattern[str], offset: int) -> Span:
    """The place of the word that ends at a place."""
    found = pattern.search(before)
    return offset - (len(found.group()) if found else 0), offset
