"""Simultaneous equations solved numerically, by local methods from many starts.

Local methods find solutions and cannot prove that there are no more. First the system is reduced to as few unknowns
as possible by substitution, and Newton's method is run on those (`newton`). Where that finds nothing, or too many
unknowns are left, all of them are solved for at once with SciPy (`minpack`), which is imported only for this.

How many starts are enough is told by what they led to. If n of them led to w different solutions, and nothing is known
of how often a start leads to each, w(n - 1)/(n - w - 2) solutions are expected in all (Boender and Rinnooy Kan,
*Bayesian stopping rules for multistart global optimization methods*, 1987). The search ends when no other is.

A solution that is not isolated is dropped: the relations hold along a whole curve. An isolated one at which the
Jacobian is singular is computed in multiprecision, and its loss of digits is reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, combinations, islice

from derive.errors import LimitError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Apply, Equation, Node, names_in, rebuilt
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.local_solvers.newton import is_isolated, many_starts
from derive.solving.assumptions import Assumption
from derive.solving.blocks.outcome import Outcome, Solution, are_close, repeats
from derive.solving.blocks.polishing import in_many_digits, is_telling, leads_elsewhere, polished
from derive.solving.blocks.sample_points import points_across_domains, starting_points
from derive.solving.blocks.solution_curves import lies_on_curve
from derive.solving.blocks.substitution import Branch, expressed, sizes
from derive.solving.blocks.system import System
from derive.time_limits import sharing, stop_if_over, tick
from derive.tolerances import SAME_ROOT

_CURVE = 4  # solutions, apart from each other and none of them isolated, that make a curve
_ROUGH = 20  # singular solutions that are no longer counted: doubles do not tell them from a curve
_APART = 0.03  # of the largest value, by which two of these differ: a root of high order is found to a hundredth
_TORN = 3  # limit on tears
_WAYS = 800  # limit on sets of tears that are tried
_TEARABLE = 16  # limit on unknowns of a system that is torn
_PLAIN = 400  # limit on nodes of the remaining equations; beyond it all unknowns are solved for instead
_MEDIUM = 60  # limit on unknowns of a system for which more than one solution is sought
_LARGEST = 3000  # limit on nodes of a system that is torn
_REFINED = 60_000  # limit on nodes of a system whose residuals are computed in multiprecision
_STARTS = 60  # from which at least one has to lead to a solution
_TRIED = 8  # starts from which every method is tried, even if a solution is found soon
_FRUITLESS = 2e7  # limit on operations of a search that leads to no solution
_LEAST_WORK = 1e7  # operations that a search may take although no other solution is expected
_WORK = 1e8  # limit on operations of any search
_SHARE = 0.3  # of the time left, which a search may take
_UNLIKELY = 0.2  # solutions that are expected beside the known ones
_DIGITS = 16  # of doubles
_DOUBLE = 2  # the order of a root with a singular Jacobian, at least


@dataclass
class _SearchFromStarts:
    """What a search from many starts has found so far."""

    system: System
    solutions: list[Solution] = field(default_factory=list)
    rough: list[tuple[Mapping[str, float], int]] = field(default_factory=list)  # singular ones, and their digits
    on_curve: list[Mapping[str, float]] = field(default_factory=list)  # points not isolated, apart from each other
    tried: int = 0
    led: int = 0  # starts that led to a root

    @property
    def is_curve(self) -> bool:
        """Whether many starts led to a curve: to several points of one, and no isolated solution."""
        return len(self.on_curve) >= _CURVE and not self.solutions

    @property
    def expects_others(self) -> bool:
        """Whether starts are likely to lead to solutions that none has led to so far."""
        if len(self.rough) >= _ROUGH:
            return False
        known, spare = len(self.solutions), self.led - len(self.solutions) - 2
        return not known or spare <= 0 or known * (self.led - 1) / spare - known > _UNLIKELY

    def take(self, proposed: Mapping[str, float]) -> None:
        """Add a root that a start led to, if it is new and solves the whole system: a solution, or a curve's point."""
        values: Mapping[str, float] = polished(dict(proposed), self.system)
        if not self.system.holds(values):
            refined = in_many_digits(values, self.system)
            if refined is not None:
                values, _ = refined
        if not self.system.holds(values) or repeats(values, self.solutions) or self._is_rough(values):
            return
        if leads_elsewhere(values, self.system):
            return
        if len(values) > _MEDIUM or is_isolated(self.system.equations, values, self.system.known):
            self.solutions.append(Solution(values, {}))
        elif lies_on_curve(values, self.system):
            if not any(are_close(values, other, _APART) for other in self.on_curve):
                self.on_curve.append(values)  # many starts lead to one root of high order
        else:
            self._take_singular(values)

    def _take_singular(self, values: Mapping[str, float]) -> None:
        """Add a multiple root that a start led to, with all its digits where multiprecision confirms it."""
        refined = in_many_digits(values, self.system)
        if refined is None and not is_telling(values, self.system):
            return  # the givens are lost in rounding there
        order = _DOUBLE
        if refined is not None:
            root, shown = refined
            order = shown or _DOUBLE
            values = root if order > 1 and self.system.holds(root) else values
        if order > 1:
            if self._is_rough(values):
                return
            self.rough.append((values, max(1, _DIGITS // order)))
        if not repeats(values, self.solutions):
            self.solutions.append(Solution(values, {}))

    def has(self, values: Mapping[str, float]) -> bool:
        """Whether a root that a start led to, not yet refined to its last digit, is already known."""
        return any(are_close(values, solution.values, SAME_ROOT, 1e-3) for solution in self.solutions)

    def _is_rough(self, values: Mapping[str, float]) -> bool:
        """Whether a root that a start led to agrees with a known singular one in the digits that the known one has."""
        return any(are_close(values, known, 10.0 ** (1 - digits)) for known, digits in self.rough)

    def outcome(self) -> Outcome:
        """The outcome of the search from many starts, which proves nothing about solutions that no start led to."""
        if not self.solutions:
            if self.is_curve:
                return Outcome((), singular=True, reason="they hold along a whole curve")
            return Outcome((), reason=f"none was found from {self.tried} starts", undecided=True)
        text = f"solved numerically from {self.tried} starts; it is not proved that there are no other solutions"
        if self.rough:
            digits = min(digits for _, digits in self.rough)
            text += f"; the relations are singular at a solution, where the givens fix about {digits} digits"
        return Outcome(tuple(self.solutions), Assumption(text, "unproved"))


def solved_from_starts(system: System) -> Outcome:
    """The outcome of a block by local methods from many starts: the solutions to which they converge."""
    if any(_only_rounds(equation, system.unknowns) for equation in system.equations):
        return Outcome((), singular=True, reason="what is only rounded leaves them room")
    search = _SearchFromStarts(system)
    with suppress(LimitError), sharing(_SHARE):  # what is found by then is kept
        _search_all_methods(search)
    stop_if_over()  # of the whole query, and not only the share
    return search.outcome()


def _only_rounds(equation: Equation, unknowns: Iterable[str]) -> bool:
    """Whether the unknowns in an equation that starts are to solve are all rounded: where one fits, so do others."""

    def without_steps(node: Node) -> Node | None:
        return ZERO if isinstance(node, Apply) and node.op in STEPPED else None

    outside = names_in(*(rebuilt(side, without_steps) for side in equation.sides))
    return {*unknowns}.isdisjoint(outside) and not {*unknowns}.isdisjoint(equation.names)


def _search_all_methods(search: _SearchFromStarts) -> None:
    """Search from many starts a system reduced to its tears, and all its equations at once if that may find more."""
    system = search.system
    tears, branches = _fewest_tears(system.equations, system.unknowns)
    if len(tears) <= _TORN and all(sizes(branch.left) <= _PLAIN for branch in branches):
        points = [*islice(points_across_domains(tears, system.known, system.domains), _STARTS)]
        search.tried = len(points)
        for branch in branches:
            for root in many_starts(branch.left, tears, system.known, points, system.positive):
                search.led += 1
                search.take(branch.at(root, system.known))
                if search.is_curve:
                    return
    if len(tears) > 1 or system.hints or search.expects_others:
        for root in _roots_of_all_equations(search):
            search.take(root)
            if search.is_curve:
                return


def _roots_of_all_equations(search: _SearchFromStarts) -> Iterator[dict[str, float]]:
    """The roots of all equations at once, from as many starts as seem worth their work."""
    from derive.numerics.local_solvers.automatic_differentiation import Tape
    from derive.numerics.local_solvers.minpack import Search, refined

    system, size = search.system, len(search.system.unknowns)
    tape = Tape(system.equations, system.unknowns, system.known)
    local_search = Search(tape, [system.domains[name].low >= 0 for name in system.unknowns])
    is_refined = sizes(system.equations) <= _REFINED
    most_fruitless = _STARTS if size <= _MEDIUM else _STARTS // 5
    starts = starting_points(system.unknowns, system.known, system.domains, system.hints)
    for tried, start in enumerate(starts, 1):
        tick()
        search.tried += 1
        has_each_method = tried <= _TRIED or not search.solutions
        root = local_search.root_near([start[name] for name in system.unknowns], has_each_method=has_each_method)
        if root is not None:
            search.led += 1
            if not search.has(dict(zip(system.unknowns, root.tolist(), strict=True))):
                if is_refined:
                    root = refined(tape, system.equations, root)
                yield dict(zip(system.unknowns, root.tolist(), strict=True))
        if not search.solutions:
            is_over = tried >= most_fruitless or local_search.work > _FRUITLESS
        elif size > _MEDIUM:
            is_over = True
        else:
            is_over = tried >= _TRIED and local_search.work > _LEAST_WORK and not search.expects_others
        if is_over or local_search.work > _WORK:
            return


def _fewest_tears(equations: Sequence[Equation], unknowns: Sequence[str]) -> tuple[tuple[str, ...], tuple[Branch, ...]]:
    """The fewest unknowns to search for from many starts, with the branches that express the others; else all."""
    counts = range(1, min(_TORN + 1, len(unknowns)))
    ways = chain.from_iterable(combinations(unknowns, count) for count in counts)
    is_small = len(unknowns) <= _TEARABLE and sizes(equations) <= _LARGEST
    for tears in islice(ways, _WAYS if is_small else 0):
        tick()
        branches = expressed(equations, unknowns, *tears)
        if branches:
            return tears, branches
    return tuple(unknowns), (Branch({}, tuple(equations)),)
