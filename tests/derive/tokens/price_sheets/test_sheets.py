"""What is no price sheet, what a sheet lacks, and prices that cannot be."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

import derive
from derive.tokens.price_sheets import inference
from derive.tokens.price_sheets.inference import Inference
from derive.tokens.price_sheets.sheets import QUESTIONS
from derive.tokens.price_sheets.text import as_data, shown
from quantities.spelling import parse_unit
from tests.derive.terminal import ask, settle
from tests.ordinary import every

NARROW = ("gb200:fp8", "deepseek-v3", "nvme-gen5-30tb")
CHOICES = tuple(word for name in NARROW for word in ("--with", name))
PLAIN = {"input_price": "2 USD/Mtoken", "output_price": "8 USD/Mtoken"}
MORE = {
    "cache_read_price": "0.5 USD/Mtoken",
    "cache_write_price_5min": "3 USD/Mtoken",
    "cache_write_price_1h": "5 USD/Mtoken",
    "cache_storage_price": "1 USD/Mtoken/h",
    "price_cliff": "100 ktoken/sequence",
    "input_price_above_cliff": "4 USD/Mtoken",
    "output_price_above_cliff": "12 USD/Mtoken",
    "fast_output_price": "24 USD/Mtoken",
    "fast_speed_ratio": "2",
    "batch_output_price": "4 USD/Mtoken",
}


def sheet(**prices: str) -> str:
    return "\n".join(["[profiles.own-prices]", *(f'{name} = "{price}"' for name, price in prices.items())])


@cache
def inferred(**prices: str) -> Inference:
    return derive.infer(sheet(**prices), *NARROW)


# What a sheet lacks


def test_a_sheet_says_which_prices_would_yield_the_rest() -> None:
    missing = [one for one in inferred(**PLAIN).missing if one.needs]
    assert len(missing) > 15
    assert {price for one in missing for price in one.needs} == MORE.keys()


@pytest.mark.thorough
@every("target", [one.target for one in QUESTIONS], ordinary=4, thorough=8)
def test_the_prices_that_are_asked_for_yield_it(target: str) -> None:
    needs = {price for one in inferred(**PLAIN).missing if one.quantity.name == target for price in one.needs}
    assert target in inferred(**PLAIN, **{name: MORE[name] for name in needs})


@pytest.mark.thorough
def test_a_chip_that_does_not_state_what_is_needed_is_told() -> None:
    found = derive.infer(sheet(**PLAIN, cache_read_price="1 USD/Mtoken"), "h20-96gb:fp8", "deepseek-v3")
    reasons = {one.quantity.name: one.reason for one in found.missing if not one.needs}
    assert reasons["implied_kv_bytes_by_hits"] == "no choice states host_link_bandwidth"


def test_a_single_price_implies_what_it_can() -> None:
    names = {one.quantity.name for one in inferred(output_price="8 USD/Mtoken").conclusions}
    assert names == {"output_margin_limit", "break_even_throughput"}


# Prices that contradict each other


def contradicted(**prices: str) -> list[tuple[str, ...]]:
    return [one.prices for one in inferred(**{**PLAIN, **prices}).contradictions]


@pytest.mark.parametrize(
    ("prices", "expected"),
    [
        ({"cache_read_price": "3 USD/Mtoken"}, [("input_price", "cache_read_price")]),
        ({"cache_read_price": "2 USD/Mtoken"}, []),
        ({"output_price": "1 USD/Mtoken"}, [("input_price", "output_price")]),
        ({"output_price": "2 USD/Mtoken"}, []),
        ({"fast_output_price": "4 USD/Mtoken"}, [("output_price", "fast_output_price")]),
        ({"batch_input_price": "1 USD/Mtoken"}, [("input_price", "batch_input_price")]),
        ({"batch_output_price": "4 USD/Mtoken"}, []),
        (
            {"fast_output_price": "16 USD/Mtoken", "fast_price_ratio": "3"},
            [("output_price", "fast_output_price", "fast_price_ratio")],
        ),
        ({"fast_output_price": "16 USD/Mtoken", "fast_price_ratio": "2"}, []),
        ({"fast_output_price": "16.1 USD/Mtoken", "fast_price_ratio": "1.9..2.1"}, []),
    ],
    ids=lambda part: "-".join(part) if isinstance(part, dict) else "",
)
def test_two_prices_that_cannot_both_be_are_named(prices: dict[str, str], expected: list[tuple[str, ...]]) -> None:
    assert contradicted(**prices) == expected


def test_output_that_costs_less_than_input_has_no_memory_time() -> None:
    found = inferred(input_price="2 USD/Mtoken", output_price="1 USD/Mtoken")
    (missing,) = [one for one in found.missing if one.quantity.name == "implied_memory_to_compute"]
    assert (missing.needs, bool(missing.reason)) == ((), True)


def test_output_that_costs_as_much_as_input_leaves_bounds() -> None:
    found = inferred(input_price="2 USD/Mtoken", output_price="2 USD/Mtoken")["implied_memory_to_compute"]
    assert found.value is None
    assert found.bounds == pytest.approx((0.0, 1.0))


def test_a_dearer_write_that_costs_less_is_refused_in_words() -> None:
    found = inferred(**PLAIN, cache_write_price_5min="5 USD/Mtoken", cache_write_price_1h="3 USD/Mtoken")
    (missing,) = [one for one in found.missing if one.quantity.name == "implied_storage_price"]
    assert missing.reason
    assert "priced_hold_time" not in found


# The command line

FILES = {
    "good.toml": sheet(**PLAIN),
    "useless.toml": sheet(flex_output_price="2 USD/Mtoken"),
    "empty.toml": "",
    "priceless.toml": '[profiles.own-prices]\nchip_price = "2 USD/h/chip"\n',
    "two.toml": sheet(**PLAIN) + '\n[profiles.other-prices]\ninput_price = "1 USD/Mtoken"\n',
    "misspelt.toml": sheet(inptu_price="2 USD/Mtoken"),
    "unit.toml": sheet(input_price="2 USD/Mbyte"),
    "negative.toml": sheet(input_price="-2 USD/Mtoken"),
    "broken.toml": "[profiles.own-prices\n",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, FILES, monkeypatch)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("useless.toml",), 1, "own-prices"),
        (("empty.toml",), 2, "empty.toml: a price sheet is one profile, and there is none"),
        (("priceless.toml",), 2, "own-prices states no price of a token"),
        (("two.toml",), 2, "there are 2: own-prices, other-prices"),
        (("misspelt.toml",), 2, "Did you mean input_price"),
        (("unit.toml",), 2, "does not fit its unit USD/Mtoken"),
        (("negative.toml",), 2, "outside its domain"),
        (("broken.toml",), 2, "broken.toml: line 1"),
        (("absent.toml",), 2, "'absent.toml' cannot be read"),
        (("gemini-2-5-pro",), 2, "Did you mean gemini-2-5-pro-prices?"),
        (("h100-sxm",), 2, "h100-sxm states no price of a token"),
        (("good.toml", "gpt-5-prices"), 2, "is not NAME=VALUE"),
        (("good.toml", "active_parameters=2 GB"), 2, "does not fit its unit"),
        (("good.toml", "activ_parameters=2 Gparameter"), 2, "Did you mean active_parameters"),
        (("good.toml", "--with", "h100-sxm:fp3"), 2, "not stated at precision"),
    ],
    ids=lambda part: "-".join(part) if isinstance(part, tuple) else "",
)
def test_what_cannot_be_read_is_told_in_words(words: tuple[str, ...], status: int, said: str) -> None:
    told = ask("infer", *words)
    assert (told.status, said in told.out + told.err) == (status, True), told


@pytest.mark.thorough
def test_a_table_comes_first_and_derivations_on_request() -> None:
    told = ask("infer", "good.toml", *CHOICES, "batch_output_price=4 USD/Mtoken")
    assert told.status == 0
    rows = {line.split()[-1]: line.split() for line in told.out.splitlines() if line.split()}
    assert rows["output_input_ratio"][0] == "4"
    assert rows["implied_slow_discount"][0] == "2"
    assert "    if the price of waiting still covers its cost" in told.out
    assert "implied_kv_bytes_per_token, implied_kv_bytes_by_output: give price_cliff" in told.out
    assert "refuted by" not in told.out
    steps = ask("infer", "good.toml", *CHOICES, "--steps")
    assert "1. output_input_ratio: output_input_ratio = output_price/input_price" in steps.out
    assert "a decode MFU measured at more or less than 0.25 of that of prefill" in steps.out


def test_data_hold_everything() -> None:
    told = json.loads(ask("infer", "good.toml", *CHOICES, "--json").out)
    assert told.keys() == {"sheet", "title", "prices", "conclusions", "contradictions", "missing"}
    (one,) = [one for one in told["conclusions"] if one["quantity"] == "implied_least_batch"]
    assert one["at"] == "gb200:fp8, deepseek-v3"
    assert one["low"] <= one["answer"]["value"] <= one["high"]
    assert one["answer"]["steps"]
    assert one["refuted_by"]


@pytest.mark.parametrize(
    ("number", "unit", "expected"),
    [
        (1692.857, "byte/token", "1690 byte/token"),
        (200e3, "token/sequence", "200 ktoken/sequence"),
        (1.16e12, "parameter", "1.16 Tparameter"),
        (5e16, "parameter", "50 Pparameter"),
        (0.125, "", "0.125"),
        (123456.0, "", "123000"),
        (float("inf"), "byte", "any number"),
    ],
)
def test_a_number_is_short(number: float, unit: str, expected: str) -> None:
    parsed = parse_unit(unit)
    assert shown(parsed.to_base(number), parsed) == expected


@pytest.mark.long
@pytest.mark.parametrize(
    "some",
    [
        ("gpt-5-4-prices", "claude-opus-5-prices"),
        pytest.param(("gpt-6-sol-prices", "claude-opus-4-8-prices", "claude-opus-5-prices"), marks=pytest.mark.long),
    ],
    ids=["two", "three"],
)
def test_sheets_say_side_by_side_what_they_say_alone(some: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    """What one of them made known is not told of another."""
    monkeypatch.setattr(inference, "sheet_names", lambda: some)
    narrow = ("gb200:fp8", "mi300x:fp8", "deepseek-v3", "qwen3-235b-a22b", "nvme-gen5-30tb")
    for found in inference.survey(*narrow):
        assert as_data(found) == as_data(inference.infer(found.sheet, *narrow))
