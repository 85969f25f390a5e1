"""Expressions multiplied out come to the same numbers, each monomial once."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.arithmetic import NoElement, multiplied_out
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import render
from tests.ordinary import examples

NUMBERS = st.fractions(-4, 4, max_denominator=6).filter(bool)


def polynomials(depth=3):
    """Text whose meaning in Python, on fractions, is that of the language of relations."""
    ends = st.sampled_from(["x", "y", "2", "3"])
    inner = ends if depth == 0 else polynomials(depth - 1)
    if depth == 0:
        return ends
    return st.one_of(
        ends,
        st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(inner, st.integers(1, 3)).map(lambda parts: f"({parts[0]})**{parts[1]}"),
        st.tuples(inner, st.sampled_from(["x", "(3*y)"])).map(lambda parts: f"{parts[0]}/{parts[1]}"),
    )


@examples(150)
@given(polynomials(), NUMBERS, NUMBERS)
def test_it_comes_to_the_number_of_the_expression(text, x, y):
    whole = multiplied_out(parse_expression(text), render, 10**6)
    at = {"x": x, "y": y}
    number = sum(factor * math.prod(at[name] ** power for name, power in key) for key, factor in whole.items())
    assert number == eval(text, {"x": x, "y": y})
    assert all(whole.values())


def test_what_is_no_sum_or_product_is_an_atom():
    whole = multiplied_out(parse_expression("2*sqrt(x + y)*(1/(x + y) + sqrt(x + y))"), render, 9)
    assert whole == {
        frozenset({("sqrt(x + y)", 2)}): 2,
        frozenset({("sqrt(x + y)", 1), ("1/(x + y)", 1)}): 2,
    }


def test_too_many_terms_are_refused():
    with pytest.raises(NoElement):
        multiplied_out(parse_expression("(a + b + c)*(d + e + f)"), render, 8)
