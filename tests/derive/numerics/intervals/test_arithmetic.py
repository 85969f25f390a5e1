"""Sums and products of intervals hold those of their ends, worked out in fractions; of usual numbers they are tight."""

from __future__ import annotations

import math
import operator
import random
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.certificates.lower_bounds import Form
from derive.expressions.grammar import parse_expression
from derive.numerics.intervals.arithmetic import plus, rounded_inwards, times
from tests.ordinary import every, examples

EDGES = st.sampled_from([0.0, 1.0, -1.0, 5e-324, -5e-324, 1e-310, -1e-310, 1.7e308, -1.7e308, 3e-154, 1.3e154])
SPANS = st.tuples(*[st.one_of(EDGES, st.floats(allow_nan=False, allow_infinity=False), st.floats(-9, 9))] * 2)
USUAL = st.tuples(*[st.floats(-1e9, 1e9).filter(lambda x: x == 0 or abs(x) > 1e-9)] * 2)
BOTH = pytest.mark.parametrize(("of_spans", "of_numbers"), [(plus, operator.add), (times, operator.mul)])


def true(of_numbers, a, b):
    numbers = [of_numbers(Fraction(x), Fraction(y)) for x in a for y in b]
    return min(numbers), max(numbers)


@BOTH
@examples(500)
@given(SPANS, SPANS)
def test_every_sum_and_product_lies_inside(of_spans, of_numbers, a, b):
    a, b = sorted(a), sorted(b)
    low, high = of_spans(tuple(a), tuple(b))
    least, most = true(of_numbers, a, b)
    assert low == -math.inf or Fraction(low) <= least
    assert high == math.inf or most <= Fraction(high)


@BOTH
@examples(200)
@given(USUAL, USUAL)
def test_the_ends_are_next_to_the_true_ones(of_spans, of_numbers, a, b):
    a, b = sorted(a), sorted(b)
    for bound, end in zip(of_spans(tuple(a), tuple(b)), true(of_numbers, a, b), strict=True):
        assert abs(Fraction(bound) - end) <= 2 * Fraction(math.ulp(bound))


@BOTH
@given(USUAL)
def test_an_endless_span_bounds_nothing(of_spans, of_numbers, a):
    low, high = of_spans((-math.inf, math.inf), tuple(sorted(a)))
    assert (low, high) == (-math.inf, math.inf) or a == (0.0, 0.0)


NAMES = ("x", "y", "z")


@every("seed", range(300), ordinary=40, thorough=28)
def test_no_point_is_cut_away_at_which_a_form_is_not_positive(seed: int) -> None:
    """The value at each point of a grid is exact: what a cut loses by rounding would show."""
    draw = random.Random(f"cut {seed}")
    names = NAMES[: draw.randint(1, 3)]
    sizes = [draw.choice((1e-9, 1.0, 1e6)) for _ in names]
    ends = [sorted(draw.randint(-64, 64) / 32 * size for _ in range(2)) for size in sizes]
    box = tuple((low, high) for low, high in ends)
    slopes = [Fraction(draw.randint(-16, 16), 8) / Fraction(size) for size in sizes]
    bends = [Fraction(draw.randint(-2, 2), 8) / Fraction(size) ** 2 for size in sizes]
    grids = [[Fraction(low) + (Fraction(high) - Fraction(low)) * i / 8 for i in range(9)] for low, high in box]
    origin = draw.choice([*product(*grids)])

    def exact(point: tuple[Fraction, ...]) -> Fraction:
        terms = zip(slopes, bends, point, origin, strict=True)
        return sum((slope * (x - start) + bend * (x - start) ** 2 for slope, bend, x, start in terms), Fraction(0))

    parts = [
        f"({slope})*({name} - ({start})) + ({bend})*({name} - ({start}))**2"
        for name, slope, bend, start in zip(names, slopes, bends, origin, strict=True)
    ]
    narrowed = Form(parse_expression(" + ".join(parts)), names, {}).where_not_positive(box)
    for point in product(*grids):
        if exact(point) <= 0:
            assert narrowed is not None, (seed, point)
            assert all(low <= x <= high for x, (low, high) in zip(point, narrowed, strict=True)), (
                seed,
                point,
                narrowed,
            )


@every("seed", range(100), ordinary=20)
def test_every_whole_number_in_a_side_is_left(seed: int) -> None:
    draw = random.Random(f"whole {seed}")
    step = draw.choice((1.0, 8.0, 0.1, 1e-3))
    low, high = sorted(draw.uniform(-30, 30) * step for _ in range(2))
    inside = [k * step for k in range(-31, 32) if low <= k * step <= high]
    rounded = rounded_inwards([(low, high), (low, high)], (step, 0.0))
    assert rounded is not None or not inside
    assert rounded is None or (rounded[0][0] <= rounded[0][1] and rounded[1] == (low, high))
    assert all(rounded is not None and rounded[0][0] <= x <= rounded[0][1] for x in inside)
