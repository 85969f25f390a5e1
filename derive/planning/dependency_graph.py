"""The dependency graph: a library, or the derivation of one target, as a graph of quantities and relations.

It is bipartite: edges run between quantities and relations only. A quantity's node is its name. A relation may bear the
name of a quantity, so its node is `relation:NAME`; a name never holds a colon.

The graph of a library has no direction: a relation may be solved for any quantity in it. An edge says how the quantity
stands in the relation: `result`, which the relation is written for, `member` of its two sides, or only in a `condition`
under which it holds.

The graph of a derivation is directed: from what is known to the relation that uses it, and on to the quantity that this
fixes. It has no cycle but within a block of relations that fix their unknowns only together. All nodes of a block bear
its number, and within it edges run both ways between a relation and each unknown in it, those included that cancel
there and stay open. A limit may bound its target through relations that the derivation does not list; it leads to the
target all the same. A condition on a quantity that is computed later is a node of its own, `condition:NAME`, which
tests the result and leads nowhere. A quantity's `role` in a derivation is one of these:

- `given`, `profile` (the node names it in `profile`), or `default`: its value is in use;
- `intermediate`, or `result` for the target;
- `open`: it has no number, as it cancels, or is on the way of a limit;
- `condition`: only conditions ask for it.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from derive.planning.networks import Attribute, directed_graph, plain, undirected_graph

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.model.relation_set import RelationSet
    from derive.planning.networks import DiGraph, Graph
    from quantities.declaration import Declaration

QUANTITY, RELATION = 0, 1  # the two sides of the graph, as networkx marks them


def relation_key(name: str) -> str:
    """The key of a relation's node in the dependency graph."""
    return f"relation:{name}"


def condition_key(name: str) -> str:
    """The key of the dependency graph's node for a relation's conditions on quantities that are computed later."""
    return f"condition:{name}"


def standing(relation: Relation, name: str) -> str:
    """The label of the graph's edge from a quantity to a relation: `result`, `member`, or `condition`.

    An inequality has no result: it never fixes a value.
    """
    if relation.is_equation and name == relation.written_for:
        return "result"
    return "member" if name in relation.members else "condition"


def add_quantity(graph: Graph, declared: Declaration) -> None:
    """Add the node of a quantity to the dependency graph, unless it is there."""
    if declared.name in graph:
        return
    default = declared.default
    attributes = {
        "unit": declared.unit.text or "1",
        "meaning": declared.meaning,
        "domain": declared.domain.text,
        "aliases": ", ".join(declared.aliases),
        "default": None if default is None else str(default),
        "source": None if default is None else str(default.source),
    }
    graph.add_node(declared.name, bipartite=QUANTITY, kind="quantity", **plain(attributes))


def add_relation(graph: Graph, relation: Relation, **further: Attribute | None) -> str:
    """Add the node of a relation to the dependency graph, with further attributes, and return its key."""
    attributes = {
        "equation": str(relation.written),
        "op": relation.written.op,
        "because": relation.because,
        "source": relation.source,
        "when": "; ".join(relation.when),
        "approximate": relation.approximate,
    }
    key = relation_key(relation.name)
    graph.add_node(key, bipartite=RELATION, kind="relation", **plain({**attributes, **further}))
    return key


def add_tester(graph: DiGraph, key: str, **attributes: Attribute | None) -> None:
    """Add a node to the graph of a derivation, on the side of the relations, that only tests quantities."""
    graph.add_node(key, bipartite=RELATION, kind="relation", **plain(attributes))


def graph_of_library(library: RelationSet) -> Graph:
    """The dependency graph of all quantities and relations of a library."""
    graph = undirected_graph(title=library.title)
    for declared in library.declared.values():
        add_quantity(graph, declared)
    for relation in library.relations.values():
        key = add_relation(graph, relation)
        for name in relation.declared:
            graph.add_edge(name, key, stands=standing(relation, name))
    return graph


class RelationBlock(NamedTuple):
    """Relations in the graph of a derivation that are solved together, and the names of the unknowns that they fix."""

    relations: tuple[Relation, ...]
    unknowns: tuple[str, ...]


def derivation_graph(target: Declaration, blocks: Sequence[RelationBlock], origins: Mapping[str, str]) -> DiGraph:
    """The dependency graph of a derivation, directed from what is known through blocks to a target.

    The origins are those of all values in use: "given", "default", or the name of a profile.
    """
    graph = directed_graph(target=target.name)
    add_quantity(graph, target)
    known = set(origins)
    computed = {*chain.from_iterable(block.unknowns for block in blocks)}
    for step, block in enumerate(blocks, start=1):
        _add_block(graph, block, step, known)
        for relation in block.relations:
            _add_conditions(graph, relation, later=computed - known)
        known.update(block.unknowns)
    _set_roles(graph, target.name, blocks, origins)
    return graph


def _set_roles(graph: DiGraph, target: str, blocks: Sequence[RelationBlock], origins: Mapping[str, str]) -> None:
    """Set the role of each quantity in the dependency graph of a derivation; the last assignment of several counts."""
    roles = {name: "condition" for name, attributes in graph.nodes(data=True) if attributes["kind"] == "quantity"}
    for relation in chain.from_iterable(block.relations for block in blocks):
        roles.update(dict.fromkeys(relation.members, "open"))
    for block in blocks:
        roles.update(dict.fromkeys(block.unknowns, "intermediate"))
    roles[target] = "result"
    for name, origin in origins.items():
        is_from_profile = origin not in ("given", "default")
        roles[name] = "profile" if is_from_profile else origin
        if is_from_profile and name in graph:
            graph.nodes[name]["profile"] = origin
    for name, role in roles.items():
        if name in graph:
            graph.nodes[name]["role"] = role


def _add_block(graph: DiGraph, block: RelationBlock, step: int, known: Container[str]) -> None:
    """Add the relations of a block, and the quantities in them, to the dependency graph of a derivation."""
    number = step if len(block.relations) > 1 else None
    members = set[str]().union(*(relation.members for relation in block.relations))
    for relation in block.relations:
        for name in relation.members:
            add_quantity(graph, relation.declared[name])
        key = add_relation(graph, relation, step=step, block=number)
        for name in relation.members:
            if name in known:
                graph.add_edge(name, key, stands="member")
                continue
            if number is not None:
                graph.nodes[name]["block"] = number
            if number is not None or name not in block.unknowns:
                graph.add_edge(name, key, stands="member")
            if name in block.unknowns:
                graph.add_edge(key, name, stands="result")
            elif number is not None:
                graph.add_edge(key, name, stands="open")
        for name in block.unknowns:
            if name in graph and name not in members:
                graph.add_edge(key, name, stands="result")


def _add_conditions(graph: DiGraph, relation: Relation, later: Container[str]) -> None:
    """Add the quantities that are only in a relation's conditions to the dependency graph of a derivation.

    What is computed later cannot lead to the relation, or there would be a cycle: it leads to a node of its own.
    """
    for name in relation.declared:
        if name in relation.members:
            continue
        add_quantity(graph, relation.declared[name])
        key = relation_key(relation.name)
        if name in later:
            key = condition_key(relation.name)
            add_tester(graph, key, role="condition", equation="; ".join(relation.when))
        graph.add_edge(name, key, stands="condition")
