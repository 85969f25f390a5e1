"""Branch and bound: the least value of a program, with a lower bound that is proved.

Every box of the variables is treated alike, always the one with the least lower bound first:

1. Narrowing. The program is a system of equations: the goal is a number below the best one known, each limit leaves a
   slack that is not negative, and each zero is zero. HC4 contractors cut the box to where they can hold; the sides of
   counts are rounded inwards to whole numbers.
2. Monotone sides. Where the goal and every limit that may bind agree about the better end of a side, only that end is
   kept.
3. Bounds. The goal's enclosure; its enclosure with every monotone side at the better end; the mean value form; and the
   mean value form of the Lagrangian (`multipliers`), which knows that the goal cannot be improved without breaking a
   limit.
4. Candidates. The better corner and the middle of the box are tried as points; whatever passes every limit and is
   better becomes the best value. Now and then a search along the axes improves it.

What is left over is cut in two. Enclosures are rounded outwards, so no point that fulfils the limits is lost: when no
box is left whose bound is below the best value, that value is the least. Boxes too small to be cut keep their bound.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from derive.errors import LimitError
from derive.expressions.tree import Equation, Name, names_in
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.intervals.arithmetic import ALL, Span
from derive.numerics.intervals.arithmetic import ZERO as NOTHING
from derive.numerics.intervals.enclosure import truths
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import Box, Dag, Run, dag_of, products, sums
from derive.numerics.root_finding.root_boxes import middle
from derive.optimization.descent import Seen, descended
from derive.optimization.multipliers import multipliers
from derive.optimization.program import Program
from derive.time_limits import tick
from derive.tolerances import EXTREME, FINEST_BREADTH, LEAST, MOST, SAME_ROOT, TIGHT

__all__ = ["Best", "gap_between", "least_of"]

_FEW, _BOXES = 600, 20_000  # boxes to within the finer tolerance, and at most
_SWEEPS = 4  # of contractors on one box
_ROUNDS = 6  # in which monotone sides are reduced
_POLISHED = frozenset({4, 32, 256, 2048})  # boxes after which the best point is improved along the axes
_TRIED = 400  # points of one such search
_SHORTEST = 1e-11  # of its steps, relative to the sides
_GOAL = "the goal"
_SIGNS = ("does not move", "rises", "falls", "turns")


@dataclass(frozen=True, slots=True)
class Best:
    """The best point found, a bound that no point is below, and how they were found."""

    value: float = math.inf
    at: tuple[float, ...] = ()
    floor: float = math.inf
    spread: float = 0.0  # of the values met
    boxes: int = 0
    ways: tuple[str, ...] = ()  # how the goal moves with each free quantity over the whole box

    @property
    def gap(self) -> float:
        return gap_between(self.value, self.floor, self.spread)

    @property
    def is_proved(self) -> bool:
        return self.gap <= EXTREME


def gap_between(value: float, floor: float, spread: float) -> float:
    """The distance of a value from its bound, relative to its size, or to a hundredth of the spread of all values."""
    if floor >= value:
        return 0.0
    size = max(abs(value), spread / 100 if math.isfinite(spread) else 0.0)
    return (value - floor) / size if size else math.inf


def least_of(programs: Sequence[Program], boxes: int = _BOXES) -> Best:
    """The least value over several cases: the best of each counts for the others."""
    best = Best()
    for program in programs:
        found = _Search(program, best, boxes).run()
        ways = found.ways if found.value < best.value or not best.ways else best.ways
        better = found if found.value < best.value else best
        floor, count = min(best.floor, found.floor), best.boxes + found.boxes
        best = Best(better.value, better.at, floor, max(best.spread, found.spread), count, ways)
    return best


@dataclass(frozen=True, slots=True)
class _Part:
    """A box, the goal's lower bound in it, the two points to be tried, and the side along which it is cut."""

    sides: Box
    floor: float
    widest: int | None
    points: tuple[tuple[float, ...], ...] = ()


@dataclass
class _Search:
    """One program, searched from the best value that is known."""

    program: Program
    known: Best
    most: int
    value: float = math.inf
    at: tuple[float, ...] = ()
    met: list[float] = field(default_factory=list)
    tried: set[tuple[float, ...]] = field(default_factory=set)
    prices: list[float] = field(default_factory=list)  # a multiplier for each limit and zero
    ways: tuple[str, ...] = ()

    def run(self) -> Best:
        program = self.program
        self.value = self.known.value
        self.bound_names = {name for zero in program.zeros for name in names_in(zero)}
        self.guard_names = {name for guard in program.guards for name in names_in(guard)}
        self.dag = self._graph()
        queue: list[tuple[float, int, _Part]] = []
        left, count = math.inf, 0
        try:
            self._push(queue, program.box, 0)
            while queue and count < self.most:
                tick()
                if queue[0][0] >= self.value - self._slack(count):
                    break
                _, _, part = heapq.heappop(queue)
                if part.widest is None:
                    left = min(left, part.floor)
                    continue
                for half in self._halves(part):
                    count += 1
                    self._push(queue, half, count)
                    if count in _POLISHED:
                        self._polish()
        except LimitError:
            left = -math.inf if not queue else left
        floor = min([left, *(one[0] for one in queue)])
        floor = min(floor, self.value) if self.at else floor
        return Best(
            self.value if self.at else math.inf, self.at, floor, self._spread(), max(count, 1), self.ways
        )

    # The system

    def _graph(self) -> Dag | None:
        program = self.program
        slacks = [f"the slack of {i}" for i in range(len(program.limits))]
        equations = [Equation(program.goal, "=", Name(_GOAL))]
        equations += [Equation(limit.gap, "=", Name(slack)) for limit, slack in zip(program.limits, slacks, strict=True)]
        equations += [Equation(zero, "=", ZERO) for zero in program.zeros]
        return dag_of(equations, (*program.names, _GOAL, *slacks), program.known)

    def _run(self, sides: Box) -> Run | None:
        assert self.dag is not None
        return self.dag.run((*sides, *[NOTHING] * (1 + len(self.program.limits))))

    def _values(self, run: Run) -> list[Span]:
        assert self.dag is not None
        return [run.spans[root] for root in self.dag.roots]

    def _narrowed(self, sides: Box) -> Box | None:
        """The box cut to where the limits can hold and the goal is below the best value."""
        count = len(self.program.limits)
        rounded = self._rounded(sides)
        if rounded is None or self.dag is None:
            return rounded
        whole = (*rounded, (-math.inf, min(self.value, MOST)), *[(-math.inf, 0.0)] * count)
        left = contracted(self.dag, whole, _SWEEPS)
        return None if left is None else self._rounded(left[: len(sides)])

    def _rounded(self, sides: Sequence[Span]) -> Box | None:
        """The box with the sides of counts rounded inwards; None if no whole number is left."""
        found = list(sides)
        for i, step in enumerate(self.program.steps):
            if step:
                low, high = (end / step for end in found[i])
                least, most = math.ceil(low - SAME_ROOT * max(1.0, abs(low))), high + SAME_ROOT * max(1.0, abs(high))
                found[i] = (least * step, math.floor(most) * step)
                if found[i][0] > found[i][1]:
                    return None
        return tuple(found)

    # One box

    def _push(self, queue: list[tuple[float, int, _Part]], sides: Sequence[Span], count: int) -> None:
        part = self._examined(tuple(sides), count == 0)
        if part is None:
            return
        for point in part.points:
            self._try(point)
        if part.floor < self.value:
            heapq.heappush(queue, (part.floor, -count, part))

    def _examined(self, sides: Box, is_first: bool = False) -> _Part | None:
        slopes: list[list[Span]] = []
        for _ in range(_ROUNDS):
            narrowed = self._narrowed(sides)
            run = None if narrowed is None or self.dag is None else self._run(narrowed)
            if narrowed is None or (run is None and self.dag is not None):
                return None
            sides = narrowed
            if run is None or self.dag is None:
                return _Part(sides, -math.inf, self._widest(sides, []), (self._point(sides),))
            values = self._values(run)
            if not self._may_hold(sides, values):
                return None
            slopes = [] if run.flawed else [self.dag.gradient(i, run) for i in range(len(self.dag.roots))]
            if is_first:
                self.ways = self._told(slopes)
                is_first = False
            better = self._better(sides, values, slopes)
            if not better:
                break
            sides = tuple(better.get(i, side) for i, side in enumerate(sides))
        corner = self._corner(sides, slopes)
        floor = max(values[0][0], self._at_corner(corner), self._by_slopes(sides, slopes))
        points = (self._point(corner), self._point(sides))
        return _Part(sides, floor, self._widest(sides, slopes), points)

    def _may_hold(self, sides: Box, values: Sequence[Span]) -> bool:
        """Whether the limits, the zeros and the conditions may hold somewhere in a box."""
        count = len(self.program.limits)
        if any(low > 0 for low, _ in values[1 : 1 + count]):
            return False
        if any(not low <= 0 <= high for low, high in values[1 + count :]):
            return False
        return all(True in truths(guard, self._named(sides)) for guard in self.program.guards)

    def _named(self, sides: Box) -> dict[str, Span]:
        known = {name: (number, number) for name, number in self.program.known.items()}
        return {**known, **dict(zip(self.program.names, sides, strict=True))}

    def _better(self, sides: Box, values: Sequence[Span], slopes: Sequence[Sequence[Span]]) -> dict[int, Span]:
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

    def _corner(self, sides: Box, slopes: Sequence[Sequence[Span]]) -> Box:
        """The box with each side along which the goal is monotone at its better end."""
        if not slopes:
            return sides
        found = list(sides)
        for i, ((low, high), slope) in enumerate(zip(sides, slopes[0], strict=False)):
            if slope[0] >= 0 and math.isfinite(low):
                found[i] = (low, low)
            elif slope[1] <= 0 and math.isfinite(high):
                found[i] = (high, high)
        return tuple(found)

    def _at_corner(self, corner: Box) -> float:
        run = self._run(corner)
        return math.inf if run is None else self._values(run)[0][0]

    def _by_slopes(self, sides: Box, slopes: Sequence[Sequence[Span]]) -> float:
        """The bound by the values in the middle of a box and the slopes in it, of the goal and of the Lagrangian."""
        here = self._run(tuple((x, x) for x in _middle(sides))) if slopes else None
        if here is None or here.flawed:
            return -math.inf
        values, found = self._values(here), -math.inf
        for prices in ([], self.prices):
            total, slope = values[0], list(slopes[0])
            for price, value, other in zip(prices, values[1:], slopes[1:], strict=False):
                if price:
                    total = sums(total, products((price, price), value))
                    slope = [sums(a, products((price, price), b)) for a, b in zip(slope, other, strict=True)]
            low = total[0]
            for (start, end), centre, side in zip(sides, _middle(sides), slope, strict=False):
                if start < end:
                    low = sums((low, low), products((start - centre, end - centre), side))[0]
            found = max(found, low)
        return found if found == found else -math.inf

    def _point(self, sides: Box) -> tuple[float, ...]:
        """A point in the middle of a box, whole where it counts."""
        return tuple(
            round(x / step) * step if step else x
            for x, step in zip(_middle(sides)[: self.program.free], self.program.steps, strict=False)
        )

    def _widest(self, sides: Box, slopes: Sequence[Sequence[Span]]) -> int | None:
        """The side to be cut: the one along which the goal and the limits may change most; None if none can be."""
        open_ones = [i for i, side in enumerate(sides) if _breadth(side) > self._finest(i, side)]
        if not open_ones:
            return None
        weights = dict.fromkeys(open_ones, 0.0)
        for slope in slopes:
            moves = {i: max(map(abs, slope[i])) * (sides[i][1] - sides[i][0]) for i in open_ones}
            whole = sum(moves.values())
            if 0 < whole < math.inf:
                weights = {i: max(weights[i], moves[i] / whole) for i in open_ones}
        return max(open_ones, key=lambda i: (weights[i] if slopes else 0.0, _breadth(sides[i])))

    def _finest(self, i: int, side: Span) -> float:
        return 0.0 if self.program.steps[i] else FINEST_BREADTH * 10

    def _halves(self, part: _Part) -> tuple[Box, Box]:
        i = part.widest
        assert i is not None
        low, high = part.sides[i]
        step = self.program.steps[i]
        cut = middle((max(low, -MOST), min(high, MOST)), max(LEAST, 1e-6 * high) if 0 <= low < high < MOST else LEAST)
        first, second = cut, cut
        if step:
            first = min(max(math.floor(cut / step), round(low / step)), round(high / step) - 1) * step
            second = first + step
        sides = part.sides
        return (*sides[:i], (low, first), *sides[i + 1 :]), (*sides[:i], (second, high), *sides[i + 1 :])

    # Points

    def _try(self, point: tuple[float, ...]) -> float:
        if point in self.tried or not all(map(math.isfinite, point)):
            return math.inf
        if len(self.tried) < 5000:
            self.tried.add(point)
        found = self.program.at(point)
        if found < math.inf:
            self.met.append(found)
        if found < self.value:
            self.value, self.at = found, point
            self._price()
        return found

    def _price(self) -> None:
        """The multipliers at the best point."""
        run = self._run(tuple((x, x) for x in self._full(self.at))) if self._full(self.at) else None
        if run is None or run.flawed or self.dag is None:
            self.prices = []
            return
        slopes = [[(low + high) / 2 for low, high in self.dag.gradient(i, run)] for i in range(len(self.dag.roots))]
        count = len(self.program.names)
        inner = [
            i
            for i, (low, high) in enumerate(self.program.box)
            if low < high and not self.program.steps[i] and low < self._full(self.at)[i] < high
        ]
        values = self._values(run)
        scales = [max(map(abs, self.program.box[i])) for i in range(count)]
        near = [
            j
            for j in range(1, len(values))
            if j > len(self.program.limits)
            or values[j][1] >= -1e-3 * sum(abs(slopes[j][i]) * min(scales[i], MOST) for i in inner)
        ]
        found = multipliers(
            [slopes[0][i] for i in inner],
            [[slopes[j][i] for i in inner] for j in near],
            [j <= len(self.program.limits) for j in near],
        )
        priced = dict(zip(near, found, strict=True))
        self.prices = [priced.get(j, 0.0) for j in range(1, len(values))]

    def _seen(self, point: Sequence[float]) -> Seen | None:
        """The goal and the limits at a point, with their slopes."""
        run = self._run(tuple((x, x) for x in point))
        if run is None or run.flawed or self.dag is None:
            return None
        count = 1 + len(self.program.limits)
        slopes = [[(low + high) / 2 for low, high in self.dag.gradient(i, run)] for i in range(count)]
        return [(low + high) / 2 for low, high in self._values(run)[:count]], slopes

    def _full(self, point: Sequence[float]) -> tuple[float, ...]:
        """A point of the free quantities with the others that follow."""
        if self.program.solved is None:
            return tuple(point)
        numbers = self.program.numbers(point)
        return () if numbers is None else tuple(numbers[name] for name in self.program.names)

    def _polish(self) -> None:
        """Improve the best point: by a local search, and along the axes with steps that get shorter."""
        if not self.at:
            return
        moving = [
            i
            for i, (low, high) in enumerate(self.program.box)
            if not self.program.steps[i] and 0 < high - low < math.inf
        ]
        if len(moving) > 1 and not self.program.zeros:
            for point in descended(self._seen, self.at, self.program.box, moving):
                self._try(point)
        box = self.program.box[: self.program.free]
        share, count = 0.05, 0
        while share > _SHORTEST and count < _TRIED:
            before = self.value
            for i, (low, high) in enumerate(box):
                step = self.program.steps[i]
                if low == high or (step and share * (high - low) < step):
                    continue
                for sign in (1, -1):
                    count += 1
                    moved = min(max(self.at[i] + sign * share * (high - low), low), high)
                    moved = round(moved / step) * step if step else moved
                    self._try((*self.at[:i], moved, *self.at[i + 1 :]))
            share = share if self.value < before else share / 4

    # Words and measures

    def _told(self, slopes: Sequence[Sequence[Span]]) -> tuple[str, ...]:
        """How the goal moves with each free quantity over the whole box."""
        if not slopes:
            return ("",) * self.program.free
        found = []
        for i in range(self.program.free):
            (low, high), sign = slopes[0][i], self.program.sign
            rises, falls = (low >= 0, high <= 0) if sign > 0 else (high <= 0, low >= 0)
            found.append(
                "" if self.bound_names else _SIGNS[0 if rises and falls else 1 if rises else 2 if falls else 3]
            )
        return tuple(found)

    def _spread(self) -> float:
        return max(self.met) - min(self.met) if self.met else 0.0

    def _slack(self, count: int) -> float:
        """How near to the best value a bound has to come."""
        if not math.isfinite(self.value):
            return 0.0
        is_counted = all(step or low == high for step, (low, high) in zip(self.program.steps, self.program.box, strict=True))
        share = TIGHT if is_counted else SAME_ROOT if count < _FEW else EXTREME
        return share * max(abs(self.value), self._spread() / 100)


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
    return 2.0 + (high - low) / size if size > 1e-12 else 0.0
