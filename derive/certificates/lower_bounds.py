"""Lower bounds over boxes: of a form of the names of a box, and of an optimum, whose bound they confirm.

A form is bounded by its enclosure, by its slopes, and where it is convex by tangents. With second derivatives it is
convex on a box if the matrix of these is positive definite at each of its points. That is shown for all matrices
between the enclosures of the second derivatives at once: if every pivot of their elimination is positive, so are those
of each (interval Cholesky; Alefeld and Mayer 1993). The form is then at least what its tangent at any point of the box
comes to, whose least value lies at a corner.

The bound of an optimum is confirmed from the goal and the limits of each program over boxes that cover the choices. A
box needs no bound where no point of it is admissible: a limit that applies is broken all over it, a zero is missed, a
guard is false, a count has no whole number, or the goal no value. In any other the goal must not fall below the floor.
Where limits hold their gaps are not positive, and zeros are zero. So the goal is nowhere less than the Lagrangian: the
goal plus the limits, times prices that are not negative, plus the zeros and their squares, times any. Its least value
in a box is bounded by its enclosure, with each unknown along which it is monotone at the better end; by its value in
the middle and its slopes; and where it is convex, by a tangent. A single point has an exact value where that is
rational.

A box may be narrowed first, to where the limits can hold and the goal can be below the floor: each is at least its
value in the middle plus its slopes times the distances, and where all other unknowns do their best, one has to make up
for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

from derive.certificates.proof import Bound, FlawError, GuardedLimit, Lagrangian, Tangent, middle, pieces
from derive.expressions.tree import Apply, Name, Node, Number, is_condition, rebuilt
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.exact_values import exact_value
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
    rounded_inwards,
    square,
    times,
)
from derive.numerics.intervals.enclosure import Enclosure, enclose, truths
from derive.time_limits import tick


class Form:
    """An expression of some names, evaluated over boxes of these; other names have known bounds."""

    def __init__(self, node: Node, names: Sequence[str], known: Mapping[str, Span]) -> None:
        self.names, self.known = names, dict(known)
        self.node = rebuilt(node, self._of_numbers)  # enclosed once, and not again over every box

    def _of_numbers(self, part: Node) -> Name | None:
        """A new name with known bounds, for a part of the form that does not change from box to box; else None."""
        if not isinstance(part, Apply) or is_condition(part) or not {*part.names}.isdisjoint(self.names):
            return None
        enclosure = enclose(part, self.known, "")
        if enclosure is None or enclosure.partial:
            return None
        name = Name(f"part {len(self.known)}")  # no quantity has a space in its name
        self.known[name.name] = enclosure.values
        return name

    def enclosed(self, box: Box, moving: str = "") -> Enclosure | None:
        """Bounds of the form's values over a box, and of its slopes along `moving`; None where it has no value."""
        tick()  # there is one of these for each name
        return enclose(self.node, {**self.known, **dict(zip(self.names, box, strict=True))}, moving)

    def slopes(self, box: Box) -> list[Span] | None:
        """Lower and upper bounds of the form's slopes over a box; None where it may jump, or be undefined."""
        slopes = []
        for name in self.names:
            enclosure = self.enclosed(box, name)
            if enclosure is None or enclosure.partial:
                return None
            slopes.append(enclosure.slopes)
        return slopes

    def around_middle(self, box: Box, slopes: Sequence[Span] | None) -> MeanValueForm | None:
        """The mean value form, by whose slopes the form has a lower bound over a box; None without a middle."""
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
        """A box, narrowed by bounds from slopes to where the form may not be positive; None if nothing is left."""
        mean_value, point = self.around_middle(box, self.slopes(box)), middle(box)
        if mean_value is None or point is None:
            return box
        sides = list(box)
        return tuple(sides) if mean_value.cut(sides, point) else None

    @cached_property
    def seconds(self) -> list[list[Node | None]]:
        """The second derivatives that show if a form is convex, for its lower bound: each name's, with the earlier."""
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
        """The end of a side at which the form has its lower bound, if it is monotone along it; else the side."""
        enclosure = self.enclosed(box, self.names[i])
        return box[i] if enclosure is None or enclosure.partial else better_end(box[i], [enclosure.slopes])

    def _tangent(self, box: Box, point: Sequence[float]) -> float:
        """The lower bound of the form in a box by its tangent at a point."""
        at_point = tuple((x, x) for x in point)
        value, slopes = self.enclosed(at_point), self.slopes(at_point)
        if value is None or value.partial or slopes is None:
            return -math.inf
        return MeanValueForm.of(value.values, slopes, distances(box, point)).values[0]

    def _is_convex(self, box: Box) -> bool:
        """Whether tangents are lower bounds of the form in a box: it is convex there, by its second derivatives."""
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
    """Whether all symmetric matrices of second derivatives are positive definite, so that a tangent is a lower bound.

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


class Program:
    """The goal, limits, zeros and guards of a bound, evaluated over boxes."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.known = {number.name: number.span for number in bound.known}
        self.priced: dict[tuple[float, ...], Form] = {}

    def spans(self, box: Box) -> dict[str, Span]:
        """The bounds of every name in a lower bound's program: of known numbers, and of the variables over a box."""
        return {**self.known, **dict(zip(self.bound.names, box, strict=True))}

    def form(self, node: Node) -> Form:
        return Form(node, self.bound.names, self.known)

    def lagrangian(self, prices: Sequence[float]) -> Form:
        """The Lagrangian of a lower bound: the goal plus limits, zeros and squared zeros, each times its price."""
        key = tuple(prices)
        if key not in self.priced:
            bound = self.bound
            squares = [Apply("pow", (zero, Number(Fraction(2)))) for zero in bound.zeros]
            parts = [*(limit.gap for limit in bound.limits), *bound.zeros, *squares]
            priced = [(price, part) for price, part in zip(prices, parts, strict=False) if price]
            terms = [Apply("mul", (Number(Fraction(price)), part)) for price, part in priced]
            self.priced[key] = self.form(Apply("add", (bound.goal, *terms)))
        return self.priced[key]

    def rounded(self, box: Box) -> Box | None:
        """A box of a lower bound with the sides of counts rounded inwards; None if one has no whole number."""
        return rounded_inwards(box, self.bound.steps)

    def is_out(self, box: Box) -> bool:
        """Whether a box of a lower bound holds no admissible point."""
        bound, spans = self.bound, self.spans(box)
        for limit in bound.limits:
            enclosure, gap = enclose(limit.gap, spans, ""), self._exactly(limit.gap, box)
            least = gap if gap is not None or enclosure is None else enclosure.values[0]
            if _applies(limit, spans) and (least is None or _is_broken(limit, least)):
                return True
        for zero in bound.zeros:
            enclosure = enclose(zero, spans, "")
            if enclosure is None or enclosure.misses_zero or self._exactly(zero, box) not in (None, 0):
                return True
        return any(True not in truths(guard, spans) for guard in bound.guards)

    def _exactly(self, node: Node, box: Box) -> Any:
        """The exact value of a lower bound's form in a box that is one point; None where it is none, or has none."""
        if self.bound.known or any(low != high for low, high in box):
            return None
        return exact_value(node, {name: Fraction(low) for name, (low, _) in zip(self.bound.names, box, strict=True)})

    def is_above(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether the Lagrangian of a lower bound is not below the floor in a box."""
        number = self._exactly(self.bound.goal, box)
        if number is not None:
            return bool(number >= self.bound.floor)
        return self._may_be_priced(box, prices) and self.lagrangian(prices).least(box) >= self.bound.floor

    def is_above_tangent(self, box: Box, prices: Sequence[float], point: Sequence[float]) -> bool:
        """Whether a lower bound's Lagrangian is convex between box and point, its tangent not below the floor."""
        if not self._may_be_priced(box, prices):
            return False
        return self.lagrangian(prices).least_by_tangent(box, point) >= self.bound.floor

    def _may_be_priced(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether no limit's price in a lower bound is negative, and each limit with one applies all over a box."""
        spans = self.spans(box)
        pairs = zip(prices, self.bound.limits, strict=False)
        return all(price == 0 or (price > 0 and _applies(limit, spans)) for price, limit in pairs)

    @cached_property
    def not_positive(self) -> list[tuple[Form, GuardedLimit | None]]:
        """The forms of a lower bound that no admissible point below the floor makes positive, each with its limit."""
        bound = self.bound
        below = Apply("add", (bound.goal, Number(Fraction(-bound.floor))))
        limits = [(self.form(limit.gap), limit) for limit in bound.limits]
        zeros = chain.from_iterable((zero, Apply("neg", (zero,))) for zero in bound.zeros)
        return [(self.form(below), None), *limits, *((self.form(zero), None) for zero in zeros)]

    def narrowed(self, box: Box, *, below_floor: bool = True) -> Box | None:
        """A box of a lower bound without parts where a limit is broken, or a zero missed; None if empty.

        If only points `below_floor` count, it is without those too where the goal keeps its floor.
        """
        remaining: Box | None = box
        spans = self.spans(box)
        for form, limit in self.not_positive[0 if below_floor else 1 :]:
            if remaining is not None and (limit is None or _applies(limit, spans)):
                remaining = form.where_not_positive(remaining)
        return remaining


def _is_broken(limit: GuardedLimit, least: float | Fraction) -> bool:
    """Whether a limit of a lower bound is broken wherever its gap is at least a number."""
    return least > 0 or (limit.is_strict and least == 0)


def _applies(limit: GuardedLimit, spans: Mapping[str, Span]) -> bool:
    """Whether a limit of a lower bound has to hold all over a box."""
    return limit.guard is None or truths(limit.guard, spans) == {True}


def flaw_of(bound: Bound) -> str:
    """What is wrong with a certificate's lower bound, over the boxes that cover the choices; empty if it is proved."""
    program = Program(bound)

    def narrowed(box: Box) -> Box | None:
        rounded = program.rounded(box)
        return None if rounded is None else program.narrowed(rounded)

    try:
        for box, leaf in pieces(bound.box, bound.tree, narrowed):
            rounded = program.rounded(box)
            if rounded is None:
                continue
            if leaf is None and not program.is_out(rounded):
                return f"{box} may hold an admissible point"
            if isinstance(leaf, Lagrangian) and not program.is_above(rounded, leaf.prices):
                return f"the goal may be below its floor in {box}"
            if isinstance(leaf, Tangent) and not program.is_above_tangent(rounded, leaf.prices, leaf.point):
                return f"the goal may be below its tangent in {box}"
    except FlawError as flaw:
        return str(flaw)
    return ""
