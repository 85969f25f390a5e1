"""Second derivatives: right by difference quotients, and bounds by tangents that no point lies below."""

from __future__ import annotations

import math
import random

import pytest

from derive.expressions.grammar import parse_expression
from derive.numerics.algebra.evaluation import value
from derive.optimization.search import Curvature, derivative
from tests.derive.optimization.test_boxes import made

FORMS = ["x**3*y - 2/y", "exp(x*y)/x", "sqrt(x + y)*log(y)", "(x - y)**2*(x + 3)", "x**1.5/(1 + y)", "-(x/y)**-2"]
PROGRAMS = [
    ("9 - 8*x - 6*y - 4*z + 2*x**2 + 2*y**2 + z**2 + 2*x*y + 2*x*z", ["x + y + 2*z <= 3"], 3, 3.0),
    ("-x - y", ["x**2 + 2*y**2 <= 9", "exp(x) <= 40*y"], 2, 5.0),
    ("-x*y*z", ["x**2 + 2*y**2 + 4*z**2 <= 48"], 3, 2.0),
    ("5*x + 50/x + 20*y + 72/y", ["4/x + 3/y <= 4"], 2, 9.0),
]


@pytest.mark.parametrize("text", FORMS)
def test_a_derivative_is_that_of_difference_quotients(text):
    form, draw = parse_expression(text), random.Random(2)
    for name in ("x", "y"):
        slope = derivative(form, name)
        for _ in range(10):
            at = {"x": draw.uniform(0.5, 2), "y": draw.uniform(0.5, 2)}
            step = {**at, name: at[name] + 1e-6}, {**at, name: at[name] - 1e-6}
            quotient = (value(form, step[0]) - value(form, step[1])) / 2e-6
            assert value(slope, at) == pytest.approx(quotient, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("text", ["max(x, y)", "abs(x)*y", "floor(x)", "x if y > 1 else 2"])
def test_what_may_have_a_kink_has_none(text):
    assert derivative(parse_expression(text), "x") is None or "x" not in text


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("case", PROGRAMS)
def test_no_point_that_fulfils_the_limits_lies_below_a_tangent(case):
    program, draw = made(*case), random.Random(4)
    curvature, met = Curvature(program), 0
    for _ in range(300):
        size = draw.choice([0.05, 0.3, 1.0])
        centre = [draw.uniform(*side) for side in program.box]
        sides = tuple(
            (max(low, x - size), min(high, x + size)) for x, (low, high) in zip(centre, program.box, strict=True)
        )
        tried = [tuple(draw.uniform(*side) for side in sides) for _ in range(12)]
        good = [point for point in tried if program.at(point) < math.inf]
        if not good:
            continue
        prices = [draw.uniform(0, 2) for _ in program.limits]  # any do that are not negative
        floor = curvature.floor(sides, good[0], prices)
        met += floor > -math.inf
        assert all(program.at(point) >= floor - 1e-12 * abs(floor) for point in good)
    assert met > 10
