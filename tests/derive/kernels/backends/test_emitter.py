"""Text of expressions: both dialects say what the evaluator says, also of what is undefined."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

from derive import DeriveError
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import names_in
from derive.kernels.compiled_functions import compiled
from derive.library import Library
from derive.model.relation import relate
from derive.numerics.algebra.evaluation import value
from quantities.quantity import Quantity
from tests.derive.draws import SIGNS, expressions
from tests.ordinary import examples

NUMBERS = st.sampled_from((0.0, 1.0, -1.0, 2.0, 0.5, 1e200, -1e200, 1e308, 1e-200, 3.0)) | st.floats(-5, 5)
QUANTITIES = [Quantity(name, domain="real") for name in "xyz"]


def functions(text):
    library = Library([relate("r", f"z = {text}", quantities=QUANTITIES)], QUANTITIES)
    return [compiled(library, "z", names_in(parse_expression(text)), backend) for backend in ("python", "numpy")]


def agree(text, at):
    node = parse_expression(text)
    expected = value(node, at)
    for function in functions(text):
        found = float(function(**{name: at[name] for name in names_in(node)}))
        assert found == pytest.approx(expected, rel=1e-9, nan_ok=True), text


@pytest.mark.thorough
@examples(120, suppress_health_check=list(HealthCheck))
@given(expressions(5), st.sampled_from(SIGNS), expressions(5), NUMBERS, NUMBERS)
def test_a_condition_is_what_the_evaluator_says_it_is_whatever_is_undefined(left, sign, right, x, y):
    one, other = (value(parse_expression(side), {"x": x, "y": y}) for side in (left, right))
    near = abs(one - other) <= 1e-9 * max(abs(one), abs(other))  # where rounding decides, the dialects may differ
    assume(left == right or not near)
    for text in (
        f"1 if {left} {sign} {right} else 2",
        f"1 if not {left} {sign} {right} else 2",
        f"max({left}, {right})",
    ):
        try:
            functions(text)
        except DeriveError:  # an angle among plain numbers
            assume(False)
        agree(text, {"x": x, "y": y})


@pytest.mark.parametrize(
    "text",
    [
        "1 if sqrt(x) < 5 else 2",
        "1 if not sqrt(x) < 5 else 2",
        "1 if 1/y != 5 else 2",
        "1 if x*x*x > 5 or y < 1 else 2",
        "1/(1/y)",
        "1/(x*x*x)",
        "max(3, x*x*x)",
        "min(3, 1/y)",
        "tanh(1/y)",
        "1 if y < (1/y)**y else 2",
        "floor(2.5)**floor(3.5) + y",
        "3 if y > 1 else 1/y if x > 0 else log(x) if y < 0 else 4",
    ],
)
def test_what_is_undefined_does_not_come_back_as_a_number(text):
    agree(text, {"x": -1e200, "y": 0.0})


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_given_that_is_no_number_gives_none(number):
    for function in functions("1/(1 + x)"):
        assert math.isnan(float(function(x=number)))
