"""Numbers in base units, shown in a unit: as a pint Quantity, or as text."""

from __future__ import annotations

import math
from typing import Any

from quantities.units import Unit

__all__ = ["in_unit", "shown_number", "shown_span"]


def in_unit(base: float, unit: Unit) -> Any:
    """A number in base units as a pint Quantity in a unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(base), unit)


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
