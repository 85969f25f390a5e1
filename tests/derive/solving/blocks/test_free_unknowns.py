"""Where an unknown cancels over an interval, and where the sides only come close."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import residual, value
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.blocks.free_unknowns import bounds_over, has_choice, level_spans, reaching
from derive.solving.blocks.one_unknown import values_of
from derive.solving.blocks.sample_points import is_narrow, middle
from quantities.domain import Domain
from quantities.rational import nearest
from tests.derive.operations import calls
from tests.derive.statements import bare, number, span

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
REAL = Domain("real", -math.inf, math.inf)
LEVELS = [
    ("b = max(a, x) - x", {"a": 3.0, "b": 0.0}, POSITIVE, [(3, math.inf)]),
    ("b = max(a, x) - x", {"a": 3.0, "b": 0.0}, REAL, [(3, math.inf)]),
    ("b = x - min(a, x)", {"a": 3.0, "b": 0.0}, REAL, [(-math.inf, 3)]),
    ("x + max(a - x, b) = a", {"a": 3.0, "b": 1.0}, POSITIVE, [(0, 2)]),
    ("sqrt(x**2) = x + b", {"b": 0.0}, REAL, [(0, math.inf)]),
    ("a - b*x = k*c*(a - b*x)", {"a": 8.0, "b": 3.1, "c": 49.0, "k": 1 / 49}, REAL, [(-math.inf, math.inf)]),
]
NONE = [
    ("x = a*c - b", {"a": 80e9, "b": 80e9, "c": 1.0}, POSITIVE),
    ("b = max(a, x) - x", {"a": 3.0, "b": 1.0}, POSITIVE),
    ("a = tanh(x)", {"a": 1.0}, POSITIVE),
    ("a = x/(1 + x)", {"a": 1.0}, POSITIVE),
    ("a = x**2", {"a": 4.0}, POSITIVE),
]


FORMS = (
    "2 - 3*x",
    "x*(10 - x)",
    "(x - 3)**2*x",
    "a/x",
    "x - a/x",
    "x*exp(-x)",
    "sin(x)",
    "max(a, x) - x",
    "floor(x)/a",
)
SATURATING = (
    "y = c*x/sqrt(x**2 + 6.4)",
    "y = c*tanh(x)",
    "y = c*(1 - exp(-x)) + abs(x) - x",
    "y = c*x**1.5/(1 + x**1.5)",
)
CANCELLING = (
    "y = c*sqrt(x**2)/x",
    "y = c*x**1.5/x**1.5",
    "y = sqrt(c**2*x**2)/x",
    "y = max(c/x, c/(2*x))*x",
    "y = c*exp(log(x))/x",
    "y = x + c - abs(x)",
)
ENDS = st.floats(-50, 50)


@given(st.sampled_from(FORMS), st.tuples(ENDS, ENDS), st.tuples(ENDS, ENDS), st.floats(0, 1))
def test_a_form_lies_in_a_domain_only_where_it_can_reach_it(text, ends, bounds, share):
    (start, end), (low, high), form = sorted(ends), sorted(bounds), parse_expression(text)
    span = reaching(form, {"a": 2.5}, "x", (start, end), Domain("", low, high))
    assert start <= span[0] <= span[1] <= end
    x = min(start + share * (end - start), end)
    if low <= value(form, {"a": 2.5, "x": x}) <= high:
        assert span[0] <= x <= span[1]


def test_what_reaches_a_domain_in_the_middle_is_found_there():
    low, high = reaching(parse_expression("x*(10 - x)"), {}, "x", (-100.0, 100.0), Domain("", 24.0, 25.0))
    assert -5 < low <= 4
    assert 6 <= high < 15


def test_the_middle_of_a_point_is_the_point():
    assert [middle((x, x)) for x in (0.0, -0.0, 3.0, -2.0)] == [0, 0, 3, -2]


@pytest.mark.parametrize(("text", "known", "domain", "expected"), LEVELS)
def test_an_interval_is_found_to_its_full_length(text, known, domain, expected):
    assert level_spans(OneUnknown(parse_equation(text), "x", known, domain)) == [
        pytest.approx(one, abs=1e-9) for one in expected
    ]


@pytest.mark.parametrize(("text", "known", "domain"), NONE)
def test_what_only_comes_close_is_no_level(text, known, domain):
    assert level_spans(OneUnknown(parse_equation(text), "x", known, domain)) == []


@pytest.mark.thorough
@given(
    st.sampled_from(SATURATING),
    st.integers(1, 99),
    st.integers(10, 14),
    st.sampled_from((-1, 1)),
    st.sampled_from(((0, math.inf), (1e20, 1e30), (1e34, 1e36))),
)
def test_a_decimal_beside_the_end_of_a_curve_holds_along_no_interval(text, tenths, digits, sign, ends):
    highest = Fraction(tenths, 10)
    beside = highest * (1 + Fraction(sign, 10**digits))
    known = {"c": nearest(highest), "y": nearest(beside)}
    outcome = values_of(parse_equation(text), "x", known, Domain("far", *ends, open_low=True))
    assert not any(solution.spans for solution in outcome.solutions)


@given(st.sampled_from(CANCELLING), st.integers(1, 99), st.integers(10, 14), st.sampled_from((-1, 0, 1)))
def test_what_is_left_where_an_unknown_cancels_meets_its_own_decimal_alone(text, tenths, digits, sign):
    left = Fraction(tenths, 10)
    known = {"c": nearest(left), "y": nearest(left * (1 + Fraction(sign, 10**digits)))}
    outcome = values_of(parse_equation(text), "x", known, POSITIVE)
    assert any(solution.spans for solution in outcome.solutions) == (sign == 0)


@pytest.mark.parametrize("span", [(0.0, math.inf), (-math.inf, math.inf), (2.0, 3.0), (-5.0, 0.0), (1e-9, 1e9)])
def test_a_point_inside_is_inside(span):
    assert span[0] < middle(span) < span[1]


def test_bounds_over_an_interval_are_tight_where_a_name_stands_twice():
    form = parse_equation("y = x*(10 - x)").rhs
    assert bounds_over(form, {}, {"x": (0.0, 10.0)}) == pytest.approx((0, 25), rel=1e-5)
    assert bounds_over(parse_equation("y = 1/x").rhs, {}, {"x": (0.0, 2.0)}) == (0.5, math.inf)


def test_a_narrow_interval_is_a_number_and_an_unbounded_one_is_not():
    assert is_narrow((3.0, 3.0 + 1e-12))
    assert not is_narrow((3.0, math.inf))
    assert has_choice(parse_equation("y = max(x, a)"), "x")
    assert not has_choice(parse_equation("y = max(b, a)*x"), "x")


@pytest.mark.parametrize("seed", range(8))
def test_a_hole_between_two_proved_intervals_is_no_solution(seed):
    """The hole is narrow and far from every given number: no trial point of the search for intervals lies in it."""
    draw = random.Random(f"hole {seed}")
    top = draw.randint(4, 40)
    edge = top - 1 - Fraction(draw.randint(1, 30), 100)  # the choice ends in the step below that of `top`
    other = top - Fraction(draw.randint(1, 90), 100)
    text = f"y = ceil(x if x > {float(edge)} else {float(other)})"
    if draw.random() < 0.5:
        text = f"y = -floor(-x if x > {float(edge)} else -{float(other)})"
    outcome = values_of(parse_equation(text), "x", {"y": float(top)}, REAL)
    spans = [solution.spans["x"] for solution in outcome.solutions]
    for i in range(-200, 200):
        x = edge + Fraction(2 * i + 1, 194)
        solves = math.ceil(x if x > edge else other) == top
        assert any(low <= x <= high for low, high in spans) == solves, (float(x), spans)


def test_no_interval_is_sought_where_no_arm_holds_at_several_points():
    equation = parse_equation("(x**1.5 if x > 3 else x**2) = y")

    def asked():
        return values_of(equation, "x", {"y": 9.0}, POSITIVE)

    assert sorted(solution.values["x"] for solution in asked().solutions) == pytest.approx([3.0, 9.0 ** (2 / 3)])
    assert calls(asked) < 15_000  # a search for intervals makes twice as many


@pytest.mark.parametrize(
    "text",
    [
        "(max(x, c) - v)/k = 0",
        "(max(x, c) - v)/(k + x) = 0",
        "0 = x*(max(x, c) - v)",
        "k*sqrt(x)*(abs(x - c) + x - v) = 0",
        "(abs(x - c) + x - v)/k = 0",
        "log(max(x, c)/v) = 0",
        "min(x - c, 0)*(max(x, c) - v)*k = 0",
    ],
)
@pytest.mark.parametrize("toward", [0.0, math.inf])
@pytest.mark.parametrize("c", [7.7, 2.49, 31.3])
def test_a_factor_that_is_zero_but_for_rounding_leaves_an_interval(text, toward, c):
    """A side that is zero gives no measure of the other; `v` is `c`, as it is computed by other relations."""
    known = {"c": c, "v": math.nextafter(c, toward), "k": 5.21}
    outcome = values_of(parse_equation(text), "x", known, POSITIVE)
    (along,) = [solution.spans["x"] for solution in outcome.solutions if solution.spans]
    assert along == (0, pytest.approx(c) if "min" not in text else math.inf)
    assert all(solution.spans or solution.values["x"] == pytest.approx(c) for solution in outcome.solutions)
    apart = values_of(parse_equation(text), "x", {**known, "v": 1.0001 * c}, POSITIVE)
    assert ("min" in text) or not any(solution.spans for solution in apart.solutions)


@pytest.mark.parametrize(
    "text", ["(v + x)/(c + x) = 1", "v/x + 1/x = (c + 1)/x", "(v + x)/(1 + x**2) = (c + x)/(1 + x**2)"]
)
@pytest.mark.parametrize("toward", [0.0, math.inf])
def test_what_is_zero_but_for_rounding_may_be_divided_by_the_unknown(text, toward):
    for c in (8.4, 2.5, 0.7):
        known = {"c": c, "v": math.nextafter(c, toward)}
        (everywhere,) = values_of(parse_equation(text), "x", known, POSITIVE).solutions
        assert everywhere.spans == {"x": (0, math.inf)}
        for share in (1.0001, 1 + 1e-7):
            apart = values_of(parse_equation(text), "x", {**known, "v": share * c}, POSITIVE)
            assert not any(solution.spans for solution in apart.solutions)


@pytest.mark.parametrize(
    "relation",
    [
        "a*x = a*b",
        "a*x*b = a*b",
        "a*(x + 1) = a*b",
        "a/x = a/b",
        "a*b/x = a",
        "a*x + a*b = 0",
        "a*x = a*b*x/x",
    ],
)
def test_an_unknown_that_a_zero_multiplies_on_both_sides_is_anything(relation):
    """The form for x is b, as if a were not zero."""
    outcome = values_of(parse_equation(relation), "x", {"a": 0.0, "b": 2.0}, REAL)
    assert [solution.spans for solution in outcome.solutions] == [{"x": (-math.inf, math.inf)}]
    outcome = values_of(parse_equation(relation), "x", {"a": 3.0, "b": 2.0}, REAL)
    assert [len(solution.values) for solution in outcome.solutions] == [1]


VANISHING = (
    ("y", lambda y: y),
    ("(y - 1)", lambda y: y - 1),
    ("(2*y + 3)", lambda y: 2 * y + 3),
    ("(y + abs(y))", lambda y: y + abs(y)),
    ("(floor(y) - 1)", lambda y: math.floor(y) - 1),
)
"""Factors that are zero for some y, as text and as functions."""


@pytest.mark.parametrize(("text", "factor"), VANISHING)
@pytest.mark.parametrize("form", ["c = x*{}", "c*{} = x*{}", "0 = x*{} - c*{}"])
@pytest.mark.parametrize("ends", [(-2, 3), (1.5, 3), (-3, -2)])
def test_an_unknown_is_anything_where_an_open_factor_may_be_zero(text: str, factor, form: str, ends) -> None:
    """Only its domain binds y beside `d = 0*max(y, 1)`; where its factor is zero, so are both sides for c = 0."""
    domains = {**dict.fromkeys("cdx", "real"), "y": f"{ends[0]}..{ends[1]}"}
    system = bare("c d x y", form.format(text, text), "d = 0*max(y, 1)", domains=domains)
    (answer,) = system.solve_all("x", c=0, d=0)
    if any(factor(step / 4) == 0 for step in range(int(4 * ends[0]), int(4 * ends[1]) + 1)):
        assert span(answer) == (-math.inf, math.inf)
    else:
        assert number(answer) == 0


@pytest.mark.parametrize(
    "relation",
    [
        "exp(x)*a = a",
        "a*exp(x) = a*b",
        "a*log(x + 9) = a*b",
        "a*exp(x) + a*b = a",
        "(a - b)*exp(x) = a**2 - b**2",
        "a*b*exp(x) = 3*a",
        "a*sin(x + 1) = a*cos(b)",
        "a*exp(x) + (b - 2)*x**2 = a*b",
    ],
)
@pytest.mark.parametrize("b", [2.0, 0.0])
def test_an_unknown_in_a_function_that_zeros_multiply_is_anything_where_the_relation_holds_at_every_number(relation, b):
    equation = parse_equation(relation)
    known = {"a": b if "a - b" in relation else 0.0, "b": b}
    gaps = [residual(equation, {**known, "x": x}) for x in (0.3, 1.1, 7.0)]
    outcome = values_of(equation, "x", known, REAL)
    assert any(solution.spans for solution in outcome.solutions) == (gaps == [0.0, 0.0, 0.0])


@pytest.mark.parametrize("relation", ["exp(x)*a = b", "a*log(x) = a*b + 1", "(a - b)*exp(x) = 1 + a + b"])
def test_an_unknown_that_zeros_multiply_is_nothing_where_the_rest_does_not_agree(relation):
    known = {"a": 0.0, "b": 0.0 if "a - b" in relation else 2.0}
    assert not values_of(parse_equation(relation), "x", known, REAL).solutions


@pytest.mark.parametrize("square", ["0.25", "0.3", "2", "0.1", "1.7", "3.33"])
def test_a_decimal_that_is_no_double_ends_where_sides_have_values_as_any_other(square: str) -> None:
    """At 0.25 x was at most -0.5 or at least 0.5, and at 0.3 anything."""
    library = bare("x a b c", "sqrt(x**2 - a)*b = sqrt(x**2 - a)*c", domains={"x": "real"})
    below, above = library.solve_all("x", a=square, b="2", c="2")
    ends = [*below.bounds, *above.bounds]
    assert ends == pytest.approx([-math.inf, -(float(square) ** 0.5), float(square) ** 0.5, math.inf])
