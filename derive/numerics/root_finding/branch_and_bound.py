"""Branch and bound: the maximum of a form over a box, never exceeded and usually attained.

A box's upper bound is the upper end of the form's enclosure on it, or the bound by its midpoint value and steepest
slopes, whichever is less. The box with the greatest upper bound is bisected until that bound is within one part in a
million of the best value attained. Two things keep the boxes few: a side along which the form is monotone is reduced
to its better end at once, and of the others the one along which the form may change most is cut.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

from derive.expressions.tree import Node
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import Enclosure, Span, enclose
from derive.time_limits import tick
from derive.tolerances import EXPRESSION, EXTREME, SMALLEST

__all__ = ["ENCLOSED", "greatest"]

ENCLOSED = 8000
"""Enclosures that are made, at most."""
_CORNERED = 8  # moving names up to which every corner is tried


def greatest(
    form: Node, spans: Mapping[str, Span], moving: list[str], sign: float = 1.0, most: int = ENCLOSED
) -> tuple[float, bool]:
    """An upper bound of sign times the form, and whether it is tight.

    >>> from derive.expressions.grammar import parse_expression
    >>> greatest(parse_expression("(x - 1)**2 - y"), {"x": (0.0, 3.0), "y": (1.0, 2.0)}, ["x", "y"])
    (3.0, True)
    """
    seen = _View(form, spans, sign)
    whole = {name: spans[name] for name in moving}
    ends = product(*whole.values()) if len(moving) <= _CORNERED else ()
    tried = [seen.at(corner) for corner in (_middle(whole), *(dict(zip(whole, at, strict=True)) for at in ends))]
    best = max(tried)
    spread = best - min(number for number in tried if number > -math.inf) if best > -math.inf else 0.0
    first = seen.box(whole)
    boxes = [(-first.ceiling, 0, first)]
    count = 0
    while boxes and seen.enclosed < most:
        tick()
        top, _, box = boxes[0]
        best = max(best, box.middle)
        if -top <= best + _slack(best, spread):
            return (-top if -top > best + EXPRESSION * abs(best) else best), True
        if box.is_fine:
            break
        heapq.heappop(boxes)
        for part in box.halves():
            count += 1
            half = seen.box(part)
            best = max(best, half.middle)
            heapq.heappush(boxes, (-half.ceiling, -count, half))  # of equal ones the latest: depth first
    return (max(best, -boxes[0][0]), False) if boxes else (best, True)


def _slack(best: float, spread: float) -> float:
    """The tolerance of a bound, relative to its size or to the spread of the values."""
    return EXTREME * max(abs(best), spread / 100) if math.isfinite(spread) else EXTREME * abs(best)


@dataclass(frozen=True, slots=True)
class _Box:
    """The sides of a box, some of them reduced to an end, and the form's value and upper bound on it."""

    sides: Mapping[str, Span]
    widest: str  # the side along which the form may change most
    middle: float
    ceiling: float

    @property
    def is_fine(self) -> bool:
        low, high = self.sides[self.widest]
        return high - low <= max(SMALLEST, 4 * math.ulp(max(-low, high)))

    def halves(self) -> tuple[dict[str, Span], dict[str, Span]]:
        """Two boxes, cut by ratio where the side reaches down to zero, since a pole may lie there."""
        low, high = self.sides[self.widest]
        cut = (low + high) / 2
        if low == 0 or high == 0:
            cut = math.copysign(math.sqrt(SMALLEST) * math.sqrt(max(-low, high)), cut)
        return {**self.sides, self.widest: (low, cut)}, {**self.sides, self.widest: (cut, high)}


class _View:
    """A form over boxes, with the sign by which its greatest value is sought."""

    def __init__(self, form: Node, spans: Mapping[str, Span], sign: float) -> None:
        self.form, self.spans, self.sign = form, spans, sign
        self.values = {name: low for name, (low, _) in spans.items()}
        self.enclosed = 0

    def at(self, point: Mapping[str, float]) -> float:
        number = value(self.form, {**self.values, **point})
        return self.sign * number if number == number else -math.inf

    def box(self, sides: Mapping[str, Span]) -> _Box:
        """A box, each side along which the form is monotone reduced to its better end."""
        while True:
            seen = {name: self._enclosed(sides, name) for name, (low, high) in sides.items() if low < high}
            better = {name: (end, end) for name, found in seen.items() for end in self._better(found, *sides[name])}
            if not better:
                break
            sides = {**sides, **better}
        point = _middle(sides)
        middle = self.at(point)
        shares = {name: _share(found, *sides[name]) for name, found in seen.items()}
        widest = max(shares, key=lambda name: (shares[name], _ratio(*sides[name])), default=next(iter(sides)))
        return _Box(sides, widest, middle, min(self._top(sides), middle + sum(shares.values())))

    def _enclosed(self, sides: Mapping[str, Span], moving: str = "") -> Enclosure | None:
        self.enclosed += 1
        return enclose(self.form, {**self.spans, **sides}, moving)

    def _better(self, found: Enclosure | None, low: float, high: float) -> tuple[float, ...]:
        """The end of a side at which the form is greatest; none if it is not monotone along it."""
        if found is None or found.partial or found.slopes[0] < 0 < found.slopes[1]:
            return ()
        return (high,) if self.sign * sum(found.slopes) > 0 else (low,)

    def _top(self, sides: Mapping[str, Span]) -> float:
        found = self._enclosed(sides)
        if found is None:
            return -math.inf
        return found.values[1] if self.sign > 0 else -found.values[0]


def _middle(sides: Mapping[str, Span]) -> dict[str, float]:
    return {name: low if low == high else (low + high) / 2 for name, (low, high) in sides.items()}


def _share(found: Enclosure | None, low: float, high: float) -> float:
    """How much a form may change from the middle of a side to its ends."""
    if found is None or found.partial:
        return math.inf
    return max(-found.slopes[0], found.slopes[1]) * (high - low) / 2


def _ratio(low: float, high: float) -> float:
    return (high - low) / max(-low, high)
