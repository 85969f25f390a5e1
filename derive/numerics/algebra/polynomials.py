"""The real roots of polynomials with exact coefficients, isolated and counted.

An expression that is a ratio of polynomials in one name, with exact numbers, is brought to numerator and denominator.
FLINT isolates the numerator's roots in balls and tells which are real, which proves their number; each is then
narrowed to the nearest double by the exact sign at doubles.

FLINT isolates the roots of a cubic in a third of a millisecond and of degree twelve in three, where sympy takes 20
and 120, and is imported in a fifth of the time.

Given numbers are rounded, so a double root may appear as two close ones or as none. Where the equation holds at a
turning point as well as rounded numbers allow, these cases cannot be distinguished: the turning point is the root.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from fractions import Fraction
from functools import reduce
from typing import Any

from flint import fmpq, fmpq_poly

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, Number
from derive.tolerances import LEAST

__all__ = [
    "Polynomial",
    "Ratio",
    "exactly",
    "fraction",
    "is_tractable",
    "nearest_root",
    "ratio_in",
    "ratio_of",
    "real_roots",
    "square_free",
]

Polynomial = Any
"""FLINT's polynomial with rational coefficients, in one name or in several."""

Ratio = tuple[Polynomial, Polynomial]
"""Numerator and denominator."""

_DEGREE = 40
_BITS = 40_000  # of all coefficients together, beyond which isolation takes too long


def ratio_of(node: Node, name: str) -> Ratio | None:
    """Numerator and denominator of an expression in one name; None if it is not a ratio of polynomials.

    >>> from derive.expressions.grammar import parse_expression
    >>> above, below = ratio_of(parse_expression("x**2 + 1/x"), "x")
    >>> [int(c) for c in above.coeffs()], [int(c) for c in below.coeffs()]
    ([1, 0, 0, 1], [0, 1])
    """
    return ratio_in(node, {name: fmpq_poly([0, 1])}, fmpq_poly([1]))


def ratio_in(node: Node, named: Mapping[str, Polynomial], one: Polynomial) -> Ratio | None:
    """The same in several names, given the polynomial that each stands for, and the polynomial that is 1."""
    ratios: Arithmetic[Ratio] = Arithmetic(
        number=lambda number: (exactly(number.value) * one, one),
        operations=_OPERATIONS,
        forms={"pow": _power},
    )
    try:
        ratio: Ratio = ratios.fold(node, lambda name: (named[name], one))
    except (NoElement, KeyError):
        return None
    return ratio


def exactly(number: Fraction) -> fmpq:
    """A fraction as FLINT's."""
    return fmpq(number.numerator, number.denominator)


def fraction(number: fmpq) -> Fraction:
    """A number of FLINT's as a fraction."""
    return Fraction(int(number.p), int(number.q))


def _limited(ratio: Ratio) -> Ratio:
    if max(map(_degree, ratio)) > _DEGREE:
        raise NoElement
    return ratio


def _degree(polynomial: Polynomial) -> int:
    """The degree of a polynomial, in all its names together."""
    degree: int = polynomial.degree() if isinstance(polynomial, fmpq_poly) else polynomial.total_degree()
    return degree


def _sum(one: Ratio, other: Ratio) -> Ratio:
    (a, b), (c, d) = one, other
    return _limited((a + c, b) if b == d else (a * d + c * b, b * d))


def _product(one: Ratio, other: Ratio) -> Ratio:
    return _limited((one[0] * other[0], one[1] * other[1]))


def _inverse(ratio: Ratio) -> Ratio:
    if not ratio[0]:
        raise NoElement
    return ratio[1], ratio[0]


def _power(node: Apply, part: Fold) -> Ratio:
    exponent = node.args[1]
    if not isinstance(exponent, Number) or exponent.value.denominator != 1:
        raise NoElement
    above, below = part(node.args[0])
    times = abs(exponent.value.numerator)
    if exponent.value < 0:
        above, below = _inverse((above, below))
    if times * max(map(_degree, (above, below))) > _DEGREE or times * max(map(_bits, (above, below))) > _BITS:
        raise NoElement
    return above**times, below**times


_OPERATIONS: dict[str, Callable[..., Ratio]] = {
    "add": lambda *terms: reduce(_sum, terms),
    "mul": lambda *factors: reduce(_product, factors),
    "neg": lambda ratio: (-ratio[0], ratio[1]),
    "inv": _inverse,
}


def real_roots(polynomial: Polynomial, vanishes: Callable[[float], bool]) -> tuple[float, ...] | None:
    """All real roots in increasing order, each once; None if the polynomial is zero or too large.

    `vanishes` tells whether a point is a root within the rounding of the given numbers.

    >>> real_roots(fmpq_poly([-6, 11, -6, 1]), lambda x: False)
    (1.0, 2.0, 3.0)
    """
    if not polynomial or not is_tractable(polynomial):
        return None
    turns = {turn for turn in (_isolated(polynomial.derivative()) if polynomial.degree() > 1 else ()) if vanishes(turn)}
    clusters: list[list[float]] = []
    for point in sorted({*_isolated(polynomial), *turns}):
        if clusters and _blurred(clusters[-1][-1], point, turns) and vanishes((clusters[-1][-1] + point) / 2):
            clusters[-1].append(point)
        else:
            clusters.append([point])
    return tuple(_centre(cluster, turns) for cluster in clusters)


def is_tractable(polynomial: Polynomial) -> bool:
    """Whether the roots of a polynomial can be isolated in a short time."""
    return _degree(polynomial) <= _DEGREE and _bits(polynomial) <= _BITS


def _bits(polynomial: Polynomial) -> int:
    """The bits of all coefficients together."""
    return sum(c.numerator.bit_length() + c.denominator.bit_length() for c in polynomial.coeffs())


def nearest_root(polynomial: Polynomial, ball: Any) -> float | None:
    """The double nearest to the one root of a polynomial in a ball; None if it overflows."""
    return _nearest(polynomial, _rational(ball.lower()), _rational(ball.upper()))


def _blurred(a: float, b: float, turns: Collection[float]) -> bool:
    """Whether two points are close and may be one root, split by rounding: at least one is a turning point."""
    return (a in turns or b in turns) and math.isclose(a, b, rel_tol=1e-2)


def _centre(cluster: list[float], turns: Collection[float]) -> float:
    blurred = [point for point in cluster if point in turns]
    return math.fsum(blurred) / len(blurred) if blurred else cluster[0]


def square_free(polynomial: Polynomial) -> Polynomial:
    """The polynomial with the same roots, each of them once."""
    return polynomial // polynomial.gcd(polynomial.derivative())


def _isolated(polynomial: Polynomial) -> list[float]:
    free = square_free(polynomial)
    real = (root.real for root, _ in free.numer().complex_roots() if root.imag == 0)
    spans = sorted((_rational(ball.lower()), _rational(ball.upper())) for ball in real)
    return [number for span in spans if (number := _nearest(free, *span)) is not None]


def _rational(end: Any) -> Fraction:
    """The end of a ball, which is a whole number times a power of two."""
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _nearest(polynomial: Polynomial, low: Fraction, high: Fraction) -> float | None:
    """The double nearest to the one root between two bounds, which may be other roots; None if it overflows."""
    a, b = low, high
    slope = polynomial.derivative()
    sign, end = _at(polynomial, a) or _at(slope, a), _at(polynomial, b) or -_at(slope, b)
    if a == b or sign == end:
        return _double(b if _at(polynomial, b) == 0 else a)
    while True:
        middle = _between(a, b)
        if middle is None:
            halfway = _halfway(a, b)
            return _double((a + b) / 2 if halfway is None else b if _at(polynomial, halfway) == sign else a)
        at = _at(polynomial, middle)
        if at == 0:
            return _double(middle)
        if at == sign:
            a = middle
        else:
            b = middle


def _between(a: Fraction, b: Fraction) -> Fraction | None:
    """A double between two bounds, at their geometric mean where they are far apart; None if there is none."""
    low, high = _double(a), _double(b)
    if low is None or high is None:
        return (a + b) / 2 if b - a > abs(a + b) / 2**60 else None
    if low < 0 < high:
        return Fraction(0)
    middle = low / 2 + high / 2
    if min(abs(low), abs(high)) * 4 < max(abs(low), abs(high)):
        least = max(min(abs(low), abs(high)), LEAST)
        middle = math.copysign(math.sqrt(least) * math.sqrt(max(abs(low), abs(high))), low + high)
    return Fraction(middle) if a < Fraction(middle) < b else None


def _halfway(a: Fraction, b: Fraction) -> Fraction | None:
    """The midpoint of the doubles nearest to two bounds; None if it does not lie between the bounds."""
    low, high = _double(a), _double(b)
    if low is None or high is None or low == high:
        return None
    middle = (Fraction(low) + Fraction(high)) / 2
    return middle if a < middle < b else None


def _double(number: Fraction) -> float | None:
    try:
        return float(number)
    except OverflowError:
        return None


def _at(polynomial: Polynomial, x: Fraction) -> int:
    """The sign of a polynomial at a point."""
    number = polynomial(exactly(x))
    return int(number > 0) - int(number < 0)
