"""F. Walls and trades: what stops a context from growing, and memory spent for compute and compute for memory."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.proving import closed, identical, lines, plain, without
from derive.reporting.sections import limits, reversible
from derive.solving.answer import Answer
from quantities.source import Source

_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026", "published")
_DECODED = {  # each with the quantity that counts its attention
    "GPT-3": ("gpt3-175b", "attention_flops_per_token"),
    "Llama 3 8B": ("llama3-8b", "attention_flops_per_token"),
    "Llama 3 70B": ("llama3-70b", "attention_flops_per_token"),
    "Llama 3.1 405B": ("llama3-1-405b", "attention_flops_per_token"),
    "DeepSeek-V3, prefill": ("deepseek-v3", "latent_attention_flops_per_token"),
    "DeepSeek-V3, decode": ("deepseek-v3", "absorbed_attention_flops_per_token"),
    "DeepSeek-V3.2, prefill": ("deepseek-v3-2", "sparse_attention_flops_per_token"),
    "Gemma 3 27B": ("gemma-3-27b", "windowed_attention_flops_per_token"),
}
_DRAWN = tuple(name for name in _DECODED if name not in ("Llama 3 8B", "Llama 3.1 405B"))


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "A context can grow until something stops it. Three things can: the arithmetic of attention, the bandwidth "
        "that reads the cache, the memory that holds it. The first question is which of them one runs into first. The "
        "second is what one may trade to get past it, since memory buys compute and compute buys memory."
    )
    yield Heading("S23. The context wall")
    yield from _arithmetic()
    yield from _first()
    yield from limits.blocks()
    yield from _trade()
    yield from reversible.blocks()


def _arithmetic() -> Iterator[Block]:
    yield Heading("Arithmetic", 3)
    yield Text(
        "A token passes each active parameter once, however long the context is. In attention it meets every token "
        "before it, in every layer and head: once to score it, with a key, and once to sum it up, with a value. So "
        "this part grows with the context, and somewhere the two are equal."
    )
    yield from stated(
        "parameter_flops_per_token",
        "attention_flops_per_token",
        "latent_attention_flops_per_token",
        "absorbed_attention_flops_per_token",
        "windowed_attention_flops_per_token",
        "attention_crossover",
    )
    rows: dict[str, list[Answer | str]] = {}
    for title, (model, attention) in _DECODED.items():
        passed = solve("parameter_flops_per_token", model)
        level = solve("context", model, **{attention: passed.value})
        longest = solve(attention, model, context="128 ktoken/sequence")
        ratio = longest.value / passed.value
        rows[title] = [passed, level, number(ratio.to("").magnitude)]
    columns = ("model", "parameters, a token", "attention equals them at", "attention over them at 128k")
    yield table(rows, columns, "Where attention does as many operations as the parameters.", 3)
    yield _attention_picture()
    yield from _million()


def _attention_picture() -> Picture:
    context = span("1e3..1e7 token/sequence", 81, log=True)
    series = []
    for title in _DRAWN:
        model, attention = _DECODED[title]
        swept = library().sweep((attention, "parameter_flops_per_token"), model, context=context)
        ratio = swept.columns[attention] / swept.columns["parameter_flops_per_token"]
        series.append(Series.of(swept.axes["context"], ratio, title))
    marks = (Mark(1.0, "as much as the parameters", "y"), Mark(1e6, "the blackboard's million"))
    axes = Axis("context [token]", log=True), Axis("attention over parameters, operations", log=True)
    caption = (
        "Attention against parameters, in operations of one token. Where a model looks at everything the line is "
        "straight. Windows and selections bend it: beyond them only the global layers, or the indexer, still grow."
    )
    return Picture("walls-attention", (Chart(*axes, tuple(series), marks, height=3.8),), caption)


def _million() -> Iterator[Block]:
    classic = {"layer_crossover": "1 Mtoken/sequence", "widening": 4, "feedforward_matrices": 2}
    half = solve("hidden_size", **classic, causal_share=0.5)
    whole = solve("hidden_size", **classic)
    yield Text(
        "The blackboard says that this does not matter until about a million tokens. The table says some ten to a "
        "hundred thousand, and less for latents in decode. On the mean of a causal pass a token sees half of what "
        "there is, so a prefill gets twice as far; so does training, where both sides count three times. That does "
        "not make up for the difference. Asked backwards, how wide a classic model (four hidden sizes between its "
        f"layers) would have to be for a million: its hidden size would be {say(whole, 3)}, or {say(half, 3)} on the "
        "causal mean. Nobody has built that. With windows the statement is nearly true, and that is one reason to "
        "have windows.",
        (_LECTURE,),
    )


def _first() -> Iterator[Block]:
    yield Heading("Which wall comes first", 3)
    yield Text(
        "In decode the same context also has to be read. Reading it takes as long as computing with the parameters at "
        "a context of its own. Both walls stand at a number of tokens. Neither the parameters nor the layers of the "
        "model are left in their quotient:"
    )
    yield from stated("crossover_context", "attention_intensity", "latent_attention_intensity")
    yield _quotient()
    yield Text(
        "The quotient is what the chip can do for each byte that it reads, over what attention does with each byte "
        "that it reads. As long as the chip can do more, bandwidth is the first wall: attention is starved before it "
        "is busy. That is the true sense in which its arithmetic does not matter. Grouped heads use a byte once for "
        "each head of the group. Latent attention uses it once for every head there is, and is built to balance."
    )
    rows: dict[str, list[Answer | str]] = {}
    for title, model in (("GPT-3", "gpt3-175b"), ("Llama 3 70B", "llama3-70b"), ("DeepSeek-V3", "deepseek-v3")):
        latent = model == "deepseek-v3"
        used = solve("latent_attention_intensity" if latent else "attention_intensity", model)
        far = solve("absorbed_attention_crossover" if latent else "attention_crossover", model)
        near = solve("crossover_context", model, "h100-sxm:bf16")
        rows[title] = [near, far, number((far.value / near.value).to("").magnitude), used]
    rows["H100 at BF16"] = ["", "", "", solve("hardware_ratio", "h100-sxm:bf16")]
    columns = (
        "in decode",
        "reading as long as computing",
        "attention equals parameters",
        "quotient",
        "operations a byte",
    )
    yield table(
        rows, columns, "Both walls in decode on H100 at BF16; the quotient is the last line over the column.", 3
    )


def _quotient() -> Block:
    """The two walls over each other, for grouped heads and for latents; each is proved before it is shown."""
    held = library().quantities
    chip = ("peak_compute", "hbm_bandwidth")
    model = ("active_parameters", "layers", "kv_bytes_per_element")
    grouped = ("attention_heads", "kv_heads", "head_dimension")
    latent = ("attention_heads", "latent_size", "rope_dimension")
    shown = []
    for far, used, shape in (
        ("attention_crossover", "attention_intensity", grouped),
        ("absorbed_attention_crossover", "latent_attention_intensity", latent),
    ):
        given = (*model, *shape)
        stored = tuple(name for name in shape if name != "attention_heads")
        near = closed("crossover_context", *model, *stored, *chip)
        walls = plain(closed(far, *given) / near)
        balance = plain(closed("hardware_ratio", *chip) / closed(used, *shape, "kv_bytes_per_element"))
        without(identical(walls, balance), "active_parameters", "layers", "head_dimension")
        shown.append((held[far] / held["crossover_context"], held["hardware_ratio"] / held[used]))
    return lines(*shown)


def _trade() -> Iterator[Block]:
    yield Heading("S24. The KV cache as a trade")
    yield Text(
        "Nothing has to be cached. Keys and values can be worked out again for every token, by passing the whole "
        "context through the model once more. The cache saves that, and costs bytes for as long as it is kept."
    )
    yield from stated(
        "uncached_compute_per_token", "flops_per_cached_byte", "flop_price", "memory_price", "hbm_hold_time"
    )
    yield Text(
        "A chip rents out both, its arithmetic by the operation and its memory by the byte and second. So the "
        "question is for how long the rent of the bytes stays below the price of the operations. The rent itself "
        "cannot matter, since both are paid to the same chip, and it is not in the closed form:"
    )
    given = ("flops_per_parameter", "active_parameters", "peak_compute", "kv_bytes_per_token", "hbm_capacity")
    held = library().quantities["hbm_hold_time"]
    yield lines((held, without(closed("hbm_hold_time", *given, "chip_price"), "chip_price")))
    rent = {"chip_price": "2 USD/h/chip"}
    yield worked("How long a cached token of Llama 3 70B is worth its place on H200", _held("llama3-70b", "bf16", rent))
    yield _held_table(rent)
    back = solve("kv_bytes_per_token", "llama3-70b", "h200-sxm:bf16", hbm_hold_time="1 h", **rent)
    yield Text(
        "Between two tokens of one answer a few tens of milliseconds pass; the cache could wait hundreds of times "
        "longer and still be the cheaper way. That is why nobody decodes without it. Between two questions of one "
        "user minutes pass, and then memory this dear no longer pays: the cache moves to a cheaper tier or is "
        f"computed again. To be worth an hour in HBM, the same model would have to get by with {say(back, 3)}."
    )


def _held(model: str, precision: str, rent: dict[str, str]) -> Answer:
    return solve("hbm_hold_time", model, f"h200-sxm:{precision}", **rent)


def _held_table(rent: dict[str, str]) -> Block:
    rows: dict[str, list[Answer | str]] = {}
    models = {"GPT-3": "gpt3-175b", "Llama 3 70B": "llama3-70b", "Llama 3.1 405B": "llama3-1-405b"}
    for title, model in {**models, "DeepSeek-V3": "deepseek-v3"}.items():
        again = solve("uncached_compute_per_token", model, context="8 ktoken/sequence")
        cells = solve("parameter_flops_per_token", model), again, solve("flops_per_cached_byte", model)
        rows[title] = [*cells, _held(model, "bf16", rent)]
    columns = ("model", "a token with the cache", "without, at 8k", "saved by a byte", "worth holding for")
    return table(rows, columns, "What the cache saves, and for how long it may be held in H200's memory (BF16).", 3)
