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
from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any

from derive.expressions.tree import Apply, Name, Node, Number
from derive.tolerances import LEAST

__all__ = ["Polynomial", "is_tractable", "nearest_root", "ratio_of", "real_roots"]

Polynomial = tuple[Fraction, ...]
"""Coefficients, the constant first and the leading one, which is not zero, last; () is zero."""

_DEGREE = 40
_BITS = 40_000  # of all coefficients together, beyond which isolation takes too long


def ratio_of(node: Node, name: str) -> tuple[Polynomial, Polynomial] | None:
    """Numerator and denominator of an expression in one name; None if it is not a ratio of polynomials.

    >>> from derive.expressions.grammar import parse_expression
    >>> above, below = ratio_of(parse_expression("x**2 + 1/x"), "x")
    >>> [int(c) for c in above], [int(c) for c in below]
    ([1, 0, 0, 1], [0, 1])
    """
    if isinstance(node, Number):
        return _trimmed([node.value]), (Fraction(1),)
    if isinstance(node, Name):
        return ((Fraction(0), Fraction(1)), (Fraction(1),)) if node.name == name else None
    if node.op == "pow":
        return _power(node, name)
    if node.op not in ("add", "mul", "neg", "inv"):
        return None
    parts = []
    for arg in node.args:
        part = ratio_of(arg, name)
        if part is None:
            return None
        parts.append(part)
    above, below = parts[0]
    if node.op == "neg":
        return tuple(-c for c in above), below
    if node.op == "inv":
        return (below, above) if above else None
    for top, bottom in parts[1:]:
        if node.op == "add":
            same = bottom == below
            above = _plus(above, top) if same else _plus(_times(above, bottom), _times(top, below))
            below = below if same else _times(below, bottom)
        else:
            above, below = _times(above, top), _times(below, bottom)
        if max(len(above), len(below)) > _DEGREE + 1:
            return None
    return above, below


def real_roots(polynomial: Polynomial, vanishes: Callable[[float], bool]) -> tuple[float, ...] | None:
    """All real roots in increasing order, each once; None if the polynomial is zero or too large.

    `vanishes` tells whether a point is a root within the rounding of the given numbers.

    >>> real_roots(tuple(Fraction(c) for c in (-6, 11, -6, 1)), lambda x: False)
    (1.0, 2.0, 3.0)
    """
    if not polynomial or not is_tractable(polynomial):
        return None
    turns = {turn for turn in (_isolated(_slope(polynomial)) if len(polynomial) > 2 else ()) if vanishes(turn)}
    clusters: list[list[float]] = []
    for point in sorted({*_isolated(polynomial), *turns}):
        if clusters and _blurred(clusters[-1][-1], point, turns) and vanishes((clusters[-1][-1] + point) / 2):
            clusters[-1].append(point)
        else:
            clusters.append([point])
    return tuple(_centre(cluster, turns) for cluster in clusters)


def is_tractable(polynomial: Polynomial) -> bool:
    """Whether the roots of a polynomial can be isolated in a short time."""
    size = sum(c.numerator.bit_length() + c.denominator.bit_length() for c in polynomial)
    return len(polynomial) <= _DEGREE + 1 and size <= _BITS


def nearest_root(polynomial: Polynomial, ball: Any) -> float | None:
    """The double nearest to the one root of a polynomial in a ball; None if it overflows."""
    return _nearest(polynomial, _rational(ball.lower()), _rational(ball.upper()))


def _blurred(a: float, b: float, turns: Collection[float]) -> bool:
    """Whether two points are close and may be one root, split by rounding: at least one is a turning point."""
    return (a in turns or b in turns) and math.isclose(a, b, rel_tol=1e-2)


def _centre(cluster: list[float], turns: Collection[float]) -> float:
    blurred = [point for point in cluster if point in turns]
    return math.fsum(blurred) / len(blurred) if blurred else cluster[0]


def _isolated(polynomial: Polynomial) -> list[float]:
    from flint import fmpq, fmpq_poly

    whole = fmpq_poly([fmpq(c.numerator, c.denominator) for c in polynomial]).numer()
    if whole.degree() < 1:
        return []
    free = whole // whole.gcd(whole.derivative())  # each root once
    exact = tuple(Fraction(int(c)) for c in free.coeffs())
    real = (root.real for root, _ in free.complex_roots() if root.imag == 0)
    spans = sorted((_rational(ball.lower()), _rational(ball.upper())) for ball in real)
    return [number for span in spans if (number := _nearest(exact, *span)) is not None]


def _rational(end: Any) -> Fraction:
    """The end of a ball, which is a whole number times a power of two."""
    mantissa, exponent = end.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _nearest(polynomial: Polynomial, low: Fraction, high: Fraction) -> float | None:
    """The double nearest to the one root between two bounds, which may be other roots; None if it overflows."""
    a, b = low, high
    slope = _slope(polynomial)
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
    total = Fraction(0)
    for c in reversed(polynomial):
        total = total * x + c
    return (total > 0) - (total < 0)


def _slope(polynomial: Polynomial) -> Polynomial:
    return tuple(i * c for i, c in enumerate(polynomial))[1:]


def _power(node: Apply, name: str) -> tuple[Polynomial, Polynomial] | None:
    base, exponent = ratio_of(node.args[0], name), node.args[1]
    if base is None or not isinstance(exponent, Number) or exponent.value.denominator != 1:
        return None
    n = exponent.value.numerator
    above, below = base if n >= 0 else (base[1], base[0])
    if not below or max(len(above), len(below), 1) * abs(n) > _DEGREE + abs(n):
        return None
    top: Polynomial = (Fraction(1),)
    bottom: Polynomial = (Fraction(1),)
    for _ in range(abs(n)):
        top, bottom = _times(top, above), _times(bottom, below)
    return top, bottom


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    size = max(len(a), len(b))
    zero = Fraction(0)
    return _trimmed([(a[i] if i < len(a) else zero) + (b[i] if i < len(b) else zero) for i in range(size)])


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    if not a or not b:
        return ()
    product = [Fraction(0)] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return _trimmed(product)


def _trimmed(coefficients: list[Fraction]) -> Polynomial:
    while coefficients and coefficients[-1] == 0:
        coefficients.pop()
    return tuple(coefficients)
