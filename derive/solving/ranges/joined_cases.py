"""Cases joined for bounds: one relation with a choice in the place of several that hold in one case each.

Where one case of a quantity may hold in one part of the ranges and another elsewhere, their relations are joined to a
single one first: `y = x` when x < 3 and `y = 10*x` when x >= 3 are one equation with a choice of arms.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.expressions.tree import Apply, Equation, Node, Number, conjunction, names_in, walk
from derive.model.conditions import are_exclusive, implied
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds

if TYPE_CHECKING:
    from quantities.domain import Domain

_JOINED = Memo[RelationSet](most=1)


def joined(library: RelationSet) -> RelationSet | None:
    """The library for bounds across cases: one relation for each quantity that has several; None if there is none."""
    groups = {group[0].name: group for group in _groups(library)}
    if not groups:
        return None
    gone = {relation.name for relation in chain.from_iterable(group[1:] for group in groups.values())}

    def with_joined() -> RelationSet:
        kept = [relation for name, relation in library.relations.items() if name not in gone]
        chosen = {name: _relation_of_cases(group) for name, group in groups.items()}
        return library.holding([chosen.get(relation.name, relation) for relation in kept])

    return _JOINED.of(library.session, (), with_joined)


def is_gapless(library: RelationSet) -> bool:
    """Whether the cases joined for bounds leave no gap: one relation of each quantity applies whatever the numbers."""
    return all(_is_gapless(group) for group in _groups(library))


def _groups(library: RelationSet) -> list[list[Relation]]:
    """The groups of relations to be joined before bounds are found: those for one quantity, with exclusive cases."""
    written: dict[str, list[Relation]] = {}
    for relation in library.conditional:
        result = relation.written.written_for
        if result is not None and relation.is_equation:
            written.setdefault(result, []).append(relation)

    def is_of_cases(group: Sequence[Relation]) -> bool:
        pairs = combinations(group, 2)
        return len(group) > 1 and all(are_exclusive(first.conditions, other.conditions) for first, other in pairs)

    return list(filter(is_of_cases, written.values()))


def _relation_of_cases(group: Sequence[Relation]) -> Relation:
    """One relation over all of the ranges: it joins a group, and chooses between its cases, named like the first."""
    first = group[0]
    arms = chain.from_iterable((relation.written.rhs, conjunction(relation.conditions)) for relation in group)
    written = Equation(first.written.lhs, "=", Apply("piecewise", tuple(arms)))
    declared = dict(chain.from_iterable(relation.declared.items() for relation in group))
    tolerances = [relation.approximate for relation in group if relation.approximate is not None]
    reasons = [(relation.because, relation.source) for relation in group]
    because, source = ("; ".join(dict.fromkeys(filter(None, texts))) for texts in zip(*reasons, strict=True))
    return Relation.proved(
        first.name, written, declared, because=because, source=source, approximate=max(tolerances, default=None)
    )


def _is_gapless(group: Sequence[Relation]) -> bool:
    """Whether the cases joined for bounds leave no gap: a condition holds whatever the numbers; False if unknown."""
    conditions = [conjunction(relation.conditions) for relation in group]
    names = names_in(*conditions)
    if len(names) > 1:
        first, *others = conditions
        return len(others) == 1 and implied(others[0], {first: False}) is True
    if not names:
        return any(holds(condition, {}) for condition in conditions)
    domain = group[0].declared[names[0]].domain
    return all(any(holds(condition, {names[0]: x}) for condition in conditions) for x in _points(conditions, domain))


def _points(conditions: Sequence[Node], domain: Domain) -> list[float]:
    """Points at which cases joined for bounds are tested for a gap: numbers in conditions, between and beyond them."""
    edges = sorted({part.real for part in walk(*conditions) if isinstance(part, Number)} | {0.0})
    beyond = [edges[0] - 1 - abs(edges[0]), edges[-1] + 1 + abs(edges[-1])]
    points = [*edges, *((low + high) / 2 for low, high in pairwise(edges)), *beyond]
    return [point for point in points if point in domain]
