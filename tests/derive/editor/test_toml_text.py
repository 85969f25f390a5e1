"""The scan of a TOML text finds what the TOML reader reads, where it stands, also in texts that are half-typed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
import quantities
from derive.relation_files.toml_text import TomlText

FILES = sorted(
    [
        *(Path(derive.__file__).parent / "tokens" / "relations").glob("*.toml"),
        *(Path(quantities.__file__).parent / "vocabulary").glob("*.toml"),
    ]
)
TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in FILES}
ODD = r'''
title = "a \"quoted\" µ title \u00b5"   # a comment with "quotes" and = signs
source = 'C:\plain'
[quantities."odd name"]
unit = """
m/s"""
meaning = """\
   folded"""
aliases = ["one", 'two',   # three
  "four",
]
[relations]
a.equation = "x = y"
b = { equation = "y = z", when = ["x > 0", "x < 3"] }
[[lists]]
x = "1"
[[lists]]
x = "2"
'''


def plain(data):
    """What the scan knows of data: texts, numbers, lists of texts and tables."""
    if isinstance(data, dict):
        return {key: plain(held) for key, held in data.items()}
    return data


@pytest.mark.parametrize("text", [*TEXTS.values()], ids=[*TEXTS])
def test_it_reads_what_the_toml_reader_reads(text) -> None:
    assert TomlText(text).data() == plain(tomllib.loads(text))


def test_it_reads_every_form_of_a_string() -> None:
    text = ODD.replace("[[lists]]\n", "[lists.a]\n", 1).replace("[[lists]]\n", "[lists.b]\n")
    assert TomlText(text).data() == tomllib.loads(text)


@given(st.sampled_from([*TEXTS.values(), ODD, ODD.replace("\n", "\r\n")]), st.data())
def test_every_character_stands_where_it_is_said_to(text, data) -> None:
    cut = data.draw(st.integers(0, len(text)))
    text = text[:cut]
    toml = TomlText(text)
    for entry in toml.entries:
        for i, (start, end) in enumerate(entry.keys):
            assert text[start:end] == entry.path[len(entry.path) - len(entry.keys) + i]
        if entry.string is not None:
            places = entry.string.places
            assert list(places) == sorted(places)
            assert len(places) == len(entry.string.value) + 1
            for char, place in zip(entry.string.value, places, strict=False):
                assert char == text[place] or text[place] == "\\"


@given(st.sampled_from([*TEXTS.values()]), st.data())
def test_a_cut_loses_nothing_of_what_stands_before_the_line_that_is_cut(text, data) -> None:
    cut = data.draw(st.integers(0, len(text)))
    whole, part = TomlText(text), TomlText(text[:cut])
    before = text.rfind("\n", 0, cut) + 1
    known = [entry for entry in whole.entries if entry.start < before and _end(entry) < before]
    assert known == [entry for entry in part.entries if entry.start < before and _end(entry) < before]


def _end(entry):
    return entry.string.span[1] if entry.string else max([end for _, end in entry.keys], default=entry.start)


@given(st.text(alphabet="[]{}=.,\"'\\#\n x3", max_size=40))
def test_any_text_is_gone_through(text) -> None:
    toml = TomlText(text)
    assert isinstance(toml.data(), dict)
    for offset in range(len(text) + 1):
        toml.table_at(offset)
        toml.key_at(offset)
        toml.string_at(offset)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\r"), max_size=20))
def test_what_is_written_between_quotes_reads_back(value) -> None:
    string = TomlText('x = "old"').entries[0].string
    text = f'x = "{string.written(value)}"'
    if all(char >= " " or char in "\n\t" for char in value) and "\x7f" not in value:
        assert tomllib.loads(text) == {"x": value}
        assert TomlText(text).data() == {"x": value}
