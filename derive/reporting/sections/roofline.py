"""A. The roofline: two times, the longer of them, and what follows for batch, speed and price."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series, Shade
from derive.relations import library
from derive.reporting.asking import number, say, solve, stated, table, turned, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.solving.answer import Answer

_CHIPS = {"chips": "8 chip"}
_SERVED = ("h100-sxm:bf16", "llama3-70b")
_GENERATIONS = ("a100-sxm-80gb", "h100-sxm", "h200-sxm", "b200-sxm", "gb300", "rubin-r200", "mi300x", "tpu-v6e")
_PRECISIONS = ("bf16", "fp8", "fp4")


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "A decoding step reads every weight once and every sequence's cache once, and meanwhile computes. Reading and "
        "computing overlap, so the step lasts as long as the longer of the two. All that follows hangs on that *max*."
    )
    yield from _times()
    yield from _step()
    yield from _cost()
    yield from _balance()
    yield from _generations()


def _times() -> Iterator[Block]:
    yield Heading("S1. Compute time")
    yield from stated("compute_time")
    yield Text("Turned for what one may ask of it instead:")
    yield turned("compute_time", "batch", "active_parameters", "peak_compute", "chips")
    yield Heading("S2. Memory time")
    yield from stated("weight_bytes", "weight_time", "kv_bytes_per_sequence", "kv_bytes", "kv_time", "memory_time")
    experts = {"batch": "1 sequence"}, {"batch": "64 sequence"}, {"batch": "1024 sequence"}
    shares = [solve("read_share", "deepseek-v3", **given) for given in experts]
    yield Text(
        "A model with experts reads only the experts that some token of the step has chosen. Of DeepSeek-V3 a single "
        f"token touches {say(shares[0], 3)} of the weights, 64 tokens {say(shares[1], 3)}, and 1024 tokens "
        f"{say(shares[2], 3)}: at the batches that pay, a sparse model is read whole."
    )


def _step() -> Iterator[Block]:
    yield Heading("S3. Step time")
    yield from stated("step_time", "serving_mfu", "mbu")
    given = {**_CHIPS, "batch": "32 sequence", "context": "8 ktoken/sequence"}
    forward = solve("step_time", *_SERVED, **given)
    yield worked("Llama 3 70B on eight H100, 32 sequences of 8k tokens", forward)
    back = solve("context", *_SERVED, **_CHIPS, batch="32 sequence", step_time="25 ms")
    yield Text(f"Asked backwards, through the maximum: the context that 25 ms would allow is {say(back, 4)}.")
    yield worked("The context that a step of 25 ms allows", back)
    knee = solve("batch", *_SERVED, **_CHIPS, memory_to_compute=1, context="500 token/sequence")
    yield _latency_picture(knee.to("sequence").magnitude)


def _latency_picture(knee: float) -> Picture:
    names = ("compute_time", "weight_time", "kv_time", "step_time")
    swept = library().sweep(
        names, *_SERVED, **_CHIPS, context="500 token/sequence", batch=span("1..4096 sequence", 97, log=True)
    )
    batch = swept.axes["batch"]
    columns = {name: 1e3 * swept.columns[name] for name in names}
    labels = {"compute_time": "compute", "weight_time": "weights", "kv_time": "KV cache", "step_time": "step"}
    series = [
        Series.of(
            batch, column, labels[name], style="line" if name == "step_time" else "dashed", strong=name == "step_time"
        )
        for name, column in columns.items()
    ]
    chart = Chart(
        Axis("batch [sequence]", log=True),
        Axis("time [ms]", log=True),
        tuple(series),
        (Mark(knee, "compute and memory take equally long"),),
        (Shade(1, knee, "memory binds"), Shade(knee, 4096, "compute binds")),
    )
    caption = (
        "Latency and its three terms against the batch: Llama 3 70B on eight H100 (BF16), 500 tokens of context. "
        f"The arms meet at a batch of {number(knee, digits=4)}; below it, more sequences cost next to no time."
    )
    return Picture("roofline-latency", (chart,), caption)


def _cost() -> Iterator[Block]:
    yield Heading("S4. Throughput and cost")
    yield from stated("throughput", "cost_per_token", "lone_cost", "cost_floor")
    given = {**_CHIPS, "context": "500 token/sequence", "chip_price": "2 USD/h/chip"}
    rows = {}
    for batch in ("1 sequence", "16 sequence", "256 sequence", "2048 sequence"):
        rows[batch] = [solve(t, *_SERVED, **given, batch=batch) for t in ("step_time", "throughput", "cost_per_token")]
    columns = ("batch", "step", "all tokens", "cost of a token")
    yield table(rows, columns, "Llama 3 70B on eight H100 at 2 USD an hour each.", 4)
    yield _cost_picture()
    back = solve("batch", *_SERVED, **given, cost_per_token="1 USD/Mtoken")
    yield Text(f"And backwards: a dollar for a million tokens needs a batch of {say(back, 4)}.")


def _cost_picture() -> Picture:
    swept = library().sweep(
        ("cost_per_token", "weight_cost", "kv_cost", "compute_cost"),
        *_SERVED,
        **_CHIPS,
        context="500 token/sequence",
        chip_price="2 USD/h/chip",
        batch=span("1..4096 sequence", 97, log=True),
    )
    batch = swept.axes["batch"]
    labels = {"weight_cost": "weights: a hyperbola", "kv_cost": "KV cache", "compute_cost": "compute"}
    terms = [Series.of(batch, swept.columns[name], label, style="dashed") for name, label in labels.items()]
    whole = Series.of(batch, swept.columns["cost_per_token"], "cost per token", strong=True)
    chart = Chart(Axis("batch [sequence]", log=True), Axis("USD/Mtoken", log=True), (whole, *terms))
    return Picture("roofline-cost", (chart,), "Cost of a token against the batch, and the three terms of it.")


def _balance() -> Iterator[Block]:
    yield Heading("S5. Balance")
    yield from stated("hardware_ratio", "balance_tokens", "optimal_batch", "kv_optimal_batch")
    best = solve("optimal_batch", "h100-sxm:fp8", "deepseek-v3")
    yield worked("The batch at which DeepSeek-V3 on H100 is balanced", best)


def _generations() -> Iterator[Block]:
    yield Heading("S6. The ratio across generations")
    known = library().profiles
    rows: dict[str, list[Answer | str]] = {}
    for chip in _GENERATIONS:
        cells: list[Answer | str] = []
        for precision in _PRECISIONS:
            width = {"bf16": "2 byte/parameter", "fp8": "1 byte/parameter", "fp4": "0.5 byte/parameter"}[precision]
            has = f"{chip}:{precision}" in known
            cells.append(solve("balance_tokens", f"{chip}:{precision}", bytes_per_parameter=width) if has else "none")
        rows[chip] = cells
    yield table(rows, ("chip", *_PRECISIONS), "Balance tokens, with weights stored at the arithmetic's precision.", 4)
    yield _generations_picture(rows)


def _generations_picture(rows: Mapping[str, Sequence[Answer | str]]) -> Picture:
    series = []
    for column, precision in enumerate(_PRECISIONS):
        held = [(i, cell) for i, cells in enumerate(rows.values()) if isinstance(cell := cells[column], Answer)]
        numbers = [answer.to("token").magnitude for _, answer in held]
        series.append(Series.of(numbers, [i for i, _ in held], precision, style="points"))
    chart = Chart(
        Axis("balance tokens", low=0),
        Axis("", names=tuple(rows)),
        tuple(series),
        (Mark(300, "the 300 of the blackboard"),),
    )
    return Picture("roofline-generations", (chart,), "Balance tokens of each chip at each precision it computes in.")
