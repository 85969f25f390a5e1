"""Far beyond where unknowns are sought everything seems to hold; no solution is taken from there."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.block import solve_block
from quantities.domain import Domain

EQUATIONS = [parse_equation(text) for text in ("c = (x + y)/2", "r = sqrt(((x - y)/2)**2 + t**2)", "s = c - r")]
DOMAINS = {name: Domain("real", -math.inf, math.inf) for name in "xcr"}
sizes = st.floats(0.1, 1000)


@pytest.mark.thorough
@settings(max_examples=12, deadline=None)
@given(across=st.floats(-1000, 1000), shear=sizes, below=sizes)
def test_a_smaller_eigenvalue_fixes_the_other_diagonal_entry(across: float, shear: float, below: float) -> None:
    """The matrix ((x, t), (t, y)) has the eigenvalue s if (x - s)*(y - s) = t**2: an independent way to x."""
    least = across - below
    known = {"y": across, "t": shear, "s": least}
    outcome = solve_block(EQUATIONS, ["c", "x", "r"], known, DOMAINS)
    assert not outcome.singular
    (solution,) = outcome.solutions
    wanted = least + shear**2 / below
    assert math.isclose(solution.values["x"], wanted, rel_tol=1e-6, abs_tol=1e-6 * (abs(across) + shear))
