"""What a step takes at least: arithmetic with attention, the weights that it touches, the exchanges between chips.

The oracle is the roofline written out in plain Python, from the values of the profiles.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest

import derive
from derive.errors import AmbiguousError, LimitError, NoSolutionError

CHIPS = ("h100-sxm:fp8", "h200-sxm:fp8", "h20-96gb:fp8", "gb200:fp8", "b200-sxm:fp8")
MODELS = ("llama3-70b", "deepseek-v3", "llama3-1-405b", "kimi-k2", "qwen3-235b-a22b")
EXPERT_SENDS = "expert_sends_ratio"
SENT = {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}


@dataclass(frozen=True)
class Machine:
    """A chip and a model in base units."""

    chip: str
    model: str

    def __getitem__(self, name: str) -> float:
        held = values(self.model).get(name)
        return values(self.chip)[name] if held is None else held

    def step(
        self, batch: float, context: float, chips: float, tokens: float = 1, sent: bool = False, network: float = 0
    ) -> float:
        """The longest of arithmetic, reading and sending."""
        parameters = 2 * self["active_parameters"]
        attention = 2 * self.width(tokens) * self["layers"] * (context - (tokens - 1) / 2)
        compute = batch * tokens * (parameters + attention) / (self["peak_compute"] * chips)
        weights = self["total_parameters"] * self["bytes_per_parameter"] * self.read_share(batch * tokens)
        memory = (weights + batch * context * self["kv_bytes_per_token"]) / (self["hbm_bandwidth"] * chips)
        waits = self["layers"] * 3.33e-6 if chips > 1 else 0
        return max(compute, memory, network, waits, self.exchanges(batch * tokens, chips) if sent else 0)

    def width(self, tokens: float) -> float:
        """What all heads of a layer multiply with one token of the context."""
        if "latent_size" not in values(self.model):
            return self["attention_heads"] * 2 * self["head_dimension"]
        if tokens < 171:
            return self["attention_heads"] * (2 * self["latent_size"] + self["rope_dimension"])
        return self["attention_heads"] * (self["content_dimension"] + self["rope_dimension"] + self["value_dimension"])

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


def expected(machine: Machine, settings: Settings, **how: float) -> list[float]:
    return [machine.step(*map(float, one), **how) for one in zip(*settings, strict=True)]


PAIRS = [(chip, model) for model in MODELS for chip in CHIPS]
ORDINARY = (("h100-sxm:fp8", "llama3-70b"), ("h20-96gb:fp8", "deepseek-v3"))


def pairs() -> list[object]:
    return [
        pytest.param(*pair, id="-".join(pair), marks=[] if pair in ORDINARY else [pytest.mark.long]) for pair in PAIRS
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(("chip", "model"), pairs())
def test_a_step_is_the_longest_of_arithmetic_with_attention_reading_and_sending(chip: str, model: str) -> None:
    step = derive.compile("step_time", ["batch", "context", "chips"], profiles=[chip, model])
    batch, context, chips = settings = drawn(PAIRS.index((chip, model)), 1000)
    found = step(batch=batch, context=context, chips=chips)
    np.testing.assert_allclose(found, expected(Machine(chip, model), settings), rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("tokens", [2, 170, 171, 4096])
def test_a_pass_of_many_tokens_attends_to_what_stands_before_each_and_writes_latents_out(tokens: int) -> None:
    chip, model = ORDINARY[1]
    given = ["batch", "context", "chips", "tokens_per_pass"]
    step = derive.compile("step_time", given, profiles=[chip, model])
    batch, context, chips = drawn(tokens, 200)
    context += tokens  # what is passed is part of it
    settings = batch, context, chips
    found = step(batch=batch, context=context, chips=chips, tokens_per_pass=tokens)
    np.testing.assert_allclose(found, expected(Machine(chip, model), settings, tokens=tokens), rtol=1e-9)


def test_one_token_sees_the_whole_context_and_a_prompt_half_of_it() -> None:
    context = "1000 token/sequence"
    whole = derive.solve("decode_attention_ratio", "llama3-70b", context=context).base
    assert whole is not None
    for tokens in (1, 1000):
        seen = [1000 - later for later in range(tokens)]  # how many tokens each of the pass sees, the last one first
        given = {"context": context, "tokens_per_pass": f"{tokens} token/sequence"}
        found = derive.solve("pass_attention_ratio", "llama3-70b", **given)
        assert found.base == pytest.approx(whole * sum(seen) / len(seen) / 1000)


def test_a_network_time_that_is_stated_is_an_arm_beside_the_others() -> None:
    machine, draw = Machine(*ORDINARY[0]), random.Random(1)
    for _ in range(10):
        batch, context, chips = draw.uniform(1, 300), draw.uniform(1, 8000), draw.choice([1, 2, 4, 8])
        network = 10 ** draw.uniform(-4, -1)
        given = {"batch": f"{batch} sequence", "context": f"{context} token/sequence", "chips": f"{chips} chip"}
        found = derive.solve("step_time", machine.chip, machine.model, **given, network_time=f"{network} s")
        assert found.base == pytest.approx(machine.step(batch, context, chips, network=network), rel=1e-9)


@pytest.mark.parametrize(("chip", "model"), [ORDINARY[1], pytest.param("gb200:fp8", "kimi-k2", marks=pytest.mark.long)])
def test_the_exchanges_whose_sizes_are_stated_are_in_the_step(chip: str, model: str) -> None:
    machine, draw = Machine(chip, model), random.Random(model)
    for _ in range(4):
        batch, context, chips = 10 ** draw.uniform(0, 4.5), 10 ** draw.uniform(0, 5), draw.choice([8, 32, 72, 144])
        given = {"batch": f"{batch} sequence", "context": f"{context} token/sequence", "chips": f"{chips} chip"}
        found = derive.solve("step_time", chip, model, **given, **SENT)
        assert found.base == pytest.approx(machine.step(batch, context, chips, sent=True), rel=1e-9)
        assert "chips_in_domain" not in {check.name for check in found.failed}


@pytest.mark.long
@pytest.mark.parametrize(
    ("chip", "model"), [pytest.param("h200-sxm:fp8", "deepseek-v3", marks=pytest.mark.long), ("gb200:fp8", "kimi-k2")]
)
def test_exchanges_between_experts_that_are_not_stated_are_told_with_what_they_would_take(
    chip: str, model: str
) -> None:
    machine = Machine(chip, model)
    for batch, context, chips in ((12686, 4000, 144), (12686, 4000, 8), (600, 32000, 32), (40000, 100, 144)):
        given = {"batch": f"{batch} sequence", "context": f"{context} token/sequence", "chips": f"{chips} chip"}
        told = [one for one in derive.solve("step_time", chip, model, **given).remarks if one.name == EXPERT_SENDS]
        factor = machine.step(batch, context, chips, sent=True) / machine.step(batch, context, chips)
        assert [one.factor for one in told] == ([pytest.approx(factor)] if factor > 1.1 else [])
        for stated in (SENT, {"network_time": "1 s"}):
            answer = derive.solve("step_time", chip, model, **given, **stated)
            assert EXPERT_SENDS not in {one.name for one in answer.remarks}


@pytest.mark.thorough
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


def test_a_chip_of_many_is_no_faster_than_one_alone_and_slower_where_exchanges_bind() -> None:
    given = {"batch": "4 sequence", "context": "1536 token/sequence", "bytes_per_parameter": "1 byte/parameter"}
    point = ("h200-sxm:fp8", "llama3-1-70b")
    counts = (1, 2, 4, 8, 16, 64, 128)
    answers = [derive.solve("chip_time_per_token", *point, chips=f"{n} chip", **given) for n in counts]
    times = [4e3 * answer.base for answer in answers if answer.base is not None]
    assert times[:5] == pytest.approx([times[0]] * 5)
    assert times[5:] == pytest.approx([1e3 * n * 80 * 3.33e-6 for n in (64, 128)])
    assert times[4] < times[5] < times[6]
    assert all(time <= measured for time, measured in zip(times, (21.5, 24.0, 31.9, 63.5), strict=False))
    outside = [["chips_in_domain"] if n > 8 else [] for n in counts]
    assert [[check.name for check in answer.failed] for answer in answers] == outside
    steps = [1e-3 * time / n for n, time in zip(counts, times, strict=True)]
    waits = [80 * (2 - 1) * 3.33e-6 / step for step in steps]
    told = [[one for one in answer.neglected if one.share == "waiting_ratio"] for answer in answers]
    assert [one.number for (one,) in told[1:]] == pytest.approx(waits[1:])
    assert not told[0]  # a chip alone waits for nobody


@pytest.mark.thorough
def test_the_answer_says_what_reading_all_experts_would_take() -> None:
    given = {"batch": "1 sequence", "context": "1 ktoken/sequence", "chips": "72 chip"}
    machine = Machine("gb200:fp8", "deepseek-v3")
    found = derive.solve("weight_time", machine.chip, machine.model, **given)
    assert found.base is not None
    whole = 671e9 / (machine["hbm_bandwidth"] * 72)
    (remark,) = [one for one in found.remarks if one.name == "unread_ratio"]
    assert remark.factor == pytest.approx(whole / found.base)
    assert remark.factor == pytest.approx(1 / machine.read_share(1))
    step = derive.solve("step_time", machine.chip, machine.model, **given)
    assert step.base == pytest.approx(machine.step(1, 1000, 72))
    (remark,) = [one for one in step.remarks if one.name == "unread_ratio"]
    assert remark.factor == pytest.approx(
        (whole + 1000 * machine["kv_bytes_per_token"] / machine["hbm_bandwidth"] / 72) / step.base
    )


@pytest.mark.thorough
def test_a_choice_keeps_to_the_domain_of_a_chip_and_the_context_of_a_model() -> None:
    given = {"batch": "4 sequence", "context": "1536 token/sequence"}
    for chips in (["1 chip", "8 chip", "32 chip"], "1..64 chip"):
        best = derive.least("step_time", "h200-sxm:fp8", "llama3-1-70b", chips=chips, **given)
        assert (best.answer.given["chips"].base[1], best.proved) == (8, True)
    inside = {"batch": "4 sequence", "chips": "8 chip", "context": "8 ktoken/sequence"}
    assert not derive.solve("step_time", "h200-sxm:fp8", "llama3-70b", **inside).failed
    outside = derive.solve("step_time", "h200-sxm:fp8", "llama3-70b", **{**inside, "context": "9 ktoken/sequence"})
    assert [check.name for check in outside.failed] == ["within_context_limit"]
    assert "within_context_limit does not hold" in outside.text().split("\n\n")[0]
    free = {"batch": "4 sequence", "chips": "8 chip", "context": "1..100000 token/sequence"}
    best = derive.most("context", "h200-sxm:fp8", "llama3-70b", **free, such_that="step_time <= 20 ms")
    assert best.value.to("token/sequence").magnitude == pytest.approx(8192)


@pytest.mark.parametrize(("prompt", "output", "fails"), [(8192, 0, False), (8193, 0, True), (8000, 193, True)])
def test_a_request_keeps_to_the_context_of_its_model(prompt: int, output: int, fails: bool) -> None:
    given = {"chips": "8 chip", "prompt_tokens": f"{prompt} token/sequence"}
    asked = "prefill_time"
    if output:
        given |= {"output_tokens": f"{output} token/sequence", "batch": "1 sequence", "context": "1 token/sequence"}
        asked = "request_time"
    answer = derive.solve(asked, "h200-sxm:fp8", "llama3-70b", **given)
    assert bool(answer.failed) is fails
    assert {check.name for check in answer.failed} <= {"prompt_within_limit", "request_within_limit"}


def test_a_question_of_no_step_may_count_more_chips_than_a_domain_has() -> None:
    assert not derive.solve("domain_egress", "h200-sxm:fp8", chips="16 chip").failed


def test_the_best_batch_at_a_context_is_where_arithmetic_takes_as_long_as_reading() -> None:
    point = {"context": "2 ktoken/sequence", "chips": "8 chip"}
    machine = Machine("gb200:fp8", "llama3-1-405b")
    best = derive.solve("kv_optimal_batch", machine.chip, machine.model, **point).base
    assert best is not None
    arms = [
        derive.solve(name, machine.chip, machine.model, **point, batch=f"{best!r} sequence").base
        for name in ("compute_time", "memory_time")
    ]
    assert arms[0] == pytest.approx(arms[1])


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


@pytest.mark.ordinary(1)
@pytest.mark.parametrize("machines", [1, 3, 40])
def test_the_price_of_whole_machines_leaves_open_how_many_of_the_last_one_train(machines: int) -> None:
    given = {"chip_capital": "40000 USD/chip", "chips_per_node": "8 chip"}
    with pytest.raises(AmbiguousError) as caught:
        derive.solve("training_chips", cluster_capital=f"{machines * 320000} USD", **given)
    (answer,) = caught.value.answers
    assert answer.bounds == pytest.approx((8 * machines - 8, 8 * machines))
    with pytest.raises((NoSolutionError, LimitError)):
        derive.solve("training_chips", cluster_capital=f"{machines * 320000 + 1} USD", **given)
