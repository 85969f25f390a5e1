"""The values of a target over one range, where its only relation is rational piece by piece, without rounding.

From `y = abs(x)` and a range of y, x is an interval or two. In the middle of the range x has two values, which lie in
one interval if y may be zero; elsewhere it may have values where there is none in the middle. So an answer is made of
each interval, and not of each value in the middle.
"""

from __future__ import annotations

from dataclasses import replace

from derive.expressions.tree import Equation, Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.piecewise_rationals import exact_preimage
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Plan
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import Question
from derive.solving.ranges.range_propagation import ranges_of
from derive.tolerances import SAME_ROOT

__all__ = ["EXACT_PIECE", "EXACT_PIECES", "NOWHERE", "in_pieces"]

EXACT_PIECE = "bounds are exact: every number between them is a value"

EXACT_PIECES = "bounds are exact: not every number between them is a value"

NOWHERE = "no number in its domain leads to one within the range that is given"


def _pieces_of(library: RelationSet, question: Question, made: Plan) -> tuple[Span, ...] | None:
    """The intervals of all values that a target has over one range; None if they are not known exactly.

    The relation has to hold in every case, and no other may hold the target: it alone decides which values there are.
    """
    target = question.target
    ranges = ranges_of(library, question, made)
    if len(made.blocks) != 1 or len(made.blocks[0].relations) != 1 or len(ranges) != 1 or target in ranges:
        return None
    (name,), ((ranged, span),) = made.blocks[0].relations, ranges.items()
    relation = library.relations[name]
    is_plain = relation.is_equation and not relation.conditions and relation.approximate is None
    if not is_plain or library.holders[target] != (name,):
        return None
    side = _other_side(relation.written, ranged)
    if side is None or target not in names_in(side):
        return None
    stated = {**question.weak, **question.strong}
    others = [other for other in names_in(side) if other != target]
    if not stated.keys() >= {*others}:
        return None
    known = {other: stated[other].base[1] for other in others}
    return exact_preimage(side, target, known, span, library.declared[target].domain)


def in_pieces(library: RelationSet, question: Question, found: Found) -> Found | None:
    """A result with one state for each interval of the target's values; None if they are not known exactly.

    The value in the middle of the range stands in its interval, if there is exactly one.
    """
    pieces = _pieces_of(library, question, found.plan)
    if pieces is None:
        return None
    states = tuple(_state_in(piece, question, found) for piece in pieces)
    return replace(found, states=states, reason=found.reason if states else NOWHERE)


def _state_in(piece: Span, question: Question, found: Found) -> State:
    target = question.target
    inside = [state for state in found.states if lies_in(_reach(state, target), piece, SAME_ROOT)]
    if len(inside) == 1:
        return replace(inside[0], pieces=(piece,))
    stated = {**question.weak, **question.strong}
    known = {
        name: value.base[1] for name, value in stated.items() if name in question.strong or name in found.plan.weak
    }
    count = "several values" if inside else "no value"
    return State(known, {target: piece}, notes=(f"it has {count} in the middle of the ranges",), pieces=(piece,))


def _reach(state: State, target: str) -> Span:
    return state.spans.get(target) or (state.values[target],) * 2


def _other_side(equation: Equation, name: str) -> Node | None:
    """The side of an equation whose other side is a name alone, which does not stand in it; None if there is none."""
    for one, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if one == Name(name) and name not in names_in(other):
            return other
    return None
