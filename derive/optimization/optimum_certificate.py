"""The certificate of an optimum: boxes that cover the choices of each program, none of which holds a better point.

The search for the best point is not repeated. Its value is known, and so are the prices of the limits there. What is
left is to cut the ranges until each box is shown to hold no admissible point, or none below the floor: by the goal
alone, or with the limits at their prices.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain

from derive.certificates.lower_bounds import Program as Checked
from derive.certificates.lower_bounds import flaw_of
from derive.certificates.proof import (
    Bound,
    Cut,
    Lagrangian,
    Leaf,
    Narrowing,
    ProofOfOptimum,
    Tangent,
    cut_off,
    recorded,
)
from derive.errors import LimitError
from derive.expressions.tree import Node, Number, names_in
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.intervals.arithmetic import Box, Span, is_narrower
from derive.numerics.root_finding.branch_and_bound import Part
from derive.optimization.points import Points
from derive.optimization.program import Program
from derive.optimization.reduction import ReducedProgram, reduced
from derive.optimization.search import Curvature, PricedPoint, SearchResult, tolerated
from derive.tolerances import EXTREME, SAME_ROOT

_MOST = 10_000  # boxes of one program: those of Dixon and Goldstein-Price are 8,400
_FEW = 8  # whole numbers of a side that is cut before others
_MINIMA = 12  # local searches for points that are as good as the best
_SMALL = 0.1  # share of the choices below which a box is searched for one
_PAYS = 0.2  # share of a side that a contractor has to cut off


def proof_of_optimum(choices: Sequence[Sequence[Program]], best: SearchResult) -> ProofOfOptimum | None:
    """The certificate that no point of some choices, each given by its programs, is better than the best; or None.

    It is tried to within the distance that the search has reached, and then to within the tolerance of an optimum.
    """
    if not best.is_found or not best.is_proved or any(program.is_sampled for program in chain.from_iterable(choices)):
        return None
    reached = max(best.value - best.floor, tolerated(best.value, best.blur, SAME_ROOT))
    with suppress(LimitError):
        for distance in (reached, max(reached, tolerated(best.value, best.blur, EXTREME))):
            proof = _to_within(choices, best, distance)
            if proof is not None:
                return proof
    return None


def _to_within(choices: Sequence[Sequence[Program]], best: SearchResult, distance: float) -> ProofOfOptimum | None:
    """The certificate that no point is better than the best by more than a distance; None without a proof.

    Limits that may be missed by a share are left out.
    """
    bounds: list[tuple[Bound, ...]] = []
    for programs in choices:
        case_bounds = []
        for program in programs:
            small = reduced(program.under([limit for limit in program.limits if not limit.approximate]))
            bound = _Recorder(small.program, best.value - distance, small.of(best.at)).bound()
            if bound is None or flaw_of(bound):  # the checker of certificates would refuse it
                return None
            case_bounds.append(replace(bound, left_out=tuple(_left_out(small))))
        bounds.append(tuple(case_bounds))
    sign = next(chain.from_iterable(choices)).sign  # which all programs of a question share
    return ProofOfOptimum(sign, distance, tuple(bounds))


def _left_out(small: ReducedProgram) -> Iterator[tuple[str, Node, Span]]:
    """What a certificate leaves out since ties give it, each with its form and range, then the numbers in these."""
    ranges = dict(zip(small.original.names, small.original.box, strict=True))
    yield from ((name, form, ranges[name]) for name, form in small.forms)
    known = small.original.known
    yield from as_numbers({name: known[name] for name in names_in(*dict(small.forms).values()) if name in known})


def as_numbers(numbers: Mapping[str, float]) -> Iterator[tuple[str, Node, Span]]:
    """Stated numbers as what the bounds of a certificate leave out."""
    for name, number in numbers.items():
        yield name, Number(stated(number)), (-math.inf, math.inf)


class _Recorder:
    """The search that cuts the box of a program until each part holds nothing below a floor."""

    def __init__(self, program: Program, floor: float, best_point: Sequence[float]) -> None:
        """Begin a certificate with the prices at the best point, unless they cannot be told in time."""
        self.program, self.floor = program, floor
        self.points = Points(program)
        self.boxes = self.points.boxes
        self.start = program.bound(floor)
        self.checked = Checked(self.start)
        self.searches_left = _MINIMA
        self.curvature = Curvature(program)
        self.minima: list[PricedPoint] = []
        with suppress(LimitError):
            self.minima.append(PricedPoint(tuple(best_point), self._prices(best_point)))
        self.prices = [(), *(minimum.prices for minimum in self.minima)]

    def _prices(self, point: Sequence[float]) -> tuple[float, ...]:
        """The prices of limits, zeros and squared zeros at a point, for the Lagrangians of a certificate."""
        return self.curvature.with_squares(point, self.points.prices(point))

    def bound(self) -> Bound | None:
        """One program's boxes in the certificate of an optimum; None where they are too many, or too small."""
        tree = recorded(self.program.box, self._step, _MOST)
        return None if tree is None else replace(self.start, tree=tree)

    def _step(self, box: Box) -> tuple[Leaf | Cut | Narrowing, Sequence[Box]] | None:
        """How an optimum's certificate goes on at a box, with the boxes left of it; None where it cannot be cut."""
        is_settled, leaf = self._leaf(box)
        if is_settled:
            return leaf, ()
        rounded = self.checked.rounded(box) or box
        narrowed = self.checked.narrowed(rounded)
        if narrowed is None or is_narrower(narrowed, rounded, _PAYS):
            return Narrowing(), () if narrowed is None else (narrowed,)
        cut = self._slab(box) or self._across(box)
        return None if cut is None else (cut, cut.halves(box))

    def _leaf(self, box: Box) -> tuple[bool, Leaf]:
        """Whether no point of a box is better than the optimum, with what shows it: None if none is admissible."""
        rounded = self.checked.rounded(box)
        if rounded is None or self.checked.is_out(rounded):
            return True, None
        for prices in self.prices:
            if self.checked.is_above(rounded, prices):
                return True, Lagrangian(prices)
        if not self.curvature.is_small:
            return False, None
        for minimum in self._minima(rounded):
            point = tuple(min(max(x, low), high) for x, (low, high) in zip(minimum.point, rounded, strict=True))
            for prices in ((), minimum.prices):
                if self.checked.is_above_tangent(rounded, prices, point):
                    return True, Tangent(prices, point)
        return False, None

    def _minima(self, box: Box) -> Iterator[PricedPoint]:
        """Minima whose tangents may bound a box of a certificate: the best point, then others in the box or near it."""
        yield from self.minima[:1]
        inside = [minimum for minimum in self.minima[1:] if _is_in(minimum.point, box)]
        yield from inside
        if inside or self.searches_left <= 0 or not self._is_small(box):
            return
        self.searches_left -= 1
        middle = tuple(low / 2 + high / 2 for low, high in box)
        best = min(self.points.improved(middle), key=self.program.at, default=middle)
        self.minima.append(PricedPoint(best, self._prices(best)))
        yield self.minima[-1]

    def _is_small(self, box: Box) -> bool:
        """Whether a box of a certificate is a small part of the choices."""
        sides = zip(box, self.program.box, strict=True)
        return all(high - low <= _SMALL * (most - least) for (low, high), (least, most) in sides)

    def _slab(self, box: Box) -> Cut | None:
        """A cut of a certificate's box that takes off a large part which contractors of limits and goal leave empty."""
        narrowed = self.boxes.narrowed(box, self.floor)
        return None if narrowed is None else cut_off(box, narrowed, _PAYS, lambda side: self._leaf(side)[0])

    def _across(self, box: Box) -> Cut | None:
        """A cut of a certificate's box across the side along which the goal and the limits may change most.

        A side of a count is cut between two whole numbers.
        """
        rounded = self.checked.rounded(box) or box
        i = self.boxes.widest(self.boxes.part(rounded) or Part(rounded, [], []))
        if i is None:
            return None
        sides = enumerate(zip(rounded, self.program.steps, strict=True))
        few = [j for j, ((low, high), step) in sides if step and low < high <= low + _FEW * step]
        i = few[0] if few and not self.program.steps[i] else i  # a count that is known decides more than a side
        below, above = self.boxes.halves(rounded, i)
        place = below[i][1] / 2 + above[i][0] / 2
        return Cut(i, place) if box[i][0] < place < box[i][1] else None


def _is_in(point: Sequence[float], box: Box) -> bool:
    return all(low <= x <= high for x, (low, high) in zip(point, box, strict=True))
