"""Krawczyk's test of a box beside exact arithmetic: a box that is said to hold one solution holds it."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.numerics.root_finding.expression_graph import dag_of
from derive.numerics.root_finding.krawczyk import newton
from tests.ordinary import examples

SQUARE = [parse_equation("x**2 = c")]
PAIR = [parse_equation("x**2 + y = c"), parse_equation("y - x = d")]


@examples(400, 100)
@given(st.floats(0.1, 100), st.floats(1e-5, 8e-4), st.floats(-1e-3, 1e-3), st.sampled_from([-1, 1]))
def test_a_root_just_outside_a_box_is_not_said_to_be_in_it(centre, share, beyond, side):
    """The image of a box reaches as far as the root: it must lie inside the box itself, not nearly inside."""
    reach = share * centre
    root = Fraction(centre) + side * Fraction(reach) * (1 + Fraction(beyond))
    level = float(root**2)
    low, high = centre - reach, centre + reach
    is_inside = Fraction(low) ** 2 <= Fraction(level) <= Fraction(high) ** 2
    step = newton(dag_of(SQUARE, ["x"], {"c": level}), ((low, high),))
    assert step is not None
    assert is_inside or not step.unique
    assert not is_inside or step.left is not None


@examples(400, 100)
@given(st.floats(0.1, 100), st.floats(1e-5, 8e-4), st.floats(-1e-3, 1e-3), st.floats(-50, 50))
def test_nor_is_a_solution_of_two_equations(centre, share, beyond, apart):
    reach = share * centre
    x = centre + reach * (1 + beyond)
    known = {"c": float(Fraction(x) ** 2 + Fraction(x) + Fraction(apart)), "d": apart}
    box = ((centre - reach, centre + reach), (centre + apart - 3 * reach, centre + apart + 3 * reach))
    step = newton(dag_of(PAIR, ["x", "y"], known), box)
    assert step is not None
    rest = Fraction(known["c"]) - Fraction(
        known["d"]
    )  # the root of x**2 + x = rest lies above the box where this is positive
    end = Fraction(box[0][1])
    if end**2 + end < rest:
        assert not step.unique
