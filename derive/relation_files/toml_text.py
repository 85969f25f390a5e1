"""The keys and strings of a TOML text with their places, also where the text is half-typed.

The TOML reader keeps no places and stops at the first mistake. This scan goes through any text: what it cannot
understand it skips to the end of the line. It decides nothing about the meaning of a file, and serves only to know
what stands at a place, and where something stands.

    [relations.swing]                   Entry(("relations", "swing")), a header
    equation = "period = 2*pi"          Entry(("relations", "swing", "equation")), with a String
    when = ["swing < 0.3"]              Entry(("relations", "swing", "when", "0")), with a String and no key
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from typing import Any

Path = tuple[str, ...]
Span = tuple[int, int]

_BLANK = re.compile(r"[ \t]*")
_SPACE = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_PART = re.compile(r"[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*'")
_HEADER = re.compile(r"(?<=\n)\[\[?[A-Za-z_][\w.\"' -]*\]\]?[ \t]*(?:#[^\n]*)?\r?(?=\n|$)")
_SCALAR = re.compile(r"[^\s,\]}#\"'\[{][^,\]}#\n]*")
_PLAIN = re.compile(r"[^\"'\\\r\n]+")  # what stands for itself in every string
_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\", "e": "\x1b"}
_CODE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})|\\x([0-9A-Fa-f]{2})")
_MOST_NESTED = 40  # nested lists and inline tables


@dataclass(frozen=True, slots=True)
class String:
    """A string: its value, and where each of its characters stands; `quotes` are those around it."""

    value: str
    places: tuple[int, ...]  # of each character, and of the end
    quotes: str

    @property
    def span(self) -> Span:
        return self.places[0], self.places[-1]

    def index(self, offset: int) -> int:
        """The number of the string's character that stands at a place of the TOML text, or is the next after it."""
        return sum(1 for place in self.places[:-1] if place < offset)

    def written(self, value: str) -> str:
        """Another value as it has to be written in TOML between the string's quotes."""
        if self.quotes[0] == "'":
            return value
        plain = value.replace("\\", "\\\\")
        if len(self.quotes) == 3:
            return plain
        return plain.replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")


@dataclass(frozen=True, slots=True)
class Entry:
    """A header, a key, or an item of a list: its path, where the parts of its key stand, and its string."""

    path: Path
    keys: tuple[Span, ...]  # of the last parts of the path, as far as they are written here
    start: int
    is_header: bool = False
    string: String | None = None
    is_stated: bool = True  # whether it has an equals sign, or is a header that is closed
    plain: str = ""  # what it holds that is no string, as it is written; the bracket that opens a list or a table

    def key_of(self, depth: int) -> Span | None:
        """The place in the TOML text of a part of the entry's path; None if it is not written in this entry."""
        place = depth - (len(self.path) - len(self.keys))
        return self.keys[place] if 0 <= place < len(self.keys) else None


@dataclass
class TomlText:
    """A text with its entries in the order in which they stand.

    >>> toml = TomlText('[quantities]\\nx = { unit = "m" }')
    >>> [entry.path for entry in toml.entries]
    [('quantities',), ('quantities', 'x'), ('quantities', 'x', 'unit')]
    >>> toml.found(("quantities", "x", "unit")).string.value
    'm'
    """

    text: str
    is_half_typed: bool = True  # whether a string over several lines may lack its end: then it ends before a header
    entries: list[Entry] = field(default_factory=list, init=False)
    tables: list[tuple[Span, Path]] = field(default_factory=list, init=False)
    """The inline tables, and the lists, inner ones last."""
    statements: list[tuple[int, Path, int]] = field(default_factory=list, init=False)
    """Where each header and each key at the start of a line stands, its path, and how many parts were open before."""

    def __post_init__(self) -> None:
        _Scan(self).run()

    @cached_property
    def _by_path(self) -> dict[Path, Entry]:
        """The first entry that the scan of a TOML text found for each path."""
        entries: dict[Path, Entry] = {}
        for entry in self.entries:
            entries.setdefault(entry.path, entry)
        return entries

    def found(self, path: Path) -> Entry | None:
        """The TOML entry of a path; else the first entry below the path, or else the one nearest above it."""
        while path:
            if path in self._by_path:
                return self._by_path[path]
            below = next((entry for entry in self.entries if entry.path[: len(path)] == path), None)
            if below is not None:
                return below
            path = path[:-1]
        return None

    def string_at(self, offset: int) -> Entry | None:
        """The entry of a half-typed TOML text in whose string a place lies; None if there is none."""
        for entry in self.entries:
            if entry.string is not None and entry.string.span[0] <= offset <= entry.string.span[1]:
                return entry
        return None

    def key_at(self, offset: int) -> tuple[Entry, Path, Span] | None:
        """The TOML entry with a key at a place, its path up to that key, and where the key stands; or None."""
        for entry in self.entries:
            first = len(entry.path) - len(entry.keys) + 1
            for depth, (start, end) in enumerate(entry.keys, first):
                if start <= offset <= end:
                    return entry, entry.path[:depth], (start, end)
        return None

    def table_at(self, offset: int) -> Path:
        """The path of the TOML table in which a key at a place would stand."""
        inline = [path for (start, end), path in self.tables if start < offset <= end]
        if inline:
            return inline[-1]
        headers = [entry.path for entry in self.entries if entry.is_header and entry.start < offset]
        return headers[-1] if headers else ()

    def data(self) -> dict[str, Any]:
        """The data of the TOML text as far as it can be understood; of two declarations the first.

        >>> TomlText('[a]\\nx = { unit = "m"\\ny = { unit = ["s", 3 }\\nz = "half').data()
        {'a': {'x': {'unit': 'm'}, 'y': {'unit': ['s']}, 'z': 'half'}}
        """
        root: dict[str, Any] = {}
        for entry in self.entries:
            *above, name = entry.path
            table: Any = root
            for part in above:
                table = table.setdefault(part, {}) if isinstance(table, dict) else None
            if isinstance(table, list) and not entry.keys and entry.string is not None:
                table.append(entry.string.value)
            elif isinstance(table, dict) and entry.is_stated:
                value = _own_value(entry)
                if value is not None:
                    table.setdefault(name, value)
        return root


def _own_value(entry: Entry) -> Any:
    """The value of a TOML entry without those below it: its string or number, an empty list or table; or None."""
    if entry.string is not None:
        return entry.string.value
    if entry.is_header or entry.plain in ("[", "{"):
        return [] if entry.plain == "[" else {}
    for number in (int, float):
        with suppress(ValueError):
            return number(entry.plain)
    return None


class _Scan:
    """One pass over a text, which adds the entries, the tables and the statements that it meets to a TomlText."""

    def __init__(self, toml: TomlText) -> None:
        self.toml = toml
        self.text = toml.text
        self.position = 0
        self.lists: dict[Path, int] = {}

    def run(self) -> None:
        """Scan the TOML text line by line, with the table of the last header."""
        table: Path = ()
        while True:
            self._skip(_SPACE)
            if self.position >= len(self.text):
                return
            start, place = self.position, len(self.toml.entries)
            if self._peek() == "[":
                table = self._header(table)
            elif self._statement(table, 0) and (entry := self.toml.entries[place]).is_stated:
                self.toml.statements.append((start, entry.path, len(table)))
            row = self.text[self.text.rfind("\n", 0, self.position) + 1 : self.position]
            if self.position == start or row.strip():  # else a list that was not closed ended before this line
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def _header(self, before: Path) -> Path:
        """Scan a TOML header; returns the path of its table, or that of the table before if it names none."""
        start = self.position
        is_list = self.text.startswith("[[", start)
        self.position += 1 + is_list
        names, spans = self._dotted()
        self._skip(_BLANK)
        is_closed = self._peek() == "]"
        if not names:
            return before
        path: Path = ()
        for depth, name in enumerate(names, 1):
            path += (name,)
            if is_list and depth == len(names):
                self.lists[path] = self.lists.get(path, -1) + 1
            if path in self.lists:
                path += (str(self.lists[path]),)
        if is_closed:
            self.toml.statements.append((start, path, 0))
        if len(path) == len(names):
            self.toml.entries.append(Entry(path, spans, start, is_header=True, is_stated=is_closed))
        return path

    def _dotted(self) -> tuple[Path, tuple[Span, ...]]:
        """Scan a dotted TOML key; returns its parts and their places, without the quotes around a part."""
        names: list[str] = []
        spans: list[Span] = []
        while True:
            self._skip(_BLANK)
            part = _PART.match(self.text, self.position)
            if part is None:
                return tuple(names), tuple(spans)
            name, (start, end) = part[0], part.span()
            self.position = end
            if name[0] in "\"'":
                name, start, end = name[1:-1], start + 1, end - 1
            names.append(name)
            spans.append((start, end))
            blank = _BLANK.match(self.text, self.position)
            end = blank.end() if blank else self.position
            if self.text[end : end + 1] != ".":
                return tuple(names), tuple(spans)
            self.position = end + 1

    def _statement(self, table: Path, depth: int) -> bool:
        """Scan a TOML key and what it holds; returns whether a key stood there."""
        start = self.position
        names, spans = self._dotted()
        if not names:
            return False
        path, place = table + names, len(self.toml.entries)
        self._skip(_BLANK)
        if self._peek() != "=":
            self.toml.entries.append(Entry(path, spans, start, is_stated=False))
            return True
        self.position += 1
        self._skip(_BLANK)
        string, plain = self._value(path, depth)
        # in front of the entries of a list or table that it holds, which are known by now
        self.toml.entries.insert(place, Entry(path, spans, start, string=string, plain=plain))
        return True

    def _value(self, path: Path, depth: int) -> tuple[String | None, str]:
        """Scan a TOML value: returns its string, or else the bracket of a list or table or other text."""
        mark = self._peek()
        if mark in ('"', "'"):
            return self._string(), ""
        if mark == "[" and depth < _MOST_NESTED:
            self._list(path, depth + 1)
        elif mark == "{" and depth < _MOST_NESTED:
            self._between("}", path, _BLANK, lambda: self._statement(path, depth + 1))
        if mark in ("[", "{"):
            return None, mark
        start = self.position
        self._skip(_SCALAR)
        return None, self.text[start : self.position].strip()

    def _list(self, path: Path, depth: int) -> None:
        """Scan a TOML list, whose items have their numbers in the place of keys."""
        numbers = count()

        def item() -> bool:
            """Scan an item of the list; False if none stands here, as where the list was not closed."""
            before, mark = self.position, self._peek()
            if _HEADER.match(self.text, self.position) or (mark not in ('"', "'", "{", "[") and self._is_statement()):
                return False  # the list was not closed
            place, item_path = len(self.toml.entries), (*path, str(next(numbers)))
            string, _ = self._value(item_path, depth)
            if string is not None:
                self.toml.entries.insert(place, Entry(item_path, (), before, string=string))
            return self.position > before

        self._between("]", path, _SPACE, item)

    def _between(self, end: str, path: Path, blank: re.Pattern[str], part: Callable[[], bool]) -> None:
        """Scan the parts of a TOML list or inline table, up to its end or to what is no part."""
        start, place = self.position, len(self.toml.tables)
        self.position += 1
        while True:
            self._skip(blank)
            mark = self._peek()
            if mark == ",":
                self.position += 1
            elif mark in ("", end) or not part():
                break
        inside = self.position
        if self._peek() == end:
            self.position += 1
        self.toml.tables.insert(place, ((start, self.position if end == "]" else inside), path))

    def _is_statement(self) -> bool:
        """Whether a TOML key with an equals sign stands at the place of the scan."""
        start = self.position
        self._dotted()
        self._skip(_BLANK)
        is_statement, self.position = self._peek() == "=", start
        return is_statement

    # Strings

    def _string(self) -> String:
        """Scan a TOML string; a half-typed one ends with its line, or before a header."""
        mark = self._peek()
        quotes = mark * 3 if self.text.startswith(mark * 3, self.position) else mark
        self.position += len(quotes)
        if len(quotes) == 3:
            self._skip(re.compile(r"\r?\n"))
        characters: list[str] = []
        places: list[int] = []
        while True:
            if plain := _PLAIN.match(self.text, self.position):
                characters.append(plain.group())
                places += range(self.position, plain.end())
                self.position = plain.end()
            if self._is_over(quotes):
                break
            place, text = self.position, self._character(quotes)
            characters.append(text)
            places += [place] * len(text)
        places.append(self.position)
        if self.text.startswith(quotes, self.position):
            self.position += len(quotes)
        return String("".join(characters), tuple(places), quotes)

    def _is_over(self, quotes: str) -> bool:
        """Whether a TOML string between these quotes ends at the place of the scan."""
        if self.position >= len(self.text):
            return True
        if len(quotes) == 3:
            ahead = self.text[self.position : self.position + 4]  # of four quotes, the first belongs to the string
            ends = ahead.startswith(quotes) and not ahead.startswith(quotes + quotes[0])
            return ends or (self.toml.is_half_typed and self.text.startswith("\n[", self.position))
        return self._peek() in (quotes, "\n", "\r")

    def _character(self, quotes: str) -> str:
        """Scan one character of a TOML string; returns it, or what its escape stands for."""
        ahead = self.text[self.position : self.position + 12]
        if quotes[0] == '"' and (escape := _CODE.match(ahead)):
            self.position += escape.end()
            number = int(next(filter(None, escape.groups())), 16)
            return chr(number) if number < 0x110000 else ""
        if quotes[0] == '"' and len(ahead) > 1 and ahead[0] == "\\" and ahead[1] in _ESCAPES:
            self.position += 2
            return _ESCAPES[ahead[1]]
        if quotes == '"""' and (line_break := re.compile(r"\\[ \t]*\r?\n\s*").match(self.text, self.position)):
            self.position = line_break.end()
            return ""
        self.position += 1
        return "" if ahead.startswith("\r\n") else ahead[0]
