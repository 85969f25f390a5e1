"""The trace of a question: how it was solved, recorded as lines that solve it again with other numbers.

A question has a shape: the target, the names of what is typed and of the profiles, and no number. How the solver goes
about a question depends on its shape, and on what it decides by numbers on the way: which conditions hold, which of the
values that it reaches lie in their domains, whether what is stated twice agrees. A trace is recorded after a question
was solved. It computes every number of the plan again, and its guards make sure that each of those decisions comes out
as it did; then the solver would go the same way, and the number is its number. Where one comes out otherwise, the trace
has no answer, and the solver is asked.

Over ranges that move the result one way, its bounds are the numbers at the ends of the ranges. There is no trace where
the way cannot be told from these decisions: several answers or cases, intervals, a search that proves nothing.

A shape that is asked a second time is likely to be asked often. From then on its traces are tried first: one for each
way that the solver went, up to a few.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

from derive.caches import Memo
from derive.errors import DeriveError
from derive.expressions.tree import names_in
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Plan
from derive.solving.diagnosis.conflicts import behind
from derive.solving.diagnosis.overdetermined_givens import stated_twice, zero_sums
from derive.solving.execution.block_execution import State
from derive.solving.execution.checks import extended, testable
from derive.solving.execution.conditional_relations import Decisions, decisions_of, verdict_at
from derive.solving.execution.plan_execution import plan_for_condition
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Question
from derive.solving.traces.guarded_lines import GuardedLines, GuardFailed, as_float, as_rational
from derive.solving.traces.range_motions import NotTraceable
from quantities.declaration import read_given
from quantities.value import Value

_CORNERS = 3  # limit on ranges at whose ends a trace is run
_MOST_TRACES = 4  # of one shape
_ATTEMPTS = 8  # to record one
_TEXTS = 1024  # limit on texts of givens that are remembered
_NO_NAMES: frozenset[str] = frozenset()


class TraceInput(NamedTuple):
    """A given as a trace takes it: rationals, or doubles where a rational is not known."""

    kind: tuple[type, bool, bool]  # of the number, whether it is a range, and whether it is zero
    number: Any
    ends: tuple[Any, ...] = ()

    @classmethod
    def of(cls, value: Value) -> TraceInput:
        """Read a value, which may be a range, as the input of a trace."""
        if not value.is_range:
            number = as_rational(value.base[1])
            return cls((type(number), False, number == 0), number, (number,))
        low, middle, high = map(as_rational, value.base)
        is_alike = type(low) is type(middle) is type(high)
        return cls((type(middle) if is_alike else object, True, False), middle, (low, high))


@dataclass(frozen=True)
class Trace:
    """The trace of a solved question: its guarded lines, compiled, and the kinds of givens for which they hold."""

    run: Callable[..., Any]
    kinds: tuple[tuple[type, bool, bool], ...]  # of the givens
    weak_ranges: tuple[TraceInput, ...]  # of profiles and defaults, which come after the givens
    is_bounded: bool  # whether the result is extreme where each range ends

    def outcome(self, given: Sequence[TraceInput]) -> tuple[float, Span | None] | None:
        """The target that a trace computes from the givens in order, in base units, and its bounds if it has them.

        None where the solver has to be asked.
        """
        if tuple([entry.kind for entry in given]) != self.kinds:
            return None
        stated = [*given, *self.weak_ranges]
        try:
            number = as_float(self.run(*[entry.number for entry in stated]))
            if not self.is_bounded:
                return number, None
            corners = [as_float(self.run(*corner)) for corner in product(*(entry.ends for entry in stated))]
            return number, (min(corners), max(corners))
        except (GuardFailed, ArithmeticError, DeriveError):
            return None


class _TraceRecorder:
    """Records the trace of one solved question: lines for its result, and guards of what was decided on the way."""

    def __init__(self, library: RelationSet, question: Question, result: PlanResult) -> None:
        """Make variables of the trace for the givens and for the weak values of a solved question."""
        self.library = library
        self.question = question
        self.result = result
        self.decisions = decisions_of(library, question)
        self.lines = GuardedLines(library, question.hints)
        self.stated = [TraceInput.of(value) for value in question.strong.values()]
        if any(stated.kind[0] is object for stated in self.stated):
            raise NotTraceable  # a range of which only some numbers are known as rationals
        self.given = {
            name: self.lines.argument(name, stated.number, is_ranged=stated.kind[1])
            for name, stated in zip(question.strong, self.stated, strict=True)
        }
        self.weak_ranges: dict[str, TraceInput] = {}  # of profiles and defaults, by the variables of their numbers
        self.weak = {name: self._weak_variable(name, value) for name, value in question.weak.items()}

    def _weak_variable(self, name: str, value: Value) -> str:
        """The variable of a trace for a weak value: a constant, or an argument if it is a range of rationals."""
        stated = TraceInput.of(value) if value.is_range else None
        if stated is None or stated.kind[0] is object:
            return self.lines.constant(value.base[1])
        variable = self.lines.argument(name, stated.number, is_ranged=True, is_weak=True)
        self.weak_ranges[variable] = stated
        return variable

    def trace(self) -> Trace:
        """Record the trace of a solved question; raises `NotTraceable` if its result does not rest on numbers alone."""
        state = self._only_state()
        plan = self.result.plan
        for relation in self.library.conditional:
            self._guard_conditions(relation, self.question.numbers, self.given)
        scope = self._scope_of(plan)
        self.lines.write_blocks(plan.blocks, scope)
        result = scope[self.question.target]
        deciding = self._guard_decisions()
        extended_state = extended(self.library, plan, state)
        if extended_state.barred:
            raise NotTraceable
        further = [block for block in plan.extra if extended_state.values.keys() >= {*block.unknowns}]
        self.lines.write_blocks(further, scope)
        self._require_known_condition_numbers(state)
        scope |= {name: deciding[name] for name in state.condition_numbers}
        self._guard_use_of_relations(extended_state, scope)
        tested = [name for name in testable(self.library, plan, extended_state) if self._may_contradict(plan, name)]
        for name in tested:
            self.lines.guard_relation(name, scope)
        self._guard_agreement(tested)
        self._guard_definitions(scope)
        if self.lines.recorded_number(result) != state.values[self.question.target]:
            raise NotTraceable
        weak_ranges = {name: stated for name, stated in self.weak_ranges.items() if self.lines.is_used(name)}
        return Trace(
            run=self.lines.compiled([*self.given.values(), *weak_ranges], result),
            kinds=tuple(stated.kind for stated in self.stated),
            weak_ranges=tuple(weak_ranges.values()),
            is_bounded=self._is_bounded(result, weak_ranges),
        )

    def _is_bounded(self, result: str, weak_ranges: Mapping[str, TraceInput]) -> bool:
        """Whether the trace, run at the ends of its ranges, gives the bounds of its result."""
        ranged = [name for name in self.result.plan.weak if self.question.weak[name].is_range]
        if not weak_ranges.keys() >= {self.weak[name] for name in ranged}:
            return False  # of such a range the lines have the middle alone
        ranges = sum(stated.kind[1] for stated in self.stated) + len(weak_ranges)
        return ranges <= _CORNERS and self.lines.motions.is_extreme_at_ends(result)

    def _only_state(self) -> State:
        """The only state of a result to record as a trace; raises `NotTraceable` unless there is exactly one."""
        result, question = self.result, self.question
        is_one = len(result.states) == 1 and result.case == NO_CASE and not result.is_assumed_away
        decided = [decisions for decisions in question.decided.values() if isinstance(decisions, Decisions)]
        is_decided_once = len(decided) == 1  # nothing was tried with fewer values, or in parts
        if not is_one or not is_decided_once or question.target in question.strong:
            raise NotTraceable
        state = result.states[0]
        if state.spans or state.notes or state.barred or state.choices:
            raise NotTraceable
        if question.plan(self.library, frozenset(result.left_out)) != result.plan:
            raise NotTraceable
        return state

    def _scope_of(self, plan: Plan) -> dict[str, str]:
        """The variables of a trace for the values with which a plan begins."""
        return {**self.given, **{name: self.weak[name] for name in plan.weak}}

    def _guard_conditions(self, relation: Relation, known: Mapping[str, float], scope: Mapping[str, str]) -> None:
        """Record in the trace how the conditions of a relation on known numbers came out."""
        for condition in relation.conditions:
            if known.keys() >= {*names_in(condition)}:
                self.lines.guard_condition(condition, verdict_at(condition, known), scope)

    def _guard_decisions(self) -> dict[str, str]:
        """Record in the trace what was decided before the plan was carried out; returns the deciding variables."""
        decisions = self.decisions
        scope = {**self.weak, **self.given}
        for name, plan in list(decisions.carried_out.items()):
            if decisions.following(name) is None:
                raise NotTraceable  # it has no number, or several, and may have one elsewhere
            plan_scope = self._scope_of(plan)
            self.lines.write_blocks(plan.blocks, plan_scope)
            scope[name] = plan_scope[name]
        for name in list(decisions.decided):
            for condition in self.library.relations[name].conditions:
                numbers = {member: decisions.value(member) for member in names_in(condition)}
                known = {member: number for member, number in numbers.items() if number is not None}
                if len(known) == len(numbers):
                    if not scope.keys() >= known.keys():
                        raise NotTraceable
                    self.lines.guard_condition(condition, verdict_at(condition, known), scope)
                elif known:
                    raise NotTraceable  # what is known of it may decide it at other numbers
        return scope

    def _require_known_condition_numbers(self, state: State) -> None:
        """Refuse a trace unless what only conditions need is known by the givens or by a weak value."""
        for name in state.condition_numbers:
            if self.decisions.following(name) is not None:
                continue
            plan = plan_for_condition(self.library, self.question, state, name, self.result.left_out)
            if plan.is_determined or name not in self.question.weak:
                raise NotTraceable

    def _guard_use_of_relations(self, state: State, scope: Mapping[str, str]) -> None:
        """Record in the trace the conditions by which each relation is used, tested, or left alone."""
        known, used = state.numbers, {*self.result.plan.relations}
        for relation in self.library.conditional:
            if relation.name in used or state.values.keys() >= {*self.library.members[relation.name]}:
                self._guard_conditions(relation, known, scope)

    def _guard_agreement(self, tested: Sequence[str]) -> None:
        """Record guards in the trace that typed values agree where they state something twice, needed or not.

        What they state twice may be more, or less, where a given or a sum of givens is zero.
        """
        numbers = {name: value.base[1] for name, value in self.question.strong.items() if not value.is_range}
        for condition in zero_sums(self.library, numbers):
            self.lines.guard_condition(condition, holds(condition, numbers), self.given)
        twice = stated_twice(self.library, self.question)
        plan = self.result.plan
        if twice.is_told({*tested, *plan.relations}, plan.unknowns):
            return
        if twice.conditional or twice.dependent:
            raise NotTraceable
        scope = dict(self.given)
        self.lines.write_blocks(twice.blocks, scope)
        for name in twice.tests:
            if scope.keys() >= {*self.library.members[name]}:
                self.lines.guard_relation(name, scope)

    def _guard_definitions(self, scope: Mapping[str, str]) -> None:
        """Record guards in the trace that what is computed in place of a definition is what it says."""
        defined = [name for name, value in self.question.weak.items() if value.source.kind == "exact"]
        typed = closure(structure_of(self.library), self.question.strong) if defined else ()
        for name in defined:
            if name not in scope and name in typed:
                raise NotTraceable  # what is typed contradicts it at some numbers, whatever is asked
            if name in scope and scope[name] != self.weak[name]:
                self.lines.guard_number(name, self.question.weak[name].base[1], scope)

    def _may_contradict(self, plan: Plan, name: str) -> bool:
        """Whether a relation may contradict a traced answer: neither weak values nor estimates lead to it."""
        relation = self.library.relations[name]
        if relation.approximate is not None:
            return False
        relations, _, weak = behind(self.library, plan, relation)
        return not weak and all(self.library.relations[name].approximate is None for name in relations)


class QuestionShape:
    """The shape of questions for one target with the same names of givens and of profiles, and their traces."""

    def __init__(self, library: RelationSet, profiles: tuple[str, ...], names: tuple[str, ...]) -> None:
        """Note what the profiles say of the typed quantities; the shape has no traces yet."""
        self.library = library
        self.traces: tuple[tuple[frozenset[str], Trace], ...] = ()
        """Each for the typed quantities of which the profiles say something else."""
        self._times = 0
        self._read: dict[tuple[str, str], tuple[Value, TraceInput]] = {}  # givens by their texts
        self._stated: dict[str, Value] = {}  # what the profiles say of the typed quantities
        for profile in profiles:
            values = library.profile(profile).values
            typed = {name: values[name] for name in names if name in values}
            self._stated |= {name: read_given(value, library.declared[name]) for name, value in typed.items()}

    def outcome(self, given: Mapping[str, Any]) -> tuple[float, Span | None] | None:
        """The target in base units and, over ranges, its bounds, if one of the shape's traces has them."""
        if not self.traces:
            return None
        try:
            readings = {name: self._reading(name, value) for name, value in given.items()}
        except DeriveError:
            return None  # the solver reads them all, and says of each what is wrong
        changed = self._changed({name: value for name, (value, _) in readings.items()}) if self._stated else _NO_NAMES
        stated = [stated for _, stated in readings.values()]
        for names, trace in self.traces:
            outcome = trace.outcome(stated) if names == changed else None
            if outcome is not None:
                return outcome
        return None

    def _reading(self, name: str, given: Any) -> tuple[Value, TraceInput]:
        """A given read as a value and as the input of a trace; what was typed as text is remembered."""
        is_text = given.__class__ is str
        remembered = self._read.get((name, given)) if is_text else None
        if remembered is not None:
            return remembered
        value = read_given(given, self.library.declared[name])
        reading = value, TraceInput.of(value)
        if is_text:
            if len(self._read) >= _TEXTS:
                self._read.clear()
            self._read[name, given] = reading
        return reading

    def record(self, library: RelationSet, question: Question, result: PlanResult) -> None:
        """Add the trace of a solved question to its shape, but not when the shape is asked for the first time."""
        self._times += 1
        if 1 < self._times <= _ATTEMPTS and len(self.traces) < _MOST_TRACES:
            with suppress(NotTraceable):
                trace = _TraceRecorder(library, question, result).trace()
                self.traces = (*self.traces, (self._changed(question.strong), trace))

    def _changed(self, strong: Mapping[str, Value]) -> frozenset[str]:
        """The typed quantities that tell apart the traces of a shape: profiles say something else of them."""
        return frozenset(name for name, value in self._stated.items() if strong[name].base != value.base)


_SHAPES = Memo[QuestionShape](most=512)


def shape_of(
    library: RelationSet, target: str, profiles: tuple[Any, ...], names: tuple[str, ...]
) -> QuestionShape | None:
    """The shape of a question, which holds its traces; None if a profile is not given by name."""
    if not all(isinstance(profile, str) for profile in profiles):
        return None
    return _SHAPES.of(library.session, (target, profiles, names), lambda: QuestionShape(library, profiles, names))
