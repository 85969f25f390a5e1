"""What a block asks and comes to: equations at known numbers, their solutions, and when an equation counts as met."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from derive.errors import Cause
from derive.expressions.tree import Equation, Node
from derive.numerics.algebra.evaluation import is_last_digit, residual, residual_of_decimals, strain
from derive.numerics.algebra.exact_values import are_exact
from derive.numerics.algebra.multiprecision import gap_of
from derive.numerics.intervals.enclosure import Span
from derive.numerics.local_solvers.newton import many_starts
from derive.numerics.root_finding.expression_graph import dag_of
from derive.numerics.root_finding.krawczyk import Newton, newton
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.assumptions import Assumption
from derive.solving.blocks.propagation import narrowed, narrowed_beside
from derive.time_limits import Search
from derive.tolerances import AGREEMENT, BLUR, LAST_DIGIT, MET, SAME_SOLUTION
from quantities.domain import Domain


@dataclass(frozen=True, slots=True)
class Solution:
    """Values of a block's unknowns; intervals of those that are only bounded."""

    values: Mapping[str, float]
    spans: Mapping[str, Span]
    form: Node | None = None  # the closed form of the unknown, in a block of one
    proof: str = ""
    is_whole: bool = False  # proved: the equations hold for these spans, and have no other solution


@dataclass(frozen=True, slots=True)
class Outcome:
    """All solutions of a block, what is not proved about them, and why there are none."""

    solutions: tuple[Solution, ...]
    caveat: Assumption | None = None
    singular: bool = False  # structurally sound relations that do not fix their unknowns at these numbers
    reason: str = ""
    cause: Cause | None = None
    undecided: bool = False  # no solution was found, and none is proved absent


NEVER = Outcome((), reason="the two sides never meet in its domain", cause=Cause.NO_ROOT)
ENCLOSED = Assumption("bounds are an enclosure; not every value in them need be reached", "enclosed")
AGREES_AT_SAMPLES = Assumption(
    "the sides agree in many digits at samples; it is not proved that they agree everywhere", "enclosed"
)
OTHERS_MAY_EXIST = Assumption("it is not proved that there are no other solutions", "unproved")


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
        """The system of the block as it is stated, with all its choices."""
        return replace(self, equations=self.stated, stated=()) if self.stated else self

    def taking(self, equations: Sequence[Equation]) -> System:
        """The block's system with one arm in the place of each choice; it keeps the stated equations beside."""
        return replace(self, equations=tuple(equations), stated=self.stated or self.equations)

    @property
    def is_exact(self) -> bool:
        """Whether all numbers in the block's system are exact, so that no residual is due to a rounded one."""
        return are_exact(self.stated or self.equations, self.unknowns, self.known)

    @property
    def positive(self) -> frozenset[str]:
        """The unknowns of the block whose domains have no number below zero."""
        return frozenset(name for name in self.unknowns if self.domains[name].low >= 0)

    def near(self, values: Mapping[str, float], steps: int = 80) -> dict[str, float] | None:
        """The solution of the block's equations to which Newton's method leads from a point; None if to none."""
        return next(many_starts(self.equations, [*values], self.known, [values], self.positive, steps), None)

    def step_in(self, box: Mapping[str, Span], blur: float = 0.0) -> Newton | None:
        """The result of an interval Newton step on the block's equations in a box, for known numbers within a blur."""
        dag = dag_of(self.equations, [*box], self.known, blur=blur)
        return None if dag is None else newton(dag, [*box.values()])

    def gap(self, values: Mapping[str, float]) -> float:
        """How far a point is from meeting the block's equations: the largest residual; NaN where a residual is NaN."""
        numbers = {**self.known, **values}
        gaps = [abs(residual(equation, numbers)) for equation in self.equations]
        return math.nan if any(gap != gap for gap in gaps) else max(gaps)

    def alone(self, equation: Equation, name: str) -> OneUnknown:
        """The system of one equation of the block in a single unknown; the others are known or do not occur."""
        return OneUnknown(equation, name, self.known, self.domains[name])

    def _values_outside(self, values: Mapping[str, float]) -> list[tuple[Domain, str, float]]:
        """The values of the block's unknowns that lie outside their domains."""
        return [(self.domains[name], name, x) for name, x in values.items() if x not in self.domains[name]]

    def is_inside(self, values: Mapping[str, float]) -> bool:
        """Whether values are admissible as the block's solution: each lies in its unknown's domain."""
        return not self._values_outside(values)

    def outside(self, values: Mapping[str, float]) -> str:
        """The values of the block's unknowns that lie outside their domains, in words."""
        return ", ".join(f"{name} would be {domain.told(x)}" for domain, name, x in self._values_outside(values))

    def is_at_open_end(self, values: Mapping[str, float]) -> bool:
        """Whether every value of the block's unknowns outside its domain is at an open end of that domain."""
        return all(domain.open_low and x == domain.low for domain, _, x in self._values_outside(values))

    def misses(self, values: Mapping[str, float]) -> bool:
        """Whether values that a block's system came to fail its very own equations, and so prove nothing."""
        numbers = {**self.known, **values}
        if any(map(math.isnan, values.values())):
            return False
        return not all(agrees(equation, numbers) for equation in self.equations)

    def meets(self, values: Mapping[str, float]) -> bool:
        """Whether values solve the block as stated to the last digits of doubles, a stricter test than `holds`."""
        numbers = {**self.known, **values}
        equations = self.stated or self.equations
        return self.is_inside(values) and all(abs(residual(equation, numbers)) <= MET for equation in equations)

    def holds(self, values: Mapping[str, float], tolerance: float = AGREEMENT) -> bool:
        """Whether values count as a solution of the block as stated, with its choices, within the domains."""
        numbers = {**self.known, **values}
        equations = self.stated or self.equations
        return self.is_inside(values) and all(agrees(equation, numbers, tolerance) for equation in equations)


def everywhere(problem: OneUnknown) -> Outcome:
    """The outcome if a block's equation holds at every number of its unknown's domain."""
    return Outcome((Solution({}, {problem.name: problem.domain.ends}),))


def where_defined(solution: Solution, problem: OneUnknown) -> Solution:
    """The solution of a block with one unknown without numbers of its domain at which a side has no value."""
    name = problem.name
    if solution.spans.get(name) != problem.domain.ends:
        return solution

    def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
        return narrowed([problem.equation], [name], {**points, name: problem.domain.ends}, width=LAST_DIGIT)

    known = {given: problem.known[given] for given in problem.equation.names if given != name}
    spans = narrowed_beside(known, narrowing)
    return solution if spans is None else replace(solution, spans=spans)


def solves(x: float, problem: OneUnknown) -> bool:
    """Whether a block's equation counts as met at a number of its single unknown."""
    return agrees(problem.equation, problem.at(x))


def agrees(equation: Equation, values: Mapping[str, float], tolerance: float = AGREEMENT) -> bool:
    """Whether numbers count as a solution of one equation, within rounding.

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
    if math.isnan(gap):
        return False
    if strain(equation, values) <= BLUR or abs(gap_of(equation, values)) <= tolerance:
        return True
    if is_last_digit(equation, values):
        return True
    return abs(residual_of_decimals(equation, values)) <= tolerance


def repeats(values: Mapping[str, float], solutions: Sequence[Solution], tolerance: float = SAME_SOLUTION) -> bool:
    """Whether values are among a block's solutions so far, within a tolerance."""
    return any(
        not solution.spans
        and all(math.isclose(x, solution.values[name], rel_tol=tolerance) for name, x in values.items())
        for solution in solutions
    )


def are_close(values: Mapping[str, float], other: Mapping[str, float], share: float, least: float = 1.0) -> bool:
    """Whether the values of two solutions differ by at most a share of each, or of so much of the largest number."""
    largest = max(map(abs, values.values()))
    return all(abs(x - other[name]) <= share * max(abs(x), least * largest) for name, x in values.items())


def is_covered(solution: Solution, solutions: Sequence[Solution]) -> bool:
    """Whether a solution of a block is already known, or lies in a known interval."""
    names = (*solution.values, *solution.spans)
    return any(all(_lies_in(solution, known, name) for name in names) for known in solutions)


def _lies_in(solution: Solution, known: Solution, name: str) -> bool:
    """Whether an unknown's number or interval in a block's solution lies in that of another, within rounding."""
    low, high = solution.spans.get(name) or (solution.values[name],) * 2
    bottom, top = known.spans.get(name) or (known.values[name],) * 2
    return low >= bottom - SAME_SOLUTION * abs(bottom) and high <= top + SAME_SOLUTION * abs(top)
