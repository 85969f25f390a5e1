"""The search for the best choice: the least value of each program, with a bound that is proved, and where it lies.

`branch_and_bound` cuts the choices into boxes. What counts as attained are points: the better corner and the middle of
each box are tried, and whatever passes every limit and is better becomes the best value. Now and then a local search
improves it.

Where the search takes longer, the tangent of the Lagrangian is a further bound, if that is convex on a box: each of its
tangents lies below it. A bound by slopes is off by the square of the size of a box, so that around an optimum many
small boxes are left. A tangent at the best point itself is flat, and closes the box around it at once. Convexity is
shown as the checker of certificates shows it (`certificates.lower_bounds`), so that what closes a box here closes it
there.

Along a tie the Lagrangian need not be convex, but the square of a tie is zero too. Times a price it makes the
Lagrangian convex across the tie, where an optimum is one that small moves along the tie make worse (augmented
Lagrangian; Bertsekas 1982).

The distance of the value from the bound is relative to the value. Near zero no such share can be reached: a value that
is no larger than what the rounding of its own point changes in it counts as zero, and its distance is absolute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from derive.certificates.lower_bounds import Program as Checked
from derive.errors import LimitError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Number, has_operation
from derive.numerics.algebra.evaluation import as_doubles, residual, value
from derive.numerics.algebra.like_terms import derivative
from derive.numerics.intervals.arithmetic import Box, Span
from derive.numerics.root_finding.branch_and_bound import Part, Search
from derive.optimization.points import Points, neighbours, shortened, snapped
from derive.optimization.program import Program
from derive.optimization.reduction import reduced
from derive.tolerances import EXTREME, LAST_DIGIT, MET, SAME_ROOT, TIGHT

_MOST = 6  # variables
_TRIES = 50  # boxes of a size that are tried although none was convex so far
_SQUARES = (0.0, 1.0, 4.0, 16.0, 64.0, 256.0)  # prices of squares, relative to the second derivatives
_ENOUGH = 0.5  # share of the least curvature that the highest price reaches


class PricedPoint(NamedTuple):
    """A point, and the prices there: of the limits, of the zeros, and of the squares of zeros if they have any."""

    point: tuple[float, ...]
    prices: tuple[float, ...]


class Curvature:
    """The Lagrangians of a program at several prices, with their second derivatives."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.left = _TRIES
        self.broadest = 1.0  # box that is tried, as a share of the ranges
        self.is_small = program.solved is None and not program.is_sampled and len(program.names) <= _MOST

    @cached_property
    def checked(self) -> Checked:
        return Checked(self.program.bound(-math.inf))

    def floor(self, sides: Box, best: Sequence[float], prices: Sequence[float]) -> float:
        """A bound of the search in a box by a tangent of the Lagrangian; none unless that is proved convex."""
        if not self.is_small or not self._is_worth(sides):
            return -math.inf
        floor = self.checked.lagrangian(prices).least_by_tangent(sides, best)
        self.left = _TRIES if floor > -math.inf else self.left - 1
        return floor

    def _is_worth(self, sides: Box) -> bool:
        """Whether the search tries convexity on a box: after many failures, only on boxes of half the size."""
        ranges = zip(sides, self.program.box, strict=True)
        shares = [(high - low) / (most - least) for (low, high), (least, most) in ranges if most > least]
        breadth = max(shares, default=0.0)
        if self.left <= 0:
            self.broadest, self.left = breadth / 2, _TRIES
        return breadth <= self.broadest

    def with_squares(self, point: Sequence[float], prices: Sequence[float]) -> tuple[float, ...]:
        """The prices at a point of the search, and of squares of zeros that make the Lagrangian convex, if any do."""
        program = self.program
        if not self.is_small or not program.zeros or not prices:
            return tuple(prices)
        from numpy import array, zeros
        from numpy.linalg import eigvalsh, norm

        values = {**program.known, **dict(zip(program.names, point, strict=True))}
        seconds = self.checked.lagrangian(prices).seconds
        firsts = [[derivative(zero, name) for name in program.names] for zero in program.zeros]
        if None in chain(*seconds, *firsts):
            return tuple(prices)
        widths = array([high - low for low, high in program.box])
        triangle = [[value(form, values) for form in row if form is not None] for row in seconds]
        places = range(len(triangle))
        hessian = array([[triangle[max(i, k)][min(i, k)] for k in places] for i in places]) * widths[:, None] * widths
        slopes = [array([value(form, values) for form in row if form is not None]) * widths for row in firsts]
        moving = [i for i, width in enumerate(widths) if width]
        size = float(norm(hessian)) or 1.0
        # at price 1 times its share, the square of a zero has second derivatives as large as those of the Lagrangian
        shares = [size / (2 * float(slope @ slope)) if slope.any() else 0.0 for slope in slopes]
        across = zeros(hessian.shape)
        for share, slope in zip(shares, slopes, strict=True):
            across += 2 * share * slope[:, None] * slope
        least = [float(eigvalsh((hessian + price * across)[moving][:, moving])[0]) for price in _SQUARES]
        if not least[-1] > 0:  # not convex even at the highest price
            return tuple(prices)
        enough = next(i for i, low in enumerate(least) if low >= _ENOUGH * least[-1])
        return (*prices, *(_SQUARES[enough] * share for share in shares))


_FEW, BOXES = 600, 20_000  # boxes to within the finer tolerance, and at most
_POLISHED = frozenset({4, 32, 256, 2048})  # boxes after which the best point is improved by a local search
_CURVED = 40  # boxes from which on second derivatives are used
_NEAR = 8  # neighbours of a point that are tried
_LOOKED_FOR = 64  # boxes after which another minimum is looked for
_MINIMA = 12  # that are remembered
_NEARBY = 1e-4  # distance of two minima that are one, as a share of the ranges
_REMEMBERED = 5000  # points that are not tried twice
# how the target moves with a free quantity, by whether it surely never falls and surely never rises
_WAYS = {(True, True): "does not move", (True, False): "rises", (False, True): "falls", (False, False): "turns"}


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The best point found, a bound that no point is below, and how they were found."""

    value: float = math.inf
    at: tuple[float, ...] = ()
    floor: float = math.inf
    blur: float = 0.0  # by how much the goal changes as the best point is rounded
    boxes: int = 0
    ways: tuple[str, ...] = ()  # how the target moves with each free quantity over the whole box

    @property
    def is_found(self) -> bool:
        return self.value < math.inf

    @property
    def gap(self) -> float:
        """The distance of the search's best value from its bound, as a share of the value; infinite without one.

        It is absolute if the value is zero.

        >>> SearchResult(10.0, (), 9.0).gap, SearchResult(0.0, (), -3.0).gap, SearchResult(2.0, (), 5.0).gap
        (0.1, 3.0, 0.0)
        """
        return 0.0 if self.floor >= self.value else (self.value - self.floor) / self.size

    @property
    def is_zero(self) -> bool:
        """Whether the search counts its best value as zero: it is no larger than what its point's rounding changes."""
        return abs(self.value) <= self.blur

    @property
    def size(self) -> float:
        """What the search divides the distance of value and bound by: the best value, or one if that is zero."""
        return 1.0 if self.is_zero else abs(self.value)

    @property
    def is_proved(self) -> bool:
        return self.value - self.floor <= tolerated(self.value, self.blur, EXTREME)


def tolerated(value: float, blur: float, share: float) -> float:
    """How far the bound that a search ends with may lie below a value that it proves.

    That is a share of the value, or its blur if the value is zero.

    >>> tolerated(8.0, 1e-12, 1e-6), tolerated(1e-13, 1e-12, 1e-6)
    (8e-06, 1e-12)
    """
    return blur if abs(value) <= blur else share * abs(value)


def least_of(programs: Sequence[Program], boxes: int = BOXES) -> SearchResult:
    """Search several programs by branch and bound, each from the best value so far: the least value of all."""
    best = SearchResult()
    for program in programs:
        reduction = reduced(program)
        case_best = _PointSearch(reduction.program, best.value, boxes).best()
        point = reduction.full(case_best.at) if case_best.is_found else ()
        case_best = _snapped(program, replace(case_best, at=point, ways=reduction.ways(case_best.ways)))
        better = case_best if case_best.value < best.value else best
        # a quantity that is open at some point of the box may make the target better there
        case_floor = -math.inf if program.undetermined else case_best.floor
        floor, count = min(best.floor, case_floor), best.boxes + case_best.boxes
        best = replace(better, floor=floor, boxes=count, ways=better.ways or case_best.ways)
    return best


def _snapped(program: Program, best: SearchResult) -> SearchResult:
    """The best point at the ends of ranges and the short decimals next to it, where it is as good but for rounding.

    Beside a jump or on a limit another method of evaluation may decide otherwise of what is nearly one.
    """
    if not best.is_found:
        return best
    goals: dict[tuple[float, ...], float] = {}

    def is_as_good(point: tuple[float, ...]) -> bool:
        """Whether a point has the search's best value, but for what rounding changes."""
        goals[point] = program.exactly(point, goal) if (goal := program.at(point)) < math.inf else goal
        if goals[point] <= best.value + best.blur + LAST_DIGIT * abs(best.value):
            return True
        if goals[point] == math.inf or not has_operation(program.plain, among=STEPPED):
            return False
        # a long double within `MET` of a whole number is rounded as that number, and gains by what it lacks of it
        same_goal = Equation(program.plain, "=", Number(Fraction(program.sign * best.value)))
        return abs(residual(same_goal, program.numbers(point) or {})) <= MET

    with suppress(LimitError):
        point = snapped(program, best.at, is_as_good)
        if point != best.at:
            return replace(best, at=point, value=goals[point], floor=min(best.floor, goals[point]))
    return best


class _PointSearch(Search):
    """Branch and bound over one program, which starts from the best value that other programs have."""

    seeks_points = True

    def __init__(self, program: Program, value: float, most: int) -> None:
        """Start the search of one program for the best choice, from a value reached elsewhere, in so many boxes."""
        self.points = Points(program)
        super().__init__(self.points.boxes, most, value)
        self.program = program
        self.is_thin = self.points.is_thin
        self.at: tuple[float, ...] | None = None
        self.blur = 0.0
        self.tried: set[tuple[float, ...]] = set()
        self.prices: tuple[float, ...] = ()  # a multiplier for each limit and zero
        self.curvature: Curvature | None = None  # where slopes alone lead to many boxes
        self.minima: list[PricedPoint] = []  # the best point and others that are as good

    def best(self) -> SearchResult:
        """Search a program by branch and bound for its best point and a bound."""
        ways: tuple[str, ...] = ()
        if not self.program.free and not self.program.is_known_at(()):
            self._take([()])  # there is but one point, of which boxes tell no more than the solver
            return SearchResult(self.value if self.at is not None else math.inf, self.at or (), -math.inf, boxes=1)
        with suppress(LimitError):
            ways = self._ways()
            for point in self.points.spread() if self.program.ties else ():
                self._take(self.points.improved(point))
            self.run()
            self._take(self._corners())
            self._take(self._beside_open_ends())
        count = max(self.count, 1)
        if self.at is None:
            return SearchResult(floor=self.floor, boxes=count, ways=ways)
        with suppress(LimitError):
            self._take(shortened(self.program, self.at))
        return SearchResult(self.value, self.at, min(self.floor, self.value), self.blur, count, ways)

    def _corners(self) -> Iterator[tuple[float, ...]]:
        """Corners at which the search may end: where no point was found, those alone that come up to its bound.

        Limits may leave a corner alone, or the goal jump there. Another may be far from what is only approached.
        """
        if self.floor == math.inf:  # no point is admissible
            return iter(())
        is_found, most = self.at is not None, self.floor + tolerated(self.floor, self.blur, EXTREME)
        return (corner for corner in self.points.corners() if is_found or self.program.at(corner) <= most)

    def _beside_open_ends(self) -> Iterator[tuple[float, ...]]:
        """Where the search found no point: those beside the open end of a domain that come up to its bound."""
        if self.at is not None or not math.isfinite(self.floor):
            return
        most = self.floor + tolerated(self.floor, self.blur, EXTREME)
        ends = [point for point in self.tried if self.program.is_at_open_end(point)]
        for end in islice(ends, _NEAR):
            yield from (point for point in neighbours(self.program, end) if self.program.at(point) <= most)

    def _ways(self) -> tuple[str, ...]:
        """Which way the target moves with each free quantity over the box of the search; empty where unknown."""
        narrowed = self.boxes.narrowed(self.boxes.whole, self.value)
        part = None if narrowed is None else self.boxes.part(narrowed)
        if part is None:
            return ()
        slopes = part.slopes[0]
        if slopes is None or self.program.zeros:
            return ("",) * self.program.free
        ways = []
        for low, high in slopes.slopes[: self.program.free]:
            signs = (low >= 0, high <= 0) if self.program.sign > 0 else (high <= 0, low >= 0)
            ways.append(_WAYS[signs])
        return tuple(ways)

    def bound(self, part: Part) -> float:
        """A bound of the best choice in a part of the search: by slopes, a convex Lagrangian, or at its one point."""
        floor = self.boxes.floor(part, self.prices)
        if self.curvature is not None and self.minima and None not in part.slopes:
            nearest = min(self.minima, key=lambda minimum: self._distance(minimum.point, part.box))
            floor = max(floor, self.curvature.floor(part.box, *nearest))
        free = part.box[: self.program.free]
        if all(low == high for low, high in free):
            point = [low for low, _ in free]
            goal = self.program.at(point)
            # an open end is no best point, and the points beside it come as near as any
            is_best = goal < math.inf or not self.program.is_at_open_end(point)
            if is_best and self.program.is_known_at(point):
                floor = max(floor, goal)
        return floor

    def attain(self, part: Part) -> None:
        """Try the better corner and the middle of a part as the best point of the search."""
        self._take((self._point(self.boxes.corner(part)), self._point(part.box)))

    def after(self, half: Box) -> None:
        """Improve the best choice by local searches now and then, and add tangents if the search takes longer.

        Second derivatives are used from a certain box on; then other minima are looked for too.
        """
        if self.count in _POLISHED and (self.at is not None or self.program.ties):
            self._take(self.points.improved(self.at or self.points.middle(half)))
        if self.count == _CURVED:
            self.curvature = Curvature(self.program)
            self._remember(self.at)
        if self.count > _CURVED and self.count % _LOOKED_FOR == 0:
            self._remember(self._minimum_in(half))

    def _point(self, sides: Box) -> tuple[float, ...] | None:
        """The point that the search tries in a box of choices, which may fulfil the limits.

        Where hardly a point does, it is if need be a neighbour that does.
        """
        if self.program.ties:
            return self.points.tied(self.points.middle(sides))
        if not self.is_thin:
            return self.points.middle(sides)
        point = self.points.completed(sides)
        if point is None or point in self.tried or self.program.at(point) < math.inf:
            return point
        near = islice(neighbours(self.program, point), _NEAR)
        return next((neighbour for neighbour in near if self.program.at(neighbour) < math.inf), point)

    def _take(self, points: Iterable[tuple[float, ...] | None]) -> None:
        """Try points in the search; one that fulfils the limits and is better is the best so far."""
        for point in points:
            if point is None or point in self.tried or not all(map(math.isfinite, point)):
                continue
            if len(self.tried) < _REMEMBERED:
                self.tried.add(point)
            if not self._take_if_better(point) and self._is_beside_jump(point):
                for neighbour in islice(neighbours(self.program, point), _NEAR):
                    if self._take_if_better(neighbour):
                        break

    def _is_beside_jump(self, point: tuple[float, ...]) -> bool:
        """Whether a point of the search is the best in doubles only, since its decimals lie beyond a jump."""
        if not self._jumps:
            return False
        with as_doubles():
            return self.program.at(point) < self.value

    @cached_property
    def _jumps(self) -> bool:
        """Whether the goal of the search jumps where something is rounded up or down."""
        return has_operation(self.program.plain, among=STEPPED)

    def _take_if_better(self, point: tuple[float, ...]) -> bool:
        """Take a point of the search as the best so far if it is better; false if it is not."""
        goal = self.program.at(point)
        if goal < self.value:
            goal = self.program.exactly(point, goal)
        if goal >= self.value:
            return False
        self.value, self.at, self.blur = goal, point, self.points.blur(self.points.full(point))
        self.prices = self.points.prices(point)
        self._remember(point)
        return True

    def _remember(self, point: tuple[float, ...] | None) -> None:
        """Remember a point in the search as a minimum, around which tangents may be flat.

        Minima that are less good than the best are dropped.
        """
        if point is None or self.curvature is None or not self.points.full(point):
            return
        full_point = self.points.full(point)
        near = self.value + EXTREME * (abs(self.value) or 1.0)
        others = [other for other in self.minima if self.program.at(other.point) <= near and other.point != full_point]
        prices = self.curvature.with_squares(full_point, self.points.prices(point))
        self.minima = [PricedPoint(full_point, prices), *others][:_MINIMA]

    def _minimum_in(self, sides: Box) -> tuple[float, ...] | None:
        """Another minimum as good as the best of the search, which a local search finds from the middle of a box."""
        if self.at is None or len(self.minima) >= _MINIMA:
            return None
        candidate = min(self.points.improved(self.points.middle(sides)), key=self.program.at, default=None)
        if candidate is None or self.program.at(candidate) > self.value + EXTREME * (abs(self.value) or 1.0):
            return None
        self._take([candidate])
        there = [(x, x) for x in candidate]
        is_known = any(self._distance(minimum.point, there) < _NEARBY for minimum in self.minima)
        return None if is_known else candidate

    def _distance(self, point: Sequence[float], sides: Sequence[Span]) -> float:
        """How far a point that the search has tried is from the middle of a box, as a share of the ranges."""
        axes = zip(point, sides, self.program.box, strict=False)
        shares = [abs(x - (low / 2 + high / 2)) / (end - start) for x, (low, high), (start, end) in axes if end > start]
        return max(shares, default=0.0)

    def slack(self) -> float:
        """How near to its best value the search has to bring the bound: nearer where everything free is counted."""
        if not math.isfinite(self.value):
            return 0.0
        sides = zip(self.program.steps, self.program.box, strict=True)
        is_counted = all(step or low == high for step, (low, high) in sides)
        if is_counted:
            return tolerated(self.value, self.blur, TIGHT)
        share = SAME_ROOT if self.count < _FEW else EXTREME
        return tolerated(self.value, self.blur, share)
