"""Interval propagation: what equations leave of the intervals of their unknowns.

Where a quantity is only bounded, whatever depends on it is bounded as well. Each unknown starts with its whole domain,
and pieces on which the sides of an equation cannot meet are cut off at both ends, until no more come off. Every
solution lies in what remains; not everything that remains is a solution.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from derive.expressions.tree import Equation, Name
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.blocks.samples import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT

_ROUNDS = 8  # limit on rounds in which every equation cuts at every unknown
_PIECES = 400  # limit on pieces examined from one end
_PAYS = 1e-6  # relative change of an end below which no further round follows


def narrowed(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    spans: Mapping[str, Span],
    above: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Span] | None:
    """The interval that interval propagation leaves of each unknown; None if an unknown has no value at all.

    `above` holds exclusive lower bounds of quantities: where a side could meet a quantity only there, it does not.

    >>> from derive.expressions.grammar import parse_equation
    >>> spans = narrowed([parse_equation("y = max(x, 2)")], ["y"], {"x": (0.0, 5.0), "y": (0.0, math.inf)})
    >>> [round(end, 6) for end in spans["y"]]
    [2.0, 5.0]
    """
    box = dict(spans)
    for _ in range(_ROUNDS):
        before = dict(box)
        for equation in equations:
            for name in equation.names:
                if name in unknowns:
                    low, high = _end(equation, name, box, above, 0), _end(equation, name, box, above, 1)
                    if low is None or high is None:
                        return None
                    box[name] = (low, high)
        if len(equations) == 1 or all(_is_close(box[name], before[name]) for name in unknowns):
            break
    return {name: box[name] for name in unknowns}


def _end(equation: Equation, name: str, box: Mapping[str, Span], above: Mapping[str, float], side: int) -> float | None:
    """The lower (side 0) or upper (side 1) end that interval propagation by an equation leaves; None if nothing."""
    tick()
    if _may_meet(equation, {**box, name: _tip(box[name], side)}, above):
        return box[name][side]  # halving would end there too: every piece looked at would hold the tip
    pending = [box[name]]  # pieces still to be examined, the one at the end last
    for _ in range(_PIECES):
        tick()
        if not pending:
            return None
        piece = pending.pop()
        if not _may_meet(equation, {**box, name: piece}, above):
            continue
        low, high = piece
        cut = 0.0 if low < 0 < high else middle(piece)
        if math.isclose(low, high, rel_tol=AGREEMENT) or not low < cut < high:
            return piece[side]
        halves = [(low, cut), (cut, high)]
        pending.extend(halves if side else reversed(halves))
    return pending[-1][side] if pending else None


def _tip(span: Span, side: int) -> Span:
    """The tip of an interval in propagation: its end alone; where it is infinite, all beyond the largest number."""
    end = span[side]
    if math.isfinite(end):
        return end, end
    return (sys.float_info.max, math.inf) if end > 0 else (-math.inf, -sys.float_info.max)


def _may_meet(equation: Equation, box: Mapping[str, Span], above: Mapping[str, float]) -> bool:
    """Whether interval propagation lets the sides of an equation be equal somewhere in a box."""
    left, right = (enclose(side, box, "") for side in equation.sides)
    if left is None or right is None:
        return False
    for side, other in ((equation.lhs, right), (equation.rhs, left)):
        if isinstance(side, Name) and side.name in above and other.values[1] <= above[side.name]:
            return False
    return _is_below(left.values[0], right.values[1]) and _is_below(right.values[0], left.values[1])


def _is_below(low: float, high: float) -> bool:
    """Whether in interval propagation an end of an enclosure is at most an end of another, within rounding."""
    return low <= high or math.isclose(low, high, rel_tol=AGREEMENT)


def _is_close(span: Span, other: Span) -> bool:
    return all(math.isclose(a, b, rel_tol=_PAYS) for a, b in zip(span, other, strict=True))
