"""Points at which things are tried, and what runs of them show: of one unknown's domain, and of several.

Local methods start from weak values of the unknowns first, from profiles and defaults: relations overrule them, but
they are good guesses. Then all unknowns are equal, at common sizes or those of the givens, and then in equal steps
(where unknowns are interchangeable, as the nodes of a quadrature are, the Jacobian is singular at equal values). Last
come points across the domains, from a low-discrepancy sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise, product

from derive.numerics.intervals.arithmetic import Span
from derive.tolerances import EXTREME, LARGEST, SAME_SOLUTION, SMALLEST
from quantities.domain import Domain

_EVERYWHERE = (1.3e-9, 1.7e-6, 1.1e-3, 0.037, 0.713, 1.929, 31.37, 1037.3, 1.0373e6 + 0.29, 1.3e9)
_POINTS = 60  # points at which an interval is tried
_LEVELS = (1.0, 0.1, 10.0, 0.5, -1.0, 0.0, 2.0, -0.1)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


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


def spread(low: float, high: float) -> list[float]:
    """Some sample points between two ends: in the middle, near the ends, and of all sizes."""
    width = high - low
    low, high = max(low, -LARGEST), min(high, LARGEST)
    inner = [low + (high - low) * share for share in (0.41, 0.03, 0.17, 0.73, 0.95)]
    signed = chain.from_iterable((size, -size) for size in _EVERYWHERE)
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
    ends = {low or SMALLEST, high or -SMALLEST}
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


# Of several unknowns


def guesses(
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float],
    count: int,
) -> Iterator[dict[str, float]]:
    """Starting points for local methods on several unknowns, up to a count, the best ones first.

    >>> real = Domain("real", -math.inf, math.inf)
    >>> first, second, *_ = guesses(["x", "y"], {}, {"x": real, "y": real}, {"x": 3.0}, 5)
    >>> first, second
    ({'x': 3.0, 'y': 1.0}, {'x': 1.0, 'y': 1.0})
    """
    listed = [*_alike(unknowns, known, domains)]
    if hints:
        listed.insert(0, {name: hints.get(name, _inside(domains[name], 1.0)) for name in unknowns})
    yield from listed[:count]
    yield from starts(unknowns, known, domains, max(0, count - len(listed)))


def _alike(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Iterator[dict[str, float]]:
    """Starting points at which all unknowns are at one level of their domains, or in equal steps up to it."""
    sizes = [math.log(abs(number)) for number in known.values() if number]
    levels = [*_LEVELS]
    if sizes:
        levels.insert(1, math.exp(sum(sizes) / len(sizes)))
    step = 1.0 / (len(unknowns) + 1)
    for level in levels:
        yield {name: _inside(domains[name], level) for name in unknowns}
        if level > 0:
            yield {name: _inside(domains[name], level * i * step, i * step) for i, name in enumerate(unknowns, 1)}


def _inside(domain: Domain, level: float, share: float = 0.5) -> float:
    """A sample point of a domain: a share of the way through a finite one, else at or about a level."""
    low, high = domain.low, domain.high
    if math.isfinite(low) and math.isfinite(high):
        return low + share * (high - low)
    if level not in domain:
        return low + abs(level or 1.0) if math.isfinite(low) else high - abs(level or 1.0)
    return level


def starts(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], count: int = 60
) -> list[dict[str, float]]:
    """Starting points spread over the domains by a low-discrepancy sequence, around the sizes of the givens."""
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    low, high = (min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3)
    points = []
    for i in range(1, count + 1):
        start = {}
        for k, name in enumerate(unknowns):
            share = _radical_inverse(i + 7 * (k // len(_PRIMES)), _PRIMES[k % len(_PRIMES)])
            domain = domains[name]
            if math.isfinite(domain.low) and math.isfinite(domain.high):
                start[name] = domain.low + share * (domain.high - domain.low)
            elif domain.low < 0:
                size = 10 ** (low + (high - low) * abs(2 * share - 1))
                start[name] = math.copysign(size, share - 0.5)
            else:
                span = (-1.0, 1.0) if i % 2 else (low, high)
                start[name] = max(domain.low, 0.0) + 10 ** (span[0] + (span[1] - span[0]) * share)
        points.append(start)
    return points


def _radical_inverse(i: int, base: int) -> float:
    """A number between 0 and 1 for sample points: an integer's digits mirrored at the point (van der Corput 1935)."""
    share, scale = 0.0, 1.0
    while i:
        scale /= base
        share += scale * (i % base)
        i //= base
    return share
