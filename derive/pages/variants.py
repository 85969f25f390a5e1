"""The variants of a page: one for each set of quantities that its choices of profiles ask for.

A chip that states no price, or a model of experts, asks for other quantities than the page's own profiles do. Every
choice is sorted into a variant that has its own plans, or is left out with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from derive.errors import DeriveError
from derive.model.relation_set import RelationSet
from derive.pages.page_question import PageQuestion, page_question
from derive.pages.profiles_of_page import Slot
from quantities.value import Value

__all__ = ["Choices", "LeftOut", "Variants", "variants"]

_MOST = 12  # variants of one page


@dataclass(frozen=True)
class LeftOut:
    """Profiles that a page does not offer, and why."""

    names: tuple[str, ...]
    reason: str


@dataclass(frozen=True)
class Choices:
    """What a slot offers: groups of profiles that ask for the same, each in any variant; the chosen one's first."""

    groups: tuple[tuple[str, ...], ...]
    left_out: tuple[LeftOut, ...]


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
    choices = tuple(_sorted(library, own, chosen, i, slot, given) for i, slot in enumerate(offered))
    questions = {own.signature: own}
    by_groups: dict[tuple[int, ...], int | str] = {}
    for places in product(*(range(len(one.groups)) for one in choices)):
        names = tuple(one.groups[i][0] for one, i in zip(choices, places, strict=True))
        try:
            found = own if not any(places) else page_question(library, targets, names, given)
        except DeriveError as error:
            by_groups[places] = _reason(error)
            continue
        if found.signature not in questions and len(questions) >= _MOST:
            by_groups[places] = f"the page has {_MOST} sets of quantities already, and this choice asks for another"
            continue
        questions.setdefault(found.signature, found)
        by_groups[places] = list(questions).index(found.signature)
    return Variants(tuple(questions.values()), choices, by_groups)


def _sorted(
    library: RelationSet,
    own: PageQuestion,
    chosen: tuple[str, ...],
    place: int,
    slot: Slot,
    given: Mapping[str, Value],
) -> Choices:
    """The profiles of one slot, each tried beside the page's own choice in the others."""
    groups: dict[object, list[str]] = {own.signature: []}
    left_out: dict[str, list[str]] = {}
    for stated, names in slot.alike.items():
        tried = (*chosen[:place], names[0], *chosen[place + 1 :])
        try:
            found = own if names[0] == slot.chosen else page_question(library, own.targets, tried, given)
        except DeriveError as error:
            left_out.setdefault(_missing(library, own, slot, stated) or _reason(error), []).extend(names)
        else:
            groups.setdefault(found.signature, []).extend(names)
    return Choices(
        tuple(map(tuple, groups.values())),
        tuple(LeftOut(tuple(names), reason) for reason, names in left_out.items()),
    )


def _missing(library: RelationSet, own: PageQuestion, slot: Slot, stated: frozenset[str]) -> str:
    """Which quantities that the page takes from the chosen profile another one does not state."""
    taken = library.profile(slot.chosen).values
    missing = [name for name in own.known if name in taken and name not in own.typed and name not in stated]
    return f"{', '.join(missing)} not stated" if missing else ""


def _reason(error: DeriveError) -> str:
    """Why a choice is left out, in one sentence."""
    return error.what.partition("\n")[0].partition(". ")[0].rstrip(".")
