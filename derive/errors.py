"""Every error of the package; those about texts, units and values come from `quantities`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from importlib import import_module
from typing import Any, TypeVar

from derive.notebook_display import NotebookDisplay
from quantities.errors import (
    DeriveError,
    DomainError,
    ExpressionError,
    Fact,
    LimitError,
    LimitKind,
    UnitError,
    UnknownNameError,
    excerpt,
    suggest,
)

__all__ = [
    "NOES",
    "AmbiguousError",
    "Cause",
    "DeriveError",
    "DimensionError",
    "DomainError",
    "ExpressionError",
    "InconsistentError",
    "LimitError",
    "LimitKind",
    "NoSolutionError",
    "Problem",
    "UnderdeterminedError",
    "UnitError",
    "UnknownNameError",
    "VerificationError",
    "excerpt",
    "first_names",
    "listed",
    "optional_package",
    "read_all",
    "suggest",
    "together",
    "unknown",
]

_T = TypeVar("_T")
_U = TypeVar("_U")


@dataclass(frozen=True, slots=True)
class Problem(NotebookDisplay):
    """One problem of a relation file: where it is, what is wrong, and how to fix it."""

    relation: str
    line: int
    message: str
    hint: str = ""
    where: tuple[str, ...] = field(default=(), compare=False, repr=False)  # the path of the key that it is about
    span: tuple[int, int] = field(default=(0, 0), compare=False, repr=False)  # within the text of that key
    edits: tuple[Any, ...] = field(default=(), compare=False, repr=False)  # those that the hint proposes

    def __str__(self) -> str:
        where = f"line {self.line}: " if self.line else ""
        hint = f"\n  {self.hint}" if self.hint else ""
        return f"{where}{self.message}{hint}"


@dataclass(repr=False, eq=False, kw_only=True)
class DimensionError(DeriveError):
    """Two sides, two terms, or a function's argument that do not fit."""

    problems: tuple[Problem, ...] = ()  # type: ignore[misc]


@dataclass(repr=False, eq=False, kw_only=True)
class UnderdeterminedError(DeriveError):
    """The givens do not fix the target; `missing` holds the smallest sets of further givens that would."""

    missing: Fact[tuple[tuple[str, ...], ...]] = Fact(())


@dataclass(repr=False, eq=False, kw_only=True)
class InconsistentError(DeriveError):
    """The givens contradict each other or the relations; `conflicts` is a minimal set of both.

    `broken` names all relations that do not hold, each with a sentence, where more than one conflict was met.
    """

    conflicts: tuple[str, ...] = ()
    gap: float = 0.0
    broken: Mapping[str, str] = field(default_factory=dict)


class Cause(Enum):
    """Why equations have no solution, or no single one, where that decides what is tried next."""

    CONTRADICTION = "contradiction"  # of the equations
    CANCELLATION = "cancellation"  # of an unknown
    NO_ROOT = "no root"  # of the one unknown that is left
    NO_PIECE = "no piece"  # of the target's domain leads into the ranges given


@dataclass(repr=False, eq=False, kw_only=True)
class NoSolutionError(DeriveError):
    """No value in the quantity's domain solves it."""

    reason: str = ""
    cause: Cause | None = None


@dataclass(repr=False, eq=False, kw_only=True)
class AmbiguousError(DeriveError):
    """Several admissible solutions, or only bounds."""

    answers: tuple[Any, ...] = ()


@dataclass(repr=False, eq=False, kw_only=True)
class VerificationError(DeriveError):
    """An answer failed its own substitution: a defect of this package, never a result."""

    relation: str = ""
    residual: float = 0.0


def listed(problems: Sequence[Problem]) -> str:
    """All problems as one text, a paragraph each."""
    return "\n".join(str(problem) for problem in problems)


def first_names(names: Sequence[str], most: int) -> str:
    """Some names in a row; of many, the first ones and the number of the others."""
    more = len(names) - most
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:most])} and {more} more"


NOES = DimensionError, UnderdeterminedError, InconsistentError, NoSolutionError, AmbiguousError, LimitError
"""The errors that are an answer: the question was understood, and the answer is no."""


def together(
    errors: Sequence[DeriveError], problems: Sequence[Problem], where: str = "", label: str = ""
) -> DeriveError:
    """One error for several errors, of their kind if they share one; it has all problems."""
    count = f"{len(problems)} problems\n" if len(problems) > 1 else ""
    what = f"{where}{count}{listed(problems)}"
    if len({type(error) for error in errors}) > 1:
        return ExpressionError(what, text=label, problems=tuple(problems))
    return errors[0].listing(what, problems)


def read_all(read: Callable[[str, _T], _U], given: Mapping[str, _T]) -> dict[str, _U]:
    """Read each given; where several cannot be read, their errors become one error with the problems of all.

    >>> read_all(lambda name, text: int(text), {"a": "1", "b": "2"})
    {'a': 1, 'b': 2}
    """
    values: dict[str, _U] = {}
    errors: list[DeriveError] = []
    for name, value in given.items():
        try:
            values[name] = read(name, value)
        except DeriveError as error:
            errors.append(error)
    if not errors:
        return values
    problems = [Problem("", 0, error.what, error.hint) for error in errors]
    try:
        raise errors[0] if len(errors) == 1 else together(errors, problems)
    finally:
        errors.clear()  # an error holds this frame, and would be a cycle with it


def unknown(kind: str, name: Any, known: Sequence[str], search: bool = True) -> UnknownNameError:
    """The error for an undeclared name, with the names that may have been meant as its hint.

    >>> print(unknown("quantity", "lenght", ["length", "width"]))
    There is no quantity 'lenght'. Did you mean length?
    """
    close = suggest(name, known) if search else ()
    if not isinstance(name, str):
        what = f"a {type(name).__name__} does not name a {kind}."
        return UnknownNameError(what, hint="Give its name as text.", kind=kind)
    if close:
        hint = f"Did you mean {' or '.join(close)}?"
    elif 0 < len(known) <= 8:
        hint = f"There are {', '.join(known)}."
    else:
        hint = f"There are {len(known)} others." if known else "None is declared."
    return UnknownNameError(f"There is no {kind} {excerpt(name)}.", hint=hint, name=name, kind=kind, suggestions=close)


def optional_package(name: str, extra: str) -> Any:
    """Import an optional package that a feature needs, or raise an error that says how to install it.

    >>> optional_package("abacus", "tables")
    Traceback (most recent call last):
        ...
    quantities.errors.DeriveError: This needs abacus, which is not installed. pip install 'derive-engine[tables]'
    """
    try:
        return import_module(name)
    except ImportError:
        hint = f"pip install 'derive-engine[{extra}]'"
        raise DeriveError(f"This needs {name.partition('.')[0]}, which is not installed.", hint=hint) from None
