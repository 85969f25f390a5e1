"""E. What prices give away: a cliff, a ratio, a discount, and what each says of the machine behind it."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import closed_form, letter, number, say, solve, spread, stated, table, worked
from derive.reporting.document import Block, Grid, Heading, Picture, Text
from derive.reporting.sections.architecture import architecture
from derive.reporting.sections.cliff import cliff
from derive.reporting.sections.tiers import tiers
from derive.solving.answer import Answer
from quantities.source import Source

_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026")
_SERVED = ("h100-sxm:fp8", "llama3-70b")
_GIVEN = {"chips": "8 chip", "context": "4 ktoken/sequence", "bytes_per_parameter": "1 byte/parameter"}
_SHEETS = {
    "Gemini 2.5 Pro": "gemini-2-5-pro-prices",
    "GPT-5": "gpt-5-prices",
    "Claude Opus 4.6": "claude-opus-4-6-prices",
    "GPT-4o": "gpt-4o-prices",
    "DeepSeek-V3.2": "deepseek-v3-2-prices",
}
_SHEET = "claude-opus-4-6-before-2026-03-13-prices"


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "A price sheet is written for customers, but costs shine through it. Where a price has a step, a ratio or a "
        "discount, there is often a time that doubles, a memory that fills, a batch that shrinks. Whoever assumes "
        "that prices follow costs can turn the relations of the parts before around and read the machine off the "
        "sheet. That assumption is the weak link of every line below, and where two readings of one sheet contradict "
        "each other it is the one that breaks."
    )
    yield from cliff()
    yield from architecture()
    yield from _output()
    yield from tiers()
    yield from _sheet()


def _output() -> Iterator[Block]:
    yield Heading("S20. Output against input")
    yield Text(
        "A prompt passes through the model at once, thousands of tokens in a pass; an answer passes one token at a "
        "time. Each pass reads the weights and the cache once. So a token of the prompt pays a thousandth of the "
        "reading and a token of the answer all of it, and between them lies the price of output over that of input."
    )
    yield from stated("cost_per_token", "memory_to_compute", "compute_bound_prompt", "implied_decode_mfu")
    yield closed_form(
        "compute_bound_prompt",
        ["peak_compute", "hbm_bandwidth", "bytes_per_parameter", "total_parameters", "active_parameters"],
    )
    sparse = solve("compute_bound_prompt", "h100-sxm:fp8", "deepseek-v3")
    dense = solve("compute_bound_prompt", *_SERVED, bytes_per_parameter="1 byte/parameter")
    size = solve("bytes_per_parameter", *_SERVED, compute_bound_prompt="100 token/sequence")
    yield Text(
        f"On H100 in FP8, a prompt of DeepSeek-V3 is bound by compute from {say(sparse, 4)} on, one of Llama 3 70B, "
        f"which is dense, from {say(dense, 3)} with weights of a byte: a page of text. (For a prompt of 100 tokens to "
        f"compute, its weights would have to have {say(size, 3)}.) Experts make it longer, for all of them are read "
        "and few compute; several prompts in one pass share the reading again."
    )
    yield _passes_picture()
    yield from _ratio()


def _passes_picture() -> Picture:
    passes = span("1..16384 token/sequence", 85, log=True)
    series, marks = [], []
    for batch in (1, 16, 128):
        given = {**_GIVEN, "batch": f"{batch} sequence", "chip_price": "2 USD/h/chip"}
        swept = library().sweep("cost_per_token", *_SERVED, **given, tokens_per_pass=passes)
        series.append(
            Series.of(
                swept.axes["tokens_per_pass"], swept.columns["cost_per_token"], f"batch {batch}", strong=batch == 1
            )
        )
        knee = solve("tokens_per_pass", *_SERVED, **given, memory_to_compute=1)
        marks.append(Mark(knee.to("token/sequence").magnitude, f"batch {batch} computes"))
    chart = Chart(
        Axis("tokens of a sequence in one pass", log=True),
        Axis("USD/Mtoken", log=True, low=5e-3),
        tuple(series),
        tuple(marks),
    )
    caption = (
        "Cost of a token against the tokens that a pass carries of each sequence: Llama 3 70B in FP8 on eight H100 at "
        "2 USD an hour, 4k tokens of context. Decode is the left edge, prefill the right; the height between them is "
        "what the price of output over input charges for."
    )
    return Picture("prices-passes", (chart,), caption)


def _ratio() -> Iterator[Block]:
    yield Text(
        "Now from the price to the machine. If prices are costs, and prefill computes all the time, then output is "
        "dearer by just the ratio of memory time to compute time in decode, and its MFU is the reciprocal. That ratio "
        "has two parts, the weights and the cache:"
    )
    yield stated("scaled_memory_time")[0]
    rows = {}
    for label, sheet in _SHEETS.items():
        ratio = solve("output_input_ratio", sheet)
        cache = solve("scaled_context", scaled_memory_time=ratio.value, scaled_batch=3)
        rows[label] = [ratio, solve("implied_decode_mfu", sheet), cache]
    columns = (
        "sheet",
        letter("output_input_ratio"),
        "MFU of decode",
        f"{letter('scaled_context')} at {letter('scaled_batch')} = 3",
    )
    yield table(rows, columns, "What the price of output says of decode.", 3)
    mean = solve("context", "h100-sxm:fp8", "deepseek-v3", scaled_context=rows["Claude Opus 4.6"][2].value)
    yield Text(
        "The blackboard has output at three to five times the input, decode bound by memory at five to one and an MFU "
        "of a fifth. One price gives one equation for two unknowns, the batch and the context. At a batch of three "
        "times the balanced one, a ratio of 5 leaves nearly all of it to the cache: for DeepSeek-V3 on H100 a mean "
        f"context of {say(mean, 3)}. The stumbling stone is prefill: if its own MFU is a half, decode's is a half of "
        "what the table says.",
        (_LECTURE,),
    )


def _sheet() -> Iterator[Block]:
    yield Heading("S22. One sheet, read whole")
    yield Text(
        "Claude Opus 4.6 was sold with a cliff, with caches for five minutes and an hour, and with a fast mode. Take "
        "its sheet, an H100 in FP8 for the chip, and for the size, which is not public, 100 billion active "
        "parameters, with 50 to 200 as its range. What follows?"
    )
    yield _consequences()
    yield worked("How much of a normal step reads cache", solve("kv_share", _SHEET, memory_share=1))
    yield from _contradiction()


def _consequences() -> Grid:
    shares = {"memory_share": 1}
    lines: tuple[tuple[str, str, dict[str, int], str], ...] = (
        ("output over input", "output_input_ratio", {}, ""),
        ("MFU of decode over prefill's", "implied_decode_mfu", {}, "prefill computes all the time"),
        ("mean context that pays", "fair_context", {}, "the cliff is where the times meet"),
        ("hit cheaper by", "cache_discount", {}, ""),
        ("hits that pay for 5 minutes", "break_even_reads_5min", {}, ""),
        ("hits that pay for an hour", "break_even_reads_1h", {}, ""),
        ("price of keeping a token", "implied_storage_price", {}, "the dearer write buys time alone"),
        ("fast batch over normal", "fast_batch_ratio", {}, "fewer tokens pay for the same chips"),
        ("cache in a normal step", "kv_share", shares, "memory binds in both modes"),
        ("weights in a normal step", "weight_share", shares, "the same"),
        ("fastest that a small batch can be", "fast_speed_limit", shares, "the same"),
    )
    rows: dict[str, list[Answer | str]] = {
        label: [solve(name, _SHEET, **given), "", why] for label, name, given, why in lines
    }
    sizes = ("100 Gparameter", "50..200 Gparameter")
    cache = [solve("implied_kv_bytes_per_token", "h100-sxm:fp8", _SHEET, active_parameters=size) for size in sizes]
    rows["cache of a token"] = [cache[0], spread(cache[1]), "the cliff is where the times meet"]
    return table(rows, ("what", "value", "range", "if"), "What the sheet of Claude Opus 4.6 gives away.", 3)


def _contradiction() -> Iterator[Block]:
    size = {"active_parameters": "100 Gparameter"}
    cache = solve("implied_kv_bytes_per_token", "h100-sxm:fp8", _SHEET, **size)
    stored = solve("implied_storage_price", _SHEET)
    rent = solve("implied_tier_price", kv_bytes_per_token=cache.value, cache_storage_price=stored.value)
    memory = solve("memory_price", "h100-sxm")
    fair = solve("kv_bytes_per_token", cache_storage_price=stored.value, implied_tier_price=memory.value)
    rented = number(memory.to("USD/GB/h").magnitude, "USD/GB/h")
    yield Heading("Two readings that exclude each other", 3)
    yield from stated("implied_tier_price")
    yield Text(
        f"The cliff says that a token keeps {say(cache, 4)}. The two prices of a cache write say that to keep a token "
        f"costs {say(stored, 3)}. Together they say that the seller pays {say(rent, 3)} for memory, while the memory "
        f"of an H100, rented with all its arithmetic, costs {rented}. Had the storage price been that of HBM, a token "
        f"would keep {say(fair, 3)}: the size of DeepSeek-V3's cache, not of the cliff's. At least one of the two "
        "prices is no cost."
    )
