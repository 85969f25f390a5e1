"""Units, named quantities, and values with their sources.

>>> from quantities import Quantity, parse_unit
>>> Quantity("length", "m").unit == parse_unit("m")
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quantities.profiles import Profile
    from quantities.quantity import Quantity
    from quantities.spelling import parse_unit
    from quantities.units import Unit, convert
    from quantities.value import Source, Value, read_value

__all__ = ["DISTRIBUTION", "Profile", "Quantity", "Source", "Unit", "Value", "convert", "parse_unit", "read_value"]

DISTRIBUTION = "derive-engine"
"""The distribution that this package belongs to: another on the index has the same name."""

_HOMES = {
    "Profile": "profiles",
    "Quantity": "quantity",
    "Source": "value",
    "Unit": "units",
    "Value": "value",
    "convert": "units",
    "parse_unit": "spelling",
    "read_value": "value",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'quantities' has no attribute {name!r}")
    return getattr(import_module(f"quantities.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
