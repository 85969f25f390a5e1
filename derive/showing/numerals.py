"""Numbers in base units, shown in a unit: as a pint Quantity, or as text."""

from __future__ import annotations

import math
import re
from typing import Any

from quantities.units import Unit

__all__ = ["in_unit", "prefixed", "shown_number", "shown_span"]

_LARGE = {0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_SMALL = {-9: "n", -6: "µ", -3: "m", 0: ""}
_SPELLED = {"byte": "B"}  # with a prefix
_BEARS = {
    **dict.fromkeys(("byte", "FLOP", "token", "parameter"), _LARGE),
    **{unit: {**_SMALL, **_LARGE} for unit in ("W", "J")},
    "s": _SMALL,
}


def in_unit(base: float, unit: Unit) -> Any:
    """A number in base units as a pint Quantity in a unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(base), unit)


def prefixed(number: float, unit: str, long: float = 1e5) -> tuple[float, str]:
    """A number and its unit; where it is below one or `long`, with a prefix that leaves one to three digits in front.

    >>> prefixed(0.0152, "s"), prefixed(1.412e11, "byte"), prefixed(2e9, "byte/s/chip"), prefixed(5e4, "byte/token")
    ((15.2, 'ms'), (141.2, 'GB'), (2.0, 'GB/s/chip'), (50000.0, 'byte/token'))
    """
    head = re.match(r"[A-Za-z]+", unit)
    if head is None or head[0] not in _BEARS or not number or not math.isfinite(number) or 1 <= abs(number) < long:
        return number, unit
    rest = unit[head.end() :]
    prefixes = _BEARS[head[0]]
    power = min(max(3 * math.floor(math.log10(abs(number)) / 3 + 1e-12), min(prefixes)), max(prefixes))
    if rest.startswith("**") or not prefixes[power]:
        return number, unit
    return float(f"{number / 10.0**power:.15g}"), prefixes[power] + _SPELLED.get(head[0], head[0]) + rest


def shown_number(base: float, unit: Unit, digits: int = 6) -> str:
    """A number in base units as text in a unit.

    >>> from quantities.spelling import parse_unit
    >>> shown_number(0.0151, parse_unit("ms"))
    '15.1 ms'
    """
    number = f"{unit.from_base(base):.{digits}g}"
    return f"{number} {unit.text}" if unit.text not in ("", "1", "dimensionless") else number


def shown_span(low: float, high: float, unit: Unit) -> str:
    """An interval in base units in words, an open end left unsaid.

    >>> from quantities.spelling import parse_unit
    >>> shown_span(1.0, math.inf, parse_unit("s"))
    'at least 1 s'
    """
    if math.isinf(low) and math.isinf(high):
        return "anything"
    if math.isinf(high):
        return f"at least {shown_number(low, unit)}"
    if math.isinf(low):
        return f"at most {shown_number(high, unit)}"
    return f"between {shown_number(low, unit)} and {shown_number(high, unit)}"
