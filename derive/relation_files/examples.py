"""Examples of a relation file: questions with known answers, each with its source.

    [examples.seconds_pendulum]
    given.length = "0.994 m"
    asked = "period"
    expected = "2.00 s"
    source = "a table of pendulums"

An example is a test of the relations. `derive check` runs it; `load` does not, so that examples cost nothing there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from derive.relation_files.keys import EXAMPLE
from derive.relation_files.notes import Notes

__all__ = ["Example", "stated_example"]


@dataclass(frozen=True, slots=True)
class Example:
    """A question and its expected answer: a value, a range, a bound, that there is none; or several values."""

    name: str
    asked: str
    profiles: tuple[str, ...]
    given: Mapping[str, str]
    expected: tuple[str, ...]
    source: str = ""
    meaning: str = ""


def stated_example(notes: Notes, name: str, table: Mapping[str, Any]) -> Example | None:
    """An example as its table states it; None if there is a problem with it."""
    where = ("examples", name)
    before = len(notes.errors)
    notes.keys(name, where, table, EXAMPLE)
    texts = {key: notes.text(name, where, table, key) for key in ("asked", "source", "meaning")}
    for key in ("asked", "expected"):
        if key not in table:
            notes.complain(name, where, f"the example has no '{key}'.", _HINTS[key])
    profiles, given = table.get("profiles", []), table.get("given", {})
    expected = table.get("expected", "")
    wanted = [expected] if isinstance(expected, str) else expected
    if not _are_texts(profiles):
        notes.complain(name, (*where, "profiles"), "'profiles' is not a list of strings.", 'Write profiles = ["name"].')
    if not isinstance(given, dict) or not _are_texts(list(given.values())):
        notes.complain(
            name, (*where, "given"), "'given' is not a table of strings.", 'Write given = { length = "1 m" }.'
        )
    if not _are_texts(wanted):
        notes.complain(name, (*where, "expected"), "'expected' is not a string.", _HINTS["expected"])
    if len(notes.errors) > before:
        return None
    return Example(name, texts["asked"], tuple(profiles), given, tuple(wanted), texts["source"], texts["meaning"])


_HINTS = {
    "asked": 'Add asked = "period".',
    "expected": 'Add expected = "2.00 s", or "1..2 s", "at least 1 s", "impossible", or a list of all answers.',
}


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)
