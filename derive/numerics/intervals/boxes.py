"""Boxes, an interval for each name: sides that count, and what an expression is worth in one by its mean value form.

The mean value form of an expression is its value at a point of the box, and its slopes over the box. An expression that
is smooth in a box differs from its value at the point by no more than its slopes times the distances from there (Moore
1966). That bounds its values. A side along which the slope has one sign has a better end. And where all other names do
their best, the distance along one side has to make up for the rest: beyond that the expression is positive.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from derive.numerics.intervals.arithmetic import ZERO, Span, minus, plus, times
from derive.tolerances import EPSILON, HANDFUL, SAME_ROOT

Box = tuple[Span, ...]
"""An interval of each unknown, in the order in which they are named."""


def rounded_inwards(box: Sequence[Span], steps: Sequence[float]) -> Box | None:
    """A box whose sides of counts, with a step, are cut to the whole numbers in them; None if one has none.

    >>> rounded_inwards([(0.5, 9.0), (2.5, 7.5)], [1.0, 0.0]), rounded_inwards([(1.2, 1.8)], [1.0])
    (((1.0, 9.0), (2.5, 7.5)), None)
    """
    sides = list(box)
    for i, step in enumerate(steps):
        if step:
            low, high = (end / step for end in box[i])
            if math.isfinite(low):
                low = math.ceil(low - SAME_ROOT * max(1.0, abs(low)))
            if math.isfinite(high):
                high = math.floor(high + SAME_ROOT * max(1.0, abs(high)))
            if low > high:
                return None
            sides[i] = (low * step, high * step)
    return tuple(sides)


def is_within(inner: Box, outer: Box) -> bool:
    """Whether a box lies in another, side by side."""
    return all(a >= low and b <= high for (a, b), (low, high) in zip(inner, outer, strict=True))


def is_narrower(narrowed: Box, box: Box, share: float) -> bool:
    """Whether some side of a box has been narrowed by more than a share of its length."""
    pairs = zip(narrowed, box, strict=True)
    return any(b - a < (1 - share) * (high - low) < math.inf for (a, b), (low, high) in pairs)


def distances(box: Sequence[Span], point: Sequence[float]) -> list[Span]:
    """The interval of each side of a box relative to a point: how far its numbers may be from that of the point."""
    return [plus(side, (-x, -x)) for side, x in zip(box, point, strict=True)]


def better_end(side: Span, slopes: Sequence[Span]) -> Span:
    """The end of a box's side at which expressions with these slopes are least; the side itself if they disagree."""
    low, high = side
    if all(least >= 0 for least, _ in slopes) and math.isfinite(low):
        return low, low
    if all(most <= 0 for _, most in slopes) and math.isfinite(high):
        return high, high
    return side


@dataclass(frozen=True, slots=True)
class MeanValueForm:
    """An expression in a box: its value at a point, its slopes, and what leaving the point along each name adds."""

    at_point: Span
    slopes: Sequence[Span]
    asides: Sequence[Span]  # the distances of the box from the point
    moves: Sequence[Span]  # what leaving the point along each side adds

    @classmethod
    def of(cls, at_point: Span, slopes: Sequence[Span], asides: Sequence[Span]) -> MeanValueForm:
        """The mean value form by a value at the point and slopes, each of which is multiplied by a side's distance."""
        moves = [times(slope, aside) if slope != ZERO else ZERO for slope, aside in zip(slopes, asides, strict=True)]
        return cls(at_point, slopes, asides, moves)

    @property
    def values(self) -> Span:
        """The bounds of the expression in the box, by its mean value form."""
        total = self.at_point
        for move in self.moves:
            total = plus(total, move)
        return total

    def plus(self, others: Sequence[MeanValueForm], weights: Sequence[float]) -> MeanValueForm:
        """The mean value form of the sum with multiples of other expressions."""
        total, slopes = self.at_point, list(self.slopes)
        for other, weight in zip(others, weights, strict=True):
            if weight:
                factor = weight, weight
                total = plus(total, times(factor, other.at_point))
                slopes = [plus(a, times(factor, b)) for a, b in zip(slopes, other.slopes, strict=True)]
        return MeanValueForm.of(total, slopes, self.asides)

    def raised(self, number: float) -> MeanValueForm:
        """The mean value form of the sum with a number."""
        return replace(self, at_point=plus(self.at_point, (number, number)))

    def negated(self) -> MeanValueForm:
        slopes, moves = [*map(minus, self.slopes)], [*map(minus, self.moves)]
        return MeanValueForm(minus(self.at_point), slopes, self.asides, moves)

    def share(self, i: int) -> float:
        """The share of one side of the box in what the expression may change by over the box."""
        total = sum(max(map(abs, move)) for move in self.moves)
        return max(map(abs, self.moves[i])) / total if 0 < total < math.inf else 0.0

    def cut(self, sides: list[Span], point: Sequence[float]) -> bool:
        """Cut the sides of a box to where the expression need not be positive; false if nothing is left."""
        steps = [low for low, _ in self.moves]
        least = self.at_point[0] + sum(steps)
        share = max(HANDFUL, (len(steps) + 4) * EPSILON)  # of the sums, each term of which is rounded once
        slack = share * (abs(self.at_point[0]) + sum(map(abs, steps)))
        if least - slack > 0:
            return False
        for i, (rise, most) in enumerate(self.slopes):
            spare = steps[i] - least + slack  # what this side may add, at most, to the least value
            low, high = sides[i]
            if rise > 0:
                sides[i] = (low, min(high, _above(point[i], max(spare / rise, spare / most))))
            elif most < 0:
                sides[i] = (max(low, -_above(-point[i], max(spare / -rise, spare / -most))), high)
            if not sides[i][0] <= sides[i][1]:
                return False
        return True


def _above(x: float, step: float) -> float:
    """An end of a box's side moved by a step, rounded upwards."""
    total = x + step
    return total + 4 * HANDFUL * (abs(x) + abs(step)) if math.isfinite(total) else math.inf
