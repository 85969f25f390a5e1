"""All solutions of a small block by branch and prune, which proves the list complete.

The argument: every point of the unknowns' domains lies in a part of the box that was dropped, because it holds no
solution; in a region that was proved to hold exactly one, which is on the list; or in an open part
(`branch_and_prune`). With no open part, the list is complete. Given numbers are rounded, and that rounding may decide
whether there are two near solutions, a double one or none. They are therefore taken as small intervals: the proof
holds for the equations as written, and for every number within the rounding of the given ones. Solutions on the list
are put back into the equations like all others.

A solution that lies outside the domains for all these numbers is dropped. One that may lie on either side of a
domain's end is placed at that end if the equations hold there; if they do not, the list is left open.

Around a multiple solution parts stay open. If the equations hold there when evaluated, the solution is listed, and
the list is not called complete.

Interval propagation encloses some quantities by intervals of others. Where a quantity is only bounded, whatever depends
on it is bounded as well. Each unknown starts with its whole domain, and pieces on which the sides of an equation cannot
meet are cut off at both ends, until no more come off. Every solution lies in what remains; not everything that remains
is a solution.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from derive.expressions.tree import Equation, Name
from derive.numerics.algebra.linear import echelon
from derive.numerics.intervals.boxes import Box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_prune import ALLOWANCE, located
from derive.numerics.root_finding.contractors import contracted
from derive.numerics.root_finding.expression_graph import dag_of
from derive.solving.blocks.outcome import Outcome, Solution, System, agrees
from derive.solving.blocks.polishing import fitted, leads_elsewhere
from derive.solving.blocks.samples import middle
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, BLUR, LARGEST, NEAR_MULTIPLE

_SMALL = 10  # limit on unknowns of a block that is searched early
_MOST = 30  # limit on unknowns of a block that is searched at all
_SHORT = 8  # the search is this many times shorter where a domain is unbounded
_LOOKED = 12  # limit on open boxes from which a point is sought
PROOF = "no other solution: proved by interval Newton in boxes that cover the domains"
NOWHERE = Outcome((), reason="no point of the domains fits all of them: proved by interval arithmetic")


@dataclass(frozen=True, slots=True)
class CompleteSearch:
    """The result of a complete search: solutions proved to exist, whether they are all, and boxes left open."""

    solutions: tuple[Solution, ...]
    complete: bool
    open: tuple[Box, ...] = ()

    @property
    def outcome(self) -> Outcome:
        """The outcome of a complete search without open boxes, with its proof at each solution."""
        if not self.solutions:
            return NOWHERE
        return Outcome(tuple(replace(solution, proof=PROOF) for solution in self.solutions))


def is_small(system: System) -> bool:
    """Whether a block has few enough unknowns for a complete search before other methods are tried."""
    return len(system.unknowns) <= _SMALL


def is_bounded(system: System) -> bool:
    """Whether all domains in which a complete search looks have two finite ends."""
    return all(map(math.isfinite, chain.from_iterable(map(system.inside, system.unknowns))))


def search_domains(system: System, share: int = 1) -> CompleteSearch | None:
    """A complete search for the solutions of a block, by branch and prune; None if it is too large for that.

    A block with inequalities is not searched. The search takes at most 1/share of its work limit.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> pair = tuple(parse_equation(text) for text in ("x**2 + y**2 = 25", "cos(y - 4) = x - 2"))
    >>> search = search_domains(System(pair, ("x", "y"), {}, dict.fromkeys("xy", Domain("-9..9", -9.0, 9.0))))
    >>> [{name: round(x, 6) for name, x in found.values.items()} for found in search.solutions], search.complete
    ([{'x': 3.0, 'y': 4.0}, {'x': 1.152426, 'y': -4.865379}], True)
    """
    if len(system.unknowns) > _MOST or any(equation.op != "=" for equation in system.equations):
        return None
    box = tuple(system.inside(name) for name in system.unknowns)
    allowance = ALLOWANCE // share // (1 if is_bounded(system) else _SHORT)
    places = located(system.equations, system.unknowns, system.known, box, allowance, BLUR)
    if places is None:
        return None
    solutions: list[Solution] = []
    complete = places.complete
    # a haze holds the solution for all numbers within the rounding of the givens, a narrow box for the givens alone
    for narrow, haze in zip(places.solutions, places.hazes, strict=True):
        if _is_outside_domains(haze, system):
            continue
        values = _values_in_box(narrow, haze, system)
        if values is None or not (system.holds(values) or system.is_at_open_end(values)):
            complete = False
        elif system.holds(values):
            solutions.append(Solution(values, {}))
    return CompleteSearch(tuple(solutions), complete, places.open)


def contractors_refute(system: System) -> bool:
    """Whether contractors leave nothing of a block's domains, so that no complete search is needed.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> pair = tuple(parse_equation(text) for text in ("x*y = 1", "x**2 + y**2 = 1"))
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> contractors_refute(System(pair, ("x", "y"), {}, {"x": positive, "y": positive}))
    True
    """
    if not is_small(system) or any(equation.op != "=" for equation in system.equations):
        return False
    implied = echelon(system.equations, system.unknowns, {})
    graph = dag_of(system.equations, system.unknowns, system.known, implied, BLUR)
    return graph is not None and contracted(graph, [system.inside(name) for name in system.unknowns]) is None


def _is_outside_domains(haze: Box, system: System) -> bool:
    """Whether a solution of a complete search lies outside the domains for all numbers within rounding."""
    spans = ((span, system.inside(name)) for name, span in zip(system.unknowns, haze, strict=True))
    return any(high < least or low > most for (low, high), (least, most) in spans)


def _values_in_box(narrow: Box, haze: Box, system: System) -> dict[str, float] | None:
    """The values of a solution of a complete search, moved to zero or a domain's end if only rounding forbids it."""
    middles = {name: low + (high - low) / 2 for name, (low, high) in zip(system.unknowns, narrow, strict=True)}
    snapped = dict(middles)
    for name, (low, high), (least, most) in zip(system.unknowns, narrow, haze, strict=True):
        ends = [end for end in system.inside(name) if least <= end <= most]
        if ends:
            snapped[name] = ends[0]
        elif low <= 0 <= high:
            snapped[name] = 0.0
    for values in (snapped, fitted(middles, system)):
        if all(agrees(equation, {**system.known, **values}) for equation in system.equations):
            return values
    return None


def points_in_open_boxes(search: CompleteSearch, system: System) -> Iterator[Solution]:
    """Points near the open boxes of a complete search at which the equations hold, each once, without proof.

    Unknowns above a limit do not count. Beside numbers so large the givens are lost in rounding, and any equation
    seems to hold.
    """
    known = list(search.solutions)
    for box in search.open[:: len(search.open) // _LOOKED + 1]:
        center = {name: low / 2 + high / 2 for name, (low, high) in zip(system.unknowns, box, strict=True)}
        if not all(map(math.isfinite, center.values())):
            continue
        for point in filter(None, (center, system.near(center))):
            values = fitted(dict(point), system)
            is_sought = all(abs(x) <= LARGEST for x in values.values()) and system.meets(values)
            if not is_sought or leads_elsewhere(values, system):
                continue
            if not is_near(Solution(values, {}), known):
                known.append(Solution(values, {}))
                yield known[-1]


def is_near(solution: Solution, others: Sequence[Solution]) -> bool:
    """Whether a solution of a complete search is one of others, to the precision of multiple solutions."""
    for other in others:
        if other.spans:
            continue
        pairs = ((x, other.values[name]) for name, x in solution.values.items())
        if all(abs(x - y) <= NEAR_MULTIPLE * max(abs(x), abs(y), NEAR_MULTIPLE) for x, y in pairs):
            return True
    return False


_ROUNDS = 8  # limit on rounds in which every equation cuts at every unknown
_PIECES = 400  # limit on pieces examined from one end
_PAYS = 1e-6  # relative change of an end below which no further round follows


def narrowed(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    spans: Mapping[str, Span],
    above: Mapping[str, float] = MappingProxyType({}),
) -> dict[str, Span] | None:
    """The interval that interval propagation leaves of each unknown; None if an unknown has no value at all.

    `above` holds exclusive lower bounds of quantities: where a side could meet a quantity only there, it does not.

    >>> from derive.expressions.grammar import parse_equation
    >>> spans = narrowed([parse_equation("y = max(x, 2)")], ["y"], {"x": (0.0, 5.0), "y": (0.0, math.inf)})
    >>> [round(end, 6) for end in spans["y"]]
    [2.0, 5.0]
    """
    box = dict(spans)
    for _ in range(_ROUNDS):
        before = dict(box)
        for equation in equations:
            for name in equation.names:
                if name in unknowns:
                    low, high = _end(equation, name, box, above, 0), _end(equation, name, box, above, 1)
                    if low is None or high is None:
                        return None
                    box[name] = (low, high)
        if len(equations) == 1 or all(_is_close(box[name], before[name]) for name in unknowns):
            break
    return {name: box[name] for name in unknowns}


def _end(equation: Equation, name: str, box: Mapping[str, Span], above: Mapping[str, float], side: int) -> float | None:
    """The lower (side 0) or upper (side 1) end that interval propagation by an equation leaves; None if nothing."""
    tick()
    if _may_meet(equation, {**box, name: _tip(box[name], side)}, above):
        return box[name][side]  # halving would end there too: every piece looked at would hold the tip
    pending = [box[name]]  # pieces still to be examined, the one at the end last
    for _ in range(_PIECES):
        tick()
        if not pending:
            return None
        piece = pending.pop()
        if not _may_meet(equation, {**box, name: piece}, above):
            continue
        low, high = piece
        cut = 0.0 if low < 0 < high else middle(piece)
        if math.isclose(low, high, rel_tol=AGREEMENT) or not low < cut < high:
            return piece[side]
        halves = [(low, cut), (cut, high)]
        pending.extend(halves if side else reversed(halves))
    return pending[-1][side] if pending else None


def _tip(span: Span, side: int) -> Span:
    """The tip of an interval in propagation: its end alone; where it is infinite, all beyond the largest number."""
    end = span[side]
    if math.isfinite(end):
        return end, end
    return (sys.float_info.max, math.inf) if end > 0 else (-math.inf, -sys.float_info.max)


def _may_meet(equation: Equation, box: Mapping[str, Span], above: Mapping[str, float]) -> bool:
    """Whether interval propagation lets the sides of an equation be equal somewhere in a box."""
    left, right = (enclose(side, box, "") for side in equation.sides)
    if left is None or right is None:
        return False
    for side, other in ((equation.lhs, right), (equation.rhs, left)):
        if isinstance(side, Name) and side.name in above and other.values[1] <= above[side.name]:
            return False
    return _is_below(left.values[0], right.values[1]) and _is_below(right.values[0], left.values[1])


def _is_below(low: float, high: float) -> bool:
    """Whether in interval propagation an end of an enclosure is at most an end of another, within rounding."""
    return low <= high or math.isclose(low, high, rel_tol=AGREEMENT)


def _is_close(span: Span, other: Span) -> bool:
    return all(math.isclose(a, b, rel_tol=_PAYS) for a, b in zip(span, other, strict=True))
