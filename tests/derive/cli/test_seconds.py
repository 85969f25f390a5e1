"""`--seconds` limits a command, whichever verb computes."""

from __future__ import annotations

import pytest

from derive import time_limits
from derive.cli import cli
from tests.derive.terminal import ask, settle

ENDLESS = "y = " + " + ".join(f"sin({i}*x)*x{i}" for i in range(1, 60))
FILE = (
    '[quantities]\nx = { unit = "1" }\ny = { unit = "1" }\n'
    + "".join(f'x{i} = {{ unit = "1", value = "1" }}\n' for i in range(1, 60))
    + f'[relations.r]\nequation = "{ENDLESS}"\n'
)
COMPUTING = (
    *(
        "solve",
        "sweep",
        "sample",
        "least",
        "most",
        "front",
        "border",
        "compare",
        "formula",
        "reach",
        "graph",
        "compile",
    ),
    *("page", "check", "find", "list", "show", "report", "audit", "infer"),
)


@pytest.mark.parametrize("verb", COMPUTING)
def test_every_verb_that_computes_takes_a_limit(verb):
    assert "--seconds" in [name for option in cli.commands[verb].params for name in option.opts]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a file that was just opened
@pytest.mark.parametrize("asked", [("solve", "x", "y=0.3"), ("solve", "x", "y=0.3", "--all", "--json")])
def test_a_command_ends_when_its_time_is_over(tmp_path, monkeypatch, asked):
    settle(tmp_path, {"waves.toml": FILE}, monkeypatch)
    monkeypatch.setattr(time_limits, "_WALL", 1)
    done = ask(*asked, "--library", "waves.toml", "--seconds", "0.01")
    assert done.status == 1
    assert "The question took longer than 0.01 s." in done.err
    assert "--seconds 0.06" in done.err


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # of a file that was just opened
def test_a_search_that_runs_out_of_time_claims_no_proof(tmp_path, monkeypatch):
    """It may have met a point by then, which is told as what was found."""
    settle(tmp_path, {"waves.toml": FILE}, monkeypatch)
    monkeypatch.setattr(time_limits, "_WALL", 1)
    done = ask("least", "y", "x=1..900", "--library", "waves.toml", "--seconds", "0.01")
    if done.status == 1:
        assert "The question took longer than 0.01 s." in done.err
    else:
        assert (done.status, "not proved: the best that was found" in done.out) == (0, True)


def test_what_takes_less_is_answered(tmp_path, monkeypatch):
    settle(tmp_path, {"waves.toml": FILE}, monkeypatch)
    done = ask("solve", "y", "x=1", "--library", "waves.toml", "--seconds", "500")
    assert done.out.startswith("y = "), done.err


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "nan"])
def test_what_is_no_time_is_refused(tmp_path, monkeypatch, seconds):
    settle(tmp_path, {"waves.toml": FILE}, monkeypatch)
    assert ask("solve", "y", "x=0", "--library", "waves.toml", "--seconds", seconds).status == 2
