"""The report on the price menu, against arithmetic of its own."""

from __future__ import annotations

import pytest

from tests.derive.tokens.reports.reading import chart, headline, lines, row
from tests.derive.tokens.reports.shown import curve, first, letters, words

pytestmark = pytest.mark.thorough

WEIGHTS = 70.6e9 * 2 / (8 * 3.35e12)  # seconds: Llama 3 70B in BF16, read by eight H100
CACHE = 8000 * 327680 / (8 * 3.35e12)  # seconds for one sequence of 8k tokens
PAIR = 2 * 80 * 64 * 2 * 128  # FLOP for each token that another attends to
COMPUTE = (70.6e9 * 2 + PAIR * 500) / (8 * 989.4e12)  # seconds for one token at a context of 500
RENT = 8 * 2 / 3600 * 1e6  # USD a second for eight chips at 2 USD an hour, times a million tokens


def test_no_two_quantities_share_a_letter():
    assert [names for names in letters("menu").values() if len(names) > 1] == []


def test_six_times_the_price_for_two_and_a_half_times_the_speed_is_a_fifteenth_of_the_batch():
    price, batch, weights, cache, fastest = map(first, row("menu", "What two fast modes imply", "Opus 4.6"))
    assert (price, batch) == (6, pytest.approx(1 / 15, rel=1e-3))
    assert weights + batch * cache == pytest.approx(1 / 2.5, rel=1e-3)
    assert weights + cache == pytest.approx(1)
    assert fastest * weights == pytest.approx(1, rel=1e-3)


def test_the_forms_of_the_shares_are_one_fraction_each():
    assert (r"\omega", r"\frac{r_p - m}{r_p r_s - 1}") in lines("menu")
    assert ("v", r"\frac{r_p \left(r_s m - 1\right)}{r_p r_s - 1}") in lines("menu")


def test_whichever_arm_binds_the_weights_take_between_36_and_40_hundredths():
    assert "$0.357$ to $0.4$" in words("menu")  # (6 - m)/14 from m = 1 down to m = 1/2.5
    assert "$0$ to $0.643$" in words("menu")


def test_a_thinner_batch_is_dearer_and_faster_by_what_it_reads():
    speed, price, *_ = map(first, row("menu", "What a thinner batch", "6 sequence"))
    gained = (WEIGHTS + 96 * CACHE) / (WEIGHTS + 6 * CACHE)
    assert speed == pytest.approx(gained, rel=5e-3)
    assert price == pytest.approx(96 / 6 / gained, rel=5e-3)


def test_every_point_of_the_menu_pays_the_same_rent():
    for label in ("context of 8 ktokens", "context of 500 tokens"):
        points = curve("menu", "menu-pareto", label)
        batches = [RENT / (speed * cost) for speed, cost in points]
        assert batches == pytest.approx([2 ** (i / 8) for i in range(len(points))], rel=1e-6)
        assert max(speed for speed, _ in points) < chart("menu", "menu-pareto").marks[0].at
    assert chart("menu", "menu-pareto").marks[0].at == pytest.approx(1 / WEIGHTS)


def test_where_arithmetic_binds_patience_buys_nothing():
    costs = [cost for _, cost in curve("menu", "menu-pareto", "context of 500 tokens")]
    assert costs[-1] == pytest.approx(RENT * COMPUTE)
    assert costs[-9] == pytest.approx(costs[-1])


@pytest.mark.parametrize("discount", [1.5, 2, 10])
def test_the_batch_from_which_waiting_saves_so_much(discount):
    batch = first(row("menu", "The normal batch", f"${discount:g}$")[0])
    assert batch == pytest.approx(WEIGHTS / (CACHE * (discount - 1)), rel=5e-3)  # weights over cache, plus one


def test_the_floor_under_a_slow_mode_is_the_share_of_the_cache():
    assert "$1.56$ times cheaper" in words("menu").replace("\n", " ")  # 14/9
    share = 96 * CACHE / (WEIGHTS + 96 * CACHE)
    assert first(headline("menu", "What waiting could save on the chips of S7").split("=")[1]) == pytest.approx(
        1 / share, rel=1e-3
    )


def test_the_longest_wait_is_two_drain_times():
    assert r"28.8\,\mathrm{ms}" in headline("menu", "The longest wait, if a step reads all of Rubin's memory")
    assert first(row("menu", "Drain times", "h100-sxm")[2]) == pytest.approx(80 / 3.35, rel=5e-3)


def test_waiting_falls_from_two_beats_to_one_and_is_one_and_a_half_in_the_mean():
    drawn = chart("menu", "menu-waiting")
    assert {mark.label: mark.at for mark in drawn.marks} == pytest.approx(
        {"just missed": 40, "mean": 30, "just in time": 20}
    )
    (series,) = drawn.series
    assert series.y[:4] == pytest.approx((40, 20, 40, 20))
    assert series.x[:4] == pytest.approx((0, 20, 20, 40))


def test_sixty_four_trains_of_two_thousand_are_a_thousand_racks_and_fifty_are_more():
    assert [first(cell) for cell in row("menu", "Racks of 72", "64 a second")[1:4]] == [128, 1000, 72000]
    assert [first(cell) for cell in row("menu", "Racks of 72", "50 a second")[1:3]] == [100, 1280]
