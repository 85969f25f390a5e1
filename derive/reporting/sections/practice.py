"""G. Practice: what those who serve and train meet beside the lecture, each in brief."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Series
from derive.relations import library
from derive.reporting.asking import number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.sections.upkeep import upkeep

_MIXTURE = ("h100-sxm:fp8", "deepseek-v3")
_DENSE = ("h100-sxm:fp8", "llama3-70b")


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "Eight things that a practitioner asks next. Each is the roofline of the first part again, with one term "
        "more: a statement, a question answered with it, and a table or a picture."
    )
    yield from _speculation()
    yield from _prefixes()
    yield from _quantisation()
    yield from _apart()
    yield from upkeep()


def _speculation() -> Iterator[Block]:
    yield Heading("S26. Speculative decoding")
    yield Text(
        "A step that reads all the weights for one token could carry several. A small draft model guesses a few "
        "tokens ahead, the large one checks all the guesses in one pass and keeps them up to the first that is wrong, "
        "and its own token on top. The pass is longer in tokens, not in time, as long as reading is what takes the "
        "time."
    )
    yield from stated("tokens_per_step", "draft_overhead", "speculative_speedup", "free_batch")
    given = {"acceptance_rate": 0.8, "draft_tokens": 4, "draft_cost": 0.05}
    yield worked("Four guesses, four out of five right", solve("speculative_speedup", **given))
    back = solve("acceptance_rate", tokens_per_step=3, draft_tokens=4)
    free = solve("free_batch", *_MIXTURE, draft_tokens=4)
    yield Text(
        f"Asked backwards: three tokens a step with four guesses need {say(back, 3)} of the guesses to be right. And "
        "the room for guesses is the room under the balanced batch: DeepSeek-V3 on H100 checks four guesses for "
        f"nothing up to a batch of {say(free, 4)}. Beyond it every wrong guess is arithmetic paid for and thrown away, "
        "which is why speculation belongs to small batches and fast modes."
    )
    yield _speculation_picture()


def _speculation_picture() -> Picture:
    series = []
    best = {}
    for rate in (0.6, 0.8, 0.9):
        swept = library().sweep(
            "speculative_speedup", acceptance_rate=rate, draft_cost=0.05, draft_tokens=span("1..16", 16)
        )
        guesses, gain = swept.axes["draft_tokens"], swept.columns["speculative_speedup"]
        series.append(Series.of(guesses, gain, f"{rate:.0%} of the guesses right"))
        best[rate] = max(zip(gain, guesses, strict=True))[1]
    chart = Chart(Axis("guesses for each pass"), Axis("times as fast", low=0), tuple(series))
    caption = (
        "Speed-up against the number of guesses, for a draft that takes a twentieth of the model's time. The best "
        f"number is {number(best[0.6])}, {number(best[0.8])} and {number(best[0.9])}: a better draft may look further "
        "ahead."
    )
    return Picture("practice-speculation", (chart,), caption)


def _prefixes() -> Iterator[Block]:
    yield Heading("S27. Shared prefixes and hits")
    yield Text(
        "Many requests begin alike: with the same instructions, the same document, the same conversation so far. What "
        "they have in common need be stored once and computed once."
    )
    yield from stated("shared_kv_bytes", "prefix_saving", "mean_input_price", "mean_input_cost")
    sheet = "claude-opus-4-6-prices"
    back = solve("cache_hit_rate", sheet, mean_input_price="1 USD/Mtoken")
    yield worked("The share of hits at which Claude Opus 4.6 takes input for a dollar", back)
    yield _prefix_table(sheet)
    sharers = solve("prefix_sharers", prefix_saving=0.4, context="8 ktoken/sequence", prefix_tokens="4 ktoken/sequence")
    yield Text(
        f"In memory the return sets in early: with half of the context in common, {say(sharers, 2)} sharers save 40 % "
        "of the cache, and no number of them more than half. In money it sets in late: at nine hits in ten the tenth "
        "that misses still pays for half of the input."
    )


def _prefix_table(sheet: str) -> Block:
    rows = {}
    for rate in (0.0, 0.5, 0.8, 0.9, 0.99):
        price = solve("mean_input_price", sheet, cache_hit_rate=rate)
        cost = solve("mean_input_cost", *_MIXTURE, host_link_bandwidth="64 GB/s/chip", cache_hit_rate=rate)
        rows[f"{rate:.0%}"] = [price, cost]
    columns = ("hits", "price of input, Claude Opus 4.6", "cost of input, DeepSeek-V3 on H100")
    return table(
        rows,
        columns,
        "Input by its share of hits: on a price sheet, and as arithmetic and a link to the host cost it.",
        3,
    )


def _quantisation() -> Iterator[Block]:
    yield Heading("S28. Quantisation")
    yield Text(
        "Three precisions are chosen apart: that of the stored weights, that of the stored cache, and that of the "
        "arithmetic. Smaller weights shorten the reading and with it the batch that balances it; a smaller cache "
        "makes room for more sequences; faster arithmetic alone raises the balanced batch. A group of small numbers "
        "shares a scale, so four bits are a little more than half a byte."
    )
    yield from stated("bytes_per_parameter", "kv_bytes_per_element", "balance_tokens")
    scaled = {"code_bytes_per_parameter": "0.5 byte/parameter", "scale_bytes": "1 byte", "scale_group": "32 parameter"}
    yield worked("Four bits with a scale of a byte for 32 weights", solve("bytes_per_parameter", **scaled))
    yield _quantisation_table()
    size = solve("bytes_per_parameter", *_DENSE, optimal_batch="100 sequence")
    yield Text(
        "Mixed choices show what each does. Weights of four bits under FP8 arithmetic halve the batch that is needed "
        "and do nothing for the cache, which at this context is what fills the memory. A balanced batch of 100 on FP8 "
        f"arithmetic would ask for {say(size, 3)}."
    )


def _quantisation_table() -> Block:
    rows = {}
    for chip, weights, cache in (("bf16", 2, 2), ("fp8", 2, 2), ("fp8", 1, 2), ("fp8", 1, 1), ("fp8", 0.5, 1)):
        profiles = (f"h100-sxm:{chip}", "llama3-70b")
        kept = solve("kv_bytes_per_token", "llama3-70b", kv_bytes_per_element=f"{cache} byte")
        given = {
            "bytes_per_parameter": f"{weights} byte/parameter",
            "kv_bytes_per_token": kept.value,
            "chips": "8 chip",
            "context": "8 ktoken/sequence",
        }
        room = solve("batch_capacity", *profiles, **given)
        paid = {"batch": "64 sequence", "chip_price": "2 USD/h/chip"}
        rows[f"{chip.upper()}, {weights}, {cache}"] = [
            solve("optimal_batch", *profiles, **given),
            kept,
            room,
            solve("cost_per_token", *profiles, **given, **paid),
        ]
    columns = (
        "arithmetic, weight, element",
        "balanced batch",
        "cache of a token",
        "batch that fits",
        "cost at a batch of 64",
    )
    return table(rows, columns, "Llama 3 70B on eight H100 at 2 USD an hour, 8k tokens of context; sizes in bytes.", 3)


def _apart() -> Iterator[Block]:
    yield Heading("S29. Prefill and decode apart")
    yield Text(
        "A prompt wants arithmetic and an answer wants bandwidth, and a prompt that is put between the steps of an "
        "answer makes its reader wait. So both get chips of their own, and the cache of each prompt moves from the "
        "one to the other. Is the wire fast enough?"
    )
    yield from stated("prefill_time", "handover_bytes", "handover_time", "prefill_per_decode")
    prompt = {"prompt_tokens": "8 ktoken/sequence"}
    node = {"chips": "8 chip", "prefill_efficiency": 0.5}
    rows = {}
    for label, model in (
        ("Llama 3 70B", "llama3-70b"),
        ("Llama 3.1 405B", "llama3-1-405b"),
        ("DeepSeek-V3", "deepseek-v3"),
    ):
        rows[label] = [
            solve("prefill_time", "h100-sxm:fp8", model, **prompt, **node),
            solve("handover_bytes", model, **prompt),
            solve("handover_time", model, **prompt, handover_bandwidth="50 GB/s"),
        ]
    columns = ("model", "prefill", "cache to move", "over one port of 50 GB/s")
    yield table(rows, columns, "A prompt of 8k tokens on eight H100 in FP8 at an MFU of one half.", 3)
    made = rows["Llama 3 70B"][0].to("ms").magnitude
    wire = solve("handover_bandwidth", "llama3-70b", **prompt, handover_time=f"{made:.3g} ms")
    yield worked("The wire that moves Llama's cache as fast as it is made", wire)
    served = {"batch": "64 sequence", "context": "8 ktoken/sequence", "output_tokens": "500 token/sequence"}
    share = solve("prefill_per_decode", *_DENSE, **prompt, **node, **served)
    yield Text(
        "Even a single port of the node keeps up with one prompt after another, and a node has eight. How many nodes "
        "of the one kind go with one of the other is a ratio of two rates: with answers of 500 tokens and 64 of them "
        f"at once, {say(share, 3)} for prefill to each for decode."
    )
