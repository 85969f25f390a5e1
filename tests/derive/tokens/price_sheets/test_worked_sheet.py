"""A price sheet worked out by hand: one chip, one size and one tier, so that every conclusion is one number."""

from __future__ import annotations

import pytest

import derive
from derive.tokens.price_sheets.inference import Inference
from derive.tokens.price_sheets.sheets import QUESTIONS
from quantities.profiles import Profile
from quantities.value import read_value

SHEET = """
[profiles.worked-prices]
title = "Worked by hand"
input_price = "2 USD/Mtoken"
output_price = "8 USD/Mtoken"
cache_read_price = "0.5 USD/Mtoken"
cache_write_price_5min = "3 USD/Mtoken"
cache_write_price_1h = "5 USD/Mtoken"
price_cliff = "100 ktoken/sequence"
input_price_above_cliff = "4 USD/Mtoken"
output_price_above_cliff = "12 USD/Mtoken"
fast_input_price = "6 USD/Mtoken"
fast_output_price = "24 USD/Mtoken"
fast_speed_ratio = 2
batch_output_price = "4 USD/Mtoken"
"""


def profile(name: str, **values: str) -> Profile:
    return Profile(name, {key: read_value(text) for key, text in values.items()})


CHIP = profile(
    "chip",
    peak_compute="1000 TFLOP/s/chip",
    hbm_bandwidth="4 TB/s/chip",
    hbm_capacity="100 GB/chip",
    host_link_bandwidth="50 GB/s/chip",
    chip_price="2 USD/h/chip",
)
SIZE = profile(
    "size",
    active_parameters="50 Gparameter",
    total_parameters="400 Gparameter",
    bytes_per_parameter="1 byte/parameter",
    kv_bytes_per_token="100 kB/token",
)
TIER = profile("tier", tier_capacity="3 TB", tier_bandwidth="10 GB/s")
CHOICES = (CHIP, SIZE, TIER)

EXPECTED = {
    "output_input_ratio": 4,
    "implied_memory_to_compute": 4,
    "implied_decode_mfu": 0.25,
    "implied_least_batch": 250,  # F/W = 250, B* = 250/2 x 8 = 1000, a quarter of it
    "input_surcharge": 1,
    "output_surcharge": 0.5,
    "implied_kv_bytes_per_token": 4000,  # 2 x 50e9/250/100e3
    "implied_kv_bytes_by_output": 16000,
    "fair_context": 150e3,
    "fast_batch_ratio": 1 / 6,  # 3 times the price, 2 times the speed
    "kv_share": 0.6,  # w + v = 1, w + v/6 = 1/2
    "weight_share": 0.4,
    "implied_scaled_batch": 0.625,  # 1/(4 x 0.4)
    "implied_mean_context": 240e3,  # 4 x 0.6 x 100e3
    "implied_slow_discount": 2,
    "cache_discount": 4,
    "implied_kv_bytes_by_hits": 1.25e6,  # 1/4 x 100e9/1000e12 s x 50e9
    "break_even_reads_5min": 2 / 3,  # 0.5/0.75
    "break_even_reads_1h": 2,  # 1.5/0.75
    "short_matched_share": 1,  # 300 s/300 s
    "long_matched_share": 12,
    "implied_storage_price": 24 / 11,  # 2 USD for 55 min
    "implied_write_charge": 9 / 11,  # 1 - 2/11
    "priced_hold_time": 0.6875,  # 1.5/(24/11)
    "implied_tier_price": 24e-6 / 11 / 1e-4,  # 100 kB are 1e-4 GB
    "implied_kv_bytes_by_storage": 24e-6 / 11 / 2e-11,  # 2 USD/100 GB
    "implied_active_parameters": 1.8e12,  # 2e-6 x 1000e12 x 3600/(2 x 2)
    "input_margin_limit": 1 - 1 / 36,  # the arithmetic costs 0.0556 USD/Mtoken
    "output_margin_limit": 1 - 1 / 144,
    "hit_margin_limit": 1 - 1 / 450,  # 2 us of a chip
    "break_even_throughput": 2 / 3600 / 8e-6,
}


@pytest.fixture(scope="module")
def worked() -> Inference:
    return derive.infer(SHEET, *CHOICES)


def test_it_yields_every_conclusion(worked: Inference) -> None:
    assert [one.quantity.name for one in worked.conclusions] == [question.target for question in QUESTIONS]
    assert set(EXPECTED) == {question.target for question in QUESTIONS}
    assert (worked.sheet, worked.title, worked.missing) == ("worked-prices", "Worked by hand", ())


@pytest.mark.parametrize("target", EXPECTED)
def test_a_conclusion_is_what_a_pencil_gives(worked: Inference, target: str) -> None:
    found = worked[target]
    assert found.value.magnitude == pytest.approx(EXPECTED[target], rel=1e-9)
    assert found.low.magnitude == pytest.approx(EXPECTED[target], rel=1e-9)
    assert found.high.magnitude == pytest.approx(EXPECTED[target], rel=1e-9)


@pytest.mark.parametrize("target", EXPECTED)
def test_a_conclusion_says_what_it_is_and_what_would_refute_it(worked: Inference, target: str) -> None:
    found = worked[target]
    assert found.meaning
    assert found.refuted_by
    assert not any("{" in text for text in found.refuted_by)
    assert found.answer.steps


def test_it_says_on_what_each_rests(worked: Inference) -> None:
    rests = {
        name: str(worked[name].reference) for name in ("fast_batch_ratio", "implied_least_batch", "input_surcharge")
    }
    assert rests == {"fast_batch_ratio": "", "implied_least_batch": "chip, size", "input_surcharge": ""}
    assert str(worked["break_even_throughput"].reference) == "chip"
    assert str(worked["short_matched_share"].reference) == "tier"


def test_its_prices_contradict_each_other_where_a_pencil_says_so(worked: Inference) -> None:
    gaps = {one.answer.quantity.name: one.answer.base for one in worked.contradictions}
    assert gaps == pytest.approx(
        {
            "output_kv_gap": 4,
            "storage_kv_gap": 24e-6 / 11 / 2e-11 / 4000,
            "surcharge_gap": 4 / 3,  # 200e3 against 150e3
            "cliff_ratio_shift": 0.75,  # 3 above the cliff, 4 below
            "implied_scaled_context": 2.4,
            "fast_input_ratio": 3,
        }
    )
    assert all(one.everywhere for one in worked.contradictions)


@pytest.mark.thorough
def test_what_is_typed_binds() -> None:
    found = derive.infer(SHEET, *CHOICES, active_parameters="100 Gparameter", input_price="4 USD/Mtoken")
    assert found["implied_kv_bytes_per_token"].value.magnitude == pytest.approx(8000)
    assert found["output_input_ratio"].value.magnitude == pytest.approx(2)
    assert str(found["implied_kv_bytes_per_token"].reference) == "chip"


def test_a_profile_will_do_as_a_sheet() -> None:
    prices = profile("own-prices", input_price="2 USD/Mtoken", output_price="8 USD/Mtoken")
    assert derive.infer(prices, *CHOICES)["output_input_ratio"].value.magnitude == pytest.approx(4)


def test_a_sheet_may_bring_a_relation_of_its_own() -> None:
    more = (
        '[quantities]\nrebate = { unit = "1", value = "2" }\n'
        '[relations.rebate]\nequation = "output_price = rebate*batch_output_price"\n'
        '[profiles.own-prices]\ninput_price = "1 USD/Mtoken"\nbatch_output_price = "3 USD/Mtoken"\n'
    )
    found = derive.infer(more, *CHOICES)
    assert found["output_input_ratio"].value.magnitude == pytest.approx(6)
    assert "implied_slow_discount" in found
