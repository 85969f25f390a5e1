"""Signs in an expression to be read: a minus is drawn into a difference, and no sum begins with one.

Isolating an unknown leaves forms like -(a - b)/(c - d) and -b + c. They are written (a - b)/(d - c) and c - b. In
floating point negating is exact, so a sum of two terms keeps its value to the last bit.
"""

from __future__ import annotations

from math import prod

from derive.expressions.tree import Apply, Node, Number
from derive.numerics.algebra.like_terms import inverted, multiplied, negated

__all__ = ["positive_first"]


def positive_first(node: Node) -> Node:
    """The same expression with as few leading minus signs as possible.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> [render(positive_first(parse_expression(text))) for text in ("-(a - b)/(c - d)", "-a*b + c", "a - (b - c)*d")]
    ['(a - b)/(d - c)', 'c - a*b', 'a - (b - c)*d']
    >>> render(positive_first(parse_expression("-(a + b)")))
    '-(a + b)'
    """
    sign, body = _apart(node)
    if sign > 0:
        return body
    if isinstance(body, Apply) and body.op == "mul":
        return _turned(body) or Apply("mul", (negated(body.args[0]), *body.args[1:]))
    return _turned(body) or negated(body)


def _apart(node: Node) -> tuple[int, Node]:
    """The sign of an expression and the rest, in which signs have been moved likewise."""
    if isinstance(node, Number):
        return (-1, Number(-node.value)) if node.value < 0 else (1, node)
    if not isinstance(node, Apply):
        return 1, node
    match node.op:
        case "neg":
            sign, body = _apart(node.args[0])
            return -sign, body
        case "inv":
            sign, body = _apart(node.args[0])
            return sign, inverted(body)
        case "mul":
            return _product(node)
        case "add":
            return _sum(node)
    return 1, Apply(node.op, tuple(map(positive_first, node.args)))


def _product(node: Apply) -> tuple[int, Node]:
    parts = [_apart(arg) for arg in node.args]
    sign, body = prod(sign for sign, _ in parts), multiplied(*(part for _, part in parts))
    turned = _turned(body) if sign < 0 else None
    return (sign, body) if turned is None else (1, turned)


def _turned(node: Node) -> Node | None:
    """The negative of a difference, or of what it multiplies or divides, with a positive term first; None of others."""
    if not isinstance(node, Apply):
        return None
    if node.op == "inv":
        inside = _turned(node.args[0])
        return None if inside is None else inverted(inside)
    if node.op == "mul":
        for i in reversed(range(len(node.args))):
            if (factor := _turned(node.args[i])) is not None:
                return multiplied(*node.args[:i], factor, *node.args[i + 1 :])
        return None
    if node.op != "add" or not any(map(_is_negative, node.args)):
        return None
    return _led_by_positive([negated(arg) for arg in node.args])


def _sum(node: Apply) -> tuple[int, Node]:
    terms = [body if sign > 0 else negated(body) for sign, body in map(_apart, node.args)]
    if all(map(_is_negative, terms)):
        return -1, Apply("add", tuple(map(negated, terms)))
    return 1, _led_by_positive(terms)


def _led_by_positive(terms: list[Node]) -> Node:
    first = next(i for i, term in enumerate(terms) if not _is_negative(term))
    return Apply("add", (terms[first], *terms[:first], *terms[first + 1 :]))


def _is_negative(term: Node) -> bool:
    return isinstance(term, Apply) and term.op == "neg"
