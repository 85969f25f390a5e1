"""C. Layout: what experts give back and ask of the wires, what a domain is for, and what a pipeline changes."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import closed_form, held, number, rounded, say, solve, stated, table, turned, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.sections import pipelines
from derive.solving.answer import Answer

_COUNT = 64
_POINT = {"experts": _COUNT, "active_parameters": "370 Mparameter", "dense_equivalent": "1.3 Gparameter"}
_SPARSE = ("mixtral-8x7b", "qwen3-235b-a22b", "gpt-oss-120b", "deepseek-v3", "kimi-k2")
_MODEL = "deepseek-v3"
_WIDTHS = {"dispatch_bytes_per_element": "1 byte", "combine_bytes_per_element": "2 byte"}
_SENT = {**_WIDTHS, "step_tokens_per_chip": "32 token/chip"}
_WIRED = {"h100-sxm": 8, "h800-sxm": 8, "b200-sxm": 8, "gb200": 72, "rubin-r200": 72}
_DOMAINS = {
    "8 A100": ("a100-sxm-80gb", 8),
    "8 H100": ("h100-sxm", 8),
    "72 GB200": ("gb200", 72),
    "72 Rubin": ("rubin-r200", 72),
    "500 Rubin": ("rubin-r200", 500),
}
_USERS = {"batch": "2000 sequence", "context": "100 ktoken/sequence", "kv_bytes_per_token": "2 kB/token"}


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "A model that is too large for one chip has to be laid out over many. There are two ways to cut it: across, "
        "so that every chip has a part of each layer, or along, so that every chip has some layers whole. The first "
        "cut divides the time of reading and asks much of the wires. The second asks next to nothing of them and "
        "divides nothing but memory, and of that only the weights."
    )
    yield from _returns()
    yield from _sends()
    yield from _crossings()
    yield from _domain()
    yield from pipelines.blocks()


def _returns() -> Iterator[Block]:
    yield Heading("S10. What sparsity gives back")
    yield from stated("dense_equivalent", "compute_return", "parameters_per_saved")
    yield Text(
        "One point of a power law has been read off a published curve (arXiv 2202.01169, by way of the lecture): 64 "
        "experts with 370 million active parameters are as good as 1.3 billion dense ones. The law has one unknown, "
        "its exponent, and a point fixes it:"
    )
    exponent = solve("return_exponent", **_POINT)
    yield worked("The exponent behind the published point", exponent)
    gain, price = (solve(one, **_POINT, sparsity=_COUNT) for one in ("compute_return", "parameters_per_saved"))
    tenfold = solve("experts", compute_return=10, return_exponent=rounded(exponent))
    yield Text(
        f"So 64 experts save {say(gain, 3)} times the arithmetic. If they store 64 times the active size, as the "
        f"lecture puts it, each parameter saved at computing is paid for with {say(price, 3)} stored. The exponent is "
        f"small, and that is the whole story: to save ten times the arithmetic would take {say(tenfold, 3)} experts."
    )
    yield _returns_picture(rounded(exponent))
    rows: dict[str, list[Answer | str]] = {}
    for model in _SPARSE:
        given = {"return_exponent": rounded(exponent)}
        answers = [solve(one, model, **given) for one in ("dense_equivalent", "compute_return", "parameters_per_saved")]
        rows[model] = [held(model, "experts"), held(model, "active_parameters"), *answers]
    columns = ("model", "experts", "active", "as good as dense", "times", "stored per saved")
    yield table(rows, columns, "Models of today by the law of that one point.", 3)
    yield Text(
        "These rows stretch the law beyond its point, and the last two columns inherit the doubt: it was fitted on "
        "small models with large experts, and today's experts are many and fine. What one may take from them is the "
        "direction. Today's models store two to six parameters for each that they save, and not twenty-four, since a "
        "token passes several of their experts and much that is no expert."
    )


def _returns_picture(exponent: str) -> Picture:
    given = {"active_parameters": _POINT["active_parameters"], "return_exponent": exponent}
    counts = span("1..512", 37, log=True)
    worth = library().sweep(("dense_equivalent",), **given, experts=counts)
    stored = library().sweep(("total_parameters",), **given, sparsity=counts)
    point = solve("dense_equivalent", **given, experts=_COUNT).to("Gparameter").magnitude
    series = (
        Series.of(worth.axes["experts"], worth.columns["dense_equivalent"] / 1e9, "as good as dense", strong=True),
        Series.of(
            stored.axes["sparsity"],
            stored.columns["total_parameters"] / 1e9,
            "stored, were all of it experts",
            style="dashed",
        ),
        Series.of([_COUNT], [point], "the published point", style="points"),
    )
    chart = Chart(Axis("experts", log=True), Axis("Gparameter", log=True), series)
    return Picture(
        "layout-sparsity", (chart,), "What 370 million active parameters are worth, and what is stored for it."
    )


def _sends() -> Iterator[Block]:
    yield Heading("S11. Expert parallelism")
    yield from stated("experts_per_chip", "remote_share", "sends_per_token", "exchange_bytes_per_token")
    yield from stated("exchange_time", "exchanges", "communication_time")
    yield Text(
        "Each chip keeps a few experts of every layer. A token's vector goes to the chips that hold its experts, and "
        "the results come back: an all-to-all, twice in every layer. Out it may go in one byte for each element, "
        "back it is added up and goes in two."
    )
    whole = {"chips": "72 chip", **_SENT}
    yield worked(
        "One layer of DeepSeek-V3 in a rack of GB200, 32 tokens to a chip",
        solve("exchange_time", "gb200", _MODEL, **whole),
    )
    theirs = {"hidden_size": 7000, "active_experts": 9, "remote_share": 1, **_SENT}
    paper = solve("exchange_time", scale_up_bandwidth="900 GB/s/chip", **theirs)
    yield Text(
        "The paper by DeepSeek counts a little more generously (arXiv 2505.09343, section 2.3.2): nine sends with "
        "the shared expert, all of them remote, 7000 elements. With its numbers the same relation gives its "
        f"{say(paper, 3)}."
    )
    rows: dict[str, list[Answer | str]] = {}
    for chip, size in _WIRED.items():
        inside = solve("exchange_time", chip, _MODEL, **_SENT, chips=f"{size} chip")
        across = solve("crossing_time", chip, _MODEL, **_SENT, racks=2)
        ratio = solve("scale_out_slowdown", chip)
        kept = solve("experts_per_chip", _MODEL, chips=f"{size} chip")
        rows[chip] = [
            f"{size}",
            kept,
            held(chip, "scale_up_bandwidth"),
            held(chip, "scale_out_bandwidth"),
            ratio,
            inside,
            across,
        ]
    columns = ("chip", "domain", "experts", "inside", "outside", "slower", "a layer inside", "across two")
    yield table(rows, columns, "DeepSeek-V3, 32 tokens to a chip: bandwidth in one direction, time of one layer.", 3)
    yield Text(
        "*Slower* is what the lecture calls about eight. The bandwidths are those that the vendors print, halved "
        "where they add up both directions. Blackwell stands out: its wires inside doubled and those outside, as far "
        "as one knows, did not. The H800 is the export variant with its wires cut down."
    )
    yield _arms_picture()
    step = solve("memory_time", "gb200", _MODEL, chips="72 chip", batch="2304 sequence", context="8 ktoken/sequence")
    need = solve(
        "scale_up_bandwidth",
        _MODEL,
        chips="72 chip",
        batch="2304 sequence",
        communication_time=rounded(step, "ms"),
        **_WIDTHS,
    )
    yield Text(
        f"Backwards: at 32 tokens to each of 72 chips and 8k tokens of context a step reads for {say(step, 3)}. For "
        f"all of its exchanges to hide behind that, a chip needs {say(need, 3)} of wire. Inside the rack there is "
        "about ten times as much, outside about half of it."
    )


def _arms_picture() -> Picture:
    given = {"chips": "72 chip", "context": "8 ktoken/sequence", **_WIDTHS}
    batch = span("72..16384 sequence", 61, log=True)
    names = ("compute_time", "memory_time", "communication_time", "exchanges")
    swept = library().sweep(names, "gb200:fp8", _MODEL, **given, batch=batch)
    across = library().sweep(("crossing_time",), "gb200:fp8", _MODEL, **given, racks=2, batch=batch)
    columns = {
        "memory": swept.columns["memory_time"],
        "compute": swept.columns["compute_time"],
        "exchange inside a rack": swept.columns["communication_time"],
        "exchange across two racks": swept.columns["exchanges"] * across.columns["crossing_time"],
    }
    series = [Series.of(swept.axes["batch"], 1e3 * column, label) for label, column in columns.items()]
    chart = Chart(Axis("batch [sequence]", log=True), Axis("time of a step [ms]", log=True), tuple(series))
    caption = (
        "The third arm of the roofline: DeepSeek-V3 on 72 GB200, 8k tokens of context, FP8. Inside one rack the "
        "exchange stays below the reading at any batch; across two it passes it at a few thousand sequences."
    )
    return Picture("layout-arms", (chart,), caption)


def _crossings() -> Iterator[Block]:
    yield Heading("What crosses between racks", 3)
    yield from stated("racks", "crossing_share", "token_crossing_share", "crossing_time")
    two = {"racks": 2, "active_experts": 8}
    sends, tokens = solve("crossing_share", **two), solve("token_crossing_share", **two)
    most = solve("racks", token_crossing_share=0.5, active_experts=8)
    yield Text(
        f"Two shares are easily taken for each other. Over two racks {say(sends)} of the *sends* cross, but "
        f"{say(tokens, 4)} of the *tokens*: a token stays at home only if all of its eight experts happen to be "
        "there. It is the sends that the wires feel. Backwards, half of the tokens would stay if there were "
        f"{say(most, 3)} racks, which is to say never."
    )
    yield turned("token_crossing_share", "token_crossing_share", "racks")
    swept = library().sweep(("crossing_share", "token_crossing_share"), active_experts=8, racks=span("1..16", 16))
    series = [
        Series.of(swept.axes["racks"], swept.columns[name], label)
        for name, label in (("token_crossing_share", "tokens"), ("crossing_share", "sends"))
    ]
    chart = Chart(Axis("racks"), Axis("share that crosses", low=0, high=1.05), tuple(series), height=2.6)
    yield Picture(
        "layout-crossing", (chart,), "What leaves the rack if eight experts of each token are spread over several."
    )


def _domain() -> Iterator[Block]:
    yield Heading("S12. The scale-up domain")
    yield from stated("weight_time", "parameter_capacity")
    yield Text(
        "Chips joined by a fast network act as one memory: capacities add up, and so do bandwidths. The second "
        "matters more. Every chip reads its own part of every layer at the same time, so the reading of the weights, "
        "the floor under each step, falls with the number of chips. No other way of adding chips does that."
    )
    rows, times = {}, {}
    for name, (chip, size) in _DOMAINS.items():
        given = {"chips": f"{size} chip"}
        whole = [solve(one, chip, **given) for one in ("domain_capacity", "domain_bandwidth")]
        read = [solve(one, chip, "kimi-k2", **given, read_share=1) for one in ("weight_memory_share", "weight_time")]
        largest = solve("parameter_capacity", chip, **given, **_USERS, bytes_per_parameter="1 byte/parameter")
        rows[name] = [*whole, *read, largest]
        times[name] = read[1].to("ms").magnitude
    columns = ("domain", "memory", "bandwidth", "filled", "read once", "largest model")
    caption = (
        "Domains as one memory. *Filled* and *read once*: the weights of Kimi K2, all of them. Largest model: at one "
        "byte for each parameter, beside 2000 sequences of 100k tokens at 2 kB."
    )
    yield table(rows, columns, caption, 3)
    faster, more = times["8 H100"] / times["72 GB200"], _DOMAINS["72 GB200"][1] / _DOMAINS["8 H100"][1]
    yield Text(
        f"From eight H100 to a rack of GB200 the weights are read {number(faster)} times as fast. The lecture's "
        f"tenfold is the part of it that comes from the number of chips, {number(more)}; the other "
        f"{number(faster / more)} are the memory of each. A domain that holds less than the weights, the first two "
        "rows, has no such step at all: it is listed to show the time that it would take. The last row takes the "
        "lecture's word for a domain of about 500; the catalogue has 72 for Rubin."
    )
    yield _domain_picture()
    fits = solve("parameter_capacity", "gb200", chips="72 chip", **_USERS, bytes_per_parameter="1 byte/parameter")
    yield worked("The largest model beside its users, in a rack of GB200", fits)
    users = {name: text for name, text in _USERS.items() if name != "kv_bytes_per_token"}
    cache = solve(
        "kv_bytes_per_token",
        "gb200",
        chips="72 chip",
        **users,
        bytes_per_parameter="1 byte/parameter",
        parameter_capacity="5 Tparameter",
    )
    count = solve("chips", "gb200", "kimi-k2", weight_time="1 ms", read_share=1)
    yield Text(
        f"Backwards: five trillion parameters leave room for {say(cache, 3)} of cache a token for the same users. And "
        f"a step of a millisecond needs {say(count, 3)} of GB200 to read Kimi K2 whole."
    )
    yield closed_form("chips", ["weight_time", "weight_bytes", "hbm_bandwidth", "bandwidth_efficiency", "read_share"])


def _domain_picture() -> Picture:
    series = []
    for color, (label, chip) in enumerate((("H100", "h100-sxm"), ("GB200", "gb200"), ("Rubin", "rubin-r200"))):
        swept = library().sweep(
            ("weight_time",), chip, "kimi-k2", read_share=1, chips=span("4..1024 chip", 25, log=True)
        )
        series.append(Series.of(swept.axes["chips"], 1e3 * swept.columns["weight_time"], label, color=color))
        sizes = [size for name, (one, size) in _DOMAINS.items() if one == chip]
        times = [
            solve("weight_time", chip, "kimi-k2", read_share=1, chips=f"{size} chip").to("ms").magnitude
            for size in sizes
        ]
        series.append(Series.of(sizes, times, style="points", tags=tuple(map(str, sizes)), color=color))
    chart = Chart(
        Axis("chips", log=True),
        Axis("time to read the weights [ms]", log=True),
        tuple(series),
        (Mark(20, "20 ms", "y"),),
    )
    return Picture("layout-domain", (chart,), "One reading of Kimi K2 against the chips that read it together.")
