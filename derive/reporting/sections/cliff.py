"""What a step in the price at some context says of the cache of a token."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.library import Library
from derive.relations import library
from derive.reporting.asking import held, letter, number, pencil, say, solve, stated, table, turned
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.sections.architecture import MODELS
from derive.solving.answer import Answer
from derive.stating.relation import relate
from quantities.source import Source

__all__ = ["cliff"]

_SHEET = "gemini-2-5-pro-prices"
_MODEL = {"active_parameters": "100 Gparameter"}
_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026")
_CHIPS = {
    "H100 in BF16": ("h100-sxm:bf16", 2),
    "H100 in FP8": ("h100-sxm:fp8", 1),
    "B200 in FP8": ("b200-sxm:fp8", 1),
    "B200 in FP4": ("b200-sxm:fp4", 0.5),
    "GB300 in FP4": ("gb300:fp4", 0.5),
}
_ROUNDED = {"300 in FP8": 1, "300 in FP4": 0.5}
_SHEETS = {
    "Gemini 2.5 Pro": "gemini-2-5-pro-prices",
    "Claude Sonnet 4.5": "claude-sonnet-4-5-prices",
    "GPT-5.4": "gpt-5-4-prices",
    "Claude Haiku 5.5": "claude-haiku-5-5-prices",
}


def cliff() -> Iterator[Block]:
    """S18."""
    yield Heading("S18. The context cliff")
    yield Text(
        "A step takes the longer of two times. Computing does not ask how long the context is; reading the cache "
        "takes longer with every token of it. So the cost of a token is flat in the context up to where the two times "
        "meet, and rises from there on. A seller whose cost has such a kink has a reason to put a step into the price "
        "at the same place. The step is printed on the price sheet; the cache of a token is printed nowhere. Setting "
        "the two times equal turns the one into the other."
    )
    yield from _six_lines()
    yield from _readings()
    yield from _backwards()
    yield from _weights()
    yield from _surcharge()


def _times() -> Library:
    """The two times as one writes them on a blackboard, and what the price gives away: that they are equal."""
    equations = {
        "computing": "compute_time = batch*tokens_per_pass*active_parameters*flops_per_parameter/(peak_compute*chips)",
        "reading": "kv_time = batch*context*kv_bytes_per_token/(hbm_bandwidth*chips)",
        "meeting": "kv_time = compute_time",
    }
    known = library().quantities
    return Library([relate(name, equation, quantities=known) for name, equation in equations.items()])


def _six_lines() -> Iterator[Block]:
    times = _times()
    chip = library().profile("h100-sxm:fp8")
    answer = times.solve("kv_bytes_per_token", chip, **_MODEL, context="200 ktoken/sequence")
    yield Heading("In six lines", 3)
    yield Text(
        "A model of 100 billion active parameters on an H100 that computes in FP8, and a price that steps at 200 "
        "thousand tokens:",
        tuple(source for source in answer.sources if source.kind == "published"),
    )
    yield pencil(answer, *times.relations.values())
    yield Text(
        f"The batch {letter('batch')} and the number of chips {letter('chips')} stand on both sides of the third line "
        "and cancel: the cliff says nothing of how a model is batched or spread, and one needs to know neither. Of "
        "the units, FLOP, parameter, second, chip and sequence cancel as well; byte per token is left."
    )


def _readings() -> Iterator[Block]:
    yield Heading("The same with 300: FP8 and FP4 apart", 3)
    names = ("balance_tokens", "hardware_ratio", "implied_kv_bytes_per_token")
    relations = [library().relation(name) for name in names]
    rounded = [solve(names[2], _SHEET, **_MODEL, **_three_hundred(size)) for size in _ROUNDED.values()]
    yield Text(
        "The blackboard does it in the head. Operations over bandwidth are about 300 on every recent chip, so the "
        "cache of a token is the active parameters over 300 and over 200k: 1,667 bytes, about 2 KB.",
        (_LECTURE,),
    )
    yield pencil(rounded[0], *relations, digits=4)
    yield Text(
        f"The 300 is {letter('balance_tokens')}, a pure count of tokens. It is the same on chips of any precision "
        f"because it holds the size {letter('bytes_per_parameter')} of a weight in it, and that is where one stumbles. "
        "With weights of a byte, as FP8 has them, 300 stands for "
        f"{say(solve('hardware_ratio', **_three_hundred(1)), 3)}, and the result is {say(rounded[0], 4)}. But the "
        "blackboard explains its 300 with FP4, whose multiplication consumes half a byte. Then the same 300 stands "
        f"for {say(solve('hardware_ratio', **_three_hundred(0.5)), 4)}, the cache has half as long to be read, and the "
        f"result is {say(rounded[1], 3)}: of 1,667 there are still as many, but they are half bytes."
    )
    yield pencil(rounded[1], digits=4)
    yield _readings_table()


def _three_hundred(size: float) -> dict[str, str]:
    return {"balance_tokens": "300 token", "bytes_per_parameter": f"{size} byte/parameter"}


def _readings_table() -> Block:
    asked = ("hardware_ratio", "balance_tokens", "implied_kv_bytes_per_token")
    questions = {label: ((), _three_hundred(size)) for label, size in _ROUNDED.items()} | {
        label: ((chip,), {"bytes_per_parameter": f"{size} byte/parameter"}) for label, (chip, size) in _CHIPS.items()
    }
    rows = {
        label: [solve(target, *chips, _SHEET, **_MODEL, **given) for target in asked]
        for label, (chips, given) in questions.items()
    }
    columns = ("reading", *(letter(name) for name in asked))
    caption = "A cliff at 200k tokens and 100 billion active parameters: what each reading of the chip makes of it."
    return table(rows, columns, caption, 4)


def _backwards() -> Iterator[Block]:
    yield Heading("Backwards", 3)
    yield Text("The same relation stands in the library with the efficiencies that arithmetic and reading reach:")
    yield stated("crossover_context")[0]
    yield turned("crossover_context", "active_parameters", "kv_bytes_per_token")
    two = solve("crossover_context", "h100-sxm:fp8", **_MODEL, kv_bytes_per_token="2 kB/token")
    yield Text(
        f"With 2 kB for each token the kink would lie at {say(two, 4)}. Asked of models whose shapes are public, it "
        "lies nowhere near a price cliff:"
    )
    asked = ("kv_bytes_per_token", "crossover_context")
    rows: dict[str, list[Answer | str]] = {
        label: [held(model, "active_parameters"), *(solve(name, "h100-sxm:fp8", model) for name in asked)]
        for label, model in MODELS.items()
    }
    columns = ("model", letter("active_parameters"), *(letter(name) for name in asked))
    yield table(rows, columns, "Where the two times meet on an H100 in FP8; the caches have two bytes an element.", 4)
    cache = solve("kv_bytes_per_token", "deepseek-v3").value
    size = solve("active_parameters", "h100-sxm:fp8", _SHEET, implied_kv_bytes_per_token=cache)
    yield Text(
        "So either the models behind such prices read far fewer bytes for each token of context than any model that "
        "we can look into, or the cliff is not where their cost begins to rise. (With the cache of DeepSeek-V3 it "
        f"would take {say(size, 3)} active.) Mind also what it is that the cliff gives away: bytes *read* in a step, "
        "not bytes stored. A model whose attention picks a few thousand tokens out of the context stores much and "
        "reads little."
    )


def _weights() -> Iterator[Block]:
    yield Heading("With the weights", 3)
    yield Text(
        "The six lines leave the weights out. They have to be read as well, and at a finite batch they use up time in "
        "which the cache could have been read for nothing. So the kink comes earlier:"
    )
    yield from stated("cliff_context")
    given = {"crossover_context": "200 ktoken/sequence"}
    asked = {
        ratio: (
            solve("cliff_context", **given, scaled_batch=ratio),
            solve("crossover_context", cliff_context="200 ktoken/sequence", scaled_batch=ratio),
        )
        for ratio in (1.5, 2, 3, 10)
    }
    rows = {
        str(ratio): [number(answer.to("ktoken/sequence").magnitude, "ktoken/sequence") for answer in answers]
        for ratio, answers in asked.items()
    }
    columns = (f"{letter('scaled_batch')}", "kink, if the times meet at 200k", "the times meet, if the kink is at 200k")
    yield table(rows, columns, "The kink at batches of so many times the balanced one.")
    yield _kink_picture()
    yield from _by_weights()


def _kink_picture() -> Picture:
    context = span("0..500 ktoken/sequence", 101)
    series = []
    for ratio, label in ((1e9, "cost, unlimited batch"), (3, "cost, 3 times the balanced batch"), (1.5, "1.5 times")):
        swept = library().sweep(
            "scaled_step_time", crossover_context="200 ktoken/sequence", scaled_batch=ratio, context=context
        )
        length = swept.axes["context"] / 1e3
        series.append(Series.of(length, swept.columns["scaled_step_time"], label, strong=ratio > 10))
    surcharge = solve("output_surcharge", _SHEET).to("").magnitude
    series.append(
        Series((0, 200, 200, 500), (1, 1, 1 + surcharge, 1 + surcharge), "price of Gemini 2.5 Pro's output", "dashed")
    )
    fair = solve("fair_context", _SHEET).to("ktoken/sequence").magnitude
    chart = Chart(
        Axis("context [ktoken/sequence]", low=0, high=500),
        Axis("over the value at no context", low=0, high=3),
        tuple(series),
        (Mark(200, "the times meet"), Mark(fair, "the surcharge breaks even")),
    )
    caption = (
        "Cost of a token against the context, in units of its compute cost, with times that meet at 200k tokens, and "
        "the price in units of its own lower step. The cost has a kink where the price has a step."
    )
    return Picture("prices-kink", (chart,), caption)


def _by_weights() -> Iterator[Block]:
    yield Text("One may also read the cliff as the context at which the cache weighs as much as the weights:")
    yield from stated("implied_kv_bytes_by_weights")
    given = {**_MODEL, "sparsity": 8, "bytes_per_parameter": "1 byte/parameter"}
    at = {
        ratio: solve("implied_kv_bytes_by_weights", "h100-sxm:fp8", _SHEET, **given, scaled_batch=ratio)
        for ratio in (1, 3)
    }
    yield Text(
        "At the balanced batch this is the same statement, for there the weights take as long as computing: "
        f"{say(at[1], 4)} again, at any sparsity. At three times that batch, where deployments are said to run, it "
        f"would be {say(at[3], 3)}. The first reading needs no batch, which is what makes it the better one."
    )


def _surcharge() -> Iterator[Block]:
    yield Heading("What the surcharge is worth", 3)
    yield from stated("fair_context")
    asked = ("output_surcharge", "fair_context", "input_surcharge")
    rows: dict[str, list[Answer | str]] = {
        label: [held(sheet, "price_cliff"), *(solve(name, sheet) for name in asked)] for label, sheet in _SHEETS.items()
    }
    columns = ("sheet", letter("price_cliff"), "on output", "fair mean context", "on input")
    yield table(
        rows, columns, "Surcharges beyond the cliff, and the mean context at which that on output just pays.", 3
    )
    back = solve("output_surcharge", price_cliff="200 ktoken/sequence", fair_context="500 ktoken/sequence")
    yield Text(
        "The cost goes up as a ramp, the price as a step. Where a request beyond the cliff is on the mean shorter "
        "than the fair context the seller gains, where it is longer he loses; requests of 500k tokens would need a "
        f"surcharge of {say(back, 3)} times the price. That the input is charged up as well, and by more, has another "
        "reason: a prompt is computed, and attention's arithmetic grows with the context too."
    )
