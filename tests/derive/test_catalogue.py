"""What a library holds can be told: in rows, in entries, and as data."""

from __future__ import annotations

import json

import pytest

import derive
from derive import Library, UnknownNameError
from derive.catalogue import KINDS, as_data, entries, matching, rows
from quantities import read_value
from quantities.profiles import Profile
from tests.derive.terminal import ask

TEXT = """
[quantities]
length = { unit = "m", meaning = "of the string", latex = "L" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2", source = "CGPM 1901", kind = "exact", date = "1901" }
period = { unit = "s" }
swing = { unit = "radian", domain = "real" }
n = { unit = "" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
because = "small angles"
source = "Huygens 1673"
when = ["swing < 0.3", "n > 1"]
approximate = "3 %"
[relations.period]
equation = "period >= n*sqrt(length/gravity)"
[profiles.clock]
length = { value = "0.994 m", source = "a ruler", kind = "measured" }
swing = "0.05..0.1 radian"
[profiles.length]
n = 3
[profiles.empty]
"""
LIBRARY = derive.load(TEXT)


def test_quantities_are_rows_of_name_unit_and_meaning():
    assert rows(LIBRARY, "quantities") == [
        ("quantity", "unit", "meaning"),
        ("length", "m", "of the string"),
        ("gravity", "m/s**2", ""),
        ("period", "s", ""),
        ("swing", "radian", ""),
        ("n", "1", ""),
    ]


def test_relations_are_rows_of_name_and_equation():
    assert rows(LIBRARY, "relations") == [
        ("relation", "equation"),
        ("small_swing", "period = 2*pi*sqrt(length/gravity)"),
        ("period", "period >= n*sqrt(length/gravity)"),
    ]


def test_profiles_are_rows_of_name_count_and_what_they_hold():
    assert rows(LIBRARY, "profiles") == [
        ("profile", "values", "of"),
        ("clock", "2", "length, swing"),
        ("length", "1", "n"),
        ("empty", "0", ""),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_an_empty_library_has_a_header_and_no_rows(kind):
    assert len(rows(Library(), kind)) == 1
    assert as_data(Library(), kind) == []


@pytest.mark.parametrize("told", [rows, as_data])
def test_a_list_that_there_is_not_is_answered_with_those_there_are(told):
    with pytest.raises(UnknownNameError) as caught:
        told(LIBRARY, "relation")
    assert caught.value.suggestions == ("relations",)
    with pytest.raises(UnknownNameError) as caught:
        told(LIBRARY, "xyz")
    assert caught.value.hint == "There are quantities, relations, profiles, reports, libraries."


def test_a_quantity_is_told_with_all_that_is_known_of_it():
    ((heading, lines),) = entries(LIBRARY, "gravity")
    assert heading == "quantity gravity"
    assert lines == [
        ("unit", "m/s**2"),
        ("measures", "m/s**2"),
        ("domain", "positive"),
        ("default", "9.80665 m/s**2"),
        ("source", "CGPM 1901 (1901)"),
        ("used in", "period = 2*pi*sqrt(length/gravity)"),
        ("used in", "period >= n*sqrt(length/gravity)"),
    ]


def test_a_relation_is_told_with_its_reason_conditions_and_vocabulary():
    ((heading, lines),) = entries(LIBRARY, "small_swing")
    assert heading == "relation small_swing"
    assert lines == [
        ("states", "period = 2*pi*sqrt(length/gravity)"),
        ("because", "small angles"),
        ("source", "Huygens 1673"),
        ("when", "swing < 0.3"),
        ("when", "n > 1"),
        ("holds", "within 0.03"),
        ("where", "period [s]"),
        ("where", "length [m]  of the string"),
        ("where", "gravity [m/s**2]"),
        ("where", "swing [radian]"),
        ("where", "n [1]"),
    ]


def test_a_profile_is_told_value_by_value_with_the_sources():
    ((heading, lines),) = entries(LIBRARY, "clock")
    assert heading == "profile clock"
    assert lines == [
        ("length", "0.994 m  (measured: a ruler)"),
        ("swing", "0.05..0.1 radian  (assumed: the relation file)"),
    ]


def test_all_that_bear_a_name_are_told():
    assert [heading for heading, _ in entries(LIBRARY, "period")] == ["quantity period", "relation period"]
    assert [heading for heading, _ in entries(LIBRARY, "length")] == ["quantity length", "profile length"]


def test_a_name_that_nothing_bears_is_answered_with_its_like():
    with pytest.raises(UnknownNameError) as caught:
        entries(LIBRARY, "smal_swing")
    assert str(caught.value) == "There is no entry 'smal_swing'. Did you mean small_swing?"


def test_data_hold_the_same_facts():
    quantities = {entry["name"]: entry for entry in as_data(LIBRARY, "quantities")}
    assert quantities["gravity"] == {
        "name": "gravity",
        "unit": "m/s**2",
        "meaning": "",
        "latex": "",
        "domain": "positive",
        "default": "9.80665 m/s**2",
    }
    assert quantities["length"]["default"] is None
    relations = {entry["name"]: entry for entry in as_data(LIBRARY, "relations")}
    assert relations["small_swing"] == {
        "name": "small_swing",
        "equation": "period = 2*pi*sqrt(length/gravity)",
        "because": "small angles",
        "source": "Huygens 1673",
        "when": ["swing < 0.3", "n > 1"],
        "approximate": 0.03,
        "quantities": ["period", "length", "gravity", "swing", "n"],
    }
    assert relations["period"]["approximate"] is None
    assert as_data(LIBRARY, "profiles")[0] == {
        "name": "clock",
        "values": {
            "length": {"value": "0.994 m", "kind": "measured", "source": "a ruler"},
            "swing": {"value": "0.05..0.1 radian", "kind": "assumed", "source": "the relation file"},
        },
    }


@pytest.mark.parametrize("library", [LIBRARY, derive.llm], ids=["pendulum", "built in"])
@pytest.mark.parametrize("kind", KINDS)
def test_data_are_json_and_name_every_entry(library, kind):
    data = json.loads(json.dumps(as_data(library, kind)))
    assert [entry["name"] for entry in data] == list(getattr(library, kind))


@pytest.mark.parametrize("name", [*LIBRARY.quantities, *LIBRARY.relations, *LIBRARY.profiles])
def test_no_line_of_an_entry_is_empty(name):
    for heading, lines in entries(LIBRARY, name):
        assert heading.endswith(f" {name}")
        assert all(label and text == text.strip() for label, text in lines)


def test_a_profile_says_which_of_its_values_nothing_here_asks_for():
    chip = Profile("chip", {"length": read_value("3 m"), "watts": read_value("3 W")})
    library = Library([], LIBRARY.quantities.values(), [chip])
    ((_, lines),) = entries(library, "chip")
    told = dict(lines)
    assert "no quantity" not in told["length"]
    assert told["watts"].endswith("[no quantity of this library]")


# By unit, and of every kind at once


@pytest.mark.parametrize("words", ["tokens per second", "USD/Mtoken", "byte/s/chip", "dollars per hour"])
def test_a_unit_finds_what_is_measured_in_it(words):
    from quantities.spelling import parse_unit

    names = {row[1] for row in matching(derive.llm, words)[1:] if row[0] == "quantity"}
    alike = {name for name, one in derive.llm.declared.items() if one.dimension == parse_unit(words).dimension}
    assert len(names & alike) >= min(15, len(alike))


def test_what_bears_the_words_comes_first_unless_they_are_written_as_a_unit():
    assert matching(derive.llm, "tokens per second")[1][1] == "throughput"
    rows = matching(derive.llm, "USD/Mtoken")[1:]
    assert [row[2] for row in rows[:5]] == ["USD/Mtoken"] * 5
    assert len({row[:2] for row in rows}) == len(rows)


def test_a_list_without_a_kind_finds_as_find_does():
    for words in (["kv", "cache"], ["TPOT"], ["USD/Mtoken"], ["kitchen", "sink"]):
        assert ask("list", *words) == ask("find", *words)
        assert ask("list", *words, "--json") == ask("find", *words, "--json")
    assert "Did you mean relations?" in ask("list", "relation", "kv").err
