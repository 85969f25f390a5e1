"""One block of a plan at given numbers: every admissible solution for its unknowns.

A single relation with a single unknown is isolated if possible and searched for roots if not. Several relations that
need each other are solved by the first of these that succeeds: as a linear system, or as one of products; as two
polynomials, by their resultants; by contractors, which may leave nothing of the unknowns' domains; by tearing (one
unknown is guessed, the others follow, and the last relation decides it, with all its roots); by branch and prune over
the domains, which is tried briefly before tearing where they are bounded; and by local methods from many starts, which
find solutions and cannot prove that there are no more.

A list of solutions is complete, and has no caveat, only for one of these reasons:

- the system is linear in its unknowns or in their logarithms, and of full rank, so that it has one solution
  (`linear`);
- its two equations are polynomials with exact numbers, all of whose common zeros are counted (`common_zeros`);
- tearing left nothing out, all roots of the last relation are known, and each has been followed to the one solution
  that belongs to it (`tearing`); likewise for each system that results where a divisor is zero;
- boxes that each hold no solution, or one of the list, cover the domains (`complete_search`).

A system with choices (max, min, conditions) is the union of the systems with one arm each. Its list is complete if
theirs are, or if the last reason holds for the whole system.

Every candidate is put back into the relations. Where no number in them is rounded, their gaps count in many digits:
equations that only nearly agree contradict each other (`polishing.is_contradicted`, `refinement`).

A value that satisfies a relation only because it cancels there is a plateau: an interval of values, not a value. Where
no choice and no cancelled unknown explains the plateau and all unknowns move together, the relations are dependent and
do not fix the unknowns.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain

from derive.errors import Cause, LimitError
from derive.expressions.tree import Equation, Name, render
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.isolation import isolate
from derive.numerics.algebra.like_terms import ZERO, at_zeros, difference_of
from derive.numerics.algebra.linear import ReducedEquations, Solved, combined, linear_solutions, product_solutions
from derive.numerics.algebra.polynomials import common_zeros
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span, enclose
from derive.numerics.root_finding.branch_and_bound import System as BoxSystem
from derive.numerics.root_finding.continuous_pieces import continuous_pieces
from derive.numerics.root_finding.univariate_branch_and_prune import middle
from derive.solving.assumptions import Assumption
from derive.solving.blocks.complete_search import (
    NOWHERE,
    CompleteSearch,
    contractors_refute,
    is_bounded,
    is_small,
    points_in_open_boxes,
    search_domains,
)
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.multistart import solved_from_starts
from derive.solving.blocks.one_unknown import solutions_of, values_of
from derive.solving.blocks.outcome import OTHERS_MAY_EXIST, Outcome, Solution, is_covered, repeats_multiple
from derive.solving.blocks.polishing import each_once, fitted, in_short_decimals, sharp
from derive.solving.blocks.sample_points import is_narrow
from derive.solving.blocks.solution_curves import (
    holds_along_branch,
    is_open_beside_zeros,
    is_open_in_part,
    lies_on_curve,
    repeat_each_other,
    rounds_unknowns,
)
from derive.solving.blocks.substitution import Lost
from derive.solving.blocks.system import System, agrees
from derive.solving.blocks.tearing import straight, tearings, torn
from derive.time_limits import Search, sharing, stop_if_over
from derive.tolerances import LARGEST, SAME_ROOT
from quantities.domain import Domain

_DIVISORS = 2  # limit on divisors that are zero at once
_QUICK = 20  # the first search through boxes is this many times shorter than the last
_SHARE = 0.5  # of the time left, which the last one may take
_DEPENDENT = Assumption(
    "in another arm the relations are dependent; it is not proved that there are no other solutions", "unproved"
)
_CONTRADICTING = Outcome((), singular=True, reason="the equations contradict each other", cause=Cause.CONTRADICTION)
_COUNTED = "no other solution: proved by resultants, all of whose roots are known"
_NO_ARM = "no arm that could give it binds"
_NOWHERE = "no real numbers fit both: proved by resultants"
_REPEATING = Outcome((), singular=True, reason="the equations are dependent, and hold along a whole curve")


def solve_block(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float] | None = None,
    *,
    search: Search = Search.FROM_STARTS,
) -> Outcome:
    """Every admissible solution of a block: values of its unknowns in their domains at which all equations hold.

    Several equations without a closed solution are searched no further than `search` says, and then left undecided.

    >>> from derive.expressions.grammar import parse_equation
    >>> size = Domain("0..100", 0.0, 100.0)
    >>> pair = [parse_equation("x + y = a"), parse_equation("x = max(y, b)*y")]
    >>> outcome = solve_block(pair, ["x", "y"], {"a": 6.0, "b": 1.0}, {"x": size, "y": size})
    >>> [dict(solution.values) for solution in outcome.solutions]
    [{'x': 4.0, 'y': 2.0}]
    """
    if len(unknowns) == 1:
        return values_of(equations[0], unknowns[0], known, domains[unknowns[0]])
    system = System(
        equations=tuple(equations),
        unknowns=tuple(unknowns),
        known=known,
        domains=domains,
        hints=hints or {},
        search=search,
    )
    return in_short_decimals(_solve_system(system), system)


def is_refuted(
    equations: Sequence[Equation], unknowns: Sequence[str], spans: Mapping[str, Span], domains: Mapping[str, Domain]
) -> bool:
    """Whether it is seen without a search that a block has no solution, wherever its known numbers lie in spans.

    Contractors show it of each continuous piece. Where all unknowns follow from one, so may the equation that is left.

    >>> from derive.expressions.grammar import parse_equation
    >>> size = {name: Domain("-9..9", -9.0, 9.0) for name in "xy"}
    >>> pair = [parse_equation("x + y = a"), parse_equation("x - y = 1")]
    >>> [is_refuted(pair, ["x", "y"], {"a": span}, size) for span in ((0.9, 1.1), (19.0, 21.0), (15.0, 21.0))]
    [False, True, False]
    """
    box = {**{name: domains[name].ends for name in unknowns}, **spans}
    differences = tuple(map(difference_of, equations))
    in_domains = BoxSystem(Name(unknowns[0]), domains[unknowns[0]].ends, differences, box)
    if continuous_pieces(in_domains) == []:
        return True
    if len(unknowns) == 1:
        return _is_never_reached(equations[0], unknowns[0], spans, domains[unknowns[0]])
    way = straight(equations, unknowns, spans, domains)
    return way is not None and any(_is_never_reached(left, way[0], spans, domains[way[0]]) for left in way[1].left)


def _is_never_reached(equation: Equation, name: str, spans: Mapping[str, Span], domain: Domain) -> bool:
    """Whether a block's equation has one number in a span that it never comes to, whatever its unknown is.

    What is continuous, and comes neither to one end of a span nor to the other nor to its middle, comes to no number in
    it, unless it stays between two of these. Past a pole, or where it is undefined, it may begin again anywhere.
    """
    known = {given: low for given, (low, _) in spans.items() if given in equation.names}
    moving = [given for given in known if spans[given][1] > known[given]]
    if len(moving) != 1:
        return False
    (number,) = moving
    candidates = isolate(equation, number) or ()
    if len(candidates) != 1 or candidates[0].conditions or candidates[0].divisors:
        return False
    form = candidates[0].form
    start, end = domain.ends
    inside = {**spans, name: (math.nextafter(start, end) if domain.open_low else start, end)}
    enclosure = enclose(form, inside, "")
    if enclosure is None or enclosure.partial:
        return False
    low, high = spans[number]
    center = middle((max(start, -LARGEST), min(end, LARGEST)))  # at infinity a form may have no value
    if low <= value(form, {**known, name: center}) <= high:
        return False
    outcomes = (values_of(equation, name, {**known, number: x}, domain) for x in (low / 2 + high / 2, low, high))
    return all(outcome.is_complete and not outcome.solutions for outcome in outcomes)


def _solve_system(system: System) -> Outcome:
    """Solve a block of several equations, which may be combined into simpler ones.

    Combining them takes as long as solving a plain system, so it is left for those that have no plain tearing, or
    where solving them ends in doubt.
    """
    is_plain = any(len(branches) == 1 for _, branches in tearings(system))
    if is_plain:
        outcome = each_once(_solve_by_first_method(system), system)
        if outcome.solutions and not outcome.caveat:
            return outcome
    sums = combined(system.equations, system.known) if is_small(system) else None
    if sums is not None and sums.contradict:
        return _CONTRADICTING
    if is_plain:
        return outcome
    if sums is not None:
        simpler = _with_simpler_equations(system, sums)
        outcome = each_once(_solve_by_first_method(simpler), simpler)
        points = [solution.values for solution in outcome.solutions if not solution.spans]
        if simpler is system or (not outcome.undecided and all(map(system.holds, points))):
            return outcome
    return each_once(_solve_by_first_method(system), system)


def _with_simpler_equations(system: System, sums: ReducedEquations) -> System:
    """A block to be solved with combinations of its equations, where these are linear or have fewer unknowns."""
    equations = []
    for stated, reduced, (before, after) in zip(system.equations, sums.equations, sums.degrees, strict=True):
        unknowns = {*stated.names}.intersection(system.unknowns)
        if reduced is not None and (unknowns > {*reduced.names} or after == 1 < before):
            equations.append(reduced)
        else:
            equations.append(stated)
    return system if tuple(equations) == system.equations else replace(system, equations=tuple(equations))


def _solve_by_first_method(system: System) -> Outcome:
    """Find a block's solutions by the first method that succeeds: closed forms, tearing, boxes or many starts."""
    variants = variants_of(system.equations, frozenset(system.unknowns))
    is_single = len(variants) == 1
    as_stated = None if is_single else _solve_by_tearing_as_stated(system)
    if as_stated is not None:
        return as_stated
    arms = [system] if is_single else [system.taking(variant) for variant in variants]
    outcomes = [_solve_without_choices(arm, is_single=is_single) for arm in arms]
    if system.search is Search.NONE or not any(outcome.caveat or outcome.undecided for outcome in outcomes):
        return _union_of_arms(outcomes, system)
    search = None
    with suppress(LimitError), sharing(_SHARE):
        search = search_domains(system)
    stop_if_over()  # of the whole query, and not only the share
    if search is not None and search.complete:
        return search.outcome
    if system.search is Search.COMPLETE:
        return _union_of_arms(outcomes, system)
    for place, arm in enumerate(arms):
        if outcomes[place].undecided:
            outcomes[place] = solved_from_starts(arm)
    outcome = _union_of_arms(outcomes, system)
    if search is None or outcome.singular:
        return outcome
    return _with_unproved(outcome, search, system, is_single=is_single)


def _with_unproved(outcome: Outcome, search: CompleteSearch, system: System, *, is_single: bool) -> Outcome:
    """Join a block's outcome with further solutions that a search saw; it has none if some lie on a curve."""
    solutions = list(outcome.solutions)
    seen = (*search.solutions, *points_in_open_boxes(search, system))
    points = [solution.values for solution in (*solutions, *seen) if not solution.spans]
    on_curve = (point for point in points if lies_on_curve(point, system))
    # in many digits, a point that seems to lie on a curve may become an isolated root
    if is_single and any(lies_on_curve(sharp(point, system), system) for point in on_curve):
        return _REPEATING
    more = [
        solution for solution in seen if not (repeats_multiple(solution, solutions) or is_covered(solution, solutions))
    ]
    if not more:
        return outcome
    return replace(outcome, solutions=(*solutions, *more), caveat=outcome.caveat or OTHERS_MAY_EXIST, undecided=False)


def _solve_by_tearing_as_stated(system: System) -> Outcome | None:
    """Solve a block by its first method, tearing with all choices; None unless the list is surely complete."""
    result = None if is_open_in_part(system) else torn(system)
    if result is None:
        return None
    outcome, lost = result
    if lost or not outcome.is_complete:
        return None
    is_sampled = any(solution.spans and not solution.is_whole for solution in outcome.solutions)
    return None if is_sampled else outcome


def _union_of_arms(outcomes: Sequence[Outcome], system: System) -> Outcome:
    """All solutions of a block that has choices, as the union of the outcomes with one arm for each choice."""
    solutions: list[Solution] = []
    listed = chain.from_iterable(outcome.solutions for outcome in outcomes)
    for solution in sorted(listed, key=lambda solution: -len(solution.spans)):  # what may cover others comes first
        if not is_covered(solution, solutions):
            solutions.append(solution)
    caveat = next((outcome.caveat for outcome in outcomes if outcome.caveat and outcome.solutions), None)
    undecided = any(outcome.undecided for outcome in outcomes)
    if solutions and undecided and not caveat:
        text = "another arm was searched numerically; it is not proved that it has no solution"
        caveat = Assumption(text, "unproved")
    singular = any(outcome.singular for outcome in outcomes)
    if solutions and singular:
        caveat = _DEPENDENT
        solutions = [_with_intervals(solution, system) for solution in solutions]
    if solutions:
        return Outcome(tuple(solutions), caveat)
    with_reason = [outcome for outcome in outcomes if outcome.reason and (outcome.singular or not singular)]
    # contradictions come last: equations that are dependent in another arm may have a solution
    first = min(with_reason, key=lambda outcome: outcome.cause is Cause.CONTRADICTION, default=Outcome(()))
    return Outcome((), singular=singular, reason=first.reason, cause=first.cause, undecided=undecided)


def _with_intervals(solution: Solution, system: System) -> Solution:
    """A solution of a block of which an arm is dependent, with the intervals along which its equations hold.

    Where two arms meet, the solution by one is the end of an interval by the other: `max(x, y) = 2`, `x = 2` has
    `y = 2`, and every smaller y.
    """
    if solution.spans:
        return solution
    intervals = {name: _interval_of(name, solution.values, system) for name in system.unknowns}
    spans = {name: span for name, span in intervals.items() if span is not None}
    values = {name: number for name, number in solution.values.items() if name not in spans}
    return replace(solution, values=values, spans=spans)


def _interval_of(name: str, values: Mapping[str, float], system: System) -> Span | None:
    """The interval of one unknown along which a block's equations hold with the others fixed; None if it has none."""
    known = {**system.known, **{other: number for other, number in values.items() if other != name}}
    low, high = system.domains[name].ends
    for equation in system.equations:
        if name not in equation.names:
            continue
        solutions = values_of(equation, name, known, system.domains[name]).solutions
        spans = (solution.spans[name] for solution in solutions if solution.spans)
        around = next((span for span in spans if lies_in((values[name], values[name]), span, SAME_ROOT)), None)
        if around is None:
            return None
        low, high = max(low, around[0]), min(high, around[1])
    return (low, high) if low < high and not is_narrow((low, high)) else None


def _refuted_by_one_equation(system: System) -> Outcome | None:
    """See that a block has no solution since one equation alone cannot hold; None if there is no such equation.

    Such an equation has no unknown left, or a single one that has no value. A product with a zero factor is zero. So
    what is known to be zero, or is made so by one equation, may leave others a single unknown or none.
    """
    pending = system.equations
    zeros = {name for name, number in system.known.items() if number == 0}
    while pending:
        pending = tuple(equation.changed(partial(at_zeros, zeros=zeros)) for equation in pending)
        new_zeros = set()
        for equation in pending:
            names = {*equation.names}.intersection(system.unknowns)
            if not names and not agrees(equation, system.known):
                return Outcome((), reason=f"{render(equation.lhs)} is not {render(equation.rhs)}")
            if len(names) == 1:
                (name,) = names
                outcome = solutions_of(system.alone(equation, name))
                if not (outcome.solutions or outcome.undecided):
                    return Outcome((), reason=f"{name}: {outcome.reason}")
                if not outcome.caveat and [solution.values for solution in outcome.solutions] == [{name: 0.0}]:
                    new_zeros.add(name)
        pending = tuple(equation for equation in pending if not new_zeros.isdisjoint(equation.names))
        zeros = new_zeros
    return None


def _solve_without_choices(system: System, *, is_single: bool, depth: int = _DIVISORS) -> Outcome:
    """Find all solutions of a block, or of one arm of it, by closed forms or tearing; undecided if neither applies.

    Unless it `is_single`, the system is one arm among several, and dependent equations give an interval.
    """
    refuted = _refuted_by_one_equation(system)
    if refuted is not None:
        return refuted
    if not is_single and is_small(system):  # of a single system, `_solve_system` combines the equations
        sums = combined(system.equations, system.known)
        if sums is not None and sums.contradict:
            return replace(_CONTRADICTING, singular=False)
    problem = (system.equations, system.unknowns, system.known, system.domains)
    linear = linear_solutions(*problem) or product_solutions(*problem)
    if linear is not None:
        # in one arm among several, tearing gives the interval of each unknown along a whole line of solutions
        is_line = linear.singular and not linear.points and linear.cause is not Cause.CONTRADICTION
        if is_single or not is_line:
            return _linear_outcome(system, linear)
    proved = _solve_by_resultants(system)
    if proved is None and is_single and is_small(system):
        proved = _solve_by_quick_search(system)
    if proved is not None:
        return proved
    if contractors_refute(system):
        return NOWHERE
    result = torn(system)
    by_tearing = None if result is None else _with_zeros_of_divisors(*result, system, depth)
    if by_tearing is not None and not by_tearing.undecided:
        if is_single:
            is_curve = any(len(solution.spans) > 1 and not solution.values for solution in by_tearing.solutions)
            is_curve = is_curve and not rounds_unknowns(system)
        else:  # a single small system has been seen not to repeat itself by the quick search
            is_curve = bool(by_tearing.caveat) and is_small(system) and repeat_each_other(system)
        return _REPEATING if is_curve else by_tearing
    if linear is not None:
        return Outcome((), singular=True, reason=linear.reason, cause=linear.cause)
    return _REPEATING if is_open_beside_zeros(system) else Outcome((), undecided=True)


def _linear_outcome(system: System, solved: Solved) -> Outcome:
    """The outcome of a block that is linear in its unknowns or their logarithms, from the solutions of that system."""
    points = [fitted(point, system) for point in solved.points]
    solutions = tuple(Solution(point, {}) for point in points if system.holds(point))
    reason = solved.reason or ", ".join(filter(None, map(system.outside, points)))
    if not (reason or solutions):
        reason = _NO_ARM
    return Outcome(solutions, singular=solved.singular, reason=reason, cause=solved.cause)


def _solve_by_quick_search(system: System) -> Outcome | None:
    """Before a small block is torn, see that its equations are dependent, or search bounded domains briefly."""
    if holds_along_branch(system) or repeat_each_other(system):
        return _REPEATING
    search = search_domains(system, _QUICK) if is_bounded(system) else None
    return search.outcome if search is not None and search.complete else None


def _solve_by_resultants(system: System) -> Outcome | None:
    """Solve a block of two polynomials by their resultants, if all common zeros are known; None for other blocks."""
    zeros = common_zeros(system.equations, system.unknowns, system.known)
    if zeros is None:
        return None
    points = [dict(zip(system.unknowns, zero, strict=True)) for zero in zeros]
    if any(system.misses(point) for point in points):
        return None  # rounding hides a zero
    solutions = tuple(Solution(point, {}, proof=_COUNTED) for point in points if system.holds(point))
    if solutions:
        return Outcome(solutions)
    if not points:
        return Outcome((), reason=_NOWHERE)
    outside = "; ".join(filter(None, map(system.outside, points)))
    return Outcome((), reason=outside or _NO_ARM)


def _with_zeros_of_divisors(outcome: Outcome, lost: tuple[Lost, ...], system: System, depth: int) -> Outcome:
    """Solve a block also where divisors of its tearing are zero, and join these solutions with the outcome."""
    solutions = list(outcome.solutions)
    open_divisors: list[str] = []
    for equation, divisor in lost:
        if depth == 0:
            open_divisors.append(render(divisor))
            continue
        equations = tuple(Equation(divisor, "=", ZERO) if stated == equation else stated for stated in system.equations)
        within = replace(system, equations=equations, stated=())
        at_zero = _solve_without_choices(within, is_single=False, depth=depth - 1)
        if at_zero.undecided and system.search is Search.FROM_STARTS:
            at_zero = solved_from_starts(within)
        points = [solution for solution in at_zero.solutions if not solution.spans]
        solutions += [point for point in points if system.holds(point.values) and not is_covered(point, solutions)]
        if not at_zero.is_complete or len(points) < len(at_zero.solutions):
            open_divisors.append(render(divisor))
    if not open_divisors:
        return replace(outcome, solutions=tuple(solutions), undecided=outcome.undecided and not solutions)
    text = f"it is not proved that there are no others where {' or '.join(dict.fromkeys(open_divisors))} is zero"
    caveat = outcome.caveat or Assumption(text, "unproved")
    return replace(outcome, solutions=tuple(solutions), caveat=caveat, undecided=not solutions)
