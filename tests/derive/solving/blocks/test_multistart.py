"""A search from many starts goes on while others are expected, and keeps a multiple root with the digits it has."""

from __future__ import annotations

import math
import random
from itertools import product

import pytest

from derive.expressions.grammar import parse_equation
from derive.solving.blocks.multistart import solved_from_starts
from derive.solving.blocks.system import System
from quantities.domain import Domain

REAL = Domain("real", -math.inf, math.inf)


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("at", [0.5, -2.75])
def test_a_line_that_touches_a_parabola_is_found_in_half_of_the_digits(at):
    equations = tuple(parse_equation(text) for text in ("y = x**2", "y = s*x - q"))
    known = {"s": 2 * at, "q": at * at}
    outcome = solved_from_starts(System(equations, ("x", "y"), known, dict.fromkeys("xy", REAL)))
    (solution,) = outcome.solutions
    assert dict(solution.values) == pytest.approx({"x": at, "y": at * at}, rel=1e-9)
    assert "the givens fix about 8 digits" in outcome.caveat.text


def economy(size, values):
    """The sides of the economics problem (Morgan 1987) at numbers x1, x2, ... of its unknowns, which are to be zero."""
    *others, last = values
    totals = []
    for k in range(1, size):
        products = (x * y for x, y in zip(others, others[k:], strict=False))
        totals.append((others[k - 1] + sum(products)) * last - k)
    return [*totals, sum(others) + 1]


def economy_equations(size):
    for k in range(1, size):
        products = "".join(f" + x{i}*x{i + k}" for i in range(1, size - k))
        yield parse_equation(f"(x{k}{products})*x{size} = {k}")
    yield parse_equation(" + ".join(f"x{i}" for i in range(1, size)) + " = -1")


@pytest.mark.parametrize(("size", "count"), [(5, 4), pytest.param(6, 4, marks=pytest.mark.thorough)])
def test_all_solutions_of_ordinary_size_are_found_in_domains_that_are_wide(size, count):
    names = [f"x{i}" for i in range(1, size + 1)]
    wide = Domain("-1e8..1e8", -1e8, 1e8)
    outcome = solved_from_starts(System(tuple(economy_equations(size)), tuple(names), {}, dict.fromkeys(names, wide)))
    assert len(outcome.solutions) == count
    for solution in outcome.solutions:
        assert economy(size, [solution.values[name] for name in names]) == pytest.approx([0.0] * size, abs=1e-6)
    assert "not proved" in outcome.caveat.text


@pytest.mark.thorough
@pytest.mark.ordinary(2)  # of six values it takes seconds
@pytest.mark.parametrize(
    ("seed", "count"), [*((seed, 3) for seed in range(4)), pytest.param(4, 6, marks=pytest.mark.long)]
)
def test_all_points_of_a_grid_are_found(seed, count):
    """Two sums of the unknowns have any of a few values each; the more there are, the more starts it takes."""
    draw = random.Random(f"grid {seed}")
    first, second = ([x / 16 for x in draw.sample(range(-40, 40), count)] for _ in range(2))
    texts = [
        "*".join(f"({total} - ({root}))" for root in roots) + " = 0"
        for total, roots in (("(x + y/2)", first), ("(x - 3*y/4)", second))
    ]
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", REAL))
    points = [(solution.values["x"], solution.values["y"]) for solution in solved_from_starts(system).solutions]
    found = sorted((round(x + y / 2, 6), round(x - 3 * y / 4, 6)) for x, y in points)
    assert found == sorted((round(u, 6), round(v, 6)) for u, v in product(first, second))
