"""Continuation: bounds of a target along a solution of simultaneous equations, as the ranged givens move.

A solution at one point of the ranges is followed over the whole box of them. In a part of the box, each block of the
plan is enclosed in turn (`parametric_newton`): where exactly one solution near is proved, it is continuous, and the
next block takes it as its input. A part where the proof fails is cut in two at its centre. Both halves contain the
centre and its solution, so the same solution is followed throughout.

Where the slope of the target keeps its sign in every range, the extremes lie at two corners. Otherwise branch and
bound finds them: a part where one slope keeps its sign is replaced by its better side, any other is bisected. SciPy's
optimizers and path followers prove nothing between the points that they visit.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from derive.expressions.tree import Node, names_in
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.parametric_newton import Course, bound, moved
from derive.time_limits import tick
from derive.tolerances import ATTAINED, FOLLOWED

__all__ = ["Followed", "Stage", "followed"]

_PARTS = 200  # limit on parts of the box in which the solution is followed
_FINEST = 1 / 40  # share of each range below which it is not cut
_CUTS = 50  # limit on cuts of branch and bound, for each end
_SQUARE = 12  # limit on unknowns that are followed together


@dataclass(frozen=True)
class Stage:
    """A block of a plan: residuals that are zero, and the unknowns that they bind."""

    zeros: tuple[Node, ...]
    unknowns: tuple[str, ...]


@dataclass(frozen=True)
class Followed:
    """The interval of a target along a solution, whether its ends are attained, and the attained values."""

    span: Span
    attained: bool
    met: Span


def followed(
    stages: Sequence[Stage],
    target: str,
    ranges: Mapping[str, Span],
    point: Mapping[str, float],
    domains: Mapping[str, Span],
) -> Followed | None:
    """The target over the box of the ranges, along the solution at a point of it; None if it cannot be followed.

    >>> from derive.expressions.grammar import parse_expression
    >>> stage = Stage((parse_expression("x*y - a"), parse_expression("x + y**2 - 2*y - 1")), ("x", "y"))
    >>> point = {"a": 2.0, "x": 1.0, "y": 2.0}
    >>> found = followed([stage], "y", {"a": (1.9, 2.1)}, point, {"x": (0, 9), "y": (0, 9)})
    >>> [round(end, 4) for end in found.span], found.attained
    ([1.9651, 2.032], True)
    """
    if any(len(stage.unknowns) != len(stage.zeros) or len(stage.zeros) > _SQUARE for stage in stages):
        return None
    if not ranges:
        return Followed((point[target],) * 2, True, (point[target],) * 2)
    way = _Way(stages, target, tuple(ranges), domains)
    parts = way.parts({name: ranges[name] for name in ranges}, point)
    if not parts:
        return None
    low, high = way.extreme(parts, 1.0), way.extreme(parts, -1.0)
    if low is None or high is None:
        return None
    met = low.met, -high.met
    return Followed((low.bound, -high.bound), low.attained and high.attained, met)


@dataclass(frozen=True)
class _Part:
    """A part of the box, a point of it with the solution there, and the enclosure of the solution over all of it."""

    box: Mapping[str, Span]
    at: Mapping[str, float]
    course: Course


_Piece = tuple[dict[str, Span], Mapping[str, float], list[Mapping[str, Span]]]
"""A part of the box, a solution near it, and the solution at points of it that was followed to there."""


@dataclass(frozen=True)
class _End:
    bound: float
    met: float
    attained: bool


@dataclass(frozen=True)
class _Way:
    """The solution to follow: its stages, target, parameters and domains."""

    stages: Sequence[Stage]
    target: str
    parameters: tuple[str, ...]
    domains: Mapping[str, Span]

    def parts(self, box: dict[str, Span], point: Mapping[str, float]) -> list[_Part]:
        """The box in parts through which the solution was followed; empty if it could not be."""
        start = self._course({name: (point[name],) * 2 for name in box}, point, {})
        if start is None:
            return []
        pending: list[_Piece] = [(box, point, [start.values])]
        found: list[_Part] = []
        for _ in range(_PARTS):
            if not pending:
                return found
            tick()
            here, at, anchors = pending.pop()
            centre = self._centre(here, at)
            if centre is None:
                return []
            point_there = self._course({name: (centre[name],) * 2 for name in here}, centre, {})
            if point_there is None:
                return []
            whole = self._course(here, centre, point_there.values)
            if whole is not None and all(_holds(whole.alone, anchor) for anchor in anchors):
                found.append(_Part(here, centre, whole))
                continue
            anchors = [*anchors, point_there.values]
            name = max(here, key=lambda one: (here[one][1] - here[one][0]) / (box[one][1] - box[one][0]))
            if here[name][1] - here[name][0] < _FINEST * (box[name][1] - box[name][0]):
                return []  # there is a corner, a fold or an end of the domain
            for half in ((here[name][0], centre[name]), (centre[name], here[name][1])):
                part = {**here, name: half}
                pending.append((part, centre, [one for one in anchors if _holds(part, {n: one[n] for n in part})]))
        return []

    def extreme(self, parts: Sequence[_Part], sign: float) -> _End | None:
        """The minimum of the target times the sign: branch and bound over the parts."""
        least = math.inf
        queue: list[tuple[float, int, _Part]] = []
        count = 0

        def push(part: _Part) -> None:
            nonlocal least, count
            low = self._low(part, sign)
            at = sign * part.at[self.target]
            least, count = min(least, at), count + 1
            heapq.heappush(queue, (min(low, at), count, part))

        for part in parts:
            push(part)
        spread = max(-self._low(part, -sign) for part in parts) - queue[0][0]
        while True:
            tick()
            low, _, part = queue[0]
            gap = least - low
            if gap <= ATTAINED * max(abs(least), spread / 100):
                return _End(low if low < least * (1 - math.copysign(FOLLOWED, least)) else least, least, True)
            if count > _CUTS + len(parts):
                return _End(low, least, False)
            heapq.heappop(queue)
            for smaller in self._better(part, sign):
                if smaller is None:
                    return None
                push(smaller)

    def _better(self, part: _Part, sign: float) -> list[_Part | None]:
        """The side of a part on which the target is least, or its halves."""
        slopes = {name: part.course.slopes[self.target][name] for name in self.parameters}
        box = dict(part.box)
        for name, (low, high) in part.box.items():
            if low < high and not slopes[name][0] < 0 < slopes[name][1]:
                rising = sign * (slopes[name][0] + slopes[name][1]) >= 0
                box[name] = (low, low) if rising else (high, high)
        if box != part.box:
            return [self._within(part, box)]
        name = max(box, key=lambda one: (box[one][1] - box[one][0]) * max(map(abs, slopes[one])))
        middle = box[name][0] + (box[name][1] - box[name][0]) / 2
        return [self._within(part, {**box, name: half}) for half in ((box[name][0], middle), (middle, box[name][1]))]

    def _within(self, part: _Part, box: dict[str, Span]) -> _Part | None:
        """A smaller box within a part, with the same solution."""
        centre = self._centre(box, part.at)
        there = None if centre is None else self._course({name: (centre[name],) * 2 for name in box}, centre, {})
        if centre is None or there is None or not _holds(part.course.alone, there.values):
            return None
        whole = self._course(box, centre, there.values)
        return None if whole is None else _Part(box, centre, whole)

    def _low(self, part: _Part, sign: float) -> float:
        low, high = part.course.values[self.target]
        return low if sign > 0 else -high

    def _centre(self, box: Mapping[str, Span], near: Mapping[str, float]) -> dict[str, float] | None:
        """The middle of a box, or the point near it if that lies well inside, and the solution there."""
        values = dict(near)
        for name, (low, high) in box.items():
            inside = low + 0.1 * (high - low) < near[name] < high - 0.1 * (high - low)
            values[name] = near[name] if inside else low + (high - low) / 2
        for stage in self.stages:
            found = moved(stage.zeros, stage.unknowns, values, {name: values[name] for name in stage.unknowns})
            if found is None:
                return None
            values |= found
        return values

    def _course(self, box: Mapping[str, Span], at: Mapping[str, float], centre: Mapping[str, Span]) -> Course | None:
        """The enclosure of the solution over a box, block by block; without one at the centre, the box is that
        point."""
        inputs = {name: (number, number) for name, number in at.items()}
        values: dict[str, Span] = {**inputs, **box}
        slopes = {name: {other: (float(name == other),) * 2 for other in self.parameters} for name in self.parameters}
        alone: dict[str, Span] = {}
        steps = {name: (low - at[name], high - at[name]) for name, (low, high) in box.items()}
        for stage in self.stages:
            held = names_in(*stage.zeros)
            here = {name: centre.get(name, values[name]) for name in held if name not in stage.unknowns}
            start = {name: at[name] for name in stage.unknowns}
            found = bound(stage.zeros, stage.unknowns, here, Course(values, slopes), steps, start)
            if found is None or not all(_holds({n: self.domains[n]}, found.values) for n in stage.unknowns):
                return None
            values |= found.values
            slopes |= {name: dict(by) for name, by in found.slopes.items()}
            alone |= found.alone
        return Course(values, slopes, alone)


def _holds(outer: Mapping[str, Span], inner: Mapping[str, Span]) -> bool:
    """Whether each interval lies in the other of its name."""
    return all(low <= inner[name][0] and inner[name][1] <= high for name, (low, high) in outer.items())
