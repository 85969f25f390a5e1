"""A question as it was asked: the target, what is stated of other quantities, and what yields.

Strong values are what the asker typed. Weak ones come from profiles and from the quantities' own defaults; they are
used only where strong values and relations leave a quantity open, in this order: exact defaults (two operations to a
multiply-add); what a profile states of quantities that no relation is written for (a chip's bandwidth), then of those
that one is written for (a run's published chip-hours, which came from somewhere); other defaults. Among profiles the
later one counts.
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
    stated: dict[str, Value] = {}
    for profile in reversed(profiles):
        found = profile if isinstance(profile, Profile) else library.profile(profile)
        for name, value in found.values.items():
            if name in library.quantities:
                stated.setdefault(name, read_given(value, library.quantities[name]))
    weak = stated | {name: value for name, value in _defaults(library).items() if name not in stated}
    kept = {name: weak[name] for name in _ranked(library, weak) if name not in strong and name != target}
    return Question(target, strong, kept, None if target in strong else weak.get(target))


def outlined(library: Library, target: str, given: Iterable[str]) -> Outline:
    """The outline of a question whose only weak values are the defaults."""
    names = tuple(dict.fromkeys(library.quantity(name).name for name in given))
    name = library.quantity(target).name
    weak = _ranked(library, _defaults(library))
    return Outline(name, names, tuple(other for other in weak if other not in names and other != name))


def _defaults(library: Library) -> dict[str, Value]:
    return {name: quantity.default for name, quantity in library.quantities.items() if quantity.default is not None}


def _ranked(library: Library, weak: Mapping[str, Value]) -> list[str]:
    """The names of weak values, those first that yield last."""

    def rank(name: str) -> tuple[bool, bool, bool]:
        value, default = weak[name], library.quantities[name].default
        if value is not default:
            return False, name in library.derived, True
        return value.source.kind != "exact", name in library.derived, False

    return sorted(weak, key=rank)
