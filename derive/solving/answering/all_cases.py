"""The candidates of all cases of a question, and what is said of the cases that leave the target open.

A relation may hold under a condition only. Each case has candidates of its own, or an error. Where nothing determines
the target in one case, the number of another is no less the answer, if it assumes its case or is decided by it; it says
so, and the interval that is left in the open case stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import names_in
from derive.model.choice_arms import relation_of_arm
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Plan
from derive.solving.answering.one_case import UnfixedError, answered_in_case, narrowed_by_neighbours
from derive.solving.answering.regime_intervals import confined, left_open, told_apart
from derive.solving.diagnosis.contradictions import no_solution
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_execution import conditional_in
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import MOST_CASES, explored
from quantities.domain import Domain

__all__ = ["explored_cases", "leaves_open"]


def explored_cases(
    library: RelationSet, question: Question, is_last_resort: bool, *, until_open: bool = False
) -> tuple[list[Found], list[DeriveError]]:
    """The answers of all cases and the errors of those without one; answers name the cases that are open.

    Where `until_open`, nothing but its error is returned once a case leaves the target open.
    """
    answers: list[Found] = []
    errors: list[DeriveError] = []
    doubts: list[tuple[Question, str]] = []

    def answered(one: Question) -> list[Found]:
        whole = answered_in_case(library, one, is_last_resort)
        cut = [confined(library, one, narrowed_by_neighbours(library, one, each)) for each in whole]
        kept = [each for each in cut if each.states]
        if not kept:
            reason = f"{one.target}: its interval lies outside what the relations and domains around it allow"
            raise no_solution(library, one, replace(whole[0], reason=reason))
        return kept

    for asked, found in explored(library, question, answered):
        if isinstance(found, list):
            answers += [replace(one, case=asked.case) for one in found]
            continue
        if until_open and isinstance(found, UnfixedError):
            return [], [found]
        errors.append(found or _too_many(question))
        if found is None or isinstance(found, LimitError):
            where = _where(library, asked) or "further cases hold"
            doubts.append((asked, f"it is not proved that there is no other solution where {where}"))
        elif isinstance(found, UnderdeterminedError):
            doubts.append(_beyond(library, asked))
    target = question.target
    if not answers and not errors:
        errors.append(_impossible(question))
    answers = told_apart(library, question, answers, is_open=_may_be_away(library, answers, errors))
    away = [
        one for one in answers if any(rule(library, target, one, answers) for rule in (_is_assumed_away, _is_beside))
    ]
    beyond = [_beyond(library, replace(question, case=one.case)) for one in away]
    kept = [_doubted(library, one, beyond) for one in answers if one not in away]
    unspoken = _unspoken(library, errors, answers)
    errors += [UnfixedError(replace(question, case=one.case), one.left_out) for one in away]
    found = [*kept, *(replace(one, is_assumed_away=True) for one in (*away, *unspoken))]
    return [_doubted(library, one, doubts) for one in _joined_where_free(library, target, found)], errors


def _where(library: RelationSet, asked: Question) -> str:
    """The case of a question in words."""
    return " and ".join(dict.fromkeys(map(worded, claims(library, asked))))


def _beyond(library: RelationSet, asked: Question) -> tuple[Question, str]:
    """A case that leaves the target open, and what to say of it beside the answers of other cases."""
    return asked, f"where {_where(library, asked)}, nothing determines {asked.target}"


def _may_be_away(library: RelationSet, answers: Sequence[Found], errors: Sequence[DeriveError]) -> bool:
    """Whether a case is open, and every answer assumes that it is another."""
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors)

    def assumes(one: Found, state: State) -> bool:
        return any(_assumes(library, one, state, relation.name) for relation in conditional_in(library, one.plan))

    return is_open and all(assumes(one, state) for one in answers for state in one.states)


def _joined_where_free(library: RelationSet, target: str, found: Sequence[Found]) -> list[Found]:
    """The results; one interval alone, if intervals that nothing but cases ends make up the target's domain.

    It covers all else that was found. What an answer assumes away makes up nothing: the answer would be lost in it.
    """
    domain = library.declared[target].domain
    free = [(one, state) for one in found if not one.is_assumed_away for state in one.states if state.is_free]
    if not free or not _covers(domain, [state.spans[target] for _, state in free]):
        return list(found)
    first, state = free[0]
    return [replace(first, states=(replace(state, spans={**state.spans, target: (domain.low, domain.high)}),))]


def _is_assumed_away(library: RelationSet, target: str, one: Found, answers: Sequence[Found]) -> bool:
    """Whether nothing fixes the target in the case of a result, and another result assumes that this is not the case.

    A column buckles after Euler if it is slender. Where nothing says how slender it is, that is assumed of the answer;
    that the target otherwise lies somewhere in its domain, or in what the relations leave of it, makes that answer no
    less the one.
    """
    if _is_fixed(library, target, one):
        return False
    return any(
        _assumes(library, other, state, name)
        for other in answers
        for state in other.states
        if target in state.values
        for name in one.case.failing
    )


def _is_beside(library: RelationSet, target: str, one: Found, answers: Sequence[Found]) -> bool:
    """Whether only inequalities bound the target in the case of a result, and it is a number in that of another, by a
    relation whose condition is on the target itself.

    `racks = chips/domain` holds from one domain on. Asked for the chips of one rack, it is 72 of them; that fewer, of
    which no relation says how many racks they are, would keep to a limit as well, makes that answer no less the one.
    """
    if _is_fixed(library, target, one):
        return False
    of_target = {name for name in one.case.failing if target in names_in(*library.relations[name].conditions)}
    return any(
        not of_target.isdisjoint(other.plan.relations)
        for other in answers
        if any(target in state.values for state in other.states)
    )


def _is_fixed(library: RelationSet, target: str, one: Found) -> bool:
    """Whether an equation leads to the target, or it has a number."""
    is_led_to = any(library.relations[name].is_equation for name in one.plan.relations)
    return is_led_to or any(target in state.values for state in one.states)


def _unspoken(library: RelationSet, errors: Sequence[DeriveError], answers: Sequence[Found]) -> list[Found]:
    """What cases leave of the target's domain that others assume away, and in which no relation replaces theirs."""
    found = []
    for error in errors:
        if isinstance(error, UnfixedError) and error.question.case.failing:
            asked = error.question
            target, domain = asked.target, library.declared[asked.target].domain
            whole = Found(
                Plan(target, (), (), ()), (State({}, {target: (domain.low, domain.high)}),), {}, case=asked.case
            )
            if _is_assumed_away(library, target, whole, answers):
                pieces = left_open(library, asked, error.left_out, is_covered=False)
                found += [replace(one, case=asked.case) for one in pieces]
    return found


def _assumes(library: RelationSet, found: Found, state: State, name: str) -> bool:
    """Whether a result uses a relation whose case is not known, and is therefore assumed; an arm of a choice never is.

    A relation says nothing of other cases than its own, and a choice says what holds in each of them.
    """
    if relation_of_arm(name):
        return False
    return name in found.plan.relations and not state.known >= {*names_in(*library.relations[name].conditions)}


def _doubted(library: RelationSet, found: Found, doubts: Sequence[tuple[Question, str]]) -> Found:
    """The result with notes on the open cases, except those that its own assumptions exclude."""

    def told(state: State) -> State:
        notes = [
            doubt
            for asked, doubt in doubts
            if not any(_assumes(library, found, state, name) for name in asked.case.failing)
        ]
        return replace(state, notes=tuple(dict.fromkeys([*state.notes, *notes])))

    return replace(found, states=tuple(map(told, found.states)))


def _impossible(question: Question) -> NoSolutionError:
    return NoSolutionError(
        f"{question.target} has no admissible value: no case of the relations is possible with it.",
        hint="Check the givens, their units, and the domain of what is asked.",
        reason="no case of the relations is possible",
    )


def _too_many(question: Question) -> LimitError:
    return LimitError(
        f"{question.target} depends on more than {MOST_CASES} cases.",
        hint="Give the quantities in the conditions of the relations.",
        limit=f"{MOST_CASES} cases",
    )


def leaves_open(library: RelationSet, target: str, answers: Sequence[Found], errors: Sequence[DeriveError]) -> bool:
    """Whether no case fixes the target, and together the cases leave it its whole domain."""
    spans = [state.spans.get(target) for found in answers for state in found.states]
    if None in spans or any(found.plan.blocks for found in answers):
        return False
    if any(isinstance(error, UnderdeterminedError) for error in errors):
        return True
    return _covers(library.declared[target].domain, [span for span in spans if span is not None])


def _covers(domain: Domain, spans: Iterable[Span]) -> bool:
    """Whether intervals together leave nothing of a domain."""
    reached = domain.low
    for low, high in sorted(spans):
        if low > reached:
            return False
        reached = max(reached, high)
    return reached >= domain.high
