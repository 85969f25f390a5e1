"""Exact values of expressions at rational numbers: what is typed is a decimal, and 3*0.1 is 0.3.

Doubles say 0.30000000000000004, which is more than 0.3. Where a condition asks which of two numbers is larger and they
differ by rounding only, their exact values decide.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from derive.expressions.tree import Apply, Name, Node, Number

__all__ = ["decimal", "exact_truth", "exact_value"]

_LONGEST = 2000  # bits of a fraction beyond which it is not computed
_STEEPEST = 64  # limit on whole exponents
_SIDES = {"lt": -1, "gt": 1, "le": -1, "ge": 1}


def decimal(number: float) -> Fraction:
    """The decimal that a double was read from, or that rounding has moved by a few units of its last place.

    A double holds any decimal of fifteen digits.
    """
    return Fraction(f"{number:.15g}")


def exact_value(node: Node, values: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value of an expression; None if it is not rational, or too long.

    >>> from derive.expressions.grammar import parse_expression
    >>> exact_value(parse_expression("3*x + max(x, 1)"), {"x": Fraction(1, 10)})
    Fraction(13, 10)
    """
    if isinstance(node, Number):
        return node.value
    if isinstance(node, Name):
        return values.get(node.name)
    if node.op == "piecewise":
        return _chosen(node, values)
    args: list[Fraction] = []
    for arg in node.args:
        found = exact_value(arg, values)
        if found is None or found.numerator.bit_length() + found.denominator.bit_length() > _LONGEST:
            return None
        args.append(found)
    if node.op == "pow":
        return _power(*args)
    if node.op == "inv" and not args[0]:
        return None
    operation = _OPERATIONS.get(node.op)
    return None if operation is None else operation(args)


_OPERATIONS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "add": lambda args: sum(args, Fraction(0)),
    "mul": lambda args: math.prod(args, start=Fraction(1)),
    "neg": lambda args: -args[0],
    "inv": lambda args: 1 / args[0],
    "abs": lambda args: abs(args[0]),
    "max": max,
    "min": min,
    "floor": lambda args: Fraction(math.floor(args[0])),
    "ceil": lambda args: Fraction(math.ceil(args[0])),
}


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """A whole power; None where another would be needed, or there is none."""
    if exponent.denominator != 1 or abs(exponent) > _STEEPEST or (exponent < 0 and not base):
        return None
    return base ** int(exponent)


def _chosen(choice: Apply, values: Mapping[str, Fraction]) -> Fraction | None:
    """The exact value of the first arm whose condition holds."""
    for arm, condition in zip(choice.args[::2], choice.args[1::2], strict=False):
        holds = exact_truth(condition, values)
        if holds is None:
            return None
        if holds:
            return exact_value(arm, values)
    return exact_value(choice.args[-1], values) if len(choice.args) % 2 else None


def exact_truth(condition: Node, values: Mapping[str, Fraction]) -> bool | None:
    """Whether a condition holds, exactly; None if that is not decided by rational numbers.

    >>> from derive.expressions.grammar import parse_condition
    >>> exact_truth(parse_condition("3*x <= 0.3"), {"x": Fraction(1, 10)})
    True
    """
    assert isinstance(condition, Apply)
    if condition.op == "true":
        return True
    if condition.op in ("and", "or", "not"):
        parts = [exact_truth(arg, values) for arg in condition.args]
        if None in parts:
            return None
        return not parts[0] if condition.op == "not" else all(parts) if condition.op == "and" else any(parts)
    left, right = (exact_value(side, values) for side in condition.args)
    if left is None or right is None:
        return None
    if left == right:
        return condition.op in ("le", "ge", "eq")
    return condition.op == "ne" or _SIDES.get(condition.op) == (1 if left > right else -1)
