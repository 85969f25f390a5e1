"""A relation file as it stands in an editor, read as far as it can be.

It is read again whenever its text changes, so the units that it defines are forgotten after each reading.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from derive.checking import tested
from derive.errors import DeriveError, Problem
from derive.model.relation import Relation
from derive.relation_files.loading import Reader, read
from derive.relation_files.sources import Document, are_names_of_one, names_at_top, parse_source
from derive.relation_files.toml_text import TomlText
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.temporary import units_for_a_while

__all__ = ["OpenFile", "Reading", "examined"]


@dataclass(frozen=True)
class OpenFile:
    """A file in an editor: its path, its text, and the texts of the others that are open."""

    path: Path
    text: str
    others: Mapping[Path, str] = field(default_factory=dict)

    @cached_property
    def toml(self) -> TomlText:
        return TomlText(self.text)

    @cached_property
    def is_ours(self) -> bool:
        """Whether it is a relation file."""
        return are_names_of_one(names_at_top(self.text))

    @cached_property
    def reading(self) -> Reading:
        """What the file says, and what it builds on; what is half-typed is left out."""
        with units_for_a_while() as defined:
            document = self.document()
            if not document.data:
                document = replace(document, data=self.toml.data(), errors=())
            reader = read(document, None, self.others)
            stamps = {path: _stamp(path) for path in _sought(reader) if path not in self.others}
            return Reading(reader, self.path, tuple(sorted(defined())), stamps)

    @property
    def is_stale(self) -> bool:
        """Whether a file that it was read with has changed on the disk since."""
        stamps = self.reading.stamps if "reading" in self.__dict__ else {}
        return any(_stamp(path) != stamp for path, stamp in stamps.items())

    def document(self) -> Document:
        """The file as the TOML reader reads it: without any data if it is no TOML."""
        return parse_source(self.text.removeprefix("\ufeff"), self.path.name, self.path.parent)


@dataclass(frozen=True)
class Reading:
    """What a file declares and may use."""

    reader: Reader
    path: Path
    units: tuple[str, ...] = ()  # those that it defines
    stamps: Mapping[Path, object] = field(default_factory=dict)  # of the files on the disk that it is read with

    @cached_property
    def known(self) -> Mapping[str, Declaration]:
        return self.reader.known()

    @cached_property
    def own(self) -> Mapping[str, Declaration]:
        """What the file itself declares."""
        return self.reader.quantities

    @cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The relations of the file, of those that it uses, and of the libraries."""
        found = {relation.name: relation for relation in self.reader.relations}
        for part in self.reader.parts():
            for relation in part.relations:
                found.setdefault(relation.name, relation)
            for library in part.libraries:
                for relation in library.relations.values():
                    found.setdefault(relation.name, relation)
        return found

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """The profiles that the file and those that it uses state."""
        return {profile.name: profile for part in self.reader.parts() for profile in part.profiles}

    @cached_property
    def profile_titles(self) -> Mapping[str, str]:
        """All profiles that an example may name, with their titles."""
        found = {name: profile.title for name, profile in self.profiles.items()}
        for part in self.reader.parts():
            for library in part.libraries:
                found.update({name: label.title for name, label in library.profiles.labels().items()})
        return found

    @cached_property
    def files(self) -> Mapping[Path, str]:
        """The files that it consists of, with their texts: those that it uses, and itself."""
        return {self._path_of(part): part.notes.document.text for part in self.reader.parts()}

    @cached_property
    def sought(self) -> frozenset[Path]:
        """Where the files that it uses, and those that these use, are or should be."""
        return frozenset(_sought(self.reader))

    def _path_of(self, part: Reader) -> Path:
        document = part.notes.document
        return self.path if part is self.reader else document.folder / document.label

    def declaring(self, name: str) -> Path | None:
        """The file that declares a quantity; None if a library does, or none."""
        for part in self.reader.parts():
            if name in part.quantities:
                return self._path_of(part)
        return None


def _sought(reader: Reader) -> Iterator[Path]:
    """Where a file and those that it uses look for others, also for such that are not there or have errors."""
    for one in (reader, *filter(None, reader.shelf.values())):
        yield from one.sought


def _stamp(path: Path) -> object:
    """By which a file on the disk is told from what it was before; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def examined(file: OpenFile) -> list[tuple[Problem, DeriveError, bool]]:
    """What `derive check` says of a file: each problem, its error, and whether the file can be loaded all the same."""
    with units_for_a_while() as defined:
        reader = read(file.document(), None, file.others)
        certain = len(reader.notes.errors)
        has_units = bool(defined())
        if has_units:
            tested(reader)  # its examples speak of the units
    if not has_units:
        tested(reader)
    return [(problem, error, i >= certain) for i, (problem, error) in enumerate(reader.notes.errors)]
