"""How choices fare over ranges: known probabilities, known worst cases, and the proved optimum at the middles."""

from __future__ import annotations

import random
from typing import Any

import numpy
import pytest

import derive
from derive.errors import DeriveError
from derive.optimization.choice_question import read_question
from derive.optimization.choices_under_ranges import _UncertainChoice
from derive.optimization.discrete_choice import searched_choice
from derive.relation_files.loading import load
from tests.derive.statements import bare

SHOP = load(
    """
[quantities]
pieces = { unit = "", domain = "whole" }
price  = { unit = "USD" }
fee    = { unit = "USD" }
cost   = { unit = "USD" }
mass   = { unit = "kg" }
each   = { unit = "kg" }
bears  = { unit = "kg" }
[relations]
cost  = { equation = "cost = price + fee/pieces" }
mass  = { equation = "mass = each*pieces" }
shelf = { equation = "mass <= bears" }
[profiles]
steady = { price = "2 USD", bears = "90 kg" }
rising = { price = { value = "2 USD", range = "1..3 USD" }, bears = { value = "80 kg", range = "60..100 kg" } }
"""
)


def _asked(**more: Any) -> Any:
    given = {"pieces": "1..100", "each": "2 kg", "fee": "10 USD", **more}
    return SHOP.least("cost", ("steady", "rising"), **given)


def test_the_worst_case_is_at_the_worst_ends() -> None:
    found = _asked().under_ranges()
    steady, rising = found.outcomes
    assert steady.choice.profiles == ("steady",)
    assert found.value(steady.worst).magnitude == pytest.approx(2 + 10 / 45)
    assert found.value(rising.worst).magnitude == pytest.approx(3 + 10 / 30)
    assert found.value(rising.middle).magnitude == pytest.approx(2 + 10 / 40)
    assert found.at_middle is steady
    assert found.in_worst_case is steady
    assert found.ranges == ("price of rising", "bears of rising")


@pytest.mark.thorough
def test_a_choice_wins_as_often_as_it_is_drawn_better() -> None:
    """The rising price is below the steady one in half of the draws, up to what the shelf changes."""
    found = _asked(fee="0.001 USD").under_ranges(points=20_000)
    steady, rising = found.outcomes
    assert rising.wins == pytest.approx(0.5, abs=0.02)
    assert steady.wins + rising.wins == pytest.approx(1)
    assert {one.holds for one in found.outcomes} == {1.0}


def test_a_typed_range_is_shared_by_all_choices() -> None:
    """A mass that is the same for both leaves the better shelf better in every draw."""
    library = load(
        """
[quantities]
pieces = { unit = "", domain = "whole" }
each   = { unit = "kg" }
bears  = { unit = "kg" }
[relations]
shelf = { equation = "each*pieces <= bears" }
[profiles]
weak   = { bears = "80 kg" }
strong = { bears = "90 kg" }
"""
    )
    found = library.most("pieces", ("weak", "strong"), pieces="1..100", each="2 +/- 0.5 kg").under_ranges(points=500)
    weak, strong = found.outcomes
    assert found.ranges == ("each",)
    assert strong.wins == 1.0
    assert weak.wins < 0.2  # only where rounding to whole pieces makes both equal
    assert found.value(strong.worst).magnitude == 36


def test_a_choice_that_limits_exclude_somewhere_has_no_worst_case() -> None:
    found = SHOP.least("cost", ("rising",), pieces="35..50", each="2 kg", fee="10 USD").under_ranges(points=5000)
    (only,) = found.outcomes
    assert only.holds == pytest.approx(1 - 10**2 / (20 * 40), abs=0.03)  # 35 pieces weigh 70 kg, and 80 is likeliest
    assert "excluded" in found.text()
    assert found.none_holds == pytest.approx(1 - only.holds)


def test_the_same_seed_gives_the_same_points() -> None:
    best = _asked()
    assert best.under_ranges(seed=1) == best.under_ranges(seed=1)
    assert best.under_ranges(seed=1) != best.under_ranges(seed=2)


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    ("chip", "model", "limit"),
    [
        ("h100-sxm:fp8", "llama3-70b", "user_speed >= 50 token/s/sequence"),
        ("b200-sxm:fp8", "llama3-70b", "user_speed >= 200 token/s/sequence"),
        ("tpu-v6e:bf16", "llama3-1-405b", "user_speed >= 10 token/s/sequence"),
        ("b200-sxm:fp4", "gpt-oss-120b", "user_speed >= 100 token/s/sequence"),
    ],
)
def test_at_the_middles_the_search_meets_the_proved_optimum(chip: str, model: str, limit: str) -> None:
    """Two free quantities, of which one counts."""
    library = derive.llm
    given = {"context": "8 ktoken/sequence", "batch": "1..4096 sequence", "chips": "1..64 chip"}
    ranged = {**given, "bandwidth_efficiency": "0.7 +/- 0.1"}
    question = read_question(library, "cost_per_token", "least", (chip, model), [limit], ranged)
    looked = searched_choice(question, question.picks[0])
    assert looked.best.is_found
    turned = _UncertainChoice(looked)
    middles = [numpy.array([value.base[1]]) for value in turned.ranges.values()]
    met = float(turned.best(middles)[0])
    assert met >= looked.best.floor * (1 - 1e-9)
    assert met == pytest.approx(looked.best.value, rel=0.01)


@pytest.mark.parametrize("seed", range(12))
def test_every_case_that_a_range_meets_is_looked_at(seed: int) -> None:
    """The least of r*slope*y + 1/y, where slope, and whether y is limited, hang on where r lies in its range."""
    draw = random.Random(seed)
    middle, spread = draw.uniform(2, 4), draw.uniform(0.1, 1.9)
    edge, edge_of_limit = draw.uniform(1, 5), draw.uniform(1, 5)
    slopes = sorted((draw.uniform(0.5, 2), draw.uniform(2, 9)))
    most = draw.uniform(0.05, 1)
    library = derive.load(f"""
[quantities]
r = {{ unit = "" }}
y = {{ unit = "" }}
c = {{ unit = "" }}
m = {{ unit = "" }}
[relations]
gentle = {{ equation = "c = {slopes[0]}*r*y + 1/y", when = ["r < {edge}"] }}
steep = {{ equation = "c = {slopes[1]}*r*y + 1/y", when = ["r >= {edge}"] }}
limit = {{ equation = "y <= m", when = ["r > {edge_of_limit}"] }}
""")

    def least(r: float) -> float:
        slope = r * slopes[r >= edge]
        y = min(slope**-0.5, most) if r > edge_of_limit else slope**-0.5
        return slope * y + 1 / y

    found = library.least("c", r=f"{middle} +/- {spread}", y="0.01..100", m=most).under_ranges(200)
    assert found.at_middle.middle == pytest.approx(least(middle), rel=1e-6)
    assert found.in_worst_case.worst == pytest.approx(least(middle + spread), rel=1e-3)
    assert found.at_middle.holds == 1


CANCELS_ABOVE = """
[quantities]
r = { unit = "" }
y = { unit = "" }
c = { unit = "" }
u = { unit = "" }
v = { unit = "" }
[relations]
plain = { equation = "c = r*y + 1/y", when = ["r < 3"] }
product = { equation = "u*v = r*y", when = ["r >= 3"] }
sum = { equation = "c = u*v + 1/y", when = ["r >= 3"] }
"""


def test_a_case_that_only_elimination_answers_is_neither_excluded_nor_passed_over() -> None:
    """Above 3 counting leaves c open, as u and v are, but they cancel."""
    library = derive.load(CANCELS_ABOVE)
    most = library.most("c", r="1..5", y="0.5..2")
    assert most.answer.base == pytest.approx(5 * 2 + 1 / 2)
    assert not most.proved
    with pytest.raises(derive.errors.LimitError, match="no closed form"):
        library.least("c", r="2.9 +/- 0.5", y="0.1..10").under_ranges(50)


def test_every_draw_is_at_least_as_good_as_the_point_of_the_middle() -> None:
    """What is chosen anew is no worse than a batch that stays, where that is allowed."""
    best = derive.least(
        "cost_per_token", "b200-sxm:fp8", "llama3-70b", context="8 ktoken/sequence", batch="1..4096 sequence",
        chips="8 chip", bandwidth_efficiency="0.8 +/- 0.1", chip_price="3 USD/h/chip",
    )  # fmt: skip
    found = best.under_ranges(points=50)
    (only,) = found.outcomes
    stays = derive.solve(
        "cost_per_token", "b200-sxm:fp8", "llama3-70b", context="8 ktoken/sequence", batch=best.at["batch"],
        chips="8 chip", bandwidth_efficiency=0.7, hbm_bandwidth="7.7 TB/s/chip", chip_price="3 USD/h/chip",
    )  # fmt: skip
    assert only.worst <= (stays.base or 0.0) * (1 + 1e-9)


@pytest.mark.parametrize(
    ("how", "said"),
    [({"points": 0}, "points = 0 is not allowed"), ({"points": 2.5}, "points = 2.5 is not allowed")],
)
def test_what_cannot_be_drawn_is_said(how: dict[str, Any], said: str) -> None:
    with pytest.raises(DeriveError, match=said):
        _asked().under_ranges(**how)


def test_without_a_range_there_is_nothing_to_turn_out() -> None:
    with pytest.raises(DeriveError, match="cost depends on no range in any choice"):
        SHOP.least("cost", "steady", pieces="1..100", each="2 kg", fee="10 USD").under_ranges()


def test_an_estimate_and_the_ends_of_domains_hold_at_each_draw():
    lean = bare("x y c p", "c = p*x", {"equation": "y >= x", "approximate": "10 %"})
    (outcome,) = lean.most("c", x="1..100", y="10", p="3 +/- 1").over_ranges(200, 1).outcomes
    assert outcome.worst == pytest.approx(2 * 100 / 9, rel=1e-3)
    ends = bare(
        "x u v c p", "u = x*v", "v = 10 - x", "c = p*u - p*x**2", domains={"v": "4..9", "u": "real", "c": "real"}
    )
    (outcome,) = ends.least("c", x="0.5..30", p="3 +/- 1").over_ranges(200, 1).outcomes
    assert outcome.worst == pytest.approx(-24, rel=1e-3)


def test_a_free_quantity_may_be_negative():
    bowl = bare("t k w", "w = (t - k)**2 + 1", domains={"t": "real"})
    over = bowl.least("w", t="-5..5", k="2 +/- 1").over_ranges(200, 1)
    assert over.outcomes[0].worst == pytest.approx(1, rel=1e-3)
    assert str(over) == over.text()
