"""Where an unknown cancels, ties or is rounded away, what it may be is in the answer, or its list is not proved."""

from __future__ import annotations

import math
import random

import pytest

from derive.errors import LimitError
from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.multiprecision import gap_of
from derive.solving.blocks.one_unknown import values_of
from derive.solving.blocks.system import agrees
from derive.time_limits import limits, query
from quantities.domain import Domain
from quantities.rational import read_decimal
from tests.derive.vanishing import Hiding, hiding

SAME = 1e-6


def verdict(case: Hiding) -> str:
    """What is wrong with the answer, in words; nothing, if nothing is."""
    domain = Domain("", case.low, case.high, case.open_low)
    equation = parse_equation(case.text)
    if not agrees(equation, {**case.givens, "x": case.hidden}):
        return ""
    try:
        with limits(seconds=5), query():
            found = values_of(equation, "x", case.givens, domain)
    except LimitError:
        return ""
    values = [one.values["x"] for one in found.solutions if not one.spans]
    spans = [one.spans["x"] for one in found.solutions if one.spans]
    told = f"{values} {spans} {found.caveat.text if found.caveat else found.reason!r}"
    if any(not low < high for low, high in spans):
        return f"a point is told as an interval: {told}"
    for x in [*values, *(low / 2 + high / 2 for low, high in spans if abs(low) + abs(high) < 1e300)]:
        if not (abs(gap_of(equation, {**case.givens, "x": x})) <= SAME or agrees(equation, {**case.givens, "x": x})):
            return f"{x} does not hold: {told}"
    if found.caveat or "one turn" in found.reason or found.undecided:
        return ""
    near = any(abs(x - case.hidden) <= SAME * abs(case.hidden) for x in values)
    inside = any(low - SAME * abs(low) <= case.hidden <= high + SAME * abs(high) for low, high in spans)
    return "" if near or inside else f"{case.hidden} is missing from {told}"


def wrong(seeds: range) -> dict[int, str]:
    return {seed: told for seed in seeds if (told := verdict(hiding(seed)))}


def test_what_the_unknown_may_be_is_in_the_answer():
    assert not wrong(range(100))


@pytest.mark.long
@pytest.mark.parametrize("batch", range(60))
def test_what_the_unknown_may_be_is_in_the_answer_at_length(batch):
    assert not wrong(range(500 * batch, 500 * batch + 500))


@pytest.mark.parametrize("seed", range(20))
def test_a_whole_power_of_what_vanishes_is_zero(seed):
    """No precision tells the base from zero, and its power is one all the same."""
    draw = random.Random(f"power {seed}")
    function = draw.choice(["exp", "log", "sin", "sqrt", "atan"])
    at, scale, power = round(draw.uniform(0.5, 4), 2), draw.choice([1, 7, 50]), draw.randint(2, 5)
    rest = draw.choice([0, 3, -2.5])
    text = f"y = {scale}*({function}(x/{scale}) - {function}({at}/{scale}))**{power} + {rest}"
    found = values_of(parse_equation(text), "y", {"x": read_decimal(str(at))}, Domain("real", -math.inf, math.inf))
    assert [one.values["y"] for one in found.solutions] == [rest]
