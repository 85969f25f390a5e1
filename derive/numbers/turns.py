"""Where an angle makes one turn: the part of an unbounded domain that a periodic equation is sought in."""

from __future__ import annotations

import math
from collections.abc import Mapping

from derive.language.expression import Apply, Equation, Node, walk
from derive.numbers.evaluating import value
from derive.numbers.isolating import occurrences
from derive.numbers.pruning import middle
from derive.numbers.spans import Span
from quantities.domain import Domain

__all__ = ["one_turn"]

_SMALLEST, _LARGEST = 1e-60, 1e60


def one_turn(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Domain | None:
    """The part of an unbounded domain in which the angles that hold the unknown make one turn."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return None
    angles = [
        part.args[0]
        for side in (equation.lhs, equation.rhs)
        for part in walk(side)
        if isinstance(part, Apply) and part.op in ("sin", "cos", "tan") and occurrences(part, name)
    ]
    spans = [span for angle in angles if (span := _turn_of(angle, name, known, domain))]
    if not spans:
        return None
    low, high = max(spans, key=lambda span: span[1] - span[0])
    return Domain(f"{low:.6g}..{high:.6g}", low, high, domain.open_low and low == 0)


def _turn_of(angle: Node, name: str, known: Mapping[str, float], domain: Domain) -> Span | None:
    """Where an angle stays within one turn: half a turn to each side of zero, or a turn from the domain's end."""

    def at(x: float) -> float:
        return value(angle, {**known, name: x})

    rate = at(1.0) - at(0.0)
    if rate == rate and rate != 0 and abs(at(3.0) - at(0.0) - 3 * rate) <= 1e-9 * abs(rate):
        turn = math.tau / abs(rate)
        return (-turn / 2, turn / 2) if domain.low < 0 else (max(domain.low, 0.0), max(domain.low, 0.0) + turn)
    start, end = max(domain.low, _SMALLEST), min(domain.high, _LARGEST)
    if not abs(at(start)) < math.tau:
        start, end = end, start
    first = at(start)
    if not abs(first) < math.tau:
        return None
    inside, outside = start, end
    for _ in range(200):
        cut = middle((min(inside, outside), max(inside, outside)))
        if abs(at(cut) - first) <= math.tau:
            inside = cut
        else:
            outside = cut
    return min(start, inside), max(start, inside)
