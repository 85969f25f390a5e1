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
