"""A second opinion in a hundred and fifty digits, for roots that were found by searching.

Where large terms cancel, doubles leave only noise, and a search for a change of sign will find one in noise too. With
enough digits the noise is gone and the root with it, unless it is one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in
from derive.numerics.algebra.evaluation import chosen_arm, value
from derive.numerics.intervals.arithmetic import minus, plus
from derive.numerics.intervals.enclosure import enclose
from derive.time_limits import tick
from derive.tolerances import (
    ASIDE,
    AT_ZERO,
    BESIDE_STRETCH,
    BEYOND_DOUBLES,
    LARGEST,
    LAST_DIGIT,
    LEVEL,
    NOISE,
    QUOTIENT,
    SECANT,
    TURNING,
    VANISHED,
)

__all__ = [
    "difference",
    "exactly",
    "gap_of",
    "is_attained",
    "is_level",
    "is_root",
    "is_rounded_zero",
    "overflows",
    "polished",
    "turning_point",
]

_DIGITS = 150
_FARTHEST = 1e100  # argument of what is worked out with as many more digits as its argument has
_INWARDS = (1e-3, 1e-6, 1e-9)  # shares of the far end of a stretch at which it is looked at, as of a tail
_HALVINGS = 300  # of a stretch, down to sizes that doubles hardly have


def is_root(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether the gap between the sides vanishes at a point, beside what it is a little aside of it.

    It does not do to ask how small the gap is beside the terms, which may cancel and dwarf everything; nor beside
    one, where the sides only approach each other.

    >>> from derive.expressions.grammar import parse_equation
    >>> cancelling = parse_equation("y = (1e30 + x) - 1e30")
    >>> is_root(cancelling, "x", {"x": 3.0, "y": 2.0}), is_root(cancelling, "x", {"x": 2.0, "y": 2.0})
    (False, True)
    """
    x = values[name]
    aside = ASIDE * abs(x) or AT_ZERO
    at, below, above = (_gap(equation, {**values, name: point}) for point in (x, x - aside, x + aside))
    beside = [gap for gap in (below, above) if gap is not None]
    largest = max((abs(gap) for gap in beside), default=0)
    if at is None or abs(at) > largest or largest <= NOISE * _size(equation, values):
        return False
    return bool(abs(at) <= VANISHED * largest)


def gap_of(equation: Equation, values: Mapping[str, float]) -> float:
    """How far the sides are apart as a share of the larger, where doubles are too few to tell; NaN without a value."""
    gap = _gap(equation, values)
    size = _size(equation, values)
    return math.nan if gap is None else float(gap / size) if size else 0.0


def sign_of_gap(equation: Equation, values: Mapping[str, float]) -> int:
    """The sign of the left side less the right one; zero also where it is unknown."""
    gap = _gap(equation, values)
    if gap is None or abs(gap) <= NOISE * _size(equation, values):
        return 0
    return 1 if gap > 0 else -1


def _size(equation: Equation, values: Mapping[str, float]) -> Any:
    """The larger of the two sides, or zero where one has no value."""
    from mpmath import mp, mpf

    with mp.workdps(_DIGITS):
        numbers = {name: mpf(number) for name, number in values.items()}
        try:
            return max(abs(_value(side, numbers, values)) for side in (equation.lhs, equation.rhs))
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return mpf(0)


def is_level(equation: Equation, name: str, values: Mapping[str, float], low: float, high: float) -> bool:
    """Whether the gap is the same all along an interval, and not merely too small for doubles to see."""
    low, high = max(low, -LARGEST), min(high, LARGEST)
    points = [low + (high - low) * share for share in (0.03, 0.2, 0.47, 0.7, 0.97)]
    if low >= 0 or high <= 0:
        near, far = (low, high) if low >= 0 else (high, low)
        beside = [far * share for share in _INWARDS] + [near * share for share in (1.001, 1.1, 2.0)]
        points += [point for point in beside if low < point < high]
    gaps = [_gap(equation, {**values, name: point}) for point in points]
    known = [gap for gap in gaps if gap is not None]
    return len(known) == len(gaps) and max(known) - min(known) <= LEVEL * max(abs(gap) for gap in known)


def is_rounded_zero(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether a root is zero, as far as its own rounding and that of the numbers it follows from can tell.

    All the way from it to zero the sides then stay as near as they are at it, or as the last digits of the other
    numbers can bring them; and further out they do not. Some points on the way can tell, since the gap only rises or
    only falls there: of a wave they could all be zeros. Where it stays the same the name cancels, and is no zero.

    >>> from derive.expressions.grammar import parse_equation
    >>> rest = parse_equation("x = a - b - c")
    >>> is_rounded_zero(rest, "x", {"a": 0.3, "b": 0.2, "c": 0.1, "x": -2.7755575615628914e-17})
    True
    >>> is_rounded_zero(parse_equation("y = exp(x) - 1"), "x", {"y": 1e-20, "x": 1e-20})
    False
    """
    x = values[name]
    at = _gap(equation, values)
    if at is None or not _is_one_way(equation, name, values):
        return False
    noise = abs(at)
    for other, number in values.items():
        aside = None if other == name else _gap(equation, {**values, other: number * (1 + ASIDE)})
        noise += abs(aside - at) / ASIDE * LAST_DIGIT if aside is not None else 0
    nearer = [_gap(equation, {**values, name: x * share}) for share in (0, 0.25, 0.5)]
    farther = [_gap(equation, {**values, name: x * share}) for share in (1e3, 1e9, 1e15, 1e30)]
    level = nearer[0] != at and all(gap is not None and abs(gap) <= noise for gap in nearer)
    return level and any(gap is not None and abs(gap) > 2 * noise for gap in farther)


def _is_one_way(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether the gap only rises or only falls between a name's value and zero."""
    x = values[name]
    spans = {other: (number, number) for other, number in values.items()} | {name: (min(x, 0.0), max(x, 0.0))}
    left, right = (enclose(side, spans, name) for side in (equation.lhs, equation.rhs))
    if left is None or right is None or left.partial or right.partial:
        return False
    low, high = plus(left.slopes, minus(right.slopes))
    return low >= 0 or high <= 0


def polished(equation: Equation, name: str, values: Mapping[str, float]) -> float:
    """A root, brought to the last digit where cancelling terms have cost some; unchanged where it is none."""
    from mpmath import mp, mpf

    x = values[name]
    with mp.workdps(_DIGITS):
        a, b = mpf(x), mpf(x) * (1 + mpf(ASIDE)) or mpf(AT_ZERO)
        fa, fb = _gap(equation, values, {name: a}), _gap(equation, values, {name: b})
        for _ in range(60):
            if fa is None or fb is None or fa == fb:
                break
            a, fa, b = b, fb, b - fb * (b - a) / (fb - fa)
            fb = _gap(equation, values, {name: b})
            if abs(b - a) <= abs(b) * SECANT:
                break
        found = float(b)
    close = math.isclose(found, x, rel_tol=0.05)
    return found if close and fb is not None and is_root(equation, name, {**values, name: found}) else x


def is_attained(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether there is a root at a point, to the last double, and not only beyond a jump that it stands before.

    The gap is zero, or changes its sign before the next double, and does so in a step like that on the other side.

    >>> from derive.expressions.grammar import parse_equation
    >>> choice = parse_equation("(x if x < 3 else x**2) = 3*y")
    >>> [is_attained(choice, "x", {"x": x, "y": 1.0}) for x in (math.nextafter(3.0, 0), 3.0)]
    [False, False]
    """
    from mpmath import mp, mpf

    x = values[name]
    at = _gap(equation, values)
    if at is None or abs(at) <= NOISE * _size(equation, values):
        return at is not None
    with mp.workdps(_DIGITS):
        ends = [mpf(math.nextafter(x, end)) for end in (-math.inf, math.inf)]
        below, above = (_gap(equation, values, {name: end + (x - end) * mpf(QUOTIENT)}) for end in ends)
        if below is None or above is None:
            return any(gap is not None and gap * at < 0 for gap in (below, above))
        steps = abs(below - at), abs(above - at)
        falls, rises = below * at < 0, above * at < 0
        return bool((falls and steps[0] <= 1000 * steps[1]) or (rises and steps[1] <= 1000 * steps[0]))


def turning_point(form: Node, name: str, span: tuple[float, float]) -> float:
    """Where, in a stretch too flat for doubles, a form changes its sign; if it does not, where it comes nearest zero.

    >>> from derive.expressions.grammar import parse_expression
    >>> [turning_point(parse_expression(f"(x - 0.1)**{n}*exp(x)"), "x", (0.0999, 0.1002)) for n in (2, 3)]
    [0.1, 0.1]
    """
    from mpmath import mp, mpf

    with mp.workdps(_DIGITS):
        reach = max(span[1] - span[0], BESIDE_STRETCH * max(abs(span[0]), abs(span[1]))) or mpf(AT_ZERO)

        def height(x: Any) -> Any:
            tick()
            try:
                return _value(form, {name: x}, {name: float(x)})
            except (ValueError, ZeroDivisionError, OverflowError, TypeError):
                return None

        def slope(x: Any) -> Any:
            step = reach * mpf(TURNING)
            before, after = height(x - step), height(x + step)
            return None if before is None or after is None else after - before

        near = BESIDE_STRETCH * max(abs(span[0]), abs(span[1]))  # outside of the stretch, where rounding drew it
        for function in (height, slope):
            for more in (0, reach):
                found = _crossed(function, mpf(span[0]) - more, mpf(span[1]) + more)
                if found is not None and span[0] - near <= found <= span[1] + near:
                    return float(found)
    return (span[0] + span[1]) / 2


def _crossed(function: Callable[[Any], Any], a: Any, b: Any) -> Any:
    """Where a function changes its sign between two points, to the last double and beyond; None where it does not."""
    first, last = function(a), function(b)
    if first is None or last is None or first * last > 0:
        return None
    if first * last == 0:
        return None if first == last else a if first == 0 else b
    for _ in range(_HALVINGS):
        if abs(b - a) <= BEYOND_DOUBLES * max(abs(a), abs(b)):
            break
        middle = (a + b) / 2
        at = function(middle)
        if at is None or at == 0:
            return None if at is None else middle
        a, b = (middle, b) if (at < 0) == (first < 0) else (a, middle)
    return (a + b) / 2


def exactly(form: Node, values: Mapping[str, float]) -> float:
    """What an expression comes to if nothing is rounded on the way; NaN where it has no value.

    >>> from derive.expressions.grammar import parse_expression
    >>> exactly(parse_expression("log(1 + x)"), {"x": 1e-20})
    1e-20
    """
    from mpmath import mp, mpf

    with mp.workdps(_DIGITS):
        try:
            return float(_value(form, {name: mpf(number) for name, number in values.items()}, values))
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, KeyError):
            return math.nan


def overflows(form: Node, values: Mapping[str, float]) -> bool:
    """Whether an expression has a value that no double can hold, or that doubles cannot reach."""
    from mpmath import mp, mpf

    with mp.workdps(_DIGITS):
        try:
            size = abs(_value(form, {name: mpf(number) for name, number in values.items()}, values))
        except (ValueError, ZeroDivisionError, OverflowError, TypeError, KeyError):
            return False
        lost = not math.isfinite(value(form, values))  # on the way
        return bool(mp.isfinite(size) and (lost or size > mpf("1.7e308") or 0 < size < mpf("5e-324")))


def difference(equation: Equation, exact: Mapping[str, Any], known: Mapping[str, float]) -> Any:
    """The difference of the sides in many digits, where some numbers have as many; None where a side has no value."""
    tick()
    names = names_in(equation.lhs, equation.rhs)
    given = {name: known[name] for name in names if name not in exact}
    more = {name: exact[name] for name in names if name in exact}
    return _gap(equation, given | {name: float(x) for name, x in more.items()}, more)


def _gap(equation: Equation, values: Mapping[str, float], exact: Mapping[str, Any] | None = None) -> Any:
    """The difference of the sides, or None where one of them has no value; `exact` has more digits than a double."""
    from mpmath import mp, mpf

    tick()
    with mp.workdps(_DIGITS):
        numbers = {name: mpf(number) for name, number in values.items()} | dict(exact or {})
        try:
            return _value(equation.lhs, numbers, values) - _value(equation.rhs, numbers, values)
        except (ValueError, ZeroDivisionError, OverflowError, TypeError):
            return None


def _value(node: Node, numbers: Mapping[str, Any], values: Mapping[str, float]) -> Any:
    from mpmath import mp, mpf

    if isinstance(node, Name):
        return numbers[node.name]
    if isinstance(node, Number):
        return mpf(node.value.numerator) / node.value.denominator
    if node.op == "piecewise":
        return _value(_arm(node, values), numbers, values)
    args = [_value(arg, numbers, values) for arg in node.args]
    match node.op:
        case "pi":
            return +mp.pi
        case "add":
            return mp.fsum(args)
        case "mul":
            return mp.fprod(args)
        case "neg":
            return -args[0]
        case "inv":
            return 1 / args[0]
        case "pow":
            return _real(args[0] ** args[1])
        case "max":
            return max(args)
        case "min":
            return min(args)
        case op:
            entry = TABLE[op]
            if entry.is_vast and abs(args[0]) > _FARTHEST:
                raise OverflowError(op)
            return _real(entry.digits(mp, args[0]) if entry.digits else getattr(mp, op)(args[0]))


def _real(number: Any) -> Any:
    """The number, which must not be complex."""
    from mpmath import mpc

    if isinstance(number, mpc):
        raise ValueError("complex")
    return number


def _arm(node: Apply, values: Mapping[str, float]) -> Node:
    arm = chosen_arm(node, values)
    if arm is None:
        raise ValueError("no arm")
    return arm
