"""Derivatives of smooth expressions, as trees."""

from __future__ import annotations

from fractions import Fraction

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement
from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.algebra.like_terms import ONE, TWO, ZERO, added, filled, inverted, multiplied, negated, plain

__all__ = ["derivative"]


def derivative(node: Node, name: str) -> Node | None:
    """The derivative of a smooth expression; None of one that may have kinks.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.numerics.algebra.constant_folding import folded
    >>> from derive.expressions.tree import render
    >>> [render(folded(derivative(parse_expression(text), "x"), {})) for text in ("3*x**2*y + exp(x)/y", "tan(x*y)")]
    ['6*y*x + exp(x)/y', '(tan(x*y)*tan(x*y) + 1)*y']
    """

    def chained(node: Apply, part: Fold) -> Node:
        """The slopes of an operation in its arguments, times the derivatives of these."""
        if name not in node.names:
            return ZERO
        return added(*(multiplied(slope, part(arg)) for slope, arg in zip(_slopes(node), node.args, strict=True)))

    derivatives: Arithmetic[Node] = Arithmetic(lambda _: ZERO, {}, otherwise=chained)
    return derivatives.attempt(node, lambda other: ONE if other == name else ZERO)


def _slopes(node: Apply) -> list[Node]:
    """The slopes of an operation in each of its arguments; NoElement if it may have kinks."""
    args = node.args
    match node.op:
        case "add":
            return [ONE] * len(args)
        case "neg":
            return [Number(Fraction(-1))]
        case "mul":
            return [multiplied(*args[:i], *args[i + 1 :]) for i in range(len(args))]
        case "inv":
            return [negated(inverted(Apply("pow", (args[0], TWO))))]
        case "pow" if (exponent := plain(args[1])) is not None:
            power = args[0] if exponent == 2 else Apply("pow", (args[0], Number(exponent - 1)))
            return [multiplied(Number(exponent), power), ZERO]
    entry = TABLE.get(node.op)
    if entry is None or not isinstance(entry.slope, str):
        raise NoElement
    return [filled(entry.slope, {"x": args[0], "y": node})]
