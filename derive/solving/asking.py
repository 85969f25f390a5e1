"""A question as it was asked: the target, what is stated of other quantities, and what yields.

Strong values are what the asker typed. Weak ones come from profiles (later before earlier) and then from the
quantities' own defaults; they are used only where strong values and relations leave a quantity open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from quantities.profiles import Profile
from quantities.quantity import read_given
from quantities.value import Value

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["Outline", "Question", "ask", "outlined"]


@dataclass(frozen=True)
class Question:
    """A target, strong values by name, weak values by name in order of preference, and the target's own weak value."""

    target: str
    strong: Mapping[str, Value]
    weak: Mapping[str, Value]
    own: Value | None = None


@dataclass(frozen=True)
class Outline:
    """A question before there are numbers: the target, the names that are given, and those that have weak values."""

    target: str
    strong: tuple[str, ...]
    weak: tuple[str, ...]


def ask(library: Library, target: str, profiles: tuple[str | Profile, ...], given: Mapping[str, Any]) -> Question:
    """Read a question.

    >>> from derive.library import Library
    >>> from quantities.quantity import Quantity
    >>> pendulum = Library(quantities=[Quantity("length", "m"), Quantity("period", "s")])
    >>> question = ask(pendulum, "period", (), {"length": "2 m"})
    >>> {name: str(value) for name, value in question.strong.items()}
    {'length': '2 m'}
    """
    library.quantity(target)
    strong = {name: read_given(value, library.quantity(name)) for name, value in given.items()}
    weak: dict[str, Value] = {}
    for profile in reversed(profiles):
        found = profile if isinstance(profile, Profile) else library.profile(profile)
        for name, value in found.values.items():
            if name in library.quantities:
                weak.setdefault(name, read_given(value, library.quantities[name]))
    for name, quantity in library.quantities.items():
        if quantity.default is not None:
            weak.setdefault(name, quantity.default)
    kept = {name: value for name, value in weak.items() if name not in strong and name != target}
    return Question(target, strong, kept, None if target in strong else weak.get(target))


def outlined(library: Library, target: str, given: Iterable[str]) -> Outline:
    """The outline of a question whose only weak values are the defaults."""
    names = tuple(dict.fromkeys(library.quantity(name).name for name in given))
    name = library.quantity(target).name
    weak = (n for n, q in library.quantities.items() if q.default is not None and n not in names and n != name)
    return Outline(name, names, tuple(weak))
