"""Whether a solution lies on a curve of solutions, or is an isolated multiple root.

In both cases the Jacobian is singular, and some direction changes no equation at first order. Continuation decides: a
predictor step in that direction, then Newton's method as corrector (Allgower and Georg 1990). On a curve this ends at
another solution, about one step away, for small steps and large ones. Near an isolated solution it returns to it, or
fails.

Equations that hold along a curve do not fix their unknowns because they are dependent: one of them is a multiple, a
power or another combination of the rest, either everywhere or only on the solution set.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import chain, combinations, islice, product

from flint import nmod_mat

from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, names_in, operations
from derive.numerics.algebra.evaluation import residual, terms, value
from derive.numerics.algebra.like_terms import at_zeros
from derive.numerics.algebra.modular import PRIME, drawn, slopes
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.root_finding.expression_graph import dag_of
from derive.solving.blocks.free_unknowns import by_proportion
from derive.solving.blocks.polishing import is_contradicted, is_only_small, is_telling
from derive.solving.blocks.sample_points import points_across_domains, points_of_all_sizes
from derive.solving.blocks.system import System
from derive.solving.blocks.tearing import tearings
from derive.time_limits import tick
from derive.tolerances import AGREEMENT, BLUR, LEAST_FACTOR, RANK_OF_SLOPES, SAME_ROOT

_STEPS = (1e-3, 1e-2, 3e-2)  # relative to the unknowns' sizes
_KEPT = 0.2  # least share of a step that the corrector must leave
_PART = 1e-2  # share of a domain that is the size of an unknown without any other
_STARTS = 60  # starts from which a point of the curve is sought
_ENOUGH = 3  # points along a branch that show what holds along it


def lies_on_curve(values: Mapping[str, float], system: System) -> bool:
    """Whether the solution lies on a curve of solutions.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> domains = dict.fromkeys("xy", Domain("real", -math.inf, math.inf))
    >>> def at(point, *texts):
    ...     return lies_on_curve(point, System(tuple(map(parse_equation, texts)), ("x", "y"), {}, domains))
    >>> at({"x": 0.6, "y": 0.8}, "x**2 + y**2 = 1", "(x**2 + y**2)*y = y")
    True
    >>> at({"x": 1.0, "y": 0.0}, "x**2 + y**2 = 1", "x = 1")
    False
    """
    if any(0 < abs(x) < LEAST_FACTOR for x in values.values()):
        return False  # where squares underflow, everything seems to hold
    if not is_telling(values, system) or is_only_small(values, system) or is_contradicted(values, system):
        return False
    rows = _slopes(values, system)
    if rows is None:
        return False
    sizes = _sizes(values, rows, system)
    for direction in _free_directions(rows, sizes):
        if any(_continues(values, direction, sign, sizes, system) for sign in (1.0, -1.0)):
            return True
    return False


def rounds_unknowns(system: System) -> bool:
    """Whether an unknown is rounded up or down, so that it may be free along a curve on which nothing is dependent."""
    sides = chain.from_iterable(equation.sides for equation in system.equations)
    return any(not {*step.names}.isdisjoint(system.unknowns) for step in operations(*sides, among=STEPPED))


def _free_directions(rows: Sequence[Sequence[float]], sizes: Mapping[str, float]) -> Iterator[dict[str, float]]:
    """Directions along which a curve of solutions may run: they change no equation at first order.

    They are relative to the unknowns' sizes, and the longest component is one.
    """
    scaled_rows = []
    for row in rows:
        shares = [slope * size for slope, size in zip(row, sizes.values(), strict=True)]
        largest = max(map(abs, shares))
        scaled_rows.append([share / largest for share in shares] if largest else shares)
    pivots = _echelon(scaled_rows)
    for free in sorted({*range(len(sizes))}.difference(pivots)):
        direction = [0.0] * len(sizes)
        direction[free] = 1.0
        for row, column in zip(scaled_rows, pivots, strict=False):
            direction[column] = -row[free]
        longest = max(map(abs, direction))
        yield {name: share / longest for name, share in zip(sizes, direction, strict=True)}


def repeat_each_other(system: System) -> bool:
    """Whether equations are dependent for all numbers, and have a curve of solutions at these.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> real = Domain("real", -math.inf, math.inf)
    >>> pair = tuple(parse_equation(text) for text in ("x**2 + y = a", "(x**2 + y)**3 = a**3"))
    >>> repeat_each_other(System(pair, ("x", "y"), {"a": 3.0}, {"x": real, "y": real}))
    True
    """
    if not _is_dependent(system.equations, system.unknowns):
        return False
    starts = points_across_domains(system.unknowns, system.known, system.domains)
    points = map(system.near, islice(starts, _STARTS))
    return any(point is not None and system.holds(point) and lies_on_curve(point, system) for point in points)


@lru_cache(maxsize=512)
def _is_dependent(equations: tuple[Equation, ...], unknowns: tuple[str, ...]) -> bool:
    """Whether equations may hold along a curve for all numbers: their Jacobian is singular at a random point.

    So it is then almost surely at every one (Schwartz 1980).
    """
    point = {name: drawn(name) for name in names_in(*equations)}
    entries: list[int] = []
    for equation in equations:
        its_slopes = slopes(equation, point)
        if its_slopes is None:
            return False
        entries += [its_slopes.of_ratio.get(name, 0) for name in unknowns]
    rank: int = nmod_mat(len(equations), len(unknowns), entries, PRIME).rank()
    return rank < len(equations)


def _sizes(values: Mapping[str, float], rows: Sequence[Sequence[float]], system: System) -> dict[str, float]:
    """Each unknown's size for steps along a curve: its value, or the change that equals an equation's terms if larger.

    An unknown that is zero and has no effect at first order gets the size of the others, or of a part of its domain.
    """
    numbers = {**system.known, **values}
    heights = []
    for equation in system.equations:
        parts = chain.from_iterable(map(terms, equation.sides))
        heights.append(sum(abs(value(part, numbers)) for part in parts))
    sizes: dict[str, float] = {}
    for i, name in enumerate(system.unknowns):
        changes = [height / abs(row[i]) for row, height in zip(rows, heights, strict=True) if row[i] and height]
        low, high = system.domains[name].ends
        width = _PART * (high - low) if high - low < math.inf else 1.0
        sizes[name] = max(abs(values[name]), min(changes, default=0.0)) or max(*map(abs, values.values()), width)
    return sizes


def _slopes(values: Mapping[str, float], system: System) -> list[list[float]] | None:
    """The Jacobian of the equations at a solution that may lie on a curve; None if it is unbounded."""
    dag = dag_of(system.equations, system.unknowns, system.known)
    run = None if dag is None else dag.run([(values[name],) * 2 for name in system.unknowns])
    if dag is None or run is None:
        return None
    rows = [[low / 2 + high / 2 for low, high in dag.gradient(i, run)] for i in range(len(system.equations))]
    return rows if all(map(math.isfinite, chain.from_iterable(rows))) else None


def _echelon(rows: list[list[float]]) -> list[int]:
    """Reduce rows of slopes in place, to see where a curve of solutions may run; returns the pivots' columns."""
    pivots: list[int] = []
    columns = list(range(len(rows[0]))) if rows else []  # without a pivot
    for place in range(len(rows)):
        entries = product(range(place, len(rows)), columns)
        i, column = max(entries, key=lambda entry: abs(rows[entry[0]][entry[1]]))
        pivot = rows[i][column]
        if abs(pivot) <= RANK_OF_SLOPES:
            break
        rows[place], rows[i] = rows[i], rows[place]
        rows[place] = [number / pivot for number in rows[place]]
        for k, row in enumerate(rows):
            if k != place:
                rows[k] = [number - row[column] * above for number, above in zip(row, rows[place], strict=True)]
        pivots.append(column)
        columns.remove(column)
    return pivots


def _continues(
    values: Mapping[str, float], direction: Mapping[str, float], sign: float, sizes: Mapping[str, float], system: System
) -> bool:
    """Whether a curve of solutions goes on: each step in a direction leads Newton's method to another solution."""
    for step in _STEPS:
        tick()
        predicted = {name: x + sign * step * direction[name] * sizes[name] for name, x in values.items()}
        corrected = system.near(predicted, steps=20)
        if corrected is None or system.gap(corrected) > 2 * BLUR:
            return False
        if not all(lies_in((x, x), system.domains[name].ends, SAME_ROOT) for name, x in corrected.items()):
            return False
        distance = max(abs(corrected[name] - x) / sizes[name] for name, x in values.items())
        if not _KEPT * step <= distance <= step / _KEPT:
            return False
    return True


def holds_along_branch(system: System) -> bool:
    """Whether a whole branch on which every unknown moves is a curve of solutions, so that nothing fixes them.

    The branch is tried at points across the tear's domain: wherever it has values, all relations must hold. A point
    counts only if every unknown is large enough to matter: beside a stress of 100 MPa any stress of a few pascals
    satisfies the relations.
    """
    for tear, branches in tearings(system):
        for branch in branches:
            points = [branch.at({tear: x}, system.known) for x in points_of_all_sizes(*system.domains[tear].ends)]
            points = [point for point in points if all(map(math.isfinite, point.values()))]
            if len(points) < _ENOUGH or any(system.misses(point) for point in points):
                continue
            inside = [point for point in points if system.meets(point) and _is_each_unknown_visible(point, system)]
            inside = [point for point in inside if is_telling(point, system)]
            moving = [name for name in system.unknowns if len({point[name] for point in inside}) > 1]
            if len(inside) < _ENOUGH or len(moving) < len(system.unknowns):
                continue
            if not any(is_contradicted(point, system) for point in inside):
                return True
    return False


def is_open_beside_zeros(system: System) -> bool:
    """Whether known zeros take the unknowns out of an equation, and the others hold along a curve where all move.

    So `a*d = b*x` with a = b = 0 leaves d and x of `x = cos(d)` open. As many unknowns as equations are lost are set to
    numbers across their domains, and the others follow.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> pair = (parse_equation("a*d = b*x"), parse_equation("x = cos(d)"))
    >>> domains = dict.fromkeys("dx", Domain("real", -math.inf, math.inf))
    >>> [is_open_beside_zeros(System(pair, ("d", "x"), {"a": a, "b": 0.0}, domains)) for a in (0.0, 1.0)]
    [True, False]
    """
    zeros = {name for name, number in system.known.items() if number == 0}
    holding = [
        equation
        for equation in system.equations
        if not {*equation.changed(partial(at_zeros, zeros=zeros)).names}.isdisjoint(system.unknowns)
    ]
    if not 0 < len(holding) < len(system.equations):
        return False
    starts = [*islice(points_across_domains(system.unknowns, system.known, system.domains), _STARTS)]
    for following in combinations(system.unknowns, len(holding)):
        points = []
        for start in starts:
            known = {**system.known, **start}
            part = replace(system, equations=tuple(holding), unknowns=following, known=known)
            point = {**start, **(part.near({name: start[name] for name in following}) or {})}
            if system.holds(point) and is_telling(point, system):
                points.append(point)
            if len(points) >= _ENOUGH and all(len({point[name] for point in points}) > 1 for name in system.unknowns):
                return True
    return False


def _is_each_unknown_visible(point: Mapping[str, float], system: System) -> bool:
    """Whether each unknown shows at a point of a curve: half as large again, it would break each of its relations."""
    numbers = {**system.known, **point}
    for equation in system.equations:
        for name in point.keys() & {*equation.names}:
            if abs(residual(equation, {**numbers, name: 1.5 * numbers[name]})) <= AGREEMENT:
                return False
    return True


def is_open_in_part(system: System) -> bool:
    """Whether a branch has several solutions on it, and is not proved to be a curve of solutions.

    Tearing with every choice in place can then only sample how far it holds, which takes long.
    """
    for tear, branches in tearings(system)[:1]:
        for branch in branches:
            outcome = by_proportion(system.alone(branch.left[0], tear))
            points = (branch.at({tear: x}, system.known) for x in points_of_all_sizes(*system.domains[tear].ends))
            if outcome is None and sum(map(system.meets, points)) > 1:
                return True
    return False
