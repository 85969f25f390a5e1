"""S13 of the layout: layers in stages, the memory that they free and leave, latency, traffic and bubbles."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.errors import VerificationError
from derive.relations import library
from derive.reporting.asking import closed_form, held, number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Items, Picture, Text
from derive.solving.answer import Answer

_SERVED = ("h100-sxm:fp8", "deepseek-v3")
_STAGE = {"chips": "8 chip", "context": "8 ktoken/sequence"}
_NODE = {**_STAGE, "batch": "256 sequence"}
_WEIGHTS = ("stages", "chips", "total_parameters", "bytes_per_parameter")
_CACHE = ("stages", "chips", "batch", "context", "kv_bytes_per_token")
_WIDTHS = {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}
_RUN = {"global_batch": "15360 sequence", "data_ways": 128, "micro_batch": "1 sequence"}


def blocks() -> Iterator[Block]:
    """Memory, latency, traffic and the bubble."""
    yield Heading("S13. Pipelining")
    yield from _memory()
    yield from _proof()
    yield from _latency()
    yield from _traffic()
    yield from _bubble()


def _memory() -> Iterator[Block]:
    yield from stated("pipeline_batch", "weight_bytes_per_chip", "kv_bytes_per_chip", "held_bytes_per_chip")
    yield Text(
        "Stages divide the layers among groups of chips, and each group keeps its own layers only. One would think "
        "that this divides all memory. But a pipeline with one batch in it has one stage at work and the others "
        "idle. To keep all of them busy there must be as many batches under way as there are stages, and every one "
        "of them has a cache in every stage."
    )
    yield worked("DeepSeek-V3 in four stages of eight H100", solve("held_bytes_per_chip", *_SERVED, **_NODE, stages=4))


def _proof() -> Iterator[Block]:
    yield Heading("The stages cancel from the cache, and only from the cache", 3)
    facts = _proved()
    yield Text("Put into one formula each, with the batch of a stage as the given:")
    yield closed_form("weight_bytes_per_chip", _WEIGHTS)
    yield closed_form("kv_bytes_per_chip", _CACHE)
    yield Text(
        "The number of stages was among the givens of both lines and is in the first alone. With it to infinity the "
        "weights vanish and the cache stays as it was:"
    )
    yield closed_form("held_bytes_per_chip", (*_WEIGHTS, *_CACHE))
    yield Text(
        "Reading formulas is no proof. Whenever this page is made these are worked out, and without them there is no "
        "page:"
    )
    yield Items(facts)
    yield Text("Turned for the stages: none are enough if the cache alone is more than a chip may hold.")
    yield closed_form("stages", ("held_bytes_per_chip", *_WEIGHTS[1:], *_CACHE[1:]))
    few = solve("stages", *_SERVED, **_NODE, held_bytes_per_chip="60 GB/chip")
    yield Text(f"At 60 GB on each chip that is {say(few, 3)} stages for the model above.")
    yield _memory_picture()
    yield Text(
        "What one would stumble over: with all the batches together as the given, the stages stand below both. That "
        "is no contradiction. Then each stage has a smaller batch to itself, reads the same weights for fewer "
        "tokens, and the saving in memory is paid for in time."
    )
    yield closed_form("kv_bytes_per_chip", ("stages", "chips", "pipeline_batch", "context", "kv_bytes_per_token"))


def _proved() -> tuple[str, ...]:
    """What the stages do to weights and cache, each of it shown by algebra."""
    from sympy import diff, limit, oo, simplify

    stages = library().quantities["stages"]
    weights = library().formula("weight_bytes_per_chip", _WEIGHTS)
    cache = library().formula("kv_bytes_per_chip", _CACHE)
    held_in_all = library().formula("held_bytes_per_chip", (*_WEIGHTS, *_CACHE))
    facts = {
        "the stages cancel from the cache": stages not in cache.free_symbols,
        "they divide the weights": stages not in simplify(weights * stages).free_symbols,
        "one stage more frees weights and nothing else": simplify(diff(held_in_all, stages) + weights / stages) == 0,
        "the cache is what remains of both as the stages go to infinity": simplify(
            limit(held_in_all, stages, oo) - cache
        )
        == 0,
    }
    for fact, holds in facts.items():
        if not holds:
            raise VerificationError(f"A proof of the report fails: {fact}.")
    return tuple(facts)


def _memory_picture() -> Picture:
    names = ("weight_bytes_per_chip", "kv_bytes_per_chip", "held_bytes_per_chip")
    stages = span("1..16", 61)
    swept = library().sweep(names, *_SERVED, **_NODE, stages=stages)
    fixed = library().sweep(("kv_bytes_per_chip",), *_SERVED, **_STAGE, pipeline_batch="256 sequence", stages=stages)
    labels = ("weights", "KV cache", "both")
    series = [
        Series.of(
            swept.axes["stages"],
            swept.columns[name] / 1e9,
            label,
            style="line" if name == "held_bytes_per_chip" else "dashed",
            strong=name == "held_bytes_per_chip",
        )
        for name, label in zip(names, labels, strict=True)
    ]
    series.append(
        Series.of(
            fixed.axes["stages"], fixed.columns["kv_bytes_per_chip"] / 1e9, "KV cache of 256 in all", style="dotted"
        )
    )
    chart = Chart(
        Axis("stages of eight H100"),
        Axis("memory of a chip [GB]", low=0),
        tuple(series),
        (Mark(80, "what an H100 has", "y"),),
    )
    caption = (
        "Memory per chip against the stages of the pipeline: DeepSeek-V3, 256 sequences of 8k tokens in each stage. "
        "The weights thin out, the cache does not."
    )
    return Picture("layout-pipeline", (chart,), caption)


def _latency() -> Iterator[Block]:
    yield Heading("Latency", 3)
    yield from stated("hops", "hop_delay", "pipeline_latency")
    lecture = solve("hop_delay", stages=4, hop_time="2 ms")
    rows = {}
    for stages in (2, 4, 8, 16):
        given = {**_NODE, "stages": stages}
        times = [
            solve(one, *_SERVED, **given, hop_time="2 ms") for one in ("step_time", "hop_delay", "pipeline_latency")
        ]
        rows[str(stages)] = [*times, solve("pipeline_latency", *_SERVED, **given, hop_time="20 us")]
    yield Text(
        "A token passes all stages one after the other, and each takes its part of the reading. The parts add up to "
        "what one stage would take: stages buy no speed. They cost the hops, and one hop more than there are "
        "boundaries, since the new token has to return to where the first layers are."
    )
    columns = ("stages", "reading", "hops at 2 ms", "together", "at 20 us a hop")
    yield table(rows, columns, "One token of DeepSeek-V3 through stages of eight H100.", 4)
    yield Text(
        f"At the lecture's 2 ms a hop, four stages add {say(lecture)}, which it rounds to 10. What a hop takes is a "
        "matter of software more than of wires; at some tens of microseconds nobody would notice."
    )


def _traffic() -> Iterator[Block]:
    yield Heading("Traffic", 3)
    yield from stated("boundary_bytes_per_token", "stage_exchange_ratio")
    rows: dict[str, list[Answer | str]] = {}
    for model in ("deepseek-v3", "kimi-k2", "qwen3-235b-a22b"):
        given = {"stages": 4, "activation_bytes_per_element": "2 byte", **_WIDTHS}
        ratio = solve("stage_exchange_ratio", model, **given)
        bytes_each = [solve(one, model, **given) for one in ("exchange_bytes_per_token", "boundary_bytes_per_token")]
        rows[model] = [held(model, "expert_layers"), *bytes_each, ratio]
    columns = ("model", "layers of experts", "exchange in one", "at a boundary", "ratio")
    yield table(rows, columns, "Bytes of one token inside a stage and at its end, in four stages.", 4)
    yield Text(
        "This is why the two cuts belong to two networks. What experts exchange is a hundred times and more of what "
        "a stage hands on, so experts stay inside the fast domain, and boundaries may lie where the wires are slow."
    )


def _bubble() -> Iterator[Block]:
    yield Heading("The bubble, and the slowest stage", 3)
    yield from stated("bubble_overhead", "bubble_share", "stage_balance")
    count = solve("micro_batches", **_RUN)
    plain = solve("bubble_share", stages=16, micro_batches=count.value)
    yield Text(
        "DeepSeek-V3 was trained on batches of 15360 sequences, in 16 stages, on 2048 chips (arXiv 2412.19437): 128 "
        f"copies of the pipeline. With one sequence to a micro-batch each copy gets {say(count)} of them."
    )
    yield worked("Its pipeline, if it were a plain one", plain)
    more = solve("micro_batches", stages=16, bubble_share=0.02)
    pieces = solve("interleaving", stages=16, micro_batches=120, bubble_share=0.02)
    least = solve("optimal_batch", "h800-sxm:fp8", "deepseek-v3", tokens_per_pass="4096 token/sequence")
    yield Text(
        f"To bring the bubble down to a fiftieth would take {say(more, 3)} micro-batches, or {say(pieces, 3)} pieces "
        "of the model on every stage. They let micro-batches enter from both ends instead."
    )
    yield closed_form("micro_batches", ("stages", "bubble_share", "interleaving"))
    yield _bubble_picture()
    uneven = solve("stage_balance", stages=16, step_time="61 ms", slowest_stage_time="4 ms")
    yield Text(
        "Micro-batches cannot be cut as small as one likes, since each of them reads the stage's weights anew. "
        "Training is spared the trouble: a sequence of 4096 tokens is a batch by itself. On an H800 "
        f"{number(least.value.magnitude)} of them balance reading and arithmetic. In decode a sequence brings one "
        "token, so every stage needs a batch of its own, and the pipeline as many as it has stages."
    )
    yield Text(
        "The beat is the slowest stage's. 61 layers do not divide by 16; if some stages have four of them and each "
        f"takes a millisecond, the stages are busy for {say(uneven, 3)} of the time at best."
    )


def _bubble_picture() -> Picture:
    series = []
    for stages, pieces in ((4, 1), (16, 1), (16, 4)):
        swept = library().sweep(
            ("bubble_share",), stages=stages, interleaving=pieces, micro_batches=span("1..512", 55, log=True)
        )
        label = f"{stages} stages" + (f", {pieces} pieces each" if pieces > 1 else "")
        series.append(Series.of(swept.axes["micro_batches"], swept.columns["bubble_share"], label))
    chart = Chart(
        Axis("micro-batches", log=True),
        Axis("share of the time", low=0, high=1),
        tuple(series),
        (Mark(120, "DeepSeek-V3's 120"),),
        height=2.9,
    )
    return Picture(
        "layout-bubble", (chart,), "The bubble: the share of a training step in which a stage waits for others."
    )
