"""Bracketed root finding at many points at once: `crossing` of `python_runtime`, for arrays.

The bracket is bisected geometrically while its ends are far apart, and then cut by inverse quadratic interpolation
where that is safe, else bisected (Chandrupatla 1997), down to the last digits. The result is NaN where the ends
certainly have the same sign, and an infinity where their signs are uncertain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, nan
from typing import Any

from derive.tolerances import BRACKET, SMALLEST

__all__ = ["crossings"]

_STEPS = 200
_CROWD = 0.75  # share of open points below which the finished ones are dropped


def crossings(
    gap: Callable[..., Any], least: Callable[..., Any], low: float, high: float, inputs: Sequence[Any]
) -> Any:
    """A root of a residual at each point; `least` gives the size above which its sign at an end is certain."""
    import numpy

    ends = [numpy.full(inputs[0].shape, end) for end in (high, low)]
    gaps = [gap(end, *inputs) for end in ends]
    sizes = [numpy.abs(one) for one in gaps]
    sure = [(size > least(end, *inputs)) | (size == inf) for size, end in zip(sizes, ends, strict=True)]
    found = numpy.where(sure[0] & sure[1], nan, inf)
    places = numpy.flatnonzero(sure[0] & sure[1] & ((gaps[0] < 0) != (gaps[1] < 0)))
    if places.size:
        held = [array[places] for array in (ends[0], gaps[0], ends[1], gaps[1])]
        found[places] = _closed_in(gap, held, [array[places] for array in inputs])
    return found


def _closed_in(gap: Callable[..., Any], bracket: Sequence[Any], inputs: Sequence[Any]) -> Any:
    import numpy

    x1, f1, x2, f2 = bracket
    found, places = numpy.full(x1.shape, inf), numpy.arange(x1.size)
    share, pending = numpy.full(x1.shape, 0.5), numpy.full(x1.shape, True)
    for _ in range(_STEPS):
        x = numpy.where(pending, _cut(x1, x2, share), x1)
        f = gap(x, *inputs)
        same = (f < 0) == (f1 < 0)
        x3, f3 = numpy.where(same, x1, x2), numpy.where(same, f1, f2)
        x2, f2 = numpy.where(same, x2, x1), numpy.where(same, f2, f1)
        x1, f1 = x, f
        best = numpy.where(numpy.abs(f1) < numpy.abs(f2), x1, x2)
        narrow = BRACKET * numpy.abs(best) / numpy.abs(x2 - x1)
        lost, met = numpy.isnan(f), f == 0
        done = pending & (met | lost | (narrow >= 0.5))
        found[places[done]] = numpy.where(met, x1, numpy.where(lost, inf, best))[done]
        pending &= ~done
        if not pending.any():
            break
        across, along = (f1 - f2) / (f3 - f2), (x1 - x2) / (x3 - x2)
        trusted = (across * across < along) & ((1 - across) * (1 - across) < 1 - along)
        curved = f1 / (f2 - f1) * f3 / (f2 - f3) + (x3 - x1) / (x2 - x1) * f1 / (f3 - f1) * f2 / (f3 - f2)
        share = numpy.clip(numpy.where(trusted, curved, 0.5), narrow, 1 - narrow)
        if pending.sum() < _CROWD * pending.size:
            x1, f1, x2, f2, share, places = (array[pending] for array in (x1, f1, x2, f2, share, places))
            inputs = [array[pending] for array in inputs]
            pending = numpy.full(x1.shape, True)
    return found


def _cut(x1: Any, x2: Any, share: Any) -> Any:
    """Where brackets are cut: at zero, by ratio, or by interpolation."""
    import numpy

    a, b = numpy.minimum(x1, x2), numpy.maximum(x1, x2)
    x = x1 + share * (x2 - x1)
    above, below = (a >= 0) & (4 * a < b), (b <= 0) & (4 * b > a)
    if above.any():
        x = numpy.where(above, numpy.sqrt(numpy.maximum(a, SMALLEST)) * numpy.sqrt(numpy.abs(b)), x)
    if below.any():
        x = numpy.where(below, -numpy.sqrt(numpy.maximum(-b, SMALLEST)) * numpy.sqrt(numpy.abs(a)), x)
    return numpy.where((a < 0) & (b > 0), 0.0, x)
