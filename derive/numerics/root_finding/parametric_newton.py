"""Solutions over a box of parameters: existence, uniqueness, enclosures and slopes, all proved.

The equations F(u, q) = 0 bind the unknowns u to inputs q, which are parameters p or known functions of them, with
enclosures of their values and of their slopes dq/dp over the box. Let u0 be a solution at one point of the box. By
the mean value theorem a solution u at any other point, with J = dF/du and G = dF/dq dq/dp enclosed over the box,
satisfies

    0 = F(u, q)  lies in  F(u0, q0) + J (u - u0) + G (p - p0).

So with Y close to the inverse of J, any u in U lies in K(U) = u0 - Y (F(u0, q0) + G (p - p0)) + (I - Y J)(U - u0). If
K(U) lies inside U, then by Brouwer and the contraction U holds exactly one solution at every point of the box
(Krawczyk 1969, with parameters: Neumaier 1990, chapter 5), which is therefore continuous. Its slopes solve
J du/dp = -G. All sums and products are rounded outwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from derive.expressions.tree import Node, names_in
from derive.numerics.intervals.arithmetic import ZERO, hull, meet, minus, plus, times
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.krawczyk import approximate_inverse
from derive.time_limits import tick
from derive.tolerances import ARRIVED, INFLATION, STILL, UNDERFLOW

__all__ = ["Course", "bound", "moved"]

_TRIES = 12  # limit on widenings of the first guess
_ROUNDS = 2  # narrowings after the proof
_WIDENED = 0.1  # share by which a failed guess is widened
_DIVERGES = 1.5  # growth from one try to the next that counts as divergence
_STEPS = 40  # limit on steps of Newton's method

Slopes = Mapping[str, Span]
"""How a quantity moves with each parameter."""


@dataclass(frozen=True, slots=True)
class Course:
    """Enclosures of quantities over a box of parameters, of their slopes, and the region of uniqueness."""

    values: Mapping[str, Span]
    slopes: Mapping[str, Slopes] = field(default_factory=dict)
    alone: Mapping[str, Span] = field(default_factory=dict)


def bound(
    zeros: Sequence[Node],
    unknowns: Sequence[str],
    centre: Mapping[str, Span],
    known: Course,
    steps: Slopes,
    at: Mapping[str, float],
) -> Course | None:
    """The unknowns over the box; None unless exactly one solution is proved.

    `centre` encloses the inputs at one point of the box, `steps` says how far each parameter goes from there, and
    `at` is the approximate solution at that point.

    >>> from derive.expressions.grammar import parse_expression
    >>> zero = parse_expression("x**3 + x - a")
    >>> centre, known = {"a": (10.0, 10.0)}, Course({"a": (9.0, 11.0)}, {"a": {"a": (1.0, 1.0)}})
    >>> found = bound([zero], ["x"], centre, known, {"a": (-1.0, 1.0)}, {"x": 2.0})
    >>> [round(end, 2) for end in (*found.values["x"], *found.slopes["x"]["a"])]
    [1.92, 2.08, 0.07, 0.08]
    """
    system = _System(zeros, unknowns, known, tuple(steps))
    alone: Mapping[str, Span] = {}
    point = {name: (number, number) for name, number in at.items()}
    gaps = [enclose(zero, {**centre, **point}, "") for zero in zeros]
    sensitivity = system.sensitivity(point)
    if sensitivity is None or any(gap is None or gap.partial for gap in gaps):
        return None
    first = [gap.values for gap in gaps if gap is not None]
    away = [_sum([gap, *map(times, row, steps.values())]) for gap, row in zip(first, sensitivity, strict=True)]
    box = {name: _widened(point[name], INFLATION) for name in unknowns}
    proved, reach = 0, math.inf
    for _ in range(_TRIES):
        tick()
        jacobian = system.jacobian(box)
        inverse = None if jacobian is None else _inverse(jacobian)
        if jacobian is None or inverse is None:
            return None
        image = _image(at, box, jacobian, inverse, away)
        inside = all(box[name][0] < image[name][0] and image[name][1] < box[name][1] for name in box)
        alone = box if inside and not proved else alone
        reach, before = max(map(_breadth, image.values())), reach
        if not proved and not inside and reach > _DIVERGES * before:
            return None
        proved += inside or proved > 0
        if proved > _ROUNDS:
            rows = _slopes(jacobian, inverse, system.sensitivity(box))
            slopes = None if rows is None else [dict(zip(steps, row, strict=True)) for row in rows]
            return None if slopes is None else Course(box, dict(zip(unknowns, slopes, strict=True)), alone)
        box = {n: meet(box[n], image[n]) if proved else _widened(hull(box[n], image[n]), _WIDENED) for n in box}
    return None


@dataclass(frozen=True, slots=True)
class _System:
    """Equations, their unknowns, and the enclosures of their inputs over the box."""

    zeros: Sequence[Node]
    unknowns: Sequence[str]
    known: Course
    parameters: tuple[str, ...]

    def jacobian(self, box: Mapping[str, Span]) -> list[list[Span]] | None:
        """The slopes of each equation in each unknown, over a box of these."""
        spans = {**self.known.values, **box}
        rows = []
        for zero in self.zeros:
            held = names_in(zero)
            row = [self._slope(zero, spans, name) if name in held else ZERO for name in self.unknowns]
            if None in row:
                return None
            rows.append([one for one in row if one is not None])
        return rows

    def sensitivity(self, box: Mapping[str, Span]) -> list[list[Span]] | None:
        """The slopes of each equation in each parameter, through the inputs."""
        spans = {**self.known.values, **box}
        rows = []
        for zero in self.zeros:
            row = dict.fromkeys(self.parameters, ZERO)
            for name in names_in(zero):
                moves = {} if name in box else self.known.slopes.get(name, {})
                slope = self._slope(zero, spans, name) if moves else ZERO
                if slope is None:
                    return None
                row |= {parameter: plus(row[parameter], times(slope, by)) for parameter, by in moves.items()}
            rows.append(list(row.values()))
        return rows

    @staticmethod
    def _slope(zero: Node, spans: Mapping[str, Span], name: str) -> Span | None:
        found = enclose(zero, spans, name)
        fit = found is not None and not found.partial and all(map(math.isfinite, found.slopes))
        return found.slopes if found is not None and fit else None


def _image(
    at: Mapping[str, float],
    box: Mapping[str, Span],
    jacobian: Sequence[Sequence[Span]],
    inverse: Sequence[Sequence[float]],
    away: Sequence[Span],
) -> dict[str, Span]:
    """Krawczyk's operator."""
    offsets = [plus(box[name], (-at[name], -at[name])) for name in box]
    nearly_one = _product(inverse, jacobian)
    found = {}
    for i, name in enumerate(box):
        step = _sum([times((y, y), one) for y, one in zip(inverse[i], away, strict=True)])
        rest = [plus((float(i == k),) * 2, minus(nearly_one[i][k])) for k in range(len(box))]
        found[name] = _sum([(at[name], at[name]), minus(step), *map(times, rest, offsets)])
    return found


def _slopes(
    jacobian: Sequence[Sequence[Span]], inverse: Sequence[Sequence[float]], sensitivity: Sequence[Sequence[Span]] | None
) -> list[list[Span]] | None:
    """The solutions of J x = -G, by interval elimination after J is preconditioned to nearly the identity."""
    if sensitivity is None:
        return None
    left, right = _product(inverse, jacobian), _product(inverse, [[minus(one) for one in row] for row in sensitivity])
    rows = [[*a, *b] for a, b in zip(left, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = rows[column][column]
        if pivot[0] <= 0:
            return None
        over = (math.nextafter(1 / pivot[1], 0.0), math.nextafter(1 / pivot[0], math.inf))
        rows[column] = [times(over, one) if k != column else (1.0, 1.0) for k, one in enumerate(rows[column])]
        for i in range(size):
            if i != column:
                factor = minus(rows[i][column])
                rows[i] = [
                    plus(one, times(factor, other)) if k != column else ZERO
                    for k, (one, other) in enumerate(zip(rows[i], rows[column], strict=True))
                ]
    return [row[size:] for row in rows]


def _product(inverse: Sequence[Sequence[float]], rows: Sequence[Sequence[Span]]) -> list[list[Span]]:
    width = range(len(rows[0]))
    return [
        [_sum([times((y, y), row[k]) for y, row in zip(line, rows, strict=True)]) for k in width] for line in inverse
    ]


def _inverse(jacobian: Sequence[Sequence[Span]]) -> list[list[float]] | None:
    """An approximate inverse of a matrix's midpoint; the proof does not rely on it being exact."""
    middles = [[low + (high - low) / 2 for low, high in row] for row in jacobian]
    return approximate_inverse(middles, [1.0] * len(jacobian))


def moved(
    zeros: Sequence[Node], unknowns: Sequence[str], known: Mapping[str, float], start: Mapping[str, float]
) -> dict[str, float] | None:
    """The solution that Newton's method finds from a start; None if it does not converge.

    >>> from derive.expressions.grammar import parse_expression
    >>> moved([parse_expression("x**3 + x - a")], ["x"], {"a": 10.0}, {"x": 1.0})
    {'x': 2.0}
    """
    point, before = dict(start), math.inf
    for _ in range(_STEPS):
        spans = {name: (number, number) for name, number in {**known, **point}.items()}
        found = [[enclose(zero, spans, name) for name in unknowns] for zero in zeros]
        if any(one is None or one.partial for row in found for one in row):
            return None
        inverse = _inverse([[one.slopes for one in row if one is not None] for row in found])
        if inverse is None:
            return None
        gaps = [sum(row[0].values) / 2 for row in found if row[0] is not None]
        step = [math.fsum(y * gap for y, gap in zip(line, gaps, strict=True)) for line in inverse]
        size = max(abs(one) / (abs(point[name]) or 1.0) for name, one in zip(unknowns, step, strict=True))
        if not size < math.inf or (size > before and size < ARRIVED):
            break
        point = {name: point[name] - one for name, one in zip(unknowns, step, strict=True)}
        before = size
        if size < STILL:
            break
    return point if before < ARRIVED else None


def _breadth(span: Span) -> float:
    """The width of a span relative to its larger end."""
    return (span[1] - span[0]) / (max(map(abs, span)) or 1.0)


def _widened(span: Span, share: float) -> Span:
    low, high = span
    aside = share * (high - low) + INFLATION * max(abs(low), abs(high)) + UNDERFLOW
    return low - aside, high + aside


def _sum(parts: Sequence[Span]) -> Span:
    whole = ZERO
    for part in parts:
        whole = plus(whole, part) if part != ZERO else whole
    return whole
