"""Givens that are ranges: at each point the solver is asked, and bounds its answer.

What lies between the ends of a range is not known from the ends, so lines of arithmetic do not do here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from derive.errors import DeriveError
from derive.solving.answering import solve

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["ENDS", "at", "bounded"]

ENDS = ("low", "high")
"""The columns beside a target's own, by the last part of their names."""


def bounded(
    library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], axes: Mapping[str, Any]
) -> dict[str, Any]:
    """The target in the middle of the ranges, and its bounds, at every point; NaN where there is no answer."""
    import numpy

    names = list(axes)
    values: Sequence[Any] = [array.ravel().tolist() for array in axes.values()]
    points = (dict(zip(names, point, strict=True)) for point in product(*values))
    found = [at(library, target, profiles, given, point) for point in points]
    columns = numpy.array(found, dtype=float).T.reshape(1 + len(ENDS), *map(len, values))
    return dict(zip((target, *(f"{target}.{end}" for end in ENDS)), columns, strict=True))


def at(
    library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], point: Mapping[str, float]
) -> tuple[float, float, float]:
    """What the solver says at a point on the axes, in the middle and at most; NaN where there is no answer."""
    stated = {name: f"{x!r} {library.declared[name].unit.text}" for name, x in point.items()}
    try:
        answer = solve(library, target, profiles, {**given, **stated})
    except DeriveError:
        return math.nan, math.nan, math.nan
    unit = library.declared[target].unit.text
    found = (answer.value, answer.low, answer.high)
    middle, low, high = (math.nan if value is None else float(value.to(unit).magnitude) for value in found)
    return middle, middle if low != low else low, middle if high != high else high
