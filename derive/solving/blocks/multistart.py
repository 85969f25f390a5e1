"""Simultaneous equations solved numerically, by local methods from many starts.

Local methods find solutions and cannot prove that there are no more. First the system is reduced to as few unknowns
as possible by substitution, and Newton's method is run on those (`newton`). Where that finds nothing, or too many
unknowns are left, all of them are solved for at once with SciPy (`minpack`), which is imported only for this.

A solution that is not isolated is dropped: the relations hold along a whole curve. An isolated one at which the
Jacobian is singular is computed in multiprecision, and its loss of digits is reported.

First come weak values of the unknowns, from profiles and defaults: relations overrule them, but they are good
guesses. Then all unknowns are equal, at common sizes or those of the givens, and then in equal steps (where unknowns
are interchangeable, as the nodes of a quadrature are, the Jacobian is singular at equal values). Last come points
across the domains, from a low-discrepancy sequence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice

from derive.expressions.tree import Equation
from derive.numerics.local_solvers.newton import is_isolated, many_starts
from derive.solving.blocks.outcome import Outcome, Solution, System, repeats
from derive.solving.blocks.polishing import is_telling, leads_elsewhere, positive_of, settled
from derive.solving.blocks.substitution import Branch, expressed, sizes
from derive.time_limits import tick
from derive.tolerances import SAME_ROOT
from quantities.domain import Domain

__all__ = ["solved_from_starts", "starts"]

_CURVE = 4  # solutions, apart from each other and none of them isolated, that make a curve
_APART = 0.03  # of the largest value, by which two of these differ: a root of high order is found to a hundredth
_TORN = 3  # limit on tears
_WAYS = 800  # limit on sets of tears that are tried
_TEARABLE = 16  # limit on unknowns of a system that is torn
_PLAIN = 400  # limit on nodes of the remaining equations; beyond it all unknowns are solved for instead
_SMALL = 8  # limit on unknowns of a system that is refined in multiprecision
_MEDIUM = 60  # limit on unknowns of a system for which more than one solution is sought
_LARGEST = 3000  # limit on nodes of a system that is torn
_REFINED = 60_000  # limit on nodes of a system whose residuals are computed in multiprecision
_STARTS = 60
_TRIED = 8  # starts that are tried even if a solution is found soon
_WORK = 2e7  # limit on operations of a search
_DIGITS = 16  # of doubles
_LEVELS = (1.0, 0.1, 10.0, 0.5, -1.0, 0.0, 2.0, -0.1)
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


@dataclass
class _Harvest:
    """The solutions found so far."""

    equations: Sequence[Equation]
    system: System
    found: list[Solution] = field(default_factory=list)
    rough: list[tuple[Mapping[str, float], int]] = field(default_factory=list)  # singular ones, and their digits
    along: list[Mapping[str, float]] = field(default_factory=list)  # those that are not isolated, apart from each other
    tried: int = 0

    @property
    def is_curve(self) -> bool:
        return len(self.along) >= _CURVE and not self.found

    def take(self, proposed: Mapping[str, float]) -> None:
        """Add a point that solves the whole system, is isolated and is new."""
        values: Mapping[str, float] = settled(dict(proposed), self.equations, self.system)
        if not self.system.holds(values):
            values = self._sharpened(values) or values
        if not self.system.holds(values) or repeats(values, self.found) or self._is_rough(values):
            return
        if leads_elsewhere(values, self.equations, self.system):
            return
        if len(values) > _MEDIUM or is_isolated(self.equations, values, self.system.known):
            self.found.append(Solution(values, {}))
        else:
            self._take_singular(values)

    def _take_singular(self, values: Mapping[str, float]) -> None:
        from derive.numerics.local_solvers.singular_roots import standing

        seen = standing(self.equations, values, self.system.known)
        if not seen.alone:
            if is_telling(values, self.equations, self.system.known) and not self._is_along(values):
                self.along.append(values)
            return
        if seen.order > 1:
            better = self._sharpened(values)
            if better is None and not is_telling(values, self.equations, self.system.known):
                return  # what is given is lost in rounding there, and many digits do not confirm it
            if better is not None and self.system.holds(better):
                values = better
            if self._is_rough(values):
                return
            self.rough.append((values, max(1, _DIGITS // seen.order)))
        if not repeats(values, self.found):
            self.found.append(Solution(values, {}))

    def _sharpened(self, values: Mapping[str, float]) -> Mapping[str, float] | None:
        """A root in many digits; None of a large system, or if they lead nowhere."""
        if len(values) > _SMALL or any(x != x for x in values.values()):
            return None
        from derive.numerics.local_solvers.singular_roots import sharpened

        return sharpened(self.equations, values, self.system.known)

    def has(self, values: Mapping[str, float]) -> bool:
        """Whether a root that is not yet refined to its last digit is already known."""
        largest = max(map(abs, values.values()))
        return any(
            all(abs(x - one.values[name]) <= SAME_ROOT * max(abs(x), 1e-3 * largest) for name, x in values.items())
            for one in self.found
        )

    def _is_rough(self, values: Mapping[str, float]) -> bool:
        """Whether a known singular solution agrees with this one in the digits that it has."""
        largest = max(map(abs, values.values()))
        return any(
            all(abs(x - other[name]) <= 10.0 ** (1 - digits) * max(abs(x), largest) for name, x in values.items())
            for other, digits in self.rough
        )

    def _is_along(self, values: Mapping[str, float]) -> bool:
        """Whether a point that is not isolated is known already: many starts lead to one root of high order."""
        largest = max(map(abs, values.values()))
        return any(all(abs(x - other[name]) <= _APART * largest for name, x in values.items()) for other in self.along)

    def outcome(self) -> Outcome:
        if not self.found:
            if self.is_curve:
                return Outcome((), singular=True, reason="they hold along a whole curve")
            return Outcome((), reason=f"none was found from {self.tried} starts", undecided=True)
        caveat = f"solved numerically from {self.tried} starts; it is not proved that there are no other solutions"
        if self.rough:
            digits = min(digits for _, digits in self.rough)
            caveat += f"; the relations are singular at a solution, where the givens fix about {digits} digits"
        return Outcome(tuple(self.found), caveat)


def solved_from_starts(equations: Sequence[Equation], system: System) -> Outcome:
    """The solutions that many starts converge to."""
    harvest = _Harvest(equations, system)
    tears, branches = _fewest_tears(equations, system.unknowns)
    if len(tears) <= _TORN and all(sizes(branch.left) <= _PLAIN for branch in branches):
        spread = starts(tears, system.known, system.domains, _STARTS)
        harvest.tried = len(spread)
        positive = positive_of(tears, system.domains)
        for branch in branches:
            for start in many_starts(branch.left, tears, system.known, spread, positive):
                harvest.take(branch.at(start, system.known))
                if harvest.is_curve:
                    return harvest.outcome()
    if not harvest.found or len(tears) > 1 or system.hints:
        for root in _locally(harvest):
            harvest.take(root)
            if harvest.is_curve:
                break
    return harvest.outcome()


def _locally(harvest: _Harvest) -> Iterator[dict[str, float]]:
    """The roots of all equations at once, from many starts, within the work limit."""
    from derive.numerics.local_solvers.automatic_differentiation import Tape
    from derive.numerics.local_solvers.minpack import Search, refined

    system, size = harvest.system, len(harvest.system.unknowns)
    tape = Tape(harvest.equations, system.unknowns, system.known)
    search = Search(tape, [system.domains[name].low >= 0 for name in system.unknowns])
    is_refined = sizes(harvest.equations) <= _REFINED
    count = _STARTS if size <= _MEDIUM else _STARTS // 5
    for start in _guesses(system.unknowns, system.known, system.domains, system.hints, count):
        tick()
        harvest.tried += 1
        root = search.root_near([start[name] for name in system.unknowns])
        if root is not None and not harvest.has(dict(zip(system.unknowns, root.tolist(), strict=True))):
            if is_refined:
                root = refined(tape, harvest.equations, root)
            yield dict(zip(system.unknowns, root.tolist(), strict=True))
        enough = harvest.found and (size > _MEDIUM or (search.work > _WORK / 10 and harvest.tried >= _TRIED))
        if enough or search.work > _WORK:
            return


def _fewest_tears(equations: Sequence[Equation], unknowns: Sequence[str]) -> tuple[tuple[str, ...], tuple[Branch, ...]]:
    ways = (tears for count in range(1, min(_TORN + 1, len(unknowns))) for tears in combinations(unknowns, count))
    is_small = len(unknowns) <= _TEARABLE and sizes(equations) <= _LARGEST
    for tears in islice(ways, _WAYS if is_small else 0):
        tick()
        branches = expressed(equations, unknowns, *tears)
        if branches:
            return tears, branches
    return tuple(unknowns), (Branch({}, tuple(equations)),)


def _guesses(
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float],
    count: int,
) -> Iterator[dict[str, float]]:
    """This many starting points, the best ones first.

    >>> real = Domain("real", -math.inf, math.inf)
    >>> first, second, *_ = _guesses(["x", "y"], {}, {"x": real, "y": real}, {"x": 3.0}, 5)
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
