"""The table of units, read from `units.txt` without pint: each name's factor and dimension.

A name is looked up whole first (`min` is the minute, `Pa` the pascal), then as prefix and unit, then as the plural of
a spelled-out name. Prefixes are tried only where the file allows them, so that no accidental pair of letters is a
unit.

A relation file may define units of its own (a currency at the rate of the day, a thing that is counted). They stay in
the table for the life of the process with one meaning; a second meaning of a name is refused. So a unit is never
taken for another one, whichever library a value is from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Literal, NamedTuple

from quantities.dimension import NUMBER, Dimension

__all__ = [
    "Definition",
    "Entry",
    "OwnUnit",
    "beginning",
    "define",
    "definition",
    "definition_lines",
    "entry",
    "forget",
    "known_names",
    "own_units",
    "read",
    "spellings",
    "unprefixed",
]

# importing importlib.resources takes as long as all other imports together
_HOME = os.path.dirname(os.path.abspath(__file__))


def read(*path: str) -> str:
    """The text of a file of this package, such as the table of units in `units.txt`.

    >>> read("units.txt").splitlines()[0][:1]
    '#'
    """
    with open(os.path.join(_HOME, *path), encoding="utf-8") as file:
        return file.read()


Section = Literal["plain", "prefixes", "multiples"]
_LONGEST_PREFIX = 6  # letters: quecto, quetta


class Entry(NamedTuple):
    """One unit by one of its names: its name in pint, its size in base units, and its dimension."""

    canonical: str
    factor: Fraction
    dimension: Dimension
    offset: Fraction  # of the zero point, in kelvin; not zero only for degC and degF


class Definition(NamedTuple):
    """A line of the file."""

    name: str
    meaning: str
    offset: str
    section: Section


class OwnUnit(NamedTuple):
    """A unit that a relation file defines, and the name of that file."""

    entry: Entry
    where: str


_OWN: dict[str, OwnUnit] = {}


class _Tables(NamedTuple):
    definitions: dict[str, Definition]  # by every name and alias; `define` adds to it
    prefixes: MappingProxyType[str, tuple[str, Fraction]]  # by every spelling: the long name and the factor


def definition_lines() -> list[str]:
    """The lines of the table of units as pint reads them."""
    return read("units.txt").splitlines()


@cache
def _tables() -> _Tables:
    """The tables of units and prefixes as `units.txt` states them; its sections say which prefixes a unit takes."""
    definitions: dict[str, Definition] = {}
    prefixes: dict[str, tuple[str, Fraction]] = {}
    section: Section = "plain"
    for line in definition_lines():
        if line.startswith("#:"):
            section = line[2:].strip()  # type: ignore[assignment]
            continue
        if not line or line.startswith("#"):
            continue
        name, meaning, *aliases = (part.strip() for part in line.split(" = "))
        if name.endswith("-"):
            for spelling in (name, *aliases):
                prefixes[spelling.rstrip("-")] = (name.rstrip("-"), Fraction(meaning))
            continue
        meaning, _, offset = meaning.partition("; offset:")
        for spelling in (name, *(alias for alias in aliases if alias != "_")):
            definitions[spelling] = Definition(name, meaning, offset.strip(), section)
    return _Tables(definitions, MappingProxyType(prefixes))


def known_names() -> list[str]:
    """Every name of a unit in the definitions, without prefixes."""
    return list(_tables().definitions)


def spellings(name: str) -> list[str]:
    """The names in the table of units, also with a prefix, that differ from this one only in capitals.

    >>> spellings("mhz"), spellings("KG")
    (['MHz', 'mHz'], ['kg'])
    """
    folded = name.casefold()
    tables = _tables()
    alike = {alias for alias in tables.definitions if alias.casefold() == folded}
    for prefix in tables.prefixes:
        if folded.startswith(prefix.casefold()):
            folded_unit = folded[len(prefix) :]
            alike |= {prefix + alias for alias in tables.definitions if alias.casefold() == folded_unit}
    return sorted(other for other in alike if other != name and entry(other))


def beginning(word: str) -> Iterator[tuple[str, str]]:
    """The names in the table of units that begin so, each with what it measures; prefixed ones if the word is.

    >>> dict(beginning("TFL"))
    {'TFLOP': 'FLOP'}
    """
    tables = _tables()
    for name in tables.definitions:
        if name.startswith(word) and (unit := entry(name)):
            yield name, str(unit.dimension)
    for prefix in tables.prefixes:
        if word.startswith(prefix):
            for name in tables.definitions:
                prefixed = prefix + name
                if prefixed not in tables.definitions and prefixed.startswith(word) and (unit := entry(prefixed)):
                    yield prefixed, str(unit.dimension)


def unprefixed(name: str) -> str:
    """The name in the table of units that is left without its prefix; empty if it has none.

    >>> unprefixed("TFLOP"), unprefixed("token")
    ('FLOP', '')
    """
    parted = None if name in _tables().definitions else _parted(name)
    return "" if parted is None else parted[0]


def define(name: str, factor: Fraction, dimension: Dimension | None, where: str) -> str:
    """Define a unit, with a dimension of its own if none is stated; it takes the large prefixes: kEUR, Mwidget.

    Returns where the name already has another meaning; empty if it has none.
    """
    unit = Entry(name, factor, Dimension.of(name) if dimension is None else dimension, Fraction(0))
    if own := _OWN.get(name):
        return "" if own.entry == unit else f"in {own.where}"
    if entry(name):
        return "here already"
    _OWN[name] = OwnUnit(unit, where)
    _tables().definitions[name] = Definition(name, "", "", "multiples")
    entry.cache_clear()
    return ""


def forget(names: Iterable[str]) -> None:
    """Take the units of relation files out of the table of units again; see `temporary`, which does it safely."""
    for name in names:
        del _OWN[name], _tables().definitions[name]
    entry.cache_clear()
    _resolved.cache_clear()


def own_units() -> dict[str, OwnUnit]:
    """The units in the table that relation files have defined, by name."""
    return dict(_OWN)


def definition(name: str) -> Definition | None:
    """The line in the table of units that defines a name; None if there is none."""
    return _tables().definitions.get(name)


@lru_cache(maxsize=8192)
def entry(name: str) -> Entry | None:
    """The unit that the table of units has for a name, whole, with a prefix or in the plural; None if there is none.

    >>> entry("kB").factor, str(entry("kB").dimension)
    (Fraction(1000, 1), 'byte')
    >>> entry("Nm") is None
    True
    """
    unit = _unprefixed(name) or _prefixed(name) or _difference(name)
    if unit is None and len(name) > 3 and name.endswith("s") and not name.endswith("ss"):
        singular = name[:-1]
        if any(singular.endswith(known) for known in _tables().definitions if len(known) >= 3):
            return entry(singular)
    return unit


def _unprefixed(name: str) -> Entry | None:
    """The unit of a name that stands whole in the table of units."""
    line = _tables().definitions.get(name)
    return _resolved(line.name) if line else None


@cache
def _resolved(name: str) -> Entry:
    """The unit that a line of the table of units defines, in base units."""
    if name in _OWN:
        return _OWN[name].entry
    line = _tables().definitions[name]
    if line.meaning == "[]":
        return Entry(name, Fraction(1), NUMBER, Fraction(0))
    if line.meaning.startswith("["):
        return Entry(name, Fraction(1), Dimension.of(line.meaning.strip("[]")), Fraction(0))
    factor, dimension = _evaluated(line.meaning)
    offset = _evaluated(line.offset)[0] if line.offset else Fraction(0)
    return Entry(name, factor, dimension, offset)


def _prefixed(name: str) -> Entry | None:
    """The unit of the table whose name is left after a prefix; the longest prefix counts."""
    parted = _parted(name)
    if parted is None:
        return None
    rest, long_name, scale = parted
    unit = _resolved(_tables().definitions[rest].name)
    return Entry(long_name + unit.canonical, scale * unit.factor, unit.dimension, Fraction(0))


def _parted(name: str) -> tuple[str, str, Fraction] | None:
    """The unit of the table after the longest prefix that may stand there, and that one's long name and factor."""
    tables = _tables()
    for length in range(min(_LONGEST_PREFIX, len(name) - 1), 0, -1):
        long_name, scale = tables.prefixes.get(name[:length], ("", Fraction(0)))
        line = tables.definitions.get(name[length:])
        if not long_name or line is None or line.section == "plain":
            continue
        is_multiple = line.section == "multiples"
        if (is_multiple and scale >= 1) or not (is_multiple or long_name.endswith("bi")):
            return name[length:], long_name, scale
    return None


def _difference(name: str) -> Entry | None:
    """The definition of `delta_degC` in the table of units: a difference on a scale with an offset."""
    if not name.startswith("delta_"):
        return None
    unit = _unprefixed(name.removeprefix("delta_"))
    if unit is None or not unit.offset:
        return None
    return Entry("delta_" + unit.canonical, unit.factor, unit.dimension, Fraction(0))


_FACTOR = re.compile(r"([*/]?)\s*([^\s*/]+)(?:\s*\*\*\s*(\d+))?")


def _evaluated(text: str) -> tuple[Fraction, Dimension]:
    """A unit's meaning in its definition in `units.txt`: products and quotients of numbers, names, integer powers."""
    factor, dimension = Fraction(1), NUMBER
    for sign, word, exponent in _FACTOR.findall(text):
        power = int(exponent or 1)
        if sign == "/":
            power = -power
        if word[0].isdigit():
            factor *= Fraction(word) ** power
            continue
        unit = entry(word)
        if unit is None:
            raise LookupError(f"units.txt: {word} is not defined")
        factor, dimension = factor * unit.factor**power, dimension * unit.dimension**power
    return factor, dimension
