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

_STRUCTURES = Memo["Structure"](most=8)
_EQUATIONS = Memo["_Equations"](most=1)
_CORES = Memo["Core"](most=16)
_OF_CORE = Memo["Structure"](most=16)  # each core keeps its own, and plans are kept longer


def structure_of(
    library: RelationSet,
    left_out: frozenset[str] = frozenset(),
    stated: frozenset[str] = frozenset(),
) -> Structure:
    """The graph of a library's equations, on which plans are made.

    A profile's value is stated, and no fallback: it may be run backwards like any other.
    """
    equations = _equations_of(library)
    key = left_out, equations.fallbacks - stated
    return _STRUCTURES.of(library.session, key, lambda: equations.structure(*key))


def core_of(library: RelationSet, names: Iterable[str]) -> Core:
    """What of a library may bear on a question in which these names are given, weak or asked for."""
    equations = _equations_of(library)
    key = frozenset(names)
    return _CORES.of(library.session, key, lambda: Core.of(equations, key))


def _equations_of(library: RelationSet) -> _Equations:
    return _EQUATIONS.of(library.session, "", lambda: _Equations.of(library))


@dataclass(frozen=True)
class _Equations:
    """The equations of a library, exact ones first, and what its estimates say again.

    An estimate of what another relation over the same quantities says is no equation of its own: where both curves
    happen to cross means nothing. It is only tested, like an inequality. One that is written for the same quantity and
    leaves out some of the others, or adds some, says the same thing in less or more detail: it stands in the place of
    that relation where nothing else leads to the target, and never beside it.
    """

    relations: tuple[Relation, ...]
    repeated: Mapping[str, frozenset[str]]  # estimate -> earlier relations over exactly its quantities
    estimated: Mapping[str, frozenset[str]]  # estimate -> earlier relations that say it in less or more detail
    fallbacks: frozenset[str]
    inequalities: Mapping[str, tuple[str, ...]]  # each with its quantities

    @cached_property
    def every(self) -> Structure:
        """The graph of all of them, which is the structure of no question: also of those that say the same again."""
        return Structure.of(self.relations)

    @cached_property
    def exchanged(self) -> frozenset[str]:
        """The quantities of the estimates that may stand in the place of other relations."""
        instead = (name for name, rivals in self.estimated.items() if rivals)
        return frozenset(one for name in instead for one in self.every.members[name])

    @classmethod
    def of(cls, library: RelationSet) -> _Equations:
        relations = [relation for relation in library.relations.values() if relation.is_equation]
        relations.sort(key=lambda relation: relation.approximate is not None)
        repeated: dict[str, frozenset[str]] = {}
        estimated: dict[str, frozenset[str]] = {}
        for place, relation in enumerate(relations):
            if relation.approximate is None:
                continue
            own = frozenset(relation.members)
            earlier = [(one, frozenset(one.members)) for one in relations[:place]]
            repeated[relation.name] = frozenset(one.name for one, held in earlier if held == own)
            estimated[relation.name] = frozenset(
                one.name
                for one, held in earlier
                if (held < own or own < held)
                and relation.written_for is not None
                and one.written_for == relation.written_for
                and {*relation.when}.issuperset(one.when)  # of two formulas for different cases neither is an estimate
            )
        fallbacks = frozenset(name for name, value in library.defaults.items() if value.source.stands_in)
        inequalities = {one.name: library.members[one.name] for one in library.inequalities}
        return cls(tuple(relations), repeated, estimated, fallbacks, inequalities)

    def structure(self, left_out: frozenset[str], fallbacks: frozenset[str], core: Core | None = None) -> Structure:
        """The graph without some relations; estimates stand in the place of others only in its alternatives."""

        def is_first(name: str) -> bool:
            return name not in left_out and left_out.issuperset(self.repeated.get(name, ()))

        among = self.relations if core is None else core.equations_within
        equations = [one for one in among if is_first(one.name)]
        instead = {
            one.name: rivals
            for one in equations
            if (rivals := frozenset(filter(is_first, self.estimated.get(one.name, ()))))
        }
        made = partial(Structure.of, otherwise=fallbacks)
        if core is not None:
            elsewhere = {result for name, result in core.written_outside if result in fallbacks and is_first(name)}
            made = partial(core.among, fallbacks, elsewhere)
        exact = made([one for one in equations if one.name not in instead])
        limits = tuple(held for name, held in self.inequalities.items() if name not in left_out)
        return replace(exact, alternatives=tuple(_exchanges(equations, instead, made)), limits=limits)


@dataclass(frozen=True, eq=False)
class Core:
    """The part of a library's graph that may bear on a question, for whatever relations are left out besides.

    The other relations each hold an open quantity alone, one after another. Few are left of a large library, and all
    cases of a question are planned on them.
    """

    equations: _Equations
    relations: frozenset[str]
    names: frozenset[str]  # the quantities in them, and those for which it was made
    links: Mapping[str, tuple[frozenset[str], ...]]  # the quantities that the other relations connect with each
    apart: Mapping[str, str]  # the other relations in the order in which they follow, with the quantity of each alone
    session: Session = field(default_factory=Session, init=False, repr=False)

    @classmethod
    def of(cls, equations: _Equations, names: frozenset[str]) -> Core:
        """The core for what may be given or asked for."""
        every = equations.every
        fixed = names.union(equations.exchanged, *equations.inequalities.values())
        gone = every.apart(fixed)
        kept = fixed.union(*(held for relation, held in every.members.items() if relation not in gone))
        links: dict[str, tuple[frozenset[str], ...]] = {}
        for met in _groups(every, gone, fixed):
            group = kept & met
            links.update({name: (*links.get(name, ()), group) for name in group})
        return cls(equations, frozenset(every.members.keys() - gone.keys()), kept, links, dict(reversed(gone.items())))

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The relations that make a difference where they are left out."""
        rivals = (names for names in self.equations.estimated.values() if names)
        return self.relations.union(self.equations.inequalities, *rivals)

    def structure(self, left_out: frozenset[str], stated: frozenset[str]) -> Structure:
        """The graph without some relations; what a profile states is no fallback."""
        key = left_out, self.equations.fallbacks - stated
        return _OF_CORE.of(self.session, key, lambda: self.equations.structure(*key, self))

    def among(self, fallbacks: frozenset[str], elsewhere: set[str], relations: Sequence[Relation]) -> Structure:
        """The graph of some relations within this core; others outside it are written for the fallbacks elsewhere."""
        found = Structure.of(relations, fallbacks)
        return replace(
            found,
            holders={name: found.holders[name] for name in self._ordered if name in found.holders},
            links=self.links,
            whole=self.equations.every,
            elsewhere=frozenset(elsewhere - found.writers.keys()),
        )

    @cached_property
    def equations_within(self) -> Sequence[Relation]:
        return [one for one in self.equations.relations if one.name in self.relations]

    @cached_property
    def written_outside(self) -> Sequence[tuple[str, str]]:
        """The other relations that are written for a fallback, each with that quantity."""
        others = (one for one in self.equations.relations if one.name not in self.relations)
        return [(one.name, one.written_for) for one in others if one.written_for in self.equations.fallbacks]

    @cached_property
    def _ordered(self) -> Sequence[str]:
        """The quantities in the order in which the whole library names them."""
        return [name for name in self.equations.every.holders if name in self.names]


def _groups(every: Structure, relations: Iterable[str], fixed: frozenset[str]) -> Iterator[set[str]]:
    """The quantities of those of some relations that unknowns connect, which are not fixed."""
    left = dict.fromkeys(relations)
    while left:
        names: set[str] = set()
        pending = [left.popitem()[0]]
        while pending:
            fresh = [name for name in every.members[pending.pop()] if name not in names]
            names.update(fresh)
            for name in fresh:
                if name not in fixed:
                    further = [relation for relation in every.holders[name] if relation in left]
                    pending += further
                    for relation in further:
                        del left[relation]
        yield names


def _exchanges(
    equations: Sequence[Relation],
    instead: Mapping[str, frozenset[str]],
    made: Callable[[Sequence[Relation]], Structure],
) -> Iterator[Exchange]:
    """The ways to put estimates in the place of what they estimate, as few as possible first."""
    chosen = (set(some) for count in range(1, len(instead) + 1) for some in combinations(instead, count))
    for some in islice(chosen, _EXCHANGES):
        gone = frozenset().union(*(instead[name] for name in some)) | (instead.keys() - some)
        if some.isdisjoint(gone):
            left = [one for one in equations if one.name not in gone]
            estimates = {one.name: one.members for one in equations if one.name in some}
            yield Exchange(estimates, partial(made, left))


_REDUCED = Memo["Structure"](most=16)
_COMPONENTS = Memo[list["_Component"]](most=8)
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

    def not_written_for(self, names: frozenset[str]) -> Exchange:
        return Exchange(self.estimates, lambda: self.structure.not_written_for(names))


@dataclass(frozen=True, slots=True, eq=False)
class _Component:
    """Relations that unknowns connect, and these unknowns."""

    relations: tuple[str, ...]
    unknowns: AbstractSet[str]


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
    links: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)  # what left-out relations connect
    whole: Structure | None = None  # the graph of all relations, of which this is the core
    elsewhere: frozenset[str] = frozenset()  # fallbacks that relations are written for which the core leaves out
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
        inputs = {relation.name: relation.inputs for relation in relations if relation.written_for is not None}
        estimates = frozenset(relation.name for relation in relations if relation.approximate is not None)
        return cls(members, forward, inputs, held_by, writers, frozenset(rivals), estimates, otherwise)

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
            elsewhere=self.elsewhere - names,
            alternatives=tuple(other.not_written_for(names) for other in self.alternatives),
        )

    def is_written(self, name: str) -> bool:
        """Whether some relation is written for a quantity, also one that a core leaves out."""
        return name in self.writers or name in self.elsewhere

    def reached(self, target: str, given: frozenset[str]) -> Sequence[str]:
        """The relations connected to the target through unknowns, in order of preference."""
        return self._component(target, given).relations

    def around(self, target: str, given: frozenset[str]) -> AbstractSet[str]:
        """The quantities connected to the target through relations, without what is given."""
        return self._component(target, given).unknowns

    def _component(self, target: str, given: frozenset[str]) -> _Component:
        """What is connected to the target: found once for all unknowns of one component."""
        if target in given:
            return self._connected(target, given)
        components = _COMPONENTS.of(self.session, given, list)
        for component in components:
            if target in component.unknowns:
                return component
        components.append(self._connected(target, given))
        return components[-1]

    def _connected(self, target: str, given: frozenset[str]) -> _Component:
        seen = {target, *given}
        found: set[str] = set()
        pending = [target]
        while pending:
            name = pending.pop()
            for group in self.links.get(name, ()):
                if not seen.issuperset(group):
                    pending += group - seen
                    seen |= group
            for relation in self.holders.get(name, ()):
                if relation not in found:
                    found.add(relation)
                    if fresh := [name for name in self.members[relation] if name not in seen]:
                        seen.update(fresh)
                        pending += fresh
        return _Component(tuple([relation for relation in self.members if relation in found]), seen - given)

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
        return _APART.of(self.session, fixed, lambda: self._occurrences.lone(fixed, self.rivals))

    @cached_property
    def _occurrences(self) -> Occurrences:
        return Occurrences.of(self.members)

    def within_reach(self, known: frozenset[str]) -> AbstractSet[str]:
        """What could be determined beside what is known, if all that is in several relations could."""

        def made() -> AbstractSet[str]:
            gone = self.apart(known.union(*self.limits))
            found = {name for relation, held in self.members.items() if relation not in gone for name in held}
            return found.union(self.led_to(gone, found | known))

        return _POSSIBLE.of(self.session, known, made)

    def led_to(self, apart: dict[str, str], known: Iterable[str]) -> set[str]:
        """What relations that are apart yield in the end: each its own quantity, where all others are known."""
        found = {*known}
        yielded = set()
        for relation, own in reversed(apart.items()):
            if all(name in found or name == own for name in self.members[relation]):
                found.add(own)
                yielded.add(own)
        return yielded


@dataclass(frozen=True, slots=True)
class Occurrences:
    """How many of some rows hold each name, and the sum of the places of those: the place of the last one that is left,
    once those of the others are taken off."""

    rows: Mapping[str, Iterable[str]]
    count: Mapping[str, int]
    places: Mapping[str, int]

    @classmethod
    def of(cls, rows: Mapping[str, Iterable[str]]) -> Occurrences:
        count: dict[str, int] = {}
        places: dict[str, int] = {}
        for place, row in enumerate(rows.values()):
            for name in row:
                count[name] = count.get(name, 0) + 1
                places[name] = places.get(name, 0) + place
        return cls(rows, count, places)

    def lone(self, fixed: Container[str], staying: Container[str] = ()) -> dict[str, str]:
        """The rows that alone hold a name which is not fixed, each with that name; then those that are left alone so.

        >>> Occurrences.of({"r1": "ab", "r2": "bc", "r3": "cd", "r4": "cd"}).lone("c")
        {'r1': 'a', 'r2': 'b'}
        """
        labels, count, places = list(self.rows), {**self.count}, {**self.places}
        gone: dict[str, str] = {}
        alone = [name for name, number in count.items() if number == 1 and name not in fixed]
        for name in alone:  # grows as it is walked
            place = places[name]
            if not count[name] or labels[place] in staying:
                continue
            gone[labels[place]] = name
            for other in self.rows[labels[place]]:
                count[other] -= 1
                places[other] -= place
                if count[other] == 1 and other not in fixed:
                    alone.append(other)
        return gone
