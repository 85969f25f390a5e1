"""Branch and bound: the least value of a program, with a lower bound that is proved.

Every box of the variables is treated alike, always the one with the least lower bound first:

1. Narrowing. The program is a system of equations: the goal is a number below the best one known, each limit leaves a
   slack that is not negative, and each zero is zero. HC4 contractors cut the box to where they can hold; the sides of
   counts are rounded inwards to whole numbers.
2. Monotone sides. Where the goal and every limit that may bind agree about the better end of a side, only that end is
   kept.
3. Bounds. The goal's enclosure; its enclosure with every monotone side at the better end; the mean value form; and the
   mean value form of the Lagrangian (`multipliers`), which knows that the goal cannot be improved without breaking a
   limit; where the search takes longer, also the tangent of the Lagrangian, if that is convex (`curvature`).
4. Candidates. The better corner and the middle of the box are tried as points; whatever passes every limit and is
   better becomes the best value. Now and then a search along the axes improves it.

What is left over is cut in two. Enclosures are rounded outwards, so no point that fulfils the limits is lost: when no
box is left whose bound is below the best value, that value is the least. Boxes too small to be cut keep their bound.

The distance of the value from the bound is relative to the value. Near zero no such share can be reached: a value that
is no larger than what the rounding of its own point changes in it counts as zero, and its distance is absolute.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice

from derive.errors import LimitError
from derive.numerics.intervals.arithmetic import Span
from derive.numerics.root_finding.expression_graph import Box
from derive.optimization.boxes import Boxes
from derive.optimization.curvature import Curvature
from derive.optimization.points import Points, neighbours
from derive.optimization.program import Program
from derive.optimization.reduction import reduced
from derive.time_limits import tick
from derive.tolerances import EXTREME, SAME_ROOT, TIGHT

__all__ = ["BOXES", "Best", "gap_between", "least_of", "tolerated"]

_FEW, BOXES = 600, 20_000  # boxes to within the finer tolerance, and at most
_ROUNDS = 6  # in which monotone sides are reduced, and others cut
_WORTH = 0.8  # share of its length to which a side is cut, for another round
_POLISHED = frozenset({4, 32, 256, 2048})  # boxes after which the best point is improved by a local search
_CURVED = 40  # boxes from which on second derivatives are used
_NEAR = 8  # neighbours of a point that are tried
_LOOKED_FOR = 64  # boxes after which another minimum is looked for
_MINIMA = 12  # that are remembered
_NEARBY = 1e-4  # distance of two minima that are one, as a share of the ranges
_REMEMBERED = 5000  # points that are not tried twice


@dataclass(frozen=True, slots=True)
class Best:
    """The best point found, a bound that no point is below, and how they were found."""

    value: float = math.inf
    at: tuple[float, ...] = ()
    floor: float = math.inf
    blur: float = 0.0  # by how much the goal changes as the best point is rounded
    boxes: int = 0
    ways: tuple[str, ...] = ()  # how the goal moves with each free quantity over the whole box

    @property
    def is_found(self) -> bool:
        return self.value < math.inf

    @property
    def gap(self) -> float:
        """The distance of the value from its bound: as a share of the value, or absolute if that is zero."""
        return gap_between(self.value, self.floor, self.size)

    @property
    def is_zero(self) -> bool:
        """Whether the value is zero, as far as the rounding of the point lets it be told."""
        return abs(self.value) <= self.blur

    @property
    def size(self) -> float:
        """What a distance from the value is divided by: the value, or one if that is zero."""
        return 1.0 if self.is_zero else abs(self.value)

    @property
    def is_proved(self) -> bool:
        return self.value - self.floor <= tolerated(self.value, self.blur, EXTREME)


def gap_between(value: float, floor: float, size: float) -> float:
    """The distance of a value from its bound, in units of a size; infinite if there is no bound.

    >>> gap_between(10.0, 9.0, 10.0), gap_between(0.0, -3.0, 1.0), gap_between(2.0, 5.0, 2.0)
    (0.1, 3.0, 0.0)
    """
    return 0.0 if floor >= value else (value - floor) / size


def tolerated(value: float, blur: float, share: float) -> float:
    """How far a bound may lie below a value that it proves: a share of the value, or its blur if the value is zero.

    >>> tolerated(8.0, 1e-12, 1e-6), tolerated(1e-13, 1e-12, 1e-6)
    (8e-06, 1e-12)
    """
    return blur if abs(value) <= blur else share * abs(value)


def least_of(programs: Sequence[Program], boxes: int = BOXES) -> Best:
    """The least value over several cases: the best of each counts for the others."""
    best = Best()
    for program in programs:
        small = reduced(program)
        found = _Search(small.program, best.value, boxes).run()
        at = small.full(found.at) if found.is_found else ()
        found = replace(found, at=at, ways=small.ways(found.ways))
        ways = found.ways if found.value < best.value or not best.ways else best.ways
        better = found if found.value < best.value else best
        floor, count = min(best.floor, found.floor), best.boxes + found.boxes
        best = Best(better.value, better.at, floor, better.blur, count, ways)
    return best


@dataclass(frozen=True, slots=True)
class _Part:
    """A box, the goal's lower bound in it, the two points to be tried, and the side along which it is cut."""

    sides: Box
    floor: float
    widest: int | None
    points: tuple[tuple[float, ...] | None, ...] = ()


@dataclass
class _Search:
    """One program, searched from the best value that is known."""

    program: Program
    value: float
    most: int
    at: tuple[float, ...] | None = None
    blur: float = 0.0
    tried: set[tuple[float, ...]] = field(default_factory=set)
    prices: tuple[float, ...] = ()  # a multiplier for each limit and zero
    ways: tuple[str, ...] = ()
    curvature: Curvature | None = None  # where slopes alone lead to many boxes
    minima: list[tuple[tuple[float, ...], tuple[float, ...]]] = field(default_factory=list)
    """The best point and others that are as good, each with its prices."""

    def run(self) -> Best:
        self.boxes = Boxes(self.program)
        self.points = Points(self.program, self.boxes)
        self.is_thin = self.boxes.is_thin
        queue: list[tuple[float, int, _Part]] = []
        left, count, pending = math.inf, 0, -math.inf
        try:
            self._push(queue, self.program.box, 0)
            for point in self.points.spread() if self.program.ties else ():
                self._take(self.points.improved(point))
            pending = math.inf
            while queue and count < self.most:
                tick()
                if queue[0][0] >= self.value - self._slack(count):
                    break
                _, _, part = heapq.heappop(queue)
                if part.widest is None:
                    left = min(left, part.floor)
                    continue
                pending = part.floor
                for half in self.boxes.halves(part.sides, part.widest):
                    count += 1
                    self._push(queue, half, count)
                    if count in _POLISHED and (self.at is not None or self.program.ties):
                        self._take(self.points.improved(self.at or self.boxes.point(half)))
                    if count == _CURVED:
                        self.curvature = Curvature(self.program)
                        self._remember(self.at)
                    if count > _CURVED and count % _LOOKED_FOR == 0:
                        self._remember(self._minimum_in(half))
                pending = math.inf
        except LimitError:
            left = min(left, pending)
        floor = min([left, *(one[0] for one in queue)])
        count = max(count, 1)
        if self.at is not None:
            with suppress(LimitError):
                self._take(self.points.shortened(self.at))
        if self.at is None:
            return Best(floor=floor, boxes=count, ways=self.ways)
        return Best(self.value, self.at, min(floor, self.value), self.blur, count, self.ways)

    def _push(self, queue: list[tuple[float, int, _Part]], sides: Sequence[Span], count: int) -> None:
        part = self._examined(tuple(sides), count == 0)
        if part is None:
            return
        self._take(part.points)
        if part.floor < self.value:
            heapq.heappush(queue, (part.floor, -count, part))  # of equal ones the latest: depth first

    def _examined(self, sides: Box, is_first: bool) -> _Part | None:
        """A box after it is narrowed, with its bound; None if it holds nothing better."""
        boxes = self.boxes
        for left in reversed(range(_ROUNDS)):
            narrowed = boxes.narrowed(sides, self.value)
            run = None if narrowed is None else boxes.run(narrowed)
            if narrowed is None or run is None:
                return None
            sides, values, slopes = narrowed, boxes.values(run), boxes.slopes(run)
            if not boxes.may_hold(sides, values):
                return None
            if is_first:
                self.ways = boxes.ways(slopes)
                is_first = False
            better, middle = boxes.better(sides, values, slopes), boxes.middle(sides, slopes)
            cut = None if better else boxes.cut(sides, slopes, middle, self.value)
            if not better and cut is None:
                return None
            if left == 0 or (not better and not _pays(sides, cut or sides)):
                break  # values and slopes are those of this very box
            sides = cut or tuple(better.get(i, side) for i, side in enumerate(sides))
        corner = boxes.corner(sides, slopes)
        floor = max(values[0][0], boxes.floor(corner, sides, slopes, middle, self.prices))
        if self.curvature is not None and self.minima and slopes:
            floor = max(floor, self.curvature.floor(sides, *self._nearest_minimum(sides)))
        if all(low == high for low, high in sides[: self.program.free]):
            floor = max(floor, self.program.at([low for low, _ in sides[: self.program.free]]))  # a single point
        return _Part(sides, floor, boxes.widest(sides, values, slopes), (self._point(corner), self._point(sides)))

    def _point(self, sides: Box) -> tuple[float, ...] | None:
        """A point of a box that is worth to be tried; where hardly one does, a neighbour that does."""
        if self.program.ties:
            return self.points.tied(self.boxes.point(sides))
        if not self.is_thin:
            return self.boxes.point(sides)
        point = self.boxes.completed(sides)
        if point is None or point in self.tried or self.program.at(point) < math.inf:
            return point
        near = (one for one in islice(neighbours(self.program, point), _NEAR) if self.program.at(one) < math.inf)
        return next(near, point)

    def _take(self, points: Iterable[tuple[float, ...] | None]) -> None:
        """Try points; one that fulfils the limits and is better is the best so far."""
        for point in points:
            if point is None or point in self.tried or not all(map(math.isfinite, point)):
                continue
            if len(self.tried) < _REMEMBERED:
                self.tried.add(point)
            found = self.program.at(point)
            if found < self.value:
                self.value, self.at, self.blur = found, point, self.boxes.blur(self.points.full(point))
                self.prices = self.points.prices(point)
                self._remember(point)

    def _remember(self, point: tuple[float, ...] | None) -> None:
        """Keep a point as a minimum, at which tangents may be flat; those that are no longer as good as the best go."""
        if point is None or self.curvature is None or not self.points.full(point):
            return
        at = self.points.full(point)
        near = self.value + EXTREME * (abs(self.value) or 1.0)
        kept = [other for other in self.minima if self.program.at(other[0]) <= near and other[0] != at]
        self.minima = [(at, self.curvature.with_squares(at, self.points.prices(point))), *kept][:_MINIMA]

    def _minimum_in(self, sides: Box) -> tuple[float, ...] | None:
        """A point as good as the best that a local search finds from the middle of a box, if it is another."""
        if self.at is None or len(self.minima) >= _MINIMA:
            return None
        found = min(self.points.improved(self.boxes.point(sides)), key=self.program.at, default=None)
        if found is None or self.program.at(found) > self.value + EXTREME * (abs(self.value) or 1.0):
            return None
        self._take([found])
        is_known = any(self._distance(at, [(x, x) for x in found]) < _NEARBY for at, _ in self.minima)
        return None if is_known else found

    def _nearest_minimum(self, sides: Sequence[Span]) -> tuple[tuple[float, ...], tuple[float, ...]]:
        return min(self.minima, key=lambda one: self._distance(one[0], sides))

    def _distance(self, point: Sequence[float], sides: Sequence[Span]) -> float:
        """How far a point is from the middle of a box, as a share of the ranges."""
        whole = zip(point, sides, self.program.box, strict=False)
        return max(
            (abs(x - (low / 2 + high / 2)) / (most - least) for x, (low, high), (least, most) in whole if most > least),
            default=0.0,
        )

    def _slack(self, count: int) -> float:
        """How near to the best value a bound has to come: less where everything free is counted."""
        if not math.isfinite(self.value):
            return 0.0
        sides = zip(self.program.steps, self.program.box, strict=True)
        is_counted = all(step or low == high for step, (low, high) in sides)
        share = TIGHT if is_counted else SAME_ROOT if count < _FEW else EXTREME
        return tolerated(self.value, self.blur, share)


def _pays(before: Box, after: Box) -> bool:
    """Whether a side has been cut by enough to go on."""
    return any(
        end - start < _WORTH * (high - low)
        for (low, high), (start, end) in zip(before, after, strict=True)
        if math.isfinite(high - low)
    )
