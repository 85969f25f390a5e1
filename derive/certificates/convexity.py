"""The bound of a convex goal: each tangent lies below it.

A form with second derivatives is convex on a box if the matrix of these is positive definite at each of its points.
That is shown for all matrices between the enclosures of the second derivatives at once: if every pivot of their
elimination is positive, so are those of each (interval Cholesky; Alefeld and Mayer 1993). The form is then at least
what its tangent at any point of the box comes to, whose least value lies at a corner.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from derive.certificates.proof import Box, Span
from derive.expressions.tree import Node
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.like_terms import derivative
from derive.numerics.intervals.arithmetic import minus, over, plus, times
from derive.numerics.intervals.enclosure import enclose

__all__ = ["Convex"]

_NOTHING: Span = (0.0, 0.0)


class Convex:
    """A form of some names, and its second derivatives."""

    def __init__(self, form: Node, names: Sequence[str], known: dict[str, Span]) -> None:
        self.form, self.names, self.known = form, names, known
        self.seconds = [[self._second(one, other) for other in names[: i + 1]] for i, one in enumerate(names)]

    def _second(self, one: str, other: str) -> Node | None:
        first = derivative(self.form, one)
        return None if first is None else derivative(folded(first, {}), other)

    def least(self, box: Box, point: Sequence[float]) -> float:
        """A number that the form does not fall below in a box, by its tangent at a point; else minus infinity.

        Where the form is monotone along a side, its better end alone is looked at, and the point is moved there. The
        form has to be convex between the box and the point; if it is not, the tangent is that at the nearest point of
        the box.
        """
        if not all(math.isfinite(end) for side in (*box, point) for end in side):
            return -math.inf
        box = tuple(self._better(box, i) for i in range(len(box)))
        nearest = [min(max(x, low), high) for x, (low, high) in zip(point, box, strict=True)]
        apart = [x if low < high else low for x, (low, high) in zip(point, box, strict=True)]
        for at in (apart, nearest) if apart != nearest else (nearest,):
            wide = tuple((min(x, low), max(x, high)) for x, (low, high) in zip(at, box, strict=True))
            if self._is_convex(wide):
                return self._tangent(box, at)
        return -math.inf

    def _tangent(self, box: Box, point: Sequence[float]) -> float:
        """The least value in a box of the tangent at a point."""
        spans = {**self.known, **{name: (x, x) for name, x in zip(self.names, point, strict=True)}}
        found = enclose(self.form, spans, "")
        if found is None or found.partial:
            return -math.inf
        total = found.values
        for name, side, x in zip(self.names, box, point, strict=True):
            if side != (x, x):
                along = enclose(self.form, spans, name)
                if along is None or along.partial:
                    return -math.inf
                total = plus(total, times(along.slopes, plus(side, (-x, -x))))
        return total[0]

    def _better(self, box: Box, i: int) -> Span:
        """The end of a side at which the form is least, if it is monotone along it in the box; else the side."""
        found = enclose(self.form, {**self.known, **dict(zip(self.names, box, strict=True))}, self.names[i])
        if found is None or found.partial:
            return box[i]
        low, high = box[i]
        if found.slopes[0] >= 0:
            return low, low
        return (high, high) if found.slopes[1] <= 0 else box[i]

    def _is_convex(self, box: Box) -> bool:
        """Whether every matrix of second derivatives in a box is positive definite along the sides that move."""
        moving = [i for i, (low, high) in enumerate(box) if low < high]
        spans = {**self.known, **dict(zip(self.names, box, strict=True))}
        matrix: list[list[Span]] = [[_NOTHING] * len(moving) for _ in moving]
        for row, i in enumerate(moving):
            for column, j in enumerate(moving[: row + 1]):
                second = self.seconds[i][j]
                found = None if second is None else enclose(second, spans, "")
                if found is None or found.partial:
                    return False
                matrix[row][column] = matrix[column][row] = found.values
        return _is_positive(matrix)


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
            for j in range(k + 1, len(rows)):
                product = times(rows[i][k], row[j]) if i != j else _squared(rows[i][k])
                rows[i][j] = plus(rows[i][j], minus(times(product, inverse)))
    return True


def _squared(entry: Span) -> Span:
    """The squares of the numbers in a span."""
    low, high = sorted((abs(entry[0]), abs(entry[1])))
    near = 0.0 if entry[0] <= 0 <= entry[1] else low
    return times((near, high), (near, high))
