"""The shares of a change beside the definitions that they follow."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.comparison.shares import Undefined, log_mean, shapley, slopes_along
from derive.expressions.grammar import parse_expression

worths = st.integers(1, 5).flatmap(
    lambda players: st.lists(st.floats(-1e3, 1e3), min_size=2**players, max_size=2**players)
)
positive = st.floats(0.01, 100)


@given(worths)
def test_the_shapley_value_is_the_mean_over_all_orders(table: list[float]) -> None:
    players = len(table).bit_length() - 1
    found = [0.0] * players
    orders = list(permutations(range(players)))
    for order in orders:
        moved = 0
        for one in order:
            found[one] += table[moved | 1 << one] - table[moved]
            moved |= 1 << one
    told = shapley(players, table.__getitem__)
    assert told == pytest.approx([share / len(orders) for share in found], rel=1e-9, abs=1e-9)
    assert math.fsum(told) == pytest.approx(table[-1] - table[0], abs=1e-9)


@given(positive, positive)
def test_the_logarithmic_mean_lies_between_the_geometric_and_the_arithmetic_one(one: float, other: float) -> None:
    mean = log_mean(one, other)
    assert math.sqrt(one * other) * (1 - 1e-12) <= mean <= (one + other) / 2 * (1 + 1e-12)
    assert mean == pytest.approx(log_mean(other, one))


@given(*[positive] * 6)
def test_the_integral_gives_a_factor_its_own_ratio_and_closes(
    p: float, q: float, x: float, y: float, u: float, v: float
) -> None:
    form = parse_expression("p*(x + sqrt(1 + y))")
    before, after = {"p": p, "x": x, "y": y}, {"p": q, "x": u, "y": v}
    shares = slopes_along(form, ["p", "x", "y"], before, after, True)
    size = lambda at: at["p"] * (at["x"] + math.sqrt(1 + at["y"]))  # noqa: E731
    assert shares[0] == pytest.approx(math.log(q / p), abs=1e-9)
    assert math.fsum(shares) == pytest.approx(math.log(size(after) / size(before)), abs=1e-9)
    back = slopes_along(form, ["p", "x", "y"], after, before, True)
    assert back == pytest.approx([-share for share in shares], abs=1e-9)


def test_the_integral_of_a_form_that_changes_sign_has_no_logarithm() -> None:
    with pytest.raises(Undefined):
        slopes_along(parse_expression("x - y"), ["x", "y"], {"x": 2, "y": 1}, {"x": 1, "y": 2}, True)
    assert math.fsum(
        slopes_along(parse_expression("x - y"), ["x", "y"], {"x": 2, "y": 1}, {"x": 1, "y": 2}, False)
    ) == pytest.approx(-2)


@given(st.integers(2, 90), st.integers(1, 4), st.floats(1.5, 4), positive, positive)
def test_the_integral_is_exact_however_steep_a_form_is(
    steep: int, flat: int, ratio: float, before: float, after: float
) -> None:
    """What a sum's term changes by is its own share, whatever the number of points that takes."""
    form = parse_expression(f"x**{steep} + y**{flat}")
    shares = slopes_along(form, ["x", "y"], {"x": 1.0, "y": before}, {"x": ratio, "y": after}, False)
    size = ratio**steep + before**flat + after**flat
    assert shares == pytest.approx([ratio**steep - 1, after**flat - before**flat], rel=1e-9, abs=1e-9 * size)


@given(st.floats(0.1, 0.9), st.floats(0.01, 0.5))
def test_shares_that_do_not_sum_up_to_the_change_are_not_told(start: float, width: float) -> None:
    """Beside a step no number of points suffices."""
    form = parse_expression(f"tanh({1e6}*(x - 1)) + y")
    after = {"x": 1 + width, "y": 2.0}
    with pytest.raises(Undefined):
        slopes_along(form, ["x", "y"], {"x": start, "y": 1.0}, after, False)
