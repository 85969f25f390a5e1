"""Sample points: of an interval, and of the domains of several unknowns, from which local methods start.

Samples prove nothing. They find where an unknown is free, and start what brackets or refines a root.

As starting points of several unknowns their weak values come first, from profiles and defaults: relations overrule
them, but they are good guesses. Then all unknowns are equal, at common sizes or those of the givens, and then in equal
steps (where unknowns are interchangeable, as the nodes of a quadrature are, the Jacobian is singular at equal values).
Last come points across the domains, from a low-discrepancy sequence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, cycle, pairwise, product

from derive.numerics.intervals.arithmetic import Span
from derive.tolerances import EXTREME, LARGEST, SAME_SOLUTION, SMALLEST
from quantities.domain import Domain

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
    """The pieces of an interval where samples meet a condition: runs of sample points, their ends by bisection."""
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
    """Where a condition ceases to hold between two sample points, one inside a run and one outside, by bisection."""
    for _ in range(120):
        product = inside * outside
        x = math.copysign(math.sqrt(product), inside) if product > 0 else (inside + outside) / 2
        if holds(x):
            inside = x
        else:
            outside = x
    return inside


_LEVELS = (1.0, 0.1, 10.0, 0.5, -1.0, 0.0, 2.0, -0.1)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_AROUND_ONE = (-1.0, 1.0)  # powers of ten
_REACHES = (30.0, 3.0, 10.0, math.inf, 1.0)
"""How far from zero points lie in turn, as multiples of the largest given or of one.

A finite domain is often as wide as can be, and then a point at any share of it is far from every solution.
"""


def starting_points(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], hints: Mapping[str, float]
) -> Iterator[dict[str, float]]:
    """Starting points for local methods on several unknowns, without end, the best ones first.

    >>> real = Domain("real", -math.inf, math.inf)
    >>> points = starting_points(["x", "y"], {}, {"x": real, "y": real}, {"x": 3.0})
    >>> next(points), next(points)
    ({'x': 3.0, 'y': 1.0}, {'x': 1.0, 'y': 1.0})
    """
    if hints:
        yield {name: hints.get(name, _inside(domains[name], 1.0)) for name in unknowns}
    yield from _at_levels(unknowns, known, domains)
    yield from points_across_domains(unknowns, known, domains)


def _at_levels(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Iterator[dict[str, float]]:
    """Sample points in the domains of several unknowns: all at one level, or in equal steps up to it."""
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
    """A sample from a domain: a share of the way through a finite one, else at or about a level."""
    low, high = domain.ends
    if math.isfinite(low) and math.isfinite(high):
        return low + share * (high - low)
    if level not in domain:
        return low + abs(level or 1.0) if math.isfinite(low) else high - abs(level or 1.0)
    return level


def points_across_domains(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Iterator[dict[str, float]]:
    """Starting points across the domains by a low-discrepancy sequence, at sizes around those of the givens.

    >>> wide = Domain("-1e8..1e8", -1e8, 1e8)
    >>> points = points_across_domains(["x"], {}, {"x": wide})
    >>> [next(points) for _ in range(4)]
    [{'x': 0.0}, {'x': -1.5}, {'x': 5.0}, {'x': -75000000.0}]
    """
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    around_givens = min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3
    largest = max((abs(x) for x in known.values()), default=1.0)
    for i, reach in enumerate(cycle(_REACHES), 1):
        point = {}
        for k, name in enumerate(unknowns):
            # of more unknowns than primes, those that share a prime are at different places of its sequence
            share = _radical_inverse(i + 7 * (k // len(_PRIMES)), _PRIMES[k % len(_PRIMES)])
            is_signed = domains[name].low < 0
            powers = around_givens if is_signed or i % 2 == 0 else _AROUND_ONE  # of ten
            point[name] = _at_share(domains[name], share, powers, reach * max(largest, 1.0))
        yield point


def _at_share(domain: Domain, share: float, powers: tuple[float, float], reach: float) -> float:
    """A starting value in a domain: a share of the way through what a finite one reaches, else through powers of ten.

    >>> _at_share(Domain("2..1e8", 2.0, 1e8), 0.5, (-1.0, 1.0), reach=10.0)
    6.0
    """
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        low, high = max(domain.low, -reach), min(domain.high, reach)
        if low >= high:  # the domain is out of reach
            low, high = domain.low, domain.high
        return low + share * (high - low)
    low, high = powers
    if domain.low < 0:  # the lower half of the shares is negative, and sizes grow towards both ends
        return math.copysign(10 ** (low + (high - low) * abs(2 * share - 1)), share - 0.5)
    return max(domain.low, 0.0) + 10 ** (low + (high - low) * share)


def _radical_inverse(i: int, base: int) -> float:
    """A share for starting points: an integer's digits mirrored at the point (van der Corput 1935)."""
    share, scale = 0.0, 1.0
    while i:
        scale /= base
        share += scale * (i % base)
        i //= base
    return share
