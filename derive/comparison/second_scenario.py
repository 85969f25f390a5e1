"""The second scenario where it is written as a change of the first: which profiles it keeps."""

from __future__ import annotations

from collections.abc import Sequence

from derive.model.relation_set import RelationSet
from quantities.profiles import Profile

__all__ = ["second_profiles"]


def second_profiles(library: RelationSet, first: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """The profiles of the second scenario: its own, and those of the first of which it names no other of the kind.

    Two profiles are of one kind if one of them states at least half of the quantities that the other states, or if they
    stand in one list of facts: the chips, the models, the tiers of memory, the prices.

    >>> from derive.relation_files.loading import load
    >>> shop = load('''[quantities]
    ... speed = { unit = "m/s" }
    ... price = { unit = "USD" }
    ... load  = { unit = "kg" }
    ... [profiles]
    ... van  = { speed = "20 m/s", price = "9 USD" }
    ... bike = { speed = "6 m/s" }
    ... sofa = { load = "60 kg" }''')
    >>> second_profiles(shop, ["van", "sofa"], ["bike"])
    ('sofa', 'bike')
    """
    new = [library.profile(name) for name in others]
    kept = [name for name in first if not any(_are_alike(library, library.profile(name), one) for one in new)]
    return (*kept, *others)


def _are_alike(library: RelationSet, one: Profile, other: Profile) -> bool:
    """Whether two profiles are of one kind."""
    shared = one.values.keys() & other.values.keys()
    if 2 * len(shared) >= min(len(one.values), len(other.values)):
        return True
    lists = library.profiles.list_of(one.name), library.profiles.list_of(other.name)
    return lists[0] != "" and lists[0] == lists[1]
