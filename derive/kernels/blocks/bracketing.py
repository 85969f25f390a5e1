"""Bracketing of the roots of a block's residual at many points at once, for kernels over arrays.

It is done as `crossing` of `python_runtime` does it at one point. The bracket is bisected geometrically while its ends
are far apart, and then cut by inverse quadratic interpolation where that is safe, else bisected (Chandrupatla 1997),
down to the last digits. The result is NaN where the ends certainly have the same sign, and an infinity where their
signs are uncertain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

from derive.tolerances import LAST_DIGIT, SMALLEST

_STEPS = 200
_CROWD = 0.75  # share of open points below which the finished ones are dropped


def crossings(
    gap: Callable[..., Any], least: Callable[..., Any], low: float, high: float, inputs: Sequence[Any]
) -> Any:
    """The bracketed root of a kernel's residual at each point; its sign is certain above the size `least`."""
    import numpy

    ends = [numpy.full(inputs[0].shape, end) for end in (high, low)]
    gaps = [gap(end, *inputs) for end in ends]
    sizes = [numpy.abs(gap_at_end) for gap_at_end in gaps]
    is_certain = [(size > least(end, *inputs)) | (size == inf) for size, end in zip(sizes, ends, strict=True)]
    roots = numpy.where(is_certain[0] & is_certain[1], nan, inf)
    places = numpy.flatnonzero(is_certain[0] & is_certain[1] & ((gaps[0] < 0) != (gaps[1] < 0)))
    if places.size:
        bracket = [array[places] for array in (ends[0], gaps[0], ends[1], gaps[1])]
        roots[places] = _narrow_brackets(gap, bracket, [array[places] for array in inputs])
    return roots


def _narrow_brackets(gap: Callable[..., Any], bracket: Sequence[Any], inputs: Sequence[Any]) -> Any:
    """The roots in a kernel's brackets, narrowed by Chandrupatla's method; infinite where the residual is undefined."""
    import numpy

    x1, f1, x2, f2 = bracket  # x1 was tried last, and x2 has the other sign
    roots, places = numpy.full(x1.shape, inf), numpy.arange(x1.size)
    share, pending = numpy.full(x1.shape, 0.5), numpy.full(x1.shape, True)
    for _ in range(_STEPS):
        x = numpy.where(pending, _cuts(x1, x2, share), x1)
        f = gap(x, *inputs)
        same = (f < 0) == (f1 < 0)  # then the root lies between the new point and x2; x3 is the point that is left out
        x3, f3 = numpy.where(same, x1, x2), numpy.where(same, f1, f2)
        x2, f2 = numpy.where(same, x2, x1), numpy.where(same, f2, f1)
        x1, f1 = x, f
        best = numpy.where(numpy.abs(f1) < numpy.abs(f2), x1, x2)
        narrow = LAST_DIGIT * numpy.abs(best) / numpy.abs(x2 - x1)
        is_undefined, is_zero = numpy.isnan(f), f == 0
        is_done = pending & (is_zero | is_undefined | (narrow >= 0.5))
        roots[places[is_done]] = numpy.where(is_zero, x1, numpy.where(is_undefined, inf, best))[is_done]
        pending &= ~is_done
        if not pending.any():
            break
        # where inverse quadratic interpolation through the three points is safe, it gives the next cut
        across, along = (f1 - f2) / (f3 - f2), (x1 - x2) / (x3 - x2)
        trusted = (across * across < along) & ((1 - across) * (1 - across) < 1 - along)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        share = numpy.clip(numpy.where(trusted, curved, 0.5), narrow, 1 - narrow)
        if pending.sum() < _CROWD * pending.size:
            x1, f1, x2, f2, share, places = (array[pending] for array in (x1, f1, x2, f2, share, places))
            inputs = [array[pending] for array in inputs]
            pending = numpy.full(x1.shape, True)
    return roots


def _cuts(x1: Any, x2: Any, share: Any) -> Any:
    """The numbers that cut a kernel's brackets of roots: zero, a geometric mean of distant ends, or interpolated."""
    import numpy

    a, b = numpy.minimum(x1, x2), numpy.maximum(x1, x2)
    x = x1 + share * (x2 - x1)
    above, below = (a >= 0) & (4 * a < b), (b <= 0) & (4 * b > a)
    if above.any():
        x = numpy.where(above, numpy.sqrt(numpy.maximum(a, SMALLEST)) * numpy.sqrt(numpy.abs(b)), x)
    if below.any():
        x = numpy.where(below, -numpy.sqrt(numpy.maximum(-b, SMALLEST)) * numpy.sqrt(numpy.abs(a)), x)
    return numpy.where((a < 0) & (b > 0), 0.0, x)
