"""Products of powers of positive unknowns: systems that are linear in the logarithms."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction

from derive.expressions.tree import Equation, Name, Node, Number, names_in
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.linear import eliminated
from derive.numerics.algebra.products import product_of
from derive.tolerances import HANDFUL
from quantities.domain import Domain

__all__ = ["product_solutions"]

_ANY = Domain("real", -math.inf, math.inf)


def product_solutions(
    equations: Sequence[Equation], unknowns: Sequence[str], known: Mapping[str, float], domains: Mapping[str, Domain]
) -> tuple[list[dict[str, float]], bool, str] | None:
    """(solutions, whether the system is singular, why there is none); None if a side is not a product.

    >>> from derive.expressions.grammar import parse_equation
    >>> positive = Domain("positive", 0.0, math.inf, open_low=True)
    >>> pair = [parse_equation("x**2*y = a"), parse_equation("x = sqrt(y)")]
    >>> found, _, _ = product_solutions(pair, ["x", "y"], {"a": 16.0}, {"x": positive, "y": positive})
    >>> [round(number, 12) for number in found[0].values()]
    [2.0, 4.0]
    """
    if any(domains[name].low < 0 or 0.0 in domains[name] for name in unknowns):
        return None
    found: list[list[float]] = []
    for equation in equations:
        row = _row(equation, unknowns, known)
        if row is None:
            return None
        found.append(row)
    values, singular, reason = eliminated(found, list(unknowns), dict.fromkeys(unknowns, _ANY))
    if any(abs(number) > 700 for one in values for number in one.values()):
        return None
    numbers = [{name: math.exp(number) for name, number in one.items()} for one in values]
    outside = [f"{n} would be {domains[n].told(x)}" for one in numbers for n, x in one.items() if x not in domains[n]]
    return numbers, singular, reason or ", ".join(outside)


def _row(equation: Equation, unknowns: Sequence[str], known: Mapping[str, float]) -> list[float] | None:
    """The exponents of the unknowns, and the logarithm on the right-hand side."""

    def is_positive(base: Node) -> bool:
        if isinstance(base, Name) and base.name in unknowns:
            return True
        return known.keys() >= {*names_in(base)} and number_of(base) > 0

    def number_of(base: Node) -> float:
        return base.real if isinstance(base, Number) else value(base, known)

    left, right = (product_of(side, is_positive) for side in (equation.lhs, equation.rhs))
    if not (left.number > 0 and right.number > 0 and all(is_positive(b) for one in (left, right) for b in one.powers)):
        return None
    inverse = right.to(Fraction(-1))
    if inverse is None:
        return None
    ratio = left.times(inverse)
    rest = [(base, e) for base, e in ratio.powers.items() if not (isinstance(base, Name) and base.name in unknowns)]
    logs = [math.log(ratio.number), *(float(e) * math.log(number_of(base)) for base, e in rest)]
    constant = math.fsum(logs)
    if abs(constant) <= HANDFUL * (1 + math.fsum(map(abs, logs))):  # a product that is one, up to rounding
        constant = 0.0
    return [*(float(ratio.powers.get(Name(name), Fraction(0))) for name in unknowns), -constant]
