"""Starting points for local methods on several unknowns, the best ones first.

Weak values of the unknowns come first, from profiles and defaults: relations overrule them, but they are good guesses.
Then all unknowns are equal, at common sizes or those of the givens, and then in equal steps (where unknowns are
interchangeable, as the nodes of a quadrature are, the Jacobian is singular at equal values). Last come points across
the domains, from a low-discrepancy sequence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from quantities.domain import Domain

_LEVELS = (1.0, 0.1, 10.0, 0.5, -1.0, 0.0, 2.0, -0.1)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
_AROUND_ONE = (-1.0, 1.0)  # powers of ten


def starting_points(
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float],
    count: int,
) -> Iterator[dict[str, float]]:
    """Starting points for local methods on several unknowns, up to a count, the best ones first.

    >>> real = Domain("real", -math.inf, math.inf)
    >>> first, second, *_ = starting_points(["x", "y"], {}, {"x": real, "y": real}, {"x": 3.0}, 5)
    >>> first, second
    ({'x': 3.0, 'y': 1.0}, {'x': 1.0, 'y': 1.0})
    """
    points = [*_at_levels(unknowns, known, domains)]
    if hints:
        points.insert(0, {name: hints.get(name, _inside(domains[name], 1.0)) for name in unknowns})
    yield from points[:count]
    yield from points_across_domains(unknowns, known, domains, max(0, count - len(points)))


def _at_levels(
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
    """A starting value in a domain: a share of the way through a finite one, else at or about a level."""
    low, high = domain.low, domain.high
    if math.isfinite(low) and math.isfinite(high):
        return low + share * (high - low)
    if level not in domain:
        return low + abs(level or 1.0) if math.isfinite(low) else high - abs(level or 1.0)
    return level


def points_across_domains(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], count: int
) -> list[dict[str, float]]:
    """Starting points across the domains by a low-discrepancy sequence, at sizes around those of the givens."""
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    around_givens = min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3
    points = []
    for i in range(1, count + 1):
        point = {}
        for k, name in enumerate(unknowns):
            # of more unknowns than primes, those that share a prime are at different places of its sequence
            share = _radical_inverse(i + 7 * (k // len(_PRIMES)), _PRIMES[k % len(_PRIMES)])
            is_signed = domains[name].low < 0
            powers = around_givens if is_signed or i % 2 == 0 else _AROUND_ONE  # of ten
            point[name] = _at_share(domains[name], share, powers)
        points.append(point)
    return points


def _at_share(domain: Domain, share: float, powers: tuple[float, float]) -> float:
    """A starting value in a domain: a share of the way through a finite one, else through some powers of ten."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return domain.low + share * (domain.high - domain.low)
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
