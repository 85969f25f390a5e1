"""The schema of relation files admits what the loader reads, and refuses what the loader refuses for its shape."""

from __future__ import annotations

import copy
import datetime
import json
import re
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
import quantities
from derive import DeriveError
from derive.cli import cli
from derive.relation_files import keys
from derive.relation_files.keys import schema

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema comes with the extra test")

VALIDATOR = jsonschema.Draft202012Validator(schema())
BUILT_IN = sorted(
    [
        *(Path(derive.__file__).parent / "tokens" / "relations").glob("*.toml"),
        *(Path(derive.__file__).parent / "engineering").glob("*.toml"),
        *(Path(quantities.__file__).parent / "vocabulary").glob("*.toml"),
    ]
)
PACKAGE = Path(derive.__file__).parent
PAGES = "\n".join(
    path.read_text(encoding="utf-8") for path in (PACKAGE.parent / "README.md", *sorted(PACKAGE.glob("manual/**/*.md")))
)

WHOLE = {
    "title": "A file with every key",
    "source": "a book",
    "as_of": "2026",
    "kind": "published",
    "uses": [],
    "units": {"widget": "dimension"},
    "quantities": {
        "x": {"unit": "", "meaning": "a number", "latex": "x", "domain": "real", "aliases": ["ex"], "value": "3"},
        "y": {"unit": "1", "otherwise": 2.5, "reason": "a guess"},
        "share": {"unit": "", "seen": {"least": "0.1", "most": "0.6", "source": "a survey"}},
        "z": {
            "unit": "",
            "value": 3,
            "range": "2..4",
            "reason": "measured twice",
            "source": "a book",
            "kind": "measured",
            "date": "2026",
            "as_of": "2026",
            "url": "https://example.org",
        },
    },
    "relations": {
        "sum": {
            "equation": "x = y + z",
            "because": "so it is",
            "source": "a book",
            "when": ["x > 0"],
            "approximate": "3 %",
            "neglects": "share",
        },
    },
    "profiles": {
        "p": {
            "title": "a profile",
            "note": "a remark",
            "source": "a book",
            "as_of": "2026",
            "kind": "assumed",
            "x": 3,
            "y": {"value": "2", "source": "a table"},
            "z": {"low": "2", "high": {"value": 3.5}},
        }
    },
    "examples": {
        "e": {
            "asked": "x",
            "given": {"y": "1", "z": "2"},
            "profiles": ["p"],
            "expected": ["3"],
            "source": "a book",
            "meaning": "an example",
        }
    },
}
OTHERS = [3, 2.5, True, [], ["x > 0"], [3], {}, {"a": "3"}, datetime.date(2026, 11, 2), "3"]


def places(data, path=()):
    """Every key of the data, as a path."""
    for key, value in data.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from places(value, (*path, key))


def written(value) -> str:
    """Data as an inline value of TOML."""
    match value:
        case bool():
            return str(value).lower()
        case dict():
            return "{" + ", ".join(f"{json.dumps(key)} = {written(inner)}" for key, inner in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
        case datetime.date():
            return value.isoformat()
    return json.dumps(value)


def document(data) -> str:
    return "".join(f"{json.dumps(key)} = {written(value)}\n" for key, value in data.items())


def is_read(data) -> bool:
    try:
        derive.load(document(data))
    except DeriveError:
        return False
    return True


def is_admitted(data) -> bool:
    return VALIDATOR.is_valid(tomllib.loads(document(data)))


def inside(data, path):
    for key in path:
        data = data[key]
    return data


def test_it_is_a_schema_and_the_command_prints_it() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    printed = CliRunner().invoke(cli, ["schema"])
    assert printed.exit_code == 0
    assert json.loads(printed.output) == schema()


@pytest.mark.parametrize("path", BUILT_IN, ids=lambda path: path.stem)
def test_the_built_in_files_are_admitted(path) -> None:
    messages = [error.message for error in VALIDATOR.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))]
    assert messages == []


def test_the_files_in_the_readme_and_the_manual_are_admitted() -> None:
    blocks = re.findall(r"^```(?:toml|ini)\n(.*?)^```$", PAGES, re.DOTALL | re.MULTILINE)
    blocks += [re.sub(r"^\.\.\. ?", "", text, flags=re.M) for text in re.findall(r"'''\n(.*?)\.\.\. '''", PAGES, re.S)]
    files = [tomllib.loads(block) for block in blocks if re.search(r"^\[(quantities|relations|profiles)", block, re.M)]
    assert len(files) >= 8
    assert [[error.message for error in VALIDATOR.iter_errors(file)] for file in files] == [[]] * len(files)


def test_every_key_has_a_description_and_stands_in_the_whole_file() -> None:
    made = schema()
    tables = [made, *(made["$defs"][name] for name in ("quantity", "relation", "value", "profile", "example"))]
    assert all(said.get("description") for table in tables for said in table["properties"].values())
    used = {key for path in places(WHOLE) for key in path}
    of_tables = (keys.FILE, keys.SECTIONS, keys.QUANTITY, keys.RELATION, keys.VALUE, keys.PROFILE, keys.EXAMPLE)
    assert {key for table in of_tables for key in table} <= used
    assert is_read(WHOLE)
    assert is_admitted(WHOLE)


ANYWHERE = st.sampled_from(sorted(places(WHOLE)))


@pytest.mark.thorough
@given(ANYWHERE, st.sampled_from(OTHERS))
@settings(max_examples=400)
def test_a_part_of_another_kind_is_admitted_where_the_loader_reads_it(path, other) -> None:
    data = copy.deepcopy(WHOLE)
    table = inside(data, path[:-1])
    before = table[path[-1]]
    if (isinstance(before, str) or path[-1] == "when") and isinstance(other, str):
        return  # what a text means is not a matter of shape
    if path in (("uses",), ("profiles", "p"), ("profiles",)) and other in (["x > 0"], {"a": "3"}):
        return  # names that are not declared
    if path in (("quantities",), ("quantities", "x"), ("quantities", "y"), ("quantities", "z")):
        return  # the relations miss what is left out
    table[path[-1]] = other
    assert is_admitted(data) == is_read(data), document(data)


@pytest.mark.thorough
@given(ANYWHERE, st.sampled_from(["valu", "equations", "nonsense", "kinds", "Title"]))
@settings(max_examples=200)
def test_an_unknown_key_is_refused_by_both(path, key) -> None:
    data = copy.deepcopy(WHOLE)
    table = inside(data, path)
    if not isinstance(table, dict) or len(path) != 2 or path[0] == "units":
        table, path = data, ()
    table[key] = "3"
    assert not is_read(data)
    assert path[:1] == ("profiles",) or not is_admitted(data)


@pytest.mark.parametrize("path", [("quantities", "x", "unit"), ("relations", "sum", "equation")], ids=str)
def test_a_needed_key_is_missed_by_both(path) -> None:
    data = copy.deepcopy(WHOLE)
    del inside(data, path[:-1])[path[-1]]
    assert not is_read(data)
    assert not is_admitted(data)


@pytest.mark.parametrize("key", ["asked", "expected"])
def test_an_example_needs_its_question_and_its_answer(key) -> None:
    data = copy.deepcopy(WHOLE)
    del data["examples"]["e"][key]
    assert not is_read(data)
    assert not is_admitted(data)


NAMES = ["pi", "if", "__x", "a b", "3x", "a" * 121, "é", "a.b", "", "_x", "X1", "alpha"]


@pytest.mark.parametrize("section", ["units", "quantities", "relations", "profiles"])
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_is_admitted_where_the_loader_takes_it(section, name) -> None:
    data = copy.deepcopy(WHOLE)
    entry = {"units": "12 widget", "quantities": {"unit": ""}, "relations": {"equation": "x <= y"}, "profiles": {}}
    data[section][name] = entry[section]
    assert is_admitted(data) == is_read(data)
