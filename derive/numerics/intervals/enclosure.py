"""Enclosures of an expression and its slope while one name ranges over an interval.

`enclose` returns an interval that is certain to contain the expression's values, and one for its slope. If the
values' interval excludes zero, there is no root; if the slope's does, there is at most one. The absence and the
uniqueness of roots are proved in this way; sampling never proves either.

There is one rule for each operation, and one for each kind of entry in the table of functions. A rule's factor is the
operation's own slope, which the chain rule multiplies with the inner slope. A rule is right if, for all arguments in
their intervals, the true values and slopes lie in the result:

- Where an operation is monotone, its values lie between those at the ends; where it turns (cosh, sin, an even power),
  the turning point counts as an end too. Every number that a rule computes is first moved outwards by its largest
  error (`arithmetic`).
- A slope is computed by the same interval arithmetic from numbers that were moved outwards already.
- An operation that is not smooth sets `flaw`: the values still lie inside where they exist, and slopes prove nothing.
  A kink (abs, max) is no flaw: its slopes are all those between the one-sided slopes, for which the mean value
  theorem holds.

FLINT has rigorous enclosures too. Converted back to doubles they take 7 microseconds where the error function here
takes 0.3; only gamma and Lambert's function would gain.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial, reduce
from itertools import product, starmap
from typing import NamedTuple

from derive.expressions.arithmetic import TESTS, Arithmetic, Fold, NoElement
from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.intervals.arithmetic import (
    ALL,
    FAINT,
    ZERO,
    Span,
    hull,
    minus,
    outward,
    over,
    plus,
    sizes,
    square,
    times,
)
from derive.tolerances import EXPRESSION
from quantities.rational import exact_of

__all__ = [
    "GAP",
    "JUMP",
    "SMOOTH",
    "SPANS",
    "Enclosure",
    "Span",
    "applied",
    "arms_allowed",
    "around",
    "enclose",
    "joined",
    "powers",
    "raised",
    "span_of",
    "span_of_computed",
    "sum_of",
    "truths",
]

_ONE: Span = (1.0, 1.0)
_PI: Span = (math.pi, math.nextafter(math.pi, 4.0))
_SMALLEST_NORMAL = sys.float_info.min
_HALF, _TURN = 3.14, 6.28  # slightly less than half a turn and a whole turn

SMOOTH, JUMP, GAP = range(3)
"""An expression is defined and smooth throughout, defined but may jump, or may be undefined somewhere."""


class Enclosure(NamedTuple):
    """Bounds of an expression's values and slopes, and whether it may jump or be undefined.

    Each search makes thousands of them, and a frozen dataclass takes twice as long to make.
    """

    values: Span
    slopes: Span
    flaw: int = SMOOTH

    @property
    def partial(self) -> bool:
        """Whether the enclosure is of an expression that may jump, or be undefined somewhere."""
        return self.flaw != SMOOTH

    @property
    def misses_zero(self) -> bool:
        return self.values[0] > 0 or self.values[1] < 0

    @property
    def is_monotone(self) -> bool:
        return not self.partial and (self.slopes[0] > 0 or self.slopes[1] < 0)


def applied(op: str, *arguments: Enclosure) -> Enclosure:
    """The enclosure of an operation's values and slopes, from those of its arguments; `NoElement` if nowhere defined.

    >>> tripled = applied("mul", Enclosure((1.0, 2.0), (1.0, 1.0)), Enclosure((3.0, 3.0), ZERO))
    >>> [round(end, 12) for end in (*tripled.values, *tripled.slopes)]
    [3.0, 6.0, 3.0, 3.0]
    """
    try:
        return _RULES[op](*arguments)
    except (ValueError, OverflowError, ZeroDivisionError):
        return Enclosure(ALL, ALL, GAP)


SPANS: dict[str, Callable[..., Span]] = {
    "pi": lambda: _PI,
    "add": lambda *spans: reduce(plus, spans),
    "mul": lambda *spans: reduce(times, spans),
    "neg": minus,
    "max": lambda *spans: (max(low for low, _ in spans), max(high for _, high in spans)),
    "min": lambda *spans: (min(low for low, _ in spans), min(high for _, high in spans)),
}
"""The values of each operation that is defined everywhere, from those of its arguments."""


def sum_of(*terms: Enclosure) -> Enclosure:
    """The enclosure of a sum's values and slopes, from those of its terms."""
    values = slopes = ZERO
    for term in terms:
        values, slopes = plus(values, term.values), plus(slopes, term.slopes)
    return Enclosure(values, slopes, max((term.flaw for term in terms), default=SMOOTH))


def _product(*factors: Enclosure) -> Enclosure:
    values, slopes = factors[0].values, factors[0].slopes
    for factor in factors[1:]:
        slopes = plus(times(values, factor.slopes), times(factor.values, slopes))
        values = times(values, factor.values)
    return Enclosure(values, slopes, max(factor.flaw for factor in factors))


def _negative(inner: Enclosure) -> Enclosure:
    return Enclosure(minus(inner.values), minus(inner.slopes), inner.flaw)


def _chained(inner: Enclosure, values: Span, factor: Span, *, gap: bool = False) -> Enclosure:
    """The enclosure of a function by the chain rule: `factor`, which bounds its own slope, times the slope inside."""
    return Enclosure(values, times(factor, inner.slopes), GAP if gap else inner.flaw)


def _at_pole(inner: Enclosure) -> Enclosure:
    """The enclosure of a function that may be at a pole: any value, and any slope unless its argument is constant."""
    return Enclosure(ALL, ALL if inner.slopes != ZERO else ZERO, GAP)


def _inverse(inner: Enclosure) -> Enclosure:
    low, high = inner.values
    if low == 0 == high:
        raise NoElement
    if low < 0 < high:
        return _at_pole(inner)
    values = over(inner.values)
    return _chained(inner, values, minus(square(values)), gap=low == 0 or high == 0)


def _power(base: Enclosure, exponent: Enclosure) -> Enclosure:
    """The enclosure of a power, of any base if the exponent is one whole number, and else of a nonnegative base.

    For a nonnegative base `x**y` is monotone in each argument, so its extremes lie at the corners. Its slopes are
    `y*x**(y - 1)` in the base and `x**y*log(x)` in the exponent.
    """
    start, end = exponent.values
    if start == end and start.is_integer() and exponent.slopes == ZERO:
        return _whole_power(base, start)
    low, high = base.values
    flaw = GAP if low < 0 or (low == 0 and start <= 0) else max(base.flaw, exponent.flaw)
    if low < 0 and math.floor(end) >= start:  # some of the exponents are whole
        return Enclosure(ALL, ALL, GAP)
    if high < 0:
        raise NoElement
    bases = (max(low, 0.0), high)
    values = _corners(bases, exponent.values)
    slopes = ZERO
    if base.slopes != ZERO:
        factor = times(exponent.values, _corners(bases, plus(exponent.values, (-1.0, -1.0))))
        slopes = times(factor, base.slopes)
    if exponent.slopes != ZERO:
        first, last = (math.log(end) if end > 0 else -math.inf for end in bases)
        slopes = plus(slopes, times(times(values, outward(first, last)), exponent.slopes))
    return Enclosure(values, slopes, flaw)


def _whole_power(base: Enclosure, n: float) -> Enclosure:
    if n == 0:
        return Enclosure((1.0, 1.0), ZERO, base.flaw)
    if n < 0:
        return _inverse(_whole_power(base, -n))
    return _chained(base, powers(base.values, n), times((n, n), powers(base.values, n - 1)))


def powers(span: Span, n: float) -> Span:
    """The enclosure of the values of a power with a whole exponent of zero or more, over an interval of bases.

    >>> powers((-2.0, 1.0), 2)[0], powers((-2.0, 1.0), 3)[0] <= -8
    (0.0, True)
    """
    if n <= 1:
        return span if n else _ONE
    even = n % 2 == 0
    ends = sizes(span) if even else span
    low, high = (raised(x, n) if x >= 0 else -raised(-x, n) for x in ends)
    low, high = outward(low, high)
    return (max(low, 0.0) if ends[0] >= 0 else low), high


def _corners(base: Span, exponent: Span) -> Span:
    numbers = [*starmap(raised, product(base, exponent))]
    low, high = outward(min(numbers), max(numbers))
    return max(low, 0.0), high


def raised(x: float, y: float) -> float:
    """An end of a power's enclosure: the power of a nonnegative base, or its limit where it is undefined."""
    try:
        return float(x**y) or (FAINT if x and math.isfinite(x) else 0.0)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _extreme(op: str, *arms: Enclosure) -> Enclosure:
    """The enclosure rule for a maximum or minimum: its values, and all slopes between those of arms that may bind."""
    values = SPANS[op](*(arm.values for arm in arms))
    binding = [arm for arm in arms if (arm.values[1] >= values[0] if op == "max" else arm.values[0] <= values[1])]
    slopes = binding[0].slopes
    for arm in binding[1:]:
        slopes = hull(slopes, arm.slopes)
    return Enclosure(values, slopes, max(arm.flaw for arm in arms))


_Rule = Callable[[Enclosure], Enclosure]


def _monotone(entry: Function) -> _Rule:
    """The enclosure rule for a table's function that is monotone or turns once, by its ends and turning point."""
    start, end = entry.domain
    # an interval with an infinite end has no bound there: infinity itself is no argument that could be undefined
    excludes_start = start > -math.inf and not entry.closed[0]
    excludes_end = end < math.inf and not entry.closed[1]
    values_on, slopes_on = _values_of(entry), _slopes_of(entry)

    def rule(inner: Enclosure) -> Enclosure:
        """The enclosure of the function, on the part of the argument's interval that is in its domain."""
        low, high = span = inner.values
        is_gap = low < start or high > end or (excludes_start and low == start) or (excludes_end and high == end)
        if is_gap:
            if high < start or low > end or (excludes_start and high == start) or (excludes_end and low == end):
                raise NoElement
            span = max(low, start), min(high, end)
        values = values_on(span)
        slopes = slopes_on(span) if inner.slopes != ZERO else ZERO
        return _chained(inner, values, slopes, gap=is_gap)

    return rule


def _values_of(entry: Function) -> Callable[[Span], Span]:
    """The enclosure rule for the values of a table's function that rises throughout, or falls up to its turn."""
    value, off, turn = entry.value, entry.off, entry.turn
    bottom, top = entry.between
    floor, roof = entry.between if entry.clips else ALL
    faint = FAINT if entry.is_everywhere and bottom == 0 else 0.0  # what underflows is not zero

    def turning(span: Span) -> Span:
        assert turn is not None
        first, last = _near(value, span[0], top, math.inf), _near(value, span[1], top, math.inf)
        least = turn[1] if span[0] <= turn[0] <= span[1] else min(first, last)
        low, high = outward(least, max(first, last), off)
        return max(low, floor), min(high, roof) or faint

    def rising(span: Span) -> Span:
        low, high = outward(_near(value, span[0], bottom), _near(value, span[1], top), off)
        return max(low, floor), min(high, roof) or faint

    return turning if turn else rising


def _near(function: Callable[[float], float], x: float, limit: float, below: float = -math.inf) -> float:
    """The value at an end of an enclosure; `limit` where it is undefined, infinity or `below` where it overflows."""
    try:
        return function(x)
    except OverflowError:
        return math.inf if x > 0 else below
    except (ValueError, ZeroDivisionError):
        return limit


def _slopes_of(entry: Function) -> Callable[[Span], Span]:
    """The enclosure rule for the slopes of a table's function, if its slope turns at the listed points only."""
    value, slope, bends, off = entry.value, entry.slope_of, entry.bends, entry.slope_off
    first_limit = -math.inf if entry.turn else math.inf  # where there is no slope at an end, it has no bound
    last_limit = -math.inf if entry.falls else math.inf
    floor, roof = (-math.inf if entry.turn else 0.0), (0.0 if entry.falls else math.inf)

    def slope_at(x: float, limit: float) -> float:
        try:
            return slope(x, value(x))
        except OverflowError:
            return 0.0 if entry.is_bounded else limit
        except (ValueError, ZeroDivisionError):
            return limit

    def slopes(span: Span) -> Span:
        """The enclosure of a function's slopes over an interval, by those at its ends and where the slope turns."""
        low = high = slope_at(span[0], first_limit)
        for end in (slope_at(span[1], last_limit), *(slope_at(x, 0.0) for x in bends if span[0] < x < span[1])):
            low, high = min(low, end), max(high, end)
        low, high = outward(floor if low == math.inf else low, roof if high == -math.inf else high, off)
        # what underflows is not zero, nor is the inverse of what overflows
        low = max(-_SMALLEST_NORMAL, floor) if abs(low) < _SMALLEST_NORMAL else low
        return low, (min(_SMALLEST_NORMAL, roof) if abs(high) < _SMALLEST_NORMAL else high)

    return slopes


def _absolute(inner: Enclosure) -> Enclosure:
    """The enclosure rule for the absolute value and its slopes."""
    low, high = inner.values
    if low == high == 0:  # a point between a side that falls and one that rises
        return _chained(inner, ZERO, (-1.0, 1.0))
    if low >= 0:
        return inner
    if high <= 0:
        return _negative(inner)
    return _chained(inner, sizes(inner.values), (-1.0, 1.0))


def _stepped(entry: Function) -> _Rule:
    """The enclosure rule for a function that rounds: its slope is zero, and it may jump between different values."""

    def rule(inner: Enclosure) -> Enclosure:
        low, high = (entry.value(end) if math.isfinite(end) else end for end in inner.values)
        return Enclosure((low, high), ZERO, max(inner.flaw, JUMP) if low != high else inner.flaw)

    return rule


def _wave_values(function: Callable[[float], float], slope: Callable[[float], float], span: Span) -> Span:
    """The enclosure of the values of a sine or cosine over an interval, by the signs of the slope at its ends.

    Maxima and minima alternate, half a turn apart, where the slope changes sign. The signs of the slope just inside
    both ends therefore tell whether their number is odd, and the width how many there can be. The signs are certain:
    except for zero, no double is a multiple of a quarter turn, and the library reduces even the largest to the last
    digits. (Adding a quarter turn to an argument would lose many.)
    """
    low, high = span
    if not high - low < _TURN:
        return -1.0, 1.0
    rises_at_low = slope(low) > 0
    rises_at_high = slope(high) >= 0 if low < high else rises_at_low
    if rises_at_low == rises_at_high and high - low > _HALF:  # none, or two
        return -1.0, 1.0
    first, last = function(low), function(high)
    bottom, top = outward(min(first, last), max(first, last))
    if rises_at_high and not rises_at_low:  # over a minimum
        bottom = -1.0
    if rises_at_low and not rises_at_high:  # over a maximum
        top = 1.0
    return max(bottom, -1.0), min(top, 1.0)


_WAVES: tuple[Callable[[float], float], ...] = (math.sin, math.cos, lambda x: -math.sin(x), lambda x: -math.cos(x))


def _waving(entry: Function) -> _Rule:
    """The enclosure rule for a sine or cosine; each derivative is the same wave a quarter turn ahead."""
    wave, slope, bend = _WAVES[entry.ahead : entry.ahead + 3]

    def rule(inner: Enclosure) -> Enclosure:
        span = inner.values
        return _chained(inner, _wave_values(wave, slope, span), _wave_values(slope, bend, span))

    return rule


def _tangent(inner: Enclosure) -> Enclosure:
    """The enclosure rule for the tangent: it rises from pole to pole, and at a pole the cosine changes its sign."""
    low, high = inner.values
    if high - low < _HALF and (math.cos(low) > 0) == (math.cos(high) > 0):
        values = outward(math.tan(low), math.tan(high))
        return _chained(inner, values, plus((1.0, 1.0), square(values)))
    return _at_pole(inner)


_SHAPES: dict[str, Callable[[Function], _Rule]] = {
    "monotone": _monotone,
    "arc": _monotone,
    "arctangent": _monotone,
    "wave": _waving,
    "tangent": lambda _: _tangent,
    "kink": lambda _: _absolute,
    "steps": _stepped,
}
_RULES: dict[str, Callable[..., Enclosure]] = {
    "pi": lambda: Enclosure(_PI, ZERO),
    "add": sum_of,
    "mul": _product,
    "neg": _negative,
    "inv": _inverse,
    "pow": _power,
    "max": partial(_extreme, "max"),
    "min": partial(_extreme, "min"),
    **{name: _SHAPES[entry.shape](entry) for name, entry in TABLE.items()},
}


# Whole expressions


def enclose(node: Node, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """Enclose an expression's values and slopes as `moving` runs over its interval; None where nowhere defined.

    >>> from derive.expressions.grammar import parse_expression
    >>> bounds = enclose(parse_expression("x**2 + x"), {"x": (1.0, 2.0)}, "x")
    >>> [round(end, 12) for end in (*bounds.values, *bounds.slopes)]
    [2.0, 6.0, 3.0, 5.0]
    """
    return _ENCLOSURES.attempt(node, _named(spans, moving))


def truths(condition: Node, spans: Mapping[str, Span]) -> frozenset[bool | None]:
    """The truths that a condition may have over intervals: true, false, or None where it is undefined.

    >>> from derive.expressions.grammar import parse_condition
    >>> sorted(truths(parse_condition("log(x) > 1"), {"x": (-1.0, 2.0)}), key=str)
    [False, None]
    """
    possible: frozenset[bool | None] = _ENCLOSURES.fold(condition, _named(spans, ""))
    return possible


def _named(spans: Mapping[str, Span], moving: str) -> Callable[[str], Enclosure]:
    """The enclosures of quantities by their names; `NoElement` for one without a value, which is NaN in its span."""

    def enclosure(name: str) -> Enclosure:
        span = spans[name]
        if span[0] != span[0]:
            raise NoElement
        return Enclosure(span, _ONE if name == moving else ZERO)

    return enclosure


def around(number: Number) -> Span:
    """The enclosure of a literal: its double alone, the neighbours of that, or the largest double and infinity."""
    if number.is_double:
        return number.real, number.real
    if number.real == number.real:
        return math.nextafter(number.real, -math.inf), math.nextafter(number.real, math.inf)
    return (sys.float_info.max, math.inf) if number.value > 0 else (-math.inf, -sys.float_info.max)


def span_of(number: float) -> Span:
    """The enclosure of what a double stands for: itself, or its neighbours where it rounds a rational."""
    exact = exact_of(number)
    if exact is None or exact == Fraction(number):
        return number, number
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def spans_of_numbers(numbers: Mapping[str, float]) -> dict[str, Span]:
    """For each name the enclosure of what its double stands for."""
    return {name: span_of(number) for name, number in numbers.items()}


def span_of_computed(number: float) -> Span:
    """The enclosure of what a double stands for, within the error of an expression if it was computed.

    >>> from quantities.rational import written
    >>> span_of_computed(written(3)), span_of_computed(0.0)
    ((3.0, 3.0), (0.0, 0.0))
    >>> low, high = span_of_computed(3.0)
    >>> low < 3.0 < high
    True
    """
    if exact_of(number) is not None:
        return span_of(number)
    reach = EXPRESSION * abs(number)
    return number - reach, number + reach


def _choice(choice: Apply, fold: Fold) -> Enclosure:
    """The enclosure of a choice: the hull of all arms that its conditions allow, between which it may jump."""
    conditions = (fold(condition) for condition in choice.args[1::2])
    allowed, is_partial = arms_allowed(conditions, len(choice.args))
    hull_of_arms: Enclosure | None = None
    for place in allowed:
        try:
            arm: Enclosure = fold(choice.args[2 * place])
        except NoElement:
            is_partial = True
            continue
        if hull_of_arms is None:
            hull_of_arms = arm
        else:
            flaw = max(hull_of_arms.flaw, arm.flaw, JUMP)
            hull_of_arms = Enclosure(hull(hull_of_arms.values, arm.values), hull(hull_of_arms.slopes, arm.slopes), flaw)
    if hull_of_arms is None:
        raise NoElement
    return Enclosure(hull_of_arms.values, hull_of_arms.slopes, GAP) if is_partial else hull_of_arms


def arms_allowed(truths_of_conditions: Iterable[frozenset[bool | None]], count: int) -> tuple[list[int], bool]:
    """The places of the arms that an enclosure leaves to a choice, and whether it may be undefined."""
    allowed: list[int] = []
    is_partial = False
    for place, possible in enumerate(truths_of_conditions):
        is_partial = is_partial or None in possible
        if True in possible:
            allowed.append(place)
        if False not in possible:
            return allowed, is_partial
    if count % 2:  # the last arm has no condition
        return [*allowed, count // 2], is_partial
    return allowed, True


def _comparison(comparison: Apply, fold: Fold) -> frozenset[bool | None]:
    """The truths that the enclosures of its sides leave to a comparison, None among them if one may be undefined."""
    try:
        left, right = map(fold, comparison.args)
    except NoElement:
        return frozenset({None})
    decided = _compared(comparison.op, left.values, right.values)
    possible: set[bool | None] = {True, False} if decided is None else {decided}
    if GAP in (left.flaw, right.flaw):
        possible.add(None)
    return frozenset(possible)


def _joined(op: str, *parts: frozenset[bool | None]) -> frozenset[bool | None]:
    """The truths that enclosures leave to an `and` or `or` of conditions, from those that they leave to each."""
    return frozenset(joined(op, chosen) for chosen in product(*parts))


def joined(op: str, known: Iterable[bool | None]) -> bool | None:
    """The truth of an `and` or `or` from those that enclosures leave to its conditions, of which some are undefined."""
    result: bool | None = op == "and"
    for truth in known:
        if truth is not None and truth is (op == "or"):
            return truth
        if truth is None:
            result = None
    return result


def _compared(op: str, left: Span, right: Span) -> bool | None:
    """The truth that two enclosures leave to a comparison; None if it depends on the numbers in them."""
    (a, b), (c, d) = left, right
    match op:
        case "lt" | "ge":
            holds, fails = b < c, a >= d
        case "gt" | "le":
            holds, fails = a > d, b <= c
        case _:
            holds, fails = a == b == c == d, b < c or d < a
    if op in ("ge", "le", "ne"):
        holds, fails = fails, holds
    if holds:
        return True
    return False if fails else None


_ENCLOSURES: Arithmetic[Enclosure] = Arithmetic(
    number=lambda node: Enclosure(around(node), ZERO),
    operations={
        **_RULES,
        **{op: partial(applied, op) for op in ("inv", "pow", *TABLE)},
        "true": lambda: frozenset({True}),
        "not": lambda possible: frozenset(None if truth is None else not truth for truth in possible),
        "and": partial(_joined, "and"),
        "or": partial(_joined, "or"),
    },
    forms={"piecewise": _choice, **dict.fromkeys(TESTS, _comparison)},
)
"""Bounds of values and slopes; a condition comes to the truths that it may have."""
