"""A plan executed block by block, splitting where a block has several solutions.

Conditions (`when`) are judged during execution: a relation whose condition is false is left out, and the question is
planned again; an undecided one splits the question (`regimes`), and a state of another case is dropped. A condition is
judged by what follows from the givens, else by the state, else by weak values. Where a
relation holds for every value of its unknown, another way to the target is tried before it is called bounded; where
the relations of a block are dependent, the plan avoids one of them. A relation that was left out in this way still
counts: as a bound, or as a check at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import truths
from derive.planning.plan import Plan
from derive.presentation.numbers import shown_number
from derive.solving.blocks.outcome import may_be_met
from derive.solving.blocks.samples import is_narrow, middle
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_states import UNPROVED, Found, all_of, planned, planned_for, solved
from derive.solving.execution.question import NO_CASE, Question
from derive.solving.execution.regimes import ANOTHER, Decisions, Undecided, verdict_at, whether
from derive.time_limits import tick

if TYPE_CHECKING:
    from derive.model.relation import Relation

_DETOURS = 2  # limit on relations that are left out because others imply them
_REPEATING = "others repeat it"


def carried_out(library: RelationSet, question: Question, left_out: Mapping[str, str] | None = None) -> Found:
    """The plan and its states; the plan is remade until every relation in it applies."""
    decisions = decisions_of(library, question)
    prove_possible(library, question)
    aside: dict[str, str] = {**dict.fromkeys(sorted(question.case.failing), ANOTHER), **(left_out or {})}
    for relation in library.conditional:
        for condition in relation.conditions:
            if verdict_at(condition, question.numbers) is False:
                aside[relation.name] = whether(condition, question.numbers, question)
    for _ in range(len(library.relations) + 1):
        tick()
        made = planned(library, question, frozenset(aside))
        conditional = conditional_in(library, made)
        excluded = {r.name: decisions.whether(r) for r in conditional if decisions.applies(r) is False}
        if excluded:
            aside.update(excluded)
            continue
        for relation in conditional:
            if decisions.applies(relation) is None:
                raise Undecided(relation.name)
        if not made.is_determined:
            return Found(made, (), aside)
        try:
            start = State(question.start(made), hints=question.hints, only_closed=question.only_closed)
            states, reason = solved(library, made, start)
        except (UnderdeterminedError, LimitError) as error:
            around = next(detours(library, question, made, aside), None) if _is_stuck(error) else None
            if around is None:
                raise
            return around
        first = Found(made, tuple(states), aside, reason)
        for slack in _cancelling(made, states, question.target):
            other = _elsewhere(library, question, first, slack)
            if other is not None:
                return other
        found = replace(first, states=tuple(_loosely(library, made, states, question.target)))
        found = with_conditions(library, question, found)
        false = inapplicable(library, question, found)
        if not false:
            return _of_case(library, question, found)
        aside.update(false)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def of_case(library: RelationSet, question: Question, found: Found) -> Found:
    """The result without the states of another case."""
    return _of_case(library, question, with_conditions(library, question, found))


def _of_case(library: RelationSet, question: Question, found: Found) -> Found:
    states = tuple(state for state in found.states if is_of_case(library, question, found.plan, state))
    if question.case != NO_CASE and not found.plan.weak:
        decisions = decisions_of(library, question)
        sure = [relation for relation in library.conditional if decisions.applies(relation) is True]
        exact = [relation for relation in sure if relation.is_exact]
        states = tuple(state for state in states if all(may_be_met(one, state.values) for one in exact))
    if states or not found.states:
        return replace(found, states=states)
    reason = f"{question.target}: {of_another_case(library, question, found)}"
    if found.doubt:
        raise LimitError(
            f"{reason}; and other solutions may exist ({found.doubt}).",
            hint="Narrow the domains, or give more.",
            limit=UNPROVED,
        )
    return Found(found.plan, (), found.left_out, reason)


def _cancelling(made: Plan, states: Sequence[State], target: str) -> tuple[str, ...]:
    """The relations in which unknowns cancel at these numbers, so that the target is only bounded."""
    if made.checks and any(target in state.spans for state in states):
        for block in made.blocks:
            if any(name in state.spans for state in states for name in block.unknowns):
                return block.relations
    return ()


def _loosely(library: RelationSet, made: Plan, states: Sequence[State], target: str) -> list[State]:
    """The states, with a note on intervals of the target that names the relations not used to narrow them."""
    loose = [
        name
        for name in made.checks
        if any(other in state.spans for state in states for other in library.relations[name].declared)
    ]
    note = f"bounds do not take {', '.join(loose)} into account; not every value in them need be reached"
    return [replace(s, notes=(*s.notes, note)) if loose and target in s.spans else s for s in states]


def _is_stuck(error: DeriveError) -> bool:
    """Whether a block could not be solved, while other relations may lead further."""
    return isinstance(error, UnderdeterminedError) or getattr(error, "limit", "") == UNPROVED


def detours(library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str]) -> Iterator[Found]:
    """The answers without one of the relations of an unsolvable block, if there are relations to spare."""
    if not made.checks or sum(why == _REPEATING for why in left_out.values()) >= _DETOURS:
        return
    first = Found(made, (), left_out)
    for relation in (name for block in made.blocks if len(block.unknowns) > 1 for name in block.relations):
        try:
            found = _leaving_out(library, question, first, relation, _REPEATING)
        except (UnderdeterminedError, LimitError) as error:
            if not _is_stuck(error):
                raise
            continue
        if found.plan.is_determined and found.states:
            yield found


def without(library: RelationSet, question: Question, found: Found, relation: str) -> Found | None:
    """The result of a plan without one relation, which then counts as a check; None if it leads nowhere."""
    try:
        other = _leaving_out(library, question, found, relation, _REPEATING)
    except DeriveError:
        return None
    return other if other.plan.is_determined else None


def _leaving_out(library: RelationSet, question: Question, first: Found, relation: str, why: str) -> Found:
    """The result without a relation of a plan, in which no fallback stands that the plan did not need.

    The relation still counts: a weak value that replaced it must agree with it.
    """
    before = first.plan.weak
    weak = {name: value for name, value in question.weak.items() if name in before or not value.source.stands_in}
    found = carried_out(library, replace(question, weak=weak), {**first.left_out, relation: why})
    states = found.states
    if {*found.plan.weak} - {*before}:
        states = tuple(state for state in states if may_be_met(library.relations[relation], state.values))
    left_out = {name: reason for name, reason in found.left_out.items() if name != relation}
    return replace(found, states=states, left_out=left_out)


def _elsewhere(library: RelationSet, question: Question, first: Found, relation: str) -> Found | None:
    """The answer by another way, if the relation that was to fix an unknown holds for many values of it.

    A value fixed by the other way is checked against that relation like any other. An interval is cut to what the
    first way allows.
    """
    target = question.target
    try:
        found = _leaving_out(library, question, first, relation, f"{target} cancels in it")
    except DeriveError:
        return None
    if not found.plan.is_determined or not (found.states or found.reason):
        return None
    states = tuple(both for state in found.states for both in _within(state, target, first.states))
    reason = found.reason or ("" if states else f"{target}: {relation} allows none of the values that the others do")
    if (first.doubt or found.doubt) and not any(
        may_be_met(library.relations[relation], state.values) for state in states
    ):
        return None
    return replace(found, states=states, reason=reason)


def _within(state: State, target: str, allowed: Sequence[State]) -> Iterator[State]:
    """A state with a number for the target; one with an interval, cut to what is allowed."""
    if target in state.values:
        yield state
        return
    others = {name: span for name, span in state.spans.items() if name != target}
    for other in allowed:
        least, most = other.spans.get(target) or (other.values[target],) * 2
        low, high = both = max(state.spans[target][0], least), min(state.spans[target][1], most)
        if low > high and not is_narrow((high, low)):
            continue
        if is_narrow(both):
            yield replace(state, values={**state.values, target: middle(both)}, spans=others)
        else:
            yield replace(state, spans={**others, target: both})


def decisions_of(library: RelationSet, question: Question) -> Decisions:
    """The decisions on conditions: plans for other targets, executed where they give exactly one number.

    They are stored with the question, for all uses of the same values in the same case.
    """
    key = question.case, id(question.strong), id(question.weak)
    if key not in question.decided:
        question.decided[key] = Decisions(library, question)
    made: Decisions = question.decided[key]
    return made


def conditional_in(library: RelationSet, made: Plan) -> list[Relation]:
    """The relations in use that hold only under conditions."""
    used = [library.relations[name] for name in made.relations]
    return [relation for relation in used if relation.conditions]


def prove_possible(library: RelationSet, question: Question) -> None:
    """Raise if what follows in a case contradicts the case; what ranges lead to may do so in their middle alone."""
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


def with_conditions(library: RelationSet, question: Question, found: Found) -> Found:
    """The result with the quantities that the conditions of its case and of checked relations need."""
    if not library.conditional:
        return found
    used = conditional_in(library, found.plan)
    split = [library.relations[name] for name in (*question.case.holding, *question.case.failing)]

    def completed(state: State) -> State:
        tested = [r for r in library.conditional if all(name in state.values for name in library.members[r.name])]
        asked = {name for r in (*used, *tested, *split) for c in r.conditions for name in names_in(c)}
        missing = sorted(asked - state.values.keys() - state.spans.keys())
        numbers = {name: _beside(library, question, state, name, found.left_out) for name in missing}
        single = {name: any_of[0] for name, any_of in numbers.items() if len(any_of) == 1}
        return replace(state, asides=single, choices={n: many for n, many in numbers.items() if len(many) > 1})

    return replace(found, states=tuple(map(completed, found.states)))


def _beside(
    library: RelationSet, question: Question, state: State, name: str, left_out: Mapping[str, str]
) -> tuple[float, ...]:
    """A condition's quantity: as it follows from the givens, else from the state, else its weak value.

    If its inputs leave it no value it is NaN, and a condition on it is undefined.
    """
    decisions = decisions_of(library, question)
    number = decisions.following(name)
    if number is not None:
        return (number,)
    if not state.spans:
        made = plan_beside(library, question, state, name, left_out)
        if made.is_determined and all(decisions.applies(one) is True for one in conditional_in(library, made)):
            found = all_of(library, made, state.values, question.hints)
            if found is not None:
                return found or (math.nan,)
    weak = decisions.value(name)
    return () if weak is None else (weak,)


def plan_beside(library: RelationSet, question: Question, state: State, name: str, left_out: Mapping[str, str]) -> Plan:
    """The plan for a condition's quantity from what a state has reached, without relations that do not apply."""
    reached = dict.fromkeys(n for n in state.values if n not in question.weak or n in question.strong)
    return decisions_of(library, question).planned(
        lambda aside: planned_for(library, name, reached, (), aside), left_out, lambda applies: applies is not False
    )


def inapplicable(library: RelationSet, question: Question, found: Found) -> dict[str, str]:
    """The relations that apply only by a weak value, and whose condition is false in every state."""
    decisions = decisions_of(library, question)
    places = [state.numbers for state in found.states]
    false: dict[str, str] = {}
    for relation in conditional_in(library, found.plan):
        for condition in relation.conditions:
            if (
                places
                and all(verdict_at(condition, values) is False for values in places)
                and decisions.yields(relation)
            ):
                false[relation.name] = whether(condition, places[0], question)
    return false


def is_of_case(library: RelationSet, question: Question, made: Plan, state: State) -> bool:
    """Whether the conditions of all relations that apply in the case may hold here, and not those of the others."""
    used = [*conditional_in(library, made), *(library.relations[name] for name in question.case.holding)]
    others = [library.relations[name] for name in question.case.failing]
    return all(True in _possible(library, c, state) for r in used for c in r.conditions) and not any(
        all(_possible(library, c, state) == {True} for c in r.conditions) for r in others
    )


def _possible(library: RelationSet, condition: Node, state: State) -> Set[bool | None]:
    """The possible values of a condition in a state: one if all in it is known, else those that the domains allow."""
    values = state.numbers
    several = next((name for name in names_in(condition) if name in state.choices), None)
    if several is not None:
        rest = {name: numbers for name, numbers in state.choices.items() if name != several}
        each = (replace(state, asides={**state.asides, several: x}, choices=rest) for x in state.choices[several])
        return frozenset(one for chosen in each for one in _possible(library, condition, chosen))
    decided = verdict_at(condition, values)
    if decided is not None:
        return {decided}
    box = {**{name: (number, number) for name, number in values.items()}, **state.spans}
    domains = {name: library.declared[name].domain for name in names_in(condition) if name not in box}
    return truths(condition, box | {name: (domain.low, domain.high) for name, domain in domains.items()})


def of_another_case(library: RelationSet, question: Question, found: Found) -> str:
    """Why the result is not of the question's case."""
    state = found.states[0]
    conditions = [c for relation in conditional_in(library, found.plan) for c in relation.conditions]
    false = [c for c in (*conditions, *claims(library, question)) if verdict_at(c, state.numbers) is False]
    number = state.values.get(question.target)
    told = "" if number is None else f"it would be {shown_number(number, library.declared[question.target].unit)}, "
    return f"{told}where {worded(false[0])} is false" if false else f"{told}which belongs to another case"
