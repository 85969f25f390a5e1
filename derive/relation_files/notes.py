"""The problems of a relation file: noted with their lines, while reading goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from derive.errors import DeriveError, ExpressionError, Problem, together, unknown
from derive.relation_files.sources import Document

__all__ = ["SEARCHED", "Notes", "Path", "within"]

SEARCHED = 20
"""Limit on problems of a file for which similar names and repairs are searched."""

_T = TypeVar("_T")
Path = tuple[str, ...]
"""The path of an entry: the keys of the tables around it, and its own."""


@dataclass
class Notes:
    """The problems of one document, in the order in which they were found."""

    document: Document
    errors: list[tuple[Problem, DeriveError]] = field(default_factory=list)

    def attempt(self, name: str, where: Path, act: Callable[[], _T]) -> _T | None:
        try:
            return act()
        except DeriveError as error:
            self.note(where, within(name, error))
            return None

    def complain(self, name: str, where: Path, what: str, hint: str) -> None:
        said = f"{name}: {what}" if name else what
        self.note(where, ExpressionError(said, hint=hint, text=name))

    def note(self, where: Path, error: DeriveError, line: int | None = None) -> None:
        placed = line is not None  # the position is that of the TOML reader, in the file and not within a text
        line = self.document.line(where) if line is None else line
        span = (0, 0) if placed else _span(error)
        if isinstance(error, ExpressionError) and error.position is not None and line and not placed:
            column = error.position[1] + self.document.column(line, error.text)
            error._facts["position"] = error.position = (self.document.first_line(line) + error.position[0] - 1, column)
        relation = where[1] if where[:1] == ("relations",) and len(where) > 1 else ""
        self.errors.append((Problem(relation, line, error.what, error.hint, where, span), error))

    def keys(self, name: str, where: Path, table: Mapping[str, Any], known: Iterable[str]) -> None:
        named = tuple(known)
        for key in table:
            if key not in named:
                error = unknown("key", key, named)
                self.note((*where, key), within(name, error))

    def text(self, name: str, where: Path, table: Mapping[str, Any], key: str) -> str:
        text = table.get(key, "")
        if not isinstance(text, str):
            self.complain(name, (*where, key), f"'{key}' is not a string.", f'Write {key} = "...".')
            return ""
        return text

    def gathered(self) -> DeriveError:
        """One error for all problems, of their kind if they share one."""
        problems, errors = zip(*self.errors, strict=True)
        label = self.document.label
        return together(errors, problems, f"{label}: " if label else "", label)


def within(name: str, error: DeriveError) -> DeriveError:
    """The error, with the name of its entry."""
    profile, comma, quantity = name.rpartition(", ")
    if comma and error.what.startswith(f"{quantity}:"):
        error.what = f"{profile}, {error.what}"
    elif name and not error.what.startswith((f"{name}:", f"{name},")):
        error.what = f"{name}: {error.what}"
    return error


def _span(error: DeriveError) -> tuple[int, int]:
    """Where in its text an error is, from there to the end of the text; nowhere if it does not say."""
    if not isinstance(error, ExpressionError) or error.position is None:
        return 0, 0
    row, column = error.position
    start = sum(len(line) + 1 for line in error.text.split("\n")[: row - 1]) + column - 1
    return start, max(start, len(error.text))
