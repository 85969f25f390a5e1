"""Points of a program: the prices of its limits at one, and better points near it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from derive.numerics.root_finding.multipliers import multipliers
from derive.optimization.boxes import Boxes
from derive.optimization.descent import Seen, descended
from derive.optimization.program import Program
from derive.tolerances import EXPRESSION, HANDFUL, LAST_DIGIT, MOST, TIGHT

__all__ = ["Points", "along_axes", "neighbours"]

_FIRST = 0.05  # step along the axes, relative to the sides
_SHORTEST = 1e-11  # the last one
_TRIED = 400  # points of one such search
_NUDGES = tuple(sign * share for share in (LAST_DIGIT, HANDFUL, EXPRESSION, TIGHT) for sign in (1, -1))
_DIGITS = (12, 9, 6)
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
        if len(moving) > 1 and not self.program.zeros:
            for other in descended(self._seen, point, self.program.box, moving):
                yield other
                best = min(best, other, key=self.program.at)
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
        count = 1 + len(self.program.limits)
        slopes = [[(low + high) / 2 for low, high in slope] for slope in self.boxes.slopes(run)[:count]]
        return [(low + high) / 2 for low, high in self.boxes.values(run)[:count]], slopes


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
