"""Putting a best point back: the question is answered at what was chosen, and every limit is tested on that answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain
from typing import Any

from derive.errors import (
    AmbiguousError,
    DeriveError,
    LimitError,
    VerificationError,
)
from derive.expressions.tree import Equation, Number, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, residual, value
from derive.optimization.asked_choice import Asked, Pick
from derive.optimization.points import Points, neighbours, shortened
from derive.optimization.program import Program
from derive.optimization.sampling import quantity_at
from derive.optimization.search import Best, tolerated
from derive.optimization.stated_limits import Stated
from derive.solving.answering.solver import solve
from derive.solving.blocks.outcome import agrees
from derive.solving.execution.answer import Answer, Assumption, Check
from derive.tolerances import AGREEMENT, EXTREME
from quantities.value import Value, read_number

__all__ = ["Looked", "answers_at", "put_back", "values_at"]


@dataclass(frozen=True)
class Looked:
    """A discrete choice after the search: its programs and the best in them, or the error that rules it out."""

    pick: Pick
    programs: tuple[Program, ...] = ()
    best: Best = field(default_factory=Best)
    error: DeriveError | None = None
    given: Mapping[str, Value] = field(default_factory=dict)  # what is fixed

    @property
    def is_unknown(self) -> bool:
        """Whether nothing is known about it, so that it may hide something better."""
        return self.error is not None and getattr(self.error, "limit", None) is not None


def values_at(library: RelationSet, question: Asked, one: Looked) -> dict[str, Value]:
    units = {name: library.declared[name].unit for name in question.ranges}
    free = {
        name: read_number(units[name].from_base(x), units[name]) for name, x in zip(units, one.best.at, strict=True)
    }
    return {**question.fixed, **one.pick.listed, **free}


def put_back(library: RelationSet, question: Asked, limits: Sequence[Stated], one: Looked) -> tuple[Looked, Answer]:
    """The best point with its answer; every limit that the question states is among the answer's checks.

    Where a limit, the end of a domain or a jump decides, the point's own rounding may lie beyond it; a neighbour then
    counts, with the value that it has itself.
    """
    try:
        return one, _answer_at(library, question, limits, one)
    except LimitError:
        raise
    except DeriveError as error:
        beside = _neighbour(library, question, limits, one)
        if beside is None and isinstance(error, VerificationError):
            beside = _at_its_own_value(library, question, limits, one)
        if beside is None:
            raise
        return beside


def _neighbour(
    library: RelationSet, question: Asked, limits: Sequence[Stated], one: Looked
) -> tuple[Looked, Answer] | None:
    """A neighbour of the best point whose answer holds: the nearest that is as good, else the best of them."""
    best: tuple[Looked, Answer] | None = None
    near_enough = one.best.value + tolerated(one.best.value, one.best.blur, EXTREME)
    program = one.programs[0]
    for at in chain(neighbours(program, one.best.at), shortened(program, one.best.at)):
        near = replace(one, best=replace(one.best, at=at))
        with suppress(DeriveError):
            answer = _answer_at(library, question, limits, near)
            assert answer.base is not None
            reached = replace(near, best=replace(near.best, value=answer.base * program.sign))
            if best is None or reached.best.value < best[0].best.value:
                best = reached, answer
            if reached.best.value <= near_enough:
                break
    return best


def _at_its_own_value(
    library: RelationSet, question: Asked, limits: Sequence[Stated], one: Looked
) -> tuple[Looked, Answer] | None:
    """The best point with the value that its answer has; None if that lies beyond the bound, which then is false.

    Rounding decides otherwise than the solver in `ceil((d + 1) - d)`, which is 2 for some d in doubles.
    """
    with suppress(DeriveError):
        answer = _answer_at(library, question, limits, one, is_any=True)
        assert answer.base is not None
        number = answer.base * one.programs[0].sign
        if number >= one.best.floor - tolerated(one.best.floor, one.best.blur, EXTREME):
            return replace(one, best=replace(one.best, value=number)), answer
    return None


def _answer_at(
    library: RelationSet, question: Asked, limits: Sequence[Stated], one: Looked, *, is_any: bool = False
) -> Answer:
    """The answer at a best point: the value that the search found there, or any."""
    given = values_at(library, question, one)
    answers = answers_at(library, question.target, one.pick.profiles, given)
    reached = one.best.value * one.programs[0].sign
    near = min(answers, key=lambda answer: abs((answer.base or 0.0) - reached))
    answer = near if len(answers) == 1 else _one_of(near, len(answers))
    if not is_any and not _is_reached(one, answer.base or 0.0):
        raise _astray(question.target, answer, reached)
    held = {limit.name: limit for program in one.programs for limit in program.limits if limit.relation is not None}
    there = {check.name for check in answer.checks}
    untested = [limit for limit in limits if limit.name in held and limit.name not in there]
    tested = [_check(library, limit, answer, one, given) for limit in untested]
    checks = [
        _again(library, check, answer, one, given) if check.name in held else check
        for check in (*answer.checks, *tested)
    ]
    broken = [check for check in checks if check.name in held and not check.passed]
    if broken:
        raise _astray(f"{question.target} under {broken[0].name}", answer, reached)
    played = {name for limit in held.values() for name in names_in(limit.written.lhs, limit.written.rhs)}
    unused = tuple(name for name in answer.unused if name not in played)
    return replace(answer, checks=tuple(checks), unused=unused)


def _again(library: RelationSet, check: Check, answer: Answer, one: Looked, given: Mapping[str, Value]) -> Check:
    """A limit that fails, tested again on the rounding of all that it is made of.

    A quantity that is nearly zero may be a difference of large ones, and what it lacks then is their rounding. And
    where several solutions have one value of the target, the answer is of the first, and the limit may hold of another.
    """
    for program in one.programs if not check.passed else ():
        numbers = program.numbers(one.best.at)
        if numbers is None or not program.holds_at(numbers):
            continue
        points, point = Points(program), [numbers[name] for name in program.names]
        for i, limit in enumerate(program.limits):
            if limit.name != check.name or limit.relation is None:
                continue
            written = limit.relation.written
            names = names_in(written.lhs, written.rhs)
            stated = {name: program.known[name] for name in names if name not in library.declared}
            others = [name for name in names if name not in stated]
            values = {**stated, **_values(library, others, answer, one, given)}
            over = value(written.lhs, values) - value(written.rhs, values)
            if program.solved is not None or abs(over) <= points.blur(point, i + 1):
                return replace(check, gap=residual(limit.written, numbers), passed=True, verdict="", brief="")
    return check


def answers_at(library: RelationSet, target: str, profiles: Sequence[Any], given: Mapping[str, Value]) -> list[Answer]:
    """The answers with a number at a point; where there is none, the solver's error is raised."""
    try:
        return [solve(library, target, tuple(profiles), given)]
    except AmbiguousError as error:
        found = [answer for answer in error.answers if answer.base is not None]
        if not found:
            raise
        return found


def _one_of(answer: Answer, count: int) -> Answer:
    """An answer that is one of several at its point, which it says."""
    name = answer.quantity.name
    note = Assumption(f"{name} has {count} admissible values at this choice; this is the best that the limits allow")
    return replace(answer, stated_assumptions=(*answer.stated_assumptions, note))


def _is_reached(one: Looked, number: float) -> bool:
    """Whether the answer is the goal of a case at the best point, to within rounding of the terms of either."""
    reached = one.best.value * one.programs[0].sign
    if math.isclose(number, reached, rel_tol=AGREEMENT):
        return True
    for program in one.programs:
        values = program.numbers(one.best.at)
        if values is None:
            continue
        if abs(residual(Equation(program.plain, "=", Number(Fraction(number))), values)) <= AGREEMENT:
            return True
        if abs(number - reached) <= AGREEMENT * program.of_one_more(values):
            return True
    return abs(number - reached) <= one.best.blur


def _check(library: RelationSet, limit: Stated, answer: Answer, one: Looked, given: Mapping[str, Value]) -> Check:
    """A limit that the answer does not test by itself, tested on its numbers and on answers at the best point."""
    values = {name: value.base[1] for name, value in limit.values.items()}
    values |= _values(library, limit.names, answer, one, given)
    if not all(holds(condition, values) for condition in limit.conditions):
        return Check(limit.name, limit.name, 0.0, passed=True, tested=limit.relation, numbers=values)
    gap = residual(limit.written, values)
    passed = agrees(limit.written, values)
    return Check(limit.name, limit.name, gap, passed, tested=limit.relation, numbers=values)


def _values(
    library: RelationSet, names: Iterable[str], answer: Answer, one: Looked, given: Mapping[str, Value]
) -> dict[str, float]:
    """The numbers of quantities at the best point: those of the answer, else of answers of their own."""
    reached = _numbers_of(answer)
    values = {}
    for name in names:
        number = reached[name] if name in reached else quantity_at(library, name, one.pick.profiles, given)
        values[name] = math.nan if number is None else number
    return values


def _numbers_of(answer: Answer) -> dict[str, float]:
    """The numbers of an answer and of its steps."""
    steps = [part for step in answer.steps for part in (step.together or (step,))]
    found = {step.quantity: step.result[0] for step in steps if step.result is not None}
    points = {name: low for name, (low, high) in found.items() if low == high}
    return points if answer.base is None else {**points, answer.quantity.name: answer.base}


def _astray(what: str, answer: Answer, reached: float) -> VerificationError:
    return VerificationError(
        f"{what}: the best point was found at {reached:.12g}, and its answer is {answer.base}.",
        hint="This is a bug in derive: report the question.",
        relation=answer.quantity.name,
        residual=math.inf,
    )
