"""Exact values of expressions at rational numbers: what is typed is a decimal, and 3*0.1 is 0.3.

Doubles say 0.30000000000000004, which is more than 0.3. Where a condition asks which of two numbers is larger and they
differ by rounding only, their exact values decide.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

from derive.expressions.arithmetic import LOGIC, TESTS, Arithmetic, NoElement, taken
from derive.expressions.tree import Node, names_in
from quantities.rational import exact_of, nearest

__all__ = ["Undefined", "decimal", "exact_value", "exactly_computed", "rationals"]

_LONGEST = 2000  # bits of a fraction beyond which it is not computed
_STEEPEST = 64  # limit on whole exponents


def decimal(number: float) -> Fraction:
    """The rational that a number rounds, or else the decimal from which rounding has moved it by its last place.

    A double holds any decimal of fifteen digits.
    """
    exact = exact_of(number)
    return Fraction(f"{number:.15g}") if exact is None else exact


class Undefined(NoElement):
    """An expression has no value at these numbers: it divides by zero, exactly."""


def rationals(names: Iterable[str], values: Mapping[str, float]) -> dict[str, Fraction] | None:
    """The rationals that some numbers round; None if one of them is not known."""
    found = {name: exact_of(values[name]) for name in names}
    return None if None in found.values() else found  # type: ignore[return-value]


def exactly_computed(node: Node, values: Mapping[str, float]) -> float | None:
    """The double nearest to the exact value of an expression, NaN where it has none; None if it is not rational.

    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.rational import written
    >>> exactly_computed(parse_expression("ceil(a/b)"), {"a": written(2.7), "b": written(0.45)})
    6.0
    """
    given = rationals(names_in(node), values)
    if given is None:
        return None
    try:
        return nearest(_EXACT.fold(node, given.__getitem__))
    except Undefined:
        return math.nan
    except NoElement:
        return None


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
        raise Undefined
    return 1 / number


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    """A whole power; another would not be rational."""
    if exponent < 0 and not base:
        raise Undefined
    if exponent.denominator != 1 or abs(exponent) > _STEEPEST:
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
