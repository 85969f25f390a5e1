"""Equations with several roundings, also of `n/x`: their solutions are those of each piece between all steps.

Between two steps every rounding is a number, and the equation is `a*x + b/x + c = 0`.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

import pytest

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.piecewise_rationals import exact_solutions
from quantities.domain import Domain
from quantities.rational import written
from tests.ordinary import every

Coefficients = tuple[Fraction, Fraction, Fraction]
"""Of x, of 1/x, and of 1."""

ZERO = Fraction(0)
# a term's text, what it is beside x, and what is rounded: divided by x or multiplied by it
TERMS: dict[str, tuple[Callable[[Fraction], Coefficients], str]] = {
    "x": (lambda _: (Fraction(1), ZERO, ZERO), ""),
    "1/x": (lambda _: (ZERO, Fraction(1), ZERO), ""),
    "floor({0}/x)": (lambda y: (ZERO, ZERO, Fraction(math.floor(y))), "/"),
    "ceil({0}/x)": (lambda y: (ZERO, ZERO, Fraction(math.ceil(y))), "/"),
    "floor({0}*x)": (lambda y: (ZERO, ZERO, Fraction(math.floor(y))), "*"),
    "ceil({0}*x)": (lambda y: (ZERO, ZERO, Fraction(math.ceil(y))), "*"),
    "floor({0}/x)*x": (lambda y: (Fraction(math.floor(y)), ZERO, ZERO), "/"),
    "ceil({0}/x)*x": (lambda y: (Fraction(math.ceil(y)), ZERO, ZERO), "/"),
    "ceil({0}*x)/x": (lambda y: (ZERO, Fraction(math.ceil(y)), ZERO), "*"),
}
SIZES = [Fraction(size) for size in ("1", "2", "3", "5", "7", "12", "0.2", "0.5", "2.4", "0.7", "1.5")]


class _Sum:
    """A random sum of terms over a domain."""

    def __init__(self, draw: random.Random) -> None:
        self.high = draw.choice([6, 12, 20])
        rounded = [kind for kind, (_, operation) in TERMS.items() if operation]
        kinds = [draw.choice(rounded), *draw.choices([*TERMS], k=draw.randint(1, 2))]
        self.terms = [(draw.choice([-1, 1]) * draw.choice(SIZES), kind, draw.choice(SIZES)) for kind in kinds]

    def __str__(self) -> str:
        return " + ".join(f"({float(c)})*{kind.format(float(size))}" for c, kind, size in self.terms)

    def around(self, x: Fraction) -> Coefficients:
        """The coefficients of the piece to which a number belongs."""
        a = b = c = ZERO
        for factor, kind, size in self.terms:
            piece, operation = TERMS[kind]
            more = piece(size / x if operation == "/" else size * x)
            a, b, c = (total + factor * part for total, part in zip((a, b, c), more, strict=True))
        return a, b, c

    def at(self, x: Fraction) -> Fraction:
        a, b, c = self.around(x)
        return a * x + b / x + c

    def steps(self) -> list[Fraction]:
        """All numbers at which a rounding steps, and both ends."""
        low, high = Fraction(1), Fraction(self.high)
        places = {low, high}
        for _, kind, size in self.terms:
            operation = TERMS[kind][1]
            wholes = range(1, math.floor(size * high) + 1)
            places |= {size / j if operation == "/" else j / size for j in wholes if operation}
        return sorted(x for x in places if low <= x <= high)

    def solutions(self, y: Fraction) -> Iterator[float | tuple[float, float]]:
        steps = self.steps()
        yield from (float(x) for x in steps if self.at(x) == y)
        for low, high in pairwise(steps):
            a, b, c = self.around(low / 2 + high / 2)
            if (a, b, c - y) == (0, 0, 0):
                yield float(low), float(high)
            yield from (float(x) for x in _zeros(a, b, c - y) if low < x < high)


def _zeros(a: Fraction, b: Fraction, c: Fraction) -> set[Fraction]:
    """The zeros of `a*x + c + b/x`, to thirty digits where they are irrational."""
    if a == 0:
        return {-b / c} if c else set()
    square = c * c - 4 * a * b
    if square < 0:
        return set()
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if root * root != square:
        root = Fraction(math.isqrt(int(square * 10**60)), 10**30)
    return {(-c + root) / (2 * a), (-c - root) / (2 * a)}


@every("seed", range(1500), ordinary=30, thorough=10)
def test_the_solutions_are_those_of_all_pieces(seed: int) -> None:
    draw = random.Random(f"roundings of ratios {seed}")
    total = _Sum(draw)
    reached = total.at(Fraction(draw.randint(10, 10 * total.high), 10))
    y = Fraction(f"{float(reached):.{draw.choice([1, 6])}f}")
    domain = Domain(f"1..{total.high}", 1.0, float(total.high))
    found = exact_solutions(parse_equation(f"y = {total}"), "x", {"y": written(float(y))}, domain)
    assert found is not None
    expected = [*total.solutions(y)]
    spans = [span for span in expected if isinstance(span, tuple)]
    points = {x for x in expected if not isinstance(x, tuple) and not any(low <= x <= high for low, high in spans)}
    assert found.points == pytest.approx(sorted(points), rel=1e-14)
    assert sum(high - low for low, high in found.spans) == pytest.approx(sum(high - low for low, high in spans))
