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
from typing import Any

from derive.errors import (
    AmbiguousError,
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
)
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.presentation.text import headline
from derive.solving.answering.candidates import Candidates, candidates, candidates_or_errors
from derive.solving.answering.exact_answers import NOWHERE
from derive.solving.answering.explanation import Explanation
from derive.solving.answering.remarks import remarks, unless_refused
from derive.solving.answering.whole_counts import whole_counts
from derive.solving.diagnosis.diagnosis import missing_sets, prove_fit_together, wanted
from derive.solving.diagnosis.stated_twice import Agreement, agreement
from derive.solving.execution.answer import Answer, Assumption
from derive.solving.execution.plan_states import is_doubt, is_of_one_turn
from derive.solving.execution.question import NO_CASE, Question, ask
from derive.solving.programs.program import Shape, shape_of
from derive.solving.ranges.bounds import EXACT_PIECE
from derive.solving.ranges.joined_cases import is_gapless, joined
from derive.time_limits import query
from derive.tolerances import SAME_ROOT


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
        answers = _all_solved(library, target, profiles, given, shape)
        one = the_one(answers)
        if one is not None:
            return one
        raise _no_single(library, ask(library, target, profiles, given), answers)


def _no_single(library: RelationSet, question: Question, answers: Sequence[Answer]) -> AmbiguousError:
    """The error for a target that has bounds alone, or several values."""
    target = question.target
    listing = "; ".join(headline(answer) for answer in answers[:6])
    if len(answers) == 1:
        further = wanted(list(missing_sets(library, question, frozenset()))) or "Give another quantity."
        return AmbiguousError(
            f"{target} is only bounded: {listing}{answers[0].whole and f'; {answers[0].whole}'}.",
            hint=f"The relations do not fix it within these bounds. {further}",
            answers=tuple(answers),
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
    return AmbiguousError(
        f"{target} has {count}{len(answers)} admissible values: {listing}{told}.",
        hint=f"Give another quantity, or narrow the domain; solve_all returns {all_of_them}.",
        answers=tuple(answers),
    )


def solve_all(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[Answer, ...]:
    """Every admissible answer: intervals and then numbers, each in ascending order."""
    return _all_solved(library, target, profiles, given, None)


def _all_solved(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], shape: Shape | None
) -> tuple[Answer, ...]:
    with query():
        question = ask(library, target, profiles, given)
        prove_fit_together(library, question)
        answers, sought = _admissible(library, question, profiles)
        _prove_definitions_kept(library, question, answers)
        beside = agreement(library, question, answers)
        if shape is not None and sought is not None and sought.library is library and len(answers) == 1:
            ((_, found),) = sought.answers
            if the_one(answers) is not None:
                shape.learn(library, sought.question, found)
        return tuple(_beside(answer, beside) for answer in answers)


def _prove_definitions_kept(library: RelationSet, question: Question, answers: Sequence[Answer]) -> None:
    """Raise where a definition comes out as another number only because givens contradict each other by it.

    A definition yields to what is typed in its place, such as another count of operations. But the acceleration of free
    fall is not 56 m/s**2 since a flow and a loss disagree.
    """
    exact = {name: value for name, value in question.weak.items() if value.source.kind == "exact"}
    if exact.keys().isdisjoint(check.name for answer in answers for check in answer.failed):
        return
    weak = {name: value for name, value in question.weak.items() if name not in exact}
    stated = question.but(strong={**question.strong, **exact}, weak=weak)
    try:
        found, _ = _admissible(library, stated, ())
        agreement(library, stated, found)
    except InconsistentError:
        raise
    except DeriveError:  # proves no contradiction
        return


def the_one(answers: Sequence[Answer]) -> Answer | None:
    """The one number among some answers; None if there is none, or another answer that it does not assume away."""
    plain = [one for one in answers if not _is_away(one)]
    return plain[0] if len(plain) == 1 and plain[0].base is not None else None


def _is_away(answer: Answer) -> bool:
    return any(one.kind == "away" for one in answer.stated_assumptions)


def _admissible(
    library: RelationSet, question: Question, profiles: tuple[Any, ...]
) -> tuple[tuple[Answer, ...], Candidates | None]:
    """Every admissible answer of a question, over all cases that its ranges meet; and what led to the only one."""
    try:
        sought = candidates(library, question)
        answers = _answers(library, sought, profiles)
    except (NoSolutionError, UnderdeterminedError, InconsistentError) as error:  # in the middle of the ranges
        elsewhere = question.ranges and (not isinstance(error, UnderdeterminedError) or is_gapless(library))
        answers = _over_all_cases(library, question, profiles, ()) if elsewhere else ()
        if answers:
            return answers, None
        is_open = isinstance(error, UnderdeterminedError)
        if not is_open or question.target not in question.origins or question.own is None:
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
        others = _answers(whole, candidates(whole, question.but()), profiles)
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

    def is_outdated(note: Assumption) -> bool:  # also one that a block of its own says of its bounds
        return note.kind in outdated or note.text.startswith("bounds ")

    kept = [one for one in answer.stated_assumptions if not is_outdated(one)]
    said = [one for one in other.stated_assumptions if is_outdated(one)]
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
            sought = candidates_or_errors(library, ask(library, target, (), given))
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
    return _answers(library, candidates_or_errors(library, ask(library, target, profiles, given)), profiles)


def _answers(library: RelationSet, sought: Candidates, profiles: tuple[Any, ...]) -> tuple[Answer, ...]:
    """The distinct answers of what was found in a library."""
    question = sought.question
    reached: list[tuple[Explanation, Answer]] = []
    for used, found in sought.answers:
        explanations = [Explanation(sought, used, found, state) for state in found.states]
        reached += [(explanation, explanation.answer()) for explanation in explanations]
    if len(reached) > 1 and question.ranges and not sought.is_exact:
        possible = [
            (explanation, answer)
            for explanation, answer in reached
            if answer.bounds is None or explanation.branch.is_possible_within(answer.bounds)
        ]
        reached = possible or reached  # where none is, the givens themselves are at fault
    explained = {id(answer): explanation for explanation, answer in reached}
    distinct = sorted(_distinct([answer for _, answer in reached]), key=_place)

    def with_remarks(rank: int, answer: Answer) -> Answer:
        """The answer, which says on demand what it assumes, and of counts that come out as no whole numbers which ones
        do; asked otherwise, it is the one of the same rank."""
        explanation = explained[id(answer)]

        def again(changes: Mapping[str, Any]) -> float | None:
            given = {**question.strong, **changes}
            others = unless_refused(lambda: _quietly(library, question.target, profiles, given))
            return others[rank].base if others is not None and len(others) == len(distinct) else None

        def asked(name: str) -> Answer | None:
            return settled(library, name, question.strong, profiles)

        def solved(target: str, given: Mapping[str, Any]) -> Answer:
            return solve(library, target, profiles, given)

        branch = explanation.branch
        return replace(
            answer,
            _whole=cache(lambda: whole_counts(branch, answer, solved)),
            _remarks=cache(lambda: remarks(branch, answer, again, asked)),
        )

    return tuple(with_remarks(rank, answer) for rank, answer in enumerate(distinct))


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


def _own(library: RelationSet, question: Question, profiles: tuple[Any, ...]) -> Answer:
    """The target's own value in a named profile, to which nothing else leads."""
    assert question.own is not None
    name = question.target
    stated = question.but(strong={**question.strong, name: question.own}, own=None)
    (answer,) = _answers(library, candidates(library, stated), profiles)
    note = Assumption(f"{name} is what {question.origins[name]} states: nothing else given leads to it", "own", name)
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


def _place(answer: Answer) -> tuple[bool, bool, Span]:
    """The place of an answer among others: intervals before numbers, each in ascending order, and assumed ones last."""
    ends = (answer.base, answer.base) if answer.base is not None else answer.bounds
    assert ends is not None
    return answer.base is not None, answer.base is None and _is_away(answer), ends


def _distinct(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers, of which two numbers that agree to 1e-9 are one, and an interval covers all values in it.

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
