"""Which conditions (`when`) hold over the whole ranges of the givens, and not only at the midpoint.

The case is chosen at the midpoint of the ranges, and the bounds of an answer are those of that case. If a condition
may change within the ranges, or cannot be decided, the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.expressions.tree import COMPARISONS, Apply, Name, Node, names_in, render
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.intervals.enclosure import Span, truths
from derive.planning.networks import reached
from derive.planning.plan import Plan
from derive.solving.execution.plan_states import planned
from derive.solving.ranges.range_propagation import domain_of, enclosed, ranges_of
from derive.solving.ranges.solution_path import along
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
    if not question.stated_ranges:
        return ()
    conditions = [(name, one) for name in (*made.relations, *left_out) for one in library.relations[name].conditions]
    if not _may_depend(library, question, made, state, [one for _, one in conditions]):
        return ()
    box = _Box(library, question, made, state, frozenset(left_out))
    if bounds is not None:
        box.spans[made.target] = bounds
    notes = []
    for name, condition in conditions:
        if not box.values.keys() >= set(names_in(condition)) or not box.turns(condition):
            continue
        met, text = holds(condition, box.values), render(condition)
        if name in made.relations:
            notes.append(f"{name} is used, since {text} in the middle of the ranges; elsewhere in them it may not be")
        elif not met:
            notes.append(f"{name} is left out, but {text} may be true elsewhere than in the middle of the ranges")
    return tuple(dict.fromkeys(notes))


def _may_depend(library: RelationSet, question: Question, made: Plan, state: State, conditions: Sequence[Node]) -> bool:
    """Whether conditions may depend on any of the ranges: a chip's price is one, and decides about no arithmetic."""
    names = {*names_in(*conditions)}
    worked_out = state.asides.keys() - state.values.keys() - question.strong.keys() - question.weak.keys()
    if not names.isdisjoint(worked_out):  # beside the plan, from anything
        return True

    def derived_from(name: str) -> Iterable[str]:
        return library.held_by(made.sources[name].relations) if name in made.sources else ()

    return any(name in question.stated_ranges for name in reached(names, derived_from))


class _Box:
    """The bounds over the ranges of the quantities in conditions, each computed once."""

    def __init__(
        self, library: RelationSet, question: Question, made: Plan, state: State, left_out: frozenset[str]
    ) -> None:
        self.library, self.question, self.made, self.state, self.left_out = library, question, made, state, left_out
        self.given = question.strong.keys() | set(made.weak)
        self.ranges = {
            name: (value.base[0], value.base[2]) for name, value in question.values.items() if value.is_range
        }
        self.values = {**question.stated_numbers, **state.numbers}
        self.spans: dict[str, Span | None] = {}

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

    def _over(self, form: Node | None) -> Span | None:
        """The bounds of a form over the ranges of the givens, and of what has bounds already; None if unknown."""
        found = set(names_in(form)) - self.given if form is not None else set()
        between = {name: span for name in found if (span := self.spans.get(name)) is not None}
        if form is None or len(between) < len(found):
            return None
        (low, high), _ = bounds_of_form(form, self.values, {**self.ranges, **between}, _PARTS)
        return (low, high) if low <= high else None
