"""The graph of a library holds all of it, once, with both kinds of nodes apart."""

from __future__ import annotations

import networkx
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive.expressions.tree import names_in
from derive.planning.dependency_graph import RelationBlock, derivation_graph, relation_key
from tests.derive.random_libraries import hidden

CASES = derive.load("""title = "Fall"
[quantities]
height = { unit = "m", meaning = "from the ground", aliases = ["drop"] }
fall = { unit = "s" }
speed = { unit = "m/s" }
gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
bears = { unit = "m/s" }
[relations]
fall = { equation = "fall = sqrt(2*height/gravity)", because = "no air", when = ["speed < bears"] }
speed = { equation = "speed = gravity*fall", source = "Galilei", approximate = "3 %" }
limit = { equation = "speed <= bears" }
""")


def is_whole(library):
    """Whether a graph has each quantity and each relation of its library, and an edge for each mention of one."""
    graph = library.graph()
    quantities = {name for name, said in graph.nodes(data=True) if said["bipartite"] == 0}
    relations = {name for name, said in graph.nodes(data=True) if said["bipartite"] == 1}
    mentions = {
        frozenset((name, relation_key(relation.name)))
        for relation in library.relations.values()
        for name in names_in(relation.written.lhs, relation.written.rhs, *relation.conditions)
    }
    return (
        quantities == set(library.quantities)
        and relations == set(map(relation_key, library.relations))
        and set(map(frozenset, graph.edges)) == mentions
        and networkx.is_bipartite(graph)
        and networkx.bipartite.is_bipartite_node_set(graph, quantities)
    )


@given(st.integers(0, 10_000))
def test_a_graph_has_all_of_a_random_library(seed):
    assert is_whole(hidden(seed).library)


def test_a_graph_has_all_of_the_built_in_library():
    assert is_whole(derive.llm)


def test_a_relation_may_bear_the_name_of_a_quantity():
    graph = CASES.graph()
    assert graph.nodes["fall"]["kind"] == "quantity"
    assert graph.nodes["relation:fall"]["kind"] == "relation"


def test_what_is_stated_of_quantities_and_relations_stands_in_their_nodes():
    graph = CASES.graph()
    assert graph.nodes["height"] == {
        "bipartite": 0,
        "kind": "quantity",
        "unit": "m",
        "meaning": "from the ground",
        "domain": "positive",
        "aliases": "drop",
    }
    assert graph.nodes["gravity"]["default"] == "9.81 m/s**2"
    assert graph.nodes["gravity"]["source"] == "the relation file"
    assert graph.nodes["relation:fall"] == {
        "bipartite": 1,
        "kind": "relation",
        "equation": "fall = sqrt(2*height/gravity)",
        "op": "=",
        "because": "no air",
        "when": "speed < bears",
    }
    assert graph.nodes["relation:speed"]["approximate"] == 0.03
    assert graph.nodes["relation:speed"]["source"] == "Galilei"
    assert graph.nodes["relation:limit"]["op"] == "<="
    assert graph.graph == {"title": "Fall"}


def test_an_edge_says_how_the_quantity_stands_in_the_relation():
    stands = {name: said["stands"] for name, said in CASES.graph()["relation:fall"].items()}
    assert stands == {
        "fall": "result",
        "height": "member",
        "gravity": "member",
        "speed": "condition",
        "bears": "condition",
    }
    assert {said["stands"] for said in CASES.graph()["relation:limit"].values()} == {"member"}


def test_networkx_answers_what_a_user_asks_of_it():
    graph = CASES.graph()
    assert networkx.shortest_path(graph, "height", "speed") == ["height", "relation:fall", "speed"]
    assert networkx.number_connected_components(graph) == 1
    matched = networkx.bipartite.maximum_matching(graph, CASES.quantities)
    assert len(matched) == 2 * len(CASES.relations)


def test_a_condition_on_what_is_computed_later_closes_no_cycle():
    relations = CASES.relations
    blocks = [RelationBlock((relations[name],), (name,)) for name in ("fall", "speed")]
    graph = derivation_graph(CASES.declared["speed"], blocks, {"height": "given", "gravity": "default"})
    assert networkx.is_directed_acyclic_graph(graph)
    assert list(graph.predecessors("condition:fall")) == ["speed"]
    assert list(graph.successors("condition:fall")) == []
    roles = {name: said["role"] for name, said in graph.nodes(data=True) if said["kind"] == "quantity"}
    assert roles == {
        "height": "given",
        "gravity": "default",
        "fall": "intermediate",
        "speed": "result",
        "bears": "condition",
    }
