"""The variants of a page: one for each set of quantities that its choices of profiles ask for.

For each profile that the question names, those of its kind may take its place. Two profiles are of one kind if they
stand in one list of facts (the chips, the models), or if one of them states at least half of the quantities that the
other states. What a page can do depends on which quantities a profile states and not on their numbers: profiles that
state the same are asked about once.

A chip that states no price, or a model of experts, asks for other quantities than the page's own profiles do. Every
choice is sorted into a variant that has its own plans, or is left out with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from derive.errors import DeriveError
from derive.model.relation_set import RelationSet
from derive.pages.page_question import PageQuestion, page_question
from quantities.facts import Profile
from quantities.value import Value

__all__ = ["Choices", "Slot", "Variants", "in_one_sentence", "slots", "variants"]

_MOST = 12  # variants of one page


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


@dataclass(frozen=True)
class Choices:
    """What a slot offers: groups of profiles that ask for the same, each in any variant; the chosen one's first."""

    groups: tuple[tuple[str, ...], ...]
    left_out: Mapping[str, tuple[str, ...]]
    """The profiles that the page does not offer, by the reason."""


@dataclass(frozen=True)
class Variants:
    """The questions of a page, the page's own first; which one answers a choice of groups, or why none does."""

    questions: tuple[PageQuestion, ...]
    choices: tuple[Choices, ...]
    by_groups: Mapping[tuple[int, ...], int | str]


def variants(
    library: RelationSet, targets: Sequence[str], offered: Sequence[Slot], given: Mapping[str, Value]
) -> Variants:
    """The variants of a page; an error if its own question has no answer."""
    chosen = tuple(slot.chosen for slot in offered)
    own = page_question(library, targets, chosen, given)

    def tried(names: tuple[str, ...]) -> PageQuestion | str:
        """The question with these profiles, or why it has no answer."""
        try:
            return own if names == chosen else page_question(library, targets, names, given)
        except DeriveError as error:
            return in_one_sentence(error)

    choices = []
    for place, slot in enumerate(offered):
        groups: dict[object, tuple[str, ...]] = {own.signature: ()}
        left_out: dict[str, tuple[str, ...]] = {}
        for stated, names in slot.alike.items():
            found = tried((*chosen[:place], names[0], *chosen[place + 1 :]))
            if isinstance(found, str):
                reason = _missing(library, own, slot, stated) or found
                left_out[reason] = (*left_out.get(reason, ()), *names)
            else:
                groups[found.signature] = (*groups.get(found.signature, ()), *names)
        choices.append(Choices(tuple(groups.values()), left_out))
    questions = {own.signature: own}
    by_groups: dict[tuple[int, ...], int | str] = {}
    for places in product(*(range(len(one.groups)) for one in choices)):
        found = tried(tuple(one.groups[i][0] for one, i in zip(choices, places, strict=True)))
        if isinstance(found, str):
            by_groups[places] = found
        elif found.signature not in questions and len(questions) >= _MOST:
            by_groups[places] = f"the page has {_MOST} sets of quantities already, and this choice asks for another"
        else:
            questions.setdefault(found.signature, found)
            by_groups[places] = list(questions).index(found.signature)
    return Variants(tuple(questions.values()), tuple(choices), by_groups)


def _missing(library: RelationSet, own: PageQuestion, slot: Slot, stated: frozenset[str]) -> str:
    """Which quantities that the page takes from the chosen profile another one does not state."""
    taken = library.profile(slot.chosen).values
    missing = [name for name in own.known if name in taken and name not in own.typed and name not in stated]
    return f"{', '.join(missing)} not stated" if missing else ""


def in_one_sentence(error: DeriveError) -> str:
    """What an error says first, without its full stop."""
    return error.what.partition("\n")[0].partition(". ")[0].rstrip(".")
