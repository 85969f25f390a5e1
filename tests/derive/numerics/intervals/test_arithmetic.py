"""Sums and products of intervals hold those of their ends, worked out in fractions; of usual numbers they are tight."""

from __future__ import annotations

import math
import operator
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.numerics.intervals.arithmetic import plus, times
from tests.ordinary import examples

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
