"""Lower bounds by convexity: where the Lagrangian is convex on a box, each of its tangents lies below it.

A bound by slopes is off by the square of the size of a box, so that around an optimum many small boxes are left. A
tangent at the best point itself is flat, and closes the box around it at once. Convexity is proved by the enclosures
of all second derivatives over the box: if every pivot of their elimination is positive, so is every matrix in them
(interval Cholesky; Alefeld and Mayer 1993).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from derive.expressions.tree import Equation
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.derivatives import derivative
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.arithmetic import Span, over, plus, times
from derive.numerics.root_finding.expression_graph import Box, Dag, dag_of
from derive.optimization.boxes import Boxes
from derive.optimization.program import Program

__all__ = ["Curvature"]

_MOST = 6  # variables
_TRIES = 200  # boxes that are tried although none was convex so far
_NOTHING: Span = (0.0, 0.0)


class Curvature:
    """The second derivatives of a program's goal and limits."""

    def __init__(self, program: Program, boxes: Boxes) -> None:
        self.program, self.boxes = program, boxes
        self.count = len(program.names)
        self.left = _TRIES
        self.dag = self._graph() if not program.zeros and not program.is_sampled and self.count <= _MOST else None

    def _graph(self) -> Dag | None:
        """One graph of all second derivatives: of the goal, then of each limit."""
        rows = []
        for form in (self.program.goal, *(limit.gap for limit in self.program.limits)):
            for i, one in enumerate(self.program.names):
                slope = derivative(form, one)
                for other in self.program.names[: i + 1]:
                    second = None if slope is None else derivative(folded(slope, {}), other)
                    if second is None:
                        return None
                    rows.append(Equation(folded(second, {}), "=", ZERO))
        return dag_of(rows, self.program.names, self.program.known)

    def floor(self, sides: Box, best: Sequence[float], prices: Sequence[float]) -> float:
        """A lower bound of the goal where the limits hold; none where the Lagrangian is not proved to be convex."""
        if self.dag is None or self.left <= 0 or any(math.isinf(end) for side in sides for end in side):
            return -math.inf
        weights = [1.0, *prices[: len(self.program.limits)]]
        weights += [0.0] * (1 + len(self.program.limits) - len(weights))
        if not self._is_convex(sides, weights):
            self.left -= 1
            return -math.inf
        self.left = _TRIES
        return self._tangent(
            sides, [min(max(x, low), high) for x, (low, high) in zip(best, sides, strict=True)], weights
        )

    def _is_convex(self, sides: Box, weights: Sequence[float]) -> bool:
        assert self.dag is not None
        run = self.dag.run(sides)
        if run is None or run.flawed:
            return False
        values = [run.spans[root] for root in self.dag.roots]
        size = self.count * (self.count + 1) // 2
        whole = [_NOTHING] * size
        for j, weight in enumerate(weights):
            if weight:
                each = values[j * size : (j + 1) * size]
                whole = [plus(a, times((weight, weight), b)) for a, b in zip(whole, each, strict=True)]
        moving = [i for i, (low, high) in enumerate(sides) if low < high]
        return _is_positive([[whole[_place(i, j)] for j in moving] for i in moving])

    def _tangent(self, sides: Box, point: Sequence[float], weights: Sequence[float]) -> float:
        """The least value over the box of the tangent of the Lagrangian at a point of it."""
        run = self.boxes.run([(x, x) for x in point])
        if run is None or run.flawed:
            return -math.inf
        values, slopes = self.boxes.values(run), self.boxes.slopes(run)
        total = _NOTHING
        for j, weight in enumerate(weights):
            total = plus(total, times((weight, weight), values[j])) if weight else total
        low = total[0]
        for i, (start, end) in enumerate(sides):
            slope = _NOTHING
            for j, weight in enumerate(weights):
                slope = plus(slope, times((weight, weight), slopes[j][i])) if weight else slope
            low = plus((low, low), times(plus((start, end), (-point[i], -point[i])), slope))[0]
        return low if low == low else -math.inf


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
