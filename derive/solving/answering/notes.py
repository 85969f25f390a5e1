"""Notes beside the number of an answer: on its bounds, on what relations neglect, on lost digits, on whole counts.

Bounds over ranges may be reached, in this case and beside other quantities, or only contain every value.

A relation may name the share that it `neglects`: what it leaves out, over what it counts. An answer that rests on it
says so once, with the number, where the givens of the question lead to one that is worth telling.

Doubles keep nothing of a number that is too small for them, or that stands beside a pole: `exp(-1000)` is zero in
doubles and nowhere else, and the tangent of 1.5707963267948966 another number with another last digit. An answer that
rests on such a number says so.

Beside a count that comes out as no whole number stand the whole numbers below and above it. Relations know nothing of
whole numbers: 14.3 chips make both sides of one equal. A step of 20 ms is then missed by 14 chips and more than met by
15. Each of the two takes the place of the count, and the given that follows from it in the direction in which the
relations are written, the step here, is worked out again. An answer that rests on such a count says so.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.expressions.tree import Apply, Equation, Node, Number, names_in, render, walk
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.multiprecision import exactly, sign_of_gap
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan
from derive.presentation.numbers import customary, shown_number, shown_span
from derive.solving.execution.answer import Answer, Neglected
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question
from derive.solving.execution.regimes import explored
from derive.time_limits import query
from derive.tolerances import AGREEMENT, EPSILON, FOLLOWED, VANISHED, WORTH_TELLING
from quantities.rational import exact_of

if TYPE_CHECKING:
    from quantities.declaration import Declaration
    from quantities.value import Value

__all__ = [
    "counts_on_the_way",
    "lost_digits",
    "neglected",
    "whole_numbers",
]

_DIGITS = 3  # of what is left out


def neglected(library: RelationSet, question: Question, made: Plan) -> tuple[Neglected, ...]:
    """What the relations of a plan leave out, each share once; the meaning of a share begins with what it is.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''[quantities]
    ... height = { unit = "m" }
    ... speed = { unit = "m/s" }
    ... drag_share = { unit = "", meaning = "the drag of the air, over the speed" }
    ... thickness = { unit = "m" }
    ... gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
    ... [relations]
    ... fall = { equation = "speed = sqrt(2*gravity*height)", neglects = "drag_share" }
    ... drag_share = { equation = "drag_share = 0.001*height/thickness" }''')
    >>> fall.solve("speed", height="5 m", thickness="0.1 m").assumptions
    ('fall leaves out the drag of the air: 0.05 of what it counts (drag_share)',)
    >>> fall.solve("speed", height="5 m", thickness="9 m").assumptions, fall.solve("speed", height="5 m").assumptions
    ((), ())
    """
    found: dict[str, Neglected | None] = {}
    for relation in made.relations:
        share = library.relations[relation].neglected_share
        if share in library.declared and share not in found:
            found[share] = _neglected(library, question, relation, share)
    return tuple(one for one in found.values() if one is not None)


def _neglected(library: RelationSet, question: Question, relation: str, share: str) -> Neglected | None:
    number = _number(library, question, share)
    if number is None or abs(number) < WORTH_TELLING:
        return None
    declared = library.declared[share]
    what = declared.meaning.partition(",")[0] or "a part"
    return Neglected(relation, share, what, number, shown_number(number, declared.unit, _DIGITS))


def _number(library: RelationSet, question: Question, name: str) -> float | None:
    """What a quantity is by the givens of a question, if just one number; its own value, where nothing leads to it."""
    if name in question.strong:
        return question.strong[name].base[1]
    weak = {other: value for other, value in question.weak.items() if other != name}
    asked = replace(question, target=name, weak=weak, own=None)
    with query():
        cases = [found for _, found in explored(library, asked, partial(carried_out, library))]
    states = [state for found in cases if isinstance(found, Found) for state in found.states]
    numbers = {state.values[name] for state in states if name in state.values}
    if not numbers and name in question.weak:
        return question.weak[name].base[1]
    return numbers.pop() if len(numbers) == 1 else None


_WITH_POLES = ("tan", "sin", "cos")
_ZERO = Number(Fraction(0))


def lost_digits(made: Plan, state: State) -> Iterator[str]:
    """A sentence for each number on the way to an answer of which rounding left nothing.

    >>> from derive.relation_files.loading import load
    >>> decay = load('''[quantities]
    ... time = { unit = "s" }
    ... rate = { unit = "1/s" }
    ... left = { unit = "", domain = "nonnegative" }
    ... [relations]
    ... decay = { equation = "left = exp(-time*rate)" }''')
    >>> print(decay.solve("left", time="1000 s", rate="1 1/s"))  # doctest: +ELLIPSIS
    left = 0
      left is not zero: exp(-time*rate) is smaller than any number with which this computes
    ...
    """
    for name in made.unknowns:
        form = state.forms.get(name)
        if form is None or name not in state.values or not state.values.keys() >= {*names_in(form)}:
            continue
        if abs(state.values[name]) < sys.float_info.min:
            if sign_of_gap(Equation(form, "=", _ZERO), state.values):
                yield f"{name} is not zero: {render(form)} is smaller than any number with which this computes"
        else:
            yield from _on_last_digits(name, form, state)


def _on_last_digits(name: str, form: Node, state: State) -> Iterator[str]:
    """What is another number with another last digit of what it depends on.

    The last digit of a computed number is rounded. That of a typed one is not, but beside a pole nobody means it.
    """
    has_poles = any(isinstance(part, Apply) and part.op in _WITH_POLES for part in walk(form))
    number = value(form, state.values)
    for other in names_in(form):
        is_computed = exact_of(state.values[other]) is None
        if not (is_computed or has_poles):
            continue
        # in doubles first, which is quick, and further away than their rounding
        aside = value(form, {**state.values, other: state.values[other] * (1 + FOLLOWED)})
        if abs(aside - number) <= FOLLOWED / EPSILON * AGREEMENT * abs(number):
            continue
        exact, aside = (exactly(form, {**state.values, other: state.values[other] * by}) for by in (1.0, 1 + EPSILON))
        if not abs(aside - exact) <= (AGREEMENT if is_computed else VANISHED) * abs(exact) and not math.isnan(exact):
            yield f"{name} hangs on the last digit of {other}: next to it {render(form)} is another number"
            return


_MANY = 1000  # sequences or chips, of which one more or less makes no difference that anybody minds

Solve = Callable[[str, Mapping[str, "Value | str"]], "Answer"]


def counts_on_the_way(answer: Answer, numbers: Mapping[str, float]) -> str:
    """Which counts that an answer follows from come out as no whole numbers; those of ranges are in between."""
    if answer.bounds is not None:
        return ""
    told = [
        f"{name} comes out as {shown_number(number, quantity.unit)}"
        for name, number in numbers.items()
        if (quantity := answer.quantities[name]).domain.whole and not quantity.domain.is_whole(number)
    ]
    return f"a count is whole: {', '.join(told)} on the way" if told else ""


def whole_numbers(library: RelationSet, question: Question, answer: Answer, solve: Solve) -> str:
    """Which whole numbers of a count do, and what for; nothing where the answer is whole, or no count."""
    quantity = answer.quantity
    if not quantity.is_count:
        return ""
    low, high = answer.bounds or (-math.inf, math.inf)
    if not quantity.domain.whole and quantity.unit.from_base(low if answer.base is None else answer.base) >= _MANY:
        return ""
    if answer.base is None or answer.bounds is not None:
        return _between(quantity, low, high)
    if quantity.domain.is_whole(answer.base):
        return ""
    number = quantity.unit.from_base(answer.base)
    ends = [quantity.unit.to_base(float(end)) for end in (math.ceil(number), math.floor(number))]
    counts = [end for end in ends if quantity.domain.admits(end)]
    for name in _followers(library, question, answer):
        told = [_sufficing(library, question, name, answer, count, solve) for count in counts]
        if told and all(told):
            return f"a count is whole: {', and '.join(map(str, told))}"
    return f"a count is whole: {' or '.join(shown_number(count, quantity.unit) for count in sorted(counts))}"


def _between(quantity: Declaration, low: float, high: float) -> str:
    """The whole numbers within bounds, where these are not whole themselves."""
    least, most = _rounded(quantity, low, math.ceil), _rounded(quantity, high, math.floor)
    if (least, most) == (low, high):
        return ""
    if least > most:
        return "a count is whole: no whole number lies there"
    return f"a count is whole: {shown_span(least, most, quantity.unit)}"


def _rounded(quantity: Declaration, end: float, towards: Callable[[float], int]) -> float:
    """The whole number next to an end of bounds, which stays where it is if it is whole or open."""
    if math.isinf(end) or quantity.domain.is_whole(end):
        return end
    return quantity.unit.to_base(float(towards(quantity.unit.from_base(end))))


def _followers(library: RelationSet, question: Question, answer: Answer) -> Iterator[str]:
    """The typed givens that a relation is written for: what the count is to bring about."""
    written_for = {*structure_of(library).forward.values()}
    return (name for name in answer.given if name in question.strong and name in written_for)


def _sufficing(
    library: RelationSet, question: Question, name: str, answer: Answer, count: float, solve: Solve
) -> str | None:
    """For what a whole number suffices: the given on the side to which it moves it, and what fails only there."""
    counted = answer.quantity
    known = {other: value for other, value in question.strong.items() if other not in (name, counted.name)}
    wanted, unit = question.strong[name].base[1], library.declared[name].unit
    try:
        there = solve(name, {**known, counted.name: shown_number(count, counted.unit, 17)})
    except DeriveError:
        return None
    if there.base is None or there.base == wanted:
        return None
    side = "at most" if there.base < wanted else "at least"
    failing = {check.name for check in there.failed} - {check.name for check in answer.failed}
    but = f", where {' and '.join(sorted(failing))} fails" if failing else ""
    reached = f"{name} {side} {customary(wanted, unit)} ({customary(there.base, unit)}){but}"
    return f"{shown_number(count, counted.unit)} suffices for {reached}"
