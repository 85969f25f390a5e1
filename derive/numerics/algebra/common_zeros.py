"""All common zeros of two polynomials in two unknowns with rational coefficients.

The resultant of p and q with respect to y is a polynomial in x that vanishes at the x of each common zero; that with
respect to x vanishes at each y. So the common zeros are among the pairs (x, y) of their roots. Which pairs they are is
told by a third resultant: with t = x + c*y in place of x, its roots are the values of t at the common zeros, and no
others where p or q keeps its whole degree in y (zeros at infinity would add some). A root t that only one pair can
have belongs to that pair. Where several can, another c is tried, and then more digits.

Roots are balls of FLINT's, the complex ones among them: each ball holds one root, and is real if and only if the root
is. So the list is proved complete, and a multiple zero is known as well as a simple one. (Cox, Little and O'Shea,
*Using Algebraic Geometry*, chapter 3, where the resultant with t is that with a linear form of unknown shares.)

Rounded numbers leave a multiple zero undecided, and polynomials with a common factor have no resultant. Other methods
see to these, and to zeros at which a divisor of the equations is zero as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from flint import Ordering, fmpq_mpoly_ctx, fmpq_poly

from derive.expressions.tree import Equation, Node, names_in
from derive.numerics.algebra.exact_values import Ball, many_digits, rationals
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.algebra.polynomials import (
    Polynomial,
    Ratio,
    exactly,
    is_tractable,
    nearest_root,
    ratio_in,
    square_free,
)
from derive.time_limits import tick

__all__ = ["balls_of_zeros", "common_zeros"]

_PLANE = fmpq_mpoly_ctx.get(("x", "y"), Ordering.lex)
_X, _Y = _PLANE.gens()
_SHARES = (Fraction(1), Fraction(-2), Fraction(5, 3), Fraction(-7, 4), Fraction(11, 13))  # of y in t
_BITS = (64, 256, 1024)

Pair = tuple[Ball, Ball]
"""The balls of x and of y."""


def common_zeros(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float]
) -> tuple[tuple[float, float], ...] | None:
    """All real solutions of two equations, as the nearest doubles; None where this method does not tell.

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
    given = rationals((name for name in names_in(*_sides(equations)) if name not in unknowns), known)
    found = None if given is None else _found(equations, unknowns, given)
    return None if found is None else _as_doubles(*found)


def balls_of_zeros(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, Fraction]
) -> list[Pair] | None:
    """All real solutions of two equations, each of them in a pair of balls; None where this method does not tell."""
    found = _found(equations, unknowns, known)
    return None if found is None else [(x.real, y.real) for x, y in found[0]]


def _found(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, Fraction]
) -> tuple[list[Pair], Polynomial, Polynomial] | None:
    """The pairs of balls, and the polynomials in x and in y whose roots are in them."""
    if len(equations) != 2 or len(unknowns) != 2 or any(one.op != "=" for one in equations):
        return None
    ratios = _as_ratios(equations, unknowns, known)
    if ratios is None:
        return None
    p, q = (above for above, _ in ratios)
    in_x, in_y = (_resultant(p, q, name) for name in ("y", "x"))
    if not (in_x and in_y and is_tractable(in_x) and is_tractable(in_y)):
        return None
    in_x, in_y = square_free(in_x), square_free(in_y)
    for bits, share in product(_BITS, _SHARES):
        tick()
        in_t = _sheared(p, q, share)
        if in_t is None:
            continue
        with many_digits(bits):
            pairs = _pairs(in_x, in_y, in_t, share)
            if pairs is not None and not any(_may_vanish(below, pair) for _, below in ratios for pair in pairs):
                return pairs, in_x, in_y
    return None


def _as_ratios(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, Fraction]
) -> list[Ratio] | None:
    """Each equation as a ratio of polynomials that is zero; None if one is none, or a number is not known exactly."""
    one = _PLANE.constant(1)
    named = {name: exactly(number) * one for name, number in known.items()}
    named |= dict(zip(unknowns, (_X, _Y), strict=True))
    ratios = [ratio_in(added(each.lhs, negated(each.rhs)), named, one) for each in equations]
    found = [ratio for ratio in ratios if ratio is not None and is_tractable(ratio[0]) and is_tractable(ratio[1])]
    return found if len(found) == len(equations) else None


def _sides(equations: Sequence[Equation]) -> list[Node]:
    return [side for each in equations for side in (each.lhs, each.rhs)]


def _resultant(p: Polynomial, q: Polynomial, name: str) -> Polynomial:
    """The resultant of two polynomials with respect to one unknown, as a polynomial in the other."""
    place = 1 if name == "y" else 0
    shares = {powers[1 - place]: share for powers, share in p.resultant(q, name).terms()}
    return fmpq_poly([shares.get(power, 0) for power in range(max(shares, default=0) + 1)])


def _sheared(p: Polynomial, q: Polynomial, share: Fraction) -> Polynomial | None:
    """The polynomial whose roots are the values of t at the common zeros; None where it may have other roots."""
    x = _X - exactly(share) * _Y  # x is t from here on
    p, q = (one.compose(x, _Y) for one in (p, q))
    is_whole = any(one.degrees()[1] == one.total_degree() for one in (p, q))
    in_t = _resultant(p, q, "y")
    return in_t if is_whole and in_t and is_tractable(in_t) else None


def _roots(polynomial: Polynomial) -> list[Ball]:
    return [root for root, _ in polynomial.numer().complex_roots()]


def _pairs(in_x: Polynomial, in_y: Polynomial, in_t: Polynomial, share: Fraction) -> list[Pair] | None:
    """The pairs of roots to which the real roots t belong; None where several have one, as far as balls can tell."""
    factor = exactly(share)
    places = [(x + factor * y, (x, y)) for x, y in product(_roots(in_x), _roots(in_y))]
    found: list[Pair] = []
    for root in _roots(in_t):
        if root.imag != 0:  # t is real where x and y are
            continue
        meeting = [pair for t, pair in places if t.overlaps(root)]
        if len(meeting) != 1:
            return None
        found += meeting
    return found


def _may_vanish(divisor: Polynomial, pair: Pair) -> bool:
    x, y = pair
    number = sum((share * x**i * y**j for (i, j), share in divisor.terms()), start=x * 0)
    return bool(number.contains(0))


def _as_doubles(pairs: Sequence[Pair], in_x: Polynomial, in_y: Polynomial) -> tuple[tuple[float, float], ...] | None:
    """The doubles nearest to pairs of real roots; None where one is beyond all doubles."""
    found = []
    for root_x, root_y in pairs:
        x, y = nearest_root(in_x, root_x.real), nearest_root(in_y, root_y.real)
        if x is None or y is None:
            return None
        found.append((x, y))
    return tuple(sorted(found))
