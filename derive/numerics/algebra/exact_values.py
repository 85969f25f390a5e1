"""Exact values of expressions at rational numbers: what is typed is a decimal, and 3*0.1 is 0.3.

Doubles say 0.30000000000000004, which is more than 0.3. Where a condition asks which of two numbers is larger and they
differ by rounding only, their exact values decide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, NoElement, taken
from derive.expressions.tree import Node

__all__ = ["decimal", "exact_value"]

_LONGEST = 2000  # bits of a fraction beyond which it is not computed
_STEEPEST = 64  # limit on whole exponents


def decimal(number: float) -> Fraction:
    """The decimal that a double was read from, or that rounding has moved by a few units of its last place.

    A double holds any decimal of fifteen digits.
    """
    return Fraction(f"{number:.15g}")


def exact_value(node: Node, values: Mapping[str, Fraction]) -> Any:
    """The exact value of an expression, or whether a condition holds; None if it is not rational, or too long.

    >>> from derive.expressions.grammar import parse_condition, parse_expression
    >>> exact_value(parse_expression("3*x + max(x, 1)"), {"x": Fraction(1, 10)})
    Fraction(13, 10)
    >>> exact_value(parse_condition("3*x <= 0.3"), {"x": Fraction(1, 10)})
    True
    """
    try:
        return _EXACT.fold(node, values.__getitem__)
    except (NoElement, KeyError):
        return None


def _of_short(operation: Callable[..., Fraction]) -> Callable[..., Fraction]:
    """An operation on fractions that are not too long."""

    def bounded(*args: Fraction) -> Fraction:
        for arg in args:
            if arg.numerator.bit_length() + arg.denominator.bit_length() > _LONGEST:
                raise NoElement
        return operation(*args)

    return bounded


def _inverse(number: Fraction) -> Fraction:
    if not number:
        raise NoElement
    return 1 / number


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A whole power; another would not be rational."""
    if exponent.denominator != 1 or abs(exponent) > _STEEPEST or (exponent < 0 and not base):
        raise NoElement
    return base ** int(exponent)


_ON_FRACTIONS: dict[str, Callable[..., Fraction]] = {
    "add": lambda *args: sum(args, Fraction(0)),
    "mul": lambda *args: math.prod(args, start=Fraction(1)),
    "neg": operator.neg,
    "inv": _inverse,
    "pow": _power,
    "abs": abs,
    "max": lambda *args: max(args),
    "min": lambda *args: min(args),
    "floor": lambda x: Fraction(math.floor(x)),
    "ceil": lambda x: Fraction(math.ceil(x)),
}
_EXACT: Arithmetic[Fraction] = Arithmetic(
    number=operator.attrgetter("value"),
    operations={op: _of_short(operation) for op, operation in _ON_FRACTIONS.items()} | TESTS | LOGIC,
    forms={"piecewise": taken},
)
