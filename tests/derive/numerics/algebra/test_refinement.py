"""Equations in many digits: what holds at a root, what fails there, and what says nothing."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation, parse_expression
from derive.numerics.algebra.refinement import contradict_nearby, fails_at_root, retreats_to_zero
from quantities.rational import read_decimal

DECIMALS = st.integers(11, 99).map(lambda tenths: f"{tenths / 10}")


@given(DECIMALS, st.sampled_from(["y - a = 0", "y*(y - a) = 0", "log(y/a) = 0", "y = a"]))
def test_an_equation_holds_at_its_own_root_also_where_a_side_is_zero(root, text):
    last, known = parse_equation("y**2 = a**2"), {"a": read_decimal(root)}
    assert not fails_at_root(last, {"y": float(root)}, {}, [parse_equation(text)], known)
    other = {"a": known["a"], "b": read_decimal(f"{root}000000001")}
    assert fails_at_root(last, {"y": float(root)}, {}, [parse_equation(text.replace("a", "b"))], other)


@given(DECIMALS)
def test_forms_lead_to_the_other_unknowns_before_an_equation_is_tried(root):
    last, forms = parse_equation("y = a"), {"x": parse_expression("y**2"), "z": parse_expression("x + y")}
    known = {"a": read_decimal(root)}
    assert not fails_at_root(last, {"y": float(root)}, forms, [parse_equation("z = a*(a + 1)")], known)
    assert fails_at_root(last, {"y": float(root)}, forms, [parse_equation("z = a*(a + 1.0000000001)")], known)


def test_a_root_that_is_not_near_says_nothing_of_a_point():
    last = parse_equation("y**2 = 4")
    assert not fails_at_root(last, {"y": 1.0}, {}, [parse_equation("y = 1")], {})
    assert fails_at_root(last, {"y": 2.0}, {}, [parse_equation("y = 1")], {})


@pytest.mark.parametrize(("right", "contradicts"), [("3", False), ("3.0000000001", True)])
def test_whole_numbers_that_no_unknown_moves_hold_or_contradict(right, contradicts):
    pair = [parse_equation(f"ceil(x + y) = {right}"), parse_equation("ceil(x - y) = 1")]
    assert contradict_nearby(pair, {"x": 1.5, "y": 1.2}, {}) is contradicts


@pytest.mark.parametrize("x", [0.5, 2.5, 1e17, 1e80, 1e300])
def test_half_numbers_and_large_ones_are_rounded_too(x):
    """In 150 digits half a number and a half may not be told from the whole number that they are."""
    pair = [parse_equation("ceil(x) + y = s"), parse_equation("x**2 - y**2 = t")]
    known = {"s": math.ceil(x) + x, "t": 0.0}
    assert not contradict_nearby(pair, {"x": x, "y": x}, known)
    assert not contradict_nearby(pair, {"x": math.nextafter(x, 0), "y": math.nextafter(x, 1e301)}, known)


@pytest.mark.parametrize("n", [3, 5, 11])
def test_what_is_whole_but_for_its_last_digits_is_rounded_to_itself(n):
    """A third has no last binary digit, and three times what is kept of it may be less than one or more."""
    for step in ("floor", "ceil"):
        pair = [parse_equation(f"{n}*x = 1"), parse_equation(f"{step}({n}*x) + y = 2")]
        assert not contradict_nearby(pair, {"x": 1 / n, "y": 1.0}, {})


@pytest.mark.parametrize("side", ["acos(y)", "sqrt(1 - y)"])
def test_a_number_at_the_end_of_what_a_side_is_defined_for_is_rounded_inwards(side):
    assert not fails_at_root(parse_equation("y = 1"), {"y": 1.0}, {}, [parse_equation(f"{side} = b")], {"b": 1e-17})
    assert fails_at_root(parse_equation("y = 1"), {"y": 1.0}, {}, [parse_equation(f"{side} = b")], {"b": 1e-3})


def test_an_unknown_retreats_to_zero_by_its_steps_and_not_by_being_there():
    assert retreats_to_zero([parse_equation("x**6 = 0")], {"x": 1e-3}, {})
    assert not retreats_to_zero([parse_equation("x = 0*y"), parse_equation("y**2 = 2.1")], {"x": 0.0, "y": 1.4}, {})
