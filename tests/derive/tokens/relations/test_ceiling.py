"""What a step takes at least, and what stands on it: checks of proposals, queues, whole machines, limits of a model.

The oracle is the roofline written out in plain Python, from the values of the profiles.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import pytest

import derive
from derive.errors import NoSolutionError


@dataclass(frozen=True)
class Machine:
    """A chip and a model in base units."""

    chip: str
    model: str

    def __getitem__(self, name: str) -> float:
        stated = values(self.model).get(name)
        return values(self.chip)[name] if stated is None else stated

    def step(self, batch: float, context: float, chips: float, tokens: float = 1) -> float:
        """The longer of arithmetic and reading."""
        compute = batch * tokens * 2 * self["active_parameters"] / (self["peak_compute"] * chips)
        weights = self["total_parameters"] * self["bytes_per_parameter"] * self.read_share(batch * tokens)
        memory = (weights + batch * context * self["kv_bytes_per_token"]) / (self["hbm_bandwidth"] * chips)
        return max(compute, memory)

    def read_share(self, tokens: float) -> float:
        if "experts" not in values(self.model):
            return 1
        routed = 3 * self["hidden_size"] * self["expert_size"] * self["experts"] * self["expert_layers"]
        unread = (1 - self["active_experts"] / self["experts"]) ** tokens
        return 1 - routed / self["total_parameters"] * unread


@cache
def values(profile: str) -> dict[str, float]:
    """The middle of each value of a profile, in base units."""
    return {name: value.base[1] for name, value in derive.profile(profile).values.items()}


def test_the_answer_says_what_reading_all_experts_would_take() -> None:
    given = {"batch": "1 sequence", "context": "1 ktoken/sequence", "chips": "72 chip"}
    machine = Machine("gb200:fp8", "deepseek-v3")
    step = derive.solve("step_time", machine.chip, machine.model, **given)
    assert step.base == pytest.approx(machine.step(1, 1000, 72))
    bytes_read = 671e9 + 1000 * machine["kv_bytes_per_token"]
    (remark,) = [one for one in step.remarks if one.name == "unread_ratio"]
    assert remark.factor == pytest.approx(bytes_read / (machine["hbm_bandwidth"] * 72) / step.base)


def test_a_context_beyond_what_a_model_was_made_for_is_said() -> None:
    given = {"batch": "4 sequence", "chips": "8 chip"}
    for context, failed in (("8 ktoken/sequence", []), ("9 ktoken/sequence", ["within_context_limit"])):
        found = derive.solve("step_time", "h200-sxm:fp8", "llama3-70b", **given, context=context)
        assert [check.name for check in found.failed] == failed
    free = {**given, "context": "1..100000 token/sequence"}
    best = derive.most("context", "h200-sxm:fp8", "llama3-70b", **free, such_that="step_time <= 20 ms")
    assert best.value.to("token/sequence").magnitude == pytest.approx(8192)


DRAFT = {"acceptance_rate": 0.8, "draft_tokens": 4}


@pytest.mark.parametrize("batch", [1, 64, 300, 1000, 4000])
@pytest.mark.parametrize(("chip", "model"), [("h100-sxm:fp8", "llama3-70b"), ("gb200:fp8", "deepseek-v3")])
def test_a_check_of_proposals_takes_the_time_of_its_tokens(chip: str, model: str, batch: int) -> None:
    machine = Machine(chip, model)
    given = {"batch": f"{batch} sequence", "context": "500 token/sequence", "chips": "8 chip"}
    plain, verified = machine.step(batch, 500, 8), machine.step(batch, 500, 8, tokens=5)
    kept = (1 - 0.8**5) / 0.2
    found = derive.solve("speculative_speedup", chip, model, **given, **DRAFT, draft_cost=0.05)
    assert found.base == pytest.approx(kept / (verified / plain + 0.2), rel=1e-9)


def test_without_a_step_a_check_of_proposals_takes_as_long_as_a_step_and_says_so() -> None:
    found = derive.solve("speculative_speedup", **DRAFT)
    assert found.base == pytest.approx((1 - 0.8**5) / 0.2)
    assert any("as long as a step" in assumed for assumed in found.assumptions)


PREFILL = {"peak_compute": "1 PFLOP/s/chip", "chips": "8 chip", "active_parameters": "70 Gparameter"}
PREFILL |= {"prompt_tokens": "2000 token/sequence"}


def test_a_first_token_waits_for_the_queue() -> None:
    alone = 2 * 70e9 * 2000 / 8e15
    load = 20 * alone
    queue = load * alone / (2 * (1 - load))
    for rate, time in (("", alone), ("20 sequence/s", alone + queue)):
        arrivals = {"server_arrival_rate": rate} if rate else {}
        assert derive.solve("time_to_first_token", **PREFILL, **arrivals).base == pytest.approx(time)
        longer = derive.solve("time_to_first_token", **PREFILL, **arrivals, first_wait="1 s").base
        assert longer == pytest.approx(1 + alone)
    with pytest.raises(NoSolutionError):  # more arrive than are served
        derive.solve("time_to_first_token", **PREFILL, server_arrival_rate="2000 sequence/s")


def test_machines_are_bought_whole() -> None:
    given = {"training_chips": "20 chip", "chip_capital": "40000 USD/chip"}
    assert derive.solve("cluster_capital", **given).base == pytest.approx(800_000)
    assert derive.solve("cluster_capital", **given, chips_per_node="8 chip").base == pytest.approx(960_000)
    back = derive.solve("training_chips", cluster_capital="800000 USD", chip_capital="40000 USD/chip")
    assert back.base == pytest.approx(20)
