"""A plan executed block by block, splitting where a block has several solutions.

Conditions (`when`) are judged during execution: a relation whose condition is false is left out, and the question is
planned again; an undecided one splits the question (`conditional_relations`), and a state of another case is dropped.
A condition is judged by what follows from the givens, else by the state, else by weak values. Where a
relation holds for every value of its unknown, another way to the target is tried before it is called bounded; where
the relations of a block are dependent, the plan avoids one of them. A relation that was left out in this way still
counts: as a bound, or as a check at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError, LimitError, LimitKind, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import truths
from derive.planning.plan import Plan, plan_for
from derive.presentation.numbers import shown_number
from derive.solving.assumptions import Assumption
from derive.solving.blocks.sample_points import is_narrow, middle
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_claims import claims, conditions_of, worded
from derive.solving.execution.checks import may_be_met
from derive.solving.execution.conditional_relations import ANOTHER, Undecided, decisions_of, verdict_at, whether
from derive.solving.execution.plan_states import PlanResult, all_of, solved
from derive.solving.execution.question import NO_CASE, Question
from derive.time_limits import tick

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.incidence import Core

_DETOURS = 2  # limit on relations that are left out because others imply them
_REPEATING = "others repeat it"


def carried_out(
    library: RelationSet, question: Question, left_out: Mapping[str, str] | None = None, core: Core | None = None
) -> PlanResult:
    """Execute the plan of a question on numbers; it is remade until every relation in it applies.

    The relations of `left_out` are no part of it. The core of a question with more weak values serves as well.
    """
    prove_possible(library, question)
    reasons = {**dict.fromkeys(sorted(question.case.failing), ANOTHER), **(left_out or {})}  # by relation left out
    reasons |= _refuted_by_givens(library, question)
    for _ in range(len(library.relations) + 1):  # each round leaves out one relation more, or is the last
        tick()
        plan = question.plan(library, frozenset(reasons), core)
        excluded = _excluded_by_case(library, question, plan)
        if excluded:
            reasons.update(excluded)
            continue
        if not plan.is_determined:
            return PlanResult(plan, (), reasons)
        try:
            start = State(question.start(plan), hints=question.hints, search=question.search)
            states, reason = solved(library, plan, start)
        except (UnderdeterminedError, LimitError) as error:
            detour = next(detours(library, question, plan, reasons), None) if _is_stuck(error) else None
            if detour is None:
                raise
            return detour
        first = PlanResult(plan, tuple(states), reasons, reason)
        for cancelling in _cancelling(plan, states, question.target):
            elsewhere = _elsewhere(library, question, first, cancelling)
            if elsewhere is not None:
                return elsewhere
        result = replace(first, states=tuple(_with_note_on_bounds(library, plan, states, question.target)))
        result = with_conditions(library, question, result)
        excluded = inapplicable(library, question, result)
        if not excluded:
            return _of_case(library, question, result)
        reasons.update(excluded)
        _refute(library, question, [library.relations[name] for name in excluded], result.states)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def _refuted_by_givens(library: RelationSet, question: Question) -> dict[str, str]:
    """The relations that no executed plan may hold, as a condition of theirs is false at the givens, and why."""
    return {
        relation.name: whether(condition, question.numbers, question)
        for relation in library.conditional
        for condition in relation.conditions
        if verdict_at(condition, question.numbers) is False
    }


def _excluded_by_case(library: RelationSet, question: Question, plan: Plan) -> dict[str, str]:
    """The relations in an executed plan that do not apply in its case, and why; raises if none is decided so."""
    decisions, conditional = decisions_of(library, question), conditional_in(library, plan)
    excluded = {rule.name: decisions.whether(rule) for rule in conditional if decisions.applies(rule) is False}
    undecided = [rule.name for rule in conditional if decisions.applies(rule) is None]
    if undecided and not excluded:
        raise Undecided(undecided[0])
    return excluded


def _refute(library: RelationSet, question: Question, relations: Iterable[Relation], states: Sequence[State]) -> None:
    """Remember the weak values in those conditions that, judged in each state of an executed plan, hold in none."""
    refuted = decisions_of(library, question).refuted
    for condition in conditions_of(relations):
        if not any(True in _possible_verdicts(library, condition, state) for state in states):
            refuted.update(name for name in names_in(condition) if name in question.weak)


def of_case(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """The result of an executed plan without the states of another case, once their conditions are judged."""
    return _of_case(library, question, with_conditions(library, question, result))


def _of_case(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """Drop the states of another case from an executed plan's result; the states have the quantities in conditions."""
    states = tuple(state for state in result.states if is_of_case(library, question, result.plan, state))
    if question.case != NO_CASE and not result.plan.weak:
        decisions = decisions_of(library, question)
        sure = [relation for relation in library.conditional if decisions.applies(relation) is True]
        # at one point of the ranges, what moves tells nothing
        moving = _moved_by_ranges(library, question, result.plan)
        exact = [relation for relation in sure if relation.is_exact and moving.isdisjoint(relation.members)]
        states = tuple(state for state in states if all(may_be_met(relation, state.values) for relation in exact))
    if states or not result.states:
        return replace(result, states=states)
    _refute(library, question, conditional_in(library, result.plan), result.states)
    reason = f"{question.target}: {of_another_case(library, question, result)}"
    doubts = [note.text for state in result.states for note in state.notes if note.leaves_others]
    if doubts:
        what = f"{reason}; and other solutions may exist ({doubts[0]})."
        raise LimitError.unproved(what, hint="Narrow the domains, or give more.")
    return PlanResult(result.plan, (), result.left_out, reason)


def _moved_by_ranges(library: RelationSet, question: Question, plan: Plan) -> set[str]:
    """The quantities that are given as ranges, and those that a plan computes from them when it is executed."""
    moving = set(question.ranges)
    for block in plan.blocks if moving else ():
        if not moving.isdisjoint(library.held_by(block.relations)):
            moving.update(block.unknowns)
    return moving


def _cancelling(plan: Plan, states: Sequence[State], target: str) -> tuple[str, ...]:
    """The relations of an executed block that hold for every value of an unknown, and only bound the target."""
    if plan.checks and any(target in state.spans for state in states):
        bounded = {*chain.from_iterable(state.spans for state in states)}
        return next((block.relations for block in plan.blocks if not bounded.isdisjoint(block.unknowns)), ())
    return ()


def _with_note_on_bounds(library: RelationSet, plan: Plan, states: Sequence[State], target: str) -> Sequence[State]:
    """The states after a plan's execution, with a note on relations that did not narrow the target's intervals."""
    bounded = {*chain.from_iterable(state.spans for state in states)}
    unused = [name for name in plan.checks if not bounded.isdisjoint(library.relations[name].declared)]
    if not unused:
        return states
    text = f"bounds do not take {', '.join(unused)} into account; not every value in them need be reached"
    note = Assumption(text, "unnarrowed")
    return [replace(state, notes=(*state.notes, note)) if target in state.spans else state for state in states]


def _is_stuck(error: DeriveError) -> bool:
    """Whether execution of a plan is stuck at an unsolved block, while other relations may lead further."""
    is_unproved = isinstance(error, LimitError) and error.kind is LimitKind.PROOF
    return isinstance(error, UnderdeterminedError) or is_unproved


def detours(library: RelationSet, question: Question, plan: Plan, left_out: Mapping[str, str]) -> Iterator[PlanResult]:
    """The results of executing plans without one of the relations of an unsolvable block, if some are to spare."""
    if not plan.checks or sum(why == _REPEATING for why in left_out.values()) >= _DETOURS:
        return
    first = PlanResult(plan, (), left_out)
    for relation in chain.from_iterable(block.relations for block in plan.blocks if len(block.unknowns) > 1):
        try:
            result = _leaving_out(library, question, first, relation, _REPEATING)
        except (UnderdeterminedError, LimitError) as error:
            if not _is_stuck(error):
                raise
            continue
        if result.plan.is_determined and result.states:
            yield result


def without(library: RelationSet, question: Question, result: PlanResult, relation: str) -> PlanResult | None:
    """The result of executing the plan without one relation, which then counts as a check; None if it leads nowhere."""
    try:
        other = _leaving_out(library, question, result, relation, _REPEATING)
    except DeriveError:
        return None
    return other if other.plan.is_determined else None


def _leaving_out(library: RelationSet, question: Question, first: PlanResult, relation: str, why: str) -> PlanResult:
    """The result of executing the plan again without a relation, and without the fallbacks that it did not need.

    The relation still counts: a weak value that replaced it must agree with it.
    """
    before = first.plan.weak
    weak = {name: value for name, value in question.weak.items() if name in before or not value.source.stands_in}
    result = carried_out(library, replace(question, weak=weak), {**first.left_out, relation: why})
    states = result.states
    if {*result.plan.weak} - {*before}:
        states = tuple(state for state in states if may_be_met(library.relations[relation], state.values))
    left_out = {name: reason for name, reason in result.left_out.items() if name != relation}
    return replace(result, states=states, left_out=left_out)


def _elsewhere(library: RelationSet, question: Question, first: PlanResult, relation: str) -> PlanResult | None:
    """The result of executing the plan without a relation in which the target cancels; None if no other fixes it.

    A number by the other relations is checked against that relation like any other. An interval is cut to the first.
    """
    target = question.target
    try:
        result = _leaving_out(library, question, first, relation, f"{target} cancels in it")
    except DeriveError:
        return None
    if not result.plan.is_determined or not (result.states or result.reason):
        return None
    stated = library.relations[relation]
    cut = chain.from_iterable(_within(state, target, first.states) for state in result.states)
    used = [library.relations[name] for name in (relation, *result.plan.relations)]

    def is_met(state: State) -> bool:
        """Whether the relations hold at a state; where intervals only touch, one of them may be undefined."""
        return state in result.states or all(may_be_met(other, state.values) for other in used)

    states = tuple(filter(is_met, cut))
    reason = result.reason
    if not reason and not states:
        reason = f"{target}: {relation} allows none of the values that the others do"
    if (first.doubt or result.doubt) and not any(may_be_met(stated, state.values) for state in states):
        return None
    return replace(result, states=states, reason=reason)


def _within(state: State, target: str, allowed: Sequence[State]) -> Iterator[State]:
    """The states that execution of a plan ends in, with an interval for the target cut to each of those allowed."""
    if target in state.values:
        yield state
        return
    others = {name: span for name, span in state.spans.items() if name != target}
    start, end = state.spans[target]
    for other in allowed:
        least, most = other.spans.get(target) or (other.values[target],) * 2
        low, high = max(start, least), min(end, most)
        if low > high and not is_narrow((high, low)):
            continue  # they are apart by more than rounding
        if is_narrow((low, high)):
            yield replace(state, values={**state.values, target: middle((low, high))}, spans=others)
        else:
            yield replace(state, spans={**others, target: (low, high)})


def conditional_in(library: RelationSet, plan: Plan) -> list[Relation]:
    """The relations of a plan whose conditions are to be judged when it is executed."""
    used = [library.relations[name] for name in plan.relations]
    return [relation for relation in used if relation.conditions]


def prove_possible(library: RelationSet, question: Question) -> None:
    """Raise, before a plan is executed, if what follows in its case contradicts the case.

    What ranges lead to is not tested: it may contradict the case in their middle alone.
    """
    decisions = decisions_of(library, question)
    for claim in claims(library, question):
        numbers = {
            name: number
            for name in names_in(claim)
            if (number := decisions.following(name)) is not None and not decisions.is_of_ranges(name)
        }
        if verdict_at(claim, numbers) is False:
            reason = f"{question.target}: where {worded(claim)}, what follows contradicts it"
            what = f"{question.target} has no admissible value: {reason}."
            raise NoSolutionError(what, hint="Change one of the givens.", reason=reason)


def with_conditions(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """The result of a plan with the quantities that the conditions of its case and of checked relations need."""
    if not library.conditional:
        return result
    used = conditional_in(library, result.plan)
    split = [library.relations[name] for name in (*question.case.holding, *question.case.failing)]

    def completed(state: State) -> State:
        """A state of an executed plan with the numbers that conditions need beside those of the plan."""
        tested = [rule for rule in library.conditional if state.values.keys() >= {*library.members[rule.name]}]
        asked = {*names_in(*conditions_of([*used, *tested, *split]))}
        missing = sorted(asked - state.values.keys() - state.spans.keys())
        numbers = {name: _numbers_for_condition(library, question, state, name, result.left_out) for name in missing}
        single = {name: values[0] for name, values in numbers.items() if len(values) == 1}
        several = {name: values for name, values in numbers.items() if len(values) > 1}
        return replace(state, condition_numbers=single, choices=several)

    return replace(result, states=tuple(map(completed, result.states)))


def _numbers_for_condition(
    library: RelationSet, question: Question, state: State, name: str, left_out: Mapping[str, str]
) -> tuple[float, ...]:
    """The numbers by which execution judges a condition's quantity: by the givens, the state, or its weak value.

    If its inputs leave it no value it is NaN, and a condition on it is undefined.
    """
    decisions = decisions_of(library, question)
    number = decisions.following(name)
    if number is not None:
        return (number,)
    if not state.spans:
        plan = plan_for_condition(library, question, state, name, left_out)
        conditional = conditional_in(library, plan)
        if plan.is_determined and all(decisions.applies(relation) is True for relation in conditional):
            values = all_of(library, plan, state.values, question.hints)
            if values is not None:
                return values or (math.nan,)
    weak = decisions.value(name)
    return () if weak is None else (weak,)


def plan_for_condition(
    library: RelationSet, question: Question, state: State, name: str, left_out: Mapping[str, str]
) -> Plan:
    """Plan again, during execution, for a condition's quantity from the state that is reached."""
    reached = dict.fromkeys(known for known in state.values if known not in question.weak or known in question.strong)
    make_plan = partial(plan_for, library, name, reached, ())
    return decisions_of(library, question).applicable_plan(
        make_plan, left_out, is_kept=lambda applies: applies is not False
    )


def inapplicable(library: RelationSet, question: Question, result: PlanResult) -> dict[str, str]:
    """The relations to plan again without: they apply only by a weak value, and a condition fails in every state."""
    decisions = decisions_of(library, question)
    points = [state.numbers for state in result.states]
    excluded: dict[str, str] = {}
    for relation in conditional_in(library, result.plan):
        for condition in relation.conditions:
            if points and all(verdict_at(condition, point) is False for point in points) and decisions.yields(relation):
                excluded[relation.name] = whether(condition, points[0], question)
    return excluded


def is_of_case(library: RelationSet, question: Question, plan: Plan, state: State) -> bool:
    """Whether execution keeps a state: its relations' conditions may hold, and those denied by the case not all do."""
    used = [*conditional_in(library, plan), *(library.relations[name] for name in question.case.holding)]
    if not all(True in _possible_verdicts(library, condition, state) for condition in conditions_of(used)):
        return False
    for failing in question.case.failing:
        conditions = library.relations[failing].conditions
        if all(_possible_verdicts(library, condition, state) == {True} for condition in conditions):
            return False
    return True


def _possible_verdicts(library: RelationSet, condition: Node, state: State) -> Set[bool | None]:
    """How a condition may be judged in a state after execution: one verdict if all in it is known, else by domains."""
    values = state.numbers
    name = next((name for name in names_in(condition) if name in state.choices), None)
    if name is not None:
        choices = {other: numbers for other, numbers in state.choices.items() if other != name}
        chosen = [
            replace(state, condition_numbers={**state.condition_numbers, name: x}, choices=choices)
            for x in state.choices[name]
        ]
        return frozenset(chain.from_iterable(_possible_verdicts(library, condition, state) for state in chosen))
    verdict = verdict_at(condition, values)
    if verdict is not None:
        return {verdict}
    box = {**point_box(values), **state.spans}
    domains = {name: library.declared[name].domain for name in names_in(condition) if name not in box}
    return truths(condition, box | {name: domain.ends for name, domain in domains.items()})


def of_another_case(library: RelationSet, question: Question, result: PlanResult) -> str:
    """The reason why the result of an executed plan is dropped as one of another case."""
    state = result.states[0]
    conditions = [*conditions_of(conditional_in(library, result.plan)), *claims(library, question)]
    false = [condition for condition in conditions if verdict_at(condition, state.numbers) is False]
    why = f"where {worded(false[0])} is false" if false else "which belongs to another case"
    number = state.values.get(question.target)
    if number is None:
        return why
    return f"it would be {shown_number(number, library.declared[question.target].unit)}, {why}"
