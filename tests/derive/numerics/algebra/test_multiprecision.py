"""The second opinion on a root: true roots pass, and what rounding makes look like one does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.multiprecision import is_root, is_rounded_zero


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
        ("exp(exp(x)) = a", {"x": 1e-17, "a": 2.718281828459045}, True),  # and exp(exp(1e13)) is beyond all memory
    ],
)
def test_a_root_that_rounding_feigns_is_zero(text, values, rounded):
    assert is_rounded_zero(parse_equation(text), "x", values) is rounded
