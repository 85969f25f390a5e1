"""Multiprecision: values and residuals in 150 digits and more, which verify roots that were found by searching.

Where large terms cancel, doubles leave only noise, and a search for a change of sign finds one in the noise. With
enough digits the noise vanishes, and with it every false root.

Numbers are balls, a midpoint and a radius that bounds all rounding (Johansson 2017, *Arb*). A ball without zero
proves that the residual is nonzero; one that still contains zero when its radius is below all doubles counts as zero;
anything else is unknown. FLINT takes a quarter of the time that mpmath needs for an equation, and a tenth with
special functions: 20 microseconds for `y = x**3 + a*x`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count

from derive.expressions.arithmetic import NoElement
from derive.expressions.balls import MORE_BITS, Ball, many_digits
from derive.expressions.tree import Equation, Name, Node, names_in, rebuilt
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.algebra.exact_values import ball_of, folded_ball, is_known
from derive.numerics.intervals.arithmetic import minus, plus, point_box
from derive.numerics.intervals.enclosure import enclose
from derive.time_limits import tick
from derive.tolerances import AROUND_ZERO, ASIDE, LARGEST, LAST_DIGIT, MET, NEGLIGIBLE, SAME_ROOT, VANISHED

_SURE_BITS = 200  # correct bits that a number must have
_HALVINGS = 300  # limit on bisections, down to the smallest sizes of doubles
_INWARDS = (1e-3, 1e-6, 1e-9)  # sample points of a stretch as shares of its far end


@many_digits()
def is_root(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a point is a root in multiprecision: the gap of the sides vanishes beside that on either side.

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
    if gap_at_root is None:
        return False
    if below is None and above is None:  # the sides are defined at this point alone, as `sqrt(-x**2)` is at 0
        return bool(gap_at_root == 0)
    largest = max(abs(gap) for gap in (below, above) if gap is not None)
    if largest == 0:
        return False
    return bool(abs(gap_at_root) <= VANISHED * largest)


@many_digits()
def gap_of(equation: Equation, values: Mapping[str, float]) -> float:
    """The residual of an equation in multiprecision, relative to the larger side; NaN if it is undefined."""
    gap = _gap(equation, values)
    sizes = [_number((side,), values) for side in equation.sides]
    size = max((abs(size) for size in sizes if size is not None), default=0)
    if gap is None:
        return math.nan
    return float(gap / size) if size > 0 else 0.0


@many_digits()
def vanishes(equation: Equation, values: Mapping[str, float]) -> bool | None:
    """Whether multiprecision has no gap between the sides of an equation; None if it has no value, or is unknown."""
    gap = _gap(equation, values)
    return None if gap is None else bool(gap == 0)


@many_digits()
def sign_of_gap(equation: Equation, values: Mapping[str, float]) -> int:
    """The sign, in multiprecision, of the left side minus the right one; zero also if it is unknown."""
    gap = _gap(equation, values)
    return 0 if gap is None else int(gap > 0) - int(gap < 0)


@many_digits()
def is_level(equation: Equation, name: str, values: Mapping[str, float], low: float, high: float) -> bool:
    """Whether multiprecision confirms a residual as constant along an interval, and not just too small for doubles."""
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
    """Whether multiprecision verifies that a name cancels: the residual is rounding beside each occurrence's share.

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
    share = max(changes(apart, numbers, gap, numbers.keys() - values.keys()), default=0)
    return share > 0 and bool(abs(gap) <= MET * share)


@many_digits()
def is_rounded_zero(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether multiprecision verifies that a root is zero, within its rounding and that of the other numbers.

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
    rounded = (given for given, number in values.items() if given != name and not is_known(number))
    for change in changes(equation, values, gap_at_root, rounded):
        noise += change * LAST_DIGIT

    def gaps(*shares: float) -> list[Ball | None]:
        return [_gap(equation, {**values, name: x * share}) for share in shares]

    nearer = gaps(0, 0.25, 0.5)
    if nearer[0] == gap_at_root or not all(gap is not None and abs(gap) <= noise for gap in nearer):
        return False
    if not any(gap is not None and abs(gap) > 2 * noise for gap in gaps(1e3, 1e9, 1e15, 1e30)):
        return False
    # where the gap stays within the noise beyond zero, as that of a saturated `tanh` does, zero is nothing special
    return any(gap is None or abs(gap) > 2 * noise for gap in gaps(-1e3, -1e9, -1e15, -1e30))


def _is_monotone_to_zero(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether the residual is monotone from a root to zero, so that multiprecision may look at a few points alone."""
    x = values[name]
    spans = point_box(values) | {name: (min(x, 0.0), max(x, 0.0))}
    left, right = (enclose(side, spans, name) for side in equation.sides)
    if left is None or right is None or left.partial or right.partial:
        return False
    low, high = plus(left.slopes, minus(right.slopes))
    return low >= 0 or high <= 0


@many_digits()
def is_attained(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether multiprecision has a root at a point to the last double, and not just the last one before a jump.

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
    """The point of a stretch too flat for doubles where a form in multiprecision changes sign or is next to zero.

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
    """The point between two others where a function in multiprecision changes sign; None if there is none."""
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
    """The value of an expression in multiprecision, without intermediate rounding; NaN if it is undefined.

    >>> from derive.expressions.grammar import parse_expression
    >>> exactly(parse_expression("log(1 + x)"), {"x": 1e-20})
    1e-20
    """
    number = _number((form,), values)
    return math.nan if number is None else float(number)


@many_digits()
def overflows(form: Node, values: Mapping[str, float]) -> bool:
    """Whether multiprecision has a value of an expression that no double can hold, or doubles cannot compute."""
    number = _number((form,), values)
    if number is None:
        return False
    size = abs(number)
    lost = not math.isfinite(value(form, values))  # an intermediate result overflows
    return bool(lost or size > sys.float_info.max or 0 < size < math.ulp(0.0))


def difference(equation: Equation, exact: Mapping[str, Ball], known: Mapping[str, float]) -> Ball:
    """The difference of an equation's sides at multiprecision numbers, in the precision that is set; None if undefined.

    It has at least sixty correct digits; it is zero if even the highest precision cannot tell it from zero.
    """
    tick()
    names = equation.names
    given = {name: known[name] for name in names if name not in exact}
    precise = {name: exact[name] for name in names if name in exact}
    return _gap(equation, given | {name: float(x) for name, x in precise.items()}, precise)


def _gap(equation: Equation, values: Mapping[str, float], exact: Mapping[str, Ball] | None = None) -> Ball | None:
    """The difference of an equation's sides in multiprecision, at doubles or finer numbers; None if undefined."""
    tick()
    return _number(equation.sides, values, exact)


def changes(equation: Equation, values: Mapping[str, float], gap: Ball, names: Iterable[str]) -> Iterator[Ball]:
    """By how much multiprecision would have the gap changed if each of some numbers changed by its own size."""
    for name in names:
        moved_gap = _gap(equation, {**values, name: values[name] * (1 + ASIDE)})
        if moved_gap is not None:
            yield abs(moved_gap - gap) / ASIDE


def number_of(form: Node, exact: Mapping[str, Ball], known: Mapping[str, float]) -> Ball | None:
    """The value of an expression in multiprecision, at such numbers and at doubles; None if it is undefined."""
    return _number((form,), {**known, **{name: float(x) for name, x in exact.items()}}, exact)


def _number(forms: Sequence[Node], values: Mapping[str, float], exact: Mapping[str, Ball] | None = None) -> Ball | None:
    """The value of one form in multiprecision, or of the difference of two; None if it is undefined."""
    from flint import arb

    known = {**values, **exact} if exact else values
    needed = {name: known[name] for name in names_in(*forms) if name in known}

    def at_this_precision() -> Ball:
        numbers = {name: ball_of(number) for name, number in needed.items()}
        first, *others = (folded_ball(form, numbers, values, chosen_arm) for form in forms)
        return first - others[0] if others else first

    try:
        ball = at_this_precision()
        if ball.rel_accuracy_bits() < _SURE_BITS:
            with many_digits(MORE_BITS):
                ball = at_this_precision()
    except (NoElement, KeyError):  # a choice without a true condition, or a name without a number
        return None
    if ball.rel_accuracy_bits() >= _SURE_BITS:
        return ball.mid() if ball.is_finite() else None
    return arb(0) if ball.contains(0) and ball.rad() < math.ulp(0.0) else None
