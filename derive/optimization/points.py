"""Points of a program: the prices of its limits at one, and better points near it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from derive.numerics.intervals.arithmetic import Span
from derive.numerics.root_finding.multipliers import multipliers
from derive.optimization.boxes import Boxes
from derive.optimization.descent import Seen, descended
from derive.optimization.program import Program
from derive.tolerances import EXPRESSION, HANDFUL, LAST_DIGIT, MOST, RANK, STEP_DONE, TIGHT

__all__ = ["Points", "along_axes", "neighbours"]

_FIRST = 0.05  # step along the axes, relative to the sides
_SHORTEST = 1e-11  # the last one
_TRIED = 400  # points of one such search
_NUDGES = tuple(sign * share for share in (LAST_DIGIT, HANDFUL, EXPRESSION, TIGHT) for sign in (1, -1))
_DIGITS = (12, 9, 6)
_STARTS = 6  # local searches before the ranges are cut
_NEWTON = 25  # steps to a point at which ties hold
_NEAR = 1e-3  # of what a limit may move by across the box: within this it counts as near


class Points:
    """The points of one program."""

    def __init__(self, program: Program, boxes: Boxes) -> None:
        self.program, self.boxes = program, boxes

    def prices(self, point: Sequence[float]) -> tuple[float, ...]:
        """The multiplier of each limit and each zero at a point."""
        whole = self.full(point)
        run = self.boxes.run([(x, x) for x in whole]) if whole else None
        if run is None or run.flawed:
            return ()
        values = self.boxes.values(run)
        slopes = [[(low + high) / 2 for low, high in slope] for slope in self.boxes.slopes(run)]
        inner = self._inner(whole)
        reach = [min(max(map(abs, side)), MOST) for side in self.program.box]
        count = len(self.program.limits)
        near = [
            j
            for j in range(1, len(values))
            if j > count or values[j][1] >= -_NEAR * sum(abs(slopes[j][i]) * reach[i] for i in inner)
        ]
        found = multipliers(
            [slopes[0][i] for i in inner], [[slopes[j][i] for i in inner] for j in near], [j <= count for j in near]
        )
        priced = dict(zip(near, found, strict=True))
        return tuple(priced.get(j, 0.0) for j in range(1, len(values)))

    def _inner(self, point: Sequence[float]) -> list[int]:
        """The sides along which a point can move both ways."""
        sides = zip(self.program.box, self.program.steps, point, strict=True)
        return [i for i, ((low, high), step, x) in enumerate(sides) if not step and low < x < high]

    def full(self, point: Sequence[float]) -> tuple[float, ...]:
        """A point of the free quantities with the others that follow; empty if these have no single values."""
        if self.program.solved is None:
            return tuple(point)
        numbers = self.program.numbers(point)
        return () if numbers is None else tuple(numbers[name] for name in self.program.names)

    def improved(self, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
        """Points that may be better than this one: by a local search, and along the axes with ever shorter steps."""
        sides = zip(self.program.box, self.program.steps, strict=True)
        moving = [i for i, ((low, high), step) in enumerate(sides) if not step and 0 < high - low < math.inf]
        best = point
        if len(moving) > 1 and self.program.solved is None:
            for other in descended(self._seen, point, self.program.box, moving, len(self.program.zeros)):
                tied = self.tied(other)
                if tied is not None:
                    yield tied
                    best = min(best, tied, key=self.program.at)
        if self.program.ties:
            yield from self.shortened(best)
            return
        for other in along_axes(self.program, best, self.program.at, _TRIED):
            best = other
            yield other
        yield from self.shortened(best)

    def shortened(self, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
        """The point with fewer digits: a round number is often the one sought."""
        for digits in _DIGITS:
            yield tuple(
                x if step else min(max(float(f"{x:.{digits}g}"), low), high)
                for x, step, (low, high) in zip(point, self.program.steps, self.program.box, strict=False)
            )

    def _seen(self, point: Sequence[float]) -> Seen | None:
        """The goal and the limits at a point, with their slopes."""
        run = self.boxes.run([(x, x) for x in point])
        if run is None or run.flawed:
            return None
        slopes = [[(low + high) / 2 for low, high in slope] for slope in self.boxes.slopes(run)]
        return [(low + high) / 2 for low, high in self.boxes.values(run)], slopes

    def spread(self) -> Iterator[tuple[float, ...]]:
        """Points spread over the ranges, none of them on a symmetry (Roberts 2018, the R sequence)."""
        count = len(self.program.names)
        root = 2.0
        for _ in range(_NEWTON):
            root = (1 + root) ** (1 / (count + 1))
        for turn in range(1, _STARTS + 1):
            shares = [(turn / root ** (i + 1)) % 1 for i in range(count)]
            sides = zip(self.program.box, shares, strict=True)
            yield tuple(self.boxes.whole(i, low + (high - low) * share) for i, ((low, high), share) in enumerate(sides))

    def tied(self, point: tuple[float, ...]) -> tuple[float, ...] | None:
        """The point moved to where the ties hold: Newton's method, each step the shortest; None where it does not end.

        A step is measured by the ranges, and a side that would leave its range stays at the end of it.
        """
        if not self.program.ties:
            return point
        at, first = list(point), 1 + len(self.program.limits)
        for _ in range(_NEWTON):
            seen = self._seen(at)
            if seen is None:
                return None
            moves = self._shortest(at, seen[0][first:], seen[1][first:])
            for i, move in moves.items():
                low, high = self.program.box[i]
                at[i] = min(max(at[i] + move, low), high)
            if all(abs(move) <= STEP_DONE * (abs(at[i]) or 1.0) for i, move in moves.items()):
                break
        return tuple(at)

    def _shortest(
        self, at: Sequence[float], rests: Sequence[float], slopes: Sequence[Sequence[float]]
    ) -> dict[int, float]:
        """The shortest step to where equations with these slopes and rests hold, along sides that may move."""
        from numpy import array
        from numpy.linalg import lstsq

        sides = zip(self.program.box, self.program.steps, strict=True)
        widths = {i: high - low for i, ((low, high), step) in enumerate(sides) if not step and low < high}
        while widths and rests:
            rows = array([[slope[i] * width for i, width in widths.items()] for slope in slopes])
            shares = lstsq(rows, -array(rests), rcond=RANK)[0]
            moves = {i: float(share) * widths[i] for i, share in zip(widths, shares, strict=True)}
            stopped = [i for i, move in moves.items() if _is_stopped(at[i], move, self.program.box[i])]
            if not stopped:
                return moves
            widths = {i: width for i, width in widths.items() if i not in stopped}
        return {}


def _is_stopped(x: float, move: float, side: Span) -> bool:
    """Whether a number stands at the end of its range and would move beyond it."""
    low, high = side
    return (x <= low and move < 0) or (x >= high and move > 0)


def neighbours(program: Program, point: tuple[float, ...]) -> Iterator[tuple[float, ...]]:
    """Points with one number moved by a few of its last digits, the nearest first."""
    for share in _NUDGES:
        for i, (low, high) in enumerate(program.box[: program.free]):
            x = min(max(point[i] + share * (abs(point[i]) or high - low), low), high)
            if x != point[i] and not program.steps[i]:
                yield (*point[:i], x, *point[i + 1 :])


def along_axes(
    program: Program, point: tuple[float, ...], at: Callable[[tuple[float, ...]], float], most: int
) -> Iterator[tuple[float, ...]]:
    """Ever better points: a step along each axis while that helps, then steps of a quarter of the length.

    >>> from derive.expressions.grammar import parse_expression
    >>> form = parse_expression("(x - 2)**2")
    >>> bowl = Program(("x",), ((0.0, 7.0),), (0.0,), 1, form, form, {})
    >>> round(list(along_axes(bowl, (6.0,), bowl.at, 200))[-1][0], 6)
    2.0
    """
    value, share, count = at(point), _FIRST, 0
    while share > _SHORTEST and count < most:
        is_better = False
        for i, (low, high) in enumerate(program.box[: program.free]):
            step = program.steps[i]
            if low == high or (step and share * (high - low) < step):
                continue
            for sign in (1, -1):
                count += 1
                x = min(max(point[i] + sign * share * (high - low), low), high)
                moved = (*point[:i], round(x / step) * step if step else x, *point[i + 1 :])
                found = at(moved)
                if found < value:
                    value, point, is_better = found, moved, True
                    yield moved
        share = share if is_better else share / 4
