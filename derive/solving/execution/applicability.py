"""Whether relations with conditions (`when`) apply: before a plan is carried out, and in its states.

A condition is judged by what follows from the givens, else by the state, else by weak values. An undecided one splits
the question (`regimes`), and a state of another case is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import NoSolutionError
from derive.expressions.tree import Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import truths
from derive.planning.plan import Plan
from derive.presentation.numbers import shown_number
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_states import Found, all_of, planned_for
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import Decisions, verdict_at, whether

if TYPE_CHECKING:
    from derive.model.relation import Relation

__all__ = [
    "conditional_in",
    "decisions_of",
    "inapplicable",
    "is_of_case",
    "of_another_case",
    "plan_beside",
    "prove_possible",
    "with_conditions",
]


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
    decisions = decisions_of(library, question)
    reached = dict.fromkeys(n for n in state.values if n not in question.weak or n in question.strong)
    aside = frozenset(left_out)
    while True:
        made = planned_for(library, name, reached, (), aside)
        false = {one.name for one in conditional_in(library, made) if decisions.applies(one) is False}
        if not false:
            return made
        aside |= false


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
