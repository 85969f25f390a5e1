"""A plane cut into the regions of equal label, by vertical lines: the trapezoidal decomposition of the map.

Along a column (one value of the first axis) the labels change at heights that are sought between the points of a grid:
the interval of a change is divided into equal parts, of which the first whose end has another label is kept, until its
ends are neighbours. A label that lies between two others, in no point of the grid, is met on the way.

Between two columns with the same labels in the same order, each region is bounded by curves through the heights. Where
the order changes, the place of the change is sought along the first axis in the same way, and the columns on both of
its sides are added. Where a curve is steep, columns are put between. What is narrower than the grid in both directions,
and borders on neither change, is not seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy

from derive.tolerances import SAME_SOLUTION, TIGHT

_PARTS = 16  # of an interval at each step
_FINE = 14  # steps until its ends are neighbours among the floats: 16**14 > 2**53
_COARSE = 6  # steps at a change of the order, where a strip may vanish: 16**6, about ten million
_FINER = 12  # times that columns are put between two where a curve is steep
_IN_A_ROW = 8  # limit on changes between two points of the grid

LabelAt = Callable[[Any, Any], Any]
"""The labels of points, from their numbers on the first and the second axis."""


@dataclass(frozen=True)
class Scale:
    """The numbers of an axis in order, and whether its ratios or its differences count."""

    numbers: Any
    log: bool = False

    def share(self, number: float) -> float:
        """How far along a side of the plane cut into trapezoids a number is: 0 at the first, 1 at the last."""
        low, high = float(self.numbers[0]), float(self.numbers[-1])
        return math.log(number / low) / math.log(high / low) if self.log else (number - low) / (high - low)

    def between(self, low: Any, high: Any) -> Any:
        """The points that cut intervals into equal parts, to seek the borders of trapezoids there; a row for each."""
        share = numpy.arange(1, _PARTS) / _PARTS
        low, high = numpy.asarray(low)[:, None], numpy.asarray(high)[:, None]
        inner = low * (high / low) ** share if self.log else low + share * (high - low)
        return numpy.clip(inner, low, high)

    def inwards(self, numbers: Any) -> Any:
        """Numbers on an axis of the plane cut into trapezoids, with its two ends moved inwards by what none can see.

        >>> import numpy
        >>> moved = Scale(numpy.array([1.0, 2.0])).inwards(numpy.array([1.0, 1.5, 2.0]))
        >>> bool(1 < moved[0] < 1.0001), float(moved[1]), bool(1.9999 < moved[2] < 2)
        (True, 1.5, True)
        """
        low, high = float(self.numbers[0]), float(self.numbers[-1])
        step = TIGHT * (high - low)
        first, last = (
            (low * (high / low) ** TIGHT, high * (low / high) ** TIGHT) if self.log else (low + step, high - step)
        )
        return numpy.where(numbers == low, first, numpy.where(numbers == high, last, numbers))


@dataclass(frozen=True)
class Column:
    """The labels along one value of the first axis from low to high, and the heights at which they change."""

    at: float
    labels: tuple[int, ...]
    heights: tuple[float, ...]


def decomposed(label_at: LabelAt, along: Scale, up: Scale) -> list[Column]:
    """Cut a map into trapezoids: its columns, left to right; each change of the order of labels has one on each side.

    >>> import numpy
    >>> grid = Scale(numpy.linspace(0.0, 4.0, 5))
    >>> left, *_, right = decomposed(lambda x, y: (y > x).astype(int), grid, grid)
    >>> left.labels, right.labels, [round(one.heights[0], 9) for one in (left, right) if one.heights]
    ((0, 1), (0,), [0.0])
    """
    columns = columns_of(label_at, along.numbers, up, _FINE)
    pairs = [(left, right) for left, right in pairwise(columns) if left.labels != right.labels]
    turns = _turns(label_at, along, up, pairs)
    columns = sorted([*columns, *columns_of(label_at, turns, up, _COARSE)], key=lambda column: column.at)
    for _ in range(_FINER):
        places = [_middle(along, *pair) for pair in pairwise(columns) if _is_steep(up, *pair)]
        if not places:
            break
        columns = sorted([*columns, *columns_of(label_at, places, up, _FINE)], key=lambda column: column.at)
    return columns


def _is_steep(up: Scale, left: Column, right: Column) -> bool:
    """Whether a side of a trapezoid between two columns is so steep, by the grid's steps, that one is put between."""
    if left.labels != right.labels or not left.heights or left.at == right.at:
        return False
    step = 1.0 / (len(up.numbers) - 1)
    return any(abs(up.share(a) - up.share(b)) > step for a, b in zip(left.heights, right.heights, strict=True))


def _middle(along: Scale, left: Column, right: Column) -> float:
    return math.sqrt(left.at) * math.sqrt(right.at) if along.log else left.at / 2 + right.at / 2


def columns_of(label_at: LabelAt, along: Any, up: Scale, steps: int = _FINE) -> list[Column]:
    """The vertical lines that cut a map into trapezoids, each with its labels from low to high.

    Their changes of label are sought between the points of a grid.
    """
    along = numpy.asarray(along, dtype=float)
    if not len(along):
        return []
    heights, rows = up.numbers, len(up.numbers)
    grid = label_at(numpy.repeat(along, rows), numpy.tile(heights, len(along))).reshape(len(along), rows)
    turns: list[list[tuple[float, int]]] = [[] for _ in along]
    column, row = numpy.nonzero(grid[:, 1:] != grid[:, :-1])
    intervals = heights[row], heights[row + 1], grid[column, row], grid[column, row + 1]
    for which, _, place, met in _changes(lambda i, y: label_at(along[column[i]], y), up, intervals, steps):
        for i, y, label in zip(column[which].tolist(), place.tolist(), met.tolist(), strict=True):
            turns[i].append((y, label))
    firsts = map(int, grid[:, 0])
    numbers = along.tolist()
    return [_column(*column, up) for column in zip(numbers, firsts, turns, strict=True)]


def _column(at: float, label: int, turns: list[tuple[float, int]], up: Scale) -> Column:
    """A vertical line that cuts the plane into trapezoids, without strips of no width.

    Where three regions meet, rounding decides which labels are seen.
    """
    labels, heights = [label], list[float]()
    for height, above in sorted(turns):
        while heights and up.share(height) - up.share(heights[-1]) < SAME_SOLUTION:
            heights.pop()
            labels.pop()
        if above != labels[-1]:
            labels.append(above)
            heights.append(height)
    return Column(at, tuple(labels), tuple(heights))


def _changes(
    label_of: Callable[[Any, Any], Any], scale: Scale, intervals: tuple[Any, Any, Any, Any], steps: int
) -> Iterator[tuple[Any, Any, Any, Any]]:
    """The first border between trapezoids in each interval on a vertical line, then the next in those that have more.

    The labels of the ends say which have more. Of each change: the index of the interval, the last point seen with the
    label before, the next point, and its label.
    """
    low, high, before, after = intervals
    which = numpy.arange(len(low))
    for _ in range(_IN_A_ROW):
        if not len(which):
            break
        nearest, place, met = _first_other(label_of, which, scale, low, high, before, steps)
        yield which, nearest, place, met
        pending = met != after
        which, low, high, before, after = which[pending], place[pending], high[pending], met[pending], after[pending]


def _first_other(
    label_of: Callable[[Any, Any], Any], which: Any, scale: Scale, low: Any, high: Any, label: Any, steps: int
) -> tuple[Any, Any, Any]:
    """The first border between trapezoids in each interval, sought by dividing it into equal parts again and again.

    Of each: the last point seen with the label, the next point, and the label of that.
    """
    rows = numpy.arange(len(which))
    met_label = label_of(which, high)
    for _ in range(steps):
        inner = scale.between(low, high)
        inner_labels = label_of(numpy.repeat(which, inner.shape[1]), inner.ravel()).reshape(inner.shape)
        ends = numpy.column_stack([inner, high])
        labels = numpy.column_stack([inner_labels, met_label])
        first = numpy.argmax(labels != label[:, None], axis=1)
        starts = numpy.column_stack([low, inner])
        low, high, met_label = starts[rows, first], ends[rows, first], labels[rows, first]
    return low, high, met_label


def _turns(label_at: LabelAt, along: Scale, up: Scale, pairs: Sequence[tuple[Column, Column]]) -> list[float]:
    """The vertical lines on both sides of each place where the order of trapezoids above each other changes."""
    orders: list[tuple[int, ...]] = []

    def number(column: Column) -> int:
        """The number of an order of labels among those that the columns of trapezoids have had so far.

        Changes are sought between numbers, as between labels.
        """
        if column.labels not in orders:
            orders.append(column.labels)
        return orders.index(column.labels)

    def order_at(which: Any, x: Any) -> Any:
        return numpy.array([number(column) for column in columns_of(label_at, x, up, _COARSE)])

    low, high = (numpy.array([pair[i].at for pair in pairs]) for i in (0, 1))
    before, after = (numpy.array([number(pair[i]) for pair in pairs], dtype=int) for i in (0, 1))
    turns: list[float] = []
    for _, nearest, place, _ in _changes(order_at, along, (low, high, before, after), _COARSE):
        turns += [*nearest.tolist(), *place.tolist()]
    return turns
