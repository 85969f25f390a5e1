"""Equations in one unknown that are ratios of polynomials piece by piece, solved in rational numbers.

Sums, products, quotients, whole powers, absolute values, maxima, minima, choices and roundings of one unknown and of
rational numbers are such equations. Doubles tell the cases of them apart only by tolerances: whether `a + b - c` is
zero, so that a term of the equation vanishes; whether `x - max(x - a, 0)` is y along a whole stretch, because y is a;
at which end of a stretch an arm begins to bind. Here all of that is decided without rounding:

1. The *breaks*, at which another arm binds or a rounding steps, are zeros of differences of arms. They are collected
   from the innermost choice outwards. Between two breaks each choice is the arm that binds at any one point there.
2. Between two breaks an expression is therefore one ratio of polynomials. It enters or leaves a range where it is equal
   to an end of the range, at a pole, or at a break; FLINT isolates the roots. Between two of these *places*, one point
   tells whether it lies in the range; at a place, the place itself does.
3. An equation holds where the difference of its sides lies in the range from zero to zero.

Breaks that are irrational, or too many, are left to other methods, and so is whatever has no value at a trial point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, pairwise, starmap
from operator import attrgetter
from typing import Any

from flint import arb, fmpq_poly

from derive.expressions.functions import STEPPED
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, Number, cases, names_in, operations, with_forms
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.exact_values import Undefined, exact_number, exact_value, rationals
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.algebra.linear_cases import Interval
from derive.numerics.algebra.polynomials import Polynomial, exactly, fraction, is_tractable, nearest_root, ratio_of
from derive.numerics.intervals.arithmetic import Span
from derive.time_limits import tick
from quantities.domain import Domain
from quantities.rational import exact_of, nearest

_MOST_BREAKS = 400
_CLOSEST = Fraction(1, 2**50)  # relative distance of places between which a rounded root leaves no sure point
_CHOICES = {"max", "min", "abs", "piecewise", *STEPPED}


@dataclass(frozen=True, slots=True)
class ExactSolutions:
    """The solutions of an equation in a domain: single numbers, and intervals whose every number is one."""

    points: tuple[float, ...]
    spans: tuple[Span, ...]
    are_all: bool = True


class _NotExact(Exception):  # noqa: N818 - no error: other methods solve the equation
    """The equation is not one of these, or has irrational breaks."""


def exact_solutions(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> ExactSolutions | None:
    """All solutions of an equation that is piecewise a ratio of polynomials; None if it is none, or not exact.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.rational import written
    >>> real = Domain("real", -math.inf, math.inf)
    >>> vanishing = parse_equation("y = (a + b - c)*x**2 + x")
    >>> exact_solutions(vanishing, "x", {n: written(x) for n, x in zip("abcy", (0.1, 0.2, 0.3, 5.0))}, real)
    ExactSolutions(points=(5.0,), spans=(), are_all=True)
    >>> kept = parse_equation("y = x - max(x - a, 0)")
    >>> exact_solutions(kept, "x", {"y": written(0.3), "a": written(0.3)}, real)
    ExactSolutions(points=(), spans=((0.3, inf),), are_all=True)
    >>> exact_solutions(kept, "x", {"y": written(0.2999999999999), "a": written(0.3)}, real)
    ExactSolutions(points=(0.2999999999999,), spans=(), are_all=True)
    """
    given = rationals((other for other in equation.names if other != name), known)
    if given is None:
        return None
    difference = Apply("add", (equation.lhs, Apply("neg", (equation.rhs,))))
    spans = _spans(difference, name, given, (Fraction(0), Fraction(0)), domain)
    if spans is None:
        return None
    points = (start.number for start, end in spans if start is end)
    wide = (_ends(start, end) for start, end in spans if start is not end)
    return ExactSolutions(tuple(point for point in points if point in domain), tuple(wide))


def exact_preimage(
    expression: Node, name: str, known: Mapping[str, float], span: Span, domain: Domain
) -> tuple[Span, ...] | None:
    """The intervals in which an expression, piecewise a ratio of polynomials, lies in a span; None if not exact.

    Together they are all such numbers. An interval may be a single point, and its ends need not belong to it: the
    second one here begins above 3.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import written
    >>> real = Domain("real", -math.inf, math.inf)
    >>> exact_preimage(parse_expression("abs(x) - a"), "x", {"a": written(0.1)}, (written(0.2), written(1.4)), real)
    ((-1.5, -0.3), (0.3, 1.5))
    >>> jump = parse_expression("x if x <= 3 else x - a")
    >>> exact_preimage(jump, "x", {"a": written(9.0)}, (written(-7.0), written(-5.0)), real)
    ((-7.0, -5.0), (3.0, 4.0))
    """
    given = rationals((other for other in names_in(expression) if other != name), known)
    if given is None or not all(map(math.isfinite, span)):
        return None
    low, high = (exact_of(end) or Fraction(end) for end in span)
    spans = _spans(expression, name, given, (low, high), domain)
    if spans is None:
        return None
    return tuple((float(low), float(high)) for low, high in (_ends(start, end) for start, end in spans))


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A number at which an expression may enter or leave a range, and whether it lies in the range there."""

    at: Fraction | None  # None for an infinite end of the domain
    is_inside: bool
    rounded: float | None = None  # the double nearest to an irrational place, for which it stands in `at`

    @property
    def number(self) -> float:
        assert self.at is not None
        return nearest(self.at) if self.rounded is None else self.rounded


def _ends(start: _Place, end: _Place) -> Span:
    return -math.inf if start.at is None else start.number, math.inf if end.at is None else end.number


def _spans(
    expression: Node, name: str, given: Mapping[str, Fraction], ends: tuple[Fraction, Fraction], domain: Domain
) -> list[tuple[_Place, _Place]] | None:
    """The intervals in which a piecewise ratio of polynomials lies between two numbers, each by its ends, or None.

    The ends of a single point are one place.
    """
    numbers = {other: Number(number) for other, number in given.items()}
    try:
        return _Pieces(with_forms(expression, numbers), name, domain).between(*ends)
    except (_NotExact, Undefined):
        return None


class _Pieces:
    """An expression over the stretches of a domain in which it is one ratio of polynomials."""

    def __init__(self, expression: Node, name: str, domain: Domain) -> None:
        """Find the breaks between which the expression is one ratio of polynomials, innermost choices first."""
        self.expression = expression
        self.name = name
        self.domain = domain
        self.low, self.high = (stated(end) if math.isfinite(end) else None for end in domain.ends)
        if self.low is not None and self.low == self.high:
            raise _NotExact
        self.breaks: list[Fraction] = []
        choices = dict.fromkeys(reversed([*operations(expression, among=_CHOICES)]))  # each after those in its arms
        for choice in choices:
            if name in names_in(choice):
                self._split(choice)

    def between(self, least: Fraction, most: Fraction) -> list[tuple[_Place, _Place]]:
        """The intervals in which the piecewise ratio lies between two numbers, from the lowest to the highest."""
        spans: list[tuple[_Place, _Place]] = []
        is_reached = False  # whether the last of the intervals reaches the place
        places = [*self._places(least, most)]
        for place, after in pairwise(places):
            if place.is_inside and not is_reached:
                spans.append((place, place))
            is_reached = place.is_inside
            if self._is_between_places(Interval(place.at, after.at).inside, least, most):
                start = spans.pop()[0] if is_reached else place
                spans.append((start, after))
                is_reached = True
            else:
                is_reached = False
        if places[-1].is_inside and not is_reached:
            spans.append((places[-1], places[-1]))
        return spans

    def _places(self, least: Fraction, most: Fraction) -> Iterator[_Place]:
        """The places, domain ends included, at which the piecewise ratio may enter or leave a range."""
        last = _Place(self.low, self._is_between(self.low, least, most) and not self.domain.open_low)
        yield last
        for stretch in self._stretches():
            smooth = self._smooth(self.expression, stretch.inside)
            inside: list[_Place] = []
            for end in {least, most}:
                above, below = self._ratio(added(smooth, Number(-end)))
                rational, irrational = _roots_within(_without_common(above, below), stretch)
                inside += [_Place(x, self._is_between(x, least, most)) for x in rational]
                inside += [_Place(Fraction(x), is_inside=True, rounded=x) for x in irrational]
            for divisor in (below, *self._cancelled_divisors(smooth, below)):
                rational, irrational = _roots_within(divisor, stretch)
                inside += [_Place(x, is_inside=False) for x in rational]
                inside += [_Place(Fraction(x), is_inside=False, rounded=x) for x in irrational]
            high = _Place(stretch.high, self._is_between(stretch.high, least, most))
            for place in (*sorted(inside, key=attrgetter("at")), high):
                if place.at is not None and place.at == last.at:
                    continue  # a root at which a part of the expression has a pole
                if _are_close(last, place):
                    raise _NotExact
                last = place
                yield place

    def _cancelled_divisors(self, smooth: Node, below: Polynomial) -> Iterator[Polynomial]:
        """The divisors of a part without choices whose poles are not among those of the whole piecewise ratio."""
        seen = below
        for quotient in dict.fromkeys(operations(smooth, among={"inv"})):
            if self.name in quotient.names:
                divisor, _ = self._ratio(quotient.args[0])
                if divisor.degree() > 0 and seen % divisor:
                    seen *= divisor
                    yield divisor

    def _is_between(self, x: Fraction | None, least: Fraction, most: Fraction) -> bool:
        """Whether the piecewise ratio of polynomials has a value between two numbers at a point."""
        try:
            return x is not None and self._is_between_places(x, least, most)
        except Undefined:
            return False

    def _is_between_places(self, x: Fraction, least: Fraction, most: Fraction) -> bool:
        """Whether the piecewise ratio is in the range at a trial point; `_NotExact` if it has no rational value."""
        number = exact_number(self.expression, {self.name: x})
        if number is None:  # an irrational constant that cancels in the ratio has no exact value for all that
            raise _NotExact
        return bool(least <= number <= most)

    def _stretches(self) -> Iterator[Interval]:
        """The stretches between the breaks of the piecewise ratio, and between these and the domain's ends."""
        return starmap(Interval, pairwise((self.low, *self.breaks, self.high)))

    def _split(self, choice: Apply) -> None:
        """Add the breaks at which this choice takes another arm, after those of choices in its arms."""
        breaks: set[Fraction] = set(self.breaks)
        for stretch in self._stretches():
            inside = stretch.inside
            for left, right in _compared(choice):
                if choice.op in STEPPED:
                    breaks |= set(self._steps(left, stretch))
                    continue
                if self.name not in names_in(left, right):
                    continue
                above, below = self._ratio(added(self._smooth(left, inside), negated(self._smooth(right, inside))))
                breaks |= {*self._rational_roots(above, stretch), *self._rational_roots(below, stretch)}
            if len(breaks) > _MOST_BREAKS:
                raise _NotExact
        self.breaks = sorted(breaks)

    def _steps(self, rounded: Node, stretch: Interval) -> list[Fraction]:
        """The breaks inside a stretch that a rounding makes, where its argument is whole."""
        above, below = self._ratio(self._smooth(rounded, stretch.inside))
        if above.degree() < 1 and below.degree() < 1:
            return []
        least, most = _range_of(above, below, stretch)
        if most - least > _MOST_BREAKS:
            raise _NotExact
        wholes = range(math.ceil(least), math.floor(most) + 1)
        return [*chain.from_iterable(self._rational_roots(above - whole * below, stretch) for whole in wholes)]

    def _smooth(self, node: Node, x: Fraction) -> Node:
        """The expression around a point as one ratio of polynomials: each choice is the arm that binds there."""
        if not isinstance(node, Apply):
            return node
        if node.op not in _CHOICES:
            return Apply(node.op, tuple(self._smooth(arg, x) for arg in node.args))
        if node.op in STEPPED:
            return Number(self._exact(node, x))
        if node.op == "abs":
            inner = self._smooth(node.args[0], x)
            return negated(inner) if self._exact(node.args[0], x) < 0 else inner
        if node.op == "piecewise":
            for arm, condition in cases(node):
                if condition is None or self._exact(condition, x):
                    return self._smooth(arm, x)
            raise _NotExact
        sizes = [self._exact(arg, x) for arg in node.args]
        best = max(sizes) if node.op == "max" else min(sizes)
        return self._smooth(node.args[sizes.index(best)], x)

    def _exact(self, node: Node, x: Fraction) -> Any:
        """The exact value of a part of the piecewise ratio at a point, or whether a condition holds there."""
        number = exact_value(node, {self.name: x})
        if number is None:
            raise _NotExact
        return number

    def _ratio(self, node: Node) -> tuple[Polynomial, Polynomial]:
        """A part without choices as a ratio of polynomials whose roots can be isolated."""
        ratio = ratio_of(node, self.name)
        if ratio is None or not is_tractable(ratio[0]) or not is_tractable(ratio[1]):
            raise _NotExact
        return ratio

    def _rational_roots(self, polynomial: Polynomial, stretch: Interval) -> list[Fraction]:
        """The roots of a polynomial inside a stretch, which become breaks and so have to be rational."""
        rational, irrational = _roots_within(polynomial, stretch)
        if irrational:
            raise _NotExact
        return rational


def _compared(choice: Apply) -> Iterable[tuple[Node, Node]]:
    """The pairs of expressions at whose equality a piecewise ratio may have a break, since another arm takes over."""
    match choice.op:
        case "max" | "min":
            return combinations(choice.args, 2)
        case "piecewise":
            conditions = [condition for _, condition in cases(choice) if condition is not None]
            tests = operations(*conditions, among=COMPARISONS.values())
            return [(test.args[0], test.args[1]) for test in tests]
        case _:
            return [(choice.args[0], Number(Fraction(0)))]


def _are_close(place: _Place, after: _Place) -> bool:
    """Whether no rational point is sure to lie between two places of a piecewise ratio, as one is a rounded root."""
    if place.at is None or after.at is None or (place.rounded is None and after.rounded is None):
        return False
    return after.at - place.at <= _CLOSEST * max(abs(place.at), abs(after.at))


def _roots_within(polynomial: Polynomial, stretch: Interval) -> tuple[list[Fraction], list[float]]:
    """Where a piece's ratio of polynomials is zero between its breaks: rationals, or doubles next to irrationals."""
    tick()
    if polynomial.degree() < 1:
        return [], []
    rational: list[Fraction] = []
    irrational: list[float] = []
    _, factors = polynomial.numer().factor()
    for factor, _ in factors:
        if factor.degree() == 1:
            root = Fraction(-int(factor[0]), int(factor[1]))
            if stretch.covers(Interval.at(root)):
                rational.append(root)
            continue
        for ball in (root.real for root, _ in factor.complex_roots() if root.imag == 0):
            is_above = _is_beyond(ball, stretch.low, 1)
            is_below = _is_beyond(ball, stretch.high, -1)
            if is_above and is_below:
                number = nearest_root(fmpq_poly(factor), ball)
                if number is None:
                    raise _NotExact
                irrational.append(number)
    return sorted(rational), irrational


def _range_of(above: Polynomial, below: Polynomial, stretch: Interval) -> tuple[Fraction, Fraction]:
    """Two numbers between which a ratio of polynomials lies inside a stretch; `_NotExact` if it has none.

    It is extreme at the ends, or where it is level. Where that is at an irrational number, there is one to spare.
    """
    poles, irrational_poles = _roots_within(below, stretch)
    if poles or irrational_poles:
        raise _NotExact
    level, irrational = _roots_within(above.derivative() * below - above * below.derivative(), stretch)
    places = [stretch.low, stretch.high, *level, *map(Fraction, irrational)]
    values = [_limit_at(above, below, place) for place in places]
    spare = 1 if irrational else 0
    return min(values) - spare, max(values) + spare


def _limit_at(above: Polynomial, below: Polynomial, end: Fraction | None) -> Fraction:
    """What a piece's ratio of polynomials comes to at a place or an end of a stretch, also at an infinite one."""
    if end is not None:
        divisor = below(exactly(end))
        if divisor == 0:
            raise _NotExact
        return fraction(above(exactly(end)) / divisor)
    if above.degree() > below.degree():
        raise _NotExact
    return fraction(above[below.degree()] / below[below.degree()])


def _is_beyond(ball: Any, end: Fraction | None, direction: int) -> bool:
    """Whether a root lies inside a piece of the ratio, as seen from a break; an irrational one is never at a break."""
    if end is None:
        return True
    gap = (ball - arb(exactly(end))) * direction
    if gap.contains(0):
        raise _NotExact
    return bool(gap > 0)


def _without_common(above: Polynomial, below: Polynomial) -> Polynomial:
    """A piece's numerator without the zeros of its denominator, at which the ratio of polynomials is undefined."""
    while above != 0 and (common := above.gcd(below)).degree() > 0:
        above = above // common
    return above
