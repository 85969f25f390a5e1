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

from derive.tolerances import UNDERFLOW

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
    """The interval of the inverses of numbers of one sign; next to zero it has no bound.

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


def hull(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Span, b: Span) -> Span:
    """The intersection of two intervals that hold the same number."""
    return max(a[0], b[0]), min(a[1], b[1])


def lies_in(inner: Span, outer: Span, share: float) -> bool:
    """Whether an interval lies in another, up to a relative error of its ends."""
    low, high = (share * abs(end) if math.isfinite(end) else 0.0 for end in inner)
    return outer[0] - low <= inner[0] and inner[1] <= outer[1] + high


def shifted(start: Span, slopes: Span, steps: Span) -> Span:
    """The interval of a form's values some steps away from a point, by the mean value theorem."""
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
