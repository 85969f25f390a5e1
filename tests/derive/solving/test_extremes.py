"""Bounds of a form over a box hold every sample, and are reached; one made easier to bound is equal to it there."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import render
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import enclose
from derive.solving.extremes import bounds_of_form, bounds_sampled, form_for_bounds, is_monotone
from quantities.quantity import Quantity
from tests.derive.draws import expressions
from tests.derive.solving.forms import BENT, MONOTONE
from tests.derive.statements import bare, number, span
from tests.ordinary import examples

RANGES = {"x": (2.0, 5.0), "y": (1.0, 1.5)}
KNOWN = {"a": 0.3, "b": 7.0}
WORDS = {name: Quantity(name) for name in (*RANGES, *KNOWN)}
FORMS = (
    "(x*a + b)/(x*a + 2*b)",
    "max(a*x, b*y, 1)/(b*y)",
    "min(x, y)*x/(x + y)",
    "max(a*x, y)/max(a*x, y)",
    "(x + y)**2 - x**2 - 2*x*y",
    "sqrt(x*y)/(sqrt(x)*a) + max(x, 6)",
    "x if x > 3 else y",
    "(x**3 - y**3)/(x - y)",
    "(exp(x) + y)**2/(y + exp(x)) - y*sin(x) + sin(x)*(1 + y)",
    "sqrt(x - 1)*y - y*(sqrt(x - 1) - 1)",
    "exp(x*y + a*x) - exp(a*x + y*x) + x",
)


@pytest.mark.parametrize("text", FORMS)
@given(x=st.floats(2.0, 5.0), y=st.floats(1.0, 1.5))
def test_it_is_equal_everywhere_in_the_box(text, x, y):
    form = parse_expression(text)
    light = form_for_bounds(form, KNOWN, RANGES, WORDS)
    assert value(light, {"x": x, "y": y}) == pytest.approx(value(form, {**KNOWN, "x": x, "y": y}), rel=1e-9)


def test_what_cancels_no_longer_moves():
    assert render(form_for_bounds(parse_expression("max(a*x, y)/max(y, a*x)"), {"a": 9.0}, RANGES, WORDS)) == "1"


@pytest.mark.parametrize(
    "text", ["{f}*y - y*{f} + x", "x*({f} + y)/(y + {f})", "({f} + y)**2 - {f}**2 - y**2 - 2*{f}*y + x"]
)
@given(
    st.sampled_from(
        ["exp(y*x)", "log(x)", "sin(x + y)", "acos(1 - y/x/9)", "max(x, y)", "tanh(x/y)", "(1 if x > y else y)"]
    ),
    st.tuples(st.integers(1, 9), st.integers(1, 9)).map(lambda pair: (pair[0], sum(pair))),
)
def test_functions_that_cancel_leave_the_bounds_of_the_rest(text, function, ends):
    cancelling = bare("d x y", f"d = {text.format(f=function)}", domains={"d": "real"})
    answer = cancelling.solve("d", x="{}..{}".format(*ends), y="2..3")
    assert span(answer) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize("low", [0.5, 0.0, -1.0])
def test_a_function_that_has_no_value_in_a_part_of_the_ranges_stays(low):
    form = parse_expression("y*log(x) - log(x)*y + x")
    light = render(form_for_bounds(form, {}, {**RANGES, "x": (low, 5.0)}, WORDS))
    assert ("log" in light) is (low <= 0)


def test_a_ratio_of_sums_moves_one_way():
    form = parse_expression("(x*a + b)/(x*a + 2*b)")
    assert not is_monotone(parse_expression("(x*a + b)/(x*a + 2*b) + x*(x - 7)"), KNOWN, {"x": RANGES["x"]})
    assert is_monotone(form_for_bounds(form, KNOWN, {"x": RANGES["x"]}, WORDS), {}, {"x": RANGES["x"]})


def test_a_share_that_is_one_throughout_has_no_width():
    shares = bare(
        "w k c weight cache step share",
        "weight = w*3/7", "cache = k*3/7", "step = max(weight + cache, c)", "share = weight/step + cache/step",
        domains={"share": "0..1"},
    )  # fmt: skip
    answer = shares.solve("share", w="1..1.04", k=2, c=0.1)
    assert number(answer) == pytest.approx(1)
    assert span(answer) == pytest.approx((1, 1))


ENDS = st.tuples(st.floats(1.01, 4), st.floats(0.05, 2)).map(lambda pair: (pair[0], pair[0] + pair[1]))


def grid(form, ranges, count=60):
    axes = [[low + (high - low) * i / count for i in range(count + 1)] for low, high in ranges.values()]
    return [value(form, dict(zip(ranges, point, strict=True))) for point in itertools.product(*axes)]


@pytest.mark.parametrize("text", [*MONOTONE, *BENT])
@examples(5, suppress_health_check=[HealthCheck.too_slow])
@given(ENDS, ENDS)
def test_bounds_hold_every_sample_and_are_reached(text, a, b):
    form, ranges = parse_expression(text), {"a": a, "b": b}
    middle = {name: sum(ends) / 2 for name, ends in ranges.items()}
    (low, high), how = bounds_of_form(form, middle, ranges)
    numbers = grid(form, ranges)
    size = max(map(abs, numbers))
    assert low <= min(numbers) + 1e-6 * size
    assert high >= max(numbers) - 1e-6 * size
    assert low == pytest.approx(min(numbers), abs=2e-3 * size)  # as near as the grid comes
    assert high == pytest.approx(max(numbers), abs=2e-3 * size)
    assert how


@pytest.mark.parametrize(
    ("text", "span", "low", "high"),
    [
        ("a*(3 - a)", (0.0, 3.0), 0.0, 2.25),
        ("sin(2*a)", (0.0, 3.0), -1.0, 1.0),
        ("a**2 - 3*a", (0.0, 3.5), -2.25, 1.75),
        ("a*exp(-a)", (0.5, 3.0), 3 * math.exp(-3), math.exp(-1)),
        ("abs(a - 1.7) + 1", (0.0, 3.0), 1.0, 2.7),
        ("a + 4/a", (0.5, 3.0), 4.0, 8.5),
    ],
)
def test_extremes_inside_a_range_are_known_to_one_part_in_a_hundred_thousand(text, span, low, high):
    found, _ = bounds_of_form(parse_expression(text), {"a": 1.0}, {"a": span})
    assert found == pytest.approx((low, high), rel=1e-5, abs=1e-9)


@examples(60, suppress_health_check=[HealthCheck.too_slow])
@given(expressions(4), ENDS)
def test_bounds_of_any_form_hold_its_samples(text, ends):
    form, ranges = parse_expression(text), {"x": ends}
    assume("x" in text)
    numbers = [value(form, {"x": ends[0] + (ends[1] - ends[0]) * i / 50, "y": 1.25}) for i in range(51)]
    assume(all(abs(number) < 1e6 for number in numbers))
    found = enclose(form, {"x": ends, "y": (1.25, 1.25)}, "x")
    assume(found is not None and all(map(math.isfinite, found.values)))
    (low, high), _ = bounds_of_form(form, {"x": sum(ends) / 2, "y": 1.25}, ranges)
    slack = 2e-6 * max(1.0, *map(abs, numbers))
    assert low - slack <= min(numbers)
    assert max(numbers) <= high + slack


def test_a_search_climbs_beyond_its_samples():
    def bump(at):
        return math.exp(-((at["a"] - 1.3) ** 2)) + at["b"]

    low, high = bounds_sampled(bump, {"a": (0.0, 4.0), "b": (0.0, 1.0)})
    assert high == pytest.approx(2, rel=1e-6)
    assert low == pytest.approx(math.exp(-(2.7**2)))


def test_sampled_bounds_are_those_of_the_samples():
    ranges = {"a": (1.0, 3.0), "b": (-1.0, 2.0)}
    assert bounds_sampled(lambda at: at["a"] * at["b"], ranges) == (-3.0, 6.0)
    assert bounds_sampled(lambda at: None, ranges) is None
    assert bounds_sampled(lambda at: at["a"] if at["b"] > 0 else None, ranges) == (1.0, 3.0)


def test_a_search_that_runs_out_of_boxes_claims_no_more_than_that_its_bounds_hold():
    form = parse_expression("sin(a*b)*cos(c*d) - sin(a*d)*cos(b*c) + a*sin(d) - d*a")
    ranges = {"a": (0.1, 3.0), "b": (0.1, 3.0), "c": (0.1, 3.0), "d": (0.1, 5.0)}
    middle = {name: sum(span) / 2 for name, span in ranges.items()}
    (low, high), how = bounds_of_form(form, middle, ranges, most=200)
    assert how.text == "bounds contain every value in the range; they may be too wide"
    assert low <= value(form, {"a": 3.0, "b": 0.1, "c": 3.0, "d": 5.0}) <= high


def test_a_least_value_of_zero_is_found_closely():
    (low, high), how = bounds_of_form(parse_expression("(x - 1)**2"), {"x": 1.5}, {"x": (0.25, 3.0)})
    assert (low, high) == pytest.approx((0, 4), abs=1e-6)
    assert "one part in a million" in how.text


@pytest.mark.parametrize(
    "relation",
    ["x = y*log(9) - 1.0000000000001*2*log(3)*y", "x = y*c*log(9) - 2.0000000000002*log(3)*y*c"],
)
def test_bounds_keep_the_digits_of_constants_that_cancel(relation):
    library = bare("x y c", relation, domains={"x": "real"})
    given = {"c": 1} if "c" in relation else {}
    ends = [number(library.solve("x", y=y, **given)) for y in (3, 2)]
    assert span(library.solve("x", y="2..3", **given)) == pytest.approx(ends, rel=1e-9)
