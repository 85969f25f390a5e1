"""S17 of the report on training: Chinchilla's tokens, the law behind them, and what a long life makes of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from derive import span
from derive.drawing.chart import Axis, Chart, Series
from derive.errors import NoSolutionError
from derive.relations import library
from derive.reporting.asking import known, number, say, solve, stated, table, worked
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.proving import closed, identical, lines
from derive.solving.answer import Answer
from quantities.source import Source

__all__ = ["blocks"]

_HOFFMANN = Source("Hoffmann et al., arXiv 2203.15556, equation 10", "published")
_BESIROGLU = Source("Besiroglu et al., Chinchilla Scaling: A replication attempt, arXiv 2404.10102", "published")
_FIRST = {
    "irreducible_loss": 1.69,
    "parameter_coefficient": 406.4,
    "data_coefficient": 410.7,
    "parameter_exponent": 0.34,
    "data_exponent": 0.28,
}
_SECOND = {
    "irreducible_loss": 1.8172,
    "parameter_coefficient": 482.01,
    "data_coefficient": 2085.43,
    "parameter_exponent": 0.3478,
    "data_exponent": 0.3658,
}
_LAW = ("parameter_coefficient", "parameter_exponent", "data_coefficient", "data_exponent")
_MODELS = {
    "Chinchilla 70B": "chinchilla-70b",
    "Llama 2 70B": "llama2-70b",
    "Llama 3 8B": "llama3-8b",
    "Llama 3 70B": "llama3-70b",
    "Llama 3.1 405B": "llama3-1-405b",
    "DeepSeek-V3": "deepseek-v3",
    "Qwen3 30B-A3B": "qwen3-30b-a3b",
}


def blocks() -> Iterator[Block]:
    """The system."""
    yield Heading("S17. Chinchilla, and the life of a model")
    yield from stated("tokens_per_parameter", "chinchilla_tokens", "over_training")
    yield from _ratios()
    yield Heading("The law behind the ratio", 3)
    yield from _law()
    yield Heading("A model that will be used", 3)
    yield from _used()


def _ratios() -> Iterator[Block]:
    yield Text(
        "Twenty tokens for each parameter: of which parameters? For a dense model there is only one answer. For a "
        "model with experts the two readings are a factor of its sparsity apart, and this library says which it "
        "means: the active ones, since they are what a token passes and pays for."
    )
    rows: dict[str, list[Answer | str]] = {}
    for title, model in _MODELS.items():
        whole = solve("tokens_per_parameter", model, active_parameters=known(model, "total_parameters"))
        rows[title] = [solve("tokens_per_parameter", model), whole, solve("over_training", model)]
    columns = ("model", "per active parameter", "per stored parameter", "over-training")
    yield table(rows, columns, "Training tokens over parameters, and over Chinchilla's for the active ones.", 3)
    suits = solve("chinchilla_tokens", active_parameters="100 Gparameter")
    over = [
        solve("over_training", active_parameters="100 Gparameter", training_tokens=tokens)
        for tokens in ("200 Ttoken", "150 Ttoken")
    ]
    yield Text(
        f"The blackboard's model of 100 billion active parameters would suit {say(suits)}. If equal bills make it "
        f"train on the 200 trillion that it will serve, it is over-trained by {say(over[0])}; the 150 trillion of "
        f"another passage make it {say(over[1])}.",
        (Source("R. Pope with D. Patel, blackboard lecture, April 2026", "published"),),
    )


def _law() -> Iterator[Block]:
    yield from stated("parameter_loss", "data_loss", "loss")
    balance = solve("best_term_ratio", rising_exponent=0.28, falling_exponent=0.34)
    yield Text(
        "At a fixed compute the tokens are what the parameters leave, so the loss falls as a power of the parameters "
        "and rises as another: the sum of the section before. At its least the two losses stand as their exponents "
        f"do the other way round, that for want of data {say(balance, 3)} times that for want of parameters. "
        "Where the exponents are alike, model and data grow in step, and one number says it all. How well is that "
        "number known? The law has been fitted twice:"
    )
    rows: dict[str, list[Answer | str]] = {}
    for compute in (1e21, 5.76e23, 3.8e25):
        cells: list[Answer | str] = []
        for law in (_FIRST, _SECOND):
            size = solve("law_optimal_parameters", training_compute=f"{compute} FLOP", **law)
            tokens = solve("law_optimal_tokens", training_compute=f"{compute} FLOP", **law)
            cells += [size, number((tokens.value / size.value).to("token/parameter").magnitude)]
        rows[f"{number(compute)} FLOP"] = cells
    columns = ("training compute", "first fit: $N$", "$D/N$", "second fit: $N$", "$D/N$")
    grid = table(rows, columns, "Best model and tokens for each parameter, by two fits of the same law.", 3)
    yield replace(grid, sources=(_HOFFMANN, _BESIROGLU))
    yield Text(
        "The first fit contradicts the ratio of twenty that its own paper is famous for, and the more so the more "
        "there is to spend. The second, made later from the points of the first one's figure, agrees with it. The "
        "exponents of the data differ by less than a third, and over four decades of compute that is enough."
    )


def _used() -> Iterator[Block]:
    yield Text(
        "A model that is served costs for each of its parameters twice, once in training and once in use. Fix the "
        "quality, that is the loss, and look for the cheapest pair of size and tokens. Inference makes parameters "
        "dearer and leaves training tokens as cheap as they were, so the optimum is a smaller model, trained longer."
    )
    yield from stated("target_loss", "lifetime_bill_ratio", "lifetime_optimum")
    yield Text(
        "The last line is the condition of Lagrange: along a curve of equal loss, the last operation spent on size "
        "has to gain as much as the last one spent on tokens. It is worked out here from the two bills, and compared."
    )
    yield _lagrange()
    size = {"lifetime_parameters": "8.03 Gparameter", "lifetime_training_tokens": "15 Ttoken"}
    bill = solve("lifetime_bill_ratio", **size, **_SECOND)
    life = solve("lifetime_tokens", **size, inference_efficiency=1 / 3, **_SECOND)
    yield Text(
        "Backwards it is a question to those who trained it: for how much use is a given model the right one? Here "
        "Llama 3 8B with its 15 trillion tokens is asked, by the second fit. No chip and no utilisation is needed."
    )
    yield worked("The inference bill over the training bill for which Llama 3 8B has the right size", bill)
    yield Text(f"At a third of pre-training's utilisation a bill of that size is {say(life, 3)} served.")
    yield from _lives()
    yield _picture()


def _lagrange() -> Block:
    """The condition of the optimum, from the slopes of loss and bills; it has to be the library's."""
    import sympy

    held = library().quantities
    size, tokens = held["lifetime_parameters"], held["lifetime_training_tokens"]
    parts = {
        "lifetime_parameter_loss": closed("lifetime_parameter_loss", size.name, *_LAW[:2]),
        "lifetime_data_loss": closed("lifetime_data_loss", tokens.name, *_LAW[2:]),
        "lifetime_bill_ratio": held["inference_token_cost_ratio"] * held["lifetime_tokens"] / tokens,
    }
    loss = parts["lifetime_parameter_loss"] + parts["lifetime_data_loss"]
    bill = size * (tokens + held["inference_token_cost_ratio"] * held["lifetime_tokens"])
    gain = sympy.diff(loss, size) / sympy.diff(loss, tokens)
    price = sympy.diff(bill, size) / sympy.diff(bill, tokens)
    optimum = library().relation("lifetime_optimum")
    identical(gain / price, (optimum.lhs / optimum.rhs).subs({held[name]: form for name, form in parts.items()}))
    return lines(
        (r"\frac{\partial\ell/\partial N_l}{\partial\ell/\partial D_l}", sympy.powsimp(sympy.simplify(gain))),
        (r"\frac{\partial\Pi/\partial N_l}{\partial\Pi/\partial D_l}", sympy.simplify(price)),
    )


def _lives() -> Iterator[Block]:
    rows: dict[str, list[Answer | str]] = {}
    for title in ("Llama 3 8B", "Llama 3 70B", "Llama 3.1 405B"):
        model = _MODELS[title]
        given = {
            "lifetime_parameters": known(model, "active_parameters"),
            "lifetime_training_tokens": known(model, "training_tokens"),
            "inference_efficiency": 1 / 3,
        }
        rows[title] = [solve("tokens_per_parameter", model), *_uses(given)]
    columns = ("model", "tokens for each parameter", "best for, first fit", "best for, second fit")
    yield table(rows, columns, "The tokens served in a life for which a model has the right size.", 3)
    yield Text(
        "Where no use is said to be enough, the model is larger than even training alone would have it, by that fit. "
        "Small models are trained as if they would be used for long; the largest is not. The two fits disagree by a "
        "factor of several, and so does everybody who extrapolates them."
    )


def _uses(given: Mapping[str, Any]) -> list[Answer | str]:
    """The use for which a model is right, by each fit; a word where there is none."""
    found: list[Answer | str] = []
    for law in (_FIRST, _SECOND):
        try:
            found.append(solve("lifetime_tokens", **given, **law))
        except NoSolutionError:
            found.append("no use is enough")
    return found


def _picture() -> Picture:
    sizes, ratios = [], []
    for label, law, sought in (("first fit", _FIRST, "4.6..29"), ("second fit", _SECOND, "14..70")):
        quality = solve("loss", "chinchilla-70b", **law).value
        swept = library().sweep(  # along the size, for which the use has a closed form; the other way it is searched
            ("lifetime_tokens", "lifetime_training_tokens"),
            target_loss=quality,
            inference_efficiency=1 / 3,
            lifetime_parameters=span(f"{sought} Gparameter", 80, log=True),
            **law,
        )
        size = swept.axes["lifetime_parameters"]
        used = swept.columns["lifetime_tokens"] / 1e12
        sizes.append(Series.of(used, size / 1e9, label))
        ratios.append(Series.of(used, swept.columns["lifetime_training_tokens"] / size, label))
    x = Axis("tokens served in a life [Ttoken]", log=True, low=0.1, high=1e3)
    charts = (
        Chart(x, Axis("parameters [Gparameter]", low=0), tuple(sizes), title="The cheapest model", height=2.0),
        Chart(x, Axis("tokens / parameter", log=True), tuple(ratios), title="How long it is trained", height=2.0),
    )
    caption = (
        "The cheapest model as good as Chinchilla 70B, against its use, with inference at a third of pre-training's "
        "utilisation. It shrinks and is trained for longer as it is used more; the two fits of the law agree on that, "
        "and on little else."
    )
    return Picture("training-lifetime", charts, caption)
