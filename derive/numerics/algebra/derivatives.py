"""Derivatives of smooth expressions, as trees."""

from __future__ import annotations

from fractions import Fraction

from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.numerics.algebra.like_terms import ZERO, added, inverted, multiplied, negated, plain

__all__ = ["derivative"]


def derivative(node: Node, name: str) -> Node | None:
    """The derivative of a smooth expression; None of one that may have kinks.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.numerics.algebra.constant_folding import folded
    >>> from derive.expressions.tree import render
    >>> render(folded(derivative(parse_expression("3*x**2*y + exp(x)/y"), "x"), {}))
    '6*x*y + exp(x)/y'
    """
    if isinstance(node, Name):
        return Number(Fraction(node.name == name))
    if isinstance(node, Number) or name not in names_in(node):
        return ZERO
    inner = [derivative(arg, name) for arg in node.args]
    found = [one for one in inner if one is not None]
    if len(found) < len(inner):
        return None
    first, slope = node.args[0], found[0]
    match node.op:
        case "add":
            return added(*found)
        case "neg":
            return negated(slope)
        case "mul":
            args = node.args
            return added(*(multiplied(*args[:i], one, *args[i + 1 :]) for i, one in enumerate(found)))
        case "inv":
            return negated(multiplied(slope, inverted(Apply("pow", (first, Number(Fraction(2)))))))
        case "pow":
            exponent = plain(node.args[1])
            if exponent is None:
                return None
            power = Apply("pow", (first, Number(exponent - 1)))
            return multiplied(Number(exponent), power if exponent != 2 else first, slope)
        case "exp":
            return multiplied(node, slope)
        case "log":
            return multiplied(slope, inverted(first))
        case "sqrt":
            return multiplied(Number(Fraction(1, 2)), slope, inverted(node))
        case _:
            return None
