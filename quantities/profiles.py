"""Profiles: named sets of values that yield to the user's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from quantities.errors import ExpressionError, excerpt
from quantities.value import Value

__all__ = ["Label", "Profile", "Profiles"]

_WORD = "[A-Za-z0-9][A-Za-z0-9_.-]{0,79}"
_NAME = re.compile(f"{_WORD}(:{_WORD})?")


@dataclass(frozen=True)
class Profile:
    """A named set of weak values, such as a chip or a model, with a title and a note.

    >>> from quantities.value import read_value
    >>> clock = Profile("clock", {"length": read_value("0.994 m")})
    >>> str(clock.values["length"])
    '0.994 m'
    """

    name: str
    values: Mapping[str, Value]
    title: str = ""
    note: str = ""
    goes_with: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """The values of other quantities that its values assume: a peak at a precision assumes the bytes of an operand."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise ExpressionError(
                f"{excerpt(self.name)} cannot be a profile's name.",
                hint="Write letters, digits and hyphens, as in h100-sxm, and a precision after a colon: h100-sxm:fp8.",
                text=self.name,
            )
        for name, value in dict[str, object](self.values).items():
            if not isinstance(value, Value):
                what = f"{self.name}, {name}: a {type(value).__name__} is not a value."
                raise ExpressionError(what, hint='Write read_value("3 m").', text=str(name))
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __repr__(self) -> str:
        return f"<Profile {self.name}: {len(self.values)} values>"

    def with_more(self, more: Profile) -> Profile:
        """This profile and the additions of another, under the other's name."""
        values, goes_with = {**self.values, **more.values}, {**self.goes_with, **more.goes_with}
        return Profile(more.name, values, more.title or self.title, more.note or self.note, goes_with)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[Profile], tuple[Any, ...]]:
        goes_with = {name: dict(others) for name, others in self.goes_with.items()}
        return Profile, (self.name, dict(self.values), self.title, self.note, goes_with)


@dataclass(frozen=True)
class Label:
    """The title of a profile, and its other names."""

    title: str
    also: tuple[str, ...] = ()


def _label(profile: Profile) -> Label:
    return Label(profile.title or ", ".join(profile.values))


class Profiles(Mapping[str, Profile]):
    """Profiles by name: those that were stated, and shelves of others, each read on first use.

    Values that depend on a choice, as a chip's peak on the precision, are in a profile of their own with a colon in
    its name: `chip:fp8` is `chip` and what the choice adds.

    >>> from quantities.value import read_value
    >>> chip = Profile("chip", {"bandwidth": read_value("2 TB/s")})
    >>> fp8 = Profile("chip:fp8", {"peak": read_value("2 PFLOP/s")})
    >>> profiles = Profiles([chip, fp8])
    >>> list(profiles["chip:fp8"].values), profiles.choices("chip")
    (['bandwidth', 'peak'], ('fp8',))
    """

    def __init__(self, stated: Iterable[Profile] = (), shelves: Iterable[Mapping[str, Profile]] = ()) -> None:
        self.stated: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in stated})
        self.shelves = tuple(dict.fromkeys(shelves))

    def __getitem__(self, name: str) -> Profile:
        found = self._alone(name)
        base, colon, _ = found.name.partition(":")
        return self[base].with_more(found) if colon and base in self else found

    def _alone(self, name: str) -> Profile:
        """The profile alone, without its base."""
        for shelf in (self.stated, *self.shelves):
            if name in shelf:
                return shelf[name]
        raise KeyError(name)

    def choices(self, name: str) -> tuple[str, ...]:
        """What may follow the colon after a name, such as the precisions of a chip."""
        start = f"{self._alone(name).name}:"
        return tuple(other.removeprefix(start) for other in self if other.startswith(start))

    def list_of(self, name: str) -> str:
        """The list of facts that a profile stands in; empty for one that was stated."""
        lists = (shelf for shelf in self.shelves if name not in self.stated and name in shelf)
        return next((shelf.list_of(name) for shelf in lists if hasattr(shelf, "list_of")), "")

    def labels(self) -> dict[str, Label]:
        """The titles of the profiles, except choices; profiles on a shelf are not read for it."""
        found: dict[str, Label] = {}
        for shelf in (self.stated, *self.shelves):
            held = getattr(shelf, "labels", None)
            said = held() if held else {name: _label(profile) for name, profile in shelf.items()}
            found = {**said, **found}
        return {name: said for name, said in found.items() if name.partition(":")[0] not in found or ":" not in name}

    def __contains__(self, name: object) -> bool:
        return any(name in shelf for shelf in (self.stated, *self.shelves))

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(name for shelf in (self.stated, *self.shelves) for name in shelf))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Profiles {', '.join(self)}>"

    def __reduce__(self) -> tuple[type[Profiles], tuple[tuple[Profile, ...], tuple[Mapping[str, Profile], ...]]]:
        return Profiles, (tuple(self.stated.values()), self.shelves)
