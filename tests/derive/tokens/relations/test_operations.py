"""The operations of a transformer part by part: counted matrix by matrix here, and asked of every model."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import derive
from quantities.profiles import Facts
from tests.ordinary import one_of_each

FACTS = Facts("models")
MODELS = [name for name in FACTS if "index_heads" not in FACTS[name].values]
PARTS = ("qkv", "output", "score", "feedforward", "logit")
LENGTH = 4096


def shapes(model: str) -> dict[str, float]:
    return {"feedforward_matrices": 3.0} | {name: value.base[1] for name, value in FACTS[model].values.items()}


def parts(shape: Mapping[str, float]) -> dict[str, float]:
    """Operations of one token forward: twice the elements of each matrix that it meets, and of each pair."""
    hidden, heads, layers = shape["hidden_size"], shape["attention_heads"], shape["layers"]
    if "latent_size" in shape:
        key, value = shape["content_dimension"] + shape["rope_dimension"], shape["value_dimension"]
        query, latent = shape["query_latent_size"], shape["latent_size"]
        qkv = hidden * query + query * heads * key + hidden * (latent + shape["rope_dimension"])
        qkv += latent * heads * (shape["content_dimension"] + value)
    else:
        key = value = shape["head_dimension"]
        qkv = hidden * heads * key + 2 * hidden * shape["kv_heads"] * key
    experts = shape.get("expert_layers", 0)
    each = shape.get("active_experts", 0) + shape.get("shared_experts", 0)
    expert = shape["feedforward_matrices"] * hidden * shape.get("expert_size", 0)
    forward = experts * (hidden * shape.get("experts", 0) + each * expert)
    forward += (layers - experts) * shape["feedforward_matrices"] * hidden * shape.get("feedforward_size", 0)
    seen = layers * LENGTH
    if "global_layers" in shape:  # what a window hides on one side of a token and on the other
        seen -= (layers - shape["global_layers"]) * max(0, LENGTH - shape["attention_window"]) ** 2 / LENGTH
    met = {"qkv": layers * qkv, "output": layers * heads * value * hidden, "score": heads * (key + value) * seen}
    met |= {"feedforward": forward, "logit": hidden * shape["vocabulary"]}
    return {part: 2 * elements for part, elements in met.items()}


def active(model: str) -> str:
    """The library's count of what a token of the model passes."""
    shape = shapes(model)
    if "experts" not in shape:
        return "counted_parameters"
    kind = "latent_" if "latent_size" in shape else "" if "feedforward_size" in shape else "uniform_"
    return f"{kind}mixture_active_parameters"


def asked(target: str, *profiles: str, **given: str | float) -> float:
    base = derive.solve(target, *profiles, **given).base
    assert base is not None
    return base


@pytest.mark.parametrize("model", one_of_each(MODELS))
def test_the_parts_of_a_model_are_what_its_matrices_and_pairs_take(model: str) -> None:
    answer = derive.solve("training_counted_flops_per_sequence", model, sequence_length=f"{LENGTH} token/sequence")
    found = {}
    for step in answer.steps:
        assert step.result is not None
        (low, _), unit = step.result
        found[step.quantity] = unit.to_base(low)
    by_hand = parts(shapes(model))
    for part, flops in by_hand.items():
        assert found[f"{part}_flops_per_token"] == pytest.approx(flops, rel=1e-12), part
    assert answer.base == pytest.approx(3 * LENGTH * sum(by_hand.values()), rel=1e-12)


@pytest.mark.parametrize("model", one_of_each([name for name in MODELS if name != "llama4-scout"]))
def test_the_parts_add_up_to_the_active_parameters_less_the_looking_up_of_tokens(model: str) -> None:
    shape = shapes(model)
    looked_up = (shape["embedding_matrices"] - 1) * shape["vocabulary"] * shape["hidden_size"]
    by_hand = parts(shape)
    matrices = sum(by_hand.values()) - by_hand["score"]
    assert matrices == pytest.approx(2 * (asked(active(model), model) - looked_up), rel=1e-12)
    assert 3 * by_hand["score"] == pytest.approx(
        asked("training_attention_flops_per_token", model, sequence_length=f"{LENGTH} token/sequence"), rel=1e-12
    )


SEQUENCE = {"sequence_length": f"{LENGTH} token/sequence"}


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_the_same_share_of_a_token_forward_and_in_training(part: str) -> None:
    token = asked(f"{part}_flops_per_token", "llama3-1-70b", **SEQUENCE)
    share = asked(f"{part}_flops_share", "llama3-1-70b", **SEQUENCE)
    assert share == pytest.approx(token / sum(parts(shapes("llama3-1-70b")).values()), rel=1e-12)
    assert asked(f"training_{part}_flops_per_token", "llama3-1-70b", **SEQUENCE) == pytest.approx(3 * token, rel=1e-12)


def test_the_sizes_of_a_layer_follow_from_the_operations_of_its_parts() -> None:
    shape = {name: FACTS["llama3-1-70b"].values[name].base[1] for name in ("hidden_size", "kv_heads", "head_dimension")}
    # 2 x 80 layers x 8192 x 128 x (64 + 2 x 8) operations for queries, keys and values
    assert asked("attention_heads", **shape, layers=80, qkv_flops_per_token="13.42177280 GFLOP/token") == pytest.approx(
        64
    )
    # 2 x 80 x 3 x 8192 x 28672
    flops = "112.74289152 GFLOP/token"
    assert asked("feedforward_size", hidden_size=8192, layers=80, feedforward_flops_per_token=flops) == pytest.approx(
        28672
    )


def test_a_model_that_selects_its_tokens_is_not_counted_as_if_it_attended_to_all() -> None:
    with pytest.raises(derive.UnderdeterminedError, match="index_bytes_per_token == 0 is false"):
        derive.solve("score_flops_per_token", "deepseek-v3-2", **SEQUENCE)


# Recomputation. A GPT of Korthikanti et al., arXiv 2205.05198, tables 3 and 5: 22B, 48 layers of 6144, 64 heads, 4
# sequences on 8 A100 in 1.10 s with selective recomputation.
GPT: dict[str, str | float] = {
    "layers": 48,
    "hidden_size": 6144,
    "attention_heads": 64,
    "kv_heads": 64,
    "head_dimension": 96,
    "feedforward_size": 24576,
    "feedforward_matrices": 2,
    "vocabulary": 51200,
}
STEP: dict[str, str | float] = {"global_batch": "4 sequence", "sequence_length": "2048 token/sequence"}
MEASURED: dict[str, str | float] = {
    **STEP,
    "training_chips": "8 chip",
    "training_step_time": "1.10 s",
    "peak_compute": "312 TFLOP/s/chip",
}


def test_a_gpt_counted_by_its_parts_is_the_classic_transformer() -> None:
    classic = {"layers": 48, "hidden_size": 6144, "vocabulary": 51200, **STEP}
    pairs = {
        "counted_step_compute": "classic_step_compute",
        "full_recomputation_compute": "classic_hardware_compute",
        "selective_recomputation_compute": "classic_selective_compute",
    }
    for target, name in pairs.items():
        assert asked(target, **GPT, **STEP) == pytest.approx(asked(name, **classic, recomputed_share=1.0), rel=1e-12)


def test_needed_and_performed_operations_of_a_measured_step() -> None:
    # 8192 tokens x (3 x (2 x (12 x 48 x 6144**2 + 6144 x 51200) + 4 x 48 x 6144 x 2048)) in 1.10 s x 8 x 312 TFLOP/s
    mfu = asked("counted_mfu", **GPT, **MEASURED)
    assert mfu == pytest.approx(0.415, rel=0.004)
    score = 8192 * 4 * 48 * 6144 * 2048 / (1.10 * 8 * 312e12)
    assert asked("selective_recomputation_hfu", **GPT, **MEASURED) == pytest.approx(mfu + score, rel=1e-12)
    # Their 43.7 % takes all of attention twice, backward included: three times the scores.
    assert mfu + 3 * score == pytest.approx(0.437, rel=0.004)
    layers = 8192 * (24 * 48 * 6144**2 + 4 * 48 * 6144 * 2048) / (1.10 * 8 * 312e12)
    assert asked("full_recomputation_hfu", **GPT, **MEASURED) == pytest.approx(mfu + layers, rel=1e-12)
    untimed = {name: value for name, value in MEASURED.items() if name != "training_step_time"}
    assert asked("training_step_time", **GPT, **untimed, counted_mfu=mfu) == pytest.approx(1.10)


def test_a_step_that_recomputes_performs_more_than_it_needs() -> None:
    run = {"active_parameters": "70 Gparameter", "batch_tokens": "4 Mtoken"}
    assert asked("step_compute", **run) == pytest.approx(6 * 70e9 * 4e6)
    assert asked("hardware_step_compute", **run, recomputed_share=1.0) == pytest.approx(8 * 70e9 * 4e6)
    back = asked("recomputed_share", **run, hardware_step_compute=f"{7 * 70e9 * 4e6} FLOP")
    assert back == pytest.approx(0.5)
    # PaLM, arXiv 2204.02311: 46.2 % needed, 57.8 % performed; three quarters of a forward pass are done again.
    again = asked("recomputed_share", training_mfu=0.462, training_hfu=0.578)
    assert again == pytest.approx(3 * (0.578 / 0.462 - 1))
