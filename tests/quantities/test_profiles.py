"""Profiles: named sets of values that nobody can change."""

from __future__ import annotations

import copy
import pickle

import pytest

from quantities.errors import ExpressionError
from quantities.profiles import Profile
from quantities.value import Source, read_value

CLOCK = Profile("clock", {"length": read_value("0.994 m").sourced(Source("local survey", "measured"))})


def test_a_profile_keeps_its_values_whatever_becomes_of_the_mapping_it_was_made_from():
    values = {"length": read_value("1 m")}
    profile = Profile("rod", values)
    values["length"] = read_value("2 m")
    values["mass"] = read_value("1 kg")
    assert dict(profile.values) == {"length": read_value("1 m")}


def test_a_profile_cannot_be_changed():
    with pytest.raises(TypeError):
        CLOCK.values["length"] = read_value("1 m")
    with pytest.raises(AttributeError):
        CLOCK.name = "other"


@pytest.mark.parametrize("name", ["clock", "h100-sxm", "llama-3.1-8b", "8xB200", "a", "a" * 80, "h100:fp8"])
def test_a_profile_bears_a_plain_name(name):
    assert Profile(name, {}).name == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        "-x",
        ".x",
        "a b",
        "h100:",
        ":fp8",
        "h100:fp8:dense",
        "a/b",
        "a\n",
        "a\N{EN DASH}b",
        "\N{CYRILLIC SMALL LETTER HA}",
        "%s",
        "a" * 81,
    ],
)
def test_any_other_name_is_refused(name):
    with pytest.raises(ExpressionError) as caught:
        Profile(name, {})
    assert repr(name[:60])[:-1] in caught.value.what
    assert (caught.value.text, bool(caught.value.hint)) == (name, True)


@pytest.mark.parametrize(
    "travelled", [lambda p: pickle.loads(pickle.dumps(p)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"]
)
def test_a_profile_travels(travelled):
    arrived = travelled(CLOCK)
    assert (arrived, hash(arrived)) == (CLOCK, hash(CLOCK))
    assert arrived.values["length"].source == Source("local survey", "measured")


def test_profiles_are_equal_when_their_names_and_values_are():
    assert Profile("clock", dict(CLOCK.values)) == CLOCK
    assert Profile("clock", {}) != CLOCK
    assert Profile("watch", dict(CLOCK.values)) != CLOCK
    assert len({CLOCK, Profile("clock", dict(CLOCK.values)), Profile("clock", {})}) == 2


def test_a_profile_holds_values_alone():
    with pytest.raises(ExpressionError, match=r"rod, length: a int is not a value\. Write read_value"):
        Profile("rod", {"length": 3})
