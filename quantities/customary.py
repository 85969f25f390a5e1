"""The units in which a quantity is told: its own, and customary ones of the same dimension.

A customary unit is the quantity's own with one of its parts replaced by a sibling: the hour of USD/h by the month, the
TB of TB/s/chip by the GB. Siblings measure the same by themselves, so a replaced part keeps its place and its power.
What is offered is read and converted like any other unit; a sibling that does not convert is not offered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from math import log

from quantities.definitions import entry
from quantities.errors import DeriveError
from quantities.spelling import parse_unit
from quantities.units import Unit, convert

__all__ = ["Offered", "hint_on_unit", "offered", "told_in"]

_LARGE = ("", "k", "M", "G", "T", "P", "E")
_MOST = 20  # units offered beside a quantity's own
_NEAREST = 4  # units that a hint names
_FARTHEST = 1e16  # how many times larger or smaller than a quantity's own unit another one is, at most
_SHORT = frozenset({"ns", "µs", "ms"})  # which nobody divides by

_SIBLINGS = (
    ("ns", "µs", "ms", "s", "min", "h", "day", "week", "month", "year"),
    ("byte", *(f"{prefix}B" for prefix in (*_LARGE[1:], "Ki", "Mi", "Gi", "Ti")), "bit"),
    ("FLOP", *(f"{prefix}FLOP" for prefix in (*_LARGE[1:], "Z", "Y"))),
    tuple(f"{prefix}token" for prefix in _LARGE[:5]),
    tuple(f"{prefix}parameter" for prefix in _LARGE[:5]),
    ("cent", *(f"{prefix}USD" for prefix in _LARGE[:4])),
    tuple(f"{prefix}W" for prefix in ("m", *_LARGE[:4])),
    ("mJ", "J", "kJ", "MJ", "GJ", "Wh", "kWh", "MWh", "GWh"),
    tuple(f"{prefix}Hz" for prefix in _LARGE[:5]),
    ("nm", "µm", "mm", "cm", "m", "km", "inch", "ft", "mile"),
    ("mg", "g", "kg", "tonne", "lb"),
    ("L", "mL", "m**3", "gallon"),
    ("Pa", "kPa", "MPa", "bar", "atm", "psi"),
    ("K", "degC", "degF"),
    ("mN", "N", "kN", "lbf"),
    ("µA", "mA", "A", "kA"),
    ("µV", "mV", "V", "kV"),
    ("mohm", "ohm", "kohm", "Mohm"),
    ("pF", "nF", "µF", "mF", "F"),
    ("nH", "µH", "mH", "H"),
    ("mmol", "mol", "kmol"),
    ("radian", "degree"),
    ("rpm", "revolution/s"),
)
"""Units that measure the same, each list from small to large."""

_PART = re.compile(r"[A-Za-zµ°%]+")


@dataclass(frozen=True, slots=True)
class Offered:
    """A unit with its size and offset in base units: base = number*size + offset."""

    text: str
    size: float
    offset: float


def offered(unit: Unit) -> tuple[Offered, ...]:
    """A quantity's own unit, and then the others, from small to large.

    >>> [one.text for one in offered(parse_unit("degC"))]
    ['degC', 'K', 'degF']
    >>> [one.text for one in offered(parse_unit("USD/h/chip"))][:4]
    ['USD/h/chip', 'cent/h/chip', 'kUSD/h/chip', 'MUSD/h/chip']
    """
    others = [made for text in _neighbours(_spelled(unit)) if (made := _alike(text, unit)) is not None]
    listed = {_spelled(unit): unit} | {made.text: made for made in others[:_MOST]}
    if unit.is_number and not unit.factors:
        listed |= {text: parse_unit(text) for text in ("percent",)}
    return tuple(Offered(text, float(one.size), float(one.offset)) for text, one in listed.items())


def told_in(unit: Unit) -> str:
    """The own unit and those nearest to it, in words.

    >>> told_in(parse_unit("s")), told_in(parse_unit("V*A"))
    ('s, min, ms or h', 'V*A, mV*A, kV*A or V*mA')
    """
    own, *others = offered(unit)
    near = sorted(others, key=lambda one: abs(log(one.size / own.size)))[: _NEAREST - 1]
    *first, last = [own.text or "1", *(one.text for one in near)]
    return f"{', '.join(first)} or {last}" if first else last


def hint_on_unit(text: str, hint: str, own: Unit) -> str:
    """The hint on a unit that is not known and is asked for where another one is: units that fit.

    A unit that pint knows by itself is told in units that are known here.

    >>> metre = parse_unit("m")
    >>> hint_on_unit("fermi", "`derive.units` knows the SI and its prefixes.", metre)
    'pint takes fermi for 1e-15 m: declare it, [units] fermi = "1e-15 m", or write m, ft, inch or cm.'
    """
    from quantities.registry import known_to_pint

    is_alone = _PART.fullmatch(text.strip()) is not None
    is_near = hint.startswith("Did you mean") and not (
        is_alone and not any(_is_like(one, own) for one in _PART.findall(hint))
    )
    if is_near or not hint.startswith(("Did you mean", "`derive.units` knows")):
        return hint
    for name in dict.fromkeys(_PART.findall(text)):
        meant = "" if entry(name) else known_to_pint(name)
        if meant and is_alone and _is_like(meant.partition(" ")[2], own):
            return f'pint takes {name} for {meant}: declare it, [units] {name} = "{meant}", or write {told_in(own)}.'
        if meant:
            return f"pint takes {name} for {meant}. Write {told_in(own)}."
    return f"Write {told_in(own)}."


def _is_like(text: str, own: Unit) -> bool:
    """Whether a text is a unit of this dimension."""
    try:
        return parse_unit(text).dimension == own.dimension
    except DeriveError:
        return False


def _neighbours(text: str) -> list[str]:
    """The texts of a unit with one part replaced: the first part by all of its siblings, then the later ones."""
    found = []
    for part in _PART.finditer(text):
        for family in _SIBLINGS:
            if part[0] not in _same(family):
                continue
            for sibling in family:
                is_odd = ("*" in sibling and part[0] != text) or (sibling in _SHORT and part.start() > 0)
                if sibling != part[0] and not is_odd:
                    found.append(text[: part.start()] + sibling + text[part.end() :])
    return found


@cache
def _same(family: tuple[str, ...]) -> frozenset[str]:
    """The spellings of a family: also the symbols, such as B for byte."""
    symbols = {"byte": "B", "day": "d", "bit": "b"}
    return frozenset(family) | {symbols[one] for one in family if one in symbols}


def _spelled(unit: Unit) -> str:
    """The text of a unit; empty for a plain number."""
    return "" if unit.text in ("1", "dimensionless") else unit.text


def _alike(text: str, unit: Unit) -> Unit | None:
    """The unit of this text, if numbers convert between it and the other by sizes and offsets alone."""
    try:
        made = parse_unit(text)
        convert(1.0, unit, made)
    except DeriveError:
        return None
    is_near = 1 / _FARTHEST < made.size / unit.size < _FARTHEST
    return made if is_near and made.dimension == unit.dimension and made.turning == unit.turning else None
