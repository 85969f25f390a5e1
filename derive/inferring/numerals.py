"""Numbers as a reader wants them: three digits, and a prefix where they are long."""

from __future__ import annotations

from math import isinf

from quantities.errors import UnitError
from quantities.spelling import parse_unit
from quantities.units import Unit

__all__ = ["shown"]

_PREFIXES = ("k", "M", "G", "T")
_LONG = 1e4  # from which on a number takes a prefix


def shown(base: float, unit: Unit) -> str:
    """A number in base units in a unit, or in a multiple of it.

    >>> shown(1692.857, parse_unit("byte/token")), shown(1.07e12, parse_unit("parameter")), shown(0.125, parse_unit(""))
    ('1690 byte/token', '1.07 Tparameter', '0.125')
    """
    number, text = unit.from_base(base), unit.text if unit.text not in ("1", "dimensionless") else ""
    if isinf(number):
        return "any number"
    if text and abs(number) >= _LONG:
        number, text = _prefixed(number, text)
    plain = f"{number:.3g}"
    return f"{f'{float(plain):.0f}' if 'e+' in plain and abs(number) < 1e6 else plain} {text}".rstrip()


def _prefixed(number: float, text: str) -> tuple[float, str]:
    for power, prefix in enumerate(_PREFIXES, 1):
        try:
            parse_unit(prefix + text)
        except UnitError:
            break
        if abs(number) < 1000 ** (power + 1):
            return number / 1000**power, prefix + text
    return number, text
