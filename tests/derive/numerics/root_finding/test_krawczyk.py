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
LINE = [parse_equation("x = c")]
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
@given(st.floats(0.1, 100), st.floats(1e-6, 0.9), st.floats(-1, 1), st.sampled_from([SQUARE, LINE]))
def test_what_is_left_of_a_box_holds_the_root(centre, share, place, equations):
    reach = share * centre
    root = Fraction(centre) + Fraction(place) * Fraction(reach)
    level = float(root**2 if equations is SQUARE else root)
    box = (centre - reach, centre + reach)
    step = newton(dag_of(equations, ["x"], {"c": level}), (box,))
    assert step is not None

    def height(x):
        return Fraction(x) ** 2 if equations is SQUARE else Fraction(x)

    if height(box[0]) <= Fraction(level) <= height(box[1]):
        ((low, high),) = step.left
        assert height(low) <= Fraction(level) <= height(high)


@examples(400, 100)
@given(st.floats(0.1, 100), st.floats(1e-6, 2e-3), st.floats(0, 1))
def test_a_box_with_two_roots_is_not_said_to_hold_one_at_most(high, share, place):
    """The slopes of the square reach zero within the box, if only just."""
    low = -share * high
    root = place * low
    step = newton(dag_of(SQUARE, ["x"], {"c": root * root}), ((low, high),))
    assert step is None or not step.single or root == 0


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
