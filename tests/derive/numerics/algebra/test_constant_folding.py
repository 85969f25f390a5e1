"""Known numbers put in: the expression's value stays, and what cancels cancels wholly."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Number, names_in, render, with_forms
from derive.numerics.algebra.constant_folding import folded, with_precise_constants
from derive.numerics.algebra.evaluation import in_doubles, value
from tests.derive.draws import expressions
from tests.ordinary import examples

NUMBERS = st.floats(-20, 20).map(lambda x: round(x, 3))


@examples(400)
@given(expressions(), NUMBERS, NUMBERS)
def test_an_expression_keeps_its_value_when_one_of_its_names_is_put_in(text, x, y):
    tree = parse_expression(text)
    whole = value(tree, {"x": x, "y": y})
    left = folded(tree, {"y": y})
    assert "y" not in names_in(left)
    assume(whole == whole and abs(whole) < 1e9)
    conditioned = value(tree, {"x": x * (1 + 1e-12), "y": y * (1 - 1e-12)})
    assume(abs(conditioned - whole) <= 1e-9 * (1 + abs(whole)))
    assert value(left, {"x": x}) == pytest.approx(whole, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("(1e30 + x) - 1e30", "x"),
        ("x + log(x) - x - log(x)", "0"),
        ("b*x - 2*x", "0"),
        ("pi*x + pi - pi - pi*x", "0"),
        ("x*(b - 2)", "0*x"),
        ("-(x - b)", "(-1)*x + 2"),
        ("max(b, 1)*x/b", "x"),
        ("(x if b < x else b)", "x if 2 < x else 2"),
        ("1/(b - 2) + x", "1/0 + x"),
        ("log(0*b) + x", "log(0) + x"),
        ("x + exp(log(4*b)) - 8", "x"),
        ("x + log(exp(4*b)) - 8", "x"),
        ("x + exp(log(-b))", "x + exp(log(-2))"),
        ("exp(log(x))", "exp(log(x))"),
    ],
)
def test_constants_are_worked_out_exactly_and_only_where_they_have_a_value(text, left):
    assert render(folded(parse_expression(text), {"b": 2.0})) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("pi*x - 4*x*atan(1)", "0"),
        ("x*sin(pi/6) - 0.5*x + 1", "1"),
        ("x*sin(pi*b) + 1", "1"),
        ("x*tan(pi/4)", "x"),
        ("x*(-sqrt(3))*sqrt(3)", "(-3)*x"),
        ("x + sqrt(1e70) - 1e35", "x"),
        ("x + 5e-30*sqrt(1e-60) - 5e-60", "x"),
    ],
)
def test_irrational_constants_cancel_to_all_digits(text, left):
    assert render(folded(parse_expression(text), {"b": 2.0})) == left


@pytest.mark.parametrize("number", [0.3, 2, 3, 7.1, 1e30])
@pytest.mark.parametrize(
    "one",
    [
        "sqrt(b)*sqrt(b)/b",
        "(b**(1/3))**3/b",
        "log(b**2)/(2*log(b))",
        "sin(b/1e29)**2 + cos(b/1e29)**2",
        "1 + log(8*b/b) - 3*log(2)",
        "exp(b/1e30)**2/exp(2*b/1e30)",
    ],
)
@pytest.mark.parametrize(
    ("text", "left"),
    [("floor({})", 1), ("ceil({})", 1), ("floor(1/({}))", 1), ("floor(-({}))", -1), ("acos({})", 0), ("acosh({})", 0)],
)
def test_what_irrational_constants_make_a_whole_number_is_one(text, left, one, number):
    """With any number of digits they are beside it, so that `floor` was as often the number below."""
    assert value(folded(parse_expression(text.format(one)), {"b": number}), {}) == left


@pytest.mark.parametrize("beside", ["1e-20", "1e-200", "-1e-200"])
def test_a_constant_that_is_beside_a_whole_number_stays_there(beside):
    tree = parse_expression(f"1e250*(sqrt(b)*sqrt(b)/b + {beside}*sqrt(2) - 1)")
    assert value(folded(tree, {"b": 3.0}), {}) == pytest.approx(1e250 * float(beside) * math.sqrt(2), rel=1e-12)


def test_a_number_that_is_none_is_left_standing():
    assert render(folded(parse_expression("a*x"), {"a": math.nan})) == "a*x"


@pytest.mark.parametrize("text", ["x - u/s", "x + u*log(s - 1)", "max(x, 1) + 0*(1/s)", "u*(s**(-1)) + x", "x*u/s - x"])
def test_what_is_undefined_stays_so_although_it_is_taken_no_times(text):
    left = folded(parse_expression(text), {"u": 0.0, "s": 0.0})
    assert math.isnan(value(left, {"x": 1.0}))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x/(log(8) - 3.000000000001*log(2))", -1e12 / math.log(2)),
        ("x*log(8) - 3.000000000001*x*log(2)", -1e-12 * math.log(2)),
        ("x + sqrt(2)*1e12 - sqrt(2.000000000001)*1e12", 1 - math.sqrt(2) / 4 + math.sqrt(2) / 32 * 1e-12),
        ("x*(1/3 - 0.333333333333)", 1e-12 / 3),
        ("x*(0.1 + 0.2 - 0.3)", 0.0),
    ],
)
def test_constants_that_cancel_keep_the_digits_that_doubles_lose(text, expected):
    tree = parse_expression(text)
    assert in_doubles_at_one(tree) != pytest.approx(expected, rel=1e-10, abs=0)
    assert in_doubles_at_one(with_precise_constants(tree)) == pytest.approx(expected, rel=1e-14, abs=0)


def test_a_sum_of_constants_has_all_digits_wherever_it_is_evaluated():
    tree = parse_expression("x/(log(8) - 3.000000000001*log(2))")
    assert value(tree, {"x": 2.0}) == pytest.approx(-2e12 / math.log(2), rel=1e-14)


def in_doubles_at_one(tree):
    return in_doubles(with_forms(tree, {"x": Number(Fraction(1))}))


@pytest.mark.parametrize(
    "text", ["x*(sqrt(2) + 1)", "x*log(8) + x*log(2)", "x - 3", "x/s - x/s", "2*x + 3*x", "x*(3 - 1/3)"]
)
def test_constants_of_which_doubles_lose_no_digits_stay(text):
    tree = parse_expression(text)
    assert with_precise_constants(tree) == tree
