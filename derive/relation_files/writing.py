"""Entries of a library as text of a relation file, which reads back to the same."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from derive.expressions.tree import render
from derive.library import Library
from derive.model.relation import Relation
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.value import Value

__all__ = ["written"]

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
