"""Enclosures: no value and no slope of an expression lies outside its own."""

from __future__ import annotations

import math
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Number, is_condition, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import enclose, span_of
from quantities.rational import written
from tests.derive.draws import FUNCTIONS, POWERS, ROUNDED, expressions
from tests.ordinary import every, examples

QUARTERS = st.integers(-40, 40).map(lambda n: n / 4)
BOXES = st.tuples(QUARTERS, QUARTERS).map(lambda ends: (min(ends), max(ends)))
SHARES = (0.0, 0.07, 0.23, 0.5, 0.61, 0.9, 1.0)
LARGE = 1e6


def inside(number, span, slack):
    return span[0] - slack <= number <= span[1] + slack


def along(span):
    return [span[0] + share * (span[1] - span[0]) for share in SHARES]


def sampled(node, x_span, y_span):
    """Rows of (x, value, size of the largest part), one row of points along x for each of some y."""
    rows = []
    for y in along(y_span)[::3]:
        points = [{"x": x, "y": y} for x in along(x_span)]
        rows.append([(at["x"], value(node, at), max(abs(value(p, at)) for p in _valued(node))) for at in points])
    return rows


def _valued(node):
    return [part for part in walk(node) if not is_condition(part)]


def assert_enclosed(text, x_span, y_span=(1.0, 1.0)):
    node = parse_expression(text)
    enclosure = enclose(node, {"x": x_span, "y": y_span}, "x")
    rows = sampled(node, x_span, y_span)
    if enclosure is None:
        assert all(math.isnan(number) for row in rows for _, number, _ in row)
        return
    for row in rows:
        good = [(x, number, size) for x, number, size in row if number == number and not size > LARGE]
        for _, number, size in good:
            assert inside(number, enclosure.values, 1e-7 * (1 + size))
        for (x, number, size), (x2, number2, size2) in pairwise(good):
            if not enclosure.partial and x2 > x:
                assert inside((number2 - number) / (x2 - x), enclosure.slopes, 1e-5 * (1 + size + size2))


@pytest.mark.thorough
@examples(1000, suppress_health_check=[HealthCheck.too_slow])
@given(expressions(), BOXES, BOXES)
def test_sampled_values_and_slopes_of_any_expression_lie_in_its_enclosure(text, x_span, y_span):
    assert_enclosed(text, x_span, y_span)


@examples(300)
@given(expressions(), BOXES, BOXES)
def test_what_is_not_partial_is_defined_throughout(text, x_span, y_span):
    node, spans = parse_expression(text), {"x": x_span, "y": y_span}
    parts = [enclose(part, spans, "x") for part in _valued(node)]
    assume(all(part is not None and all(map(math.isfinite, part.values)) for part in parts))
    if not parts[0].partial:
        assert all(number == number for row in sampled(node, x_span, y_span) for _, number, _ in row)


@every("name", [*FUNCTIONS, *ROUNDED])
@every("span", [(-0.9, -0.2), (-0.7, 0.4), (0.0, 0.8), (0.1, 0.9), (-3.0, 9.0), (2.0, 7.0), (-8.0, -2)])
def test_each_function_alone_is_enclosed(name, span):
    assert_enclosed(f"{name}(x)", span)
    assert_enclosed(f"{name}(2 - 3*x)", span)


@every("power", POWERS)
@every("span", [(-2.0, -0.5), (-1.0, 2.0), (-2.0, 0.0), (0.0, 2.0), (0.5, 3.0), (0.0, 0.0)])
def test_each_power_alone_is_enclosed(power, span):
    assert_enclosed(f"x**{power}", span)


@pytest.mark.parametrize(
    ("text", "span", "values", "slopes"),
    [
        ("x**2", (-1.0, 3.0), (0.0, 9.0), (-2.0, 6.0)),
        ("1/x", (2.0, 4.0), (0.25, 0.5), (-0.25, -0.0625)),
        ("sqrt(x)", (1.0, 4.0), (1.0, 2.0), (0.25, 0.5)),
        ("max(x, 2)", (3.0, 4.0), (3.0, 4.0), (1.0, 1.0)),
        ("max(x, 2)", (0.0, 1.0), (2.0, 2.0), (0.0, 0.0)),
        ("sin(x)", (0.0, math.pi), (0.0, 1.0), (-1.0, 1.0)),
        ("x if x > 2 else 5", (3.0, 4.0), (3.0, 4.0), (1.0, 1.0)),
    ],
)
def test_where_the_bounds_are_known_they_are_tight(text, span, values, slopes):
    enclosure = enclose(parse_expression(text), {"x": span}, "x")
    assert enclosure.values == pytest.approx(values, abs=1e-12)
    assert enclosure.slopes == pytest.approx(slopes, abs=1e-12)
    assert not enclosure.partial


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("floor(x)", (0.5, math.inf)),
        ("ceil(x)", (-math.inf, 0.5)),
        ("x**0.3", (1.0, math.inf)),
        ("sqrt(x)", (1.0, math.inf)),
        ("1/x", (1.0, math.inf)),
        ("atan(x)", (1.0, math.inf)),
        ("exp(-x)", (1.0, math.inf)),
    ],
)
def test_an_enclosure_over_an_endless_span_holds_the_finite_part(text, span):
    node = parse_expression(text)
    enclosure = enclose(node, {"x": span}, "x")
    near = (0.6, 0.9, 1.1, 30.0) if span[1] > 1 else (-30.0, -1.1, -0.2, 0.4)
    inner = [x for x in near if span[0] <= x <= span[1]]
    numbers = [value(node, {"x": x}) for x in inner]
    assert all(inside(number, enclosure.values, 1e-12) for number in numbers)
    for (x, a), (x2, b) in pairwise(zip(inner, numbers, strict=True)):
        assert enclosure.partial or inside((b - a) / (x2 - x), enclosure.slopes, 1e-12)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("log(x)", (-2.0, 0.0)),
        ("sqrt(x)", (-2.0, -1.0)),
        ("x**0.5", (-2.0, -1.0)),
        ("asin(x)", (1.5, 2.0)),
        ("2 + log(x)*3", (-2.0, -1.0)),
        ("Piecewise((x, x < 0))", (1.0, 2.0)),
    ],
)
def test_what_is_nowhere_defined_has_no_enclosure(text, span):
    assert enclose(parse_expression(text), {"x": span}, "x") is None


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1/x", (-1.0, 1.0)),
        ("tan(x)", (1.0, 2.0)),
        ("log(x)", (-1.0, 1.0)),
        ("floor(x)", (0.5, 1.5)),
        ("x if x < 1 else 2*x", (0.5, 1.5)),
        ("Piecewise((x, x < 1))", (0.5, 1.5)),
        ("sqrt(-1 - x) if x < 1 else x", (0.5, 1.5)),
    ],
)
def test_a_jump_or_a_gap_is_said(text, span):
    assert enclose(parse_expression(text), {"x": span}, "x").partial


@pytest.mark.parametrize("test", ["log(x) < 1", "sqrt(x) >= 0", "not log(x) > 1", "log(x) != 5"])
def test_a_condition_without_a_value_in_part_leaves_both_arms_open(test):
    assert_enclosed(f"(1 if {test} else 5)", (-1.0, 1.0))


@examples(200)
@given(expressions(4), BOXES)
def test_missing_zero_and_being_monotone_are_never_said_wrongly(text, span):
    node = parse_expression(text)
    enclosure = enclose(node, {"x": span, "y": (1.0, 1.0)}, "x")
    assume(enclosure is not None)
    numbers = [value(node, {"x": x, "y": 1.0}) for x in along(span)]
    numbers = [number for number in numbers if number == number and abs(number) < LARGE]
    if enclosure.misses_zero:
        assert all(number > -1e-9 for number in numbers) or all(number < 1e-9 for number in numbers)
    if enclosure.is_monotone:
        slack = 1e-9 * max(1.0, *map(abs, numbers), 0.0)
        steps = [b - a for a, b in pairwise(numbers)]
        assert all(step >= -slack for step in steps) or all(step <= slack for step in steps)


@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_for_which_a_double_has_no_room_lies_beyond_all_of_them(sign):
    number = Number(sign * Fraction(10) ** 400)
    enclosure = enclose(number, {}, "x")
    assert max(enclosure.values, key=abs) == sign * math.inf
    assert min(enclosure.values, key=abs) == sign * sys.float_info.max
    assert enclosure.slopes == (0, 0)


@every("turn", range(-3, 4))
@every("ulps", range(-3, 4))
@every("width", [-0.1, 0.1, 3.0])
def test_a_tangent_holds_what_lies_on_both_sides_of_its_pole(turn, ulps, width):
    pole = math.pi / 2 + turn * math.pi
    end = pole + ulps * math.ulp(pole)
    low, high = sorted((end, end + width))
    enclosure = enclose(parse_expression("tan(x)"), {"x": (low, high)}, "x")
    inside = [low, high, *(low + share * (high - low) for share in (1e-9, 0.01, 0.3, 0.7, 0.99))]
    assert all(enclosure.values[0] <= math.tan(x) <= enclosure.values[1] for x in inside)


@pytest.mark.parametrize("text", ["0.1", "28.7", "-0.7", "0.5", "3", "1e-9"])
def test_a_decimal_lies_between_the_bounds_of_the_number_that_rounds_it(text):
    low, high = span_of(written(float(text)))
    assert Fraction(low) <= Fraction(text) <= Fraction(high)
    assert (low == high) == (Fraction(float(text)) == Fraction(text))
    assert span_of(float(text)) == (float(text), float(text))


def test_an_absolute_value_has_the_slopes_of_both_sides_at_zero():
    enclosure = enclose(parse_expression("abs(x - 2) + 1"), {"x": (2.0, 2.0)}, "x")
    assert enclosure.values == (1.0, 1.0)
    assert enclosure.slopes == (-1.0, 1.0)
