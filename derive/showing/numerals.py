"""Numbers in base units, shown in a unit: as a pint Quantity, or as text."""

from __future__ import annotations

from typing import Any

from quantities.units import Unit

__all__ = ["in_unit", "shown_number"]


def in_unit(base: float, unit: Unit) -> Any:
    """A number in base units as a pint Quantity in a unit."""
    from quantities.registry import quantity

    return quantity(unit.from_base(base), unit)


def shown_number(base: float, unit: Unit, digits: int = 6) -> str:
    """A number in base units as text in a unit.

    >>> from quantities.units import parse_unit
    >>> shown_number(0.0151, parse_unit("ms"))
    '15.1 ms'
    """
    number = f"{unit.from_base(base):.{digits}g}"
    return f"{number} {unit.text}" if unit.text not in ("", "1", "dimensionless") else number
