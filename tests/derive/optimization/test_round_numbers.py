"""A best point is told as round numbers where it is one but for rounding, and has its value there to the last digit."""

from __future__ import annotations

import math
import random

import pytest

import derive
from tests.derive.statements import bare, library, number
from tests.ordinary import every

SHAPES = ["{m}*floor(b/{m}) - a/{k}/b", "floor(b/{m}) - a/{k}/b**2"]


@every("seed", range(60), ordinary=10)
def test_the_value_told_is_the_one_that_the_goal_has_at_the_point_told(seed: int) -> None:
    """At 7.9999999999999964 the goal was told as it is at 8, beyond a jump."""
    draw = random.Random(f"round numbers {seed}")
    m = draw.randint(2, 4)
    goal = draw.choice(SHAPES).format(m=m, k=draw.randint(1, 5))
    best = bare("a b t", f"t = {goal}", domains={"t": "real"}).most("t", a="1..2", b=f"1..{m * draw.randint(2, 6)}")
    at = {name: number_at(best, name) for name in "ab"}
    own = eval(goal, {"floor": math.floor, **at})
    assert own == pytest.approx(number(best), rel=1e-12), at
    assert not best.proved or derive.verify(best)


def test_a_limit_is_met_at_a_round_number() -> None:
    """The b of this was 1.0000000000000002, which misses the limit, and its certificate was refused."""
    domains = {"a": "whole", "b": "real", "t": "real"}
    best = bare("a b t", "t = -3*a + 3*b", "3*b <= 3", domains=domains).most("t", a="1..2", b="1..6")
    assert (number(best), number_at(best, "b")) == (0.0, 1.0)
    assert best.proved
    assert derive.verify(best)


def number_at(best: derive.Optimum, name: str) -> float:
    return float(best.at[name].magnitude)


@pytest.mark.parametrize("unit", ["%", "ms", "ft", "KiB", "degF"])
def test_a_choice_at_the_end_of_its_range_is_the_number_that_was_typed(unit: str) -> None:
    """14 % was chosen as 14.000000000000002 %."""
    steps = library({"p": unit, "y": unit}, "y = p")
    for end in (7, 14, 28, 29, 0.3, 2.7):
        best = steps.most("y", p=f"0.1..{end} {unit}")
        assert number_at(best, "p") == end
