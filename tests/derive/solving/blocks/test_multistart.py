"""A search from many starts keeps a multiple root, and says how few digits of it the givens fix."""

from __future__ import annotations

import math

import pytest

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.multistart import solved_from_starts
from derive.solving.blocks.outcome import System
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)


@pytest.mark.parametrize("at", [0.5, -2.75])
def test_a_line_that_touches_a_parabola_is_found_in_half_of_the_digits(at):
    equations = tuple(parse_equation(text) for text in ("y = x**2", "y = s*x - q"))
    known = {"s": 2 * at, "q": at * at}
    outcome = solved_from_starts(System(equations, ("x", "y"), known, dict.fromkeys("xy", REAL)))
    (solution,) = outcome.solutions
    assert dict(solution.values) == pytest.approx({"x": at, "y": at * at}, rel=1e-9)
    assert "the givens fix about 8 digits" in outcome.caveat.text
