"""Sizes counted from shapes: every model against what is published of it, and what a typed shape moves."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

import derive
from derive import Answer
from quantities.profiles import Facts, Profile
from tests.ordinary import every, one_of_each

FACTS = Facts("models")
SIZES = ("total_parameters", "active_parameters")
SHAPES = {name: {key: value.base[1] for key, value in FACTS[name].values.items()} for name in FACTS}

# A published size may lie so far from the count, besides the range that is stated of it: it is rounded to two digits.
MARGIN = 0.02
MARGINS = {
    "chinchilla-70b": 0.08,  # one more matrix of hidden x hidden in each layer, for relative positions
    "glm-5": 0.03,  # the input's embedding is not counted as active
}


def counted(shape: Mapping[str, float]) -> tuple[float, float]:
    """The elements of all matrices, and of those that one token passes, row by row of a model's configuration."""
    hidden, heads = shape["hidden_size"], shape["attention_heads"]
    if "latent_size" in shape:
        key, value = shape["content_dimension"] + shape["rope_dimension"], shape["value_dimension"]
        queries = shape["query_latent_size"] * (hidden + heads * key)
        keys = hidden * (shape["latent_size"] + shape["rope_dimension"])
        attention = queries + keys + shape["latent_size"] * heads * (shape["content_dimension"] + value)
        attention += heads * value * hidden
    else:
        attention = 2 * hidden * shape["head_dimension"] * (heads + shape["kv_heads"])
    matrices = shape.get("feedforward_matrices", 3)
    sparse, expert = shape.get("expert_layers", 0), matrices * hidden * shape.get("expert_size", 0)
    dense = (shape["layers"] - sparse) * matrices * hidden * shape.get("feedforward_size", 0)
    common = shape["layers"] * attention + dense + sparse * hidden * shape.get("experts", 0)
    common += hidden * (shape["embedding_matrices"] * shape["vocabulary"] + shape.get("positions", 0))
    each = [
        sparse * expert * (shape.get(of, 0) + shape.get("shared_experts", 0)) for of in ("experts", "active_experts")
    ]
    return common + each[0], common + each[1]


def size_of(answer: Answer) -> float:
    assert answer.base is not None
    return answer.base


@pytest.mark.parametrize("model", one_of_each(FACTS))
def test_the_size_of_every_model_follows_from_its_shapes(model: str) -> None:
    values = FACTS[model].values
    bare = Profile(model, {name: value for name, value in values.items() if name not in (*SIZES, "training_compute")})
    for name, by_hand in zip(SIZES, counted(SHAPES[model]), strict=True):
        answer = derive.solve(name, bare)
        assert size_of(answer) == pytest.approx(by_hand, rel=1e-12), name
        assert not answer.failed
        low, _, high = values[name].base
        margin = MARGINS.get(model, MARGIN)
        assert low * (1 - margin) <= by_hand <= high * (1 + margin), name


@pytest.mark.parametrize("model", one_of_each(FACTS))
def test_a_published_size_is_kept_and_what_the_shapes_do_not_count_is_worked_out(model: str) -> None:
    published = FACTS[model].values
    answer = derive.solve("weight_bytes", model)
    assert size_of(answer) == SHAPES[model]["total_parameters"] * SHAPES[model]["bytes_per_parameter"]
    assert not answer.failed
    rests = ("uncounted_parameters", "uncounted_active_parameters")
    total, active = (published[name].base[1] for name in SIZES)
    all_matrices, passed = counted(SHAPES[model])
    for rest, by_hand in zip(rests, (total - all_matrices, active - passed), strict=True):
        assert size_of(derive.solve(rest, model)) == pytest.approx(by_hand, rel=1e-6, abs=1e-3 * passed * 1e-6)


TYPED = [
    ("llama3-70b", {"layers": 40}),
    ("llama3-70b", {"kv_heads": 64}),
    ("llama3-8b", {"vocabulary": 32000}),
    ("gpt3-175b", {"feedforward_size": 24576}),
    ("gemma-3-27b", {"hidden_size": 4096}),
    ("mixtral-8x7b", {"layers": 16, "expert_layers": 16}),
    ("mixtral-8x7b", {"experts": 16}),
    ("qwen3-30b-a3b", {"expert_size": 384}),
    ("deepseek-v3", {"experts": 128}),
    ("deepseek-v3", {"active_experts": 4}),
    ("deepseek-v3", {"latent_size": 1024}),
    ("deepseek-v3", {"layers": 40, "expert_layers": 37}),
]


@pytest.mark.thorough
@every(("model", "typed"), TYPED, ordinary=4)
def test_a_shape_that_is_typed_over_a_model_moves_its_weights_and_its_arithmetic(
    model: str, typed: dict[str, float]
) -> None:
    total, passed = counted(SHAPES[model] | typed)
    passes = {"batch": "1 sequence", "flops_per_parameter": "2 FLOP/parameter/token"}
    weights, arithmetic = (
        derive.solve("weight_bytes", model, **typed),
        derive.solve("pass_compute", model, **passes, **typed),
    )
    if total != pytest.approx(counted(SHAPES[model])[0], rel=1e-12):
        assert size_of(weights) == pytest.approx(total * SHAPES[model]["bytes_per_parameter"], rel=1e-12)
        assert "total_parameters" in {check.name for check in weights.failed} or size_of(weights) > 0
    assert not set(typed) & {*weights.unused} or "active_experts" in typed
    assert size_of(arithmetic) == pytest.approx(2 * passed, rel=1e-12)


def test_a_step_follows_a_typed_shape_wholly() -> None:
    chip = {"chips": "8 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}
    answer = derive.solve("step_time", "llama3-70b", "h100-sxm:fp8", **chip, layers=40)
    total, _ = counted(SHAPES["llama3-70b"] | {"layers": 40})
    cache = 64 * 8000 * 40 * 2 * 8 * 128 * 2
    assert size_of(answer) == pytest.approx((2 * total + cache) / (8 * 3.35e12))
    assert not answer.unused


def test_a_shape_that_is_typed_as_it_is_changes_nothing_and_says_so() -> None:
    answer = derive.solve("weight_bytes", "llama3-70b", layers=80)
    assert (size_of(answer), answer.unused) == (2 * 70.6e9, ("layers",))


def test_more_layers_with_experts_than_layers_are_told() -> None:
    answer = derive.solve("weight_bytes", "mixtral-8x7b", layers=16)
    assert "layers_with_experts" in {check.name for check in answer.failed}


# Sizes without shapes


def test_a_model_of_which_the_total_alone_is_stated_is_dense() -> None:
    answer = derive.solve("active_parameters", total_parameters="70 Gparameter")
    assert size_of(answer) == 70e9
    assert answer.given["idle_expert_parameters"].base[1] == 0


def test_a_model_with_experts_is_no_dense_one_whatever_is_not_stated_of_it() -> None:
    with pytest.raises(derive.UnderdeterminedError, match="expert_width > 0 is false"):
        derive.solve("active_parameters", total_parameters="671 Gparameter", experts=256, active_experts=8)
    shapes = {name: SHAPES["deepseek-v3"][name] for name in ("hidden_size", "expert_size", "expert_layers")}
    told = derive.solve("active_parameters", total_parameters="671 Gparameter", experts=256, active_experts=8, **shapes)
    assert size_of(told) == pytest.approx(671e9 - 58 * 248 * 3 * 7168 * 2048)
    assert not told.failed


def test_a_width_says_how_wide_a_feed_forward_layer_is_and_a_size_how_deep_a_model() -> None:
    shape = {
        name: SHAPES["llama3-70b"][name] for name in ("hidden_size", "attention_heads", "kv_heads", "head_dimension")
    }
    shape |= {"vocabulary": 128256, "embedding_matrices": 2}
    wide = derive.solve("total_parameters", **shape, layers=80, widening=3.5)
    assert size_of(wide) == pytest.approx(counted(SHAPES["llama3-70b"])[0], rel=1e-12)
    deep = derive.solve("layers", **shape, widening=3.5, total_parameters=f"{size_of(wide)} parameter")
    assert size_of(deep) == pytest.approx(80)


# Counts


@pytest.mark.parametrize(
    "name", ["layers", "attention_heads", "kv_heads", "experts", "active_experts", "global_layers"]
)
def test_layers_heads_and_experts_are_whole(name: str) -> None:
    with pytest.raises(derive.DomainError, match="is a count"):
        derive.solve("total_parameters", "llama3-70b", **{name: 40.5})


def test_a_depth_that_is_worked_out_names_the_whole_ones_beside_it() -> None:
    shape = {
        name: SHAPES["llama3-70b"][name] for name in ("hidden_size", "attention_heads", "kv_heads", "head_dimension")
    }
    shape |= {"vocabulary": 128256, "embedding_matrices": 2, "feedforward_size": 28672}
    deep = derive.solve("layers", **shape, total_parameters="70 Gparameter")
    assert 79 < size_of(deep) < 80
    assert "79" in deep.whole
    assert "80" in deep.whole


# Backwards

WORKED = {
    model: {name: value.base[1] for name, value in FACTS[model].values.items() if value.unit.is_number}
    for model in ("llama3-70b", "mixtral-8x7b", "deepseek-v3")
}


@pytest.mark.thorough
@every(("model", "name"), [(model, name) for model, shape in WORKED.items() for name in shape], ordinary=6)
def test_each_shape_comes_back_from_what_a_token_passes(model: str, name: str) -> None:
    shape = WORKED[model]
    rest = {other: number for other, number in shape.items() if other != name}
    size = f"{counted(shape)[name != 'experts']!r} parameter"
    target = "total_parameters" if name == "experts" else "active_parameters"
    found = [one.base for one in derive.solve_all(name, **rest, **{target: size})]
    assert any(one == pytest.approx(shape[name], rel=1e-6) for one in found)


@pytest.mark.thorough
def test_a_total_does_not_say_how_many_experts_a_token_is_sent_to() -> None:
    shape = {name: number for name, number in WORKED["deepseek-v3"].items() if name != "active_experts"}
    for total in (counted(WORKED["deepseek-v3"])[0], 671e9):
        with pytest.raises((derive.UnderdeterminedError, derive.NoSolutionError)):
            derive.solve("active_experts", **shape, total_parameters=f"{total!r} parameter")
