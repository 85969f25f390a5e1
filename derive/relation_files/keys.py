"""The keys of a relation file: for each table what it may hold, of which kind, and what that says.

The loader reads by these tables; the schema (`derive schema`) and what an editor offers are made of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from quantities.source import KINDS

__all__ = [
    "EXAMPLE",
    "FILE",
    "PROFILE",
    "QUANTITY",
    "RELATION",
    "SECTIONS",
    "SHARED",
    "VALUE",
    "Key",
    "Kind",
    "texts_of",
]

Kind = Literal["text", "texts", "text or texts", "value", "givens", "seen"]


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a table: the kind of what it holds, what that means, an example, and the words it may be."""

    kind: Kind
    meaning: str
    example: str = ""
    needed: bool = False
    among: tuple[str, ...] = ()


_SOURCE = Key("text", "The source: a paper, a data sheet, a price page, with its section or table.", "a data sheet")
_AS_OF = Key("text", "When it was read or published.", "2026-11")
_KIND = Key("text", "How far the source can be trusted.", "published", among=KINDS)

SHARED: Mapping[str, Key] = {"source": _SOURCE, "as_of": _AS_OF, "kind": _KIND}
"""What a file, or a profile, may state for all values without their own."""

FILE: Mapping[str, Key] = {
    "title": Key("text", "What the library is about.", "Pendulum"),
    **SHARED,
    "uses": Key(
        "texts",
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
    "range": Key("text", "The range that the value may have.", "9.78..9.83 m/s**2"),
    "reason": Key("text", "Why it is this value, or this range.", "the poles and the equator"),
    "source": _SOURCE,
    "kind": _KIND,
    "date": Key("text", "When the source was read.", "2026-11-02"),
    "as_of": _AS_OF,
    "url": Key("text", "Where the source can be read.", "https://example.org/sheet.pdf"),
}
"""The keys of a value's table."""

QUANTITY: Mapping[str, Key] = {
    "unit": Key("text", 'The unit; "" for a plain number.', "m/s**2", needed=True),
    "meaning": Key("text", "What it is, in a few words.", "length of the string"),
    "latex": Key("text", "Its letter in formulas, in LaTeX.", "L"),
    "domain": Key(
        "text",
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
        "text", "Two sides with =, <= or >= between them.", "period = 2*pi*sqrt(length/gravity)", needed=True
    ),
    "because": Key("text", "Why it holds.", "small-angle limit"),
    "source": _SOURCE,
    "when": Key("text or texts", "The conditions under which it holds.", '["swing < 0.3"]'),
    "approximate": Key("text", "The share within which it agrees.", "3 %"),
    "neglects": Key(
        "text", "What says which share of the right side is left out, or of a quantity.", "drag_share of mass"
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
    "asked": Key("text", "The quantity that is asked for.", "period", needed=True),
    "given": Key("givens", "What is given: a value for each quantity.", '{ length = "0.994 m" }'),
    "profiles": Key("texts", "The profiles that the question names.", '["clock"]'),
    "expected": Key(
        "text or texts",
        "What should come out: a number as it is printed, a range, a bound, `impossible`, or a list of all answers.",
        "2.00 s",
        needed=True,
    ),
    "source": _SOURCE,
    "meaning": Key("text", "What the example shows.", "a pendulum that beats seconds"),
}
"""The keys of an example's table."""


def texts_of(table: Mapping[str, Key]) -> list[str]:
    """The keys of a table that hold a text.

    >>> texts_of(FILE)
    ['title', 'source', 'as_of', 'kind']
    """
    return [name for name, key in table.items() if key.kind == "text"]
