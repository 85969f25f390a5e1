"""The table of verbs: every row has its function with its help, its place in the overview, and its doors."""

from __future__ import annotations

from inspect import signature

import pytest

from derive.assistants.tools import Tools
from derive.cli import cli
from derive.verbs import GROUPS, VERBS
from tests.derive.terminal import ask

NAMES = [verb.name for verb in VERBS]
TAKEN = {"target", "given", "unit", "each", "replaced", "added", "output", "digits", "strict", "as_json", "profiles"}


def test_the_overview_names_every_verb_once_and_cuts_nothing():
    lines = ask("--help").out.splitlines()
    told = [line.split()[0] for line in lines if line.startswith("  ") and line.split()[0] in NAMES]
    assert sorted(told) == sorted(NAMES)
    assert all(f"{group}:" in lines for group in GROUPS)
    assert max(map(len, lines)) <= 80
    assert not any(line.startswith("  ") and line.endswith("...") for line in lines)
    assert len(lines) <= 50


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_a_row_has_its_function_which_takes_what_its_parameters_say(verb):
    assert verb.group in GROUPS
    assert verb.examples
    assert all(example.startswith(f"derive {verb.name}") for example in verb.examples)
    assert verb.function.__doc__
    takes = signature(verb.function).parameters
    own = {parameter.name for parameter in verb.parameters} - {"force"}
    if verb.is_question:
        own = (own - TAKEN) | {"asked"}
    elif "replaced" in own:
        own = (own - {"replaced", "added"}) | {"sources"}
    assert own <= takes.keys() or "options" in takes
    assert takes.keys() - {"options"} <= own
    assert cli.commands[verb.name].params[: len(verb.parameters)] == list(verb.parameters)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.tool], ids=lambda verb: verb.name)
def test_a_tool_of_an_assistant_has_its_method(verb):
    assert callable(getattr(Tools, verb.name))
