"""The candidates for a question's target: what plans yield, over all cases and arms, or why there are none.

Each case has candidates of its own, or an error (`case_search`). Where there are none, choices are split into their
arms, and weak values that stand in the way are dropped one after the other. Last the candidates are compared with the
exact values, where these are known (`target_values`).
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import chain, islice

from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.tree import names_in
from derive.model.conditions import one_relation_for_each_arm, relation_of_arm, with_arms, without_excluded_arms
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Plan, plan_for
from derive.presentation.cautions import counts_as
from derive.solving.answering.case_search import CaseOutcome, CaseSearch, states_of
from derive.solving.answering.one_case import UnfixedError, in_full, with_values_for_checks
from derive.solving.answering.target_values import corrected_by_exact_values, missing_exact_values
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.cancellation.typed_alone import definitions_in, plan_by_typed, rests_on_typed, yielding_to_typed
from derive.solving.diagnosis.conflicts import GIVENS, NoValueError, confirm
from derive.solving.diagnosis.missing_givens import shortage
from derive.solving.diagnosis.overdetermined_givens import prove_agreement
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_claims import conditions_of
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Case, Question, lone_fallbacks, stated_at
from derive.tolerances import SAME_ROOT


@dataclass(frozen=True)
class Candidates:
    """The candidates for a question: results that answer it, or the errors that say why there are none."""

    library: RelationSet  # without the arms that conditions exclude
    question: Question  # without fallbacks on which alone an answer would rest
    answers: Sequence[tuple[RelationSet, PlanResult]]  # each with the library that has the arms which it uses
    errors: Sequence[DeriveError]
    is_exact: bool = False  # whether the answers are all values that there are, with exact bounds
    is_weighed: bool = False  # whether numbers decided against weak values, or between these and what is typed alone

    @property
    def states(self) -> list[State]:
        """The states of all candidates for the target, over all cases and arms."""
        return [state for _, state in states_of(result for _, result in self.answers)]


def find_candidates_or_errors(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question, or the errors that explain their absence."""
    candidates = _candidates_beside_weak_values(library, question)
    if not _may_go_past_typed(library, question, candidates):
        return candidates
    by_typed = candidates_by_typed_alone(library, question)
    if by_typed is None or _are_among(candidates, by_typed):
        is_weighed = plan_by_typed(library, question.outline).is_determined
        return replace(candidates, is_weighed=is_weighed or candidates.is_weighed)
    weak = _weak_beside_cases(library, question)
    answers = [
        (its_library, with_values_for_checks(its_library, question, result, weak))
        for its_library, result in by_typed.answers
    ]
    return replace(by_typed, answers=answers, is_weighed=True)


def _may_go_past_typed(library: RelationSet, question: Question, candidates: Candidates) -> bool:
    """Whether candidates, or their absence, may come by weak values that typed ones leave no room for.

    A weak value that decides a condition may hide that its case contradicts what is typed.
    """
    weak = {*_weak_beside_cases(library, question)}
    if not weak:
        return False
    if any(isinstance(error, (UnderdeterminedError, InconsistentError)) for error in candidates.errors):
        return False  # what is open is no less open without weak values; a conflict says itself which of them yield
    denied = [(library, error.found) for error in candidates.errors if isinstance(error, NoValueError)]
    reached = candidates.answers or denied
    if reached and not any(_may_rest_on(weak, question, its_library, result) for its_library, result in reached):
        return decisions_of(library, question).rest_on(weak)
    return True


def _weak_beside_cases(library: RelationSet, question: Question) -> list[str]:
    """The names of weak values that yield to typed numbers; none where no condition makes cases."""
    return yielding_to_typed(library, question.outline) if library.conditional and not question.ranges else []


def _may_rest_on(weak: Set[str], question: Question, library: RelationSet, result: PlanResult) -> bool:
    """Whether a plan uses weak values, or its conditions ask for them, or for what may have been derived from them."""
    plan = result.plan
    used = [*plan.relations, *result.left_out, *result.case.holding, *result.case.failing]
    conditions = conditions_of(library.relations[name] for name in used if name in library.relations)
    known = {*question.strong, *question.weak, *plan.unknowns} - weak
    return not weak.isdisjoint(plan.weak_behind_target(library)) or not known.issuperset(names_in(*conditions))


def candidates_by_typed_alone(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates that typed values leave, going through all cases; None unless all of them are certain numbers.

    Where several are left, weak values that do not follow from what is typed still decide between them.
    """
    weak = _weak_beside_cases(library, question)
    if not weak or not plan_by_typed(library, question.outline).is_determined:
        return None
    alone = question.yielding(weak)
    candidates = _numbers_in_all_cases(library, alone)
    if candidates is None or not all(rests_on_typed(its_library, its.plan) for its_library, its in candidates.answers):
        return None
    if len(candidates.states) > 1:
        following = [
            name for name in weak if plan_by_typed(library, replace(question.outline, target=name)).is_determined
        ]
        decided = _numbers_in_all_cases(library, question.yielding(following))
        if decided is not None and _are_among(decided, candidates):
            candidates = decided
    return candidates


def _numbers_in_all_cases(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates that the plans of all cases lead to, if these are numbers without a doubt; None otherwise."""
    question = replace(question, wants_number=True)
    try:
        results, errors = _results_by_case(library, question, until_open=True)
        if not all(isinstance(error, NoSolutionError) for error in errors):
            return None
        by_plans = [(library, result) for result in results]
        exact = corrected_by_exact_values(library, question, by_plans, errors)
    except DeriveError:
        return None
    candidates = Candidates(library, question, exact or by_plans, errors)
    states = candidates.states
    are_numbers = all(question.target in state.values for state in states)
    notes = chain.from_iterable(state.notes for state in states)
    are_certain = all(note.kind in ("note", "proved") for note in notes)  # others leave room for another number
    return candidates if states and are_numbers and are_certain else None


def _are_among(candidates: Candidates, others: Candidates) -> bool:
    """Whether there are candidates, and each has the number that one of some others has."""
    target = candidates.question.target
    numbers = [state.values[target] for state in others.states]

    def is_among(state: State) -> bool:
        number = state.values.get(target)
        return number is not None and any(math.isclose(number, other, rel_tol=SAME_ROOT) for other in numbers)

    return bool(candidates.states) and all(map(is_among, candidates.states))


def _candidates_beside_weak_values(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question by what is typed and by weak values, or the errors that explain their absence."""
    candidates = _candidates_by_arms(library, question)
    fallbacks = [lone_fallbacks(its_library, result.plan, question) for its_library, result in candidates.answers]
    lone = frozenset[str]().union(*fallbacks)
    if lone:  # no answer may rest on fallbacks alone
        return find_candidates_or_errors(library, _without(question, lone))
    exact = corrected_by_exact_values(library, question, candidates.answers, candidates.errors)
    if exact is not None:
        return replace(candidates, answers=exact, is_exact=True)
    if not candidates.answers:
        return candidates
    missing = missing_exact_values(library, question, candidates.answers)
    return replace(candidates, answers=[*candidates.answers, *missing])


def find_candidates(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question; raises the error that explains their absence if there are none."""
    candidates = find_candidates_or_errors(library, question)
    if candidates.answers:
        return _without_denied_cases(library, question, candidates)
    library, question, errors = candidates.library, candidates.question, candidates.errors
    if not errors or any(isinstance(error, UnderdeterminedError) for error in errors):
        prove_agreement(library, question)  # nothing that may be missing ends a contradiction
    if not errors:
        raise shortage(library, question, {})
    if all(isinstance(error, NoSolutionError) for error in errors):
        for name in islice(tied(library, question), GIVENS):  # which other givens may fix at another value
            confirm(library, question, name)
        fewer = _without_fallback_of_target(library, question)
        if fewer is not None:
            return fewer
    without_refuted = None if _is_denied(errors) else _without_refuted(library, question)
    if without_refuted is not None:
        return without_refuted
    try:
        raise _error_without_candidates(library, question, errors)
    finally:
        del candidates, errors  # the error's traceback holds this frame, which would hold the error


def _without_denied_cases(library: RelationSet, question: Question, candidates: Candidates) -> Candidates:
    """The candidates without those whose case is denied by what follows from their number and from what is typed.

    Of `b = 12/a` when c > 3, `b = 6/a` otherwise, the second may give a number to a, from which another c follows.
    """
    if question.ranges or len(candidates.states) < 2:
        return candidates
    kept = []
    for its_library, result in candidates.answers:
        states = tuple(state for state in result.states if not _is_case_denied(library, question, result, state))
        if states:
            kept.append((its_library, replace(result, states=states)))
    return replace(candidates, answers=kept) if kept else candidates


def _is_case_denied(library: RelationSet, question: Question, result: PlanResult, state: State) -> bool:
    """Whether a quantity in a condition that a candidate assumes has no value beside its number and what is typed."""
    number = state.values.get(question.target)
    used = [name for name in (*result.plan.relations, *result.case.holding) if name in library.relations]
    open_names = {*names_in(*conditions_of(library.relations[name] for name in used))} - state.numbers.keys()
    if number is None or not open_names:
        return False
    definitions = definitions_in(library, question.weak)
    strong = {**question.strong, question.target: stated_at(library, question.target, number)}
    alone = question.but(strong=strong, weak={name: question.weak[name] for name in definitions}, is_trial=True)

    def has_no_value(name: str) -> bool:
        asked = alone.but(target=name)
        may_follow = plan_for(library, name, asked.strong, asked.weak).is_determined
        return may_follow and not _is_open(find_candidates_or_errors(library, asked))

    return any(map(has_no_value, sorted(open_names)))


def _is_denied(errors: Sequence[DeriveError]) -> bool:
    """Whether the error of one case proves that there are no candidates, whatever the weak values are."""
    return any(isinstance(error, NoValueError) and error.holds_without_weak_values for error in errors)


def _without_fallback_of_target(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates that appear if one fallback that shares a relation with the target is dropped; None if none do.

    Whoever asks for the reactance of a coil means a circuit that has a coil: its inductance is not the fallback of 0 H.
    """
    structure = structure_of(library)
    neighbours = set[str]().union(*(structure.members[name] for name in structure.holders.get(question.target, ())))
    fallbacks = structure.otherwise.intersection(question.weak, neighbours)
    open_cases: list[DeriveError] = []
    for name in sorted(fallback for fallback in fallbacks if not structure.is_written(fallback)):
        candidates = find_candidates_or_errors(library, _without(question, {name}))
        if candidates.answers:
            return replace(candidates, is_weighed=True)
        open_cases += (error for error in candidates.errors if isinstance(error, UnderdeterminedError))
    if open_cases:
        raise _weightiest(open_cases)
    return None


def _without_refuted(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates without the weak values that decided a case, and are refuted by the answers in it.

    Without such a value any case could be taken, which nobody stated: so each answer has to determine its quantity.
    """
    refuted = decisions_of(library, question).refuted
    if not refuted:
        return None
    fewer = _without(question, refuted)
    candidates = find_candidates_or_errors(library, fewer)
    states = candidates.states
    if states and all(_determines(library, fewer, state, refuted) for state in states):
        return replace(candidates, question=fewer, is_weighed=True)
    return None


def _determines(library: RelationSet, question: Question, state: State, names: Set[str]) -> bool:
    """Whether a candidate gives some quantities numbers, or they follow from its number for the target."""
    missing = names - state.values.keys()
    if not missing or question.target not in state.values:
        return not missing
    number = stated_at(library, question.target, state.values[question.target])
    answered = question.but(strong={**question.strong, question.target: number})
    return all(_is_determined(library, answered.but(target=name)) for name in missing)


def _is_determined(library: RelationSet, question: Question) -> bool:
    """Whether there are candidates for the target of a question, and each of them is a number."""
    states = find_candidates_or_errors(library, question).states
    return bool(states) and all(question.target in state.values for state in states)


def _error_without_candidates(library: RelationSet, question: Question, errors: Sequence[DeriveError]) -> DeriveError:
    """Why a target has no candidates: the weightiest error, with a hint at weak values that may be at fault.

    A weak value that the givens make another number is not at fault, and a definition is never another number.
    """
    error, first = _weightiest(errors), min(errors, key=_weight)
    names_weak_values = isinstance(first, NoValueError) and bool(first.weak)
    if not isinstance(error, NoSolutionError) or _is_denied(errors) or names_weak_values:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around and value.source.kind != "exact"}
    if not weak or not _is_open(_trial_without(library, question, weak)):
        return error
    trials = {name: _trial_without(library, question, {name}) for name in islice(weak, GIVENS)}
    at_fault = {name: trial for name, trial in trials.items() if _is_open(trial)}  # each by itself
    for name, trial in at_fault.items():
        if trial.answers or not trial.errors:
            continue
        # what determines this quantity otherwise makes its weak value count for nothing: the fault lies elsewhere
        asked = replace(_without(question, {name}), target=name)
        if find_candidates_or_errors(library, asked).answers:
            return _weightiest(trial.errors)
    hints = [counts_as(name, weak[name]) for name in at_fault or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *hints]), reason=error.reason)


def _trial_without(library: RelationSet, question: Question, names: Container[str]) -> Candidates:
    """The candidates in a trial that drops some weak values and lets no other weak value yield."""
    return find_candidates_or_errors(library, replace(_without(question, names), is_trial=True))


def _is_open(candidates: Candidates) -> bool:
    """Whether a trial has candidates for the target, or at least does not prove that there are none."""
    if candidates.answers or not candidates.errors:
        return True
    return not all(isinstance(error, NoSolutionError) for error in candidates.errors)


def _without(question: Question, names: Container[str]) -> Question:
    """The question without some weak values, which may be why its target has no candidates."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    return question.but(weak=weak)


def _candidates_by_arms(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question, searched again with fewer arms of choices if the target stays open.

    First the arms that conditions exclude are dropped. Where the target is open even then, each arm is a relation of
    its own case: a choice whose condition nothing decides ties the target by none of its arms alone, and may yet leave
    it one number, or a few.
    """
    answers, errors = _results_by_case(library, question)
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors) or not (answers or errors)
    if is_open or any(question.target in state.spans for _, state in states_of(answers)):
        fewer_arms = without_excluded_arms(library, decisions_of(library, question).verdict)
        if fewer_arms is not None:
            if answers:  # which another search may narrow; of givens that contradict each other, no more is asked
                prove_agreement(library, question)
            candidates = _candidates_by_arms(fewer_arms, question.but())
            if candidates.answers or not answers:  # else a weak value excludes arms that would have it yield
                return replace(candidates, question=question)
    in_arms = _results_in_arms(library, question) if is_open else []
    return Candidates(library, question, in_arms or [(library, result) for result in answers], errors)


def _results_in_arms(library: RelationSet, question: Question) -> list[tuple[RelationSet, PlanResult]]:
    """The candidates where each arm of a choice is a relation; none where a case leaves the target open."""
    arm_library = one_relation_for_each_arm(library, of_same_names=True)
    if arm_library is None or question.ranges:
        return []
    if question.target not in closure(structure_of(arm_library), [*question.strong, *question.weak]):
        return []
    answers, errors = _results_by_case(arm_library, question.but(), until_open=True)
    if any(isinstance(error, (LimitError, UnderdeterminedError)) for error in errors):
        return []
    return [_with_arms(library, arm_library, result) for result in answers if not _takes_two_arms(library, result)]


def _takes_two_arms(library: RelationSet, result: PlanResult) -> bool:
    """Whether a candidate takes two arms of one choice, which exclude each other."""
    used = {*result.plan.relations, *result.case.holding}
    choices = [relation_of_arm(name) for name in used if name not in library.relations]
    return len(choices) > len({*choices})


def _with_arms(library: RelationSet, arm_library: RelationSet, result: PlanResult) -> tuple[RelationSet, PlanResult]:
    """A candidate in terms of the original relations instead of their arms, after a library with its arms."""
    arms: dict[str, str] = {}  # the arm in use of each choice
    for name in (*result.plan.relations, *sorted(result.case.holding)):
        if name not in library.relations:
            arms.setdefault(relation_of_arm(name), name)
    names = {name: name for name in library.relations} | {arm: relation for relation, arm in arms.items()}
    holding = frozenset(names[name] for name in result.case.holding if name in names)
    failing = frozenset(names[name] for name in result.case.failing if name in names)
    stated = with_arms(library, {relation: arm_library.relations[arm] for relation, arm in arms.items()})
    return stated, replace(
        result,
        plan=_plan_without_arms(arm_library, result.plan, names),
        case=Case(holding, failing - holding),
        left_out={name: why for name, why in result.left_out.items() if name in library.relations},
    )


def _plan_without_arms(arm_library: RelationSet, plan: Plan, names: Mapping[str, str]) -> Plan:
    """The plan of a candidate with the names of relations for those of their arms, and without other arms."""
    known = {*plan.weak, *plan.unknowns}
    unneeded = set[str]().union(*(block.unknowns for block in plan.extra)) - known  # other arms may lead to these
    checks = [name for name in plan.checks if name in names and unneeded.isdisjoint(arm_library.members[name])]
    return replace(
        plan,
        blocks=tuple(replace(block, relations=tuple(map(names.__getitem__, block.relations))) for block in plan.blocks),
        checks=tuple(map(names.__getitem__, checks)),
        extra=(),
    )


def _results_by_case(
    library: RelationSet, question: Question, *, until_open: bool = False
) -> tuple[list[PlanResult], list[DeriveError]]:
    """The candidates for the target that its cases yield, and errors of the others; neither if they leave it open.

    Where `until_open`, the first case that leaves the target open ends the search.
    """
    if question.target in question.strong:
        confirm(library, question, question.target)
    outcomes: dict[Case, CaseOutcome] = {}
    for is_last_resort in (False,) if question.is_trial else (False, True):
        search = CaseSearch(library, question, outcomes, is_last_resort=is_last_resort, until_open=until_open)
        results, errors = search.results, search.errors
        if results and not search.leaves_target_open():
            return results, errors
        if results or any(isinstance(error, (LimitError, InconsistentError)) for error in errors):
            break
        if all(isinstance(error, UnfixedError) for error in errors):
            break  # the last resort is for cases whose plan leads to no value, and here none has a plan
        if _is_denied(errors):
            break
    return [], [] if results else errors


def _weight(error: DeriveError) -> int:
    """The place of an error without candidates among those of several cases, the weightiest first."""
    kinds = (LimitError, UnderdeterminedError, InconsistentError, DeriveError)
    return next(place for place, kind in enumerate(kinds) if isinstance(error, kind))


def _weightiest(errors: Sequence[DeriveError]) -> DeriveError:
    """The error that says best why there are no candidates: of an open case before one without a solution."""
    reported = in_full(min(errors, key=_weight))
    denial_of_value = next((error for error in errors if isinstance(error, NoSolutionError)), None)
    if not isinstance(reported, UnderdeterminedError) or denial_of_value is None:
        return reported
    denial = denial_of_value.in_full() if isinstance(denial_of_value, NoValueError) else denial_of_value
    what = f"{reported.what} In another case it has no admissible value: {denial.reason}."
    return UnderdeterminedError(what, hint=lambda: reported.hint, missing=lambda: reported.missing)
