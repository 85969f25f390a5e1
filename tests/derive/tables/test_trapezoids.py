"""Every point of a map lies in one strip, and the strip has the point's label; borders are where labels change."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from derive.tables.regime_map import PointRegime, RegimeMap
from derive.tables.trapezoids import Scale, columns_of, decomposed

SQUARE = Scale(numpy.linspace(-1.0, 1.0, 30))
DECADES = Scale(numpy.geomspace(1.0, 1e4, 40), log=True)
ARMS = [PointRegime((("which", arm),)) for arm in "abcdefgh"]

numbers = st.floats(-0.99, 0.99).map(lambda x: round(x, 3))
lines = st.tuples(numbers, numbers, numbers).filter(lambda one: abs(one[0]) + abs(one[1]) > 0.2)
# Moved a little, each by another amount: where two planes are equal over a whole line of the grid, rounding decides.
planes = st.lists(lines, min_size=2, max_size=5, unique_by=lambda one: one[:2]).map(
    lambda found: [
        (a + 0.0131 * i**0.5, b - 0.0177 * i**1.7, c + 0.00713 * i**2.3) for i, (a, b, c) in enumerate(found, 1)
    ]
)


def _map(columns: list[Any], scale: Scale) -> RegimeMap:
    """A map over two such axes, without its question."""
    return RegimeMap(None, scale, scale, tuple(columns), tuple(ARMS))  # type: ignore[arg-type]


def _strip_labels(found: list[Any], x: float, y: float) -> list[int]:
    """The labels of the strips in which a point lies."""
    labels = []
    for strip in found:
        for (left, right), (a, b), (c, d) in zip(*map(pairwise, (strip.along, strip.low, strip.high)), strict=True):
            if left <= x <= right and left < right:
                share = (x - left) / (right - left)
                if a + share * (b - a) <= y <= c + share * (d - c):
                    labels.append(strip.label)
    return labels


@given(planes, st.lists(st.tuples(numbers, numbers), min_size=5, max_size=20))
def test_a_point_has_the_label_of_its_strip(drawn: list[tuple[float, float, float]], points: Any) -> None:
    def label_at(x: Any, y: Any) -> Any:
        return numpy.argmax([a * x + b * y + c for a, b, c in drawn], axis=0)

    found = list(_map(decomposed(label_at, SQUARE, SQUARE), SQUARE).strips)
    for x, y in ((x + 1.234e-5, y) for x, y in points):  # between the columns
        heights = sorted((a * x + b * y + c for a, b, c in drawn), reverse=True)
        if heights[0] - heights[1] > 0.3:  # away from the borders by more than a step of the grid
            assert set(_strip_labels(found, x, y)) == {int(label_at(x, y))}


@example([(0.25, 0.0, 0.0), (0.5, 0.0, 0.0)])  # the search for the border ends at zero, where the two are equal
@given(planes)
def test_on_a_border_the_two_greatest_are_equal(drawn: list[tuple[float, float, float]]) -> None:
    def label_at(x: Any, y: Any) -> Any:
        return numpy.argmax([a * x + b * y + c for a, b, c in drawn], axis=0)

    columns = decomposed(label_at, SQUARE, SQUARE)
    for column in columns:
        for height in column.heights:
            values = sorted((a * column.at + b * height + c for a, b, c in drawn), reverse=True)
            assert values[0] - values[1] < 1e-6
    for curve in _map(columns, SQUARE).curves:
        low, high = (ord(arm) - ord("a") for arm in curve.change.arms)
        for x, y in curve.points:
            values = [a * x + b * y + c for a, b, c in drawn]
            assert values[low] == pytest.approx(values[high], abs=1e-6)
            assert max(values) == pytest.approx(values[low], abs=1e-6)


def test_a_hyperbola_is_straight_on_a_logarithmic_map():
    columns = decomposed(lambda x, y: (x * y > 3e4).astype(int), DECADES, DECADES)
    (curve,) = _map(columns, DECADES).curves
    assert all(math.isclose(x * y, 3e4, rel_tol=1e-7) for x, y in curve.points)
    assert curve.points[0] == pytest.approx((3.0, 1e4), rel=1e-6)
    assert curve.points[-1] == pytest.approx((1e4, 3.0), rel=1e-6)


def test_an_upright_border_has_one_place():
    columns = decomposed(lambda x, y: (x > 300).astype(int), DECADES, DECADES)
    (curve,) = _map(columns, DECADES).curves
    assert {round(x, 4) for x, _ in curve.points} == {300.0}
    assert sorted(y for _, y in curve.points) == [1.0, 1e4]


def test_a_circle_closes():
    columns = decomposed(lambda x, y: (x * x + y * y < 0.49).astype(int), SQUARE, SQUARE)
    (curve,) = _map(columns, SQUARE).curves
    assert curve.points[0] == pytest.approx(curve.points[-1], abs=1e-3)
    assert all(math.isclose(math.hypot(x, y), 0.7, rel_tol=1e-6) for x, y in curve.points)
    lengths = [math.hypot(c - a, d - b) for (a, b), (c, d) in pairwise(curve.points)]
    assert sum(lengths) == pytest.approx(2 * math.pi * 0.7, rel=0.01)


def test_a_strip_that_no_point_of_the_grid_meets_is_found_on_the_way():
    def label_at(x: Any, y: Any) -> Any:
        return numpy.where(y > x + 0.0101, 2, numpy.where(y > x + 0.01, 1, 0))

    (column,) = columns_of(label_at, [0.1234], SQUARE)
    assert column.labels == (0, 1, 2)
    assert column.heights == pytest.approx((0.1334, 0.1335), abs=1e-12)


def test_three_regions_meet_in_one_point():
    def label_at(x: Any, y: Any) -> Any:
        return numpy.argmax([x, y, 0.3 - x - y], axis=0)

    found = _map(decomposed(label_at, SQUARE, SQUARE), SQUARE).curves
    assert len(found) == 3
    for curve in found:
        ends = (curve.points[0], curve.points[-1])
        assert min(math.hypot(x - 0.1, y - 0.1) for x, y in ends) < 1e-6
