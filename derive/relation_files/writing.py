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

from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in
from derive.library import Library
from derive.model.relation import Relation
from quantities.declaration import Declaration
from quantities.errors import DeriveError
from quantities.profiles import Profile, Profiles
from quantities.rational import Rational, exact_of
from quantities.spelling import parse_unit
from quantities.value import Source, Value

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def written(library: Library, name: str) -> list[str]:
    """The text of a library's entries of this name, as tables of a relation file which read back to the same.

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
    sections: dict[str, Mapping[str, Any]] = {}
    if name in library.declared:
        sections["quantities"] = _quantity(library.declared[name])
    if name in library.relations:
        sections["relations"] = _relation(library.relations[name])
    if name in library.profiles:
        sections["profiles"] = _profile(library, library.profiles[name])
    return ["\n".join([f"[{section}.{_key(name)}]", *_rows(held)]) for section, held in sections.items()]


def _rows(table: Mapping[str, Any]) -> list[str]:
    """The TOML rows of a table, one for each key with a value; an empty unit counts as a value."""
    return [f"{_key(key)} = {_toml(value)}" for key, value in table.items() if value or key == "unit"]


def _toml(value: Any) -> str:
    """A value written in TOML: a text, a number as text, an inline table or a list."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _text(repr(value))
    if isinstance(value, Mapping):
        return f"{{ {', '.join(_rows(value))} }}"
    return f"[{', '.join(map(_toml, value))}]"


def _quantity(quantity: Declaration) -> dict[str, Any]:
    """The table that states a quantity in a relation file; the domain `positive` is left out."""
    domain = quantity.domain.text
    table: dict[str, Any] = {"unit": quantity.unit.text, "meaning": quantity.meaning, "latex": quantity.latex}
    table["domain"] = "" if domain == "positive" else domain
    if quantity.default is not None and quantity.default.source.stands_in:
        table |= {"otherwise": _number(quantity.default), "reason": quantity.default.source.note}
    elif quantity.default is not None:
        table |= _value(quantity.default)
    return table | {"seen": quantity.seen.words if quantity.seen else {}, "aliases": quantity.aliases}


def _relation(relation: Relation) -> dict[str, Any]:
    keys = ("when", "approximate", "because", "neglects", "source")
    return {"equation": str(relation.written), **{key: getattr(relation, key) for key in keys}}


def _profile(library: Library, profile: Profile) -> dict[str, Any]:
    """The table that states a profile in a relation file, with values of the library's quantities only."""
    values = {name: _value(value) for name, value in profile.values.items() if name in library.declared}
    return {"title": profile.title, "note": profile.note} | values


def _value(value: Value) -> dict[str, str]:
    """A value of an entry as it is written in a relation file: the keys that state it and its source."""
    source = value.source
    ends = f"{value.low!r}..{value.high!r} {value.unit.text}".strip() if value.is_range else ""
    is_middle = value.is_range and value.number == value.low / 2 + value.high / 2
    if is_middle and not value.is_beside_range:  # the range alone is stated
        number, ends = ends, ""
    else:
        number = _number(value)
    stated = {"source": source.text, "kind": source.kind, "url": source.url, "date": source.date, "reason": source.note}
    return {"value": number, "range": ends, **stated}


def _number(value: Value) -> str:
    return f"{value.number!r} {value.unit.text}".strip()


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _text(text: str) -> str:
    """A text of an entry as it is written in a relation file, between quotes; TOML escapes what JSON does, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def packed(library: Library) -> bytes:
    """Write the quantities, relations and title of a library that was read from a file as JSON for a cache.

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
    quantities = [*map(_packed_quantity, library.declared.values())]
    relations = [*map(_packed_relation, library.relations.values())]
    return json.dumps([library.title, quantities, relations]).encode()


def unpacked(data: bytes | None, profiles: Iterable[Profile] | Profiles = ()) -> Library | None:
    """Rebuild the library that was written as JSON by `packed`, with these profiles; None if the data are not one."""
    try:
        title, quantities, relations = json.loads(data or b"")
        declared = {words["name"]: _unpacked_quantity(words) for words in quantities}
        proved = [_unpacked_relation(declared, *parts) for parts in relations]
        return Library(proved, declared.values(), profiles, title)
    except (DeriveError, LookupError, TypeError, ValueError):
        return None


def _packed_quantity(quantity: Declaration) -> dict[str, Any]:
    """A quantity written as data for a packed library: the words of its declaration, the default as a list."""
    if (value := quantity.default) is None:
        return quantity.words
    numbers = [_packed_number(number) for number in (value.number, value.low, value.high)]
    stated = [numbers, value.unit.text, astuple(value.source), value.rounding, value.is_beside_range]
    return quantity.words | {"default": stated}


def _unpacked_quantity(words: dict[str, Any]) -> Declaration:
    if words["default"]:
        numbers, unit, source, *more = words["default"]
        number, low, high = map(_unpacked_number, numbers)
        words["default"] = Value(number, low, high, parse_unit(unit), Source(*source), *more)
    return Declaration(**words)


def _packed_number(number: float) -> float | str:
    """A number written as data for a packed library, as a text if it is a known rational, which JSON does not have."""
    exact = exact_of(number)
    return number if exact is None else str(exact)


def _unpacked_number(packed_number: float | str) -> float:
    return Rational(Fraction(packed_number)) if isinstance(packed_number, str) else packed_number


def _packed_relation(relation: Relation) -> list[Any]:
    """A relation written as data for a packed library: its name, its equation, and its other fields."""
    written = relation.written
    equation = [_packed_node(written.lhs), written.op, _packed_node(written.rhs), written.text]
    fields = {key: getattr(relation, key) for key in ("because", "source", "approximate", "neglects")}
    return [relation.name, equation, fields | {"conditions": [*map(_packed_node, relation.conditions)]}]


def _unpacked_relation(known: Mapping[str, Declaration], name: str, equation: Any, fields: dict[str, Any]) -> Relation:
    lhs, op, rhs, text = equation
    written = Equation(_unpacked_node(lhs), op, _unpacked_node(rhs), text)
    fields["conditions"] = tuple(map(_unpacked_node, fields["conditions"]))
    declared = {member: known[member] for member in names_in(written, *fields["conditions"])}
    return Relation.proved(name, written, declared, **fields)


def _packed_node(node: Node) -> Any:
    if isinstance(node, Apply):
        return [node.op, *map(_packed_node, node.args)]
    return node.name if isinstance(node, Name) else node.text


def _unpacked_node(packed_node: Any) -> Node:
    if isinstance(packed_node, str):
        return _unpacked_leaf(packed_node)
    return Apply(packed_node[0], tuple(map(_unpacked_node, packed_node[1:])))


@lru_cache(maxsize=4096)
def _unpacked_leaf(text: str) -> Node:
    return Number(Fraction(text), text) if text[0] in "0123456789." else Name(text)
