"""Intervals of numbers and their arithmetic: bounds that no rounding can have drawn in.

A `Span` is (low, high), either of which may be infinite. Zero times infinity is zero here: an infinite end says that
there is no bound, not that infinity is reached.
"""

from __future__ import annotations

import math
import sys

__all__ = ["ALL", "FAINT", "ZERO", "Span", "hull", "meet", "minus", "outward", "plus", "product", "shifted", "times"]

Span = tuple[float, float]

ALL: Span = (-math.inf, math.inf)
ZERO: Span = (0.0, 0.0)
_ULP = 2.0**-51  # four roundings of one operation
_MOST = sys.float_info.max
FAINT = math.ulp(0.0)
"""The smallest double, which stands for all that is smaller and not zero."""


def plus(a: Span, b: Span) -> Span:
    return outward(a[0] + b[0], a[1] + b[1])


def minus(a: Span) -> Span:
    return -a[1], -a[0]


def times(a: Span, b: Span) -> Span:
    if ZERO in (a, b):
        return ZERO
    ends = [product(x, y) for x in a for y in b]
    return outward(min(ends), max(ends))


def product(x: float, y: float) -> float:
    return 0.0 if x == 0 or y == 0 else x * y or math.copysign(FAINT, x) * math.copysign(1.0, y)


def hull(a: Span, b: Span) -> Span:
    return min(a[0], b[0]), max(a[1], b[1])


def meet(a: Span, b: Span) -> Span:
    """What two enclosures of one thing leave possible."""
    return max(a[0], b[0]), min(a[1], b[1])


def shifted(start: Span, slopes: Span, steps: Span) -> Span:
    """Where a form can be after steps away from where it is known, its slope being known."""
    return plus(start, times(slopes, steps))


def outward(low: float, high: float) -> Span:
    """Bounds that rounding cannot have drawn in; what overflowed is large, and a NaN is no bound at all."""
    if low >= -_MOST and high <= _MOST:
        return min(low and low - _rounding(low), _MOST), max(high and high + _rounding(high), -_MOST)
    below = low and low - _rounding(low) if abs(low) <= _MOST else _MOST if low > 0 else -math.inf
    above = high and high + _rounding(high) if abs(high) <= _MOST else -_MOST if high < 0 else math.inf
    return below, above


def _rounding(x: float) -> float:
    return abs(x) * _ULP or FAINT
