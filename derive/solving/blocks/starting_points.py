"""Starting points for the search for simultaneous solutions.

First come weak values of the unknowns, from profiles and defaults: relations overrule them, but they are good
guesses. Then all unknowns are equal, at common sizes or those of the givens, and then in equal steps (where unknowns
are interchangeable, as the nodes of a quadrature are, the Jacobian is singular at equal values). Last come points
across the domains, from a low-discrepancy sequence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from quantities.domain import Domain

__all__ = ["guesses", "starts"]

_LEVELS = (1.0, 0.1, 10.0, 0.5, -1.0, 0.0, 2.0, -0.1)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


def guesses(
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float],
    count: int,
) -> Iterator[dict[str, float]]:
    """This many starting points, the best ones first.

    >>> real = Domain("real", -math.inf, math.inf)
    >>> first, second, *_ = guesses(["x", "y"], {}, {"x": real, "y": real}, {"x": 3.0}, 5)
    >>> first, second
    ({'x': 3.0, 'y': 1.0}, {'x': 1.0, 'y': 1.0})
    """
    listed = [
        *([{name: hints.get(name, _inside(domains[name], 1.0)) for name in unknowns}] if hints else []),
        *_alike(unknowns, known, domains),
    ]
    yield from listed[:count]
    yield from starts(unknowns, known, domains, max(0, count - len(listed)))


def _alike(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> Iterator[dict[str, float]]:
    """Points at which all unknowns are at one level of their domains, or in equal steps up to it."""
    sizes = [math.log(abs(number)) for number in known.values() if number]
    levels = [*_LEVELS[:1], *([math.exp(sum(sizes) / len(sizes))] if sizes else []), *_LEVELS[1:]]
    step = 1.0 / (len(unknowns) + 1)
    for level in levels:
        yield {name: _inside(domains[name], level) for name in unknowns}
        if level > 0:
            yield {name: _inside(domains[name], level * i * step, i * step) for i, name in enumerate(unknowns, 1)}


def _inside(domain: Domain, level: float, share: float = 0.5) -> float:
    """A level, if a domain contains it; else a share of the way through the domain."""
    low, high = domain.low, domain.high
    if math.isfinite(low) and math.isfinite(high):
        return low + share * (high - low)
    if level not in domain:
        return low + abs(level or 1.0) if math.isfinite(low) else high - abs(level or 1.0)
    return level


def starts(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], count: int = 60
) -> list[dict[str, float]]:
    """Points spread over the domains by a low-discrepancy sequence, around the sizes of the givens."""
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    low, high = (min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3)
    spread = []
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
        spread.append(start)
    return spread


def _radical_inverse(i: int, base: int) -> float:
    """The digits of a number mirrored at the point (van der Corput 1935)."""
    share, scale = 0.0, 1.0
    while i:
        scale /= base
        share += scale * (i % base)
        i //= base
    return share
