"""Comparisons of questions to the built-in library."""

from __future__ import annotations

import math
import random

import pytest

import derive
from derive import DeriveError
from derive.comparison.decomposition import POWERS
from tests.ordinary import one_in

USUAL = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}
TARGETS = ("cost_per_token", "step_time", "user_speed", "throughput", "memory_time", "arithmetic_intensity", "context")


def test_chips_that_are_bound_by_memory_differ_by_bandwidth_and_price() -> None:
    h100, b200 = (
        derive.solve("cost_per_token", chip, "llama3-70b", **USUAL) for chip in ("h100-sxm:fp8", "b200-sxm:fp8")
    )
    found = derive.compare(h100, b200)
    assert found.factor("hbm_bandwidth") == pytest.approx(3.35 / 8)
    assert found.factor("chip_price") == pytest.approx(7.15 / 3.85)
    assert found.ratio == pytest.approx(3.35 / 8 * 7.15 / 3.85)
    assert [one.name for one in found.factors] == ["hbm_bandwidth", "chip_price"]
    assert [one.name for one in found.idle] == ["peak_compute"]
    assert found.method == POWERS
    assert found.factors[0].origins == ("h100-sxm:fp8", "b200-sxm:fp8")


def test_another_price_alone_is_its_ratio() -> None:
    one = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **USUAL)
    other = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", chip_price="2 USD/h/chip", **USUAL)
    (price,) = derive.compare(one, other).factors
    assert (price.name, price.amount) == ("chip_price", pytest.approx(2 / 3.85))
    assert price.origins == ("h100-sxm:fp8", "given")


def test_the_same_question_has_the_same_answer() -> None:
    one, other = (derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **USUAL) for _ in range(2))
    found = derive.compare(one, other)
    assert (found.ratio, found.factors) == (1.0, ())


def test_a_mixture_of_experts_reads_a_share_of_its_weights() -> None:
    dense, experts = (
        derive.solve("cost_per_token", "b200-sxm:fp8", model, **USUAL) for model in ("llama3-70b", "deepseek-v3")
    )
    found = derive.compare(dense, experts)
    ways = {one.name: one for one in found.factors if one.kind == "way"}
    assert list(ways) == ["read_share"]
    assert ways["read_share"].after.endswith("by read_share")
    assert "not all numbers of A have a value" in found.notes[0]  # llama has no experts to leave out
    assert math.prod(one.amount for one in found.factors) == pytest.approx(found.ratio, rel=1e-9)


def test_from_memory_to_compute_the_regime_has_a_factor() -> None:
    one = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **USUAL)
    other = derive.solve(
        "cost_per_token",
        "h100-sxm:fp8",
        "llama3-70b",
        **{**USUAL, "batch": "2048 sequence", "context": "200 token/sequence"},
    )
    found = derive.compare(one, other)
    (regime,) = (factor for factor in found.factors if factor.kind == "regime")
    assert (regime.label, regime.before, regime.after) == ("regime of step_time", "memory_time", "compute_time")
    # By hand: what the other arm makes of the cost, at the numbers of one and at those of the other.
    weights, cache, bandwidth = 70.6e9 * 2, 327680, 3.35e12 * 8
    attention = 2 * 80 * 64 * 2 * 128  # operations of a token for each of its context
    times = [
        (
            (weights + batch * context * cache) / bandwidth,
            batch * (70.6e9 * 2 + attention * context) / (1978.9e12 * 8),
        )
        for batch, context in ((64, 8000), (2048, 200))
    ]
    assert regime.amount == pytest.approx(math.sqrt(math.prod(compute / memory for memory, compute in times)), rel=1e-6)


def test_failed_checks_stand_beside_the_comparison() -> None:
    one = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **USUAL)
    other = derive.solve("cost_per_token", "h100-sxm:fp8", "llama3-70b", **{**USUAL, "context": "100 ktoken/sequence"})
    assert "in B: fits_in_memory does not hold" in str(derive.compare(one, other))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", one_in(3, range(30), map(str, range(30)), thorough=2))
def test_factors_multiply_up_over_chips_and_models(seed: int) -> None:
    draw = random.Random(seed)
    target = draw.choice(TARGETS)
    chips = ("h100-sxm:fp8", "b200-sxm:fp4", "tpu-v6e:bf16", "mi300x:bf16", "a100-sxm-80gb:bf16", "gb200:fp8")
    models = ("llama3-70b", "deepseek-v3", "mixtral-8x7b", "llama4-scout", "deepseek-v3-2", "gpt3-175b")

    def scenario() -> derive.Answer:
        given = {
            "chips": f"{draw.choice([4, 8, 64])} chip",
            "batch": f"{draw.choice([1, 16, 256, 4096])} sequence",
            "context": f"{draw.choice([1, 8, 128])} ktoken/sequence",
        }
        if target == "context":
            given = {"step_time": f"{draw.choice([10, 50, 200])} ms", **given}
            del given["context"]
        return derive.solve(target, draw.choice(chips), draw.choice(models), **given)

    try:
        one, other = scenario(), scenario()
    except DeriveError:
        pytest.skip("one of the scenarios has no answer")
    found, back = derive.compare(one, other), derive.compare(other, one)
    assert found.ratio is not None
    assert math.prod(factor.amount for factor in found.factors) == pytest.approx(found.ratio, rel=1e-9)
    there = {(frozenset(factor.names), factor.kind): factor.amount for factor in found.factors}
    assert there == pytest.approx(
        {(frozenset(factor.names), factor.kind): 1 / factor.amount for factor in back.factors}, rel=1e-8
    )
