"""A plan executed block by block, splitting where a block has several solutions.

Conditions (`when`) are judged during execution: a relation whose condition is false is left out, and the question is
planned again; an undecided one splits the question (`regimes`), and a state of another case is dropped. Where a
relation holds for every value of its unknown, another way to the target is tried before it is called bounded; where
the relations of a block are dependent, the plan avoids one of them. A relation that was left out in this way still
counts: as a bound, or as a check at the end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import Apply, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, value
from derive.numerics.intervals.enclosure import truths
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan, plan
from derive.presentation.numbers import shown_number
from derive.solving.blocks.free_unknowns import is_narrow, middle
from derive.solving.blocks.outcome import agrees
from derive.solving.execution.block_execution import State, block_states
from derive.solving.execution.question import NO_CASE, Case, Question
from derive.solving.execution.regimes import ANOTHER, Decisions, Undecided, claims, whether, worded
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, MET

if TYPE_CHECKING:
    from derive.model.relation import Relation

__all__ = ["Found", "carried_out", "decisions_of", "detours", "of_case", "planned", "planned_for"]

_PLANS = Memo[Plan](most=4096)

_MOST = 64  # limit on solutions that are followed
_DETOURS = 2  # limit on relations that are left out because others imply them
_REPEATING = "others repeat it"
_UNPROVED = "numerical search"


@dataclass(frozen=True)
class Found:
    """A plan and its resulting states."""

    plan: Plan
    states: tuple[State, ...]
    left_out: Mapping[str, str]  # relations that do not apply, and why
    reason: str = ""
    case: Case = NO_CASE


def carried_out(library: RelationSet, question: Question, left_out: Mapping[str, str] | None = None) -> Found:
    """The plan and its states; the plan is remade until every relation in it applies."""
    decisions = decisions_of(library, question)
    _prove_possible(library, question, decisions)
    aside: dict[str, str] = {**dict.fromkeys(question.case.failing, ANOTHER), **(left_out or {})}
    strong = {name: value.base[1] for name, value in question.strong.items()}
    for relation in library.conditional:
        for condition in relation.conditions:
            if _truth(condition, strong) is False:
                aside[relation.name] = whether(condition, strong, question)
    for _ in range(len(library.relations) + 1):
        tick()
        made = planned(library, question, frozenset(aside))
        conditional = _conditional(library, made)
        excluded = {r.name: decisions.whether(r) for r in conditional if decisions.applies(r) is False}
        if excluded:
            aside.update(excluded)
            continue
        for relation in conditional:
            if decisions.applies(relation) is None:
                raise Undecided(relation.name)
        known = {**strong, **{name: question.weak[name].base[1] for name in made.weak}}
        if not made.is_determined:
            return Found(made, (), aside)
        try:
            states, reason = _solved(library, made, State(known, hints=question.hints))
        except (UnderdeterminedError, LimitError) as error:
            around = next(detours(library, question, made, aside), None) if _is_stuck(error) else None
            if around is None:
                raise
            return around
        first = Found(made, tuple(states), aside, reason)
        other = _by_their_relations(library, question, first, decisions)
        if other is not None:
            return other
        for slack in _cancelling(made, states, question.target):
            other = _elsewhere(library, question, first, slack)
            if other is not None:
                return other
        found = replace(first, states=tuple(_loosely(library, made, states, question.target)))
        found = _with_conditions(library, question, found, decisions)
        false = _inapplicable(library, question, found, decisions)
        if not false:
            return _of_case(library, question, found, decisions)
        aside.update(false)
    raise LimitError("The conditions of the relations exclude each other in turn.", limit="plans")


def _by_their_relations(library: RelationSet, question: Question, found: Found, decisions: Decisions) -> Found | None:
    """The result without the fallbacks that the relations written for them contradict; None if there are none.

    Which fallbacks stand is decided by counting relations, and one that is in no plan, since it does not apply, counts
    as well. What was computed shows it: a relation for a fallback's quantity, all of it known, gives another number.
    """
    false = [name for name in found.plan.weak if _is_contradicted(library, question, found, name, decisions)]
    if not false:
        return None
    weak = {name: value for name, value in question.weak.items() if name not in false}
    try:
        other = carried_out(library, replace(question, weak=weak), found.left_out)
    except (NoSolutionError, UnderdeterminedError):
        return None
    return other if other.states else None


def _is_contradicted(library: RelationSet, question: Question, found: Found, name: str, decisions: Decisions) -> bool:
    if not question.weak[name].source.stands_in:
        return False
    stated = {other: value.base[1] for other, value in {**question.weak, **question.strong}.items()}
    spent = {relation for block in found.plan.blocks for relation in block.relations}
    for relation in (library.relations[one] for one in library.holders.get(name, ()) if one not in spent):
        if relation.written.written_for != name or relation.name in found.left_out or not relation.is_equation:
            continue
        points = [{**stated, **state.values} for state in found.states]
        is_known = all(point.keys() >= {*library.members[relation.name]} for point in points)
        slack = max(relation.approximate or 0.0, AGREEMENT)
        if is_known and points and not any(agrees(relation.written, point, slack) for point in points):
            return decisions.applies(relation) is True
    return False


def _prove_possible(library: RelationSet, question: Question, decisions: Decisions) -> None:
    """Raise if what follows in a case contradicts the case."""
    for claim in claims(library, question):
        numbers = {name: number for name in names_in(claim) if (number := decisions.following(name)) is not None}
        if _truth(claim, numbers) is False and not _is_met(claim, numbers):
            reason = f"{question.target}: where {worded(claim)}, what follows contradicts it"
            what = f"{question.target} has no admissible value: {reason}."
            raise NoSolutionError(what, hint="Change one of the givens.", reason=reason)


def of_case(library: RelationSet, question: Question, found: Found) -> Found:
    """The result without the states of another case."""
    decisions = decisions_of(library, question)
    return _of_case(library, question, _with_conditions(library, question, found, decisions), decisions)


def _of_case(library: RelationSet, question: Question, found: Found, decisions: Decisions) -> Found:
    states = tuple(state for state in found.states if _is_of_case(library, question, found.plan, state))
    if question.case != NO_CASE and not found.plan.weak:
        sure = [relation for relation in library.conditional if decisions.applies(relation) is True]
        exact = [relation for relation in sure if relation.approximate is None and relation.is_equation]
        states = tuple(state for state in states if all(_may_agree(one, state) for one in exact))
    if states or not found.states:
        return replace(found, states=states)
    return Found(found.plan, (), found.left_out, f"{question.target}: {_other(library, question, found)}")


def decisions_of(library: RelationSet, question: Question) -> Decisions:
    """The decisions on conditions: plans for other targets, executed where they give exactly one number.

    They are stored with the question, for all uses of the same values in the same case.
    """
    key = question.case, id(question.strong), id(question.weak)
    kept: Decisions | None = question.decided.get(key)
    if kept is not None:
        return kept

    def planning(other: Question, left_out: frozenset[str]) -> Plan:
        return planned(library, other, left_out)

    def solving(other: Question, made: Plan) -> float | None:
        stated = {**other.strong, **{name: other.weak[name] for name in made.weak}}
        found = _all_of(library, made, {name: value.base[1] for name, value in stated.items()})
        return found[0] if found is not None and len(found) == 1 else None

    question.decided[key] = made = Decisions(library, question, planning, solving)
    return made


def _all_of(library: RelationSet, made: Plan, known: Mapping[str, float]) -> tuple[float, ...] | None:
    """All values of a plan's target from these numbers; None if they are unknown."""
    try:
        states, _ = _solved(library, made, State(known))
    except NoSolutionError:
        return ()
    except DeriveError:
        return None
    sure = all(made.target in state.values and not state.notes for state in states)
    return tuple(state.values[made.target] for state in states) if sure else None


def _conditional(library: RelationSet, made: Plan) -> list[Relation]:
    """The relations in use that hold only under conditions."""
    used = [library.relations[name] for block in made.blocks for name in block.relations]
    return [relation for relation in used if relation.conditions]


def _with_conditions(library: RelationSet, question: Question, found: Found, decisions: Decisions) -> Found:
    """The result with the quantities that the conditions of its case and of checked relations need."""
    if not library.conditional:
        return found
    used = _conditional(library, found.plan)
    split = [library.relations[name] for name in (*question.case.holding, *question.case.failing)]

    def completed(state: State) -> State:
        tested = [r for r in library.conditional if all(name in state.values for name in library.members[r.name])]
        asked = {name for r in (*used, *tested, *split) for c in r.conditions for name in names_in(c)}
        missing = sorted(asked - state.values.keys() - state.spans.keys())
        numbers = {name: _beside(library, question, state, name, found.left_out, decisions) for name in missing}
        single = {name: any_of[0] for name, any_of in numbers.items() if len(any_of) == 1}
        return replace(state, asides=single, choices={n: many for n, many in numbers.items() if len(many) > 1})

    return replace(found, states=tuple(map(completed, found.states)))


def _beside(
    library: RelationSet, question: Question, state: State, name: str, left_out: Mapping[str, str], decisions: Decisions
) -> tuple[float, ...]:
    """A condition's quantity: as it follows from the givens, else from the state, else its weak value.

    If its inputs leave it no value it is NaN, and a condition on it is undefined.
    """
    number = decisions.following(name)
    if number is not None:
        return (number,)
    if not state.spans:
        reached = dict.fromkeys(n for n in state.values if n not in question.weak or n in question.strong)
        made = planned_for(library, name, reached, (), frozenset(left_out))
        if made.is_determined and all(decisions.applies(one) is True for one in _conditional(library, made)):
            found = _all_of(library, made, state.values)
            if found is not None:
                return found or (math.nan,)
    weak = decisions.value(name)
    return () if weak is None else (weak,)


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
    return isinstance(error, UnderdeterminedError) or getattr(error, "limit", "") == _UNPROVED


def detours(library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str]) -> Iterator[Found]:
    """The answers without one of the relations of an unsolvable block, if there are relations to spare."""
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


def _heeding(library: RelationSet, made: Plan, found: Found, relation: str) -> Found:
    """The result without a relation, now counted again: a weak value that replaced it must agree with it."""
    left_out = {name: why for name, why in found.left_out.items() if name != relation}
    states = found.states
    if set(found.plan.weak) - set(made.weak):
        states = tuple(state for state in states if _may_agree(library.relations[relation], state))
    return replace(found, states=states, left_out=left_out)


def _elsewhere(library: RelationSet, question: Question, first: Found, relation: str) -> Found | None:
    """The answer by another way, if the relation that was to fix an unknown holds for many values of it.

    A value fixed by the other way is checked against that relation like any other. An interval is cut to what the
    first way allows.
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
    reason = found.reason or ("" if states else f"{target}: {relation} allows none of the values that the others do")
    unproved = any("not proved" in note for state in (*first.states, *found.states) for note in state.notes)
    if unproved and not any(_may_agree(library.relations[relation], state) for state in states):
        return None
    return replace(heeded, states=states, reason=reason)


def _may_agree(relation: Relation, state: State) -> bool:
    """Whether a relation holds in a state, or cannot be checked there."""
    known = all(name in state.values for name in names_in(relation.written.lhs, relation.written.rhs))
    return not known or agrees(relation.written, state.values)


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


def planned(library: RelationSet, question: Question, left_out: frozenset[str]) -> Plan:
    """The plan for a question's names, cached in the library."""
    return planned_for(library, question.target, question.strong, question.weak, left_out, question.stated)


def planned_for(
    library: RelationSet,
    target: str,
    strong: Iterable[str],
    weak: Iterable[str],
    left_out: frozenset[str],
    stated: frozenset[str] = frozenset(),
) -> Plan:
    """The plan for a target from names, cached in the library."""
    key = (target, frozenset(strong), tuple(weak), left_out, stated)
    structure = structure_of(library, left_out, stated)
    return _PLANS.of(library.session, key, lambda: plan(structure, target, list(strong), list(weak)))


def _solved(library: RelationSet, made: Plan, start: State) -> tuple[list[State], str]:
    """The states after all blocks, and why the last block without a solution has none."""
    states, reason = [replace(start, values=dict(start.values))], ""
    for block in made.blocks:
        following: list[State] = []
        refused: NoSolutionError | None = None
        for state in states:
            tick()
            try:
                steps, why = block_states(library, block, state, is_last=len(states) == 1)
            except NoSolutionError as error:  # for this state only: another may have one
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
                raise LimitError(f"{reason}; but others may exist for what it depends on.", hint=hint, limit=_UNPROVED)
            return [], reason
        if len(following) > _MOST:
            raise LimitError(
                f"More than {_MOST} combinations of solutions.", hint="Give more.", limit=f"{_MOST} solutions"
            )
        states = following
    return states, ""


def _inapplicable(library: RelationSet, question: Question, found: Found, decisions: Decisions) -> dict[str, str]:
    """The relations that apply only by a weak value, and whose condition is false in every state."""
    places = [{**state.asides, **state.values} for state in found.states]
    false: dict[str, str] = {}
    for relation in _conditional(library, found.plan):
        for condition in relation.conditions:
            if places and all(_truth(condition, values) is False for values in places) and decisions.yields(relation):
                false[relation.name] = whether(condition, places[0], question)
    return false


def _is_of_case(library: RelationSet, question: Question, made: Plan, state: State) -> bool:
    """Whether the conditions of all relations that apply in the case may hold here, and not those of the others."""
    used = [*_conditional(library, made), *(library.relations[name] for name in question.case.holding)]
    others = [library.relations[name] for name in question.case.failing]
    return all(True in _possible(library, c, state) for r in used for c in r.conditions) and not any(
        all(_possible(library, c, state) == {True} for c in r.conditions) for r in others
    )


def _possible(library: RelationSet, condition: Node, state: State) -> Set[bool | None]:
    """The possible values of a condition in a state: one if all in it is known, else those that the domains allow."""
    values = {**state.asides, **state.values}
    several = next((name for name in names_in(condition) if name in state.choices), None)
    if several is not None:
        rest = {name: numbers for name, numbers in state.choices.items() if name != several}
        each = (replace(state, asides={**state.asides, several: x}, choices=rest) for x in state.choices[several])
        return frozenset(one for chosen in each for one in _possible(library, condition, chosen))
    decided = _truth(condition, values)
    if decided is not None:
        return {decided, True} if _is_met(condition, values) else {decided}
    box = {**{name: (number, number) for name, number in values.items()}, **state.spans}
    domains = {name: library.declared[name].domain for name in names_in(condition) if name not in box}
    return truths(condition, box | {name: (domain.low, domain.high) for name, domain in domains.items()})


def _is_met(condition: Node, values: Mapping[str, float]) -> bool:
    """Whether the two sides of a comparison that holds at equality differ by rounding only."""
    if not isinstance(condition, Apply) or condition.op not in ("le", "ge"):
        return False
    left, right = (value(side, values) for side in condition.args)
    return math.isclose(left, right, rel_tol=MET)


def _other(library: RelationSet, question: Question, found: Found) -> str:
    """Why the result is not of the question's case."""
    state = found.states[0]
    values = {**state.asides, **state.values}
    conditions = [c for relation in _conditional(library, found.plan) for c in relation.conditions]
    false = [c for c in (*conditions, *claims(library, question)) if _truth(c, values) is False]
    number = state.values.get(question.target)
    told = "" if number is None else f"it would be {shown_number(number, library.declared[question.target].unit)}, "
    return f"{told}where {worded(false[0])} is false" if false else f"{told}which belongs to another case"


def _truth(condition: Node, values: Mapping[str, float]) -> bool | None:
    """Whether a condition holds; None if a quantity in it is unknown."""
    return holds(condition, values) if all(name in values for name in names_in(condition)) else None
