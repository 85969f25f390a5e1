"""Relation files: strict TOML in, a library out, and every problem of the file at once.

A file is read in passes: what it uses, its units, its quantities, its relations, its profiles, its examples. A problem
is noted and reading goes on; what depends on a broken entry is skipped, so that one mistake is one problem.

The shape of the tables is checked by hand, in 2 of the 150 ms that the built-in library takes to read. msgspec needs
0.6 ms for it and 12 to be imported, cattrs 3 and 25; msgspec stops at the first mistake, and neither knows its line.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from derive.errors import DeriveError, ExpressionError, UnknownNameError
from derive.library import Library
from derive.model.relation import Relation, relate, undeclared
from derive.model.repairs import Vocabulary
from derive.relation_files.keys import FILE, QUANTITY, RELATION, SECTIONS, texts_of
from derive.relation_files.offered import installed, is_name, offers, shelved
from derive.relation_files.sources import SEARCHED, Document, Notes, parse_source, read_document, read_source
from derive.relation_files.values import Example, stated_default, stated_example, stated_profiles, stated_unit
from derive.time_limits import query
from quantities.declaration import Declaration, check_name, read_aliases
from quantities.domain import read_domain
from quantities.facts import Profile
from quantities.spelling import parse_unit

__all__ = ["Reader", "load", "proved", "read"]

_T = TypeVar("_T")


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
        return proved(read(parse_source(*read_source(source)), beside))


def _is_offered(source: str | Path) -> bool:
    """Whether a source names a library that an installed package offers."""
    is_free = isinstance(source, str) and is_name(source) and not shelved(source) and not os.path.exists(source)
    return is_free and source in offers()


def proved(reader: Reader) -> Library:
    """The library that was read; raises its problems, if there are any."""
    if reader.notes.errors:
        raise reader.notes.gathered()
    return reader.library()


def read(document: Document, beside: Library | None, unsaved: Mapping[Path, str] | None = None) -> Reader:
    """A relation file as far as it can be read, with its problems; `unsaved` has the texts of files in an editor."""
    if not isinstance(beside, (Library, type(None))):
        raise ExpressionError(f"a {type(beside).__name__} is not a library.", hint="Give beside=library.")
    reader = Reader(Notes(document), beside or Library(), unsaved=unsaved or {})
    reader.read()
    return reader


@dataclass
class Reader:
    """The reading of one document: what was found so far, and its problems."""

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
        parts = self.parts()
        library = Library(
            [relation for part in parts for relation in part.relations],
            [quantity for part in parts for quantity in part.quantities.values()],
            [profile for part in parts for profile in part.profiles],
            self.title,
        )
        for used in dict.fromkeys(other for part in parts for other in part.libraries):
            library = used | library
        return library

    def parts(self) -> list[Reader]:
        """The files that are used, each once and before those that use it, and the file itself."""
        found: dict[int, Reader] = {}
        for file in self.files:
            found.update((id(part), part) for part in file.parts())
        return [*found.values(), self]

    def known(self) -> dict[str, Declaration]:
        """The quantities that the file may use."""
        known = dict(self.beside.declared)
        for part in self.parts():
            for library in part.libraries:
                known.update(library.declared)
            known.update(part.quantities)
        return known

    def read(self) -> None:
        for error, line in self.notes.document.errors:
            self.notes.note((), error, line)
        self.broken |= self.notes.document.lost
        data = self.notes.document.data
        self.notes.keys("", (), data, (*FILE, *SECTIONS))
        for key in texts_of(FILE):
            self.notes.text("", (), data, key)
        self._uses(data)
        for name, meaning in self._entries(data, "units"):
            stated_unit(self.notes, name, meaning)
        for name, table in self._tables(data, "quantities"):
            self._quantity(name, table)
        known = self.known()
        vocabulary = Vocabulary(known)
        for name, table in self._tables(data, "relations"):
            self._relation(name, table, known, vocabulary)
        for name, table in self._tables(data, "profiles"):
            for profile in stated_profiles(self.notes, name, table, vocabulary, self.broken):
                self._shelve(name, profile)
        for name, table in self._tables(data, "examples"):
            example = stated_example(self.notes, name, table)
            self.examples += [] if example is None else [example]

    def _shelve(self, name: str, profile: Profile) -> None:
        if any(profile.name == other.name for other in self.profiles):
            what = f"{profile.name} is declared twice, as a profile and as a choice of one."
            self.notes.complain("", ("profiles", name), what, "Leave one out.")
        else:
            self.profiles.append(profile)

    # The files and libraries that it uses

    def _uses(self, data: Mapping[str, Any]) -> None:
        used = data.get("uses", [])
        if isinstance(used, list) and all(isinstance(one, str) for one in used):
            taken = [self._use(one) for one in used]  # a list, so that all missing files are reported
            self.is_whole = all(taken)
        else:
            self.is_whole = False
            example = 'Write uses = ["quantities.toml", "llm"].'
            self.notes.complain("", ("uses",), "'uses' is not a list of strings.", example)

    def _use(self, used: str) -> bool:
        """Whether a used file or library could be read; if not, the reason is noted."""
        path = shelved(used)
        if path is None and not used.endswith(".toml"):
            library = self.notes.attempt("", ("uses",), lambda: installed(used))
            self.libraries += [] if library is None else [library]
            return library is not None
        folder = self.notes.document.folder
        path = Path(os.path.abspath(path or folder / used))  # one name for each file; links stay
        self.sought.append(path)
        if path not in self.shelf and path not in self.unsaved and not path.is_file():
            what = f"{used} is not a file." if path.exists() else f"there is no file {used}."
            self.notes.complain("", ("uses",), what, "Give its path relative to this file.")
            return False
        if path not in self.shelf:
            self.shelf[path] = None
            text = self.unsaved.get(path)
            document = read_document(path) if text is None else parse_source(text, path.name, path.parent)
            reader = Reader(Notes(document), self.beside, self.shelf, self.unsaved)
            reader.read()
            self.shelf[path] = reader
        return self._take(used, self.shelf[path])

    def _take(self, used: str, file: Reader | None) -> bool:
        if file is None:
            self.notes.complain("", ("uses",), f"{used} uses this file in turn.", "Leave it out of one of the two.")
        elif file.notes.errors:
            first, count = file.notes.errors[0][0], len(file.notes.errors)
            many = "1 problem" if count == 1 else f"{count} problems; the first"
            what = f"{used} has {many}, on line {first.line}: {first.message}"
            self.notes.complain("", ("uses",), what, f"Fix that file: derive check {used}")
        else:
            self.files.append(file)
            return True
        return False

    # The three kinds of entry

    def _quantity(self, name: str, table: Mapping[str, Any]) -> None:
        where = ("quantities", name)
        before = len(self.notes.errors)
        self.broken.add(name)
        self.notes.keys(name, where, table, QUANTITY)
        texts = {key: self.notes.text(name, where, table, key) for key in texts_of(QUANTITY)}
        if "unit" not in table:
            self.notes.complain(name, where, "it has no unit.", 'Add unit = "m", or unit = "" for a plain number.')
        if "." in name:
            self.notes.complain(name, where, "declared names have no dots.", "Dots name operating points: fast.batch.")
        if len(self.notes.errors) > before:
            return
        domain = texts["domain"] or "positive"
        unit = self.notes.attempt(name, (*where, "unit"), lambda: parse_unit(texts["unit"]))
        if unit is None or self.notes.attempt(name, (*where, "domain"), lambda: read_domain(domain, unit)) is None:
            return
        stated = table.get("aliases", [])
        aliases = self.notes.attempt(name, (*where, "aliases"), lambda: read_aliases(name, stated)) or ()
        plain = Declaration(name, texts["unit"], texts["meaning"], latex=texts["latex"], domain=domain, aliases=aliases)
        if "seen" in table:
            held = self.notes.attempt(name, (*where, "seen"), lambda: plain.but(seen=table["seen"]))
            plain = plain if held is None else held
        has_default = "value" in table or "otherwise" in table
        self.quantities[name] = self._with_default(plain, table) if has_default else plain
        self.broken.discard(name)

    def _with_default(self, declared: Declaration, table: Mapping[str, Any]) -> Declaration:
        """The quantity with its default; without it if that is wrong, so that its relations are still checked."""
        where = ("quantities", declared.name)
        value = stated_default(self.notes, declared.name, where, declared, table)
        return declared if value is None else declared.but(default=value)

    def _relation(
        self, name: str, table: Mapping[str, Any], known: dict[str, Declaration], vocabulary: Vocabulary
    ) -> None:
        where = ("relations", name)
        before = len(self.notes.errors)
        vocabulary = vocabulary if before < SEARCHED else vocabulary.brief
        self.notes.keys(name, where, table, RELATION)
        texts = {key: self.notes.text(name, where, table, key) for key in texts_of(RELATION)}
        when = self._conditions(name, where, table)
        shared = str(self.notes.document.data.get("source", ""))
        if "equation" not in table:
            self.notes.complain(name, where, "it has no equation.", 'Add equation = "left = right".')
        if len(self.notes.errors) > before:
            return
        try:
            relation = relate(
                name,
                texts["equation"],
                because=texts["because"],
                source=texts["source"] or shared,
                when=when,
                approximate=texts["approximate"] or None,
                quantities=known,
                vocabulary=vocabulary,
            )
            if texts["neglects"]:
                share, _, of = texts["neglects"].partition(" of ")
                if share not in known:
                    raise undeclared(name, [share], vocabulary)
                relation = relation.neglecting(known[share], of)
        except DeriveError as error:
            self._refused(name, where, error, table, vocabulary)
        else:
            self.relations.append(relation)

    def _refused(
        self, name: str, where: tuple[str, ...], error: DeriveError, table: Mapping[str, Any], vocabulary: Vocabulary
    ) -> None:
        """Note why a relation was refused, unless it only uses a quantity that was, or may have been, refused."""
        if isinstance(error, UnknownNameError):
            unmet = [other for other in (error.name, *error.others) if other not in self.broken]
            if not unmet or not self.is_whole:
                return
            if len(unmet) <= len(error.others):
                error = undeclared(name, unmet, vocabulary)
        for problem in error.problems:
            at = (*where, *(problem.where or ("equation",)))
            placed = replace(problem, relation=name, line=self.notes.document.line(at), where=at)
            self.notes.errors.append((placed, error))
        if not error.problems:
            self.notes.note((*where, _culprit(error, table)), error)

    # Their parts

    def _conditions(self, name: str, where: tuple[str, ...], table: Mapping[str, Any]) -> list[str]:
        when = table.get("when", [])
        conditions = [when] if isinstance(when, str) else when
        if not isinstance(conditions, list) or not all(isinstance(condition, str) for condition in conditions):
            self.notes.complain(
                name, (*where, "when"), "'when' is not a list of strings.", 'Write when = ["swing < 0.3"].'
            )
            return []
        return conditions

    def _entries(self, data: Mapping[str, Any], section: str) -> Iterable[tuple[str, Any]]:
        entries = data.get(section, {})
        if isinstance(entries, dict):
            return entries.items()
        self.notes.complain("", (section,), f"'{section}' is not a table.", f"Write [{section}], then its names.")
        return ()

    def _tables(self, data: Mapping[str, Any], section: str) -> Iterable[tuple[str, Mapping[str, Any]]]:
        for name, table in self._entries(data, section):
            where = (section, name)
            if not isinstance(table, dict):
                example = {"quantities": '{ unit = "m" }', "relations": '{ equation = "a = b" }'}
                self.broken |= {name} if section == "quantities" else set()
                self.notes.complain(name, where, "it is not a table.", f"Write {name} = {example.get(section, '{ }')}.")
            elif (
                section in ("profiles", "examples")
                or self.notes.attempt(name, where, partial(check_name, name)) is not None
            ):
                yield name, table
            elif section == "quantities":
                self.broken.add(name)


def _culprit(error: DeriveError, table: Mapping[str, Any]) -> str:
    """The key of a relation that an error is about."""
    when = table.get("when", [])
    if isinstance(error, UnknownNameError) and error.name != str(table.get("neglects")).partition(" of ")[0]:
        return "equation" if re.search(rf"\b{re.escape(error.name)}\b", table["equation"]) else "when"
    if isinstance(error, UnknownNameError) or "neglects: " in error.what:
        return "neglects"
    if getattr(error, "text", None) in ([when] if isinstance(when, str) else when):
        return "when"
    return "approximate" if error.what.startswith(("approximate", "value", "unit")) else "equation"
