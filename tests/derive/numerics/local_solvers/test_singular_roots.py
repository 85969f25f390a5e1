"""Singular roots: where solutions go on beside one it is no root, and where they do not it has all its digits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.refinement import sharpened
from derive.solving.blocks.block import solve_block
from derive.solving.blocks.solution_curves import lies_on_curve
from derive.solving.blocks.system import System
from quantities.domain import Domain
from tests.ordinary import examples

SIZES = st.floats(0.2, 5)
REAL = Domain("real", -float("inf"), float("inf"))


def parsed(*texts):
    return [parse_equation(text) for text in texts]


def system(pair, known):
    return System(tuple(pair), ("p", "q"), known, dict.fromkeys("pq", REAL))


@examples(20)
@given(SIZES, SIZES, st.integers(-9, 9))
def test_a_line_that_touches_a_circle_meets_it_once(x, y, magnitude):
    x, y = (round(number, 3) * 10.0**magnitude for number in (x, y))
    known = {"a": x, "b": y}
    pair = parsed("(p - a)**2 + (q - b)**2 = 0*a**2", "p*b = q*a")
    near = {"p": x * (1 + 1e-7), "q": y * (1 + 1e-7)}
    root, order = sharpened(pair, near, known)
    assert root == pytest.approx({"p": x, "q": y}, rel=1e-15)
    assert order == 2
    assert not lies_on_curve({"p": x, "q": y}, system(pair, known))


@examples(20)
@given(SIZES, SIZES, st.sampled_from(["p*q = a", "p + q = a", "p*exp(q) = a"]))
def test_a_curve_of_solutions_is_a_curve_however_its_equation_is_said_again(x, y, text):
    left = text.split(" = ")[0]
    pair = parsed(text, f"({left})**2 = a**2")
    from derive.numerics.algebra.evaluation import value

    known = {"a": value(pair[0].lhs, {"p": x, "q": y})}
    assert lies_on_curve({"p": x, "q": y}, system(pair, known))


@pytest.mark.long
def test_what_the_hybrid_method_finds_at_a_singular_root_is_told_with_its_digits():
    texts = ["x**2 + y**2 + z**2 = 3", "x*y*z = 1", "x*exp(y - 1) + z = 2*exp(x - 1)"]
    outcome = solve_block(parsed(*texts), ["x", "y", "z"], {}, dict.fromkeys("xyz", REAL))
    assert any(s.values == {"x": 1.0, "y": 1.0, "z": 1.0} for s in outcome.solutions)
    assert outcome.caveat is None or "about 8 digits" in outcome.caveat.text


def test_a_zero_has_no_size_by_which_a_relation_could_fail_to_hold():
    from derive.solving.blocks.system import agrees

    assert not agrees(parse_equation("y = 1e20*x + z"), {"x": 0.0, "y": 15.0, "z": 6.0})


@pytest.mark.parametrize("far", [math.inf, -math.inf, math.nan, 1e308])
def test_a_point_without_a_step_leads_nowhere(far):
    pair = [parse_equation("x**2 + y**2 = 2"), parse_equation("x + y = 2")]
    assert sharpened(pair, {"x": far, "y": 1.0}, {}) is None
