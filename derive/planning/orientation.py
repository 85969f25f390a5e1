"""Which relation each unknown is computed from: the direction of every relation.

Relations run forwards, as they are written, as far as the known quantities allow; among several relations for one
quantity the first stated wins, unless it would close a cycle. The remaining unknowns are matched again, backwards,
starting with the relations that have the fewest unknowns left.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from derive.planning.incidence import Structure
from derive.planning.matching import Matching
from derive.planning.networks import reached

__all__ = ["directed", "downstream", "following", "forwards", "led_from", "upstream"]


def directed(structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str]) -> dict[str, str]:
    """The relation that each unknown is computed from: forwards as far as possible, then by matching the rest."""
    taken = forwards(structure, relations, known)
    fired = set(taken.values())
    settled = frozenset(known) | taken.keys()
    rest = Matching(settled)
    rest.add_all(_peeled(structure, relations, settled, fired), structure.members)
    return taken | rest.fixed_by


def following(structure: Structure, names: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The names that relations yield, as they are written, from the other known ones.

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
        if not any(ahead.issuperset(structure.members[one]) for one in structure.writers.get(name, ())):
            return False
        others = everything - {name}
        leading = upstream(structure, [name], others)
        ordered = [one for one in structure.members if one in leading] if leading else []
        return name in forwards(structure, ordered, others)

    return frozenset(name for name in names if follows(name))


def upstream(structure: Structure, names: Iterable[str], known: Container[str]) -> set[str]:
    """The relations by which some names could follow forwards from what is known."""

    def needed_for(name: str) -> Iterator[str]:
        for relation in structure.writers.get(name, ()):
            yield from (other for other in structure.members[relation] if other not in known)

    return {relation for name in reached(names, needed_for) for relation in structure.writers.get(name, ())}


def downstream(structure: Structure, names: Iterable[str], known: Iterable[str]) -> frozenset[str]:
    """The quantities that some names lead to by relations as they are written, where all else is known or follows.

    >>> from derive.relation_files.loading import load
    >>> run = load('[quantities]\\npeak = { unit = "" }\\nuse = { unit = "" }\\nwork = { unit = "" }\\n'
    ...            'hours = { unit = "" }\\n[relations]\\nhours = { equation = "hours = work/(peak*use)" }')
    >>> structure = Structure.of(run.relations.values())
    >>> [sorted(downstream(structure, ["peak"], known)) for known in (["peak", "use", "work"], ["peak", "use"])]
    [['hours'], []]
    """
    everything = frozenset(known)
    reached = everything | forwards(structure, list(structure.members), everything).keys()
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        for relation in structure.holders.get(name, ()):
            result = structure.forward.get(relation)
            if result in (None, name) or result in found or not reached.issuperset(structure.members[relation]):
                continue
            found.add(result)
            pending.append(result)
    return frozenset(found)


def led_from(
    structure: Structure, name: str, known: Container[str], forwards_only: Container[str] = ()
) -> frozenset[str]:
    """What follows from one more quantity beside the known ones, by relations that leave a single quantity open.

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
    found = {name}
    pending = [name]
    while pending:
        for relation in structure.holders.get(pending.pop(), ()):
            fresh = [other for other in structure.members[relation] if other not in known and other not in found]
            if len(fresh) != 1:
                continue
            result = structure.forward.get(relation)
            if result != fresh[0] and (result in forwards_only or fresh[0] in forwards_only):
                continue
            found.add(fresh[0])
            pending.append(fresh[0])
    return frozenset(found)


def _peeled(structure: Structure, relations: Sequence[str], settled: frozenset[str], fired: set[str]) -> list[str]:
    """The remaining relations, first those that are left with one unknown as others are settled."""
    rank = {relation: i for i, relation in enumerate(relations) if relation not in fired}
    open_count = {one: len([name for name in structure.members[one] if name not in settled]) for one in rank}
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


def forwards(structure: Structure, relations: Sequence[str], known: frozenset[str] | set[str]) -> dict[str, str]:
    """The unknowns that relations yield as they are written, each with the first stated relation that can yield it."""
    rank = {relation: i for i, relation in enumerate(relations) if relation in structure.forward}
    waiting = {one: len(structure.inputs[one] - known) for one in rank}  # how many names each still waits for
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
    """Compute a name from the first of its rivals that does not itself depend on the name."""
    for relation in rivals:
        if relation == taken[name] or not _depends_on(structure, taken, relation, name):
            taken[name] = relation
            return


def _depends_on(structure: Structure, taken: Mapping[str, str], relation: str, name: str) -> bool:
    """Whether what a relation yields a name from depends on that name itself."""
    start = [other for other in structure.members[relation] if other != name]
    return name in reached(start, lambda other: structure.members[taken[other]] if other in taken else ())
