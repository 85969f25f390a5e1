"""The verb `compare`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import derive
from derive.cli import cli, run
from derive.cli.explaining import second_profiles

GIVEN = (
    "batch=64 sequence",
    "chips=8 chip",
    "context=8 ktoken/sequence",
    "--with",
    "llama3-70b",
    "--with",
    "h100-sxm:fp8",
)


def compared(*words: str) -> Result:
    return CliRunner().invoke(cli, ["compare", "cost_per_token", *GIVEN, *words], standalone_mode=False)


def data(*words: str) -> dict[str, object]:
    return json.loads(compared(*words, "--json").stdout)  # type: ignore[no-any-return]


@pytest.mark.thorough
def test_another_chip_and_another_number() -> None:
    found = data("--against", "b200-sxm:fp8", "batch=32 sequence", "chip_price=3 USD/h/chip")
    assert {one["names"][0] for one in found["factors"]} == {"batch", "hbm_bandwidth", "chip_price"}
    assert found["b"]["given"]["batch"]["value"] == "32 sequence"
    assert found["b"]["given"]["chips"]["value"] == "8 chip"


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize(
    "words",
    [
        ("--against", "b200-sxm:fp8", "--with", "deepseek-v3", "chips=4 chip"),
        ("--against=b200-sxm:fp8", "--with=deepseek-v3", "chips=4 chip"),
        ("--against", "chips=4 chip", "--against", "deepseek-v3", "--against", "b200-sxm:fp8"),
        ("--against", "chips=4 chip", "deepseek-v3", "b200-sxm:fp8"),
    ],
)
def test_all_that_follows_belongs_to_the_second_scenario(words: tuple[str, ...]) -> None:
    usual = data("--against", "b200-sxm:fp8", "deepseek-v3", "chips=4 chip")
    found = data(*words)
    assert found["b"]["value"] == usual["b"]["value"]
    assert found["factors"] == usual["factors"]


def test_an_empty_given_is_left_out() -> None:
    found = data("chip_price=2 USD/h/chip", "--against", "chip_price=")
    assert found["b"]["given"]["chip_price"]["value"] == "3.85 (1.99..12.29) USD/h/chip"


def test_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "why.svg"
    assert compared("--against", "b200-sxm:fp8", "-o", str(path)).exit_code == 0
    assert path.read_text().lstrip().startswith("<?xml")


def test_strict_fails_with_a_check() -> None:
    assert compared("--against", "context=100 ktoken/sequence").return_value == 0
    found = compared("--strict", "--against", "context=100 ktoken/sequence")
    assert found.return_value == 1
    assert "in B: fits_in_memory does not hold" in found.stdout


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("words", "status"),
    [
        ((), 2),
        (("--against",), 2),
        (("--against", "chips"), 2),
        (("--against", "chips=4 chip", "chips=3 chip"), 2),
        (("--against", "chip_price="), 2),
        (("--against", "b200-sxm:fp8", "-o", "why.gif"), 2),
        (("--against", "context="), 1),
        (("--against", "chips=4 m"), 2),
    ],
)
def test_what_cannot_be_compared(words: tuple[str, ...], status: int) -> None:
    assert run(["compare", "cost_per_token", *GIVEN, *words]) == status


@pytest.mark.parametrize(
    ("first", "others", "second"),
    [
        (["llama3-70b", "h100-sxm:fp8"], ["b200-sxm:fp8"], ("llama3-70b", "b200-sxm:fp8")),
        (["llama3-70b", "h100-sxm:fp8"], ["deepseek-v3"], ("h100-sxm:fp8", "deepseek-v3")),
        (["llama3-70b", "v100-sxm-16gb:fp16"], ["gb200-nvl72:fp8"], ("llama3-70b", "gb200-nvl72:fp8")),
        (["llama3-70b", "h100-sxm:fp8"], [], ("llama3-70b", "h100-sxm:fp8")),
        (["deepseek-v3"], ["gemini-2-5-pro-prices"], ("deepseek-v3", "gemini-2-5-pro-prices")),
    ],
)
def test_a_profile_takes_the_place_of_those_of_its_kind(
    first: list[str], others: list[str], second: tuple[str, ...]
) -> None:
    assert second_profiles(derive.llm, first, others) == second
