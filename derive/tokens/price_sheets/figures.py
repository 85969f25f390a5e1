"""Numbers as a reader wants them: three digits, and a prefix where they are long."""

from __future__ import annotations

from math import isinf

from derive.presentation.numbers import prefixed
from quantities.units import Unit

__all__ = ["DIGITS", "shown"]

DIGITS = 3
"""Digits of a conclusion, where nobody asks for others."""

_LONG = 1e4  # from which on a number takes a prefix


def shown(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """A number in base units in a unit, or in a multiple of it.

    >>> from quantities.spelling import parse_unit
    >>> shown(1692.857, parse_unit("byte/token")), shown(1.07e12, parse_unit("parameter")), shown(0.125, parse_unit(""))
    ('1690 byte/token', '1.07 Tparameter', '0.125')
    """
    number, text = unit.from_base(base), unit.text if unit.text not in ("1", "dimensionless") else ""
    if isinf(number):
        return "any number"
    number, text = prefixed(number, text, _LONG)
    plain = f"{number:.{digits}g}"
    return f"{f'{float(plain):.0f}' if 'e+' in plain and abs(number) < 1e6 else plain} {text}".rstrip()
