"""The report on training, against arithmetic of its own."""

from __future__ import annotations

import math

import pytest

from tests.derive.tokens.reports.reading import chart, lines
from tests.derive.tokens.reports.rendered import curve, row, told

H100, A100, HOUR = 989.4e12, 312e12, 3600.0
HOFFMANN = (406.4, 0.34, 410.7, 0.28)
BESIROGLU = (482.01, 0.3478, 2085.43, 0.3658)


@pytest.mark.parametrize(
    ("run", "size", "tokens", "hours", "peak"),
    [
        ("Llama 2 70B, A100", 68.98e9, 2e12, 1720320, A100),
        ("Llama 3 70B, H100", 70.6e9, 15e12, 6.4e6, H100),
        ("Llama 3.1 405B, H100", 405e9, 15.6e12, 30.84e6, H100),
    ],
)
def test_published_hours_imply_a_utilisation_and_a_bill(run, size, tokens, hours, peak):
    work = 6 * size * tokens
    (compute, *_), (told_hours,), (mfu,), (millions,) = row("training", "Published chip-hours", run)
    assert compute == pytest.approx(work, rel=5e-3)
    assert told_hours == pytest.approx(hours, rel=5e-3)
    assert mfu == pytest.approx(work / (hours * HOUR * peak), abs=5e-4)
    assert millions == pytest.approx(2 * hours / 1e6, rel=5e-3)


def test_size_chip_and_rent_cancel_from_the_quotient_of_two_bills():
    shown = dict(lines("training"))
    assert all(letter in shown[r"\Pi_{rl}"] for letter in ("N_a", "p", "F"))
    quotient = shown[r"\frac{\Pi_{rl}}{\Pi}"]
    assert not any(letter in quotient.replace(r"\frac", "") for letter in ("N_a", "p", "F"))


def test_two_months_of_use_are_more_than_the_blackboard_s_two_hundred_trillion():
    served = 50e6 * 60 * 86400
    assert f"{served / 1e12:.0f}`$ trillion tokens" in told("training")
    assert rf"{200e12 / (60 * 86400) / 1e6:.1f}\,\mathrm{{Mtoken/s}}" in told("training")


def test_the_mark_of_the_bills_stands_where_inference_meets_pre_training():
    drawn = chart("training", "training-bills")
    (mark,) = drawn.marks
    assert mark.at == pytest.approx(6 / 2 / 3)
    assert all(y == pytest.approx(x * 2 / 6 * 3) for x, y in curve(drawn, "inference"))
    assert all(
        whole == pytest.approx(2 + y)
        for (_, whole), (_, y) in zip(curve(drawn, "all three"), curve(drawn, "inference"), strict=True)
    )


@pytest.mark.parametrize(("words", "rising", "falling"), [("1 and 1", 1, 1), ("2 and 1", 2, 1), ("1 and 1/4", 1, 0.25)])
def test_the_least_sum_is_as_far_below_that_of_equal_terms_as_a_search_finds(words, rising, falling):
    sums = [(x**rising + x**-falling, x) for x in (math.exp(i / 2000) for i in range(-6000, 6001))]
    least, at = min(sums)
    (ratio,), (excess,) = row("training", "The last column", words)
    assert ratio == pytest.approx(at**rising / at**-falling, rel=2e-3)
    assert excess == pytest.approx(100 * (2 / least - 1), abs=0.06 if excess < 10 else 0.6)


@pytest.mark.parametrize(("law", "column"), [(HOFFMANN, 0), (BESIROGLU, 2)])
def test_the_best_model_of_a_budget_is_what_a_search_along_it_finds(law, column):
    a, alpha, b, beta = law
    budget = 5.76e23
    sizes = [10 ** (9 + i / 2000) for i in range(6000)]
    best = min(sizes, key=lambda size: a / size**alpha + b / (budget / 6 / size) ** beta)
    cells = row("training", "Best model", r"$5.76\times10^{23}$ FLOP")
    assert cells[column][0] * 1e9 == pytest.approx(best, rel=5e-3)
    assert cells[column + 1][0] == pytest.approx(budget / 6 / best**2, rel=1e-2)


@pytest.mark.parametrize(("law", "column"), [(HOFFMANN, 1), (BESIROGLU, 2)])
def test_the_life_for_which_a_model_is_right_makes_it_the_cheapest_of_its_quality(law, column):
    a, alpha, b, beta = law
    size, tokens = 8.03e9, 15e12
    (served,) = row("training", "The tokens served", "Llama 3 8B")[column]
    loss = a / size**alpha + b / tokens**beta

    def bill(other):
        trained = (b / (loss - a / other**alpha)) ** (1 / beta)
        return other * (trained + served * 1e12)  # at a third of the utilisation a served token costs as much

    others = [size * math.exp(i / 1000) for i in range(-40, 400) if a / (size * math.exp(i / 1000)) ** alpha < loss]
    assert min(others, key=bill) == pytest.approx(size, rel=1e-2)


def test_where_no_use_makes_a_model_right_it_is_said():
    assert row("training", "The tokens served", "Llama 3.1 405B")[1] == []
    assert "already larger than compute" in told("training")


def test_a_model_with_experts_has_two_ratios():
    (active,), (stored,), (over,) = row("training", "Training tokens over parameters", "DeepSeek-V3")
    assert (active, stored, over) == pytest.approx((14.8e12 / 37e9, 14.8e12 / 671e9, 14.8e12 / 37e9 / 20), rel=5e-3)
