"""What prices give away, checked with a pencil."""

from __future__ import annotations

import pytest

from tests.derive.tokens.reports.reading import formulas, headline, line, paragraph, picture, row, words

pytestmark = pytest.mark.thorough

FLOPS, BANDWIDTH = 1978.9e12, 3.35e12  # H100 in FP8
BILLIONS, CLIFF = 100e9, 200_000
KEPT = 2 * BILLIONS * BANDWIDTH / (FLOPS * CLIFF)


def test_the_cliff_is_derived_in_six_lines():
    six = next(lines for lines in formulas("prices") if lines[2] == ("t_{kv}", "t_c"))
    assert len(six) == 6
    assert [left for left, _ in six] == ["t_c", "t_{kv}", "t_{kv}", r"\kappa", "", ""]
    assert six[-1][1].startswith(f"{KEPT / 1e3:.4g}")
    assert f"{KEPT / 1e3:.4g}" == "1.693"
    assert "B" not in six[3][1]  # the batch has cancelled, and so has the number of chips
    assert "n" not in six[3][1].replace("frac", "")
    for unit in ("FLOP/parameter/token", "TB/s/chip", "Gparameter", "PFLOP/s/chip", "ktoken/sequence"):
        assert unit in six[4][1]


@pytest.mark.parametrize(("label", "size"), [("300 in FP8", 1.0), ("300 in FP4", 0.5)])
def test_three_hundred_is_read_in_fp8_and_in_fp4_apart(label, size):
    ratio, tokens, kept = row("prices", "A cliff at 200k", label)
    assert f"{300 * 2 / size:.0f}" in ratio
    assert "300" in tokens
    bytes_kept = size * BILLIONS / 300 / CLIFF
    assert kept.startswith(f"${bytes_kept / 1e3:.4g}" if size == 1 else f"${bytes_kept:.3g}")
    assert kept.startswith("$1.667" if size == 1 else "$833")


def test_the_two_readings_of_the_cliff_agree_at_the_balanced_batch():
    said = paragraph("prices", "At the balanced batch this is the same statement")
    assert f"{KEPT / 1e3:.4g}" in said
    assert f"{KEPT / 3:.0f}" in said


def test_the_cost_has_its_kink_where_the_times_meet():
    unlimited, small = (
        line("prices", "prices-kink", "cost, unlimited"),
        line("prices", "prices-kink", "cost, 1.5 times"),
    )
    for context, cost in unlimited.items():
        assert cost == pytest.approx(max(1, context / 200), abs=1e-6)
    for context, cost in small.items():
        assert cost == pytest.approx(max(1, 1 / 1.5 + context / 200))
    price = line("prices", "prices-kink", "price of")
    assert price[500] == pytest.approx(15 / 10)
    assert [mark.at for mark in picture("prices", "prices-kink").charts[0].marks] == [200, pytest.approx(200 * 1.5)]


def test_a_prompt_computes_from_where_arithmetic_takes_as_long_as_reading():
    marks = [mark.at for mark in picture("prices", "prices-passes").charts[0].marks]
    parameters, cache, pair = 70.6e9, 4000 * 327680, 2 * 80 * 64 * 2 * 128

    def each(tokens: float) -> float:
        return 2 * parameters + pair * (4000 - (tokens - 1) / 2)  # a token of a pass sees half of it on average

    for batch, knee in zip((1, 16, 128), marks, strict=True):
        reading = (parameters + batch * cache) / BANDWIDTH
        assert batch * knee * each(knee) == pytest.approx(reading * FLOPS)
        cost = line("prices", "prices-passes", f"batch {batch}")
        assert cost[1.0] / cost[max(cost)] == pytest.approx(reading * FLOPS / (batch * each(max(cost))))


def test_the_cache_of_a_window_bends_at_the_window():
    cache = line("prices", "prices-cache", "Gemma")
    slopes = [(cache[b] - cache[a]) / (b - a) for a, b in zip(cache, list(cache)[1:], strict=False)]
    assert slopes[0] / slopes[-1] == pytest.approx(62 / 10)  # layers, and those that see everything


def test_devices_drain_in_capacity_over_bandwidth():
    tags = picture("prices", "prices-drain").charts[0].series[0].tags
    assert tags[0] == "14.4 ms"  # 288 GB at 20 TB/s
    assert f"{30.72e12 / 14e9 / 60:.3g} min" in tags
    assert f"{30e12 / 250e6 / 86400:.3g} days" in tags


def test_a_slow_tier_has_a_floor_and_its_time():
    rent = 0.08 / 2**30 / (365.25 * 24 / 12)  # USD/byte/h of local SSD
    flash, memory = line("prices", "prices-tiers", "flash"), line("prices", "prices-tiers", "DDR5")
    bytes_of_a_million = 70272 * 1e6
    for time, cost in flash.items():
        drained = max(time, 30.72e12 / 14e9)
        assert cost == pytest.approx(rent * bytes_of_a_million * drained / 3600, rel=1e-6)
    meeting = picture("prices", "prices-tiers").charts[0].marks[0].at
    assert meeting == pytest.approx(rent * 30.72e12 / 14e9 / (3600 * 1.235e-6 / 1e9), rel=1e-6)
    assert min(memory.values()) < min(flash.values())


def test_a_fast_mode_gives_away_its_batch_and_the_share_of_the_cache():
    assert row("prices", "What the sheet", "batch of the fast mode over the normal one")[0] == f"${1 / (6 * 2.5):.3g}$"
    cache = (1 - 1 / 2.5) / (1 - 1 / 15)
    assert headline("prices", "How much of a normal step reads cache") == f"v = {cache:.3g}"
    assert (
        row("prices", "What the sheet", "speed of the smallest batch over the normal one")[0]
        == f"${1 / (1 - cache):.3g}$"
    )


def test_cliff_and_storage_price_of_one_sheet_exclude_each_other():
    said = paragraph("prices", "The cliff says")
    stored = (10 - 6.25) / (55 / 60)
    assert f"{stored:.3g}" in said
    assert f"{stored / 1e6 / (KEPT / 1e9):.3g}" in said  # USD/GB/h that the cliff's cache would have to cost
    assert f"{3.85 / 80:.3g}" in said  # USD/GB/h of an H100


def test_every_system_of_the_part_is_there():
    shown = words("prices")
    assert all(f"## S{system}." in shown for system in range(18, 23))
