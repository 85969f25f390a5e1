"""Entries of a library as text of a relation file, which reads back to the same.

A library is also packed as plain data, from which it is rebuilt without being parsed and proved again: it is JSON of
texts, numbers and lists, without code. A quantity is stored as the arguments of its declaration, a tree as a list of an
operation and its arguments; leaves are texts, and numbers if they begin with a digit or a point. Positions in the text
are left out, since only errors use them. The built-in library, of 600 relations, is rebuilt in a sixth of the time that
reading it takes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from fractions import Fraction
from functools import lru_cache
from typing import Any

from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in, render
from derive.library import Library
from derive.model.relation import Relation
from quantities.declaration import Declaration
from quantities.errors import DeriveError
from quantities.facts import Profile, Profiles
from quantities.rational import Rational, exact_of
from quantities.spelling import parse_unit
from quantities.value import Source, Value

__all__ = ["packed", "unpacked", "written"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(library: Library, name: str) -> list[str]:
    """The tables of all entries with a name.

    >>> from derive.relation_files.loading import load
    >>> swing = load('''
    ... [quantities]
    ... length = { unit = "m" }
    ... period = { unit = "s" }
    ... gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
    ... [relations]
    ... period = { equation = "period = 2*pi*sqrt(length/gravity)", because = "small angles" }
    ... ''')
    >>> print(*written(swing, "period"), sep="\\n\\n")
    [quantities.period]
    unit = "s"
    <BLANKLINE>
    [relations.period]
    equation = "period = 2*pi*sqrt(length/gravity)"
    because = "small angles"
    """
    found = []
    if name in library.declared:
        found.append(_table("quantities", name, _quantity(library.declared[name])))
    if name in library.relations:
        found.append(_table("relations", name, _relation(library.relations[name])))
    if name in library.profiles:
        found.append(_table("profiles", name, _profile(library, library.profiles[name])))
    return found


def _table(section: str, name: str, rows: Iterable[str]) -> str:
    return "\n".join([f"[{section}.{_key(name)}]", *rows])


def _quantity(said: Declaration) -> list[str]:
    rows = [f"unit = {_text(said.unit.text)}"]
    for key, text in (("meaning", said.meaning), ("latex", said.latex)):
        rows += [f"{key} = {_text(text)}"] if text else []
    rows += [] if said.domain.text == "positive" else [f"domain = {_text(said.domain.text)}"]
    if said.default is not None and said.default.source.stands_in:
        rows += [f"otherwise = {_text(_number(said.default))}"]
        rows += [f"reason = {_text(note)}"] if (note := said.default.source.note) else []
    elif said.default is not None:
        rows += _value(said.default)
    if said.seen is not None:
        stated = ", ".join(f"{key} = {_text(text)}" for key, text in said.seen.words.items())
        rows.append(f"seen = {{ {stated} }}")
    return [*rows, f"aliases = [{', '.join(map(_text, said.aliases))}]"] if said.aliases else rows


def _relation(relation: Relation) -> list[str]:
    rows = [f"equation = {_text(str(relation.written))}"]
    if relation.conditions:
        rows.append(f"when = [{', '.join(_text(render(condition)) for condition in relation.conditions)}]")
    if relation.approximate is not None:
        rows.append(f"approximate = {_text(repr(relation.approximate))}")
    for key, text in (("because", relation.because), ("neglects", relation.neglects)):
        rows += [f"{key} = {_text(text)}"] if text else []
    return [*rows, f"source = {_text(relation.source)}"] if relation.source else rows


def _profile(library: Library, profile: Profile) -> list[str]:
    """A profile, with the values of quantities that the library declares."""
    rows = [f"{key} = {_text(text)}" for key, text in (("title", profile.title), ("note", profile.note)) if text]
    spoken = {name: value for name, value in profile.values.items() if name in library.declared}
    return rows + [f"{_key(name)} = {{ {', '.join(_value(value))} }}" for name, value in spoken.items()]


def _value(value: Value) -> list[str]:
    """A value and its source."""
    rows = [f"value = {_text(_number(value))}"]
    if value.is_range:
        rows.append(f"range = {_text(f'{value.low!r}..{value.high!r} {value.unit.text}'.strip())}")
    source = value.source
    stated = (("source", source.text), ("kind", source.kind), ("url", source.url), ("date", source.date))
    return rows + [f"{key} = {_text(text)}" for key, text in (*stated, ("reason", source.note)) if text]


def _number(value: Value) -> str:
    return f"{value.number!r} {value.unit.text}".strip()


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """A text in quotes: TOML escapes what JSON escapes, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def packed(library: Library) -> bytes:
    """The quantities and relations of a library that was read from text, and its title.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''title = "Fall"
    ... [quantities]
    ... height = { unit = "m" }
    ... time = { unit = "s" }
    ... gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
    ... [relations.fall]
    ... equation = "height = 0.5*gravity*time**2"''')
    >>> unpacked(packed(fall)) == fall
    True
    """
    quantities = [_words(quantity) for quantity in library.declared.values()]
    return json.dumps([library.title, quantities, [_parts(r) for r in library.relations.values()]]).encode()


def unpacked(data: bytes | None, profiles: Iterable[Profile] | Profiles = ()) -> Library | None:
    """The library that was packed, with these profiles; None if the data are not one."""
    try:
        title, quantities, relations = json.loads(data or b"")
        declared = {words["name"]: _declaration(words) for words in quantities}
        return Library(
            [_unpacked_relation(declared, *parts) for parts in relations], declared.values(), profiles, title
        )
    except (DeriveError, LookupError, TypeError, ValueError):
        return None


def _words(quantity: Declaration) -> dict[str, Any]:
    if (value := quantity.default) is None:
        return quantity.words
    numbers = [_packed_number(one) for one in (value.number, value.low, value.high)]
    return quantity.words | {"default": [numbers, value.unit.text, astuple(value.source), value.rounding]}


def _declaration(words: dict[str, Any]) -> Declaration:
    if words["default"]:
        numbers, unit, source, rounding = words["default"]
        number, low, high = map(_read_number, numbers)
        words["default"] = Value(number, low, high, parse_unit(unit), Source(*source), rounding)
    return Declaration(**words)


def _packed_number(number: float) -> float | str:
    """A number; as text if it is known as a rational, which JSON has no numbers for."""
    exact = exact_of(number)
    return number if exact is None else str(exact)


def _read_number(said: float | str) -> float:
    return Rational(Fraction(said)) if isinstance(said, str) else said


def _parts(relation: Relation) -> list[Any]:
    written, conditions = relation.written, [_listed(condition) for condition in relation.conditions]
    equation = [_listed(written.lhs), written.op, _listed(written.rhs), written.text]
    said = [relation.because, relation.source, conditions, relation.approximate, relation.neglects]
    return [relation.name, equation, *said]


def _unpacked_relation(
    known: Mapping[str, Declaration], name: str, equation: Any, because: str, source: str, conditions: Any, *said: Any
) -> Relation:
    lhs, op, rhs, text = equation
    written, held = Equation(_tree(lhs), op, _tree(rhs), text), tuple(map(_tree, conditions))
    declared = {one: known[one] for one in names_in(written.lhs, written.rhs, *held)}
    return Relation.proved(name, written, declared, because, source, held, *said)


def _listed(node: Node) -> Any:
    if isinstance(node, Apply):
        return [node.op, *map(_listed, node.args)]
    return node.name if isinstance(node, Name) else node.text


def _tree(said: Any) -> Node:
    return _leaf(said) if isinstance(said, str) else Apply(said[0], tuple(map(_tree, said[1:])))


@lru_cache(maxsize=4096)
def _leaf(text: str) -> Node:
    return Number(Fraction(text), text) if text[0] in "0123456789." else Name(text)
