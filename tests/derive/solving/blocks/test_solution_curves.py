"""A multiple root is one answer; only dependent equations hold along a curve."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)
POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)
SCALES = st.integers(-9, 9).map(lambda power: 10.0**power)


def solved(texts, known, domain=REAL):
    return solve_block([parse_equation(text) for text in texts], ["x", "y"], known, dict.fromkeys("xy", domain))


@pytest.mark.parametrize(
    "texts",
    [
        ["a = sqrt(((x - y)/2)**2 + b**2)", "c = (x + y)/2"],
        ["a**2 = (x - y)**2 + b**2", "x = 2*c - y"],
        ["(x - c)**2 + (y - c)**2 + b**2 = a**2", "x + y = 2*c"],
    ],
    ids=["mohr", "squares", "circle"],
)
@given(SCALES, st.sampled_from([0.0, 1.0, -0.3, 40.0]))
def test_stresses_that_are_equal_are_found_whatever_their_size(texts, size, share):
    outcome = solved(texts, {"a": size, "b": size, "c": share * size})
    assert not outcome.singular
    (found,) = outcome.solutions
    assert not found.spans
    assert dict(found.values) == pytest.approx({"x": share * size, "y": share * size}, abs=1e-7 * size)


CURVES = {
    "exp(x)": (math.exp, math.exp),
    "log(x)": (math.log, lambda x: 1 / x),
    "x**2": (lambda x: x * x, lambda x: 2 * x),
    "sqrt(x)": (math.sqrt, lambda x: 0.5 / math.sqrt(x)),
    "1/x": (lambda x: 1 / x, lambda x: -1 / x**2),
}


@pytest.mark.ordinary(2)
@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.parametrize("domain", [REAL, POSITIVE], ids=["real", "positive"])
@given(at=st.floats(0.2, 5), crossing=st.booleans())
def test_a_tangent_touches_its_curve_once(curve, domain, at, crossing):
    height, slope = (function(1.0 if crossing else at) for function in CURVES[curve])
    at = 1.0 if crossing else at
    outcome = solved([f"y = {curve}", "y = h + s*(x - t)"], {"h": height, "s": slope, "t": at}, domain)
    assert not outcome.singular
    near = [one.values["x"] for one in outcome.solutions]
    assert len(near) <= 1
    if height in domain and height > 1e-3:
        assert near == [pytest.approx(at, rel=1e-6)]


@pytest.mark.thorough
@given(SCALES, st.floats(0.2, 5))
def test_equations_that_repeat_each_other_hold_along_a_curve_whatever_their_size(size, share):
    squares = {"a": size, "b": share * size, "s": share}
    for texts in (["x**2 + y**2 = a", "s*x**2 + s*y**2 = b"], ["x*y = a", "s*x = b/y"]):
        outcome = solved(texts, squares)
        assert outcome.singular or all(one.spans for one in outcome.solutions)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [pytest.param(1e-7, marks=pytest.mark.thorough), 1e8])
def test_a_double_root_that_rounding_splits_or_removes_is_one(size):
    """In pure shear the third tension is zero; whether its square is, or a little more or less, is rounding."""
    texts = ["c = (x + y)/2", "r = sqrt(((x - y)/2)**2 + t**2)", "p = c + r", "s = c - r", "v**2 = p**2 - p*s + s**2"]
    known = {"y": 0.0, "t": size, "v": math.sqrt(3) * size}
    outcome = solve_block([parse_equation(text) for text in texts], [*"xcrps"], known, dict.fromkeys("xcrps", REAL))
    assert not outcome.singular
    (found,) = outcome.solutions
    assert found.values["x"] == pytest.approx(0, abs=1e-4 * size)
    assert outcome.caveat


CLOSE = [
    (["(x - a)*(x - b) = 0*a"], "x"),
    (["y = x**2", "y = s*x - p"], "xy"),
    (["y + z = x**2 + x", "y = s*x - p", "z = x*y/y"], "xyz"),
]


@pytest.mark.parametrize(("texts", "names"), CLOSE, ids=["alone", "two", "three"])
@given(st.sampled_from([1.0, 30.0, 1e4]), st.sampled_from([1e-6, 3e-6, 1e-5, 1e-3]))
def test_roots_that_the_givens_tell_apart_stay_two_however_close(texts, names, size, apart):
    """A rounding of the givens moves a double root by its square root: 1.5e-8 of its size, a few times at most."""
    a, b = size, size * (1 + apart)
    known = {"a": a, "b": b, "s": a + b, "p": a * b}
    outcome = solve_block([parse_equation(text) for text in texts], list(names), known, dict.fromkeys(names, POSITIVE))
    found = sorted(one.values["x"] for one in outcome.solutions)
    assert found == [pytest.approx(a, rel=apart / 3), pytest.approx(b, rel=apart / 3)]
