"""Roots with a singular Jacobian: their last digit, and their order.

Newton's method still converges to such a root, slowly, and with a hundred and fifty digits it is not stopped by
rounding. Its steps shrink by a constant ratio, which gives their sum (Reddien 1978; Decker and Kelley 1980). Where the
residuals grow like a power of the distance, the ratio is one less the inverse of that power. The power is the order of
the root, and the number of digits is divided by it: an order of two leaves eight of sixteen, since a change in the
sixteenth digit of a given moves a double root in the eighth.

Whether there is a root at all, or a curve of them, a singular Jacobian does not tell: see `solution_curves`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from derive.expressions.tree import Equation
from derive.numerics.algebra.exact_values import many_digits
from derive.numerics.algebra.multiprecision import difference
from derive.time_limits import tick
from derive.tolerances import QUOTIENT, SHARP, VANISHING

__all__ = ["sharpened"]

_FAR = 10.0  # step, as a share of the largest unknown, that leads elsewhere
_STEPS = 150


@many_digits()
def sharpened(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[dict[str, float], int] | None:
    """A root to the last digit of doubles, by Newton's method with 150 digits, and its order, zero where no step was
    needed to tell; None if that does not converge.

    >>> from derive.expressions.grammar import parse_equation
    >>> tangent = [parse_equation("x**2 + y**2 = 2"), parse_equation("x + y = 2")]
    >>> sharpened(tangent, {"x": 1.00000003, "y": 0.99999998}, {})
    ({'x': 1.0, 'y': 1.0}, 2)
    """
    from flint import arb

    at = [arb(x) for x in point.values()]
    sizes = [abs(x) or max(map(abs, point.values())) or 1.0 for x in point.values()]

    def stepping(place: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """The relative length of the Newton step at a place, and the step."""
        tick()
        step = _step(equations, dict(zip(point, place, strict=True)), known, sizes)
        return max(abs(part) / size for part, size in zip(step, sizes, strict=True)) if step else math.inf, step or ()

    length, step = stepping(at)
    order = 0
    for _ in range(_STEPS):
        if not step or not max(map(abs, step)) <= _FAR * max(sizes):
            return None
        if length <= SHARP:
            return {name: _rounded(x, size) for name, x, size in zip(point, at, sizes, strict=True)}, order
        at = [(x - part).mid() for x, part in zip(at, step, strict=True)]
        before, (length, step) = length, stepping(at)
        order = order or 1
        if 0.3 < length / before < 0.95:
            left = 1 - length / before
            ahead = [(x - part / left).mid() for x, part in zip(at, step, strict=True)]
            farther = stepping(ahead)
            if farther[0] < 0.1 * length:
                order = round(float(1 / left))
                at, (length, step) = ahead, farther
    return None


def _rounded(x: Any, size: float) -> float:
    """A number as a double; zero if Newton's method has brought it ever closer to zero."""
    return 0.0 if abs(x) <= VANISHING * size else float(x)


def _step(
    equations: Sequence[Equation], at: Mapping[str, Any], known: Mapping[str, float], sizes: Sequence[Any]
) -> Sequence[Any] | None:
    """A Newton step in many digits; None if the Jacobian is singular or a side is undefined."""
    from flint import arb, arb_mat

    here = [difference(equation, at, known) for equation in equations]
    if any(gap is None for gap in here):
        return None
    if all(gap == 0 for gap in here):
        return [arb(0)] * len(here)
    columns = []
    for size, (name, x) in zip(sizes, at.items(), strict=True):
        aside = QUOTIENT * (size if x == 0 else abs(x))
        there = [difference(equation, {**at, name: (x + aside).mid()}, known) for equation in equations]
        if any(gap is None for gap in there):
            return None
        columns.append([(gap - gap_here) / aside for gap, gap_here in zip(there, here, strict=True)])
    try:
        found = arb_mat(columns).transpose().solve(arb_mat([[gap] for gap in here]))
    except ZeroDivisionError:
        return None
    return [part.mid() for part in found.entries()]
