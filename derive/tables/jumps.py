"""Jumps of a curve: where another form of a relation begins, a target may take another value at once.

A line through the points of a table would join both values, as if those between were taken. So the curve is evaluated
close to both sides of each knee; where the values differ there, it is broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from derive.tables.table import Table

__all__ = ["broken_at_jumps"]

_BESIDE = 1e-5  # distance from a knee, as a share of the way between its points
_STEEP = 1e-2  # change across a knee, relative to the value, that is a jump
_SHARE = 1e-2  # of the change between the points, that happens at the knee


def broken_at_jumps(
    table: Table, target: str, along: Any, line: Any, knees: Iterable[float], others: Sequence[Any]
) -> tuple[list[float], list[float]]:
    """A curve through points in ascending order, with a gap (NaN) where it jumps at a knee."""
    import numpy

    order = numpy.argsort(along, kind="stable")
    x, y = [float(one) for one in along[order]], [float(one) for one in line[order]]
    if table.survey is None:
        return x, y
    for knee in knees:
        after = int(numpy.searchsorted(x, knee))
        if not 0 < after < len(x):
            continue
        apart = _BESIDE * (x[after] - x[after - 1])
        ends = numpy.array([max(knee - apart, x[after - 1]), min(knee + apart, x[after])])
        left, right = (float(one) for one in table.beside(ends, *others).columns[target].ravel())
        whole = abs(y[after] - y[after - 1])
        if abs(right - left) > max(_STEEP * max(abs(left), abs(right)), _SHARE * whole):
            x[after:after] = [float(ends[0]), knee, float(ends[1])]
            y[after:after] = [left, float("nan"), right]
    return x, y
