"""The gap between the two sides of an equation as a function of one unknown: what a search for roots asks of a point.

Doubles compute it fast. Where they overflow, an enclosure still has a sign; where they have too few digits,
`multiprecision` decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from derive.expressions.functions import STEPPED
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, names_in, walk
from derive.numerics.algebra import evaluation, multiprecision
from derive.numerics.algebra.constant_folding import folded, is_decimal, without_quotients
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.intervals.enclosure import enclose
from derive.tolerances import AGREEMENT, ASIDE, BLUR, FELT
from quantities.domain import Domain


def gap_of(equation: Equation, name: str, known: Mapping[str, float], domain: Domain) -> Gap:
    """The gap of an equation at known numbers, over a domain of the unknown.

    >>> from derive.expressions.grammar import parse_equation
    >>> gap = gap_of(parse_equation("x**2 = a"), "x", {"a": 4.0}, Domain("real", -math.inf, math.inf))
    >>> gap.value(3.0), gap.sign(1.0), gap.is_root(2.0)
    (5.0, -1, True)
    """
    form = folded(added(equation.lhs, negated(equation.rhs)), known)
    named = names_in(equation.lhs, equation.rhs)
    rounded = tuple(other for other, number in known.items() if other in named and not is_decimal(number))
    return Gap(equation, name, known, without_quotients(form, name, {name: domain.closed}), rounded)


def meets_beside_givens(equation: Equation, name: str, known: Mapping[str, float], x: float) -> bool:
    """Whether the sides agree where the name is a number, measured by what the givens contribute to them.

    Beside a large unknown all that is given is lost in rounding, and any sides agree.

    >>> from derive.expressions.grammar import parse_equation
    >>> level = parse_equation("y = x + 4 - abs(x)")
    >>> [meets_beside_givens(level, "x", {"y": y}, 1e30) for y in (4.0, 4.3)]
    [True, False]
    """
    return strain_of_givens(equation, name, known, x) <= AGREEMENT


@multiprecision.many_digits()
def strain_of_givens(equation: Equation, name: str, known: Mapping[str, float], x: float) -> float:
    """The gap where the name is a number, relative to its change if every given changed by its own size."""
    values = {**known, name: x}
    gap = multiprecision.difference(equation, {}, values)
    if gap is None or gap == 0:
        return math.inf if gap is None else 0.0
    rounded = (other for other in names_in(equation.lhs, equation.rhs) if other != name and known.get(other))
    aside = [
        multiprecision.difference(equation, {}, {**values, other: known[other] * (1 + ASIDE)}) for other in rounded
    ]
    share = sum(abs(moved - gap) / ASIDE for moved in aside if moved is not None)
    return float(abs(gap) / share) if share > 0 else math.inf


@dataclass(frozen=True)
class Gap:
    equation: Equation
    name: str
    known: Mapping[str, float]
    form: Node  # left minus right, with the known numbers folded in
    rounded: tuple[str, ...]  # the known numbers that a rounding may have changed

    def changes(self, low: float, high: float) -> bool | None:
        """Whether the residual changes sign between two points; None if that is uncertain."""
        first, last = self.sure(low), self.sure(high)
        return (first < 0) != (last < 0) if abs(first) > 0 and abs(last) > 0 else None

    def pattern(self, x: float) -> list[object]:
        """The conditions that hold at a point, and the results of rounding operations there."""
        at = {self.name: x}
        tests = [part for part in walk(self.form) if isinstance(part, Apply)]
        rounded = [evaluation.value(part, at) for part in tests if part.op in STEPPED]
        return [*rounded, *(evaluation.truth(part, at) for part in tests if part.op in COMPARISONS.values())]

    def is_border(self, x: float) -> bool:
        """Whether a condition changes at exactly this point, or a rounding operation leaves a number as it is."""
        for part in walk(self.form):
            if isinstance(part, Apply) and (part.op in COMPARISONS.values() or part.op in STEPPED):
                sides = [evaluation.value(arg, {self.name: x}) for arg in part.args]
                if sides[0] == sides[1] if len(sides) > 1 else sides[0].is_integer():
                    return True
        return False

    def has_single_points(self) -> bool:
        """Whether a condition may hold at one number alone, between any two sample points."""
        return any(isinstance(part, Apply) and part.op in ("eq", "ne") for part in walk(self.form))

    def sign(self, x: float) -> int:
        return multiprecision.sign_of_gap(self.equation, self.values(x))

    def value(self, x: float) -> float:
        """The difference of the sides in doubles; NaN if undefined."""
        return evaluation.value(self.form, {self.name: x})

    def sure(self, x: float) -> float:
        """The difference by its enclosure, which has a sign even where an intermediate result overflows."""
        at = enclose(self.form, {self.name: (x, x)}, self.name)
        if at is None or at.partial:
            return math.nan
        low, high = at.values
        return low if low > 0 else high if high < 0 else 0.0

    def values(self, x: float) -> dict[str, float]:
        return {**self.known, self.name: x}

    def residual(self, x: float) -> float:
        return evaluation.residual(self.equation, self.values(x))

    def is_root(self, x: float) -> bool:
        return multiprecision.is_root(self.equation, self.name, self.values(x))

    def meets(self, x: float) -> bool:
        """Whether the sides agree at a point beside what the givens contribute to them."""
        return meets_beside_givens(self.equation, self.name, self.known, x)

    def polished(self, x: float) -> float:
        return multiprecision.polished(self.equation, self.name, self.values(x))

    def is_blurred(self, x: float) -> bool:
        """Whether the sides differ at a point by no more than the rounding of the numbers in them."""
        return evaluation.strain(self.equation, self.values(x), self.rounded) <= BLUR

    def is_loose(self, x: float) -> bool:
        """Whether the sides hardly depend on the unknown, so that doubles have lost digits of it."""
        here, aside = (self.residual(at) for at in (x, x * (1 + ASIDE)))
        return not abs(aside - here) >= FELT
