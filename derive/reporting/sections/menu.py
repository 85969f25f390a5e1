"""B. The price menu: one fleet sells the same tokens fast, normally or slowly, and each price tells of a batch."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import closed_form, held, letter, number, rounded, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.sections import trains
from derive.solving.answer import Answer

_FAST = "rule-anthropic-fast"
_SERVED = ("h100-sxm:bf16", "llama3-70b")
_CHIPS = {"chips": "8 chip", "chip_price": "2 USD/h/chip"}
_GIVEN = {**_CHIPS, "context": "8 ktoken/sequence"}
_NORMAL = {**_GIVEN, "batch": "96 sequence"}


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "The same model on the same chips is sold at several speeds. Nothing changes in it but how many sequences "
        "share a step. Fewer of them make a shorter step, and fewer tokens to pay its rent. So speed has a price, "
        "patience has a limit, and two lines of a price list say which batch stands behind them."
    )
    yield from _fast()
    yield from _forward()
    yield from _slow()
    yield from trains.blocks()


def _fast() -> Iterator[Block]:
    yield Heading("S7. Fast mode")
    yield from stated("weight_share", "kv_share", "memory_share", "fast_batch_ratio")
    yield from stated("fast_price_ratio", "fast_speed_ratio", "fast_speed_limit")
    yield Text(
        "The two ratios answer different questions. Rent runs by the second, so a token costs the length of the step "
        "over the tokens in it: that gives the price. A smaller batch leaves the weights to be read and takes away "
        "its part of the cache: that gives the speed. It holds as long as memory binds the fast step, which a "
        "smaller batch makes only more certain."
    )
    yield Text(
        "A price list prints both ratios and none of the shares. That is two equations for the batch and for the "
        "weights' share of a normal step; what remains open is whether memory was busy all the time."
    )
    yield closed_form("fast_batch_ratio", ["fast_price_ratio", "fast_speed_ratio"])
    yield closed_form("weight_share", ["fast_price_ratio", "fast_speed_ratio", "memory_share"])
    yield closed_form("kv_share", ["fast_price_ratio", "fast_speed_ratio", "memory_share"])
    yield worked("The fast mode of Opus 4.6, if memory binds its normal step", solve("kv_share", _FAST, memory_share=1))
    yield Text(
        "The last two steps are two equations for two shares; they are solved together, as the closed forms say."
    )
    yield from _compute_bound()
    yield from _sheets()


def _compute_bound() -> Iterator[Block]:
    least = solve("memory_share", _FAST, kv_share=0)
    open_share = f"{least.value.magnitude}..1"
    weights, cache = (solve(name, _FAST, memory_share=open_share) for name in ("weight_share", "kv_share"))
    yield Text(
        f"If compute binds the normal step, memory is busy for a part {letter('memory_share')} of it. The cache's "
        f"share cannot be negative, so this part is at least {say(least)}. Over all that is left the weights take "
        f"{_between(weights)} of the step, and the cache {_between(cache)}. Here is what one would stumble over: the "
        "price list all but fixes how long the weights are read, and says next to nothing of the cache, unless one "
        "knows which arm binds."
    )


def _between(answer: Answer) -> str:
    low, high = (number(end.magnitude) for end in (answer.low, answer.high))
    return f"{low} to {high}"


def _sheets() -> Iterator[Block]:
    asked = ("fast_batch_ratio", "weight_share", "kv_share", "fast_speed_limit")
    rows: dict[str, list[Answer | str]] = {}
    for name, rule, given in (
        ("Opus 4.6", _FAST, {}),
        ("Opus 4.8, as fast", "rule-anthropic-fast-4-8", {"fast_speed_ratio": 2.5}),
    ):
        answers = [solve(one, rule, memory_share=1, **given) for one in asked]
        rows[name] = [held(rule, "fast_price_ratio"), *answers]
    columns = ("price list", "price ratio", "batch ratio", "weights", "cache", "fastest")
    yield table(rows, columns, "Two fast modes read backwards, where memory binds.", 3)
    yield Text(
        "The second list prints no speed; the 2.5 of the first is carried over. At the lower price the same speed "
        "needs less thinning of the batch, which is possible only if the cache took more of the normal step. The "
        "last column is the speed of a single sequence, the weights alone: beyond it no price buys anything."
    )


def _forward() -> Iterator[Block]:
    yield Heading("Forward, from a batch to both ratios", 3)
    shares = solve("weight_share", *_SERVED, **_NORMAL), solve("mfu", *_SERVED, **_NORMAL)
    yield Text(
        "Llama 3 70B on eight H100 at 8k tokens of context, 96 sequences to a normal step, comes close to the shares "
        f"that the price list gives away: the weights take {say(shares[0], 3)} of the step, arithmetic would take "
        f"{say(shares[1], 3)}. Thin its batch, and both ratios follow:"
    )
    known = {"weight_share": rounded(shares[0]), "memory_share": 1}
    thin = solve("fast_price_ratio", batch="96 sequence", fast_batch="6 sequence", **known)
    yield worked("Six sequences instead of 96", thin)
    rows = {}
    asked = ("fast_speed_ratio", "fast_price_ratio")
    for thinned in ("48 sequence", "24 sequence", "6 sequence", "1 sequence"):
        ratios = [solve(one, *_SERVED, **_NORMAL, fast_batch=thinned) for one in asked]
        given = {**_GIVEN, "batch": thinned}
        rows[thinned] = [*ratios, *(solve(one, *_SERVED, **given) for one in ("user_speed", "cost_per_token"))]
    columns = ("fast batch", "speed ratio", "price ratio", "speed", "cost of a token")
    yield table(rows, columns, "What a thinner batch gives and takes, against 96 sequences. Chips at 2 USD an hour.", 3)
    back = solve("batch", *_SERVED, **_GIVEN, fast_speed_ratio=2.5, fast_price_ratio=6)
    yield Text(
        "And backwards, through prices, shares and times to the machine: 6 times the price for 2.5 times the speed "
        f"says that the normal batch of these chips is {say(back, 3)}, whatever the chips cost."
    )
    yield _pareto()
    alone = [solve("read_share", "deepseek-v3", batch=f"{count} sequence") for count in (1, 8, 64)]
    yield Text(
        "A model with experts does better than these formulas at the fast end. They read all weights at any batch, "
        f"but one sequence of DeepSeek-V3 touches {say(alone[0], 2)} of them, 8 touch {say(alone[1], 2)} and 64 "
        f"{say(alone[2], 2)}. Its fast mode begins to gain twice, from the cache and from the weights, below some "
        "tens of sequences."
    )


def _pareto() -> Picture:
    series = []
    for color, (context, octaves) in enumerate((("8 ktoken/sequence", 7), ("500 token/sequence", 11))):
        batch = span(f"1..{2**octaves} sequence", 8 * octaves + 1, log=True)  # every eighth is a power of two
        swept = library().sweep(("user_speed", "cost_per_token"), *_SERVED, **_CHIPS, context=context, batch=batch)
        speed, cost = swept.columns["user_speed"], swept.columns["cost_per_token"]
        tags = [f"{count:.0f}" if color == 0 or count >= 64 else "" for count in swept.axes["batch"][::8]]
        series.append(Series.of(speed, cost, f"context of {context.removesuffix('/sequence')}s", color=color))
        series.append(Series.of(speed[::8], cost[::8], style="points", tags=tuple(tags), color=color))
    limit = solve("fastest_speed", *_SERVED, **_GIVEN).to("token/s/sequence").magnitude
    chart = Chart(
        Axis("speed of a user [token/s]"),
        Axis("USD/Mtoken", log=True),
        tuple(series),
        (Mark(limit, ""),),
        height=4.2,
    )
    caption = (
        "Price against speed, the batch beside the points: Llama 3 70B on eight H100 at 2 USD an hour each. To the "
        "right speed runs into the reading of the weights, the dashed line, and the price runs away. To the left "
        "more patience buys little or nothing: the cache, or the arithmetic, is paid by every token alone."
    )
    return Picture("menu-pareto", (chart,), caption)


def _slow() -> Iterator[Block]:
    yield Heading("S8. Slow mode")
    yield from stated("slow_discount", "cost_floor")
    yield Text(
        "Who waits lets the batch grow, and a larger batch shares one thing only: the reading of the weights. Cache "
        "and arithmetic belong to each token. So the longest patience saves what the weights take, and no more."
    )
    times = {
        name: rounded(solve(name, *_SERVED, **_NORMAL), "ms") for name in ("compute_time", "weight_time", "kv_time")
    }
    yield worked("What waiting could save on the chips of S7", solve("slow_discount", **times))
    opus = solve("slow_discount", _FAST, memory_share=1, mfu=0.3)
    yield Text(
        "The price list of Opus 4.6 bounds its own slow mode: from the shares that the fast mode gives away, "
        f"{say(opus)} times cheaper at most, as long as arithmetic fills less of the step than the cache does. A "
        "discount of ten would need both to be below a tenth: a normal step that reads weights for nine tenths of "
        "its time, which is to say a batch that nobody would call normal:"
    )
    rows = {}
    for discount in (1.5, 2, 10):
        given = {"slow_discount": discount, **_GIVEN}
        batch = solve("batch", *_SERVED, **given)
        then = {**_GIVEN, "batch": batch.value}
        rows[number(discount)] = [
            batch,
            *(solve(one, *_SERVED, **then) for one in ("user_speed", "cost_per_token", "mfu")),
        ]
    columns = ("discount", "normal batch", "speed", "cost of a token", "MFU")
    yield table(rows, columns, "The normal batch from which waiting without end could save so much.", 3)
    yield _slow_picture()
    batches, flexible = solve("batch_discount", "gpt-5-prices"), solve("flex_discount", "gpt-5-prices")
    idle = solve("fleet_utilisation", cost_per_token="1 USD/Mtoken", loaded_cost="2 USD/Mtoken")
    yield Text(
        f"GPT-5 costs {number(1 - batches.value.magnitude)} of its price in batches, and "
        f"{number(1 - flexible.value.magnitude)} of it as flexible processing. That is within the reach of a batch "
        "that was small to begin with. But there is a second reason, of another kind: chips that would idle."
    )
    yield from stated("loaded_cost")
    yield Text(
        f"A fleet in use for {say(idle)} of its time charges twice the cost of a token. Who takes the hours that "
        "nobody else wants can have the other half, and no step becomes any cheaper by it."
    )


def _slow_picture() -> Picture:
    series = []
    for context in ("500 token/sequence", "2 ktoken/sequence", "8 ktoken/sequence", "32 ktoken/sequence"):
        swept = library().sweep(
            ("slow_discount",), *_SERVED, **_CHIPS, context=context, batch=span("1..1024 sequence", 81, log=True)
        )
        label = context.removesuffix("/sequence") + "s"
        series.append(Series.of(swept.axes["batch"], swept.columns["slow_discount"], label))
    chart = Chart(
        Axis("normal batch [sequence]", log=True),
        Axis("cost over its floor", log=True, low=0.9),
        tuple(series),
        (Mark(2, "half price", "y"), Mark(10, "a tenth of the price", "y")),
    )
    caption = (
        "All that waiting can save, against the batch that one starts from, at four lengths of context (same chips)."
    )
    return Picture("menu-slow", (chart,), caption)
