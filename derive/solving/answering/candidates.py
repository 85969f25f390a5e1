"""The candidates for a question's target: what plans yield, over all cases and arms, or why there are none.

A relation may hold under a condition only. Each case has candidates of its own, or an error. Where nothing determines
the target in one case, the number of another is no less the answer, if it assumes its case or is decided by it; it says
so, and the interval that is left in the open case stands beside it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import names_in
from derive.model.conditions import one_relation_for_each_arm, relation_of_arm, with_arms, without_excluded_arms
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.presentation.failed_checks import counts_as
from derive.solving.answering.linear_answers import compared_with_all, missing_with_weak_values
from derive.solving.answering.one_case import UnfixedError, answered_in_case, narrowed_by_neighbours
from derive.solving.answering.regime_intervals import confined, left_open, told_apart
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.diagnosis.contradictions import GIVENS, WEAK_VALUES, confirm, no_solution
from derive.solving.diagnosis.diagnosis import shortage
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_execution import conditional_in, decisions_of
from derive.solving.execution.plan_states import Found, lone_fallbacks
from derive.solving.execution.question import Case, Question
from derive.solving.execution.regimes import MOST_CASES, explored
from quantities.domain import Domain

__all__ = ["Candidates", "candidates", "candidates_or_errors", "explored_cases", "leaves_open"]


@dataclass(frozen=True)
class Candidates:
    """What answers a question, or why nothing does; and what of the library and of the question that rests on."""

    library: RelationSet
    """Without the arms that conditions exclude."""
    question: Question
    """Without fallbacks on which alone an answer would rest."""
    answers: Sequence[tuple[RelationSet, Found]]
    """Each with the library of the relations that it uses, where those of another answer may have other arms."""
    errors: Sequence[DeriveError]
    is_exact: bool = False
    """Whether the answers are all values that there are, with exact bounds."""


def candidates_or_errors(library: RelationSet, question: Question) -> Candidates:
    """What answers a question, or why nothing does; fallbacks on which alone an answer would rest are left out."""
    fewer, answers, errors = _sought_by_arms(library, question)
    idle = frozenset[str]().union(*(lone_fallbacks(used, one.plan, question) for used, one in answers))
    if not idle:
        exact = compared_with_all(library, question, answers, errors)
        if exact is None and answers:
            answers += missing_with_weak_values(library, question, answers)
        return Candidates(fewer, question, answers if exact is None else exact, errors, exact is not None)
    weak = {name: value for name, value in question.weak.items() if name not in idle}
    return candidates_or_errors(library, replace(question, weak=weak, decided={}))


def candidates(library: RelationSet, question: Question) -> Candidates:
    """The states that answer a question, case by case, or the error that says why there are none."""
    sought = candidates_or_errors(library, question)
    if sought.answers:
        return sought
    library, question, errors = sought.library, sought.question, sought.errors
    if not errors:
        raise shortage(library, question, {})
    if all(isinstance(error, NoSolutionError) for error in errors):
        for name in islice(tied(library, question), GIVENS):
            confirm(library, question, name)
        meant = _without_what_is_meant(library, question)
        if meant is not None:
            return meant
    raise _with_weak_values(library, question, _weightiest(library, errors))


def _without_what_is_meant(library: RelationSet, question: Question) -> Candidates | None:
    """What answers a question without a rest that stands beside its target; None where that is denied as well.

    Whoever asks for the reactance of a coil means a circuit that has a coil: its inductance is not the rest of 0 H.
    """
    structure = structure_of(library)
    beside = {name for relation in structure.holders.get(question.target, ()) for name in structure.members[relation]}
    rests = structure.otherwise.intersection(question.weak, beside)
    opened: list[DeriveError] = []
    for name in sorted(rest for rest in rests if not structure.is_written(rest)):
        sought = candidates_or_errors(library, _without(question, {name}))
        if sought.answers:
            return sought
        opened += (error for error in sought.errors if isinstance(error, UnderdeterminedError))
    if opened:
        raise _weightiest(library, opened)
    return None


def _with_weak_values(library: RelationSet, question: Question, error: DeriveError) -> DeriveError:
    """The error that there is no value, which says by which weak values: without them there may be one.

    One that the givens make another number counts for nothing.
    """
    if not isinstance(error, NoSolutionError) or WEAK_VALUES in error.what:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around}
    if not weak or not _is_open_without(library, question, weak):
        return error
    alone = [name for name in islice(weak, GIVENS) if _is_open_without(library, question, {name})]
    for name in alone:
        fewer = _without(question, {name})
        sought = candidates_or_errors(library, fewer)
        if not sought.answers and sought.errors and candidates_or_errors(library, replace(fewer, target=name)).answers:
            return _weightiest(library, sought.errors)
    told = [counts_as(name, weak[name]) for name in alone or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *told]), reason=error.reason)


def _is_open_without(library: RelationSet, question: Question, names: Container[str]) -> bool:
    """Whether a question that has no value has one, or is open, without some weak values."""
    sought = candidates_or_errors(library, _without(question, names))
    denied = bool(sought.errors) and all(isinstance(error, NoSolutionError) for error in sought.errors)
    return bool(sought.answers) or not denied


def _without(question: Question, names: Container[str]) -> Question:
    """The question without some weak values."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    return replace(question, weak=weak, decided={})


def _sought_by_arms(
    library: RelationSet, question: Question
) -> tuple[RelationSet, list[tuple[RelationSet, Found]], list[DeriveError]]:
    """What is sought, and where that leaves the target open, the same without the arms that conditions exclude.

    Where it is open still, each arm is a relation of its own case: a choice whose condition nothing decides ties the
    target by none of its arms alone, and may yet leave it one number, or a few. At last all relations together may
    leave it one.
    """
    answers, errors = _sought(library, question)
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors) or not (answers or errors)
    if is_open or any(question.target in state.spans for one in answers for state in one.states):
        fewer = without_excluded_arms(library, decisions_of(library, question).verdict)
        found = None if fewer is None else _sought_by_arms(fewer, replace(question, decided={}))
        if found is not None and (found[1] or not answers):
            return found  # else a weak value excludes arms that would have it yield
    in_arms = _sought_in_arms(library, question) if is_open else []
    return library, in_arms or [(library, one) for one in answers], errors


def _sought_in_arms(library: RelationSet, question: Question) -> list[tuple[RelationSet, Found]]:
    """The states that answer a question in the library of arms; empty where one of them leaves the target open."""
    apart = one_relation_for_each_arm(library, of_same_names=True)
    if apart is None or question.ranges:
        return []
    if question.target not in closure(structure_of(apart), [*question.strong, *question.weak]):
        return []
    answers, errors = _sought(apart, replace(question, decided={}), until_open=True)
    if any(isinstance(error, (LimitError, UnderdeterminedError)) for error in errors):
        return []
    return [_with_arms(library, apart, one) for one in answers]


def _with_arms(library: RelationSet, apart: RelationSet, found: Found) -> tuple[RelationSet, Found]:
    """A result of the library of arms, and the library in which each relation that it uses has the arm of that."""
    made, case = found.plan, found.case
    names = {name: name for name in library.relations}
    chosen: dict[str, str] = {}
    for arm in (*made.relations, *sorted(case.holding)):
        relation = relation_of_arm(arm)
        if arm not in names and chosen.setdefault(relation, arm) == arm:
            names[arm] = relation

    def named(block: Block) -> Block:
        return replace(block, relations=tuple(names[name] for name in block.relations))

    blocks = tuple(map(named, made.blocks))
    known = {*made.weak, *(name for block in blocks for name in block.unknowns)}
    unneeded = {name for block in made.extra for name in block.unknowns} - known  # which other arms may lead to
    checks = [name for name in made.checks if name in names and unneeded.isdisjoint(apart.members[name])]
    plan = replace(made, blocks=blocks, checks=tuple(names[name] for name in checks), extra=())
    holding, failing = (frozenset(names[name] for name in one if name in names) for one in (case.holding, case.failing))
    left_out = {name: why for name, why in found.left_out.items() if name in library.relations}
    stated = with_arms(library, {relation: apart.relations[arm] for relation, arm in chosen.items()})
    return stated, replace(found, plan=plan, case=Case(holding, failing - holding), left_out=left_out)


def _sought(
    library: RelationSet, question: Question, *, until_open: bool = False
) -> tuple[list[Found], list[DeriveError]]:
    """The states that answer a question, or why each case has none; neither where the answers leave it open.

    Where `until_open`, the first case that leaves the target open ends the search.
    """
    if question.target in question.strong:
        confirm(library, question, question.target)
    for is_last_resort in (False, True):
        answers, errors = explored_cases(library, question, is_last_resort, until_open=until_open)
        if answers and not leaves_open(library, question.target, answers, errors):
            return answers, errors
        if answers or any(isinstance(error, (LimitError, InconsistentError)) for error in errors):
            break
        if all(isinstance(error, UnfixedError) for error in errors):
            break  # the last resort is for cases whose plan leads to no value, and here none has a plan
    return [], [] if answers else errors


def _weightiest(library: RelationSet, errors: Sequence[DeriveError]) -> DeriveError:
    """Why a question has no answer: an open case takes precedence over one without a solution."""
    kinds = (LimitError, UnderdeterminedError, InconsistentError, DeriveError)
    first = next(error for kind in kinds for error in errors if isinstance(error, kind))
    if isinstance(first, UnfixedError):
        first = shortage(library, first.question, first.left_out)
    none = next((error for error in errors if isinstance(error, NoSolutionError)), None)
    if not isinstance(first, UnderdeterminedError) or none is None:
        return first
    what = f"{first.what} In another case it has no admissible value: {none.reason}."
    return UnderdeterminedError(what, hint=first.hint, missing=first.missing)


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
