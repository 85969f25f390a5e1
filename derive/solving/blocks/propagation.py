"""Interval propagation: what equations leave of the interval of each unknown, cut from both ends by halving.

From an end, an interval is halved until its outermost piece is one in which interval arithmetic lets the sides of an
equation be equal. What is cut off holds no solution; what is left may have some, and need not: so an interval that
comes of propagation is an enclosure.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from derive.expressions.tree import Equation, Name
from derive.numerics.intervals.arithmetic import FAINT
from derive.numerics.intervals.enclosure import Span, enclose, span_of_computed, spans_of_numbers
from derive.solving.blocks.sample_points import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT
from quantities.rational import exact_of

_ROUNDS = 8  # limit on rounds in which every equation cuts at every unknown
_PIECES = 400  # limit on pieces examined from one end
_PARTS = 200  # limit on parts of a box that are tried for one that fits
_HALVINGS = 6  # of a box, down to the smallest part that is tried
_PAYS = 1e-6  # relative change of an end below which no further round follows


def narrowed(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    spans: Mapping[str, Span],
    above: Mapping[str, float] = MappingProxyType({}),
    width: float = AGREEMENT,
) -> dict[str, Span] | None:
    """The interval that interval propagation leaves of each unknown; None if an unknown has no value at all.

    `above` holds exclusive lower bounds of quantities: where a side could meet a quantity only there, it does not. An
    end is sought to within a relative `width`.

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
                    low, high = (_end(equation, name, box, above, width, side) for side in (0, 1))
                    if low is None or high is None:
                        return None
                    box[name] = (low, high)
        if len(equations) == 1 or all(_is_close(box[name], before[name]) for name in unknowns):
            break
    return {name: box[name] for name in unknowns}


def narrowed_beside(
    values: Mapping[str, float], narrowing: Callable[[Mapping[str, Span]], dict[str, Span] | None]
) -> dict[str, Span] | None:
    """The intervals that a propagation leaves beside some numbers, which it takes as points; None if it leaves nothing.

    The last digit of a computed number counts for nothing: where it decides, all numbers within its error are taken.
    Of `(v - max(x, 2))/3 = 0` with v = 2.0000000000000004 it would leave nothing below 2.
    """
    sharp = narrowing(spans_of_numbers(values))
    if all(exact_of(number) is not None for number in values.values()):
        return sharp
    wide = narrowing({name: span_of_computed(number) for name, number in values.items()})
    if sharp is None or wide is None or not all(_is_as_wide(sharp[name], span) for name, span in wide.items()):
        return wide
    return sharp


def fits_in_part(fits: Callable[[Mapping[str, Span]], bool], box: Mapping[str, Span], ranged: Sequence[str]) -> bool:
    """Whether a propagation leaves something in a small part of a box, whose `ranged` intervals are halved in turn."""
    pending = [(dict(box), 0)]
    for _ in range(_PARTS):
        if not pending:
            return False
        part, depth = pending.pop()
        if not fits(part):
            continue
        if depth == _HALVINGS:
            return True
        name = ranged[depth % len(ranged)]
        (low, high), cut = part[name], middle(part[name])
        pending += (({**part, name: half}, depth + 1) for half in ((low, cut), (cut, high)))
    return True


def _is_as_wide(sharp: Span, wide: Span) -> bool:
    """Whether an interval that propagation leaves has all of a wider one, but for rounding beside its larger end."""
    reach = AGREEMENT * max((abs(end) for end in wide if math.isfinite(end)), default=0.0)
    return sharp[0] - reach <= wide[0] and wide[1] <= sharp[1] + reach


def _end(
    equation: Equation, name: str, box: Mapping[str, Span], above: Mapping[str, float], width: float, side: int
) -> float | None:
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
        cut = middle(piece)
        if low < 0 < high:  # zero by itself: the root of what is below it has no value, that of zero has one
            parts = [(low, -FAINT), (0.0, 0.0), (FAINT, high)]
        elif math.isclose(low, high, rel_tol=width) or not low < cut < high:
            return _end_of(piece, side)
        else:
            parts = [(low, cut), (cut, high)]
        pending.extend(parts if side else reversed(parts))
    return _end_of(pending[-1], side) if pending else None


def _end_of(piece: Span, side: int) -> float:
    """The end of a piece of an interval in propagation; zero for the number beside it."""
    return 0.0 if abs(piece[side]) == FAINT else piece[side]


def _tip(span: Span, side: int) -> Span:
    """The tip of an interval in propagation: its end and the next number; beyond the largest, all up to infinity.

    A quotient has no value at a zero alone, but it has some beside it.
    """
    end, other = span[side], span[1 - side]
    if math.isfinite(end):
        next_number = math.nextafter(end, other)
        return min(end, next_number), max(end, next_number)
    return (sys.float_info.max, math.inf) if end > 0 else (-math.inf, -sys.float_info.max)


def _may_meet(equation: Equation, box: Mapping[str, Span], above: Mapping[str, float]) -> bool:
    """Whether interval propagation lets the sides of an equation be equal somewhere in a box, or a limit hold."""
    left, right = (enclose(side, box, "") for side in equation.sides)
    if left is None or right is None:
        return False
    if equation.op != "=":
        less, more = (left, right) if equation.op == "<=" else (right, left)
        return _is_below(less.values[0], more.values[1])
    for side, other in ((equation.lhs, right), (equation.rhs, left)):
        if isinstance(side, Name) and side.name in above and other.values[1] <= above[side.name]:
            return False
    return _is_below(left.values[0], right.values[1]) and _is_below(right.values[0], left.values[1])


def _is_below(low: float, high: float) -> bool:
    """Whether in interval propagation an end of an enclosure is at most an end of another, within rounding."""
    return low <= high or math.isclose(low, high, rel_tol=AGREEMENT)


def _is_close(span: Span, other: Span) -> bool:
    return all(math.isclose(a, b, rel_tol=_PAYS) for a, b in zip(span, other, strict=True))
