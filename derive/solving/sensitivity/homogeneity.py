"""The degree of homogeneity of an expression: how it scales when its names scale.

If names are scaled by powers of a positive number, a homogeneous expression scales by the power that is its degree.
That is a proof for all values, where numbers only sample a few: a term too small to be seen beside others still has a
degree of its own, and a sum of different degrees has none.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from derive.expressions.tree import Name, Node, Number, names_in
from derive.numerics.algebra.evaluation import value

__all__ = ["degree"]

_POWERS = 1000  # the largest denominator of a power
_ALIKE = {"add", "max", "min"}  # operations whose arguments must have one degree


def degree(node: Node, degrees: Mapping[str, Fraction]) -> Fraction | None:
    """The degree of an expression in names of some degrees, the others being fixed; None if it has none.

    >>> from derive.expressions.grammar import parse_expression
    >>> mass = {"m": Fraction(1), "p": Fraction(1), "v": Fraction(0)}
    >>> [str(degree(parse_expression(text), mass)) for text in ("sqrt(m*v)", "p/(m*v + p)", "m + v")]
    ['1/2', '0', 'None']
    """
    if isinstance(node, Number):
        return Fraction(0)
    if isinstance(node, Name):
        return degrees.get(node.name, Fraction(0))
    parts = [degree(arg, degrees) for arg in node.args]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if not any(known):
        return Fraction(0)
    if node.op in _ALIKE:
        return known[0] if len(set(known)) == 1 else None
    match node.op:
        case "mul":
            return sum(known, Fraction(0))
        case "inv":
            return -known[0]
        case "neg" | "abs":
            return known[0]
        case "sqrt":
            return known[0] / 2
        case "pow" if not names_in(node.args[1]):
            return known[0] * Fraction(value(node.args[1], {})).limit_denominator(_POWERS)
    return None
