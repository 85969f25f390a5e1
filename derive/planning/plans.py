"""Which relations answer a question, in which order: structure only, no numbers.

A library is a bipartite graph of quantities and relations. A question is a target and a set of names that are given.
The plan is found in four steps, and every tie goes to the relation that was stated first.

1. Reach. What is connected to the target through quantities that are not given; nothing else is looked at.
2. Basis. A maximum matching of relations to unknowns decides which relations are needed and which can only be checks
   (a relation that finds no unknown left to fix). Weak values (defaults, profiles) enter last, each as a relation of
   one unknown, so a weak value is used only where the relations and the asker leave its quantity open. Of several
   approximate relations for one quantity all but the first come later still: two estimates of one thing are no two
   equations, and displace nothing.
3. Directions. From what is known, relations are run forwards as they are written, as far as they go; among several
   relations for one quantity the first stated wins, unless it would run in a circle. What is still unknown is matched
   again, backwards.
4. Blocks. Quantities that need each other form a strongly connected component: a block of simultaneous equations. The
   components in topological order, as far as the target needs them, are the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from derive.planning.directing import directed
from derive.planning.matching import Matching
from derive.planning.structure import Structure

__all__ = ["Block", "Plan", "based", "plan", "standing_in"]

_SPARE = 30  # relations beyond need, and weak values not in use, that are worked out for the sake of the check


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


def plan(structure: Structure, target: str, given: Sequence[str], weak: Sequence[str]) -> Plan:
    """The plan for a target, from the names that are given and those that have weak values, strongest first.

    >>> from derive.files.loading import load
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
    structure, weak = standing_in(structure, target, given, weak)
    strong = frozenset(given)
    relations = structure.reached(target, strong)
    _, used = based(structure, relations, strong, weak)
    known = strong | set(used)
    solved = directed(structure, relations, known)
    blocks, free = _ordered(structure, solved, [target], known)
    taken = set(solved.values())
    spare = [relation for relation in relations if relation not in taken][:_SPARE]
    yielding = [name for name in weak if name in solved and name not in known][:_SPARE]
    wanted = dict.fromkeys([*(name for relation in spare for name in structure.members[relation]), *yielding])
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


def standing_in(
    structure: Structure, target: str, given: Iterable[str], weak: Iterable[str]
) -> tuple[Structure, list[str]]:
    """The structure and the weak values, once those that only stand in have been judged.

    Such a value (`otherwise`) counts where the relations that are written for its quantity do not lead to it, and then
    instead of them: it is never run backwards through them. Where they do lead to it, it is forgotten.
    """
    rest = [name for name in weak if name != target]
    candidates = [name for name in rest if name in structure.otherwise]
    firm = [name for name in rest if name not in candidates]
    standing = [name for name in candidates if not _leads_to(structure, name, target, given, firm, candidates)]
    for name in standing:
        structure = structure.not_written_for(name)
    return structure, [*standing, *firm]


def _leads_to(
    structure: Structure, name: str, target: str, given: Iterable[str], weak: Sequence[str], candidates: Sequence[str]
) -> bool:
    """Whether relations settle a quantity, were all else that may stand in known; or nothing here asks for it."""
    others = [other for other in candidates if other != name]
    for other in others:
        structure = structure.not_written_for(other)
    relations = structure.reached(target, frozenset(given))
    matching, _ = based(structure, relations, given, [*others, *weak])
    return name not in matching.unknowns or matching.settles(name)


def based(
    structure: Structure, relations: Sequence[str], given: Iterable[str], weak: Iterable[str]
) -> tuple[Matching, list[str]]:
    """The matching of relations to unknowns, and the weak values in use: those of what the rest leaves open.

    Two estimates of one unknown are no two equations for it: the later ones come after the weak values.
    """
    strong = frozenset(given)
    basis = Matching(strong)
    late = [relation for relation in relations if relation in structure.rivals]
    late = [relation for relation in late if structure.forward[relation] not in strong]
    for relation in relations:
        if relation not in late:
            basis.add(relation, structure.members[relation])
    reached = {name for relation in relations for name in structure.members[relation]}
    used = [name for name in weak if name in reached - strong and basis.add(f"={name}", (name,))]
    return basis, used


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
