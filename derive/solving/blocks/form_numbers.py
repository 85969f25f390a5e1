"""The numbers of one unknown's closed forms, to the last digit, and without what is rounding alone.

Doubles compute a form with rounding in each operation. Here its rational parts are exact, and the rest has many digits;
a number that follows from exact ones keeps its exact value. Rounded givens may move a number off zero, off the end of
its domain, or past the end of a function: what is moved by rounding alone is put back.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial

from derive.errors import LimitError, LimitKind
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Equation, Node, Number, rebuilt
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.evaluation import chosen_arm, residual, value, with_exact_parts
from derive.numerics.algebra.exact_values import is_known, order, with_exact_value
from derive.numerics.algebra.isolation import TURNS, Candidate, unwound
from derive.numerics.algebra.multiprecision import exactly, is_root, is_rounded_zero
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.blocks.system import agrees
from derive.tolerances import BLUR
from quantities.domain import Domain
from quantities.rational import exact_of, nearest, written

_TURNS = 400  # limit on turns of an angle


def numbers_of(problem: OneUnknown, candidate: Candidate, turn: Domain | None) -> Iterator[tuple[float, Node]]:
    """The values and forms of a candidate for one unknown, one for each turn of an angle within the domain."""
    if candidate.winds is None:
        for form in (candidate.form, candidate.other):
            number = math.nan if form is None else value_of_form(problem, problem.known, form)
            if form is not None and math.isfinite(number):
                yield _snapped(form, number, problem.known, problem.domain), form
        return
    within = turn or problem.domain
    for turns in _turn_counts(candidate.winds, problem, within):
        values = {**problem.known, TURNS.name: written(float(turns))}
        number = _snapped(candidate.form, value_of_form(problem, values, candidate.form), values, within)
        if number in within:
            yield number, unwound(candidate.form, turns)


def _turn_counts(wave: Apply, problem: OneUnknown, within: Domain) -> Sequence[int]:
    """Every number of turns that an angle can have while the one unknown in it stays in its domain, the fewest first.

    An angle is an arc between -pi and two pi, plus whole turns. Where several lead to one solution, as those of
    `sin(atan(y))`, its form has the fewest.
    """
    reach = max(within.low, -sys.float_info.max), min(within.high, sys.float_info.max)
    if within.low == 0 and within.open_low:
        reach = math.ulp(0.0), reach[1]
    spans = point_box(problem.known) | {problem.name: reach}
    angle = enclose(wave.args[0], spans, "")
    if angle is None:
        return ()
    low, high = (end / TABLE[wave.op].period for end in angle.values)
    if not high - low <= _TURNS:
        what = f"More than {_TURNS} turns lie in the domain."
        raise LimitError(what, hint="Narrow the domain.", limit="turns", kind=LimitKind.TURNS)
    return sorted(range(math.floor(low) - 1, math.ceil(high) + 2), key=abs)


def value_of_form(problem: OneUnknown, known: Mapping[str, float], form: Node) -> float:
    """A candidate for one unknown from its closed form, to the last digit; NaN if it has none, or one in doubles only.

    In doubles `log(1 - (y - c)/a)` may be -37 where its argument is zero, and the sides only approach each other. So
    rational parts are computed exactly, which also keeps an argument from passing the end of a function's domain.
    """
    exact_form = with_exact_parts(form, known)
    if exact_form is None:
        return math.nan
    if isinstance(exact_form, Number):
        return nearest(exact_form.value)
    number = exactly(exact_form, known)
    if number == number:
        return with_exact_value(number, exact_form, known) if problem.is_exact else number
    number = value(exact_form, known)
    if number != number and not problem.is_exact:
        return value(rebuilt(exact_form, partial(_at_end_of_function, known=known)), known)
    is_sound = math.isfinite(number) and is_root(problem.equation, problem.name, {**known, problem.name: number})
    return number if is_sound else math.nan


def _at_end_of_function(part: Node, known: Mapping[str, float]) -> Node | None:
    """A part of a closed form for one unknown, if its argument lies outside a function's domain by rounding: its end.

    A cosine that was computed may be 1.0000000000000002.
    """
    if not isinstance(part, Apply) or part.op not in TABLE:
        return None
    argument = value(part.args[0], known)
    for end, is_outside in zip(TABLE[part.op].domain, (operator.lt, operator.gt), strict=True):
        if is_outside(argument, end) and agrees(Equation(part.args[0], "=", Number(Fraction(end))), known):
            return Apply(part.op, (Number(Fraction(end)),))
    return None


def _snapped(form: Node, number: float, known: Mapping[str, float], domain: Domain) -> float:
    """A candidate for one unknown, moved to the nearest end of its domain if only rounding keeps it from that end."""
    end = min(domain.ends, key=lambda end: abs(number - end))
    if number in domain or not math.isfinite(end):
        return number
    if domain.is_rounded and domain.admits(number):
        return end
    is_end = not is_known(number) and order(form, Number(stated(end)), known, chosen_arm).is_tie
    return end if is_end else number


def without_noise(problem: OneUnknown, number: float) -> float:
    """A value found for the relation's one unknown, or zero if it differs from zero by rounding alone.

    A number known exactly is never zero by rounding.
    """
    if is_known(number):
        return number
    near = number and problem.meets(0.0, BLUR)
    return 0.0 if near and is_rounded_zero(problem.equation, problem.name, problem.at(number)) else number


def with_value(problem: OneUnknown, number: float) -> float:
    """A computed root, or the double beside it if both sides have values only there.

    `sqrt(x**2 - 3)` has none at the double next to sqrt(3), whose square is less than 3.
    """
    if exact_of(number) is not None:
        return number
    tried = (number, math.nextafter(number, -math.inf), math.nextafter(number, math.inf))
    return next((x for x in tried if not math.isnan(residual(problem.equation, problem.at(x)))), number)
