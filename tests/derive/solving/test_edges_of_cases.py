"""A strict condition at the edge of what its quantity can be is that of no case: `y < 1` of `y = x**2 + 1`."""

from __future__ import annotations

import random

import pytest

from tests.derive.statements import library
from tests.ordinary import every

LEAST = {  # each with the least that it can be, or the bound that it stays above
    "x**2": 0,
    "abs(x)": 0,
    "exp(x)": 0,
    "sqrt(x*x)": 0,
    "max(x, 0)": 0,
    "x**4": 0,
}


@every("seed", range(60), ordinary=8)
def test_a_case_at_the_edge_of_what_is_possible_is_not_assumed(seed: int) -> None:
    draw = random.Random(f"edge {seed}")
    form, size = draw.choice([*LEAST]), draw.choice((1, 3, 1e-12, 1e9))
    level = draw.choice((0, 1, 2)) * size
    sign, below, beyond = draw.choice(((1, "<", ">="), (-1, ">", "<=")))
    asked = library(
        dict.fromkeys("xyka", "1"),
        f"y = {sign}*({size}*({form}) + {level})",
        {"equation": "k = a", "when": f"y {below} {sign * level}"},
        {"equation": "k = 2*a", "when": f"y {beyond} {sign * level}"},
        domains=dict.fromkeys("xyka", "real"),
    )
    assert [answer.base for answer in asked.solve_all("k", a=3)] == [6]
    assert asked.least("k", a="1..2").answer.base == pytest.approx(2)
