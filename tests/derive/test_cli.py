"""The command line says yes with 0, no with 1 and `I do not understand` with 2, in words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

import derive
from derive.cli import main
from tests.derive.terminal import ask, settle

PENDULUM = """\
[quantities]
length = { unit = "m", meaning = "of the string" }
gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
period = { unit = "s" }
[relations.small_swing]
equation = "period = 2*pi*sqrt(length/gravity)"
[profiles.clock]
length = "0.994 m"
[profiles.empty]
"""
WRONG = PENDULUM.replace("sqrt(length/gravity)", "length/gravity")
UNREADABLE = PENDULUM.replace("sqrt(length/gravity)", "sqrt(length/gravity")
UNITLESS = PENDULUM.replace('unit = "s"', 'unit = "sek"')
NAMELESS = PENDULUM.replace("2*pi*sqrt(length", "2*pi*sqrt(lenght")
TOO_LONG = PENDULUM.replace("2*pi", "(" * 60 + "2*pi" + ")" * 60)
ABSENT = "absent.toml"
FILES = {
    "pendulum.toml": PENDULUM,
    "wrong.toml": WRONG,
    "unreadable.toml": UNREADABLE,
    "unitless.toml": UNITLESS,
    "nameless.toml": NAMELESS,
    "long.toml": TOO_LONG,
    "both.toml": WRONG + '[relations.other]\nequation = "period = 2x"\n',
    "more.toml": '[quantities]\nf = { unit = "Hz" }\n[relations.f]\nequation = "f = 1/step_time"\n',
    "clash.toml": '[quantities]\nbatch = { unit = "token" }\n',
    "empty.toml": "",
    "binary.toml": "\x00\x01",
}


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settle(tmp_path, FILES, monkeypatch)


STATUS = [
    (("check",), 0),
    (("check", "pendulum.toml"), 0),
    (("check", "pendulum.toml", "more.toml"), 2),
    (("check", "empty.toml"), 0),
    (("check", "wrong.toml"), 1),
    (("check", "long.toml"), 1),
    (("check", "unreadable.toml"), 2),
    (("check", "unitless.toml"), 2),
    (("check", "nameless.toml"), 2),
    (("check", "both.toml"), 2),
    (("check", "binary.toml"), 2),
    (("check", ABSENT), 2),
    (("check", "."), 2),
    (("check", "pendulum.toml", "wrong.toml"), 1),
    (("check", "wrong.toml", ABSENT), 2),
    (("check", "--json", "pendulum.toml"), 0),
    (("check", "--json", "wrong.toml"), 1),
    (("check", "--json", ABSENT), 2),
    (("list",), 0),
    (("list", "relations"), 0),
    (("list", "profiles", "--library", "pendulum.toml"), 0),
    (("list", "relation"), 2),
    (("list", "--library", ABSENT), 2),
    (("list", "--library", "wrong.toml"), 1),
    (("list", "--add", "more.toml"), 0),
    (("list", "--add", "clash.toml"), 2),
    (("list", "--add", "wrong.toml"), 1),
    (("find", "kv", "time"), 0),
    (("find",), 2),
    (("find", "-h"), 0),
    (("show", "kv_time"), 0),
    (("show", "period", "--library", "pendulum.toml"), 0),
    (("show", "empty", "--library", "pendulum.toml"), 0),
    (("show", "nothing"), 2),
    (("show",), 2),
    (("show", "one", "two"), 2),
    (("chek",), 2),
    (("check", "--jsn"), 2),
    (("list", "--library"), 2),
    (("--help",), 0),
    (("-h",), 0),
    (("check", "-h"), 0),
    (("list", "-h"), 0),
    (("show", "-h"), 0),
    (("--version",), 0),
]


@pytest.mark.ordinary(1)
@pytest.mark.parametrize(("arguments", "status"), STATUS, ids=[" ".join(arguments) for arguments, _ in STATUS])
def test_the_status_tells_yes_no_and_what(arguments, status):
    said = ask(*arguments)
    assert said.status == status, said
    assert "Traceback" not in said.err + said.out
    assert "internal error" not in said.err
    if status:
        assert said.err.strip() or "--json" in arguments
    else:
        assert said.out.strip()
        assert said.err == ""


@pytest.mark.thorough
def test_a_sound_file_is_said_to_be():
    assert ask("check", "pendulum.toml").out == "pendulum.toml: consistent (1 relation over 3 quantities)\n"
    counts = f"{len(derive.llm.relations)} relations over {len(derive.llm.quantities)} quantities"
    assert ask("check").out == f"built-in library: consistent ({counts})\n"


def test_a_misfit_is_told_on_standard_error_with_its_line_and_mend():
    said = ask("check", "wrong.toml")
    assert said.out == ""
    assert said.err == (
        "wrong.toml:6: small_swing: left is s, right is s**2.\n"
        "    left:  period [s]\n"
        "    right: length [m] / gravity [m/s**2]\n"
        "  Take the square root of the right.\n"
    )


def test_every_file_is_checked_though_one_is_wrong():
    said = ask("check", "wrong.toml", "pendulum.toml", "unreadable.toml")
    assert "pendulum.toml: consistent" in said.out
    assert "wrong.toml:6:" in said.err
    assert "unreadable.toml:6:" in said.err


def test_a_missing_file_is_told_in_words():
    assert ask("check", ABSENT).err == (
        "derive: The file 'absent.toml' cannot be read: no such file or directory. "
        "Give the path of a relation file (TOML).\n"
    )


@pytest.mark.parametrize(
    ("files", "problems"),
    [
        (["pendulum.toml"], []),
        (["wrong.toml"], [("wrong.toml", "small_swing", 6)]),
        (["both.toml", "pendulum.toml"], [("both.toml", "small_swing", 6), ("both.toml", "other", 11)]),
        ([ABSENT], [(ABSENT, "", 0)]),
        (["wrong.toml", "unitless.toml"], [("wrong.toml", "small_swing", 6), ("unitless.toml", "", 4)]),
    ],
)
def test_problems_as_data_name_file_relation_line_message_and_hint(files, problems):
    data = json.loads(ask("check", "--json", *files).out)
    assert list(data) == ["problems"]
    assert [(p["file"], p["relation"], p["line"]) for p in data["problems"]] == problems
    for problem in data["problems"]:
        assert set(problem) == {"file", "relation", "line", "message", "hint"}
        assert problem["message"]


@pytest.mark.parametrize("kind", ["quantities", "relations", "profiles"])
def test_a_list_as_data_has_every_entry(kind):
    data = json.loads(ask("list", kind, "--library", "pendulum.toml", "--json").out)
    assert list(data) == [kind]
    library = derive.load(Path("pendulum.toml"))
    assert [entry["name"] for entry in data[kind]] == list(getattr(library, kind))


def test_a_list_is_a_table_with_a_header():
    assert ask("list", "--library", "pendulum.toml").out == (
        "quantity  unit    meaning\nlength    m       of the string\ngravity   m/s**2\nperiod    s\n"
    )


def test_words_find_what_they_name_and_what_it_means():
    rows = [line.split()[:2] for line in ask("find", "TPOT").out.splitlines()[1:]]
    assert rows[0] == ["quantity", "time_per_output_token"]
    kinds = {line.split()[0] for line in ask("find", "h100", "memory", "bandwidth").out.splitlines()[1:]}
    assert kinds >= {"quantity", "profile"}
    assert "relation" in ask("find", "the longest binds").out
    data = json.loads(ask("find", "breadth of the string", "--library", "pendulum.toml", "--json").out)["found"]
    assert [(entry["kind"], entry["name"]) for entry in data] == [("quantity", "length")]
    assert ask("find", "kitchen", "--library", "pendulum.toml").out == "Nothing matches kitchen.\n"


def test_a_list_finds_words_by_their_aliases_and_shows_them():
    assert ask("list", "quantities", "inter-token", "latency").out.splitlines()[1].startswith("time_per_output_token")
    assert re.search(r"also +.*\bITL\b", ask("show", "time_per_output_token").out)


def test_an_empty_list_says_so():
    assert ask("list", "--library", "empty.toml").out == "No quantity is declared.\n"
    assert ask("list", "relations", "--library", "empty.toml").out == "No relation is declared.\n"


def test_a_list_holds_what_mentions_every_word():
    assert ask("list", "quantities", "STRING", "--library", "pendulum.toml").out == (
        "quantity  unit  meaning\nlength    m     of the string\n"
    )
    assert ask("list", "relations", "string", "--library", "pendulum.toml").out == "No relation mentions string.\n"
    data = json.loads(ask("list", "quantities", "string", "--library", "pendulum.toml", "--json").out)
    assert [entry["name"] for entry in data["quantities"]] == ["length"]


@pytest.mark.parametrize("kind", ["quantities", "relations"])
def test_a_long_list_stands_under_headings_and_leaves_nothing_out(kind):
    lines = ask("list", kind, "--add", "more.toml").out.splitlines()
    assert any(line.startswith("The roofline: a step takes the longer of two times") for line in lines)
    names = {line.split()[0] for before, line in pairwise(lines) if line and before}
    assert names >= set(getattr(derive.llm, kind))


def test_an_added_file_stands_beside_the_built_in_library():
    names = [
        entry["name"] for entry in json.loads(ask("list", "relations", "--add", "more.toml", "--json").out)["relations"]
    ]
    assert names == [*derive.llm.relations, "f"]
    names = json.loads(ask("list", "relations", "--library", "pendulum.toml", "--json").out)["relations"]
    assert [entry["name"] for entry in names] == ["small_swing"]


def test_an_added_file_may_not_mean_something_else():
    said = ask("list", "--add", "clash.toml")
    assert said.err.startswith("derive: The quantity batch is declared twice with two meanings")


def test_an_entry_is_shown_under_its_heading():
    assert ask("show", "small_swing", "--library", "pendulum.toml").out == (
        "relation small_swing\n"
        "  states  period = 2*pi*sqrt(length/gravity)\n"
        "  where   period [s]\n"
        "  where   length [m]  of the string\n"
        "  where   gravity [m/s**2]\n"
    )


def test_an_entry_as_data_is_found_under_each_kind():
    data = json.loads(ask("show", "kv_time", "--json").out)
    assert list(data) == ["quantities", "relations", "profiles", "reports", "libraries"]
    assert [[entry["name"] for entry in entries] for entries in data.values()] == [["kv_time"], ["kv_time"], [], [], []]


def test_reports_are_listed_and_shown_by_their_titles():
    assert "A. The roofline" in ask("list", "reports").out
    names = [entry["name"] for entry in json.loads(ask("list", "reports", "--json").out)["reports"]]
    assert [name for name in names if not name.startswith("pages/")][-1] == "volume"
    assert "derive report roofline" in ask("show", "roofline").out


def test_a_misspelt_name_is_answered_with_its_like():
    assert ask("show", "kv_tme").err == "derive: There is no entry 'kv_tme'. Did you mean kv_time?\n"
    assert ask("list", "relation").err == "derive: There is no list 'relation'. Did you mean relations?\n"


@pytest.mark.parametrize(("verb", "meant"), [("chek", "check"), ("lst", "list"), ("shwo", "show"), ("check ", "check")])
def test_a_misspelt_verb_is_answered_with_its_like(verb, meant):
    said = ask(verb)
    assert said.status == 2
    assert f"No such command {verb!r}" in said.err
    assert meant in said.err.split("Error:")[1]


@pytest.mark.parametrize("verb", ["check", "list", "show"])
def test_the_help_of_a_verb_shows_an_example(verb):
    said = ask(verb, "-h")
    assert f"Example:  derive {verb} " in said.out
    assert "--json" in said.out


def test_without_a_verb_the_verbs_are_told():
    said = ask()
    assert all(verb in said.out + said.err for verb in ("check", "list", "show"))


def test_a_defect_is_told_in_words_and_asks_to_be_reported(monkeypatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError("float division by zero")

    monkeypatch.setattr("derive.catalogue.rows", broken)
    said = ask("list")
    assert said.status == 2
    assert said.err.startswith("derive: internal error, ZeroDivisionError: float division by zero\n")
    assert "report" in said.err
    monkeypatch.setenv("DERIVE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        main(["list"])


# The same in a process of its own


def run(
    *arguments: str, program: tuple[str, ...] = (sys.executable, "-m", "derive")
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run([*program, *arguments], capture_output=True, text=True, check=False, env=environment)


def test_the_module_is_the_program():
    done = run("check", "wrong.toml")
    said = ask("check", "wrong.toml")
    assert (done.returncode, done.stdout, done.stderr) == (said.status, said.out, said.err)


@pytest.mark.thorough
def test_a_reader_that_turns_away_is_no_error():
    """`derive list | head -1`: what is not read any more is not missed."""
    program = "from derive.cli import main; main(['list', 'quantities'])"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        err = process.stderr.read()
        process.stderr.close()
        assert process.wait() == 0
    assert err == ""


def test_it_says_how_it_is_cited():
    from importlib.metadata import version

    said = ask("--cite")
    assert (said.status, said.err) == (0, "")
    assert said.out.startswith("@software{derive_engine,\n")
    assert f"version = {{{version('derive-engine')}}}" in said.out
    assert said.out.count("{") == said.out.count("}")
