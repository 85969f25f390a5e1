"""Homogeneity: the degree by which an expression scales as names do.

If names are scaled by powers of a positive number, a homogeneous expression scales by the power that is its degree.
That is a proof for all values, where numbers only sample a few: a term too small to be seen beside others still has a
degree of its own, and a sum of different degrees has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from derive.expressions.arithmetic import Arithmetic, Fold, NoElement, nothing
from derive.expressions.functions import DEGREES, STEPPED
from derive.expressions.tree import Apply, Node, names_in
from derive.numerics.algebra.evaluation import value

ANY_DEGREE = "any"
"""The degree of zero, which has every one."""

_LARGEST_DENOMINATOR = 1000  # of a power


def degree(node: Node, degrees: Mapping[str, Fraction]) -> Fraction | None:
    """The degree of homogeneity of an expression in names of some degrees, the others being fixed; None without one.

    >>> from derive.expressions.grammar import parse_expression
    >>> mass = {"m": Fraction(1), "p": Fraction(1), "v": Fraction(0)}
    >>> [str(degree(parse_expression(text), mass)) for text in ("sqrt(m*v)", "p/(m*v + p)", "m + v")]
    ['1/2', '0', 'None']
    """
    return _DEGREES.attempt(node, lambda name: degrees.get(name, Fraction(0)))


def _common_degree(*degrees: Any) -> Any:
    """The degree of homogeneity that all terms of a sum share; a term that is zero has any."""
    distinct = {degree for degree in degrees if degree is not ANY_DEGREE}
    if len(distinct) > 1:
        raise NoElement
    return distinct.pop() if distinct else ANY_DEGREE


def _scaled(degree: Fraction, part: Any) -> Any:
    """The degree of homogeneity of an operation of some degree, from that of its argument."""
    return part if part is ANY_DEGREE else part * degree


DEGREE_OF_OPERATION: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("add", "max", "min"), _common_degree),
    "neg": lambda part: part,
    "mul": lambda *parts: ANY_DEGREE if any(part is ANY_DEGREE for part in parts) else sum(parts, Fraction(0)),
    "inv": lambda part: nothing() if part is ANY_DEGREE else -part,
    **{name: partial(_scaled, degree) for name, degree in DEGREES.items() if name not in STEPPED},
}
"""The degree of each operation, from those of its arguments."""


def _degree_of_power(node: Apply, degree_of: Fold) -> Fraction:
    """The degree of homogeneity of a power, or of an operation that has one only where arguments do not scale."""
    degrees: list[Fraction] = [degree_of(arg) for arg in node.args]
    if not any(degrees):
        return Fraction(0)
    if node.op != "pow" or names_in(node.args[1]):
        raise NoElement
    return degrees[0] * Fraction(value(node.args[1], {})).limit_denominator(_LARGEST_DENOMINATOR)


_DEGREES: Arithmetic[Fraction] = Arithmetic(lambda _: Fraction(0), DEGREE_OF_OPERATION, otherwise=_degree_of_power)
