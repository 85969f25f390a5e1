"""Answers: the question read, the plan carried out, contradictions found, and every step put back into its relation.

What the plan leads to are candidates. Those that contradict a relation which was not needed are dropped, and if none is
left the contradiction is the answer. At the very end each relation that an answer used is asked once more whether it
holds: an answer that fails its own substitution is a defect, never a result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from derive.errors import (
    AmbiguousError,
    DeriveError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
    VerificationError,
)
from derive.language.expression import names_in
from derive.numbers.clock import query
from derive.numbers.evaluating import residual
from derive.numbers.intervals import Span
from derive.planning.plans import Plan
from derive.showing.typesetting import headline
from derive.solving.answer import Answer
from derive.solving.asking import Question, ask
from derive.solving.bounding import bounded
from derive.solving.carrying import Found, carried_out, detours
from derive.solving.checking import applies, extended
from derive.solving.confirming import GIVENS, cancelling, confirm, no_solution
from derive.solving.diagnosing import contradiction, missing_sets, shortage, wanted
from derive.solving.outcome import agrees
from derive.solving.spreading import spread_without_middle
from derive.solving.stepping import State
from derive.solving.telling import answer_of

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["solve", "solve_all"]

_CASES = 16  # combinations of conditional relations that are followed
_ANOTHER = "its case is not this one"


def solve(library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Answer:
    """The one answer, or an error that says why there is not exactly one."""
    answers = solve_all(library, target, profiles, given)
    if len(answers) == 1 and answers[0].base is not None:
        return answers[0]
    listing = "; ".join(headline(answer) for answer in answers[:6])
    if len(answers) == 1:
        raise AmbiguousError(
            f"{target} is only bounded: {listing}.",
            hint="The relations leave it open within these bounds; give a further quantity.",
            answers=answers,
        )
    raise AmbiguousError(
        f"{target} has {len(answers)} admissible values: {listing}.",
        hint="Give a further quantity, or narrow the domain; solve_all returns them all.",
        answers=answers,
    )


def solve_all(library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> tuple[Answer, ...]:
    """Every admissible answer, in ascending order."""
    with query():
        question = ask(library, target, profiles, given)
        answers = [
            answer_of(library, question, found.plan, state, found.left_out, len(found.states) == 1)
            for found in _found(library, question)
            for state in found.states
        ]
        return tuple(_distinct(answers))


def _found(library: Library, question: Question) -> Iterator[Found]:
    """The states that answer a question, case by case, or the error that says why there are none."""
    if question.target in question.strong:
        confirm(library, question, question.target)
    try:
        first = carried_out(library, question)
    except (NoSolutionError, UnderdeterminedError) as error:  # what is solved together is singular at these numbers
        open_ones = isinstance(error, UnderdeterminedError)
        other = (open_ones and cancelling(library, question, {})) or _by_strong_alone(library, question)
        if not other:
            raise _singular(library, question, error) from error
        yield other
        return
    if not first.plan.is_determined:
        yield _despite_structure(library, question, first)
        return
    if first.states and all(question.target in state.spans for state in first.states):
        other = cancelling(library, question, first.left_out)
        if other is not None:
            yield other
            return
    broken: list[DeriveError] = []
    answered = False
    for found in _cases(library, question, first):
        sound = _sound(library, question, found, broken)
        if sound is not None:
            yield sound
            answered = True
    if answered:
        return
    if broken and any("not proved" in note for state in first.states for note in state.notes):
        ways = detours(library, question, first.plan, first.left_out)
        for found in ways:
            sound = _sound(library, question, found, [])
            if sound is not None:
                yield sound
                return
        raise _unsure(question)
    if broken:
        raise broken[0]
    elsewhere = spread_without_middle(library, question, first) or _by_strong_alone(library, question)
    if elsewhere is None:
        for name in islice(question.strong, GIVENS):
            confirm(library, question, name)
        raise no_solution(library, question, first)
    yield elsewhere


def _by_strong_alone(library: Library, question: Question) -> Found | None:
    """What strong values fix without the weak ones that led nowhere: those have to yield."""
    exact = {name: value for name, value in question.weak.items() if value.source.kind == "exact"}
    for weak in [weak for weak in (exact, {}) if len(weak) < len(question.weak)]:
        alone = replace(question, weak=weak)
        try:
            planned = carried_out(library, alone)
            determined = planned.plan.is_determined
            found = _sound(library, alone, planned, []) if determined else _despite_structure(library, alone, planned)
        except DeriveError:
            continue
        if found is not None and all(question.target in state.values for state in found.states):
            return found
    return None


def _sound(library: Library, question: Question, found: Found, broken: list[DeriveError]) -> Found | None:
    """What was found, without the states that contradict a relation; the contradictions are noted."""
    sound = []
    for state in found.states:
        clash = contradiction(library, question, found.plan, extended(library, found.plan, state))
        if clash is None:
            sound.append(state)
        else:
            broken.append(clash)
    if not sound:
        return None
    _verified(library, found.plan, sound)
    return replace(found, states=tuple(sound))


def _unsure(question: Question) -> LimitError:
    return LimitError(
        f"{question.target}: the solutions that were found contradict a check, and others may exist.",
        hint="Give more, so that the simultaneous relations are fewer.",
        limit="numerical search",
    )


def _cases(library: Library, question: Question, first: Found) -> Iterator[Found]:
    """What was found, and what the other cases lead to: relations whose condition hangs on the answer itself."""
    yield first
    tried = {frozenset(first.left_out)}
    pending = [first]
    while pending and len(tried) < _CASES:
        found = pending.pop()
        for name in (relation for block in found.plan.blocks for relation in block.relations):
            aside = frozenset({*found.left_out, name})
            relation = library.relations[name]
            hangs = relation.conditions and first.grounds is not None and first.grounds.applies(relation) is None
            if not hangs or aside in tried:
                continue
            tried.add(aside)
            other = carried_out(library, question, {**found.left_out, name: _ANOTHER}, first.grounds)
            states = tuple(state for state in other.states if _is_outside(library, other, state))
            if other.plan.is_determined and states:
                yield replace(other, states=states)
                pending.append(other)


def _is_outside(library: Library, found: Found, state: State) -> bool:
    """Whether a state is of another case than what was left out: no relation of that applies there, and fails."""
    values = {**state.asides, **state.values}
    for name in (name for name, why in found.left_out.items() if why == _ANOTHER):
        relation = library.relations[name]
        held = all(other in state.values for other in names_in(relation.written.lhs, relation.written.rhs))
        if held and applies(relation, values) and not agrees(relation.written, state.values):
            return False
    return True


def _despite_structure(library: Library, question: Question, found: Found) -> Found:
    """An answer where structure sees none: what is missing cancels, or an inequality bounds the target."""
    result = cancelling(library, question, found.left_out) or bounded(library, question, found.left_out)
    if result is None:
        raise shortage(library, question, found.left_out)
    return result


def _singular(library: Library, question: Question, error: DeriveError) -> DeriveError:
    """The error for relations that do not fix what is solved together; which further givens would do."""
    sets = tuple(missing_sets(library, question, frozenset()))
    if not isinstance(error, UnderdeterminedError) or not sets:
        return error
    return UnderdeterminedError(error.what, hint=wanted(sets), missing=sets)


def _verified(library: Library, made: Plan, states: Sequence[State]) -> None:
    """Put every answer back into every relation that it used."""
    for state in states:
        for block in made.blocks:
            for name in block.relations:
                written = library.relations[name].written
                if any(other in state.spans for other in names_in(written.lhs, written.rhs)):
                    continue
                gap = residual(written, state.values)
                if not agrees(written, state.values):
                    raise VerificationError(
                        f"{name}: the answer does not satisfy {written}; the sides differ by {gap:.2g} of their size.",
                        hint="This is a defect of derive: please report the question.",
                        relation=name,
                        residual=gap,
                    )


def _distinct(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers in ascending order; two that agree to 1e-9 are one, and an interval speaks for all that it holds."""
    spans: list[Span] = []
    bounded = [answer for answer in answers if answer.base is None and answer.bounds is not None]
    for answer in sorted(bounded, key=_width, reverse=True):
        assert answer.bounds is not None
        if not any(_is_held(answer.bounds, span) for span in spans):
            spans.append(answer.bounds)
            yield answer
    before: float | None = None
    for answer in sorted((one for one in answers if one.base is not None), key=lambda one: one.base or 0.0):
        assert answer.base is not None
        if any(_is_held((answer.base, answer.base), span) for span in spans):
            continue
        if before is None or abs(answer.base - before) > 1e-9 * max(abs(before), abs(answer.base)):
            before = answer.base
            yield answer


def _width(answer: Answer) -> float:
    return answer.bounds[1] - answer.bounds[0] if answer.bounds else 0.0


def _is_held(inner: Span, outer: Span) -> bool:
    """Whether an interval lies in another, but for rounding."""
    slack = [1e-9 * abs(end) if math.isfinite(end) else 0.0 for end in inner]
    return outer[0] - slack[0] <= inner[0] and inner[1] <= outer[1] + slack[1]
