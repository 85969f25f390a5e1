"""Intervals and their arithmetic, rounded outwards.

A `Span` is (low, high), either of which may be infinite. Zero times infinity is zero here: an infinite end means that
there is no bound, not that infinity is attained.

The result of a double operation is near the true number, and a bound must lie beyond it. How far is known:

- `+ - * /` and the square root are correctly rounded (IEEE 754), so the next double outwards is a bound. The error of
  a sum is even known exactly (Knuth's TwoSum), and a sum without rounding keeps its ends.
- The functions of the C library are not. Its manual (glibc, "Known Maximum Errors in Math Functions") lists one unit
  in the last place for most and two for a few; `ULPS` are allowed here. A test measures the library in use.
- A result that underflows is not zero: it lies between zero and the smallest double. One that overflows is finite.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable

__all__ = [
    "ALL",
    "FAINT",
    "ULPS",
    "ZERO",
    "Span",
    "ends",
    "even",
    "hull",
    "lies_in",
    "meet",
    "minus",
    "outward",
    "over",
    "plus",
    "product",
    "shifted",
    "sizes",
    "square",
    "times",
]

Span = tuple[float, float]

ALL: Span = (-math.inf, math.inf)
ZERO: Span = (0.0, 0.0)
_ONE: Span = (1.0, 1.0)
ULPS = 4
"""Units in the last place by which a function of the C library may be off."""

_MOST = sys.float_info.max
_INFINITY = math.inf
FAINT = math.ulp(0.0)
"""The smallest double, which stands for all that is smaller and not zero."""


def plus(a: Span, b: Span) -> Span:
    """Where sums lie; the ends are the nearest doubles outwards, and a sum that is exact is its own end.

    >>> plus((1.0, 0.1), (2.0, 0.2)) == (3.0, 0.1 + 0.2)
    True
    """
    x, y = a[0], b[0]
    low = x + y
    if not -_MOST <= low <= _MOST:
        low = _MOST if low > 0 else -_INFINITY
    else:
        part = low - x
        if not (x - (low - part)) + (y - part) >= 0:
            low = math.nextafter(low, -_INFINITY)
    x, y = a[1], b[1]
    high = x + y
    if not -_MOST <= high <= _MOST:
        high = -_MOST if high < 0 else _INFINITY
    else:
        part = high - x
        if not (x - (high - part)) + (y - part) <= 0:
            high = math.nextafter(high, _INFINITY)
    return low, high


def minus(a: Span) -> Span:
    return -a[1], -a[0]


def times(a: Span, b: Span) -> Span:
    if ZERO in (a, b):
        return ZERO
    if _ONE in (a, b):
        return b if a == _ONE else a
    ends = [product(x, y) for x in a for y in b]
    return outward(min(ends), max(ends), 1)


def over(a: Span) -> Span:
    """Where inverses lie, of numbers that are all of one sign; next to zero there is no bound.

    >>> over((0.0, 4.0))[1]
    inf
    """
    low, high = a
    if low < 0:
        return minus(over(minus(a)))
    return outward(1 / high, 0.0, 1)[0], outward(0.0, 1 / low, 1)[1] if low else _INFINITY


def square(a: Span) -> Span:
    """Where squares lie.

    >>> square((-2.0, 1.0))[0]
    0.0
    """
    near, far = sizes(a)
    return outward(product(near, near), product(far, far), 1)


def sizes(a: Span) -> Span:
    """How near to zero an interval comes, and how far from it."""
    low, high = abs(a[0]), abs(a[1])
    return (0.0 if a[0] <= 0 <= a[1] else min(low, high)), max(low, high)


def product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y or math.copysign(FAINT, x) * math.copysign(1.0, y)


def hull(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Span, b: Span) -> Span:
    """What two enclosures of one thing leave possible."""
    return max(a[0], b[0]), min(a[1], b[1])


def ends(function: Callable[[float], float], span: Span, floor: float = -math.inf) -> Span:
    """The values of a rising function of the C library, which are not below a floor."""
    low, high = outward(_at(function, span[0]), _at(function, span[1]))
    return max(low, floor), high


def _at(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def even(function: Callable[[Span], Span], span: Span) -> Span:
    """The values of a function of the size alone, which only rises or only falls with it."""
    near, far = sizes(span)
    return hull(function((near, near)), function((far, far)))


def lies_in(inner: Span, outer: Span, share: float) -> bool:
    """Whether a span lies in another, but for a share of its own ends, which rounding may have moved."""
    low, high = (share * abs(end) if math.isfinite(end) else 0.0 for end in inner)
    return outer[0] - low <= inner[0] and inner[1] <= outer[1] + high


def shifted(start: Span, slopes: Span, steps: Span) -> Span:
    """Where a form can be after steps away from where it is known, its slope being known."""
    return plus(start, times(slopes, steps))


def outward(low: float, high: float, ulps: int = ULPS) -> Span:
    """Bounds that rounding cannot have drawn in; what overflowed is large, and a NaN is no bound at all.

    A zero stays: nothing else rounds to it, and `product` and its like see to what underflows.
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
