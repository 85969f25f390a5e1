"""Every table and key of a TOML text knows its line."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from derive.relation_files.file_text import key_lines
from tests.ordinary import examples

CASES = {
    "a table and its keys": ("[a]\nx = 1\ny = 2", {("a",): 1, ("a", "x"): 2, ("a", "y"): 3}),
    "keys without a table": ("x = 1\n\ny = 2", {("x",): 1, ("y",): 3}),
    "a dotted table": ("\n[a.b]\nx = 1", {("a",): 2, ("a", "b"): 2, ("a", "b", "x"): 3}),
    "a dotted key": ("[a]\nb.c.d = 1", {("a",): 1, ("a", "b"): 2, ("a", "b", "c"): 2, ("a", "b", "c", "d"): 2}),
    "a quoted key": ('["a b"]\n"c.d" = 1\n\'e\' = 2', {("a b",): 1, ("a b", "c.d"): 2, ("a b", "e"): 3}),
    "blanks about": ("  [ a . b ]\n\tx\t=\t1", {("a",): 1, ("a", "b"): 1, ("a", "b", "x"): 2}),
    "a list of tables": ("[[a]]\nx = 1", {("a",): 1, ("a", "0"): 1, ("a", "0", "x"): 2}),
    "lists in lists": (
        "[[a]]\n[[a.b]]\nx = 1\n[[a]]\n[[a.b]]\nx = 2",
        {
            ("a",): 1,
            ("a", "0"): 1,
            ("a", "0", "b"): 2,
            ("a", "0", "b", "0"): 2,
            ("a", "0", "b", "0", "x"): 3,
            ("a", "1"): 4,
            ("a", "1", "b"): 5,
            ("a", "1", "b", "0"): 5,
            ("a", "1", "b", "0", "x"): 6,
        },
    ),
    "comments": ("# x = 1\n[a] # b = 2\nx = 1 # [c]", {("a",): 2, ("a", "x"): 3}),
    "an inline table": ("[a]\nx = { y = 1 }\nz = 2", {("a",): 1, ("a", "x"): 2, ("a", "z"): 3}),
    "a text over lines": (
        '[a]\nx = """\ny = 1\n[b]\n"""\nz = 2',
        {("a",): 1, ("a", "x"): 2, ("a", "z"): 6},
    ),
    "a literal text over lines": ("x = '''\ny = 1\n'''\nz = 2", {("x",): 1, ("z",): 4}),
    "a text over lines on one": ('x = """y"""\nz = 2', {("x",): 1, ("z",): 2}),
    "one kind of quotes in the other": ('x = """\n\'\'\'\ny = 1\n"""\nz = 2', {("x",): 1, ("z",): 5}),
    "quotes in a comment": ('# """ is how a long text begins\nx = 1\ny = 2', {("x",): 2, ("y",): 3}),
    "quotes behind a value": ("x = 1 # '''\ny = 2", {("x",): 1, ("y",): 2}),
    "quotes inside a text": ("x = \"''' and so on\"\ny = 2", {("x",): 1, ("y",): 2}),
    "an apostrophe in a comment": ("x = 1 # the user's own\ny = 2", {("x",): 1, ("y",): 2}),
    "a list over lines": ('[a]\nx = [\n  "y < 1",\n  "z = 2",\n]\nw = 3', {("a",): 1, ("a", "x"): 2, ("a", "w"): 6}),
    "nothing": ("", {}),
}


@pytest.mark.parametrize("case", CASES)
def test_each_key_is_found_on_its_line(case):
    text, expected = CASES[case]
    assert key_lines(text) == expected


KEYS = st.from_regex(r"[a-z_][a-z0-9_]{0,5}", fullmatch=True)
VALUES = st.sampled_from(
    ["1", "true", '"x = 1"', "'[b]'", "[1, 2]", "{ unit = 'm' }", '"""x\ny = 2\n[c]"""', "1e3 # c"]
)
BETWEEN = st.sampled_from(["", "\n", "# x = 1\n", "\n\n  # it's\n"])
SECTION = st.tuples(KEYS, st.dictionaries(KEYS, st.tuples(VALUES, BETWEEN), max_size=4))


@pytest.mark.thorough
@examples(200)
@given(st.lists(SECTION, max_size=4, unique_by=lambda section: section[0]))
def test_every_key_is_found_where_it_was_put(sections):
    rows, expected = [], {}
    for table, keys in sections:
        rows.append(f"[{table}]\n")
        expected[(table,)] = "".join(rows).count("\n")
        for key, (text, between) in keys.items():
            rows.append(between)
            expected[(table, key)] = "".join(rows).count("\n") + 1
            rows.append(f"{key} = {text}\n")
    text = "".join(rows)
    assert {(table, key) for table, keys in tomllib.loads(text).items() for key in keys} < {*expected, ()}
    assert key_lines(text) == expected
