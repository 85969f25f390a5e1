"""Best choices where what is free is tied to what follows: simultaneous relations, and factors that may be zero."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

import derive
from tests.derive.linear_cases import decimal
from tests.derive.planted_solutions import planted_pair
from tests.derive.statements import bare
from tests.ordinary import every


@pytest.mark.parametrize("domain", ["-5..5", "real", "-3..300"])
def test_the_ends_of_a_block_with_as_many_equations_as_unknowns_are_its_solutions(domain: str) -> None:
    """They are (1, 0), (0, 1), and x = y = (-1 + sqrt(5))/2 or (-1 - sqrt(5))/2."""
    squares = bare("x y", "x**2 + y = 1", "y**2 + x = 1", domains=dict.fromkeys("xy", domain))
    least, most = squares.least("x", y="-5..5" if domain == "real" else "-3..5"), squares.most("x", y="-3..5")
    assert (least.answer.base, most.answer.base) == (pytest.approx(-(1 + 5**0.5) / 2), pytest.approx(1))
    assert least.proved
    assert most.proved


@pytest.mark.thorough
@every("seed", [3, 6, 9, 11, 14, 15, 17, 18], ordinary=4, thorough=8)
def test_no_planted_solution_is_better_than_what_is_proved(seed: int) -> None:
    planted = planted_pair(seed)
    wanted = planted.values("x")
    low, high = planted.domain.split("..")
    try:
        with derive.limits(seconds=4):
            found = planted.library.least("x", y=f"{low}..{high}")
    except derive.LimitError:
        return
    except derive.DeriveError:
        assert not wanted
        return
    close = 1e-5 if found.proved else 1e-3  # at a multiple root the equations leave few digits
    assert any(found.answer.base == pytest.approx(x, rel=close, abs=close) for x in wanted)
    assert not found.proved or found.answer.base == pytest.approx(wanted[0], rel=1e-5, abs=1e-5)


@every("seed", range(24), ordinary=4)
def test_what_a_zero_leaves_open_is_not_proved_away(seed: int) -> None:
    """`z*x = r*x`, `f = (x - p)**2 + (z - q)**2`: z is r where x is not zero, and anything where it is."""
    draw = random.Random(f"zeros {seed}")
    p, q, r = (Fraction(draw.randint(-30, 30), 10) for _ in range(3))
    low = Fraction(draw.choice([-20, -5, 0, 1, 10]), 10)
    library = bare(
        "x z f",
        f"z*x = ({decimal(r)})*x",
        f"f = (x - ({decimal(p)}))**2 + (z - ({decimal(q)}))**2",
        domains=dict.fromkeys(("x", "z", "f"), "real"),
    )
    found = library.least("f", x=f"{decimal(low)}..4")
    nearest = min(max(p, low), Fraction(4))
    elsewhere = (nearest - p) ** 2 + (r - q) ** 2
    least = min(elsewhere, p**2) if low <= 0 else elsewhere
    if found.proved:
        assert found.answer.base == pytest.approx(float(least), rel=1e-5, abs=1e-9)
    assert low <= 0 or found.proved
