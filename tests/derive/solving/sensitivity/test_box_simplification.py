"""A form made easier to bound is equal to it over the box, and moves no more than it has to."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.expressions.grammar import parse_expression
from derive.expressions.tree import render
from derive.numerics.algebra.evaluation import value
from derive.solving.sensitivity.elasticities import eased, is_monotone
from quantities.quantity import Quantity
from tests.derive.statements import bare, number, span

RANGES = {"x": (2.0, 5.0), "y": (1.0, 1.5)}
KNOWN = {"a": 0.3, "b": 7.0}
WORDS = {name: Quantity(name) for name in (*RANGES, *KNOWN)}
FORMS = (
    "(x*a + b)/(x*a + 2*b)",
    "max(a*x, b*y, 1)/(b*y)",
    "min(x, y)*x/(x + y)",
    "max(a*x, y)/max(a*x, y)",
    "(x + y)**2 - x**2 - 2*x*y",
    "sqrt(x*y)/(sqrt(x)*a) + max(x, 6)",
    "x if x > 3 else y",
    "(x**3 - y**3)/(x - y)",
)


@pytest.mark.parametrize("text", FORMS)
@given(x=st.floats(2.0, 5.0), y=st.floats(1.0, 1.5))
def test_it_is_equal_everywhere_in_the_box(text, x, y):
    form = parse_expression(text)
    light = eased(form, KNOWN, RANGES, WORDS)
    assert value(light, {"x": x, "y": y}) == pytest.approx(value(form, {**KNOWN, "x": x, "y": y}), rel=1e-9)


def test_what_cancels_no_longer_moves():
    assert render(eased(parse_expression("max(a*x, y)/max(y, a*x)"), {"a": 9.0}, RANGES, WORDS)) == "1"


def test_a_ratio_of_sums_moves_one_way():
    form = parse_expression("(x*a + b)/(x*a + 2*b)")
    assert not is_monotone(parse_expression("(x*a + b)/(x*a + 2*b) + x*(x - 7)"), KNOWN, {"x": RANGES["x"]})
    assert is_monotone(eased(form, KNOWN, {"x": RANGES["x"]}, WORDS), {}, {"x": RANGES["x"]})


def test_a_share_that_is_one_throughout_has_no_width():
    shares = bare(
        "w k c weight cache step share",
        "weight = w*3/7", "cache = k*3/7", "step = max(weight + cache, c)", "share = weight/step + cache/step",
        domains={"share": "0..1"},
    )  # fmt: skip
    answer = shares.solve("share", w="1..1.04", k=2, c=0.1)
    assert number(answer) == pytest.approx(1)
    assert span(answer) == pytest.approx((1, 1))
