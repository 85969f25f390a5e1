"""Operating points: one library that describes the same thing in two states at once.

At a point, the named quantities have values of their own, and so does everything that follows from them in the
direction in which the relations are written. Each of these becomes `point.name` beside the original; the rest (the
fleet, the model, the price list) is shared.
"""

from __future__ import annotations

from collections.abc import Iterable

from derive.errors import ExpressionError, excerpt
from derive.expressions.tree import Equation, Name, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from quantities.declaration import Declaration, check_name

__all__ = ["twins"]


def twins(library: RelationSet, point: str, names: Iterable[str]) -> tuple[list[Relation], list[Declaration]]:
    """The second copy of the named quantities, of all that follows from them, and of the relations between these."""
    check_name(point)
    if "." in point:
        raise ExpressionError(f"{excerpt(point)} cannot be a point's name: it has a dot.", hint="Write one word.")
    moved = _following(library, [library.declaration(name).name for name in names])
    copies = {name: _twin(library.declared[name], point) for name in library.declared if name in moved}
    renamed = {name: copy.name for name, copy in copies.items()}
    forms = {name: Name(copy.name) for name, copy in copies.items()}
    relations = []
    for relation in library.relations.values():
        # One of which only the conditions differ at the point would count as another equation, and says the same.
        if moved.isdisjoint(library.members[relation.name]):
            continue
        written = relation.written
        lhs, rhs = with_forms(written.lhs, forms), with_forms(written.rhs, forms)
        held = [copies.get(name, quantity) for name, quantity in relation.declared.items()]
        relations.append(
            Relation(
                f"{point}.{relation.name}",
                Equation(lhs, written.op, rhs),
                {quantity.name: quantity for quantity in held},
                relation.because,
                relation.source,
                tuple(with_forms(condition, forms) for condition in relation.conditions),
                relation.approximate,
                " of ".join(renamed.get(name, name) for name in relation.neglects.split(" of ")),
            )
        )
    return relations, list(copies.values())


def _following(library: RelationSet, names: Iterable[str]) -> set[str]:
    """The names, and every quantity that a relation is written for and that depends on one of them."""
    found = set(names)
    pending = list(found)
    while pending:
        for relation in library.holders.get(pending.pop(), ()):
            name = library.relations[relation].written.written_for
            if name is None or name in found or not library.relations[relation].is_equation:
                continue
            if not found.isdisjoint({*library.members[relation]} - {name}):
                found.add(name)
                pending.append(name)
    return found


def _twin(quantity: Declaration, point: str) -> Declaration:
    return quantity.but(
        name=f"{point}.{quantity.name}",
        meaning=f"{quantity.meaning} (at the point {point})" if quantity.meaning else "",
        latex=f"{quantity.latex}^{{\\mathrm{{{point.replace('_', ' ')}}}}}" if quantity.latex else "",
        aliases=(),
    )
