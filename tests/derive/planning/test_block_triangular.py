"""Components are those that networkx finds, in an order in which nothing comes before what it points to."""

from __future__ import annotations

import sys

import networkx
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.networks import components

NODES = st.sampled_from("abcdefgh")
GRAPHS = st.dictionaries(NODES, st.lists(NODES, unique=True, max_size=4)).map(
    lambda some: {**{other: [] for points in some.values() for other in points}, **some}
)
CHAINS = GRAPHS.map(lambda some: {node: [other for other in points if other > node] for node, points in some.items()})


@given(st.one_of(GRAPHS, CHAINS))
def test_components_stand_together_and_after_what_they_point_to(edges):
    found = [frozenset(part) for part in components(edges)]
    assert found == list(map(frozenset, networkx.strongly_connected_components(networkx.DiGraph(edges))))
    place = {node: i for i, part in enumerate(found) for node in part}
    assert all(place[other] <= place[node] for node, points in edges.items() for other in points)


def test_a_chain_of_any_length_is_no_deeper_than_a_short_one():
    edges = {str(i): [str(i + 1)] for i in range(50_000)} | {"50000": []}
    assert [node for (node,) in components(edges)] == [str(i) for i in range(50_000, -1, -1)]


def test_the_order_of_a_plan_needs_no_networkx(monkeypatch):
    monkeypatch.setitem(sys.modules, "networkx", None)
    assert components({"a": ["b", "c"], "b": ["c"], "c": [], "d": ["a"]}) == [("c",), ("b",), ("a",), ("d",)]
    assert components({"a": ["a", "b"], "b": ["c"], "c": ["b"]}) == [("b", "c"), ("a",)]
