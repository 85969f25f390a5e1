"""A program: a goal to be made least over a box, under limits, as expressions of the free quantities alone.

Each case of a question is a program of its own. Where a quantity has no single closed form (an inverted maximum,
simultaneous relations), it is one more variable, bound by its relation: a zero of the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from derive.certificates.proof import Bound, GuardedLimit, KnownNumber
from derive.expressions.tree import Equation, Node, Number, names_in
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import departure, holds, residual, residual_of_decimals, value
from derive.numerics.algebra.exact_values import exactly_computed
from derive.numerics.algebra.like_terms import added, excess_of
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import GAP, Span, enclose
from derive.numerics.root_finding.branch_and_bound import System
from derive.optimization.choice_question import Constraint, values_of
from derive.tolerances import AGREEMENT, MOST, TIGHT
from quantities.domain import Domain
from quantities.rational import written

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.model.relation_set import RelationSet
    from derive.planning.plan import Plan
    from derive.solving.execution.question import Question
    from quantities.declaration import Declaration


@dataclass(frozen=True, slots=True)
class Limit:
    """An inequality that has to hold, in terms of variables and known numbers.

    A domain that may be left is a limit without a relation.
    """

    name: str
    relation: Relation | None
    written: Equation  # `<=`, `>=`, or `=` of a tie
    gap: Node  # not positive where it holds, and zero of a tie; numbers put in, and spread out
    approximate: float = 0.0
    guard: Node | None = None  # where this does not hold, the limit does not apply
    is_domain: bool = False  # the end of the domain of a quantity that nobody asked for
    is_strict: bool = False  # an end that its domain excludes

    def holds_at(self, values: Mapping[str, float]) -> bool:
        """Whether the limit of a program holds up to rounding, far below the tolerance of an answer's checks."""
        if self.guard is not None and not holds(self.guard, values):
            return True
        if self.written.op == "=":
            return abs(residual(self.written, values)) <= TIGHT
        sign = 1.0 if self.written.op == "<=" else -1.0
        if self.approximate and sign * departure(self.written, values) <= self.approximate + AGREEMENT:
            return True
        if sign * residual(self.written, values) <= TIGHT:
            return True
        return sign * residual_of_decimals(self.written, values) <= TIGHT

    def sides_at(self, values: Mapping[str, float]) -> tuple[float, float]:
        return value(self.written.lhs, values), value(self.written.rhs, values)

    def moved(self, by: float | Fraction) -> Limit:
        """The limit of a program with its right side moved outwards by so much, in base units."""
        sign = 1 if self.written.op == "<=" else -1
        right = added(self.written.rhs, Number(Fraction(sign * by)))
        gap = folded(added(self.gap, Number(Fraction(-by))), {})
        return replace(self, written=Equation(self.written.lhs, self.written.op, right), gap=gap)


def limits_of(programs: Iterable[Program]) -> list[Limit]:
    """The limits under which each program's goal is made least, all in one list."""
    return [*chain.from_iterable(program.limits for program in programs)]


def known_numbers(
    library: RelationSet, question: Question, limits: Iterable[Constraint], free: Collection[str]
) -> dict[str, float]:
    """The known numbers of a program in base units: what a question gives beside what is free, and values in limits."""
    values = {**library.defaults, **question.weak, **question.strong, **values_of(limits)}
    return {name: value.base[1] for name, value in values.items() if name not in free}


def step_of(quantity: Declaration) -> float:
    """The step of a program's variable: the size of one of a count, in base units; zero if it is no count."""
    return quantity.unit.to_base(1.0) if quantity.is_count else 0.0


def whole_if_counted(x: float, step: float) -> float:
    """The number of a program's variable, made whole if it is a count, of which `step` is the size of one."""
    return round(x / step) * step if step and math.isfinite(x) else x


def limits_of_range(
    form: Node, low: float, high: float, spread: Callable[[Node], Node], *, is_open: bool = False
) -> Iterator[Limit]:
    """The ends of a range as limits of a program's form, each with its gap spread out; an infinite end is none.

    The low end may be `open`, and belong to no range.
    """
    for op, end in ((">=", low), ("<=", high)):
        if math.isfinite(end):
            written = Equation(form, op, Number(Fraction(end)))
            yield Limit("", None, written, spread(excess_of(written)), is_strict=is_open and op == ">=")


@dataclass(frozen=True, slots=True)
class DomainTest:
    """A quantity of the derivation whose domain is not certain over the box."""

    form: Node
    domain: Domain


class Solutions(NamedTuple):
    """The numbers of a program's variables at a point, once for each solution, and whether there are no others."""

    numbers: Sequence[Mapping[str, float]]
    is_complete: bool = True


@dataclass(frozen=True)
class Program:
    """What is to be made least, in one case of the question and for one discrete choice."""

    names: tuple[str, ...]  # the free quantities, then those without a closed form
    box: tuple[Span, ...]
    steps: tuple[float, ...]  # of each name: the size of one, if it is a count; else zero
    free: int  # how many names are free quantities
    goal: Node  # numbers put in, and spread out
    plain: Node  # the goal as it was derived
    known: Mapping[str, float]
    limits: tuple[Limit, ...] = ()
    ties: tuple[Limit, ...] = ()  # equations between what is free
    definitions: tuple[Node, ...] = ()  # zero where the names that are not free have their numbers
    guards: tuple[Node, ...] = ()
    domain_tests: tuple[DomainTest, ...] = ()
    sign: float = 1.0
    plans: tuple[Plan, ...] = ()
    counts: tuple[tuple[str, Node], ...] = ()  # variables that are whole, with their forms in terms of those before
    is_sampled: bool = False  # whether the solver has to be asked at each point
    undetermined: tuple[str, ...] = ()  # what has any value at some points of the box: `x*y = 0` leaves y open at x = 0
    solved: Callable[[Mapping[str, float]], Solutions] | None = None
    """The solutions at a point, for what is a variable but not free."""

    @cached_property
    def zeros(self) -> tuple[Node, ...]:
        """The expressions that have to be zero in a program: the definitions, and the gaps of ties."""
        return (*self.definitions, *(tie.gap for tie in self.ties if names_in(tie.gap)))

    def under(self, limits: Sequence[Limit]) -> Program:
        """The same program with other limits."""
        return replace(self, limits=tuple(limits))

    def with_stated(self, names: Collection[str]) -> Program:
        """The same program without the limits and ties of other relations than these."""
        limits = [limit for limit in self.limits if limit.relation is None or limit.name in names]
        return replace(self, limits=tuple(limits), ties=tuple(tie for tie in self.ties if tie.name in names))

    @cached_property
    def system(self) -> System:
        """The program's goal, limits and zeros over its box, as the system that branch and bound searches."""
        return System(
            goal=self.goal,
            allowed=(-math.inf, MOST),
            zeros=self.zeros,
            box=dict(zip(self.names, self.box, strict=True)),
            gaps=tuple(limit.gap for limit in self.limits),
            strict=frozenset(place for place, limit in enumerate(self.limits) if limit.is_strict),
            guards=self.guards,
            steps=dict(zip(self.names, self.steps, strict=True)),
            known=self.known,
            needed=self._needed,
        )

    @property
    def _needed(self) -> tuple[Node, ...]:
        """The program's goal, and the sides of limits and domains as derived, that may be undefined in the box.

        Spread out they may be defined everywhere, as `x/x` is where it is written as one.
        """
        limits = chain.from_iterable(limit.written.sides for limit in (*self.limits, *self.ties))
        forms = dict.fromkeys((self.plain, *limits, *(test.form for test in self.domain_tests)))
        enclosures = ((form, enclose(form, self.spans, "")) for form in forms)
        return tuple(form for form, enclosure in enclosures if enclosure is None or enclosure.flaw == GAP)

    def bound(self, floor: float) -> Bound:
        """The program's goal, limits, zeros and guards over its box, as a bound that no boxes prove yet."""
        limits = tuple(GuardedLimit(limit.gap, limit.guard, limit.is_strict) for limit in self.limits)
        forms = [self.goal, *(limit.gap for limit in limits), *self.zeros, *self.guards]
        forms += [limit.guard for limit in limits if limit.guard is not None]
        return Bound(
            names=self.names,
            box=self.box,
            steps=self.steps,
            known=tuple(KnownNumber.of(name, self.known[name]) for name in names_in(*forms) if name not in self.names),
            goal=self.goal,
            limits=limits,
            zeros=self.zeros,
            guards=self.guards,
            floor=floor,
            tree=(),
        )

    @property
    def spans(self) -> dict[str, Span]:
        """The box of the program by name, with known numbers as points."""
        points = point_box(self.known)
        return {**points, **dict(zip(self.names, self.box, strict=True))}

    def solutions(self, point: Sequence[float]) -> list[dict[str, float]]:
        """All numbers of the program at a point of the free quantities, once for each solution there."""
        values = self._values_at(point)
        return [values] if self.solved is None else [{**values, **numbers} for numbers in self.solved(values).numbers]

    def _values_at(self, point: Sequence[float]) -> dict[str, float]:
        """The known numbers of the program, and those of a point by their decimals."""
        return {**self.known, **dict(zip(self.names, map(written, point), strict=False))}

    def is_known_at(self, point: Sequence[float]) -> bool:
        """Whether all solutions of the program are known at a point: the solver may find bounds alone, or give up."""
        return self.solved is None or self.solved(self._values_at(point)).is_complete

    def numbers(self, point: Sequence[float]) -> dict[str, float] | None:
        """The numbers of all the program's variables at a point of what is free; None where one of them has none.

        Of several solutions it is the best of those that hold, and the first where none does.
        """
        solutions = self.solutions(point)
        return min(solutions, key=self._goal_at, default=None) if len(solutions) != 1 else solutions[0]

    def at(self, point: Sequence[float]) -> float:
        """The program's goal at a point of the free quantities; infinite where a limit, domain or guard is broken."""
        values = self.numbers(point)
        goal = math.inf if values is None else self._goal_at(values)
        return goal if values is None or goal == math.inf or self._is_as_unrounded(values) else math.inf

    def exactly(self, point: Sequence[float], goal: float) -> float:
        """The program's goal computed from the decimals of all its numbers; infinite if these leave it without a value.

        Where it is not rational, it is the goal in doubles.
        """
        values = self.numbers(point)
        exact = None if values is None else exactly_computed(self.plain, values)
        if exact is None:
            return goal
        return math.inf if math.isnan(exact) else self.sign * exact

    def _is_as_unrounded(self, values: Mapping[str, float]) -> bool:
        """Whether the program's limits hold and its goal is the same with its counts as they were before rounding.

        A jump beside a whole number may decide otherwise.
        """
        if not self.counts:
            return True
        raw = dict(values)
        for name, form in self.counts:
            raw[name] = value(form, raw)
        goal = value(self.plain, values)
        same = Equation(self.plain, "=", Number(Fraction(goal)))
        if not self.holds_at(raw):
            return False
        if abs(residual(same, raw)) <= AGREEMENT:
            return True
        return abs(value(self.plain, raw) - goal) <= AGREEMENT * self.change_by_one_count(values)

    def change_by_one_count(self, values: Mapping[str, float]) -> float:
        """How much the goal of the program changes with one more of each count that follows from what is free.

        A goal of zero has no size of its own.
        """
        further = dict(values)
        for name, _ in self.counts:
            further[name] += self.steps[self.names.index(name)]
        return abs(value(self.plain, further) - value(self.plain, values))

    def _goal_at(self, values: Mapping[str, float]) -> float:
        if not self.holds_at(values):
            return math.inf
        goal = self.sign * value(self.plain, values)
        return goal if goal == goal else math.inf

    def holds_at(self, values: Mapping[str, float]) -> bool:
        """Whether all limits, guards and domains of the program hold at numbers of its variables."""
        return self._holds_but_for_domains(values) and all(
            side.domain.admits(value(side.form, values)) for side in self.domain_tests
        )

    def _holds_but_for_domains(self, values: Mapping[str, float]) -> bool:
        return all(limit.holds_at(values) for limit in (*self.limits, *self.ties)) and all(
            holds(guard, values) for guard in self.guards
        )

    def is_at_open_end(self, point: Sequence[float]) -> bool:
        """Whether a point of the program breaks nothing but the open end of a domain, which it may approach."""
        values = self.numbers(point)
        if values is None or not self._holds_but_for_domains(values):
            return False
        return any(side.domain.open_low and value(side.form, values) <= side.domain.low for side in self.domain_tests)
