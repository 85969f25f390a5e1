"""An expression with a degree scales by that power, whatever its numbers are."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.homogeneity import degree
from tests.ordinary import examples

DEGREES = st.fractions(-3, 3, max_denominator=4)
SIZES = st.floats(0.5, 3)
FORMS = {
    "x**2*y/3": "2*a + b",
    "(x/y)**1.5": "1.5*a - 1.5*b",
    "sqrt(x)**3/y**(1/2)": "1.5*a - 0.5*b",
    "(x**2 + 4*x*x)**(-2)": "-4*a",
    "max(x*y, 2*y*x)**0.5": "0.5*a + 0.5*b",
    "2**3*y": "b",
    "exp(x/x)*abs(y)": "b",
}


@examples(40)
@given(st.sampled_from(sorted(FORMS)), DEGREES, DEGREES, SIZES, SIZES, st.floats(0.5, 2))
def test_a_homogeneous_expression_scales_by_the_power_that_is_its_degree(text, a, b, x, y, scale):
    form = parse_expression(text)
    power = degree(form, {"x": a, "y": b})
    assert power == eval(FORMS[text], {"a": a, "b": b})
    scaled = {"x": x * scale ** float(a), "y": y * scale ** float(b)}
    assert value(form, scaled) == pytest.approx(value(form, {"x": x, "y": y}) * scale ** float(power))


@pytest.mark.parametrize("text", ["x + 1", "x**y", "2**x", "exp(x)", "x**2 + x", "(x + 1)**2", "log(x)"])
def test_what_scales_by_no_power_has_no_degree(text):
    assert degree(parse_expression(text), {"x": Fraction(1), "y": Fraction(2)}) is None
