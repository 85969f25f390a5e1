"""Limits on a quantity that nothing determines leave it what they leave it: an interval, one value, or nothing.

The oracle is the intersection of half-lines in exact rationals. The long run:

    DERIVE_SEEDS=0..20000 pytest -m long --override-ini addopts= -v tests/derive/solving/ranges/test_limits_that_meet.py
"""

from __future__ import annotations

import math
import os
import random
from fractions import Fraction

import pytest

import derive
from derive import AmbiguousError, InconsistentError, UnderdeterminedError
from tests.ordinary import every

SHORT, BATCH = 60, 20
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..20000").split(".."))

Limits = list[tuple[str, str, Fraction]]
"""Of each limit its text, the side on which it keeps the target, and its end."""


def case(seed: int) -> tuple[Limits, dict[str, str]]:
    """Limits on `x`, and the decimals of the quantities in them: near one point, at it, or beyond it."""
    draw = random.Random(f"limits {seed}")
    meets = Fraction(draw.choice([0, draw.randint(-999, 999)]), 100)
    limits: Limits = []
    given: dict[str, str] = {}
    for i in range(draw.randint(1, 4)):
        end = meets + draw.choice([0, 0, 0, Fraction(1, 100), Fraction(-1, 100), 1])
        factor, other = Fraction(draw.randint(1, 40), 10), Fraction(draw.randint(-99, 99), 10)
        a, b, c = f"a{i}", f"b{i}", f"c{i}"
        at_most = draw.random() < 0.5
        text = draw.choice([f"{a}*x + {b} <= {c}", f"{c} >= {b} + x*{a}", f"x <= ({c} - {b})/{a}"])
        if not at_most:
            text = text.translate(str.maketrans("<>", "><"))
        whole = factor * end + other
        given |= {a: str(float(factor)), b: str(float(other)), c: f"{float(whole):.10g}"}
        assert Fraction(given[c]) == whole
        limits.append((text, "<" if at_most else ">", end))
    return limits, given


def wrong(seed: int) -> str:
    """What the reply to a question has wrong; nothing, if nothing is."""
    limits, given = case(seed)
    names = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ["x", *given])
    stated = "".join(f'r{i} = {{ equation = "{text}" }}\n' for i, (text, _, _) in enumerate(limits))
    library = derive.load(f"[quantities]\n{names}[relations]\n{stated}")
    low = max((end for _, side, end in limits if side == ">"), default=-math.inf)
    high = min((end for _, side, end in limits if side == "<"), default=math.inf)
    said = f"case({seed}): {[text for text, _, _ in limits]} at {given} leaves {float(low)!r}..{float(high)!r}"
    try:
        value = library.solve("x", **given).value.magnitude
    except AmbiguousError as error:
        (answer,) = error.answers
        ends = answer.low.magnitude, answer.high.magnitude
        return "" if low < high and _is_close(ends, (low, high)) else f"{said}: {ends}"
    except InconsistentError:
        return "" if low > high else f"{said}: a contradiction"
    return "" if low == high and _is_close((value, value), (low, high)) else f"{said}: {value}"


def _is_close(ends: tuple[float, float], others: tuple[float, float]) -> bool:
    pairs = zip(ends, others, strict=True)
    return all(one == other or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12) for one, other in pairs)


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=6)
def test_limits_leave_what_they_leave(start):
    assert not [found for seed in range(start, start + BATCH) if (found := wrong(seed))]


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_limits_leave_what_they_leave_in_the_long_run(start):
    assert not [found for seed in range(start, min(start + BATCH, LAST)) if (found := wrong(seed))]


BALANCE = """
[quantities]
lost_rate = { unit = "W/K" }
gained_rate = { unit = "W/K" }
start = { unit = "K" }
end = { unit = "K" }
low = { unit = "K" }
high = { unit = "K" }
heat = { unit = "W" }
ratio = { unit = "", domain = "0..1" }
[relations]
lost = { equation = "heat = lost_rate*(start - end)" }
gained = { equation = "heat = gained_rate*(high - low)" }
ratio = { equation = "ratio = min(lost_rate, gained_rate)/max(lost_rate, gained_rate)" }
most = { equation = "ratio <= min(start - end, high - low)/max(start - end, high - low)" }
least = { equation = "ratio >= min(start - end, high - low)/max(start - end, high - low)" }
"""


@pytest.mark.ordinary(9)
@pytest.mark.parametrize("seed", range(30))
def test_limits_that_hold_as_equalities_everywhere_exclude_nothing(seed: int) -> None:
    """Both sides are equal wherever the target lies, and differ by rounding alone."""
    draw = random.Random(f"balance {seed}")
    drop, rate = draw.randint(1, 90), draw.randint(1, 99_999)
    given = {
        "lost_rate": f"{rate / 10} W/K",
        "gained_rate": f"{draw.randint(1, 99_999) / 10} W/K",
        "start": "373.15 K",
        "end": f"{(37315 - 100 * drop) / 100} K",
        "heat": f"{rate * drop / 10} W",
    }
    with pytest.raises((AmbiguousError, UnderdeterminedError)) as caught:
        derive.load(BALANCE).solve("low", **given)
    if isinstance(caught.value, AmbiguousError):
        (answer,) = caught.value.answers
        assert answer.bounds == (pytest.approx(0, abs=1e-9), math.inf)


@every("seed", range(40), ordinary=8)
def test_a_third_limit_that_breaks_where_two_others_meet_is_a_contradiction(seed: int) -> None:
    rng = random.Random(seed)
    c = Fraction(rng.randint(1, 900), 100)
    factor = rng.choice((1, 2, Fraction(1, 2)))
    aside = rng.choice((-1, 1)) * rng.choice((Fraction(1, 1000), Fraction(1, 2), Fraction(0)))
    limit = factor * c * c + 2 * c + aside
    library = derive.load(
        f"""
[quantities]
x = {{ unit = "1", domain = "real" }}
c = {{ unit = "1", domain = "real" }}
[relations]
least = {{ equation = "x >= c*c" }}
most = {{ equation = "x <= c*c" }}
third = {{ equation = "{float(factor)}*x + 2*c >= {float(limit)!r}" }}
"""
    )
    if aside > 0:
        with pytest.raises(derive.InconsistentError):
            library.solve_all("x", c=str(float(c)))
    else:
        (answer,) = library.solve_all("x", c=str(float(c)))
        assert answer.value.magnitude == float(c * c)
