"""The profiles of a page: for each that the question names, those of its kind that may take its place.

Two profiles are of one kind if they stand in one list of facts (the chips, the models), or if one of them states at
least half of the quantities that the other states. What a page can do depends on which quantities a profile states and
not on their numbers: profiles that state the same are asked about once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from derive.model.relation_set import RelationSet
from quantities.facts import Profile

__all__ = ["Slot", "slots"]


@dataclass(frozen=True)
class Slot:
    """A profile of the question, and what may take its place, by what each states."""

    chosen: str
    kind: str  # the list that they stand in; empty if in none
    alike: Mapping[frozenset[str], tuple[str, ...]]
    """The names of the profiles that state the same quantities; those of the chosen one come first."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for names in self.alike.values() for name in names)


def slots(library: RelationSet, profiles: Iterable[str]) -> tuple[Slot, ...]:
    """A slot for each profile.

    >>> from derive.relation_files.loading import load
    >>> shop = load('''[quantities]
    ... speed = { unit = "m/s" }
    ... price = { unit = "USD" }
    ... load  = { unit = "kg" }
    ... [profiles]
    ... bike = { speed = "6 m/s" }
    ... van  = { speed = "20 m/s", price = "9 USD" }
    ... car  = { speed = "30 m/s", price = "5 USD" }
    ... sofa = { load = "60 kg" }''')
    >>> [slot.names for slot in slots(shop, ["van"])]
    [('van', 'car', 'bike')]
    """
    return tuple(_slot(library, library.profile(name).name) for name in profiles)


def _slot(library: RelationSet, chosen: str) -> Slot:
    own = library.profile(chosen)
    kind = library.profiles.list_of(chosen)
    has_choice = ":" in chosen
    alike: dict[frozenset[str], list[str]] = {frozenset(own.values): [own.name]}
    for name in library.profiles:
        if name == own.name or not _is_complete(library, name, has_choice):
            continue
        other = library.profile(name)
        if library.profiles.list_of(name) == kind if kind else _states_alike(own, other):
            alike.setdefault(frozenset(other.values), []).append(other.name)
    return Slot(own.name, kind, {stated: tuple(names) for stated, names in alike.items()})


def _is_complete(library: RelationSet, name: str, has_choice: bool) -> bool:
    """Whether a profile has its choice, such as the precision of a chip, where the question's has one."""
    return ":" in name or not has_choice or not library.profiles.choices(name)


def _states_alike(one: Profile, other: Profile) -> bool:
    shared = one.values.keys() & other.values.keys()
    return bool(shared) and 2 * len(shared) >= min(len(one.values), len(other.values))
