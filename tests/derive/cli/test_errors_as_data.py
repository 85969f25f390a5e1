"""Where data is asked for, an error is data too: its kind, its sentence, where it is, what it carries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import derive
from tests.derive.terminal import ask, settle

BROKEN = '[quantities]\nx = { unit = "m" }\ny = { unit = "sek" }\n[relations]\nx = { equation = "x = 2x" }\n'
SUM = (
    "[quantities]\n"
    + "".join(f'{name} = {{ unit = "m" }}\n' for name in "aby")
    + '[relations]\ny = { equation = "y = a + b" }\n'
)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, {"broken.toml": BROKEN, "sum.toml": SUM}, monkeypatch)


ASKED = [
    (("solve", "step_time"), 1, "UnderdeterminedError"),
    (("solve", "stp_time"), 2, "UnknownNameError"),
    (("solve", "step_time", "batch=x"), 2, "ExpressionError"),
    (("solve", "step_time", "batch=1 s"), 2, "UnitError"),
    (("solve", "step_time", "batch=-1 sequence"), 2, "DomainError"),
    (("solve", "step_time", "batch"), 2, "UsageError"),
    (("solve", "batch + step_time"), 1, "DimensionError"),
    (("sweep", "step_time"), 2, "UsageError"),
    (("list", "--library", "broken.toml"), 2, "ExpressionError"),
    (("solve", "step_time", "--steeps"), 2, "UsageError"),
    (("reach", "btch"), 2, "UnknownNameError"),
    (("show", "nothing here"), 2, "UnknownNameError"),
    (("audit", "C999"), 2, "UnknownNameError"),
]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("words", "status", "kind"), ASKED, ids=[" ".join(words) for words, _, _ in ASKED])
def test_an_error_has_its_kind_its_sentence_and_its_facts(words, status, kind):
    said = ask(*words, "--json")
    assert (said.status, said.out) == (status, "")
    error = json.loads(said.err)["error"]
    assert list(error) == ["kind", "message", "location", "facts"]
    assert error["kind"] == kind
    assert kind == "UsageError" or issubclass(getattr(derive, kind), derive.DeriveError)
    in_words = ask(*words)
    assert in_words.status == status
    told = [problem["message"] for problem in error["facts"].get("problems", ())] or [error["message"]]
    assert all(one.splitlines()[0] in in_words.err for one in told)


PLACED = [
    ("[quantities]\nx = { unit = 'm' }\n[relations]\nx = { equation = 'x = 2x' }\n", ["4:23:"]),
    (
        "[quantities]\nx = { unit = 'm' }\ny = { unit = 'sek' }\n[relations]\nx = { equation = 'x = 2x' }\n",
        ["3:", "5:"],
    ),
    ("[quantities]\nx = { unit = 'm' }\n[relations]\nx = { equation = 'x = x**2' }\n", ["4:"]),
    ("[quantities", ["1:1:"]),
    ("[quantities]\nx = {}\nwidth = 3\n", ["2:", "3:"]),
]


@pytest.mark.parametrize(("text", "places"), PLACED)
def test_problems_of_a_file_begin_with_their_place_in_it(text, places):
    Path("below").mkdir()
    Path("below/own.toml").write_text(text, encoding="utf-8")
    for words in (
        ("check", "below/own.toml"),
        ("list", "--add", "below/own.toml"),
        ("list", "--library", "below/own.toml"),
    ):
        lines = [line for line in ask(*words).err.splitlines() if not line.startswith(" ")]
        assert [line.split(" ")[0] for line in lines] == [f"below/own.toml:{place}" for place in places]
    assert ask("audit", "--claims", "below/own.toml").err.startswith("below/own.toml:")
    (told,) = [json.loads(ask("list", "--add", "below/own.toml", "--json").err)["error"]]
    assert told["location"]["file"] == "below/own.toml"


def test_the_places_of_all_problems_are_told():
    error = json.loads(ask("list", "--library", "broken.toml", "--json").err)["error"]
    assert error["location"]["file"] == "broken.toml"
    assert [one["line"] for one in error["facts"]["problems"]] == [3, 5]
    error = json.loads(ask("solve", "step_time", "batch=x", "--json").err)["error"]
    assert error["location"] == {"file": None, "line": 1, "column": 1}
    error = json.loads(ask("solve", "stp_time", "--json").err)["error"]
    assert (error["location"], error["facts"]["suggestions"]) == (None, ["step_time"])


def test_what_is_infinite_is_null_as_json_has_no_infinity() -> None:
    """The gap of this contradiction was printed as Infinity, which no other reader of JSON takes."""
    said = ask("solve", "a", "y=3 m", "a=5 m", "--library", "sum.toml", "--json")
    assert json.loads(said.err, parse_constant=pytest.fail)["error"]["facts"]["gap"] is None
