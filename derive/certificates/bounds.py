"""The bound of an optimum, confirmed from the goal and the limits of each program over boxes that cover the choices.

A box needs no bound where no point of it is admissible: a limit that applies is broken all over it, a zero is missed, a
guard is false, a count has no whole number, or the goal no value. In any other the goal must not fall below the floor.
Where limits hold their gaps are not positive, and zeros are zero. So the goal is nowhere less than the Lagrangian: the
goal plus the limits, times prices that are not negative, plus the zeros and their squares, times any. Its least value
in a box is bounded by its enclosure, with each unknown along which it is monotone at the better end; by its value in
the middle and its slopes; and where it is convex, by a tangent (`convexity`). A single point has an exact value where
that is rational.

A box may be narrowed first, to where the limits can hold and the goal can be below the floor: each is at least its
value in the middle plus its slopes times the distances, and where all other unknowns do their best, one has to make up
for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from derive.certificates.convexity import Convex
from derive.certificates.proof import Bound, Box, Cut, Lagrangian, Limited, Narrowing, Span, Tangent, middle
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.algebra.exact_values import exact_value
from derive.numerics.intervals.arithmetic import lies_in, over, plus, times
from derive.numerics.intervals.enclosure import Enclosure, enclose, truths
from derive.time_limits import tick
from derive.tolerances import SAME_ROOT

__all__ = ["Program", "flaw_of", "lagrangian", "reaches"]


class Program:
    """What a bound is about, over boxes."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self.known = {one.name: one.span for one in bound.known}
        self.convex: dict[tuple[float, ...], Convex] = {}

    def spans(self, box: Box) -> dict[str, Span]:
        return {**self.known, **dict(zip(self.bound.names, box, strict=True))}

    def enclosed(self, form: Node, box: Box, moving: str = "") -> Enclosure | None:
        tick()  # there is one of these for each variable
        return enclose(form, self.spans(box), moving)

    def rounded(self, box: Box) -> Box | None:
        """A box with the sides of counts rounded inwards; None if one has no whole number."""
        sides = []
        for (low, high), step in zip(box, self.bound.steps, strict=True):
            if step:
                slack = SAME_ROOT * max(1.0, min(abs(low), abs(high)) / step)
                least = math.ceil(low / step - slack) * step if math.isfinite(low) else low
                most = math.floor(high / step + slack) * step if math.isfinite(high) else high
                if least > most:
                    return None
                sides.append((least, most))
            else:
                sides.append((low, high))
        return tuple(sides)

    def is_out(self, box: Box) -> bool:
        """Whether no point of a box is admissible."""
        bound, spans = self.bound, self.spans(box)
        for limit in bound.limits:
            found = enclose(limit.gap, spans, "")
            if _applies(limit, spans) and (found is None or found.values[0] > 0):
                return True
        zeros = [enclose(zero, spans, "") for zero in bound.zeros]
        if any(found is None or found.misses_zero for found in zeros):
            return True
        return any(True not in truths(guard, spans) for guard in bound.guards)

    def is_above(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether the Lagrangian is not below the floor in a box."""
        bound = self.bound
        if all(low == high for low, high in box):
            point = {name: Fraction(low) for name, (low, _) in self.spans(box).items()}
            number = exact_value(bound.goal, point)
            if number is not None and not bound.known:
                return bool(number >= bound.floor)
        return self._may_be_priced(box, prices) and self._least(self._lagrangian(prices), box) >= bound.floor

    def is_above_tangent(self, box: Box, prices: Sequence[float], point: Sequence[float]) -> bool:
        """Whether the Lagrangian is convex between a box and a point, and its tangent there not below the floor."""
        if not self._may_be_priced(box, prices):
            return False
        key = tuple(prices)
        if key not in self.convex:
            self.convex[key] = Convex(self._lagrangian(prices), self.bound.names, self.known)
        return self.convex[key].least(box, point) >= self.bound.floor

    def _may_be_priced(self, box: Box, prices: Sequence[float]) -> bool:
        """Whether no price of a limit is negative, and each limit with a price has to hold all over a box."""
        spans = self.spans(box)
        pairs = zip(prices, self.bound.limits, strict=False)
        return all(price == 0 or (price > 0 and _applies(limit, spans)) for price, limit in pairs)

    def _lagrangian(self, prices: Sequence[float]) -> Node:
        bound = self.bound
        return lagrangian(bound.goal, [limit.gap for limit in bound.limits], bound.zeros, prices)

    def narrowed(self, box: Box) -> Box | None:
        """A box without the parts in which a limit is broken or the goal keeps its floor; None if nothing is left."""
        bound, spans = self.bound, self.spans(box)
        forms = [Apply("add", (bound.goal, Number(Fraction(-bound.floor))))]
        forms += [Apply("add", (limit.gap,)) for limit in bound.limits if _applies(limit, spans)]
        for zero in bound.zeros:
            forms += [Apply("add", (zero,)), Apply("neg", (zero,))]
        left: Box | None = box
        for form in forms:
            left = None if left is None else self._where_not_positive(form, left)
        return left

    def _where_not_positive(self, form: Node, box: Box) -> Box | None:
        """The part of a box in which a form may not be positive; None if there is none."""
        centre = middle(box)
        here = None if centre is None else self.enclosed(form, tuple((x, x) for x in centre))
        moving = [self.enclosed(form, box, name) for name in self.bound.names]
        if centre is None or here is None or here.partial or any(one is None or one.partial for one in moving):
            return box
        slopes = [one.slopes for one in moving if one is not None]
        moves = [times(plus(side, (-x, -x)), slope) for side, x, slope in zip(box, centre, slopes, strict=True)]
        sides = []
        for i, (side, slope) in enumerate(zip(box, slopes, strict=True)):
            rest = here.values[0]
            for move in (*moves[:i], *moves[i + 1 :]):
                rest = plus((rest, rest), move)[0]
            if math.isfinite(rest) and (slope[0] > 0 or slope[1] < 0):
                least, most = plus((centre[i], centre[i]), times((-rest, -rest), over(slope)))
                side = (side[0], min(side[1], most)) if slope[0] > 0 else (max(side[0], least), side[1])  # noqa: PLW2901
            sides.append(side)
        return tuple(sides) if all(low <= high for low, high in sides) else None

    def _least(self, form: Node, box: Box) -> float:
        """A number that a form does not fall below in a box; infinite if it is defined nowhere."""
        moving = [self.enclosed(form, box, name) for name in self.bound.names]
        if not moving or moving[0] is None:
            whole = self.enclosed(form, box)
            return math.inf if whole is None else whole.values[0]
        slopes = [one.slopes for one in moving if one is not None]
        if moving[0].partial:
            return moving[0].values[0]
        corner = tuple(map(_better, box, slopes))
        at_corner = self.enclosed(form, corner)
        found = math.inf if at_corner is None else at_corner.values[0]
        centre = middle(box)
        here = None if centre is None else self.enclosed(form, tuple((x, x) for x in centre))
        if centre is None or here is None or here.partial:
            return found
        total = here.values
        for side, x, slope in zip(box, centre, slopes, strict=True):
            total = plus(total, times(plus(side, (-x, -x)), slope))
        return max(found, total[0])


def lagrangian(goal: Node, gaps: Sequence[Node], zeros: Sequence[Node], prices: Sequence[float]) -> Node:
    """The goal, and the gaps of limits, the zeros and the squares of zeros at their prices."""
    squares = [Apply("pow", (zero, Number(Fraction(2)))) for zero in zeros]
    priced = [(price, part) for price, part in zip(prices, [*gaps, *zeros, *squares], strict=False) if price]
    terms = [Apply("mul", (Number(Fraction(price)), part)) for price, part in priced]
    return Apply("add", (goal, *terms))


def _applies(limit: Limited, spans: Mapping[str, Span]) -> bool:
    """Whether a limit has to hold all over a box."""
    return limit.guard is None or truths(limit.guard, spans) == {True}


def _better(side: Span, slope: Span) -> Span:
    """The end of a side at which a form is least, if it is monotone along it; else the side."""
    if slope[0] >= 0 and math.isfinite(side[0]):
        return side[0], side[0]
    if slope[1] <= 0 and math.isfinite(side[1]):
        return side[1], side[1]
    return side


def flaw_of(bound: Bound) -> str:
    """What is wrong with a bound; nothing, if nothing is."""
    program = Program(bound)
    pending = [bound.box]
    for node in bound.tree:
        box = pending.pop()
        if isinstance(node, Cut):
            low, high = box[node.unknown]
            if not low <= node.at <= high:
                return "a cut is outside its box"
            pending += node.halves(box)
            continue
        rounded = program.rounded(box)
        if rounded is None:
            continue
        if isinstance(node, Narrowing):
            left = program.narrowed(rounded)
            pending += [] if left is None else [left]
            continue
        if node is None and not program.is_out(rounded):
            return f"{box} may hold an admissible point"
        if isinstance(node, Lagrangian) and not program.is_above(rounded, node.prices):
            return f"the goal may be below its floor in {box}"
        if isinstance(node, Tangent) and not program.is_above_tangent(rounded, node.prices, node.point):
            return f"the goal may be below its tangent in {box}"
    return "the boxes do not cover the ranges" if pending else ""


def reaches(bound: Bound, at: Mapping[str, float], value: float) -> bool:
    """Whether a goal may have this value at a point; where more than what was chosen varies, somewhere beyond it."""
    whole = dict(zip(bound.names, bound.box, strict=True))
    box = tuple((at[name], at[name]) if name in at else side for name, side in whole.items())
    found = Program(bound).enclosed(bound.goal, box)
    return found is not None and lies_in((value, value), found.values, SAME_ROOT)
