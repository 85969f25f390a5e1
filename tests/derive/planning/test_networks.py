"""What is plain is kept by every file, and columns follow their lines."""

from __future__ import annotations

import json
import math

import networkx
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.networks import columns, directed_graph, graphml, node_link, plain, undirected_graph

NODES = "abcdefgh"
EDGES = st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=14)
ATTRIBUTES = st.dictionaries(
    st.sampled_from(["unit", "meaning", "magnitude", "step", "passed"]),
    st.one_of(st.none(), st.text(), st.floats(), st.integers(-(2**40), 2**40), st.booleans()),
)
GRAPHS = st.tuples(st.booleans(), st.dictionaries(st.sampled_from(NODES), ATTRIBUTES), EDGES, ATTRIBUTES)


def drawn(graph):
    is_directed, nodes, edges, said = graph
    made = (directed_graph if is_directed else undirected_graph)(title="a\x00b")
    for node, attributes in nodes.items():
        made.add_node(node, **plain(attributes))
    for start, end in edges:
        if start in made and end in made:
            made.add_edge(start, end, **plain(said))
    return made


@given(GRAPHS)
def test_a_graph_of_plain_attributes_reads_as_it_was_written(graph):
    made = drawn(graph)
    stored = json.loads(json.dumps(node_link(made), allow_nan=False))
    assert networkx.utils.graphs_equal(networkx.node_link_graph(stored, edges="edges"), made)
    again = networkx.parse_graphml(graphml(made))
    assert again.graph["title"] == made.graph["title"]
    again.graph = made.graph  # beside which the reader notes that nothing has a default
    assert networkx.utils.graphs_equal(again, made)


@given(ATTRIBUTES)
def test_what_says_nothing_is_left_out(attributes):
    kept = plain(attributes)
    gone = attributes.keys() - kept.keys()
    assert all(attributes[name] in (None, "") or not math.isfinite(attributes[name]) for name in gone)


@given(EDGES)
def test_each_edge_leads_to_a_later_column_or_stays_within_a_circle(edges):
    place = {name: i for i, column in enumerate(columns(NODES, edges)) for name in column}
    assert sorted(place) == list(NODES)
    graph = networkx.DiGraph(edges)
    for start, end in edges:
        if place[start] == place[end]:
            assert networkx.has_path(graph, end, start)
        else:
            assert place[start] < place[end]
