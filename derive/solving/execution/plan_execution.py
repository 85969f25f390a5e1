"""A plan executed block by block, splitting where a block has several solutions.

Conditions (`when`) are judged during execution: a relation whose condition is false is left out, and the question is
planned again; an undecided one splits the question (`regimes`), and a state of another case is dropped. Where a
relation holds for every value of its unknown, another way to the target is tried before it is called bounded; where
the relations of a block are dependent, the plan avoids one of them. A relation that was left out in this way still
counts: as a bound, or as a check at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from derive.errors import DeriveError, LimitError, UnderdeterminedError
from derive.model.relation_set import RelationSet
from derive.planning.plan import Plan
from derive.solving.blocks.free_unknowns import is_narrow, middle
from derive.solving.blocks.outcome import may_be_met
from derive.solving.execution.applicability import (
    conditional_in,
    decisions_of,
    inapplicable,
    is_of_case,
    of_another_case,
    prove_possible,
    with_conditions,
)
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_states import UNPROVED, Found, is_doubt, planned, solved
from derive.solving.execution.question import NO_CASE, Question
from derive.solving.execution.regimes import ANOTHER, Undecided, verdict_at, whether
from derive.time_limits import tick

__all__ = ["carried_out", "detours", "of_case", "without"]

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
            states, reason = solved(library, made, State(question.start(made), hints=question.hints))
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
        exact = [relation for relation in sure if relation.approximate is None and relation.is_equation]
        states = tuple(state for state in states if all(may_be_met(one, state.values) for one in exact))
    if states or not found.states:
        return replace(found, states=states)
    reason = f"{question.target}: {of_another_case(library, question, found)}"
    doubt = next((note for state in found.states for note in state.notes if is_doubt(note)), "")
    if doubt:
        raise LimitError(
            f"{reason}; and other solutions may exist ({doubt}).",
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
    unproved = any(is_doubt(note) for state in (*first.states, *found.states) for note in state.notes)
    if unproved and not any(may_be_met(library.relations[relation], state.values) for state in states):
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
