"""Contradictions that only elimination sees: givens that the other givens fix at another value.

Where structure leaves a target open, relations may still fix it together, because what is missing cancels. The same
holds for a given: if the others fix it at another value, they contradict each other, though no single relation shows
it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from derive.errors import DeriveError, InconsistentError, NoSolutionError
from derive.model.relation_set import RelationSet
from derive.planning.plan import Plan
from derive.presentation.numbers import shown_number
from derive.solving.cancellation.cancelled_answers import cancelled
from derive.solving.diagnosis.diagnosis import contradiction
from derive.solving.execution.block_execution import State
from derive.solving.execution.checks import fallbacks
from derive.solving.execution.plan_execution import of_case
from derive.solving.execution.plan_states import Found, claims_of, is_of_proof
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import Undecided
from derive.tolerances import AGREEMENT

__all__ = ["GIVENS", "WEAK_VALUES", "cancelling", "confirm", "no_solution", "prove_fit_together"]

GIVENS = 6
"""Of how many givens it is asked whether the others allow them, where there is no solution."""

WEAK_VALUES = "the weak values"
"""How an error begins that names the defaults and profile values in use."""


def cancelling(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The answer that does not depend on what is missing, unless the givens contradict it."""
    found = cancelled(library, question, left_out)
    if found is None:
        return None
    found = of_case(library, question, found)
    if not found.states:
        raise no_solution(library, question, found)
    clashes = [contradiction(library, question, found.plan, state) for state in found.states]
    sound = tuple(state for state, clash in zip(found.states, clashes, strict=True) if clash is None)
    if not sound:
        raise next(clash for clash in clashes if clash is not None)
    return replace(found, states=sound)


def prove_fit_together(library: RelationSet, question: Question) -> None:
    """Raise if a relation does not hold between typed values alone, before anything is sought that rests on it.

    Whether the relation applies may rest on a fallback, unless something typed leads to that quantity.
    """
    typed = question.numbers
    complete = [
        name
        for given in typed
        for name in library.holders.get(given, ())
        if library.relations[name].approximate is None and typed.keys() >= {*library.members[name]}
    ]
    if complete:
        state = State(typed, asides=fallbacks(library, question))
        clash = contradiction(library, question, Plan(question.target, (), (), tuple(complete)), state)
        if clash is not None:
            raise clash


def confirm(library: RelationSet, question: Question, name: str) -> None:
    """Raise if the other strong values fix a given at another value, by cancellation between exact relations."""
    given = question.strong[name]
    others = {other: value for other, value in question.strong.items() if other != name}
    if not others or question.ranges:
        return
    exact = {other: value for other, value in question.weak.items() if value.source.kind == "exact"}
    alone = replace(question, target=name, strong=others, weak=exact, own=None, outdated={})
    try:
        found = cancelled(library, alone, {})
    except (DeriveError, Undecided):  # a result that depends on a condition proves nothing
        return
    if found is None or not found.states or any(name not in state.values for state in found.states):
        return
    used = list(found.plan.relations)
    relations = [library.relations[relation] for relation in used]
    if any(relation.approximate is not None or relation.conditions for relation in relations):
        return
    numbers = [state.values[name] for state in found.states]
    if any(abs(one - given.base[1]) <= AGREEMENT * (abs(one) + abs(given.base[1])) for one in numbers):
        return
    stated = [f"{other} = {question.strong[other]}" for one in relations for other in one.declared if other in others]
    conflicts = [*used, *dict.fromkeys(stated), f"{name} = {given}"]
    raise InconsistentError(
        f"{name} is stated as {given}, and the other givens make it "
        f"{' or '.join(shown_number(one, library.declared[name].unit) for one in numbers)}. "
        f"The conflict: {', '.join(used)}; {', '.join(conflicts[len(used) :])}.",
        hint=f"Change or drop one of them, or leave out one of {', '.join(used)}.",
        conflicts=conflicts,
        gap=min(abs(one - given.base[1]) / max(abs(one), abs(given.base[1])) for one in numbers),
    )


def no_solution(library: RelationSet, question: Question, found: Found) -> NoSolutionError:
    """The error for a question without an admissible value, with the weak values that contributed to it."""
    met = library.held_by(found.plan.relations)
    weak = [name for name in found.plan.weak if name in met]
    used = f" ({WEAK_VALUES} of {', '.join(weak)} are in use)" if weak else ""
    reason = found.reason or "no value in its domain fits all relations"
    if is_of_proof(reason) and claims_of(library, question, found.plan, question.start(found.plan)) is None:
        reason = reason.partition(": proved by ")[0]  # for want of a certificate
    return NoSolutionError(
        f"{question.target} has no admissible value: {reason}{used}.",
        hint="Check the givens, their units, and the domain of what is asked.",
        reason=reason,
    )
