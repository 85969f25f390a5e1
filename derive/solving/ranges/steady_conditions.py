"""Which conditions (`when`) hold over the whole ranges of the givens, and not only at the midpoint.

The case is chosen at the midpoint of the ranges, and the bounds of an answer are those of that case. If a condition
may change within the ranges, or cannot be decided, the answer says so.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.expressions.tree import COMPARISONS, Apply, Name, Node, names_in, render
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.intervals.enclosure import Span, truths
from derive.planning.plan import Plan
from derive.solving.execution.plan_states import planned
from derive.solving.ranges.range_propagation import domain_of, enclosed, ranges_of
from derive.solving.ranges.solution_path import along, beside
from derive.solving.sensitivity.elasticities import bounds_of_form, composed

if TYPE_CHECKING:
    from derive.solving.execution.block_execution import State
    from derive.solving.execution.question import Question

__all__ = ["unsteady"]

_GAP = Name("left without right")

# A condition asks for a sign: bounds that are close are not needed, and a note is not worth more than its answer.
_PARTS = 20
_PIECES = 20


def unsteady(
    library: RelationSet, question: Question, made: Plan, state: State, left_out: Mapping[str, str], bounds: Span | None
) -> tuple[str, ...]:
    """Notes on conditions that may change within the ranges, of relations in use and of those left out."""
    ranged = {name for name, value in {**question.weak, **question.strong}.items() if value.is_range}
    if not ranged:
        return ()
    used = [name for block in made.blocks for name in block.relations]
    conditions = [(name, one) for name in (*used, *left_out) for one in library.relations[name].conditions]
    if not _may_depend(library, question, made, state, [one for _, one in conditions], ranged):
        return ()
    box = _Box(library, question, made, state, frozenset(left_out))
    if bounds is not None:
        box.spans[made.target] = bounds
    notes = []
    for name, condition in conditions:
        if not box.values.keys() >= set(names_in(condition)) or not box.turns(condition):
            continue
        met, text = holds(condition, box.values), render(condition)
        if name in used:
            notes.append(f"{name} is used, since {text} in the middle of the ranges; elsewhere in them it may not be")
        elif not met:
            notes.append(f"{name} is left out, but {text} may be true elsewhere than in the middle of the ranges")
    return tuple(dict.fromkeys(notes))


def _may_depend(
    library: RelationSet,
    question: Question,
    made: Plan,
    state: State,
    conditions: Sequence[Node],
    ranged: Collection[str],
) -> bool:
    """Whether conditions may depend on any of these ranges: a chip's price is one, and decides about no arithmetic."""
    names = {*names_in(*conditions)}
    worked_out = state.asides.keys() - state.values.keys() - question.strong.keys() - question.weak.keys()
    if not names.isdisjoint(worked_out):  # beside the plan, from anything
        return True
    blocks = {name: block for block in (*made.blocks, *made.extra) for name in block.unknowns}
    pending = [*names]
    while pending:
        name = pending.pop()
        if name in blocks:
            behind = {one for relation in blocks[name].relations for one in library.members[relation]} - names
            names |= behind
            pending += behind
    return not names.isdisjoint(ranged)


class _Box:
    """The bounds over the ranges of the quantities in conditions, each computed once."""

    def __init__(
        self, library: RelationSet, question: Question, made: Plan, state: State, left_out: frozenset[str]
    ) -> None:
        self.library, self.question, self.made, self.state, self.left_out = library, question, made, state, left_out
        stated = {**question.weak, **question.strong}
        self.given = question.strong.keys() | set(made.weak)
        self.ranges = {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range}
        self.values = {**{name: value.base[1] for name, value in stated.items()}, **state.asides, **state.values}
        self.spans: dict[str, Span | None] = {}
        self._forms: Mapping[str, Node] | None = None

    def turns(self, condition: Node) -> bool:
        """Whether a condition may be true in one part of the ranges and not in another: by forms, which is cheap, or
        by the bounds of its quantities; of one whose bounds are not known, by its domain."""
        if isinstance(condition, Apply) and condition.op in COMPARISONS.values() and self._is_sure(condition):
            return False
        names = names_in(condition)
        spans = {name: domain_of(self.library, name) for name in names}
        for name in names:  # bounds of the others are not worth finding once those of some decide it
            spans[name] = self._span(name) or spans[name]
            if len(truths(condition, spans)) == 1:
                return False
        return True

    def _is_sure(self, comparison: Apply) -> bool:
        left, right = comparison.args
        gap = self._over(composed("", {**self.state.forms, "": added(left, negated(right))}))
        return gap is not None and len(truths(Apply(comparison.op, (_GAP, ZERO)), {_GAP.name: gap})) == 1

    def _span(self, name: str) -> Span | None:
        if name not in self.spans:
            self.spans[name] = self._found(name)
        return self.spans[name]

    def _found(self, name: str) -> Span | None:
        point = (self.values[name],) * 2
        if name in self.question.strong:
            return self.ranges.get(name, point)
        over = self._over(composed(name, self.state.forms))
        if over is not None:
            return over
        over = self._over(self._beside().get(name))
        if over is not None:
            return over
        if name in self.state.values:  # solved for together with others: this solution is followed
            ranges = ranges_of(self.library, self.question, self.made)
            followed = along(self.library, replace(self.made, target=name), self.state, ranges)
            if followed is not None:
                return followed[0]
        weak = {other: value for other, value in self.question.weak.items() if other != name}
        question = replace(self.question, target=name, weak=weak)
        made = planned(self.library, question, self.left_out)
        if not made.is_determined:
            return self.ranges.get(name, point)
        if not ranges_of(self.library, question, made):
            return point
        try:
            found = enclosed(self.library, question, made, _PIECES)
        except DeriveError:
            return None
        return (found[0].at, found[1].at) if found else None

    def _beside(self) -> Mapping[str, Node]:
        """What is solved for together with the target, in terms of it and of the givens."""
        if self._forms is None:
            self._forms = beside(self.library, self.made, self.state, self.ranges)
        return self._forms

    def _over(self, form: Node | None) -> Span | None:
        """The bounds of a form over the ranges of the givens, and of what has bounds already; None if unknown."""
        found = set(names_in(form)) - self.given if form is not None else set()
        between = {name: span for name in found if (span := self.spans.get(name)) is not None}
        if form is None or len(between) < len(found):
            return None
        (low, high), _ = bounds_of_form(form, self.values, {**self.ranges, **between}, _PARTS)
        return (low, high) if low <= high else None
