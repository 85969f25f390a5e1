"""The real roots of polynomials with exact coefficients, and the common zeros of two, isolated and counted.

An expression that is a ratio of polynomials in one name, with exact numbers, is brought to numerator and denominator.
FLINT isolates the numerator's roots in balls and tells which are real, which proves their number; the balls are made
narrow enough to tell the nearest double.

FLINT isolates the roots of a cubic in a third of a millisecond and of degree twelve in three, where sympy takes 20
and 120, and is imported in a fifth of the time.

Given numbers are rounded, so a double root may appear as two close ones or as none. Where the equation holds at a
turning point as well as rounded numbers allow, these cases cannot be distinguished: the turning point is the root.

The resultant of two polynomials p and q in x and y with respect to y is a polynomial in x that vanishes at the x of
each common zero; that with respect to x vanishes at each y. So the common zeros are among the pairs (x, y) of their
roots. Which pairs they are is told by a third resultant: with t = x + c*y in place of x, its roots are the values of t
at the common zeros, and no others where p or q keeps its whole degree in y (zeros at infinity would add some). A root t
that only one pair can have belongs to that pair. Where several can, another c is tried, and then more digits.

Roots are balls of FLINT's, the complex ones among them: each ball holds one root, and is real if and only if the root
is. So the list is proved complete, and a multiple zero is known as well as a simple one. (Cox, Little and O'Shea,
*Using Algebraic Geometry*, chapter 3, where the resultant with t is that with a linear form of unknown shares.)

Rounded numbers leave a multiple zero undecided, and polynomials with a common factor have no resultant. Other methods
see to these, and to zeros at which a divisor of the equations is zero as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product, starmap
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx, fmpq_poly

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.balls import Ball, many_digits
from derive.expressions.tree import Apply, Equation, Node, Number, names_in
from derive.numerics.algebra.exact_values import rationals
from derive.numerics.algebra.like_terms import difference_of
from derive.time_limits import tick

Polynomial = Any
"""FLINT's polynomial with rational coefficients, in one name or in several."""

Ratio = tuple[Polynomial, Polynomial]
"""Numerator and denominator."""

_DEGREE = 40
_ROOT_BITS = (96, 384, 1536)  # precisions, of which the first nearly always suffices
_BITS = 40_000  # of all coefficients together, beyond which isolation takes too long


def ratio_of(node: Node, name: str) -> Ratio | None:
    """An expression in one name as numerator and denominator; None if it is not a ratio of polynomials.

    >>> from derive.expressions.grammar import parse_expression
    >>> above, below = ratio_of(parse_expression("x**2 + 1/x"), "x")
    >>> [int(c) for c in above.coeffs()], [int(c) for c in below.coeffs()]
    ([1, 0, 0, 1], [0, 1])
    """
    return _ratio_in(node, {name: fmpq_poly([0, 1])}, fmpq_poly([1]))


def _ratio_in(node: Node, named: Mapping[str, Polynomial], unit: Polynomial) -> Ratio | None:
    """An expression in several names as a ratio of polynomials, given those of the names; None if it is none."""
    ratios: Arithmetic[Ratio] = Arithmetic(
        number=lambda number: (exactly(number.value) * unit, unit), operations=_OPERATIONS, forms={"pow": _power}
    )
    return ratios.attempt(node, lambda name: (named[name], unit) if name in named else nothing())


def exactly(number: Fraction) -> fmpq:
    """A fraction as FLINT's number, for the coefficients of polynomials."""
    return fmpq(number.numerator, number.denominator)


def fraction(number: fmpq) -> Fraction:
    """FLINT's number, as polynomials have it in their coefficients, as a fraction."""
    return Fraction(int(number.p), int(number.q))


def _limited(ratio: Ratio) -> Ratio:
    if max(map(_degree, ratio)) > _DEGREE:
        raise NoElement
    return ratio


def _degree(polynomial: Polynomial) -> int:
    """The degree of a polynomial, in all its names together."""
    degree: int = polynomial.degree() if isinstance(polynomial, fmpq_poly) else polynomial.total_degree()
    return degree


def _sum(left: Ratio, right: Ratio) -> Ratio:
    (a, b), (c, d) = left, right
    return _limited((a + c, b) if b == d else (a * d + c * b, b * d))


def _product(left: Ratio, right: Ratio) -> Ratio:
    return _limited((left[0] * right[0], left[1] * right[1]))


def _inverse(ratio: Ratio) -> Ratio:
    if not ratio[0]:
        raise NoElement
    return ratio[1], ratio[0]


def _power(node: Apply, fold: Fold) -> Ratio:
    """A whole power of a ratio of polynomials; `NoElement` for another exponent, or beyond the limits on size."""
    exponent = node.args[1]
    if not isinstance(exponent, Number) or exponent.value.denominator != 1:
        raise NoElement
    above, below = fold(node.args[0])
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
    """All real roots of a polynomial with exact coefficients, in order, each once; None if it is zero or too large.

    `vanishes` tells whether a point is a root within the rounding of the given numbers.

    >>> real_roots(fmpq_poly([-6, 11, -6, 1]), lambda x: False)
    (1.0, 2.0, 3.0)
    """
    if not polynomial or not is_tractable(polynomial):
        return None
    stationary = _isolated(polynomial.derivative()) if polynomial.degree() > 1 else []
    turning_points = set(filter(vanishes, stationary))
    clusters: list[list[float]] = []
    for point in sorted({*_isolated(polynomial), *turning_points}):
        if clusters and _blurred(clusters[-1][-1], point, turning_points) and vanishes((clusters[-1][-1] + point) / 2):
            clusters[-1].append(point)
        else:
            clusters.append([point])
    return tuple(_centre(cluster, turning_points) for cluster in clusters)


def is_tractable(polynomial: Polynomial) -> bool:
    """Whether a polynomial's degree and coefficients are small enough for its roots to be found in a short time."""
    return _degree(polynomial) <= _DEGREE and _bits(polynomial) <= _BITS


def _bits(polynomial: Polynomial) -> int:
    """The number of bits of all coefficients of a polynomial together."""
    return sum(c.numerator.bit_length() + c.denominator.bit_length() for c in polynomial.coeffs())


def nearest_root(polynomial: Polynomial, ball: Any) -> float | None:
    """The double nearest to a polynomial's root, the only one in one of FLINT's balls; None if it overflows."""
    return next(iter(_nearest_doubles(polynomial, ball)), None)


def _blurred(a: float, b: float, turning_points: Collection[float]) -> bool:
    """Whether two roots of a polynomial may be a double root split by rounding: close, and one a turning point."""
    return (a in turning_points or b in turning_points) and math.isclose(a, b, rel_tol=1e-2)


def _centre(cluster: list[float], turning_points: Collection[float]) -> float:
    blurred = [point for point in cluster if point in turning_points]
    return math.fsum(blurred) / len(blurred) if blurred else cluster[0]


def _square_free(polynomial: Polynomial) -> Polynomial:
    """The polynomial that has the same roots, each of them once."""
    return polynomial // polynomial.gcd(polynomial.derivative())


def _isolated(polynomial: Polynomial) -> list[float]:
    return _nearest_doubles(_square_free(polynomial))


def _roots(polynomial: Polynomial) -> list[Ball]:
    """The complex roots of a polynomial, each in a ball that is real if and only if the root is."""
    return [root for root, _ in polynomial.numer().complex_roots()]


def _nearest_doubles(polynomial: Polynomial, ball: Any = None) -> list[float]:
    """All real roots of a polynomial without multiple ones, or the one in a ball, as the doubles nearest to them.

    The roots are isolated with more digits until each ball rounds to one double, or to none as it overflows. A root
    halfway between two doubles would never be told from either: it is rounded down.
    """
    for bits in _ROOT_BITS:
        with many_digits(bits):
            real = [root.real for root in _roots(polynomial) if root.imag == 0]
            ends = [(_double(x.lower()), _double(x.upper())) for x in real if ball is None or x.overlaps(ball)]
        if all(low == high for low, high in ends):
            break
    return [low for low, _ in ends if low is not None]


def _double(end: Any) -> float | None:
    """The double nearest to an end of the ball around a polynomial's root; None if it overflows."""
    mantissa, exponent = end.man_exp()
    try:
        return float(Fraction(int(mantissa)) * Fraction(2) ** int(exponent))
    except OverflowError:
        return None


# Common zeros

_PLANE = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex)
_X, _Y = _PLANE.gens()
_SHARES = (Fraction(1), Fraction(-2), Fraction(5, 3), Fraction(-7, 4), Fraction(11, 13))  # of y in t
_ZERO_BITS = (64, 256, 1024)

Pair = tuple[Ball, Ball]
"""The balls of x and of y."""


def common_zeros(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float]
) -> tuple[tuple[float, float], ...] | None:
    """All common zeros of two polynomial equations, as the nearest doubles; None where this method does not tell.

    >>> from derive.expressions.grammar import parse_equation
    >>> def of(*texts):
    ...     return common_zeros([parse_equation(text) for text in texts], ["x", "y"], {})
    >>> of("x**2 + y**2 = 5", "x*y = 2")
    ((-2.0, -1.0), (-1.0, -2.0), (1.0, 2.0), (2.0, 1.0))
    >>> of("y = x**3", "y = 3*x**2 - 3*x + 1")  # the curves meet where they bend alike
    ((1.0, 1.0),)
    >>> of("x**2 + y**2 = 1", "x + y = 3"), of("x*y = x", "x*y = 2*x")
    ((), None)
    """
    given = rationals((name for name in names_in(*equations) if name not in unknowns), known)
    zeros = None if given is None else _zeros_in_balls(equations, unknowns, given)
    return None if zeros is None else _as_doubles(*zeros)


def balls_of_zeros(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, Fraction]
) -> list[Pair] | None:
    """All common zeros of two polynomials by resultants, each in a pair of balls; None where these do not tell."""
    zeros = _zeros_in_balls(equations, unknowns, known)
    return None if zeros is None else [(x.real, y.real) for x, y in zeros[0]]


def _zeros_in_balls(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, Fraction]
) -> tuple[list[Pair], Polynomial, Polynomial] | None:
    """The balls of the common zeros of two equations, and the polynomials in x and in y with roots in them."""
    if len(equations) != 2 or len(unknowns) != 2 or any(equation.op != "=" for equation in equations):
        return None
    unit = _PLANE.constant(1)
    named = {name: exactly(number) * unit for name, number in known.items()}
    named |= dict(zip(unknowns, (_X, _Y), strict=True))
    ratios = [_ratio_in(difference_of(equation), named, unit) for equation in equations]
    tractable = [ratio for ratio in ratios if ratio is not None and is_tractable(ratio[0]) and is_tractable(ratio[1])]
    if len(tractable) < len(equations):
        return None
    (p, q), divisors = zip(*tractable, strict=True)
    in_x, in_y = (_resultant(p, q, name) for name in ("y", "x"))
    if not (in_x and in_y and is_tractable(in_x) and is_tractable(in_y)):
        return None
    in_x, in_y = _square_free(in_x), _square_free(in_y)
    for bits, share in product(_ZERO_BITS, _SHARES):
        tick()
        in_t = _sheared(p, q, share)
        if in_t is None:
            continue
        with many_digits(bits):
            pairs = _pairs(in_x, in_y, in_t, share)
            if pairs is not None and not any(starmap(_may_vanish, product(divisors, pairs))):
                return pairs, in_x, in_y
    return None


def _resultant(p: Polynomial, q: Polynomial, name: str) -> Polynomial:
    """The resultant of two polynomials with respect to one unknown, as a polynomial in the other."""
    place = 1 if name == "y" else 0
    shares = {powers[1 - place]: share for powers, share in p.resultant(q, name).terms()}
    return fmpq_poly([shares.get(power, 0) for power in range(max(shares, default=0) + 1)])


def _sheared(p: Polynomial, q: Polynomial, share: Fraction) -> Polynomial | None:
    """The third resultant of two polynomials, with t at their common zeros as roots; None where it may have others."""
    x = _X - exactly(share) * _Y  # x is t from here on
    p, q = (polynomial.compose(x, _Y) for polynomial in (p, q))
    is_whole = any(polynomial.degrees()[1] == polynomial.total_degree() for polynomial in (p, q))
    in_t = _resultant(p, q, "y")
    return in_t if is_whole and in_t and is_tractable(in_t) else None


def _pairs(in_x: Polynomial, in_y: Polynomial, in_t: Polynomial, share: Fraction) -> list[Pair] | None:
    """The common zeros of two polynomials as pairs of roots, by the third resultant; None if balls do not tell."""
    factor = exactly(share)
    candidates = [(x + factor * y, (x, y)) for x, y in product(_roots(in_x), _roots(in_y))]
    pairs: list[Pair] = []
    for root in _roots(in_t):
        if root.imag != 0:  # t is real where x and y are
            continue
        overlapping = [pair for t, pair in candidates if t.overlaps(root)]
        if len(overlapping) != 1:
            return None
        pairs += overlapping
    return pairs


def _may_vanish(divisor: Polynomial, pair: Pair) -> bool:
    x, y = pair
    number = sum((share * x**i * y**j for (i, j), share in divisor.terms()), start=x * 0)
    return bool(number.contains(0))


def _as_doubles(pairs: Sequence[Pair], in_x: Polynomial, in_y: Polynomial) -> tuple[tuple[float, float], ...] | None:
    """The common zeros of two polynomials as pairs of doubles, nearest to the roots; None if one is beyond doubles."""
    zeros = []
    for root_x, root_y in pairs:
        x, y = nearest_root(in_x, root_x.real), nearest_root(in_y, root_y.real)
        if x is None or y is None:
            return None
        zeros.append((x, y))
    return tuple(sorted(zeros))
