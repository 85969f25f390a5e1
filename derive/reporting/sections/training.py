"""D. Training and the life of a model: six operations, three bills, why they are alike, and how long to train."""

from __future__ import annotations

from collections.abc import Iterator

from derive import span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.relations import library
from derive.reporting.asking import closed_form, known, number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.proving import closed, identical, lines, without
from derive.reporting.sections import lifetime, minimum
from derive.solving.answer import Answer
from quantities.source import Source

_LLAMA3 = Source("Llama 3, arXiv 2407.21783, table 4", "published")
_RUNS = {
    "Llama 2 70B, A100": ("llama2-70b", "a100-sxm-80gb:bf16"),
    "Llama 3 8B, H100": ("llama3-8b", "h100-sxm:bf16"),
    "Llama 3 70B, H100": ("llama3-70b", "h100-sxm:bf16"),
    "Llama 3.1 405B, H100": ("llama3-1-405b", "h100-sxm:bf16"),
    "DeepSeek-V3, H800 at FP8": ("deepseek-v3", "h800-sxm:fp8"),
    "DeepSeek-V3, H800 at BF16": ("deepseek-v3", "h800-sxm:bf16"),
}
_RENT = {"chip_price": "2 USD/h/chip"}
_THIRD = 1 / 3


def blocks() -> Iterator[Block]:
    """The report."""
    yield Text(
        "A model is paid for three times: when it reads, when it is taught by its own attempts, and when it is used. "
        "All three bills count the same thing, operations for each parameter and token. So their ratios know nothing "
        "of the chip, the rent or the size of the model, and that is why one can reason about them at all."
    )
    yield from _six()
    yield from _run()
    yield from _bills()
    yield from minimum.blocks()
    yield from lifetime.blocks()


def _six() -> Iterator[Block]:
    yield Heading("S14. Six operations, and the run they add up to")
    yield Text(
        "Why six? A matrix meets a token's vector, and each of its weights multiplies once and adds once: two "
        "operations. Going backward the same weight is needed twice, for two different things. One product gives the "
        "gradient of the weight itself; the other hands the gradient of the layer's input down to the layer below. "
        "Each has as many multiplications as the forward product. Two forward, four backward."
    )
    yield from stated("backward_flops_per_parameter", "training_flops_per_parameter", "training_compute")
    frozen = solve("training_flops_per_parameter", weight_gradient_flops_per_parameter="0 FLOP/parameter/token")
    yield Text(
        f"Forward and backward together take {say(solve('training_flops_per_parameter'))}. The two halves of the "
        "backward pass can be parted: where the weights are frozen and only something below or beside them learns, "
        f"nobody asks for their gradients, and {say(frozen)} remain."
    )
    again = {"recomputed_share": 1}
    more = solve("recomputation_factor", **again)
    yield Text(
        f"A run that keeps no activations goes forward a second time: {say(solve('hardware_passes', **again))} passes "
        f"instead of {say(solve('training_passes'))}, so the hardware does {say(more, 3)} times what "
        "the model needs. MFU counts what is needed, HFU what is done. Whoever compares two published utilisations "
        "has to ask first which of them was counted."
    )


def _run() -> Iterator[Block]:
    yield Text("The time and the money of a run need one measured number more, the share of the peak that it reaches.")
    yield from stated("achieved_compute", "training_chip_time", "training_time", "training_cost")
    work = ("training_flops_per_parameter", "active_parameters", "peak_compute")
    yield Text("Put together, forward for the bill, and backward for the tokens that a budget buys:")
    yield closed_form("training_cost", (*work, "training_tokens", "training_mfu", "chip_price"))
    yield closed_form("training_tokens", (*work, "training_cost", "training_mfu", "chip_price"))
    budget = {"training_cost": "100 MUSD", "training_mfu": 0.41, "active_parameters": "100 Gparameter", **_RENT}
    yield Text(
        "A hundred million dollars, on H100 at 2 USD an hour, read "
        f"{say(solve('training_tokens', 'h100-sxm:bf16', **budget), 3)} into 100 billion active parameters."
    )
    forward = solve("training_time", *_RUNS["Llama 3.1 405B, H100"], training_chips="16384 chip", training_mfu=0.41)
    yield worked("Llama 3.1 405B on 16,384 H100 at the MFU that its paper gives", forward)
    back = solve("training_mfu", *_RUNS["Llama 3.1 405B, H100"])
    yield Text(
        "The check that fails is worth reading. The paper's utilisation is that of a step while it runs; the model "
        f"card adds up all hours. Asked backwards, the hours say {say(back, 3)}: stops, repeated steps, smaller "
        "batches at the start and longer sequences at the end are in them too.",
        (_LLAMA3,),
    )
    yield Text("The same question to other published bills, in a line and in a table:")
    yield closed_form("training_mfu", (*work, "training_tokens", "training_chip_time"))
    yield _published()
    yield _doubts()


def _published() -> Block:
    rows: dict[str, list[Answer | str]] = {}
    for title, (model, chip) in _RUNS.items():
        compute = solve("training_compute", model, training_tokens=known(model, "training_tokens"))
        rows[title] = [
            f"{number(compute.to('FLOP').magnitude)} FLOP",
            number(float(known(model, "training_chip_time").split()[0])),
            solve("training_mfu", model, chip),
            _millions(solve("training_cost", model, **_RENT)),
        ]
    columns = ("run", "$6ND$", "chip-hours", "implied MFU", "at 2 USD an hour")
    return table(rows, columns, "Published chip-hours, and the utilisation that they imply.", 3)


def _millions(cost: Answer) -> str:
    return f"{number(cost.to('USD').magnitude / 1e6)} million USD"


def _doubts() -> Text:
    long = {"sequence_length": "8192 token/sequence", "causal_share": 0.5}
    ratio = solve("training_attention_ratio", "llama3-1-405b", **long)
    small = solve("training_attention_ratio", "llama3-8b", **long)
    return Text(
        "Two traps. DeepSeek-V3 multiplies in FP8, so the FP8 peak is the honest one to divide by, and makes the same "
        "run look half as good. And six times parameters times tokens leaves attention over the context aside. With "
        f"sequences of 8,192 tokens it does {say(ratio, 2)} times the work of the parameters in a model of 405B, and "
        f"{say(small, 2)} times in one of 8B. The smaller the model, the less it is a footnote."
    )


def _bills() -> Iterator[Block]:
    yield Heading("S15. Three bills")
    yield Text(
        "A token of reinforcement learning passes forward when it is generated, and forward and backward if it is "
        "learnt from: two to six operations for each parameter. A served token passes forward only. But both are "
        "generated one at a time, which uses the chips worse than reading a whole text does. A token costs its "
        "operations over the share of the peak that they reach."
    )
    yield from stated("rl_token_cost_ratio", "rl_bill_ratio", "inference_token_cost_ratio", "inference_bill_ratio")
    yield Text(
        "That size, chip and rent cancel is not put in by hand. Here are the two bills written out in full; the "
        "quotient of them is formed, and this page would not exist if one of the three were left in it."
    )
    yield _quotient()
    yield Text("So equal bills are a matter of counting tokens:")
    work = ("training_tokens", "flops_per_parameter", "training_flops_per_parameter", "inference_efficiency")
    yield closed_form("equal_lifetime_tokens", work)
    works = ("training_tokens", "rl_flops_per_parameter", "training_flops_per_parameter", "rl_efficiency")
    yield closed_form("equal_rl_tokens", works)
    yield _equal_table()
    yield _token_picture()
    yield from _blackboard()
    yield _bills_picture()


def _quotient() -> Block:
    """The bill of reinforcement learning over that of pre-training, and the proof of what is not in it."""
    held = library().quantities
    shared = ("active_parameters", "peak_compute", "chip_price")
    first = closed("training_cost", "training_flops_per_parameter", "training_tokens", "training_mfu", *shared)
    work = closed("rl_compute", "rl_flops_per_parameter", "rl_tokens", "active_parameters")
    second = work / (held["rl_mfu"] * held["peak_compute"]) * held["chip_price"]
    ratio = without(second / first, *shared)
    known = ("rl_flops_per_parameter", "rl_tokens", "rl_mfu", "training_flops_per_parameter", "training_tokens")
    identical(ratio, closed("rl_bill_ratio", *known, "training_mfu"))
    return lines((held["training_cost"], first), (r"\Pi_{rl}", second), (r"\frac{\Pi_{rl}}{\Pi}", ratio))


def _equal_table() -> Block:
    rows = {}
    for word, share in (("as in pre-training", 1.0), ("two thirds", 2 / 3), ("a third", _THIRD), ("a tenth", 0.1)):
        rows[word] = [
            solve("rl_token_cost_ratio", rl_flops_per_parameter="2 FLOP/parameter/token", rl_efficiency=share),
            solve("rl_token_cost_ratio", rl_flops_per_parameter="6 FLOP/parameter/token", rl_efficiency=share),
            solve("inference_token_cost_ratio", inference_efficiency=share),
        ]
    columns = ("utilisation", "RL, only generated", "RL, all learnt from", "inference")
    return table(rows, columns, "Cost of a token over that of a token of pre-training.", 3)


def _blackboard() -> Iterator[Block]:
    work = solve("rl_flops_per_parameter", rl_token_cost_ratio=1.5, rl_efficiency=_THIRD)
    tenth = solve("rl_flops_per_parameter", rl_token_cost_ratio=1.5, rl_efficiency=0.1)
    share = solve("rl_efficiency", rl_mfu=0.15, training_mfu=0.45)
    served = solve("equal_lifetime_tokens", training_tokens="150 Ttoken", inference_efficiency=_THIRD)
    worse = solve("equal_lifetime_tokens", training_tokens="150 Ttoken", inference_efficiency=0.1)
    yield Text(
        "The blackboard has equal bills where the tokens of pre-training are 1.5 times those of reinforcement "
        "learning and as many as those of inference. What has to hold for that? Asked backwards: with a third of the "
        f"utilisation, the ratio of 1.5 means {say(work)} in reinforcement learning, between generating and learning "
        f"from everything. With a tenth it would mean {say(tenth)}, less than one forward pass, so that reading is "
        f"impossible. An MFU of 15 % beside one of 45 % is a factor of {say(share, 3)}. For inference the same third "
        f"makes {say(served)} served equal to 150 trillion trained on; a tenth would leave {say(worse)}.",
        (Source("R. Pope with D. Patel, blackboard lecture, April 2026", "published"),),
    )
    yield from _two_months()


def _two_months() -> Iterator[Block]:
    """The blackboard's use of a model: the bill of inference, forward, and the whole in money."""
    tokens = solve("lifetime_tokens", served_rate="50 Mtoken/s", lifetime="60 day")
    rate = solve("served_rate", lifetime_tokens="200 Ttoken", lifetime="60 day")
    third = solve("pretraining_share", rl_bill_ratio=1, inference_bill_ratio=1)
    yield Text(
        f"Tokens are a rate times a life. Fifty million a second for two months are {say(tokens, 3)}, which the "
        f"blackboard rounds to 200 trillion; those would be {say(rate, 3)}. With all three bills equal, pre-training "
        f"is {say(third, 3)} of what the model costs."
    )
    use = {"served_rate": "50 Mtoken/s", "lifetime": "60 day", "inference_efficiency": _THIRD}
    bill = solve("inference_bill_ratio", **use, training_tokens="150 Ttoken")
    yield worked("The bill of two months of use, over that of 150 trillion tokens of training", bill)
    life = {"training_tokens": "150 Ttoken", "rl_flops_per_parameter": "3 FLOP/parameter/token"}
    used = {"rl_tokens": "100 Ttoken", "rl_efficiency": _THIRD, "inference_efficiency": _THIRD}
    run = {"active_parameters": "100 Gparameter", "training_mfu": 0.45, "served_rate": "50 Mtoken/s"}
    cost = {**life, **used, **run, "chip_price": "2 USD/h/chip", "lifetime": "60 day"}
    whole = solve("lifetime_cost", "h100-sxm:bf16", **cost)
    part = solve("training_cost", "h100-sxm:bf16", **cost)
    yield Text(
        "In money, for 100 billion active parameters on H100 at 2 USD an hour, 150 trillion tokens read, 100 trillion "
        f"tried, and those two months of use: {_millions(whole)}, of which pre-training is "
        f"{_millions(part)}."
    )


def _token_picture() -> Picture:
    grid = span("0.05..1", 60, log=True)
    served = library().sweep("inference_token_cost_ratio", inference_efficiency=grid)
    share = served.axes["inference_efficiency"]
    tokens = [Series.of(share, served.columns["inference_token_cost_ratio"], "inference: 2", strong=True)]
    for work in ("2", "3", "6"):
        swept = library().sweep(
            "rl_token_cost_ratio", rl_efficiency=grid, rl_flops_per_parameter=f"{work} FLOP/parameter/token"
        )
        if work != "2":  # where a token is only generated, both lie on one line
            tokens.append(Series.of(share, swept.columns["rl_token_cost_ratio"], f"RL: {work}", style="dashed"))
    chart = Chart(
        Axis("utilisation, over that of pre-training", log=True),
        Axis("cost of a token", log=True),
        tuple(tokens),
        (Mark(1.0, "", "y"),),
        height=2.3,
    )
    caption = (
        "What a token costs, over one of pre-training, by its operations for each parameter. Every line is a hyperbola."
    )
    return Picture("training-token-cost", (chart,), caption)


def _bills_picture() -> Picture:
    """The three bills against the tokens served, in units of the first."""
    swept = library().sweep(
        ("inference_bill_ratio", "served_per_trained"),
        training_tokens="1 Ttoken",
        inference_efficiency=_THIRD,
        lifetime_tokens=span("0.05..20 Ttoken", 60, log=True),
    )
    ratio, bill = swept.columns["served_per_trained"], swept.columns["inference_bill_ratio"]
    taught = (
        solve(
            "rl_bill_ratio",
            rl_tokens="1 Ttoken",
            training_tokens="1.5 Ttoken",
            rl_flops_per_parameter="3 FLOP/parameter/token",
            rl_efficiency=_THIRD,
        )
        .to("")
        .magnitude
    )
    equal = solve("equal_lifetime_tokens", training_tokens="1 Ttoken", inference_efficiency=_THIRD)
    series = (
        Series.of(ratio, 1 + taught + bill, "all three", strong=True),
        Series.of(ratio, 0 * bill + 1, "pre-training, and RL as dear", style="dashed"),
        Series.of(ratio, bill, "inference", style="dashed"),
    )
    knee = Mark(equal.to("Ttoken").magnitude, "equal bills")
    x, y = Axis("tokens served for each token trained on", log=True), Axis("bill, over pre-training", log=True)
    caption = (
        "The three bills as a model is used, with inference and reinforcement learning at a third of pre-training's "
        "utilisation. Until about as many tokens are served as were trained on, use is the smaller part; beyond, it "
        "is the only one that counts."
    )
    return Picture("training-bills", (Chart(x, y, series, (knee,), height=2.7),), caption)
