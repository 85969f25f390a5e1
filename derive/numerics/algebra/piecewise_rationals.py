"""Equations in one unknown that are ratios of polynomials piece by piece, solved in rational numbers.

Sums, products, quotients, whole powers, absolute values, maxima, minima, choices and roundings of one unknown and of
rational numbers are such equations. Doubles tell the cases of them apart only by tolerances: whether `a + b - c` is
zero, so that a term of the equation vanishes; whether `x - max(x - a, 0)` is y along a whole stretch, because y is a;
at which end of a stretch an arm begins to bind. Here all of that is decided without rounding:

1. The *breaks*, at which another arm binds or a rounding steps, are zeros of differences of arms. They are collected
   from the innermost choice outwards. Between two breaks each choice is the arm that binds at any one point there.
2. Between two breaks the equation is therefore one polynomial set to zero. If that is the zero polynomial, all of the
   stretch solves the equation; otherwise its roots do, which FLINT isolates.
3. The breaks themselves, and the ends of the domain, are put into the equation.

An expression enters or leaves a range where it is equal to an end of the range, at a pole, or at a break. Between two
of these, one point tells whether it lies there.

Breaks that are irrational, or too many, are left to other methods, and so is whatever has no value at a trial point.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from operator import attrgetter
from typing import Any

from flint import arb, fmpq_poly

from derive.expressions.functions import STEPPED
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, Number, cases, names_in, walk, with_forms
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.exact_values import exact_value, rationals
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.algebra.polynomials import Polynomial, exactly, fraction, is_tractable, nearest_root, ratio_of
from derive.numerics.intervals.arithmetic import Span
from derive.time_limits import tick
from quantities.domain import Domain
from quantities.rational import exact_of, nearest

__all__ = ["ExactSolutions", "exact_preimage", "exact_solutions"]

_MOST_BREAKS = 100
_CLOSEST = Fraction(1, 2**50)  # relative distance of places between which a rounded root leaves no sure point
_CHOICES = {"max", "min", "abs", "piecewise", *STEPPED}

_End = Fraction | None
"""The end of a stretch; None where it has none."""


@dataclass(frozen=True, slots=True)
class ExactSolutions:
    """All solutions of an equation in a domain: single numbers, and intervals whose every number is one."""

    points: tuple[float, ...]
    spans: tuple[Span, ...]


class _NotExact(Exception):  # noqa: N818 - no error: other methods solve the equation
    """The equation is not one of these, or has irrational breaks."""


def exact_solutions(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> ExactSolutions | None:
    """The solutions in a domain; None if the equation is of another kind, or one of its numbers is not known exactly.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.rational import written
    >>> real = Domain("real", -math.inf, math.inf)
    >>> vanishing = parse_equation("y = (a + b - c)*x**2 + x")
    >>> exact_solutions(vanishing, "x", {n: written(x) for n, x in zip("abcy", (0.1, 0.2, 0.3, 5.0))}, real)
    ExactSolutions(points=(5.0,), spans=())
    >>> kept = parse_equation("y = x - max(x - a, 0)")
    >>> exact_solutions(kept, "x", {"y": written(0.3), "a": written(0.3)}, real)
    ExactSolutions(points=(), spans=((0.3, inf),))
    >>> exact_solutions(kept, "x", {"y": written(0.2999999999999), "a": written(0.3)}, real)
    ExactSolutions(points=(0.2999999999999,), spans=())
    """
    given = rationals((other for other in names_in(equation.lhs, equation.rhs) if other != name), known)
    if given is None:
        return None
    numbers = {other: Number(number) for other, number in given.items()}
    left, right = with_forms(equation.lhs, numbers), with_forms(equation.rhs, numbers)
    try:
        return _Pieces(left, right, name, domain).solutions()
    except _NotExact:
        return None


def exact_preimage(
    expression: Node, name: str, known: Mapping[str, float], span: Span, domain: Domain
) -> tuple[Span, ...] | None:
    """The intervals of a domain in which an expression lies in a span; None if it is of another kind, or not exact.

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
    numbers = {other: Number(number) for other, number in given.items()}
    try:
        pieces = _Pieces(Number(Fraction(0)), with_forms(expression, numbers), name, domain)
        spans = pieces.between(low, high)
    except _NotExact:
        return None
    return tuple((float(start), float(end)) for start, end in (_ends(*found) for found in spans))


@dataclass(frozen=True, slots=True)
class _Place:
    """A number at which an expression may enter or leave a range, and whether it lies in the range there."""

    at: _End
    is_inside: bool


class _Pieces:
    """The two sides of an equation over the stretches of a domain in which each is one ratio of polynomials."""

    def __init__(self, left: Node, right: Node, name: str, domain: Domain) -> None:
        self.left, self.right = left, right
        self.name = name
        self.domain = domain
        self.low, self.high = (stated(end) if math.isfinite(end) else None for end in (domain.low, domain.high))
        if self.low is not None and self.low == self.high:
            raise _NotExact
        self.breaks: list[Fraction] = []
        choices = [part for part in walk(left, right) if isinstance(part, Apply) and part.op in _CHOICES]
        for choice in dict.fromkeys(reversed(choices)):  # a choice after those in its arms
            if name in names_in(choice):
                self._split(choice)

    def solutions(self) -> ExactSolutions:
        """All solutions, from the lowest to the highest."""
        points: list[float] = []
        spans: list[tuple[_End, _End]] = []
        for low, high in self._stretches():
            starts = low is not None and self._holds_at(low) and not (low == self.low and self.domain.open_low)
            is_at_span = bool(spans) and spans[-1][1] == low
            polynomial = self._between(low, high)
            if polynomial != 0:
                if starts and not is_at_span:
                    points.append(nearest(low))  # type: ignore[arg-type]
                points += self._roots(polynomial, low, high)
            elif starts and is_at_span:
                spans[-1] = spans[-1][0], high
            else:
                spans.append((low, high))
        if self.high is not None and self._holds_at(self.high) and not (spans and spans[-1][1] == self.high):
            points.append(nearest(self.high))
        inside = tuple(x for x in points if x in self.domain)
        return ExactSolutions(inside, tuple(_ends(*span) for span in spans))

    def between(self, least: Fraction, most: Fraction) -> list[tuple[_End, _End]]:
        """The intervals in which the right side lies between two numbers, from the lowest to the highest."""
        spans: list[tuple[_End, _End]] = []
        is_reached = False  # whether the last of the intervals reaches the place
        places = [*self._places(least, most)]
        for place, after in pairwise(places):
            if place.is_inside and not is_reached:
                spans.append((place.at, place.at))
            is_reached = place.is_inside
            if self._is_between(_inside(place.at, after.at), least, most):
                start = spans.pop()[0] if is_reached else place.at
                spans.append((start, after.at))
                is_reached = True
            else:
                is_reached = False
        if places[-1].is_inside and not is_reached:
            spans.append((places[-1].at, places[-1].at))
        return spans

    def _places(self, least: Fraction, most: Fraction) -> Iterator[_Place]:
        """The ends of the domain, and between them each place where the right side may enter or leave a range."""
        last = _Place(self.low, self._is_between(self.low, least, most) and not self.domain.open_low)
        yield last
        for low, high in self._stretches():
            smooth = self._smooth(self.right, _inside(low, high))
            inside: list[_Place] = []
            for end in {least, most}:
                above, below = self._ratio(added(smooth, Number(-end)))
                rational, others = _roots_within(_without_common(above, below), low, high)
                inside += [_Place(x, self._is_between(x, least, most)) for x in rational]
                inside += [_Place(Fraction(x), is_inside=True) for x in others]
            rational, others = _roots_within(below, low, high)
            inside += [_Place(x, is_inside=False) for x in (*rational, *map(Fraction, others))]
            for place in (*sorted(inside, key=attrgetter("at")), _Place(high, self._is_between(high, least, most))):
                if _are_close(last.at, place.at):
                    raise _NotExact
                last = place
                yield place

    def _is_between(self, at: _End, least: Fraction, most: Fraction) -> bool:
        """Whether the right side has a value at a point, which lies between two numbers."""
        found = None if at is None else exact_value(self.right, {self.name: at})
        return found is not None and bool(least <= found <= most)

    def _stretches(self) -> Iterator[tuple[_End, _End]]:
        return pairwise((self.low, *self.breaks, self.high))

    def _split(self, choice: Apply) -> None:
        """Cut the stretches where this choice takes another arm; those in its arms have cut them already."""
        found: set[Fraction] = set(self.breaks)
        for low, high in self._stretches():
            at = _inside(low, high)
            for one, other in _compared(choice):
                if choice.op in STEPPED:
                    found |= set(self._steps(one, low, high))
                    continue
                if self.name not in names_in(one, other):
                    continue
                above, below = self._ratio(added(self._smooth(one, at), negated(self._smooth(other, at))))
                found |= {*self._rational_roots(above, low, high), *self._rational_roots(below, low, high)}
            if len(found) > _MOST_BREAKS:
                raise _NotExact
        self.breaks = sorted(found)

    def _steps(self, rounded: Node, low: _End, high: _End) -> list[Fraction]:
        """The places of a stretch at which a number that is rounded, linear in the name, is whole."""
        above, below = self._ratio(self._smooth(rounded, _inside(low, high)))
        if above.degree() < 1 and below.degree() == 0:
            return []
        if above.degree() != 1 or below.degree() != 0 or low is None or high is None:
            raise _NotExact
        offset, slope = (fraction(c / below[0]) for c in above.coeffs())
        ends = sorted((slope * low + offset, slope * high + offset))
        if ends[1] - ends[0] > _MOST_BREAKS:
            raise _NotExact
        wholes = range(math.ceil(ends[0]), math.floor(ends[1]) + 1)
        return [x for x in ((whole - offset) / slope for whole in wholes) if low < x < high]

    def _between(self, low: _End, high: _End) -> Polynomial:
        """The polynomial that is zero where the sides meet in a stretch, without zeros of its denominator."""
        at = _inside(low, high)
        above, below = self._ratio(added(self._smooth(self.left, at), negated(self._smooth(self.right, at))))
        return _without_common(above, below)

    def _smooth(self, node: Node, at: Fraction) -> Node:
        """The expression around a point, in which each choice is the arm that binds there."""
        if not isinstance(node, Apply):
            return node
        if node.op not in _CHOICES:
            return Apply(node.op, tuple(self._smooth(arg, at) for arg in node.args))
        if node.op in STEPPED:
            return Number(self._exact(node, at))
        if node.op == "abs":
            inner = self._smooth(node.args[0], at)
            return negated(inner) if self._exact(node.args[0], at) < 0 else inner
        if node.op == "piecewise":
            for arm, condition in cases(node):
                if condition is None or self._exact(condition, at):
                    return self._smooth(arm, at)
            raise _NotExact
        sizes = [self._exact(arg, at) for arg in node.args]
        best = max(sizes) if node.op == "max" else min(sizes)
        return self._smooth(node.args[sizes.index(best)], at)

    def _exact(self, node: Node, at: Fraction) -> Any:
        """The exact value of an expression at a point, or whether a condition holds there."""
        found = exact_value(node, {self.name: at})
        if found is None:
            raise _NotExact
        return found

    def _holds_at(self, at: Fraction) -> bool:
        """Whether the sides are equal at a point; they are not where one is undefined."""
        left, right = (exact_value(side, {self.name: at}) for side in (self.left, self.right))
        return left is not None and left == right

    def _ratio(self, node: Node) -> tuple[Polynomial, Polynomial]:
        ratio = ratio_of(node, self.name)
        if ratio is None or not is_tractable(ratio[0]) or not is_tractable(ratio[1]):
            raise _NotExact
        return ratio

    def _roots(self, polynomial: Polynomial, low: _End, high: _End) -> list[float]:
        """The doubles nearest to the roots inside a stretch, in order."""
        rational, others = _roots_within(polynomial, low, high)
        return sorted([*(nearest(x) for x in rational if self._holds_at(x)), *others])

    def _rational_roots(self, polynomial: Polynomial, low: _End, high: _End) -> list[Fraction]:
        """The roots inside a stretch, where they are breaks."""
        rational, others = _roots_within(polynomial, low, high)
        if others:
            raise _NotExact
        return rational


def _compared(choice: Apply) -> Iterable[tuple[Node, Node]]:
    """The pairs of expressions whose order or equality decides which arm is taken."""
    match choice.op:
        case "max" | "min":
            return combinations(choice.args, 2)
        case "piecewise":
            conditions = [condition for _, condition in cases(choice) if condition is not None]
            tests = [part for part in walk(*conditions) if isinstance(part, Apply) and part.op in COMPARISONS.values()]
            return [(test.args[0], test.args[1]) for test in tests]
        case _:
            return [(choice.args[0], Number(Fraction(0)))]


def _ends(low: _End, high: _End) -> Span:
    return -math.inf if low is None else nearest(low), math.inf if high is None else nearest(high)


def _are_close(low: _End, high: _End) -> bool:
    """Whether the middle of two places may not lie between them, as one of them may be a rounded root."""
    return low is not None and high is not None and high - low <= _CLOSEST * max(abs(low), abs(high))


def _inside(low: _End, high: _End) -> Fraction:
    """A point inside a stretch."""
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


def _roots_within(polynomial: Polynomial, low: _End, high: _End) -> tuple[list[Fraction], list[float]]:
    """The rational roots inside a stretch, and the doubles nearest to the irrational ones."""
    tick()
    if polynomial.degree() < 1:
        return [], []
    rational: list[Fraction] = []
    others: list[float] = []
    for factor, _ in polynomial.numer().factor()[1]:
        if factor.degree() == 1:
            root = Fraction(-int(factor[0]), int(factor[1]))
            if (low is None or root > low) and (high is None or root < high):
                rational.append(root)
            continue
        for ball in (root.real for root, _ in factor.complex_roots() if root.imag == 0):
            is_above = _is_beyond(ball, low, 1)
            is_below = _is_beyond(ball, high, -1)
            if is_above and is_below:
                number = nearest_root(fmpq_poly(factor), ball)
                if number is None:
                    raise _NotExact
                others.append(number)
    return sorted(rational), others


def _is_beyond(ball: Any, end: _End, direction: int) -> bool:
    """Whether a root is on the inner side of an end of a stretch; an irrational root is never at the end itself."""
    if end is None:
        return True
    gap = (ball - arb(exactly(end))) * direction
    if gap.contains(0):
        raise _NotExact
    return bool(gap > 0)


def _without_common(above: Polynomial, below: Polynomial) -> Polynomial:
    """A numerator without the zeros that it shares with its denominator, where the quotient is undefined."""
    while above != 0 and (common := above.gcd(below)).degree() > 0:
        above = above // common
    return above
