"""The graph of relations: what each holds, what it is written for, and what is left when some of them are."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.incidence import Structure
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, drawn, structure, texts


def test_the_graph_of_relations_is_read_off_both_of_their_sides():
    graph = structure("y = a*b", "2*y = c + y", "c = b", otherwise=frozenset("c"))
    assert graph.members == {"r0": ("y", "a", "b"), "r1": ("y", "c"), "r2": ("c", "b")}
    assert graph.forward == {"r0": "y", "r2": "c"}
    assert graph.holders == {"y": ("r0", "r1"), "a": ("r0",), "b": ("r0", "r2"), "c": ("r1", "r2")}
    assert (graph.rivals, graph.otherwise) == (frozenset(), {"c"})


@pytest.mark.parametrize(
    ("equations", "estimates", "rivals"),
    [
        (("y = a", "y = b", "y = c"), (0, 1, 2), {"r1", "r2"}),
        (("y = a", "y = b", "y = c"), (1, 2), {"r2"}),
        (("y = a", "y = b", "z = b", "y = c"), (0, 2), set()),
        (("y = a", "a = y + y*a", "2*y = b"), (0, 1, 2), set()),
        (("y = a", "z = a", "z = y", "y = z"), (0, 1, 2, 3), {"r2", "r3"}),
    ],
)
def test_of_the_estimates_of_one_quantity_all_but_the_first_are_rivals(equations, estimates, rivals):
    assert structure(*equations, estimates=estimates).rivals == rivals


@given(GRAPHS, SOME, st.sets(st.integers(0, 6)), SOME)
def test_without_what_is_written_for_a_name_the_graph_is_that_of_the_others(rows, names, estimates, otherwise):
    whole = structure(*texts(rows), estimates=estimates, otherwise=frozenset(otherwise))
    left = whole.not_written_for(names)
    kept = [relation for relation in whole.members if whole.forward.get(relation) not in names]
    assert left.members == {relation: whole.members[relation] for relation in kept}
    assert left.forward == {r: name for r, name in whole.forward.items() if r in kept}
    assert {name: found for name, found in left.holders.items() if found} == {
        name: found for name in whole.holders if (found := tuple(r for r in kept if name in whole.members[r]))
    }
    assert left.rivals == whole.rivals.intersection(kept)
    assert left.otherwise == otherwise - names
    assert (left is whole) == (not names)
    assert whole.not_written_for(sorted(names)) is left


@given(GRAPHS, SOME, st.sampled_from(NAMES))
def test_a_target_reaches_what_hangs_together_with_it_by_unknowns(rows, known, target):
    graph, _ = drawn(rows)
    joined = networkx.Graph(
        [(r, n) for r, held in graph.members.items() for n in held if n == target or n not in known]
    )
    connected = networkx.node_connected_component(joined, target) if target in joined else set()
    relations = [relation for relation in graph.members if relation in connected]
    assert list(graph.reached(target, frozenset(known))) == relations


def test_what_was_made_before_makes_no_difference_between_graphs():
    one, other = structure("y = a", "a = b"), structure("y = a", "a = b")
    one.not_written_for("y")
    assert one == other
    assert "reduced" not in repr(one)
    assert isinstance(one, Structure)
