"""A printed expression with its numbers put in means what was computed: in text, in Python and as mathematics.

The long run asks as many expressions as one has patience for:

    DERIVE_SEEDS=0..20000 pytest -m long --override-ini addopts= -v tests/derive/presentation/test_numbers_put_in.py
"""

from __future__ import annotations

import math
import os
import random

import pytest

from derive.errors import LimitError
from derive.expressions.grammar import parse_expression
from derive.numerics.algebra.evaluation import value
from derive.presentation.mathematics import expression, number
from derive.presentation.numbers import filled
from quantities.spelling import parse_unit
from tests.derive.presentation.test_mathematics import read_back
from tests.ordinary import every

SHORT, BATCH = 1200, 300
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..20000").split(".."))

NAMES = "abc"
FORMS = [
    "({0} + {1})",
    "({0} - {1})",
    "{0}*{1}",
    "({0})/({1})",
    "-({0})",
    "({0})**2",
    "({0})**3",
    "2**({0})",
    "abs({0})",
]
NUMBERS = [-3.0, -0.17774, -2.5e-7, -1.5e6, 0.5, 2.0, 4e-9, 7.25]
PLAIN = {"abs": abs, "__builtins__": {}}


def drawn(seed: int) -> tuple[str, dict[str, float]]:
    """The text of an expression, and the numbers of its names."""
    draw = random.Random(f"put in {seed}")

    def part(depth: int) -> str:
        if not depth:
            return draw.choice([*NAMES, *NAMES, "2", "0.5"])
        form = draw.choice(FORMS)
        return form.format(part(depth - 1), part(draw.randrange(depth)))

    return part(draw.randint(1, 3)), {name: draw.choice(NUMBERS) for name in NAMES}


def in_python(typeset: str) -> str:
    """Mathematics as Python, with the powers of ten of numbers, magnitudes, and powers of powers."""
    text = typeset.replace(r"\times10^", "*10^").replace(r"\left|", "abs(").replace(r"\right|", ")")
    while text != (once := read_back(text)):
        text = once
    return text


def wrong(seed: int) -> str:
    """Which of the printed forms means something else than the expression does; nothing, if none does."""
    text, at = drawn(seed)
    try:
        expected = eval(text, PLAIN, at)
    except (OverflowError, ZeroDivisionError):
        return ""
    if abs(expected) > 1e200:
        return ""
    tree, one = parse_expression(text), parse_unit("1")
    shown = filled(tree, {name: (x, one) for name, x in at.items()}, frozenset(NAMES))
    typeset = expression(tree, lambda name: number(at[name], 12))
    try:
        again = parse_expression(shown)
    except LimitError:  # a constant power may be as large as that of a quantity, and text may not say it
        return ""
    read = {
        shown: (value(again, {}), eval(shown, PLAIN)),
        typeset: (eval(in_python(typeset), PLAIN),),
    }
    said = [
        one
        for one, numbers in read.items()
        for x in numbers
        if not math.isclose(x, expected, rel_tol=1e-9, abs_tol=1e-12)
    ]
    return f"drawn({seed}): {text} at {at} is {expected}, and not {said}" if said else ""


@every("start", range(0, SHORT, BATCH), ordinary=2)
def test_what_is_printed_is_what_was_computed(start):
    assert not [fault for seed in range(start, start + BATCH) if (fault := wrong(seed))]


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_what_is_printed_is_what_was_computed_in_the_long_run(start):
    assert not [fault for seed in range(start, min(start + BATCH, LAST)) if (fault := wrong(seed))]
