"""Relation files: strict TOML in, a library out, and every problem of the file at once.

A file is read in passes: what it uses, its units, its quantities, its relations, its profiles, its examples. A problem
is noted and reading goes on; what depends on a broken entry is skipped, so that one mistake is one problem.

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

The shape of the tables is checked by hand, in 2 of the 150 ms that the built-in library takes to read. msgspec needs
0.6 ms for it and 12 to be imported, cattrs 3 and 25; msgspec stops at the first mistake, and neither knows its line.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, ExpressionError, UnknownNameError, unknown
from derive.library import Library
from derive.model.relation import Relation, relate, undeclared
from derive.model.repairs import Vocabulary
from derive.relation_files.file_text import SEARCHED, Document, Notes, Table, parse_source, read_document, within
from derive.relation_files.keys import EXAMPLE, FILE, PROFILE, QUANTITY, RELATION, SECTIONS, SHARED, VALUE
from derive.relation_files.named_libraries import installed, is_name, offers, shelved
from derive.time_limits import query
from quantities.declaration import Declaration, check_name, read_aliases, read_given
from quantities.definitions import define
from quantities.dimension import Dimension
from quantities.domain import read_domain
from quantities.profiles import Profile, by_choice
from quantities.spelling import parse_unit
from quantities.value import KINDS, OTHERWISE, Source, Value, read_value

_OWN_DIMENSION = "dimension"  # the definition of a unit that is not made of others
_UNIT_NAME = re.compile(r"[A-Za-z_]+")


def load(source: str | Path, *, beside: Library | None = None) -> Library:
    """Read a relation file, the text of one, or a library that goes by a name (`pipes`), into a library.

    With `beside`, the file may also use that library's quantities; `beside | load(...)` is then both.

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
    if _is_offered(source):
        return installed(str(source))
    with query(math.inf):
        return proved(read(read_document(source), beside))


def _is_offered(source: str | Path) -> bool:
    """Whether what is to be loaded is named as a library that an installed package offers."""
    is_free = isinstance(source, str) and is_name(source) and not shelved(source) and not os.path.exists(source)
    return is_free and source in offers()


def proved(reader: Reader) -> Library:
    """The library of a relation file that was read; an error with all problems if there are any."""
    if reader.notes.document.is_unread:
        error, _ = reader.notes.document.errors[0]
        raise error
    if reader.notes.errors:
        raise reader.notes.gathered()
    return reader.library()


def read(document: Document, beside: Library | None, unsaved: Mapping[Path, str] | None = None) -> Reader:
    """Read a relation file as far as possible, and note its problems; `unsaved` has the texts of files in an editor."""
    if not isinstance(beside, (Library, type(None))):
        raise ExpressionError(f"a {type(beside).__name__} is not a library.", hint="Give beside=library.")
    reader = Reader(Notes(document), beside or Library(), unsaved=unsaved or {})
    reader.read()
    return reader


@dataclass(frozen=True, slots=True)
class Example:
    """A question and its expected answer: a value, a range, a bound, that there is none; or several values."""

    name: str
    asked: str
    profiles: tuple[str, ...]
    given: Mapping[str, str]
    expected: tuple[str, ...]


@dataclass
class Reader:
    """The reading of one document: the entries that were read so far, and their problems."""

    notes: Notes
    beside: Library
    shelf: dict[Path, Reader | None] = field(default_factory=dict)  # the files read so far; None while being read
    unsaved: Mapping[Path, str] = field(default_factory=dict)  # texts of files that differ from what is on the disk
    quantities: dict[str, Declaration] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    profiles: list[Profile] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    files: list[Reader] = field(default_factory=list)  # the files that it uses
    sought: list[Path] = field(default_factory=list)  # where it looked for them
    libraries: list[Library] = field(default_factory=list)
    is_whole: bool = True  # whether all of these could be read; if not, unknown names are not reported

    @property
    def title(self) -> str:
        return str(self.notes.document.data.get("title", ""))

    def library(self) -> Library:
        """The library of the relation file, with all files and libraries that it uses."""
        parts = self.parts()
        library = Library(
            chain.from_iterable(part.relations for part in parts),
            chain.from_iterable(part.quantities.values() for part in parts),
            chain.from_iterable(part.profiles for part in parts),
            self.title,
        )
        for used in dict.fromkeys(chain.from_iterable(part.libraries for part in parts)):
            library = used | library
        return library

    def parts(self) -> list[Reader]:
        """The readings of the relation files that this one uses, each once and before those that use it, and itself."""
        readers: dict[int, Reader] = {}  # by identity, since readers have no hash
        for file in self.files:
            readers.update((id(part), part) for part in file.parts())
        return [*readers.values(), self]

    def known(self) -> dict[str, Declaration]:
        """The quantities that the relation file may use: its own, and those of all files and libraries that it uses."""
        known = dict(self.beside.declared)
        for part in self.parts():
            for library in part.libraries:
                known.update(library.declared)
            known.update(part.quantities)
        return known

    def read(self) -> None:
        """Read the relation file section by section, each after those to which it may refer."""
        self.broken |= self.notes.document.lost
        self._top.texts(FILE, *SECTIONS)
        self._uses()
        for name, meaning in self._entries("units"):
            self._unit(name, meaning)
        for entry in self._tables("quantities"):
            self._quantity(entry)
        vocabulary = Vocabulary(self.known())
        for entry in self._tables("relations"):
            self._relation(entry, vocabulary)
        for entry in self._tables("profiles"):
            for profile in self._profiles(entry, vocabulary):
                self._shelve(entry, profile)
        for entry in self._tables("examples"):
            self._example(entry)

    @property
    def _top(self) -> Table:
        return Table(self.notes, "", (), self.notes.document.data)

    def _searched(self, vocabulary: Vocabulary) -> Vocabulary:
        """The vocabulary for a relation file's errors; after many problems, without searches for similar names."""
        return vocabulary if len(self.notes.errors) < SEARCHED else vocabulary.brief

    # The files and libraries that it uses

    def _uses(self) -> None:
        """Read all files and libraries that the relation file uses; a problem for each that cannot be read."""
        uses = self._top.held.get("uses", [])
        if isinstance(uses, list) and all(isinstance(used, str) for used in uses):
            are_read = [self._use(used) for used in uses]  # a list, so that all missing files are reported
            self.is_whole = all(are_read)
        else:
            self.is_whole = False
            example = 'Write uses = ["quantities.toml", "llm"].'
            self._top.complain("'uses' is not a list of strings.", example, "uses")

    def _use(self, used: str) -> bool:
        """Read a file or library that the relation file uses; False, with the reason noted, if that fails."""
        path = shelved(used)
        if path is None and not used.endswith(".toml"):
            library = self._top.attempt(lambda: installed(used), "uses")
            if library is not None:
                self.libraries.append(library)
            return library is not None
        folder = self.notes.document.folder
        path = Path(os.path.abspath(path or folder / used))  # one name for each file; links stay
        self.sought.append(path)
        if path not in self.shelf and path not in self.unsaved and not os.path.isfile(path):
            what = f"{used} is not a file." if os.path.exists(path) else f"there is no file {used}."
            self._top.complain(what, "Give its path relative to this file.", "uses")
            return False
        if path not in self.shelf:
            self.shelf[path] = None  # until it is read: a file that uses this one in turn is found out by that
            text = self.unsaved.get(path)
            document = read_document(path) if text is None else parse_source(text, path.name, path.parent)
            reader = Reader(Notes(document), self.beside, self.shelf, self.unsaved)
            reader.read()
            self.shelf[path] = reader
        return self._take(used, self.shelf[path])

    def _take(self, used: str, file: Reader | None) -> bool:
        """Add a file that the one being read uses, unless it has problems or uses this one; returns whether it did."""
        if file is None:
            self._top.complain(f"{used} uses this file in turn.", "Leave it out of one of the two.", "uses")
        elif file.notes.errors:
            (first, _), count = file.notes.errors[0], len(file.notes.errors)
            many = "1 problem" if count == 1 else f"{count} problems; the first"
            what = f"{used} has {many}, on line {first.line}: {first.message}"
            self._top.complain(what, f"Fix that file: derive check {used}", "uses")
        else:
            self.files.append(file)
            return True
        return False

    # Units and quantities

    def _unit(self, name: str, meaning: Any) -> None:
        """Read a unit of the relation file: EUR = "1.08 USD", or widget = "dimension" for a thing that is counted.

        From then on it is known in the whole process, with one meaning (`quantities.definitions`).
        """
        entry = Table(self.notes, name, ("units", name), {})
        example = f'Write {name} = "1.08 USD", or {name} = "{_OWN_DIMENSION}" for what is made of no other unit.'
        if not isinstance(meaning, str):
            entry.complain("a unit is defined by a string.", example)
        elif not _UNIT_NAME.fullmatch(name):
            entry.complain("it cannot name a unit.", "Write it in letters: EUR, widget.")
        elif meaning.strip() == _OWN_DIMENSION:
            self._define(entry, Fraction(1), None)
        elif (value := entry.attempt(lambda: read_value(meaning))) is not None:
            if value.is_range or not value.number > 0 or value.unit.offset:
                entry.complain(f"{meaning} cannot be the size of a unit.", example)
            else:
                self._define(entry, Fraction(repr(value.number)) * value.unit.size, value.unit.dimension)

    def _define(self, entry: Table, factor: Fraction, dimension: Dimension | None) -> None:
        """Define a unit as its relation file is read: a factor times a unit of a dimension, or of its own dimension."""
        defined = define(entry.name, factor, dimension, self.notes.document.label or "a text that was read before")
        if defined:
            hint = f"Choose another name, such as own_{entry.name}: a unit keeps its meaning while the process lives."
            entry.complain(f"this unit is defined {defined}, with another meaning.", hint)

    def _quantity(self, entry: Table) -> None:
        """Declare a quantity of the relation file; until that succeeds, errors that follow from it are not reported."""
        name, held = entry.name, entry.held
        before = len(self.notes.errors)
        self.broken.add(name)
        texts = entry.texts(QUANTITY)
        if "unit" not in held:
            entry.complain("it has no unit.", 'Add unit = "m", or unit = "" for a plain number.')
        if "." in name:
            entry.complain("declared names have no dots.", "Dots name operating points: fast.batch.")
        if len(self.notes.errors) > before:
            return
        domain = texts["domain"] or "positive"
        unit = entry.attempt(lambda: parse_unit(texts["unit"]), "unit")
        if unit is None or entry.attempt(lambda: read_domain(domain, unit), "domain") is None:
            return
        aliases = entry.attempt(lambda: read_aliases(name, held.get("aliases", [])), "aliases") or ()
        quantity = Declaration(
            name, texts["unit"], texts["meaning"], latex=texts["latex"], domain=domain, aliases=aliases
        )
        if "seen" in held:
            quantity = entry.attempt(lambda: quantity.but(seen=held["seen"]), "seen") or quantity
        if "value" in held or "otherwise" in held:  # without a default that is wrong, its relations are still checked
            default = self._default(entry, quantity)
            if default is not None:
                quantity = quantity.but(default=default)
        self.quantities[name] = quantity
        self.broken.discard(name)

    def _default(self, entry: Table, quantity: Declaration) -> Value | None:
        """The default of a quantity in a relation file: its `value` or its `otherwise`; None if it has a problem.

        With a `reason`, an answer that uses `otherwise` says so among its assumptions.
        """
        held = entry.held
        if "otherwise" not in held:
            return _value(replace(entry, held={**self._shared, **held}), quantity)
        if beside := [key for key in VALUE if key in held and key != "reason"]:
            hint = "Leave one out: a value is used unless one is stated, and `otherwise` where no relation gives one."
            entry.complain(f"it has both 'otherwise' and '{beside[0]}'.", hint, "otherwise")
            return None
        value = _value(replace(entry, held={"value": held["otherwise"]}), quantity)
        return None if value is None else value.sourced(replace(OTHERWISE, note=entry.text("reason")))

    @property
    def _shared(self) -> dict[str, str]:
        """The source, date and the like that the relation file states once, read for all of its values."""
        data = self.notes.document.data
        return {key: data[key] for key in SHARED if isinstance(data.get(key), str)}

    # Relations

    def _relation(self, entry: Table, vocabulary: Vocabulary) -> None:
        """Read a relation of the file from its table, or note why it is refused."""
        before = len(self.notes.errors)
        vocabulary = self._searched(vocabulary)
        known = vocabulary.quantities
        texts = entry.texts(RELATION)
        when = entry.listed("when", 'Write when = ["swing < 0.3"].', may_be_one=True)
        if "equation" not in entry.held:
            entry.complain("it has no equation.", 'Add equation = "left = right".')
        if len(self.notes.errors) > before:
            return
        try:
            relation = relate(
                entry.name,
                texts["equation"],
                because=texts["because"],
                source=texts["source"] or str(self.notes.document.data.get("source", "")),
                when=when,
                approximate=texts["approximate"] or None,
                quantities=known,
                vocabulary=vocabulary,
            )
            if texts["neglects"]:
                share, _, of = texts["neglects"].partition(" of ")
                if share not in known:
                    raise undeclared(entry.name, [share], vocabulary)
                relation = relation.neglecting(known[share], of)
        except DeriveError as error:
            self._refused(entry, error, vocabulary)
        else:
            self.relations.append(relation)

    def _refused(self, entry: Table, error: DeriveError, vocabulary: Vocabulary) -> None:
        """Note why a relation of the file is refused, unless it only uses quantities that may themselves be refused."""
        if isinstance(error, UnknownNameError):
            missing = [other for other in (error.name, *error.others) if other not in self.broken]
            if not missing or not self.is_whole:
                return
            if len(missing) <= len(error.others):
                error = undeclared(entry.name, missing, vocabulary)
        for problem in error.problems:
            where = (*entry.where, *(problem.where or ("equation",)))
            placed = replace(problem, relation=entry.name, line=self.notes.document.line(where), where=where)
            self.notes.errors.append((placed, error))
        if not error.problems:
            self.notes.note((*entry.where, _culprit(error, entry.held)), error)

    # Profiles and examples

    def _profiles(self, entry: Table, vocabulary: Vocabulary) -> list[Profile]:
        """Read a profile from its table in the file, and one for each choice it leaves open; none with problems."""
        name, known = entry.name, vocabulary.quantities
        before = len(self.notes.errors)
        texts = {key: entry.text(key) for key in PROFILE if key in entry.held and key not in known}
        shared = self._shared | {key: texts[key] for key in SHARED if key in texts}
        values: dict[str, dict[str, Value]] = {"": {}}
        for key, stated in entry.held.items():
            if key in texts or key in self.broken:
                continue
            if key not in known:
                self.notes.note((*entry.where, key), within(name, self._searched(vocabulary).unknown(key)))
                continue
            for choice, given in _by_choice(stated).items():
                where = (*entry.where, key, choice) if choice else (*entry.where, key)
                data = given if isinstance(given, dict) else {"value": given}
                table = Table(self.notes, f"{name}, {key}", where, data)
                table.only(VALUE)
                value = _value(replace(table, held={**shared, **table.held}), known[key])
                if value is not None:
                    values.setdefault(choice, {})[key] = value
        plain = partial(Profile, name, values.pop(""), texts.get("title", ""), texts.get("note", ""))
        chosen = [partial(Profile, f"{name}:{choice}", numbers) for choice, numbers in values.items()]
        profiles = [replace(entry, name="").attempt(make) for make in (plain, *chosen)]
        if len(self.notes.errors) > before:
            return []
        return [profile for profile in profiles if profile is not None]

    def _shelve(self, entry: Table, profile: Profile) -> None:
        """Add a profile to those of the relation file; a problem if one of its name is there."""
        if any(profile.name == other.name for other in self.profiles):
            what = f"{profile.name} is declared twice, as a profile and as a choice of one."
            replace(entry, name="").complain(what, "Leave one out.")
        else:
            self.profiles.append(profile)

    def _example(self, entry: Table) -> None:
        """Read an example of the relation file from its table, or note its problems."""
        before = len(self.notes.errors)
        texts = entry.texts(EXAMPLE)
        for key, hint in _EXAMPLE_HINTS.items():
            if key not in entry.held:
                entry.complain(f"the example has no '{key}'.", hint)
        profiles = entry.listed("profiles", 'Write profiles = ["name"].')
        given, expected = entry.held.get("given", {}), entry.held.get("expected", "")
        wanted = [expected] if isinstance(expected, str) else expected
        if not isinstance(given, dict) or not _are_texts(list(given.values())):
            entry.complain("'given' is not a table of strings.", 'Write given = { length = "1 m" }.', "given")
        if not _are_texts(wanted):
            entry.complain("'expected' is not a string.", _EXAMPLE_HINTS["expected"], "expected")
        if len(self.notes.errors) == before:
            self.examples.append(Example(entry.name, texts["asked"], profiles, given, tuple(wanted)))

    # The tables of a section

    def _entries(self, section: str) -> Iterable[tuple[str, Any]]:
        """The names and contents of a section of the relation file; none, and a problem, if it is no table."""
        entries = self._top.held.get(section, {})
        if isinstance(entries, dict):
            return entries.items()
        self._top.complain(f"'{section}' is not a table.", f"Write [{section}], then its names.", section)
        return ()

    def _tables(self, section: str) -> Iterable[Table]:
        """The entries of a section of the relation file; a problem for each that is no table or has no allowed name."""
        for name, held in self._entries(section):
            entry = Table(self.notes, name, (section, name), held)
            if not isinstance(held, dict):
                examples = {"quantities": '{ unit = "m" }', "relations": '{ equation = "a = b" }'}
                if section == "quantities":
                    self.broken.add(name)
                entry.complain("it is not a table.", f"Write {name} = {examples.get(section, '{ }')}.")
            elif section in ("profiles", "examples") or entry.attempt(partial(check_name, name)) is not None:
                yield entry
            elif section == "quantities":
                self.broken.add(name)


_EXAMPLE_HINTS = {
    "asked": 'Add asked = "period".',
    "expected": 'Add expected = "2.00 s", or "1..2 s", "at least 1 s", "impossible", or a list of all answers.',
}


def _are_texts(values: Any) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def _by_choice(stated: Any) -> Mapping[str, Any]:
    """A quantity's values by choice in a profile of a relation file; under an empty name if there are no choices."""
    if not by_choice(stated) or not stated:
        return {"": stated}
    keys = tuple(VALUE)
    # a misspelt key of a value is taken for that, and not for a choice
    is_value = any(key in VALUE or unknown("key", key, keys).suggestions for key in stated)
    return {"": stated} if is_value else stated


def _value(entry: Table, quantity: Declaration) -> Value | None:
    """The value of a table in a relation file, with its source; None if it has a problem, which is noted."""
    if "value" not in entry.held:
        entry.complain("it has no value.", f'Add value = "3 {quantity.unit}".')
        return None
    source = _source(entry)
    stated = entry.held["value"]
    if source is None:
        return None
    if isinstance(stated, (bool, list, dict)) or not isinstance(stated, (str, int, float, Decimal)):
        shown = {bool: f"'{stated}'", dict: "a table"}.get(type(stated), f"a {type(stated).__name__}")
        entry.complain(f"{shown} is not a value.", f'Write "3 {quantity.unit}".', "value")
        return None
    value = entry.attempt(lambda: read_given(stated, quantity, source), "value")
    range_text = entry.text("range")
    if value is None or not range_text:
        return value
    return entry.attempt(lambda: read_given(value.between(read_value(range_text)), quantity), "range")


def _source(entry: Table) -> Source | None:
    """Read the source of a value in a relation file, by default an assumption of the file; None with a problem."""
    texts = {key: entry.text(key) for key in ("source", "kind", "date", "as_of", "url", "reason")}
    kind = texts["kind"] or ("published" if texts["source"] else "assumed")
    if kind not in KINDS:
        entry.notes.note((*entry.where, "kind"), within(entry.name, unknown("kind of source", kind, list(KINDS))))
        return None
    text = texts["source"] or entry.notes.document.label or "the relation file"
    date = texts["date"] or texts["as_of"]
    return Source(text, kind, url=texts["url"], date=date, note=texts["reason"])


def _culprit(error: DeriveError, table: Mapping[str, Any]) -> str:
    """The key that a problem found in reading a relation's table is about."""
    when = table.get("when", [])
    conditions = [when] if isinstance(when, str) else when
    share, _, _ = str(table.get("neglects")).partition(" of ")
    if isinstance(error, UnknownNameError) and error.name != share:
        return "equation" if re.search(rf"\b{re.escape(error.name)}\b", table["equation"]) else "when"
    if isinstance(error, UnknownNameError) or "neglects: " in error.what:
        return "neglects"
    if getattr(error, "text", None) in conditions:
        return "when"
    return "approximate" if error.what.startswith(("approximate", "value", "unit")) else "equation"
