"""Directions: relations run forwards as far as that goes, without circles, and backwards for the rest."""

from __future__ import annotations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.directions import directed, following, forwards
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, deduced, drawn, rank, structure


def hangs(graph, taken):
    """What each quantity that was taken is made of."""
    return networkx.DiGraph((name, held) for name, r in taken.items() for held in graph.members[r] if held != name)


@given(GRAPHS, SOME)
def test_forwards_goes_as_far_as_deduction_and_in_no_circle(rows, known):
    graph, _ = drawn(rows)
    taken = forwards(graph, list(graph.members), known)
    assert known | taken.keys() == deduced(graph, known)
    assert all(graph.forward[relation] == name for name, relation in taken.items())
    assert known.isdisjoint(taken)
    assert networkx.is_directed_acyclic_graph(hangs(graph, taken))


@given(GRAPHS, SOME, st.permutations([f"r{i}" for i in range(7)]))
def test_of_all_that_yield_a_quantity_without_it_the_first_stated_is_taken(rows, known, order):
    graph, _ = drawn(rows)
    order = [relation for relation in order if relation in graph.members]
    taken = forwards(graph, order, known)
    for name, relation in taken.items():
        without = deduced(graph.not_written_for([name]), known)
        own = [r for r in order if graph.forward.get(r) == name]
        able = [r for r in own if without.issuperset({*graph.members[r]} - {name})]
        assert own.index(relation) <= own.index(able[0])


@given(GRAPHS, SOME, SOME)
def test_what_follows_is_deduced_from_the_rest(rows, names, known):
    graph, _ = drawn(rows)
    assert following(graph, names, known) == {
        name for name in names if name in deduced(graph, known - {name}) - (known - {name})
    }


@given(GRAPHS, SOME)
def test_directions_fix_as_much_as_any_matching_and_keep_what_runs_forwards(rows, known):
    graph, held = drawn(rows)
    relations = list(graph.members)
    solved = directed(graph, relations, known)
    assert solved.items() >= forwards(graph, relations, known).items()
    assert len(set(solved.values())) == len(solved)
    assert all(name in graph.members[relation] and name not in known for name, relation in solved.items())
    settled = deduced(graph, known)
    left = [row for row in held if not settled.issuperset(row)]
    assert len(solved.keys() - settled) == rank(left, set(NAMES) - settled)


@pytest.mark.parametrize(
    ("equations", "known", "expected"),
    [
        (("y = a", "y = b"), "ab", {"y": "r0"}),
        (("y = b", "b = a", "y = a"), "a", {"b": "r1", "y": "r0"}),
        (("y = z", "z = y", "y = a"), "a", {"y": "r2", "z": "r1"}),
        (("y = z", "z = w", "w = y", "y = a"), "a", {"y": "r3", "w": "r2", "z": "r1"}),
        (("z = y", "y = z", "y = a", "z = a"), "a", {"y": "r2", "z": "r0"}),
        (("y = c", "y = z", "z = y", "y = a", "y = b"), "ab", {"y": "r3", "z": "r2"}),
        (("y = y*a", "y = a"), "a", {"y": "r1"}),
        (("y = a", "z = y + b", "z = a"), "ay", {"z": "r2"}),
    ],
)
def test_the_first_stated_is_run_forwards_unless_it_runs_in_a_circle(equations, known, expected):
    graph = structure(*equations)
    assert forwards(graph, list(graph.members), frozenset(known)) == expected


def test_what_is_stated_first_is_so_by_its_place_and_not_by_its_name():
    graph = structure("y = a", "y = b", "y = z", "z = y")
    assert forwards(graph, ["r1", "r0"], {"a", "b"}) == {"y": "r1"}
    assert forwards(graph, ["r2", "r3", "r1", "r0"], {"a", "b"}) == {"y": "r1", "z": "r3"}


@pytest.mark.parametrize(
    ("equations", "known", "expected"),
    [
        (("1 = a + b", "1 = a", "1 = b"), "", {"a": "r1", "b": "r0"}),
        (("1 = b + c", "1 = a + b", "1 = a", "1 = c"), "", {"a": "r2", "b": "r1", "c": "r0"}),
        (("1 = a + b", "1 = a + 2*b"), "", {"a": "r0", "b": "r1"}),
        (("1 = a + b", "1 = b"), "", {"a": "r0", "b": "r1"}),
        (("1 = a + k", "k = a + b", "1 = k", "1 = a"), "", {"k": "r2", "a": "r0", "b": "r1"}),
        (("k = a*b", "1 = a + b", "1 = k + b"), "k", {"b": "r2", "a": "r0"}),
        (("y = k", "y = a + b", "1 = a"), "k", {"y": "r0", "a": "r2", "b": "r1"}),
    ],
)
def test_backwards_those_relations_are_run_first_that_have_one_unknown_left(equations, known, expected):
    graph = structure(*equations)
    assert directed(graph, list(graph.members), frozenset(known)) == expected
