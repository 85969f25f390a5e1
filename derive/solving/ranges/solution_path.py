"""A solution followed through the ranges of its givens: the stages of a plan, and the bounds along it.

What follows from the givens alone is put into the equations, so that what cancels in them is gone before any interval
is formed. Of what is left, the equations up to the target's have the solution in a box that holds exactly one over all
of the ranges (`krawczyk`): it is continuous there, and branch and bound finds the extremes of the target along it.
Unknowns beside it that are forms in it only have to stay in their domains.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from derive.expressions.tree import Equation, Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import ZERO, added, difference_of, negated, simplified
from derive.numerics.intervals.arithmetic import ALL, minus, plus, times
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_bound import Bound
from derive.numerics.root_finding.expression_graph import Dag, dag_of
from derive.numerics.root_finding.krawczyk import implicit_slopes, isolated_over, tightened
from derive.planning.plan import Block, Plan
from derive.solving.assumptions import Evidence
from derive.solving.blocks.closed_forms import composed, only_form, put_in
from derive.solving.blocks.tearing import straight
from derive.solving.execution.block_execution import State
from derive.solving.ranges.range_propagation import leaves, stays_within
from derive.time_limits import tick
from derive.tolerances import EXTREME, TIGHT

ATTAINED_ALONG = Evidence(
    "bounds along this solution are attained; elsewhere in the ranges there may be others",
    are_reached=True,
    is_along=True,
)
_ENCLOSED_ALONG = Evidence(
    "bounds along this solution are those of an enclosure: they may be too wide; elsewhere in the ranges there may be "
    "others",
    is_along=True,
)
_SQUARE = 12  # limit on unknowns that are followed together
_HALVINGS = 8  # of ranges through which a solution is not followed at once
_CUTS = 50  # limit on cuts of branch and bound, for each end


@dataclass(frozen=True)
class Stage:
    """A block of a plan: residuals that are zero, and the unknowns that they bind."""

    zeros: tuple[Node, ...]
    unknowns: tuple[str, ...]


def along(library: RelationSet, plan: Plan, state: State, ranges: Mapping[str, Span]) -> tuple[Span, Evidence] | None:
    """The target's bounds along the path of a solution through the ranges; None if it cannot be followed."""
    if hangs_on_what_cancels(library, plan, state):
        return None
    spans = _box_of(library, plan, state, ranges)
    stages = _all_stages(library, plan, spans)
    names = names_in(*chain.from_iterable(stage.zeros for stage in stages))
    moving = {name: span for name, span in ranges.items() if name in names}
    count = next((place for place, stage in enumerate(stages) if plan.target in stage.unknowns), len(stages)) + 1
    # the target's bounds need the stages up to its own; only if a later unknown may leave its domain are all followed
    bounds = _Path(stages[:count], state.values, spans).bounds(plan.target, moving)
    if bounds is not None:
        low, high = bounds
        if not _stay_in_domains(stages[count:], {**spans, plan.target: (low.at, high.at)}):
            bounds = _Path(stages, state.values, spans).bounds(plan.target, moving)
    if bounds is None:
        return None
    low, high = bounds
    return (low.at, high.at), ATTAINED_ALONG if low.is_close and high.is_close else _ENCLOSED_ALONG


@dataclass(frozen=True)
class _Piece:
    """A part of the ranges, and for each unknown an interval that holds the solution in it, and no other."""

    ranges: Mapping[str, Span]
    around: Mapping[str, Span]


@dataclass(frozen=True)
class _TargetBound:
    """How low the target is in a piece of the path: its slope in each range, a lower bound, and its middle value."""

    piece: _Piece
    slopes: Mapping[str, Span]
    floor: float
    in_middle: float

    def smaller(self) -> list[dict[str, Span]]:
        """The parts of a piece in which the target may be least along the path: a side of the piece, or its halves."""
        ranges = dict(self.piece.ranges)
        for name, (low, high) in ranges.items():
            least_slope, greatest_slope = self.slopes[name]
            if least_slope >= 0:
                ranges[name] = (low, low)
            elif greatest_slope <= 0:
                ranges[name] = (high, high)
        if ranges != self.piece.ranges:
            return [ranges]
        open_ranges = [name for name, (low, high) in ranges.items() if low < high]
        name = max(open_ranges, key=lambda name: (ranges[name][1] - ranges[name][0]) * max(map(abs, self.slopes[name])))
        low, high = ranges[name]
        middle = low / 2 + high / 2
        return [{**ranges, name: half} for half in ((low, middle), (middle, high))]


class _Path:
    """A solution of simultaneous equations, followed through ranges of their givens from some numbers on."""

    def __init__(self, stages: Sequence[Stage], values: Mapping[str, float], domains: Mapping[str, Span]) -> None:
        self.unknowns = [*chain.from_iterable(stage.unknowns for stage in stages)]
        self.zeros = tuple(chain.from_iterable(stage.zeros for stage in stages))
        self.equations = [Equation(zero, "=", ZERO) for zero in self.zeros]
        self.values, self.domains = values, domains

    def bounds(self, target: str, ranges: Mapping[str, Span]) -> tuple[Bound, Bound] | None:
        """The bounds of the target along the path; None where the solution cannot be followed."""
        if len(self.unknowns) != len(self.zeros) or len(self.zeros) > _SQUARE:
            return None
        if not ranges or target not in self.unknowns:
            return Bound(self.values[target], is_close=True), Bound(self.values[target], is_close=True)
        start = [self.values[name] for name in self.unknowns]
        pieces = self._pieces(ranges, self.values, start, _HALVINGS)
        if not pieces:
            return None
        low, high = self._least(pieces, target, 1), self._least(pieces, target, -1)
        least, greatest = sorted((low.at, -high.at))  # of a point, but for its rounding
        return Bound(least, low.is_close), Bound(greatest, high.is_close)

    def _least(self, pieces: Sequence[_Piece], target: str, sign: int) -> Bound:
        """The least value along the path of the target times a sign, by branch and bound over pieces."""
        queue: list[tuple[float, int, _TargetBound]] = []
        least, spread, count = math.inf, 0.0, 0
        pending = pieces
        while True:
            tick()
            for piece in pending:
                bound = self._target_bound(piece, target, sign)
                count, least = count + 1, min(least, bound.in_middle)
                heapq.heappush(queue, (bound.floor, count, bound))
            spread = spread or max(bound.in_middle for _, _, bound in queue) - queue[0][0]
            floor, _, lowest = queue[0]
            if floor >= least - EXTREME * max(abs(least), spread / 100):
                is_below = floor < least - TIGHT * abs(least)
                return Bound(floor if is_below else least, is_close=True)
            if count > len(pieces) + 2 * _CUTS:
                return Bound(floor, is_close=False)
            heapq.heappop(queue)
            pending = [self._within(lowest.piece, ranges) for ranges in lowest.smaller()]

    def _target_bound(self, piece: _Piece, target: str, sign: int) -> _TargetBound:
        """How low the target times a sign is in a piece of the path: by its interval, and by its middle and slopes."""
        middle = {name: (low / 2 + high / 2,) * 2 for name, (low, high) in piece.ranges.items()}
        middle_piece = self._within(piece, middle)
        dag = dag_of(self.equations, [*self.unknowns, *piece.ranges], self._known(piece.ranges))
        rows = None if dag is None else implicit_slopes(dag, (*piece.around.values(), *piece.ranges.values()))
        slopes = dict.fromkeys(piece.ranges, ALL)
        if rows is not None:
            own_slopes = rows[self.unknowns.index(target)]
            slopes = {name: slope if sign > 0 else minus(slope) for name, slope in zip(slopes, own_slopes, strict=True)}
        spans = (part.around[target] for part in (piece, middle_piece))
        over_piece, in_middle = (span if sign > 0 else minus(span) for span in spans)
        total = in_middle
        for name, (low, high) in piece.ranges.items():
            total = plus(total, times(slopes[name], plus((low, high), minus(middle[name]))))
        return _TargetBound(piece, slopes, max(over_piece[0], total[0]), in_middle[0] / 2 + in_middle[1] / 2)

    def _known(self, ranges: Mapping[str, Span]) -> dict[str, float]:
        others = [name for name in names_in(*self.zeros) if name not in self.unknowns and name not in ranges]
        return {name: self.values[name] for name in others}

    def _pieces(
        self, ranges: Mapping[str, Span], start_givens: Mapping[str, float], start: Sequence[float], halvings: int
    ) -> list[_Piece]:
        """The ranges in pieces, through which the path follows a solution from a point; empty where it cannot."""
        only_piece = self._around(ranges, start)
        if only_piece is not None:
            return [only_piece]
        if not halvings:  # there is a corner, a fold or an end of the domain
            return []
        name = max(ranges, key=lambda name: (ranges[name][1] - ranges[name][0]) / max(map(abs, ranges[name])))
        low, high = ranges[name]
        middle = low / 2 + high / 2
        halves = ((low, middle), (middle, high)) if start_givens[name] <= middle else ((middle, high), (low, middle))
        near = self._pieces({**ranges, name: halves[0]}, start_givens, start, halvings - 1)
        middle_givens = {**start_givens, name: middle}
        point = {name: (middle_givens[name], middle_givens[name]) for name in ranges}
        if not near:
            return []
        shared = next(piece for piece in near if _contains(piece.ranges, point))
        start = [low / 2 + high / 2 for low, high in self._within(shared, point).around.values()]
        far = self._pieces({**ranges, name: halves[1]}, middle_givens, start, halvings - 1)
        return [*near, *far] if far else []

    def _within(self, piece: _Piece, ranges: Mapping[str, Span]) -> _Piece:
        """A part of a piece of the path, in which the same solution is enclosed more tightly."""
        dag, box = self._dag(ranges), tuple(piece.around.values())
        around = box if dag is None else tightened(dag, box)
        return _Piece(ranges, dict(zip(self.unknowns, around, strict=True)))

    def _around(self, ranges: Mapping[str, Span], start: Sequence[float]) -> _Piece | None:
        """The piece of the path in which a solution around a start is the only one; None where that is not shown.

        None also where the solution may leave its domain.
        """
        dag = self._dag(ranges)
        boxes = None if dag is None else isolated_over(dag, start)
        if boxes is None or not all(low <= x <= high for x, (low, high) in zip(start, boxes[0], strict=True)):
            return None
        around = dict(zip(self.unknowns, boxes[1], strict=True))
        return _Piece(ranges, around) if _contains({name: self.domains[name] for name in around}, around) else None

    def _dag(self, ranges: Mapping[str, Span]) -> Dag | None:
        return dag_of(self.equations, self.unknowns, self._known(ranges), ranges=ranges)


def _contains(outer: Mapping[str, Span], inner: Mapping[str, Span]) -> bool:
    """Whether each interval of a piece of the path lies in the other interval of its name."""
    return all(low <= inner[name][0] and inner[name][1] <= high for name, (low, high) in outer.items())


def hangs_on_what_cancels(library: RelationSet, plan: Plan, state: State) -> bool:
    """Whether a solution's path cannot be followed, since some quantities of the relations have no value."""
    return any(name not in state.values for name in library.held_by(plan.relations))


def _box_of(library: RelationSet, plan: Plan, state: State, ranges: Mapping[str, Span]) -> dict[str, Span]:
    """The box in which a solution's path is followed: the domains of the unknowns, and the ranges of the givens."""
    given = state.values.keys() - {*plan.unknowns}
    spans = {name: library.declared[name].domain.ends for name in state.values if name in library.declared}
    return spans | {name: ranges.get(name, (state.values[name],) * 2) for name in given}


def _all_stages(library: RelationSet, plan: Plan, spans: dict[str, Span]) -> list[Stage]:
    """The stages of a plan along which a solution's path is followed.

    What follows from the givens alone is put into them, so that what cancels is gone.
    """
    forms: dict[str, Node] = {}
    stages: list[Stage] = []
    for block in plan.blocks:
        name, form = block.unknowns[0], only_form(library, block)
        composed_form = None if form is None else composed(name, {**forms, name: form})
        if composed_form is not None and name != plan.target:
            composed_form = simplified(composed_form)
            enclosure = enclose(composed_form, spans, "")
            if enclosure is not None and not leaves(library, composed_form, spans, library.declared[name].domain.ends):
                forms[name], spans[name] = composed_form, enclosure.values
                continue
        for stage in _stages(library, block, spans):
            stages.append(Stage(tuple(simplified(put_in(zero, forms)) for zero in stage.zeros), stage.unknowns))
    return stages


def _stages(library: RelationSet, block: Block, spans: Mapping[str, Span]) -> list[Stage]:
    """The stages of a block on the path: torn, if the other unknowns have forms in one of them; else a single one."""
    written = [library.relations[name].written for name in block.relations]
    domains = {name: library.declared[name].domain for name in block.unknowns}
    together = [Stage(tuple(map(difference_of, written)), tuple(block.unknowns))]
    tearing = straight(written, block.unknowns, spans, domains) if len(written) > 1 else None
    if tearing is None or len(tearing[1].left) != 1:
        return together
    tear, branch = tearing
    residual = composed("", {**branch.forms, "": difference_of(branch.left[0])})
    forms = {name: composed(name, branch.forms) for name in branch.forms}
    if residual is None or None in forms.values():
        return together
    others = [Stage((added(Name(name), negated(form)),), (name,)) for name, form in forms.items() if form is not None]
    return [Stage((residual,), (tear,)), *others]


def _stay_in_domains(stages: Sequence[Stage], spans: Mapping[str, Span]) -> bool:
    """Whether unknowns that follow at later stages of the path certainly stay in their domains.

    The equation of each stage is one name less its form.
    """
    reached = dict(spans)
    for stage in stages:
        form = _form_of(stage)
        enclosure = None if form is None else enclose(form, reached, "")
        name = stage.unknowns[0]
        if enclosure is None or not stays_within(enclosure, spans[name]):
            return False
        reached[name] = enclosure.values
    return True


def _form_of(stage: Stage) -> Node | None:
    """The closed form of a stage on the solution's path, where its equation is its only unknown less that form."""
    if len(stage.unknowns) > 1:
        return None
    name = stage.unknowns[0]
    form = simplified(negated(added(stage.zeros[0], negated(Name(name)))))
    return None if name in names_in(form) else form
