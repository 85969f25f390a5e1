"""The bound of an optimum, confirmed from the goal and the limits of each program over boxes that cover the choices.

A box needs no bound where no point of it is admissible: a limit that applies is broken all over it, a zero is missed, a
guard is false, a count has no whole number, or the goal no value. In any other the goal must not fall below the floor.
Where limits hold their gaps are not positive, and zeros are zero. So the goal is nowhere less than the Lagrangian: the
goal plus the limits, times prices that are not negative, plus the zeros and their squares, times any. Its least value
in a box is bounded by its enclosure, with each unknown along which it is monotone at the better end; by its value in
the middle and its slopes; and where it is convex, by a tangent (`forms`). A single point has an exact value where
that is rational.

A box may be narrowed first, to where the limits can hold and the goal can be below the floor: each is at least its
value in the middle plus its slopes times the distances, and where all other unknowns do their best, one has to make up
for the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain

from derive.certificates.forms import Form
from derive.certificates.proof import Bound, FlawError, Lagrangian, Limited, Tangent, pieces
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.intervals.arithmetic import Box, Span, lies_in, rounded_inwards
from derive.numerics.intervals.enclosure import enclose, truths
from derive.tolerances import SAME_ROOT


class Program:
    """The goal, limits, zeros and guards of a bound, evaluated over boxes."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.known = {number.name: number.span for number in bound.known}
        self.priced: dict[tuple[float, ...], Form] = {}

    def spans(self, box: Box) -> dict[str, Span]:
        """The bounds of every name in a bound's program: of the known numbers, and of the variables over a box."""
        return {**self.known, **dict(zip(self.bound.names, box, strict=True))}

    def form(self, node: Node) -> Form:
        return Form(node, self.bound.names, self.known)

    def lagrangian(self, prices: Sequence[float]) -> Form:
        """The Lagrangian of a bound: the goal plus limits, zeros and squared zeros, each times its price; made once."""
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
        """A box of a bound with the sides of counts rounded inwards; None if one has no whole number."""
        return rounded_inwards(box, self.bound.steps)

    def is_out(self, box: Box) -> bool:
        """Whether a box of a bound holds no admissible point."""
        bound, spans = self.bound, self.spans(box)
        for limit in bound.limits:
            enclosure = enclose(limit.gap, spans, "")
            if _applies(limit, spans) and (enclosure is None or enclosure.values[0] > 0):
                return True
        zeros = [enclose(zero, spans, "") for zero in bound.zeros]
        if any(enclosure is None or enclosure.misses_zero for enclosure in zeros):
            return True
        return any(True not in truths(guard, spans) for guard in bound.guards)

    def is_above(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether the Lagrangian of a bound is not below the floor in a box."""
        bound = self.bound
        if all(low == high for low, high in box):
            point = {name: Fraction(low) for name, (low, _) in self.spans(box).items()}
            number = exact_value(bound.goal, point)
            if number is not None and not bound.known:
                return bool(number >= bound.floor)
        return self._may_be_priced(box, prices) and self.lagrangian(prices).least(box) >= bound.floor

    def is_above_tangent(self, box: Box, prices: Sequence[float], point: Sequence[float]) -> bool:
        """Whether a bound's Lagrangian is convex between a box and a point, with its tangent not below the floor."""
        if not self._may_be_priced(box, prices):
            return False
        return self.lagrangian(prices).least_by_tangent(box, point) >= self.bound.floor

    def _may_be_priced(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether no price of a limit is negative in a bound, and each limit with a price applies all over a box."""
        spans = self.spans(box)
        pairs = zip(prices, self.bound.limits, strict=False)
        return all(price == 0 or (price > 0 and _applies(limit, spans)) for price, limit in pairs)

    @cached_property
    def not_positive(self) -> list[tuple[Form, Limited | None]]:
        """The forms of a bound that are not positive at any admissible point below the floor, each with its limit."""
        bound = self.bound
        below = Apply("add", (bound.goal, Number(Fraction(-bound.floor))))
        limits = [(self.form(limit.gap), limit) for limit in bound.limits]
        zeros = chain.from_iterable((zero, Apply("neg", (zero,))) for zero in bound.zeros)
        return [(self.form(below), None), *limits, *((self.form(zero), None) for zero in zeros)]

    def narrowed(self, box: Box) -> Box | None:
        """A box of a bound without the parts in which a limit is broken or the goal keeps its floor; None if empty."""
        remaining: Box | None = box
        spans = self.spans(box)
        for form, limit in self.not_positive:
            if remaining is not None and (limit is None or _applies(limit, spans)):
                remaining = form.where_not_positive(remaining)
        return remaining


def _applies(limit: Limited, spans: Mapping[str, Span]) -> bool:
    """Whether a limit of a bound has to hold all over a box."""
    return limit.guard is None or truths(limit.guard, spans) == {True}


def flaw_of(bound: Bound) -> str:
    """What is wrong with the bound of an optimum; empty if it is proved."""
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


def reaches(bound: Bound, choice: Mapping[str, float], value: float) -> bool:
    """Whether the goal of a bound may have a value where the chosen names have their numbers.

    The other names vary in their box.
    """
    sides = zip(bound.names, bound.box, strict=True)
    box = tuple((choice[name], choice[name]) if name in choice else side for name, side in sides)
    goal = Program(bound).form(bound.goal).enclosed(box)
    return goal is not None and lies_in((value, value), goal.values, SAME_ROOT)
