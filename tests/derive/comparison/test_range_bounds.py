"""Comparisons over ranges: the bounds hold at every point, and what both answers share does not widen them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from tests.derive.statements import bare
from tests.ordinary import every

SHOP = derive.load("""
[quantities]
cost  = { unit = "USD" }
price = { unit = "USD/h" }
read  = { unit = "h" }
write = { unit = "h" }
[relations]
cost = { equation = "cost = price*max(read + write, 2*write)" }
""")


def asked(**given: str) -> derive.Answer:
    return SHOP.solve("cost", **given)


def test_a_range_that_both_share_moves_both() -> None:
    one = asked(price="1..5 USD/h", read="4 h", write="1 h")
    other = asked(price="1..5 USD/h", read="9 h", write="1 h")
    found = derive.compare(one, other)
    assert (found.low, found.high) == (pytest.approx(2.0), pytest.approx(2.0))
    assert not found.is_within_ranges
    assert "to" not in str(found).splitlines()[0]


def test_ranges_of_their_own_move_on_their_own() -> None:
    one = asked(price="2..4 USD/h", read="4 h", write="1 h")
    other = asked(price="3..5 USD/h", read="4 h", write="1 h")
    found = derive.compare(one, other)
    assert (found.low, found.high) == (pytest.approx(3 / 4), pytest.approx(5 / 2))
    (price,) = found.factors
    assert (price.low, price.high) == (pytest.approx(3 / 4), pytest.approx(5 / 2))
    assert price.is_within_ranges
    assert found.is_within_ranges
    assert "the difference is within the ranges" in str(found)


def test_a_difference_beyond_the_ranges_is_not_within_them() -> None:
    one = asked(price="2..4 USD/h", read="4 h", write="1 h")
    other = asked(price="5..6 USD/h", read="4 h", write="1 h")
    found = derive.compare(one, other)
    assert found.low == pytest.approx(5 / 4)
    assert not found.is_within_ranges
    assert not found.factors[0].is_within_ranges


def test_without_ranges_there_are_no_bounds() -> None:
    one, other = (asked(price=f"{n} USD/h", read="4 h", write="1 h") for n in (2, 3))
    found = derive.compare(one, other)
    assert (found.low, found.high, found.factors[0].low) == (None, None, None)


@given(st.integers(0, 10**6))
def test_bounds_hold_at_points_of_the_ranges(seed: int) -> None:
    draw = random.Random(seed)

    def drawn() -> dict[str, tuple[float, float]]:
        low = {name: draw.uniform(0.5, 5) for name in ("price", "read", "write")}
        return {name: (x, x * draw.choice([1, draw.uniform(1, 2)])) for name, x in low.items()}

    ends = drawn(), drawn()
    shared = [name for name in ends[0] if draw.random() < 0.5]
    ends[1].update({name: ends[0][name] for name in shared})
    units = {"price": "USD/h", "read": "h", "write": "h"}

    def told(low: float, high: float, name: str) -> str:
        return f"{low!r}..{high!r} {units[name]}" if low != high else f"{low!r} {units[name]}"

    pair = [asked(**{name: told(*span, name) for name, span in end.items()}) for end in ends]
    found = derive.compare(*pair)
    if found.bounds is None:
        assert all(low == high for end in ends for low, high in end.values())
        return
    for _ in range(20):
        points = [{name: draw.uniform(*span) for name, span in end.items()} for end in ends]
        points[1].update({name: points[0][name] for name in shared})
        first, second = (at["price"] * max(at["read"] + at["write"], 2 * at["write"]) for at in points)
        assert found.bounds[0] * (1 - 1e-5) <= second / first <= found.bounds[1] * (1 + 1e-5)
    for one in found.factors:
        if one.low is not None:
            assert one.low <= one.amount <= one.high
            if one.is_within_ranges:
                assert one.low <= 1 <= one.high


Relations = tuple[str | Mapping[str, Any], ...]
CASES: Relations = ({"equation": "x = a", "when": ["a <= 3"]}, {"equation": "x = 10*a", "when": ["a > 3"]})
CHANGING: list[tuple[Relations, Callable[[float], float]]] = [
    (CASES, lambda a: a if a <= 3 else 10 * a),
    (("a = x**3",), math.cbrt),
    (("a = x*abs(x)",), lambda a: math.copysign(math.sqrt(abs(a)), a)),
    (("a = x + max(x, 0)",), lambda a: min(a, a / 2)),
    (("x = (a if a <= 3 else 10*a)",), lambda a: a if a <= 3 else 10 * a),
]


@pytest.mark.thorough
@every("relations, x_of", CHANGING, ids=[str(relations) for relations, _ in CHANGING])
def test_bounds_hold_where_another_case_root_or_arm_takes_the_place_of_that_in_the_middle(
    relations: Relations, x_of: Callable[[float], float]
) -> None:
    library = bare("x y a k", *relations, "y = x + k", domains=dict.fromkeys("xyak", "real"))
    for a in ((-1.0, 8.0), (1.0, 8.0), (0.5, 4.0), (-3.0, 2.0)):
        found = derive.compare(*(library.solve("y", a=f"{a[0]}..{a[1]}", k=k) for k in ("4", "7")))
        assert found.bounds is not None
        for i in range(33):
            x = x_of(a[0] + (a[1] - a[0]) * i / 32)
            assert found.bounds[0] * (1 - 1e-5) <= (x + 7) / (x + 4) <= found.bounds[1] * (1 + 1e-5)


TURNING: dict[str, Callable[[float], float]] = {
    "abs(x - 3) + 1": lambda x: abs(x - 3) + 1,
    "(x - 3)**2 + 2": lambda x: (x - 3) ** 2 + 2,
    "x + 4/x": lambda x: x + 4 / x,
    "5 - x/(x**2 + 1)": lambda x: 5 - x / (x**2 + 1),
    "x**2 + x": lambda x: x**2 + x,
}


@every("text", TURNING)
def test_the_bounds_of_a_factor_hold_where_the_target_turns_within_the_ranges_of_its_number(text: str) -> None:
    library = bare("x y", f"y = {text}")
    for first in ((1.0, 4.0), (0.5, 1.5), (2.0, 9.0)):
        found = derive.compare(library.solve("y", x=f"{first[0]}..{first[1]}"), library.solve("y", x="10"))
        (factor,) = found.factors
        assert (factor.low is None) is (text != "x**2 + x")
        for i in range(33):
            ratio = TURNING[text](10) / TURNING[text](first[0] + (first[1] - first[0]) * i / 32)
            if factor.low is not None and factor.high is not None:
                assert factor.low * (1 - 1e-9) <= ratio <= factor.high * (1 + 1e-9)
