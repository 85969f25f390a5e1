"""The number that an expression comes to, and how far two sides are apart."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_condition, parse_equation, parse_expression
from derive.expressions.tree import Equation, render
from derive.numerics.algebra.evaluation import arms, holds, residual, terms, truth, value
from quantities.rational import Rational, read_decimal, written
from tests.derive.corpus import FORMULAS, Formula
from tests.ordinary import every

NUMBERS = st.floats(-20, 20, allow_subnormal=False)


@every("formula", FORMULAS, ids=str)
def test_a_published_formula_comes_to_what_python_makes_of_its_text(formula: Formula):
    assert value(parse_equation(formula.equation).rhs, formula.values) == pytest.approx(formula.value(), rel=1e-13)


@pytest.mark.parametrize(
    "text",
    [
        "sqrt(-x)",
        "1/(x - x)",
        "exp(1000*x)",
        "cosh(1000*x)",
        "x**(1000*x)",
        "log(x - x)",
        "log(-x)",
        "(-x)**0.5",
        "(x - x)**(-2)",
        "asin(x)",
        "floor(1/(x - x))",
        "max(x, sqrt(-x))",
        "0*sqrt(-x)",
        "Piecewise((x, x < 1))",
    ],
)
def test_what_real_arithmetic_leaves_undefined_is_no_number(text):
    assert math.isnan(value(parse_expression(text), {"x": 3.0}))


@pytest.mark.parametrize(("x", "expected"), [(-4.0, 2.0), (3.0, 3.0)])
def test_only_the_arm_that_is_chosen_needs_a_value(x, expected):
    assert value(parse_expression("sqrt(-x) if x < 0 else x"), {"x": x}) == expected


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">=", "==", "!="])
def test_a_comparison_with_what_is_undefined_does_not_hold_nor_does_its_contrary(sign):
    assert not holds(parse_condition(f"sqrt(x) {sign} 1"), {"x": -1.0})
    assert not holds(parse_condition(f"not sqrt(x) {sign} 1"), {"x": -1.0})


@given(NUMBERS, NUMBERS)
def test_conditions_join_as_in_python(x, y):
    text = "x < y and not x == 1 or (y >= 2 and x != y)"
    assert holds(parse_condition(text), {"x": x, "y": y}) is eval(text, {"x": x, "y": y})


@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10), st.integers(-60, 60))
def test_the_gap_is_a_share_of_the_terms_whatever_the_scale(a, b, c, power):
    equation = parse_equation("a = b - c")
    gap = residual(equation, {"a": a, "b": b, "c": c})
    assert gap == pytest.approx((a - b + c) / (a + b + c), abs=1e-15)
    scaled = {"a": a * 2.0**power, "b": b * 2.0**power, "c": c * 2.0**power}
    assert residual(equation, scaled) == pytest.approx(gap, abs=1e-15)


def test_a_side_without_a_value_has_no_gap():
    assert math.isnan(residual(parse_equation("a = sqrt(-a)"), {"a": 1.0}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - (b + c) + 2*(a + b)", ["a", "b", "c", "2*(a + b)"]),
        ("-(a - b)", ["a", "b"]),
        ("a*b", ["a*b"]),
    ],
)
def test_terms_of_nested_sums_are_taken_apart_without_signs(text, expected):
    assert [render(term) for term in terms(parse_expression(text))] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max(a, b, c)", ["c"]),
        ("min(a, b, c)", ["a"]),
        ("a*min(b, max(a, c)) + max(a, 0)", ["b", "a"]),
        ("max(min(b, c), a)", ["min(b, c)", "b"]),
        ("a if a > b else b if b > c else max(c, a)", ["max(c, a)", "c"]),
        ("a + b", []),
    ],
)
def test_the_arms_that_bind_are_named_outermost_first(text, expected):
    assert [render(arm) for arm in arms(parse_expression(text), {"a": 1.0, "b": 2.0, "c": 3.0})] == expected


def test_equal_sides_have_no_gap_even_where_all_is_zero():
    zero = parse_expression("a - a")
    assert residual(Equation(zero, "=", zero), {"a": 5.0}) == 0.0


@given(st.integers(1, 400), st.integers(1, 40), st.sampled_from([-1, 0, 1]))
def test_what_is_rounded_is_rounded_by_its_decimals(hundredths: int, times: int, aside: int) -> None:
    """In doubles 2.7/0.45 is more than six, which would be rounded up to seven."""
    step = Fraction(hundredths, 100)
    whole = times * step + aside * Fraction(1, 10**14)
    numbers = {"a": Rational(whole), "b": Rational(step)}
    assert value(parse_expression("ceil(a/b)"), numbers) == math.ceil(whole / step)
    assert value(parse_expression("floor(a/b)"), numbers) == math.floor(whole / step)
    assert value(parse_expression("2*ceil(a - 3*b) + 1"), numbers) == 2 * math.ceil(whole - 3 * step) + 1


@pytest.mark.parametrize("whole", [2**52 + 1, 2**52 + 2, -(2**52) - 1])
def test_what_is_rounded_may_be_so_large_that_no_double_lies_between_whole_numbers(whole: int) -> None:
    for aside in (Fraction(2, 5), Fraction(-2, 5)):
        number = {"a": Rational(whole + aside)}
        assert value(parse_expression("floor(a)"), number) == math.floor(whole + aside)
        assert value(parse_expression("ceil(a)"), number) == math.ceil(whole + aside)


@pytest.mark.parametrize("text", ["floor(10*a)", "ceil(10*a)", "floor(a + 2.7)", "floor(log(1000)/log(10) + a - 0.3)"])
def test_what_is_whole_by_its_decimals_is_not_rounded(text: str) -> None:
    assert value(parse_expression(text), {"a": 0.3}) == 3
    assert value(parse_expression(text), {"a": read_decimal("0.3")}) == 3


@pytest.mark.parametrize(
    ("text", "numbers", "expected"),
    [
        ("a*b <= u*b", {"a": 1e200, "b": 1e200, "u": 1e200}, True),
        ("a*b < u*b", {"a": 1e200, "b": 1e200, "u": 1e200}, False),
        ("a*b < u*b", {"a": 1e200, "b": 1e200, "u": 2e200}, True),
        ("a*b - 2*a*b < 0", {"a": 1e200, "b": 1e200}, True),
        ("a*b - 2*a*b < 0", {"a": -1e200, "b": 1e200}, False),
        ("exp(a) > exp(b)", {"a": 800.0, "b": 799.0}, True),
        ("sqrt(a)*b*b < b**2.5", {"a": 1e200, "b": 1e200}, False),
        ("log(-a) < a*b", {"a": 1e200, "b": 1e200}, None),
        ("1/(a - b) < a*b", {"a": 1e200, "b": 1e200}, None),
    ],
)
def test_a_comparison_of_numbers_beyond_all_doubles_is_decided(
    text: str, numbers: dict[str, float], expected: bool | None
) -> None:
    assert truth(parse_condition(text), numbers) is expected
    assert truth(parse_condition(text), {name: written(number) for name, number in numbers.items()}) is expected


def test_what_is_left_where_overflows_cancel_is_compared_only_if_it_is_exact() -> None:
    condition = parse_condition("sqrt(a)*sqrt(a)*b - a*b < 1")
    numbers = {"a": 3e200, "b": 1e200}
    assert truth(condition, numbers) is None
    assert truth(condition, {name: written(number) for name, number in numbers.items()}) is True


AT_ENDS = (
    "acos((c - 0.9)/0.4)",
    "acosh(c/c)",
    "(3*c - 3.9)**0.4",
    "(asin(c/1.3) - asin(1))",
    "(acos(c/c) if b < c else b)",
)


@pytest.mark.parametrize("zero", AT_ENDS)
def test_sides_that_are_equal_at_the_end_of_a_domain_are_so(zero: str) -> None:
    numbers = {"b": read_decimal("0.4"), "c": read_decimal("1.3")}
    for sides, met in (("<= 0.3", True), (">= 0.3", True), ("< 0.3", False), ("> 0.3", False)):
        assert holds(parse_condition(f"{zero} + 0.1 + 0.2 {sides}"), numbers) == met
    assert value(parse_expression(f"floor({zero} + 0.7/0.1)"), numbers) == 7
