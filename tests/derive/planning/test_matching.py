"""Matchings: what relations fix, what they leave loose, and what hangs on what, judged by matchings of networkx."""

from __future__ import annotations

from itertools import pairwise

import networkx
from hypothesis import given
from hypothesis import strategies as st

from derive.planning.matching import Matching
from tests.derive.planning.graphs import GRAPHS, NAMES, SOME, determined, drawn, rank, underdetermined


def matched(rows, known):
    """A matching of drawn relations, and what each of them said as it was taken in."""
    graph, _ = drawn(rows)
    matching = Matching(frozenset(known))
    return matching, [matching.add(relation, held) for relation, held in graph.members.items()]


def is_sound(matching):
    """Whether each relation fixes an unknown that it holds, and no unknown is fixed twice."""
    fixed = {relation: name for name, relation in matching.fixed_by.items()}
    return fixed == matching.fixes and all(name in matching.members[r] for r, name in matching.fixes.items())


@given(GRAPHS, SOME)
def test_a_relation_adds_to_a_matching_just_when_it_raises_the_rank(rows, known):
    matching, taken = matched(rows, known)
    held = [row for row, _ in rows]
    unknowns = {name for row in held for name in row} - known
    ranks = [rank(held[:i], unknowns) for i in range(len(held) + 1)]
    assert taken == [after > before for before, after in pairwise(ranks)]
    assert is_sound(matching)
    assert len(matching.fixes) == ranks[-1]
    assert (set(matching.unknowns), set(matching.members)) == (unknowns, {f"r{i}" for i in range(len(rows))})
    assert all(known.isdisjoint(open_ones) for open_ones in matching.members.values())


@given(GRAPHS, SOME)
def test_many_relations_at_once_are_matched_as_one_after_the_other(rows, known):
    graph, _ = drawn(rows)
    one, _ = matched(rows, known)
    many = Matching(frozenset(known))
    many.add_all(graph.members, graph.members)
    assert (many.fixes, many.fixed_by, many.members) == (one.fixes, one.fixed_by, one.members)
    assert list(many.unknowns) == list(one.unknowns)


@given(GRAPHS, SOME, st.data())
def test_those_that_come_back_are_those_that_would_be_matched_if_each_were_added_anew(rows, known, data):
    whole, taken = matched(rows, known)
    waiting = [name for name, matches in zip(whole.members, taken, strict=True) if not matches]
    gone = data.draw(st.sets(st.sampled_from(list(whole.members))))
    again, anew = whole.without(gone), whole.without(gone)
    again.add_again(waiting, len(whole.fixes) - len(again.fixes))
    for relation in waiting:
        if relation in anew.members:
            anew.add(relation, anew.members[relation])
    assert (again.fixes, again.fixed_by, again.members) == (anew.fixes, anew.fixed_by, anew.members)
    assert list(again.unknowns) == list(anew.unknowns)


@given(GRAPHS, GRAPHS, SOME, st.permutations(NAMES), st.sets(st.sampled_from(NAMES)))
def test_a_relation_that_comes_late_may_take_the_place_it_would_have_had(rows, late, known, order, gone):
    """First some relations, then values in some order; some values are dropped, and more relations come before all
    values that are left: as if they were added in that order."""
    first, second = (
        {f"{kind}{i}": held for i, (held, _) in enumerate(some)} for kind, some in (("r", rows), ("s", late))
    )
    values = {f"={name}": (name,) for name in order if name not in known}
    dropped = [f"={name}" for name in gone]
    whole = Matching(frozenset(known))
    for relation, held in (first | values).items():
        whole.add(relation, held)
    matching = whole.without(dropped)
    for label, alone in values.items():
        if label in matching.members and label not in matching.fixes:
            matching.add(label, alone)
    later = {label: place for place, label in enumerate(values)}
    for relation, held in second.items():
        matching.add_before(relation, held, later)
    direct = Matching(frozenset(known))
    for relation, held in (first | second | values).items():
        if relation not in dropped:
            direct.add(relation, held)
    assert is_sound(matching)
    assert matching.fixes.keys() == direct.fixes.keys()
    assert all(matching.settles(name) == direct.settles(name) for name in direct.unknowns)
    settled = [name for name in direct.unknowns if direct.settles(name)]
    assert all(matching.relations_for(name) == direct.relations_for(name) for name in settled)


def test_whoever_comes_first_is_served():
    matching = Matching(frozenset())
    taken = [matching.add(r, held) for r, held in (("p", "ab"), ("q", "bc"), ("r", "ab"), ("s", "abc"))]
    assert taken == [True, True, True, False]
    assert matching.fixes == {"p": "a", "q": "c", "r": "b"}


def test_relations_change_partners_along_the_shortest_way():
    matching = Matching(frozenset())
    for relation, held in (("p", "ac"), ("q", "bd"), ("r", "ce"), ("s", "ab")):
        assert matching.add(relation, held)
    assert matching.fixes == {"p": "a", "q": "d", "r": "c", "s": "b"}


def holders(matching):
    """The relations that contain each quantity, as a structure has them."""
    return {name: [one for one, names in matching.members.items() if name in names] for name in matching.unknowns}


@given(GRAPHS, SOME, st.lists(st.sampled_from(NAMES)))
def test_a_value_is_added_as_the_relation_that_says_it(rows, known, names):
    one, _ = matched(rows, known)
    other = one.copy()
    assert [one.add_value(name) for name in names] == [other.add(f"={name}", (name,)) for name in names]
    assert (one.members, one.fixes, one.fixed_by, one.unknowns) == (
        other.members,
        other.fixes,
        other.fixed_by,
        other.unknowns,
    )


@given(GRAPHS, SOME, st.sets(st.sampled_from(NAMES)))
def test_values_conflict_just_when_without_any_of_them_as_much_is_determined(rows, known, names):
    matching, _ = matched(rows, known)
    names = sorted(names - known)
    held, unknowns = [row for row, _ in rows], {*matching.unknowns, *names}
    values = {name: {name} for name in names}
    whole = rank([*held, *values.values()], unknowns)
    conflicting = {
        name
        for name in names
        if rank([*held, *(value for other, value in values.items() if other != name)], unknowns) == whole
    }
    found = matching.given(names).conflicting(names)
    assert found.intersection(names) == conflicting


@given(GRAPHS, SOME, st.sampled_from(NAMES))
def test_a_quantity_is_settled_just_when_it_is_determined(rows, known, name):
    matching, _ = matched(rows, known)
    fixed = determined([row for row, _ in rows], known) - known
    assert matching.loose(holders(matching)) == matching.unknowns.keys() - fixed
    assert name in known or matching.settles(name) == (name in fixed)


@given(GRAPHS, SOME)
def test_what_is_loose_is_the_underdetermined_part_of_dulmage_and_mendelsohn(rows, known):
    matching, _ = matched(rows, known)
    held = [row for row, _ in rows]
    assert matching.loose(holders(matching)) == underdetermined(held, known)
    assert len(matching.fixes) == rank(held, matching.unknowns.keys())


@given(GRAPHS, SOME, st.sampled_from(NAMES))
def test_a_quantity_hangs_on_what_the_relation_that_fixes_it_holds_and_so_on(rows, known, name):
    matching, _ = matched(rows, known)
    way = networkx.DiGraph()
    way.add_nodes_from({*matching.unknowns, name})
    way.add_edges_from((n, other) for n, relation in matching.fixed_by.items() for other in matching.members[relation])
    distance = networkx.single_source_shortest_path_length(way, name)
    found = list(matching.dependencies(name))
    assert found[0] == name
    assert len(found) == len(set(found)) == len(distance)
    assert [distance[one] for one in found] == sorted(distance.values())
    assert matching.relations_for(name) == {matching.fixed_by[one] for one in distance if one in matching.fixed_by}
    is_open = name in matching.unknowns and name not in matching.fixed_by
    exchangeable = {one for one in matching.unknowns if name in set(matching.dependencies(one))}
    assert matching.loose(holders(matching), [name]) - {name} == (exchangeable - {name} if is_open else set())


@given(GRAPHS, SOME, SOME)
def test_what_becomes_known_settles_a_copy_and_leaves_the_matching_as_it_was(rows, known, more):
    matching, _ = matched(rows, known)
    names = set(matching.unknowns) & more
    copy = matching.given(names)
    assert {name for name in copy.unknowns if copy.settles(name)} | known == determined(
        [row for row, _ in rows], known | names
    ) | known
    again, _ = matched(rows, known)
    assert (vars(matching), is_sound(copy)) == (vars(again), True)
    assert [copy.add("last", (name,)) for name in sorted(names)] == [False] * len(names)
    assert matching.given(()).fixes == matching.fixes
