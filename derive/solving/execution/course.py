"""The course of an answer as data: its stages in order, the number of every quantity on the way, and where each given
came from.

Another answer's givens can be put through the same course, or through parts of it (`derive.comparison`). A stage is
one block of the plan. A block of one unknown that was isolated has its closed form, which is plain data; a block
without one is solved again, by the library that solved it first. A course that was stored and restored has no library
and keeps its closed forms alone.

The lineage holds what the graph of an answer needs, and keeps it in a stored answer as well: the relations that it
used, block by block, and the numbers on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from derive.expressions.tree import Node, names_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.dependency_graph import RelationBlock
from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Again", "Course", "Lineage", "Stage"]


@dataclass(frozen=True, slots=True)
class Stage:
    """Relations that are solved together for their unknowns, and the closed form of the unknown if there is one."""

    unknowns: tuple[str, ...]
    relations: tuple[str, ...]
    needs: tuple[str, ...]  # the quantities that its results depend on
    form: Node | None = None

    @classmethod
    def isolated(cls, unknown: str, relations: tuple[str, ...], form: Node) -> Stage:
        """A stage of one unknown in closed form."""
        return cls((unknown,), relations, names_in(form), form)


Again = Callable[[Stage, Mapping[str, float]], "Mapping[str, float] | None"]
"""The unknowns of a stage without a closed form at other numbers; None if there is not exactly one solution."""


@dataclass(frozen=True)
class Course:
    """The stages of an answer, and the numbers on its way in base units."""

    stages: tuple[Stage, ...]
    values: Mapping[str, float]
    origins: Mapping[str, str] = field(default_factory=dict)  # the profile of each given that comes from one
    holds_throughout: bool = True  # the closed form holds at other givens too: no choice was inverted at an arm
    again: Again | None = field(default=None, compare=False, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return Course, (self.stages, dict(self.values), dict(self.origins), self.holds_throughout)


@dataclass(frozen=True)
class Lineage:
    """The blocks of relations in order, and what is known of the quantities that they and the checks join."""

    blocks: tuple[RelationBlock, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)  # in base units; over ranges, those of their middle
    spans: Mapping[str, Span] = field(default_factory=dict)  # of quantities that are only bounded
    origins: Mapping[str, str] = field(default_factory=dict)  # "given", "default", or the profile of each value in use
    beside: Mapping[str, tuple[Declaration, Value]] = field(default_factory=dict)  # what is typed and not in use
    assumed: Mapping[str, str] = field(default_factory=dict)  # the conditions that nothing known decides, by relation

    def without_numbers(self) -> Lineage:
        """The same relations, at no numbers: in the middle of the ranges there are none."""
        return replace(self, numbers={}, spans={})
