"""The units that a page offers for a quantity: its own, and customary ones of the same dimension.

A customary unit is the quantity's own with one of its parts replaced by a sibling: the hour of USD/h by the month, the
TB of TB/s/chip by the GB. Siblings measure the same by themselves, so a replaced part keeps its place and its power.
What is offered is read and converted like any other unit; a sibling that does not convert is not offered.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from derive.presentation.numbers import spelled
from quantities.errors import DeriveError
from quantities.spelling import parse_unit
from quantities.units import Unit, convert

__all__ = ["Offered", "offered"]

_LARGE = ("", "k", "M", "G", "T", "P", "E")
_MOST = 20  # units offered beside a quantity's own
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
    others = [made for text in _neighbours(spelled(unit)) if (made := _alike(text, unit)) is not None]
    listed = {spelled(unit): unit} | {made.text: made for made in others[:_MOST]}
    if unit.is_number and not unit.factors:
        listed |= {text: parse_unit(text) for text in ("percent",)}
    return tuple(Offered(text, float(one.size), float(one.offset)) for text, one in listed.items())


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


def _alike(text: str, unit: Unit) -> Unit | None:
    """The unit of this text, if numbers convert between it and the other by sizes and offsets alone."""
    try:
        made = parse_unit(text)
        convert(1.0, unit, made)
    except DeriveError:
        return None
    is_near = 1 / _FARTHEST < made.size / unit.size < _FARTHEST
    return made if is_near and made.dimension == unit.dimension and made.turning == unit.turning else None
