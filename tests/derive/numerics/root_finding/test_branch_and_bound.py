"""The greatest value over a box: no sample is above it, and where it is known closely a point comes that near."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Name, Number
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.intervals.enclosure import enclose
from derive.numerics.root_finding.branch_and_bound import System, least_and_greatest, multipliers
from tests.derive.draws import expressions
from tests.ordinary import examples


def greatest(form, sides, sign=1.0):
    """The greatest value of sign times a form, and whether it is close."""
    low, high = least_and_greatest(System(form, (-math.inf, math.inf), (), sides))
    return (high.at, high.is_close) if sign > 0 else (-low.at, low.is_close)


SIDES = st.tuples(st.floats(0.1, 3), st.floats(0.05, 2)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@pytest.mark.thorough
@examples(100, suppress_health_check=[HealthCheck.too_slow])
@given(expressions(5), SIDES, SIDES, st.sampled_from((-1.0, 1.0)))
def test_no_sample_exceeds_the_greatest_value_and_some_box_around_a_point_comes_near_it(text, x, y, sign):
    form, sides = parse_expression(text), {"x": x, "y": y}
    enclosure = enclose(form, sides, "x")
    assume(enclosure is not None and not enclosure.partial and all(abs(end) < 1e9 for end in enclosure.values))
    bound, is_close = greatest(form, sides, sign)
    axes = [[low + (high - low) * i / 40 for i in range(41)] for low, high in sides.values()]
    numbers = [sign * value(form, dict(zip(sides, point, strict=True))) for point in itertools.product(*axes)]
    size = max(map(abs, numbers))
    assert bound >= max(numbers) - 1e-6 * size
    if is_close:
        steepest = 0.0
        for name, (low, high) in sides.items():
            seen = enclose(form, sides, name)
            steepest += max(map(abs, seen.slopes)) * (high - low) / 80  # from a point of the grid to its neighbour
        assert bound <= max(numbers) + steepest + 1e-6 * size + 1e-12


@pytest.mark.parametrize(
    ("text", "sides", "greatest_value"),
    [
        ("x*(2 - x) + y", {"x": (0.0, 3.0), "y": (1.0, 2.0)}, 3.0),
        ("sin(x)*cos(y) + z", {"x": (0.0, 6.0), "y": (-2.0, 2.0), "z": (1.0, 1e3)}, 1001.0),
        ("x**2*y - y**2*x + z*x", {"x": (1.0, 6.0), "y": (1.0, 2.0), "z": (-1.0, 1.0)}, 54.0),
        ("x/(x**2 + 1)", {"x": (0.0, 1e30)}, 0.5),
        ("-x*log(x)", {"x": (1e-9, 1.0)}, math.exp(-1)),
    ],
)
def test_known_extremes_are_found_closely(text, sides, greatest_value):
    bound, is_close = greatest(parse_expression(text), sides)
    assert is_close
    assert bound == pytest.approx(greatest_value, rel=1e-6)


@pytest.mark.parametrize(
    ("text", "least_value"), [("y*(3 - y)/x", 1.25 / 3), ("y/x", 0.5 / 3), ("x - log(x)", 1.0), ("y**2/x + x*x", 0.0)]
)
def test_beside_a_pole_the_least_value_is_found_closely(text, least_value):
    sides = {"x": (0.0, 3.0), "y": (0.5, 2.0)}
    if least_value == 0.0:
        least_value = 3 * (0.25 / 2) ** (2 / 3)  # where the slope in x is zero: 2*x**3 = y**2
    bound, is_close = greatest(parse_expression(text), sides, -1.0)
    assert is_close
    assert -bound == pytest.approx(least_value, rel=2e-6)


@pytest.mark.parametrize("text", ["1/x", "y/x", "y*(3 - y)/x", "-log(x)"])
def test_towards_a_pole_there_is_no_greatest_value(text):
    assert greatest(parse_expression(text), {"x": (0.0, 3.0), "y": (0.5, 2.0)}) == (math.inf, False)


@pytest.mark.thorough
@examples(20)
@given(st.floats(0.1, 50), st.floats(0.1, 5), st.sampled_from((0.5, 0.9, 1.0, 1.1, 3.0)))
def test_sides_without_an_end_hold_the_value_that_equations_leave(offset, steepness, share):
    """`x/(x + a) = c` has the one value a*c/(1 - c) where c is less than 1, and none elsewhere."""
    zeros = [f"m - {steepness}*x", f"n - x - {offset}", f"m/n - {share * steepness}"]
    sides = dict.fromkeys("xmn", (0.0, math.inf))
    system = System(parse_expression("x"), (0.0, math.inf), tuple(map(parse_expression, zeros)), sides)
    bounds = least_and_greatest(system, 300)
    if bounds is not None:
        assert bounds[0].at <= bounds[1].at
    if share < 1:
        only = offset * share / (1 - share)
        assert bounds is not None
        assert bounds[0].at <= only * (1 + 1e-9)
        assert bounds[1].at >= only * (1 - 1e-9)


@examples(12)
@given(st.floats(0.5, 50), st.floats(1.2, 4.8), st.sampled_from((1.0, -1.0)))
def test_an_equation_without_a_value_at_the_better_corner_hides_no_value(number, end, sign):
    """Where `y = c/x` holds only below an end of x, a goal that is best beyond it still has the values before it."""
    below = Apply("lt", (Name("x"), Number(Fraction(end))))
    zero = added(Name("y"), negated(Apply("piecewise", (parse_expression(f"{number}/x"), below))))
    goal = parse_expression("x*y" if sign > 0 else "-x*y")
    bounds = least_and_greatest(System(goal, (-math.inf, math.inf), (zero,), {"x": (1.0, 5.0), "y": (0.0, 99.0)}), 60)
    assert bounds is not None
    assert bounds[0].at <= sign * number <= bounds[1].at


@pytest.mark.parametrize(
    ("goal", "zeros", "box", "low", "high"),
    [
        ("x + y", ["x**2 + y**2 - 2"], {"x": (-2, 2), "y": (-2, 2)}, -2, 2),
        ("2*x", ["t - max(x, 5)"], {"x": (0, 99), "t": (3, 7)}, 0, 14),
        ("x*y", ["x + y - 6"], {"x": (1, 5), "y": (0, math.inf)}, 5, 9),
    ],
)
def test_bounds_that_equations_attain_are_close(goal, zeros, box, low, high):
    system = System(parse_expression(goal), (-math.inf, math.inf), tuple(map(parse_expression, zeros)), box)
    bounds = least_and_greatest(system)
    assert [bound.at for bound in bounds] == pytest.approx([low, high], rel=1e-6, abs=1e-6)
    assert all(bound.is_close for bound in bounds)


def test_a_slope_whose_square_is_too_small_for_a_double_gets_no_multiplier():
    assert multipliers([-2.0, 1.0], [[1.0, 0.0], [0.0, 1e-200]], [True, True]) == [2.0, 0.0]
