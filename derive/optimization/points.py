"""Points of a program: the prices of its limits at one, and better points near it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, product
from typing import Any

from derive.numerics.intervals.arithmetic import Box, Span
from derive.numerics.root_finding.branch_and_bound import Boxes, breadth, centre, multipliers
from derive.optimization.program import Program, whole_if_counted
from derive.tolerances import (
    AGREEMENT,
    AROUND_ZERO,
    EPSILON,
    EXPRESSION,
    FINEST_BOX,
    HANDFUL,
    LAST_DIGIT,
    MET,
    MOST,
    RANK,
    SAME_ROOT,
    TIGHT,
)

_FIRST = 0.05  # step along the axes, relative to the sides
_SHORTEST = 1e-11  # the last one
_TRIED = 400  # points of one such search
_NUDGES = tuple(share * sign for share, sign in product((LAST_DIGIT, HANDFUL, EXPRESSION, TIGHT), (1, -1)))
_DIGITS = (12, 9, 6)
_STARTS = 6  # local searches before the ranges are cut
_CORNERS = 16  # that are tried
_NEWTON = 25  # steps to a point at which ties hold
_APART = 2 * FINEST_BOX  # of numbers that no cut of a side tells apart
_MARGINS = (0.0, MET, AGREEMENT)  # inside the limits of a local search, relative to how far they move across the box
_ITERATIONS = 60  # of one local search
_NEAR = 1e-3  # of what a limit may move by across the box: within this it counts as near


class Points:
    """The points of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.boxes = Boxes(program.system)

    @property
    def is_thin(self) -> bool:
        """Whether hardly any points of a program are admissible: implicit counts are whole, or two sides equal."""
        ops = {(limit.name, limit.written.op) for limit in self.program.limits if limit.relation is not None}
        is_equality = any((name, ">=") in ops for name, op in ops if op == "<=")
        return is_equality or any(self.program.steps[self.program.free :])

    def middle(self, sides: Box) -> tuple[float, ...]:
        """The point of a program in the middle of a box, whole where it counts."""
        free = zip(sides[: self.program.free], self.program.steps, strict=False)
        return tuple(whole_if_counted(centre(side), step) for side, step in free)

    def completed(self, sides: Box) -> tuple[float, ...] | None:
        """A point of a program in a box at which every count is whole; None if none was found.

        Counts are set first and then the others, each to the middle of its side, and the limits then narrow the rest.
        """
        order = sorted(range(len(sides)), key=lambda i: not self.program.steps[i])
        remaining = sides
        for i in order:
            x = whole_if_counted(centre(remaining[i]), self.program.steps[i])
            if remaining[i] != (x, x):
                narrowed = self.boxes.narrowed((*remaining[:i], (x, x), *remaining[i + 1 :]), math.inf)
                if narrowed is None and breadth(remaining[i]) > SAME_ROOT:
                    return None
                remaining = narrowed or (*remaining[:i], (x, x), *remaining[i + 1 :])  # a middle is off by a rounding
        return self.middle(remaining)

    def blur(self, point: Sequence[float], place: int = 0) -> float:
        """How much the goal changes between points so near to a given one that no cut parts them; zero if unknown.

        With a `place`, it is how much the limit of that number changes; limits are counted from one.
        """
        near = []
        for x, (low, high) in zip(point, self.program.box, strict=False):
            by = _APART * abs(x) or AROUND_ZERO
            near.append((max(x - by, low), min(x + by, high)))
        run = self.boxes.run(near) if len(near) == len(self.program.names) else None
        if run is None or run.flaws:  # next to a jump the change is the jump's, and not that of a rounding
            return 0.0
        low, high = self.boxes.values(run)[place]
        return high - low if math.isfinite(high - low) else 0.0

    def prices(self, point: Sequence[float]) -> tuple[float, ...]:
        """The prices of limits and zeros at a point, as Lagrange multipliers; zero for a limit that is not near."""
        full_point = self.full(point)
        evaluated = self.boxes.at(full_point) if full_point else None
        if evaluated is None:
            return ()
        values, slopes = evaluated
        movable = self._movable(full_point)
        reach = [min(max(map(abs, side)), MOST) for side in self.program.box]
        count = len(self.program.limits)
        sizes = [sum(abs(slope[i]) * reach[i] for i in movable) for slope in slopes]
        near = [j for j in range(1, len(values)) if j > count or values[j] >= -_NEAR * sizes[j]]
        near_prices = multipliers(
            [slopes[0][i] for i in movable], [[slopes[j][i] for i in movable] for j in near], [j <= count for j in near]
        )
        priced = dict(zip(near, near_prices, strict=True))
        return tuple(priced.get(j, 0.0) for j in range(1, len(values)))

    def _movable(self, point: Sequence[float]) -> list[int]:
        """The coordinates of a program's point that can move both ways."""
        sides = zip(self.program.box, self.program.steps, point, strict=True)
        return [i for i, ((low, high), step, x) in enumerate(sides) if not step and low < x < high]

    def full(self, point: Sequence[float]) -> tuple[float, ...]:
        """The numbers of all variables of a program at a point of the free ones; empty if some have no number."""
        if self.program.solved is None:
            return tuple(point)
        numbers = self.program.numbers(point)
        return () if numbers is None else tuple(numbers[name] for name in self.program.names)

    def improved(self, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
        """Points near a given one of a program that may be better: by a local search, and by steps along the axes."""
        sides = zip(self.program.box, self.program.steps, strict=True)
        moving = [i for i, ((low, high), step) in enumerate(sides) if not step and 0 < high - low < math.inf]
        best = point
        if len(moving) > 1 and self.program.solved is None:
            for descended in self._descended(point, moving):
                tied = self.tied(descended)
                if tied is not None:
                    yield tied
                    best = min(best, tied, key=self.program.at)
        if self.program.ties:
            yield from shortened(self.program, best)
            return
        for better in along_axes(self.program, best, self.program.at, _TRIED):
            best = better
            yield better
        yield from shortened(self.program, best)

    def _descended(self, start: tuple[float, ...], moving: Sequence[int]) -> Iterator[tuple[float, ...]]:
        """Points reached from a given one by sequential least squares programming; only sides in `moving` change.

        scipy ends with limits broken by rounding, so the same search is made with a margin inside them too; a point
        counts only if it passes every limit.
        """
        from warnings import catch_warnings, simplefilter

        from numpy import array
        from scipy.optimize import minimize

        box, first = self.program.box, self.boxes.at(start)
        if first is None:
            return
        lows = array([box[i][0] for i in moving])
        widths = array([box[i][1] - box[i][0] for i in moving])
        breadths = widths.tolist()  # floats of Python, whose products overflow without a warning
        sizes = [sum(abs(slope[i]) * width for i, width in zip(moving, breadths, strict=True)) for slope in first[1]]
        scales = array([size or 1.0 for size in sizes])

        def point_at(shares: Sequence[float]) -> tuple[float, ...]:
            """The point to which the starting point moves, with these shares along the moving sides."""
            point = list(start)
            for i, low, width, share in zip(moving, lows, widths, shares, strict=True):
                point[i] = float(min(max(low + width * share, low), low + width))
            return tuple(point)

        @cache  # the goal and each kind of limit ask for the same point
        def scaled(*shares: float) -> tuple[Any, Any]:
            """At a point of a local search: goal, limits and zeros with slopes, each divided by its move in the box."""
            values, slopes = self.boxes.at(point_at(shares)) or first
            # rows in their own memory: of slices out of a larger array scipy's search takes ten times as long
            moved = array([[slope[i] for i in moving] for slope in slopes]) * widths
            return array(values) / scales, moved / scales[:, None]

        count = 1 + len(self.program.limits)
        limits, zeros = slice(1, count), slice(count, None)
        for margin in _MARGINS:
            rules = [
                {
                    "type": kind,
                    "fun": lambda x, rows, inside: -scaled(*x)[0][rows] - inside,
                    "jac": lambda x, rows, _: -scaled(*x)[1][rows],
                    "args": (rows, inside),
                }
                for kind, rows, inside in (("ineq", limits, margin), ("eq", zeros, 0.0))
            ]
            with catch_warnings():
                simplefilter("ignore")
                result = minimize(
                    lambda x: scaled(*x)[0][0],
                    [(start[i] - low) / width for i, low, width in zip(moving, lows, widths, strict=True)],
                    jac=lambda x: scaled(*x)[1][0],
                    bounds=[(0.0, 1.0)] * len(moving),
                    constraints=rules,
                    method="SLSQP",
                    options={"ftol": EPSILON, "maxiter": _ITERATIONS},
                )
            yield point_at(result.x)

    def spread(self) -> Iterator[tuple[float, ...]]:
        """Points from which to look for better ones, spread off symmetries (Roberts 2018, the R sequence)."""
        count = len(self.program.names)
        root = 2.0
        for _ in range(_NEWTON):
            root = (1 + root) ** (1 / (count + 1))
        for turn in range(1, _STARTS + 1):
            shares = [(turn / root ** (i + 1)) % 1 for i in range(count)]
            sides = zip(self.program.box, self.program.steps, shares, strict=True)
            yield tuple(whole_if_counted(_at_share(side, share), step) for side, step, share in sides)

    def corners(self) -> Iterator[tuple[float, ...]]:
        """Some corners of a program's ranges, whole where it counts: limits may leave one of them alone."""
        sides = zip(self.program.box[: self.program.free], self.program.steps, strict=False)
        ends = [
            (math.ceil(low / step) * step, math.floor(high / step) * step) if step else (low, high)
            for (low, high), step in sides
            if math.isfinite(low) and math.isfinite(high)
        ]
        if len(ends) == self.program.free:
            yield from islice(product(*(dict.fromkeys(pair) for pair in ends)), _CORNERS)

    def tied(self, point: tuple[float, ...]) -> tuple[float, ...] | None:
        """A point of a program moved by Newton's method to where its ties hold; None where something has no number.

        Each step is the shortest, measured by the ranges, or where one has no end by the number itself. A side that
        would leave its range stays at the end of it.
        """
        if not self.program.ties:
            return point
        first = 1 + len(self.program.limits)
        numbers = list(point if len(point) == len(self.program.names) else self.full(point))
        if not numbers:  # something that follows has no number there
            return None
        for _ in range(_NEWTON):
            evaluated = self.boxes.at(numbers)
            if evaluated is None or not all(map(math.isfinite, chain(evaluated[0], *evaluated[1]))):
                break  # beside a jump there are no slopes, and the ties may hold where it stands
            values, slopes = evaluated
            moves = self._shortest_step(numbers, values[first:], slopes[first:])
            for i, move in moves.items():
                low, high = self.program.box[i]
                numbers[i] = min(max(numbers[i] + move, low), high)
            if all(abs(move) <= SAME_ROOT * (abs(numbers[i]) or 1.0) for i, move in moves.items()):
                break
        return tuple(numbers)

    def _shortest_step(
        self, numbers: Sequence[float], residuals: Sequence[float], slopes: Sequence[Sequence[float]]
    ) -> dict[int, float]:
        """The shortest step from a point to where the linearized ties hold, in the variables that may move."""
        from numpy import array
        from numpy.linalg import lstsq

        sides = zip(self.program.box, self.program.steps, strict=True)
        free = [(i, high - low) for i, ((low, high), step) in enumerate(sides) if not step and low < high]
        widths = {i: width if math.isfinite(width) else max(1.0, abs(numbers[i])) for i, width in free}
        while widths and residuals:
            rows = array([[slope[i] * width for i, width in widths.items()] for slope in slopes])
            shares = lstsq(rows, -array(residuals), rcond=RANK)[0]
            moves = {i: float(share) * widths[i] for i, share in zip(widths, shares, strict=True)}
            stopped = [i for i, move in moves.items() if _is_stopped(numbers[i], move, self.program.box[i])]
            if not stopped:
                return moves
            # the variables at the ends of their ranges stay there, and the others make up for them
            widths = {i: width for i, width in widths.items() if i not in stopped}
        return {}


def _at_share(side: Span, share: float) -> float:
    """The coordinate at a share of the way along a side of a program's box, also of one that has no end."""
    low, high = side
    if math.isfinite(high - low):
        return low + (high - low) * share
    if math.isfinite(low):
        return low + share / (1 - share)
    return high - share / (1 - share) if math.isfinite(high) else math.log(share / (1 - share))


def _is_stopped(x: float, move: float, side: Span) -> bool:
    """Whether a coordinate of a program's point stands at the end of its range and would move beyond it."""
    low, high = side
    return (x <= low and move < 0) or (x >= high and move > 0)


def neighbours(program: Program, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
    """The neighbours of a program's point: one number moved by a few of its last digits, the nearest first."""
    for share in _NUDGES:
        for i, (low, high) in enumerate(program.box[: program.free]):
            x = min(max(point[i] + share * (abs(point[i]) or high - low), low), high)
            if x != point[i] and not program.steps[i]:
                yield (*point[:i], x, *point[i + 1 :])


def shortened(program: Program, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
    """A program's point rounded to fewer digits, counted from each number's own size, then from its range's width.

    A round number is often the one sought; of 3e-14 between 0 and 2 no digit is left, for it is zero but for rounding.
    """
    for digits in _DIGITS:
        for is_by_size in (False, True):
            short = []
            for x, step, (low, high) in zip(point, program.steps, program.box, strict=False):
                size = high - low if is_by_size else abs(x)
                if step or not 0 < size < math.inf:
                    short.append(x)
                else:
                    short.append(min(max(_rounded(x, size, digits), low), high))
            yield tuple(short)


def snapped(
    program: Program, point: tuple[float, ...], is_as_good: Callable[[tuple[float, ...]], bool]
) -> tuple[float, ...]:
    """A program's point with each number at the end of its range, or the short decimal, that is next to it.

    All numbers move at once, since a limit may tie them; where that point is not as good, one after the other.
    """
    sides = zip(point, program.steps, program.box, strict=False)
    short = tuple(x if step else _without_noise(x, side) for x, step, side in sides)
    if short == point or is_as_good(short):
        return short
    for i, x in enumerate(short):
        moved = (*point[:i], x, *point[i + 1 :])
        if moved != point and is_as_good(moved):
            point = moved
    return point


def _without_noise(x: float, side: Span) -> float:
    """A coordinate of a program's point at the end of its range, or the decimal of few digits, that it nearly is.

    >>> _without_noise(7.9999999999999964, (1.0, 8.0)), _without_noise(2.0000000000000004, (1.0, 8.0))
    (8.0, 2.0)
    >>> _without_noise(2**0.5, (1.0, 8.0)) == 2**0.5
    True
    """
    low, high = side
    width = high - low
    for end in side:
        if abs(x - end) <= SAME_ROOT * min(width, abs(end) or width) < math.inf:
            return end
    for size in (abs(x), width):
        if 0 < size < math.inf:
            short = _rounded(x, size, _DIGITS[0])
            if abs(short - x) <= _APART * size:
                return min(max(short, low), high)
    return x


def _rounded(x: float, size: float, digits: int) -> float:
    """A coordinate of a program's point, rounded to so many digits counted from the first digit of a size.

    >>> _rounded(2.000000004, 2.0, 9), _rounded(3e-14, 2.0, 12), _rounded(3e-14, 3e-14, 12)
    (2.0, 0.0, 3e-14)
    """
    return round(x, digits - 1 - math.floor(math.log10(size)))


def along_axes(
    program: Program, point: tuple[float, ...], goal_at: Callable[[tuple[float, ...]], float], most: int
) -> Iterator[tuple[float, ...]]:
    """Ever better points of a program by pattern search: a step along each axis while that helps, then a quarter.

    >>> from derive.expressions.grammar import parse_expression
    >>> form = parse_expression("(x - 2)**2")
    >>> bowl = Program(("x",), ((0.0, 7.0),), (0.0,), 1, form, form, {})
    >>> round(list(along_axes(bowl, (6.0,), bowl.at, 200))[-1][0], 6)
    2.0
    """
    best_goal, share, count = goal_at(point), _FIRST, 0
    while share > _SHORTEST and count < most:
        is_better = False
        for i, (low, high) in enumerate(program.box[: program.free]):
            step = program.steps[i]
            if low == high or (step and share * (high - low) < step):
                continue
            for sign in (1, -1):
                count += 1
                x = min(max(point[i] + sign * share * (high - low), low), high)
                moved = (*point[:i], whole_if_counted(x, step), *point[i + 1 :])
                goal = goal_at(moved)
                if goal < best_goal:
                    best_goal, point, is_better = goal, moved, True
                    yield moved
        share = share if is_better else share / 4
