"""Real roots of polynomials: as many as there are, where they are, whatever rounding did to the coefficients."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import sympy
from flint import fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Number
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.polynomials import exactly, fraction, ratio_of, real_roots
from tests.ordinary import examples

RATIONALS = st.fractions(-50, 50, max_denominator=12)


def expanded(*roots):
    coefficients = [Fraction(1)]
    for root in roots:
        coefficients = [a - root * b for a, b in zip([0, *coefficients], [*coefficients, 0], strict=True)]
    return tuple(map(Fraction, coefficients))


def roots_of(coefficients, vanishes=None):
    return real_roots(fmpq_poly([*map(exactly, coefficients)]), vanishes or never)


def never(x):
    return False


@examples(60)
@given(st.lists(RATIONALS, min_size=1, max_size=6))
def test_exact_coefficients_give_each_root_once_however_often_it_counts(roots):
    isolated = roots_of(expanded(*roots))
    assert isolated == pytest.approx(sorted({float(root) for root in roots}), rel=1e-15)


@pytest.mark.thorough
@examples(60)
@given(st.lists(st.fractions(-(10**9), 10**9, max_denominator=10**7), min_size=2, max_size=8))
def test_there_are_as_many_as_sturm_counts_and_each_is_the_nearest_double(coefficients):
    polynomial = sympy.Poly(
        [sympy.Rational(c.numerator, c.denominator) for c in reversed(coefficients)], sympy.Symbol("x")
    )
    if polynomial.degree() < 1:
        return
    while coefficients[-1] == 0:
        coefficients.pop()
    isolated = roots_of(coefficients)
    assert len(isolated) == polynomial.count_roots()
    for root in isolated:
        below, above = (
            Fraction(root) + (Fraction(math.nextafter(root, to)) - Fraction(root)) / 2 for to in (-math.inf, math.inf)
        )
        assert (
            polynomial.count_roots(
                sympy.Rational(below.numerator, below.denominator), sympy.Rational(above.numerator, above.denominator)
            )
            >= 1
        )


@examples(40)
@given(RATIONALS, st.fractions(Fraction(1, 9), 9, max_denominator=9))
def test_a_parabola_above_the_axis_has_none(x, height):
    coefficients = (x * x + height, -2 * x, Fraction(1))
    assert roots_of(coefficients) == ()


@examples(40)
@given(st.sampled_from([(1,), (3, 11), (2, 7, 31), (5, 40)]), st.integers(2, 3))
def test_rounded_coefficients_do_not_split_a_multiple_root(roots, times):
    exact = expanded(*(Fraction(root, 7) for root in roots for _ in range(times)))
    rounded = tuple(Fraction(float(c)) for c in exact)

    def vanishes(x):
        terms = [float(c) * x**i for i, c in enumerate(rounded)]
        return abs(math.fsum(terms)) <= 1e-13 * math.fsum(map(abs, terms))

    assert roots_of(rounded, vanishes) == pytest.approx(sorted(root / 7 for root in roots), rel=2e-3)


@pytest.mark.parametrize("size", [Fraction(1, 10**280), Fraction(1, 10**30), Fraction(10) ** 30, Fraction(10) ** 250])
def test_roots_of_any_magnitude_are_found(size):
    assert roots_of(expanded(size, 3 * size)) == pytest.approx([float(size), float(3 * size)])


@pytest.mark.parametrize(
    "text", ["x**3 - 2*x", "(x + 1)/(x - 2) + 3/x", "(1/x + 2)**3", "x/(1 + 1/(x + 1))", "x**(-2)*5"]
)
@given(st.floats(0.3, 30).filter(lambda x: abs(x - 2) > 0.01))
def test_a_ratio_has_the_values_of_the_expression(text, x):
    tree = folded(parse_expression(text), {})
    above, below = (float(fraction(part(exactly(Fraction(x))))) for part in ratio_of(tree, "x"))
    assert above / below == pytest.approx(value(tree, {"x": x}), rel=1e-9)


@pytest.mark.parametrize(
    "text", ["sqrt(x)", "x**0.5", "2**x", "exp(x) + x", "max(x, 1)", "x + y", "(x + 1)**200", "1/(x - x)"]
)
def test_what_is_no_ratio_of_polynomials_is_none(text):
    assert ratio_of(parse_expression(text), "x") is None


def test_a_power_too_long_to_be_written_out_is_none():
    assert ratio_of(Apply("pow", (Number(Fraction(3, 2)), Number(Fraction(10**9)))), "x") is None


def test_roots_near_the_largest_double_are_found():
    one, other = Fraction(1.6e308), Fraction(1.7e308)
    assert roots_of(expanded(one, other)) == pytest.approx([1.6e308, 1.7e308])
