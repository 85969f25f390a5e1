"""Lower bounds by convexity: where the Lagrangian is convex on a box, each of its tangents lies below it.

A bound by slopes is off by the square of the size of a box, so that around an optimum many small boxes are left. A
tangent at the best point itself is flat, and closes the box around it at once. Convexity is proved by the enclosures
of all second derivatives over the box: if every pivot of their elimination is positive, so is every matrix in them
(interval Cholesky; Alefeld and Mayer 1993).

Along a tie the Lagrangian need not be convex, but the square of a tie is zero too. Times a price it makes the
Lagrangian convex across the tie, where an optimum is one that small moves along the tie make worse (augmented
Lagrangian; Bertsekas 1982).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from derive.expressions.tree import Apply, Equation, Node, Number
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.derivatives import derivative
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.arithmetic import Span, hull, over, plus, times
from derive.numerics.root_finding.expression_graph import Box, Dag, dag_of
from derive.optimization.program import Program

__all__ = ["Curvature"]

_MOST = 6  # variables
_TRIES = 50  # boxes of a size that are tried although none was convex so far
_NOTHING: Span = (0.0, 0.0)
_SQUARES = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0)  # prices of squares, relative to the second derivatives
_ENOUGH = 0.5  # share of the least curvature that the highest price reaches


class Curvature:
    """The goal, the limits, the zeros and the squares of these, with their second derivatives."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.count = len(program.names)
        self.size = self.count * (self.count + 1) // 2
        self.left = _TRIES
        self.broadest = 1.0  # box that is tried, as a share of the ranges
        squares = [Apply("pow", (zero, Number(Fraction(2)))) for zero in program.zeros]
        forms = [program.goal, *(limit.gap for limit in program.limits), *program.zeros, *squares]
        is_smooth = program.solved is None and not program.is_sampled and self.count <= _MOST
        self.first = self._graph([Equation(form, "=", ZERO) for form in forms]) if is_smooth else None
        self.second = self._graph(self._seconds(forms)) if is_smooth else None

    def _graph(self, rows: Sequence[Equation] | None) -> Dag | None:
        return dag_of(rows, self.program.names, self.program.known) if rows else None

    def _seconds(self, forms: Sequence[Node]) -> list[Equation] | None:
        """All second derivatives, form by form."""
        rows = []
        for form in forms:
            for i, one in enumerate(self.program.names):
                slope = derivative(form, one)
                for other in self.program.names[: i + 1]:
                    second = None if slope is None else derivative(folded(slope, {}), other)
                    if second is None:
                        return None
                    rows.append(Equation(folded(second, {}), "=", ZERO))
        return rows

    def floor(self, sides: Box, best: Sequence[float], prices: Sequence[float]) -> float:
        """A lower bound of the goal where the limits hold; none where the Lagrangian is not proved to be convex.

        Sides along which the Lagrangian is monotone count at their better end alone.
        """
        if self.second is None or any(math.isinf(end) for side in sides for end in side) or not self._is_worth(sides):
            return -math.inf
        weights = [1.0, *prices]
        slopes = self._slopes(sides, weights)
        if not slopes:
            return -math.inf
        ends = [self._end(side, slope) for side, slope in zip(sides, slopes, strict=True)]
        point = [x if low < high else low for x, (low, high) in zip(best, ends, strict=True)]
        wide = tuple(hull(side, (x, x)) for side, x in zip(ends, point, strict=True))
        if self._is_convex(wide, weights):
            self.left = _TRIES
            return self._tangent(ends, point, weights)
        if tuple(ends) == wide or not self._is_convex(ends, weights):
            self.left -= 1
            return -math.inf
        self.left = _TRIES
        point = [min(max(x, low), high) for x, (low, high) in zip(point, ends, strict=True)]
        return self._tangent(ends, point, weights)

    def _is_worth(self, sides: Box) -> bool:
        """Whether a box may be convex: where many of a size were not, only boxes of half that size are tried."""
        ranges = zip(sides, self.program.box, strict=True)
        breadth = max(
            ((high - low) / (most - least) for (low, high), (least, most) in ranges if most > least), default=0.0
        )
        if self.left <= 0:
            self.broadest, self.left = breadth / 2, _TRIES
        return breadth <= self.broadest

    def _end(self, side: Span, slope: Span) -> Span:
        """The end of a side at which the Lagrangian is least, if it is monotone along it; else the side."""
        if slope[0] >= 0:
            return side[0], side[0]
        return (side[1], side[1]) if slope[1] <= 0 else side

    def with_squares(self, point: Sequence[float], prices: Sequence[float]) -> tuple[float, ...]:
        """The prices at a point, and those of the squares of zeros that make the Lagrangian convex around it."""
        zeros = len(self.program.zeros)
        if self.second is None or not zeros or not prices:
            return tuple(prices)
        from numpy import array, eye
        from numpy.linalg import eigvalsh, norm

        here = [(x, x) for x in point]
        run, first = self.second.run(here), self._each_slope(here)
        if run is None or run.flawed or not first:
            return tuple(prices)
        widths = array([high - low for low, high in self.program.box])
        values = [run.spans[root][0] for root in self.second.roots]
        whole = array([[0.0] * self.count] * self.count)
        for j, weight in enumerate([1.0, *prices]):
            each = values[j * self.size : (j + 1) * self.size]
            places = range(self.count)
            whole += weight * array([[each[_place(i, k)] for k in places] for i in places])
        whole *= widths[:, None] * widths[None, :]
        slopes = [array([low for low, _ in slope]) * widths for slope in first[1 + len(self.program.limits) :][:zeros]]
        moving = [i for i, width in enumerate(widths) if width]
        size = float(norm(whole)) or 1.0
        shares = [size / (2 * float(slope @ slope)) if slope.any() else 0.0 for slope in slopes]
        across = sum(
            (2 * share * slope[:, None] * slope[None, :] for share, slope in zip(shares, slopes, strict=True)),
            0 * eye(self.count),
        )
        least = [float(eigvalsh((whole + price * across)[moving][:, moving])[0]) for price in _SQUARES]
        if least[-1] <= 0:
            return tuple(prices)
        enough = next(i for i, low in enumerate(least) if low >= _ENOUGH * least[-1])
        return (*prices, *(_SQUARES[enough] * share for share in shares))

    def _each_slope(self, sides: Sequence[Span]) -> list[list[Span]]:
        """The slopes of each form in a box; none where they prove nothing."""
        run = None if self.first is None else self.first.run(sides)
        if run is None or run.flawed or self.first is None:
            return []
        return [self.first.gradient(j, run) for j in range(len(self.first.roots))]

    def _slopes(self, sides: Sequence[Span], weights: Sequence[float]) -> list[Span]:
        """The slopes of the Lagrangian in a box."""
        each = self._each_slope(sides)
        return _weighed(weights, each, self.count) if each else []

    def _is_convex(self, sides: Sequence[Span], weights: Sequence[float]) -> bool:
        run = None if self.second is None else self.second.run(sides)
        if run is None or run.flawed or self.second is None:
            return False
        values = [run.spans[root] for root in self.second.roots]
        each = [values[j * self.size : (j + 1) * self.size] for j in range(len(values) // self.size)]
        whole = _weighed(weights, each, self.size)
        moving = [i for i, (low, high) in enumerate(sides) if low < high]
        return _is_positive([[whole[_place(i, j)] for j in moving] for i in moving])

    def _tangent(self, sides: Sequence[Span], point: Sequence[float], weights: Sequence[float]) -> float:
        """The least value over the box of the tangent of the Lagrangian at a point."""
        here = [(x, x) for x in point]
        run, slopes = None if self.first is None else self.first.run(here), self._slopes(here, weights)
        if run is None or not slopes or self.first is None:
            return -math.inf
        low = _weighed(weights, [[run.spans[root]] for root in self.first.roots], 1)[0][0]
        for x, (start, end), slope in zip(point, sides, slopes, strict=True):
            low = plus((low, low), times(plus((start, end), (-x, -x)), slope))[0]
        return low if low == low else -math.inf


def _weighed(weights: Sequence[float], rows: Sequence[Sequence[Span]], size: int) -> list[Span]:
    """The sum of rows times their weights; rows without a weight do not count."""
    whole = [_NOTHING] * size
    for weight, row in zip(weights, rows, strict=False):
        if weight:
            whole = [plus(a, times((weight, weight), b)) for a, b in zip(whole, row, strict=True)]
    return whole


def _place(i: int, j: int) -> int:
    """The place of an entry of a symmetric matrix, of which the lower half is stored row by row."""
    low, high = sorted((i, j))
    return high * (high + 1) // 2 + low


def _is_positive(matrix: list[list[Span]]) -> bool:
    """Whether every symmetric matrix between these bounds is positive definite.

    >>> _is_positive([[(2.0, 3.0), (0.5, 1.0)], [(0.5, 1.0), (1.0, 1.0)]]), _is_positive([[(1.0, 1.0), (1.0, 1.0)]] * 2)
    (True, False)
    """
    rows = [list(row) for row in matrix]
    for k, row in enumerate(rows):
        if not 0 < row[k][0] <= row[k][1] < math.inf:
            return False
        inverse = over(row[k])
        for i in range(k + 1, len(rows)):
            factor = times(rows[i][k], inverse)
            for j in range(k + 1, len(rows)):
                taken = times(factor, row[j]) if i != j else _squared(rows[i][k], inverse)
                rows[i][j] = plus(rows[i][j], (-taken[1], -taken[0]))
    return True


def _squared(entry: Span, inverse: Span) -> Span:
    low, high = sorted((abs(entry[0]), abs(entry[1])))
    near = 0.0 if entry[0] <= 0 <= entry[1] else low
    return times(times((near, high), (near, high)), inverse)
