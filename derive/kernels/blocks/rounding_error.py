"""A bound on the rounding error of an expression, as another expression in the same names.

The bound counts roundings of half a unit in the last place, to first order: each operation adds its own and passes on
those of its arguments times its slope. The names themselves are taken as exact.
"""

from __future__ import annotations

from fractions import Fraction

from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Name, Node, Number
from derive.numerics.algebra.like_terms import ZERO, added, filled, inverted, multiplied

__all__ = ["roundings"]

_OF_A_POWER = Number(Fraction(8))  # roundings: what `pow` of the C library may be off by


def roundings(node: Node) -> Node:
    """The bound of an expression's error, as a multiple of the rounding of one.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(roundings(parse_expression("x - y")))
    'abs(x - y)'
    """
    if isinstance(node, Name):
        return ZERO
    if isinstance(node, Number):
        return ZERO if Fraction(node.real) == node.value else _size(node)
    if node.op == "pi":
        return node
    if node.op == "piecewise":
        return Apply(node.op, tuple(arg if i % 2 else roundings(arg) for i, arg in enumerate(node.args)))
    errors = [roundings(arg) for arg in node.args]
    match node.op:
        case "neg":
            return errors[0]
        case "max" | "min":
            return added(*errors)
        case "add":
            sizes = [_size(arg) for arg in node.args] if len(node.args) > 2 else [_size(node)]
            return added(*errors, *sizes)
        case "mul":
            shares = [_beside(node, i, error) for i, error in enumerate(errors) if error != ZERO]
            return added(*shares, multiplied(Number(Fraction(len(node.args) - 1)), _size(node)))
        case "pow":
            return _of_power(node, *errors)
        case "inv":
            return _carried(multiplied(node, node), errors[0], _size(node))
        case op:
            entry, parts = TABLE[op], {"x": node.args[0], "y": node}
            own = multiplied(Number(Fraction(2 * entry.off)), _size(node))  # a unit of the last place is two roundings
            return _carried(filled(entry.steepness, parts), errors[0], own)


def _size(node: Node) -> Node:
    return Apply("abs", (node,))


def _beside(product: Apply, index: int, error: Node) -> Node:
    """The error of a product due to that of one factor."""
    return multiplied(error, *(_size(arg) for i, arg in enumerate(product.args) if i != index))


def _of_power(node: Apply, of_base: Node, of_exponent: Node) -> Node:
    base, exponent = node.args
    shares: list[Node] = [_OF_A_POWER]
    if of_base != ZERO:
        shares.append(multiplied(_size(exponent), of_base, inverted(_size(base))))
    if of_exponent != ZERO:
        shares.append(multiplied(_size(Apply("log", (_size(base),))), of_exponent))
    return multiplied(_size(node), added(*shares))


def _carried(steepness: Node, error: Node, own: Node) -> Node:
    """The error of a function: its argument's, propagated, and its own."""
    return own if error == ZERO else added(multiplied(steepness, error), own)
