"""Closed forms composed of those of the blocks that lead to them, and their elasticities.

The blocks' closed forms are substituted into each other until only givens are left. An enclosure of such a form gives
the exact slope at a point.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from derive.expressions.tree import Name, Node, names_in, rebuilt, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.intervals.enclosure import enclose
from derive.tolerances import AGREEMENT, EXTREME

LARGEST_FORM = 5000
"""Nodes of the largest closed form that is written out."""


def composed(target: str, forms: Mapping[str, Node]) -> Node | None:
    """A closed form composed of those of the blocks that lead to it; None if one is missing or it grows too large.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(composed("c", {"b": parse_expression("2*a"), "c": parse_expression("b**2")}))
    '(2*a)**2'
    """
    if target not in forms:
        return None
    sizes: dict[str, int] = {}

    def size(name: str) -> int:
        if name not in sizes:
            sizes[name] = 0
            nodes = walk(forms[name])
            sizes[name] = sum(size(node.name) if isinstance(node, Name) and node.name in forms else 1 for node in nodes)
        return sizes[name]

    try:
        if size(target) > LARGEST_FORM:
            return None
        return put_in(forms[target], forms)
    except RecursionError:
        return None


def put_in(node: Node, forms: Mapping[str, Node]) -> Node:
    """A form into which closed forms are substituted for names, and others into these, until none is left."""
    return rebuilt(
        node, lambda part: put_in(forms[part.name], forms) if isinstance(part, Name) and part.name in forms else None
    )


def slopes(form: Node, values: Mapping[str, float]) -> dict[str, float]:
    """The elasticities of a closed form at some values: d ln form / d ln name, for the names in it."""
    number = value(form, values)
    spans = {name: (x, x) for name, x in values.items()}
    slopes = {}
    for name in names_in(form):
        enclosure = enclose(form, spans, name)
        if enclosure is None or number == 0 or number != number:
            continue
        low, high = (slope * values[name] / number for slope in enclosure.slopes)
        if abs(high - low) <= EXTREME * (abs(low) + abs(high)) + AGREEMENT < math.inf:
            slopes[name] = (low + high) / 2
    return slopes
