"""Enclosures of a program over boxes: where its limits can hold, how it moves, and how low its goal can be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from derive.errors import LimitError
from derive.expressions.tree import Equation, Name, names_in
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.arithmetic import ZERO as NOTHING
from derive.numerics.intervals.arithmetic import Span, minus, plus, times
from derive.numerics.intervals.enclosure import truths
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import Box, Dag, Run, dag_of
from derive.numerics.root_finding.root_boxes import middle
from derive.optimization.program import Program
from derive.tolerances import AROUND_ZERO, FINEST_BREADTH, HANDFUL, LEAST, MOST, NEAREST_ZERO, SAME_ROOT

__all__ = ["Boxes", "Slopes"]

_SWEEPS = 4  # of contractors on one box
_FINEST = 10 * FINEST_BREADTH  # breadth of a side that is not cut further
_GOAL = "the goal"

Slopes = list[list[Span]]
"""The slopes of the goal, then of each limit and each zero, in every variable; empty where they prove nothing."""


class Boxes:
    """A program as one graph of expressions: its goal, its limits, each with a slack, and its zeros."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.bound_names = {name for zero in program.zeros for name in names_in(zero)}
        self.guard_names = {name for guard in program.guards for name in names_in(guard)}
        self.dag = self._graph()

    def _graph(self) -> Dag:
        program = self.program
        slacks = [f"the slack of {i}" for i in range(len(program.limits))]
        equations = [Equation(program.goal, "=", Name(_GOAL))]
        equations += [
            Equation(limit.gap, "=", Name(slack)) for limit, slack in zip(program.limits, slacks, strict=True)
        ]
        equations += [Equation(zero, "=", ZERO) for zero in program.zeros]
        found = dag_of(equations, (*program.names, _GOAL, *slacks), program.known)
        if found is None:
            raise LimitError(
                "The expressions of the question are nested too deeply to be searched.",
                hint="Ask for an intermediate quantity.",
                limit="depth of expressions",
            )
        return found

    def run(self, sides: Sequence[Span]) -> Run | None:
        """The enclosures over a box; None where the program is nowhere defined."""
        return self.dag.run((*sides, *[NOTHING] * (1 + len(self.program.limits))))

    def values(self, run: Run) -> list[Span]:
        """The goal, the gaps of the limits and the zeros over the box of a run."""
        return [run.spans[root] for root in self.dag.roots]

    def slopes(self, run: Run) -> Slopes:
        """The slopes over the box of a run; none where something may jump or be undefined in it."""
        return [] if run.flawed else [self.dag.gradient(i, run) for i in range(len(self.dag.roots))]

    def narrowed(self, sides: Sequence[Span], ceiling: float) -> Box | None:
        """The box cut to where the limits can hold and the goal is not above the ceiling; None if that is nowhere."""
        count = len(self.program.limits)
        rounded = self._rounded(sides)
        if rounded is None:
            return None
        whole = (*rounded, (-math.inf, min(ceiling, MOST)), *[(-math.inf, 0.0)] * count)
        left = contracted(self.dag, whole, _SWEEPS)
        return None if left is None else self._rounded(left[: len(sides)])

    def _rounded(self, sides: Sequence[Span]) -> Box | None:
        """The box with the sides of counts rounded inwards; None if no whole number is left."""
        found = list(sides)
        for i, step in enumerate(self.program.steps):
            if step:
                low, high = (end / step for end in found[i])
                least, most = low - SAME_ROOT * max(1.0, abs(low)), high + SAME_ROOT * max(1.0, abs(high))
                found[i] = (
                    math.ceil(least) * step if math.isfinite(least) else least,
                    math.floor(most) * step if math.isfinite(most) else most,
                )
                if found[i][0] > found[i][1]:
                    return None
        return tuple(found)

    def may_hold(self, sides: Box, values: Sequence[Span]) -> bool:
        """Whether the limits, the zeros and the conditions may hold somewhere in a box."""
        count = len(self.program.limits)
        if any(low > 0 for low, _ in values[1 : 1 + count]):
            return False
        if any(not low <= 0 <= high for low, high in values[1 + count :]):
            return False
        named = dict(zip(self.program.names, sides, strict=True))
        return all(True in truths(guard, named) for guard in self.program.guards)

    def better(self, sides: Box, values: Sequence[Span], slopes: Slopes) -> dict[int, Span]:
        """The ends to which sides can be reduced: no limit that may bind speaks for the other end."""
        if not slopes:
            return {}
        binding = [slopes[i + 1] for i in range(len(self.program.limits)) if values[i + 1][1] > 0]
        found: dict[int, Span] = {}
        for i, (low, high) in enumerate(sides):
            name = self.program.names[i]
            if low == high or name in self.bound_names or name in self.guard_names:
                continue
            if slopes[0][i][0] >= 0 and all(one[i][0] >= 0 for one in binding):
                found[i] = (low, low)
            elif slopes[0][i][1] <= 0 and all(one[i][1] <= 0 for one in binding):
                found[i] = (high, high)
        return {i: end for i, end in found.items() if math.isfinite(end[0])}

    def corner(self, sides: Box, slopes: Slopes) -> Box:
        """The box with each side along which the goal is monotone at its better end."""
        if not slopes:
            return sides
        found = list(sides)
        for i, ((low, high), slope) in enumerate(zip(sides, slopes[0], strict=False)):  # the slacks come after
            if slope[0] >= 0 and math.isfinite(low):
                found[i] = (low, low)
            elif slope[1] <= 0 and math.isfinite(high):
                found[i] = (high, high)
        return tuple(found)

    def floor(self, corner: Box, sides: Box, slopes: Slopes, middle: Sequence[Span], prices: Sequence[float]) -> float:
        """A lower bound of the goal, where the limits hold: at the better corner, or by slopes."""
        run = self.run(corner)
        return math.inf if run is None else max(self.values(run)[0][0], self._by_slopes(sides, slopes, middle, prices))

    def middle(self, sides: Box, slopes: Slopes) -> list[Span]:
        """The values in the middle of a box; none where slopes prove nothing."""
        here = self.run([(x, x) for x in _middle(sides)]) if slopes else None
        return [] if here is None or here.flawed else self.values(here)

    def _by_slopes(self, sides: Box, slopes: Slopes, values: Sequence[Span], priced: Sequence[float]) -> float:
        """The bound by the values in the middle of a box and the slopes in it, of the goal and of the Lagrangian."""
        found = -math.inf
        for prices in ((), priced) if values else ():
            total, slope = values[0], list(slopes[0])
            for price, value, other in zip(prices, values[1:], slopes[1:], strict=False):
                if price:
                    total = plus(total, times((price, price), value))
                    slope = [plus(a, times((price, price), b)) for a, b in zip(slope, other, strict=True)]
            low = total[0]
            for aside, side in zip(_asides(sides), slope, strict=False):
                low = plus((low, low), times(aside, side))[0]
            found = max(found, low)
        return found if found == found else -math.inf

    def cut(self, sides: Box, slopes: Slopes, values: Sequence[Span], ceiling: float) -> Box | None:
        """The box without what the slopes exclude: the goal is not above the ceiling, and the limits hold.

        None if nothing is left. Where the others do their best, one side has to make up for the rest.
        """
        if not values:
            return sides
        found, asides, centres = list(sides), _asides(sides), _middle(sides)
        rows = [(plus(values[0], (-ceiling, -ceiling)), slopes[0])] if math.isfinite(ceiling) else []
        count = 1 + len(self.program.limits)
        rows += [(values[j], slopes[j]) for j in range(1, len(values))]
        rows += [(minus(values[j]), [*map(minus, slopes[j])]) for j in range(count, len(values))]  # a zero is both
        for value, slope in rows:
            moves = [times(aside, one)[0] for aside, one in zip(asides, slope, strict=False)]
            least = value[0] + sum(moves)
            slack = HANDFUL * (abs(value[0]) + sum(map(abs, moves)))
            if least - slack > 0:
                return None
            for i, (low, high) in enumerate(found):
                start, end = slope[i]
                left = moves[i] - least + slack  # what this side may add at most
                if start > 0:
                    found[i] = (low, min(high, _above(centres[i], max(left / start, left / end))))
                elif end < 0:
                    found[i] = (max(low, -_above(-centres[i], max(left / -start, left / -end))), high)
                if not found[i][0] <= found[i][1]:
                    return None
        return tuple(found)

    def ways(self, slopes: Slopes) -> tuple[str, ...]:
        """How the goal moves with each free quantity over a box; empty where that is not known."""
        if not slopes or self.bound_names:
            return ("",) * self.program.free
        found = []
        for low, high in slopes[0][: self.program.free]:
            rises, falls = (low >= 0, high <= 0) if self.program.sign > 0 else (high <= 0, low >= 0)
            found.append("does not move" if rises and falls else "rises" if rises else "falls" if falls else "turns")
        return tuple(found)

    def blur(self, point: Sequence[float], root: int = 0) -> float:
        """By how much the goal changes between points that no cut tells from this one; zero if that is not known.

        `root` counts the limits from one on.
        """
        near = [
            (max(x - by, low), min(x + by, high))
            for x, (low, high) in zip(point, self.program.box, strict=False)
            for by in [2 * _FINEST * abs(x) or AROUND_ZERO]
        ]
        run = self.run(near) if len(near) == len(self.program.names) else None
        if run is None or run.flawed:  # a jump is no rounding
            return 0.0
        low, high = self.values(run)[root]
        return high - low if math.isfinite(high - low) else 0.0

    def point(self, sides: Box) -> tuple[float, ...]:
        """A point in the middle of a box, whole where it counts."""
        return tuple(self.whole(i, x) for i, x in enumerate(_middle(sides)[: self.program.free]))

    @property
    def is_thin(self) -> bool:
        """Whether hardly a point fulfils the program: a count has to be whole, or two sides have to be equal."""
        ops = {(limit.name, limit.written.op) for limit in self.program.limits if limit.relation is not None}
        is_equality = any((name, ">=") in ops for name, op in ops if op == "<=")
        return is_equality or any(self.program.steps[self.program.free :])

    def completed(self, sides: Box) -> tuple[float, ...] | None:
        """A point of a box at which what is counted is whole; None if none was found.

        Counts are set first and then the others, each to its middle, and what is left is narrowed to what that allows.
        """
        order = sorted(range(len(sides)), key=lambda i: not self.program.steps[i])
        left = sides
        for i in order:
            x = self.whole(i, _middle(left)[i])
            if left[i] != (x, x):
                narrowed = self.narrowed((*left[:i], (x, x), *left[i + 1 :]), math.inf)
                if narrowed is None and _breadth(left[i]) > SAME_ROOT:
                    return None
                left = narrowed or (*left[:i], (x, x), *left[i + 1 :])  # a middle is off by a rounding
        return self.point(left)

    def whole(self, i: int, x: float) -> float:
        """A number of a side, whole if it counts."""
        step = self.program.steps[i]
        return round(x / step) * step if step else x

    def widest(self, sides: Box, values: Sequence[Span], slopes: Slopes) -> int | None:
        """The side to be cut: the one along which the goal, the zeros and the limits that may bind may change most;
        None if none can be."""
        finest = [0.0 if step else _FINEST for step in self.program.steps]
        open_ones = [i for i, side in enumerate(sides) if _breadth(side) > finest[i]]
        if not open_ones:
            return None
        weights = dict.fromkeys(open_ones, 0.0)
        count = len(self.program.limits)
        for slope in (slope for j, slope in enumerate(slopes) if not 1 <= j <= count or values[j][1] > 0):
            moves = {i: max(map(abs, slope[i])) * (sides[i][1] - sides[i][0]) for i in open_ones}
            whole = sum(moves.values())
            if 0 < whole < math.inf:
                weights = {i: max(weights[i], moves[i] / whole) for i in open_ones}
        return max(open_ones, key=lambda i: (weights[i] if slopes else 0.0, _breadth(sides[i])))

    def halves(self, sides: Box, i: int) -> tuple[Box, Box]:
        """The box cut in two along a side."""
        (low, high), step = sides[i], self.program.steps[i]
        near = max(LEAST, NEAREST_ZERO * high) if 0 <= low < high < MOST else LEAST
        first = second = middle((max(low, -MOST), min(high, MOST)), near)
        if step:
            first = min(max(math.floor(first / step), round(low / step)), round(high / step) - 1) * step
            second = first + step
        return (*sides[:i], (low, first), *sides[i + 1 :]), (*sides[:i], (second, high), *sides[i + 1 :])


def _asides(sides: Sequence[Span]) -> list[Span]:
    """How far each side reaches from its middle."""
    return [plus(side, (-x, -x)) for side, x in zip(sides, _middle(sides), strict=True)]


def _above(centre: float, step: float) -> float:
    """A centre and a step, rounded upwards."""
    reached = centre + step
    return reached + 4 * HANDFUL * (abs(centre) + abs(step)) if math.isfinite(reached) else math.inf


def _middle(sides: Sequence[Span]) -> tuple[float, ...]:
    return tuple(low if low == high else _centre(low, high) for low, high in sides)


def _centre(low: float, high: float) -> float:
    if math.isinf(low) or math.isinf(high):
        return middle((max(low, -MOST), min(high, MOST)), LEAST)
    return low / 2 + high / 2


def _breadth(side: Span) -> float:
    """The length of a side relative to its size, which counts for little more than the ratio of its ends."""
    low, high = side
    if low == high:
        return 0.0
    size = max(abs(low), abs(high))
    if size == math.inf:
        return 4000.0
    if low > 0 or high < 0:
        near = min(abs(low), abs(high))
        return math.log(size / near) if size > 2 * near else (high - low) / size
    return 2.0 + (high - low) / size if size > AROUND_ZERO else 0.0
