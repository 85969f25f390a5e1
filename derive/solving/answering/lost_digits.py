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
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.multiprecision import exactly, sign_of_gap
from derive.planning.plan import Plan
from derive.solving.execution.block_execution import State
from derive.tolerances import AGREEMENT, EPSILON, FOLLOWED, VANISHED
from quantities.rational import exact_of

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
    for name in made.unknowns:
        form = state.forms.get(name)
        if form is None or name not in state.values or not state.values.keys() >= {*names_in(form)}:
            continue
        if abs(state.values[name]) < sys.float_info.min:
            if sign_of_gap(Equation(form, "=", _ZERO), state.values):
                yield f"{name} is not zero: {render(form)} is smaller than any number with which this computes"
        else:
            yield from _on_last_digits(name, form, state)


def _on_last_digits(name: str, form: Node, state: State) -> Iterator[str]:
    """What is another number with another last digit of what it depends on.

    The last digit of a computed number is rounded. That of a typed one is not, but beside a pole nobody means it.
    """
    has_poles = any(isinstance(part, Apply) and part.op in _WITH_POLES for part in walk(form))
    number = value(form, state.values)
    for other in names_in(form):
        is_computed = exact_of(state.values[other]) is None
        if not (is_computed or has_poles):
            continue
        # in doubles first, which is quick, and further away than their rounding
        aside = value(form, {**state.values, other: state.values[other] * (1 + FOLLOWED)})
        if abs(aside - number) <= FOLLOWED / EPSILON * AGREEMENT * abs(number):
            continue
        exact, aside = (exactly(form, {**state.values, other: state.values[other] * by}) for by in (1.0, 1 + EPSILON))
        if not abs(aside - exact) <= (AGREEMENT if is_computed else VANISHED) * abs(exact) and not math.isnan(exact):
            yield f"{name} hangs on the last digit of {other}: next to it {render(form)} is another number"
            return
