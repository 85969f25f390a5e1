"""Where doubles keep nothing of a number: what is too small for them, and what stands beside a pole.

`exp(-1000)` is zero in doubles and nowhere else, and the tangent of 1.5707963267948966 another number with another last
digit. An answer that rests on such a number says so.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from fractions import Fraction

from derive.expressions.tree import Apply, Equation, Node, Number, names_in, render, walk
from derive.numerics.algebra.multiprecision import exactly, sign_of_gap
from derive.planning.plan import Plan
from derive.solving.execution.block_execution import State
from derive.tolerances import EPSILON, VANISHED

__all__ = ["lost_digits"]

_WITH_POLES = ("tan", "sin", "cos")
_ZERO = Number(Fraction(0))


def lost_digits(made: Plan, state: State) -> Iterator[str]:
    """A sentence for each number on the way to an answer of which rounding left nothing.

    >>> from derive.relation_files.loading import load
    >>> decay = load('''[quantities]
    ... time = { unit = "s" }
    ... rate = { unit = "1/s" }
    ... left = { unit = "", domain = "nonnegative" }
    ... [relations]
    ... decay = { equation = "left = exp(-time*rate)" }''')
    >>> print(decay.solve("left", time="1000 s", rate="1 1/s"))  # doctest: +ELLIPSIS
    left = 0
      left is not zero: exp(-time*rate) is smaller than any number with which this computes
    ...
    """
    for block in made.blocks:
        for name in block.unknowns:
            form = state.forms.get(name)
            if form is None or name not in state.values or not state.values.keys() >= {*names_in(form)}:
                continue
            if abs(state.values[name]) < sys.float_info.min:
                if sign_of_gap(Equation(form, "=", _ZERO), state.values):
                    yield f"{name} is not zero: {render(form)} is smaller than any number with which this computes"
            elif any(isinstance(part, Apply) and part.op in _WITH_POLES for part in walk(form)):
                yield from _at_pole(name, form, state)


def _at_pole(name: str, form: Node, state: State) -> Iterator[str]:
    """What is another number with another last digit of what it depends on."""
    number = exactly(form, state.values)
    if math.isnan(number):
        return
    for other in names_in(form):
        aside = exactly(form, {**state.values, other: state.values[other] * (1 + EPSILON)})
        if not abs(aside - number) <= VANISHED * abs(number):
            yield f"{name} hangs on the last digit of {other}: next to it {render(form)} is another number"
            return
