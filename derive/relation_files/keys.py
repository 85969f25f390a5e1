"""The keys of a relation file: for each table what it may hold, of which kind, and what that says.

The loader reads by these tables; the schema (`derive schema`) and what an editor offers are made of them.

The JSON schema knows the shape of a file: which keys a table may have, and of which kind each is. What a unit, an
equation or a name means only the loader knows. Two things that the loader refuses by what they look like cannot be said
in a schema: a word of a value that is misspelt, which looks like the name of a choice, and a reserved word inside a
dotted name.
"""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from quantities.value import KINDS

_TextKind = Literal["text", "expression", "share", "quantity", "unit", "domain", "trust", "range"]
Kind = _TextKind | Literal["texts", "libraries", "profiles", "conditions", "answers", "value", "givens", "seen"]
"""What a key holds: a text, and of what kind if the loader reads it too; a list of texts; or a table."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table: the kind of what it holds, what that means, an example, and the words it may be."""

    kind: Kind
    meaning: str
    example: str = ""
    needed: bool = False
    among: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether a schema can show the example, which is written as a text, as what the key holds."""
        return _SCHEMA_OF_KIND[self.kind] is _TEXT


_SOURCE = Key("text", "The source: a paper, a data sheet, a price page, with its section or table.", "a data sheet")
_AS_OF = Key("text", "When it was read or published.", "2026-11")
_KIND = Key("trust", "How far the source can be trusted.", "published", among=KINDS)

SHARED: Mapping[str, Key] = {"source": _SOURCE, "as_of": _AS_OF, "kind": _KIND}
"""What a file, or a profile, may state for all values without their own."""

FILE: Mapping[str, Key] = {
    "title": Key("text", "What the library is about.", "Pendulum"),
    **SHARED,
    "uses": Key(
        "libraries",
        "The files that this one builds on, by their path from it, and installed libraries by name.",
        '["llm", "quantities.toml"]',
    ),
}
"""The keys at the top of a file, before its sections."""

SECTIONS: Mapping[str, str] = {
    "units": 'Units of the file\'s own: euro = "1.08 USD", or widget = "dimension" for a thing that is counted.',
    "quantities": "The quantities: each has a unit, and may have a meaning, a letter, a domain and a default.",
    "relations": "The relations between quantities: each is an equation or an inequality.",
    "profiles": "Named sets of values, which yield to what is stated in a question.",
    "examples": "Questions with known answers, which `derive check` asks.",
}
"""The sections of a file, each a table of named entries."""

VALUE: Mapping[str, Key] = {
    "value": Key("value", "The value with its unit; a bare number only where there is no unit.", "9.80665 m/s**2"),
    "range": Key("range", "The range that the value may have.", "9.78..9.83 m/s**2"),
    "reason": Key("text", "Why it is this value, or this range.", "the poles and the equator"),
    "source": _SOURCE,
    "kind": _KIND,
    "date": Key("text", "When the source was read.", "2026-11-02"),
    "as_of": _AS_OF,
    "url": Key("text", "Where the source can be read.", "https://example.org/sheet.pdf"),
}
"""The keys of a value's table."""

QUANTITY: Mapping[str, Key] = {
    "unit": Key("unit", 'The unit; "" for a plain number.', "m/s**2", needed=True),
    "meaning": Key("text", "What it is, in a few words.", "length of the string"),
    "latex": Key("text", "Its letter in formulas, in LaTeX.", "L"),
    "domain": Key(
        "domain",
        "The values that it can have: positive (as it is where nothing is said), nonnegative, real, whole, or an "
        "interval with its unit; `, whole` may follow.",
        "0..6.3 radian",
    ),
    "aliases": Key("texts", "What else it is called: searched and suggested.", '["TPOT", "ITL"]'),
    "otherwise": Key("value", "A default that is used only where no relation gives the quantity.", "8 chip"),
    "seen": Key(
        "seen",
        "What is known to have been reached, and its source: an answer beyond it says so. Least, most or both.",
        '{ most = "0.56", source = "arXiv 2205.05198" }',
    ),
    **VALUE,
}
"""The keys of a quantity's table; those of a value state its default."""

RELATION: Mapping[str, Key] = {
    "equation": Key(
        "expression", "Two sides with =, <= or >= between them.", "period = 2*pi*sqrt(length/gravity)", needed=True
    ),
    "because": Key("text", "Why it holds.", "small-angle limit"),
    "source": _SOURCE,
    "when": Key("conditions", "The conditions under which it holds.", '["swing < 0.3"]'),
    "approximate": Key("text", "The share within which it agrees.", "3 %"),
    "neglects": Key(
        "share",
        "The quantity that is the share left out: of the right side, or `of` another quantity.",
        "drag_share of mass",
    ),
}
"""The keys of a relation's table."""

PROFILE: Mapping[str, Key] = {
    "title": Key("text", "What the profile is.", "a grandfather clock"),
    "note": Key("text", "A remark.", "measured at 20 degC"),
    **SHARED,
}
"""The keys of a profile's table that are not values of quantities."""

EXAMPLE: Mapping[str, Key] = {
    "asked": Key("quantity", "The quantity that is asked for.", "period", needed=True),
    "given": Key("givens", "What is given: a value for each quantity.", '{ length = "0.994 m" }'),
    "profiles": Key("profiles", "The profiles that the question names.", '["clock"]'),
    "expected": Key(
        "answers",
        "What should come out: a number as it is printed, a range, a bound, `impossible`, or a list of all answers.",
        "2.00 s",
        needed=True,
    ),
    "source": _SOURCE,
    "meaning": Key("text", "What the example shows.", "a pendulum that beats seconds"),
}
"""The keys of an example's table."""


def keys_of(path: tuple[str, ...]) -> Mapping[str, Key]:
    """The keys that the table at a path of a relation file may have, beside names of its own."""
    match path:
        case ():
            return FILE
        case ("quantities", _):
            return QUANTITY
        case ("quantities", _, "seen"):
            return {"source": _SOURCE}
        case ("relations", _):
            return RELATION
        case ("profiles", _):
            return PROFILE
        case ("profiles", _, *_):
            return VALUE
        case ("examples", _):
            return EXAMPLE
    return {}


def kind_of(path: tuple[str, ...]) -> Kind:
    """The kind of what stands at a path of a relation file, which is not empty, or in the list whose item it is.

    >>> kind_of(("relations", "swing", "when", "0")), kind_of(("profiles", "clock", "length"))
    ('conditions', 'value')
    """
    match path:
        case ("units", _):
            return "unit"
        case ("examples", _, "given", _):
            return "value"
        case ("profiles", _, _, *_) if path[-1] not in keys_of(path[:-1]):
            return "value"
    key = keys_of(path[:-1]).get(path[-1])
    if key is None and len(path) > 1:  # an item of a list, or a key that the loader refuses
        key = keys_of(path[:-2]).get(path[-2])
    return key.kind if key else "text"


_Schema = dict[str, Any]

# What the loader accepts, which refuses the rest with a reason: names of quantities and relations in
# `quantities.declaration`, of units in `quantities.definitions`, of profiles and their choices in
# `quantities.profiles`.
_NAME = "^(?!__)(?!pi$)[A-Za-z_][A-Za-z0-9_]{0,119}$"
_DOTTED = r"^(?!(?:.*\.)?(?:__|pi(?:\.|$)))[A-Za-z_][A-Za-z0-9_]{0,119}(?:\.[A-Za-z_][A-Za-z0-9_]{0,119})*$"
_UNIT = "^[A-Za-z_]+$"
_PROFILE = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}(:[A-Za-z0-9][A-Za-z0-9_.-]{0,79})?$"
_CHOICE = "^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$"

_TEXT: _Schema = {"type": "string"}
_TEXTS: _Schema = {"type": "array", "items": _TEXT}
_TEXT_OR_TEXTS: _Schema = {"anyOf": [_TEXT, _TEXTS]}
_TEXT_OR_NUMBER: _Schema = {"type": ["string", "number"]}

_SCHEMA_OF_KIND: Mapping[str, _Schema] = {
    **dict.fromkeys(get_args(_TextKind), _TEXT),
    **dict.fromkeys(("texts", "libraries", "profiles"), _TEXTS),
    "conditions": _TEXT_OR_TEXTS,
    "answers": _TEXT_OR_TEXTS,
    "value": _TEXT_OR_NUMBER,
    "givens": {"type": "object", "additionalProperties": _TEXT},
    "seen": {
        "type": "object",
        "properties": {"least": _TEXT, "most": _TEXT, "source": _TEXT},
        "additionalProperties": False,
        "required": ["source"],
        "minProperties": 2,  # the source, and an end at least
    },
}


def schema() -> _Schema:
    """The JSON schema of relation files, in the dialect of 2020-12.

    >>> schema()["$defs"]["relation"]["required"]
    ['equation']
    """
    entries = {
        "units": _table_of_entries(_UNIT, {**_TEXT, "description": SECTIONS["units"]}),
        "quantities": _table_of_entries(_NAME, _reference("quantity")),
        "relations": _table_of_entries(_DOTTED, _reference("relation")),
        "profiles": _table_of_entries(_PROFILE, _reference("profile")),
        "examples": {"type": "object", "additionalProperties": _reference("example")},
    }
    top = {name: _schema_of_key(key) for name, key in FILE.items()}
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
            "quantity": _schema_of_quantity(),
            "relation": _schema_of_table(RELATION, "A relation between quantities."),
            "value": {**_schema_of_table(VALUE, "A value with its source."), "required": ["value"]},
            "profile": _schema_of_profile(),
            "example": _schema_of_table(EXAMPLE, "A question with a known answer."),
        },
    }


def _schema_of_key(key: Key) -> _Schema:
    """The schema of what one key of a relation file holds."""
    schema: _Schema = {**_SCHEMA_OF_KIND[key.kind], "description": key.meaning}
    if key.among:
        schema["enum"] = ["", *key.among]  # an empty text says nothing, like a key that is left out
    if key.example and key.is_text:
        schema["examples"] = [key.example]
    return schema


def _schema_of_table(keys: Mapping[str, Key], description: str) -> _Schema:
    """The schema of a table with these keys in a relation file."""
    schema = {
        "type": "object",
        "description": description,
        "properties": {name: _schema_of_key(key) for name, key in keys.items()},
        "additionalProperties": False,
    }
    if needed := [name for name, key in keys.items() if key.needed]:
        schema["required"] = needed
    return schema


def _schema_of_quantity() -> _Schema:
    """The schema of a quantity; beside `otherwise` no key of a value is allowed but the reason."""
    table = _schema_of_table(QUANTITY, "A quantity with its unit.")
    table["properties"]["aliases"]["items"] = {**_TEXT, "pattern": r"[^\W_]"}  # at least a letter or a digit
    excluded = {name: False for name in VALUE if name != "reason"}  # the schema that nothing matches
    return {**table, "dependentSchemas": {"otherwise": {"properties": excluded}}}


def _schema_of_profile() -> _Schema:
    """The JSON schema of a profile's table: its own keys, and a value for each quantity, or one for each choice."""
    value: _Schema = {"anyOf": [_TEXT_OR_NUMBER, _reference("value")]}
    choices = {
        "type": "object",
        "description": "A value for each choice: peak_compute.fp8 is that of the profile chip:fp8.",
        "minProperties": 1,
        "propertyNames": {"pattern": _CHOICE, "not": {"enum": [*VALUE]}},  # else it is a value with its source
        "additionalProperties": value,
    }
    return {
        "type": "object",
        "description": "A named set of values.",
        "properties": {name: _schema_of_key(key) for name, key in PROFILE.items()},
        "additionalProperties": {"anyOf": [*value["anyOf"], choices]},
    }


def _table_of_entries(pattern: str, entry: _Schema) -> _Schema:
    """The schema of a section whose entries' names match a pattern; names in equations are no reserved words."""
    names: _Schema = {"pattern": pattern}
    if pattern in (_NAME, _DOTTED):
        names["not"] = {"enum": [*keyword.kwlist]}
    return {"type": "object", "propertyNames": names, "additionalProperties": entry}


def _reference(name: str) -> _Schema:
    return {"$ref": f"#/$defs/{name}"}
