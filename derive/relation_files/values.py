"""Values, profiles and worked examples as a relation file states them.

A profile is a table of values, in the form of the built-in ones: `title` and `note` say what it is, and `source`,
`as_of` and `kind` apply to every value that does not state its own. A value may have a `range` and a `reason` for it,
and may depend on a choice: `peak_compute.fp8` belongs to the profile `my-chip:fp8`. If a quantity has one of these
names, its value is meant.

An example is a question with a known answer and its source:

    [examples.seconds_pendulum]
    given.length = "0.994 m"
    asked = "period"
    expected = "2.00 s"
    source = "a table of pendulums"

It is a test of the relations. `derive check` runs it; `load` does not, so that examples cost nothing there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from derive.errors import unknown
from derive.model.repairs import Vocabulary
from derive.relation_files.keys import EXAMPLE, PROFILE, SHARED, VALUE
from derive.relation_files.sources import SEARCHED, KeyPath, Notes, within
from quantities.declaration import Declaration, read_given
from quantities.definitions import define
from quantities.dimension import Dimension
from quantities.facts import Profile, by_choice
from quantities.value import KINDS, OTHERWISE, Source, Value, read_value

__all__ = ["Example", "stated_default", "stated_example", "stated_profiles", "stated_unit"]


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


_NEW = "dimension"  # the definition of a unit that is not made of others

_NAME = re.compile(r"[A-Za-z_]+")


def stated_unit(notes: Notes, name: str, meaning: Any) -> None:
    """A unit of the file's own: EUR = "1.08 USD", or widget = "dimension" for a thing that is counted.

    From then on it is known in the whole process, with one meaning (`quantities.definitions`).
    """
    where: KeyPath = ("units", name)
    example = f'Write {name} = "1.08 USD", or {name} = "{_NEW}" for what is made of no other unit.'
    if not isinstance(meaning, str):
        notes.complain(name, where, "a unit is defined by a string.", example)
    elif not _NAME.fullmatch(name):
        notes.complain(name, where, "it cannot name a unit.", "Write it in letters: EUR, widget.")
    elif meaning.strip() == _NEW:
        _define(notes, name, Fraction(1), None)
    else:
        value = notes.attempt(name, where, lambda: read_value(meaning))
        if value is None:
            return
        if value.is_range or not value.number > 0 or value.unit.offset:
            notes.complain(name, where, f"{meaning} cannot be the size of a unit.", example)
        else:
            _define(notes, name, Fraction(repr(value.number)) * value.unit.size, value.unit.dimension)


def _define(notes: Notes, name: str, factor: Fraction, dimension: Dimension | None) -> None:
    met = define(name, factor, dimension, notes.document.label or "a text that was read before")
    if met:
        hint = f"Choose another name, such as own_{name}: a unit keeps its meaning while the process lives."
        notes.complain(name, ("units", name), f"this unit is defined {met}, with another meaning.", hint)


def stated_profiles(
    notes: Notes, name: str, table: Mapping[str, Any], vocabulary: Vocabulary, broken: set[str]
) -> list[Profile]:
    """A profile, and one for each choice that it leaves open; none if there is a problem with it."""
    known, where = vocabulary.quantities, ("profiles", name)
    before = len(notes.errors)
    said = {key: notes.text(name, where, table, key) for key in PROFILE if key in table and key not in known}
    shared = shared_by_all(notes) | {key: said[key] for key in SHARED if key in said}
    values: dict[str, dict[str, Value]] = {"": {}}
    for key, entry in table.items():
        if key in said or key in broken:
            continue
        if key not in known:
            error = (vocabulary if len(notes.errors) < SEARCHED else vocabulary.brief).unknown(key)
            notes.note((*where, key), within(name, error))
            continue
        for choice, part in _by_choice(entry).items():
            place = (*where, key, choice) if choice else (*where, key)
            value = _stated(notes, f"{name}, {key}", place, known[key], part, shared)
            if value is not None:
                values.setdefault(choice, {})[key] = value
    plain = partial(Profile, name, values.pop(""), said.get("title", ""), said.get("note", ""))
    chosen = [partial(Profile, f"{name}:{choice}", held) for choice, held in values.items()]
    made = [notes.attempt("", where, making) for making in (plain, *chosen)]
    return [profile for profile in made if profile is not None] if len(notes.errors) == before else []


def _by_choice(entry: Any) -> Mapping[str, Any]:
    """What is stated of a quantity for each choice, or under an empty name if there are none."""
    if not by_choice(entry) or not entry:
        return {"": entry}
    meant = any(
        key in VALUE or unknown("key", key, tuple(VALUE)).suggestions for key in entry
    )  # a word of a value, misspelt
    return {"": entry} if meant else entry


def _stated(
    notes: Notes, name: str, where: KeyPath, quantity: Declaration, entry: Any, shared: Mapping[str, str]
) -> Value | None:
    stated = entry if isinstance(entry, dict) else {"value": entry}
    notes.keys(name, where, stated, VALUE)
    return _value(notes, name, where, quantity, {**shared, **stated})


def shared_by_all(notes: Notes) -> dict[str, str]:
    """What the file states for all of its values."""
    data = notes.document.data
    return {key: data[key] for key in SHARED if isinstance(data.get(key), str)}


def stated_default(
    notes: Notes, name: str, where: KeyPath, quantity: Declaration, table: Mapping[str, Any]
) -> Value | None:
    """The default of a quantity: its `value` or its `otherwise`; or None and a problem.

    With a `reason`, an answer that uses `otherwise` says so among its assumptions.
    """
    if "otherwise" not in table:
        return _value(notes, name, where, quantity, {**shared_by_all(notes), **table})
    if beside := [key for key in VALUE if key in table and key != "reason"]:
        hint = "Leave one out: a value is used unless one is stated, and `otherwise` where no relation gives one."
        notes.complain(name, (*where, "otherwise"), f"it has both 'otherwise' and '{beside[0]}'.", hint)
        return None
    found = _value(notes, name, where, quantity, {"value": table["otherwise"]})
    return None if found is None else found.sourced(replace(OTHERWISE, note=notes.text(name, where, table, "reason")))


def _value(notes: Notes, name: str, where: KeyPath, quantity: Declaration, table: Mapping[str, Any]) -> Value | None:
    """A value with its source, or None and a problem."""
    if "value" not in table:
        notes.complain(name, where, "it has no value.", f'Add value = "3 {quantity.unit}".')
        return None
    source = _source(notes, name, where, table)
    stated = table["value"]
    if source is None:
        return None
    if isinstance(stated, (bool, list, dict)) or not isinstance(stated, (str, int, float)):
        kind = "a table" if isinstance(stated, dict) else f"a {type(stated).__name__}"
        said = f"'{stated}'" if isinstance(stated, bool) else kind
        notes.complain(name, (*where, "value"), f"{said} is not a value.", f'Write "3 {quantity.unit}".')
        return None
    value = notes.attempt(name, (*where, "value"), lambda: read_given(stated, quantity, source))
    ends = notes.text(name, where, table, "range")
    if value is None or not ends:
        return value
    return notes.attempt(name, (*where, "range"), lambda: read_given(value.between(read_value(ends)), quantity))


def _source(notes: Notes, name: str, where: KeyPath, table: Mapping[str, Any]) -> Source | None:
    texts = {key: notes.text(name, where, table, key) for key in ("source", "kind", "date", "as_of", "url", "reason")}
    kind = texts["kind"] or ("published" if texts["source"] else "assumed")
    if kind not in KINDS:
        notes.note((*where, "kind"), within(name, unknown("kind of source", kind, list(KINDS))))
        return None
    said = texts["source"] or notes.document.label or "the relation file"
    return Source(said, kind, texts["url"], texts["date"] or texts["as_of"], texts["reason"])
