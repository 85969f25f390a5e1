"""Answers: the question read, the plan carried out, contradictions found, and every step put back into its relation.

What the plan leads to are candidates. Those that contradict a relation which was not needed are dropped, and if none is
left the contradiction is the answer. At the very end each relation that an answer used is asked once more whether it
holds: an answer that fails its own substitution is a defect, never a result.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from derive.answer import Answer
from derive.asking import Question, ask
from derive.blocks import agrees
from derive.carrying import Found, State, block_states, carried_out
from derive.clock import query
from derive.diagnosing import contradiction, shortage
from derive.eliminating import bounded, cancelled
from derive.errors import AmbiguousError, DeriveError, LimitError, NoSolutionError, VerificationError
from derive.evaluating import residual
from derive.expression import names_in
from derive.planning import Plan
from derive.telling import answer_of
from derive.typesetting import headline

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["solve", "solve_all"]

_CASES = 16  # combinations of conditional relations that are followed


def solve(library: Library, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]) -> Answer:
    """The one answer, or an error that says why there is not exactly one."""
    answers = solve_all(library, target, profiles, given)
    if len(answers) == 1 and answers[0].base is not None:
        return answers[0]
    listing = "; ".join(headline(answer) for answer in answers[:6])
    if len(answers) == 1:
        raise AmbiguousError(
            f"{target} is only bounded: {listing}.",
            hint="It cancels where the relations bind; any value in these bounds satisfies them.",
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
            answer_of(library, question, found.plan, state, found.left_out)
            for found in _found(library, question)
            for state in found.states
        ]
        return tuple(_distinct(answers))


def _found(library: Library, question: Question) -> Iterator[Found]:
    """The states that answer a question, case by case, or the error that says why there are none."""
    answered = False
    first = carried_out(library, question)
    if not first.plan.is_determined:
        yield _despite_structure(library, question, first)
        return
    broken: list[DeriveError] = []
    for found in _cases(library, question, first):
        sound = []
        for state in found.states:
            clash = contradiction(library, question, found.plan, _extended(library, found.plan, state))
            if clash is None:
                sound.append(state)
            else:
                broken.append(clash)
        if sound:
            _verified(library, found.plan, sound)
            yield replace(found, states=tuple(sound))
            answered = True
    if answered:
        return
    if broken and any("not proved" in note for state in first.states for note in state.notes):
        raise LimitError(
            f"{question.target}: the solutions that were found contradict a check, and others may exist.",
            hint="Give more, so that the simultaneous relations are fewer.",
            limit="numerical search",
        )
    if broken:
        raise broken[0]
    raise no_solution(question, first)


def _cases(library: Library, question: Question, first: Found) -> Iterator[Found]:
    """What was found, and what the other cases lead to: relations whose condition hangs on the answer itself."""
    yield first
    tried = {frozenset(first.left_out)}
    pending = [first]
    while pending and len(tried) < _CASES:
        found = pending.pop()
        for name in (relation for block in found.plan.blocks for relation in block.relations):
            aside = frozenset({*found.left_out, name})
            hangs = any(set(names_in(c)) - question.strong.keys() for c in library.relations[name].conditions)
            if not hangs or aside in tried:
                continue
            tried.add(aside)
            other = carried_out(library, question, {**found.left_out, name: "its case is not this one"})
            if other.plan.is_determined and other.states:
                yield other
                pending.append(other)


def _despite_structure(library: Library, question: Question, found: Found) -> Found:
    """An answer where structure sees none: what is missing cancels, or an inequality bounds the target."""
    for way in (cancelled, bounded):
        result = way(library, question, found.left_out)
        if result is not None:
            return result
    raise shortage(library, question, found.left_out)


def _extended(library: Library, made: Plan, state: State) -> State:
    """The state with what the checks need beside it, as far as that is without choice."""
    for block in made.extra:
        try:
            steps, _ = block_states(library, block, state)
        except DeriveError:
            return state
        if len(steps) != 1:
            return state
        state = steps[0]
    return state


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


def no_solution(question: Question, found: Found) -> NoSolutionError:
    used = f" (the weak values of {', '.join(found.plan.weak)} are in use)" if found.plan.weak else ""
    return NoSolutionError(
        f"{question.target} has no admissible value: {found.reason}{used}.",
        hint="Check the givens, their units, and the domain of what is asked.",
        reason=found.reason,
    )


def _distinct(answers: Sequence[Answer]) -> Iterator[Answer]:
    """The answers in ascending order; two that agree to 1e-9 are one."""
    before: float | None = None
    bounds: set[tuple[float, float]] = set()
    for answer in sorted(answers, key=lambda one: -math.inf if one.base is None else one.base):
        if answer.base is None:
            assert answer.bounds is not None
            if answer.bounds in bounds:
                continue
            bounds.add(answer.bounds)
        elif before is not None and abs(answer.base - before) <= 1e-9 * max(abs(before), abs(answer.base)):
            continue
        before = answer.base
        yield answer
