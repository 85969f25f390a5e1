"""Conditions leave of a line of solutions what they leave on paper, down to a single point."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)
TENTHS = st.integers(-99, 99).map(lambda tenths: tenths / 10)
SIGNS = st.sampled_from(["<", "<="])


@given(TENTHS, TENTHS, st.sampled_from([0.5, 1.0, 2.0, 3.0]), SIGNS, SIGNS, st.sampled_from([-1.5, 0.0, 2.5]))
def test_two_conditions_leave_a_point_only_if_both_hold_there(x, y, factor, at_x, at_y, room):
    texts = [f"u = {factor}*x + y if y {at_y} b else 700", f"v = {factor}*x + y if x {at_x} a else 600"]
    whole = factor * x + y
    domains = dict.fromkeys("xy", REAL)
    known = {"u": whole, "v": whole, "a": x + room, "b": y}
    outcome = solve_block([parse_equation(text) for text in texts], ["x", "y"], known, domains)
    if room > 0:
        (along,) = outcome.solutions
        assert along.spans["x"] == pytest.approx((x, x + room))
    elif room < 0 or "<" in (at_x, at_y):
        assert not outcome.solutions
        assert not outcome.undecided
    else:
        (point,) = outcome.solutions
        assert dict(point.values) == pytest.approx({"x": x, "y": y}, abs=1e-12)


@pytest.mark.parametrize("level", [0.5, 1.75])
def test_an_interval_that_one_tear_loses_is_taken_from_another(level):
    """`z` is 0 or `2*b`; where it is 0, so is `x`, by which another tear divides, and `y` is free."""
    nonnegative = Domain("nonnegative", 0.0, math.inf)
    equations = [parse_equation(text) for text in ("x*y = 0", "(z + x**3)*y = (z + x**3)*b", "z*(z - b) = z*b")]
    outcome = solve_block(equations, [*"xyz"], {"b": level}, dict.fromkeys("xyz", nonnegative))
    along = [solution for solution in outcome.solutions if solution.spans]
    assert sorted(solution.spans["y"] for solution in along) == [
        (0, pytest.approx(level)),
        (pytest.approx(level), math.inf),
    ]
    assert all(solution.values == {"x": 0.0, "z": 0.0} for solution in along)
    (point,) = [solution for solution in outcome.solutions if not solution.spans]
    assert dict(point.values) == pytest.approx({"x": 0.0, "y": level, "z": 2 * level})
