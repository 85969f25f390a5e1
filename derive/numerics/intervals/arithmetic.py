"""Intervals and boxes of them, and their arithmetic, rounded outwards.

A `Span` is (low, high), either of which may be infinite. Zero times infinity is zero here: an infinite end means that
there is no bound, not that infinity is attained.

The result of a double operation is near the true number, and a bound must lie beyond it. How far is known:

- `+ - * /` and the square root are correctly rounded (IEEE 754), so the next double outwards is a bound. The error of
  a sum is even known exactly (Knuth's TwoSum), and a sum without rounding keeps its ends.
- The functions of the C library are not. Its manual (glibc, "Known Maximum Errors in Math Functions") lists one unit
  in the last place for most and two for a few; `ULPS` are allowed here. A test measures the library in use.
- A result that underflows is not zero: it lies between zero and the smallest double. One that overflows is finite.

A box has an interval for each name. The mean value form of an expression is its value at a point of the box, and its
slopes over the box. An expression that is smooth in a box differs from its value at the point by no more than its
slopes times the distances from there (Moore 1966). That bounds its values. A side along which the slope has one sign
has a better end. And where all other names do their best, the distance along one side has to make up for the rest:
beyond that the expression is positive.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from derive.tolerances import EPSILON, HANDFUL, SAME_ROOT, UNDERFLOW

Span = tuple[float, float]

ALL: Span = (-math.inf, math.inf)
ZERO: Span = (0.0, 0.0)
ULPS = 4
"""Units in the last place by which a function of the C library may be off."""

_MOST = sys.float_info.max
_INFINITY = math.inf
FAINT = math.ulp(0.0)
"""The smallest positive double, a bound for all that underflows."""


def plus(a: Span, b: Span) -> Span:
    """The sum of two intervals; an end that is not exact is the next double outwards.

    >>> plus((1.0, 0.1), (2.0, 0.2)) == (3.0, 0.1 + 0.2)
    True
    """
    x, y = a[0], b[0]
    low = x + y
    if not -_MOST <= low <= _MOST:
        low = _MOST if low > 0 else -_INFINITY
    else:
        addend = low - x  # y as the sum has it: what rounding left out is the sum of both differences (TwoSum)
        if not (x - (low - addend)) + (y - addend) >= 0:
            low = math.nextafter(low, -_INFINITY)
    x, y = a[1], b[1]
    high = x + y
    if not -_MOST <= high <= _MOST:
        high = -_MOST if high < 0 else _INFINITY
    else:
        addend = high - x
        if not (x - (high - addend)) + (y - addend) <= 0:
            high = math.nextafter(high, _INFINITY)
    return low, high


def minus(a: Span) -> Span:
    return -a[1], -a[0]


def times(a: Span, b: Span) -> Span:
    """The product of two intervals, rounded outwards; zero and one, which most slopes are, leave it exact.

    >>> times((1.0, 1.0), (0.1, 0.2)), times((-2.0, 3.0), (4.0, 5.0))[0] <= -10
    ((0.1, 0.2), True)
    """
    (x, u), (y, v) = a, b
    if x == u and x in (0, 1):
        return b if x else ZERO
    if y == v and y in (0, 1):
        return a if y else ZERO
    if x >= 0 and y >= 0:
        low, high = x * y, u * v
        is_usual = UNDERFLOW < high < _MOST and (low > UNDERFLOW or (low == 0 and (x == 0 or y == 0)))
    else:
        xy, xv, uy, uv = x * y, x * v, u * y, u * v
        low, high = min(xy, xv, uy, uv), max(xy, xv, uy, uv)
        is_usual = -_MOST < xy + xv + uy + uv < _MOST and not (
            -UNDERFLOW < low < UNDERFLOW or -UNDERFLOW < high < UNDERFLOW
        )
    if is_usual:  # nothing overflowed or underflowed, so that the products are correctly rounded
        return low and math.nextafter(low, -_INFINITY), math.nextafter(high, _INFINITY)
    bounds = product(x, y), product(x, v), product(u, y), product(u, v)
    return outward(min(bounds), max(bounds), 1)


def over(a: Span) -> Span:
    """The interval of the inverses of an interval's numbers, of one sign; next to zero it has no bound.

    >>> over((0.0, 4.0))[1]
    inf
    """
    low, high = a
    if low < 0:
        return minus(over(minus(a)))
    return outward(1 / high, 0.0, 1)[0], outward(0.0, 1 / low, 1)[1] if low else _INFINITY


def square(a: Span) -> Span:
    """The interval of the squares of an interval's numbers.

    >>> square((-2.0, 1.0))[0]
    0.0
    """
    near, far = sizes(a)
    return outward(product(near, near), product(far, far), 1)


def sizes(a: Span) -> Span:
    """The interval of absolute values in an interval: the least and the greatest."""
    low, high = abs(a[0]), abs(a[1])
    return (0.0 if a[0] <= 0 <= a[1] else min(low, high)), max(low, high)


def product(x: float, y: float) -> float:
    """The product of two ends of intervals; zero times infinity is zero, and an underflow the smallest double."""
    return 0.0 if x == 0 or y == 0 else x * y or math.copysign(FAINT, x) * math.copysign(1.0, y)


def point_box(values: Mapping[str, float]) -> dict[str, Span]:
    """The box that is one point: for each name an interval from its number to itself."""
    return {name: (number, number) for name, number in values.items()}


def hull(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Span, b: Span) -> Span:
    """The intersection of two intervals that hold the same number."""
    return max(a[0], b[0]), min(a[1], b[1])


def lies_in(inner: Span, outer: Span, share: float) -> bool:
    """Whether one interval lies in another, if each of its own ends may be off by a share of its size."""
    low, high = (share * abs(end) if math.isfinite(end) else 0.0 for end in inner)
    return outer[0] - low <= inner[0] and inner[1] <= outer[1] + high


def shifted(start: Span, slopes: Span, steps: Span) -> Span:
    """The interval at a point, plus that of slopes times that of steps, rounded outwards (mean value theorem)."""
    return plus(start, times(slopes, steps))


def outward(low: float, high: float, ulps: int = ULPS) -> Span:
    """An interval with its ends moved outwards by the rounding error; an overflow is a large finite number.

    Zero is not moved, since `product` and its like have replaced what underflowed. NaN gives no bound.
    """
    if not -_MOST <= low <= _MOST:
        low = _MOST if low > 0 else -_INFINITY
    elif low:
        low -= ulps * math.ulp(low)
    if not -_MOST <= high <= _MOST:
        high = -_MOST if high < 0 else _INFINITY
    elif high:
        high += ulps * math.ulp(high)
    return low, high


Box = tuple[Span, ...]
"""An interval of each unknown, in the order in which they are named."""


def rounded_inwards(box: Sequence[Span], steps: Sequence[float]) -> Box | None:
    """A box with each interval of a count rounded inwards to multiples of its step; None if one is left empty.

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
    """Whether each interval of a box lies in that of another."""
    return all(a >= low and b <= high for (a, b), (low, high) in zip(inner, outer, strict=True))


def is_narrower(narrowed: Box, box: Box, share: float) -> bool:
    """Whether some interval of a box is shorter than before by more than a share of its length."""
    pairs = zip(narrowed, box, strict=True)
    return any(b - a < (1 - share) * (high - low) < math.inf for (a, b), (low, high) in pairs)


def distances(box: Sequence[Span], point: Sequence[float]) -> list[Span]:
    """The intervals of a box less the numbers of a point, rounded outwards."""
    return [plus(side, (-x, -x)) for side, x in zip(box, point, strict=True)]


def better_end(side: Span, slopes: Sequence[Span]) -> Span:
    """The end of an interval at which expressions with slopes in these intervals are least; itself if they disagree."""
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
        """The mean value form of intervals: the value at a point, and slopes, each times a side's distance from it."""
        moves = [times(slope, aside) if slope != ZERO else ZERO for slope, aside in zip(slopes, asides, strict=True)]
        return cls(at_point, slopes, asides, moves)

    @property
    def values(self) -> Span:
        """The interval of the expression's values in the box: its mean value form added up, rounded outwards."""
        total = self.at_point
        for move in self.moves:
            total = plus(total, move)
        return total

    def plus(self, others: Sequence[MeanValueForm], weights: Sequence[float]) -> MeanValueForm:
        """The mean value form plus multiples of others, added by interval arithmetic."""
        total, slopes = self.at_point, list(self.slopes)
        for other, weight in zip(others, weights, strict=True):
            if weight:
                factor = weight, weight
                total = plus(total, times(factor, other.at_point))
                slopes = [plus(a, times(factor, b)) for a, b in zip(slopes, other.slopes, strict=True)]
        return MeanValueForm.of(total, slopes, self.asides)

    def raised(self, number: float) -> MeanValueForm:
        """The mean value form plus a number, added by interval arithmetic."""
        return replace(self, at_point=plus(self.at_point, (number, number)))

    def negated(self) -> MeanValueForm:
        slopes, moves = [*map(minus, self.slopes)], [*map(minus, self.moves)]
        return MeanValueForm(minus(self.at_point), slopes, self.asides, moves)

    def share(self, i: int) -> float:
        """The share of one interval of the box in what the mean value form may change by over the box."""
        total = sum(max(map(abs, move)) for move in self.moves)
        return max(map(abs, self.moves[i])) / total if 0 < total < math.inf else 0.0

    def cut(self, sides: list[Span], point: Sequence[float]) -> bool:
        """Cut the box's intervals to where the mean value form need not be positive; false if nothing is left."""
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
    """The end of an interval and a step added and rounded upwards; infinity if that is not finite."""
    total = x + step
    return total + 4 * HANDFUL * (abs(x) + abs(step)) if math.isfinite(total) else math.inf
