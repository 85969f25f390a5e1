"""S16 of the report on training: a cost that rises and one that falls, and where their sum is least."""

from __future__ import annotations

from collections.abc import Iterator

from derive import Library, relate, span
from derive.drawing.chart import Axis, Chart, Mark, Series
from derive.errors import VerificationError
from derive.relations import library
from derive.reporting.asking import number, say, solve, stated, table
from derive.reporting.document import Block, Heading, Picture, Text
from derive.reporting.proving import closed, identical, lines
from derive.solving.answer import Answer

__all__ = ["blocks"]

_POWERS = ("rising_coefficient", "falling_coefficient", "rising_exponent", "falling_exponent")
_PAIRS = {"1 and 1": (1.0, 1.0), "1 and 1/2": (1.0, 0.5), "2 and 1": (2.0, 1.0), "1 and 1/4": (1.0, 0.25)}


def blocks() -> Iterator[Block]:
    """The system."""
    yield Heading("S16. Why the bills should be about equal")
    yield Text(
        "A choice makes one cost rise and another fall: more training, less inference; a larger model, fewer tokens. "
        "Near the choices that anybody considers, both are powers of it. The rule of thumb says: choose so that the "
        "two are equal. Is that so? (The letters $A$, $a$, $B$ and $b$ are those of this section.)"
    )
    yield from stated("rising_term", "falling_term", "opposed_cost")
    yield Text(
        "At the least sum a small step up costs what it saves. The slope is taken, cleared of the power below the "
        "line, and the engine is asked which choice makes it vanish. That it is a minimum shows in the next slope, "
        "which has no negative term."
    )
    yield _derivation()
    rising = solve("rising_exponent", best_term_ratio=2, falling_exponent=1)
    yield Text(
        "So the rule of thumb is true where the two exponents are the same, and only there. Else the cost with the "
        "*smaller* exponent is the larger one at the optimum: what hardly moves is left alone, even where it is "
        "large. Backwards, whoever knows that a bill is twice another at the optimum knows the exponents: a rising "
        f"one of {say(rising)} beside a falling one of 1. And yet the rule is good advice, because the bottom of the "
        "valley is flat:"
    )
    yield _flatness()
    yield _picture()


def _derivation() -> Block:
    """The least sum, from the slope to the ratio of the two terms; each line is proved before it is shown."""
    import sympy

    held = library().quantities
    x, falling = held["choice"], held["falling_exponent"]
    cost = closed("opposed_cost", "choice", *_POWERS)
    slope = sympy.expand(x * sympy.diff(cost, x))
    curvature = sympy.expand(x * sympy.diff(slope, x))
    if not curvature.is_positive:
        raise VerificationError(f"A report says that this is positive, and it need not be: {curvature}.")
    loss, gain = sympy.powsimp(sympy.expand(slope * x**falling)).as_independent(x, as_Add=True)
    level = relate("slopes_cancel", gain, -loss, because="at the least sum a small step costs what it saves")
    best = identical(Library([level]).formula("choice", _POWERS), closed("best_choice", *_POWERS))
    terms = closed("rising_term", "choice", *_POWERS[::2]) / closed("falling_term", "choice", *_POWERS[1::2])
    ratio = closed("best_term_ratio", "rising_exponent", "falling_exponent")
    identical(terms.subs(x, best), ratio)
    equal = closed("equal_choice", *_POWERS)
    identical(terms.subs(x, equal), sympy.Integer(1))
    return lines(
        (held["opposed_cost"], cost),
        (r"x\,\frac{dy}{dx}", slope),
        (r"x\,\frac{d}{dx}\left(x\,\frac{dy}{dx}\right)", curvature),
        (gain, -loss),
        (held["best_choice"], best),
        (held["best_term_ratio"], ratio),
        (held["equal_choice"], equal),
    )


def _flatness() -> Block:
    rows: dict[str, list[Answer | str]] = {}
    for words, (rising, falling) in _PAIRS.items():
        given = {"rising_exponent": rising, "falling_exponent": falling}
        powers = {**given, "rising_coefficient": 1, "falling_coefficient": 1}
        level = solve("equal_choice", **powers).value.magnitude
        excess = solve("opposed_cost", **powers, choice=level).value / solve("least_cost", **powers).value
        rows[words] = [solve("best_term_ratio", **given), number(100 * (excess.magnitude - 1), "", 2) + " %"]
    columns = ("exponents, rising and falling", "rising over falling cost at the least sum", "cost of equal terms")
    return table(rows, columns, "The last column says how much dearer the choice is where the two terms are equal.", 3)


def _picture() -> Picture:
    charts: list[Chart] = []
    for words in ("1 and 1", "1 and 1/4"):
        rising, falling = _PAIRS[words]
        powers = {"rising_exponent": rising, "falling_exponent": falling}
        given = {**powers, "rising_coefficient": 1, "falling_coefficient": 1}
        names = ("opposed_cost", "rising_term", "falling_term")
        swept = library().sweep(names, **given, choice=span("0.05..20", 97, log=True))
        x = swept.axes["choice"]
        labels = {"opposed_cost": "sum", "rising_term": "rises", "falling_term": "falls"}
        series = tuple(
            Series.of(x, swept.columns[name], "" if charts else label, style=style, strong=style == "line")
            for (name, label), style in zip(labels.items(), ("line", "dashed", "dashed"), strict=True)
        )
        least = Mark(solve("best_choice", **given).value.magnitude, "least sum")
        level = Mark(solve("equal_choice", **given).value.magnitude, "equal terms")
        marks = (level,) if words == "1 and 1" else (least, level)
        axes = Axis("choice", log=True), Axis("cost", log=True)
        charts.append(Chart(*axes, series, marks, title=f"Exponents {words}", height=2.2))
    ratio = solve("best_term_ratio", rising_exponent=1, falling_exponent=0.25)
    caption = (
        "A rising and a falling cost. With equal exponents the sum is least where the lines cross. With unequal ones "
        f"it is least where the ratio of the terms is {say(ratio)}, "
        "left of the crossing."
    )
    return Picture("training-least", tuple(charts), caption)
