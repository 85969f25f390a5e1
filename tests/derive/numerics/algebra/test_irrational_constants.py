"""Irrational constants keep their digits, and are told from all that is typed or computed in doubles."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.tree import Apply, Number
from derive.numerics.algebra.constant_folding import as_short_fraction, in_many_digits, is_irrational, total_of

SHORT = st.fractions(max_denominator=10**12).filter(bool)
DECIMALS = st.builds(lambda digits, places: Fraction(digits, 10**places), st.integers(1, 10**200), st.integers(0, 200))
NO_SQUARES = st.integers(2, 10**6).filter(lambda number: isqrt(number) ** 2 != number)


def root_of(number: int) -> Fraction:
    found = in_many_digits(Apply("sqrt", (Number(Fraction(number)),)))
    assert found is not None
    return found


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_double_is_taken_for_an_irrational_constant(number):
    assert not is_irrational(Fraction(number))


@given(DECIMALS)
def test_no_decimal_is_taken_for_an_irrational_constant(number):
    assert not is_irrational(number)


@given(NO_SQUARES)
def test_a_root_has_the_digits_that_mpmath_gives(number):
    found = root_of(number)
    assert is_irrational(found)
    with mpmath.workprec(1300):
        assert abs(mpmath.mpf(found.numerator) / found.denominator / mpmath.sqrt(number) - 1) < mpmath.mpf(2) ** -1150


@given(SHORT, st.integers(-(1 << 60), 1 << 60).filter(bool))
def test_a_constant_that_is_a_short_fraction_to_its_digits_is_that_fraction(fraction, noise):
    assert as_short_fraction(fraction * (1 + Fraction(noise, 1 << 1200))) == fraction


@given(NO_SQUARES, SHORT)
def test_a_root_times_a_fraction_is_no_fraction(number, fraction):
    product = root_of(number) * fraction
    assert as_short_fraction(product) == product


@given(NO_SQUARES, SHORT)
def test_of_a_sum_that_cancels_nothing_is_left_but_what_does_not(number, rest):
    root = root_of(number)
    assert total_of([root, -root * (1 + Fraction(1, 1 << 1190))]) == 0
    assert total_of([root, rest, -root * (1 + Fraction(1, 1 << 1190))]) == pytest.approx(float(rest), rel=1e-15)


@pytest.mark.parametrize("exponent", [40, 100, 150, 250, 300])
def test_a_function_that_loses_nearly_all_digits_of_its_argument_keeps_enough(exponent):
    """The terms of 1 + 1e-250 are 830 binary digits apart, and `log` leaves the second."""
    small = Fraction(1, 10**exponent)
    number = in_many_digits(Apply("log", (Number(1 + small),)))
    assert number is not None
    assert float(number / small) == pytest.approx(1, rel=1e-15)
