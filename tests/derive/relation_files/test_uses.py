"""A file builds on others: given what they declare, its relations stand over it, and all are one library."""

from __future__ import annotations

import pytest

import derive
from derive import DeriveError, ExpressionError, UnknownNameError

LENGTHS = '[quantities]\nlength = { unit = "m" }\nside = { unit = "m" }\n'
AREAS = """uses = ["lengths.toml"]
[quantities]
area = { unit = "m**2" }
[relations]
square = { equation = "area = side**2" }
"""
ROOMS = """uses = ["llm"]
[quantities]
rooms = { unit = "" }
[relations]
rooms = { equation = "rooms = chips/(8*one_chip)" }
"""


@pytest.fixture
def folder(tmp_path):
    def write(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.toml").write_text(text)
        return tmp_path

    return write


def test_a_file_speaks_of_what_the_files_that_it_uses_declare(folder):
    home = folder(lengths=LENGTHS, areas=AREAS)
    library = derive.load(home / "areas.toml")
    assert [*library.relations] == ["square"]
    assert {*library.declared} == {"length", "side", "area"}
    assert library.solve("side", area="9 m**2").value.magnitude == pytest.approx(3)
    assert derive.check(home / "areas.toml") == []


def test_a_file_that_several_use_is_read_once_and_counts_before_them(folder):
    volumes = 'uses = ["lengths.toml", "areas.toml"]\n[quantities]\nvolume = { unit = "m**3" }\n'
    volumes += '[relations]\ncube = { equation = "volume = area*length" }\n'
    whole = 'title = "Solids"\nuses = ["volumes.toml", "areas.toml"]\n'
    library = derive.load(folder(lengths=LENGTHS, areas=AREAS, volumes=volumes, whole=whole) / "whole.toml")
    assert [*library.relations] == ["square", "cube"]
    assert library.title == "Solids"


def test_a_file_may_lie_in_another_folder(folder):
    home = folder(areas=AREAS.replace("lengths.toml", "parts/lengths.toml"))
    (home / "parts").mkdir()
    (home / "parts" / "lengths.toml").write_text(LENGTHS)
    assert "side" in derive.load(home / "areas.toml").declared


def test_an_installed_library_is_used_by_its_name():
    library = derive.load(ROOMS)
    assert library.solve("rooms", chips="64 chip").value.magnitude == pytest.approx(8)
    assert library.profile("h100-sxm:fp8").values["peak_compute"].number > 0
    assert [*library.relations][:-1] == [*derive.llm.relations]


@pytest.mark.parametrize(
    ("areas", "told"),
    [
        (AREAS.replace("lengths.toml", "length.toml"), "there is no file length.toml. Give its path"),
        (AREAS.replace('["lengths.toml"]', '"lengths.toml"'), "'uses' is not a list of strings. Write uses = "),
        (AREAS.replace('"lengths.toml"', "3"), "'uses' is not a list of strings"),
        (AREAS.replace("lengths.toml", "areas.toml"), "areas.toml uses this file in turn"),
        (AREAS.replace("lengths.toml", "broken.toml"), "broken.toml has 1 problem, on line 2: x: unit 'metr'"),
        (AREAS.replace("lengths.toml", "lmm"), "There is no library 'lmm'. There are beams, "),
    ],
)
def test_what_cannot_be_used_is_named_with_its_line_and_the_mend(folder, areas, told):
    home = folder(lengths=LENGTHS, areas=areas, broken='[quantities]\nx = { unit = "metr" }\n')
    with pytest.raises(DeriveError) as caught:
        derive.load(home / "areas.toml")
    assert told in " ".join(str(caught.value).split())
    problems = derive.check(home / "areas.toml")
    assert problems[0].line == 1
    assert problems[0].hint


def test_two_files_that_declare_a_name_differently_clash(folder):
    home = folder(lengths=LENGTHS, feet='[quantities]\nside = { unit = "ft" }\n', areas=AREAS)
    (home / "both.toml").write_text('uses = ["areas.toml", "feet.toml"]\n')
    with pytest.raises(ExpressionError, match="side is declared twice with two meanings"):
        derive.load(home / "both.toml")


def test_what_a_file_says_of_its_sources_holds_until_an_entry_names_its_own():
    library = derive.load("""
        source = "a handbook"
        kind = "assumed"
        [quantities]
        a = { unit = "m", value = "2 m" }
        b = { unit = "m", value = "3 m", source = "a ruler", kind = "measured" }
        [relations]
        first = { equation = "a = b" }
        second = { equation = "a <= 2*b", source = "a letter" }
    """)
    assert [relation.source for relation in library.relations.values()] == ["a handbook", "a letter"]
    first, second = (library.declared[name].default.source for name in "ab")
    assert (first.text, first.kind, second.text, second.kind) == ("a handbook", "assumed", "a ruler", "measured")


def test_a_default_that_stands_in_counts_where_no_relation_leads_to_its_quantity():
    text = """
        [quantities]
        share = {{ unit = "", {} = "1" }}
        used = {{ unit = "byte" }}
        whole = {{ unit = "byte" }}
        read = {{ unit = "byte" }}
        [relations]
        share = {{ equation = "share = used/whole" }}
        read = {{ equation = "read = share*whole" }}
    """
    library = derive.load(text.format("otherwise"))
    assert library.solve("read", whole="8 byte").value.magnitude == pytest.approx(8)
    assert library.solve("read", whole="8 byte", used="2 byte").value.magnitude == pytest.approx(2)
    with pytest.raises(ExpressionError, match="both 'otherwise' and 'value'"):
        derive.load('[quantities]\nx = { unit = "", otherwise = "1", value = "2" }\n')
    with pytest.raises(UnknownNameError, match="Did you mean otherwise"):
        derive.load('[quantities]\nx = { unit = "", otherwhise = "1" }\n')
