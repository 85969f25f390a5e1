"""Equations whose sides are powers of their positive unknown, up to factors that do not depend on it.

If both sides are homogeneous in the unknown, of degrees p and q, they are x**p and x**q times their values at one,
since a maximum, a minimum, an absolute value and an order of two terms of one degree keep it where x is positive. So
there is one root, the power 1/(q - p) of the ratio of these values; or, where p is q, the sides meet everywhere or
nowhere. That is a proof for the whole domain, choices included, where a search samples it: `max(a/x, b/x)*x = c` holds
for every x or for none.

A part that is zero has every degree.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.tree import Apply, Name, Node, Number, names_in, replaced
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.like_terms import inverted, multiplied
from derive.solving.blocks.outcome import OneUnknown, Outcome, Solution
from derive.solving.sensitivity.elasticities import ANY, OPERATIONS
from derive.tolerances import AGREEMENT

__all__ = ["by_proportion", "is_proportional", "is_unmoved"]

_ONE = Number(Fraction(1))
_NEVER = "the two sides never meet in its domain"

_Degree = Fraction | str | None


def by_proportion(problem: OneUnknown) -> Outcome | None:
    """All values of a positive unknown, if both sides are proportional to powers of it; None if they are not.

    >>> from derive.expressions.grammar import parse_equation
    >>> from quantities.domain import Domain
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> def by(text):
    ...     known = {"t": 2.0, "a": 6.0, "b": 8.0, "none": 0.0}
    ...     return by_proportion(OneUnknown(parse_equation(text), "x", known, positive))
    >>> [dict(solution.values) for solution in by("t = max(a/x, b/x, none)").solutions]
    [{'x': 4.0}]
    >>> by("8 = max(a/x, b/x, none)*x").solutions[0].spans
    {'x': (0.0, inf)}
    >>> by("9 = max(a/x, b/x, none)*x").reason
    'the two sides never meet in its domain'
    >>> by("t = max(a/x, b)") is None
    True
    """
    name, known, domain, sides = problem.name, problem.known, problem.domain, problem.sides
    if domain.low < 0 or 0.0 in domain:
        return None
    left, right = (_degree(side, name, known) for side in sides)
    if left is None or right is None or (left == right == ANY):
        return None
    if left == right or ANY in (left, right):
        gap = abs(problem.residual(1.0))
        if gap <= AGREEMENT:
            return Outcome((Solution({}, {name: problem.whole}, is_whole=True),))
        is_rounding = not math.isfinite(gap) or problem.agrees(1.0)
        return None if is_rounding else Outcome((), reason=_NEVER)
    assert isinstance(left, Fraction)
    assert isinstance(right, Fraction)
    ends = [value(side, problem.at(1.0)) for side in sides]
    if not all(map(math.isfinite, ends)) or not ends[0] * ends[1] > 0:
        return None
    first, second = (replaced(side, Name(name), _ONE) for side in sides)
    form = multiplied(first, inverted(second))
    if right - left != 1:
        form = Apply("pow", (form, Number(1 / (right - left))))
    number = value(form, known)
    if number not in domain or not problem.agrees(number):
        return None
    return Outcome((Solution({name: number}, {}, form),))


def is_proportional(node: Node, name: str, known: Mapping[str, float]) -> bool:
    """Whether an expression is a power of a positive name, times a factor: then it keeps its sign."""
    return _degree(node, name, known) is not None


def is_unmoved(node: Node, name: str, known: Mapping[str, float]) -> bool:
    """Whether an expression has one value whatever a positive name is, since all powers of the name cancel in it.

    >>> from derive.expressions.grammar import parse_expression
    >>> is_unmoved(parse_expression("a/x/max(a/x, b/x)"), "x", {"a": 6.0, "b": 8.0})
    True
    """
    return _degree(node, name, known) in (Fraction(0), ANY)


def _degree(node: Node, name: str, known: Mapping[str, float]) -> _Degree:
    """The degree of an expression in a positive name; None if it has none."""

    def part(inner: Node) -> Fraction | str:
        if name not in names_in(inner):
            number = value(inner, known)
            return ANY if number == 0 else Fraction(0) if math.isfinite(number) else nothing()
        found: Fraction | str = arithmetic.applied(inner, part) if isinstance(inner, Apply) else Fraction(1)
        return found

    def power(node: Apply, _: Fold) -> Fraction:
        base, exponent = node.args
        if name in names_in(exponent):
            raise NoElement
        inner, size = part(base), value(exponent, known)
        return inner * Fraction(size) if isinstance(inner, Fraction) and math.isfinite(size) else nothing()

    arithmetic: Arithmetic[Fraction | str] = Arithmetic(nothing, OPERATIONS, {"pow": power})
    try:
        return part(node)
    except NoElement:
        return None
