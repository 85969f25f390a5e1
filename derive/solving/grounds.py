"""What conditions (`when`) can be decided by, before anything is assumed of the answer.

A condition is decided by what is given, and by what follows from that by relations that surely apply: those without
conditions, and those whose conditions are themselves decided so. Where a quantity that a condition asks for does not
follow, its weak value speaks for it. What hangs on the answer itself is left undecided here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.language.expression import Node, names_in, render
from derive.numbers.evaluating import holds, truth
from derive.planning.plans import Plan

if TYPE_CHECKING:
    from derive.library import Library
    from derive.solving.asking import Question
    from derive.stating.relation import Relation

__all__ = ["Grounds", "whether"]

Solving = Callable[["Question", Plan], "float | None"]
"""The one value of a question's target by a plan, if there is just one."""

Planning = Callable[["Question", frozenset[str]], Plan]
"""The plan for a question without some relations."""


def whether(condition: Node, values: Mapping[str, float], question: Question) -> str:
    """Why a condition does not hold; what is given as a range is taken at its middle."""
    verdict = "has no meaning" if truth(condition, values) is None else "is false"
    ranged = {name for name, value in question.strong.items() if value.is_range}
    fixed = question.strong.keys() - ranged
    where = " in the middle of the ranges" if ranged and not fixed >= set(names_in(condition)) else ""
    return f"{render(condition)} {verdict}{where}"


class Grounds:
    """The decisions of one question, each made once."""

    def __init__(self, library: Library, question: Question, planning: Planning, solving: Solving) -> None:
        self.library = library
        self.question = question
        self.planning = planning
        self.solving = solving
        self.known: dict[str, float | None] = {name: value.base[1] for name, value in question.strong.items()}
        self.decided: dict[str, bool | None] = {}

    def applies(self, relation: Relation) -> bool | None:
        """Whether a relation applies; None where nothing decides it."""
        if relation.name not in self.decided:
            self.decided[relation.name] = None  # nothing is decided by what hangs on it
            truths = [self.truth(condition) for condition in relation.conditions]
            self.decided[relation.name] = False if False in truths else None if None in truths else True
        return self.decided[relation.name]

    def whether(self, relation: Relation) -> str:
        """Why a relation does not apply."""
        return next(whether(c, self._numbers(c), self.question) for c in relation.conditions if self.truth(c) is False)

    def truth(self, condition: Node) -> bool | None:
        numbers = self._numbers(condition)
        return holds(condition, numbers) if len(numbers) == len(names_in(condition)) else None

    def _numbers(self, condition: Node) -> dict[str, float]:
        return {name: number for name in names_in(condition) if (number := self.value(name)) is not None}

    def value(self, name: str) -> float | None:
        """A quantity's number, as far as it follows without assumptions; its weak value, if it does not."""
        if name not in self.known:
            self.known[name] = None
            number = self._derived(name)
            if number is None and name in self.question.weak:
                number = self.question.weak[name].base[1]
            self.known[name] = number
        return self.known[name]

    def _derived(self, name: str) -> float | None:
        weak = {other: value for other, value in self.question.weak.items() if other != name}
        question = replace(self.question, target=name, weak=weak)
        aside: set[str] = set()
        while True:
            made = self.planning(question, frozenset(aside))
            if not made.is_determined:
                return None
            unsure = {
                relation
                for block in made.blocks
                for relation in block.relations
                if self.library.relations[relation].conditions
                and self.applies(self.library.relations[relation]) is not True
            }
            if not unsure:
                return self.solving(question, made)
            aside |= unsure
