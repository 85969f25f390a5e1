"""Choices that only the solver can answer, since a default decides the case: few counts are all tried."""

from __future__ import annotations

from math import exp

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import examples


@examples(12)
@example(edge=1, level=1, low=-2, high=4)
@given(edge=st.integers(-3, 3), level=st.integers(-2, 3), low=st.integers(-5, -1), high=st.integers(1, 5))
def test_the_best_of_a_few_counts_is_found_where_a_default_decides_the_case(
    edge: int, level: int, low: int, high: int
) -> None:
    pieces = [{"equation": "a = x + x**2", "when": [f"x < {edge}"]}, {"equation": "a = u", "when": [f"x >= {edge}"]}]
    domains = {"x": "-9..20, whole", "a": "real", "t": "real", "u": "real"}
    library = bare("x a t u", *pieces, "t = 2 - a**2", domains=domains, values={"u": str(level)})
    best = max(2 - (x + x**2 if x < edge else level) ** 2 for x in range(low, high + 1))
    assert library.most("t", x=f"{low}..{high}").answer.base == best


def test_a_limit_is_tested_again_where_only_the_solver_has_numbers() -> None:
    pieces = [
        {"equation": "t = (x/u - 1.5)*u", "when": ["x/u < 0.5"]},
        {"equation": "t = exp(x/u)*u", "when": ["x/u >= 0.5"]},
    ]
    library = bare("x t u", *pieces, domains={"x": "real"}, values={"u": "1"})
    assert library.least("t", such_that=["x/u >= 2"], x=["3", "1"]).answer.base == pytest.approx(exp(3))


@pytest.mark.parametrize("limit", ["x >= 2/s", "x >= 2*(1/s)", "x*s >= 2"])
def test_a_quantity_in_a_limit_is_no_unit(limit: str) -> None:
    library = derive.load(
        """[quantities]
        x = { unit = "Hz" }
        s = { unit = "s" }
        t = { unit = "Hz" }
        [relations]
        t = { equation = "t = x" }
        product = { equation = "x*s >= 0" }
        """
    )
    choices = ["0.25 Hz", "0.5 Hz", "1 Hz", "2 Hz"]
    assert library.least("t", such_that=[limit], x=choices, s="4 s").answer.base == 0.5
    for stated in ("x >= 2 1/s", "x >= 120/min"):
        assert library.least("t", such_that=[stated], x=choices, s="4 s").answer.base == 2
