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
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from derive.numerics.intervals.arithmetic import Box
from derive.numerics.root_finding.branch_and_prune import ALLOWANCE, graph_within_blur, located
from derive.numerics.root_finding.contractors import contracted
from derive.solving.blocks.outcome import Outcome, Solution, repeats_multiple
from derive.solving.blocks.polishing import fitted, leads_elsewhere
from derive.solving.blocks.system import System, agrees
from derive.tolerances import LARGEST

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
    return all(math.isfinite(end) for name in system.unknowns for end in system.domains[name].ends)


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
    box = tuple(system.domains[name].ends for name in system.unknowns)
    allowance = ALLOWANCE // share // (1 if is_bounded(system) else _SHORT)
    places = located(system.equations, system.unknowns, system.known, box, allowance)
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
    """Whether a complete search of a block is needless, since contractors leave nothing of its domains.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> pair = tuple(parse_equation(text) for text in ("x*y = 1", "x**2 + y**2 = 1"))
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> contractors_refute(System(pair, ("x", "y"), {}, {"x": positive, "y": positive}))
    True
    """
    if not is_small(system) or any(equation.op != "=" for equation in system.equations):
        return False
    graph = graph_within_blur(system.equations, system.unknowns, system.known)
    return graph is not None and contracted(graph, [system.domains[name].ends for name in system.unknowns]) is None


def _is_outside_domains(haze: Box, system: System) -> bool:
    """Whether a solution of a complete search lies outside the domains for all numbers within rounding."""
    spans = ((span, system.domains[name].ends) for name, span in zip(system.unknowns, haze, strict=True))
    return any(high < least or low > most for (low, high), (least, most) in spans)


def _values_in_box(narrow: Box, haze: Box, system: System) -> dict[str, float] | None:
    """The values of a solution of a complete search, moved to zero or a domain's end if only rounding forbids it."""
    middles = {name: low + (high - low) / 2 for name, (low, high) in zip(system.unknowns, narrow, strict=True)}
    snapped = dict(middles)
    for name, (low, high), (least, most) in zip(system.unknowns, narrow, haze, strict=True):
        ends = [end for end in system.domains[name].ends if least <= end <= most]
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
            solution = Solution(values, {})
            is_sought = all(abs(x) <= LARGEST for x in values.values()) and system.meets(values)
            if is_sought and not leads_elsewhere(values, system) and not repeats_multiple(solution, known):
                known.append(solution)
                yield solution
