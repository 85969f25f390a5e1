"""A library is a value: it is added up and cut down, and never changes."""

from __future__ import annotations

import copy
import itertools
import pickle
from dataclasses import FrozenInstanceError

import pytest
import sympy

import derive
from derive import DeriveError, DimensionError, ExpressionError, Library, Quantity, UnknownNameError, relate
from quantities import Profile, read_value

V, J, R, P = (Quantity(name, unit) for name, unit in (("V", "V"), ("J", "A"), ("R", "ohm"), ("P", "W")))
OHM = relate("ohm", V, J * R)
JOULE = relate("joule", P, V * J)
ROOM = Profile("room", {"R": read_value("100 ohm")})


def circuit() -> Library:
    return Library([OHM, JOULE], profiles=[ROOM], title="A circuit")


def test_a_library_in_python_is_a_quantity_a_line_and_a_relation_a_line():
    length, gravity = Quantity("length", "m"), Quantity("gravity", "m/s**2", default="9.80665 m/s**2")
    period = Quantity("period", "s")
    library = Library([relate("small_swing", period, 2 * sympy.pi * sympy.sqrt(length / gravity))])
    assert set(library.quantities) == {"length", "gravity", "period"}
    assert library.quantities["gravity"].default.number == 9.80665
    assert library.relations["small_swing"].lhs == period


def test_a_library_holds_what_was_stated_in_the_order_of_stating():
    library = circuit()
    assert list(library.relations.values()) == [OHM, JOULE]
    assert list(library.quantities) == ["V", "J", "R", "P"]
    assert dict(library.profiles) == {"room": ROOM}
    assert library.title == "A circuit"
    assert repr(library) == "<Library 'A circuit', 2 relations, 4 quantities, 1 profiles>"


def test_quantities_without_a_relation_are_held_as_well():
    alone = Quantity("alone", "m")
    assert list(Library([OHM], [alone]).quantities) == ["alone", "V", "J", "R"]


def test_nothing_is_a_library_too():
    empty = Library()
    assert (len(empty.relations), len(empty.quantities), len(empty.profiles), empty.title) == (0, 0, 0, "")
    assert (empty | circuit()) == circuit() == (circuit() | empty)


# It does not change


@pytest.mark.parametrize("part", ["quantities", "relations", "profiles", "title"])
def test_no_part_can_be_put_in_its_place(part):
    library = circuit()
    with pytest.raises(FrozenInstanceError):
        setattr(library, part, {})
    with pytest.raises(FrozenInstanceError):
        delattr(library, part)


@pytest.mark.parametrize("part", ["quantities", "relations", "profiles"])
def test_no_entry_can_be_added_taken_or_replaced(part):
    held = getattr(circuit(), part)
    name = next(iter(held))
    with pytest.raises(TypeError):
        held[name] = None
    with pytest.raises(TypeError):
        held["new"] = None
    with pytest.raises(TypeError):
        del held[name]
    with pytest.raises(AttributeError):
        held.clear()


def test_what_a_library_was_made_of_may_change_afterwards():
    relations = [OHM]
    library = Library(relations)
    relations.append(JOULE)
    assert list(library.relations) == ["ohm"]


def test_adding_up_and_cutting_down_leave_the_parts_alone():
    one, other = Library([OHM]), Library([JOULE])
    both = one | other
    less = both.without("ohm")
    assert (list(one.relations), list(other.relations)) == (["ohm"], ["joule"])
    assert (list(both.relations), list(less.relations)) == (["ohm", "joule"], ["joule"])


# Union


def test_a_union_has_the_relations_of_both_in_order():
    both = Library([OHM], title="One") | Library([JOULE], profiles=[ROOM], title="Other")
    assert list(both.relations) == ["ohm", "joule"]
    assert list(both.profiles) == ["room"]
    assert both.title == "One"


def test_the_same_thing_said_twice_is_said_once():
    assert (circuit() | circuit()) == circuit()
    assert len((circuit() | Library([relate("ohm", V, J * R)])).relations) == 2


CONFLICTS = [
    (
        "a relation that states another thing",
        Library([OHM]),
        Library([relate("ohm", V, 2 * J * R)]),
        "The relation ohm is declared twice with two meanings",
    ),
    (
        "a relation that states it for another reason",
        Library([OHM]),
        Library([relate("ohm", V, J * R, because="Ohm said so")]),
        "The relation ohm is declared twice with two meanings",
    ),
    (
        "a quantity in another unit",
        Library([OHM]),
        Library([], [Quantity("R", "kohm")]),
        "The quantity R is declared twice with two meanings: in ohm and positive, in kohm and positive.",
    ),
    (
        "a quantity in another dimension",
        Library([OHM]),
        Library([], [Quantity("R", "m")]),
        "in ohm and positive, in m and positive.",
    ),
    (
        "a quantity in another domain",
        Library([OHM]),
        Library([], [Quantity("R", "ohm", domain="real")]),
        "in ohm and positive, in ohm and real.",
    ),
    (
        "a quantity with another meaning",
        Library([], [Quantity("R", "ohm", "of the lamp")]),
        Library([], [Quantity("R", "ohm", "of the wire")]),
        "meaning 'of the lamp' and 'of the wire'.",
    ),
    (
        "a quantity with another default",
        Library([], [Quantity("R", "ohm", default="1 ohm")]),
        Library([], [Quantity("R", "ohm", default="2 ohm")]),
        "default '1 ohm' and '2 ohm'.",
    ),
    (
        "a profile with another value",
        Library([], [R], [ROOM]),
        Library([], [R], [Profile("room", {"R": read_value("101 ohm")})]),
        "The profile room is declared twice with two meanings",
    ),
]


@pytest.mark.parametrize(("one", "other", "said"), [c[1:] for c in CONFLICTS], ids=[c[0] for c in CONFLICTS])
def test_one_name_means_one_thing(one, other, said):
    for pair in ((one, other), (other, one)):
        with pytest.raises(ExpressionError) as caught:
            _ = pair[0] | pair[1]
        assert caught.value.hint == "Rename one, or leave one out."
    with pytest.raises(ExpressionError) as caught:
        _ = one | other
    assert said in caught.value.what


def test_one_name_means_one_thing_inside_a_library_as_well():
    with pytest.raises(ExpressionError, match="declared twice"):
        Library([OHM, relate("ohm", V, 3 * J * R)])
    with pytest.raises(ExpressionError, match="declared twice"):
        Library([OHM, relate("other", Quantity("V", "mV"), 2 * Quantity("V", "mV"))])


@pytest.mark.parametrize("order", [1, -1])
def test_what_one_says_of_a_quantity_and_the_other_does_not_is_kept(order):
    parts = [Library([], [Quantity("R", "ohm", default="1 ohm")]), Library([], [Quantity("R", "ohm", "of the lamp")])]
    one, other = parts[::order]
    held = (one | other).quantities["R"]
    assert held.meaning == "of the lamp"
    assert str(held.default) == "1 ohm"


PARTS = [
    Library([OHM], title="Ohm"),
    Library([JOULE], [Quantity("P", "W", "turned into heat")]),
    Library([], [Quantity("R", "ohm", default="1 ohm")], [ROOM]),
]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_adding_changes_the_order_and_nothing_else(order):
    a, b, c = (PARTS[n] for n in order)
    assert (a | b) | c == a | (b | c)
    whole = PARTS[0] | PARTS[1] | PARTS[2]
    again = a | b | c
    assert again == whole
    assert hash(again) == hash(whole)
    assert again.quantities["P"].meaning == "turned into heat"
    assert str(again.quantities["R"].default) == "1 ohm"


@pytest.mark.parametrize("other", [3, None, {}, OHM, "text"])
def test_a_library_adds_up_with_libraries_only(other):
    with pytest.raises(TypeError):
        _ = circuit() | other
    assert circuit() != other


# Leaving out


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (None, "{what} is a NoneType, and no list of names. Write"),
        (3, "{what} is a int, and no list of names. Write"),
        (b"x", "{what} is a bytes, and no list of names. Write"),
        ([["length"]], "a list does not name a quantity"),
        ([None], "a NoneType does not name a quantity"),
    ],
)
def test_what_is_no_list_of_names_is_refused(names, said):
    library = derive.load("circuits")
    asked = {
        "given": [
            library.reach,
            lambda given: library.formula("current", given),
            lambda given: library.compile("current", given),
        ],
        "names": [lambda given: library.at("second", given)],
    }
    for what, asks in asked.items():
        for ask in asks:
            with pytest.raises(DeriveError) as refused:
                ask(names)
            assert said.format(what=what) in str(refused.value)


@pytest.mark.parametrize("target", [[], None, 3])
def test_a_target_of_a_table_that_is_no_name_is_refused(target):
    with pytest.raises(DeriveError, match="does not name a quantity"):
        derive.load("circuits").sweep([target], current=derive.span("1..2 A", 5), resistance="3 ohm")


def test_a_single_name_is_a_list_of_one():
    library = derive.load("circuits")
    assert library.reach("voltage") == library.reach(["voltage"])
    assert library.formula("voltage", "voltage") == library.formula("voltage", ["voltage"])
    assert library.compile("voltage", "voltage")(voltage=2.0) == 2.0


@pytest.mark.parametrize("wrong", [None, 3, b"x", [["x"]], object()])
def test_what_is_no_text_is_refused_wherever_a_text_is_asked_for(wrong):
    library = derive.load("circuits")
    givens = {"voltage": "1..2 V", "resistance": "3 ohm"}
    for ask in (
        lambda: library.least("current", such_that=wrong, **givens),
        lambda: library.front(wrong, **givens),
        lambda: library.border(wrong, over="voltage", **givens),
        lambda: library.stream(wrong, **givens),
        lambda: library.front(["current", "power"], points=str(wrong), **givens),
        lambda: derive.verify(wrong),
        lambda: library.compile("current", ["voltage", "resistance"], profiles=wrong),
        lambda: Profile(wrong, {}),
        lambda: Profile("p", wrong),
        lambda: library.page(wrong, **givens),
        lambda: library.page("current", title=wrong, **givens),
        lambda: library.sweep("current", voltage=derive.span("1..2 V", 3), resistance="3 ohm").to_csv(wrong),
        lambda: library.sample("current", **givens, points=10).quantile(wrong),
        lambda: library.front(["current", "power"], points=2, **givens).at(9 if wrong == 3 else wrong),
    ):
        with pytest.raises(DeriveError):
            ask()


def test_relations_are_left_out_by_name():
    library = circuit().without("ohm")
    assert list(library.relations) == ["joule"]
    assert dict(library.quantities) == dict(circuit().quantities)
    assert library.profiles == circuit().profiles
    assert library.title == "A circuit"
    assert list(circuit().without("joule", "ohm").relations) == []
    assert circuit().without() == circuit()


def test_what_is_not_there_cannot_be_left_out():
    with pytest.raises(UnknownNameError) as caught:
        circuit().without("ohm", "jule")
    assert str(caught.value) == "There is no relation 'jule'. Did you mean joule?"


# Looking up


def test_an_entry_is_found_by_name():
    library = circuit()
    assert library.quantity("V") is V
    assert library.relation("ohm") is OHM
    assert library.profile("room") is ROOM


@pytest.mark.parametrize(
    ("kind", "name", "suggestions", "hint"),
    [
        ("quantity", "v", ("V",), "Did you mean V?"),
        ("quantity", "zeta", (), "There are V, J, R, P."),
        ("relation", "Ohm", ("ohm",), "Did you mean ohm?"),
        ("relation", "jouel", ("joule",), "Did you mean joule?"),
        ("profile", "rooms", ("room",), "Did you mean room?"),
        ("profile", "kitchen", (), "There are room."),
    ],
)
def test_a_name_that_nobody_declared_is_answered_with_what_there_is(kind, name, suggestions, hint):
    with pytest.raises(UnknownNameError) as caught:
        getattr(circuit(), kind)(name)
    error = caught.value
    assert (error.kind, error.name, error.suggestions, error.hint) == (kind, name, suggestions, hint)
    assert error.what == f"There is no {kind} {name!r}."


def test_a_long_list_of_names_is_not_recited():
    library = Library([], [Quantity(f"x_{n}", "m") for n in range(20)])
    with pytest.raises(UnknownNameError) as caught:
        library.quantity("zeta")
    assert caught.value.hint == "There are 20 others."


# Carrying


@pytest.mark.parametrize("carried", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_library_travels(carried):
    before = circuit() | Library([], [Quantity("R", "ohm", "of the lamp", latex="R_l", default="1 ohm")])
    after = carried(before)
    assert after == before
    assert hash(after) == hash(before)
    assert after.title == before.title
    assert list(after.relations) == list(before.relations)
    held = after.quantities["R"]
    assert (held.meaning, held.latex, str(held.default)) == ("of the lamp", "R_l", "1 ohm")
    assert after.relations["ohm"].equation == before.relations["ohm"].equation


def test_two_libraries_differ_where_a_part_does():
    assert circuit() != circuit().without("ohm")
    assert circuit() != Library([OHM, JOULE])
    assert circuit() != circuit() | Library([], [Quantity("alone", "m")])


def test_a_wrong_relation_never_reaches_a_library():
    with pytest.raises(DimensionError):
        Library([relate("wrong", V, J / R)])


def test_the_vocabulary_is_that_of_the_quantities():
    library = circuit()
    assert dict(library.vocabulary.quantities) == dict(library.declared)
    assert library.vocabulary is library.vocabulary
