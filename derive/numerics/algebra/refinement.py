"""Newton's method with 150 digits and more: roots of several equations, refined or refuted.

It converges even to a root with a singular Jacobian, slowly, and is not stopped by rounding. Its steps shrink by a
constant ratio, which gives their sum (Reddien 1978; Decker and Kelley 1980). Where the residuals grow like a power of
the distance, the ratio is one less the inverse of that power. The power is the order of the root, and the number of
digits is divided by it: an order of two leaves eight of sixteen, since a change in the sixteenth digit of a given moves
a double root in the eighth. Whether there is a root at all, or a curve of them, a singular Jacobian does not tell
(`solution_curves`).

Where no number is rounded, equations that doubles cannot tell from contradictory ones are told apart here: at a root of
some of them the others hold in many digits, or they do not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import chain
from typing import Any

from derive.expressions.balls import MORE_BITS, Ball, many_digits
from derive.expressions.functions import STEPPED
from derive.expressions.tree import Equation, Node, Number, operations, rebuilt
from derive.numerics.algebra.exact_values import ball_of
from derive.numerics.algebra.multiprecision import difference, number_of
from derive.time_limits import tick
from derive.tolerances import ASIDE, EPSILON, NEAR_MULTIPLE, NEGLIGIBLE

_FAR = 10.0  # step of Newton's method, as a share of the largest unknown, that leads elsewhere
_STEPS = 150
_RETREAT = 40  # steps to a thousandth on the way to a zero of order six
_FINEST_STEP = 1e-200  # of slopes in seven hundred digits, which near zero may differ by its square alone


@many_digits()
def sharpened(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[dict[str, float], int] | None:
    """A root refined to the last digit of doubles by Newton's method with 150 digits, and its order; None if it fails.

    The order is zero where no step was needed to tell.

    >>> from derive.expressions.grammar import parse_equation
    >>> tangent = [parse_equation("x**2 + y**2 = 2"), parse_equation("x + y = 2")]
    >>> sharpened(tangent, {"x": 1.00000003, "y": 0.99999998}, {})
    ({'x': 1.0, 'y': 1.0}, 2)
    """
    refined = _refined(equations, point, known)
    if refined is None:
        return None
    root, order = refined
    sizes = _sizes(point)
    return {name: _rounded(x, size) for (name, x), size in zip(root.items(), sizes, strict=True)}, order


@many_digits()
def fails_at_root(
    equation: Equation,
    point: Mapping[str, float],
    forms: Mapping[str, Node],
    others: Sequence[Equation],
    known: Mapping[str, float],
) -> bool:
    """Whether a root that Newton's method refines to 150 digits near a point is refuted by one of some other equations.

    The forms give the unknowns of the others in that of the first, in order of computation. They may be inverses that
    also take what an equation never comes to, as the square of a root does. A root that is not near says nothing.

    >>> from derive.expressions.grammar import parse_equation, parse_expression
    >>> last, first = parse_equation("(1 - sqrt(y))**2 + y = s"), parse_equation("sqrt(x) + sqrt(y) = 1")
    >>> forms = {"x": parse_expression("(1 - sqrt(y))**2")}
    >>> fails_at_root(last, {"y": 1.0000000001}, forms, [first], {"s": 1.0000000001})
    True
    """
    refined = _refined([equation], point, known)
    if refined is None:
        return False
    root, _ = refined
    if not all(abs(root[name] - x) <= NEAR_MULTIPLE * abs(x) for name, x in point.items()):
        return False
    moved = {name: (x * (1 + ASIDE)).mid() for name, x in root.items()}
    for name, form in forms.items():
        number, moved_number = (number_of(form, numbers, known) for numbers in (root, moved))
        if number is None:
            return False
        # the root is known to thirty digits: what these make of a zero would be a number of its own in a product
        change = 0 if moved_number is None else abs(moved_number - number)
        is_zero = change > 0 and abs(number) <= NEGLIGIBLE * change / ASIDE
        root[name] = 0 * number if is_zero else number
        moved[name] = number if moved_number is None else moved_number
    gaps = [difference(other, root, known) for other in others]
    return any(gap is not None and _fails(other, gap, root, known) for other, gap in zip(others, gaps, strict=True))


def _sizes(point: Mapping[str, float]) -> list[float]:
    """The sizes by which the steps that refine a root are measured; that of zero is the size of the largest."""
    return [abs(x) or max(map(abs, point.values())) or 1.0 for x in point.values()]


def _refined(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[dict[str, Any], int] | None:
    """A root refined to many digits by Newton's method, and its order, as `sharpened` tells it; or None."""
    from flint import arb

    iterate = [arb(x) for x in point.values()]
    sizes = _sizes(point)

    def stepping(place: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """A refining step of Newton's method in many digits, with its relative length before it."""
        tick()
        step = _step(equations, dict(zip(point, place, strict=True)), known, sizes)
        if not step:
            return math.inf, ()
        return max(abs(part) / size for part, size in zip(step, sizes, strict=True)), step

    length, step = stepping(iterate)
    order = 0
    for _ in range(_STEPS):
        if not step or not max(map(abs, step)) <= _FAR * max(sizes):
            return None
        if length <= NEGLIGIBLE:
            return dict(zip(point, iterate, strict=True)), order
        iterate = [(x - part).mid() for x, part in zip(iterate, step, strict=True)]
        before = length
        length, step = stepping(iterate)
        order = order or 1
        if 0.3 < length / before < 0.95:  # a constant ratio: the sum of all further steps leads ahead
            inverse_order = 1 - length / before
            ahead = [(x - part / inverse_order).mid() for x, part in zip(iterate, step, strict=True)]
            length_ahead, step_ahead = stepping(ahead)
            if length_ahead < 0.1 * length:
                order = round(float(1 / inverse_order))
                iterate, length, step = ahead, length_ahead, step_ahead
    return None


@many_digits(MORE_BITS)
def retreats_to_zero(equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]) -> bool:
    """Whether refining a point by Newton's method with 700 digits leads to a zero of an unknown, or ever closer to it.

    Near zero every gap is small, and equations seem to hold that only approach each other there. They need not be
    defined at zero.

    >>> from derive.expressions.grammar import parse_equation
    >>> above = [parse_equation("cosh(x) = y/x"), parse_equation("cosh(y) = x/y")]
    >>> retreats_to_zero(above, {"x": 1e-8, "y": 1e-8}, {})
    True
    >>> dependent = [parse_equation("x*exp(x) = y*exp(y)"), parse_equation("x + x**2 = y + y**2")]
    >>> retreats_to_zero(dependent, {"x": 1e-8, "y": 1e-8}, {})
    False
    """
    from flint import arb

    iterate = [arb(x) for x in point.values()]
    sizes = _sizes(point)
    for _ in range(_RETREAT):
        tick()
        step = _step(equations, dict(zip(point, iterate, strict=True)), known, sizes, _FINEST_STEP)
        if not step or not max(map(abs, step)) <= _FAR * max(sizes):
            return False
        if max(abs(part) / size for part, size in zip(step, sizes, strict=True)) <= NEGLIGIBLE:
            return False
        iterate = [(x - part).mid() for x, part in zip(iterate, step, strict=True)]
        pairs = zip(iterate, point.values(), strict=True)
        if any(start != 0 and abs(x) <= NEAR_MULTIPLE * abs(start) for x, start in pairs):
            return True
    return False


@many_digits()
def contradict_nearby(equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]) -> bool:
    """Whether refinement with 150 digits refutes a point: independent equations hold nearby, another fails.

    What is rounded in them counts as it is at the point. Where it is another whole number at the place that Newton's
    method leads to, the equations are tried with that one, and hold if it stays the same.

    >>> from derive.expressions.grammar import parse_equation
    >>> first, second = parse_equation("log(x) + log(y) = 0"), parse_equation("x*y = a")
    >>> [contradict_nearby([first, second], {"x": 0.5, "y": 2.0}, {"a": a}) for a in (1.0, 1.0 + 1e-10)]
    [False, True]
    >>> never = [parse_equation("ceil(x) = y"), parse_equation("y = x + 1")]
    >>> contradict_nearby(never, {"x": math.nextafter(1.0, 2.0), "y": 2.0}, {})
    True
    """
    from flint import arb

    steps = _steps_at({name: arb(x) for name, x in point.items()}, equations, known)
    for is_other_side in (False, True):
        level = [equation.changed(partial(_with_steps, steps=steps)) for equation in equations]
        nearest = _nearest(level, point, known)
        if nearest is None:
            return is_other_side
        place, is_met = nearest
        steps_there = _steps_at(place, equations, known)
        if steps_there == steps:
            return not is_met
        steps = steps_there
    return True


def _steps_at(place: Mapping[str, Ball], equations: Iterable[Equation], known: Mapping[str, float]) -> dict[Node, int]:
    """The whole numbers to which equations round at a place that is refined, by the operations that round."""
    steps: dict[Node, int] = {}
    for operation in operations(*chain.from_iterable(equation.sides for equation in equations), among=STEPPED):
        if place.keys().isdisjoint(operation.names):
            continue
        number = number_of(operation.args[0], place, known)
        if number is not None and abs(number) < 1 / EPSILON:  # from where on each double is whole itself
            nearest = round(float(number))
            is_whole = bool(abs(number - nearest) <= NEGLIGIBLE * max(1, abs(nearest)))
            rounded = number.floor() if operation.op == "floor" else number.ceil()
            steps[operation] = nearest if is_whole else int(rounded.unique_fmpz())
    return steps


def _with_steps(node: Node, steps: Mapping[Node, int]) -> Node:
    """An expression for refinement, with the whole numbers to which parts of it are rounded."""
    return rebuilt(node, lambda part: Number(Fraction(steps[part])) if part in steps else None)


def _nearest(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[Mapping[str, Ball], bool] | None:
    """The place near a point to which refinement in many digits leads, and whether the other equations hold there.

    None if Newton's method leads away, or a side is undefined.
    """
    from flint import arb, arb_mat

    sizes = _sizes(point)
    iterate = [arb(x) for x in point.values()]
    for _ in range(_STEPS):
        tick()
        here = dict(zip(point, iterate, strict=True))
        gaps_and_slopes = _linearized(equations, here, known, sizes, NEGLIGIBLE)
        if gaps_and_slopes is None:
            return None
        gaps, slopes = gaps_and_slopes
        if not slopes:
            return here, True
        rows = [[slope * size for slope, size in zip(row, sizes, strict=True)] for row in slopes]
        independent = _independent(rows)
        others = [i for i in range(len(equations)) if i not in independent]
        if not independent:  # nothing but whole numbers is left of the unknowns
            return here, not any(_fails(equations[i], gaps[i], here, known) for i in others)
        matrix = arb_mat([rows[i] for i in independent])
        try:
            multipliers = (matrix * matrix.transpose()).solve(arb_mat([[gaps[i]] for i in independent]))
        except ZeroDivisionError:
            return None
        step = [part.mid() for part in (matrix.transpose() * multipliers).entries()]
        length = max(map(abs, step))
        if not length <= NEAR_MULTIPLE:
            return None
        if length <= NEGLIGIBLE:
            return here, not any(_fails(equations[i], gaps[i], here, known) for i in others)
        iterate = [(x - part * size).mid() for x, part, size in zip(iterate, step, sizes, strict=True)]
    return None


def _independent(rows: Sequence[Sequence[Any]]) -> list[int]:
    """The places of the rows that refinement can use: no combination of those before, within doubles' rounding."""
    reduced: list[tuple[int, list[Any]]] = []  # each with the column of its pivot, which is one
    independent = []
    for i, row in enumerate(rows):
        remainder = list(row)
        for column, other in reduced:
            share = remainder[column]
            remainder = [(entry - share * above).mid() for entry, above in zip(remainder, other, strict=True)]
        largest = max(range(len(remainder)), key=lambda column: abs(remainder[column]))
        pivot = remainder[largest]
        if abs(pivot) > EPSILON * max(map(abs, row)):
            independent.append(i)
            reduced.append((largest, [(entry / pivot).mid() for entry in remainder]))
    return independent


def _fails(equation: Equation, gap: Ball, point: Mapping[str, Ball], known: Mapping[str, float]) -> bool:
    """Whether a gap at a refined point is more than its change where a number changes by the last digit.

    The sides give no measure: one of them may be zero, and the other a product with a factor that is. Where a number
    is at the end of what a side is defined for, it changes inwards.
    """
    numbers = {name: ball_of(known[name]) for name in equation.names if name not in point} | dict(point)
    change = 0
    for name in equation.names:
        steps = ((numbers[name] * (1 + share)).mid() for share in (ASIDE, -ASIDE))
        gaps = (difference(equation, {**numbers, name: step}, known) for step in steps)
        moved_gap = next((moved_gap for moved_gap in gaps if moved_gap is not None), gap)
        change += abs(moved_gap - gap) / ASIDE
    return bool(abs(gap) > EPSILON * change)


def _rounded(x: Any, size: float) -> float:
    """A refined root's number in many digits as a double; zero if the steps have brought it ever closer to zero."""
    return 0.0 if abs(x) <= NEGLIGIBLE * size else float(x)


def _step(
    equations: Sequence[Equation],
    iterate: Mapping[str, Any],
    known: Mapping[str, float],
    sizes: Sequence[Any],
    share: float = NEGLIGIBLE,
) -> Sequence[Any] | None:
    """One step of a root's refinement by Newton's method; None if the Jacobian is singular or a side is undefined.

    Slopes are quotients of differences over a share of each unknown.
    """
    from flint import arb, arb_mat

    gaps_and_slopes = _linearized(equations, iterate, known, sizes, share)
    if gaps_and_slopes is None:
        return None
    gaps, slopes = gaps_and_slopes
    if not slopes:
        return [arb(0)] * len(gaps)
    try:
        solution = arb_mat(slopes).solve(arb_mat([[gap] for gap in gaps]))
    except ZeroDivisionError:
        return None
    return [part.mid() for part in solution.entries()]


def _linearized(
    equations: Sequence[Equation],
    iterate: Mapping[str, Any],
    known: Mapping[str, float],
    sizes: Sequence[Any],
    share: float,
) -> tuple[list[Any], list[list[Any]]] | None:
    """The gaps and slopes for one refining step in many digits; no slopes where all gaps are zero.

    None if a side is undefined.
    """
    gaps = [difference(equation, iterate, known) for equation in equations]
    if any(gap is None for gap in gaps):
        return None
    if all(gap == 0 for gap in gaps):
        return gaps, []
    slopes: list[list[Any]] = [[] for _ in equations]
    for size, (name, x) in zip(sizes, iterate.items(), strict=True):
        offset = share * (size if x == 0 else abs(x))
        moved = {**iterate, name: (x + offset).mid()}
        for equation, gap, row in zip(equations, gaps, slopes, strict=True):
            moved_gap = difference(equation, moved, known)
            if moved_gap is None:
                return None
            row.append((moved_gap - gap) / offset)
    return gaps, slopes
