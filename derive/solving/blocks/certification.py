"""The certificate of a block: evidence that its list of solutions is complete, made once the list is known.

The kinds of evidence are tried in turn, the cheapest first, and the checker itself says which of them holds: to undo
the operations around one unknown, to count the zeros of one or two polynomials, and to cut the domains into boxes.
The last is a search of its own. It knows the solutions, and has only to show that there are no others: it lays a region
around each in which there can be no second one, and cuts the domains until each part is empty or within a region. A
part is cut where contractors leave nothing beyond, by all equations together or by each alone, since the checker looks
at one equation at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain

from derive.certificates.checker import check
from derive.certificates.proof import (
    Boxes,
    Claim,
    Count,
    Cut,
    Isolation,
    KnownNumber,
    Narrowing,
    Place,
    cut_off,
    recorded,
)
from derive.certificates.solutions import System
from derive.errors import VerificationError
from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Apply, Equation, names_in
from derive.numerics.intervals.arithmetic import Box, Span, is_narrower, is_within
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import Dag, dag_of
from derive.numerics.root_finding.univariate_branch_and_prune import middle
from derive.solving.blocks.outcome import Outcome
from derive.tolerances import AROUND_ZERO, BLUR, FINEST_PART, LARGEST, SAME_SOLUTION
from quantities.domain import Domain

_MOST = 2000  # boxes that are looked at
_UNKNOWNS = 6  # beyond which boxes are too many
_NARROW = (1e-13, 1e-11, 0.9 * SAME_SOLUTION)  # relative distances around a solution in which its existence is tried
_REGIONS = (1e6, 1e3, 31.0, 9.0, 3.0, 1.0, 0.5, 0.25, 0.1, 0.03, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)
"""The same for its uniqueness: a region reaches from the solution divided by 1 + share to the solution times it."""
_FIRST = 8  # what a side that ends at zero is divided by
_PAYS = 0.1  # share of a side that a contractor has to cut off


def claim_of(
    relations: Sequence[str],
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    outcome: Outcome,
) -> Claim | None:
    """The claim of a certificate that a block's outcome has all solutions; None where no evidence for it holds.

    >>> from derive.expressions.grammar import parse_equation
    >>> cube = parse_equation("x**3 = y")
    >>> real = {"x": Domain("real", -math.inf, math.inf)}
    >>> from derive.solving.blocks.outcome import Solution
    >>> claim_of(["cube"], [cube], ["x"], {"y": -8.0}, real, Outcome((Solution({"x": -2.0}, {}),))).evidence
    Isolation(operations=('pow',))
    """
    is_square = len(equations) == len(unknowns) and all(equation.op == "=" for equation in equations)
    if not (outcome.is_complete and is_square) or any(solution.spans for solution in outcome.solutions):
        return None
    claim = Claim(
        relations=tuple(relations),
        equations=tuple(equations),
        known=tuple(KnownNumber.of(name, known[name]) for name in names_in(*equations) if name not in unknowns),
        unknowns=tuple(unknowns),
        domains=tuple(domains[name] for name in unknowns),
        solutions=tuple(tuple(float(solution.values[name]) for name in unknowns) for solution in outcome.solutions),
        evidence=Count(len(outcome.solutions), len(unknowns)),
    )
    for candidate in _with_evidence(claim):
        with suppress(VerificationError):
            check(candidate)
            return candidate
    return None


def _with_evidence(claim: Claim) -> Iterator[Claim]:
    """A block's claim with each kind of evidence to be tried for its certificate, the cheapest first."""
    if len(claim.unknowns) == 1:
        operations = _operations(claim.equations[0], claim.unknowns[0])
        if operations is not None:
            yield replace(claim, evidence=Isolation(operations))
    if len(claim.unknowns) <= 2:
        yield claim
    if len(claim.unknowns) <= _UNKNOWNS:
        boxes = _BoxSearch(claim).boxes()
        if boxes is not None:
            yield replace(claim, evidence=boxes)


def _operations(equation: Equation, name: str) -> tuple[str, ...] | None:
    """The operations around a block's unknown, from the outside, as evidence; None if it stands more than once."""
    sides = [side for side in equation.sides if name in names_in(side)]
    operations: list[str] = []
    while len(sides) == 1 and isinstance(sides[0], Apply):
        operations.append(sides[0].op)
        sides = [arg for arg in sides[0].args if name in names_in(arg)]
    return tuple(operations) if len(sides) == 1 else None


class _BoxSearch:
    """The search that cuts the domains of a claim into boxes, of which each is empty or in the region of a solution."""

    def __init__(self, claim: Claim) -> None:
        """Set up the search for a block's certificate: the checker's system, the whole box, contractors' graphs."""
        self.claim = claim
        self.system = System(claim)
        self.domain_box: Box = tuple(domain.ends for domain in claim.domains)
        self.graphs: list[Dag] = []  # of all equations together, and of each alone
        if len(claim.unknowns) > 1:
            numbers = {known.name: float(known.value) for known in claim.known}
            systems = [claim.equations, *([equation] for equation in claim.equations)]
            graphs = [dag_of(equations, claim.unknowns, numbers, blur=BLUR) for equations in systems]
            self.graphs = [graph for graph in graphs if graph is not None]

    def boxes(self) -> Boxes | None:
        """Search the tree of boxes that certifies a block's solutions; None where boxes are too many or too small."""
        places = []
        for point in self.claim.solutions:
            place = self._place(point)
            if place is None:
                return None
            places.append(place)

        def step(box: Box) -> tuple[Cut | Narrowing | int | None, Sequence[Box]] | None:
            """A box's entry in the block's certificate (a cut, a region's place, None if empty), and what follows."""
            region = next((i for i, place in enumerate(places) if is_within(box, place.region)), None)
            remainder = None if region is not None or self.system.differs(box) else self._contracted(box)
            if remainder is None:
                return region, ()
            if is_narrower(remainder, box, _PAYS):
                return Narrowing(), (remainder,)
            cut = self._largest_empty_slab(box) or _cut_at_region(box, places) or _across(box)
            return None if cut is None else (cut, cut.halves(box))

        tree = recorded(self.domain_box, step, _MOST)
        return None if tree is None else Boxes(tuple(places), tree)

    def _place(self, point: Sequence[float]) -> Place | None:
        """The certificate's place for a solution: a narrow box that holds one, and a region that holds no other."""
        for share in _NARROW:
            narrow = tuple(_around(x, share) for x in point)
            if self._holds(self.system.holds_one, narrow):
                break
        else:
            return None
        regions = (tuple(_beside(x, share) for x in point) for share in _REGIONS)
        for region in (self.domain_box, *regions):
            if is_within(narrow, region) and self._holds(self.system.holds_one_at_most, region):
                return Place(narrow, region)
        return Place(narrow, narrow)

    def _contracted(self, box: Box) -> Box | None:
        """What the checker's Newton step leaves of a box to certify a block: all if undefined, None if nothing."""
        with suppress(NoElement, ZeroDivisionError):
            return None if self.system.keeps_sign(box) else self.system.narrowed(box)
        return box

    @staticmethod
    def _holds(test: Callable[[Box], bool], box: Box) -> bool:
        """Whether a test by which a block is certified succeeds in a box; an undefined equation is a failure."""
        try:
            return test(box)
        except (NoElement, ZeroDivisionError):
            return False

    def _largest_empty_slab(self, box: Box) -> Cut | None:
        """A cut, for a block's certificate, that takes an empty part off a box, as contractors find it.

        None if they leave something of a bounded box by all equations together: there Newton's method says more.
        """
        is_bounded = all(map(math.isfinite, chain.from_iterable(box)))
        for graph in self.graphs:
            remainder = contracted(graph, box)
            if is_bounded and remainder is not None and graph is self.graphs[0]:
                return None
            if remainder is not None:
                cut = cut_off(box, remainder, _PAYS, partial(self._holds, self.system.is_empty))
                if cut is not None:
                    return cut
        return None


def _around(x: float, share: float) -> Span:
    """The side of a narrow box around a block's solution: a coordinate, give or take a share of its size.

    Around zero, the least size takes the place of its own.
    """
    reach = share * abs(x) or AROUND_ZERO * share / SAME_SOLUTION
    return x - reach, x + reach


def _beside(x: float, share: float) -> Span:
    """The side of a region around a block's solution: from a coordinate divided by 1 + share to it times that.

    Around zero, it reaches as far as the share.
    """
    if x == 0:
        return -share, share
    ends = x / (1 + share), x * (1 + share)
    return min(ends), max(ends)


def _cut_at_region(box: Box, places: Sequence[Place]) -> Cut | None:
    """A cut, for a block's certificate, at the end of a region that meets the box, unless the box is much larger."""
    for place in places:
        sides = list(zip(box, place.region, strict=True))
        if not all(low < end and start < high for (low, high), (start, end) in sides):
            continue
        if len(box) > 1 and any(high - low > 4 * (end - start) for (low, high), (start, end) in sides):
            continue
        for i, ((low, high), ends) in enumerate(sides):
            end_inside = next((end for end in ends if low < end < high), None)
            if end_inside is not None:
                return Cut(i, end_inside)
    return None


def _across(box: Box) -> Cut | None:
    """A cut, for a block's certificate, across the relatively widest side of a box; None if all are too narrow."""
    widths = [_width(side) for side in box]
    i = max(range(len(box)), key=widths.__getitem__)
    return Cut(i, _middle(box[i])) if widths[i] > FINEST_PART else None


def _width(side: Span) -> float:
    """The relative width by which sides are cut to certify a block: a log ratio of ends, or a size around zero."""
    low, high = side
    size = max(abs(low), abs(high))
    if size == math.inf:
        return math.inf if low < 0 < high or min(abs(low), abs(high)) < LARGEST else 0.0
    if low > 0 or high < 0:
        return math.log(size / min(abs(low), abs(high)))
    return size if size > AROUND_ZERO else 0.0


def _middle(side: Span) -> float:
    """Where the search for a block's certificate cuts a side: at zero, by ratio, beside a finite end or near zero."""
    low, high = side
    if low < 0 < high:
        return 0.0
    if high == math.inf:
        return max(1.0, 1e3 * low)
    if low == -math.inf:
        return -max(1.0, -1e3 * high)
    if 0.0 in side:
        return (low + high) / _FIRST
    return middle(side)
