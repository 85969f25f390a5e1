"""Interval propagation: enclosures of some quantities from intervals of others.

Where a quantity is only bounded, whatever depends on it is bounded as well. Each unknown starts with its whole
domain, and pieces on which the sides of an equation cannot meet are cut off at both ends, until no more come off.
Every solution lies in what remains; not everything that remains is a solution.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from derive.expressions.tree import Equation, Name, names_in
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.blocks.free_unknowns import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, FINEST_PIECE

__all__ = ["narrowed"]

_ROUNDS = 8  # limit on rounds in which every equation cuts at every unknown
_PIECES = 400  # limit on pieces examined from one end
_PAYS = 1e-6  # relative change of an end below which no further round follows


def narrowed(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    spans: Mapping[str, Span],
    above: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Span] | None:
    """An interval of each unknown outside of which it has no value; None if one has none at all.

    `above` holds exclusive lower bounds of quantities: where a side could meet a quantity only there, it does not.

    >>> from derive.expressions.grammar import parse_equation
    >>> found = narrowed([parse_equation("y = max(x, 2)")], ["y"], {"x": (0.0, 5.0), "y": (0.0, math.inf)})
    >>> [round(end, 6) for end in found["y"]]
    [2.0, 5.0]
    """
    box = dict(spans)
    for _ in range(_ROUNDS):
        before = dict(box)
        for equation in equations:
            for name in names_in(equation.lhs, equation.rhs):
                if name in unknowns:
                    low, high = _end(equation, name, box, above, 0), _end(equation, name, box, above, 1)
                    if low is None or high is None:
                        return None
                    box[name] = (low, high)
        if len(equations) == 1 or all(_is_close(box[name], before[name]) for name in unknowns):
            break
    return {name: box[name] for name in unknowns}


def _end(equation: Equation, name: str, box: Mapping[str, Span], above: Mapping[str, float], side: int) -> float | None:
    """The lower (0) or upper (1) end of what cannot be cut off; None if all of it can."""
    tick()
    if _may_meet(equation, {**box, name: _tip(box[name], side)}, above):
        return box[name][side]  # as the pieces would find, which all hold the tip
    pending = [box[name]]
    for _ in range(_PIECES):
        tick()
        if not pending:
            return None
        piece = pending.pop()
        if not _may_meet(equation, {**box, name: piece}, above):
            continue
        low, high = piece
        at = 0.0 if low < 0 < high else middle(piece)
        if math.isclose(low, high, rel_tol=FINEST_PIECE) or not low < at < high:
            return piece[side]
        halves = [(low, at), (at, high)]
        pending.extend(halves if side else reversed(halves))
    return pending[-1][side] if pending else None


def _tip(span: Span, side: int) -> Span:
    """The end of an interval alone; where it is infinite, all beyond the largest number."""
    end = span[side]
    if math.isfinite(end):
        return end, end
    return (sys.float_info.max, math.inf) if end > 0 else (-math.inf, -sys.float_info.max)


def _may_meet(equation: Equation, box: Mapping[str, Span], above: Mapping[str, float]) -> bool:
    """Whether the sides can be equal somewhere in a box."""
    left, right = enclose(equation.lhs, box, ""), enclose(equation.rhs, box, "")
    if left is None or right is None:
        return False
    for side, other in ((equation.lhs, right), (equation.rhs, left)):
        if isinstance(side, Name) and side.name in above and other.values[1] <= above[side.name]:
            return False
    return _is_below(left.values[0], right.values[1]) and _is_below(right.values[0], left.values[1])


def _is_below(low: float, high: float) -> bool:
    """Whether one number is at most another, within rounding."""
    return low <= high or math.isclose(low, high, rel_tol=AGREEMENT)


def _is_close(one: Span, other: Span) -> bool:
    return all(math.isclose(a, b, rel_tol=_PAYS) for a, b in zip(one, other, strict=True))
