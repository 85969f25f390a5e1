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

Every candidate is put back into the relations. A value that satisfies a relation only because it cancels there is a
plateau: an interval of values, not a value. Where no choice and no cancelled unknown explains the plateau and all
unknowns move together, the relations are dependent and do not fix the unknowns.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from derive.errors import LimitError
from derive.expressions.tree import Apply, Equation, Name, Node, Number, render
from derive.numerics.algebra.like_terms import ZERO
from derive.numerics.algebra.linear import Combined, combined, linear_solutions, product_solutions
from derive.numerics.algebra.polynomials import common_zeros
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.solving.blocks.complete_search import NOWHERE, exhausted, is_bounded, is_denied, is_near, is_small, seen_in
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.multistart import solved_from_starts
from derive.solving.blocks.one_unknown import solutions_of, values_of
from derive.solving.blocks.outcome import Outcome, Solution, System, agrees, is_covered
from derive.solving.blocks.polishing import each_once, fitted, sharp
from derive.solving.blocks.samples import is_narrow
from derive.solving.blocks.solution_curves import (
    holds_along_branch,
    is_open_in_part,
    lies_on_curve,
    repeat_each_other,
)
from derive.solving.blocks.substitution import Lost
from derive.solving.blocks.tearing import tearings, torn
from derive.time_limits import sharing, tick
from derive.tolerances import SAME_ROOT
from quantities.domain import Domain

_DIVISORS = 2  # limit on divisors that are zero at once
_QUICK = 20  # the first search through boxes is this many times shorter than the last
_SHARE = 0.5  # of the time left, which the last one may take
_DEPENDENT = "in another arm the relations are dependent; it is not proved that there are no other solutions"
_UNPROVED = "it is not proved that there are no other solutions"
_CONTRADICTING = Outcome((), singular=True, reason="the equations contradict each other")
_COUNTED = "no other solution: proved by resultants, all of whose roots are known"
_NOWHERE = "no real numbers fit both: proved by resultants"
_REPEATING = Outcome((), singular=True, reason="the equations are dependent, and hold along a whole curve")


def solve_block(
    equations: Sequence[Equation],
    unknowns: Sequence[str],
    known: Mapping[str, float],
    domains: Mapping[str, Domain],
    hints: Mapping[str, float] | None = None,
    *,
    only_closed: bool = False,
) -> Outcome:
    """Every value of the unknowns in their domains for which all the equations hold.

    Where `only_closed`, several equations without a closed solution are left undecided, instead of searched long.

    >>> from derive.expressions.grammar import parse_equation
    >>> size = Domain("0..100", 0.0, 100.0)
    >>> pair = [parse_equation("x + y = a"), parse_equation("x = max(y, b)*y")]
    >>> found = solve_block(pair, ["x", "y"], {"a": 6.0, "b": 1.0}, {"x": size, "y": size})
    >>> [dict(solution.values) for solution in found.solutions]
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
        only_closed=only_closed,
    )
    return _solutions_of_system(system)


def _solutions_of_system(system: System) -> Outcome:
    """The solutions of several equations, which may be simpler where they are combined.

    Combining them takes as long as solving a plain system, so it is left for those that have no plain tearing, or
    where solving them ends in doubt.
    """
    is_plain = any(len(branches) == 1 for _, branches in tearings(system))
    outcome = each_once(_solved(system), system) if is_plain else None
    if outcome is not None and outcome.solutions and not outcome.caveat:
        return outcome
    less = combined(system.equations, system.known) if is_small(system) else None
    if less is not None and less.contradict:
        return _CONTRADICTING
    simpler = _simplified(system, less) if less is not None and not is_plain else None
    if simpler is not None:
        by_less = each_once(_solved(simpler), simpler)
        if not by_less.undecided and all(one.spans or system.holds(one.values) for one in by_less.solutions):
            return by_less
    return each_once(_solved(system), system) if outcome is None else outcome


def _simplified(system: System, found: Combined) -> System | None:
    """The system with equations replaced by what others leave of them, where that is linear or has fewer unknowns."""
    equations = []
    for own, less, (before, after) in zip(system.equations, found.equations, found.degrees, strict=True):
        held = {*own.names}.intersection(system.unknowns)
        is_simpler = (less is not None and held > {*less.names}) or after == 1 < before
        equations.append(less if less is not None and is_simpler else own)
    return replace(system, equations=tuple(equations)) if tuple(equations) != system.equations else None


def _solved(system: System) -> Outcome:
    """The outcome of a system, by the first of the ways above that succeeds."""
    variants = variants_of(system.equations, frozenset(system.unknowns))
    alone = len(variants) == 1
    whole = None if alone else _whole(system)
    if whole is not None:
        return whole
    arms = [system] if alone else [system.taking(variant) for variant in variants]
    closed = [_closed(arm, alone) for arm in arms]
    if system.only_closed or all(map(_is_settled, closed)):
        return _joined(closed, system)
    thorough = None
    with suppress(LimitError), sharing(_SHARE):
        thorough = exhausted(system)
    tick()
    if thorough is not None and thorough.complete:
        return thorough.outcome
    tried = zip(arms, closed, strict=True)
    outcomes = [solved_from_starts(arm) if outcome.undecided else outcome for arm, outcome in tried]
    outcome = _joined(outcomes, system)
    if thorough is None or outcome.singular:
        return outcome
    seen = (*thorough.solutions, *seen_in(thorough, system))
    if alone and any(_is_on_curve(one.values, system) for one in (*outcome.solutions, *seen) if not one.spans):
        return _REPEATING
    return _with_seen(outcome, seen)


def _is_on_curve(values: Mapping[str, float], system: System) -> bool:
    """Whether a solution lies on a curve of them, and so does the root that it becomes in many digits."""
    return lies_on_curve(values, system) and lies_on_curve(sharp(values, system), system)


def _is_settled(outcome: Outcome) -> bool:
    """Whether nothing about an outcome is left open."""
    return not (outcome.caveat or outcome.undecided)


def _with_seen(outcome: Outcome, seen: Sequence[Solution]) -> Outcome:
    """An outcome not proved complete, with the solutions that a search through boxes found."""
    found = list(outcome.solutions)
    more = [one for one in seen if not is_near(one, found) and not is_covered(one, found)]
    if not more:
        return outcome
    return replace(outcome, solutions=(*found, *more), caveat=outcome.caveat or _UNPROVED, undecided=False)


def _whole(system: System) -> Outcome | None:
    """The outcome of tearing with all choices in place, if it is certainly complete."""
    if is_open_in_part(system):
        return None
    found = torn(system)
    if found is None or found[1] or found[0].caveat or found[0].undecided or found[0].singular:
        return None
    is_sampled = any(solution.spans and not solution.is_whole for solution in found[0].solutions)
    return None if is_sampled else found[0]


def _joined(outcomes: Sequence[Outcome], system: System) -> Outcome:
    """The outcomes of all variants joined into one."""
    found: list[Solution] = []
    for solution in sorted((s for outcome in outcomes for s in outcome.solutions), key=lambda s: -len(s.spans)):
        if not is_covered(solution, found):
            found.append(solution)
    caveat = next((outcome.caveat for outcome in outcomes if outcome.caveat and outcome.solutions), "")
    undecided = any(outcome.undecided for outcome in outcomes)
    if found and undecided and not caveat:
        caveat = "another arm was searched numerically; it is not proved that it has no solution"
    told = [one for one in outcomes if one.reason]
    open_first = sorted(
        told, key=lambda one: "contradict" in one.reason
    )  # what is dependent is not thereby without a solution
    reason = open_first[0].reason if open_first else ""
    singular = any(outcome.singular for outcome in outcomes)
    if found and singular:
        caveat = _DEPENDENT
        found = [_moving(solution, system) for solution in found]
    return Outcome(tuple(found), caveat, singular and not found, "" if found else reason, undecided and not found)


def _moving(solution: Solution, system: System) -> Solution:
    """A solution with intervals of the unknowns that move in an arm whose relations are dependent.

    Where two arms meet, a solution of one is the end of all those of the other: `max(x, y) = 2`, `x = 2` has `y = 2`,
    and every smaller y.
    """
    if solution.spans:
        return solution
    rooms = {name: _room(name, solution.values, system) for name in system.unknowns}
    spans = {name: span for name, span in rooms.items() if span is not None}
    return replace(solution, values={n: x for n, x in solution.values.items() if n not in spans}, spans=spans)


def _room(name: str, values: Mapping[str, float], system: System) -> Span | None:
    """The interval of an unknown in which all equations hold, the others being what they are; None for a number."""
    known = {**system.known, **{other: number for other, number in values.items() if other != name}}
    low, high = system.inside(name)
    for equation in system.equations:
        if name not in equation.names:
            continue
        along = values_of(equation, name, known, system.domains[name]).solutions
        spans = [one.spans[name] for one in along if one.spans]
        around = [span for span in spans if lies_in((values[name], values[name]), span, SAME_ROOT)]
        if not around:
            return None
        low, high = max(low, around[0][0]), min(high, around[0][1])
    return (low, high) if low < high and not is_narrow((low, high)) else None


def _repeating(linear: tuple[list[dict[str, float]], bool, str]) -> bool:
    """Whether a linear system has a whole line of solutions."""
    values, singular, reason = linear
    return singular and not values and "contradict" not in reason


def _barred(system: System) -> Outcome | None:
    """The outcome of a system one of whose equations leaves its only unknown no value, as an arm that is zero does.

    What is zero, or made so by an equation, may leave others a single unknown, or none.
    """
    pending = system.equations
    zeros = {name for name, number in system.known.items() if number == 0}
    while pending:
        pending = tuple(one.changed(partial(_at_zero, zeros=zeros)) for one in pending)
        found = set()
        for equation in pending:
            names = {*equation.names}.intersection(system.unknowns)
            if not names and not agrees(equation, system.known):
                return Outcome((), reason=f"{render(equation.lhs)} is not {render(equation.rhs)}")
            if len(names) == 1:
                (name,) = names
                alone = solutions_of(system.alone(equation, name))
                if not (alone.solutions or alone.undecided):
                    return Outcome((), reason=f"{name}: {alone.reason}")
                if not alone.caveat and [one.values for one in alone.solutions] == [{name: 0.0}]:
                    found.add(name)
        pending = tuple(one for one in pending if not found.isdisjoint(one.names))
        zeros = found
    return None


def _at_zero(node: Node, zeros: Collection[str]) -> Node:
    """What is left of an expression where quantities are zero and it is defined: a product that holds one is zero."""
    if isinstance(node, Name):
        return ZERO if node.name in zeros else node
    if isinstance(node, Number):
        return node
    args = tuple(_at_zero(arg, zeros) for arg in node.args)
    return ZERO if node.op == "mul" and ZERO in args else Apply(node.op, args)


def _closed(system: System, alone: bool, depth: int = _DIVISORS) -> Outcome:
    """The outcome of closed forms for a system without choices; undecided if they do not apply.

    If the system is one arm among several, dependent equations give an interval.
    """
    barred = _barred(system)
    if barred is not None:
        return barred
    sums = None if alone or not is_small(system) else combined(system.equations, system.known)
    if sums is not None and sums.contradict:
        return Outcome((), reason=_CONTRADICTING.reason)
    question = (system.equations, system.unknowns, system.known, system.domains)
    linear = linear_solutions(*question) or product_solutions(*question)
    if linear is not None and (alone or not _repeating(linear)):
        values, singular, reason = linear
        fits = [fitted(one, system) for one in values]
        good = tuple(Solution(fit, {}) for fit in fits if system.holds(fit))
        outside = reason or ", ".join(filter(None, map(system.outside, fits)))
        return Outcome(good, "", singular, outside or ("" if good else "no arm that could give it binds"))
    counted = _counted(system)
    if counted is not None:
        return counted
    if alone and is_small(system):
        if holds_along_branch(system) or repeat_each_other(system):
            return _REPEATING
        quick = exhausted(system, _QUICK) if is_bounded(system) else None
        if quick is not None and quick.complete:
            return quick.outcome
    if is_denied(system):
        return NOWHERE
    found = torn(system)
    by_tearing = None if found is None else _regained(*found, system, depth)
    if by_tearing is not None and not by_tearing.undecided:
        moving = alone and any(len(s.spans) > 1 and not s.values for s in by_tearing.solutions)
        return _REPEATING if moving else by_tearing
    if linear is not None:
        return Outcome((), singular=True, reason=linear[2])
    return Outcome((), undecided=True)


def _counted(system: System) -> Outcome | None:
    """The outcome of two polynomial equations whose common zeros are all known; None for others."""
    zeros = common_zeros(system.equations, system.unknowns, system.known)
    if zeros is None:
        return None
    points = [dict(zip(system.unknowns, zero, strict=True)) for zero in zeros]
    if any(system.misses(point) for point in points):
        return None  # rounding hides a zero
    good = tuple(Solution(point, {}, proof=_COUNTED) for point in points if system.holds(point))
    outside = "; ".join(filter(None, map(system.outside, points)))
    if good:
        return Outcome(good)
    return Outcome((), reason=outside or ("no arm that could give it binds" if points else _NOWHERE))


def _regained(outcome: Outcome, lost: tuple[Lost, ...], system: System, depth: int) -> Outcome:
    """The outcome of tearing, and the solutions at which one of its divisors is zero."""
    solutions = list(outcome.solutions)
    open_ones: list[str] = []
    for equation, divisor in lost:
        if depth == 0:
            open_ones.append(render(divisor))
            continue
        instead = tuple(Equation(divisor, "=", ZERO) if one == equation else one for one in system.equations)
        within = replace(system, equations=instead, stated=())
        other = _closed(within, False, depth - 1)
        if other.undecided and not system.only_closed:
            other = solved_from_starts(within)
        solutions += [
            s for s in other.solutions if not s.spans and system.holds(s.values) and not is_covered(s, solutions)
        ]
        if other.caveat or other.undecided or other.singular or any(s.spans for s in other.solutions):
            open_ones.append(render(divisor))
    if not open_ones:
        return replace(outcome, solutions=tuple(solutions), undecided=outcome.undecided and not solutions)
    note = f"it is not proved that there are no others where {' or '.join(dict.fromkeys(open_ones))} is zero"
    return replace(outcome, solutions=tuple(solutions), caveat=outcome.caveat or note, undecided=not solutions)
