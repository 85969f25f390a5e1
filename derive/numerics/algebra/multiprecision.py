"""Verification with 150 digits and more, for roots that were found by searching.

Where large terms cancel, doubles leave only noise, and a search for a change of sign finds one in the noise. With
enough digits the noise vanishes, and with it every false root.

Newton's method converges there even to a root with a singular Jacobian, slowly, and is not stopped by rounding. Its
steps shrink by a constant ratio, which gives their sum (Reddien 1978; Decker and Kelley 1980). Where the residuals grow
like a power of the distance, the ratio is one less the inverse of that power. The power is the order of the root, and
the number of digits is divided by it: an order of two leaves eight of sixteen, since a change in the sixteenth digit of
a given moves a double root in the eighth. Whether there is a root at all, or a curve of them, a singular Jacobian does
not tell (`solution_curves`).

Numbers are balls, a midpoint and a radius that bounds all rounding (Johansson 2017, *Arb*). A ball without zero
proves that the residual is nonzero; one that still contains zero when its radius is below all doubles counts as zero;
anything else is unknown. FLINT takes a quarter of the time that mpmath needs for an equation, and a tenth with
special functions: 20 microseconds for `y = x**3 + a*x`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Equation, Name, Node, rebuilt
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.algebra.exact_values import Ball, ball_of, folded_ball, many_digits
from derive.numerics.intervals.arithmetic import minus, plus
from derive.numerics.intervals.enclosure import enclose
from derive.time_limits import tick
from derive.tolerances import (
    AROUND_ZERO,
    ASIDE,
    EPSILON,
    LARGEST,
    LAST_DIGIT,
    MET,
    NEAR_MULTIPLE,
    NEGLIGIBLE,
    SAME_ROOT,
    VANISHED,
)
from quantities.rational import exact_of

_MORE_BITS = 2400  # precision in which the sum of any doubles is exact
_SURE_BITS = 200  # correct bits that a number must have
_HALVINGS = 300  # limit on bisections, down to the smallest sizes of doubles
_FAR = 10.0  # step of Newton's method, as a share of the largest unknown, that leads elsewhere
_FINEST_STEP = 1e-200  # of slopes in seven hundred digits, which near zero may differ by its square alone
_STEPS = 150
_INWARDS = (1e-3, 1e-6, 1e-9)  # sample points of a stretch as shares of its far end


@many_digits()
def is_root(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a point is a root in 150 digits: the gap of the sides vanishes beside that a little to each side.

    Comparing it with the terms is not enough, since they may cancel and dwarf everything; nor is comparing it with
    one, where the sides only approach each other.

    >>> from derive.expressions.grammar import parse_equation
    >>> cancelling = parse_equation("y = (1e30 + x) - 1e30")
    >>> is_root(cancelling, "x", {"x": 3.0, "y": 2.0}), is_root(cancelling, "x", {"x": 2.0, "y": 2.0})
    (False, True)
    """
    x = values[name]
    step = ASIDE * abs(x) or AROUND_ZERO
    gap_at_root, below, above = (_gap(equation, {**values, name: point}) for point in (x, x - step, x + step))
    largest = max((abs(gap) for gap in (below, above) if gap is not None), default=0)
    return gap_at_root is not None and largest > 0 and bool(abs(gap_at_root) <= VANISHED * largest)


@many_digits()
def gap_of(equation: Equation, values: Mapping[str, float]) -> float:
    """The residual of an equation in 150 digits, relative to the larger side; NaN if it is undefined."""
    gap = _gap(equation, values)
    sizes = [_number((side,), values) for side in equation.sides]
    size = max((abs(size) for size in sizes if size is not None), default=0)
    if gap is None:
        return math.nan
    return float(gap / size) if size > 0 else 0.0


@many_digits()
def sign_of_gap(equation: Equation, values: Mapping[str, float]) -> int:
    """The sign, in 150 digits, of the left side minus the right one; zero also if it is unknown."""
    gap = _gap(equation, values)
    return 0 if gap is None else int(gap > 0) - int(gap < 0)


@many_digits()
def is_level(equation: Equation, name: str, values: Mapping[str, float], low: float, high: float) -> bool:
    """Whether the residual in 150 digits is constant along an interval, and not merely too small for doubles."""
    low, high = max(low, -LARGEST), min(high, LARGEST)
    points = [low + (high - low) * share for share in (0.03, 0.2, 0.47, 0.7, 0.97)]
    if low >= 0 or high <= 0:
        near, far = (low, high) if low >= 0 else (high, low)
        beside = [far * share for share in _INWARDS] + [near * share for share in (1.001, 1.1, 2.0)]
        points += [point for point in beside if low < point < high]
    gaps = [_gap(equation, {**values, name: point}) for point in points]
    known = [gap for gap in gaps if gap is not None]
    return len(known) == len(gaps) and bool(max(known) - min(known) <= NEGLIGIBLE * max(abs(gap) for gap in known))


@many_digits()
def is_cancelled(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a name cancels at its number: in 150 digits the gap is only rounding beside its occurrences' share.

    Near zero every gap is small, without anything cancelling.

    >>> from derive.expressions.grammar import parse_equation
    >>> level, bent = parse_equation("x = 3*max(x/3, a)"), parse_equation("min(x + 2, 2*x + 4) = a")
    >>> is_cancelled(level, "x", {"a": 2.0, "x": 9.0}), is_cancelled(bent, "x", {"a": 2.0, "x": 1e-12})
    (True, False)
    """
    places = count()

    def apart_from_others(part: Node) -> Node | None:
        return Name(f"{name}.{next(places)}") if part == Name(name) else None

    apart = equation.changed(partial(rebuilt, change=apart_from_others))
    numbers = {**values, **{f"{name}.{i}": values[name] for i in range(next(places))}}
    gap = _gap(apart, numbers)
    if gap is None:
        return False
    occurrences = numbers.keys() - values.keys()
    gaps = (_gap(apart, {**numbers, place: numbers[place] * (1 + ASIDE)}) for place in occurrences)
    share = max((abs(moved - gap) / ASIDE for moved in gaps if moved is not None), default=0)
    return share > 0 and bool(abs(gap) <= MET * share)


@many_digits()
def is_rounded_zero(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a root is zero within its own rounding and that of the other numbers, by gaps in 150 digits.

    From the root to zero the gap must stay within the noise (the gap at the root, and its change by the last digits
    of the other numbers), and further out exceed it, on either side. A few points suffice, since the gap is monotone
    there; a wave could vanish at all of them. A gap that stays the same is no zero: the name cancels.

    >>> from derive.expressions.grammar import parse_equation
    >>> rest = parse_equation("x = a - b - c")
    >>> is_rounded_zero(rest, "x", {"a": 0.3, "b": 0.2, "c": 0.1, "x": -2.7755575615628914e-17})
    True
    >>> is_rounded_zero(parse_equation("y = exp(x) - 1"), "x", {"y": 1e-20, "x": 1e-20})
    False
    """
    x = values[name]
    gap_at_root = _gap(equation, values)
    if gap_at_root is None or not _is_monotone_to_zero(equation, name, values):
        return False
    noise = abs(gap_at_root)
    for given, number in values.items():
        is_exact = given == name or exact_of(number) is not None
        moved_gap = None if is_exact else _gap(equation, {**values, given: number * (1 + ASIDE)})
        noise += abs(moved_gap - gap_at_root) / ASIDE * LAST_DIGIT if moved_gap is not None else 0
    nearer = [_gap(equation, {**values, name: x * share}) for share in (0, 0.25, 0.5)]
    is_level = nearer[0] != gap_at_root and all(gap is not None and abs(gap) <= noise for gap in nearer)
    if not is_level:
        return False
    farther, beyond = (
        [_gap(equation, {**values, name: sign * x * share}) for share in (1e3, 1e9, 1e15, 1e30)] for sign in (1, -1)
    )
    # where the gap stays within the noise beyond zero, as that of a saturated `tanh` does, zero is nothing special
    grows = any(gap is not None and abs(gap) > 2 * noise for gap in farther)
    return grows and any(gap is None or abs(gap) > 2 * noise for gap in beyond)


def _is_monotone_to_zero(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether the residual is monotone from a root to zero, so that a few gaps in many digits suffice."""
    x = values[name]
    spans = {given: (number, number) for given, number in values.items()} | {name: (min(x, 0.0), max(x, 0.0))}
    left, right = (enclose(side, spans, name) for side in equation.sides)
    if left is None or right is None or left.partial or right.partial:
        return False
    low, high = plus(left.slopes, minus(right.slopes))
    return low >= 0 or high <= 0


@many_digits()
def is_attained(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a point is a root to the last double, by gaps in 150 digits, and not only the last one before a jump.

    The gap is zero, or changes sign before the next double by a step similar to the one on the other side.

    >>> from derive.expressions.grammar import parse_equation
    >>> choice = parse_equation("(x if x < 3 else x**2) = 3*y")
    >>> [is_attained(choice, "x", {"x": x, "y": 1.0}) for x in (math.nextafter(3.0, 0), 3.0)]
    [False, False]
    """
    from flint import arb

    x = values[name]
    gap_at_x = _gap(equation, values)
    if gap_at_x is None or gap_at_x == 0:
        return gap_at_x is not None
    ends = [math.nextafter(x, end) for end in (-math.inf, math.inf)]
    below, above = (_gap(equation, values, {name: (end + arb(x - end) * NEGLIGIBLE).mid()}) for end in ends)
    if below is None or above is None:
        return any(gap is not None and gap * gap_at_x < 0 for gap in (below, above))
    step_below, step_above = abs(below - gap_at_x), abs(above - gap_at_x)
    falls, rises = below * gap_at_x < 0, above * gap_at_x < 0
    return bool((falls and step_below <= 1000 * step_above) or (rises and step_above <= 1000 * step_below))


@many_digits()
def turning_point(form: Node, name: str, span: tuple[float, float]) -> float:
    """The point of a stretch too flat for doubles where a form, in 150 digits, changes sign or is nearest to zero.

    >>> from derive.expressions.grammar import parse_expression
    >>> [turning_point(parse_expression(f"(x - 0.1)**{n}*exp(x)"), "x", (0.0999, 0.1002)) for n in (2, 3)]
    [0.1, 0.1]
    """
    from flint import arb

    farthest = max(abs(span[0]), abs(span[1]))
    reach = max(span[1] - span[0], SAME_ROOT * farthest) or AROUND_ZERO
    step = (arb(reach) * NEGLIGIBLE).mid()

    def height(x: Ball) -> Ball | None:
        tick()
        return _number((form,), {name: float(x)}, {name: x})

    def slope(x: Ball) -> Ball | None:
        before, after = height((x - step).mid()), height((x + step).mid())
        return None if before is None or after is None else (after - before).mid()

    slack = SAME_ROOT * farthest  # margin for the rounded ends of the stretch
    for function in (height, slope):  # where the form is zero, or else where it comes nearest
        for margin in (0.0, reach):  # in the stretch, or else beside it
            change = _sign_change(function, arb(span[0]) - margin, arb(span[1]) + margin)
            if change is not None and span[0] - slack <= change <= span[1] + slack:
                return float(change)
    return (span[0] + span[1]) / 2


def _sign_change(function: Callable[[Ball], Ball | None], a: Ball, b: Ball) -> Ball | None:
    """The point between two others where a function in many digits changes sign; None if there is none."""
    first, last = function(a), function(b)
    if first is None or last is None or first * last > 0:
        return None
    if first * last == 0:
        if first == last:
            return None
        return a if first == 0 else b
    for _ in range(_HALVINGS):
        if float(a) == float(b):
            break
        middle = ((a + b) / 2).mid()
        at_middle = function(middle)
        if at_middle is None or at_middle == 0:
            return None if at_middle is None else middle
        a, b = (middle, b) if (at_middle < 0) == (first < 0) else (a, middle)
    return ((a + b) / 2).mid()


@many_digits()
def exactly(form: Node, values: Mapping[str, float]) -> float:
    """The value of an expression in 150 digits, without intermediate rounding; NaN if it is undefined.

    >>> from derive.expressions.grammar import parse_expression
    >>> exactly(parse_expression("log(1 + x)"), {"x": 1e-20})
    1e-20
    """
    number = _number((form,), values)
    return math.nan if number is None else float(number)


@many_digits()
def overflows(form: Node, values: Mapping[str, float]) -> bool:
    """Whether an expression has a value in 150 digits that no double can hold, or that doubles cannot compute."""
    number = _number((form,), values)
    if number is None:
        return False
    size = abs(number)
    lost = not math.isfinite(value(form, values))  # an intermediate result overflows
    return bool(lost or size > sys.float_info.max or 0 < size < math.ulp(0.0))


@many_digits()
def difference(equation: Equation, exact: Mapping[str, Ball], known: Mapping[str, float]) -> Ball:
    """The difference of an equation's sides at numbers of more digits than doubles; None if a side is undefined.

    It has at least sixty correct digits; it is zero if even the highest precision cannot tell it from zero.
    """
    return _difference(equation, exact, known)


def _difference(equation: Equation, exact: Mapping[str, Ball], known: Mapping[str, float]) -> Ball:
    """The same in the present precision."""
    tick()
    names = equation.names
    given = {name: known[name] for name in names if name not in exact}
    precise = {name: exact[name] for name in names if name in exact}
    return _gap(equation, given | {name: float(x) for name, x in precise.items()}, precise)


@many_digits()
def sharpened(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[dict[str, float], int] | None:
    """A root to the last digit of doubles, by Newton's method with 150 digits, and its order; None if that diverges.

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
    """Whether one of some other equations fails, in 150 digits, at the root of an equation in one unknown.

    The forms give the unknowns of the others in that of the first, in order of computation. They may be inverses that
    also take what an equation never comes to, as the square of a root does.

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
    for name, form in forms.items():
        number = _number((form,), {**known, **{other: float(x) for other, x in root.items()}}, root)
        if number is None:
            return False
        root[name] = number
    gaps = [_difference(other, root, known) for other in others]
    return any(gap is not None and _fails(other, gap, root, known) for other, gap in zip(others, gaps, strict=True))


def _sizes(point: Mapping[str, float]) -> list[float]:
    """The sizes of unknowns at a point; that of zero is the size of the largest."""
    return [abs(x) or max(map(abs, point.values())) or 1.0 for x in point.values()]


def _refined(
    equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]
) -> tuple[dict[str, Any], int] | None:
    """A root in many digits by Newton's method, and its order as `sharpened` tells it; None if that diverges."""
    from flint import arb

    iterate = [arb(x) for x in point.values()]
    sizes = _sizes(point)

    def stepping(place: Sequence[Any]) -> tuple[Any, Sequence[Any]]:
        """The relative length of Newton's step in many digits at a place, and the step."""
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


@many_digits(_MORE_BITS)
def retreats_to_zero(equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]) -> bool:
    """Whether Newton's method with 700 digits leaves a point for one at which an unknown is zero, or ever closer to it.

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
    for _ in range(_STEPS):
        tick()
        step = _step(equations, dict(zip(point, iterate, strict=True)), known, sizes, _FINEST_STEP)
        if not step or not max(map(abs, step)) <= _FAR * max(sizes):
            return False
        if max(abs(part) / size for part, size in zip(step, sizes, strict=True)) <= NEGLIGIBLE:
            return False
        iterate = [(x - part).mid() for x, part in zip(iterate, step, strict=True)]
        if any(
            start != 0 and abs(x) <= NEAR_MULTIPLE * abs(start)
            for x, start in zip(iterate, point.values(), strict=True)
        ):
            return True
    return False


@many_digits()
def contradict_nearby(equations: Sequence[Equation], point: Mapping[str, float], known: Mapping[str, float]) -> bool:
    """Whether, near a point, the equations that are independent there hold in 150 digits, and another one fails.

    Newton's method on independent equations moves no further than it has to, so it ends near the point. An equation
    whose slopes are a combination of theirs is not moved by that: it holds already, or nowhere around.

    >>> from derive.expressions.grammar import parse_equation
    >>> first, second = parse_equation("log(x) + log(y) = 0"), parse_equation("x*y = a")
    >>> [contradict_nearby([first, second], {"x": 0.5, "y": 2.0}, {"a": a}) for a in (1.0, 1.0 + 1e-10)]
    [False, True]
    """
    from flint import arb, arb_mat

    sizes = _sizes(point)
    iterate = [arb(x) for x in point.values()]
    for _ in range(_STEPS):
        tick()
        here = dict(zip(point, iterate, strict=True))
        gaps_and_slopes = _linearized(equations, here, known, sizes, NEGLIGIBLE)
        if gaps_and_slopes is None:
            return False
        gaps, slopes = gaps_and_slopes
        if not slopes:
            return False
        rows = [[slope * size for slope, size in zip(row, sizes, strict=True)] for row in slopes]
        independent = _independent(rows)
        matrix = arb_mat([rows[i] for i in independent])
        try:
            multipliers = (matrix * matrix.transpose()).solve(arb_mat([[gaps[i]] for i in independent]))
        except ZeroDivisionError:
            return False
        step = [part.mid() for part in (matrix.transpose() * multipliers).entries()]
        length = max(map(abs, step))
        if not length <= NEAR_MULTIPLE:
            return False
        if length <= NEGLIGIBLE:
            others = {*range(len(equations))}.difference(independent)
            return any(_fails(equations[i], gaps[i], here, known) for i in others)
        iterate = [(x - part * size).mid() for x, part, size in zip(iterate, step, sizes, strict=True)]
    return False


def _independent(rows: Sequence[Sequence[Any]]) -> list[int]:
    """The places of rows in many digits that are no combination of the rows before them, within rounding of doubles."""
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
    """Whether a gap at a point in many digits is more than what doubles of its sides could hide."""
    numbers = {name: known[name] for name in equation.names if name not in point}
    exact = {name: point[name] for name in equation.names if name in point}
    values = numbers | {name: float(x) for name, x in exact.items()}
    sides = [_number((side,), values, exact) for side in equation.sides]
    return bool(abs(gap) > EPSILON * max((abs(side) for side in sides if side is not None), default=0))


def _rounded(x: Any, size: float) -> float:
    """A root's number in many digits as a double; zero if Newton's method has brought it ever closer to zero."""
    return 0.0 if abs(x) <= NEGLIGIBLE * size else float(x)


def _step(
    equations: Sequence[Equation],
    iterate: Mapping[str, Any],
    known: Mapping[str, float],
    sizes: Sequence[Any],
    share: float = NEGLIGIBLE,
) -> Sequence[Any] | None:
    """A step of Newton's method in many digits; None if the Jacobian is singular or a side is undefined.

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
    """The gaps of equations at an iterate of Newton's method, and their slopes; no slopes where all gaps are zero.

    None if a side is undefined.
    """
    gaps = [_difference(equation, iterate, known) for equation in equations]
    if any(gap is None for gap in gaps):
        return None
    if all(gap == 0 for gap in gaps):
        return gaps, []
    slopes: list[list[Any]] = [[] for _ in equations]
    for size, (name, x) in zip(sizes, iterate.items(), strict=True):
        offset = share * (size if x == 0 else abs(x))
        moved = {**iterate, name: (x + offset).mid()}
        for equation, gap, row in zip(equations, gaps, slopes, strict=True):
            moved_gap = _difference(equation, moved, known)
            if moved_gap is None:
                return None
            row.append((moved_gap - gap) / offset)
    return gaps, slopes


def _gap(equation: Equation, values: Mapping[str, float], exact: Mapping[str, Ball] | None = None) -> Ball | None:
    """The difference of an equation's sides in 150 digits, at doubles or numbers of more digits; None if undefined."""
    tick()
    return _number(equation.sides, values, exact)


def _number(forms: Sequence[Node], values: Mapping[str, float], exact: Mapping[str, Ball] | None = None) -> Ball | None:
    """The value of one form, or the difference of two, with as many digits as needed; None if it is undefined."""
    from flint import arb

    def at_this_precision() -> Ball:
        numbers = {name: ball_of(number) for name, number in {**values, **(exact or {})}.items()}
        first, *others = (folded_ball(form, numbers, values, chosen_arm) for form in forms)
        return first - others[0] if others else first

    try:
        ball = at_this_precision()
        if ball.rel_accuracy_bits() < _SURE_BITS:
            with many_digits(_MORE_BITS):
                ball = at_this_precision()
    except (NoElement, KeyError):  # a choice without a true condition, or a name without a number
        return None
    if ball.rel_accuracy_bits() >= _SURE_BITS:
        return ball.mid() if ball.is_finite() else None
    return arb(0) if ball.contains(0) and ball.rad() < math.ulp(0.0) else None
