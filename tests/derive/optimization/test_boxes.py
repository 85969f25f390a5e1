"""What boxes prove holds at every point in them: nothing that fulfils the limits is cut away, and no value is lower."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.root_finding.branch_and_bound import Boxes
from derive.optimization.points import Points
from derive.optimization.program import Limit, Program

PROGRAMS = [
    ("-x - y", ["y <= 2 + 2*x**4 - 8*x**3 + 8*x**2", "y <= 4*x**4 - 32*x**3 + 88*x**2 - 96*x + 36"], 2, 4.0),
    ("x*y*z", ["x**2 + 2*y**2 + 4*z**2 <= 48", "x*y >= 1"], 3, 4.0),
    ("max(x, 3 - y)/(1 + z)", ["exp(x) <= 9*y", "x + y <= z + 2"], 3, 3.0),
    ("x + y", ["x**2 + y >= 2", "x*y <= 3", "2*x + y >= 2.5", "sqrt(x) + y**1.5 <= 4"], 2, 5.0),
]


def made(goal, limits, count, end):
    names = ("x", "y", "z")[:count]
    stated = []
    for text in limits:
        written = parse_equation(text)
        sides = (written.lhs, written.rhs) if written.op == "<=" else (written.rhs, written.lhs)
        stated.append(Limit(text, None, written, added(sides[0], negated(sides[1]))))
    node = parse_expression(goal)
    return Program(names, ((0.1, end),) * count, (0.0,) * count, count, node, node, {}, tuple(stated))


def inside(sides, point):
    return all(low <= x <= high for (low, high), x in zip(sides, point, strict=True))


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("case", PROGRAMS)
def test_a_point_that_fulfils_the_limits_is_never_cut_away_and_never_below_the_bound(case):
    program, draw = made(*case), random.Random(5)
    points, met = Points(program), 0
    boxes = points.boxes
    for _ in range(150):
        ends = [sorted(draw.uniform(*side) for _ in range(2)) for side in program.box]
        sides = tuple((low, high) for low, high in ends)
        tried = [tuple(draw.uniform(*side) for side in sides) for _ in range(12)]
        good = [point for point in tried if program.at(point) < math.inf]
        if not good:
            continue
        met += 1
        ceiling = max(map(program.at, good))
        left = boxes.narrowed(sides, ceiling)
        assert left is not None
        part = boxes.part(left)
        cut = boxes.cut(part, ceiling)
        floor = boxes.floor(part, points.prices(good[0]))
        assert cut is not None
        for point in good:
            assert inside(cut, point)
            assert program.at(point) >= floor - 1e-12 * abs(floor)
        kept = boxes.better(part) or left
        best = min(good, key=program.at)
        moved = tuple(min(max(x, low), high) for x, (low, high) in zip(best, kept, strict=True))
        assert program.at(moved) <= program.at(best) + 1e-12
    assert met > 20


def test_the_halves_of_counts_share_no_whole_number():
    program = made("x + y", ["x*y <= 9"], 2, 9.0)
    counted = Program(program.names, ((1.0, 9.0),) * 2, (1.0, 1.0), 2, program.goal, program.plain, {}, program.limits)
    first, second = Boxes(counted.system).halves(((1.0, 9.0), (2.0, 2.0)), 0)
    assert (first[0][0], second[0][1]) == (1.0, 9.0)
    assert second[0][0] - first[0][1] == 1.0


@pytest.mark.parametrize("case", PROGRAMS)
def test_slopes_are_those_of_difference_quotients(case):
    program, draw = made(*case), random.Random(7)
    boxes = Boxes(replace(program.system, gaps=()))
    for _ in range(20):
        point = [draw.uniform(0.3, 2.0) for _ in program.names]
        sides = tuple((x - 1e-4, x + 1e-4) for x in point)
        slope = boxes.part(sides).slopes[0].slopes
        for i, name in enumerate(program.names):
            values = dict(zip(program.names, point, strict=True))
            moved = {**values, name: point[i] + 1e-5}
            quotient = (value(program.goal, moved) - value(program.goal, values)) / 1e-5
            assert slope[i][0] - 1e-5 <= quotient <= slope[i][1] + 1e-5
