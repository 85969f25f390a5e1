"""The one value that relations leave to a target together, although counting takes it for open.

`y = max(a, x)` is a where the domain of x keeps it below a. Narrowing the intervals of all quantities together
(`case_boxes`) loses no solution, so if a single number is left of the target, it has no other value. It is the answer
once values of all other quantities are found beside it, at which every relation around them holds.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import truth
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Block, Plan
from derive.solving.blocks.free_unknowns import is_narrow, middle
from derive.solving.blocks.outcome import agrees
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import left_by_arms, left_by_relations
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question
from derive.solving.ranges.inequalities import inside, stated_at

__all__ = ["left_one_value"]

_NAMES = 12  # limit on open quantities around the target
_BOXES = 32  # limit on boxes that are narrowed in search of their values


def left_one_value(library: RelationSet, question: Question) -> Found | None:
    """The value that the relations around a target leave to it, if it is one and they have a solution there."""
    target = question.target
    if any(value.is_range for value in question.strong.values()):
        return None
    names = _open_around(library, question)
    if names is None or any(name in question.weak and question.weak[name].source.stands_in for name in names):
        return None
    roughly = left_by_relations(library, question, [target], splits=0)  # seldom bounds what nothing fixes
    if roughly is None or not all(map(math.isfinite, roughly[target])):
        return None
    left = left_by_arms(library, question, [target], blur=0.0)
    number = None if left is None else _only_number(left[target])
    if number is None:
        return None
    search = _Search(library, question, names)
    solution = search.solution({target: number})
    if solution is None:
        return None
    used = tuple(name for name in search.relations if search.is_equation_there(name, solution))
    note = f"{', '.join(used)} together leave it one value; nothing else determines it"
    known = {name: value.base[1] for name, value in question.strong.items()}
    state = State({**known, target: number}, {}, {}, (note,))
    return Found(Plan(target, (Block(used, (target,)),), (), ()), (state,), {})


def _open_around(library: RelationSet, question: Question) -> list[str] | None:
    """The target and all quantities that relations connect with it, except givens; None if they are too many."""
    found = [question.target]
    for name in found:  # grows meanwhile
        for relation in library.holders.get(name, ()):
            members = library.members[relation]
            found += [one for one in members if one not in found and one not in question.strong]
        if len(found) > _NAMES:
            return None
    return found


def _only_number(span: Span) -> float | None:
    """The number that a narrow interval is, without what was rounded outwards; None of a wider one."""
    return float(f"{middle(span):.15g}") if is_narrow(span) else None


@dataclass
class _Search:
    """A search for values of open quantities at which all relations around them hold."""

    library: RelationSet
    question: Question
    names: Sequence[str]
    boxes: int = field(default=0, init=False)

    @property
    def relations(self) -> list[str]:
        """The relations that hold an open quantity; estimates bind nothing."""
        held = dict.fromkeys(one for name in self.names for one in self.library.holders.get(name, ()))
        return [name for name in self.library.relations if name in held and not self._is_estimate(name)]

    def _is_estimate(self, name: str) -> bool:
        return self.library.relations[name].approximate is not None

    def solution(self, chosen: Mapping[str, float]) -> dict[str, float] | None:
        """Values of all quantities, among them those chosen; None if none are found."""
        self.boxes += 1
        if self.boxes > _BOXES:
            return None
        stated = {name: stated_at(self.library, name, number) for name, number in chosen.items()}
        asked = replace(self.question, strong={**self.question.strong, **stated}, decided={})
        left = left_by_arms(self.library, asked, self.names, computed=chosen.keys())
        if left is None:
            return None
        spans = {name: left.get(name, self._domain(name)) for name in self.names if name not in chosen}
        numbers = {name: number for name, span in spans.items() if (number := _only_number(span)) is not None}
        fixed = {**chosen, **numbers}
        wide = [name for name in spans if name not in fixed]
        if not wide:
            known = {name: value.base[1] for name, value in self.question.strong.items()}
            return self._solved({**known, **fixed})
        for number in self._candidates(wide[0], spans[wide[0]]):
            found = self.solution({**fixed, wide[0]: number})
            if found is not None:
                return found
        return None

    def _domain(self, name: str) -> Span:
        domain = self.library.declared[name].domain
        return domain.low, domain.high

    def _candidates(self, name: str, span: Span) -> Iterator[float]:
        """Numbers to try in an interval: one or two inside, and its ends, where relations often bind."""
        ends = [float(f"{end:.15g}") for end in span if math.isfinite(end)]
        for number in (inside(span)[1], *ends):
            if number in self.library.declared[name].domain:
                yield number

    def _solved(self, values: dict[str, float]) -> dict[str, float] | None:
        """The values if they are in their domains and every relation that applies there holds."""
        if any(values[name] not in self.library.declared[name].domain for name in self.names):
            return None
        for name in self.relations:
            applies = self._applies(name, values)
            if applies is None or (applies and not agrees(self.library.relations[name].written, values)):
                return None
        return values

    def _applies(self, name: str, values: Mapping[str, float]) -> bool | None:
        """Whether the conditions of a relation hold at some values; None if one is undefined or not known there."""
        conditions = self.library.relations[name].conditions
        if not values.keys() >= {*names_in(*conditions)}:
            return None
        verdicts = [truth(condition, values) for condition in conditions]
        if False in verdicts:
            return False
        return None if None in verdicts else True

    def is_equation_there(self, name: str, values: Mapping[str, float]) -> bool:
        """Whether a relation is an equation, and applies at some values."""
        return self.library.relations[name].is_equation and bool(self._applies(name, values))
