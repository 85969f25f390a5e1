"""Errors about texts, units and values, each with a hint for the user.

Every error of the two packages descends from `DeriveError`. An error has its facts as fields and two texts: `what` is
wrong (and where), and a `hint` how to fix it. The sentence is built only when it is read.

What would help may take longer to find than an answer, and many errors are never read: a program that tries a thousand
questions asks only which of them have one. So a `Fact` may be a search, which is carried out when it is first read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from typing import Any, ClassVar, Generic, TypeVar, overload

__all__ = [
    "DeriveError",
    "DomainError",
    "ExpressionError",
    "Fact",
    "LimitError",
    "LimitKind",
    "UnitError",
    "UnknownNameError",
    "excerpt",
    "suggest",
]

_SHOWN = 60  # characters of a user's text that a message repeats
_MANY = 2000  # names beyond which only those with the right first letter are compared


_T = TypeVar("_T")


class Fact(Generic[_T]):
    """A field of an error that holds a fact, or a search for it: that is carried out when the field is first read.

    >>> error = DeriveError("It is open.", hint=lambda: print("searching") or "Give its length.")
    >>> print(error)
    searching
    It is open. Give its length.
    >>> error.hint
    'Give its length.'
    """

    def __init__(self, default: _T) -> None:
        self._default = default
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, error: None, owner: type) -> _T: ...
    @overload
    def __get__(self, error: Exception, owner: type) -> _T: ...
    def __get__(self, error: Exception | None, owner: type) -> _T:
        if error is None:
            return self._default  # which a dataclass takes for the default of the field
        fact: _T | Callable[[], _T] = vars(error).get(self._name, self._default)
        if callable(fact):
            fact = fact()
            vars(error)[self._name] = fact
        return fact

    def __set__(self, error: Exception, fact: _T | Callable[[], _T]) -> None:
        vars(error)[self._name] = fact


@dataclass(repr=False, eq=False, kw_only=True)
class DeriveError(Exception):
    """The root of all errors: `what` is wrong, and a `hint` how to fix it."""

    what: str = field(kw_only=False)
    hint: Fact[str] = Fact("")
    problems: ClassVar[tuple[Any, ...]] = ()  # of a relation file, each with its line; of some kinds a fact of its own

    def __post_init__(self) -> None:
        super().__init__(self.what)

    def __str__(self) -> str:
        return f"{self.what} {self.hint}".rstrip()

    def listing(self, what: str, problems: Sequence[Any]) -> DeriveError:
        """An error of the same kind as this one and with the same facts, for all problems of a file."""
        error = copy(self)
        error.args = (what,)
        vars(error).update(what=what, hint="", problems=tuple(problems))
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """How the error is copied and pickled: with all its facts, also what was added later."""
        facts = {name: getattr(self, name) for name in vars(self)}  # a search would take the whole question along
        return Exception.__new__, (type(self), self.what), facts


@dataclass(repr=False, eq=False, kw_only=True)
class ExpressionError(DeriveError):
    """Text that cannot be read: an equation, a value, a unit, a file."""

    text: str = ""
    position: tuple[int, int] | None = None
    problems: tuple[Any, ...] = ()  # type: ignore[misc]


@dataclass(repr=False, eq=False, kw_only=True)
class UnitError(DeriveError):
    """An unknown unit, or a value whose unit does not fit its quantity."""

    quantity: str = ""
    unit: str = ""


@dataclass(repr=False, eq=False, kw_only=True)
class DomainError(DeriveError):
    """A value outside its quantity's domain, or one that is not a number."""

    quantity: str = ""
    domain: str = ""


@dataclass(repr=False, eq=False, kw_only=True)
class UnknownNameError(DeriveError):
    """An undeclared name of a quantity, relation, profile, precision or report."""

    name: str = ""
    kind: str = ""
    suggestions: tuple[str, ...] = ()
    others: tuple[str, ...] = ()  # further undeclared names in the same text


class LimitKind(Enum):
    """What a limit is set to."""

    SIZE = "size"
    TIME = "time"
    TURNS = "turns"  # of an angle, each of which has a solution
    PROOF = "proof"  # a numerical search ended without one


@dataclass(repr=False, eq=False, kw_only=True)
class LimitError(DeriveError):
    """The input is too large, or the time ran out."""

    limit: str = ""
    kind: LimitKind = LimitKind.SIZE

    @classmethod
    def unproved(cls, what: str, hint: str) -> LimitError:
        """The LimitError for a numerical search that found no solution, and proves nothing."""
        return cls(what, hint=hint, limit="numerical search", kind=LimitKind.PROOF)

    @property
    def is_of_time(self) -> bool:
        """Whether this error says that a time limit has run out, and not another limit."""
        return self.kind is LimitKind.TIME


def excerpt(text: str) -> str:
    """A user's text as a message shows it: quoted, on one line, printable, and short.

    >>> excerpt("a" * 200)
    "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'"
    """
    shown = text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
    return repr(shown)


def suggest(name: str, known: Sequence[str]) -> tuple[str, ...]:
    """The known names that an error may suggest for a wrong one, the most similar first.

    >>> suggest("lenght", ["length", "width", "LENGTH"])
    ('length',)
    """
    if not isinstance(name, str) or len(name) > 2 * _SHOWN:
        return ()
    if len(known) > _MANY:
        beginning_alike = (candidate for candidate in known if candidate[:1] == name[:1])
        known = [candidate for candidate in beginning_alike if abs(len(candidate) - len(name)) <= 2][:_MANY]
    folded = [candidate for candidate in known if candidate.casefold() == name.casefold()]
    close = get_close_matches(name, known, n=3, cutoff=0.7)
    return tuple(dict.fromkeys([*folded, *close]))
