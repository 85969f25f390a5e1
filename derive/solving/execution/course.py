"""The course of an answer as data: its stages in order, the number of every quantity on the way, and where each given
came from.

Another answer's givens can be put through the same course, or through parts of it (`derive.comparison`). A stage is
one block of the plan. A block of one unknown that was isolated has its closed form, which is plain data; a block
without one is solved again, by the library that solved it first. A course that was stored and restored has no library
and keeps its closed forms alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from derive.expressions.tree import Node, names_in

__all__ = ["Again", "Course", "Stage"]


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
