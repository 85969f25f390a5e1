"""A question as it was asked: the target, what is stated of other quantities, and what yields.

Strong values are what the asker typed. Weak ones come from profiles and from the quantities' own defaults; they are
used only where strong values and relations leave a quantity open, in this order: exact defaults (two operations to a
multiply-add); what a profile states of quantities that do not follow from the rest (a chip's bandwidth), then of those
that do (a run's published chip-hours, where its use of the chips is stated too); other defaults. Among profiles the
later one counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.errors import UnknownNameError
from derive.planning.directing import following
from quantities.profiles import Profile
from quantities.quantity import Quantity, read_given
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
    strong = {name: read_given(value, _asked(library, name, value)) for name, value in given.items()}
    stated: dict[str, Value] = {}
    for profile in reversed(profiles):
        found = profile if isinstance(profile, Profile) else library.profile(profile)
        for name, value in found.values.items():
            if name in library.quantities:
                stated.setdefault(name, read_given(value, library.quantities[name]))
    weak = stated | {name: value for name, value in library.defaults.items() if name not in stated}
    own = weak.pop(target, None)
    kept = {name: weak[name] for name in _ranked(library, weak, strong) if name not in strong}
    return Question(target, strong, kept, None if target in strong else own)


def _asked(library: Library, name: str, value: Any) -> Quantity:
    """The quantity of a given; where somebody wrote chip="h100-sxm", what to write instead."""
    if name not in library.quantities and isinstance(value, str) and value in library.profiles:
        what = f"There is no quantity {name!r}, and {value} is a profile."
        hint = f'Profiles stand before the givens and have no name there: solve(target, "{value}", ...).'
        raise UnknownNameError(what, hint=hint, name=name, kind="quantity", suggestions=())
    return library.quantity(name)


def outlined(library: Library, target: str, given: Iterable[str]) -> Outline:
    """The outline of a question whose only weak values are the defaults."""
    names = tuple(dict.fromkeys(library.quantity(name).name for name in given))
    name = library.quantity(target).name
    weak = {other: value for other, value in library.defaults.items() if other != name}
    return Outline(name, names, tuple(other for other in _ranked(library, weak, names) if other not in names))


def _ranked(library: Library, weak: Mapping[str, Value], strong: Iterable[str]) -> list[str]:
    """The names of weak values, those first that yield last."""
    follows = _following(library, frozenset(weak), frozenset(strong))

    def rank(name: str) -> tuple[bool, bool, bool]:
        value, default = weak[name], library.quantities[name].default
        if value is not default:
            return False, name in follows, True
        return value.source.kind != "exact", name in follows, False

    return sorted(weak, key=rank)


def _following(library: Library, weak: frozenset[str], strong: frozenset[str]) -> frozenset[str]:
    """The weak names whose values follow from the rest of what is stated, as the relations are written."""
    key = (weak, strong)
    if key not in library.followers:
        firm = {name for name in weak if name not in library.structure().otherwise}
        library.followers[key] = following(library.structure(), weak - strong, strong | firm)
    return library.followers[key]
