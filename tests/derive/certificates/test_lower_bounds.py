"""A tangent bounds a convex form from below, as plain Python finds; there is none where the form is not convex."""

from __future__ import annotations

import math
import random

from derive.certificates.lower_bounds import Form
from derive.expressions.grammar import parse_expression
from derive.numerics.intervals.enclosure import enclose
from tests.derive.states import LIBRARY
from tests.ordinary import every

SHAPES = {
    "({0})*x**2 + ({1})*x*y + ({2})*y**2": lambda x, y, a, b, c: a * x * x + b * x * y + c * y * y,
    "({0})*exp(x) + ({1})*x + ({2})*y**2": lambda x, y, a, b, c: a * math.exp(x) + b * x + c * y * y,
    "({0})/x + ({1})*x*y + ({2})*y**4": lambda x, y, a, b, c: a / x + b * x * y + c * y**4,
    "({0})*log(x) + ({1})*y**2 + ({2})*abs(y)": lambda x, y, a, b, c: a * math.log(x) + b * y * y + c * abs(y),
}


@every("seed", range(200), ordinary=10)
def test_a_tangent_is_a_bound_only_where_it_lies_below_the_form(seed: int) -> None:
    draw = random.Random(f"tangent {seed}")
    shape = draw.choice([*SHAPES])
    numbers = [draw.randint(-8, 8) / 4 for _ in range(3)]
    corner = draw.uniform(0.1, 2), draw.uniform(-2, 2)
    box = tuple((start, start + draw.uniform(0.01, 1)) for start in corner)
    aside = draw.choice((0.0, 0.5))
    point = [draw.uniform(low - aside, high + aside) for low, high in box]
    convex = Form(parse_expression(shape.format(*numbers)), ("x", "y"), {})
    least = convex.least_by_tangent(box, point)
    grid = [[low + (high - low) * i / 12 for i in range(13)] for low, high in box]
    lowest = min(SHAPES[shape](x, y, *numbers) for x in grid[0] for y in grid[1])
    assert least <= lowest + 1e-9 * (1 + abs(lowest)), (shape, numbers, box, point)


@every("seed", range(200), ordinary=20)
def test_parts_of_numbers_alone_are_enclosed_once_and_to_the_same_bounds(seed: int) -> None:
    """Whatever is known is put into a side of a relation, also where that is undefined; two names move in a box."""
    draw = random.Random(f"enclosed {seed}")
    relation = LIBRARY.relations[draw.choice([*LIBRARY.relations])]
    ends = {name: draw.uniform(-1, 3) for name in relation.members}
    known = {name: (x, x + draw.choice((0, 1))) for name, x in ends.items()}
    moving = draw.sample([*known], min(len(known), 2))
    box = tuple(known.pop(name) for name in moving)
    for side in (relation.written.lhs, relation.written.rhs):
        for name in ("", *moving):
            enclosure = Form(side, moving, known).enclosed(box, name)
            assert enclosure == enclose(side, {**known, **dict(zip(moving, box, strict=True))}, name), relation


def test_a_part_of_numbers_that_is_undefined_for_some_of_them_stays_so() -> None:
    """If it were enclosed where it is defined, and no more said of it, a certificate would rest on it."""
    side = parse_expression("x*log(k) + sqrt(m)")
    for k, m in (((-1.0, 2.0), (1.0, 1.0)), ((1.0, 2.0), (-1.0, 1.0))):
        enclosure = Form(side, ("x",), {"k": k, "m": m}).enclosed(((1.0, 2.0),))
        assert enclosure is not None
        assert enclosure.partial


def test_the_tangent_at_the_minimum_is_the_minimum() -> None:
    bowl = Form(parse_expression("(x - 1)**2 + x*y + y**2"), ("x", "y"), {})
    assert math.isclose(bowl.least_by_tangent(((0.0, 3.0), (-2.0, 1.0)), (4 / 3, -2 / 3)), 1 - 4 / 3, abs_tol=1e-12)
    assert math.isclose(bowl.least_by_tangent(((2.0, 3.0), (-1.0, 1.0)), (2.0, -1.0)), 0.0, abs_tol=1e-12)
    assert -1 / 3 <= bowl.least_by_tangent(((2.0, 3.0), (-1.0, 1.0)), (4 / 3, -2 / 3)) <= 0.0  # a point beside the box
    hollow = Form(parse_expression("x**2*(x - 3)**2 + y**2"), ("x", "y"), {})
    assert (
        hollow.least_by_tangent(((-0.1, 0.1), (0.0, 0.0)), (3.0, 0.0)) <= 0
    )  # convex in the box, and not as far as the point
    saddle = Form(parse_expression("x*y"), ("x", "y"), {})
    assert saddle.least_by_tangent(((-1.0, 1.0), (-1.0, 1.0)), (0.5, 0.5)) == -math.inf
    assert saddle.least_by_tangent(((0.0, 1.0), (0.0, 1.0)), (0.5, 0.5)) == 0  # it rises along both sides
