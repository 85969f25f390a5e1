"""S25 of the report on walls: Feistel's trick, proved for any function, and what reversible layers save and cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from derive import span
from derive.drawing.chart import Axis, Chart, Series
from derive.errors import VerificationError
from derive.files.loading import load
from derive.relations import library
from derive.reporting.asking import number, say, solve, stated, table
from derive.reporting.document import Block, Formulas, Heading, Picture, Text
from derive.reporting.proving import closed, lines
from derive.showing.derivation import Line
from derive.solving.answer import Answer
from quantities.source import Source

__all__ = ["blocks"]

_REVNET = Source("Gomez et al., The Reversible Residual Network, arXiv 1707.04585", "published")
_LECTURE = Source("R. Pope with D. Patel, blackboard lecture, April 2026", "published")
_RESIDUAL = """
[quantities]
x = { unit = "", domain = "real" }
y = { unit = "", domain = "real" }
[relations.residual]
equation = "y = x + x**2"
"""
_GPT3 = {"sequence_length": "2048 token/sequence", "micro_tokens": "2048 token", "tensor_ways": 8}


def blocks() -> Iterator[Block]:
    """The system."""
    yield Heading("S25. Feistel, and layers that run backward")
    yield from _trick()
    yield from _activations()
    yield from _compared()


def _trick() -> Iterator[Block]:
    answers = load(_RESIDUAL).solve_all("x", y=2)
    found = " and ".join(say(answer) for answer in answers)
    yield Text(
        "A residual layer adds something to its input, $y = x + f(x)$, and in general there is no way back: for "
        f"$f(x) = x^2$ and $y = 2$ the engine finds {found}, and no one can tell which it was. So training keeps the "
        "inputs of all layers. Feistel's trick, from ciphers of the seventies, is to split the vector in two and to "
        "add to one half a function of the *other*. That other half is still there afterwards, so the function can be "
        "computed again and taken away. Nothing is asked of $f$: it need not be invertible, smooth, or even good."
    )
    yield _one_sided()
    yield Text(
        "One half has passed unchanged. A layer that changes both does the same twice, the second time with a "
        "function of what the first has made. The way back takes the steps in the opposite order.",
        (_REVNET,),
    )
    yield _two_sided()
    yield Text(
        "These lines are proved when the page is made, for functions of which nothing is known: forward and then "
        "back, and back and then forward, leave both halves as they were. The determinant, here of halves with one "
        "element, says that the map neither stretches nor squeezes, whatever $f$ and $g$ do. One thing the algebra "
        "hides: in floating point $x + f - f$ is not quite $x$, and the errors of many layers add up."
    )


def _unknown() -> tuple[Any, ...]:
    import sympy

    return (*sympy.symbols("x_1 x_2 y_1 y_2"), sympy.Function("f"), sympy.Function("g"))


def _proved(forward: tuple[Any, Any], back: tuple[Any, Any]) -> None:
    """That the two maps undo each other, in both orders."""
    import sympy

    x1, x2, y1, y2, *_ = _unknown()
    there = [form.subs({y1: forward[0], y2: forward[1]}, simultaneous=True) for form in back]
    here = [form.subs({x1: back[0], x2: back[1]}, simultaneous=True) for form in forward]
    for form, whole in zip((*there, *here), (x1, x2, y1, y2), strict=True):
        if sympy.simplify(form - whole) != 0:
            raise VerificationError(f"A report says that a map is undone, and it is not: {form} is not {whole}.")


def _shown(forward: tuple[Any, Any], back: tuple[Any, Any]) -> tuple[Line, ...]:
    import sympy

    x1, x2, y1, y2, *_ = _unknown()
    pairs = zip((y1, y2, x1, x2), (*forward, *back), strict=True)
    return tuple((str(left), sympy.latex(form, order="none")) for left, form in pairs)


def _one_sided() -> Block:
    x1, x2, y1, y2, f, _ = _unknown()
    forward, back = (x1, x2 + f(x1)), (y1, y2 - f(y1))
    _proved(forward, back)
    return Formulas(_shown(forward, back))


def _two_sided() -> Block:
    """Both halves changed; the inverse is written with the half that is won first."""
    import sympy

    x1, x2, y1, y2, f, g = _unknown()
    first, second = x1 + f(x2), y2 - g(y1)
    forward, back = (first, x2 + g(first)), (y1 - f(second), second)
    _proved(forward, back)
    volume = sympy.simplify(sympy.Matrix(forward).jacobian([x1, x2]).det())
    if volume != 1:
        raise VerificationError(f"A report says that a map keeps volumes, and it does not: {volume}.")
    determinant = r"\frac{\partial(y_1, y_2)}{\partial(x_1, x_2)}", str(volume)
    return Formulas((*_shown((first, x2 + g(y1)), (y1 - f(x2), second)), determinant))


def _activations() -> Iterator[Block]:
    yield Heading("What it saves, and what it costs", 3)
    yield from stated(
        "layer_activations",
        "recomputed_layer_activations",
        "chip_activations",
        "reversible_activations",
        "reversible_saving",
        "reversible_factor",
    )
    saving = closed("reversible_saving", "layers", "chip_activations")
    yield lines((library().quantities["reversible_saving"], saving))
    part = solve("reversible_saving", "gpt3-175b", chip_activations="1 GB/chip")
    yield Text(
        "What a layer keeps cancels, and so does the chip: reversible layers keep one layer's activations, so they "
        f"save all but one part in as many as there are layers, {say(part, 3)} of them in a model of 96. For that "
        f"they go through the layers once more: {say(solve('reversible_factor'), 3)} times the operations. The "
        "blackboard's statement is exact. What a reader may miss is the rival: to keep each layer's input, and to run "
        "the layer again from there, costs the same pass, needs no new architecture, and already saves most of it.",
        (_LECTURE,),
    )
    yield _table()
    yield _picture()


def _table() -> Block:
    whole = solve("sequence_activations", "gpt3-175b", **_GPT3)
    layer = solve("sequence_layer_activations", "gpt3-175b", **_GPT3)
    again = solve("recomputation_factor", recomputed_share=1)
    kept: dict[str, tuple[Answer, Answer | str]] = {
        "everything": (whole, solve("recomputation_factor")),
        "all but attention scores": (solve("selective_activations", "gpt3-175b", **_GPT3), _selective()),
        "inputs of layers": (solve("recomputed_activations", "gpt3-175b", **_GPT3), again),
        "reversible": (
            solve("reversible_activations", "gpt3-175b", kept_layer_activations=layer.value),
            solve("reversible_factor"),
        ),
    }
    rows: dict[str, list[Answer | str]] = {
        words: [held, number(100 * (held.value / whole.value).to("").magnitude) + " %", work]
        for words, (held, work) in kept.items()
    }
    columns = ("kept", "on each chip", "of everything", "operations")
    caption = (
        "Activations of GPT-3 on eight chips (tensor and sequence parallel), one sequence of 2,048 tokens. The inputs "
        "of layers are here whole on every chip. Both last lines also hold the layer that is just being undone."
    )
    return table(rows, columns, caption, 3)


def _selective() -> str:
    """Operations of a step that recomputes attention alone, over those of one that keeps everything."""
    step = {"global_batch": "1 sequence", "sequence_length": _GPT3["sequence_length"]}
    done = solve("classic_selective_compute", "gpt3-175b", **step)
    return number((done.value / solve("classic_step_compute", "gpt3-175b", **step).value).to("").magnitude)


def _picture() -> Picture:
    names = ("sequence_activations", "selective_activations", "recomputed_activations")
    swept = library().sweep(names, "gpt3-175b", **_GPT3, layers=span("1..128", 64))
    layers = swept.axes["layers"]
    labels = ("everything", "all but attention scores", "inputs of layers")
    series = [Series.of(layers, swept.columns[name] / 1e9, label) for name, label in zip(names, labels, strict=True)]
    layer = solve("sequence_layer_activations", "gpt3-175b", **_GPT3).to("GB/chip").magnitude
    series.append(Series.of(layers, 0 * layers + layer, "reversible", strong=True))
    axes = Axis("layers", low=0), Axis("activations [GB/chip]", log=True)
    caption = (
        "Activations against depth, for layers as wide as GPT-3's. All schemes but one grow with the layers; at one "
        "layer there is nothing to reverse. (The number of layers is moved alone, the rest of the model stays.)"
    )
    return Picture("walls-activations", (Chart(*axes, tuple(series)),), caption)


def _compared() -> Iterator[Block]:
    passed = solve("parameter_flops_per_token", "gpt3-175b").value
    layer = solve("layer_activations", "gpt3-175b", **_GPT3).value
    tokens = solve("micro_tokens", sequence_length="2048 token/sequence", micro_batch="1 sequence").value
    known = library().profiles["gpt3-175b"].values["layers"].number
    kept = passed * tokens / (layer * known)
    yield Text(
        "Why is memory spent for compute in serving and compute for memory in training? Both trades save one forward "
        f"pass of a token, of GPT-3 {say(solve('parameter_flops_per_token', 'gpt3-175b'), 3)}. The cache stores few "
        f"bytes for it, so each of its bytes saves {say(solve('flops_per_cached_byte', 'gpt3-175b'), 3)}, and does so "
        "again for every token that is decoded. Activations are everything that a backward pass may ask for, and each "
        f"of their bytes saves {number(kept.to('FLOP/byte').magnitude, 'FLOP/byte')}, once. The same memory, at the "
        "same rent, is worth far more in the one place than in the other."
    )
