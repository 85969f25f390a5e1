"""Equations in one unknown that stands inside a rounding and beside it, solved by the whole numbers of the rounding.

Towards an infinity, or a pole, a rounding may step without end: `k = ceil(n/m)*m` has steps at all m = n/2, n/3, ...,
and no search along m goes through them. But with a whole number j in place of the rounding, the equation gives m as a
form of j, here k/j, and m is a solution where its own rounding comes to j. So j has to lie in the range in which the
argument, less j, is less than one step: `n*j/k - j` between -1 and 0. A ratio of polynomials in j does so on a few
intervals, which FLINT's roots bound, and in each of these every whole number is put back exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import chain

from derive.expressions.functions import STEPPED
from derive.expressions.tree import Apply, Equation, Name, Node, Number, operations, replaced, with_forms
from derive.numerics.algebra.constant_folding import folded, stated
from derive.numerics.algebra.exact_values import Undefined, exact_number, rationals
from derive.numerics.algebra.isolation import Candidate, isolate
from derive.numerics.algebra.like_terms import SWITCHES, added, difference_of, inverted, negated
from derive.numerics.algebra.piecewise_rationals import ExactSolutions, exact_preimage, exact_solutions
from derive.numerics.intervals.arithmetic import Span
from quantities.domain import Domain
from quantities.rational import nearest

_STEP = Name("whole number of a rounding")  # no library declares such a name
_ANY = Domain("real", -math.inf, math.inf)
_MOST = 200  # whole numbers of a range that are put back on each side of zero
_BEFORE_ROUNDING: Mapping[str, Span] = {"floor": (0.0, 1.0), "ceil": (-1.0, 0.0)}
"""How far a number may lie above the whole number that it is rounded to; a whole step is rounded to another one."""


def solutions_by_steps(
    equation: Equation, name: str, known: Mapping[str, float], domain: Domain
) -> ExactSolutions | None:
    """The solutions of an equation with a rounding around its unknown and the unknown beside it; None if not exact.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.rational import written
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> parts = parse_equation("k = ceil(n/m)*m")
    >>> solutions_by_steps(parts, "m", {"k": written(5.0), "n": written(4.0)}, positive).points
    (1.25, 1.6666666666666667, 2.5, 5.0)
    """
    given = rationals((other for other in equation.names if other != name), known)
    if given is None:
        return None
    numbers: dict[str, Node] = {other: Number(number) for other, number in given.items()}
    put_in = equation.changed(lambda side: with_forms(side, numbers))
    roundings = {rounding for rounding in operations(*put_in.sides, among=STEPPED) if name in rounding.names}
    if len(roundings) != 1:
        return None
    (rounding,) = roundings
    in_step = put_in.changed(lambda side: replaced(side, rounding, _STEP))
    if name not in in_step.names or any(operations(*in_step.sides, rounding, among=SWITCHES)):
        return None
    candidates = isolate(in_step, name)
    if candidates is None or any(_is_open(candidate, in_step, name, domain) for candidate in candidates):
        return None
    difference = difference_of(put_in)
    points: set[float] = set()
    are_all = True
    for candidate in candidates:
        ranges = _ranges(rounding, candidate.form, name, domain)
        if ranges is None:
            return None
        steps, are_all_of_form = _whole_numbers(ranges)
        are_all = are_all and are_all_of_form
        for step in steps:
            try:
                x = exact_number(candidate.form, {_STEP.name: Fraction(step)})
                gap = 1 if x is None or nearest(x) not in domain else exact_number(difference, {name: x})
            except Undefined:
                continue
            if x is None or gap is None:  # not rational
                return None
            if gap == 0:
                points.add(nearest(x))
    return ExactSolutions(tuple(sorted(points)), (), are_all)


def _is_open(candidate: Candidate, in_step: Equation, name: str, domain: Domain) -> bool:
    """Whether the closed form for each step may leave out a solution.

    Where a divisor is zero, the equation is another one, and has to have no solution.
    """
    if candidate.winds is not None or candidate.powers:
        return True
    for divisor in candidate.divisors:
        zeros = exact_solutions(Equation(divisor, "=", Number(Fraction(0))), _STEP.name, {}, _ANY)
        if zeros is None or zeros.spans:
            return True
        for step in (Number(stated(zero)) for zero in zeros.points if zero.is_integer()):
            lhs, rhs = (folded(replaced(side, _STEP, step), {}) for side in in_step.sides)
            left = exact_solutions(Equation(lhs, "=", rhs), name, {}, domain)
            if left is None or left.points or left.spans:
                return True
    return False


def _ranges(rounding: Apply, form: Node, name: str, domain: Domain) -> list[Span] | None:
    """The intervals of steps in which the rounding of a form may come to the step itself; None if they are not exact.

    The form may leave the domain beyond them.
    """
    room = added(with_forms(rounding.args[0], {name: form}), negated(_STEP))
    ranges = exact_preimage(room, _STEP.name, {}, _BEFORE_ROUNDING[rounding.op], _ANY)
    if ranges is not None and not all(math.isfinite(high - low) for low, high in ranges):
        ranges = tuple(span for span in ranges if not _is_whole_step(room, span))
    low, high = (1.0 if domain.whole and domain.low == 0 and domain.open_low else domain.low), domain.high
    if ranges is None:
        return None
    if math.isfinite(low) and math.isfinite(high):
        inside = exact_preimage(form, _STEP.name, {}, (low, high), _ANY)
    elif low > 0:
        inside = exact_preimage(inverted(form), _STEP.name, {}, (0.0, 1 / low), _ANY)
    else:
        return [*ranges]
    return None if inside is None else [*_common(ranges, inside)]


def _is_whole_step(room: Node, span: Span) -> bool:
    """Whether the argument of a rounding is a step away from the whole number throughout a range, so that none is."""
    away = chain.from_iterable(exact_preimage(room, _STEP.name, {}, (end, end), _ANY) or () for end in (-1.0, 1.0))
    return any(low <= span[0] and span[1] <= high for low, high in away)


def _common(ranges: Iterable[Span], others: Iterable[Span]) -> Iterator[Span]:
    """The parts of ranges of steps that lie in others too."""
    bounds = [*others]
    for low, high in ranges:
        for bottom, top in bounds:
            if max(low, bottom) <= min(high, top):
                yield max(low, bottom), min(high, top)


def _whole_numbers(ranges: Iterable[Span]) -> tuple[list[int], bool]:
    """The whole numbers in ranges of steps, and whether these are all: of a long range, those nearest to zero.

    Each range is taken one wider on both sides, as its ends are rounded.
    """
    steps: list[int] = []
    are_all = True
    for low, high in ranges:
        nearest_to_zero = min(max(0.0, low), high)
        first, last = max(low, nearest_to_zero - _MOST), min(high, nearest_to_zero + _MOST)
        are_all = are_all and (first, last) == (low, high)
        steps += range(math.floor(first) - 1, math.ceil(last) + 2)
    return steps, are_all
