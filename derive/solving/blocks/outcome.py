"""The outcome of a block: its solutions, what is not proved about them, and why there are none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from derive.errors import Cause
from derive.expressions.tree import Node
from derive.numerics.intervals.enclosure import Span
from derive.numerics.root_finding.residual import OneUnknown
from derive.solving.assumptions import Assumption
from derive.solving.blocks.propagation import narrowed, narrowed_beside
from derive.tolerances import LAST_DIGIT, NEAR_MULTIPLE, SAME_ROOT, SAME_SOLUTION


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

    @property
    def is_complete(self) -> bool:
        """Whether the outcome claims to have all solutions."""
        return not (self.caveat or self.undecided or self.singular)


NEVER = Outcome((), reason="the two sides never meet in its domain", cause=Cause.NO_ROOT)
ENCLOSED = Assumption("bounds are an enclosure; not every value in them need be reached", "enclosed")
AGREES_AT_SAMPLES = Assumption(
    "the sides agree in many digits at samples; it is not proved that they agree everywhere", "enclosed"
)
OTHERS_MAY_EXIST = Assumption("it is not proved that there are no other solutions", "unproved")


def everywhere(problem: OneUnknown) -> Outcome:
    """The outcome if a block's equation holds at every number of its unknown's domain."""
    return Outcome((Solution({}, {problem.name: problem.domain.ends}),))


def where_defined(solution: Solution, problem: OneUnknown) -> Solution | None:
    """The solution in the outcome of one unknown without numbers at which a side has no value; None if none is left."""
    name = problem.name
    if solution.spans.get(name) != problem.domain.ends:
        return solution

    def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
        return narrowed([problem.equation], [name], {**points, name: problem.domain.ends}, width=LAST_DIGIT)

    known = {given: problem.known[given] for given in problem.equation.names if given != name}
    spans = narrowed_beside(known, narrowing)
    return None if spans is None else replace(solution, spans=spans)


def repeats(
    values: Mapping[str, float], solutions: Sequence[Solution], share: float = SAME_SOLUTION, least: float = 0.0
) -> bool:
    """Whether values are among the solutions of a block's outcome so far, within a share of each, or so much."""
    return any(
        not solution.spans
        and all(math.isclose(x, solution.values[name], rel_tol=share, abs_tol=least) for name, x in values.items())
        for solution in solutions
    )


def repeats_multiple(solution: Solution, solutions: Sequence[Solution]) -> bool:
    """Whether a solution is among those of a block's outcome, to the few digits in which a multiple root is known."""
    return repeats(solution.values, solutions, NEAR_MULTIPLE, NEAR_MULTIPLE**2)


def are_close(values: Mapping[str, float], other: Mapping[str, float], share: float, least: float = 1.0) -> bool:
    """Whether two solutions in an outcome differ by at most a share of each number, or of so much of the largest."""
    largest = max(map(abs, values.values()))
    return all(abs(x - other[name]) <= share * max(abs(x), least * largest) for name, x in values.items())


def is_covered(solution: Solution, solutions: Sequence[Solution]) -> bool:
    """Whether a solution is already among those of a block's outcome, or lies in an interval of one."""
    names = (*solution.values, *solution.spans)
    return any(all(_lies_in(solution, known, name) for name in names) for known in solutions)


def _lies_in(solution: Solution, known: Solution, name: str) -> bool:
    """Whether an unknown's number or interval in one solution of an outcome lies in another's, within rounding."""
    low, high = solution.spans.get(name) or (solution.values[name],) * 2
    bottom, top = known.spans.get(name) or (known.values[name],) * 2
    share = SAME_ROOT if solution.proof and known.proof else SAME_SOLUTION  # proofs tell two from one
    return low >= bottom - share * abs(bottom) and high <= top + share * abs(top)
