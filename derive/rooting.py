"""All roots of one equation in one unknown, with a proof that there are no others wherever one can be had.

Two searches run over the unknown's interval. The scan walks along a grid and looks for changes of sign; it finds roots
and proves nothing. The proof cuts the interval into boxes and asks of each (`intervals`): can the two sides meet here
at all? If not, it is dropped. Are they monotone here? Then there is at most one root, and the signs at its ends say
whether. Otherwise the box is cut in two, until none is left or patience ends. Positive unknowns are cut in their
logarithm, since magnitudes here run from 1e-15 to 1e30.

A box on which the two sides agree throughout is a plateau: there the unknown cancels, and the answer is an interval.
An unknown inside a sine without an interval of its own is sought within one turn.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

from derive.clock import tick
from derive.evaluating import residual, value
from derive.expression import Apply, Equation, Name, Node, walk
from derive.intervals import Enclosure, Span, enclose
from derive.isolating import added, negated, occurrences
from derive.precision import is_level, is_root, polished
from quantities.domain import Domain

__all__ = ["LARGEST", "SMALLEST", "Roots", "one_turn", "roots_of"]

SMALLEST, LARGEST = 1e-60, 1e60
"""How far from zero an unbounded unknown is sought, in base units."""

_BOXES = 1500  # that the proof may open
_STEPS = 8  # of the scan in each decade
_EVEN = 400  # of the scan over a plain interval
_FLAT = 1e-13  # share of the terms below which two sides are the same
_DOUBLE = 1e-9  # residual at which an unresolved box counts as a double root


@dataclass(frozen=True, slots=True)
class Roots:
    """What was found: single values, whole intervals, and how sure it is that these are all."""

    values: tuple[float, ...]
    plateaus: tuple[Span, ...] = ()
    sought: Span = (0.0, 0.0)
    proved: bool = True  # no other root lies where they were sought
    turn: bool = False  # the search was kept to one turn of an angle


@dataclass(frozen=True, slots=True)
class _Box:
    """A piece of the search: `sign` +1 or -1 with the logarithm's bounds, or 0 with plain ones."""

    low: float
    high: float
    sign: int

    def span(self) -> Span:
        if self.sign == 0:
            return self.low, self.high
        ends = (self.sign * math.exp(self.low), self.sign * math.exp(self.high))
        return min(ends), max(ends)

    def halves(self) -> tuple[_Box, _Box]:
        middle = (self.low + self.high) / 2
        return _Box(self.low, middle, self.sign), _Box(middle, self.high, self.sign)

    @property
    def is_small(self) -> bool:
        width = self.high - self.low
        return width <= 1e-13 * (1 + max(abs(self.low), abs(self.high))) if self.sign == 0 else width <= 1e-12


def roots_of(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Roots:
    """Every value of the name in its domain for which the equation holds at the known numbers.

    >>> from derive.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> roots_of(parse_equation("x**3 - 6*x**2 + 11*x = 6*one"), "x", {"one": 1.0}, positive).values
    (1.0, 2.0, 3.0)
    """
    turn = one_turn(equation, name, known, domain)
    if turn is None:
        return _Search(equation, name, known, domain).run(False)
    if _stands_outside(equation, name):  # nothing repeats, so that the whole domain may be within reach
        everywhere = _Search(equation, name, known, domain).run(False)
        if everywhere.proved:
            return everywhere
    return _Search(equation, name, known, turn).run(True)


class _Search:
    def __init__(self, equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> None:
        self.equation = equation
        self.name = name
        self.known = dict(known)
        self.spans: dict[str, Span] = {other: (number, number) for other, number in known.items()}
        self.domain = domain
        self.difference = added(equation.lhs, negated(equation.rhs))
        self.found: list[float] = []
        self.plateaus: list[Span] = []
        self.doubtful = False  # whether the signs promised a root that was none

    def run(self, turn: bool) -> Roots:
        boxes = _boxes(self.domain)
        pending, count = deque(boxes), 0
        while pending and count < _BOXES:
            tick()
            count += 1
            box = pending.popleft()
            if self._settled(box):
                continue
            if box.is_small:
                self._unresolved(box)
            else:
                pending.extend(box.halves())
        if pending:
            for box in boxes:
                self._scan(box)
        ends = [end for box in boxes for end in box.span()]
        plateaus = self._joined()
        return Roots(
            tuple(self._distinct(plateaus)),
            tuple(plateaus),
            (min(ends), max(ends)),
            not pending and not self.doubtful,
            turn,
        )

    def _scan(self, box: _Box) -> None:
        """Note the roots that a walk along a grid comes across."""
        count = _EVEN if box.sign == 0 else max(_EVEN, round((box.high - box.low) / math.log(10) * _STEPS))
        width = (box.high - box.low) / count
        grid = [_Box(box.low + i * width, box.low + (i + 1) * width, box.sign) for i in range(count)]
        if box.sign < 0:
            grid.reverse()
        before: tuple[float, float] | None = None
        for piece in grid:
            tick()
            low, high = piece.span()
            low_gap = before[1] if before and before[0] == low else self._gap(low)
            high_gap = self._gap(high)
            before = (high, high_gap)
            if low_gap == 0:
                self._note(low)
            elif low_gap * high_gap < 0:
                self._note(self._polished((low, high), (low_gap, high_gap)))

    def _enclosed(self, span: Span) -> Enclosure | None:
        self.spans[self.name] = span
        return enclose(self.difference, self.spans, self.name)

    def _settled(self, box: _Box) -> bool:
        """Whether nothing more is to be learnt from a box; its root, if it has one, is noted."""
        span = box.span()
        if span[0] < 0 < span[1] and 0.0 not in self.found:
            self._note(0.0)  # which cutting in halves never lands on
        found = self._enclosed(span)
        if found is None:
            return True
        if not found.partial and max(abs(end) for end in found.values) <= _FLAT * self._size(span):
            if span[1] > span[0]:
                self.plateaus.append(span)
            else:
                self._note(span[0])
            return True
        if found.misses_zero:
            return not self._grazes(found, span)
        if not found.is_monotone:
            return False
        low, high = (self._gap(end) for end in span)
        if math.isnan(low) or math.isnan(high):
            return False
        if low == 0 or high == 0 or (low < 0) != (high < 0):
            count = len(self.found)
            self._note(self._polished(span, (low, high)))
            self.doubtful = self.doubtful or len(self.found) == count
        else:
            for end in span:  # a root at the very edge of the domain, lost to rounding
                if abs(residual(self.equation, {**self.known, self.name: end})) <= _FLAT:
                    self._note(end)
        return True

    def _grazes(self, found: Enclosure, span: Span) -> bool:
        """Whether a box misses zero by no more than rounding."""
        nearest = min(abs(end) for end in found.values)
        return nearest <= _FLAT * self._size(span) and not _tiny(span)

    def _size(self, span: Span) -> float:
        middle = _middle(span)
        sides = (abs(value(side, {**self.known, self.name: middle})) for side in (self.equation.lhs, self.equation.rhs))
        size = max((side for side in sides if side == side), default=0.0)
        return size if math.isfinite(size) else 0.0

    def _gap(self, x: float) -> float:
        return value(self.difference, {**self.known, self.name: x})

    def _polished(self, span: Span, gaps: Span) -> float:
        """The root between two ends of opposite sign: the secant, kept inside a bracket by bisection."""
        (a, b), (fa, fb) = span, gaps
        if fa == 0 or fb == 0:
            return a if fa == 0 else b
        for step in range(400):
            middle = _middle((a, b))
            if step % 3 and math.isfinite(fa) and math.isfinite(fb):
                secant = b - fb * (b - a) / (fb - fa) if fb != fa else middle
                middle = secant if a < secant < b else middle
            if not a < middle < b:
                break
            fm = self._gap(middle)
            if fm == 0 or fm != fm:
                return middle
            if (fm < 0) == (fa < 0):
                a, fa = middle, fm
            else:
                b, fb = middle, fm
        return a if abs(fa) <= abs(fb) else b

    def _unresolved(self, box: _Box) -> None:
        """A box that can be cut no further: a double root, or a jump that is none."""
        count = len(self.found)
        self._note(_middle(box.span()))
        self.doubtful = self.doubtful or len(self.found) == count

    def _note(self, x: float) -> None:
        if x in self.domain and not is_root(self.equation, self.name, {**self.known, self.name: x}):
            x = polished(self.equation, self.name, {**self.known, self.name: x})
        values = {**self.known, self.name: x}
        if x in self.domain and is_root(self.equation, self.name, values):
            self.found.append(polished(self.equation, self.name, values) if self._is_loose(values) else x)

    def _is_loose(self, values: Mapping[str, float]) -> bool:
        """Whether the sides hardly feel the unknown, so that doubles have lost digits of it."""
        moved = {**values, self.name: values[self.name] * (1 + 1e-6)}
        return abs(residual(self.equation, moved) - residual(self.equation, values)) < 1e-10

    def _distinct(self, plateaus: list[Span]) -> list[float]:
        kept: list[float] = []
        for x in sorted(self.found):
            inside = any(low - 1e-9 * abs(x) <= x <= high + 1e-9 * abs(x) for low, high in plateaus)
            if not inside and not (kept and abs(x - kept[-1]) <= 1e-7 * max(abs(x), abs(kept[-1]))):
                kept.append(x)
            elif kept and not inside and self._error(x) < self._error(kept[-1]):
                kept[-1] = x
        return kept

    def _error(self, x: float) -> float:
        return abs(residual(self.equation, {**self.known, self.name: x}))

    def _joined(self) -> list[Span]:
        joined: list[Span] = []
        for low, high in sorted(self.plateaus):
            if joined and low <= joined[-1][1] + 1e-9 * abs(joined[-1][1]) + 1e-300:
                joined[-1] = (joined[-1][0], max(high, joined[-1][1]))
            else:
                joined.append((low, high))
        level = [span for span in joined if is_level(self.equation, self.name, self.known, *span)]
        return [self._widened(span) for span in level]

    def _widened(self, span: Span) -> Span:
        """The plateau up to the ends of the domain, where the search stopped short of them."""
        low = self.domain.low if 0 < span[0] <= SMALLEST * 1.01 and self.domain.low >= 0 else span[0]
        high = self.domain.high if span[1] >= LARGEST * 0.99 else span[1]
        return (self.domain.low if span[0] <= -LARGEST * 0.99 else low), high


def _boxes(domain: Domain) -> list[_Box]:
    low, high = max(domain.low, -LARGEST), min(domain.high, LARGEST)
    boxes: list[_Box] = []
    if math.isfinite(domain.low) and math.isfinite(domain.high) and (low <= 0 or high / low < 1e6):
        return [_Box(low, high, 0)]
    if low < 0:
        boxes.append(_Box(math.log(max(-min(high, 0.0), SMALLEST)), math.log(-low), -1))
    if low <= 0 <= high and not domain.open_low:
        boxes.append(_Box(-SMALLEST if low < 0 else 0.0, SMALLEST, 0))
    if high > 0:
        boxes.append(_Box(math.log(max(low, SMALLEST)), math.log(high), 1))
    return boxes


def _middle(span: Span) -> float:
    low, high = span
    if low > 0:
        return math.sqrt(low) * math.sqrt(high)
    if high < 0:
        return -math.sqrt(-low) * math.sqrt(-high)
    return (low + high) / 2


def _tiny(span: Span) -> bool:
    return span[1] - span[0] <= 1e-12 * max(abs(span[0]), abs(span[1]))


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


def _stands_outside(equation: Equation, name: str) -> bool:
    """Whether the name also stands outside of every sine, cosine and tangent, so that nothing repeats."""
    pending: list[Node] = [equation.lhs, equation.rhs]
    while pending:
        node = pending.pop()
        if isinstance(node, Name) and node.name == name:
            return True
        if isinstance(node, Apply) and node.op not in ("sin", "cos", "tan"):
            pending.extend(node.args)
    return False


def _turn_of(angle: Node, name: str, known: Mapping[str, float], domain: Domain) -> Span | None:
    """Where an angle stays within one turn: half a turn to each side of zero, or a turn from the domain's end."""

    def at(x: float) -> float:
        return value(angle, {**known, name: x})

    rate = at(1.0) - at(0.0)
    if rate == rate and rate != 0 and abs(at(3.0) - at(0.0) - 3 * rate) <= 1e-9 * abs(rate):
        turn = math.tau / abs(rate)
        return (-turn / 2, turn / 2) if domain.low < 0 else (max(domain.low, 0.0), max(domain.low, 0.0) + turn)
    start, end = max(domain.low, SMALLEST), min(domain.high, LARGEST)
    if not abs(at(start)) < math.tau:
        start, end = end, start
    first = at(start)
    if not abs(first) < math.tau:
        return None
    inside, outside = start, end
    for _ in range(200):
        middle = _middle((min(inside, outside), max(inside, outside)))
        if abs(at(middle) - first) <= math.tau:
            inside = middle
        else:
            outside = middle
    return min(start, inside), max(start, inside)
