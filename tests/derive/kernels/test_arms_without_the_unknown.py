"""Where an arm without the unknown meets the other side, any value does at which it binds: no verb has a number then.

The oracle solves each arm by hand, in exact rationals. The long run:

    DERIVE_SEEDS=0..20000 pytest -m long --override-ini addopts= tests/derive/kernels/test_arms_without_the_unknown.py
"""

from __future__ import annotations

import math
import os
import random
from fractions import Fraction
from itertools import pairwise

import numpy
import pytest

import derive
from tests.ordinary import every

SHORT, BATCH = 80, 20
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..20000").split(".."))

Arm = tuple[int, int]
"""The slope of an arm in the unknown, and what it is where that is zero."""


def wrong(seed: int) -> str:
    """What compiled functions have otherwise than the arms; nothing, if nothing is."""
    draw = random.Random(f"arms {seed}")
    low, high = draw.choice([(-100, 100), (2, 100), (-100, 3)])
    first, second = ((draw.choice([0, 1, 1, 2]), draw.randint(-2, 5)) for _ in range(2))
    turn, value = draw.randint(-1, 5), draw.randint(-1, 6)
    kind = draw.choice(["if", "max", "min"])
    one, other = (f"{slope}*q + {at}".replace("+ -", "- ") if slope else str(at) for slope, at in (first, second))
    text = f"{one} if q >= f else {other}" if kind == "if" else f"{kind}({one}, {other})"
    if "q" not in one + other:
        return ""
    numbers, spans = _solved(kind, first, second, turn, value, (low, high))
    expected = float(*numbers) if len(numbers) == 1 and not spans else math.nan
    library = derive.load(f"""[quantities]
    t = {{ unit = "1", domain = "real" }}
    f = {{ unit = "1", domain = "real" }}
    q = {{ unit = "1", domain = "{low}..{high}" }}
    [relations]
    r = {{ equation = "t = {text}" }}
    """)
    given = {"f": float(turn), "t": float(value)} if kind == "if" else {"t": float(value)}
    found = {"floats": library.compile("q", list(given))(**given)}
    arrays = {name: numpy.full(3, x) for name, x in given.items()}
    found["arrays"] = float(library.compile("q", list(given), "numpy")(**arrays)[1])
    is_right = {verb: _agree(number, expected) for verb, number in found.items()}
    return (
        "" if all(is_right.values()) else f"wrong({seed}): {text}, {given}, q in {low}..{high}: {found}, not {expected}"
    )


def _solved(
    kind: str, first: Arm, second: Arm, turn: int, value: int, domain: tuple[int, int]
) -> tuple[set[Fraction], bool]:
    """The single solutions, and whether there are whole intervals of them."""
    low, high = domain

    def at(arm: Arm, x: Fraction) -> Fraction:
        return arm[0] * x + arm[1]

    def whole(x: Fraction) -> Fraction:
        if kind == "if":
            return at(first if x >= turn else second, x)
        return (max if kind == "max" else min)(at(first, x), at(second, x))

    corners = {Fraction(low), Fraction(high), *([Fraction(turn)] if kind == "if" else [])}
    if first[0] != second[0]:
        corners.add(Fraction(second[1] - first[1], first[0] - second[0]))
    roots = {Fraction(value - arm[1], arm[0]) for arm in (first, second) if arm[0]}
    places = sorted(x for x in corners | roots if low <= x <= high)
    middles = [(a + b) / 2 for a, b in pairwise(places)]
    spans = any(whole(x) == value for x in middles)
    return {x for x in places if whole(x) == value}, spans


def _agree(number: float, expected: float) -> bool:
    return (math.isnan(number) and math.isnan(expected)) or math.isclose(number, expected, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=4)
def test_an_arm_without_the_unknown_leaves_no_number(start):
    assert not [found for seed in range(start, start + BATCH) if (found := wrong(seed))]


@pytest.mark.parametrize("seed", [1780, 1829])  # the end of a domain is the one number at which the arm binds
def test_an_end_of_a_domain_is_a_number(seed):
    assert not wrong(seed)


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_an_arm_without_the_unknown_leaves_no_number_in_the_long_run(start):
    assert not [found for seed in range(start, min(start + BATCH, LAST)) if (found := wrong(seed))]
