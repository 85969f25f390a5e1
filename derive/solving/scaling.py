"""Whether an equation goes on to hold as what it holds grows in proportion, or is shifted together.

If some names are multiplied by powers of a positive number, an expression of a degree is multiplied by that power. That
is a proof for every value at once, where numbers only ever show a few: terms that are too small to be seen beside
others still have a degree of their own, and a sum of different degrees has none. Likewise for what is added to names
that occur in sums only: the shifts, each with its factor, have to make up for each other.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from derive.language.expression import Apply, Equation, Name, Node, Number, names_in
from derive.numbers.evaluating import value
from derive.numbers.linear import linear_form

__all__ = ["degree", "grows", "shifts"]

_POWERS = 1000  # the largest denominator of a power
_ROUNDING = 1e-12
_ALIKE = {"add", "max", "min"}  # operations on what must be of one degree


def degree(node: Node, degrees: Mapping[str, Fraction]) -> Fraction | None:
    """The degree of an expression in names of some degrees, the others being fixed; None where it has none.

    >>> from derive.language.grammar import parse_expression
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


def grows(equation: Equation, degrees: Mapping[str, Fraction]) -> bool:
    """Whether an equation goes on to hold as names grow by these degrees: both of its sides are of one."""
    left, right = degree(equation.lhs, degrees), degree(equation.rhs, degrees)
    return left is not None and left == right


def shifts(equation: Equation, steps: Mapping[str, Fraction], values: Mapping[str, float]) -> bool:
    """Whether an equation goes on to hold as these steps, times any number, are added to names.

    >>> from derive.language.grammar import parse_equation
    >>> together = {"a": Fraction(1), "b": Fraction(1)}
    >>> shifts(parse_equation("a - b = r*i"), together, {}), shifts(parse_equation("a + b = i"), together, {})
    (True, False)
    """
    form = linear_form(Apply("add", (equation.lhs, Apply("neg", (equation.rhs,)))), frozenset(steps))
    if form is None:
        return False
    moved = [float(steps[name]) * value(factor, values) for name, factor in form.items() if name is not None]
    return abs(math.fsum(moved)) <= _ROUNDING * math.fsum(map(abs, moved))
