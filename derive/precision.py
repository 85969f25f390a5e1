"""A second opinion in fifty digits, for roots that were found by searching.

Where large terms cancel, doubles leave only noise, and a search for a change of sign will find one in noise too. With
fifty digits the noise is gone and the root with it, unless it is one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.evaluating import holds
from derive.expression import Apply, Equation, Name, Node, Number

__all__ = ["is_root"]

_DIGITS = 50
_ASIDE = 1e-6  # how far beside a root the gap is looked at


def is_root(equation: Equation, name: str, values: Mapping[str, float]) -> bool:
    """Whether the gap between the sides vanishes at a point: it changes sign there, or nearly touches zero.

    It does not do to ask how small the gap is beside the terms, which may cancel and dwarf everything.

    >>> from derive.grammar import parse_equation
    >>> cancelling = parse_equation("y = (1e30 + x) - 1e30")
    >>> is_root(cancelling, "x", {"x": 3.0, "y": 2.0}), is_root(cancelling, "x", {"x": 2.0, "y": 2.0})
    (False, True)
    """
    x = values[name]
    aside = _ASIDE * abs(x) or 1e-12
    at, below, above = (_gap(equation, {**values, name: point}) for point in (x, x - aside, x + aside))
    if at is None:
        return False
    beside = [gap for gap in (below, above) if gap is not None]
    if len(beside) == 2 and (beside[0] < 0) != (beside[1] < 0):
        return True
    return bool(abs(at) <= 1e-3 * max((abs(gap) for gap in beside), default=0))


def _gap(equation: Equation, values: Mapping[str, float]) -> Any:
    """The difference of the sides, or None where one of them has no value."""
    from mpmath import mp, mpf

    with mp.workdps(_DIGITS):
        numbers = {name: mpf(number) for name, number in values.items()}
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
        case "abs":
            return abs(args[0])
        case "log2":
            return _real(mp.log(args[0], 2))
        case op:
            return _real(getattr(mp, op)(args[0]))


def _real(number: Any) -> Any:
    """The number, which must not be complex."""
    from mpmath import mpc

    if isinstance(number, mpc):
        raise ValueError("complex")
    return number


def _arm(node: Apply, values: Mapping[str, float]) -> Node:
    for i in range(0, len(node.args) - 1, 2):
        if holds(node.args[i + 1], values):
            return node.args[i]
    if len(node.args) % 2:
        return node.args[-1]
    raise ValueError("no arm")
