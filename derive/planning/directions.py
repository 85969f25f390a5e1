"""The directions of relations: which unknown each is run for, from the quantities that are known.

Relations run forwards, as they are written, as far as the known quantities allow; among several relations for one
quantity the first stated wins, unless it would close a cycle. The remaining unknowns are matched again, backwards,
starting with the relations that have the fewest unknowns left.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from derive.planning.incidence import Structure
from derive.planning.matching import Matching
from derive.planning.networks import reached


def directed(structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str]) -> dict[str, str]:
    """The directions of relations, as the one run for each unknown: forwards as far as possible, else backwards."""
    forward = forwards(structure, relations, known)
    used = set(forward.values())
    determined = frozenset(known) | forward.keys()
    backward = Matching(determined)
    backward.add_all(_peeled(structure, relations, determined, used), structure.members)
    return forward | backward.fixed_by


def following(structure: Structure, names: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The names that follow from known ones by relations in the direction in which they are written.

    >>> from derive.relation_files.loading import load
    >>> run = load('[quantities]\\npeak = { unit = "" }\\nuse = { unit = "" }\\nwork = { unit = "" }\\n'
    ...            'hours = { unit = "" }\\n[relations]\\nhours = { equation = "hours = work/(peak*use)" }')
    >>> structure = Structure.of(run.relations.values())
    >>> sorted(following(structure, ["hours", "peak"], ["peak", "use", "work", "hours"]))
    ['hours']
    """
    everything = frozenset(known)
    ahead = everything | forwards(structure, list(structure.members), everything).keys()

    def follows(name: str) -> bool:
        if not any(ahead.issuperset(structure.members[relation]) for relation in structure.writers.get(name, ())):
            return False
        others = everything - {name}
        leading = upstream(structure, [name], others)
        ordered = [relation for relation in structure.members if relation in leading] if leading else []
        return name in forwards(structure, ordered, others)

    return frozenset(name for name in names if follows(name))


def upstream(structure: Structure, names: Iterable[str], known: Container[str]) -> set[str]:
    """The relations by which some names could follow from known ones in the direction in which they are written."""

    def needed_for(name: str) -> Iterator[str]:
        for relation in structure.writers.get(name, ()):
            yield from (other for other in structure.members[relation] if other not in known)

    return {*chain.from_iterable(structure.writers.get(name, ()) for name in reached(names, needed_for))}


def downstream(structure: Structure, names: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The quantities that follow from some names by relations in their written direction, all other inputs being known.

    >>> from derive.relation_files.loading import load
    >>> run = load('[quantities]\\npeak = { unit = "" }\\nuse = { unit = "" }\\nwork = { unit = "" }\\n'
    ...            'hours = { unit = "" }\\n[relations]\\nhours = { equation = "hours = work/(peak*use)" }')
    >>> structure = Structure.of(run.relations.values())
    >>> [sorted(downstream(structure, ["peak"], known)) for known in (["peak", "use", "work"], ["peak", "use"])]
    [['hours'], []]
    """
    everything = frozenset(known)
    ahead = everything | forwards(structure, list(structure.members), everything).keys()
    led_to: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        for relation in structure.holders.get(name, ()):
            result = structure.forward.get(relation)
            if result in (None, name) or result in led_to or not ahead.issuperset(structure.members[relation]):
                continue
            led_to.add(result)
            pending.append(result)
    return frozenset(led_to)


def led_from(
    structure: Structure, name: str, known: Container[str], forwards_only: Container[str] = ()
) -> frozenset[str]:
    """The quantities that follow from one more known one, by relations run in the direction of their only open one.

    The relations written for some quantities are run forwards only, and nothing else yields these.

    >>> from derive.relation_files.loading import load
    >>> run = load('[quantities]\\na = { unit = "" }\\nb = { unit = "" }\\nc = { unit = "" }\\n'
    ...            'd = { unit = "" }\\n[relations]\\nb = { equation = "b = 2*a" }\\nc = { equation = "b = c + d" }')
    >>> structure = Structure.of(run.relations.values())
    >>> [sorted(led_from(structure, "c", ["d"], only)) for only in ([], ["b"])]
    [['a', 'b', 'c'], ['b', 'c']]
    """
    if name in known:
        return frozenset()
    determined = {name}
    pending = [name]
    while pending:
        for relation in structure.holders.get(pending.pop(), ()):
            new = [other for other in structure.members[relation] if other not in known and other not in determined]
            if len(new) != 1:
                continue
            (only_open,) = new
            result = structure.forward.get(relation)
            if result != only_open and (result in forwards_only or only_open in forwards_only):
                continue
            determined.add(only_open)
            pending.append(only_open)
    return frozenset(determined)


def _peeled(structure: Structure, relations: Sequence[str], determined: frozenset[str], used: set[str]) -> list[str]:
    """Unused relations in the order for giving them directions: those with a single unknown left first."""
    rank = {relation: i for i, relation in enumerate(relations) if relation not in used}
    members = structure.members
    open_count = {relation: len([name for name in members[relation] if name not in determined]) for relation in rank}
    queue = [rank[relation] for relation, count in open_count.items() if count == 1]
    heapq.heapify(queue)
    by_rank = {i: relation for relation, i in rank.items()}
    peeled: dict[str, None] = {}
    known = set(determined)
    while queue:
        relation = by_rank[heapq.heappop(queue)]
        open_names = [name for name in members[relation] if name not in known]
        if len(open_names) != 1:
            continue
        peeled[relation] = None
        known.add(open_names[0])
        for holder in structure.holders.get(open_names[0], ()):
            if holder in open_count and holder not in peeled:
                open_count[holder] -= 1
                if open_count[holder] == 1:
                    heapq.heappush(queue, rank[holder])
    return [*peeled, *(relation for relation in rank if relation not in peeled)]


def forwards(structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str]) -> dict[str, str]:
    """The unknowns that relations yield in their written direction, each with the first relation that can yield it."""
    rank = {relation: i for i, relation in enumerate(relations) if relation in structure.forward}
    waiting = {relation: len(structure.inputs[relation] - known) for relation in rank}  # how many inputs are missing
    by_rank = {i: relation for relation, i in rank.items()}
    queue = [rank[relation] for relation, count in waiting.items() if count == 0]
    heapq.heapify(queue)
    taken: dict[str, str] = {}
    rivals: dict[str, list[str]] = {}
    while queue:
        relation = by_rank[heapq.heappop(queue)]
        name = structure.forward[relation]
        if name in known:
            continue
        if name in taken:
            rivals.setdefault(name, []).append(relation)
            continue
        taken[name] = relation
        for holder in structure.holders.get(name, ()):
            if holder in waiting and structure.forward[holder] != name:
                waiting[holder] -= 1
                if waiting[holder] == 0:
                    heapq.heappush(queue, rank[holder])
    for name, later in rivals.items():
        _preferred(structure, taken, name, sorted([taken[name], *later], key=rank.__getitem__))
    return taken


def _preferred(structure: Structure, taken: dict[str, str], name: str, rivals: Sequence[str]) -> None:
    """Direct a name to the first of its rival relations that does not itself depend on the name."""
    for relation in rivals:
        if relation == taken[name] or not _depends_on(structure, taken, relation, name):
            taken[name] = relation
            return


def _depends_on(structure: Structure, taken: Mapping[str, str], relation: str, name: str) -> bool:
    """Whether directing a relation to a name would close a cycle through the other relations taken."""
    start = [other for other in structure.members[relation] if other != name]
    return name in reached(start, lambda other: structure.members[taken[other]] if other in taken else ())
