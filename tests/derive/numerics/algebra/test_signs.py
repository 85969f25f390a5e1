"""Moving signs changes no value, and leaves no sum that begins with a minus where another term could begin it."""

from __future__ import annotations

import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from derive.errors import DeriveError
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Node, names_in, render, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.products import positive_first
from tests.derive.draws import expressions

NUMBERS = st.floats(0.3, 3.0)


@given(expressions(), st.lists(NUMBERS, min_size=8, max_size=8))
def test_signs_move_and_the_value_stays(text: str, numbers: list[float]) -> None:
    written = parse_expression(text)
    at = dict(zip(sorted(names_in(written)), numbers, strict=False))
    try:
        before = value(written, at)
    except (DeriveError, ArithmeticError, ValueError):
        assume(False)
    assume(math.isfinite(before))
    assert value(positive_first(written), at) == pytest.approx(before, rel=1e-12, abs=1e-12)


def is_negative(node: Node) -> bool:
    return isinstance(node, Apply) and node.op == "neg"


@given(expressions())
def test_no_sum_begins_with_a_minus_and_no_minus_stands_before_a_difference(text: str) -> None:
    for part in walk(positive_first(parse_expression(text))):
        if isinstance(part, Apply) and part.op == "add":
            assert not is_negative(part.args[0])
            assert "+ -" not in render(part)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("-(a - b)/(c - d)", "(a - b)/(d - c)"),
        ("-(a - b)", "b - a"),
        ("-b*c + d", "d - b*c"),
        ("-a/(c + -1*b)", "a/(b - c)"),
        ("(-a - b)/c", "-(a + b)/c"),
        ("sqrt(-(a - b))", "sqrt(b - a)"),
    ],
)
def test_an_expression_is_written_as_one_would(text: str, read: str) -> None:
    assert render(positive_first(parse_expression(text))) == read
