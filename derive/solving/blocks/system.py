"""A system: the simultaneous equations of a block at known numbers, and when they count as met."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from derive.expressions.tree import Equation
from derive.numerics.algebra.evaluation import is_last_digit, residual, residual_of_decimals, strain
from derive.numerics.algebra.exact_values import are_exact, exact_value
from derive.numerics.algebra.multiprecision import gap_of
from derive.numerics.intervals.enclosure import Span
from derive.numerics.local_solvers.newton import many_starts
from derive.numerics.root_finding.expression_graph import dag_of
from derive.numerics.root_finding.krawczyk import Newton, newton
from derive.numerics.root_finding.residual import OneUnknown
from derive.time_limits import Search
from derive.tolerances import AGREEMENT, BLUR, MET
from quantities.domain import Domain


@dataclass(frozen=True, slots=True)
class System:
    """The simultaneous equations of a block, which may have one arm in the place of each choice."""

    equations: tuple[Equation, ...]
    unknowns: tuple[str, ...]
    known: Mapping[str, float]
    domains: Mapping[str, Domain]
    hints: Mapping[str, float] = field(default_factory=dict)  # guesses for unknowns
    stated: tuple[Equation, ...] = ()  # which must hold in the end, if these are one arm of each
    search: Search = Search.FROM_STARTS

    @property
    def with_choices(self) -> System:
        """The system as it is stated, with all choices of its equations."""
        return replace(self, equations=self.stated, stated=()) if self.stated else self

    def taking(self, equations: Sequence[Equation]) -> System:
        """The system with one arm in the place of each choice; it keeps the stated equations beside."""
        return replace(self, equations=tuple(equations), stated=self.stated or self.equations)

    @property
    def is_exact(self) -> bool:
        """Whether all numbers in the system are exact, so that no residual is due to a rounded one."""
        return are_exact(self.stated or self.equations, self.unknowns, self.known)

    @property
    def positive(self) -> frozenset[str]:
        """The unknowns of the system whose domains have no number below zero."""
        return frozenset(name for name in self.unknowns if self.domains[name].low >= 0)

    def near(self, values: Mapping[str, float], steps: int = 80) -> dict[str, float] | None:
        """The solution of the system to which Newton's method leads from a point; None if to none."""
        return next(many_starts(self.equations, [*values], self.known, [values], self.positive, steps), None)

    def step_in(self, box: Mapping[str, Span], blur: float = 0.0) -> Newton | None:
        """The result of an interval Newton step on the system in a box, for known numbers within a blur."""
        dag = dag_of(self.equations, [*box], self.known, blur=blur)
        return None if dag is None else newton(dag, [*box.values()])

    def gap(self, values: Mapping[str, float]) -> float:
        """How far a point is from meeting the system's equations: the largest residual; NaN where a residual is NaN."""
        numbers = {**self.known, **values}
        gaps = [abs(residual(equation, numbers)) for equation in self.equations]
        return math.nan if any(gap != gap for gap in gaps) else max(gaps)

    def alone(self, equation: Equation, name: str) -> OneUnknown:
        """One equation of the system in a single unknown; the others are known or do not occur in it."""
        return OneUnknown(equation, name, self.known, self.domains[name])

    def _values_outside(self, values: Mapping[str, float]) -> list[tuple[Domain, str, float]]:
        """The values of the system's unknowns that lie outside their domains."""
        return [(self.domains[name], name, x) for name, x in values.items() if x not in self.domains[name]]

    def is_inside(self, values: Mapping[str, float]) -> bool:
        """Whether values are admissible for the system: each lies in its unknown's domain."""
        return not self._values_outside(values)

    def outside(self, values: Mapping[str, float]) -> str:
        """The values of the system's unknowns that lie outside their domains, in words."""
        return ", ".join(f"{name} would be {domain.told(x)}" for domain, name, x in self._values_outside(values))

    def is_at_open_end(self, values: Mapping[str, float]) -> bool:
        """Whether every value of the system's unknowns outside its domain is at an open end of that domain."""
        return all(domain.open_low and x == domain.low for domain, _, x in self._values_outside(values))

    def misses(self, values: Mapping[str, float]) -> bool:
        """Whether values that a system came to fail its very own equations, and so prove nothing."""
        numbers = {**self.known, **values}
        if any(map(math.isnan, values.values())):
            return False
        return not all(agrees(equation, numbers) for equation in self.equations)

    def meets(self, values: Mapping[str, float]) -> bool:
        """Whether values solve the system as stated to the last digits of doubles, a stricter test than `holds`."""
        numbers = {**self.known, **values}
        equations = self.stated or self.equations
        return self.is_inside(values) and all(abs(residual(equation, numbers)) <= MET for equation in equations)

    def holds(self, values: Mapping[str, float], tolerance: float = AGREEMENT) -> bool:
        """Whether values count as a solution of the system as stated, with its choices, within the domains."""
        numbers = {**self.known, **values}
        equations = self.stated or self.equations
        return self.is_inside(values) and all(agrees(equation, numbers, tolerance) for equation in equations)

    def holds_exactly(self, numbers: Mapping[str, Fraction]) -> bool | None:
        """Whether rational numbers of all its names solve the system, without rounding; None if that is not known."""
        sides = [tuple(exact_value(side, numbers) for side in equation.sides) for equation in self.equations]
        known = [left == right for left, right in sides if left is not None and right is not None]
        if not all(known):
            return False
        return True if len(known) == len(sides) else None


def solves(x: float, problem: OneUnknown) -> bool:
    """Whether a number of the only unknown counts as a solution of a system of one equation."""
    return agrees(problem.equation, problem.at(x))


def agrees(equation: Equation, values: Mapping[str, float], tolerance: float = AGREEMENT) -> bool:
    """Whether numbers count as a solution of one equation of a system, within rounding.

    >>> from derive.expressions.grammar import parse_equation
    >>> agrees(parse_equation("a = b + c"), {"a": 4.0, "b": 1.0, "c": 3.0})
    True
    """
    gap = residual(equation, values)
    if math.isnan(gap):
        gap = residual_of_decimals(equation, values)
    if equation.op != "=":
        sign = 1.0 if equation.op == "<=" else -1.0
        return sign * gap <= tolerance or sign * residual_of_decimals(equation, values) <= tolerance
    if abs(gap) <= tolerance:
        return True
    if math.isnan(gap):  # in doubles: a part may pass the end of a function's domain by rounding alone
        return abs(gap_of(equation, values)) <= tolerance
    if strain(equation, values) <= BLUR or abs(gap_of(equation, values)) <= tolerance:
        return True
    if is_last_digit(equation, values):
        return True
    return abs(residual_of_decimals(equation, values)) <= tolerance
