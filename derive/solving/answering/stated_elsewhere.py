"""What the lists of facts of a library state of a quantity, and what is seen of it: values that it may have as well.

A profile in such a list is something that there is, a model or a chip, and its values are values that one meets. A
profile in a file of one's own is another scenario, which says nothing about this one. A quantity that no profile states
may follow by its definition from what one states, as the sparsity of a model from its two counts of parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from derive.caches import Memo
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import value
from derive.presentation.numbers import shown_number

__all__ = ["Elsewhere", "is_silent", "of_default", "of_definition"]

_DIGITS = 4  # of a value that is typed in for a default
_TABLES = Memo["_Table"](most=1)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A value of a quantity as a given is written, in base units, and where it is from."""

    text: str
    base: float
    whose: str
    in_list: str = ""  # the list of facts that it is from


_Table = tuple[Mapping[str, tuple[Elsewhere, ...]], Mapping[str, tuple[Elsewhere, ...]]]
"""What lists of facts state of each quantity that has a default, and what follows by a definition of a pure number."""


def of_default(library: RelationSet, name: str) -> tuple[Elsewhere, ...]:
    """The ends of what lists of facts state of a quantity, and of what was seen of it."""
    quantity = library.declared[name]
    found = [*_table(library)[0].get(name, ())]
    if quantity.seen is not None:
        ends = ((quantity.seen.least, quantity.seen.low), (quantity.seen.most, quantity.seen.high))
        found += [Elsewhere(text, base, quantity.seen.source) for text, base in ends if text]
    return _ends(found)


def of_definition(library: RelationSet, name: str) -> tuple[Elsewhere, ...]:
    """The ends of what follows for a pure number from what single profiles state, by its definition."""
    return _ends(_table(library)[1].get(name, ()))


def is_silent(library: RelationSet, name: str, profiles: Iterable[str]) -> bool:
    """Whether one of these profiles says by its silence that a quantity is what it is by default.

    A list of facts states a quantity where it differs from that: a model without a window has no width of one.
    """
    stated, defined = _table(library)
    lists = {one.in_list for one in (*stated.get(name, ()), *defined.get(name, ()))} - {""}
    return any(library.profiles.list_of(one) in lists for one in profiles if one in library.profiles)


def _ends(found: Iterable[Elsewhere]) -> tuple[Elsewhere, ...]:
    ordered = sorted(found, key=lambda one: one.base)
    return (ordered[0], ordered[-1]) if len(ordered) > 1 else tuple(ordered)


def _table(library: RelationSet) -> _Table:
    return _TABLES.of(library.session, "stated elsewhere", lambda: _tabulated(library))


def _tabulated(library: RelationSet) -> _Table:
    definitions = [
        (relation.written.written_for, frozenset(library.members[relation.name]) - {relation.written.written_for})
        for relation in library.relations.values()
    ]
    pure = [
        (relation, defined, needs)
        for relation, (defined, needs) in zip(library.relations.values(), definitions, strict=True)
        if defined is not None and _is_definition(relation) and library.declared[defined].unit.is_number
    ]
    stated: dict[str, list[Elsewhere]] = {}
    defined_by: dict[str, list[Elsewhere]] = {}
    for profile_name in library.profiles:
        if not (in_list := library.profiles.list_of(profile_name)):
            continue
        profile = library.profiles[profile_name]
        for name in profile.values.keys() & library.defaults.keys():
            base = profile.values[name].base[1]
            stated.setdefault(name, []).append(Elsewhere(_text(library, name, base), base, profile_name, in_list))
        numbers = {name: held.base[1] for name, held in profile.values.items() if name in library.declared}
        for relation, name, needs in pure:
            if name in numbers or not needs or not needs <= numbers.keys():
                continue
            base = value(relation.written.rhs, numbers)
            if library.declared[name].domain.admits(base):
                defined_by.setdefault(name, []).append(
                    Elsewhere(_text(library, name, base), base, profile_name, in_list)
                )
    return _frozen(stated), _frozen(defined_by)


def _is_definition(relation: Relation) -> bool:
    return relation.is_equation and not relation.conditions and relation.approximate is None


def _text(library: RelationSet, name: str, base: float) -> str:
    return shown_number(base, library.declared[name].unit, _DIGITS)


def _frozen(found: Mapping[str, list[Elsewhere]]) -> Mapping[str, tuple[Elsewhere, ...]]:
    return {name: tuple(values) for name, values in found.items()}
