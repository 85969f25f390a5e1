"""Profiles: named sets of values that yield to the user's own; the built-in ones are read from files on first use.

A file is TOML, with one table for each profile. `title` and `note` are text, `also` lists other names, and `source`,
`as_of` and `kind` apply to every value that does not state its own. A value is a text, or a table of `value` and its
own `source`, `as_of`, `kind`, a `range`, and the `reason` for it. A table without `value` has one value for each
choice: `peak_compute.fp8` belongs to the profile `chip:fp8`. `[choices]` states what a choice assumes about other
quantities, and `[sources]` the full text of each source's abbreviation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any

from quantities.definitions import read
from quantities.errors import DeriveError, ExpressionError, excerpt
from quantities.value import Source, Value, read_value

__all__ = ["SAID", "Facts", "Label", "Profile", "Profiles", "by_choice"]

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
        stated: Any = self  # a caller without a type checker may pass anything
        if not isinstance(stated.name, str):
            what = f"a {type(stated.name).__name__} is no profile's name."
            raise ExpressionError(what, hint="Write a text.", text="")
        if not isinstance(stated.values, Mapping):
            what = f"{self.name}: a {type(stated.values).__name__} holds no values by their names."
            raise ExpressionError(what, hint='Write {"length": read_value("3 m")}.', text=self.name)
        if not _NAME.fullmatch(self.name):
            hint = "Write letters, digits and hyphens, as in h100-sxm, and a precision after a colon: h100-sxm:fp8."
            raise ExpressionError(f"{excerpt(self.name)} cannot be a profile's name.", hint=hint, text=self.name)
        for name, value in dict[str, object](self.values).items():
            if not isinstance(value, Value):
                what = f"{self.name}, {name}: a {type(value).__name__} is not a value."
                raise ExpressionError(what, hint='Write read_value("3 m").', text=str(name))
        object.__setattr__(self, "values", MappingProxyType(dict(self.values)))

    def __repr__(self) -> str:
        return f"<Profile {self.name}: {len(self.values)} values>"

    def with_more(self, more: Profile) -> Profile:
        """The profile of this one's values and of another's that adds to it, under the other's name."""
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


class Profiles(Mapping[str, Profile]):
    """Profiles by name: those that were stated, and facts, whose files are read on first use.

    Values that depend on a choice, as a chip's peak on the precision, are in a profile of their own with a colon in
    its name: `chip:fp8` is `chip` and what the choice adds.

    >>> from quantities.value import read_value
    >>> chip = Profile("chip", {"bandwidth": read_value("2 TB/s")})
    >>> fp8 = Profile("chip:fp8", {"peak": read_value("2 PFLOP/s")})
    >>> profiles = Profiles([chip, fp8])
    >>> list(profiles["chip:fp8"].values), profiles.choices("chip")
    (['bandwidth', 'peak'], ('fp8',))
    """

    def __init__(self, stated: Iterable[Profile] = (), shelves: Iterable[Facts] = ()) -> None:
        self.stated: Mapping[str, Profile] = MappingProxyType({profile.name: profile for profile in stated})
        self.shelves = tuple(dict.fromkeys(shelves))

    def __getitem__(self, name: str) -> Profile:
        profile = self._alone(name)
        base, colon, _ = profile.name.partition(":")
        return self[base].with_more(profile) if colon and base in self else profile

    def _alone(self, name: str) -> Profile:
        """The profile of this name alone, without the values of the profile that it adds to."""
        for shelf in (self.stated, *self.shelves):
            if name in shelf:
                return shelf[name]
        raise KeyError(name)

    def choices(self, name: str) -> tuple[str, ...]:
        """What may follow the colon after a profile's name, such as the precisions of a chip."""
        start = f"{self._alone(name).name}:"
        return tuple(other.removeprefix(start) for other in self if other.startswith(start))

    def list_of(self, name: str) -> str:
        """The name of the facts' file in which a profile stands, which says what kind of thing it is; empty if stated.

        >>> Profiles(shelves=[Facts("models"), Facts("accelerators")]).list_of("h100-sxm:fp8")
        'accelerators'
        """
        lists = (shelf.name for shelf in self.shelves if name not in self.stated and name in shelf)
        return next(lists, "")

    def labels(self) -> dict[str, Label]:
        """The titles of the facts' profiles, except choices; the values of facts are not read for it."""
        labels: dict[str, Label] = {}
        for shelf in self.shelves:
            labels |= {name: label for name, label in shelf.labels().items() if name not in labels}
        labels |= {name: Label(profile.title or ", ".join(profile.values)) for name, profile in self.stated.items()}
        return {
            name: label for name, label in labels.items() if name.partition(":")[0] not in labels or ":" not in name
        }

    def __contains__(self, name: object) -> bool:
        return any(name in shelf for shelf in (self.stated, *self.shelves))

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(chain(self.stated, *self.shelves)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<Profiles {', '.join(self)}>"

    def __reduce__(self) -> tuple[type[Profiles], tuple[tuple[Profile, ...], tuple[Facts, ...]]]:
        return Profiles, (tuple(self.stated.values()), self.shelves)


SAID = ("title", "note", "also", "source", "as_of", "kind")
"""The keys of a profile's table that are not values."""


class Facts(Mapping[str, Profile]):
    """The profiles of a file of `quantities/values`, by name; the file is read on first use.

    >>> chips = Facts("accelerators")
    >>> str(chips["h100-sxm"].values["hbm_bandwidth"]), str(chips["h100-sxm:fp8"].values["peak_compute"])
    ('3.35 TB/s/chip', '1978.9 TFLOP/s/chip')
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._profiles: dict[str, Profile] = {}

    def __getitem__(self, name: str) -> Profile:
        base, colon, choice = name.partition(":")
        base = self._aliases.get(base, base)
        if base not in self.tables or (colon and choice not in _choices(self.tables[base])):
            raise KeyError(name)
        full_name = f"{base}{colon}{choice}"
        if full_name not in self._profiles:
            self._profiles[full_name] = self._profile(base, choice)
        return self._profiles[full_name]

    def labels(self) -> dict[str, Label]:
        """The titles and the other names of all profiles in a file; their values are not read."""
        return {
            name: Label(table.get("title", ""), tuple(table.get("also", ()))) for name, table in self.tables.items()
        }

    def __iter__(self) -> Iterator[str]:
        for name, table in self.tables.items():
            yield from (name, *(f"{name}:{choice}" for choice in _choices(table)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Facts) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[type[Facts], tuple[str]]:
        return Facts, (self.name,)

    @cached_property
    def data(self) -> dict[str, Any]:
        import tomli

        text = read("values", f"{self.name}.toml")
        return tomli.loads(text)

    @cached_property
    def tables(self) -> dict[str, dict[str, Any]]:
        return {name: table for name, table in self.data.items() if name not in ("sources", "choices")}

    @cached_property
    def _aliases(self) -> dict[str, str]:
        """The profile that each other name in a file of profiles stands for."""
        aliases: dict[str, str] = {}
        for name, table in self.tables.items():
            aliases |= dict.fromkeys(table.get("also", ()), name)
        return aliases

    def _profile(self, name: str, choice: str) -> Profile:
        """A profile among the facts, or the additions of a choice to it."""
        table = self.tables[name]
        stated = {key: entry for key, entry in table.items() if key not in SAID}
        if choice:
            chosen = {key: entry[choice] for key, entry in stated.items() if by_choice(entry) and choice in entry}
            values = self._values(name, chosen, table)
            return Profile(f"{name}:{choice}", values, goes_with=self._assumed(choice, chosen))
        plain = {key: entry for key, entry in stated.items() if not by_choice(entry)}
        return Profile(name, self._values(name, plain, table), table.get("title", ""), table.get("note", ""))

    def _assumed(self, choice: str, chosen: Iterable[str]) -> dict[str, dict[str, Value]]:
        """What a file of profiles says that a choice assumes of other quantities, for each value that depends on it."""
        others = {other: read_value(text) for other, text in self.data.get("choices", {}).get(choice, {}).items()}
        return dict.fromkeys(chosen, others) if others else {}

    def _values(self, name: str, stated: Mapping[str, Any], table: Mapping[str, Any]) -> dict[str, Value]:
        try:
            return {key: self._value(entry, table) for key, entry in stated.items()}
        except KeyError as error:
            what = f"values/{self.name}.toml, {name}: a value has no {error.args[0]}."
            raise ExpressionError(what, hint="State it for the value, or for the whole profile.") from None
        except DeriveError as error:
            error.what = f"values/{self.name}.toml, {name}: {error.what}"
            raise

    def _value(self, entry: Any, table: Mapping[str, Any]) -> Value:
        """A value among the facts with its source, of which it takes from the profile what it does not state."""
        own = entry if isinstance(entry, dict) else {"value": entry}
        facts = {**{key: table[key] for key in ("source", "as_of", "kind") if key in table}, **own}
        text = "; ".join(self._written_out(part) for part in facts["source"].split("; "))
        source = Source(text, facts["kind"], date=facts["as_of"], note=facts.get("reason", ""))
        value = read_value(facts["value"])
        return (value.between(read_value(facts["range"])) if "range" in facts else value).sourced(source)

    def _written_out(self, source: str) -> str:
        """A source in a file of profiles with its abbreviation written out; a file or a remark may follow a colon."""
        key, colon, rest = source.partition(": ")
        return f"{self.data.get('sources', {}).get(key, key)}{colon}{rest}"


def by_choice(entry: Any) -> bool:
    """Whether an entry in the table of a profile has a value for each choice."""
    return isinstance(entry, dict) and "value" not in entry


def _choices(table: Mapping[str, Any]) -> tuple[str, ...]:
    """The choices that the table of a profile leaves open, in order."""
    by_key = (entry for key, entry in table.items() if key not in SAID and by_choice(entry))
    return tuple(dict.fromkeys(chain.from_iterable(by_key)))
