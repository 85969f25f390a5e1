"""Attention of every model of the catalogue, counted layer by layer, head by head and token by token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pytest

import derive
from quantities.profiles import Facts
from tests.ordinary import every, one_of_each

CHIPS = {
    "peak_compute": "1000 TFLOP/s/chip",
    "chips": "8 chip",
    "prefill_efficiency": 0.5,
    "chip_price": "2 USD/h/chip",
}
RATE = 1000e12 * 8 * 0.5
FACTS = Facts("models")
MODELS = list(FACTS)
PROMPTS = [(300, 0), (20_000, 0), (20_000, 700), (131_072, 0), (131_072, 100_000)]  # tokens, of which are found


def shapes(model: str) -> Mapping[str, float]:
    return {name: value.base[1] for name, value in FACTS[model].values.items()}


def elements(shape: Mapping[str, float]) -> float:
    """What one pair of tokens multiplies in all heads of a layer: a key and a value each."""
    if "latent_size" not in shape:
        return sum(shape["head_dimension"] + shape["head_dimension"] for _ in range(int(shape["attention_heads"])))
    key = shape["content_dimension"] + shape["rope_dimension"]
    return shape["attention_heads"] * (key + shape["value_dimension"])


def work(model: str, places: Iterable[int]) -> float:
    """The operations of attention for the tokens at these places, each of which sees itself and what is before it."""
    shape = shapes(model)
    width, index = elements(shape), shape.get("index_heads", 0) * shape.get("index_dimension", 0)
    kinds: dict[float, int] = {}
    for layer in range(int(shape["layers"])):
        is_global = layer < shape.get("global_layers", shape["layers"])
        sees = shape.get("selected_tokens", float("inf")) if is_global else shape["attention_window"]
        kinds[sees] = kinds.get(sees, 0) + 1
    total = 0.0
    for place in places:
        total += sum(2 * layers * (width * min(place, sees) + index * place) for sees, layers in kinds.items())
    return total


def asked(target: str, model: str, **given: str | float) -> float:
    base = derive.solve(target, *filter(None, [model]), **given).base
    assert base is not None
    return base


@pytest.mark.thorough
@pytest.mark.ordinary(1)
@pytest.mark.parametrize("model", one_of_each(MODELS))
def test_a_prefill_takes_what_its_tokens_heads_and_layers_take_together(model: str) -> None:
    for prompt, found in PROMPTS:
        computed = prompt - found
        parameters = 2 * shapes(model)["active_parameters"] * computed
        attention = work(model, range(found + 1, prompt + 1))
        given = {"prompt_tokens": f"{prompt} token/sequence", "cached_prompt_tokens": f"{found} token/sequence"}
        took = asked("prefill_compute", model, **given)
        # A place in the middle of a token: half a token of the mean that a token sees.
        assert took - parameters == pytest.approx(attention, rel=1.01 / computed)
        assert asked("prefill_time", model, **given, **CHIPS) == pytest.approx(took / RATE, rel=1e-9)
        throughput = asked("chip_prefill_throughput", model, **given, **CHIPS)
        assert throughput * 8 == pytest.approx(computed * RATE / took, rel=1e-9)


@pytest.mark.parametrize("model", one_of_each(MODELS))
def test_the_prompt_of_a_prefill_follows_from_its_time(model: str) -> None:
    time = derive.solve("prefill_time", model, prompt_tokens="50 ktoken/sequence", **CHIPS).value
    assert asked("prompt_tokens", model, prefill_time=time, **CHIPS) == pytest.approx(50e3, rel=1e-6)


@pytest.mark.parametrize("model", one_of_each(MODELS))
def test_the_last_token_of_a_context_sees_what_each_layer_shows_it(model: str) -> None:
    for context in (100, 5_000, 200_000):
        given = {"context": f"{context} token/sequence"}
        assert asked("attention_flops_per_token", model, **given) == pytest.approx(work(model, [context]), rel=1e-9)
    crossover = asked("attention_crossover", model)
    parameters = 2 * shapes(model)["active_parameters"]
    low, high = int(crossover), int(crossover) + 1
    assert work(model, [low]) <= parameters * (1 + 1e-9)
    assert work(model, [high]) >= parameters * (1 - 1e-9)


@pytest.mark.parametrize("model", one_of_each(MODELS))
def test_without_a_cache_each_token_passes_the_whole_context_again(model: str) -> None:
    context = 30_000
    again = asked("uncached_compute_per_token", model, context=f"{context} token/sequence")
    parameters = 2 * shapes(model)["active_parameters"] * context
    assert again - parameters == pytest.approx(work(model, range(1, context + 1)), rel=1.01 / context)


@every("model", one_of_each([name for name in MODELS if "index_heads" not in FACTS[name].values]), ordinary=4)
def test_training_takes_three_times_what_a_pass_over_the_past_takes(model: str) -> None:
    for length in (100, 30_000):
        given = {"sequence_length": f"{length} token/sequence", "causal_share": 0.5}
        mean = work(model, range(1, length + 1)) / length
        trained = asked("training_attention_flops_per_token", model, **given)
        assert trained == pytest.approx(3 * mean, rel=1.01 / length)


WINDOWED = [name for name in MODELS if "attention_window" in FACTS[name].values]


@every("model", WINDOWED, ordinary=3)
def test_the_cache_of_a_windowed_model_is_that_of_its_layers(model: str) -> None:
    shape = shapes(model)
    layer = 2 * shape["kv_heads"] * shape["head_dimension"] * shape["kv_bytes_per_element"]
    for context in (100, 5_000, 200_000):
        kept = sum(
            layer * (context if place < shape["global_layers"] else min(context, shape["attention_window"]))
            for place in range(int(shape["layers"]))
        )
        given = {"context": f"{context} token/sequence"}
        assert asked("kv_bytes_per_sequence", model, **given) == pytest.approx(kept, rel=1e-9)


@pytest.mark.thorough
@every("target", ["crossover_context", "context_capacity", "limit_kv_bytes", "handover_bytes"], ordinary=4)
@every("model", WINDOWED)
def test_where_the_mean_cache_of_one_context_stands_for_another_the_answer_says_so(model: str, target: str) -> None:
    given = {"batch": "8 sequence", "chips": "8 chip", "prompt_tokens": "9 ktoken/sequence"}
    told = derive.solve(target, model, "h200-sxm:bf16", context="50 ktoken/sequence", **given).assumptions
    share = asked("window_kv_share", model, context="50 ktoken/sequence")
    assert any("leaves out the bounds of windows: 0." in one for one in told) == (share >= 0.01)
    full = derive.solve(target, "llama3-1-70b", "h200-sxm:bf16", context="50 ktoken/sequence", **given).assumptions
    assert not any("window" in one for one in full)


@every("model", WINDOWED, ordinary=3)
@every("prefix", [1_000, 49_900])
def test_of_a_shared_prefix_a_windowed_layer_keeps_what_has_not_left_its_window(model: str, prefix: int) -> None:
    shape, context = shapes(model), 50_000
    layer = 2 * shape["kv_heads"] * shape["head_dimension"] * shape["kv_bytes_per_element"]
    kept = shared = 0.0
    for place in range(int(shape["layers"])):
        seen = context if place < shape["global_layers"] else min(context, shape["attention_window"])
        kept += layer * seen
        shared += layer * max(0, prefix - (context - seen))
    given = {"context": f"{context} token/sequence", "prefix_tokens": f"{prefix} token/sequence", "prefix_sharers": 4}
    read = kept - shared * 3 / 4
    assert asked("shared_kv_bytes", model, **given) == pytest.approx(read, rel=1e-9)
    assert asked("kv_read_share", model, **given) == pytest.approx(read / kept, rel=1e-9)


# What is left out is said


@pytest.mark.thorough
def test_a_prefill_of_parameters_alone_says_what_it_leaves_out_and_how_much_that_may_be() -> None:
    given = {"prompt_tokens": "8 ktoken/sequence", "active_parameters": "70 Gparameter"}
    told = derive.solve("prefill_time", **given, **CHIPS).assumptions
    assert any("attention is left out" in one and "17,000 (Qwen3-30B) to 660,000" in one for one in told)
    equal = {
        model: derive.solve("prompt_tokens", model, prefill_attention_flops_per_token=f"{2 * size} FLOP/token").base
        for model in MODELS
        if (size := shapes(model)["active_parameters"])
    }
    least, most = min(equal, key=equal.__getitem__), max(equal, key=equal.__getitem__)
    assert (least, most) == ("qwen3-30b-a3b", "gemma-3-27b")
    assert (equal[least], equal[most]) == (pytest.approx(17e3, rel=0.02), pytest.approx(660e3, rel=0.01))


@pytest.mark.parametrize(
    "target", ["prefill_time", "time_to_first_token", "prefill_cost", "prefill_load", "prefill_rate"]
)
def test_what_stands_on_a_prefill_of_a_known_model_counts_its_attention(target: str) -> None:
    given = {"prompt_tokens": "131072 token/sequence", **CHIPS}
    if target == "prefill_load":
        given["server_arrival_rate"] = "0.01 sequence/s"
    ratio = asked(target, "llama3-1-70b", **given) / asked(target, "", active_parameters="70.6 Gparameter", **given)
    assert ratio == pytest.approx(2.2167 if target != "prefill_rate" else 1 / 2.2167, rel=1e-4)
    assert not any("attention" in one for one in derive.solve(target, "llama3-1-70b", **given).assumptions)


def test_six_operations_for_each_parameter_and_token_say_what_attention_adds() -> None:
    run = {"training_tokens": "15.6 Ttoken"}
    known = derive.solve("training_compute", "llama3-1-405b", **run, sequence_length="8192 token/sequence")
    ratio = asked("training_attention_ratio", "llama3-1-405b", sequence_length="8192 token/sequence")
    assert any(
        f"leaves out attention: {ratio:.3g} of what it counts (training_attention_ratio)" in one
        for one in known.assumptions
    )
    unknown = derive.solve("training_compute", active_parameters="405 Gparameter", **run).assumptions
    assert not any("attention" in one for one in unknown)


def test_arithmetic_of_decode_counts_attention() -> None:
    step = {"chips": "72 chip", "batch": "256 sequence", "context": "8 ktoken/sequence"}
    found = derive.solve("compute_time", "llama3-1-70b", "h200-sxm:fp8", **step)
    ratio = work("llama3-1-70b", [8000]) / (2 * 70.6e9)
    assert found.base == pytest.approx(256 * 2 * 70.6e9 * (1 + ratio) / (1978.9e12 * 72))
    assert not any("attention" in one for one in found.assumptions)


@pytest.mark.parametrize("model", one_of_each([name for name in MODELS if "latent_size" in FACTS[name].values]))
@pytest.mark.parametrize("context", [1_000, 8_000, 131_072])
def test_in_decode_queries_meet_the_latents_themselves(model: str, context: int) -> None:
    shape = shapes(model)
    key = shape["latent_size"] + shape["rope_dimension"]
    seen = min(context, shape.get("selected_tokens", context))
    pairs = shape["attention_heads"] * (key + shape["latent_size"]) * seen
    pairs += shape.get("index_heads", 0) * shape.get("index_dimension", 0) * context
    ratio = 2 * shape["layers"] * pairs / (2 * shape["active_parameters"])
    given = {"chips": "72 chip", "batch": "256 sequence", "context": f"{context} token/sequence"}
    assert asked("decode_attention_ratio", model, **given) == pytest.approx(ratio, rel=1e-9)
    parameters = 256 * 2 * shape["active_parameters"] / (1978.9e12 * 72)
    found = derive.solve("compute_time", model, "h200-sxm:fp8", **given)
    assert found.base == pytest.approx(parameters * (1 + ratio), rel=1e-9)
