"""The second opinion on a root: true roots pass, and what rounding makes look like one does not."""

from __future__ import annotations

import math
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.expressions.tree import walk
from derive.numerics.algebra.multiprecision import exactly, is_root, is_rounded_zero, overflows, sign_of_gap
from quantities.rational import read_decimal
from tests.derive.digits import OutOfReachError, exact
from tests.derive.draws import expressions


@given(st.floats(0.01, 100), st.floats(0.01, 100), st.sampled_from([1e-3, 1e-2, 0.3]))
def test_a_root_passes_and_a_point_beside_it_does_not(x, a, aside):
    equation = parse_equation("y = x**3 + a*x")
    y = x**3 + a * x
    assert is_root(equation, "x", {"x": x, "a": a, "y": y})
    assert not is_root(equation, "x", {"x": x * (1 + aside), "a": a, "y": y})


@pytest.mark.parametrize(
    ("text", "x", "expected"),
    [
        ("(x - 3)**2 = 0*x", 3.0, True),
        ("x**2 = 2*x - 1", 1.0, True),
        ("exp(x) = 1 + x", 1e-3, False),
        ("(1e30 + x) - 1e30 = 2", 2.0, True),
        ("(1e30 + x) - 1e30 = 2", 3.0, False),
        ("x = x + 1", 1e20, False),
        ("x = x + 1", 1e55, False),
        ("log2(x) = 3", 8.0, True),
        ("max(x, 2) + min(x, 2) = pi + 2", 3.141592653589793, True),
        ("(x if x > 2 else 5) = 4", 4.0, True),
        ("abs(-x) + floor(0.5) = 4", 4.0, True),
        ("sqrt(x) = 2", -4.0, False),
        ("x/(x - x) = 2", 3.0, False),
    ],
)
def test_fifty_digits_decide(text, x, expected):
    assert is_root(parse_equation(text), "x", {"x": x}) is expected


@pytest.mark.parametrize(
    ("text", "values", "rounded"),
    [
        ("x = a - b", {"x": 0.1 + 0.2 - 0.3, "a": 0.1 + 0.2, "b": 0.3}, True),
        ("x = a - b", {"x": 1e-10, "a": 1 + 1e-10, "b": 1.0}, False),
        ("a*(1 + x)**2 = a*(1 - x)", {"x": 2e-17, "a": 0.7}, True),
        ("x**2 = a*x", {"x": 1e-20, "a": 1e-20}, False),  # zero is a root, and this is another
        ("x*(x - 1)**4*a = 0", {"x": 1.0, "a": 3.0}, False),
        ("0*x = a - a", {"x": 1e-17, "a": 3.0}, False),  # any x will do
        ("a + 1e-20*(1 - exp(-x)) = b", {"x": 1e-20, "a": 1 / 3, "b": 1 / 3}, False),  # nor does the sum say much of it
        ("x + a = b", {"x": 1e-20, "a": read_decimal("0.1"), "b": read_decimal("0.10000000000000000001")}, False),
        ("exp(exp(x)) = a", {"x": 1e-17, "a": 2.718281828459045}, True),  # and exp(exp(1e13)) is beyond all memory
    ],
)
def test_a_root_that_rounding_feigns_is_zero(text, values, rounded):
    assert is_rounded_zero(parse_equation(text), "x", values) is rounded


@given(expressions(), st.one_of(st.floats(-5, 5), st.floats(1e-300, 1e300), st.integers(-3, 6).map(float)))
def test_any_expression_comes_to_the_double_nearest_its_value(text, x):
    form = parse_expression(text)
    if any(getattr(part, "op", "") == "piecewise" for part in walk(form)):  # its arm is chosen by doubles
        return
    try:
        value = exact(form, {"x": x, "y": 1.5}, 400)
    except OutOfReachError:
        return
    expected = math.nan if value is None else float(value)
    assert exactly(form, {"x": x, "y": 1.5}) == pytest.approx(expected, rel=0, abs=0, nan_ok=True)


@pytest.mark.parametrize(
    ("text", "x", "sign"),
    [
        ("log(1 + x) = 1e-200", 1e-200, -1),  # less by half of x**2
        ("(1e200 + x) - 1e200 = 2*x", 1e-200, -1),
        ("(1e200 + x) - 1e200 = x", 1e-200, 0),
        ("sin(pi*x) = 0", 3.0, 0),  # a ball holds it, however many digits there are
        ("sqrt(1 - (x/7)*(7/x)) = 0", 3.0, 0),
        ("floor(x/3*3) = x", 7.0, 0),
        ("sin(exp(exp(x))) = 5", 40.0, 0),  # beyond all digits
        ("gamma(x) = 1", -0.5, 0),
    ],
)
def test_a_gap_has_a_sign_only_where_digits_prove_it(text, x, sign):
    assert sign_of_gap(parse_equation(text), {"x": x}) == sign


@pytest.mark.parametrize(("text", "beyond"), [("exp(800*x)", True), ("exp(80*x)", False), ("gamma(-x)", False)])
def test_what_no_double_holds_is_told_from_what_is_undefined(text, beyond):
    assert overflows(parse_expression(text), {"x": 1.0}) is beyond


def test_threads_do_not_take_digits_from_each_other():
    before, equation = ctx.prec, parse_equation("exp(x) - 1 = x + x**2/2")

    def signs(x: float) -> set[int]:
        return {sign_of_gap(equation, {"x": x}) for _ in range(300)}

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(signs, [1e-30, -1e-30] * 4)) == [{1}, {-1}] * 4
    assert ctx.prec == before


@pytest.mark.parametrize("seed", range(20))
def test_a_root_on_the_shoulder_of_a_saturated_form_is_no_zero(seed):
    """From there on the gap is rounding, at zero as everywhere else; the root is far from zero."""
    draw = random.Random(f"shoulder {seed}")
    a, b = round(draw.uniform(37, 90), 3), round(draw.uniform(-2, 2), 3)
    text, rest, root = draw.choice(
        [
            ("y = tanh(a - x) + b", 1 - 2.0**-50, lambda rest: a - math.atanh(rest)),
            ("y = b - exp(x - a)", -(2.0**-48), lambda rest: a + math.log(-rest)),
            ("y = 1/(1 + exp(x - a)) + b", 1 - 2.0**-51, lambda rest: a - math.log(rest / (1 - rest))),
        ]
    )
    values = {"y": b + rest, "a": a, "b": b, "x": root(rest)}
    assert abs(values["x"]) > 0.1
    assert not is_rounded_zero(parse_equation(text), "x", values)
