"""The JSON schema of relation files, by which editors complete and check them while they are written.

It is made of the tables of keys by which the loader reads. It knows the shape of a file: which keys a table may have,
and of which kind each is. What a unit, an equation or a name means only the loader knows. Two things that the loader
refuses by what they look like cannot be said in a schema: a word of a value that is misspelt, which looks like the
name of a choice, and a reserved word inside a dotted name.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any

from derive.relation_files.keys import EXAMPLE, FILE, PROFILE, QUANTITY, RELATION, SECTIONS, VALUE, Key, Kind

__all__ = ["schema"]

_Schema = dict[str, Any]

_NAME = "^(?!__)(?!pi$)[A-Za-z_][A-Za-z0-9_]{0,119}$"
_DOTTED = r"^(?!(?:.*\.)?(?:__|pi(?:\.|$)))[A-Za-z_][A-Za-z0-9_]{0,119}(?:\.[A-Za-z_][A-Za-z0-9_]{0,119})*$"
_UNIT = "^[A-Za-z_]+$"
_PROFILE = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}(:[A-Za-z0-9][A-Za-z0-9_.-]{0,79})?$"
_CHOICE = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$"

_TEXT: _Schema = {"type": "string"}
_TEXTS: _Schema = {"type": "array", "items": _TEXT}
_NUMBER: _Schema = {"type": ["string", "number"]}

_KINDS: Mapping[Kind, _Schema] = {
    "text": _TEXT,
    "texts": _TEXTS,
    "text or texts": {"anyOf": [_TEXT, _TEXTS]},
    "value": _NUMBER,
    "givens": {"type": "object", "additionalProperties": _TEXT},
    "seen": {
        "type": "object",
        "properties": {"least": _TEXT, "most": _TEXT, "source": _TEXT},
        "additionalProperties": False,
        "required": ["source"],
        "minProperties": 2,
    },
}


def schema() -> _Schema:
    """The schema, in the dialect of 2020-12.

    >>> schema()["$defs"]["relation"]["required"]
    ['equation']
    """
    entries = {
        "units": _named(_UNIT, {**_TEXT, "description": SECTIONS["units"]}),
        "quantities": _named(_NAME, _reference("quantity")),
        "relations": _named(_DOTTED, _reference("relation")),
        "profiles": _named(_PROFILE, _reference("profile")),
        "examples": {"type": "object", "additionalProperties": _reference("example")},
    }
    top = {name: _of(key) for name, key in FILE.items()}
    sections = {name: {**entries[name], "description": meaning} for name, meaning in SECTIONS.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:derive:relation-file",
        "title": "A relation file of derive",
        "description": "Quantities with units, relations between them, profiles of values, and worked examples.",
        "type": "object",
        "properties": {**top, **sections},
        "additionalProperties": False,
        "$defs": {
            "quantity": _quantity(),
            "relation": _table(RELATION, "A relation between quantities."),
            "value": {**_table(VALUE, "A value with its source."), "required": ["value"]},
            "profile": _profile(),
            "example": _table(EXAMPLE, "A question with a known answer."),
        },
    }


def _of(key: Key) -> _Schema:
    """The schema of what one key holds."""
    said: _Schema = {**_KINDS[key.kind], "description": key.meaning}
    if key.among:
        said["enum"] = ["", *key.among]
    if key.example and key.kind == "text":
        said["examples"] = [key.example]
    return said


def _table(keys: Mapping[str, Key], description: str) -> _Schema:
    needed = [name for name, key in keys.items() if key.needed]
    return {
        "type": "object",
        "description": description,
        "properties": {name: _of(key) for name, key in keys.items()},
        "additionalProperties": False,
        **({"required": needed} if needed else {}),
    }


def _quantity() -> _Schema:
    """A quantity; beside `otherwise` there is nothing of a value's but its reason."""
    said = _table(QUANTITY, "A quantity with its unit.")
    said["properties"]["aliases"]["items"] = {**_TEXT, "pattern": r"[^\W_]"}
    excluded = {name: False for name in VALUE if name != "reason"}
    return {**said, "dependentSchemas": {"otherwise": {"properties": excluded}}}


def _profile() -> _Schema:
    """A profile: what is said of it, and a value for each quantity, or one for each choice."""
    value: _Schema = {"anyOf": [_NUMBER, _reference("value")]}
    choices = {
        "type": "object",
        "description": "A value for each choice: peak_compute.fp8 is that of the profile chip:fp8.",
        "minProperties": 1,
        "propertyNames": {"pattern": _CHOICE, "not": {"enum": [*VALUE]}},
        "additionalProperties": value,
    }
    return {
        "type": "object",
        "description": "A named set of values.",
        "properties": {name: _of(key) for name, key in PROFILE.items()},
        "additionalProperties": {"anyOf": [*value["anyOf"], choices]},
    }


def _named(pattern: str, entry: _Schema) -> _Schema:
    """A table of entries whose names have a pattern; those that stand in equations are no reserved words."""
    names: _Schema = {"pattern": pattern}
    if pattern in (_NAME, _DOTTED):
        names["not"] = {"enum": [*keyword.kwlist]}
    return {"type": "object", "propertyNames": names, "additionalProperties": entry}


def _reference(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}
