"""A change between two points is found to the last double, whatever the shape of what changes."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.numerics.root_finding.roots import bracketed
from derive.numerics.root_finding.univariate_branch_and_prune import last_holding

SHAPES = [
    lambda x: x,
    math.atan,
    lambda x: x**3,
    lambda x: math.copysign(1.0, x),
    lambda x: math.expm1(max(min(x, 700.0), -700.0)),
]


@pytest.mark.parametrize("shape", SHAPES)
@given(st.floats(1e-12, 1e12), st.floats(1.001, 1e6), st.floats(1.001, 1e6))
def test_the_root_between_ends_of_opposite_sign(shape, root, below, above):
    bracketed_root = bracketed(lambda x: shape(x - root), (root / below, root * above))
    assert bracketed_root == pytest.approx(root, rel=1e-4 if shape is SHAPES[2] else 1e-12)


def test_an_end_that_is_the_root_is_it():
    assert bracketed(lambda x: x - 2, (2.0, 5.0)) == 2


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_the_last_double_at_which_something_holds(edge, width):
    assert last_holding(lambda x: x <= edge, edge - width, edge + width) == pytest.approx(edge, rel=1e-15, abs=1e-12)
    assert last_holding(lambda x: x >= edge, edge + width, edge - width) == pytest.approx(edge, rel=1e-15, abs=1e-12)


def test_what_holds_all_the_way_holds_at_the_end():
    assert last_holding(lambda x: True, 1.0, 3.0) == 3
