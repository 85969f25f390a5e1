"""A symbolic derivation and unit-checking engine: relations with units, asked in any direction.

>>> import derive
>>> derive.check('''
... [quantities]
... length = { unit = "m" }
... [relations.wrong]
... equation = "length = length**2"
... ''')[0].message.splitlines()[0]
'wrong: left is m, right is m**2.'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import quantities

if getattr(quantities, "DISTRIBUTION", "") != "derive-engine":
    raise ImportError(
        "derive needs the package 'quantities' of derive-engine, and another package of that name stands before it: "
        f"{getattr(quantities, '__file__', '?')}. Uninstall that one, or use an environment without it."
    )

if TYPE_CHECKING:
    from derive.errors import (
        DeriveError,
        DimensionError,
        DomainError,
        ExpressionError,
        LimitError,
        Problem,
        UnitError,
        UnknownNameError,
    )
    from derive.library import Library
    from derive.loading import check, load
    from derive.relation import Relation, relate
    from quantities.dimension import BASE_UNITS as base_units
    from quantities.quantity import Quantity

    llm: Library
    units: Any

__all__ = [
    "DeriveError",
    "DimensionError",
    "DomainError",
    "ExpressionError",
    "Library",
    "LimitError",
    "Problem",
    "Quantity",
    "Relation",
    "UnitError",
    "UnknownNameError",
    "base_units",
    "check",
    "llm",
    "load",
    "relate",
    "units",
]

_HOMES = {
    **dict.fromkeys(("DeriveError", "DimensionError", "DomainError", "ExpressionError"), "derive.errors"),
    **dict.fromkeys(("LimitError", "Problem", "UnitError", "UnknownNameError"), "derive.errors"),
    **dict.fromkeys(("check", "load"), "derive.loading"),
    **dict.fromkeys(("Relation", "relate"), "derive.relation"),
    "Library": "derive.library",
    "Quantity": "quantities.quantity",
}


def __getattr__(name: str) -> Any:
    """Import what a name stands for when it is first asked for."""
    match name:
        case "llm":
            value: Any = import_module("derive.relations").library()
        case "units":
            value = import_module("quantities.registry").registry()
        case "base_units":
            value = import_module("quantities.dimension").BASE_UNITS
        case _ if name in _HOMES:
            value = getattr(import_module(_HOMES[name]), name)
        case _:
            raise AttributeError(f"module 'derive' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
