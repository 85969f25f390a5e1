"""Branch and prune: no root lies outside of the places, and each proved place holds one."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Number
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import value
from derive.numerics.root_finding.root_boxes import middle, pruned
from tests.derive.draws import expressions


def places(text, low, high):
    return pruned(folded(parse_expression(text), {}), "x", (low, high))


def every(found):
    return [*found.crossings, *found.level, *found.jumps, *found.unsettled, *found.beyond]


@settings(max_examples=120, suppress_health_check=list(HealthCheck))
@given(expressions(), st.floats(0.05, 50))
def test_a_hidden_root_lies_in_one_of_the_places(text, hidden):
    tree = folded(parse_expression(text), {"y": 1.5})
    level = value(tree, {"x": hidden})
    assume(math.isfinite(level))
    form = Apply("add", (tree, Number(-Fraction(level))))
    found = pruned(form, "x", (0.01, 60.0), patience=300)
    assert any(low * (1 - 1e-9) <= hidden <= high * (1 + 1e-9) for low, high in every(found))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("exp(x) - 3*x", 2),
        ("x*log(x) + 0.2", 2),
        ("x**1.5 - 3*sqrt(x) + 1", 2),
        ("cosh(x) - 0.5", 0),
        ("atan(x) - 1", 1),
    ],
)
def test_simple_roots_are_proved_one_to_a_box(text, count):
    found = places(text, 0.0, math.inf)
    assert len(found.crossings) == count
    assert [found.level, found.unsettled, found.beyond] == [[], [], []]
    form = folded(parse_expression(text), {})
    assert all(value(form, {"x": low}) * value(form, {"x": high}) < 0 for low, high in found.crossings)
    assert all(a[1] <= b[0] for a, b in pairwise(found.crossings))


def test_a_form_that_is_zero_along_a_stretch_is_level_there():
    ((_, end),) = places("max(x, 3) - 3", 0.5, 9.0).level
    assert end == pytest.approx(3, rel=1e-9)


def test_a_double_root_is_cornered_and_not_dropped():
    found = places("(x - 1)**2*exp(x)", 0.0, 9.0)
    assert any(low <= 1 <= high and high - low < 1e-5 for low, high in [*found.level, *found.jumps])


def test_a_stretch_where_doubles_overflow_is_said():
    assert places("exp(x) - exp(2*x) + 5", 0.0, math.inf).beyond[-1][1] == pytest.approx(1e60)


def test_patience_ends_and_what_is_left_is_said():
    assert pruned(parse_expression("sin(x)"), "x", (1.0, 1e6), patience=50).unsettled


@pytest.mark.parametrize(
    "box", [(1.0, 3.0), (1e-30, 1e30), (-8.0, -2.0), (-1e9, -1e-9), (0.0, 5.0), (-1e-30, 0.0), (-1.0, 2.0)]
)
def test_a_box_is_cut_inside(box):
    assert box[0] < middle(box) < box[1]
