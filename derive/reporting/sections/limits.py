"""S23 of the report on walls, continued: what bandwidth and memory allow, and what reading less gets around."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import closed_form, number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.proving import closed, identical, lines, plain
from quantities.source import Source

__all__ = ["blocks"]

_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026", "published")
_LLAMA = ("h100-sxm:bf16", "llama3-70b")
_EIGHT = {"chips": "8 chip"}
_SETS = {
    "Llama 3 70B, 8 H100": ("llama3-70b", "h100-sxm", "8 chip"),
    "GPT-3, 8 H200": ("gpt3-175b", "h200-sxm", "8 chip"),
    "Llama 3.1 405B, 72 GB200": ("llama3-1-405b", "gb200", "72 chip"),
    "DeepSeek-V3, 72 GB200": ("deepseek-v3", "gb200", "72 chip"),
}
_BUDGET = {"latency_budget": "20 ms"}
_SQUARE_ROOT = {"index_bytes_per_token": "0 byte/token", "kv_bytes_per_token": "70272 byte/token"}


def blocks() -> Iterator[Block]:
    """The two other walls, and the way around one of them."""
    yield from _bandwidth()
    yield from _capacity()
    yield from _sparse()


def _bandwidth() -> Iterator[Block]:
    yield Heading("Bandwidth", 3)
    yield Text("A step has a time to keep. What memory delivers in it, less the weights, is what a context may weigh.")
    yield from stated("readable_context", "kv_bandwidth")
    far = {**_BUDGET, "readable_context": "100 Mtoken/sequence", "batch": "1 sequence"}
    rows = {}
    for title, (model, chip, chips) in _SETS.items():
        reach = [
            solve("readable_context", model, chip, chips=chips, batch=batch, **_BUDGET)
            for batch in ("1 sequence", "32 sequence")
        ]
        rows[title] = [*reach, solve("chips", model, chip, **far)]
    columns = ("model and chips", "one sequence", "32 sequences", "chips to read 100M tokens")
    yield table(rows, columns, "The context that can be read in a step of 20 ms, and backwards.", 3)
    yield worked(
        "The GB200 that it takes to read 100 million tokens of Llama 3 70B in 20 ms",
        solve("chips", "llama3-70b", "gb200", **far),
    )
    dear = solve("kv_cost", *_LLAMA, context="100 Mtoken/sequence", chip_price="2 USD/h/chip")
    yield Text(
        "So is a context of a hundred million tokens out of reach for want of bandwidth? A few racks of GB200 have "
        "enough for one sequence. But that one sequence has them all to itself: at 2 USD for an hour of H100, reading "
        f"alone makes tokens of Llama 3 70B cost {say(dear, 3)}. The wall is made of money, and it recedes in "
        "proportion to the bytes that a token leaves behind.",
        (_LECTURE,),
    )


def _capacity() -> Iterator[Block]:
    yield Heading("Capacity", 3)
    yield Text("Before the cache can be read it has to lie somewhere: the weights leave room for so much of it.")
    yield from stated("kv_capacity", "batch_capacity", "context_capacity")
    model = ("total_parameters", "bytes_per_parameter", "kv_bytes_per_token")
    yield Text("The largest batch at a context, and the longest context at a batch:")
    yield closed_form("batch_capacity", (*model, "hbm_capacity", "chips", "context"))
    yield closed_form("context_capacity", (*model, "hbm_capacity", "chips", "batch"))
    drained = {chip: say(solve("drain_time", chip), 3) for chip in ("h100-sxm", "h200-sxm", "gb200")}
    yield Text(
        "Both walls fall as one over the batch, so one of them is in front everywhere. Which? Their quotient, with "
        "all efficiencies at one, depends on the time of a step, and is one where that time is the drain time of the "
        "memory. In a step that is shorter than the drain time, memory cannot be read to its end, and bandwidth is "
        f"the wall; in a longer one, capacity is. H100 drains in {drained['h100-sxm']}, H200 in "
        f"{drained['h200-sxm']}, GB200 in {drained['gb200']}: a step of 20 ms is stopped by bandwidth on all three."
    )
    yield _drain()
    yield _frontier()
    wide = solve("batch", *_LLAMA, **_EIGHT, **_BUDGET, readable_context="8 ktoken/sequence")
    long = solve("batch", *_LLAMA, **_EIGHT, **_BUDGET, readable_context="200 ktoken/sequence")
    ratio = (wide.value / long.value).magnitude
    yield Text(
        f"On those eight chips a step of 20 ms has room for {say(wide, 3)} at 8k tokens, and for {say(long, 3)} at "
        f"200k: a long context costs its user {number(ratio)} times as much. The blackboard sees in this why contexts "
        "went from 8k to 200k and stayed there. Nothing forbids longer ones, and some are sold; what they cost is the "
        "bytes that a token leaves behind.",
        (_LECTURE,),
    )


def _drain() -> Block:
    """The walls of bandwidth and of capacity over each other; at the drain time they are one."""
    held = library().quantities
    model = ("total_parameters", "bytes_per_parameter", "batch", "kv_bytes_per_token", "chips")
    read = plain(closed("readable_context", *model, "hbm_bandwidth", "latency_budget"))
    hold = plain(closed("context_capacity", *model, "hbm_capacity"))
    drained = closed("drain_time", "hbm_capacity", "hbm_bandwidth")
    identical(read.subs(held["latency_budget"], drained), hold)
    return lines(
        (held["readable_context"], read),
        (held["context_capacity"], hold),
        (r"\tau", drained),
        (held["readable_context"], held["context_capacity"]),
    )


def _frontier() -> Picture:
    batch = span("1..512 sequence", 61, log=True)
    fits = library().sweep("context_capacity", *_LLAMA, **_EIGHT, batch=batch)
    series = [Series.of(fits.axes["batch"], fits.columns["context_capacity"], "fits in memory", strong=True)]
    for budget in ("10 ms", "20 ms", "40 ms"):
        swept = library().sweep("readable_context", *_LLAMA, **_EIGHT, latency_budget=budget, batch=batch)
        column = swept.columns["readable_context"]
        series.append(Series.of(swept.axes["batch"], column, f"is read in {budget}", style="dashed"))
    drained = solve("drain_time", *_LLAMA)
    axes = Axis("batch [sequence]", log=True), Axis("context [token]", log=True)
    caption = (
        "The walls of Llama 3 70B on eight H100. Left of and below a line is allowed. The memory drains in "
        f"{say(drained, 3)}: lines of shorter steps lie below that of capacity, those of longer steps above it."
    )
    return Picture("walls-frontier", (Chart(*axes, tuple(series), (Mark(2e5, "200k", "y"),)),), caption)


def _sparse() -> Iterator[Block]:
    yield Heading("Reading less", 3)
    yield Text(
        "The wall of bandwidth is about what is read, not about what is kept. A model that selects some tokens and "
        "reads only those gets around it, if selecting costs less than reading."
    )
    yield from stated("sparse_reading", "square_root_selection")
    yield Text("With a selection that grows as the square root of the context, and a selector that reads nothing:")
    held = library().quantities
    known = ("context", "selection_scale", "kv_bytes_per_token", "batch", "hbm_bandwidth", "chips")
    yield closed_form("kv_time", (*known, "index_bytes_per_token"))
    free = plain(closed("kv_time", *known, "index_bytes_per_token").subs(held["index_bytes_per_token"], 0))
    yield lines((r"t_{kv}(\kappa_i = 0)", free))
    far = solve("kv_read_share", "deepseek-v3-2", context="100 Mtoken/sequence")
    near = solve("kv_read_share", "deepseek-v3-2", context="128 ktoken/sequence")
    yield Text(
        "That is linear up to the scale $c^2$ and a square root beyond it, as the blackboard says. The model that "
        "does this in practice, DeepSeek-V3.2, selects a fixed number of tokens, and its indexer reads a small key of "
        f"every token to find them. It reads {say(near, 3)} of its cache at 128k, and however long the context grows "
        f"never less than {say(far, 3)}: linear again, on a line that lies lower. A square root needs a selector that "
        "does not look at everything.",
        (_LECTURE,),
    )
    yield _sparse_picture()


def _sparse_picture() -> Picture:
    given = {"chips": "1 chip", "batch": "1 sequence", "context": span("1e3..1e8 token/sequence", 81, log=True)}
    dense = library().sweep("kv_time", "deepseek-v3", "h200-sxm", **given)
    sparse = library().sweep("kv_time", "deepseek-v3-2", "h200-sxm", **given)
    scale = solve("selection_scale", selected_tokens="2048 token/sequence", context="128 ktoken/sequence").value
    root = library().sweep("kv_time", "h200-sxm", **_SQUARE_ROOT, selection_scale=scale, **given)
    labels = ("everything", "a fixed selection and an index of all", "a square root of it")
    series = tuple(
        Series.of(swept.axes["context"], 1e3 * swept.columns["kv_time"], label)
        for swept, label in zip((dense, sparse, root), labels, strict=True)
    )
    axes = Axis("context [token]", log=True), Axis("reading, for each sequence [ms]", log=True)
    caption = (
        "Time to read the cache of one sequence of DeepSeek-V3 on one H200: all of it; the 2,048 tokens that V3.2 "
        "selects, and its index; a square root that selects as many at 128k, with nothing spent on selecting."
    )
    return Picture("walls-sparse", (Chart(*axes, series),), caption)
