"""Givens that are ranges: at each point the solver is asked, and bounds its answer.

What lies between the ends of a range is not known from the ends, so lines of arithmetic do not do here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError
from derive.solving.answering import solve

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["ENDS", "bounded"]

ENDS = ("low", "high")
"""The columns beside a target's own, by the last part of their names."""


def bounded(
    library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], axes: Mapping[str, Any]
) -> dict[str, Any]:
    """The target in the middle of the ranges, and its bounds, at every point; NaN where there is no answer."""
    import numpy

    names = list(axes)
    units = [library.quantities[name].unit.text for name in names]
    values: Sequence[Any] = [array.ravel().tolist() for array in axes.values()]
    found = []
    for point in product(*values):
        stated = {name: f"{x!r} {unit}".strip() for name, x, unit in zip(names, point, units, strict=True)}
        found.append(_at(library, target, profiles, {**given, **stated}))
    shape = [len(each) for each in values]
    columns = numpy.array(found, dtype=float).T.reshape(1 + len(ENDS), *shape)
    return dict(zip((target, *(f"{target}.{end}" for end in ENDS)), columns, strict=True))


def _at(
    library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[float | None, float | None, float | None]:
    try:
        answer = solve(library, target, profiles, given)
    except DeriveError:
        return None, None, None
    unit = library.quantities[target].unit.text
    middle, low, high = (
        None if value is None else float(value.to(unit).magnitude) for value in (answer.value, answer.low, answer.high)
    )
    return middle, middle if low is None else low, middle if high is None else high
