"""Branch and prune: all solutions of a square system in a box, each proved, and whether the list is complete.

Every part of the box is in one of four states. It is dropped, because a contractor (`contractors`, `krawczyk`) left
nothing of it: it holds no solution. It lies within a region that was proved to hold exactly one solution, which has
been counted. It is open: too small to be cut, or left over when the work limit was reached. Or it is cut in two. All
steps round outwards. So each solution in the box is counted or lies in an open part; with no open part, the list is
complete.

A region around a solution is made larger than the part in which it was found, so that a solution on the border of two
parts is counted once and both parts are dropped. Two regions hold the same solution if the narrow box around one lies
within the other, and different ones if the narrow boxes are disjoint; if neither is certain, the part stays open.

A multiple solution can be confined but not proved, because some system within rounding has none: parts around it stay
open. Open parts are reported, and nothing is claimed about them.

Parts are cut last in, first out, along the unknown in which the equations vary most (smear); by ratio rather than by
length where the ends are far apart, since magnitudes run from 1e-15 to 1e30. An end at infinity is treated like a
large one: the contractors handle infinite sums and products. Linear equations of the system are solved for each other
in fractions, and the results contract the parts as well. The limit counts steps of work and not seconds, so that the
same question always has the same result.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from derive.expressions.tree import Equation
from derive.numerics.algebra.linear import echelon
from derive.numerics.intervals.arithmetic import Box, Span, is_narrower, is_within
from derive.numerics.root_finding.contractors import BoxConsistency, contracted
from derive.numerics.root_finding.expression_graph import Dag, dag_of
from derive.numerics.root_finding.krawczyk import Newton, isolated_near, newton, tightened
from derive.time_limits import tick
from derive.tolerances import BLUR, FINEST_PART, HANDFUL

ALLOWANCE = 2_000_000
"""Steps of work, about five seconds of them."""

_AROUND = 1e-6  # least relative distance around a solution in which its uniqueness is tried
_FARTHEST = 1e150  # beyond this a part is not cut
_OPEN = 400  # limit on open parts before the rest stays open
_FIRST = 0.1  # where a part without a lower end is cut
_SKEW = 0.4871  # where a part is cut: not in the middle, where solutions often lie
_STEPS_PER_PROOF = 10  # as which one search for a region with one solution counts, whatever it takes
_ROUNDS = 6  # limit on rounds of contractors on one part
_ENDLESS = 1e3  # the width of a span with an infinite end
_GAIN = 0.3  # share of a width that a round must cut off one unknown for another to follow


@dataclass(frozen=True, slots=True)
class SolutionsInBox:
    """The solutions that branch and prune has proved in a box, and the parts of the box that stay open."""

    solutions: tuple[Box, ...]
    open: tuple[Box, ...]
    hazes: tuple[Box, ...] = ()  # where each solution lies for all numbers within the blur of the known ones

    @property
    def complete(self) -> bool:
        """Whether branch and prune has left no part of the box open, so that no solution is missing."""
        return not self.open


def located(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    box: Sequence[Span],
    allowance: int = ALLOWANCE,
) -> SolutionsInBox | None:
    """Every solution of a square system in a box, each proved in a box of its own, by branch and prune.

    None if the system is not square, or has no expression graph. All claims hold wherever the known numbers are within
    the blur of rounding.

    >>> from derive.expressions.grammar import parse_equation
    >>> pair = [parse_equation("x**2 + y**2 = 25"), parse_equation("x*y = 12")]
    >>> result = located(pair, ["x", "y"], {}, [(-10.0, 10.0), (-10.0, 10.0)])
    >>> sorted(tuple(round(low + high) / 2 for low, high in box) for box in result.solutions), result.complete
    ([(-4.0, -3.0), (-3.0, -4.0), (3.0, 4.0), (4.0, 3.0)], True)
    """
    if len(equations) != len(unknowns):
        return None
    exact_graph, blurred_graph = dag_of(equations, unknowns, known), graph_within_blur(equations, unknowns, known)
    if blurred_graph is None or exact_graph is None:
        return None
    blurred = _BranchAndPrune(blurred_graph, allowance).search(tuple(box))
    solutions = tuple(tightened(exact_graph, haze) for haze in blurred.solutions)
    return SolutionsInBox(solutions, blurred.open, hazes=blurred.solutions)


def graph_within_blur(equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float]) -> Dag | None:
    """The graph for branch and prune of equations at all numbers within the blur of the known ones; None if too deep.

    Elimination would take a blurred number as exact, so that equations with known numbers are not eliminated.
    """
    return dag_of(equations, unknowns, known, echelon(equations, unknowns), BLUR)


class _BranchAndPrune:
    """The search of branch and prune for all solutions of a square system: what is proved, and what is open."""

    def __init__(self, dag: Dag, allowance: int) -> None:
        """Begin branch and prune for a square system, with an allowance of work."""
        self.dag = dag
        self.work_left = allowance
        self.work_if_open = allowance // 4  # limit on what is left once the list can no longer be complete
        self.consistency = BoxConsistency.of(dag)
        size = len(dag.unknowns)
        # costs in steps of the expression graph; a matrix is inverted once in each step of the interval Newton method
        self.contraction_cost = 4 * len(dag.steps) + self.consistency.work + size + 10
        self.newton_cost = dag.work + size**3 // 8 + 20
        self.regions: list[tuple[Box, Box]] = []  # regions with one solution, and the narrow boxes around it
        self.open: list[Box] = []
        self.scale: tuple[float, ...] = ()

    def search(self, box: Box) -> SolutionsInBox:
        """Branch and prune a whole box: its counted solutions, and the parts that stay open."""
        narrowed = contracted(self.dag, box)
        if narrowed is None:
            return SolutionsInBox((), ())
        self.scale = tuple(map(_length_of_side, narrowed, box))
        pending = [narrowed]
        while pending and self.work_left > 0 and len(self.open) < _OPEN:
            tick()
            pending.extend(self._prune(pending.pop()))
        open_parts = (part for part in (*self.open, *pending) if not self._is_counted(part))
        inside = (narrow for _, narrow in self.regions if _meets(narrow, box))
        return SolutionsInBox(tuple(inside), tuple(open_parts))

    def _prune(self, part: Box) -> list[Box]:
        """Prune a part of the box, and return the halves that remain: none if a contractor or a proof settles it."""
        step: Newton | None = None
        for _ in range(_ROUNDS):
            self.work_left -= self.contraction_cost + len(self.regions)
            narrowed = contracted(self.dag, part)
            narrowed = None if narrowed is None else self.consistency.contracted(narrowed)
            if narrowed is None or self._is_counted(narrowed):
                return []
            self.work_left -= self.newton_cost
            step = newton(self.dag, narrowed)
            if step is not None:
                if step.left is None:
                    return []
                if step.unique and self._count_unique(narrowed, step):
                    return []
                narrowed = step.left
            is_gain = is_narrower(narrowed, part, _GAIN)
            part = narrowed
            if not is_gain:
                break
        if step is not None:
            self._count_near(part, step)
            if self._is_counted(part):  # it lies in the region of the solution that was counted just now
                return []
        return self._cut(part, step)

    def _count_near(self, part: Box, step: Newton) -> None:
        """Count the solution to which a Newton step leads from the middle of a pruned part, if it is proved."""
        pairs = zip(step.towards, part, strict=True)
        if not all(low - (high - low) <= x <= high + (high - low) for x, (low, high) in pairs):
            return
        self.work_left -= _STEPS_PER_PROOF * self.newton_cost
        isolated = isolated_near(self.dag, step.towards, self._reach(part))
        if isolated is not None:
            self._count(*isolated)

    def _count_unique(self, part: Box, step: Newton) -> bool:
        """Count the one solution in a pruned part, in the largest region around it that can be proved."""
        self.work_left -= _STEPS_PER_PROOF * self.newton_cost
        assert step.left is not None
        larger = isolated_near(self.dag, step.towards, self._reach(part))
        if larger is not None and is_within(larger[1], step.left):
            return self._count(*larger)  # its solution is that of the part
        narrow = tightened(self.dag, step.left)
        region = larger[0] if larger and is_within(narrow, larger[0]) else part
        return self._count(region, narrow)

    def _count(self, region: Box, narrow: Box) -> bool:
        """Count a solution that branch and prune has proved; false if it may or may not be one counted before.

        A region holds exactly one solution, so a narrow box inside another region holds the solution of that.
        """
        for counted, counted_narrow in self.regions:
            if is_within(narrow, counted) or is_within(counted_narrow, region):
                return True
            if _meets(narrow, counted_narrow):
                return False
        self.regions.append((region, narrow))
        return True

    def _is_counted(self, part: Box) -> bool:
        """Whether a pruned part lies in the region of a counted solution."""
        return any(is_within(part, region) for region, _ in self.regions)

    def _cut(self, part: Box, step: Newton | None) -> list[Box]:
        """Branch: cut a part of the box in two, or leave it open if it is too small."""
        widths = [self._width(i, span) for i, span in enumerate(part)]
        if max(widths) <= FINEST_PART:
            self.open.append(part)
            self.work_left = min(self.work_left, self.work_if_open)
            return []
        weights = widths if step is None else step.smears or widths
        wide = [i for i, width in enumerate(widths) if width > FINEST_PART]
        i = max(wide, key=weights.__getitem__)
        cut = cut_of(part[i])
        halves = (part[i][0], cut), (cut, part[i][1])
        return [(*part[:i], half, *part[i + 1 :]) for half in halves]

    def _reach(self, part: Box) -> list[float]:
        """How far around a solution branch and prune tries its uniqueness: over the part, or more if that is narrow."""
        reach = []
        for (low, high), scale in zip(part, self.scale, strict=True):
            size = max(abs(low), abs(high))
            if size <= HANDFUL * scale:  # an unknown that is zero has no size of its own
                size = scale
            reach.append(max((high - low) / 2, _AROUND * size))
        return reach

    def _width(self, i: int, span: Span) -> float:
        """The width by which branch and prune chooses a side to cut: relative to its ends, or the log of their ratio.

        It is zero for a side that is too short, or too far from zero, to be cut.
        """
        low, high = span
        if high - low <= HANDFUL * self.scale[i] or low > _FARTHEST or high < -_FARTHEST:
            return 0.0
        near, far = sorted((abs(low), abs(high)))
        if low * high <= 0 or near == 0:
            return 2.0 if high - low < math.inf else _ENDLESS
        if far == math.inf:
            return _ENDLESS
        return (far - near) / far if far < 2 * near else math.log(far / near)


def _length_of_side(narrowed: Span, span: Span) -> float:
    """The length that pruning leaves of a box's side, as the scale of its unknown."""
    shorter, longer = narrowed[1] - narrowed[0], span[1] - span[0]
    shorter, longer = (length if length < math.inf else 1.0 for length in (shorter, longer))
    return shorter if shorter > HANDFUL * longer else longer  # next to nothing is left around a solution: no scale


def cut_of(span: Span) -> float:
    """The number at which branch and prune cuts a span: by ratio where its ends are far apart or infinite.

    >>> cut_of((1.0, math.inf)), cut_of((-math.inf, math.inf)), cut_of((-math.inf, 0.05))
    (1000.0, 0.1, 0.025)
    """
    low, high = span
    if high <= 0:
        return -cut_of((-high, -low))
    if low < 0 and high - low < math.inf:
        return low + _SKEW * (high - low)
    if math.isinf(low):
        # A cut far below zero takes the work that other unknowns need: a classical system lost its proof.
        return _FIRST if high >= _FIRST else high / 2
    if low < 0:
        return 1.0 - low if math.isinf(high) else 0.0
    if math.isinf(high):
        return max(1e3, low * low) if low < _FARTHEST else low
    if high > 64 * low and high > 64:
        return max(math.sqrt(low) * math.sqrt(high), math.sqrt(high) / 8)
    return low + _SKEW * (high - low)


def _meets(box: Box, other: Box) -> bool:
    """Whether two boxes have a point in common; if not, the solutions that branch and prune proved in them differ."""
    return all(a <= high and low <= b for (a, b), (low, high) in zip(box, other, strict=True))
