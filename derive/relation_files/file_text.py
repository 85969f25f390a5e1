"""The text of a relation file, and the TOML data read from it.

The TOML reader stops at its first error. So that a name declared twice is reported together with all other problems,
the second declaration is blanked out and the text read again. The reader is `tomli`, from which Python's own comes:
compiled, it reads the files of the built-in library in a third of the time. It keeps no positions, so the text is
scanned for its keys; the scan serves messages only.

Other programs have TOML files too. `is_one` tells a relation file by the names at its top, so that looking through a
folder costs little, and a file that is not TOML any more, since somebody is writing it, is recognised all the same.

Its problems are noted with their lines, while reading goes on (`Notes`).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import tomli

from derive.errors import DeriveError, ExpressionError, LimitError, Problem, excerpt, together, unknown
from derive.files import LARGEST, content_of
from derive.relation_files.keys import FILE, SECTIONS, Key
from derive.relation_files.named_libraries import is_name, meant, offers
from derive.relation_files.toml_text import TomlText
from quantities.rational import as_number

_Refused = tuple[DeriveError, int]
"""The error for which a text is refused, and its line."""
KeyPath = tuple[str, ...]
"""The path of an entry: the keys of the tables around it, and its own."""


def key_lines(text: str) -> dict[KeyPath, int]:
    """The line of each table and key in a relation file, for its problems; tables of a list are told by number.

    >>> key_lines("[quantities]\\nlength = { unit = 'm' }")
    {('quantities',): 1, ('quantities', 'length'): 2}
    >>> key_lines("[[parts]]\\n[[parts]]\\nname = 'b'")
    {('parts',): 1, ('parts', '0'): 1, ('parts', '1'): 2, ('parts', '1', 'name'): 3}
    """
    lines: dict[KeyPath, int] = {}
    for line, path, open_parts in _statements(text):
        for depth in range(open_parts + 1, len(path) + 1):
            lines.setdefault(path[:depth], line)
    return lines


def _statements(text: str) -> Iterator[tuple[int, KeyPath, int]]:
    """The lines of a relation file with a header or key at their start, with its path and number of open parts."""
    line, counted = 1, 0  # the line of a place, up to which the ends of lines are counted
    for start, path, open_parts in TomlText(text, is_half_typed=False).statements:
        line, counted = line + text.count("\n", counted, start), start
        yield line, path, open_parts


_LONGEST_LINE = 24_000  # characters of one line; the TOML reader takes quadratic time over a longer key
_DEEP_KEY = re.compile(r"(?<![\w\"'-])(?:[\w\"'-]++[ \t]*+\.[ \t]*+){50}")  # a key of nested tables
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""All but the tab and the end of a line; those that turn the direction of a text show another one than it is, too."""
_MAY_CONTROL = re.compile(rf"{_CONTROL.pattern}|\\[bfreuUx]")  # written out, or as an escape of TOML
_MOST_REPEATS = 8  # limit on repeated declarations that are blanked out
_POSITION = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_DECLARED_TWICE = re.compile(r"Cannot (declare|overwrite)|Duplicate|twice|Cannot mutate")


@dataclass(frozen=True)
class Document:
    """A TOML text that has been read as far as it can be."""

    text: str
    label: str  # the file's name, or empty
    data: Mapping[str, Any]
    folder: Path = Path()  # to which paths in the file are relative
    errors: tuple[_Refused, ...] = ()
    lost: frozenset[str] = frozenset()  # names that were blanked out with a second declaration
    is_unread: bool = False  # whether its one error is that it is no text, or too long a one

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return key_lines(self.text)

    def line(self, path: tuple[str, ...]) -> int:
        """The line of a key in the relation file, or of the nearest key above it; 0 if there is none."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return 0

    def row(self, line: int) -> str:
        """The text of a line of the relation file; empty if there is no such line."""
        return _row(self.text, line)

    def first_line(self, line: int) -> int:
        """The line of a relation file on which a key's text begins: the key's, or the next one after triple quotes."""
        return line + bool(re.search(r"""=\s*(\"{3}|'{3})\s*$""", self.row(line)))

    def column(self, line: int, text: str) -> int:
        """Where a text begins on a line of the relation file; zero if it is not found there."""
        return max(self.row(line).find(text), 0)


def is_text(source: str) -> bool:
    """Whether a source is the text of a relation file, and not its path."""
    return not source or any(mark in source for mark in "\n=[")


def read_document(source: str | Path) -> Document:
    """Read the text and data of a relation file; if it cannot be opened that is an error, others stand in the result.

    A Path is a path. So is a str, unless it is empty or contains a newline, `=` or `[`: then it is the text itself; or
    names a library that comes with this package: then it is that one's file.
    """
    if isinstance(source, str) and is_text(source):
        return _within_limits(source.removeprefix("\ufeff"), "", Path(), len(source))
    if not isinstance(source, (str, Path)):
        raise ExpressionError(
            f"a {type(source).__name__} is not a relation file.", hint="Give a Path, or the text of a file."
        )
    path = meant(source) if isinstance(source, str) else source
    try:
        content = content_of(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        what = f"The file {excerpt(str(source))} cannot be read: {reason.lower()}."
        hint = "Give the path of a relation file (TOML)."
        if isinstance(source, str) and is_name(source):
            hint = f"{hint[:-1]}, or the name of a library: {', '.join(offers())}."
        raise ExpressionError(what, hint=hint, text=str(source)) from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = f"{excerpt(path.name)} is not UTF-8 text: byte {error.start} cannot be read."
        unread = ExpressionError(what, hint="Save it as UTF-8.", text=str(path))
        line = content.count(b"\n", 0, error.start) + 1
        return Document("", path.name, {}, path.parent, errors=((unread, line),), is_unread=True)
    return _within_limits(text, path.name, path.parent, len(content))


def _within_limits(text: str, label: str, folder: Path, size: int) -> Document:
    """The text of a relation file and the data read from it; unread, with an error, if the text is too large."""
    if size <= LARGEST:
        return parse_source(text, label, folder)
    what = f"The relation file has more than {LARGEST} bytes."
    unread = LimitError(what, hint="Split it.", limit=f"{LARGEST} bytes")
    return Document("", label, {}, folder, errors=((unread, 0),), is_unread=True)


def parse_source(text: str, label: str = "", folder: Path = Path()) -> Document:  # a Path is immutable
    """Read the data from a relation file's text; the errors are repeated declarations and the first other mistake."""
    text = text.replace("\r\n", "\n")
    if refused := _too_long(text):
        return Document(text, label, {}, folder, errors=(refused,))
    errors: list[_Refused] = []
    lost: set[str] = set()
    remaining = text
    while True:
        try:
            data = tomli.loads(remaining, parse_float=_as_written)
            document = Document(text, label, data, folder, errors=tuple(errors), lost=frozenset(lost))
            if controls := _control_characters(document):
                return Document(text, label, {}, folder, errors=(*errors, *controls))
            return document
        except tomli.TOMLDecodeError as raised:
            error, line = _reworded(str(raised), text)
            errors.append((error, line))
            if not _DECLARED_TWICE.search(str(raised)) or len(errors) > _MOST_REPEATS or not line:
                return Document(text, label, {}, folder, errors=tuple(errors))
            blanked = _blanked(remaining, line)
            lost |= _names_of_entries(remaining) - _names_of_entries(blanked)
            remaining = blanked
        except (ValueError, RecursionError) as raised:
            is_deep = isinstance(raised, RecursionError)
            reason = "tables or lists are nested too deep" if is_deep else "a number has too many digits"
            unread = ExpressionError(f"This is not TOML: {reason}.", hint='Write numbers as text: value = "1e9 USD".')
            return Document(text, label, {}, folder, errors=((unread, 0),))


def _as_written(text: str) -> float | Decimal:
    """A number read from a relation file with all its digits; a Decimal, which no value can be, beyond all doubles."""
    decimal = Decimal(text)
    try:
        return as_number(decimal)
    except OverflowError:
        return decimal


def _too_long(text: str) -> _Refused | None:
    """The error for a relation file with a line that is too long, or a key too deep, for the TOML reader; or None."""
    rows = text.split("\n")
    if max(map(len, rows)) > _LONGEST_LINE:
        line = next(i for i, row in enumerate(rows, 1) if len(row) > _LONGEST_LINE)
        what, limit = "The line has more than {}.", f"{_LONGEST_LINE} characters"
    elif key := _DEEP_KEY.search(text):
        line = text.count("\n", 0, key.start()) + 1
        what, limit = "The key has {} or more.", "50 dots"
    else:
        return None
    return LimitError(what.format(limit), hint="Split it.", limit=limit), line


def _control_characters(document: Document) -> list[_Refused]:
    """An error, with its line, for each text read from a file with a control character, which a terminal would obey."""
    if not _MAY_CONTROL.search(document.text):
        return []
    errors: list[_Refused] = []
    for path, character in _controls(document.data, ()):
        what = f"{'.'.join(path)} has the control character U+{ord(character):04X}."
        errors.append((ExpressionError(what, hint="Take it out.", text=path[-1]), document.line(path)))
    return errors


def _controls(data: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path of each text or key read from a relation file with a control character, and that character."""
    if isinstance(data, str):
        if match := _CONTROL.search(data):
            yield path, match[0]
    elif isinstance(data, dict):
        for key, value in data.items():
            if match := _CONTROL.search(key):
                yield (*path, ascii(key)), match[0]
            yield from _controls(value, (*path, key))
    elif isinstance(data, list):
        for value in data:
            yield from _controls(value, path)


def _names_of_entries(text: str) -> set[str]:
    """The names of the quantities, relations and profiles that the text of a relation file declares."""
    return {path[1] for path in key_lines(text) if len(path) > 1}


def _reworded(message: str, text: str) -> tuple[ExpressionError, int]:
    """The TOML reader's error on a relation file in other words, and its line."""
    position = _POSITION.search(message)
    if position and position[1]:
        line, column = int(position[1]), int(position[2])
    else:  # at the end of the document
        line, column = text.count("\n") + 1, 1
    reason = _POSITION.sub("", message).strip().rstrip(".")
    if _DECLARED_TWICE.search(message):
        line = max((start for start, _, _ in _statements(text) if start <= line), default=line)  # of its statement
        name = _key_name(text, line)
        if inline := re.search(r"Duplicate inline table key '(.+?)'", message):
            name = f"{name}.{inline.group(1)}"
        what, hint = f"{name} is declared twice.", "Leave one out, or rename it."
    else:
        what, hint = f"This is not TOML: {reason[:1].lower()}{reason[1:]}.", _toml_hint(text, line)
    return ExpressionError(what, hint=hint, text=_row(text, line).strip(), position=(line, column)), line


def _key_name(text: str, line: int) -> str:
    """The name of the key or table on a line of a relation file, for an error of the TOML reader."""
    names = key_lines(_row(text, line))
    longest: tuple[str, ...] = max(names, key=len) if names else ("a name",)
    return ".".join(longest)


def _row(text: str, line: int) -> str:
    """A line in the text of a relation file; empty if there is no such line."""
    rows = text.split("\n")
    return rows[line - 1] if 0 < line <= len(rows) else ""


def _toml_hint(text: str, line: int) -> str:
    """The hint on a line of a relation file at which the TOML reader stopped."""
    row = _row(text, line).strip()
    if row.startswith(("{", "<")):
        return 'A relation file is TOML: [quantities], then name = { unit = "m" }.'
    if "'" in row or '"' in row or "=" in row:
        return "Write strings in quotes, tables in [brackets], one key to a line."
    return 'Write key = "text".'


def _blanked(text: str, line: int) -> str:
    """The text of a relation file to be read again, with a repeated declaration, or its table, blanked out."""
    rows = text.split("\n")
    is_header = rows[line - 1].lstrip().startswith("[")
    later = (start for start, _, _ in _statements(text) if start > line)
    end = next((start for start in later if not is_header or rows[start - 1].lstrip().startswith("[")), len(rows) + 1)
    return "\n".join([*rows[: line - 1], *[""] * (end - line), *rows[end - 1 :]])


_BYTES_READ = 4_000_000  # bytes that are looked at
_TOP_HEADER = re.compile(r"^[ \t]*\[\[?[ \t]*[\"']?([\w-]+)", re.MULTILINE)
_TOP_KEY = re.compile(r"^[ \t]*[\"']?([\w-]+)[\"']?(?:[ \t]*\.[ \t]*[\w\"'-]+)*[ \t]*=", re.MULTILINE)


def are_names_of_one(names: Iterable[str]) -> bool:
    """Whether a TOML file with these names at its top is a relation file, and not one of another program.

    >>> are_names_of_one(["title", "quantities"]), are_names_of_one(["project", "tool"]), are_names_of_one(["profiles"])
    (True, False, True)
    """
    at_top = set(names)
    if at_top & {"quantities", "relations"}:
        return True
    return bool(at_top & {"uses", *SECTIONS}) and at_top <= {*FILE, *SECTIONS}


def names_at_top(text: str) -> set[str]:
    """The names at the top of a file, which tell if it is a relation file: its tables, and keys before the first.

    >>> sorted(names_at_top("title = 'x'\\n[quantities]\\ny = { unit = 'm' }\\n[relations.r]"))
    ['quantities', 'relations', 'title']
    """
    first = _TOP_HEADER.search(text)
    return {*_TOP_HEADER.findall(text), *_TOP_KEY.findall(text[: first.start()] if first else text)}


def is_one(path: Path) -> bool:
    """Whether there is a relation file at a path, and not one of another program, by the names at its top level."""
    if not path.is_file():  # what a pipe holds could not be read again
        return False
    try:
        with path.open("rb") as file:
            start = file.read(_BYTES_READ)
    except OSError:
        return False
    coding = "utf-16" if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) else "utf-8-sig"
    return are_names_of_one(names_at_top(start.decode(coding, errors="replace")))


SEARCHED = 20
"""Limit on problems of a file for which similar names and repairs are searched."""

_Result = TypeVar("_Result")


@dataclass
class Notes:
    """The problems of one document, in the order in which they were found."""

    document: Document
    errors: list[tuple[Problem, DeriveError]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for error, line in self.document.errors:
            self.note((), error, line)

    def note(self, where: KeyPath, error: DeriveError, line: int | None = None) -> None:
        """Note the error of an entry of the relation file; `line` is that of an error of the TOML reader."""
        is_of_reader = line is not None  # the position is that of the TOML reader, in the file and not within a text
        line = self.document.line(where) if line is None else line
        span = (0, 0) if is_of_reader else _span(error)
        if isinstance(error, ExpressionError) and error.position is not None and line and not is_of_reader:
            column = error.position[1] + self.document.column(line, error.text)
            error.position = (self.document.first_line(line) + error.position[0] - 1, column)
        relation = where[1] if where[:1] == ("relations",) and len(where) > 1 else ""
        self.errors.append((Problem(relation, line, error.what, error.hint, where=where, span=span), error))

    def gathered(self) -> DeriveError:
        """One error for all problems that were noted of a relation file, of their kind if they share one."""
        problems, errors = zip(*self.errors, strict=True)
        label = self.document.label
        return together(errors, problems, f"{label}: " if label else "", label)


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a document: what it holds, where it stands, and the name under which its problems are reported."""

    notes: Notes
    name: str
    where: KeyPath
    held: Mapping[str, Any]

    def complain(self, what: str, hint: str, *below: str) -> None:
        """Note a problem of the relation file in this table, or in the entry below these keys in it."""
        message = f"{self.name}: {what}" if self.name else what
        self.notes.note((*self.where, *below), ExpressionError(message, hint=hint, text=self.name))

    def attempt(self, act: Callable[[], _Result], *below: str) -> _Result | None:
        """The result of reading a part of a relation file's data with `act`; None if it fails, which is noted."""
        try:
            return act()
        except DeriveError as error:
            self.notes.note((*self.where, *below), within(self.name, error))
            return None

    def only(self, known: Iterable[str]) -> None:
        """Note a problem of the relation file for each key of the table that is not among the known ones."""
        allowed = tuple(known)
        for key in self.held:
            if key not in allowed:
                self.notes.note((*self.where, key), within(self.name, unknown("key", key, allowed)))

    def text(self, key: str) -> str:
        """The text under a key in a table of a relation file; empty if there is none, or no text, which is noted."""
        text = self.held.get(key, "")
        if isinstance(text, str):
            return text
        self.complain(f"'{key}' is not a string.", f'Write {key} = "...".', key)
        return ""

    def texts(self, keys: Mapping[str, Key], *more: str) -> dict[str, str]:
        """The texts under these keys in a table of a relation file; a key that is not known is noted as a problem."""
        self.only((*keys, *more))
        return {name: self.text(name) for name, key in keys.items() if key.is_text}

    def listed(self, key: str, hint: str, *, may_be_one: bool = False) -> tuple[str, ...]:
        """The texts listed under a key in a table of the file; empty, and noted, if it is no list. One may do."""
        listed = self.held.get(key, [])
        if may_be_one and isinstance(listed, str):
            return (listed,)
        if isinstance(listed, list) and all(isinstance(text, str) for text in listed):
            return tuple(listed)
        self.complain(f"'{key}' is not a list of strings.", hint, key)
        return ()


def within(name: str, error: DeriveError) -> DeriveError:
    """The error of an entry, as it is noted for a relation file: with the entry's name in front of its message."""
    profile, comma, quantity = name.rpartition(", ")
    if comma and error.what.startswith(f"{quantity}:"):
        error.what = f"{profile}, {error.what}"
    elif name and not error.what.startswith((f"{name}:", f"{name},")):
        error.what = f"{name}: {error.what}"
    return error


def _span(error: DeriveError) -> tuple[int, int]:
    """The part of a relation file's text that an error is about, from its position to the end; empty if it has none."""
    if not isinstance(error, ExpressionError) or error.position is None:
        return 0, 0
    row, column = error.position
    start = sum(len(line) + 1 for line in error.text.split("\n")[: row - 1]) + column - 1
    return start, max(start, len(error.text))
