"""Columns as a data frame of pandas, with their units beside it, in the names, or in the numbers themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from derive.errors import DeriveError, unknown
from derive.presentation.numbers import labelled
from derive.tables.extras import package
from quantities.registry import quantity, registry
from quantities.spelling import parse_unit

__all__ = ["Units", "data_frame"]

Units = Literal["attrs", "names", "pint"]
"""Where a frame keeps its units: in `.attrs["units"]`, in the names of its columns, or in its numbers (pint-pandas)."""

_PLACES = ("attrs", "names", "pint")


def data_frame(columns: Mapping[str, Any], units: Mapping[str, str], place: Units) -> Any:
    """A frame of these columns, some of which have units.

    What pandas works out of a frame often loses its `.attrs`; the names of columns stay, and so do numbers with units.
    """
    if place not in _PLACES:
        raise unknown("place for units", place, _PLACES)
    pandas = package("pandas", "tables")
    if place == "pint":
        columns = {**columns, **{name: _with_unit(columns[name], unit) for name, unit in units.items()}}
    frame = pandas.DataFrame(dict(columns))
    frame.attrs["units"] = dict(units)
    if place == "names":
        frame = frame.rename(columns={name: labelled(name, unit) for name, unit in units.items()})
    return frame


def _with_unit(numbers: Any, unit: str) -> Any:
    """An array of pint-pandas, whose arithmetic is done in pint's application registry."""
    pint_pandas = package("pint_pandas", "tables")
    if pint_pandas.PintType.ureg.get() is not registry():
        message = "pint-pandas reckons in pint's application registry, which does not know these units."
        raise DeriveError(message, hint="Call pint.set_application_registry(derive.units) first.")
    return pint_pandas.PintArray(numbers, dtype=pint_pandas.PintType(quantity(1, parse_unit(unit)).units))
