"""The values of a target over one range, where its only relation is rational piece by piece, without rounding.

From `y = x**2` and a range of y, x is an interval or two. The relation has to hold in every case, and no other may hold
the target: it alone decides which values there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from derive.expressions.tree import Equation, Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.piecewise_linear import Interval
from derive.numerics.algebra.piecewise_rationals import exact_preimage
from derive.solving.execution.case_boxes import with_own_values
from derive.solving.execution.question import Question

__all__ = ["EXACT_PIECE", "EXACT_PIECES", "NOWHERE", "RationalPieces", "rational_pieces"]

EXACT_PIECE = "bounds are exact: every number between them is a value"
EXACT_PIECES = "bounds are exact: not every number between them is a value"

NOWHERE = "no number in its domain leads to one within the range that is given"


@dataclass(frozen=True)
class RationalPieces:
    """The intervals of all values that a relation leaves to its target over a range."""

    ranged: tuple[str, ...]
    relation: str
    pieces: tuple[Interval, ...]

    @property
    def has_one_value_at_each_point(self) -> bool:
        return False  # it is not known

    def relations_at(self, _: Fraction) -> tuple[str, ...]:
        return (self.relation,)

    def is_left_by_failures(self, _: Fraction) -> bool:
        return False  # it has no conditions


def rational_pieces(library: RelationSet, question: Question) -> RationalPieces | None:
    """The intervals of a target's values over one range; None if they are not known exactly."""
    target = question.target
    holders = library.holders.get(target, ())
    if len(holders) != 1 or target in question.strong:
        return None
    relation = library.relations[holders[0]]
    if not relation.is_equation or relation.conditions or relation.approximate is not None:
        return None
    if any(target in names_in(*other.conditions) for other in library.conditional):
        return None
    others = [name for name in relation.members if name != target]
    strong = with_own_values(library, question, others).strong
    ranged = [name for name in others if name in strong and strong[name].is_range]
    if not strong.keys() >= {*others} or len(ranged) != 1:
        return None
    side = _other_side(relation.written, ranged[0])
    if side is None or target not in names_in(side):
        return None
    known = {name: strong[name].base[1] for name in others if name != ranged[0]}
    low, _, high = strong[ranged[0]].base
    spans = exact_preimage(side, target, known, (low, high), library.declared[target].domain)
    if spans is None:
        return None
    return RationalPieces(tuple(ranged), relation.name, tuple(Interval.between(*span) for span in spans))


def _other_side(equation: Equation, name: str) -> Node | None:
    """The side of an equation whose other side is a name alone, which does not stand in it; None if there is none."""
    for one, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if one == Name(name) and name not in names_in(other):
            return other
    return None
