"""The shares of a change beside the definitions that they follow."""

from __future__ import annotations

import math
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.comparison.shares import UndefinedMixture, divisia_shares, log_mean, monomials, shapley, slopes_along
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Name, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.time_limits import query

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
    with pytest.raises(UndefinedMixture):
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
    with pytest.raises(UndefinedMixture):
        slopes_along(form, ["x", "y"], {"x": start, "y": 1.0}, after, False)


positive = st.floats(0.01, 100)
FACTORS = ("activity", "share", "intensity")


def by_hand(sectors: list[list[tuple[float, float]]]) -> list[float]:
    """The factors of the second form of the index: for each sector, the pairs of each number."""

    def mean(x: float, y: float) -> float:
        return x if x == y else (x - y) / (math.log(x) - math.log(y))

    use = [[math.prod(pair[end] for pair in sector) for sector in sectors] for end in (0, 1)]
    parts = [[one / sum(year) for one in year] for year in use]
    weights = [mean(parts[1][i], parts[0][i]) for i in range(len(sectors))]
    return [
        math.exp(
            sum(weights[i] / sum(weights) * math.log(sectors[i][k][1] / sectors[i][k][0]) for i in range(len(sectors)))
        )
        for k in range(len(sectors[0]))
    ]


def test_industrys_use_of_energy_as_in_the_definition() -> None:
    """Activity is common to both sectors; structure and intensity are each sector's own."""
    industry = derive.load("""
    [quantities]
    energy = { unit = "J" }
    activity = { unit = "USD" }
    light_share = { unit = "" }
    heavy_share = { unit = "" }
    light_intensity = { unit = "J/USD" }
    heavy_intensity = { unit = "J/USD" }
    [relations]
    energy = { equation = "energy = activity*light_share*light_intensity + activity*heavy_share*heavy_intensity" }
    """)
    years = [
        {"activity": (100, 150), "light_share": (0.5, 0.7), "light_intensity": (0.6, 0.5)},
        {"activity": (100, 150), "heavy_share": (0.5, 0.3), "heavy_intensity": (1.2, 0.8)},
    ]
    ends = [{name: pair[end] for sector in years for name, pair in sector.items()} for end in (0, 1)]
    answers = [
        industry.solve("energy", **{name: f"{x} {industry.declared[name].unit}".strip() for name, x in end.items()})
        for end in ends
    ]
    found = derive.compare(*answers)
    activity, structure, intensity = by_hand([list(sector.values()) for sector in years])
    assert found.factor("activity") == pytest.approx(activity) == pytest.approx(1.5)
    assert found.factor("light_share") * found.factor("heavy_share") == pytest.approx(structure)
    assert found.factor("light_intensity") * found.factor("heavy_intensity") == pytest.approx(intensity)
    assert found.ratio == pytest.approx(150 * (0.35 + 0.24) / (100 * (0.3 + 0.6)))
    assert found.method == "logarithmic mean Divisia index"


@given(st.lists(st.tuples(*[positive] * 4), min_size=1, max_size=6))
def test_shares_follow_the_definition_and_close(drawn: list[tuple[float, ...]]) -> None:
    text = " + ".join(f"x{i}*y{i}" for i in range(len(drawn)))
    names = [f"{letter}{i}" for i in range(len(drawn)) for letter in "xy"]
    before = {f"{letter}{i}": row[k] for i, row in enumerate(drawn) for k, letter in enumerate("xy")}
    after = {f"{letter}{i}": row[k + 2] for i, row in enumerate(drawn) for k, letter in enumerate("xy")}
    shares = _shares(text, names, before, after)
    assert shares is not None
    hand = by_hand([[(row[0], row[2]), (row[1], row[3])] for row in drawn])
    assert math.fsum(shares[::2]) == pytest.approx(math.log(hand[0]), abs=1e-9)
    assert math.fsum(shares[1::2]) == pytest.approx(math.log(hand[1]), abs=1e-9)
    form = parse_expression(text)
    assert math.fsum(shares) == pytest.approx(math.log(value(form, after) / value(form, before)), abs=1e-9)


@pytest.mark.parametrize(
    "text", ["p*x + p*y*z", "p*(x + y*z)", "(x + z*y)*p", "p*p*(x/p + z*y/p)", "(p*x*z + p*y*z*z)/z"]
)
def test_how_a_sum_is_written_makes_no_difference(text: str) -> None:
    before, after = {"p": 1, "x": 2, "y": 3, "z": 4}, {"p": 5, "x": 1, "y": 7, "z": 2}
    shares = _shares(text, list("pxyz"), before, after)
    usual = _shares("p*x + p*y*z", list("pxyz"), before, after)
    assert shares is not None
    if not text.endswith("/z"):  # there the sum has z in every term, which the quotient takes away outside of it
        assert shares == pytest.approx(usual)
    assert shares[0] == pytest.approx(math.log(5))


@pytest.mark.parametrize("text", ["x - y", "x*y - z", "log(x*y) + z", "x + (y + z)**0.5", "exp(x + y) + z"])
def test_what_is_no_sum_of_positive_products_has_no_index(text: str) -> None:
    assert _shares(text, list("xyz"), {"x": 2, "y": 3, "z": 4}, {"x": 3, "y": 5, "z": 7}) is None


def _shares(text: str, names: list[str], before: dict[str, float], after: dict[str, float]) -> list[float] | None:
    def moving(node: Node) -> int | None:
        held = names_in(node)
        return names.index(held[0]) if len(held) == 1 else None if held else -1

    def is_positive(node: Node) -> bool:
        return isinstance(node, Name) or all(value(node, at) > 0 for at in (before, after))

    with query():
        terms = monomials(parse_expression(text), is_positive)
    return None if terms is None else divisia_shares(terms, len(names), moving, before, after)
