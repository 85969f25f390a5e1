"""What limits do to a best choice: which exclude every one, and which bind at it.

Where no choice fulfils the limits, a smallest set of limits that exclude each other is told, and the nearest miss. A
set of limits is excluded if in every discrete choice and every case no point of the ranges fulfils it; branch and bound
proves that. Sets are tried by size, so that the first one found is a smallest. The nearest miss moves one limit of that
set outwards by as little as will do, while the others hold.

A limit binds if the target would be better without it. Its price is what the target gains if the limit alone is moved
outwards by 1 % of its right side (where that is zero, of half of the terms on the left); the question is then asked
again, so that the price counts whole numbers and regimes.
The end of a range binds in the same way; the end of a range of a count is moved to the next whole number where 1 % is
less than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from derive.errors import InconsistentError, LimitError
from derive.expressions.tree import names_in
from derive.numerics.algebra.evaluation import residual, terms, value
from derive.numerics.algebra.like_terms import ZERO
from derive.optimization.optimum import Binding
from derive.optimization.program import Limit, Program
from derive.optimization.search import Best, least_of
from derive.presentation.failed_checks import side_unit
from derive.presentation.numbers import shown_number
from derive.time_limits import sharing, tick
from derive.tolerances import AGREEMENT, SAME_ROOT
from quantities.declaration import Declaration

__all__ = ["bindings", "excluding", "infeasible"]

_ALL = 8  # limits up to which every set is tried by size
_BOXES = 2000  # to prove that limits exclude each other
_NEAR = 400  # to find the nearest miss


def excluding(programs: Sequence[Program]) -> tuple[str, ...]:
    """A smallest set of limits that no point of the box fulfils together; empty if that cannot be proved."""
    stated = [limit for one in programs for limit in (*one.limits, *one.ties) if limit.relation is not None]
    names = list(dict.fromkeys(limit.name for limit in stated))
    for chosen in _sets(names):
        if _is_excluded(programs, frozenset(chosen)):
            return chosen if len(names) <= _ALL else _thinned(programs, chosen)
    return ()


def _sets(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Sets of names by size; where there are many, only the small ones, and then all of them."""
    for size in range(len(names) + 1 if len(names) <= _ALL else 3):
        yield from combinations(names, size)
    if len(names) > _ALL:
        yield tuple(names)


def _thinned(programs: Sequence[Program], names: Sequence[str]) -> tuple[str, ...]:
    """The names that are left when each one is dropped that the others do without."""
    kept = list(names)
    for name in names:
        rest = [other for other in kept if other != name]
        if _is_excluded(programs, frozenset(rest)):
            kept = rest
    return tuple(kept)


def _is_excluded(programs: Sequence[Program], names: frozenset[str]) -> bool:
    """Whether it is proved that no point fulfils these limits."""
    for program in programs:
        tick()
        if program.is_sampled:
            return False
        found = least_of([replace(program.with_stated(names), goal=ZERO, plain=ZERO, sign=1.0)], _BOXES)
        if found.floor < float("inf"):
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Miss:
    """How far a limit would have to move, and that as a share of its sides."""

    limit: Limit
    by: float
    share: float
    sides: tuple[float, float]
    point: tuple[float, ...]
    program: Program
    is_proved: bool


def infeasible(
    target: str, programs: Sequence[Program], count: int, declared: Mapping[str, Declaration]
) -> InconsistentError | LimitError:
    """The error that says why no choice fulfils the limits."""
    names = excluding(programs)
    if not names and not _is_excluded(programs, frozenset()):
        return LimitError(
            f"{target}: no choice was found that fulfils the limits, and it is not proved that there is none.",
            hint="Narrow the ranges.",
            limit="numerical search",
        )
    if not names:
        return InconsistentError(
            f"{target} has no value anywhere in the ranges.", hint="Widen the ranges.", conflicts=(), gap=float("inf")
        )
    misses = [miss for name in names for miss in _misses(programs, name, names)]
    nearest = min(misses, key=lambda one: one.share, default=None)
    where = "" if count == 1 else f" in any of {count} choices"
    together = f"{' and '.join(names)} exclude each other" if len(names) > 1 else f"{names[0]} cannot hold"
    if not misses:
        together += " in these ranges"
    told = "" if nearest is None else f" {_told(nearest, names, declared)}"
    return InconsistentError(
        f"{target}: {together}{where}.{told}",
        hint="Move a limit, or widen the ranges.",
        conflicts=names,
        gap=float("inf") if nearest is None else nearest.share,
    )


def _misses(programs: Sequence[Program], name: str, names: Sequence[str]) -> Iterator[_Miss]:
    """The least by which a limit is missed in each case, while the others of the set hold."""
    for program in programs:
        own = next((limit for limit in program.limits if limit.name == name), None)
        if own is None:
            continue
        others = program.with_stated([one for one in names if one != name])
        goal = replace(others, goal=own.gap, plain=own.gap, sign=1.0)
        found = least_of([goal], _NEAR)
        numbers = goal.numbers(found.at) if found.is_found else None
        if numbers is not None:
            left, right = own.sides_at(numbers)
            size = abs(right) or abs(left) or 1.0
            yield _Miss(
                own, abs(left - right), abs(left - right) / size, (left, right), found.at, program, found.is_proved
            )


def _told(miss: _Miss, names: Sequence[str], declared: Mapping[str, Declaration]) -> str:
    """The nearest miss in words."""
    relation = miss.limit.relation
    assert relation is not None
    unit = side_unit(relation, relation.written.lhs)
    left, right = (shown_number(side, unit) for side in miss.sides)
    sure = "at least" if miss.is_proved else "at the nearest point that was found"
    others = "" if len(names) == 1 else ", while the others hold"
    free = zip(miss.program.names, miss.point, strict=False)
    told = ", ".join(f"{name} = {shown_number(x, declared[name].unit)}" for name, x in free)
    return (
        f"{miss.limit.name} is missed by {shown_number(miss.by, unit)} {sure}{others}: {left} against {right}"
        f"{f', at {told}' if told else ''}."
    )


_SHARE = 0.01  # by which a limit is moved
_BOXES_OF_A_LIMIT = 2000  # for one question that is asked again


@dataclass(frozen=True)
class _Again:
    """The question at its best point, to be asked again with other limits."""

    programs: Sequence[Program]
    best: Best
    declared: Mapping[str, Declaration]

    def gain(self, programs: Sequence[Program]) -> float:
        """What the goal gains, as a share of its value."""
        tick()
        with sharing(0.2):
            found = least_of(programs, _BOXES_OF_A_LIMIT)
        gained = self.best.value - found.value
        size = self.best.size
        return gained / size if gained > SAME_ROOT * size else 0.0

    def limits(self) -> Iterator[Binding]:
        limits = [limit for program in self.programs for limit in program.limits]
        stated = [limit for limit in limits if limit.relation is not None and not limit.is_domain]
        named = [limit.name for limit in stated if names_in(limit.gap)]  # one of numbers alone stops nothing
        for name in dict.fromkeys(named):
            without = [self._with(program, name, None) for program in self.programs]
            if self.gain(without) > 0 or (self._is_tight(name) and not self._is_tie(name)):
                by = self._step(name)
                yield Binding(name, self.gain([self._with(program, name, by) for program in self.programs]))

    def _is_tie(self, name: str) -> bool:
        """Whether both sides have to be equal, so that they are at every point."""
        return (
            len({limit.written.op for program in self.programs for limit in program.limits if limit.name == name}) > 1
        )

    def _with(self, program: Program, name: str, by: float | None) -> Program:
        """A program with one limit left out, or moved."""
        kept = [limit if limit.name != name else limit.moved(by or 0.0) for limit in program.limits]
        return program.under([one for one in kept if by is not None or one.name != name])

    def _at_best(self, name: str) -> list[tuple[Limit, dict[str, float]]]:
        """The limit in each case that has the best point, and the numbers there."""
        found = []
        for program in self.programs:
            numbers = program.numbers(self.best.at)
            if numbers is not None and program.at(self.best.at) <= self.best.value + AGREEMENT * abs(self.best.value):
                found += [(limit, numbers) for limit in program.limits if limit.name == name]
        return found

    def _is_tight(self, name: str) -> bool:
        return any(abs(residual(limit.written, numbers)) <= AGREEMENT for limit, numbers in self._at_best(name))

    def _step(self, name: str) -> float:
        """One hundredth of the right side of a limit; where that is zero, of half of the terms on the left."""
        for limit, numbers in self._at_best(name):
            _, right = limit.sides_at(numbers)
            sizes = [abs(value(term, numbers)) for term in terms(limit.written.lhs)]
            return _SHARE * (abs(right) or sum(sizes) / 2)
        return 0.0

    def ends(self) -> Iterator[Binding]:
        """The ends of ranges that bind."""
        program = self.programs[0]
        for i in range(program.free):
            low, high = program.box[i]
            for end, outwards in ((low, -1), (high, 1)):
                if low < high and self.best.at[i] == end:
                    found = self._end(i, end, outwards)
                    if found is not None:
                        yield found

    def _end(self, i: int, end: float, outwards: int) -> Binding | None:
        quantity, step = self.declared[self.programs[0].names[i]], self.programs[0].steps[i]
        sign = ">=" if outwards < 0 else "<="
        name = f"{quantity.name} {sign} {shown_number(end, quantity.unit, 12)}"
        by, told = _SHARE * abs(end), "1 %"
        if step and by < step:
            by, told = step, shown_number(step, quantity.unit)
        moved = end + outwards * by
        if not quantity.domain.admits(moved) or not by:
            return None
        gain = self.gain([_stretched(program, i, moved) for program in self.programs])
        return Binding(name, gain, told) if gain > 0 else None


def _stretched(program: Program, i: int, moved: float) -> Program:
    low, high = program.box[i]
    side = (min(low, moved), max(high, moved))
    return replace(program, box=(*program.box[:i], side, *program.box[i + 1 :]))


def bindings(programs: Sequence[Program], best: Best, declared: Mapping[str, Declaration]) -> Iterator[Binding]:
    """The limits and the ends of ranges that bind, one by one; none where only points are known."""
    if not programs[0].is_sampled:
        again = _Again(programs, best, declared)
        yield from again.limits()
        yield from again.ends()
