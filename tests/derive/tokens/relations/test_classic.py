"""The classic transformer beside the models of the catalogue: what says how they compare, and what is never assumed."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

import derive
from tests.ordinary import every, one_in

MODELS = [name for name in derive.llm.profiles if "layers" in derive.profile(name).values]
WITHOUT = derive.llm.without("classic_kv_ratio", "head_fill")
SERVED = ("chips", "batch", "context")
SERVING = {"chips": "64 chip", "batch": "64 sequence", "context": "8 ktoken/sequence"}
ASKED = ("kv_heads", "attention_heads", "head_dimension", "hidden_size", "layers", "kv_bytes_per_token", "query_group")
ASKED += ("kv_bytes_per_element", "kv_bytes_per_layer", "kv_bytes_per_sequence", "step_time", "latent_size")


def told(library: derive.Library, target: str, *profiles: str, **given: str) -> object:
    """The value of an answer to nine digits, or the kind of error."""
    try:
        base = library.solve(target, *profiles, **given).base
    except derive.DeriveError as error:
        return type(error).__name__
    return f"{base:.9g}"


@pytest.mark.thorough
@pytest.mark.parametrize("model", one_in(12, MODELS, MODELS, thorough=3))
@every("target", ASKED, ordinary=4)
def test_definitions_beside_a_model_change_no_answer(model: str, target: str) -> None:
    for profiles in ((model,), ("h100-sxm:fp8", model)):
        serving = SERVING if len(profiles) > 1 else {}
        assert told(derive.llm, target, *profiles, **serving) == told(WITHOUT, target, *profiles, **serving)


@pytest.mark.thorough
@every("model", MODELS, ordinary=3)
def test_the_ratio_of_a_model_with_heads_is_that_of_its_keys_to_its_hidden_size(model: str) -> None:
    values = {name: value.number for name, value in derive.profile(model).values.items()}
    if "kv_bytes_per_token" not in values:
        assert told(derive.llm, "classic_kv_ratio", model) == "UnderdeterminedError"
        return
    ratio = derive.solve("classic_kv_ratio", model).base
    if "latent_size" in values:
        width = (values["latent_size"] + values["rope_dimension"]) / 2
    else:
        width = values["kv_heads"] * values["head_dimension"]
        fill = values["attention_heads"] * values["head_dimension"] / values["hidden_size"]
        assert derive.solve("head_fill", model).base == pytest.approx(fill)
    assert ratio == pytest.approx(width / values["hidden_size"])


SIZES = st.tuples(st.integers(1, 128), st.integers(1, 64), st.sampled_from([1, 2, 4, 8, 16]), st.integers(8, 256))


@given(SIZES, st.sampled_from([1, 2]))
def test_a_classic_shape_gives_its_cache_and_what_stands_on_it(sizes: tuple[int, int, int, int], width: int) -> None:
    layers, kv_heads, group, head_dimension = sizes
    hidden_size = kv_heads * group * head_dimension
    shape = {"layers": layers, "hidden_size": hidden_size, "kv_bytes_per_element": f"{width} byte"}
    cache = 2 * layers * kv_heads * head_dimension * width
    known = derive.solve("kv_bytes_per_token", **shape, classic_kv_ratio=1 / group)
    assert known.base == pytest.approx(cache)
    heads = {"attention_heads": kv_heads * group, "kv_heads": kv_heads}
    assert derive.solve("kv_bytes_per_token", **shape, **heads, head_fill=1).base == pytest.approx(cache)
    held = {"batch": "16 sequence", "context": "1000 token/sequence"}
    assert derive.solve("kv_bytes", **shape, **held, classic_kv_ratio=1 / group).base == pytest.approx(16000 * cache)
    back = derive.solve("classic_kv_ratio", **shape, kv_bytes_per_token=f"{cache} byte/token")
    assert back.base == pytest.approx(1 / group)


def test_the_hidden_size_alone_does_not_say_how_large_a_cache_is() -> None:
    with pytest.raises(derive.UnderdeterminedError) as caught:
        derive.solve("kv_bytes_per_token", layers=80, hidden_size=8192, kv_bytes_per_element="2 byte")
    assert ("classic_kv_ratio",) in caught.value.missing


@pytest.mark.thorough
@given(st.integers(1, 2**16))
def test_an_inner_size_is_not_taken_from_the_proportions_of_the_classic_layer(hidden_size: int) -> None:
    with pytest.raises(derive.UnderdeterminedError, match=r"default of widening, 4, is .* never run back") as caught:
        derive.solve("feedforward_size", hidden_size=hidden_size)
    assert ("widening",) in caught.value.missing
    stated = derive.solve("feedforward_size", hidden_size=hidden_size, widening=3.5)
    assert stated.base == pytest.approx(3.5 * hidden_size)
