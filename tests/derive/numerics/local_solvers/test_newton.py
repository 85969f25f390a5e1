"""Newton steps from many starts: they end on solutions that were built in, and only there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.evaluation import residual
from derive.numerics.local_solvers.newton import is_isolated, many_starts
from tests.ordinary import examples

SIZES = st.floats(0.2, 5)
PAIR = [parse_equation("a = x*y + x**2"), parse_equation("b = x + y**3")]


@examples(100)
@given(SIZES, SIZES, st.integers(-15, 15))
def test_a_start_nearby_runs_to_a_solution_at_any_scale(x, y, magnitude):
    s = 10.0**magnitude
    equations = [parse_equation("a = x*y + x**2*s"), parse_equation("b = x*s**2 + y**3/s")]
    known = {"s": s, "a": x * y * s + x**2 * s, "b": x * s**2 + y**3 * s**2}
    (solution,) = many_starts(equations, ["x", "y"], known, [{"x": x * 1.02, "y": y * s * 0.98}], frozenset("xy"))
    assert all(abs(residual(equation, {**known, **solution})) < 1e-9 for equation in equations)
    assert solution == pytest.approx({"x": x, "y": y * s}, rel=0.1)


@examples(100)
@given(SIZES, SIZES, SIZES, SIZES)
def test_wherever_a_start_ends_the_equations_hold(a, b, x, y):
    for point in many_starts(PAIR, ["x", "y"], {"a": a, "b": b}, [{"x": x, "y": y}], frozenset("xy")):
        assert all(abs(residual(equation, {"a": a, "b": b, **point})) < 1e-9 for equation in PAIR)
        assert min(point.values()) > 0


def test_where_there_is_no_solution_none_is_found():
    equations = [parse_equation("x*x + y*y = a"), parse_equation("x + y = b")]
    starts = [{"x": x, "y": y} for x in (-1.0, 0.5, 3.0) for y in (-2.0, 0.4, 1.0)]
    assert not list(many_starts(equations, ["x", "y"], {"a": 1.0, "b": 2.0}, starts))


def test_a_curve_of_solutions_is_met():
    equations = [parse_equation("x*y = a"), parse_equation("2*x*y = 2*a")]
    (point,) = many_starts(equations, ["x", "y"], {"a": 6.0}, [{"x": 1.0, "y": 1.0}], frozenset("xy"))
    assert point["x"] * point["y"] == pytest.approx(6)


@pytest.mark.parametrize(
    ("texts", "point", "expected"),
    [
        (("x*y = a", "x + y = b"), {"x": 2.0, "y": 3.0}, True),
        (("x*y = a", "2*x*y = 2*a"), {"x": 2.0, "y": 3.0}, False),
        (("x + y = b", "(x + y)**2 = b**2"), {"x": 2.0, "y": 3.0}, False),
        (("max(x, y) = y", "x + y = b"), {"x": 2.0, "y": 3.0}, False),
    ],
)
def test_a_point_on_a_curve_of_solutions_does_not_stand_alone(texts, point, expected):
    assert is_isolated([parse_equation(text) for text in texts], point, {"a": 6.0, "b": 5.0}) is expected


@given(SIZES, SIZES, st.integers(2, 99), st.sampled_from(["({})/{} = 0", "{1}*({0}) = 0", "0 = -({0})/{1}"]))
def test_a_sum_that_is_zero_is_solved_whatever_number_it_is_multiplied_by(x, y, factor, form):
    """A product is as large as its gap to zero, and its slopes by quotients were zero."""
    sums = ("x + y**2 - a", "x*y - b")
    equations = [parse_equation(form.format(text, factor)) for text in sums]
    known = {"a": x + y**2, "b": x * y}
    (found,) = many_starts(equations, ["x", "y"], known, [{"x": x * 1.02, "y": y * 0.99}])
    assert [found["x"] + found["y"] ** 2, found["x"] * found["y"]] == pytest.approx([known["a"], known["b"]])
    assert is_isolated(equations, {"x": x, "y": y}, known) is is_isolated(
        [parse_equation(f"{text} = 0") for text in sums], {"x": x, "y": y}, known
    )
