"""Where equations seem to hold in doubles and have no root, no root is claimed."""

from __future__ import annotations

import math

import pytest

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.polishing import leads_elsewhere
from derive.solving.blocks.system import System
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)
NEAR_ZERO = ("x*cosh(y) = x", "y*cosh(x) = y")  # which hold at zero alone
FAR = ("y = x + 1", "y*y = x*x + x")  # which hold at x = -1 alone


@pytest.mark.parametrize(
    ("texts", "point", "expected"),
    [
        (NEAR_ZERO, {"x": 1e-5, "y": 1e-5}, True),
        (NEAR_ZERO, {"x": 2e-5, "y": 7e-6}, True),
        (NEAR_ZERO, {"x": 0.0, "y": 0.0}, False),
        (FAR, {"x": 1e12, "y": 1e12 + 1}, True),
        (FAR, {"x": -1e11, "y": 1 - 1e11}, True),
        (FAR, {"x": -1.0, "y": 0.0}, False),
    ],
)
def test_a_point_at_which_equations_only_seem_to_hold_leads_elsewhere(texts, point, expected):
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", REAL))
    assert system.holds(point)
    assert leads_elsewhere(point, system) is expected
