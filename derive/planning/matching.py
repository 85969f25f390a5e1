"""Maximum matching of relations to unknowns: which relations are needed, and which unknowns stay open.

The matching grows by augmenting paths, so earlier vertices keep their place. An unknown is underdetermined if it is
unmatched or could be exchanged for one that is (Dulmage and Mendelsohn 1958).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence

from derive.caches import Memo
from derive.planning.incidence import Structure
from derive.planning.networks import reached

_CLOSURES = Memo[frozenset[str]](most=16)


def closure(structure: Structure, given: Iterable[str]) -> frozenset[str]:
    """Every quantity that some names determine by the matching of all relations, including the names themselves."""
    known = frozenset(given)

    def closed() -> frozenset[str]:
        determined = known | Matching.of(structure, known).determined(structure)
        exchanges = (exchange for exchange in structure.alternatives if exchange.adds_to(determined))
        return determined.union(*(closure(exchange.structure, known) for exchange in exchanges))

    return _CLOSURES.of(structure.session, known, closed)


def matched(
    structure: Structure, relations: Sequence[str], given: Iterable[str], weak: Iterable[str]
) -> tuple[Matching, list[str]]:
    """The matching of relations for a plan, and the weak values in use: those of quantities that stay open.

    Later estimates of one unknown are left out: they are not further equations for it.
    """
    strong = frozenset(given)
    basis = Matching(strong)
    late = {name for name in relations if name in structure.rivals and structure.forward[name] not in strong}
    basis.add_all((relation for relation in relations if relation not in late), structure.members)
    inside = basis.unknowns.keys() | structure.quantities_of(late) - strong
    used = [name for name in weak if name in inside and basis.add_value(name)]
    return basis, used


class Matching:
    """A matching of relations to the unknowns that they fix, with all relations and unknowns that were added.

    >>> matching = Matching(frozenset({"a"}))
    >>> [matching.add("r1", "abc"), matching.add("r2", "ac"), matching.add("r3", "bc")]
    [True, True, False]
    >>> matching.fixes
    {'r1': 'b', 'r2': 'c'}
    """

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        self.members: dict[str, tuple[str, ...]] = {}
        self.fixes: dict[str, str] = {}  # relation -> unknown
        self.fixed_by: dict[str, str] = {}  # unknown -> relation
        self.unknowns: dict[str, None] = {}
        self.full: set[str] = set()  # unknowns from which no augmenting path exists any more

    @classmethod
    def of(cls, structure: Structure, known: frozenset[str]) -> Matching:
        """The matching of all relations of a structure to unknowns, in order."""
        matching = cls(known)
        matching.add_all(structure.members, structure.members)
        return matching

    def add(self, relation: str, members: Iterable[str]) -> bool:
        """Add a relation to the matching; returns whether it could be matched."""
        open_ones = tuple(name for name in members if name not in self.known)
        self.members[relation] = open_ones
        self.unknowns.update(dict.fromkeys(open_ones))
        return self._augment(relation)

    def add_value(self, name: str) -> bool:
        """Add the relation of one unknown that says its value; returns whether it could be matched.

        >>> matching = Matching(frozenset())
        >>> [matching.add("sum", "ab"), matching.add_value("a"), matching.add_value("b"), matching.fixes]
        [True, True, False, {'sum': 'b', '=a': 'a'}]
        """
        label = f"={name}"
        if name in self.known or (name in self.fixed_by and name not in self.full):
            return self.add(label, (name,))
        self.members[label] = (name,)
        self.unknowns[name] = None
        if name in self.fixed_by:
            return False
        self.fixes[label], self.fixed_by[name] = name, label
        return True

    def add_all(self, relations: Iterable[str], members: Mapping[str, Iterable[str]]) -> None:
        """Add many relations to the matching, in order."""
        known, fixes, fixed_by = self.known, self.fixes, self.fixed_by
        for relation in relations:
            open_ones = tuple([name for name in members[relation] if name not in known])
            self.members[relation] = open_ones
            for name in open_ones:
                self.unknowns[name] = None
            for name in open_ones:
                if name not in fixed_by:
                    fixes[relation], fixed_by[name] = name, relation
                    break
            else:
                if not self.full.issuperset(open_ones):
                    self._augment(relation)

    def _augment(self, start: str) -> bool:
        """Search an augmenting path from a relation to a free unknown, breadth first, and exchange partners on it."""
        for name in self.members[start]:
            if name not in self.fixed_by:
                self.fixes[start], self.fixed_by[name] = name, start
                return True
        came_from: dict[str, str] = {}  # unknown -> the relation it was reached from
        pending = deque([start])
        while pending:
            relation = pending.popleft()
            for name in self.members[relation]:
                if name in came_from or name in self.full:
                    continue
                came_from[name] = relation
                holder = self.fixed_by.get(name)
                if holder is None:
                    self._exchange(name, came_from, start)
                    return True
                pending.append(holder)
        self.full.update(came_from)  # their relations lead to no other unknown
        return False

    def _exchange(self, name: str, came_from: Mapping[str, str], start: str) -> None:
        """Match each relation on an augmenting path to its next unknown, back to the relation where the path starts."""
        while True:
            relation = came_from[name]
            before = self.fixes.get(relation)
            self.fixes[relation], self.fixed_by[name] = name, relation
            if relation == start:
                return
            assert before is not None
            name = before

    def copy(self) -> Matching:
        matching = Matching(self.known)
        matching.members, matching.unknowns = self.members.copy(), self.unknowns.copy()
        matching.fixes, matching.fixed_by, matching.full = self.fixes.copy(), self.fixed_by.copy(), self.full.copy()
        return matching

    def given(self, names: Iterable[str]) -> Matching:
        """A copy of the matching in which further quantities are known."""
        matching = self.copy()
        for name in names:
            matching.add_value(name)
        return matching

    def without(self, relations: Iterable[str]) -> Matching:
        """A copy of the matching without some relations; unmatched ones may then be matched by `add_again`."""
        matching = self.copy()
        for relation in relations:
            matching.members.pop(relation, None)
            name = matching.fixes.pop(relation, None)
            if name is not None:
                del matching.fixed_by[name]
                matching.full.clear()
        return matching

    def add_again(self, relations: Iterable[str], most: int) -> None:
        """Try to match unmatched relations again, in order, until `most` of them are.

        No more can be matched than unknowns have been freed.

        >>> matching = Matching(frozenset())
        >>> [matching.add("a", "a"), matching.add("b", "ab"), matching.add("c", "b"), matching.add("d", "a")]
        [True, True, False, False]
        >>> rest = matching.without("a")
        >>> rest.add_again("cd", 1)
        >>> rest.fixes
        {'b': 'a', 'c': 'b'}
        """
        for relation in relations:
            if not most:
                return
            if relation in self.members and not self.full.issuperset(self.members[relation]):
                most -= self._augment(relation)

    def add_before(self, relation: str, members: Iterable[str], later: Mapping[str, int]) -> None:
        """Add a relation to the matching as if before the `later` ones, which are numbered in order.

        If it cannot be matched beside them, the last of those that conflict with it loses its unknown. Sets of
        relations that can be matched together are the independent sets of a matroid, so the result matches the same
        relations as adding all of them in order.

        >>> matching = Matching(frozenset())
        >>> [matching.add(one, (one,)) for one in "abc"]
        [True, True, True]
        >>> matching.add_before("ab", "ab", {"a": 0, "b": 1, "c": 2})
        >>> matching.fixes
        {'a': 'a', 'c': 'c', 'ab': 'b'}
        """
        if self.add(relation, members):
            return
        came_from = self.circuit(relation)
        holders = [(later[self.fixed_by[name]], name) for name in came_from if self.fixed_by[name] in later]
        if holders:
            _, name = max(holders)
            del self.fixes[self.fixed_by[name]]
            self._exchange(name, came_from, relation)

    def circuit(self, start: str) -> dict[str, str]:
        """The unknowns whose matched relations keep `start` from being matched, each with the relation before it."""
        came_from: dict[str, str] = {}
        pending = deque([start])
        while pending:
            relation = pending.popleft()
            for name in self.members[relation]:
                if name not in came_from:
                    came_from[name] = relation
                    pending.append(self.fixed_by[name])  # a free unknown would let `start` be matched
        return came_from

    def conflicting(self, names: Iterable[str]) -> set[str]:
        """The unknowns whose values cannot all be known, as matched relations determine some of them from the others.

        >>> matching = Matching(frozenset())
        >>> matching.add("sum", "abc")
        True
        >>> sorted(matching.given("abcd").conflicting("abcd"))
        ['a', 'b', 'c']
        """
        unmatched = [name for name in names if f"={name}" in self.members and f"={name}" not in self.fixes]
        return {*unmatched}.union(*(self.circuit(f"={name}") for name in unmatched))

    def dependencies(self, name: str) -> Iterator[str]:
        """A quantity and the unknowns that it is computed from by their matched relations, the nearest first."""
        members, fixed_by = self.members, self.fixed_by
        return reached((name,), lambda unknown: members[fixed_by[unknown]] if unknown in fixed_by else ())

    def relations_for(self, name: str) -> set[str]:
        """The matched relations by which a quantity is computed."""
        return {self.fixed_by[unknown] for unknown in self.dependencies(name) if unknown in self.fixed_by}

    def settles(self, name: str) -> bool:
        """Whether a quantity and all its dependencies are matched to relations.

        >>> matching = Matching(frozenset({"a"}))
        >>> matching.add("r1", "abc")
        True
        >>> matching.settles("b"), matching.given("c").settles("b")
        (False, True)
        """
        return all(unknown in self.fixed_by for unknown in self.dependencies(name))

    def loose(self, holders: Mapping[str, Iterable[str]], start: Iterable[str] | None = None) -> set[str]:
        """The unmatched unknowns, of all or of `start`, and those that can be exchanged for one in the matching.

        The holders of a quantity are the relations that contain it; a relation of one unknown leads nowhere else.
        """

        def exchangeable_for(name: str) -> list[str]:
            return [self.fixes[relation] for relation in holders.get(name, ()) if relation in self.fixes]

        unmatched = [name for name in (self.unknowns if start is None else start) if name not in self.fixed_by]
        return set(reached(unmatched, exchangeable_for))

    def determined(self, structure: Structure) -> frozenset[str]:
        """The unknowns that the matching determines: they can be exchanged for no unmatched one."""
        return frozenset(self.unknowns.keys() - self.loose(structure.holders))
