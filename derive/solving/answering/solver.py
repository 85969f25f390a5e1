"""The solver: read the question, carry out the plan, find contradictions, and verify every relation used.

The plan yields candidates. A candidate that contradicts a relation outside the plan is dropped; if none is left, the
answer is a contradiction. Finally every relation that an answer used is evaluated once more: an answer that fails its
own substitution is a defect, never a result.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import islice
from types import MappingProxyType
from typing import Any

from derive.errors import (
    AmbiguousError,
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
)
from derive.expressions.tree import names_in, render
from derive.model.choice_arms import one_relation_for_each_arm, relation_of_arm, with_arms, without_excluded_arms
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import is_configured
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.presentation.failed_checks import counts_as
from derive.presentation.text import headline
from derive.solving.answering.explanation import Explanation
from derive.solving.answering.linear_answers import compared_with_all
from derive.solving.answering.one_case import UnfixedError, answered_in_case, narrowed_by_neighbours
from derive.solving.answering.regime_intervals import confined, is_possible_within, left_open, told_apart
from derive.solving.answering.remarks import is_of_time, remarks
from derive.solving.answering.whole_counts import whole_numbers
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.diagnosis.contradictions import GIVENS, WEAK_VALUES, confirm, no_solution, prove_fit_together
from derive.solving.diagnosis.diagnosis import shortage
from derive.solving.diagnosis.stated_twice import Agreement, agreement
from derive.solving.execution.answer import Answer, Assumption
from derive.solving.execution.applicability import conditional_in, decisions_of
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, left_by_arms, worded
from derive.solving.execution.plan_states import Found, is_doubt, is_of_one_turn, lone_fallbacks
from derive.solving.execution.question import NO_CASE, Case, Question, ask
from derive.solving.execution.regimes import MOST_CASES, explored
from derive.solving.programs.program import Shape, shape_of
from derive.solving.ranges.exact_pieces import EXACT_PIECE, NOWHERE
from derive.solving.ranges.joined_cases import is_gapless, joined
from derive.solving.ranges.range_propagation import may_enter_elsewhere
from derive.solving.ranges.solution_path import ATTAINED_ALONG
from derive.solving.sensitivity.elasticities import EXACT, ROUGH, SEARCHED
from derive.time_limits import query
from derive.tolerances import ASIDE, SAME_ROOT
from quantities.domain import Domain

__all__ = ["is_settled", "settled", "solve", "solve_all", "the_one"]


def solve(library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Answer:
    """The one answer, or an error that says why there is none or more than one.

    Asked again with other numbers, a question is answered by its program, and explained by the solver if need be.
    """
    shape = _asked_before(library, target, profiles, given)
    outcome = None if shape is None else shape.outcome(given)
    if outcome is not None:
        explained = partial(_solved, library, target, profiles, dict(given), None)
        return Answer.of_number(library.declared[target], outcome, explained)
    return _solved(library, target, profiles, given, shape)


def _asked_before(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> Shape | None:
    """The shape of a question; None of one that names something unknown."""
    is_known = isinstance(target, str) and target in library.declared and library.declared.keys() >= given.keys()
    if not is_known or not all(profile in library.profiles for profile in profiles if isinstance(profile, str)):
        return None
    return shape_of(library, target, profiles, tuple(given))


def _solved(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], shape: Shape | None
) -> Answer:
    """The one answer of the solver."""
    with query():
        return _the_only(target, _all_solved(library, target, profiles, given, shape))


def _the_only(target: str, answers: Sequence[Answer]) -> Answer:
    one = the_one(answers)
    if one is not None:
        return one
    listing = "; ".join(headline(answer) for answer in answers[:6])
    if len(answers) == 1:
        raise AmbiguousError(
            f"{target} is only bounded: {listing}{answers[0].whole and f'; {answers[0].whole}'}.",
            hint="The relations do not fix it within these bounds; give another quantity.",
            answers=answers,
        )
    open_ones = dict.fromkeys(
        one.text
        for answer in answers
        for one in answer.stated_assumptions
        if is_doubt(one.text) or is_of_one_turn(one.text)
    )
    count, told, all_of_them = "", "", "them all"
    if open_ones:
        count, told, all_of_them = "at least ", f" ({'; '.join(open_ones)})", "those found"
    raise AmbiguousError(
        f"{target} has {count}{len(answers)} admissible values: {listing}{told}.",
        hint=f"Give another quantity, or narrow the domain; solve_all returns {all_of_them}.",
        answers=answers,
    )


def solve_all(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Every admissible answer, in ascending order."""
    return _all_solved(library, target, profiles, given, None)


def _all_solved(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], shape: Shape | None
) -> tuple[Answer, ...]:
    with query():
        question = ask(library, target, profiles, given)
        prove_fit_together(library, question)
        answers, sought = _admissible(library, question, profiles)
        beside = agreement(library, question, answers)
        if shape is not None and sought is not None and sought.library is library and len(answers) == 1:
            ((_, found),) = sought.answers
            if the_one(answers) is not None:
                shape.learn(library, sought.question, found)
        return tuple(_beside(answer, beside) for answer in answers)


def the_one(answers: Sequence[Answer]) -> Answer | None:
    """The one number among some answers; None if there is none, or another answer that it does not assume away."""
    plain = [one for one in answers if not _is_away(one)]
    return plain[0] if len(plain) == 1 and plain[0].base is not None else None


def _is_away(answer: Answer) -> bool:
    return any(one.kind == "away" for one in answer.stated_assumptions)


def _admissible(
    library: RelationSet, question: Question, profiles: tuple[Any, ...]
) -> tuple[tuple[Answer, ...], _Sought | None]:
    """Every admissible answer of a question, over all cases that its ranges meet; and what led to the only one."""
    try:
        sought = _found(library, question)
        answers = _answers(library, sought, profiles)
    except (NoSolutionError, UnderdeterminedError) as error:  # in the middle of the ranges
        elsewhere = question.ranges and (isinstance(error, NoSolutionError) or is_gapless(library))
        answers = _over_all_cases(library, question, profiles, ()) if elsewhere else ()
        if answers:
            return answers, None
        if isinstance(error, NoSolutionError) or question.target not in question.origins or question.own is None:
            raise
        return (_own(library, question, profiles),), None
    is_turning = any(one.kind == "turning" for answer in answers for one in answer.stated_assumptions)
    is_split = question.ranges and not sought.is_exact and any(one.case != NO_CASE for _, one in sought.answers)
    if is_turning or is_split:
        return _over_all_cases(library, question, profiles, answers), None
    return answers, sought if len(sought.answers) == 1 else None


def _over_all_cases(
    library: RelationSet, question: Question, profiles: tuple[Any, ...], answers: tuple[Answer, ...]
) -> tuple[Answer, ...]:
    """The answers in the middle of the ranges, with bounds over all cases that the ranges meet; and those elsewhere."""
    whole = joined(library)
    if whole is None:
        return answers
    gapless = is_gapless(library)
    try:
        others = _answers(whole, _found(whole, replace(question, decided={})), profiles)
    except DeriveError as error:
        is_open = isinstance(error, LimitError) and not answers  # what one case denies may be so in another
        if is_open or (gapless and isinstance(error, NoSolutionError) and error.reason == NOWHERE):
            raise
        return answers
    if gapless and all(any(note.text == EXACT_PIECE for note in one.stated_assumptions) for one in others):
        return others
    pairs = [(one, next((answer for answer in answers if _is_same(answer, one)), None)) for one in others]
    several = sum(answer.base is not None for answer in answers) > 1  # each has bounds of its own
    if several or sum(same is not None for _, same in pairs) < len(answers):
        return answers
    return tuple(one if same is None else _bounded_as(same, one, gapless) for one, same in pairs)


def _is_same(one: Answer, other: Answer) -> bool:
    if one.base is None or other.base is None:
        return one.base is other.base
    return math.isclose(one.base, other.base, rel_tol=SAME_ROOT)


def _bounded_as(answer: Answer, other: Answer, gapless: bool) -> Answer:
    """An answer with the bounds of another, and what that says of them and of cases that may not hold throughout."""
    outdated = {"bounds", "turning"} if gapless else {"bounds"}
    kept = [one for one in answer.stated_assumptions if one.kind not in outdated]
    said = [one for one in other.stated_assumptions if one.kind in outdated]
    return replace(answer, bounds=other.bounds, stated_assumptions=tuple(dict.fromkeys([*kept, *said])))


def settled(
    library: RelationSet, target: str, given: Mapping[str, Any], profiles: tuple[Any, ...] = ()
) -> Answer | None:
    """The one answer, or None: why there is none takes as long again to tell, and nobody asks here."""
    with query():
        try:
            answers = _quietly(library, target, profiles, given)
        except DeriveError:
            return None
        return the_one(answers)


def is_settled(library: RelationSet, target: str, given: Mapping[str, Any]) -> bool | None:
    """Whether a question has one answer; None where it has none or several, and might have one at other numbers."""
    with query():
        try:
            sought = _from_what_is_stated(library, ask(library, target, (), given))
            answers = _answers(library, sought, ())
        except DeriveError:
            return None
        if not answers and all(isinstance(error, UnderdeterminedError) for error in sought.errors):
            return False
        return True if the_one(answers) is not None else None


def _quietly(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Every answer; none where nothing determines the target, without the search for what would."""
    return _answers(library, _from_what_is_stated(library, ask(library, target, profiles, given)), profiles)


def _answers(library: RelationSet, sought: _Sought, profiles: tuple[Any, ...]) -> tuple[Answer, ...]:
    """The distinct answers of what was found in a library."""
    question = sought.question
    is_of_cases = any(one.case != NO_CASE for _, one in sought.answers)
    reached: list[tuple[Answer, Explanation, Found]] = []
    for used, one in sought.answers:
        for state in one.states:
            explanation = Explanation(used, question, one.plan, state, one.left_out, len(one.states) == 1)
            answer = explanation.answer()
            if used is not sought.library:
                answer = _choosing(sought, used, one, answer)
            if not (state.is_free or sought.is_exact):
                answer = _cut(used, replace(question, case=_case_of(used, one)), answer)
            if question.ranges and not sought.is_exact:
                answer = _reached(used, question, one, answer)
            if is_of_cases:  # which cases there are is no part of a proof
                answer = replace(answer, _proof=lambda: None)
            if one.is_assumed_away:
                answer = _away(answer)
            if library.declared[question.target].is_count:
                answer = _counted(library, question, answer, profiles)
            reached.append((answer, explanation, one))
    if len(reached) > 1 and question.ranges and not sought.is_exact:
        possible = [
            (answer, explanation, one)
            for answer, explanation, one in reached
            if answer.bounds is None or is_possible_within(explanation.library, question, one, answer.bounds)
        ]
        reached = possible or reached  # where none is, the givens themselves are at fault
    explained = {id(answer): explanation for answer, explanation, _ in reached}
    distinct = list(_distinct([answer for answer, *_ in reached]))

    def with_remarks(rank: int, answer: Answer) -> Answer:
        """The answer, which says on demand what it assumes; asked otherwise, it is the one of the same rank."""

        def again(changes: Mapping[str, Any]) -> float | None:
            try:
                others = _quietly(library, question.target, profiles, {**question.strong, **changes})
            except LimitError as error:
                if is_of_time(error):
                    raise
                return None
            except DeriveError:
                return None
            return others[rank].base if len(others) == len(distinct) else None

        return replace(answer, _remarks=cache(lambda: remarks(explained[id(answer)], answer, again)))

    return tuple(with_remarks(rank, answer) for rank, answer in enumerate(distinct))


def _away(answer: Answer) -> Answer:
    """The answer, which says that another one assumes another case."""
    note = Assumption("another answer assumes that this is not the case", "away")
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


def _choosing(sought: _Sought, used: RelationSet, found: Found, answer: Answer) -> Answer:
    """The answer with the arms that its own library has in the place of choices."""
    relations = [used.relations[name] for name in found.plan.relations]
    arms = {relation.name: relation.written for relation in relations if not relation.chooses}
    fixed = sought.question.fixed(found.plan)
    chosen = {
        name: render(arm.rhs)
        for name, arm in arms.items()
        if any(not is_configured(choice, fixed) for choice in sought.library.relations[name].choices)
    }
    return replace(answer, regime=MappingProxyType({**answer.regime, **chosen}))


def _case_of(library: RelationSet, found: Found) -> Case:
    """The case of a result, and of all relations that it uses."""
    used = [relation.name for relation in conditional_in(library, found.plan)]
    return replace(found.case, holding=found.case.holding.union(used))


_CUT = Assumption("bounds contain every value in this case; not every value in them need be reached", "bounds")


_CLOSE = ("bounds are exact", "bounds found by")
_UNREACHED = Assumption("bounds contain every value in the range; not every value in them need be reached", "bounds")
_UNREACHED_ALONG = Assumption(
    "bounds contain every value along this solution; not every value in them need be reached; elsewhere in the ranges "
    "there may be others",
    "bounds",
)


def _cut(library: RelationSet, question: Question, answer: Answer) -> Answer:
    """An answer over ranges, whose bounds are cut to what its case leaves to the target."""
    if not question.ranges or question.case == NO_CASE or answer.bounds is None:
        return answer
    fixed = {name for name, value in question.values.items() if not value.is_range}
    if fixed.issuperset(names_in(*claims(library, question))):  # the ranges do not touch what decides the case
        return answer
    left = left_by_arms(library, question, [question.target])
    if left is None:
        return answer
    (low, high), (least, most) = answer.bounds, left[question.target]
    if low < least <= high:
        low = float(f"{least:.15g}")  # without what was rounded outwards
    if low <= most < high:
        high = float(f"{most:.15g}")
    if (low, high) == answer.bounds:
        return answer
    notes = tuple(_CUT if _claims(one, _CLOSE) else one for one in answer.stated_assumptions)
    answer = replace(answer, bounds=(low, high), stated_assumptions=notes)
    if answer.base is None or lies_in((answer.base, answer.base), (low, high), SAME_ROOT):
        return answer
    note = Assumption("it has no value in the middle of the ranges")  # there the case does not hold
    lineage = answer._lineage
    return replace(
        answer,
        base=None,
        stated_assumptions=(*notes, note),
        _steps=tuple,
        _lineage=cache(lambda: lineage().without_numbers()),
    )


def _reached(library: RelationSet, question: Question, found: Found, answer: Answer) -> Answer:
    """An answer over ranges, which does not say that its bounds are reached where other quantities forbid it.

    Nor does it say that its bounds are all there is where another value may come into the domain.
    """
    if answer.bounds is None:
        return answer
    low, high = answer.bounds
    along = tuple(map(_along, answer.stated_assumptions))
    if along != answer.stated_assumptions and may_enter_elsewhere(library, question, found.plan):
        answer = replace(answer, stated_assumptions=along)
    if not any(_claims(note, (*_CLOSE, ATTAINED_ALONG)) for note in answer.stated_assumptions):
        return answer
    inwards = ASIDE * (high - low)
    beside = [(low, low + inwards), (high - inwards, high)]  # ends are rounded, and may lie outside by that alone
    if not math.isfinite(inwards) or all(is_possible_within(library, question, found, span) for span in beside):
        return answer
    notes = tuple(_unreached(one) for one in answer.stated_assumptions)
    return replace(answer, stated_assumptions=notes)


def _along(note: Assumption) -> Assumption:
    """What is said of the bounds of a closed form, as of those along one solution among others."""
    if note.kind != "bounds" or note.text not in (EXACT, SEARCHED, ROUGH):
        return note
    how = "contain every value of it" if note.text == ROUGH else "are attained"
    return Assumption(f"bounds along this solution {how}; elsewhere in the ranges there may be others", "bounds")


def _unreached(note: Assumption) -> Assumption:
    """What is said of bounds, without the claim that they are reached."""
    if _claims(note, (ATTAINED_ALONG,)):
        return _UNREACHED_ALONG
    return _UNREACHED if _claims(note, _CLOSE) else note


def _claims(note: Assumption, starts: tuple[str, ...]) -> bool:
    """Whether a note on bounds begins so; these say that the bounds are reached."""
    return note.kind == "bounds" and note.text.startswith(starts)


def _beside(answer: Answer, beside: Agreement) -> Answer:
    """The answer with what was tested of the givens besides: estimates that fail, and what idle givens agree with."""
    told = {check.name for check in answer.checks}
    idle = {*answer.unused}
    further = [
        check
        for check in beside.checks
        if check.name not in told and (not check.passed or not idle.isdisjoint(beside.behind[check.name]))
    ]
    acting = {name for check in further for name in beside.behind[check.name]}
    if not further and not beside.notes:
        return answer
    return replace(
        answer,
        checks=(*answer.checks, *further),
        unused=tuple(name for name in answer.unused if name not in acting),
        stated_assumptions=(*answer.stated_assumptions, *map(Assumption, beside.notes)),
    )


def _counted(library: RelationSet, question: Question, answer: Answer, profiles: tuple[Any, ...]) -> Answer:
    """The answer for a count, which says on demand which whole numbers do."""

    def again(target: str, given: Mapping[str, Any]) -> Answer:
        return solve(library, target, profiles, given)

    return replace(answer, _whole=cache(lambda: whole_numbers(library, question, answer, again)))


def _own(library: RelationSet, question: Question, profiles: tuple[Any, ...]) -> Answer:
    """The target's own value in a named profile, to which nothing else leads."""
    assert question.own is not None
    name = question.target
    stated = replace(question, strong={**question.strong, name: question.own}, own=None, decided={})
    (answer,) = _answers(library, _found(library, stated), profiles)
    note = Assumption(f"{name} is what {question.origins[name]} states: nothing else given leads to it", "own", name)
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


@dataclass(frozen=True)
class _Sought:
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


def _from_what_is_stated(library: RelationSet, question: Question) -> _Sought:
    """What answers a question, or why nothing does; fallbacks on which alone an answer would rest are left out."""
    fewer, answers, errors = _sought_by_arms(library, question)
    idle = frozenset[str]().union(*(lone_fallbacks(used, one.plan, question) for used, one in answers))
    if not idle:
        exact = compared_with_all(library, question, answers, errors)
        return _Sought(fewer, question, answers if exact is None else exact, errors, exact is not None)
    weak = {name: value for name, value in question.weak.items() if name not in idle}
    return _from_what_is_stated(library, replace(question, weak=weak, decided={}))


def _found(library: RelationSet, question: Question) -> _Sought:
    """The states that answer a question, case by case, or the error that says why there are none."""
    sought = _from_what_is_stated(library, question)
    if sought.answers:
        return sought
    library, question, errors = sought.library, sought.question, sought.errors
    if not errors:
        raise shortage(library, question, {})
    if all(isinstance(error, NoSolutionError) for error in errors):
        for name in islice(tied(library, question), GIVENS):
            confirm(library, question, name)
    raise _with_weak_values(library, question, _weightiest(library, errors))


def _with_weak_values(library: RelationSet, question: Question, error: DeriveError) -> DeriveError:
    """The error that there is no value, which says by which weak values: without them there may be one."""
    if not isinstance(error, NoSolutionError) or WEAK_VALUES in error.what:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around}
    if not weak or not _is_open_without(library, question, weak):
        return error
    alone = [name for name in islice(weak, GIVENS) if _is_open_without(library, question, {name})]
    told = [counts_as(name, weak[name]) for name in alone or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *told]), reason=error.reason)


def _is_open_without(library: RelationSet, question: Question, names: Container[str]) -> bool:
    """Whether a question that has no value has one, or is open, without some weak values."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    sought = _from_what_is_stated(library, replace(question, weak=weak, decided={}))
    denied = bool(sought.errors) and all(isinstance(error, NoSolutionError) for error in sought.errors)
    return bool(sought.answers) or not denied


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
    answers, errors = _sought(apart, replace(question, decided={}))
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


def _sought(library: RelationSet, question: Question) -> tuple[list[Found], list[DeriveError]]:
    """The states that answer a question, or why each case has none; neither where the answers leave it open."""
    if question.target in question.strong:
        confirm(library, question, question.target)
    for is_last_resort in (False, True):
        answers, errors = _explored(library, question, is_last_resort)
        if answers and not _is_open(library, question.target, answers, errors):
            return answers, errors
        if answers or any(isinstance(error, (LimitError, InconsistentError)) for error in errors):
            break
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


def _explored(library: RelationSet, question: Question, is_last_resort: bool) -> tuple[list[Found], list[DeriveError]]:
    """The answers of all cases and the errors of those without one; answers name the cases that are open."""
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
        errors.append(found or _too_many(question))
        if found is None or isinstance(found, LimitError):
            where = _where(library, asked) or "further cases hold"
            doubts.append((asked, f"it is not proved that there is no other solution where {where}"))
        elif isinstance(found, UnderdeterminedError):
            doubts.append(_beyond(library, asked))
    target = question.target
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


def _too_many(question: Question) -> LimitError:
    return LimitError(
        f"{question.target} depends on more than {MOST_CASES} cases.",
        hint="Give the quantities in the conditions of the relations.",
        limit=f"{MOST_CASES} cases",
    )


def _is_open(library: RelationSet, target: str, answers: Sequence[Found], errors: Sequence[DeriveError]) -> bool:
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


def _distinct(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers, intervals first; two numbers that agree to 1e-9 are one, and an interval covers all values in it.

    One of a case that a number assumes away does not cover that number.
    """
    spans: list[Span] = []
    covering: list[Span] = []
    bounded = [answer for answer in answers if answer.base is None and answer.bounds is not None]
    for answer in sorted(bounded, key=lambda one: (_is_away(one), -_width(one))):
        assert answer.bounds is not None
        if not any(lies_in(answer.bounds, span, SAME_ROOT) for span in spans):
            spans.append(answer.bounds)
            covering += [] if _is_away(answer) else [answer.bounds]
            yield answer
    before: float | None = None
    for answer in sorted((one for one in answers if one.base is not None), key=lambda one: one.base or 0.0):
        assert answer.base is not None
        if any(lies_in((answer.base, answer.base), span, SAME_ROOT) for span in covering):
            continue
        if before is None or not math.isclose(answer.base, before, rel_tol=SAME_ROOT):
            before = answer.base
            yield answer


def _width(answer: Answer) -> float:
    return answer.bounds[1] - answer.bounds[0] if answer.bounds else 0.0
