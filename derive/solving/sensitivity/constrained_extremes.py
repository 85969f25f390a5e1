"""The minimum and maximum of an expression under equality constraints.

An answer without a closed form, or one whose closed form holds only while an arm of a choice binds, is a name here:
it ranges over its domain, subject to the equations. The box of all names is subdivided, always at the piece with the
least lower bound. Pieces that the enclosures prove impossible are dropped, and slopes cut the others. So the bound
that remains is never too tight; it is the extreme to one part in a million, unless the limit on pieces is reached
first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from derive.expressions.tree import Apply, Node, names_in
from derive.numerics.algebra.evaluation import terms
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.root_boxes import middle
from derive.time_limits import tick
from derive.tolerances import EXTREME, FINEST_BREADTH, HANDFUL, HUGE, LEAST, MOST, NO_SIZE

__all__ = ["PIECES", "Bound", "System", "least_and_greatest"]

PIECES = 1000
"""Pieces into which the box is cut for one end, at most."""


@dataclass(frozen=True, slots=True)
class System:
    """An expression and its bounds, residuals that are zero, and the interval of each name."""

    goal: Node
    allowed: Span
    zeros: tuple[Node, ...]
    box: Mapping[str, Span]


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound that no value exceeds, and whether it is close."""

    at: float
    is_close: bool


def least_and_greatest(system: System, most: int = PIECES) -> tuple[Bound, Bound] | None:
    """The bounds of the goal; None if the equations hold nowhere.

    >>> from derive.expressions.grammar import parse_expression
    >>> roof = parse_expression("t - max(x, 5)")
    >>> found = least_and_greatest(System(parse_expression("2*x"), (0, 99), (roof,), {"x": (0, 99), "t": (3, 7)}))
    >>> [round(bound.at, 6) for bound in found]
    [0.0, 14.0]
    """
    low = _least(system, most)
    if low is None:
        return None
    mirrored = (-system.allowed[1], -system.allowed[0])
    high = _least(replace(system, goal=Apply("neg", (system.goal,)), allowed=mirrored), most)
    return None if high is None else (low, Bound(-high.at, high.is_close))


def _least(system: System, most: int) -> Bound | None:
    """The least lower bound, refined until it is close; of equal pieces the newest comes first, to settle one soon."""
    count = 0
    queue: list[tuple[float, int, _Piece]] = []

    def push(box: dict[str, Span]) -> None:
        piece = _piece(system, box)
        if piece is not None:
            heapq.heappush(queue, (piece.values[0], -count, piece))

    push(dict(system.box))
    rough = queue[0][2].values if queue else (0.0, 0.0)
    while queue:
        tick()
        low, _, piece = heapq.heappop(queue)
        if piece.is_settled and _is_close(piece.values, rough):
            return Bound(low, True)
        name = max(piece.box, key=piece.weight, default=None)
        if name is None or not piece.weight(name) or count >= most:
            return Bound(low, False)
        middle = _middle(piece.box[name])
        for half in ((piece.box[name][0], middle), (middle, piece.box[name][1])):
            count += 1
            push({**piece.box, name: half})
    return None


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of the box, the bounds of the goal in it, and the share of each name's breadth in them."""

    box: Mapping[str, Span]
    values: Span
    shares: Mapping[str, float]
    is_settled: bool  # whether the equations hold throughout, to a millionth of their terms

    def weight(self, name: str) -> float:
        breadth = _breadth(self.box[name])
        share = self.shares.get(name, 0.0)
        return 0.0 if breadth < FINEST_BREADTH or not share else breadth if breadth > 1 else breadth * share


def _piece(system: System, box: dict[str, Span]) -> _Piece | None:
    """A part of the box, cut down to where the equations can hold; None if they cannot."""
    shares: dict[str, float] = {}
    for zero in system.zeros:
        found = enclose(zero, box, "")
        if found is None or found.misses_zero or not _cut(zero, box, shares):
            return None
    found = enclose(system.goal, box, "")
    if found is None:
        return None
    low, high = _by_slopes(system.goal, box, shares)
    low, high = max(low, found.values[0], system.allowed[0]), min(high, found.values[1], system.allowed[1])
    settled = all(_is_settled(zero, box) for zero in system.zeros)
    return _Piece(box, (low, high), shares, settled) if low <= high else None


def _cut(zero: Node, box: dict[str, Span], shares: dict[str, float]) -> bool:
    """Cut from each name what the slope of the equation excludes; whether anything is left."""
    for name in names_in(zero):
        low, high = box[name]
        slope = enclose(zero, box, name) if low < high else None
        if slope is None or slope.partial or slope.slopes[0] <= 0 <= slope.slopes[1]:
            continue
        wide = _breadth((low, high)) > 1
        for at in (_middle((low, high)), *((low, high) if wide else ())):
            low, high = _newton(zero, box, name, slope.slopes, at)
            if low > high:
                return False
            box[name] = (low, high)
    low, high = _by_slopes(zero, box, shares)
    return low <= 0 <= high


def _newton(zero: Node, box: Mapping[str, Span], name: str, slopes: Span, at: float) -> Span:
    """The interval of a name by one interval Newton step on the equation."""
    low, high = box[name]
    there = enclose(zero, {**box, name: (at, at)}, "") if math.isfinite(at) else None
    if there is None or there.partial:
        return low, high
    steps = [value / by if math.isfinite(by) else 0.0 for value in there.values for by in slopes]
    if not all(map(math.isfinite, steps)):
        return low, high
    slack = HANDFUL * (abs(at) + max(map(abs, steps)))
    return max(low, at - max(steps) - slack), min(high, at - min(steps) + slack)


def _by_slopes(form: Node, box: Mapping[str, Span], shares: dict[str, float]) -> Span:
    """The bounds by the midpoint value of a box and the steepest slopes in it: tight where the box is small."""
    names = [name for name in names_in(form) if box[name][0] < box[name][1]]
    middle = {**box, **{name: (at, at) for name in names for at in (_middle(box[name]),)}}
    reaches = {name: _reach(form, box, name, middle[name][0]) for name in names}
    whole = sum(reaches.values())
    for name, reach in reaches.items():
        share = reach / whole if 0 < whole < math.inf else float(reach == whole)
        shares[name] = max(share, shares.get(name, 0.0))
    found = enclose(form, middle, "")
    if found is None or found.partial or not math.isfinite(whole):
        return -math.inf, math.inf
    slack = HANDFUL * whole
    return found.values[0] - whole - slack, found.values[1] + whole + slack


def _reach(form: Node, box: Mapping[str, Span], name: str, middle: float) -> float:
    """The largest change of an expression from its midpoint value, as one name moves."""
    steepest = enclose(form, box, name)
    if steepest is None or steepest.partial:
        return math.inf
    low, high = box[name]
    slope = max(map(abs, steepest.slopes))
    return slope * max(high - middle, middle - low) if slope else 0.0


def _is_settled(zero: Node, box: Mapping[str, Span]) -> bool:
    found = [enclose(part, box, "") for part in (zero, *terms(zero))]
    spans = [one.values for one in found if one is not None]
    size = sum(max(map(abs, span)) for span in spans[1:])
    return size <= NO_SIZE or spans[0][1] - spans[0][0] <= EXTREME * size < math.inf


def _is_close(values: Span, rough: Span) -> bool:
    """Whether the bound is close, relative to its own size or to the first bounds of the goal."""
    low, high = values
    size = max(abs(low), abs(high))
    if size <= NO_SIZE or (low == -math.inf and high <= -HUGE):
        return True
    return high - low <= EXTREME / 2 * size < math.inf or high - low <= EXTREME / 200 * (rough[1] - rough[0]) < math.inf


def _middle(span: Span) -> float:
    """A point between the ends, of a size between theirs."""
    return middle((max(span[0], -MOST), min(span[1], MOST)), LEAST)


def _breadth(span: Span) -> float:
    """The distance of the ends, in powers of e."""
    low, high = span
    if low == high:
        return 0.0
    if low < 0 < high:
        return 2000.0
    small, large = sorted((max(abs(low), LEAST), min(max(abs(high), LEAST), MOST)))
    return (large - small) / small if large <= 2 * small else math.log(large / small)
