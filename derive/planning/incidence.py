"""The incidence graph of a set of relations: which quantities each contains, and which it is written for."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations, islice

from derive.caches import Memo, Session
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet

__all__ = ["Structure", "structure_of"]

_STRUCTURES = Memo["Structure"](most=4096)


def structure_of(
    library: RelationSet, left_out: frozenset[str] = frozenset(), stated: frozenset[str] = frozenset()
) -> Structure:
    """The graph of a library's equations, on which plans are made; exact ones come before approximate ones.

    An estimate of what another relation over the same quantities says is no equation of its own: where both curves
    happen to cross means nothing. It is only tested, like an inequality. One that is written for the same quantity and
    leaves out some of the others, or adds some, says the same thing in less or more detail: it stands in the place of
    that relation where nothing else leads to the target, and never beside it. A profile's value is stated, and no
    fallback: it may be run backwards like any other.
    """

    def made() -> Structure:
        equations = [r for r in library.relations.values() if r.is_equation and r.name not in left_out]
        equations.sort(key=lambda relation: relation.approximate is not None)
        equations = _without_further_estimates(library, equations)
        fallbacks = frozenset(name for name, value in library.defaults.items() if value.source.stands_in)
        instead = _in_place_of(library, equations)
        first = Structure.of((one for one in equations if one.name not in instead), fallbacks)
        limits = [relation for relation in library.inequalities if relation.name not in left_out]
        return replace(
            first,
            alternatives=tuple(_exchanges(library, equations, instead, fallbacks)),
            limits=tuple(library.members[relation.name] for relation in limits),
        )

    found = _STRUCTURES.of(library.session, (left_out, frozenset()), made)
    if overruled := found.otherwise & stated:
        key = left_out, overruled
        return _STRUCTURES.of(library.session, key, lambda: found.with_fallbacks(found.otherwise - overruled))
    return found


def _without_further_estimates(library: RelationSet, equations: Sequence[Relation]) -> list[Relation]:
    """The relations without the approximate ones over exactly the quantities of an earlier one."""
    if all(relation.approximate is None for relation in equations):
        return [*equations]
    first: dict[frozenset[str], str] = {}
    for relation in equations:
        first.setdefault(frozenset(library.members[relation.name]), relation.name)
    own = frozenset(first.values())
    return [relation for relation in equations if relation.approximate is None or relation.name in own]


def _in_place_of(library: RelationSet, equations: Sequence[Relation]) -> dict[str, frozenset[str]]:
    """The estimates of what earlier relations say in less or more detail, each with those relations.

    Of two formulas for different cases neither estimates the other.
    """
    found: dict[str, frozenset[str]] = {}
    earlier: dict[str, list[Relation]] = {}
    for relation in equations:
        result = relation.written_for
        if result is None:
            continue
        if relation.approximate is not None:
            own = {*library.members[relation.name]}
            wider = [one for one in earlier.get(result, ()) if {*relation.when}.issuperset(one.when)]
            others = ((one.name, {*library.members[one.name]}) for one in wider)
            rivals = frozenset(one for one, held in others if own <= held or held <= own)
            if rivals:
                found[relation.name] = rivals
        earlier.setdefault(result, []).append(relation)
    return found


def _exchanges(
    library: RelationSet,
    equations: Sequence[Relation],
    instead: Mapping[str, frozenset[str]],
    fallbacks: frozenset[str],
) -> Iterator[Exchange]:
    """The ways to put estimates in the place of what they estimate, as few as possible first."""
    chosen = (set(some) for count in range(1, len(instead) + 1) for some in combinations(instead, count))
    for some in islice(chosen, _EXCHANGES):
        gone = frozenset().union(*(instead[name] for name in some)) | (instead.keys() - some)
        if some.isdisjoint(gone):
            left = [one for one in equations if one.name not in gone]
            estimates = {name: tuple(library.members[name]) for name in instead if name in some}
            yield Exchange(estimates, partial(Structure.of, left, fallbacks))


_REDUCED = Memo["Structure"](most=64)
_COMPONENTS = Memo[dict[str, tuple[list[str], AbstractSet[str]]]](most=8)
_APART = Memo[dict[str, str]](most=8)
_POSSIBLE = Memo[AbstractSet[str]](most=8)
_EXCHANGES = 31  # limit on sets of estimates that are tried in the place of other relations


@dataclass(frozen=True, eq=False)
class Exchange:
    """Estimates in the place of the relations that they estimate; few questions need the structure that this makes."""

    estimates: Mapping[str, tuple[str, ...]]  # each with its quantities
    make: Callable[[], Structure]

    @cached_property
    def structure(self) -> Structure:
        return self.make()

    def adds_to(self, determined: Container[str]) -> bool:
        """Whether an estimate has a quantity that is not determined without it: otherwise it can determine no other."""
        return any(name not in determined for names in self.estimates.values() for name in names)

    def with_fallbacks(self, names: frozenset[str]) -> Exchange:
        return Exchange(self.estimates, lambda: self.structure.with_fallbacks(names))

    def not_written_for(self, names: frozenset[str]) -> Exchange:
        return Exchange(self.estimates, lambda: self.structure.not_written_for(names))


@dataclass(frozen=True)
class Structure:
    """Relations by name, in order of preference, and their quantities.

    >>> from derive.relation_files.loading import load
    >>> ohm = load('[quantities]\\nV = { unit = "V" }\\nI = { unit = "A" }\\nR = { unit = "ohm" }\\n'
    ...            '[relations]\\nohm = { equation = "V = I*R" }')
    >>> Structure.of(ohm.relations.values()).forward
    {'ohm': 'V'}
    """

    members: Mapping[str, tuple[str, ...]]
    forward: Mapping[str, str]  # relation -> the quantity that it is written for, if it is written for one
    inputs: Mapping[str, frozenset[str]]  # relation that is written for a quantity -> its other quantities
    holders: Mapping[str, tuple[str, ...]]  # quantity -> the relations that contain it
    writers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # quantity -> the relations written for it
    rivals: frozenset[str] = frozenset()  # approximate relations for a quantity that has an earlier approximate one
    estimates: frozenset[str] = frozenset()  # approximate relations
    otherwise: frozenset[str] = frozenset()  # quantities whose default is used where their own relations are not
    alternatives: tuple[Exchange, ...] = ()  # for targets that this one leaves open: estimates in the place of others
    limits: tuple[tuple[str, ...], ...] = ()  # the quantities of each inequality
    session: Session = field(default_factory=Session, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, relations: Iterable[Relation], otherwise: frozenset[str] = frozenset()) -> Structure:
        relations = tuple(relations)
        members: dict[str, tuple[str, ...]] = {}
        forward: dict[str, str] = {}
        holders: dict[str, list[str]] = {}
        writers: dict[str, tuple[str, ...]] = {}
        rivals: set[str] = set()
        estimated: set[str] = set()
        for relation in relations:
            held = relation.members
            members[relation.name] = held
            result = relation.written_for
            if result is not None:
                forward[relation.name] = result
                writers[result] = (*writers.get(result, ()), relation.name)
                if relation.approximate is not None and result in estimated:
                    rivals.add(relation.name)
                elif relation.approximate is not None:
                    estimated.add(result)
            for name in held:
                holders.setdefault(name, []).append(relation.name)
        held_by = {name: tuple(found) for name, found in holders.items()}
        inputs = {relation: frozenset(members[relation]) - {result} for relation, result in forward.items()}
        estimates = frozenset(relation.name for relation in relations if relation.approximate is not None)
        return cls(members, forward, inputs, held_by, writers, frozenset(rivals), estimates, otherwise)

    def with_fallbacks(self, names: frozenset[str]) -> Structure:
        """The same graph, where only these quantities have a fallback."""
        others = tuple(other.with_fallbacks(names) for other in self.alternatives)
        return replace(self, otherwise=names, alternatives=others)

    def not_written_for(self, names: Iterable[str]) -> Structure:
        """The structure without the relations that are written for some quantities."""
        key = frozenset(names)
        return _REDUCED.of(self.session, key, lambda: self._not_written_for(key)) if key else self

    def _not_written_for(self, names: frozenset[str]) -> Structure:
        gone = {relation for name in names for relation in self.writers.get(name, ())}
        touched = {name for relation in gone for name in self.members[relation]}
        left = {name: tuple([one for one in self.holders[name] if one not in gone]) for name in touched}
        return replace(
            self,
            members={relation: held for relation, held in self.members.items() if relation not in gone},
            forward={relation: name for relation, name in self.forward.items() if relation not in gone},
            inputs={relation: held for relation, held in self.inputs.items() if relation not in gone},
            holders={**self.holders, **left},
            writers={name: found for name, found in self.writers.items() if name not in names},
            rivals=self.rivals - gone,
            estimates=self.estimates - gone,
            otherwise=self.otherwise - names,
            alternatives=tuple(other.not_written_for(names) for other in self.alternatives),
        )

    def reached(self, target: str, given: frozenset[str]) -> list[str]:
        """The relations connected to the target through unknowns, in order of preference."""
        return self._component(target, given)[0]

    def around(self, target: str, given: frozenset[str]) -> AbstractSet[str]:
        """The quantities connected to the target through relations, without what is given."""
        return self._component(target, given)[1]

    def _component(self, target: str, given: frozenset[str]) -> tuple[list[str], AbstractSet[str]]:
        """The relations and the unknowns connected to the target: found once for all unknowns of one component."""
        component = _COMPONENTS.of(self.session, given, dict)
        if target in component:
            return component[target]
        seen = {target, *given}
        found: set[str] = set()
        pending = [target]
        while pending:
            for relation in self.holders.get(pending.pop(), ()):
                if relation not in found:
                    found.add(relation)
                    if fresh := [name for name in self.members[relation] if name not in seen]:
                        seen.update(fresh)
                        pending += fresh
        unknowns = seen - given
        reached = [relation for relation in self.members if relation in found], unknowns
        component.update(dict.fromkeys(({target} if target in given else unknowns), reached))
        return reached

    def bearing(self, target: str, given: frozenset[str], fixed: frozenset[str]) -> list[str]:
        """Those of the relations connected to the target that may bear on it: each holds nothing open alone."""
        gone = self.apart(fixed)
        return [one for one in self.reached(target, given) if one not in gone]

    def apart(self, fixed: frozenset[str]) -> dict[str, str]:
        """The relations that alone contain an open quantity, in the order in which they are left out, each with it.

        Such a relation only says that one: without it, all others are as open as before. It is left out, and then those
        that are alone with another. Quantities that are fixed in another way, such as what is given or asked for, count
        as not open. Later estimates are no equations, and stay.
        """
        return _APART.of(self.session, fixed, lambda: self._apart(fixed))

    def _apart(self, fixed: frozenset[str]) -> dict[str, str]:
        names, all_counts, all_sums = self._places
        count, sums = all_counts.copy(), all_sums.copy()
        gone: dict[str, str] = {}
        alone = [name for name, number in count.items() if number == 1 and name not in fixed]
        for name in alone:  # grows as it is walked
            place = sums[name]
            if not count[name] or names[place] in self.rivals:
                continue
            gone[names[place]] = name
            for other in self.members[names[place]]:
                count[other] -= 1
                sums[other] -= place
                if count[other] == 1 and other not in fixed:
                    alone.append(other)
        return gone

    def within_reach(self, known: frozenset[str]) -> AbstractSet[str]:
        """What could be determined beside what is known, if all that is in several relations could."""
        return _POSSIBLE.of(self.session, known, lambda: self._within_reach(known))

    def _within_reach(self, known: frozenset[str]) -> AbstractSet[str]:
        gone = self.apart(known.union(*self.limits))
        found = {name for relation, held in self.members.items() if relation not in gone for name in held}
        for relation, own in reversed(gone.items()):
            if all(name in found or name in known or name == own for name in self.members[relation]):
                found.add(own)
        return found

    @cached_property
    def _places(self) -> tuple[list[str], dict[str, int], dict[str, int]]:
        """The relations, how many of them hold each quantity, and the sum of the places of those.

        The sum is the place of the last relation, once those of the others are taken off.
        """
        count: dict[str, int] = {}
        sums: dict[str, int] = {}
        for place, held in enumerate(self.members.values()):
            for name in held:
                count[name] = count.get(name, 0) + 1
                sums[name] = sums.get(name, 0) + place
        return list(self.members), count, sums
