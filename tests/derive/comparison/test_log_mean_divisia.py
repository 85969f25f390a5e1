"""The logarithmic mean Divisia index beside its definition, and its properties.

The definition is B. W. Ang, "The LMDI approach to decomposition analysis: a practical guide", Energy Policy 33, 2005,
in the second form of the index: the weights of the sectors are the logarithmic means of their shares, normalised.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.comparison.log_mean_divisia import divisia_shares, monomials
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Name, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.time_limits import query

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
