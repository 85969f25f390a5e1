"""The residual of one equation in one unknown: the difference of its sides, as a function of the unknown.

Doubles compute it fast. Where they overflow, an enclosure still has a sign; where they have too few digits,
`multiprecision` decides.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from derive.expressions.balls import many_digits
from derive.expressions.functions import STEPPED
from derive.expressions.tree import COMPARISONS, Apply, Equation, Node, has_operation, operations
from derive.numerics.algebra import evaluation, multiprecision
from derive.numerics.algebra.constant_folding import folded, is_decimal
from derive.numerics.algebra.exact_values import are_exact, rationals
from derive.numerics.algebra.like_terms import ZERO, difference_of, occurrences, without_quotients
from derive.numerics.algebra.refinement import sharpened
from derive.numerics.intervals.enclosure import enclose
from derive.tolerances import AGREEMENT, BLUR, NEGLIGIBLE
from quantities.domain import Domain


@dataclass(frozen=True)
class OneUnknown:
    """One equation at known numbers, which must hold for its one unknown in its domain.

    >>> from derive.expressions.grammar import parse_equation
    >>> square = parse_equation("x**2 = a")
    >>> problem = OneUnknown(square, "x", {"a": 4.0}, Domain("real", -math.inf, math.inf))
    >>> problem.value(3.0), problem.sign(1.0), problem.is_root(2.0)
    (5.0, -1, True)
    """

    equation: Equation
    name: str
    known: Mapping[str, float]
    domain: Domain

    @property
    def sides(self) -> tuple[Node, Node]:
        return self.equation.sides

    @property
    def occurrences(self) -> int:
        """How many times the unknown stands in the equation whose residual is computed."""
        return sum(occurrences(side, self.name) for side in self.sides)

    def around(self, among: Container[str]) -> Iterator[Apply]:
        """The operations among some in the residual that have the unknown in their arguments."""
        return (operation for operation in operations(*self.sides, among=among) if self.name in operation.names)

    @property
    def givens(self) -> dict[str, float]:
        """The known numbers beside the unknown, of which the residual need not have all."""
        return {given: number for given, number in self.known.items() if given != self.name}

    @cached_property
    def form(self) -> Node:
        """The residual as an expression of the unknown, with the known numbers folded in."""
        difference = folded(difference_of(self.equation), self.givens)
        return without_quotients(difference, self.name, {self.name: self.domain.closed})

    @cached_property
    def rounded(self) -> tuple[str, ...]:
        """The known numbers in the residual that a rounding may have changed."""
        names = {*self.equation.names} - {self.name}
        return tuple(given for given, number in self.known.items() if given in names and not is_decimal(number))

    @cached_property
    def exact_givens(self) -> dict[str, Fraction] | None:
        """The known numbers of the residual as fractions; None if one is not known exactly."""
        return rationals((given for given in self.equation.names if given != self.name), self.known)

    @cached_property
    def is_exact(self) -> bool:
        """Whether no given and no literal was rounded: then a residual that is not zero is no rounding of theirs."""
        return are_exact((self.equation,), (self.name,), self.known)

    def at(self, x: float) -> dict[str, float]:
        """All numbers at which the residual is computed: the known ones, and one for the unknown."""
        return {**self.known, self.name: x}

    # The sides at a number

    def residual(self, x: float) -> float:
        return evaluation.residual(self.equation, self.at(x))

    def meets(self, x: float, tolerance: float = AGREEMENT) -> bool:
        """Whether the residual is zero at a number, as closely as a relation must hold, or more.

        A side that is zero gives no measure of the other, if that is a product: then each factor has one of its own.

        >>> from derive.expressions.grammar import parse_equation
        >>> zero, real = parse_equation("x*(max(x, 3) - a)/7 = 0"), Domain("real", -math.inf, math.inf)
        >>> [OneUnknown(zero, "x", {"a": a}, real).meets(1.0) for a in (3 + 1e-15, 3 + 1e-6)]
        [True, False]
        """
        gap, values = abs(self.residual(x)), self.at(x)
        if gap <= tolerance:
            return True
        return gap == 1 and any(_is_zero(factor, values, tolerance) for factor in self.factors)

    def vanishes(self, x: float) -> bool | None:
        """Whether the residual is zero at a number, but for rounded givens; None if that is unknown."""
        vanishes = multiprecision.vanishes(self.equation, self.at(x))
        return vanishes if vanishes is None or self.is_exact else self.meets_beside_givens(x)

    @cached_property
    def factors(self) -> tuple[Equation, ...]:
        """The factors of the residual if a side is zero, each as an equation with zero; none if no side is."""
        if ZERO not in self.sides:
            return ()
        left, right = self.sides
        pending, factors = [left if right == ZERO else right], []
        while pending:
            node = pending.pop()
            if isinstance(node, Apply) and node.op in ("mul", "neg", "abs", "sqrt"):
                pending.extend(node.args)
            elif not isinstance(node, Apply) or node.op != "inv":
                factors.append(Equation(node, "=", ZERO))
        return tuple(factors)

    def meets_beside_givens(self, x: float) -> bool:
        """Whether the residual at a number of the unknown is small beside what the givens add to it.

        Beside a large unknown all that is given is lost in rounding, and any sides agree. Numbers that are all known
        exactly excuse no difference: `5*x/sqrt(x**2 + 1)` comes to 5 within any tolerance, and never to 5.0000000001.

        >>> from derive.expressions.grammar import parse_equation
        >>> level, real = parse_equation("y = x + 4 - abs(x)"), Domain("real", -math.inf, math.inf)
        >>> [OneUnknown(level, "x", {"y": y}, real).meets_beside_givens(1e30) for y in (4.0, 4.3)]
        [True, False]
        """
        return self.strain_of_givens(x) <= (NEGLIGIBLE if self.is_exact else AGREEMENT)

    @many_digits()
    def strain_of_givens(self, x: float) -> float:
        """The residual at a number, relative to its change if all givens changed by their size."""
        values = self.at(x)
        gap = multiprecision.difference(self.equation, {}, values)
        if gap is None or gap == 0:
            return math.inf if gap is None else 0.0
        givens = (given for given in self.equation.names if given != self.name and self.known.get(given))
        share = sum(multiprecision.changes(self.equation, values, gap, givens))
        return float(abs(gap) / share) if share > 0 else math.inf

    def is_root(self, x: float) -> bool:
        return multiprecision.is_root(self.equation, self.name, self.at(x))

    def polished(self, x: float) -> float | None:
        """The number near another at which the residual is zero, to many digits; None if that fails."""
        refined = sharpened([self.equation], {self.name: x}, self.givens)
        return None if refined is None else refined[0][self.name]

    def is_blurred(self, x: float) -> bool:
        """Whether the residual at a number is no more than the rounding of the known numbers."""
        return evaluation.strain(self.equation, self.at(x), self.rounded) <= BLUR

    # Their difference

    def value(self, x: float) -> float:
        """The residual as a function of the unknown, in doubles; NaN where it is undefined."""
        return evaluation.value(self.form, {self.name: x})

    def sure(self, x: float) -> float:
        """The residual by its enclosure, which has a sign even where a part overflows."""
        enclosure = enclose(self.form, {self.name: (x, x)}, self.name)
        if enclosure is None or enclosure.partial:
            return math.nan
        low, high = enclosure.values
        if low > 0:
            return low
        return high if high < 0 else 0.0

    def sign(self, x: float) -> int:
        return multiprecision.sign_of_gap(self.equation, self.at(x))

    def changes(self, low: float, high: float) -> bool | None:
        """Whether the residual changes sign between two numbers; None if that is uncertain."""
        first, last = self.sure(low), self.sure(high)
        return (first < 0) != (last < 0) if abs(first) > 0 and abs(last) > 0 else None

    def pattern(self, x: float) -> list[object]:
        """The truths of all conditions in the residual at a number, and the results of its rounding operations."""
        values = {self.name: x}
        rounded = [evaluation.value(part, values) for part in operations(self.form, among=STEPPED)]
        tests = operations(self.form, among=COMPARISONS.values())
        return [*rounded, *(evaluation.truth(test, values) for test in tests)]

    def is_border(self, x: float) -> bool:
        """Whether a condition in the residual changes at exactly this number, or rounding leaves a number as it is."""
        for part in operations(self.form, among={*COMPARISONS.values(), *STEPPED}):
            numbers = [evaluation.value(arg, {self.name: x}) for arg in part.args]
            is_border = numbers[0] == numbers[1] if len(numbers) > 1 else numbers[0].is_integer()
            if is_border:
                return True
        return False

    def has_single_points(self) -> bool:
        """Whether the residual contains a condition `==` or `!=`, which a single number of the unknown may decide."""
        return has_operation(self.form, among=("eq", "ne"))


def _is_zero(factor: Equation, values: Mapping[str, float], tolerance: float) -> bool:
    """Whether a factor makes the residual zero at some numbers: it is small beside its terms or what they add."""
    gap = abs(evaluation.residual(factor, values))
    return gap <= tolerance or (gap == 1 and evaluation.strain(factor, values) <= tolerance)
