"""Solutions of simultaneous equations, polished to the last digit.

Newton's method recovers lost digits, on the equations that the values came from: on others it might converge to
another solution. A value that misses the end of its domain by rounding alone is moved to that end, and one that
differs from zero by rounding alone becomes zero, whether or not its domain holds zero. Where all given numbers are
known exactly, short decimals that solve the equations exactly take the place of the doubles beside them.

Around a multiple root the equations hold within rounding far from it: a residual of 1e-10 lets a double root be wrong
in the fifth digit. Such points are computed again with 150 digits, so that many of them become the one root they are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from derive.expressions.tree import Apply, Equation, Node, Number
from derive.numerics.algebra.evaluation import residual
from derive.numerics.algebra.exact_values import rationals
from derive.numerics.algebra.multiprecision import is_rounded_zero
from derive.numerics.algebra.refinement import contradict_nearby, retreats_to_zero, sharpened
from derive.numerics.local_solvers.newton import is_isolated
from derive.numerics.root_finding.expression_graph import dag_of
from derive.numerics.root_finding.krawczyk import isolated_near
from derive.solving.blocks.outcome import Outcome, Solution, are_close, repeats
from derive.solving.blocks.substitution import expressed
from derive.solving.blocks.system import System, agrees
from derive.tolerances import (
    AGREEMENT,
    BLUR,
    HANDFUL,
    LAST_DIGIT,
    LEAST_FACTOR,
    NEAR_MULTIPLE,
    SAME_MULTIPLE,
    SAME_ROOT,
    SMALLEST,
    TIGHT,
)
from quantities.rational import nearest

_FEW = 20  # limit on unknowns of a system that is improved by difference quotients
_SMALL = 8  # limit on unknowns of a system that is refined in multiprecision
_DIGITS = (15, 14, 13, 12)  # of decimals that a solution may be, known but for its last digits
_BETWEEN = (0.5, 0.1273, 0.3819, 0.7321, 0.9103)  # shares of the way from a point to another, the middle first


def polished(values: dict[str, float], system: System) -> dict[str, float]:
    """A solution polished by a few Newton steps where rounding has cost digits."""
    numbers = {**system.known, **values}
    if len(values) <= _FEW and not all(agrees(equation, numbers, TIGHT) for equation in system.equations):
        values = system.near(values, steps=6) or values
    return fitted(values, system)


def fitted(values: dict[str, float], system: System) -> dict[str, float]:
    """A polished solution with values moved to zero or to an end of their domain if rounding keeps them from it."""
    values = {name: x + 0.0 for name, x in _without_noise(values, system).items()}  # turns -0.0 into 0.0
    moved = {name: min(max(x, system.domains[name].low), system.domains[name].high) for name, x in values.items()}
    if moved == values:
        return values
    numbers = {**system.known, **moved}
    fits = all(agrees(equation, numbers, BLUR) for equation in system.equations)
    return moved if fits else values


def in_short_decimals(outcome: Outcome, system: System) -> Outcome:
    """An outcome whose polished solutions are the short decimals beside them, where these solve the system exactly.

    Zeros of two solutions are one number then, where doubles have noise of either sign. Nor does noise bring a zero
    into a domain of positive numbers: such a solution is left out.
    """
    known = rationals(system.known, system.known)
    if known is None:
        return outcome
    solutions: list[Solution] = []
    reason = outcome.reason
    for solution in outcome.solutions:
        exact_solution = _in_short_decimals(solution, system, known)
        outside = system.outside(exact_solution.values)
        if exact_solution is not solution and outside:
            reason = reason or outside
        else:
            solutions.append(exact_solution)
    return replace(outcome, solutions=tuple(solutions), reason=reason)


def _in_short_decimals(solution: Solution, system: System, known: Mapping[str, Fraction]) -> Solution:
    """The polished solution in decimals that differ in its last digits alone, if they solve the system exactly.

    Zero differs from a small number in all its digits, and may be another solution: none may lie between the two.
    """
    values = solution.values
    if solution.spans or not all(map(math.isfinite, values.values())):
        return solution
    largest = max(map(abs, values.values()))
    for digits in _DIGITS:
        decimals = {name: Fraction(f"{x:.{digits}g}") for name, x in values.items()}
        with_zeros = {
            name: Fraction(0) if abs(x) <= largest / 10**digits else decimals[name] for name, x in values.items()
        }
        for numbers in (decimals, with_zeros):
            candidate = {name: nearest(number) for name, number in numbers.items()}
            if not system.holds_exactly({**known, **numbers}):
                continue
            if numbers is decimals or _is_the_only_one_near(candidate, system, largest):
                return replace(solution, values=candidate)
    return solution


def _is_the_only_one_near(values: Mapping[str, float], system: System, size: float) -> bool:
    """Whether a polished solution is proved to be the only one so near that another may seem to be it, for its size."""
    boxes = (
        {name: (x - share * size, x + share * size) for name, x in values.items()}
        for share in (SAME_ROOT, SAME_MULTIPLE)
    )
    steps = (system.step_in(box, LAST_DIGIT) for box in boxes)
    return any(step is not None and step.single for step in steps)


def _without_noise(values: dict[str, float], system: System) -> dict[str, float]:
    """A polished solution with zero for values that differ from it by rounding alone, the others solved again."""
    holders: dict[str, list[Equation]] = {name: [] for name in values}
    for equation in system.equations:
        for name in holders.keys() & {*equation.names}:
            holders[name].append(equation)
    numbers = {**system.known, **values}
    for name, x in values.items():
        numbers[name] = 0.0
        fits = x != 0 and all(abs(residual(equation, numbers)) <= BLUR for equation in holders[name])
        numbers[name] = x
        at_zero = {**numbers, name: 0.0}
        if not fits or not all(abs(residual(equation, at_zero)) <= BLUR for equation in system.equations):
            continue
        for branch in expressed(system.equations, system.unknowns, name):
            moved = branch.at({name: 0.0}, system.known)
            is_near = all(abs(moved[other] - y) <= AGREEMENT * abs(y) for other, y in values.items() if other != name)
            here = {**system.known, name: x}
            # of another branch, the zero may be another solution with the same numbers beside it
            if is_near and agrees(branch.left[0], here) and is_rounded_zero(branch.left[0], name, here):
                return _without_noise(moved, system)
    return values


def each_once(outcome: Outcome, system: System) -> Outcome:
    """Polish and merge the solutions of an outcome, so that each stands once; proved ones are only merged.

    Two solutions that only the last digit of the givens keeps apart are merged into the point between them; if they lie
    further apart they are two roots, however close. Where that rounding leaves no root at all, the points that come
    near enough are one solution, the nearest of them.

    Of a list that is proved, two solutions are merged only if another proof shows that they are one.
    """
    if len(system.unknowns) > _SMALL or any(solution.proof for solution in outcome.solutions):
        return outcome
    kept: list[Solution] = []
    if not outcome.caveat:
        for solution in outcome.solutions:
            if not any(_is_single(solution, other, system) for other in kept):
                kept.append(solution)
        return replace(outcome, solutions=tuple(kept))
    reason = outcome.reason
    for solution in outcome.solutions:
        if solution.spans:
            kept.append(solution)
            continue
        is_rough = _is_rough(solution, outcome.solutions, system)
        values = sharp(solution.values, system) if is_rough else solution.values
        if not system.holds(values):
            reason = reason or system.outside(values)
        elif not repeats(values, kept) and not is_contradicted(values, system):
            is_refined = not is_rough or values is not solution.values
            _add(kept, replace(solution, values=values), system, LAST_DIGIT if is_refined else AGREEMENT)
    return replace(outcome, solutions=tuple(kept), reason=reason, undecided=outcome.undecided or not kept)


def _add(kept: list[Solution], solution: Solution, system: System, tolerance: float) -> None:
    """Merge a polished solution with a kept one if the equations hold all the way between the two, or else add it."""
    for i, other in enumerate(kept):
        if other.spans or not _may_be_one(solution.values, other.values, system):
            continue
        enough = BLUR if _may_be_one(solution.values, other.values, system, HANDFUL) else tolerance
        between = [_part_of_way(share, solution.values, other.values) for share in _BETWEEN]
        is_same_root = all(system.gap(point) <= enough for point in between)
        if is_same_root and not are_apart(solution.values, other.values, system):
            best = min((between[0], other.values, solution.values), key=system.gap)
            kept[i] = replace(solution, values=best)
            return
    kept.append(solution)


def _is_single(first: Solution, second: Solution, system: System) -> bool:
    """Whether two polished solutions may be merged: the box between them holds one, whatever the last digits."""
    if first.spans or second.spans or not _may_be_one(first.values, second.values, system):
        return False
    pairs = {name: (first.values[name], second.values[name]) for name in system.unknowns}
    step = system.step_in({name: (min(pair), max(pair)) for name, pair in pairs.items()}, LAST_DIGIT)
    return step is not None and step.single


def _part_of_way(share: float, start: Mapping[str, float], end: Mapping[str, float]) -> dict[str, float]:
    """The point at a share of the way between two polished solutions that may be merged."""
    return {name: (1 - share) * x + share * end[name] for name, x in start.items()}


def are_apart(first: Mapping[str, float], second: Mapping[str, float], system: System) -> bool:
    """Whether two polished solutions must not be merged: each is proved to be the only one in a box of its own.

    The proof holds for all numbers that differ from the given ones in the last digit only.
    """
    dag = dag_of(system.equations, system.unknowns, system.known, blur=LAST_DIGIT)
    if dag is None:
        return False
    points = [[values[name] for name in system.unknowns] for values in (first, second)]
    reach = [abs(x - y) / 2 for x, y in zip(*points, strict=True)]
    boxes = [narrow for _, narrow in filter(None, (isolated_near(dag, point, reach) for point in points))]
    if len(boxes) < len(points):
        return False
    return any(end < low or high < start for (start, end), (low, high) in zip(*boxes, strict=True))


def in_many_digits(values: Mapping[str, float], system: System) -> tuple[Mapping[str, float], int] | None:
    """The root to which 150 digits polish a point, and its order; None for a large system, or without a root."""
    if len(values) > _SMALL or any(x != x for x in values.values()):
        return None
    return sharpened(system.equations, values, system.known)


def sharp(values: Mapping[str, float], system: System) -> Mapping[str, float]:
    """A solution of simultaneous equations polished to its last digit, or as it is if many digits lead nowhere near."""
    refined = in_many_digits(values, system)
    if refined is None:
        return values
    root, _ = refined
    return root if _may_be_one(values, root, system) else values


def is_telling(values: Mapping[str, float], system: System) -> bool:
    """Whether every number in the equations shows in the residuals at a point to be polished.

    Beside large unknowns the givens are lost in rounding, and equations that contradict each other seem to hold.

    >>> from derive.expressions.grammar import parse_equation
    >>> circle = System((parse_equation("x**2 + y**2 = 4"),), ("x", "y"), {}, {})
    >>> [is_telling({"x": x, "y": x}, circle) for x in (1.5, 1e6)]
    [True, False]
    """
    here = {**system.known, **values}
    for equation in system.equations:
        moved = [Equation(side, "=", equation.rhs) for side in _with_a_number_changed(equation.lhs)]
        moved += [Equation(equation.lhs, "=", side) for side in _with_a_number_changed(equation.rhs)]
        given = [name for name in equation.names if system.known.get(name)]
        numbers = [{**here, name: 1.5 * system.known[name]} for name in given]
        gaps = [residual(changed, here) for changed in moved]
        gaps += [residual(equation, changed) for changed in numbers]
        gap_here = residual(equation, here)
        if any(abs(gap - gap_here) <= AGREEMENT for gap in gaps):
            return False
    return True


def _with_a_number_changed(node: Node) -> Iterator[Node]:
    """Copies of an expression, each with one number half as large again, to see if a polished point tells it."""
    if isinstance(node, Number) and node.value:
        yield Number(node.value * 3 / 2)
    elif isinstance(node, Apply):
        for i, arg in enumerate(node.args):
            for other in _with_a_number_changed(arg):
                yield Apply(node.op, (*node.args[:i], other, *node.args[i + 1 :]))


def leads_elsewhere(values: Mapping[str, float], system: System) -> bool:
    """Whether polishing leads far from a point, at which equations then only seem to hold.

    Either it is proved that there is no root near, or with many digits Newton's method leaves it: for a root that is
    not near, where something given is lost in rounding at the point; or for zero, where the equations do not hold.
    """
    if len(values) > _SMALL:
        return False
    if _is_refuted(values, system.with_choices):
        return True
    is_small, is_shown = is_only_small(values, system), is_telling(values, system)
    if is_small != is_shown:  # nothing shows at a small point, or all does at another
        return is_small
    refined = in_many_digits(values, system)
    if refined is None:
        return is_small
    root, _ = refined
    if is_small:
        return not system.holds(root) or is_only_small(root, system)
    return not are_close(values, root, NEAR_MULTIPLE)


def is_only_small(values: Mapping[str, float], system: System) -> bool:
    """Whether equations seem to hold at a point to be polished only because it is near zero, where gaps are small.

    So it is for `x*cosh(x) = y`, `y*cosh(y) = x` with positive unknowns: y is greater than x, and x greater than y.
    """
    if len(values) > _SMALL:
        return False
    if any(0 < abs(x) < SMALLEST for x in values.values()):
        return True  # smaller than what is sought
    if is_isolated(system.equations, values, system.known):
        return False
    if any(0 < abs(x) < LEAST_FACTOR for x in values.values()):
        return True  # where squares underflow, everything seems to hold
    return retreats_to_zero(system.equations, values, system.known)


def is_contradicted(values: Mapping[str, float], system: System) -> bool:
    """Whether equations seem to hold at a point to be polished, but contradict each other all around it.

    So do `x*y = 1` and `log(x) + log(y) = 1e-10`: doubles cannot tell a curve of points from the next.
    """
    if len(values) > _SMALL or not system.is_exact or any(x != x for x in values.values()):
        return False
    return contradict_nearby(system.equations, values, system.known)


def _is_refuted(values: Mapping[str, float], system: System) -> bool:
    """Whether there is no root to polish a point into: by intervals, none is within a thousandth of each number.

    So it is for `x*cosh(x) = x` with a positive x: the nearer x is to zero, the more digits of the sides agree.
    """
    if len(system.equations) != len(values) or not all(values.values()):
        return False
    reaches = {name: NEAR_MULTIPLE * abs(x) for name, x in values.items()}
    step = system.step_in({name: (x - reaches[name], x + reaches[name]) for name, x in values.items()}, BLUR)
    return step is not None and step.left is None


def _is_rough(solution: Solution, solutions: Iterable[Solution], system: System) -> bool:
    """Whether one of some solutions may be a multiple root, known by a few digits only and in need of polishing."""
    others = (other for other in solutions if other is not solution and not other.spans)
    if any(_may_be_one(solution.values, other.values, system) for other in others):
        return True
    return not is_isolated(system.equations, solution.values, system.known, NEAR_MULTIPLE)


def _may_be_one(
    first: Mapping[str, float], second: Mapping[str, float], system: System, slack: float = NEAR_MULTIPLE
) -> bool:
    """Whether two points may be one root to polish: each unknown differs by little beside the terms of an equation."""
    numbers = {**system.known, **first}
    farthest_first = sorted(first, key=lambda name: -abs(first[name] - second[name]))  # settles most pairs at once

    def is_near(name: str) -> bool:
        moved = {**numbers, name: second[name]}
        return any(name in equation.names and abs(residual(equation, moved)) <= slack for equation in system.equations)

    return all(map(is_near, farthest_first))
