"""A plan carried out on numbers: block by block, splitting where a block has several solutions.

Conditions (`when`) are judged on the way: a relation whose condition turns out false is left out, and the plan is made
anew. Where a relation holds whatever its unknown is, another way to the target is tried before it is called bounded;
and where relations that should be solved together only repeat each other, the way leads around one of them. A relation
that was left aside like this still has its say: as a limit, or as a check at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.language.expression import Node, names_in
from derive.numbers.clock import tick
from derive.numbers.evaluating import holds
from derive.planning.plans import Plan, plan
from derive.solving.asking import Question
from derive.solving.grounds import Grounds, whether
from derive.solving.levels import is_narrow, middle
from derive.solving.outcome import agrees
from derive.solving.stepping import State, block_states

if TYPE_CHECKING:
    from derive.library import Library
    from derive.stating.relation import Relation

__all__ = ["Found", "carried_out", "detours", "grounds_of", "planned"]

_MOST = 64  # solutions that are followed
_DETOURS = 2  # relations that are left out because others say the same
_REPEATING = "others repeat it"
_UNPROVED = "numerical search"


@dataclass(frozen=True)
class Found:
    """A plan and the states that it led to."""

    plan: Plan
    states: tuple[State, ...]
    left_out: Mapping[str, str]  # relations that do not apply, and why
    reason: str = ""
    grounds: Grounds | None = None


def carried_out(
    library: Library, question: Question, left_out: Mapping[str, str] | None = None, grounds: Grounds | None = None
) -> Found:
    """The plan, made anew until every relation in it applies, and the states it leads to."""
    grounds = grounds or grounds_of(library, question)
    aside: dict[str, str] = dict(left_out or {})
    strong = {name: value.base[1] for name, value in question.strong.items()}
    for relation in library.conditional:
        for condition in relation.conditions:
            if _truth(condition, strong) is False:
                aside[relation.name] = whether(condition, strong, question)
    for _ in range(len(library.relations) + 1):
        tick()
        made = planned(library, question, frozenset(aside))
        excluded = {r.name: grounds.whether(r) for r in _conditional(library, made) if grounds.applies(r) is False}
        if excluded:
            aside.update(excluded)
            continue
        known = {**strong, **{name: question.weak[name].base[1] for name in made.weak}}
        if not made.is_determined:
            return Found(made, (), aside, grounds=grounds)
        try:
            states, reason = _solved(library, made, State(known, hints=question.hints))
        except (UnderdeterminedError, LimitError) as error:
            around = next(detours(library, question, made, aside), None) if _is_stuck(error) else None
            if around is None:
                raise
            return around
        first = Found(made, tuple(states), aside, reason, grounds)
        for slack in _cancelling(made, states, question.target):
            other = _elsewhere(library, question, first, slack)
            if other is not None:
                return other
        states = _loosely(library, made, states, question.target)
        states = [_with_conditions(library, made, state, aside, grounds) for state in states]
        false = _inapplicable(library, question, made, states)
        if not false:
            applying = tuple(state for state in states if _applies(library, made, state))
            return Found(made, applying, aside, reason, grounds)
        aside.update(false)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def grounds_of(library: Library, question: Question) -> Grounds:
    """What conditions are decided by: plans for other targets, carried out where they lead to just one number."""

    def planning(other: Question, left_out: frozenset[str]) -> Plan:
        return planned(library, other, left_out)

    def solving(other: Question, made: Plan) -> float | None:
        stated = {**other.strong, **{name: other.weak[name] for name in made.weak}}
        try:
            states, _ = _solved(library, made, State({name: value.base[1] for name, value in stated.items()}))
        except DeriveError:
            return None
        return states[0].values.get(other.target) if len(states) == 1 else None

    return Grounds(library, question, planning, solving)


def _conditional(library: Library, made: Plan) -> list[Relation]:
    """The relations in use that hold under conditions only."""
    used = [library.relations[name] for block in made.blocks for name in block.relations]
    return [relation for relation in used if relation.conditions]


def _with_conditions(
    library: Library, made: Plan, state: State, left_out: Mapping[str, str], grounds: Grounds
) -> State:
    """The state with what is asked for by the conditions of relations in use, and of those it puts to the test."""
    tested = [r for r in library.conditional if all(name in state.values for name in library.members[r.name])]
    asked = {name for r in (*_conditional(library, made), *tested) for c in r.conditions for name in names_in(c)}
    missing = sorted(asked - state.values.keys() - state.spans.keys())
    asides = {name: number for name in missing if (number := grounds.value(name)) is not None}
    return replace(state, asides=asides)


def _cancelling(made: Plan, states: Sequence[State], target: str) -> tuple[str, ...]:
    """The relations in which unknowns cancel at these numbers, so that the target is only bounded."""
    if made.checks and any(target in state.spans for state in states):
        for block in made.blocks:
            if any(name in state.spans for state in states for name in block.unknowns):
                return block.relations
    return ()


def _loosely(library: Library, made: Plan, states: Sequence[State], target: str) -> list[State]:
    """The states; an interval of the target says which relations it was not narrowed by."""
    loose = [
        name
        for name in made.checks
        if any(other in state.spans for state in states for other in library.relations[name].declared)
    ]
    note = f"bounds do not take {', '.join(loose)} into account; not every value in them need be reached"
    return [replace(s, notes=(*s.notes, note)) if loose and target in s.spans else s for s in states]


def _is_stuck(error: DeriveError) -> bool:
    """Whether some relations that were to be solved together do not lead anywhere, though others may."""
    return isinstance(error, UnderdeterminedError) or getattr(error, "limit", "") == _UNPROVED


def detours(library: Library, question: Question, made: Plan, left_out: Mapping[str, str]) -> Iterator[Found]:
    """The answers without one of the relations that lead nowhere together, if there are relations to spare."""
    if not made.checks or sum(why == _REPEATING for why in left_out.values()) >= _DETOURS:
        return
    for relation in (name for block in made.blocks if len(block.unknowns) > 1 for name in block.relations):
        try:
            found = carried_out(library, question, {**left_out, relation: _REPEATING})
        except (UnderdeterminedError, LimitError) as error:
            if not _is_stuck(error):
                raise
            continue
        found = _heeding(library, made, found, relation)
        if found.plan.is_determined and found.states:
            yield found


def _heeding(library: Library, made: Plan, found: Found, relation: str) -> Found:
    """What was found without a relation, which counts again: a weak value that came in for it must fit it."""
    left_out = {name: why for name, why in found.left_out.items() if name != relation}
    states = found.states
    if set(found.plan.weak) - set(made.weak):
        states = tuple(state for state in states if _may_agree(library.relations[relation], state))
    return replace(found, states=states, left_out=left_out)


def _elsewhere(library: Library, question: Question, first: Found, relation: str) -> Found | None:
    """The answer by another way, where the relation that was to fix an unknown holds for many of its values.

    What the other way fixes is put to the test in that relation as in every other. What it only bounds as well has to
    lie within what the first way allows.
    """
    target = question.target
    try:
        found = carried_out(library, question, {**first.left_out, relation: f"{target} cancels in it"})
    except DeriveError:
        return None
    heeded = _heeding(library, first.plan, found, relation)
    if not found.plan.is_determined or (found.states and not heeded.states):
        return None
    states = tuple(both for state in heeded.states for both in _within(state, target, first.states))
    reason = found.reason or ("" if states else f"{target}: {relation} leaves it nothing of what the others do")
    unproved = any("not proved" in note for state in (*first.states, *found.states) for note in state.notes)
    if unproved and not any(_may_agree(library.relations[relation], state) for state in states):
        return None
    return replace(heeded, states=states, reason=reason)


def _may_agree(relation: Relation, state: State) -> bool:
    """Whether a relation holds in a state, or cannot be put to the test there."""
    known = all(name in state.values for name in names_in(relation.written.lhs, relation.written.rhs))
    return not known or agrees(relation.written, state.values)


def _within(state: State, target: str, allowed: Sequence[State]) -> Iterator[State]:
    """A state that has a number for the target; one that has an interval, cut to what is allowed."""
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


def planned(library: Library, question: Question, left_out: frozenset[str]) -> Plan:
    """The plan for a question's names, kept in the library once it is made."""
    key = (question.target, frozenset(question.strong), tuple(question.weak), left_out)
    structure = library.structure(left_out)
    return library.plans.of(key, lambda: plan(structure, question.target, list(question.strong), list(question.weak)))


def _solved(library: Library, made: Plan, start: State) -> tuple[list[State], str]:
    """The states after all blocks, and why the last block without a solution has none."""
    states, reason = [replace(start, values=dict(start.values))], ""
    for block in made.blocks:
        following: list[State] = []
        refused: NoSolutionError | None = None
        for state in states:
            tick()
            try:
                steps, why = block_states(library, block, state, is_last=len(states) == 1)
            except NoSolutionError as error:  # of this state, which another may be without
                refused = error
                continue
            following.extend(steps)
            reason = why or reason
        if refused is not None and not following:
            raise refused
        if not following:
            reason = f"{', '.join(block.unknowns)}: {reason}"
            if any("not proved" in note for state in states for note in state.notes):
                hint = "Narrow the domains, or give more."
                raise LimitError(f"{reason}; but others may exist of what that hangs on.", hint=hint, limit=_UNPROVED)
            return [], reason
        if len(following) > _MOST:
            raise LimitError(
                f"More than {_MOST} combinations of solutions.", hint="Give more.", limit=f"{_MOST} solutions"
            )
        states = following
    return states, ""


def _inapplicable(library: Library, question: Question, made: Plan, states: Sequence[State]) -> dict[str, str]:
    """The relations in use whose condition is false in every state."""
    false: dict[str, str] = {}
    for relation in _conditional(library, made):
        for condition in relation.conditions:
            places = [{**state.asides, **state.values} for state in states]
            if places and all(_truth(condition, values) is False for values in places):
                false[relation.name] = whether(condition, places[0], question)
    return false


def _applies(library: Library, made: Plan, state: State) -> bool:
    """Whether no relation in use has a condition that is false here."""
    values = {**state.asides, **state.values}
    conditions = [condition for relation in _conditional(library, made) for condition in relation.conditions]
    return all(_truth(condition, values) is not False for condition in conditions)


def _truth(condition: Node, values: Mapping[str, float]) -> bool | None:
    """Whether a condition holds; None where a quantity in it is not known."""
    return holds(condition, values) if all(name in values for name in names_in(condition)) else None
