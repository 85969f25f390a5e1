"""Claims and scenes read from TOML: strictly, with every problem of the file reported at once.

    speaker = "R. Pope with D. Patel"

    [claims.C28]
    says = "the quadratic compute of attention does not matter until about a million tokens"

    [[claims.C28.clauses]]
    says = "not until a million tokens"

    [[claims.C28.clauses.readings]]             # the first is the natural one, and decides
    words = "as many operations as the parameters of GPT-3"
    asked = "attention_crossover"
    profiles = ["gpt3-175b"]
    given.layers = "96"
    expected = "at least 1 Mtoken/sequence"

A clause is judged by its first reading: the clause as its listeners would take it. All further ones stand beside it
with verdicts of their own and never change the clause's. A reading with `each` is asked with every profile that states
these quantities, and holds if it holds for a `share` of them: `share = 0.5` for what is said to be usual, all if none
is stated. A given, and the end of a bound, may itself be a question: `given.weight_bytes.asked = "weight_bytes"`.

A claim may also state its `brief` (the claim in a few words) and what it comes to `plainly`, its `speaker`, `place`
and `at` (where in that place), and the `words` that were spoken; a `speaker` and a `place` of the file are those of
all its claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from derive.audit.claim import (
    SIDES,
    Amount,
    Assertion,
    Claim,
    Clause,
    Criterion,
    Reading,
    Scene,
    Sound,
    Statement,
    Without,
    WrittenQuestion,
    read_expected,
)
from derive.relation_files.sources import Notes, read_document

__all__ = ["Book", "read_claims"]

_Place = tuple[str, ...]
_FILE = ("title", "speaker", "place", "claims", "scenes")
_SAYING = ("speaker", "place", "at", "words", "brief", "plainly")
_CLAIM = ("says", *_SAYING, "clauses")
_CLAUSE = ("says", "readings")
_QUESTION = ("asked", "profiles", "given")
_STATEMENT = ("equation", "units")
_READING = ("words", *_QUESTION, *_STATEMENT, "expected", "response_to", "each", "share", "may_change", "leaves_open")
_SCENE = ("of", "taken", "said")
_SAID = ("claim", "quantity", "value", "printed")
_SIDES = {side.replace(" ", "_"): side for side in SIDES}


@dataclass(frozen=True)
class Book:
    """The claims and scenes of one file."""

    claims: tuple[Claim, ...]
    scenes: tuple[Scene, ...]


def read_claims(source: str | Path) -> Book:
    """The claims and scenes of a file, or of a text.

    >>> book = read_claims('''
    ... [claims.drain]
    ... says = "an H100 reads its memory in 24 ms"
    ... [[claims.drain.clauses]]
    ... says = "24 ms"
    ... [[claims.drain.clauses.readings]]
    ... asked = "drain_time"
    ... profiles = ["h100-sxm"]
    ... expected = "24 ms"
    ... ''')
    >>> str(book.claims[0].clauses[0].readings[0].question)
    'drain_time, h100-sxm'
    """
    document = read_document(source)
    reader = _Reader(Notes(document))
    for error, line in document.errors:
        reader.notes.note((), error, line)
    book = reader.book(document.data)
    if reader.notes.errors:
        raise reader.notes.gathered()
    return book


@dataclass
class _Reader:
    """The reading of one file: each method returns what it can read of its table, and notes what is wrong."""

    notes: Notes

    def book(self, data: Mapping[str, Any]) -> Book:
        self.notes.keys("", (), data, _FILE)
        said = {key: self.notes.text("", (), data, key) for key in ("speaker", "place")}
        claims = tuple(
            self._claim(name, ("claims", name), table, said)
            for name, table in self._table((), data, "claims").items()
            if self._is_table(("claims", name), table)
        )
        scenes = tuple(self._scene(where, table) for where, table in self._list((), data, "scenes"))
        return Book(claims, scenes)

    def _claim(self, name: str, where: _Place, table: Mapping[str, Any], said: Mapping[str, str]) -> Claim:
        self.notes.keys(name, where, table, _CLAIM)
        own = {key: self.notes.text(name, where, table, key) or said.get(key, "") for key in _SAYING}
        clauses = tuple(self._clause(place, one) for place, one in self._list(where, table, "clauses"))
        if not clauses:
            self.notes.complain(name, where, "it has no clauses.", f"Write [[claims.{name}.clauses]] below it.")
        return Claim(name, self._needed(where, table, "says"), clauses, **own)

    def _clause(self, where: _Place, table: Mapping[str, Any]) -> Clause:
        self.notes.keys("", where, table, _CLAUSE)
        readings = tuple(self._reading(place, one) for place, one in self._list(where, table, "readings"))
        if not readings:
            self.notes.complain("", where, "a clause has no readings.", "Write its readings below it.")
        return Clause(self._needed(where, table, "says"), readings)

    def _reading(self, where: _Place, table: Mapping[str, Any]) -> Reading:
        self.notes.keys("", where, table, _READING)
        question: WrittenQuestion | Statement
        if "equation" in table:
            units = self._texts(where, table, "units")
            question = Statement(self.notes.text("", where, table, "equation"), units)
        else:
            question = self._question(where, table)
        lists = {key: self._names(where, table, key) for key in ("response_to", "each", "may_change")}
        opened = self._texts(where, table, "leaves_open")
        words = self.notes.text("", where, table, "words")
        share = self._share(where, table)
        return Reading(words, question, self._criterion(where, table), leaves_open=opened, share=share, **lists)

    def _share(self, where: _Place, table: Mapping[str, Any]) -> float:
        share = table.get("share", 1.0)
        if isinstance(share, (int, float)) and 0 < share <= 1 and ("each" in table or "share" not in table):
            return float(share)
        self.notes.complain("", (*where, "share"), "'share' is not a part of 'each'.", "Write share = 0.5.")
        return 1.0

    def _question(self, where: _Place, table: Mapping[str, Any]) -> WrittenQuestion:
        given: list[tuple[str, str | WrittenQuestion]] = []
        for name, value in self._table(where, table, "given").items():
            place = (*where, "given", name)
            if isinstance(value, dict):
                self.notes.keys("", place, value, _QUESTION)
                given.append((name, self._question(place, value)))
            elif isinstance(value, str):
                given.append((name, value))
            else:
                self.notes.complain(name, place, "it is not a string.", f'Write given.{name} = "{value}".')
        profiles = self._names(where, table, "profiles")
        return WrittenQuestion(self._needed(where, table, "asked"), profiles, tuple(given))

    def _criterion(self, where: _Place, table: Mapping[str, Any]) -> Criterion:
        expected, place = table.get("expected"), (*where, "expected")
        if isinstance(expected, str):
            return self.notes.attempt("", place, lambda: read_expected(expected)) or Sound()
        if "equation" in table and expected is None:
            return Sound()
        if isinstance(expected, dict) and len(expected) == 1:
            (key, value), *_ = expected.items()
            if key == "without":
                return Without(self._names(place, expected, key))
            if key in _SIDES and isinstance(value, dict):
                self.notes.keys("", (*place, key), value, _QUESTION)
                return Amount(self._question((*place, key), value), _SIDES[key])
        example = 'Write expected = "15 ms", "15..20 ms", "at least 15 ms" or "impossible".'
        self.notes.complain("", place, "a reading has no valid expectation.", example)
        return Sound()

    def _scene(self, where: _Place, table: Mapping[str, Any]) -> Scene:
        self.notes.keys("", where, table, _SCENE)
        said = tuple(self._assertion(place, one) for place, one in self._list(where, table, "said"))
        return Scene(self._needed(where, table, "of"), self._texts(where, table, "taken"), said)

    def _assertion(self, where: _Place, table: Mapping[str, Any]) -> Assertion:
        self.notes.keys("", where, table, _SAID)
        claim, quantity, value = (self._needed(where, table, key) for key in _SAID[:3])
        return Assertion(claim, quantity, value, table.get("printed") is True)

    # Their parts

    def _needed(self, where: _Place, table: Mapping[str, Any], key: str) -> str:
        if key not in table:
            self.notes.complain("", where, f"'{key}' is missing.", f'Write {key} = "...".')
        return self.notes.text("", where, table, key)

    def _names(self, where: _Place, table: Mapping[str, Any], key: str) -> tuple[str, ...]:
        names = table.get(key, [])
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            return tuple(names)
        self.notes.complain("", (*where, key), f"'{key}' is not a list of strings.", f'Write {key} = ["..."].')
        return ()

    def _texts(self, where: _Place, table: Mapping[str, Any], key: str) -> tuple[tuple[str, str], ...]:
        """Names with a text for each."""
        texts = self._table(where, table, key)
        return tuple((name, self.notes.text(name, (*where, key), texts, name)) for name in texts)

    def _table(self, where: _Place, table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
        found = table.get(key, {})
        return found if self._is_table((*where, key), found) else {}

    def _is_table(self, where: _Place, found: Any) -> bool:
        if not isinstance(found, dict):
            self.notes.complain("", where, f"'{where[-1]}' is not a table.", f"Put its keys below [{'.'.join(where)}].")
        return isinstance(found, dict)

    def _list(self, where: _Place, table: Mapping[str, Any], key: str) -> Iterator[tuple[_Place, Mapping[str, Any]]]:
        found = table.get(key, [])
        if isinstance(found, list) and all(isinstance(one, dict) for one in found):
            yield from (((*where, key, str(place)), one) for place, one in enumerate(found))
        else:
            header = ".".join(part for part in (*where, key) if not part.isdigit())
            self.notes.complain("", (*where, key), f"'{key}' is not a list of tables.", f"Write [[{header}]].")
