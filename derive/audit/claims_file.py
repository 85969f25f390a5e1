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
from dataclasses import dataclass, replace
from pathlib import Path

from derive.audit.claim import (
    SIDES,
    Amount,
    Assertion,
    Claim,
    Clause,
    Criterion,
    Independence,
    Reading,
    Scene,
    Statement,
    UnitAgreement,
    WrittenQuestion,
    read_expected,
)
from derive.relation_files.file_text import Notes, Table, read_document

_FILE = ("title", "speaker", "place", "claims", "scenes")
_SPOKEN = ("speaker", "place", "at", "words", "brief", "plainly")
_CLAIM = ("says", *_SPOKEN, "clauses")
_CLAUSE = ("says", "readings")
_QUESTION = ("asked", "profiles", "given")
_STATEMENT = ("equation", "units")
_READING = ("words", *_QUESTION, *_STATEMENT, "expected", "response_to", "each", "share", "may_change", "leaves_open")
_SCENE = ("of", "taken", "said")
_ASSERTION = ("claim", "quantity", "value", "printed")
_SIDES = {side.replace(" ", "_"): side for side in SIDES}


@dataclass(frozen=True)
class Book:
    """The claims and scenes of one file."""

    claims: tuple[Claim, ...]
    scenes: tuple[Scene, ...]


def read_claims(source: str | Path) -> Book:
    """Read the claims and scenes of a TOML file, or of a text.

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
    notes = Notes(read_document(source))
    top = Table(notes, "", (), notes.document.data)
    top.only(_FILE)
    common = {key: top.text(key) for key in ("speaker", "place")}
    claims = []
    for name, entry in _table(top, "claims").held.items():
        if _is_table(table := Table(notes, "", ("claims", name), entry)):
            claims.append(_claim(name, table, common))
    book = Book(tuple(claims), tuple(map(_scene, _tables(top, "scenes"))))
    if notes.errors:
        raise notes.gathered()
    return book


# Each function returns what it can read of its table, and notes what is wrong.


def _claim(name: str, table: Table, common: Mapping[str, str]) -> Claim:
    """Read a claim of a file; `common` has the speaker and the place of the file, for claims that state none."""
    named = replace(table, name=name)
    named.only(_CLAIM)
    own = {key: named.text(key) or common.get(key, "") for key in _SPOKEN}
    clauses = tuple(map(_clause, _tables(table, "clauses")))
    if not clauses:
        named.complain("it has no clauses.", f"Write [[claims.{name}.clauses]] below it.")
    return Claim(name, _needed(table, "says"), clauses, **own)


def _clause(table: Table) -> Clause:
    table.only(_CLAUSE)
    readings = tuple(map(_reading, _tables(table, "readings")))
    if not readings:
        table.complain("a clause has no readings.", "Write its readings below it.")
    return Clause(_needed(table, "says"), readings)


def _reading(table: Table) -> Reading:
    """Read one reading of a clause in a claims file: its question or statement, and what is expected of the answer."""
    table.only(_READING)
    question: WrittenQuestion | Statement
    if "equation" in table.held:
        units = _texts(table, "units")
        question = Statement(table.text("equation"), units)
    else:
        question = _question(table)
    lists = {key: _names(table, key) for key in ("response_to", "each", "may_change")}
    opened = _texts(table, "leaves_open")
    words = table.text("words")
    share = _share(table)
    return Reading(words, question, _criterion(table), leaves_open=opened, share=share, **lists)


def _share(table: Table) -> float:
    share = table.held.get("share", 1.0)
    if isinstance(share, (int, float)) and 0 < share <= 1 and ("each" in table.held or "share" not in table.held):
        return float(share)
    table.complain("'share' is not a part of 'each'.", "Write share = 0.5.", "share")
    return 1.0


def _question(table: Table) -> WrittenQuestion:
    """Read a question in a claims file, whose givens may be questions themselves."""
    given: list[tuple[str, str | WrittenQuestion]] = []
    for name, value in _table(table, "given").held.items():
        inner = Table(table.notes, "", (*table.where, "given", name), value)
        if isinstance(value, dict):
            inner.only(_QUESTION)
            given.append((name, _question(inner)))
        elif isinstance(value, str):
            given.append((name, value))
        else:
            replace(inner, name=name).complain("it is not a string.", f'Write given.{name} = "{value}".')
    profiles = _names(table, "profiles")
    return WrittenQuestion(_needed(table, "asked"), profiles, tuple(given))


def _criterion(table: Table) -> Criterion:
    """Read what a claims file expects of an answer: a value, bound, impossibility, independence, or units that fit."""
    expected = table.held.get("expected")
    if isinstance(expected, str):
        return table.attempt(lambda: read_expected(expected), "expected") or UnitAgreement()
    if "equation" in table.held and expected is None:
        return UnitAgreement()
    if isinstance(expected, dict) and len(expected) == 1:
        (key, value), *_ = expected.items()
        bound = Table(table.notes, "", (*table.where, "expected"), expected)
        if key == "without":
            return Independence(_names(bound, key))
        if key in _SIDES and isinstance(value, dict):
            asked = Table(table.notes, "", (*bound.where, key), value)
            asked.only(_QUESTION)
            return Amount(_question(asked), _SIDES[key])
    example = 'Write expected = "15 ms", "15..20 ms", "at least 15 ms" or "impossible".'
    table.complain("a reading has no valid expectation.", example, "expected")
    return UnitAgreement()


def _scene(table: Table) -> Scene:
    table.only(_SCENE)
    assertions = tuple(map(_assertion, _tables(table, "said")))
    return Scene(_needed(table, "of"), _texts(table, "taken"), assertions)


def _assertion(table: Table) -> Assertion:
    table.only(_ASSERTION)
    claim, quantity, value = (_needed(table, key) for key in _ASSERTION[:3])
    return Assertion(claim, quantity, value, table.held.get("printed") is True)


# Their parts


def _needed(table: Table, key: str) -> str:
    if key not in table.held:
        table.complain(f"'{key}' is missing.", f'Write {key} = "...".')
    return table.text(key)


def _names(table: Table, key: str) -> tuple[str, ...]:
    return table.listed(key, f'Write {key} = ["..."].')


def _texts(table: Table, key: str) -> tuple[tuple[str, str], ...]:
    """The names in a table of a claims file, with a text for each."""
    texts = _table(table, key)
    return tuple((name, replace(texts, name=name).text(name)) for name in texts.held)


def _table(table: Table, key: str) -> Table:
    inner = Table(table.notes, "", (*table.where, key), table.held.get(key, {}))
    return inner if _is_table(inner) else replace(inner, held={})


def _is_table(table: Table) -> bool:
    is_table = isinstance(table.held, dict)
    if not is_table:
        table.complain(f"'{table.where[-1]}' is not a table.", f"Put its keys below [{'.'.join(table.where)}].")
    return is_table


def _tables(table: Table, key: str) -> Iterator[Table]:
    """The entries of a list of tables in a claims file; if it is no such list, that is noted."""
    entries, where = table.held.get(key, []), (*table.where, key)
    if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries):
        yield from (Table(table.notes, "", (*where, str(number)), entry) for number, entry in enumerate(entries))
    else:
        header = ".".join(name for name in where if not name.isdigit())
        table.complain(f"'{key}' is not a list of tables.", f"Write [[{header}]].", key)
