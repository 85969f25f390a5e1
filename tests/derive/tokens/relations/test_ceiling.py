"""What a step takes at least: arithmetic with attention, every weight that it touches, the exchanges that are stated.

The oracle is the roofline written out in plain Python, from the values of the profiles.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import derive
from derive.errors import NoSolutionError

CHIPS = ("h100-sxm:fp8", "h200-sxm:fp8", "h20-96gb:fp8", "gb200:fp8", "b200-sxm:fp8")
MODELS = ("llama3-70b", "deepseek-v3", "llama3-1-405b", "kimi-k2", "qwen3-235b-a22b")
SENT = {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}


@dataclass(frozen=True)
class Machine:
    """A chip and a model in base units."""

    chip: str
    model: str

    def __getitem__(self, name: str) -> float:
        held = values(self.model).get(name)
        return values(self.chip)[name] if held is None else held

    def step(self, batch: float, context: float, chips: float, tokens: float = 1, sent: bool = False) -> float:
        """The longest of arithmetic, reading and sending."""
        parameters = 2 * self["active_parameters"]
        attention = 2 * self.width * self["layers"] * context * (context + 1) / (context + tokens)
        compute = batch * tokens * (parameters + attention) / (self["peak_compute"] * chips)
        weights = self["total_parameters"] * self["bytes_per_parameter"] * self.read_share(batch * tokens)
        memory = (weights + batch * context * self["kv_bytes_per_token"]) / (self["hbm_bandwidth"] * chips)
        remote = 1 - 1 / chips
        least = batch * tokens * self["hidden_size"] * remote / self["scale_up_bandwidth"]
        return max(compute, memory, least, self.exchanges(batch * tokens, chips) if sent else 0)

    @property
    def width(self) -> float:
        """What all heads of a layer multiply with one token of the context."""
        if "latent_size" in values(self.model):
            return self["attention_heads"] * (2 * self["latent_size"] + self["rope_dimension"])
        return self["attention_heads"] * 2 * self["head_dimension"]

    def read_share(self, tokens: float) -> float:
        if "experts" not in values(self.model):
            return 1
        routed = 3 * self["hidden_size"] * self["expert_size"] * self["experts"] * self["expert_layers"]
        unread = (1 - self["active_experts"] / self["experts"]) ** tokens
        return 1 - routed / self["total_parameters"] * unread

    def exchanges(self, tokens: float, chips: float) -> float:
        """All dispatches and combines, of which what leaves a domain takes the slower network."""
        sent = tokens / chips * self["active_experts"] * self["hidden_size"] * 3
        domain = self["scale_up_domain"]
        remote, crossing = 1 - 1 / chips, max(0, 1 - domain / chips)
        inside, outside = (remote - crossing) / self["scale_up_bandwidth"], crossing / self["scale_out_bandwidth"]
        return self["expert_layers"] * sent * max(inside, outside)


@cache
def values(profile: str) -> dict[str, float]:
    """The middle of each value of a profile, in base units."""
    return {name: value.base[1] for name, value in derive.profile(profile).values.items()}


Settings = tuple[np.ndarray, np.ndarray, np.ndarray]


def drawn(seed: int, number: int) -> Settings:
    """Batches, contexts and chips."""
    draw = np.random.default_rng(seed)
    return 10 ** draw.uniform(0, 4.5, number), 10 ** draw.uniform(0, 5.5, number), 1.0 * draw.integers(1, 73, number)


def expected(machine: Machine, settings: Settings, tokens: float = 1, sent: bool = False) -> list[float]:
    return [machine.step(*map(float, one), tokens, sent) for one in zip(*settings, strict=True)]


PAIRS = [(chip, model) for model in MODELS for chip in CHIPS]
ORDINARY = (("h100-sxm:fp8", "llama3-70b"), ("h20-96gb:fp8", "deepseek-v3"))


def pairs() -> list[object]:
    return [
        pytest.param(*pair, id="-".join(pair), marks=[] if pair in ORDINARY else [pytest.mark.long]) for pair in PAIRS
    ]


@pytest.mark.parametrize(("chip", "model"), pairs())
def test_a_step_is_the_longest_of_arithmetic_with_attention_reading_and_sending(chip: str, model: str) -> None:
    step = derive.compile("step_time", ["batch", "context", "chips"], profiles=[chip, model])
    batch, context, chips = settings = drawn(PAIRS.index((chip, model)), 1000)
    found = step(batch=batch, context=context, chips=chips)
    np.testing.assert_allclose(found, expected(Machine(chip, model), settings), rtol=1e-9)


@pytest.mark.parametrize(("chip", "model"), [ORDINARY[1], pytest.param("gb200:fp8", "kimi-k2", marks=pytest.mark.long)])
def test_the_exchanges_whose_sizes_are_stated_are_in_the_step(chip: str, model: str) -> None:
    machine, draw = Machine(chip, model), random.Random(model)
    for _ in range(4):
        batch, context, chips = 10 ** draw.uniform(2, 4.5), 10 ** draw.uniform(0, 5), draw.choice([8, 32, 72, 144])
        given = {"batch": f"{batch} sequence", "context": f"{context} token/sequence", "chips": f"{chips} chip"}
        found = derive.solve("step_time", chip, model, **given, **SENT)
        assert found.base == pytest.approx(machine.step(batch, context, chips, sent=True), rel=1e-9)
        assert "chips_in_domain" not in {check.name for check in found.failed}


def test_a_step_is_asked_back() -> None:
    machine = Machine("h20-96gb:fp8", "deepseek-v3")
    given = {"batch": "600 sequence", "context": "32 ktoken/sequence", "chips": "32 chip"}
    told = {"step_time": f"{machine.step(600, 32000, 32)} s"}
    for name, stated in (("batch", 600), ("context", 32000), ("chips", 32)):
        others = {other: value for other, value in given.items() if other != name}
        found = derive.solve(name, machine.chip, machine.model, **others, **told)
        assert found.base == pytest.approx(stated, rel=1e-9)


def test_decode_of_a_latent_model_on_a_slow_chip_is_bound_by_its_attention() -> None:
    given = {"batch": "600 sequence", "context": "32 ktoken/sequence", "chips": "32 chip"}
    found = derive.solve("step_time", "h20:fp8", "deepseek-v3", **given)
    assert (found.to("ms").magnitude, found.regime["step_time"]) == (pytest.approx(39.127, rel=1e-4), "compute_time")


def test_a_question_that_states_no_shapes_has_no_attention_and_no_network() -> None:
    given = {"peak_compute": "1 TFLOP/s/chip", "hbm_bandwidth": "1 GB/s/chip", "chips": "2 chip", "batch": "3 sequence"}
    given |= {"active_parameters": "1 Gparameter", "total_parameters": "1 Gparameter", "context": "9 token/sequence"}
    given |= {"bytes_per_parameter": "1 byte/parameter", "kv_bytes_per_token": "1 byte/token"}
    assert derive.solve("compute_time", **given).base == 3 * 2e9 / 2e12
    assert derive.solve("step_time", **given).base == pytest.approx((1e9 + 27) / 2e9, rel=1e-12)


def test_a_chip_of_many_is_no_faster_than_one_alone() -> None:
    given = {"batch": "4 sequence", "context": "1536 token/sequence", "bytes_per_parameter": "1 byte/parameter"}
    counts = ("1", "2", "4", "8", "16")
    answers = [
        derive.solve("chip_time_per_token", "h200-sxm:fp8", "llama3-1-70b", chips=f"{n} chip", **given) for n in counts
    ]
    times = [4e3 * answer.base for answer in answers if answer.base is not None]
    assert times == sorted(times)
    assert all(time <= measured for time, measured in zip(times, (21.5, 24.0, 31.9, 63.5), strict=False))
    waits = ["waiting_excess" in " ".join(answer.assumptions) for answer in answers]
    assert waits == [False, True, True, True, True]  # a chip alone waits for nobody
    assert [[check.name for check in answer.failed] for answer in answers] == [[], [], [], [], ["chips_in_domain"]]


def test_a_choice_keeps_to_the_domain_of_a_chip_and_the_context_of_a_model() -> None:
    given = {"batch": "4 sequence", "chips": ["1 chip", "8 chip", "32 chip"], "context": "1536 token/sequence"}
    best = derive.least("step_time", "h200-sxm:fp8", "llama3-1-70b", **given)
    assert best.answer.given["chips"].magnitude == 8
    long = derive.solve(
        "step_time", "h200-sxm:fp8", "llama3-70b", chips="8 chip", batch="4 sequence", context="9 ktoken/sequence"
    )
    assert [check.name for check in long.failed] == ["within_context_limit"]


DRAFT = {"acceptance_rate": 0.8, "draft_tokens": 4}


@pytest.mark.parametrize(
    ("chip", "model", "batch"), [("h100-sxm:fp8", "llama3-70b", 1000), ("gb200:fp8", "deepseek-v3", 64)]
)
def test_a_check_of_proposals_takes_the_time_of_its_tokens(chip: str, model: str, batch: int) -> None:
    machine = Machine(chip, model)
    given = {"batch": f"{batch} sequence", "context": "500 token/sequence", "chips": "8 chip"}
    kept = (1 - 0.8**5) / 0.2
    plain, verified = machine.step(batch, 500, 8), machine.step(batch, 500, 8, tokens=5)
    found = derive.solve("speculative_speedup", chip, model, **given, **DRAFT, draft_cost=0.05)
    assert found.base == pytest.approx(kept / (verified / plain + 0.2), rel=1e-9)
    if batch == 1000:
        assert found.base is not None
        assert found.base < 1  # refused tokens cost arithmetic, which binds


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
    asked = {"": alone, "20 sequence/s": alone + queue}
    for rate, time in asked.items():
        arrivals = {"server_arrival_rate": rate} if rate else {}
        assert derive.solve("time_to_first_token", **PREFILL, **arrivals).base == pytest.approx(time)
        assert derive.solve("time_to_first_token", **PREFILL, **arrivals, first_wait="1 s").base == pytest.approx(
            1 + alone
        )
    with pytest.raises(NoSolutionError):  # more arrive than are served
        derive.solve("time_to_first_token", **PREFILL, server_arrival_rate="2000 sequence/s")


def test_machines_are_bought_whole() -> None:
    given = {"training_chips": "20 chip", "chip_capital": "40000 USD/chip"}
    assert derive.solve("cluster_capital", **given).base == pytest.approx(800_000)
    assert derive.solve("cluster_capital", **given, chips_per_node="8 chip").base == pytest.approx(960_000)
    back = derive.solve("training_chips", cluster_capital="800000 USD", chip_capital="40000 USD/chip")
    assert back.base == pytest.approx(20)
