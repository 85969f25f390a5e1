"""A relation file as it stands in an editor, read as far as it can be; its problems, and the edits that mend them.

It is read again whenever its text changes, so the units that it defines are forgotten after each reading.

What is said of it is what `derive check` says. A problem knows the key that it is about and, where it can, the part of
that key's text; here both become places in the file. An edit replaces one part of the tree by another. In the text the
part is replaced where it stands, so that the rest keeps its spelling, with parentheses where precedence asks for them.
The new text is read again, and taken only if it is the edited tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Literal

from derive.errors import DeriveError, ExpressionError, Problem, UnitError, UnknownNameError
from derive.expressions.grammar import parse_condition, parse_equation
from derive.expressions.tree import Apply, Equation, Node, Number, rebuilt, render
from derive.file_checks import tested
from derive.model.relation import Relation
from derive.model.repairs import Edit
from derive.relation_files.file_text import Document, are_names_of_one, names_at_top, parse_source
from derive.relation_files.loading import Reader, read
from derive.relation_files.toml_text import Entry, Span, String, TomlText
from quantities.declaration import Declaration
from quantities.profiles import Profile
from quantities.temporary import units_for_a_while


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
        """Whether the text that stands in the editor is a relation file."""
        return are_names_of_one(names_at_top(self.text))

    @cached_property
    def reading(self) -> Reading:
        """The editor's reading of a file: what it says and builds on; what is half-typed is left out."""
        with units_for_a_while() as defined:
            document = self.document()
            if not document.data:
                document = replace(document, data=self.toml.data(), errors=())
            reader = read(document, None, self.others)
            stamps = {path: _stamp(path) for path in _sought(reader) if path not in self.others}
            return Reading(reader, self.path, tuple(sorted(defined())), stamps)

    @property
    def is_stale(self) -> bool:
        """Whether a file on the disk with which the open one was read has changed since."""
        stamps = self.reading.stamps if "reading" in self.__dict__ else {}
        return any(_stamp(path) != stamp for path, stamp in stamps.items())

    def document(self) -> Document:
        """The file, as it stands in the editor, read as TOML: without any data if it is no TOML."""
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
    def relations(self) -> Mapping[str, Relation]:
        """The relations in an editor's reading: of the file, of those that it uses, and of the libraries."""
        relations = {relation.name: relation for relation in self.reader.relations}
        for part in self.reader.parts():
            for relation in part.relations:
                relations.setdefault(relation.name, relation)
            for library in part.libraries:
                for relation in library.relations.values():
                    relations.setdefault(relation.name, relation)
        return relations

    @cached_property
    def profiles(self) -> Mapping[str, Profile]:
        """The profiles that the file in the editor and those that it uses state."""
        return {profile.name: profile for part in self.reader.parts() for profile in part.profiles}

    @cached_property
    def profile_titles(self) -> Mapping[str, str]:
        """The titles of all profiles that an example in the open file may name, by their names."""
        titles = {name: profile.title for name, profile in self.profiles.items()}
        for part in self.reader.parts():
            for library in part.libraries:
                titles.update({name: label.title for name, label in library.profiles.labels().items()})
        return titles

    @cached_property
    def files(self) -> Mapping[Path, str]:
        """The texts of the file in the editor and of those that it uses, by their paths."""
        return {self._path_of(part): part.notes.document.text for part in self.reader.parts()}

    @cached_property
    def sought(self) -> frozenset[Path]:
        """Where the files that the one in the editor uses, and those that these use, are or should be."""
        return frozenset(_sought(self.reader))

    def _path_of(self, part: Reader) -> Path:
        document = part.notes.document
        return self.path if part is self.reader else document.folder / document.label

    def declaring(self, name: str) -> Path | None:
        """The open file, or the one that it uses, that declares a quantity; None if a library does, or none."""
        for part in self.reader.parts():
            if name in part.quantities:
                return self._path_of(part)
        return None


def _sought(reader: Reader) -> Iterator[Path]:
    """Where the open file and those that it uses look for others, also where there is none or one with errors."""
    for part in (reader, *filter(None, reader.shelf.values())):
        yield from part.sought


def _stamp(path: Path) -> object:
    """The time and size of a file read for the editor, by which its change is noticed; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def _examined(file: OpenFile) -> list[tuple[Problem, DeriveError, bool]]:
    """The problems of an open file, as `derive check` says them, each with its error and whether the file loads."""
    with units_for_a_while() as defined:
        reader = read(file.document(), None, file.others)
        refused = len(reader.notes.errors)  # what is noted after these does not keep the file from being loaded
        has_units = bool(defined())
        if has_units:
            tested(reader)  # its examples speak of the units
    if not has_units:
        tested(reader)
    return [(problem, error, i >= refused) for i, (problem, error) in enumerate(reader.notes.errors)]


# What is wrong with it

_FLAT = {"add", "mul"}
_ONE = Number(Fraction(1))


def mended(text: str, edit: Edit, is_condition: bool = False) -> str | None:
    """The text of an equation or a condition in an open file after an edit; None if that cannot be written.

    >>> from derive.expressions.tree import Name
    >>> equation = parse_equation("y  =  a/x")
    >>> x = equation.rhs.args[1].args[0]
    >>> mended("y  =  a/x", Edit("", x, Apply("add", (x, Name("b")))))
    'y  =  a/(x + b)'
    """
    tree = _read(text, is_condition)
    if tree is None:
        return None
    edit = _behind_sign(edit)

    def change(part: Node) -> Node | None:  # the part is found by its place
        return edit.new if part.at == edit.old.at and part == edit.old else None

    sides = [rebuilt(side, change) for side in _sides(tree)]
    wanted = [_flat(side) for side in sides]
    start, end = edit.old.at
    new = render(edit.new)
    for candidate in (new, f"({new})"):  # with parentheses only where it reads as another tree without them
        edited = text[:start] + candidate + text[end:]
        read_again = _read(edited, is_condition)
        if read_again is not None and [_flat(side) for side in _sides(read_again)] == wanted:
            return edited
    return None


def _behind_sign(edit: Edit) -> Edit:
    """The edit that mends only what stands behind a minus or a slash: as the sign of a term or a factor, that stays."""
    old, new = edit.old, edit.new
    while isinstance(old, Apply) and old.op in ("neg", "inv") and old.args[0].at == old.at:
        new = new.args[0] if isinstance(new, Apply) and new.op == old.op else Apply(old.op, (new,))
        old = old.args[0]
    return Edit(edit.words, old, new)


def _read(text: str, is_condition: bool) -> Equation | Node | None:
    try:
        return parse_condition(text) if is_condition else parse_equation(text)
    except DeriveError:
        return None


def _sides(tree: Equation | Node) -> tuple[Node, ...]:
    return (tree.lhs, tree.rhs) if isinstance(tree, Equation) else (tree,)


def _flat(node: Node) -> Node:
    """The tree of an edited equation with nested sums and products taken apart, without factors of 1."""
    if not isinstance(node, Apply):
        return node
    parts: list[Node] = []
    for arg in map(_flat, node.args):
        parts += arg.args if isinstance(arg, Apply) and arg.op == node.op and node.op in _FLAT else (arg,)
    if node.op == "mul":
        parts = [part for part in parts if part != _ONE] or [_ONE]
    return parts[0] if len(parts) == 1 and node.op in _FLAT else Apply(node.op, tuple(parts))


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that mends a problem: what it does, and which part of the file it replaces by what."""

    title: str
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A problem at its place in the file."""

    span: Span
    message: str
    severity: Literal["error", "warning"]
    kind: str  # the class of the error
    fixes: tuple[Fix, ...] = ()


def diagnostics(file: OpenFile) -> list[Diagnostic]:
    """All problems of a file as diagnostics for the editor.

    >>> from pathlib import Path
    >>> text = '''[quantities]
    ... length = { unit = "m" }
    ... period = { unit = "s" }
    ... gravity = { unit = "m/s**2" }
    ... [relations]
    ... swing = { equation = "period = length/gravity" }'''
    >>> found, = diagnostics(OpenFile(Path("pendulum.toml"), text))
    >>> text[slice(*found.span)], found.message.splitlines()[0]
    ('period = length/gravity', 'swing: left is s, right is s**2.')
    >>> found.fixes[0].title, found.fixes[0].text
    ('Take the square root of the right', 'period = sqrt(length/gravity)')
    """
    return [_placed(file.toml, problem, error, is_loaded) for problem, error, is_loaded in _examined(file)]


def _placed(toml: TomlText, problem: Problem, error: DeriveError, is_loaded: bool) -> Diagnostic:
    entry = toml.found(problem.where) if problem.where else None
    message = f"{problem.message}\n{problem.hint}".rstrip()
    redundant = is_loaded and problem.where[:1] == ("relations",)
    severity: Literal["error", "warning"] = "warning" if redundant else "error"
    span, fixes = _place_and_fixes(toml, problem, error, entry)
    return Diagnostic(span, message, severity, type(error).__name__, fixes)


def _place_and_fixes(
    toml: TomlText, problem: Problem, error: DeriveError, entry: Entry | None
) -> tuple[Span, tuple[Fix, ...]]:
    """The place of a problem in the editor's reading of a file, and what mends it."""
    if entry is None:
        return _of_line(toml.text, problem, error), ()
    if isinstance(error, UnknownNameError) and error.name == problem.where[-1]:
        span = entry.key_of(len(problem.where) - 1) or _own_key(entry)
        return span, tuple(Fix(f"Write {name}", span, name) for name in error.suggestions)
    if entry.plain == "[":
        entry = _item(toml, entry, error)
    if entry.string is not None and entry.path[: len(problem.where)] in (problem.where, problem.where[:-1]):
        return _within(entry, entry.string, problem, error)
    return entry.key_of(len(problem.where) - 1) or _own_key(entry), ()


def _item(toml: TomlText, entry: Entry, error: DeriveError) -> Entry:
    """The entry of the open file that a problem is about: an item of the list, or the list itself if it names none."""
    name = error.name if isinstance(error, UnknownNameError) else getattr(error, "text", "")
    items = [item for item in toml.entries if item.path[:-1] == entry.path and item.string is not None]
    return next((item for item in items if name and item.string and name in item.string.value), entry)


def _within(entry: Entry, string: String, problem: Problem, error: DeriveError) -> tuple[Span, tuple[Fix, ...]]:
    """The part of a string in the editor's file that a problem is about, and what mends it."""
    if isinstance(error, UnknownNameError):
        return _undeclared(string, error)
    start, end = problem.span
    if isinstance(error, ExpressionError) and end:
        shift = max(string.value.find(error.text), 0)
        start, end = start + shift, _word_end(string.value, start + shift)
    elif isinstance(error, UnitError) and error.unit and error.unit in string.value:
        start = string.value.rindex(error.unit)
        end = start + len(error.unit)
    if not 0 <= start < end <= len(string.value):
        start, end = 0, len(string.value)
    span = string.places[start], string.places[end]
    return span, tuple(_mends(entry, string, problem))


def _mends(entry: Entry, string: String, problem: Problem) -> list[Fix]:
    is_condition = entry.path[2:3] == ("when",)
    fixes = []
    for edit in problem.edits:
        text = mended(string.value, edit, is_condition)
        if text is not None:
            words = edit.words[0].upper() + edit.words[1:]
            fixes.append(Fix(words, string.span, string.written(text)))
    return fixes


def _undeclared(string: String, error: UnknownNameError) -> tuple[Span, tuple[Fix, ...]]:
    """The place of a problem's undeclared name in the open file, and the edits that write a name that may be meant."""
    match = re.search(rf"(?<![\w.]){re.escape(error.name)}(?![\w.])", string.value)
    if match is None:
        return string.span, ()
    span = string.places[match.start()], string.places[match.end()]
    return span, tuple(Fix(f"Write {name}", span, name) for name in error.suggestions)


def _word_end(text: str, start: int) -> int:
    """The end of the word, number or mark at which a problem in an open file begins."""
    match = re.compile(r"\w+|\S").match(text, start)
    return match.end() if match else len(text)


def _own_key(entry: Entry) -> Span:
    """The place of a problem with an entry in an open file: its last key, or its first character without keys."""
    return entry.keys[-1] if entry.keys else (entry.start, entry.start + 1)


def _of_line(text: str, problem: Problem, error: DeriveError) -> Span:
    """The rest of the line on which the editor marks a problem, from the column that its error names."""
    lines = text.split("\n")
    row = min(max(problem.line, 1), len(lines)) - 1
    start = sum(len(text_line) + 1 for text_line in lines[:row])
    position = getattr(error, "position", None)
    column = min(position[1] - 1, len(lines[row])) if position else 0
    end = start + len(lines[row].rstrip("\r"))
    if start + column < end:
        return start + column, end
    indent = len(lines[row]) - len(lines[row].lstrip())
    return start + indent, end
