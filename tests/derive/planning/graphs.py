"""Drawn sets of relations, and what is known of them by another way: matchings of networkx, and rounds of deduction."""

from __future__ import annotations

import networkx
from hypothesis import strategies as st

from derive.expressions.grammar import parse_equation
from derive.model.relation import Relation
from derive.planning.incidence import Structure

NAMES = "abcdefgh"
GRAPHS = st.lists(
    st.tuples(st.lists(st.sampled_from(NAMES), min_size=1, max_size=4, unique=True), st.booleans()),
    min_size=1,
    max_size=7,
)
SOME = st.sets(st.sampled_from(NAMES), max_size=4)


def structure(*equations, estimates=(), otherwise=frozenset()):
    """The graph of equations, named r0, r1, ... in the order in which they are stated; some are approximate."""
    relations = [
        Relation.proved(f"r{i}", parse_equation(text), {}, approximate=0.1 if i in estimates else None)
        for i, text in enumerate(equations)
    ]
    return Structure.of(relations, otherwise)


def texts(rows):
    """Drawn relations; those written forwards are written for their first quantity."""
    return [
        f"{row[0]} = {' + '.join(row[1:]) or '1'}" if forward else f"{' + '.join(row)} + {row[0]} = 1"
        for row, forward in rows
    ]


def drawn(rows):
    return structure(*texts(rows)), [row for row, _ in rows]


def matched_by_networkx(rows, unknowns):
    """The graph of relations and unknowns, and one of its largest matchings."""
    graph = networkx.Graph()
    graph.add_nodes_from(unknowns)
    tops = [("relation", i) for i in range(len(rows))]
    graph.add_nodes_from(tops)
    graph.add_edges_from((("relation", i), name) for i, row in enumerate(rows) for name in row if name in unknowns)
    return graph, networkx.bipartite.hopcroft_karp_matching(graph, tops)


def rank(rows, unknowns):
    """The size of a maximum matching of relations to unknowns."""
    _, partners = matched_by_networkx(rows, unknowns)
    return len(partners) // 2


def underdetermined(rows, known):
    """The underdetermined part of Dulmage and Mendelsohn: what alternating paths reach from unmatched unknowns."""
    unknowns = {name for row in rows for name in row} - set(known)
    graph, partners = matched_by_networkx(rows, unknowns)
    ways = networkx.DiGraph()
    ways.add_nodes_from(unknowns)
    for name in unknowns:
        ways.add_edges_from((name, partners[relation]) for relation in graph[name] if relation in partners)
    free = unknowns - partners.keys()
    return free.union(*(networkx.descendants(ways, name) for name in free))


def determined(rows, known):
    """What every maximum matching covers."""
    unknowns = {name for row in rows for name in row} - set(known)
    whole = rank(rows, unknowns)
    return set(known) | {name for name in unknowns if rank(rows, unknowns - {name}) < whole}


def deduced(graph, known):
    """What follows from what is known by relations as they are written, found in rounds over all of them."""
    found = set(known)
    while True:
        more = {
            name
            for relation, name in graph.forward.items()
            if name not in found and found.issuperset(set(graph.members[relation]) - {name})
        }
        if not more:
            return found
        found |= more
