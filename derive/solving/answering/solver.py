"""The solver: read the question, carry out the plan, find contradictions, and verify every relation used.

The plan yields candidates. A candidate that contradicts a relation outside the plan is dropped; if none is left, the
answer is a contradiction. Finally every relation that an answer used is evaluated once more: an answer that fails its
own substitution is a defect, never a result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any

from derive.errors import (
    AmbiguousError,
    Cause,
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
)
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Plan
from derive.presentation.numbers import told_apart
from derive.presentation.text import headline
from derive.solving.answering.candidates import (
    Candidates,
    candidates_by_typed_alone,
    find_candidates,
    find_candidates_or_errors,
)
from derive.solving.answering.explanation import Explanation
from derive.solving.answering.remarks import remarks, unless_refused
from derive.solving.answering.whole_counts import whole_counts
from derive.solving.answering.yielding_conditions import check_of_displaced, deciding_weak_values, with_displaced
from derive.solving.assumptions import Assumption
from derive.solving.cancellation.typed_alone import yielding_to_typed
from derive.solving.diagnosis.conflicts import prove_fit_together
from derive.solving.diagnosis.missing_givens import missing_sets, wanted
from derive.solving.diagnosis.overdetermined_givens import Agreement, agreement, prove_number_fits
from derive.solving.execution.answer import Answer
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Question, ask, stated_at
from derive.solving.ranges.bounds import EXACT_PIECE, is_gapless, joined
from derive.solving.ranges.limits_over_ranges import NOWHERE_WITHIN_LIMITS
from derive.solving.traces.trace import QuestionShape, shape_of
from derive.time_limits import query
from derive.tolerances import SAME_ROOT


def solve(library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Answer:
    """The solver's one answer to a question, or an error that says why there is none or more than one.

    Asked again with other numbers, a question is answered by its trace, and explained by the solver if need be.
    """
    shape = _asked_before(library, target, profiles, given)
    outcome = None if shape is None else shape.outcome(given)
    if outcome is not None:
        explained = partial(_solved_by_plan, library, target, profiles, dict(given), None)
        return Answer.of_number(library.declared[target], outcome, explained)
    return _solved_by_plan(library, target, profiles, given, shape)


def _asked_before(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> QuestionShape | None:
    """Read the shape of a question that the solver may have answered before; None if it names something unknown."""
    is_known = isinstance(target, str) and target in library.declared and library.declared.keys() >= given.keys()
    if not is_known or not all(profile in library.profiles for profile in profiles if isinstance(profile, str)):
        return None
    return shape_of(library, target, profiles, tuple(given))


def _solved_by_plan(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], shape: QuestionShape | None
) -> Answer:
    """Solve a question for its one answer by carrying out its plan, and record a trace of it for its shape."""
    with query():
        answers = _all_answers(library, target, profiles, given, shape)
        answer = the_one(answers)
        if answer is not None:
            return answer
        raise _error_for_several(library, ask(library, target, profiles, given), answers)


def _error_for_several(library: RelationSet, question: Question, answers: Sequence[Answer]) -> AmbiguousError:
    """The error of solving for one answer where the target has bounds alone, or several values."""
    target = question.target
    listing = "; ".join(told_apart(lambda digits: [headline(answer, digits) for answer in answers[:6]]))
    if len(answers) == 1:
        if answers[0].whole:
            listing = f"{listing}; {answers[0].whole}"

        def hint() -> str:
            further = wanted(missing_sets(library, question)) or "Give another quantity."
            return f"The relations do not fix it within these bounds. {further}"

        return AmbiguousError(f"{target} is only bounded: {listing}.", hint=hint, answers=tuple(answers))
    assumptions = chain.from_iterable(answer.stated_assumptions for answer in answers)
    doubts = dict.fromkeys(assumption.text for assumption in assumptions if assumption.leaves_others)
    count, all_of_them = str(len(answers)), "them all"
    if doubts:
        count, all_of_them = f"at least {len(answers)}", "those found"
        listing = f"{listing} ({'; '.join(doubts)})"
    return AmbiguousError(
        f"{target} has {count} admissible values: {listing}.",
        hint=f"Give another quantity, or narrow the domain; solve_all returns {all_of_them}.",
        answers=tuple(answers),
    )


def solve_all(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Every admissible answer of the solver to a question: intervals and then numbers, each in ascending order."""
    return _all_answers(library, target, profiles, given, None)


def _all_answers(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], shape: QuestionShape | None
) -> tuple[Answer, ...]:
    """Every answer of the solver, after a test of the givens against each other; a shape records an only answer."""
    with query():
        question = ask(library, target, profiles, given)
        try:
            answers, candidates = _consistent_answers(library, question, profiles)
        except InconsistentError as error:
            yielded = _where_weak_values_yield(library, question, profiles, error)
            if yielded is None:
                yielded = _answers_by_typed_alone(library, question, profiles, error)
            if yielded is None:
                raise
            return yielded
        if shape is not None and candidates is not None and candidates.library is library and len(answers) == 1:
            ((_, result),) = candidates.answers
            if the_one(answers) is not None and not candidates.is_weighed:
                shape.record(library, candidates.question, result)
        return answers


def _consistent_answers(
    library: RelationSet, question: Question, profiles: tuple[Any, ...]
) -> tuple[tuple[Answer, ...], Candidates | None]:
    """The solver's answers to givens that it has tested against each other, and its only candidate, if any."""
    prove_fit_together(library, question)
    answers, candidates = _admissible(library, question, profiles)
    _prove_definitions_kept(library, question, answers)
    agreeing = agreement(library, question, answers)
    not_denied = [answer for answer in answers if not agreeing.denies(answer)] or answers
    kept = _without_contradicted(library, question, not_denied)
    return tuple(_with_agreement(answer, agreeing) for answer in kept), candidates


def _without_contradicted(library: RelationSet, question: Question, answers: Sequence[Answer]) -> Sequence[Answer]:
    """The solver's answers without those whose number contradicts what follows from it; raises if all of them do."""
    kept: list[Answer] = []
    contradiction: InconsistentError | None = None
    for answer in answers:
        try:
            prove_number_fits(library, question, answer)
        except InconsistentError as error:
            contradiction = contradiction or error
        else:
            kept.append(answer)
    if contradiction is None or kept:
        return kept
    if not any(assumption.leaves_others for answer in answers for assumption in answer.stated_assumptions):
        raise contradiction
    raise LimitError(
        f"{question.target}: what follows from the values that were found contradicts the givens, and it is not proved "
        f"that there are no others.",
        hint="Narrow the domains, or give another quantity.",
        limit="the search for roots",
    ) from contradiction


def _where_weak_values_yield(
    library: RelationSet, question: Question, profiles: tuple[Any, ...], error: InconsistentError
) -> tuple[Answer, ...] | None:
    """The solver's answers where a conflict rests on weak values in conditions, which yield; None if they do not.

    They yield where the givens leave their quantities other values.
    """
    names = deciding_weak_values(library, question, error)
    if not names:
        return None
    fewer = question.yielding(names)
    try:
        left = {name: _answers_if_open(library, fewer.but(target=name, own=None)) for name in names}
        answers = _answers_without_deciding(library, fewer, profiles)
    except (InconsistentError, LimitError, NoSolutionError):
        return None
    displaced = [check_of_displaced(library, name, question.weak[name], left[name]) for name in names]
    return tuple(with_displaced(answer, displaced) for answer in answers)


def _answers_without_deciding(
    library: RelationSet, question: Question, profiles: tuple[Any, ...]
) -> tuple[Answer, ...]:
    """The solver's answers without weak values that decided on a case; further ones may have to yield."""
    try:
        return _consistent_answers(library, question, profiles)[0]
    except InconsistentError as error:
        yielded = _where_weak_values_yield(library, question, profiles, error)
        if yielded is None:
            raise
        return yielded


def _answers_by_typed_alone(
    library: RelationSet, question: Question, profiles: tuple[Any, ...], error: InconsistentError
) -> tuple[Answer, ...] | None:
    """The solver's answers by what is typed, where weak values decided on a case in which it contradicts itself.

    A conflict of relations that apply in every case stays one. So does one in whose conditions weak values stand by
    themselves: these have been asked to yield before.
    """
    relations = [library.relations[name] for name in error.conflicts if name in library.relations]
    if not any(relation.conditions for relation in relations) or deciding_weak_values(library, question, error):
        return None
    if candidates_by_typed_alone(library, question) is None:
        return None
    alone = question.yielding(yielding_to_typed(library, question.outline))
    try:
        return _consistent_answers(library, alone, profiles)[0]
    except (InconsistentError, LimitError, NoSolutionError):
        return None


def _answers_if_open(library: RelationSet, question: Question) -> tuple[Answer, ...]:
    """The solver's answers to what a weak value stated; none if the givens leave it open altogether."""
    try:
        return _answers_without_deciding(library, question, ())
    except UnderdeterminedError:
        return ()


def _prove_definitions_kept(library: RelationSet, question: Question, answers: Sequence[Answer]) -> None:
    """Solve with definitions as givens where something changes one; raises if the givens contradict each other by it.

    That is an answer, or what is typed alone, whatever is asked. A definition yields to what is typed in its place,
    such as another count of operations. But the acceleration of free fall is not 56 m/s**2 since a flow and a loss
    disagree.
    """
    exact = {name: value for name, value in question.weak.items() if value.source.kind == "exact"}
    if not exact:
        return
    failed = {check.name for check in chain.from_iterable(answer.failed for answer in answers)}
    if exact.keys().isdisjoint(failed) and exact.keys().isdisjoint(closure(structure_of(library), question.strong)):
        return
    weak = {name: value for name, value in question.weak.items() if name not in exact}
    stated = question.but(strong={**question.strong, **exact}, weak=weak)
    try:
        with_definitions, _ = _admissible(library, stated, ())
        agreement(library, stated, with_definitions)
    except InconsistentError:
        raise
    except DeriveError:  # another error proves no contradiction
        return


def the_one(answers: Sequence[Answer]) -> Answer | None:
    """The one number among the solver's answers; None if there is none, or another answer not assumed away."""
    plain = [answer for answer in answers if not _is_assumed_away(answer)]
    return plain[0] if len(plain) == 1 and plain[0].base is not None else None


def _is_assumed_away(answer: Answer) -> bool:
    return any(assumption.kind == "away" for assumption in answer.stated_assumptions)


def _admissible(
    library: RelationSet, question: Question, profiles: tuple[Any, ...]
) -> tuple[tuple[Answer, ...], Candidates | None]:
    """Every admissible answer of the solver over all cases in the ranges; and its only candidate, if any."""
    try:
        candidates = find_candidates(library, question)
        answers = _answers(library, candidates, profiles)
    except (NoSolutionError, UnderdeterminedError, InconsistentError) as error:  # in the middle of the ranges
        is_open = isinstance(error, UnderdeterminedError)
        if question.ranges and (not is_open or is_gapless(library)):
            answers = _over_all_cases(library, question, profiles, ())
            is_bounded_only = all(answer.base is None for answer in answers)
            if answers and not (is_bounded_only and is_open and question.has_stated_target):
                return answers, None
        if not is_open or not question.has_stated_target:
            raise
        return (_answer_of_own_value(library, question, profiles),), None
    if question.has_stated_target and (
        _are_bounds_of_limits(candidates) or _is_own_in_the_middle(library, question, candidates)
    ):
        return (_answer_of_own_value(library, question, profiles),), None  # limits fix no value; they test this one
    assumptions = chain.from_iterable(answer.stated_assumptions for answer in answers)
    is_turning = any(assumption.kind == "turning" for assumption in assumptions)
    is_split = (
        question.ranges and not candidates.is_exact and any(result.case != NO_CASE for _, result in candidates.answers)
    )
    if is_turning or is_split:
        return _over_all_cases(library, question, profiles, answers), None
    return answers, candidates if len(candidates.answers) == 1 else None


def _are_bounds_of_limits(candidates: Candidates) -> bool:
    """Whether the solver has found nothing but intervals to which inequalities bound the target."""
    for its_library, result in candidates.answers:
        relations = [its_library.relations[name] for name in result.plan.relations]
        is_fixed = not relations or any(relation.is_equation for relation in relations)
        if is_fixed or any(candidates.question.target in state.values for state in result.states):
            return False
    return True


def _is_own_in_the_middle(library: RelationSet, question: Question, candidates: Candidates) -> bool:
    """Whether the solver, which found only intervals over ranges, answers with the target's own value in their middle.

    An interval may be all that conditions leave, or what relations fix: that is decided there as it is for numbers.
    """
    if not question.ranges or any(question.target in state.values for state in candidates.states):
        return False
    middle = {name: stated_at(library, name, question.numbers[name]) for name in question.ranges}
    try:
        answers, _ = _admissible(library, question.but(strong={**question.strong, **middle}), ())
    except DeriveError:
        return False
    return any(assumption.kind == "own" for answer in answers for assumption in answer.stated_assumptions)


def _over_all_cases(
    library: RelationSet, question: Question, profiles: tuple[Any, ...], answers: tuple[Answer, ...]
) -> tuple[Answer, ...]:
    """The solver's answers over all cases in the ranges: bounds of those in the middle, and answers elsewhere."""
    joined_library = joined(library)
    if joined_library is None:
        return answers
    gapless = is_gapless(library)
    try:
        over_cases = _answers(joined_library, find_candidates(joined_library, question.but()), profiles)
    except DeriveError as error:
        is_open = isinstance(error, LimitError) and not answers  # what one case denies may be so in another
        if is_open or (gapless and isinstance(error, NoSolutionError) and error.cause is Cause.NO_PIECE):
            raise
        return answers
    if gapless and all(EXACT_PIECE in answer.stated_assumptions for answer in over_cases):
        return over_cases
    in_middle = [next((answer for answer in answers if _is_same(answer, joint)), None) for joint in over_cases]
    several = sum(answer.base is not None for answer in answers) > 1  # each has bounds of its own
    if several or sum(answer is not None for answer in in_middle) < len(answers):
        return answers
    return tuple(
        joint if answer is None else _bounded_as(answer, joint, gapless=gapless)
        for answer, joint in zip(in_middle, over_cases, strict=True)
    )


def _is_same(answer: Answer, other: Answer) -> bool:
    """Whether two answers of the solver, in the middle and over all cases, are the same number, or both intervals."""
    if answer.base is None or other.base is None:
        return answer.base is other.base
    return math.isclose(answer.base, other.base, rel_tol=SAME_ROOT)


def _bounded_as(answer: Answer, joint: Answer, *, gapless: bool) -> Answer:
    """The solver's answer in the middle of the ranges, with the bounds, and notes on them, of that over all cases."""
    kinds = {"bounds", "unnarrowed"}
    if gapless:  # then no case fails without another
        kinds.add("turning")
    kept = [note for note in answer.stated_assumptions if note.kind not in kinds]
    renewed = [note for note in joint.stated_assumptions if note.kind in kinds]
    return replace(answer, bounds=joint.bounds, stated_assumptions=tuple(dict.fromkeys([*kept, *renewed])))


def has_number(library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    """Whether the solver answers with one number."""
    try:
        return solve(library, target, profiles, given).base is not None
    except DeriveError:
        return False


def one_answer_or_none(
    library: RelationSet, target: str, given: Mapping[str, Any], profiles: tuple[Any, ...] = ()
) -> Answer | None:
    """The one answer of the solver, or None without the diagnosis, which takes as long again to find."""
    with query():
        try:
            answers = _answers_without_diagnosis(library, target, profiles, given)
        except DeriveError:
            return None
        return the_one(answers)


def has_one_answer(library: RelationSet, target: str, given: Mapping[str, Any]) -> bool | None:
    """Whether solving gives one answer; False if nothing determines the target, None where numbers may decide."""
    with query():
        try:
            candidates = find_candidates_or_errors(library, ask(library, target, (), given))
            answers = _answers(library, candidates, ())
        except DeriveError:
            return None
        if not answers and all(isinstance(error, UnderdeterminedError) for error in candidates.errors):
            return False
        return None if the_one(answers) is None else True


def _answers_without_diagnosis(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Every answer of the solver; none where nothing determines the target, without a search for missing givens."""
    return _answers(library, find_candidates_or_errors(library, ask(library, target, profiles, given)), profiles)


def _answers(library: RelationSet, candidates: Candidates, profiles: tuple[Any, ...]) -> tuple[Answer, ...]:
    """The solver's answers for some candidates: each is explained, and distinct from the others, in order."""
    question = candidates.question
    explained: list[tuple[Explanation, Answer]] = []
    for its_library, result in candidates.answers:
        explanations = [Explanation(candidates, its_library, result, state) for state in result.states]
        explained += [(explanation, explanation.answer()) for explanation in explanations]
    if len(explained) > 1 and question.ranges and not candidates.is_exact:
        possible = [
            (explanation, answer)
            for explanation, answer in explained
            if answer.bounds is None or explanation.branch.is_possible_within(answer.bounds)
        ]
        explained = possible or explained  # where none is, the givens themselves are at fault
    _prove_limits_met(explained)
    explanation_of = {id(answer): explanation for explanation, answer in explained}
    distinct = sorted(_distinct([answer for _, answer in explained]), key=_sort_key)

    def with_remarks(rank: int, answer: Answer) -> Answer:
        """The solver's answer with remarks and whole counts on demand; of a changed question, that of the same rank."""
        explanation = explanation_of[id(answer)]

        def again(changes: Mapping[str, Any]) -> float | None:
            given = {**question.strong, **changes}
            others = unless_refused(lambda: _answers_without_diagnosis(library, question.target, profiles, given))
            return others[rank].base if others is not None and len(others) == len(distinct) else None

        def asked(name: str) -> Answer | None:
            return one_answer_or_none(library, name, question.strong, profiles)

        def solved(target: str, given: Mapping[str, Any]) -> Answer:
            return solve(library, target, profiles, given)

        branch = explanation.branch
        return replace(
            answer,
            _whole=cache(lambda: whole_counts(branch, answer, solved)),
            _remarks=cache(lambda: remarks(branch, answer, again, asked)),
        )

    return tuple(with_remarks(rank, answer) for rank, answer in enumerate(distinct))


def _prove_limits_met(explained: Sequence[tuple[Explanation, Answer]]) -> None:
    """Raise the solver's error that limits hold together nowhere in the ranges, if that is so for every answer."""
    if not explained or not all(NOWHERE_WITHIN_LIMITS in answer.stated_assumptions for _, answer in explained):
        return
    errors = [explanation.branch.limits.contradiction() for explanation, _ in explained]
    if errors[0] is not None and None not in errors:
        raise errors[0]


def _with_agreement(answer: Answer, agreeing: Agreement) -> Answer:
    """The solver's answer with failed checks of the givens among its own, and those by which unused givens act."""
    checked = {check.name for check in answer.checks}
    unused = {*answer.unused}
    further = [
        check
        for check in agreeing.checks
        if check.name not in checked and (not check.passed or not unused.isdisjoint(agreeing.behind[check.name]))
    ]
    if not further and not agreeing.notes:
        return answer
    acting = {*chain.from_iterable(agreeing.behind[check.name] for check in further)}
    return replace(
        answer,
        checks=(*answer.checks, *further),
        unused=tuple(name for name in answer.unused if name not in acting),
        stated_assumptions=(*answer.stated_assumptions, *agreeing.notes),
    )


def _answer_of_own_value(library: RelationSet, question: Question, profiles: tuple[Any, ...]) -> Answer:
    """The solver's answer where nothing else leads to the target: its own value in a named profile."""
    assert question.own is not None
    name = question.target
    stated = question.but(strong={**question.strong, name: question.own}, own=None)
    try:
        (answer,) = _answers(library, find_candidates(library, stated), profiles)
    except InconsistentError:  # with what is typed, by a limit: that is a failed check of it
        weak = question.but(weak={name: question.own, **question.weak}, own=None)
        plan = Plan(name, blocks=(), weak=(name,), checks=())
        result = PlanResult(plan, (State(weak.start(plan)),), left_out={})
        (answer,) = _answers(library, Candidates(library, weak, [(library, result)], []), profiles)
    note = Assumption(f"{name} is what {question.origins[name]} states: nothing else given leads to it", "own", name)
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


def _sort_key(answer: Answer) -> tuple[bool, bool, Span]:
    """The place of an answer in the solver's list: intervals before numbers, ascending, assumed-away intervals last."""
    ends = (answer.base, answer.base) if answer.base is not None else answer.bounds
    assert ends is not None
    return answer.base is not None, answer.base is None and _is_assumed_away(answer), ends


def _distinct(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The solver's answers without repetitions: numbers that agree to 1e-9 are one, and an interval covers its values.

    The interval of a case that a number assumes away does not cover that number. Over ranges, of numbers that agree in
    the middle one stands for another if its bounds contain the other's.
    """
    spans: list[Span] = []
    covering: list[Span] = []
    intervals = [answer for answer in answers if answer.base is None and answer.bounds is not None]
    for answer in sorted(intervals, key=lambda answer: (_is_assumed_away(answer), -_width(answer))):  # the widest first
        assert answer.bounds is not None
        if any(lies_in(answer.bounds, span, SAME_ROOT) for span in spans):
            continue
        spans.append(answer.bounds)
        if not _is_assumed_away(answer):
            covering.append(answer.bounds)
        yield answer
    kept: list[Answer] = []
    numbers = [answer for answer in answers if answer.base is not None]
    for answer in sorted(numbers, key=lambda answer: (-_width(answer), answer.base or 0.0)):
        assert answer.base is not None
        if any(lies_in((answer.base, answer.base), span, SAME_ROOT) for span in covering):
            continue
        if not any(_stands_for(other, answer) for other in kept):
            kept.append(answer)
    yield from kept


def _stands_for(kept: Answer, other: Answer) -> bool:
    """Whether an answer of the solver makes another a repetition: it has its number, and all over the ranges."""
    assert kept.base is not None
    assert other.base is not None
    if not math.isclose(kept.base, other.base, rel_tol=SAME_ROOT):
        return False
    return kept.bounds is None or other.bounds is None or lies_in(other.bounds, kept.bounds, SAME_ROOT)


def _width(answer: Answer) -> float:
    return answer.bounds[1] - answer.bounds[0] if answer.bounds else 0.0
