"""Components are those that networkx finds, in an order in which nothing comes before what it points to."""

from __future__ import annotations

from itertools import pairwise

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.components import components

NODES = "abcdefgh"
GRAPHS = st.dictionaries(st.sampled_from(NODES), st.lists(st.sampled_from(NODES), max_size=3))


@given(GRAPHS)
def test_they_are_those_of_networkx(some):
    edges = {**{node: [] for others in some.values() for node in others}, **some}
    graph = networkx.DiGraph()
    graph.add_nodes_from(edges)
    graph.add_edges_from((node, other) for node, others in edges.items() for other in others)
    found = components(edges)
    assert {*map(frozenset, found)} == {frozenset(part) for part in networkx.strongly_connected_components(graph)}
    place = {node: i for i, part in enumerate(found) for node in part}
    assert all(place[other] <= place[node] for node, others in edges.items() for other in others)


@pytest.mark.parametrize("closed", [False, True], ids=["a chain", "a ring"])
def test_a_hundred_thousand_in_a_row_are_no_deeper_than_three(closed):
    names = [f"x{i}" for i in range(100_000)]
    edges = {name: [other] for name, other in pairwise(names)}
    edges[names[-1]] = names[:1] if closed else []
    found = components(edges)
    assert found == ([tuple(names)] if closed else [(name,) for name in reversed(names)])
