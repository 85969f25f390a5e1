"""Which relations answer a question, in which order: structure only, no numbers.

A library is a bipartite graph of quantities and relations. A question is a target and a set of names that are given.
The plan is found in four steps, and every tie goes to the relation that was stated first.

1. Reach. What is connected to the target through quantities that are not given; nothing else is looked at.
2. Basis. A maximum matching of relations to unknowns decides which relations are needed and which can only be checks
   (a relation that finds no unknown left to fix). Weak values (defaults, profiles) enter last, each as a relation of
   one unknown, so a weak value is used only where the relations and the asker leave its quantity open.
3. Directions. From what is known, relations are run forwards as they are written, as far as they go; among several
   relations for one quantity the first stated wins, unless it would run in a circle. What is still unknown is matched
   again, backwards.
4. Blocks. Quantities that need each other form a strongly connected component: a block of simultaneous equations. The
   components in topological order, as far as the target needs them, are the plan.

An unknown that is left unmatched, or that hangs on one, is underdetermined (Dulmage and Mendelsohn 1958).
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derive.relation import Relation

__all__ = ["Block", "Plan", "Structure", "closure", "plan"]

_SPARE = 30  # relations beyond need whose quantities are worked out for the sake of the check


@dataclass(frozen=True, slots=True)
class Block:
    """Relations that are solved together, and the unknowns that they fix."""

    relations: tuple[str, ...]
    unknowns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """The blocks in order, the weak values in use, and the relations that remain as checks."""

    target: str
    blocks: tuple[Block, ...]
    weak: tuple[str, ...]  # names whose weak value is in use
    checks: tuple[str, ...]  # relations that are not needed, and all of whose quantities are known
    free: tuple[str, ...] = ()  # unknowns that nothing fixes and that the target hangs on; none, if it is determined
    extra: tuple[Block, ...] = ()  # what the target does not need, and the checks do

    @property
    def is_determined(self) -> bool:
        return not self.free


@dataclass(frozen=True, slots=True)
class Structure:
    """The bare graph of a set of relations: their names in order of preference, and the quantities of each."""

    members: Mapping[str, tuple[str, ...]]
    forward: Mapping[str, str]  # relation -> the quantity that it is written for, if it is written for one
    holders: Mapping[str, tuple[str, ...]]  # quantity -> the relations that hold it

    @classmethod
    def of(cls, relations: Iterable[Relation]) -> Structure:
        from derive.expression import Name, names_in

        members: dict[str, tuple[str, ...]] = {}
        forward: dict[str, str] = {}
        holders: dict[str, list[str]] = {}
        for relation in relations:
            written = relation.written
            held = names_in(written.lhs, written.rhs)
            members[relation.name] = held
            if isinstance(written.lhs, Name) and written.lhs.name not in names_in(written.rhs):
                forward[relation.name] = written.lhs.name
            for name in held:
                holders.setdefault(name, []).append(relation.name)
        return cls(members, forward, {name: tuple(found) for name, found in holders.items()})

    def reached(self, target: str, given: frozenset[str]) -> list[str]:
        """The relations connected to the target through unknowns, in order of preference."""
        seen = {target}
        found: set[str] = set()
        pending = deque([target])
        while pending:
            for relation in self.holders.get(pending.popleft(), ()):
                if relation in found:
                    continue
                found.add(relation)
                fresh = [name for name in self.members[relation] if name not in seen and name not in given]
                seen.update(fresh)
                pending.extend(fresh)
        return [relation for relation in self.members if relation in found]


def plan(structure: Structure, target: str, given: Sequence[str], weak: Sequence[str]) -> Plan:
    """The plan for a target, from the names that are given and those that have weak values, strongest first.

    >>> from derive.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "A" }
    ... R = { unit = "ohm" }
    ... P = { unit = "W" }
    ... [relations]
    ... ohm = { equation = "V = I*R" }
    ... power = { equation = "P = V*I" }''')
    >>> found = plan(Structure.of(ohm.relations.values()), "R", ["P", "I"], [])
    >>> [(block.relations, block.unknowns) for block in found.blocks]
    [(('power',), ('V',)), (('ohm',), ('R',))]
    """
    strong = frozenset(given)
    relations = structure.reached(target, strong)
    basis = _Matching(structure, strong)
    for relation in relations:
        basis.add(relation, structure.members[relation])
    used = []
    for name in weak:
        if name != target and name not in strong and name in basis.unknowns and basis.add(f"={name}", (name,)):
            used.append(name)
    known = strong | set(used)
    solved = _directed(structure, relations, known, target)
    blocks, free = _ordered(structure, solved, [target], known)
    taken = set(solved.values())
    spare = [relation for relation in relations if relation not in taken][:_SPARE]
    wanted = dict.fromkeys(name for relation in spare for name in structure.members[relation])
    further, _ = _ordered(structure, solved, list(wanted), known)
    extra = [block for block in further if block not in blocks] if not free else []
    spent = {relation for block in (*blocks, *extra) for relation in block.relations}
    settled = known | {name for block in (*blocks, *extra) for name in block.unknowns}
    checks = tuple(
        relation
        for relation in relations
        if relation not in spent and all(name in settled for name in structure.members[relation])
    )
    return Plan(target, tuple(blocks), tuple(used), checks, tuple(free), tuple(extra))


def closure(structure: Structure, given: Iterable[str]) -> frozenset[str]:
    """Every quantity that these names determine, themselves included."""
    known = frozenset(given)
    matching = _Matching(structure, known)
    for relation, members in structure.members.items():
        matching.add(relation, members)
    loose = matching.loose()
    return known | {name for name in matching.unknowns if name not in loose}


class _Matching:
    """A maximum matching of relations to unknowns that grows by augmenting paths."""

    def __init__(self, structure: Structure, known: frozenset[str]) -> None:
        self.known = known
        self.members: dict[str, tuple[str, ...]] = {}
        self.fixes: dict[str, str] = {}  # relation -> unknown
        self.fixed_by: dict[str, str] = {}  # unknown -> relation
        self.unknowns: dict[str, None] = {}
        self.holders: dict[str, list[str]] = {}

    def add(self, relation: str, members: Iterable[str]) -> bool:
        """Take in a relation; whether it fixes something that was open."""
        open_ones = tuple(name for name in members if name not in self.known)
        self.members[relation] = open_ones
        for name in open_ones:
            self.unknowns.setdefault(name)
            self.holders.setdefault(name, []).append(relation)
        return self._augment(relation)

    def _augment(self, start: str) -> bool:
        """Breadth-first search for an unknown that is free, and the exchange of partners along the way back."""
        came_from: dict[str, str] = {}  # unknown -> the relation it was reached from
        pending = deque([start])
        while pending:
            relation = pending.popleft()
            for name in self.members[relation]:
                if name in came_from:
                    continue
                came_from[name] = relation
                holder = self.fixed_by.get(name)
                if holder is None:
                    self._exchange(name, came_from, start)
                    return True
                pending.append(holder)
        return False

    def _exchange(self, name: str, came_from: Mapping[str, str], start: str) -> None:
        while True:
            relation = came_from[name]
            before = self.fixes.get(relation)
            self.fixes[relation], self.fixed_by[name] = name, relation
            if relation == start:
                return
            assert before is not None
            name = before

    def loose(self) -> set[str]:
        """The unknowns that no relation fixes, and all that could be exchanged for one."""
        found = {name for name in self.unknowns if name not in self.fixed_by}
        pending = deque(found)
        while pending:
            for relation in self.holders.get(pending.popleft(), ()):
                other = self.fixes.get(relation)
                if other is not None and other not in found:
                    found.add(other)
                    pending.append(other)
        return found


def _directed(
    structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str], target: str
) -> dict[str, str]:
    """Which relation each unknown is taken from: forwards as far as that goes, then by matching what is left."""
    taken = _forwards(structure, relations, known)
    fired = set(taken.values())
    settled = frozenset(known) | taken.keys()
    rest = _Matching(structure, settled)
    for relation in _peeled(structure, relations, settled, fired):
        rest.add(relation, structure.members[relation])
    return taken | rest.fixed_by


def _peeled(structure: Structure, relations: Sequence[str], settled: frozenset[str], fired: set[str]) -> list[str]:
    """The remaining relations, those first that have the fewest unknowns left as others are settled."""
    rank = {relation: i for i, relation in enumerate(relations) if relation not in fired}
    open_count = {r: sum(1 for name in structure.members[r] if name not in settled) for r in rank}
    queue = [(rank[r]) for r, count in open_count.items() if count == 1]
    heapq.heapify(queue)
    names = {i: relation for relation, i in rank.items()}
    done: dict[str, None] = {}
    known = set(settled)
    while queue:
        relation = names[heapq.heappop(queue)]
        fresh = [name for name in structure.members[relation] if name not in known]
        if len(fresh) != 1:
            continue
        done[relation] = None
        known.add(fresh[0])
        for other in structure.holders.get(fresh[0], ()):
            if other in open_count and other not in done:
                open_count[other] -= 1
                if open_count[other] == 1:
                    heapq.heappush(queue, rank[other])
    return [*done, *(relation for relation in rank if relation not in done)]


def _forwards(structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str]) -> dict[str, str]:
    """The unknowns that relations yield as they are written, each with the first stated relation that can yield it."""
    rank = {relation: i for i, relation in enumerate(relations) if relation in structure.forward}
    waiting = {
        r: sum(1 for name in structure.members[r] if name not in known and name != structure.forward[r]) for r in rank
    }
    names = {i: relation for relation, i in rank.items()}
    queue = [rank[r] for r, count in waiting.items() if count == 0]
    heapq.heapify(queue)
    taken: dict[str, str] = {}
    rivals: dict[str, list[str]] = {}
    while queue:
        relation = names[heapq.heappop(queue)]
        name = structure.forward[relation]
        if name in known:
            continue
        if name in taken:
            rivals.setdefault(name, []).append(relation)
            continue
        taken[name] = relation
        for other in structure.holders.get(name, ()):
            if other in waiting and structure.forward[other] != name:
                waiting[other] -= 1
                if waiting[other] == 0:
                    heapq.heappush(queue, rank[other])
    for name, others in rivals.items():
        _preferred(structure, taken, name, sorted([taken[name], *others], key=rank.__getitem__))
    return taken


def _preferred(structure: Structure, taken: dict[str, str], name: str, rivals: Sequence[str]) -> None:
    """Take a name from the first of its rivals that does not itself hang on the name."""
    for relation in rivals:
        if relation == taken[name] or not _hangs_on(structure, taken, relation, name):
            taken[name] = relation
            return


def _hangs_on(structure: Structure, taken: Mapping[str, str], relation: str, name: str) -> bool:
    pending = [other for other in structure.members[relation] if other != name]
    seen: set[str] = set()
    while pending:
        other = pending.pop()
        if other == name:
            return True
        if other not in seen and other in taken:
            seen.add(other)
            pending.extend(part for part in structure.members[taken[other]] if part != other)
    return False


def _ordered(
    structure: Structure, solved: Mapping[str, str], targets: Sequence[str], known: frozenset[str] | set[str]
) -> tuple[list[Block], list[str]]:
    """The blocks that the targets need, in order, and the unknowns among them that nothing fixes."""
    import networkx

    graph = networkx.DiGraph()
    free: list[str] = []
    pending = [name for name in targets if name not in known]
    seen = set(pending)
    graph.add_nodes_from(pending)
    while pending:
        name = pending.pop()
        relation = solved.get(name)
        if relation is None:
            free.append(name)
            continue
        for other in structure.members[relation]:
            if other == name or other in known:
                continue
            graph.add_edge(name, other)
            if other not in seen:
                seen.add(other)
                pending.append(other)
    if free:
        return [], free
    order = {name: i for i, name in enumerate(structure.holders)}
    position = {relation: i for i, relation in enumerate(structure.members)}
    blocks = []
    for component in networkx.strongly_connected_components(graph):
        unknowns = tuple(sorted(component, key=lambda name: order.get(name, -1)))
        relations = tuple(sorted((solved[name] for name in unknowns), key=position.__getitem__))
        blocks.append(Block(relations, unknowns))
    return blocks, []
