"""Branch and bound: the least and the greatest value of a form over a box, also where equations tie its names.

A quantity without a closed form, or whose closed form holds only while an arm of a choice binds, is a name here: it
ranges over its domain, subject to the equations. The box of all names is cut into parts, always the one with the least
lower bound first. From a part the contractors cut what the equations exclude, and what cannot be better than a value
that is attained. Where no equation ties the names, a side along which the form is monotone is reduced to its better end
at once. A part's lower bound is the lower end of the form's enclosure on it, or the bound by its midpoint value and
steepest slopes, whichever is greater; where equations tie the names, also that of the Lagrangian, in which the slopes
of the form and of the equations cancel (`multipliers`).

Values are attained at the points that are tried if nothing ties the names; else throughout a part in which the
equations hold to a millionth of their terms. So the bound that is returned is never too tight. It is close, to one part
in a million, unless the limit on parts is reached first.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from derive.expressions.tree import Apply, Equation, Name, Node, names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.arithmetic import ZERO as NOTHING
from derive.numerics.intervals.arithmetic import Span, plus, times
from derive.numerics.root_finding.contractors import BoxConsistency, contracted
from derive.numerics.root_finding.expression_graph import Box, Dag, dag_of
from derive.numerics.root_finding.multipliers import multipliers
from derive.numerics.root_finding.root_boxes import middle
from derive.time_limits import tick
from derive.tolerances import EXPRESSION, EXTREME, FINEST_BREADTH, HUGE, LEAST, MOST, NO_SIZE

__all__ = ["PARTS", "Bound", "System", "least_and_greatest"]

PARTS = 1000
"""Parts into which the box is cut for one end, at most."""
_CORNERED = 8  # names up to which every corner is tried
_ROUNDS = 6  # of contractors on one part
_SWEEPS = 4  # of contractors on one part
_PAYS = 0.4  # share of its length to which a side is cut, for another round
_GOAL = "the goal"


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


def least_and_greatest(system: System, most: int = PARTS) -> tuple[Bound, Bound] | None:
    """The bounds of the goal; None if it has no value where the equations hold.

    >>> from derive.expressions.grammar import parse_expression
    >>> roof = parse_expression("t - max(x, 5)")
    >>> found = least_and_greatest(System(parse_expression("2*x"), (0, 99), (roof,), {"x": (0, 99), "t": (3, 7)}))
    >>> [round(bound.at, 6) for bound in found]
    [0.0, 14.0]
    """
    low = _Search(system, system.goal, system.allowed, most).least()
    if low is None:
        return None
    mirrored = (-system.allowed[1], -system.allowed[0])
    high = _Search(system, Apply("neg", (system.goal,)), mirrored, most).least()
    if high is None or low.at > -high.at:  # no value is between them
        return None
    return low, Bound(-high.at, high.is_close)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the box, the bounds of the goal in it, and the side along which it is cut; None if none can be."""

    box: Box
    values: Span
    widest: int | None


@dataclass(frozen=True, slots=True)
class _Slopes:
    """What an equation, or the goal, is worth in the middle of a part, and how it moves with each name."""

    centre: Span
    slopes: tuple[Span, ...]
    asides: tuple[Span, ...]  # how far each side reaches from its middle

    @property
    def moves(self) -> tuple[Span, ...]:
        """What it may change by as each name moves."""
        pairs = zip(self.slopes, self.asides, strict=True)
        return tuple(times(slope, aside) if slope != NOTHING else NOTHING for slope, aside in pairs)

    @property
    def values(self) -> Span:
        """The bounds by the mean value theorem."""
        whole = self.centre
        for move in self.moves:
            whole = plus(whole, move)
        return whole

    def with_multiple(self, other: _Slopes, weight: float) -> _Slopes:
        """The same of the sum with another, times a number."""
        by = weight, weight
        slopes = tuple(plus(a, times(by, b)) for a, b in zip(self.slopes, other.slopes, strict=True))
        return _Slopes(plus(self.centre, times(by, other.centre)), slopes, self.asides)


class _Search:
    """The search for the least value of a goal."""

    def __init__(self, system: System, goal: Node, allowed: Span, most: int) -> None:
        self.goal, self.zeros, self.allowed, self.most = goal, system.zeros, allowed, most
        used = names_in(goal, *system.zeros)
        self.known = {name: low for name, (low, high) in system.box.items() if low == high}
        self.names = tuple(name for name in used if name not in self.known)
        self.box = tuple(system.box[name] for name in self.names)
        equations = [Equation(goal, "=", Name(_GOAL)), *(Equation(zero, "=", ZERO) for zero in system.zeros)]
        self.dag: Dag | None = dag_of(equations, (*self.names, _GOAL), self.known)
        self.consistency = None if self.dag is None else BoxConsistency.of(self.dag)
        self.best = math.inf  # the least value that is attained
        self.size = 0.0  # of the values, beside which a difference is small

    def least(self) -> Bound | None:
        """The least lower bound, refined until it is close; of equal parts the newest comes first."""
        if self.dag is None:
            return Bound(self.allowed[0], False)
        if not self.zeros:
            self._try_corners()
        first = self._examined(self.box)
        queue = [] if first is None else [(first.values[0], 0, first)]
        if self.zeros and first is not None and math.isfinite(first.values[1] - first.values[0]):
            self.size = (first.values[1] - first.values[0]) / 100
        count = 0
        while queue:
            tick()
            floor, _, part = heapq.heappop(queue)
            is_endless = self.zeros and floor == -math.inf and part.values[1] <= -HUGE
            if is_endless:
                return Bound(floor, True)
            if floor >= self.best - self._slack():
                return Bound(floor if floor < self.best - EXPRESSION * abs(self.best) else self.best, True)
            if part.widest is None or count >= self.most:
                return Bound(floor, False)
            for half in _halves(part.box, part.widest):
                count += 1
                found = self._examined(half)
                if found is not None:
                    heapq.heappush(queue, (found.values[0], -count, found))
        return Bound(self.best, True) if self.best < math.inf else None

    def _slack(self) -> float:
        """How near to the least value attained a bound has to come."""
        return max(EXTREME / 2 * max(abs(self.best), self.size), NO_SIZE) if math.isfinite(self.best) else 0.0

    def _try_corners(self) -> None:
        """The goal in the middle and at the corners, which show how far it reaches."""
        points = [tuple(low / 2 + high / 2 for low, high in self.box)]  # next to a pole the goal reaches far
        if len(self.box) <= _CORNERED:
            points += product(*self.box)
        found = [number for number in map(self._at, points) if math.isfinite(number)]
        if found:
            self.size = (max(found) - min(found)) / 100

    def _at(self, point: Sequence[float]) -> float:
        """The goal at a point; infinite where it is undefined or not allowed."""
        number = value(self.goal, {**self.known, **dict(zip(self.names, point, strict=True))})
        if not self.allowed[0] <= number <= self.allowed[1]:
            return math.inf
        self.best = min(self.best, number)
        return number

    def _examined(self, box: Box) -> _Part | None:
        """A part of the box, cut down to where the equations can hold and the goal be less; None if they cannot."""
        rows: list[tuple[Span, _Slopes | None]] = []
        for left in reversed(range(_ROUNDS)):
            narrowed = self._narrowed(box)
            found = None if narrowed is None else self._rows(narrowed)
            if narrowed is None or found is None:
                return None
            before, box, rows = box, narrowed, found
            better = () if self.zeros else self._better(box, rows[0][1])
            if better:
                box = better
            elif left == 0 or not any(map(_pays, before, box)):
                break
        values = _by_lagrangian(rows)
        low, high = max(values[0], self.allowed[0]), min(values[1], self.allowed[1])
        if not low <= high:
            return None
        if not self.zeros:
            self._at(tuple(map(_centre, box)))
        elif self._is_settled(box):
            self.best = min(self.best, high)
        return _Part(box, (low, high), _widest(box, [slopes for _, slopes in rows]))

    def _narrowed(self, box: Box) -> Box | None:
        """What the contractors leave of a part."""
        assert self.dag is not None
        assert self.consistency is not None
        if not self.zeros:
            return box
        goal = self.allowed[0], min(self.allowed[1], self.best)
        left = contracted(self.dag, (*box, goal), _SWEEPS)
        left = None if left is None else self.consistency.contracted(left)
        return None if left is None else left[:-1]

    def _rows(self, box: Box) -> list[tuple[Span, _Slopes | None]] | None:
        """The bounds of the goal and of each residual in a part, with their slopes; None if the part holds nothing."""
        found = []
        for i in range(1 + len(self.zeros)):
            values, slopes = self._row(box, i)
            if values is None:
                return None
            if slopes is not None:
                low, high = slopes.values
                values = max(values[0], low), min(values[1], high)
            if not values[0] <= values[1] or (i > 0 and not values[0] <= 0 <= values[1]):
                return None
            found.append((values, slopes))
        return found

    def _row(self, box: Box, i: int) -> tuple[Span | None, _Slopes | None]:
        assert self.dag is not None
        run = self.dag.run((*box, NOTHING), i)
        if run is None:
            return None, None
        values = run.spans[self.dag.roots[i]]
        if run.flawed:
            return values, None
        slopes = tuple(self.dag.gradient(i, run)[:-1])
        centres = tuple(map(_centre, box))
        here = self.dag.run((*((x, x) for x in centres), NOTHING), i)
        if here is None or here.flawed or not all(math.isfinite(end) for slope in slopes for end in slope):
            return values, None
        asides = tuple(plus(side, (-x, -x)) for side, x in zip(box, centres, strict=True))
        return values, _Slopes(here.spans[self.dag.roots[i]], slopes, asides)

    def _better(self, box: Box, row: _Slopes | None) -> Box:
        """The part with each side along which the goal is monotone at its better end; empty if there is none."""
        if row is None:
            return ()
        found = list(box)
        for i, ((low, high), (falls, rises)) in enumerate(zip(box, row.slopes, strict=True)):
            end = low if falls >= 0 else high
            if (falls >= 0 or rises <= 0) and math.isfinite(end):
                found[i] = (end, end)
        return tuple(found) if tuple(found) != box else ()

    def _is_settled(self, box: Box) -> bool:
        """Whether the equations hold throughout a part, to a millionth of their terms."""
        assert self.dag is not None
        run = self.dag.run((*box, NOTHING))
        if run is None:
            return False
        steps = {step.at: step for step in self.dag.steps}
        for root in self.dag.roots[1:]:
            terms = steps[root].args if root in steps and steps[root].op == "add" else (root,)
            size = sum(max(map(abs, run.spans[at])) for at in terms)
            low, high = run.spans[root]
            if not (size <= NO_SIZE or high - low <= EXTREME * size < math.inf):
                return False
        return True


def _by_lagrangian(rows: Sequence[tuple[Span, _Slopes | None]]) -> Span:
    """The bounds of the goal where the equations hold: its own, or those of a sum in which slopes cancel."""
    (low, high), goal = rows[0]
    others = [slopes for _, slopes in rows[1:] if slopes is not None]
    if goal is None or not others:
        return low, high
    middles = [[start / 2 + end / 2 for start, end in row.slopes] for row in (goal, *others)]
    for weight, row in zip(multipliers(middles[0], middles[1:], [False] * len(others)), others, strict=True):
        if weight:
            goal = goal.with_multiple(row, weight)
    least, greatest = goal.values
    return max(low, least), min(high, greatest)


def _pays(before: Span, after: Span) -> bool:
    """Whether a side was cut by enough to go on."""
    return after[1] - after[0] < _PAYS * (before[1] - before[0])


def _widest(box: Box, rows: Sequence[_Slopes | None]) -> int | None:
    """The side to be cut: the one along which the goal and the equations may change most; None if none can be."""
    weights: dict[int, float] = {}
    for i, side in enumerate(box):
        breadth = _breadth(side)
        share = max((_share(row, i) for row in rows), default=0.0)
        if breadth >= FINEST_BREADTH and share > 0:
            weights[i] = breadth if breadth > 1 else breadth * share
    return max(weights, key=weights.__getitem__, default=None)


def _share(row: _Slopes | None, i: int) -> float:
    """The share of a side in what an equation may change by over a part; all of it, where that is not known."""
    if row is None:
        return 1.0
    whole = sum(max(map(abs, move)) for move in row.moves)
    return max(map(abs, row.moves[i])) / whole if 0 < whole < math.inf else float(whole > 0)


def _halves(box: Box, i: int) -> tuple[Box, Box]:
    low, high = box[i]
    at = _centre(box[i])
    return (*box[:i], (low, at), *box[i + 1 :]), (*box[:i], (at, high), *box[i + 1 :])


def _centre(span: Span) -> float:
    """A point between the ends, of a size between theirs."""
    low, high = span
    return low if low == high else middle((max(low, -MOST), min(high, MOST)), LEAST)


def _breadth(span: Span) -> float:
    """The distance of the ends, in powers of e."""
    low, high = span
    if low == high:
        return 0.0
    if low < 0 < high:
        return 2000.0
    small, large = sorted((max(abs(low), LEAST), min(max(abs(high), LEAST), MOST)))
    return (large - small) / small if large <= 2 * small else math.log(large / small)
