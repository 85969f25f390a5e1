"""Relation files: strict TOML in, a library out, and every problem of the file at once.

A file is read in three passes: its quantities, then its relations over them, then its profiles. A problem is noted and
reading goes on; what depends on something broken is passed over in silence, so that one slip is one problem.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from derive.errors import DeriveError, ExpressionError, Problem, UnknownNameError, listed, unknown
from derive.files.sources import Document, parse_source, read_document, read_source
from derive.library import Library
from derive.stating.relation import Relation, relate
from derive.stating.vocabulary import Vocabulary
from quantities.domain import read_domain
from quantities.profiles import Profile
from quantities.quantity import Quantity, check_name, read_given
from quantities.source import KINDS, Source
from quantities.spelling import parse_unit
from quantities.value import Value

__all__ = ["check", "load"]

_T = TypeVar("_T")
_SEARCHED = 20  # problems of a file for which alike names and repairs are looked for
_SECTIONS = ("title", "quantities", "relations", "profiles")
_QUANTITY = ("unit", "meaning", "latex", "domain", "value", "source", "kind", "date", "url")
_RELATION = ("equation", "because", "source", "when", "approximate")
_VALUE = ("value", "source", "kind", "date", "url")


def load(source: str | Path, *, beside: Library | None = None) -> Library:
    """Read a relation file, or the text of one, into a library.

    With `beside`, the file may also speak of that library's quantities; `beside | load(...)` is then both.

    >>> pendulum = load('''
    ... [quantities]
    ... length = { unit = "m" }
    ... gravity = { unit = "m/s**2", value = "9.80665 m/s**2" }
    ... period = { unit = "s" }
    ... [relations.small_swing]
    ... equation = "period = 2*pi*sqrt(length/gravity)"
    ... ''')
    >>> pendulum
    <Library 1 relations, 3 quantities, 0 profiles>
    """
    reader = _read(parse_source(*read_source(source)), beside)
    if reader.errors:
        raise _gathered(reader)
    return reader.library()


def check(source: str | Path, *, beside: Library | None = None) -> list[Problem]:
    """All that is wrong with a relation file; nothing, if it is consistent.

    >>> [problem.message for problem in check("[quantities]\\nx = { unit = 'metr' }")]
    ["x: unit 'metr': 'metr' is not a unit."]
    """
    return [problem for problem, _ in _read(read_document(source), beside).errors]


def _read(document: Document, beside: Library | None) -> _Reader:
    if not isinstance(beside, (Library, type(None))):
        raise ExpressionError(f"a {type(beside).__name__} is no library.", hint="Give beside=library.")
    reader = _Reader(document, beside or Library())
    reader.read()
    return reader


def _gathered(reader: _Reader) -> DeriveError:
    """One error for all problems: of their own kind where they share one."""
    problems = [problem for problem, _ in reader.errors]
    kinds = {type(error) for _, error in reader.errors}
    where = f"{reader.document.label}: " if reader.document.label else ""
    count = f"{len(problems)} problems\n" if len(problems) > 1 else ""
    what = f"{where}{count}{listed(problems)}"
    first = reader.errors[0][1]
    if len(kinds) > 1:
        return ExpressionError(what, text=reader.document.label, problems=problems)
    return first.listing(what, problems)


@dataclass
class _Reader:
    """The reading of one document: what was found so far, and what was wrong with it."""

    document: Document
    beside: Library
    quantities: dict[str, Quantity] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    errors: list[tuple[Problem, DeriveError]] = field(default_factory=list)

    def library(self) -> Library:
        title = self.document.data.get("title", "")
        return Library(self.relations, self.quantities.values(), self.profiles, title)

    def read(self) -> None:
        for error, line in self.document.errors:
            self._note((), error, line)
        self.broken |= self.document.lost
        data = self.document.data
        self._keys("", (), data, _SECTIONS)
        self._text("", (), data, "title")
        for name, table in self._tables(data, "quantities"):
            self._quantity(name, table)
        known = {**self.beside.quantities, **self.quantities}
        vocabulary = Vocabulary(known)
        for name, table in self._tables(data, "relations"):
            self._relation(name, table, known, vocabulary)
        for name, table in self._tables(data, "profiles"):
            self._profile(name, table, known)

    # The three kinds of entry

    def _quantity(self, name: str, table: Mapping[str, Any]) -> None:
        where = ("quantities", name)
        before = len(self.errors)
        self.broken.add(name)
        self._keys(name, where, table, _QUANTITY)
        texts = {key: self._text(name, where, table, key) for key in ("unit", "meaning", "latex", "domain")}
        if "unit" not in table:
            self._complain(name, where, "it has no unit.", 'Add unit = "m", or unit = "" for a plain number.')
        if "." in name:
            self._complain(name, where, "a declared name has no dot.", "Dots name operating points: fast.batch.")
        if len(self.errors) > before:
            return
        domain = texts["domain"] or "positive"
        unit = self._attempt(name, (*where, "unit"), lambda: parse_unit(texts["unit"]))
        if unit is None or self._attempt(name, (*where, "domain"), lambda: read_domain(domain, unit)) is None:
            return
        plain = Quantity(name, texts["unit"], texts["meaning"], latex=texts["latex"], domain=domain)
        declared = self._with_default(plain, table) if "value" in table else plain
        if declared is not None:
            self.quantities[name] = declared
            self.broken.discard(name)

    def _with_default(self, declared: Quantity, table: Mapping[str, Any]) -> Quantity | None:
        where = ("quantities", declared.name)
        value = self._value(declared.name, where, declared, table)
        if value is None:
            return None
        return Quantity(
            declared.name,
            declared.unit.text,
            declared.meaning,
            latex=declared.latex,
            domain=declared.domain.text,
            default=value,
        )

    def _relation(
        self, name: str, table: Mapping[str, Any], known: dict[str, Quantity], vocabulary: Vocabulary
    ) -> None:
        where = ("relations", name)
        before = len(self.errors)
        self._keys(name, where, table, _RELATION)
        texts = {key: self._text(name, where, table, key) for key in ("equation", "because", "source", "approximate")}
        when = self._conditions(name, where, table)
        if "equation" not in table:
            self._complain(name, where, "it has no equation.", 'Add equation = "left = right".')
        if len(self.errors) > before:
            return
        try:
            relation = relate(
                name,
                texts["equation"],
                because=texts["because"],
                source=texts["source"],
                when=when,
                approximate=texts["approximate"] or None,
                quantities=known,
                vocabulary=vocabulary if len(self.errors) < _SEARCHED else vocabulary.brief,
            )
        except DeriveError as error:
            self._refused(name, where, error, table)
        else:
            self.relations.append(relation)

    def _refused(self, name: str, where: tuple[str, ...], error: DeriveError, table: Mapping[str, Any]) -> None:
        """Note why a relation was refused, unless it only speaks of a quantity that was refused before."""
        if isinstance(error, UnknownNameError):
            unmet = [other for other in (error.name, *error.others) if other not in self.broken]
            if not unmet:
                return
            if error.name in self.broken:
                error = _within(name, unknown("quantity", unmet[0], list(self.quantities)))
        for problem in error.problems:
            key = "when" if problem.message.startswith(f"{name}, when:") else "equation"
            line = self.document.line((*where, key))
            self.errors.append((Problem(name, line, problem.message, problem.hint), error))
        if not error.problems:
            self._note((*where, _culprit(error, table)), error)

    def _profile(self, name: str, table: Mapping[str, Any], known: Mapping[str, Quantity]) -> None:
        where = ("profiles", name)
        before = len(self.errors)
        values: dict[str, Value] = {}
        for key, entry in table.items():
            if key in self.broken:
                continue
            if key not in known:
                error = unknown("quantity", key, list(known), search=len(self.errors) < _SEARCHED)
                self._note((*where, key), _within(name, error))
                continue
            stated = entry if isinstance(entry, dict) else {"value": entry}
            self._keys(f"{name}, {key}", (*where, key), stated, _VALUE)
            value = self._value(f"{name}, {key}", (*where, key), known[key], stated)
            if value is not None:
                values[key] = value
        profile = self._attempt("", where, lambda: Profile(name, values))
        if profile is not None and len(self.errors) == before:
            self.profiles.append(profile)

    # Their parts

    def _value(self, name: str, where: tuple[str, ...], quantity: Quantity, table: Mapping[str, Any]) -> Value | None:
        """A value with its source, or None and a problem."""
        if "value" not in table:
            self._complain(name, where, "it has no value.", f'Add value = "3 {quantity.unit}".')
            return None
        texts = {key: self._text(name, where, table, key) for key in ("source", "kind", "date", "url")}
        kind = texts["kind"] or ("published" if texts["source"] else "assumed")
        if kind not in KINDS:
            self._note((*where, "kind"), _within(name, unknown("kind of source", kind, list(KINDS))))
            return None
        stated = table["value"]
        said = texts["source"] or self.document.label or "the relation file"
        source = Source(said, kind, texts["url"], texts["date"])
        if isinstance(stated, (bool, list, dict)) or not isinstance(stated, (str, int, float)):
            kind = "a table" if isinstance(stated, dict) else f"a {type(stated).__name__}"
            said = f"'{stated}'" if isinstance(stated, bool) else kind
            self._complain(name, (*where, "value"), f"{said} is no value.", f'Write "3 {quantity.unit}".')
            return None
        return self._attempt(name, (*where, "value"), lambda: read_given(stated, quantity, source))

    def _conditions(self, name: str, where: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
        when = table.get("when", [])
        conditions = [when] if isinstance(when, str) else when
        if not isinstance(conditions, list) or not all(isinstance(condition, str) for condition in conditions):
            self._complain(name, (*where, "when"), "'when' is no list of texts.", 'Write when = ["swing < 0.3"].')
            return []
        return conditions

    def _tables(self, data: Mapping[str, Any], section: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
        tables = data.get(section, {})
        if not isinstance(tables, dict):
            self._complain("", (section,), f"'{section}' is no table.", f"Write [{section}] and the names below it.")
            return
        for name, table in tables.items():
            where = (section, name)
            if not isinstance(table, dict):
                example = {"quantities": '{ unit = "m" }', "relations": '{ equation = "a = b" }'}
                self.broken |= {name} if section == "quantities" else set()
                self._complain(name, where, "it is no table.", f"Write {name} = {example.get(section, '{ }')}.")
            elif section == "profiles" or self._attempt(name, where, partial(check_name, name)) is not None:
                yield name, table
            elif section == "quantities":
                self.broken.add(name)

    def _keys(self, name: str, where: tuple[str, ...], table: Mapping[str, Any], known: tuple[str, ...]) -> None:
        for key in table:
            if key not in known:
                error = unknown("key", key, known)
                self._note((*where, key), _within(name, error))

    def _text(self, name: str, where: tuple[str, ...], table: Mapping[str, Any], key: str) -> str:
        text = table.get(key, "")
        if not isinstance(text, str):
            self._complain(name, (*where, key), f"'{key}' is no text.", f'Write {key} = "...".')
            return ""
        return text

    # Noting what is wrong

    def _attempt(self, name: str, where: tuple[str, ...], act: Callable[[], _T]) -> _T | None:
        try:
            return act()
        except DeriveError as error:
            self._note(where, _within(name, error))
            return None

    def _complain(self, name: str, where: tuple[str, ...], what: str, hint: str) -> None:
        said = f"{name}: {what}" if name else what
        self._note(where, ExpressionError(said, hint=hint, text=name))

    def _note(self, where: tuple[str, ...], error: DeriveError, line: int | None = None) -> None:
        placed = line is not None  # by the TOML reader, in the file and not in a text of it
        line = self.document.line(where) if line is None else line
        if isinstance(error, ExpressionError) and error.position is not None and line and not placed:
            column = error.position[1] + self.document.column(line, error.text)
            error._facts["position"] = error.position = (self.document.first_line(line) + error.position[0] - 1, column)
        relation = where[1] if where[:1] == ("relations",) and len(where) > 1 else ""
        self.errors.append((Problem(relation, line, error.what, error.hint), error))


def _culprit(error: DeriveError, table: Mapping[str, Any]) -> str:
    """The key of a relation that an error is about."""
    when = table.get("when", [])
    if isinstance(error, UnknownNameError):
        return "equation" if re.search(rf"\b{re.escape(error.name)}\b", table["equation"]) else "when"
    if getattr(error, "text", None) in ([when] if isinstance(when, str) else when):
        return "when"
    return "approximate" if error.what.startswith(("approximate", "value", "unit")) else "equation"


def _within(name: str, error: DeriveError) -> DeriveError:
    """The error, saying whose it is."""
    profile, comma, quantity = name.rpartition(", ")
    if comma and error.what.startswith(f"{quantity}:"):
        error.what = f"{profile}, {error.what}"
    elif name and not error.what.startswith((f"{name}:", f"{name},")):
        error.what = f"{name}: {error.what}"
    return error
