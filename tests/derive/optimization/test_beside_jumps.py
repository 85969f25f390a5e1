"""The best choice beside a jump of the goal: what is proved is what is approached, whichever side holds the jump."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction

import pytest

from tests.derive.linear_cases import decimal
from tests.derive.statements import bare, number
from tests.ordinary import every


def infimum(slope: Fraction, height: Fraction, turn: Fraction, rounding: str, span: tuple[Fraction, Fraction]) -> float:
    """The greatest lower bound of `slope*y + height*round(y - turn)` over a span, piece by piece."""
    low, high = span

    def goal(y: Fraction, step: int) -> Fraction:
        return slope * y + height * step

    def step(y: Fraction) -> int:
        return math.ceil(y - turn) if rounding == "ceil" else math.floor(y - turn)

    found = [goal(low, step(low)), goal(high, step(high))]
    for jump in range(math.floor(low - turn), math.ceil(high - turn) + 1):
        y = turn + jump
        if low <= y <= high:
            before, after = (jump, jump + 1) if rounding == "ceil" else (jump - 1, jump)
            found.append(goal(y, step(y)))
            found += [goal(y, before)] if y > low else []
            found += [goal(y, after)] if y < high else []
    return float(min(found))


WRONG = (60, 70, 90, 215, 238)  # where the best point once lay on the other side of its jump


@every("seed", (*WRONG, *range(40)), ordinary=8)
def test_a_jump_does_not_hide_what_lies_beside_it(seed: int) -> None:
    draw = random.Random(f"jump {seed}")
    slope, height = (Fraction(draw.choice([-1, 1]) * draw.randint(1, 30), 10) for _ in range(2))
    turn, low = Fraction(draw.randint(-30, 30), 10), Fraction(draw.randint(-20, 20), 10)
    low = draw.choice([low, turn + draw.randint(-2, 2)])  # often the jump is at an end
    span = (low, low + Fraction(draw.randint(5, 30), 10))
    rounding = draw.choice(["ceil", "floor"])
    library = bare(
        "y f",
        f"f = ({decimal(slope)})*y + ({decimal(height)})*{rounding}(y - ({decimal(turn)}))",
        domains={"y": "real", "f": "real"},
    )
    found = library.least("f", y=f"{decimal(span[0])}..{decimal(span[1])}")
    right = infimum(slope, height, turn, rounding, span)
    value = found.answer.base
    assert value >= right - 1e-9
    assert found.proved or seed not in WRONG
    if found.proved:
        assert value == pytest.approx(right, rel=2e-6, abs=1e-9)
    elif found.gap is not None:
        assert value - found.gap * (1.0 if found.gap_is_absolute else abs(value)) <= right + 1e-9


@every("seed", range(60), ordinary=4, thorough=2)
def test_a_best_choice_typed_back_as_it_is_printed_has_the_printed_value(seed: int) -> None:
    draw = random.Random(seed)
    step, slope = draw.choice(["0.1", "0.25", "0.5", "3", "7"]), draw.choice([1, -1]) * draw.randint(1, 4)
    rounding, sense = draw.choice(["floor", "ceil"]), draw.choice(["least", "most"])
    library = bare(
        "x y", f"y = {rounding}(x/{step})*{draw.randint(1, 3)} + {slope}*x", domains={"x": "real", "y": "real"}
    )
    best = getattr(library, sense)("y", x=f"{draw.uniform(-2, 0):.2f}..{draw.uniform(1, 9):.2f}")
    printed = re.match(r"\w+ y = (\S+) at x = (\S+)", str(best))
    assert printed is not None
    value, choice = printed.groups()
    assert number(library.solve("y", x=choice)) == pytest.approx(float(value), rel=0.02, abs=1e-6)


@pytest.mark.parametrize("x", ["-1.32..1.58", "-1.3..1.6", "-0.7..0.2"])
def test_a_best_choice_gains_nothing_by_digits_that_count_as_rounding(x: str) -> None:
    """It was at -0.49999999999999506, where ceil(x/0.5) is 0 and the target 2, told as 0."""
    best = bare("x y", "y = ceil(x/0.5)*2 - 4*x", domains={"x": "real", "y": "real"}).least("y", x=x)
    assert (best.chosen["x"], number(best)) == (-0.5, 0)
