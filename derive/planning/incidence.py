"""The incidence graph of a set of relations: which quantities each contains, and which it is written for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain, combinations, islice

from derive.caches import Memo, Session
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet

_STRUCTURES = Memo["Structure"](most=8)
_EQUATIONS = Memo["_Equations"](most=1)
_CORES = Memo["Core"](most=8)
_CORE_STRUCTURES = Memo["Structure"](most=16)  # each core keeps its own, and plans are kept longer


def structure_of(
    library: RelationSet, left_out: frozenset[str] = frozenset(), stated: frozenset[str] = frozenset()
) -> Structure:
    """The incidence graph of a library's equations, on which plans are made.

    A profile's value is stated, and no fallback: it may be run backwards like any other.
    """
    equations = _equations_of(library)
    key = left_out, equations.fallbacks - stated
    return _STRUCTURES.of(library.session, key, lambda: equations.structure(*key))


def core_of(library: RelationSet, names: Iterable[str]) -> Core:
    """The core of a library's incidence graph that may bear on a question with these names, given or asked for."""
    equations = _equations_of(library)
    key = frozenset(names)
    return _CORES.of(library.session, key, lambda: Core.of(equations, key))


def _equations_of(library: RelationSet) -> _Equations:
    return _EQUATIONS.of(library.session, "", lambda: _Equations.of(library))


@dataclass(frozen=True)
class _Equations:
    """The equations of a library, exact ones first, and which of them its estimates repeat.

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
    def graph(self) -> Structure:
        """The incidence graph of all equations, on which no question is planned, since it holds repeated estimates."""
        return Structure.of(self.relations)

    @cached_property
    def exchanged(self) -> frozenset[str]:
        """The quantities of the estimates that may replace other relations of the incidence graph."""
        exchangeable = (name for name, rivals in self.estimated.items() if rivals)
        return frozenset(chain.from_iterable(self.graph.members[name] for name in exchangeable))

    @classmethod
    def of(cls, library: RelationSet) -> _Equations:
        """Collect the equations of a library's incidence graph, and which earlier ones estimates repeat or refine."""
        relations = [relation for relation in library.relations.values() if relation.is_equation]
        relations.sort(key=lambda relation: relation.approximate is not None)
        repeated: dict[str, frozenset[str]] = {}
        estimated: dict[str, frozenset[str]] = {}
        for index, relation in enumerate(relations):
            if relation.approximate is None:
                continue
            own = frozenset(relation.members)
            earlier = [(rival, frozenset(rival.members)) for rival in relations[:index]]
            repeated[relation.name] = frozenset(rival.name for rival, members in earlier if members == own)
            estimated[relation.name] = frozenset(
                rival.name
                for rival, members in earlier
                if (members < own or own < members)
                and relation.written_for is not None
                and rival.written_for == relation.written_for
                and {*relation.when} >= {*rival.when}  # of two formulas for different cases neither is an estimate
            )
        fallbacks = frozenset(name for name, value in library.defaults.items() if value.source.stands_in)
        inequalities = {limit.name: library.members[limit.name] for limit in library.inequalities}
        return cls(tuple(relations), repeated, estimated, fallbacks, inequalities)

    def structure(self, left_out: frozenset[str], fallbacks: frozenset[str], core: Core | None = None) -> Structure:
        """The incidence graph without some relations; estimates replace other relations only in its alternatives."""
        graph = self.graph if core is None else core.graph

        def is_first(name: str) -> bool:
            return name not in left_out and left_out.issuperset(self.repeated.get(name, ()))

        removed = left_out.union(name for name in self.repeated if not is_first(name))
        rivals = {name: frozenset(filter(is_first, names)) for name, names in self.estimated.items()}
        replaced_by = {
            name: names for name, names in rivals.items() if names and name in graph.members and name not in removed
        }
        outside = () if core is None else core.written_outside
        elsewhere = frozenset(result for name, result in outside if result in fallbacks and is_first(name))
        limits = tuple(names for name, names in self.inequalities.items() if name not in left_out)

        def without(further: AbstractSet[str]) -> Structure:
            return replace(graph.without(removed | further), otherwise=fallbacks, elsewhere=elsewhere)

        exact = without(replaced_by.keys())
        return replace(exact, alternatives=tuple(_exchanges(graph, replaced_by, without)), limits=limits)


@dataclass(frozen=True, eq=False)
class Core:
    """The part of a library's incidence graph that may bear on a question, whichever relations are left out later.

    Every other relation alone contains an open quantity, at the latest once others of them are left out. Few relations
    of a large library are left, and all cases of a question are planned on them.
    """

    equations: _Equations
    relations: frozenset[str]
    names: frozenset[str]  # the quantities in them, and those for which it was made
    links: Mapping[str, tuple[frozenset[str], ...]]  # the quantities that the other relations connect with each
    apart: Mapping[str, str]  # the other relations in the order in which they follow, with the quantity of each alone
    session: Session = field(default_factory=Session, init=False, repr=False)

    @classmethod
    def of(cls, equations: _Equations, names: frozenset[str]) -> Core:
        """The core of an incidence graph for the names that may be given or asked for."""
        graph = equations.graph
        fixed = names.union(equations.exchanged, *equations.inequalities.values())
        lone_relations = graph.apart(fixed)
        names_within = fixed.union(
            *(members for relation, members in graph.members.items() if relation not in lone_relations)
        )
        links: dict[str, tuple[frozenset[str], ...]] = {}
        for connected in _connected_groups(graph, lone_relations, fixed):
            group = names_within & connected
            alone = (group,)  # one object for all names of no other group
            links.update({name: (*links[name], group) if name in links else alone for name in group})
        relations = frozenset(graph.members.keys() - lone_relations.keys())
        return cls(equations, relations, names_within, links, apart=dict(reversed(lone_relations.items())))

    @cached_property
    def decisive(self) -> frozenset[str]:
        """The relations of the incidence graph whose absence can change a plan."""
        rivals = (names for names in self.equations.estimated.values() if names)
        return self.relations.union(self.equations.inequalities, *rivals)

    def structure(self, left_out: frozenset[str], stated: frozenset[str]) -> Structure:
        """The incidence graph of the core without some relations; what a profile states is no fallback."""
        key = left_out, self.equations.fallbacks - stated
        return _CORE_STRUCTURES.of(self.session, key, lambda: self.equations.structure(*key, self))

    @cached_property
    def graph(self) -> Structure:
        """The incidence graph of all relations of the core, on which no question is planned as it stands."""
        full_graph = self.equations.graph
        graph = Structure.of(relation for relation in self.equations.relations if relation.name in self.relations)
        in_order = {name: graph.holders[name] for name in full_graph.holders if name in graph.holders}
        session = full_graph.session_of_library
        return replace(graph, holders=in_order, links=self.links, full_graph=full_graph, session_of_library=session)

    @cached_property
    def written_outside(self) -> Sequence[tuple[str, str]]:
        """The relations outside the core of the incidence graph that are written for a fallback, with that fallback."""
        fallbacks = self.equations.fallbacks
        written = ((relation.name, relation.written_for) for relation in self.equations.relations)
        return [(name, result) for name, result in written if name not in self.relations and result in fallbacks]


def _connected_groups(graph: Structure, relations: Iterable[str], fixed: frozenset[str]) -> Iterator[set[str]]:
    """Yield the quantities of each group of relations connected in the incidence graph through open quantities."""
    remaining = dict.fromkeys(relations)
    while remaining:
        connected: set[str] = set()
        pending = [remaining.popitem()[0]]
        while pending:
            new_names = [name for name in graph.members[pending.pop()] if name not in connected]
            connected.update(new_names)
            for name in new_names:
                if name not in fixed:
                    holders = [relation for relation in graph.holders[name] if relation in remaining]
                    pending += holders
                    for relation in holders:
                        del remaining[relation]
        yield connected


def _exchanges(
    graph: Structure,
    replaced_by: Mapping[str, frozenset[str]],
    without: Callable[[AbstractSet[str]], Structure],
) -> Iterator[Exchange]:
    """The ways to replace relations of the incidence graph by estimates of them, the fewest estimates first."""
    subsets = chain.from_iterable(combinations(replaced_by, count) for count in range(1, len(replaced_by) + 1))
    for chosen in islice(subsets, _EXCHANGES):
        left_out = frozenset().union(*(replaced_by[name] for name in chosen)) | (replaced_by.keys() - {*chosen})
        if left_out.isdisjoint(chosen):
            estimates = {name: graph.members[name] for name in chosen}
            yield Exchange(estimates, partial(without, left_out))


_WITHOUT_WRITERS = Memo["Structure"](most=16)
_COMPONENTS = Memo[list["_Component"]](most=8)
_APART = Memo[dict[str, str]](most=8)
_WITHIN_REACH = Memo[AbstractSet[str]](most=8)
_EXCHANGES = 31  # limit on sets of estimates that are tried in the place of other relations


@dataclass(frozen=True, eq=False)
class Exchange:
    """An incidence graph with estimates in the place of the relations that they estimate, built when it is needed."""

    estimates: Mapping[str, tuple[str, ...]]  # each with its quantities
    make: Callable[[], Structure]

    @cached_property
    def structure(self) -> Structure:
        return self.make()

    def adds_to(self, determined: Container[str]) -> bool:
        """Whether an exchange in the incidence graph has an undetermined quantity: if not, it determines none."""
        return any(name not in determined for name in chain.from_iterable(self.estimates.values()))

    def not_written_for(self, names: frozenset[str]) -> Exchange:
        return Exchange(self.estimates, lambda: self.structure.not_written_for(names))


@dataclass(frozen=True, slots=True, eq=False)
class _Component:
    """Relations that are connected in the incidence graph through unknowns, and these unknowns."""

    relations: tuple[str, ...]
    unknowns: AbstractSet[str]


@dataclass(frozen=True)
class Structure:
    """The incidence graph: relations by name, in order of preference, and their quantities.

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
    full_graph: Structure | None = None  # of all relations, if this is their core
    elsewhere: frozenset[str] = frozenset()  # fallbacks that relations are written for which the core leaves out
    session_of_library: Session = field(default_factory=Session, repr=False, compare=False)  # of all without some
    session: Session = field(default_factory=Session, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, relations: Iterable[Relation], otherwise: frozenset[str] = frozenset()) -> Structure:
        """Build the incidence graph of some relations, in their order of preference."""
        relations = tuple(relations)
        members: dict[str, tuple[str, ...]] = {}
        forward: dict[str, str] = {}
        holders: dict[str, list[str]] = {}
        writers: dict[str, list[str]] = {}
        for relation in relations:
            members[relation.name] = relation.members
            for name in relation.members:
                holders.setdefault(name, []).append(relation.name)
            result = relation.written_for
            if result is not None:
                forward[relation.name] = result
                writers.setdefault(result, []).append(relation.name)
        estimates = frozenset(relation.name for relation in relations if relation.approximate is not None)
        return cls(
            members=members,
            forward=forward,
            inputs={relation.name: relation.inputs for relation in relations if relation.written_for is not None},
            holders={name: tuple(held_by) for name, held_by in holders.items()},
            writers={name: tuple(written_for) for name, written_for in writers.items()},
            rivals=_later_estimates(estimates, forward, writers),
            estimates=estimates,
            otherwise=otherwise,
        )

    def quantities_of(self, relations: Iterable[str]) -> set[str]:
        """The quantities in some relations of the incidence graph."""
        return set(chain.from_iterable(map(self.members.__getitem__, relations)))

    def not_written_for(self, names: Iterable[str]) -> Structure:
        """The incidence graph without the relations that are written for some quantities."""
        key = frozenset(names)
        return _WITHOUT_WRITERS.of(self.session, key, lambda: self._not_written_for(key)) if key else self

    def _not_written_for(self, names: frozenset[str]) -> Structure:
        """Build the incidence graph, with its alternatives, without the relations written for some quantities."""
        return replace(
            self.without({*chain.from_iterable(self.writers.get(name, ()) for name in names)}),
            otherwise=self.otherwise - names,
            elsewhere=self.elsewhere - names,
            alternatives=tuple(other.not_written_for(names) for other in self.alternatives),
        )

    def without(self, removed: AbstractSet[str]) -> Structure:
        """The incidence graph without some of its relations."""
        removed = self.members.keys() & removed
        holders, writers = {**self.holders}, {**self.writers}
        for name in self.quantities_of(removed):
            _keep_others(holders, name, removed)
        for name in {self.forward[relation] for relation in removed if relation in self.forward}:
            _keep_others(writers, name, removed)
        estimates = self.estimates - removed
        return replace(
            self,
            members={relation: names for relation, names in self.members.items() if relation not in removed},
            forward={relation: name for relation, name in self.forward.items() if relation not in removed},
            inputs={relation: names for relation, names in self.inputs.items() if relation not in removed},
            holders=holders,
            writers=writers,
            rivals=_later_estimates(estimates, self.forward, writers),
            estimates=estimates,
        )

    def is_written(self, name: str) -> bool:
        """Whether a relation of the incidence graph is written for a quantity, also one that a core leaves out."""
        return name in self.writers or name in self.elsewhere

    def reached(self, target: str, given: frozenset[str]) -> Sequence[str]:
        """The relations of the incidence graph connected to the target through unknowns, in order of preference."""
        return self._component(target, given).relations

    def around(self, target: str, given: frozenset[str]) -> AbstractSet[str]:
        """The quantities connected to the target in the incidence graph, without what is given."""
        return self._component(target, given).unknowns

    def _component(self, target: str, given: frozenset[str]) -> _Component:
        """The component of the incidence graph around the target.

        It is searched once for all of its unknowns, which share the result.
        """
        if target in given:
            return self._connected(target, given)
        components = _COMPONENTS.of(self.session, given, list)
        for component in components:
            if target in component.unknowns:
                return component
        components.append(self._connected(target, given))
        return components[-1]

    def _connected(self, target: str, given: frozenset[str]) -> _Component:
        """Walk the incidence graph from the target through unknowns, and collect its component."""
        seen = {target, *given}
        relations: set[str] = set()
        groups: set[frozenset[str]] = set()
        pending = [target]
        while pending:
            name = pending.pop()
            for group in self.links.get(name, ()):
                if group not in groups:
                    groups.add(group)
                    pending += group - seen
                    seen |= group
            for relation in self.holders.get(name, ()):
                if relation not in relations:
                    relations.add(relation)
                    if new_names := [name for name in self.members[relation] if name not in seen]:
                        seen.update(new_names)
                        pending += new_names
        return _Component(tuple([relation for relation in self.members if relation in relations]), seen - given)

    def bearing(self, target: str, given: frozenset[str], fixed: frozenset[str]) -> list[str]:
        """The relations that the incidence graph connects with the target, none with an open quantity of its own."""
        apart = self.apart(fixed)
        return [relation for relation in self.reached(target, given) if relation not in apart]

    def apart(self, fixed: frozenset[str]) -> dict[str, str]:
        """The relations apart in the incidence graph: each alone contains an open quantity; in order of their removal.

        Such a relation fixes only that quantity: without it, all others are as open as before. Its removal may leave
        another relation alone with a quantity, which is removed next. Quantities that are fixed in another way, such as
        those given or asked for, are not open. Later estimates of a quantity are no equations, and stay.
        """
        return _APART.of(self.session, fixed, lambda: self._occurrences.lone(fixed, self.rivals))

    @cached_property
    def _occurrences(self) -> Occurrences:
        return Occurrences.of(self.members)

    def within_reach(self, known: frozenset[str]) -> AbstractSet[str]:
        """The quantities of the incidence graph that may be determined: in several relations, or led to by such."""

        def within() -> AbstractSet[str]:
            apart = self.apart(known.union(*self.limits))
            reachable = self.quantities_of(relation for relation in self.members if relation not in apart)
            return reachable.union(self.led_to(apart, reachable | known))

        return _WITHIN_REACH.of(self.session, known, within)

    def led_to(self, apart: dict[str, str], known: Iterable[str]) -> set[str]:
        """The quantities that relations apart in the incidence graph yield, last first: each may need a later one's."""
        determined = {*known}
        yielded = set()
        for relation, lone_name in reversed(apart.items()):
            if all(name in determined or name == lone_name for name in self.members[relation]):
                determined.add(lone_name)
                yielded.add(lone_name)
        return yielded


def _keep_others(relations: dict[str, tuple[str, ...]], name: str, removed: AbstractSet[str]) -> None:
    """Take the removed relations out of those at a name of an incidence graph, and the name as well if none is left."""
    kept = tuple([relation for relation in relations[name] if relation not in removed])
    if kept:
        relations[name] = kept
    else:
        del relations[name]


def _later_estimates(
    estimates: AbstractSet[str], forward: Mapping[str, str], writers: Mapping[str, Sequence[str]]
) -> frozenset[str]:
    """The estimates of an incidence graph that are written for a quantity for which an earlier one is written."""
    later = set()
    for result in {forward[relation] for relation in estimates if relation in forward}:
        written = [relation for relation in writers[result] if relation in estimates]
        later.update(written[1:])
    return frozenset(later)


@dataclass(frozen=True, slots=True)
class Occurrences:
    """For each name in an incidence graph, how many rows hold it, and the sum of the places of these rows.

    When all but one of its rows are gone, with their places subtracted, the sum is the place of the remaining row.
    """

    rows: Mapping[str, Iterable[str]]
    count: Mapping[str, int]
    places: Mapping[str, int]

    @classmethod
    def of(cls, rows: Mapping[str, Iterable[str]]) -> Occurrences:
        """Count the rows that hold each name, and add up their places."""
        count: dict[str, int] = defaultdict(int)
        places: dict[str, int] = defaultdict(int)
        for place, row in enumerate(rows.values()):
            for name in row:
                count[name] += 1
                places[name] += place
        return cls(rows, count, places)

    def lone(self, fixed: Container[str], staying: Container[str] = ()) -> dict[str, str]:
        """The rows of an incidence graph that alone hold an open name, each with the name, also after earlier removals.

        >>> Occurrences.of({"r1": "ab", "r2": "bc", "r3": "cd", "r4": "cd"}).lone("c")
        {'r1': 'a', 'r2': 'b'}
        """
        labels, count, places = list(self.rows), {**self.count}, {**self.places}
        lone_rows: dict[str, str] = {}
        alone = [name for name, number in count.items() if number == 1 and name not in fixed]
        for name in alone:  # grows as it is walked
            place = places[name]
            if not count[name] or labels[place] in staying:
                continue
            lone_rows[labels[place]] = name
            for other in self.rows[labels[place]]:
                count[other] -= 1
                places[other] -= place
                if count[other] == 1 and other not in fixed:
                    alone.append(other)
        return lone_rows
