"""Expressions spread out into sums of monomials, so that their enclosures over wide boxes are tight.

An enclosure treats two occurrences of a name as two numbers. `(w + k*batch)/batch` therefore seems to rise or to fall
with the batch, until boxes are small; `w/batch + k` surely falls. So a factor is multiplied into a sum where it meets
its own powers there, and into the arms of a max or min where it is positive; a division by a maximum is the minimum
of the divisions. Other sums stay as they are: multiplied out, they would have more occurrences and not fewer.
"""

from __future__ import annotations

from collections.abc import Mapping

from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.like_terms import added
from derive.numerics.algebra.products import Product, Test, product_of, written
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.sensitivity import without_idle_arms

_MIRRORED = {"max": "min", "min": "max"}


def in_free_names(node: Node, known: Mapping[str, float], box: Mapping[str, Span]) -> Node:
    """An expression with known numbers put in, exactly, and spread out into sums of monomials.

    The box tells which factors are positive.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(in_free_names(parse_expression("a*(w + k*b)/b"), {"a": 2.0, "w": 3.0, "k": 0.5}, {"b": (1.0, 9.0)}))
    '6/b + 1'
    """

    def is_positive(factor: Node) -> bool:
        if isinstance(factor, Number):
            return factor.value > 0
        if not box.keys() >= {*names_in(factor)}:
            return False
        enclosure = enclose(factor, box, "")
        return enclosure is not None and enclosure.values[0] > 0

    small = without_idle_arms(folded(node, known), box)
    return _shared(folded(spread_out(small, is_positive), {}))


def _shared(node: Node) -> Node:
    """A spread-out expression with the number of each product apart, so that products of one kind are one expression.

    What one limit says of `width*length` then narrows what another says of `-3*width*length`.
    """
    if not isinstance(node, Apply):
        return node
    args = tuple(map(_shared, node.args))
    if node.op == "mul" and len(args) > 2 and isinstance(args[0], Number):
        return Apply("mul", (args[0], Apply("mul", args[1:])))
    return Apply(node.op, args)


def spread_out(node: Node, is_positive: Test) -> Node:
    """An expression with factors multiplied into sums and choices where that makes its enclosure tighter.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.expressions.tree import render
    >>> render(spread_out(parse_expression("3*max(c*b, w + k*b)/b"), lambda node: True))
    'max(3*c, 3*k + 3*w/b)'
    """
    if isinstance(node, Apply) and node.op == "piecewise":
        pairs = (arg if i % 2 else spread_out(arg, is_positive) for i, arg in enumerate(node.args))
        return Apply("piecewise", tuple(pairs))
    return _spread(product_of(node, is_positive), is_positive)


def _spread(factors: Product, is_positive: Test) -> Node:
    """A product with a factor multiplied into a sum or into the arms of a choice, again and again."""
    for base, exponent in factors.powers.items():
        if not isinstance(base, Apply) or base.op not in ("add", "max", "min"):
            continue
        if exponent == -1 and base.op != "add" and all(map(is_positive, base.args)):
            arms = [product_of(Apply("inv", (arg,)), is_positive) for arg in base.args]
            others = Product(factors.number, {other: e for other, e in factors.powers.items() if other != base})
            if all(map(is_positive, others.powers)):
                op = _MIRRORED[base.op] if others.number > 0 else base.op
                return Apply(op, tuple(_spread(arm.times(others), is_positive) for arm in arms))
        if exponent != 1:
            continue
        others = Product(factors.number, {other: e for other, e in factors.powers.items() if other != base})
        terms = [product_of(arg, is_positive) for arg in base.args]
        if base.op == "add":
            if len(factors.powers) == 1 or _meets(others, terms):
                return added(*(_spread(term.times(others), is_positive) for term in terms))
        elif all(map(is_positive, others.powers)):
            op = base.op if others.number > 0 else _MIRRORED[base.op]
            return Apply(op, tuple(_spread(term.times(others), is_positive) for term in terms))
    return written(Product(factors.number, {_inner(base, is_positive): e for base, e in factors.powers.items()}))


def _meets(factor: Product, terms: list[Product]) -> bool:
    """Whether a factor that may be multiplied into a sum has a power of the same base as one of the terms."""
    return any(not factor.powers.keys().isdisjoint(term.powers) for term in terms)


def _inner(base: Node, is_positive: Test) -> Node:
    """A factor of a product that is spread out, with its own arguments spread out."""
    if isinstance(base, (Name, Number)) or base.op == "piecewise":
        return base
    return Apply(base.op, tuple(spread_out(arg, is_positive) for arg in base.args))
