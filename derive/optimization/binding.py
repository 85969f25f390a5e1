"""Which limits bind at the best point, and what each costs.

A limit binds if the target would be better without it. Its price is what the target gains if the limit alone is moved
outwards by 1 % of its right side (where that is zero, of half of the terms on the left); the question is then asked
again, so that the price counts whole numbers and regimes.
The end of a range binds in the same way; the end of a range of a count is moved to the next whole number where 1 % is
less than that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from derive.expressions.tree import names_in
from derive.numerics.algebra.evaluation import residual, terms, value
from derive.optimization.optimum import Binding
from derive.optimization.program import Limit, Program
from derive.optimization.search import Best, least_of
from derive.presentation.numbers import shown_number
from derive.time_limits import sharing, tick
from derive.tolerances import AGREEMENT, SAME_ROOT
from quantities.declaration import Declaration

__all__ = ["bindings"]

_SHARE = 0.01  # by which a limit is moved
_BOXES = 2000  # for one question that is asked again


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
            found = least_of(programs, _BOXES)
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
