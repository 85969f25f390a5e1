"""Every error of the package, with the ones that a text, a unit or a value can raise taken from `quantities`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quantities.errors import (
    DeriveError,
    DomainError,
    ExpressionError,
    LimitError,
    UnitError,
    UnknownNameError,
    excerpt,
    suggest,
)

__all__ = [
    "DeriveError",
    "DimensionError",
    "DomainError",
    "ExpressionError",
    "LimitError",
    "Problem",
    "UnitError",
    "UnknownNameError",
    "excerpt",
    "listed",
    "suggest",
    "unknown",
]


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a relation file: where, what, and the mend."""

    relation: str
    line: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{where}{self.message}{hint}"


class DimensionError(DeriveError):
    """Two sides, two terms, or a function's argument that do not fit."""

    def __init__(self, what: str, *, hint: str = "", problems: Sequence[Problem] = ()) -> None:
        super().__init__(what, hint=hint, problems=tuple(problems))

    problems: tuple[Problem, ...]


def listed(problems: Sequence[Problem]) -> str:
    """All problems as one text, a paragraph each."""
    return "\n".join(str(problem) for problem in problems)


def unknown(kind: str, name: str, known: Sequence[str]) -> UnknownNameError:
    """The error for a name that nobody declared.

    >>> print(unknown("quantity", "lenght", ["length", "width"]))
    There is no quantity 'lenght'. Did you mean length?
    """
    close = suggest(name, known)
    if close:
        hint = f"Did you mean {' or '.join(close)}?"
    elif 0 < len(known) <= 8:
        hint = f"There are {', '.join(known)}."
    else:
        hint = f"`derive list` shows all {len(known)}." if known else "None is declared."
    return UnknownNameError(f"There is no {kind} {excerpt(name)}.", hint=hint, name=name, kind=kind, suggestions=close)
