"""Several relations at once, by numbers alone: Newton's method from many starts.

It finds solutions and cannot prove that there are no more. It is run on as few unknowns as the others can be expressed
by, and a solution that does not stand alone is none: the relations then hold along a whole curve.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations

from derive.language.expression import Equation
from derive.numbers.clock import tick
from derive.numbers.newton import is_isolated, many_starts
from derive.solving.expressing import Branch, expressed
from derive.solving.outcome import Outcome, Solution, System, repeats
from derive.solving.settling import positive_of, settled
from quantities.domain import Domain

__all__ = ["solved_from_starts", "starts"]

_CURVE = 4  # solutions, none of which stands alone, that make a curve


def solved_from_starts(equations: Sequence[Equation], system: System) -> Outcome:
    """The solutions that many starts run to."""
    tears, branches = _fewest_tears(equations, system.unknowns)
    found: list[Solution] = []
    along = 0  # solutions that do not stand alone
    spread = starts(tears, system.known, system.domains)
    for branch in branches:
        for start in many_starts(branch.left, tears, system.known, spread, positive_of(tears, system.domains)):
            values = _complete(branch, start, equations, system)
            if values is None or repeats(values, found):
                continue
            if is_isolated(equations, values, system.known):
                found.append(Solution(values, {}))
                continue
            along += 1
            if along == _CURVE and not found:
                return Outcome((), singular=True, reason="they hold along a whole curve")
    if along and not found:
        return Outcome((), singular=True, reason="they hold along a whole curve")
    if not found:
        return Outcome((), reason=f"none was found from {len(spread)} starts", undecided=True)
    caveat = f"solved numerically from {len(spread)} starts; that there are no other solutions is not proved"
    return Outcome(tuple(found), caveat)


def _complete(
    branch: Branch, start: Mapping[str, float], equations: Sequence[Equation], system: System
) -> dict[str, float] | None:
    """All unknowns by those that were sought, if the whole system holds there."""
    values = settled(branch.at(start, system.known), equations, system)
    return values if system.holds(values) else None


def _fewest_tears(equations: Sequence[Equation], unknowns: Sequence[str]) -> tuple[tuple[str, ...], tuple[Branch, ...]]:
    for count in range(1, min(4, len(unknowns))):
        for tears in combinations(unknowns, count):
            tick()
            branches = expressed(equations, unknowns, *tears)
            if branches:
                return tears, branches
    return tuple(unknowns), (Branch({}, tuple(equations)),)


def starts(
    unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain], count: int = 60
) -> list[dict[str, float]]:
    """Points spread over the domains by a low-discrepancy sequence, around the sizes that the givens have."""
    sizes = [math.log10(abs(x)) for x in known.values() if x]
    low, high = (min(sizes, default=0.0) - 3, max(sizes, default=0.0) + 3)
    primes = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
    spread = []
    for i in range(1, count + 1):
        start = {}
        for k, name in enumerate(unknowns):
            share = _radical_inverse(i + 7 * (k // len(primes)), primes[k % len(primes)])
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
