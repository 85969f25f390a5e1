"""The whole numbers beside a count that comes out as none.

Relations know nothing of whole numbers: 14.3 chips make both sides of one equal. A step of 20 ms is then missed by 14
chips and more than met by 15. Each of the two takes the place of the count, and the given that follows from it in the
direction in which the relations are written, the step here, is worked out again. An answer that rests on such a count
says so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.numerics.intervals.arithmetic import Span
from derive.planning.incidence import structure_of
from derive.presentation.numbers import ALL_DIGITS, customary, shown_choice, shown_number, shown_span, told_apart
from derive.solving.execution.answer import Answer
from derive.solving.ranges.bounds import SolutionBranch
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from quantities.declaration import Declaration
    from quantities.value import Value

_MANY = 1000  # sequences or chips, of which one more or less makes no difference that anybody minds


Solve = Callable[[str, Mapping[str, "Value | str"]], "Answer"]


def whole_counts(branch: SolutionBranch, answer: Answer, solve: Solve) -> str:
    """A sentence on a count that comes out as no whole number: the target, or else one on the way to it."""
    return _for_target(branch, answer, solve) or _on_the_way(branch, answer)


def _on_the_way(branch: SolutionBranch, answer: Answer) -> str:
    """The sentence on counts on the way to an answer that come out as no whole numbers."""
    if answer.bounds is not None:
        return ""  # over ranges, most counts lie between whole numbers
    values, spans = branch.state.values, branch.state.spans
    counts = []
    for name in branch.plan.unknowns:
        quantity = answer.quantities[name]
        if name == branch.plan.target or name in spans or name not in values or not quantity.domain.whole:
            continue
        if not quantity.domain.is_whole(values[name]):
            counts.append(f"{name} comes out as {_shown_fraction(values[name], quantity)}")
    return f"a count is whole: {', '.join(counts)} on the way" if counts else ""


def _shown_fraction(number: float, quantity: Declaration) -> str:
    """The text of a count that comes out as no whole number, with digits that tell it from the nearest one."""
    both = number, _whole_count(quantity, number)
    shown, _ = told_apart(lambda digits: [shown_number(x, quantity.unit, digits) for x in both])
    return shown


def _for_target(branch: SolutionBranch, answer: Answer, solve: Solve) -> str:
    """The sentence on the whole numbers next to a target that is a count, and what they suffice for."""
    quantity = answer.quantity
    if not quantity.is_count:
        return ""
    low, high = answer.bounds or (-math.inf, math.inf)
    least = low if answer.base is None else answer.base
    if not quantity.domain.whole and quantity.unit.from_base(least) >= _MANY:
        return ""
    if answer.base is None or answer.bounds is not None:
        return _between(branch, answer, (low, high), solve)
    if quantity.domain.is_whole(answer.base):
        return ""
    number = quantity.unit.from_base(answer.base)
    ends = [quantity.unit.to_base(float(end)) for end in (math.ceil(number), math.floor(number))]
    counts = [end for end in ends if quantity.domain.admits(end)]
    for name in _givens_written_for(branch, answer):
        sentences = [_what_suffices(branch, name, answer, count, solve) for count in counts]
        if sentences and all(sentences):
            return f"a count is whole: {', and '.join(map(str, sentences))}"
    return f"a count is whole: {' or '.join(shown_choice(count, quantity) for count in sorted(counts))}"


def _between(branch: SolutionBranch, answer: Answer, bounds: Span, solve: Solve) -> str:
    """The sentence on the whole numbers within the bounds of a count; empty if these are whole themselves.

    Bounds may be approached only: `3 = ceil(10/m)` leaves m below 5.
    """
    quantity, (low, high) = answer.quantity, bounds
    least, most = _rounded_inwards(quantity, low, math.ceil), _rounded_inwards(quantity, high, math.floor)
    if least == low and not _is_answer(branch, answer, least, solve):
        least = _whole_count(quantity, least, 1)
    if most == high and not _is_answer(branch, answer, most, solve):
        most = _whole_count(quantity, most, -1)
    if (least, most) == (low, high):
        return ""
    if least > most:
        return "a count is whole: no whole number lies there"
    if least == most:
        return f"a count is whole: {shown_choice(least, quantity)}"
    return f"a count is whole: {shown_span(least, most, quantity.unit, ALL_DIGITS)}"


def _rounded_inwards(quantity: Declaration, end: float, towards: Callable[[float], int]) -> float:
    """The whole count next to an end of bounds, which stays where it is if it is whole or infinite."""
    if math.isinf(end) or quantity.domain.is_whole(end):
        return end
    return quantity.unit.to_base(float(towards(quantity.unit.from_base(end))))


def _whole_count(quantity: Declaration, count: float, further: int = 0) -> float:
    """The whole count that a number nearly is, or one so many further."""
    return quantity.unit.to_base(float(round(quantity.unit.from_base(count)) + further))


def _is_answer(branch: SolutionBranch, answer: Answer, count: float, solve: Solve) -> bool:
    """Whether a whole count at an end of bounds leads to the typed givens; as far as relations are written for these.

    Over ranges, ends are reached at an end of these, and not tried.
    """
    if branch.question.ranges or math.isinf(count):
        return True
    for name in _givens_written_for(branch, answer):
        there = _given_at(branch, name, answer, _whole_count(answer.quantity, count), solve)
        if there is not None and there.base is not None:
            wanted = branch.question.strong[name].base[1]
            return math.isclose(there.base, wanted, rel_tol=AGREEMENT)
    return True


def _givens_written_for(branch: SolutionBranch, answer: Answer) -> Iterator[str]:
    """The typed givens that a whole count is to bring about: some relation is written for them."""
    written_for = {*structure_of(branch.library).forward.values()}
    return (name for name in answer.given if name in branch.question.strong and name in written_for)


def _what_suffices(branch: SolutionBranch, name: str, answer: Answer, count: float, solve: Solve) -> str | None:
    """The sentence on what a whole count suffices for: the side to which it moves a given; None if the given stays."""
    counted = answer.quantity
    wanted, unit = branch.question.strong[name].base[1], branch.library.declared[name].unit
    there = _given_at(branch, name, answer, count, solve)
    if there is None or there.base is None or there.base == wanted:
        return None
    reached_base = there.base
    side = "at most" if reached_base < wanted else "at least"
    met, reached = told_apart(lambda digits: [customary(base, unit, digits) for base in (wanted, reached_base)], 4)
    text = f"{name} {side} {met} ({reached})"
    failing = {check.name for check in there.failed} - {check.name for check in answer.failed}
    if failing:
        text += f", where {' and '.join(sorted(failing))} fails"
    return f"{shown_choice(count, counted)} suffices for {text}"


def _given_at(branch: SolutionBranch, name: str, answer: Answer, count: float, solve: Solve) -> Answer | None:
    """What a typed given would be at a whole count, by all others; None where that is refused."""
    counted = answer.quantity
    known = {other: value for other, value in branch.question.strong.items() if other not in (name, counted.name)}
    try:
        return solve(name, {**known, counted.name: shown_number(count, counted.unit, 17)})  # all digits of a double
    except DeriveError:
        return None
