"""Predicates: which of two expressions is larger at given numbers, and whether they are equal.

This is decided in three steps, each of which leaves little to the next:

 1. Doubles, each with a bound of its error. They decide unless the bounds overlap.
 2. Rationals, where all numbers are known as such and both expressions are rational.
 3. Balls of growing precision. Two sides that 2400 bits do not tell apart are equal: this is the stated precision.

A number that is not known exactly was computed, and is known to `EXPRESSION`. What it leaves open is undecided: no
further digits exist. (Filtered predicates: Shewchuk 1997, *Adaptive Precision Floating-Point Arithmetic and Fast
Robust Geometric Predicates*.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, Number, names_in
from derive.numerics.algebra.exact_values import Ball, ball_of, exact_value, folded_ball, many_digits, rationals
from derive.tolerances import EPSILON, EXPRESSION, NO_UNDERFLOW
from quantities.rational import exact_of

__all__ = ["Order", "order"]

Values = Mapping[str, float]

Chosen = Callable[[Apply, Values], Node | None]
"""The arm that a choice takes at some numbers; None if it takes none."""

_BITS = (512, 2400)


class Order(Enum):
    """How an expression stands to another."""

    LESS = "less"
    EQUAL = "equal"
    GREATER = "greater"
    UNDECIDED = "undecided"
    """The numbers are not known well enough."""
    UNDEFINED = "undefined"
    """One of them has no value, or may have none."""

    @classmethod
    def of(cls, difference: Fraction | float) -> Order:
        """How one number stands to another, by their difference; NaN decides nothing."""
        if difference > 0:
            return cls.GREATER
        if difference < 0:
            return cls.LESS
        return cls.EQUAL if difference == 0 else cls.UNDEFINED

    @property
    def is_tie(self) -> bool:
        return self in (Order.EQUAL, Order.UNDECIDED)


def order(left: Node, right: Node, values: Values, chosen: Chosen) -> Order:
    """How an expression stands to another at finite numbers.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import read_decimal
    >>> def compared(left, right, **numbers):
    ...     values = {name: read_decimal(text) for name, text in numbers.items()}
    ...     return order(parse_expression(left), parse_expression(right), values, lambda choice, values: None).value
    >>> compared("3*x", "0.3", x="0.1"), compared("10*sqrt(x)", "7", x="0.49"), compared("log(x)", "3*log(2)", x="8")
    ('equal', 'equal', 'equal')
    >>> compared("exp(x)", "exp(2.7)", x="2.70000000000000000001"), compared("a*a - b*b", "0", a="1e20", b="1e20")
    ('greater', 'equal')
    """
    by_doubles = _by_doubles(left, right, values, chosen)
    if by_doubles is not Order.UNDECIDED:
        return by_doubles
    given = rationals(names_in(left, right), values)
    if given is not None:
        one, other = exact_value(left, given), exact_value(right, given)
        if one is not None and other is not None:
            return Order.of(one - other)
    return _by_balls((left, right), values, chosen, is_exact=given is not None)


def _by_balls(sides: tuple[Node, Node], values: Values, chosen: Chosen, *, is_exact: bool) -> Order:
    def of_choice(choice: Apply, part: Fold) -> Ball:
        arm = chosen(choice, values)
        if arm is None:
            raise NoElement
        return part(arm)

    for bits in _BITS:
        with many_digits(bits):
            numbers = {name: _known(values[name]) for name in names_in(*sides)}
            try:
                left, right = (folded_ball(side, numbers, of_choice) for side in sides)
            except NoElement:
                return Order.UNDEFINED
            gap = left - right
            if gap > 0 or gap < 0:
                return Order.GREATER if gap > 0 else Order.LESS
        if not is_exact:
            break
    if not gap.is_finite():
        return Order.UNDEFINED
    return Order.EQUAL if is_exact else Order.UNDECIDED


def _known(number: float) -> Ball:
    """All numbers that a number may be."""
    from flint import arb

    ball = ball_of(number)
    return ball if exact_of(number) is not None else arb(ball, EXPRESSION * abs(number))


_Rounded = tuple[float, float]
"""A double, and a bound of its distance from the number that it stands for."""


def _by_doubles(left: Node, right: Node, values: Values, chosen: Chosen) -> Order:
    def named(name: str) -> _Rounded:
        number = values[name]
        return number, (EPSILON if exact_of(number) is not None else EXPRESSION) * abs(number)

    def of_choice(choice: Apply, part: Fold) -> _Rounded:
        arm = chosen(choice, values)
        if arm is None:
            raise NoElement
        found: _Rounded = part(arm)
        return found

    doubles = Arithmetic(number=_literal, operations=_OPERATIONS, forms={"piecewise": of_choice})
    try:
        (one, error), (other, further) = doubles.fold(left, named), doubles.fold(right, named)
    except (NoElement, ArithmeticError, ValueError):
        return Order.UNDECIDED
    is_decided = abs(one - other) * (1 - EPSILON) > error + further
    return Order.of(one - other) if is_decided else Order.UNDECIDED


def _literal(node: Number) -> _Rounded:
    return node.real, 0.0 if node.is_double else EPSILON * abs(node.real)


def _rounded(number: float, error: float) -> _Rounded:
    """A computed double: its own rounding is half of what is added, which leaves the other half for that of bounds."""
    if not math.isfinite(number) or 0 < abs(number) < NO_UNDERFLOW:
        raise NoElement
    return number, error + EPSILON * abs(number)


def _sum(*terms: _Rounded) -> _Rounded:
    return _rounded(math.fsum(number for number, _ in terms), sum(error for _, error in terms))


def _product(*factors: _Rounded) -> _Rounded:
    number, error = factors[0]
    for factor, further in factors[1:]:
        error = abs(number) * further + error * (abs(factor) + further)
        number, error = _rounded(number * factor, error)
    return number, error


def _inverse(x: _Rounded) -> _Rounded:
    number, error = x
    smallest = abs(number) - error
    if not smallest > NO_UNDERFLOW:
        raise NoElement
    return _rounded(1 / number, error / (abs(number) * smallest))


def _power(base: _Rounded, exponent: _Rounded) -> _Rounded:
    """A power with an exact exponent, of a base whose error is small beside it."""
    (number, error), (times, unsure) = base, exponent
    if unsure or error > 0.01 * abs(number) or number == 0 or (number < 0 and not times.is_integer()):
        raise NoElement
    power = number**times
    share = math.expm1(1.01 * abs(times) * error / abs(number))
    return _rounded(power, abs(power) * (share + 4 * EPSILON))


def _root(x: _Rounded) -> _Rounded:
    number, error = x
    smallest = number - error
    if not smallest > 0:
        raise NoElement
    return _rounded(math.sqrt(number), error / math.sqrt(smallest))


def _of_monotone(function: Callable[[float], float]) -> Callable[[_Rounded], _Rounded]:
    """A function that never turns: its values at both ends of an error bound those between them."""

    def bounded(x: _Rounded) -> _Rounded:
        number, error = x
        low, middle, high = function(number - error), function(number), function(number + error)
        return _rounded(middle, max(high - middle, middle - low) + 4 * EPSILON * max(abs(low), abs(high)))

    return bounded


def _floor(x: _Rounded) -> _Rounded:
    number, error = x
    low = math.floor(number - error)
    if low != math.floor(number + error):
        raise NoElement
    return float(low), 0.0


def _negated(x: _Rounded) -> _Rounded:
    return -x[0], x[1]


def _extreme(best: Callable[..., float]) -> Callable[..., _Rounded]:
    return lambda *args: (best(number for number, _ in args), max(error for _, error in args))


_OPERATIONS: dict[str, Callable[..., _Rounded]] = {
    "add": _sum,
    "mul": _product,
    "neg": _negated,
    "inv": _inverse,
    "pow": _power,
    "sqrt": _root,
    "abs": lambda x: (abs(x[0]), x[1]),
    "max": _extreme(max),
    "min": _extreme(min),
    "floor": _floor,
    "ceil": lambda x: _negated(_floor(_negated(x))),
    "pi": lambda: (math.pi, EPSILON * math.pi),
    **{name: _of_monotone(getattr(math, name)) for name in ("exp", "log", "log2", "log10", "atan", "tanh", "sinh")},
}
"""Of other functions balls are asked."""
