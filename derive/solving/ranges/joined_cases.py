"""Relations for different cases of one quantity, joined to a single relation that chooses between them.

Over the ranges of givens one case may hold in one part and another elsewhere. Joined, `y = x` when x < 3 and `y = 10*x`
when x >= 3 are one equation with a choice, and the bounds of an answer are sought over all its arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.expressions.tree import Apply, Equation, Node, Number, conjunction, names_in, walk
from derive.model.conditions import exclude_each_other, implied
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds

if TYPE_CHECKING:
    from quantities.domain import Domain

_JOINED = Memo[RelationSet](most=1)


def joined(library: RelationSet) -> RelationSet | None:
    """The library with one relation for each quantity that has several cases; None if there is none."""
    groups = {group[0].name: group for group in _groups(library)}
    if not groups:
        return None
    gone = {one.name for group in groups.values() for one in group[1:]}

    def made() -> RelationSet:
        kept = [one for name, one in library.relations.items() if name not in gone]
        relations = [_one_of(groups[one.name]) if one.name in groups else one for one in kept]
        return library.holding(relations)

    return _JOINED.of(library.session, (), made)


def is_gapless(library: RelationSet) -> bool:
    """Whether one of the joined relations of each quantity applies whatever the numbers."""
    return all(_is_gapless(group) for group in _groups(library))


def _groups(library: RelationSet) -> list[list[Relation]]:
    """The relations that are written for one quantity each, and whose cases exclude each other."""
    written: dict[str, list[Relation]] = {}
    for relation in library.conditional:
        result = relation.written.written_for
        if result is not None and relation.is_equation:
            written.setdefault(result, []).append(relation)
    return [
        group
        for group in written.values()
        if len(group) > 1 and all(_exclude(one, other) for one, other in combinations(group, 2))
    ]


def _exclude(one: Relation, other: Relation) -> bool:
    return any(exclude_each_other(a, b) for a in one.conditions for b in other.conditions)


def _one_of(group: Sequence[Relation]) -> Relation:
    """The relation that chooses between those of a group, under the name of the first."""
    first = group[0]
    arms = [part for one in group for part in (one.written.rhs, conjunction(one.conditions))]
    written = Equation(first.written.lhs, "=", Apply("piecewise", tuple(arms)))
    declared = {name: declaration for one in group for name, declaration in one.declared.items()}
    tolerances = [one.approximate for one in group if one.approximate is not None]
    told = [(one.because, one.source) for one in group]
    because, source = ("; ".join(dict.fromkeys(filter(None, texts))) for texts in zip(*told, strict=True))
    return Relation.proved(
        first.name, written, declared, because=because, source=source, approximate=max(tolerances, default=None)
    )


def _is_gapless(group: Sequence[Relation]) -> bool:
    conditions = [conjunction(one.conditions) for one in group]
    names = names_in(*conditions)
    if len(names) > 1:
        first, *others = conditions
        return len(others) == 1 and implied(others[0], {first: False}) is True
    domain = group[0].declared[names[0]].domain
    return all(any(holds(one, {names[0]: x}) for one in conditions) for x in _points(conditions, domain))


def _points(conditions: Sequence[Node], domain: Domain) -> list[float]:
    """The numbers in some conditions, and points between and beyond them."""
    edges = sorted({part.real for part in walk(*conditions) if isinstance(part, Number)} | {0.0})
    beyond = [edges[0] - 1 - abs(edges[0]), edges[-1] + 1 + abs(edges[-1])]
    points = [*edges, *((low + high) / 2 for low, high in pairwise(edges)), *beyond]
    return [point for point in points if point in domain]
