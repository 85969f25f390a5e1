"""Lower bounds of a form over boxes of its names: by its enclosure, by its slopes, and where it is convex by tangents.

A form with second derivatives is convex on a box if the matrix of these is positive definite at each of its points.
That is shown for all matrices between the enclosures of the second derivatives at once: if every pivot of their
elimination is positive, so are those of each (interval Cholesky; Alefeld and Mayer 1993). The form is then at least
what its tangent at any point of the box comes to, whose least value lies at a corner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain

from derive.certificates.proof import middle
from derive.expressions.tree import Apply, Name, Node, is_condition, rebuilt
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.like_terms import derivative
from derive.numerics.intervals.arithmetic import (
    ZERO,
    Box,
    MeanValueForm,
    Span,
    better_end,
    distances,
    minus,
    over,
    plus,
    square,
    times,
)
from derive.numerics.intervals.enclosure import Enclosure, enclose
from derive.time_limits import tick


class Form:
    """An expression of some names, evaluated over boxes of these; other names have known bounds."""

    def __init__(self, node: Node, names: Sequence[str], known: Mapping[str, Span]) -> None:
        self.names, self.known = names, dict(known)
        self.node = rebuilt(node, self._of_numbers)  # enclosed once, and not again over every box

    def _of_numbers(self, part: Node) -> Name | None:
        """A new name for a part of the form with none of its names, bounded by the part's enclosure; else None."""
        if not isinstance(part, Apply) or is_condition(part) or not {*part.names}.isdisjoint(self.names):
            return None
        enclosure = enclose(part, self.known, "")
        if enclosure is None or enclosure.partial:
            return None
        name = Name(f"part {len(self.known)}")  # no quantity has a space in its name
        self.known[name.name] = enclosure.values
        return name

    def enclosed(self, box: Box, moving: str = "") -> Enclosure | None:
        """The enclosure of the form over a box; None where the form has no value."""
        tick()  # there is one of these for each name
        return enclose(self.node, {**self.known, **dict(zip(self.names, box, strict=True))}, moving)

    def slopes(self, box: Box) -> list[Span] | None:
        """The slopes of the form along each name over a box; None where the form may jump, or be undefined."""
        slopes = []
        for name in self.names:
            enclosure = self.enclosed(box, name)
            if enclosure is None or enclosure.partial:
                return None
            slopes.append(enclosure.slopes)
        return slopes

    def around_middle(self, box: Box, slopes: Sequence[Span] | None) -> MeanValueForm | None:
        """The mean value form by slopes over a box; None without a middle, or where the form has no value there."""
        point = middle(box)
        if point is None or slopes is None:
            return None
        value = self.enclosed(tuple((x, x) for x in point))
        if value is None or value.partial:
            return None
        return MeanValueForm.of(value.values, slopes, distances(box, point))

    def least(self, box: Box) -> float:
        """A lower bound of the form in a box, by its enclosure and its slopes.

        It is infinite if the form is defined nowhere.
        """
        enclosure = self.enclosed(box)
        if enclosure is None:
            return math.inf
        slopes = self.slopes(box)
        if slopes is None:
            return enclosure.values[0]
        at_corner = self.enclosed(tuple(better_end(side, [slope]) for side, slope in zip(box, slopes, strict=True)))
        least = math.inf if at_corner is None else at_corner.values[0]
        mean_value = self.around_middle(box, slopes)
        return least if mean_value is None else max(least, mean_value.values[0])

    def where_not_positive(self, box: Box) -> Box | None:
        """The part of a box in which the form may not be positive; None if there is none."""
        mean_value, point = self.around_middle(box, self.slopes(box)), middle(box)
        if mean_value is None or point is None:
            return box
        sides = list(box)
        return tuple(sides) if mean_value.cut(sides, point) else None

    @cached_property
    def seconds(self) -> list[list[Node | None]]:
        """The second derivatives of the form: of each name, with itself and those before it."""
        slopes = [derivative(self.node, name) for name in self.names]
        plain = [None if slope is None else folded(slope, {}) for slope in slopes]
        return [
            [None if slope is None else derivative(slope, other) for other in self.names[: i + 1]]
            for i, slope in enumerate(plain)
        ]

    def least_by_tangent(self, box: Box, point: Sequence[float]) -> float:
        """A lower bound of the form in a box, by its tangent at a point; minus infinity where it may not be convex.

        Where the form is monotone along a side, its better end alone is looked at, and the point is moved there. The
        form has to be convex between the box and the point; if it is not, the tangent is that at the nearest point of
        the box.
        """
        if not all(map(math.isfinite, chain(point, *box))):
            return -math.inf
        box = tuple(self._better_end(box, i) for i in range(len(box)))
        nearest = [min(max(x, low), high) for x, (low, high) in zip(point, box, strict=True)]
        moved = [x if low < high else low for x, (low, high) in zip(point, box, strict=True)]
        for touching in (moved, nearest) if moved != nearest else (nearest,):
            hull = tuple((min(x, low), max(x, high)) for x, (low, high) in zip(touching, box, strict=True))
            if self._is_convex(hull):
                return self._tangent(box, touching)
        return -math.inf

    def _better_end(self, box: Box, i: int) -> Span:
        """The end of a side at which the form is least, if it is monotone along it; else the side."""
        enclosure = self.enclosed(box, self.names[i])
        return box[i] if enclosure is None or enclosure.partial else better_end(box[i], [enclosure.slopes])

    def _tangent(self, box: Box, point: Sequence[float]) -> float:
        """The least value in a box of the form's tangent at a point."""
        at_point = tuple((x, x) for x in point)
        value, slopes = self.enclosed(at_point), self.slopes(at_point)
        if value is None or value.partial or slopes is None:
            return -math.inf
        return MeanValueForm.of(value.values, slopes, distances(box, point)).values[0]

    def _is_convex(self, box: Box) -> bool:
        """Whether the form is convex on a box: its second derivatives are positive definite along moving sides."""
        moving = [i for i, (low, high) in enumerate(box) if low < high]
        spans = {**self.known, **dict(zip(self.names, box, strict=True))}
        matrix: list[list[Span]] = [[ZERO] * len(moving) for _ in moving]
        for row, i in enumerate(moving):
            for column, j in enumerate(moving[: row + 1]):
                second = self.seconds[i][j]
                enclosure = None if second is None else enclose(second, spans, "")
                if enclosure is None or enclosure.partial:
                    return False
                matrix[row][column] = matrix[column][row] = enclosure.values
        return _is_positive(matrix)


def _is_positive(matrix: list[list[Span]]) -> bool:
    """Whether every symmetric matrix of second derivatives between these bounds is positive definite.

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
                product = times(rows[i][k], row[j]) if i != j else square(rows[i][k])
                rows[i][j] = plus(rows[i][j], minus(times(product, inverse)))
    return True
