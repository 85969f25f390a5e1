"""A program: a goal to be made least over a box, under limits, as expressions of the free quantities alone.

Each case of a question is a program of its own. Where a quantity has no single closed form (an inverted maximum,
simultaneous relations), it is one more variable, bound by its relation: a zero of the program.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from derive.expressions.tree import Equation, Node
from derive.numerics.algebra.evaluation import holds, residual, value
from derive.numerics.intervals.enclosure import Span
from derive.tolerances import TIGHT
from quantities.domain import Domain

__all__ = ["Limit", "Program", "Side"]


@dataclass(frozen=True, slots=True)
class Limit:
    """An inequality that has to hold: its name as it is told, the sides as stated, and as trees of the free names."""

    name: str
    stated: Equation
    written: Equation  # `<=` or `>=`, in terms of the variables and of known numbers
    gap: Node  # not positive where it holds; numbers put in, and spread out
    unit: str = ""  # the unit of its sides, as text
    approximate: float = 0.0

    def holds_at(self, values: Mapping[str, float]) -> bool:
        """Whether it holds up to rounding, which is far less than the tolerance of an answer's checks."""
        found = residual(self.written, values)
        over = found if self.written.op == "<=" else -found
        return over <= max(TIGHT, self.approximate)


@dataclass(frozen=True, slots=True)
class Side:
    """A quantity of the derivation whose domain is not certain over the box."""

    form: Node
    domain: Domain


@dataclass(frozen=True)
class Program:
    """What is to be made least, in one case of the question and for one discrete choice."""

    names: tuple[str, ...]  # the free quantities, then those without a closed form
    box: tuple[Span, ...]
    steps: tuple[float, ...]  # of each name: the size of one, if it is a count; else zero
    free: int  # how many names are free quantities
    goal: Node  # numbers put in, and spread out
    plain: Node  # the goal as it was derived
    known: Mapping[str, float]
    limits: tuple[Limit, ...] = ()
    zeros: tuple[Node, ...] = ()
    guards: tuple[Node, ...] = ()
    sides: tuple[Side, ...] = ()
    sign: float = 1.0
    solved: Callable[[Mapping[str, float]], Mapping[str, float] | None] | None = None  # what has no closed form

    def under(self, limits: Sequence[Limit]) -> Program:
        """The same with other limits."""
        return replace(self, limits=tuple(limits))

    def numbers(self, point: Sequence[float]) -> dict[str, float] | None:
        """All numbers at a point of the free quantities; None where a quantity has no single value."""
        values = {**self.known, **dict(zip(self.names, point, strict=False))}
        if self.solved is None:
            return values
        found = self.solved(values)
        return None if found is None else {**values, **found}

    def at(self, point: Sequence[float]) -> float:
        """The goal at a point of the free quantities; infinite where a limit, a domain or its case does not hold."""
        values = self.numbers(point)
        if values is None or not self.holds_at(values):
            return math.inf
        found = self.sign * value(self.plain, values)
        return found if found == found else math.inf

    def holds_at(self, values: Mapping[str, float]) -> bool:
        return (
            all(limit.holds_at(values) for limit in self.limits)
            and all(holds(guard, values) for guard in self.guards)
            and all(side.domain.admits(value(side.form, values)) for side in self.sides)
        )
