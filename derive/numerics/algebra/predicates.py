"""Predicates: which of two expressions is larger at given numbers, and whether they are equal.

Rationals decide, where all numbers are known as such and both expressions are rational; elsewhere balls of growing
precision do. Two sides that 2400 bits do not tell apart are equal: this is the stated precision.

A number that is not known exactly was computed, and is known to `EXPRESSION`. What it leaves open is undecided: no
further digits exist. Doubles with a bound of their error would decide in 10 microseconds instead of 20; the checks of a
long answer ask 27 times.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from fractions import Fraction

from derive.expressions.arithmetic import Fold, NoElement
from derive.expressions.tree import Apply, Node, names_in
from derive.numerics.algebra.exact_values import Ball, ball_of, exact_value, folded_ball, many_digits, rationals
from derive.tolerances import EXPRESSION
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
