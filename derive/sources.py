"""Where a relation file comes from, and what TOML makes of it.

The TOML reader stops at its first complaint. A name declared twice is the one that a reader wants to see beside all
others, so the second declaration is blanked out and the text read again.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from derive.errors import DeriveError, ExpressionError, LimitError, excerpt
from derive.lines import key_lines

__all__ = ["Document", "parse_source", "read_source"]

_LARGEST = 64_000_000  # bytes of a file
_LONGEST = 24_000  # characters of one line; the TOML reader takes quadratic time over a longer key
_REPEATS = 8  # repeated declarations that are looked past
_AT = re.compile(r"\(at line (\d+), column (\d+)\)|\(at end of document\)")
_TWICE = re.compile(r"Cannot (declare|overwrite)|Duplicate|twice|Cannot mutate")


@dataclass(frozen=True)
class Document:
    """A TOML text that has been read as far as it can be."""

    text: str
    label: str  # the file's name, or nothing
    data: Mapping[str, Any]
    errors: tuple[tuple[DeriveError, int], ...] = ()

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], int]:
        return key_lines(self.text)

    @cached_property
    def _rows(self) -> list[str]:
        return self.text.split("\n")

    def line(self, path: tuple[str, ...]) -> int:
        """The line on which a key stands, or the nearest key above it."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path[:-1]
        return 0

    def column(self, line: int, text: str) -> int:
        """Where a text begins on its line; nothing, if it is not found there."""
        row = self._rows[line - 1] if 0 < line <= len(self._rows) else ""
        return max(row.find(text), 0)


def read_source(source: str | Path) -> tuple[str, str]:
    """The text, and the name of the file that it came from.

    A Path is a path. So is a str, unless it is empty or holds a newline, `=` or `[`: then it is the text itself.
    """
    if isinstance(source, str) and (not source or any(mark in source for mark in "\n=[")):
        return _sized(source, len(source)), ""
    if not isinstance(source, (str, Path)):
        raise ExpressionError(
            f"a {type(source).__name__} is no relation file.", hint="Give a Path, or the text of a file."
        )
    path = Path(source)
    try:
        size = path.stat().st_size
        return _sized(path.read_text(encoding="utf-8-sig") if size <= _LARGEST else "", size), path.name
    except UnicodeDecodeError as error:
        what = f"{excerpt(path.name)} is no UTF-8 text: byte {error.start} cannot be read."
        raise ExpressionError(what, hint="Save it as UTF-8.", text=str(path)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        what = f"The file {excerpt(str(source))} cannot be read: {reason.lower()}."
        raise ExpressionError(what, hint="Give the path of a relation file (TOML).", text=str(source)) from None


def _sized(text: str, size: int) -> str:
    if size > _LARGEST:
        raise LimitError(f"The relation file has {size} bytes.", hint="Split it.", limit=f"{_LARGEST} bytes")
    return text


def parse_source(text: str, label: str = "") -> Document:
    """What TOML makes of a text, with the first thing that it cannot make anything of."""
    text = text.replace("\r\n", "\n")
    if long := re.search(f"[^\n]{{{_LONGEST}}}", text):
        error: DeriveError = LimitError(
            f"The line has more than {_LONGEST} characters.", hint="Break it.", limit=f"{_LONGEST} characters"
        )
        return Document(text, label, {}, ((error, text.count("\n", 0, long.start()) + 1),))
    errors: list[tuple[DeriveError, int]] = []
    remaining = text
    while True:
        try:
            return Document(text, label, tomllib.loads(remaining), tuple(errors))
        except tomllib.TOMLDecodeError as raised:
            error, line = _said(str(raised), text)
            errors.append((error, line))
            if not _TWICE.search(str(raised)) or len(errors) > _REPEATS or not line:
                return Document(text, label, {}, tuple(errors))
            remaining = _blanked(remaining, line)
        except (ValueError, RecursionError) as raised:
            deep = isinstance(raised, RecursionError)
            reason = "tables or lists are nested too deep" if deep else "a number has too many digits"
            error = ExpressionError(f"This is no TOML: {reason}.", hint='Write numbers as text: value = "1e9 USD".')
            return Document(text, label, {}, ((error, 0),))


def _said(message: str, text: str) -> tuple[ExpressionError, int]:
    """A complaint of the TOML reader in our words, and its line."""
    found = _AT.search(message)
    line = int(found.group(1)) if found and found.group(1) else text.count("\n") + 1
    column = int(found.group(2)) if found and found.group(2) else 1
    reason = _AT.sub("", message).strip().rstrip(".")
    if _TWICE.search(message):
        name = _key_name(text, line)
        what, hint = f"{name} is declared twice.", "Leave one out, or rename it."
    else:
        what, hint = f"This is no TOML: {reason[:1].lower()}{reason[1:]}.", _toml_hint(text, line)
    return ExpressionError(what, hint=hint, text=_row(text, line), position=(line, column)), line


def _key_name(text: str, line: int) -> str:
    """The key or table that stands on a line."""
    names = key_lines(_row(text, line))
    return ".".join(next(iter(names), ("a name",)))


def _row(text: str, line: int) -> str:
    rows = text.split("\n")
    return rows[line - 1].strip() if 0 < line <= len(rows) else ""


def _toml_hint(text: str, line: int) -> str:
    row = _row(text, line)
    if row.startswith(("{", "<")):
        return 'A relation file is TOML: [quantities], then name = { unit = "m" }.'
    if "'" in row or '"' in row or "=" in row:
        return "Texts stand in quotes, tables in [brackets], one key on each line."
    return 'Write key = "text".'


def _blanked(text: str, line: int) -> str:
    """The text without one line, and without its whole table if the line opens one."""
    rows = text.split("\n")
    opens = rows[line - 1].lstrip().startswith("[")
    rows[line - 1] = ""
    while opens and line < len(rows) and not rows[line].lstrip().startswith("["):
        rows[line] = ""
        line += 1
    return "\n".join(rows)
