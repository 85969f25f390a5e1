"""Sample points of an interval, and the parts of it where a condition holds, as far as samples show.

Samples prove nothing. They find where an unknown is free, and start what brackets or refines a root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise, product

from derive.numerics.intervals.arithmetic import Span
from derive.tolerances import EXTREME, LARGEST, SAME_SOLUTION, SMALLEST

_SIZES = (1.3e-9, 1.7e-6, 1.1e-3, 0.037, 0.713, 1.929, 31.37, 1037.3, 1.0373e6 + 0.29, 1.3e9)
"""No round numbers, at which an equation may hold by chance."""
_POINTS = 60  # parts into which samples divide an interval


def middle(span: Span) -> float:
    """A sample point inside an interval, of a size between those of its ends."""
    if span[0] == span[1]:  # zero too, which has no size
        return span[0] + 0.0
    low, high = max(span[0], -LARGEST), min(span[1], LARGEST)
    if low < 0 < high:
        return (low + high) / 2
    return math.copysign(math.sqrt(max(abs(low), SMALLEST) * max(abs(high), SMALLEST)), low + high)


def within(span: Span) -> list[float]:
    """Some sample points of an interval, the middle one first."""
    low, high = max(span[0], -LARGEST), min(span[1], LARGEST)
    mid = middle(span)
    return [mid, middle((low, mid)), middle((mid, high)), *(low + (high - low) * share for share in (0.03, 0.4, 0.97))]


def points_of_all_sizes(low: float, high: float) -> list[float]:
    """Some sample points between two ends: in the middle, near the ends, and of all sizes."""
    width = high - low
    low, high = max(low, -LARGEST), min(high, LARGEST)
    inner = [low + (high - low) * share for share in (0.41, 0.03, 0.17, 0.73, 0.95)]
    signed = chain.from_iterable((size, -size) for size in _SIZES)
    sizes = [x for x in signed if low < x < high]
    return sizes + [x for x in inner if low < x < high and math.isfinite(width)] or [low]


def points_across(span: Span, known: Mapping[str, float], seeds: Iterable[float]) -> list[float]:
    """Sample points across an interval, and near the sizes of the givens."""
    low, high = max(span[0], -LARGEST), min(span[1], LARGEST)
    if not low < high:
        return [low]
    if math.isfinite(span[0]) and math.isfinite(span[1]) and (low <= 0 or high / low < 1e6):
        points = [low + (high - low) * i / _POINTS for i in range(1, _POINTS)]
    else:
        sizes = [SMALLEST * (LARGEST / SMALLEST) ** (i / _POINTS) for i in range(_POINTS + 1)]
        points = [*(-size for size in sizes), *sizes]
    near = [abs(x) * share for x, share in product(known.values(), (0.5, 0.99, 1.01, 2.0))]
    inside = {x for x in (*points, *near, *(-x for x in near), *seeds) if low < x < high}
    ends = {low or SMALLEST, high or -SMALLEST}  # at zero itself an equation may be undefined
    return sorted(inside | ends)


def is_narrow(span: Span) -> bool:
    """Whether an interval is a number within rounding, with no sample points of its own."""
    return math.isclose(*span, rel_tol=SAME_SOLUTION)


def is_constant(numbers: Sequence[float], bounds: Span) -> bool:
    """Whether the samples along an interval are one number, which needs close bounds as well."""
    if any(number != number for number in numbers):
        return False
    return math.isclose(*bounds, rel_tol=EXTREME) and is_narrow((min(numbers), max(numbers)))


def runs(
    holds: Callable[[float], bool], span: Span, known: Mapping[str, float], seeds: Iterable[float] = ()
) -> list[Span]:
    """The pieces of an interval in which a condition holds, as far as runs of sample points show."""
    tried = {x: holds(x) for x in points_across(span, known, seeds)}
    between = [(x + y) / 2 for x, y in pairwise(tried) if tried[x] and tried[y]]  # two roots are not a run
    tried |= {x: holds(x) for x in between}
    points = sorted(tried)
    holding = [tried[x] for x in points]
    pieces: list[Span] = []
    low = span[0]
    for (x, holds_here), (y, holds_next) in pairwise(zip(points, holding, strict=True)):
        if holds_next and not holds_here:
            low = _edge(y, x, holds)
        elif holds_here and not holds_next:
            pieces.append((low, _edge(x, y, holds)))
    return [*pieces, (low, span[1])] if holding and holding[-1] else pieces


def _edge(inside: float, outside: float, holds: Callable[[float], bool]) -> float:
    """The end of a run of sample points, by bisection between a point inside and one outside."""
    for _ in range(120):
        product = inside * outside
        x = math.copysign(math.sqrt(product), inside) if product > 0 else (inside + outside) / 2
        if holds(x):
            inside = x
        else:
            outside = x
    return inside
