"""What a practitioner asks, checked with a pencil."""

from __future__ import annotations

import pytest

from tests.derive.tokens.reports.reading import headline, line, paragraph, picture, row, words

pytestmark = pytest.mark.thorough


def test_guesses_pay_until_the_draft_takes_longer_than_they_save():
    kept = sum(0.8**n for n in range(5))
    assert headline("practice", "Four guesses, four out of five right") == f"s_d = {kept / 1.2:.3g}"
    gains = line("practice", "practice-speculation", "80%")
    for guesses, gain in gains.items():
        assert gain == pytest.approx(sum(0.8**n for n in range(int(guesses) + 1)) / (1 + 0.05 * guesses))
    assert f"${max(gains, key=gains.get):.0f}$" in picture("practice", "practice-speculation").caption


def test_hits_take_the_price_down_in_proportion():
    assert (
        headline("practice", "The share of hits at which a million input tokens of Claude Opus 4.6 cost a dollar")
        == "h = 0.889"
    )
    assert row("practice", "Input by its share of hits", "90%")[0].startswith("$0.95")  # 0.9*0.5 + 0.1*5


def test_each_precision_moves_what_it_is_the_precision_of():
    whole, small = (row("practice", "Llama 3 70B on eight", label) for label in ("FP8, 2, 2", "FP8, 0.5, 1"))
    ratio = 1978.9 / 3.35
    assert whole[0].startswith(f"${ratio * 2 / 2:.3g}")
    assert small[0].startswith(f"${ratio * 0.5 / 2:.3g}")
    assert whole[2].startswith(f"${(640e9 - 2 * 70.6e9) / (8000 * 327680):.0f}")
    assert small[2].startswith(f"${(640e9 - 0.5 * 70.6e9) / (8000 * 163840):.0f}")


def test_a_wire_is_fast_enough_if_it_moves_the_cache_while_it_is_made():
    attention = 2 * 80 * 64 * 2 * 128 * 8000 / 2  # for each token, which sees half of the prompt on the mean
    made = 8000 * (2 * 70.6e9 + attention) / (1978.9e12 * 8 * 0.5)
    assert row("practice", "A prompt of 8k", "Llama 3 70B")[0].startswith(f"${1e3 * made:.3g}")
    assert f"{8000 * 327680 / made / 1e9:.2g}" in headline(
        "practice", "The wire that moves Llama's cache as fast as it is made"
    )


def test_owning_pays_from_the_use_at_which_it_costs_the_rent():
    hour = 30_000 / (4 * 365.25 * 24) + 0.7 * 0.8 * 1.2 * 0.08
    assert f"{hour:.3g}" in paragraph("practice", "For an owner")
    assert picture("practice", "practice-ownership").charts[0].marks[0].at == pytest.approx(hour / 2)
    for use, price in line("practice", "practice-ownership", "owned").items():
        assert price == pytest.approx(hour / use)


def test_requests_at_once_are_arrivals_times_their_stay():
    assert "1000" in headline("practice", "A hundred requests a second")  # 100/s * 500/50 s
    assert f"{100 * 500 / 2048:.3g}" in paragraph("practice", "To fill a batch")


def test_only_sharded_weights_fit():
    states = {
        label: line("practice", "practice-sharding", label) for label in ("replicated", "and gradients", "and weights")
    }
    last = max(states["replicated"])
    assert states["replicated"][last] == pytest.approx(16 * 70.6)
    assert states["and gradients"][last] == pytest.approx(70.6 * (2 + 14 / last))
    assert states["and weights"][last] == pytest.approx(16 * 70.6 / last)
    assert picture("practice", "practice-sharding").charts[0].marks[0].at == 80


def test_a_layer_is_split_until_sending_takes_as_long_as_arithmetic():
    inside = row("practice", "In BF16", "H100, inside its domain")
    ratio = 989.4e12 / 450e9
    assert inside[0].startswith(f"${round(ratio, -1):.0f}")
    assert inside[2] == f"${3 * 2 * 28672 / (2 * 2 * ratio):.3g}$"


def test_shapes_count_to_the_published_sizes():
    table, heads, layer = 2 * 128256 * 4096, 2 * 4096 * 128 * (32 + 8), 3 * 4096 * 14336
    counted = table + 32 * (heads + layer) + 4096 * 65
    assert row("practice", "Parameters from shapes", "Llama 3 8B")[0].startswith(f"${counted / 1e9:.3g}")


def test_every_system_of_the_part_is_there():
    shown = words("practice")
    assert all(f"## S{system}." in shown for system in range(26, 34))


CHIPS = {  # bytes, bytes a second, FLOP a second in FP8, dollars an hour
    "H100": (80e9, 3.35e12, 1978.9e12, 3.85),
    "MI300X": (192e9, 5.3e12, 2614.9e12, 1.99),
}


@pytest.mark.parametrize("name", CHIPS)
def test_a_node_serves_as_many_readers_as_its_memory_holds_and_the_rent_is_shared_by_them(name):
    memory, bandwidth, peak, rent = CHIPS[name]
    told, batch, cost, *_ = row("practice", "The rent of each chip", name)
    weights, cache = 70.6e9, 8000 * 327_680  # a byte for each weight
    fits = int((8 * memory - weights) // cache)
    step = max((weights + fits * cache) / (8 * bandwidth), fits * 2 * 70.6e9 / (8 * peak))
    assert fits / (fits * step) > 20  # tokens a second for each reader
    assert f"${rent}\\," in told
    assert f"${fits}$" in batch
    assert f"${1e6 * 8 * rent / 3600 * step / fits:.3g}" in cost
