"""Plans: which relations answer a question, in which order, judged against structure worked out another way."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import combinations

import networkx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.basis import basis_of
from derive.planning.matching import closure
from derive.planning.plan import Block, plan
from tests.derive.planning.graphs import GRAPHS, NAMES, determined, drawn, structure
from tests.ordinary import examples


def blocks(made):
    return [(block.relations, block.unknowns) for block in made.blocks]


@examples(300)
@given(GRAPHS, st.sets(st.sampled_from(NAMES), max_size=4))
def test_a_closure_is_what_every_maximum_matching_covers(rows, known):
    graph, members = drawn(rows)
    assert closure(graph, known) == determined(members, known)


@examples(500)
@given(
    GRAPHS,
    st.lists(st.sampled_from(NAMES), max_size=4, unique=True),
    st.lists(st.sampled_from(NAMES), max_size=4, unique=True),
    st.sampled_from(NAMES),
)
def test_a_plan_is_sound_whatever_the_graph(rows, known, weak, target):
    graph, members = drawn(rows)
    known = [name for name in known if name != target]
    made = plan(graph, target, known, weak)
    reached = [graph.members[relation] for relation in graph.reached(target, frozenset(known))]
    used = []
    for name in weak:  # a weak value is used where nothing else decides its quantity
        inside = any(name in row for row in reached)
        if inside and name != target and name not in determined(reached, {*known, *used}):
            used.append(name)
    assert made.weak == tuple(used)
    assert made.is_determined == (target in determined(members, {*known, *used}))
    settled = {*known, *used}
    spent = []
    for block in (*made.blocks, *made.extra):
        assert len(block.relations) == len(block.unknowns)
        assert settled.isdisjoint(block.unknowns)
        settled |= set(block.unknowns)
        spent += block.relations
        assert all(settled.issuperset(graph.members[relation]) for relation in block.relations)
        assert not any(_closes(graph, block, size) for size in range(1, len(block.relations)))
    assert len(spent) == len(set(spent))
    assert not made.is_determined or target in settled
    assert all(settled.issuperset(graph.members[check]) and check not in spent for check in made.checks)
    assert plan(graph, target, list(reversed(known)), weak) == made


@examples(300)
@given(GRAPHS, st.sets(st.sampled_from(NAMES), max_size=4), st.sampled_from(NAMES))
def test_blocks_are_the_strong_components_of_networkx_in_topological_order(rows, known, target):
    graph, _ = drawn(rows)
    known = known - {target}
    made = plan(graph, target, sorted(known), ())
    if not made.is_determined or not made.blocks:
        return
    base = basis_of(graph, target, known, (), only_bearing=True)
    needs = networkx.DiGraph()
    needs.add_node(target)
    for name, relation in base.solved.items():
        needs.add_edges_from((name, other) for other in base.structure.members[relation] if other not in base.known)
    needed = needs.subgraph(networkx.descendants(needs, target) | {target})
    found = [frozenset(block.unknowns) for block in made.blocks]
    assert set(found) == set(map(frozenset, networkx.strongly_connected_components(needed)))
    place = {name: i for i, unknowns in enumerate(found) for name in unknowns}
    assert all(place[other] <= place[name] for name, other in needed.edges)


@pytest.mark.thorough
@examples(500)
@given(GRAPHS, st.sets(st.sampled_from(NAMES), max_size=4), st.sets(st.sampled_from(NAMES), max_size=4))
def test_relations_that_only_say_a_quantity_more_change_no_plan(rows, known, weak):
    graph, whole = drawn(rows)[0], drawn(rows)[0]
    whole = replace(whole, limits=tuple((name,) for name in NAMES))  # of a limit, every quantity counts
    for target in sorted({*NAMES} - known):
        made, other = (plan(one, target, sorted(known), sorted(weak)) for one in (graph, whole))
        assert (made.is_determined, made.blocks) == (other.is_determined, other.blocks)


@pytest.mark.parametrize(
    ("fixed", "bearing"),
    [("y", []), ("yb", []), ("yab", ["r0"]), ("yabf", ["r0", "r3"]), ("yd", []), ("ybde", ["r0", "r1", "r2"])],
)
def test_a_relation_bears_on_a_target_unless_it_alone_holds_something_open(fixed, bearing):
    graph = structure("y = a + b", "c = a", "d = c*e", "f = b")
    assert [one for one in graph.members if one not in graph.apart(frozenset(fixed))] == bearing


def test_what_a_limit_needs_of_an_answer_is_worked_out_though_nothing_else_holds_it():
    graph = replace(structure("y = 2*a", "c = y + a", "d = y + e"), limits=(("c", "k"), ("d", "k")))
    assert [block.unknowns for block in plan(graph, "y", ["a", "k"], []).extra] == [("c",)]
    beside = replace(structure("y = 2*a", "c = y + a", "d = 3*e", "f = c + d"), limits=(("c", "d"),))
    assert {block.unknowns for block in plan(beside, "y", ["a", "e"], []).extra} == {("c",), ("d",)}


def test_a_later_estimate_stays_though_it_alone_holds_something_open():
    graph = structure("q = a", "q = b + p", "r = a + s", estimates={0, 1})
    assert [one for one in graph.members if one not in graph.apart(frozenset("qab"))] == ["r0", "r1"]


def _closes(graph, block, size):
    """Whether some of a block's relations could be solved without the others."""
    for some in combinations(block.relations, size):
        inside = {name for relation in some for name in graph.members[relation]} & set(block.unknowns)
        if len(inside) <= size:
            return True
    return False


CHAIN = ("b = 2*a", "c = b + 1", "d = c**2")


@pytest.mark.parametrize(
    ("target", "given", "expected"),
    [
        ("d", ["a"], [("r0", "b"), ("r1", "c"), ("r2", "d")]),
        ("a", ["d"], [("r2", "c"), ("r1", "b"), ("r0", "a")]),
        ("c", ["a"], [("r0", "b"), ("r1", "c")]),
        ("b", ["d"], [("r2", "c"), ("r1", "b")]),
    ],
)
def test_a_chain_is_followed_forwards_and_backwards(target, given, expected):
    made = plan(structure(*CHAIN), target, given, [])
    assert blocks(made) == [((relation,), (unknown,)) for relation, unknown in expected]


@pytest.mark.parametrize("order", [("y = a + b", "y = a*b"), ("y = a*b", "y = a + b")])
def test_of_two_rivals_the_first_stated_decides_and_the_other_is_a_check(order):
    made = plan(structure(*order), "y", ["a", "b"], [])
    assert blocks(made) == [(("r0",), ("y",))]
    assert made.checks == ("r1",)


def test_a_rival_that_hangs_on_its_own_result_gives_way():
    made = plan(structure("y = z + 1", "z = 2*y", "y = a"), "y", ["a"], [])
    assert blocks(made) == [(("r2",), ("y",))]


def test_a_weak_value_yields_to_what_is_given_and_what_follows_from_it():
    graph = structure("y = a*b", "b = 2*c")
    assert plan(graph, "y", ["a"], ["b"]).weak == ("b",)
    assert plan(graph, "y", ["a", "c"], ["b"]).weak == ()
    assert plan(graph, "y", ["a", "b"], ["b"]).weak == ()
    assert plan(graph, "b", ["a", "y"], ["b"]).weak == ()


def test_of_two_weak_values_for_one_freedom_the_first_is_used():
    graph = structure("y = a + b", "a = 2*b")
    assert plan(graph, "y", [], ["a", "b"]).weak == ("a",)
    assert plan(graph, "y", [], ["b", "a"]).weak == ("b",)


def test_a_weak_value_that_yields_to_what_the_answer_is_made_of_is_worked_out_for_the_check():
    made = plan(structure("y = 2*a", "w = 3*a"), "y", [], ["a", "w"])
    assert (made.weak, blocks(made), made.extra) == (("a",), [(("r0",), ("y",))], (Block(("r1",), ("w",)),))
    through = plan(structure("y = 2*a", "v = 3*a", "w = v + 1"), "y", [], ["a", "w"])
    assert through.extra == (Block(("r1",), ("v",)), Block(("r2",), ("w",)))


def test_a_weak_value_that_yields_to_something_far_from_the_answer_is_not():
    made = plan(structure("y = 2*a", "s = a + u", "w = 3*u"), "y", [], ["a", "u", "w"])
    assert (made.weak, blocks(made), made.extra) == (("a", "u"), [(("r0",), ("y",))], ())


def test_a_relation_beyond_need_is_a_check_once_all_in_it_is_worked_out():
    made = plan(structure("y = 2*a", "v = 3*a", "y = v - b", "v = c + y"), "y", ["a", "b"], [])
    assert blocks(made) == [(("r0",), ("y",))]
    assert (made.extra, made.checks) == ((Block(("r1",), ("v",)),), ("r2",))
    open_one = plan(structure("y = 2*a", "y = v - b", "v = u*c"), "y", ["a"], [])
    assert (open_one.extra, open_one.checks) == ((), ())


def test_a_block_names_its_relations_and_its_unknowns_as_they_are_stated():
    made = plan(structure("q = 2*z", "b = x + y + z", "a = x*y", "c = z - x", "z = 9 + q - y"), "x", list("abc"), [])
    assert set(made.blocks[0].relations) <= {"r1", "r2", "r3", "r0", "r4"}
    assert all(list(block.relations) == sorted(block.relations) for block in made.blocks)
    order = "qzbxya"
    assert all(sorted(block.unknowns, key=order.index) == list(block.unknowns) for block in made.blocks)


@pytest.mark.parametrize(
    ("equations", "known"),
    [(("y = a + b", "a = c*d"), "d"), (("y = a", "a = b"), ""), (("y = a*b", "b = c + d"), "ac"), (("a = b",), "ab")],
)
def test_a_target_that_hangs_on_something_open_has_no_plan(equations, known):
    made = plan(structure(*equations), "y", list(known), [])
    assert (made.is_determined, made.blocks, made.extra, made.checks) == (False, (), (), ())


def test_a_target_that_is_given_or_has_a_weak_value_of_its_own_needs_no_block():
    graph = structure("y = 2*a", "a = b")
    assert plan(graph, "y", ["y", "b"], []).blocks == ()
    assert plan(graph, "y", [], ["y", "b"]).weak == ("b",)


def test_two_questions_of_one_graph_do_not_mix():
    graph = structure("y = a*b", "b = 2*c")
    asked = [
        ("y", ("a",), ("b",)),
        ("y", ("a", "c"), ()),
        ("c", ("b",), ()),
        ("b", ("a", "y"), ("b",)),
        ("y", ("a",), ("c",)),
    ]
    fresh = [plan(structure("y = a*b", "b = 2*c"), *question) for question in asked]
    assert [plan(graph, *question) for question in (*asked, *asked, *asked)] == fresh * 3
    assert basis_of(graph, "y", ("a",), ("b",)).matching is basis_of(graph, "y", ["a"], ["b"]).matching


def test_the_later_of_two_estimates_displaces_no_weak_value():
    graph = structure("y = a", "y = b", "z = b", estimates=(0, 1))
    assert plan(graph, "z", ["a"], ["b"]).weak == ("b",)
    assert plan(structure("y = a", "y = b", "z = b"), "z", ["a"], ["b"]).weak == ()
    assert plan(graph, "z", ["a", "y"], ["b"]).weak == ()


def test_relations_that_need_each_other_are_one_block():
    made = plan(structure("x + y = a", "x*y = b", "z = x/y"), "z", ["a", "b"], [])
    assert made.blocks == (Block(("r0", "r1"), ("x", "y")), Block(("r2",), ("z",)))


def test_what_lies_behind_a_given_is_not_looked_at():
    graph = structure("y = a + 1", "a = b + 1", "c = b")
    assert [*graph.reached("y", frozenset({"a"}))] == ["r0"]
    assert [*graph.reached("y", frozenset())] == ["r0", "r1", "r2"]


@pytest.mark.parametrize(
    ("text", "forward"),
    [("y = a + b", {"r0": "y"}), ("a + b = y", {}), ("y = y*a + b", {}), ("2*y = a", {})],
)
def test_a_relation_is_written_for_a_name_that_stands_alone_on_its_left(text, forward):
    assert structure(text).forward == forward


def calls(act):
    count = 0

    def note(frame, event, _):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


def long_chain(size):
    return structure(*(f"q{i + 1} = 2*q{i}" for i in range(size)))


@pytest.mark.parametrize("way", ["forwards", "backwards", "closure"])
def test_work_grows_no_faster_than_the_library(way):
    def work(size):
        graph = long_chain(size)
        target, given_name = (f"q{size}", "q0") if way == "forwards" else ("q0", f"q{size}")
        if way == "closure":
            return calls(lambda: closure(graph, ["q0"]))
        return calls(lambda: plan(graph, target, [given_name], []))

    work(10)  # what is imported on first use
    assert work(800) < 2.3 * work(400)


@pytest.mark.parametrize(("target", "known"), [("q3000", "q0"), ("q0", "q3000")])
def test_a_chain_of_thousands_is_planned(target, known):
    made = plan(long_chain(3000), target, [known], [])
    assert len(made.blocks) == 3000
