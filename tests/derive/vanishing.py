"""Random equations in x in which x may cancel, tie with a given, or hide in a rounding; a solution is known.

The known numbers are computed from the hidden one in doubles, as a measurement would be: what cancels does so but for
the last digits, and a tie is off by rounding.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.evaluation import value

__all__ = ["Hiding", "hiding"]

_SHAPES = (
    "y = x/{c}*(a/a)/x",
    "y = (x*a/(b*x))**(-1)",
    "y = (a*x + b*x)/x",
    "x*a = {c}*x",
    "x*y = x*(a + b)",
    "x*y = x*a + x*b",
    "y = x*a - a*x + b",
    "y = x**2/(a*x)*b/x",
    "y = max(a/b, x*c)",
    "y = max(a, b, x)",
    "y = max(a*b, c, x/2)",
    "y = min(a/b, x*c) + a",
    "y = a - min(b*c, x)",
    "y = max(a, x) - x",
    "y = max(x, x, x/0.1)",
    "y = abs(x - a) + abs(x - b)",
    "y = max(a*x, b*x)/x",
    "y = sqrt(x**2)/x*a",
    "y = floor((a - x)*x**2)",
    "y = floor(x*a) + b",
    "y = ceil(x/b)*a",
    "y = floor(a*sqrt(x))",
    "y = ceil(x)/a + floor(x)",
    "y = (a if x < b else a*1.0)",
    "y = (a*x/x if x > b else x)",
    "y = cos((x + a)*(b*10))",
    "y = sin(a*x - 7*b)",
    "y = cos(a*x)**2",
    "y = tan(x*b + a)",
    "y = sin(x)**2 + cos(x)**2",
    "y = exp(log(x*a))/x",
    "y = abs(x*{c} - a) + abs(x*{c} - b)",
    "y = abs(exp(x/9) - a) + abs(exp(x/9) - b)",
    "y = abs(x - exp(a/9)) + abs(x - exp(b/9))",
    "y = max(log(x), a) - min(log(x), b)",
    "y = sqrt((x - a)**2) + abs(x - b)",
    "y = abs(x - a) - abs(x - b)",
    "y = max(x, a)*b + min(x, a)*b - x*b",
    "y = (a if x < b else x)",
)


@dataclass(frozen=True)
class Hiding:
    """An equation, its known numbers, where the unknown may be, and one number that it can be."""

    text: str
    givens: dict[str, float]
    low: float
    high: float
    open_low: bool
    hidden: float


def hiding(seed: int) -> Hiding:
    draw = random.Random(seed)
    while True:
        text = draw.choice(_SHAPES).format(c=_size(draw))
        positive = draw.random() < 0.7
        hidden = _size(draw) * (1 if positive else draw.choice((-1, 1)))
        givens = {name: _size(draw) for name in "abc"}
        if draw.random() < 0.1:  # what holds between the two does so along a short interval
            givens["a"], givens["b"] = (
                hidden * (1 - draw.choice((0.01, 1e-4))),
                hidden * (1 + draw.choice((0.01, 1e-4))),
            )
        if draw.random() < 0.3:
            givens["a"] *= -1
        equation = parse_equation(text)
        if text.startswith("x"):
            givens |= (
                {"y": givens["a"] + givens["b"]} if "y" in text else {"a": float(text.split("=")[1].split("*")[0])}
            )
        else:
            givens["y"] = value(equation.rhs, {**givens, "x": hidden})
        if not math.isfinite(givens.get("y", 0.0)):
            continue
        if draw.random() < 0.3 and givens.get("y") and not ("floor" in text or "ceil" in text):
            givens["y"] *= 1 + draw.choice((-1, 1)) * draw.choice((1e-16, 1e-15, 1e-12, 1e-10))
        low, high, is_open = (0.0, math.inf, True) if positive else (-math.inf, math.inf, False)
        if draw.random() < 0.4:
            low, high = sorted((hidden * draw.uniform(0.5, 1), hidden * draw.uniform(1, 1.6)))
            is_open = False
        return Hiding(text, givens, low, high, is_open, hidden)


def _size(draw: random.Random) -> float:
    return draw.choice((float(draw.randint(1, 12)), round(draw.uniform(0.01, 9), 2), draw.uniform(0.05, 60)))
