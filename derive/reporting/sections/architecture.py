"""What a token leaves in the cache, from the shapes of the model."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Series
from derive.relations import library
from derive.reporting.asking import held, letter, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.solving.answer import Answer
from quantities.source import Source

__all__ = ["MODELS", "architecture"]

_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026")
MODELS = {
    "Llama 3 70B": "llama3-70b",
    "Llama 3.1 405B": "llama3-1-405b",
    "Mixtral 8x22B": "mixtral-8x22b",
    "Qwen3 235B": "qwen3-235b-a22b",
    "GLM-4.5": "glm-4-5",
    "DeepSeek-V3": "deepseek-v3",
    "Kimi K2": "kimi-k2",
}


def architecture() -> Iterator[Block]:
    """S19."""
    yield Heading("S19. The cache from the architecture")
    yield Text(
        "What a token leaves behind is a matter of shapes. Each layer keeps a key and a value for each of its "
        "key-value heads; latent attention keeps one short vector from which all of them can be worked out, and one "
        "key for the position."
    )
    yield from stated("grouped_kv", "latent_kv", "kv_layers", "kv_bytes_per_token", "windowed_kv")
    yield worked("What DeepSeek-V3 keeps of a token", solve("kv_bytes_per_token", "deepseek-v3"))
    yield _architectures()
    one = {"kv_heads": 8, "head_dimension": 128, "kv_bytes_per_element": "1 byte", "latent_size": 0}
    layer = solve("kv_bytes_per_layer", **one)
    cliff = ("h100-sxm:fp8", "gemini-2-5-pro-prices")
    left = solve("implied_kv_bytes_per_token", *cliff, active_parameters="100 Gparameter")
    kept = solve("kv_layers", **one, kv_bytes_per_token=left.value)
    yield Text(
        "Now backwards. The blackboard makes its 2 KB plausible with 8 heads of 128, shared across layers. A single "
        f"such layer in FP8 keeps {say(layer, 4)}. What the six lines left, {say(kept, 3)} layers' worth, is less than "
        "one layer: *all* layers would have to share one cache.",
        (_LECTURE,),
    )
    yield Text("Windows are the other way out. A layer with a window forgets, and its cache stops growing:")
    yield _window_picture()


def _window_picture() -> Picture:
    models = {
        "Llama 3.1 405B: grouped heads": "llama3-1-405b",
        "Gemma 3 27B: five of six layers windowed": "gemma-3-27b",
        "DeepSeek-V3: latent": "deepseek-v3",
    }
    series = []
    for label, model in models.items():
        context = span("256..1000000 token/sequence", 73, log=True)
        swept = library().sweep("kv_bytes_per_sequence", model, context=context)
        series.append(Series.of(swept.axes["context"], swept.columns["kv_bytes_per_sequence"] / 1e9, label))
    window = held("gemma-3-27b", "attention_window")
    chart = Chart(
        Axis("context [token/sequence]", log=True),
        Axis("GB/sequence", log=True),
        tuple(series),
    )
    caption = (
        f"The cache of a sequence against its context. Gemma 3's bends at its window, {window}: beyond it only the "
        "global layers go on growing."
    )
    return Picture("prices-cache", (chart,), caption)


def _architectures() -> Block:
    rows: dict[str, list[Answer | str]] = {
        label: [solve("kv_bytes_per_layer", model), held(model, "layers"), solve("kv_bytes_per_token", model)]
        for label, model in MODELS.items()
    }
    columns = ("model", "a layer keeps", "layers", letter("kv_bytes_per_token"))
    return table(rows, columns, "The cache of a token, as published or from the shapes.", 6)
