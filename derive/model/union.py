"""Merging of parts that share a name: the same statement twice, or a clash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from derive.errors import DeriveError, ExpressionError, UnknownNameError, excerpt, unknown
from derive.model.relation import Relation
from derive.search.index import Entry, Index, is_alias, mistaken
from quantities.declaration import Declaration, agreed, declaration_of, read_given
from quantities.profiles import Profile, Profiles

__all__ = [
    "both",
    "declarations",
    "merged",
    "named",
    "no_profile",
    "profile_entries",
    "prove_fit",
    "relation_entries",
    "shelved",
    "typed",
]

_T = TypeVar("_T", Relation, Profile)
_S = TypeVar("_S")
_LATER, _BEHIND = 0.98, 0.9  # profiles, and relations, beside quantities that are found as well


def typed(kind: str, wanted: type[_S], parts: Any) -> list[_S]:
    """The parts as a list, each of the wanted type."""
    listed = _listed(parts)
    for part in listed:
        if not isinstance(part, wanted):
            raise ExpressionError(
                f"a {type(part).__name__} is not a {kind}.",
                hint="Write Library([relation, ...], [quantity, ...], [profile, ...]).",
                text=type(part).__name__,
            )
    return listed


def declarations(parts: Any) -> list[Declaration]:
    """The declarations of these quantities."""
    return typed("quantity", Declaration, [declaration_of(part) or part for part in _listed(parts)])


def _listed(parts: Any) -> list[Any]:
    return list(parts) if isinstance(parts, Iterable) and not isinstance(parts, (str, Mapping)) else [parts]


def shelved(profiles: Iterable[Profile] | Profiles) -> Profiles:
    """The profiles by name; unread ones stay unread until they are needed."""
    if isinstance(profiles, Profiles):
        return profiles
    return Profiles(named("profile", typed("profile", Profile, profiles), Profile.__eq__).values())


def both(one: Profiles, other: Profiles) -> Profiles:
    """The profiles of both; a name in both must mean the same."""
    stated = named("profile", [*one.stated.values(), *other.stated.values()], Profile.__eq__)
    shelves = tuple(dict.fromkeys([*one.shelves, *other.shelves]))
    for shelf in shelves:
        for name, profile in stated.items():
            if name in shelf and shelf[name] != profile:
                raise _twice("profile", name)
    return Profiles(stated.values(), shelves)


def no_profile(name: Any, profiles: Profiles) -> UnknownNameError:
    """The error for a missing profile, or for a precision that a profile does not have."""
    known = list(profiles)
    if not isinstance(name, str):
        return unknown("profile", name, known)
    base, colon, choice = name.partition(":")
    if colon and base in profiles:
        choices = profiles.choices(base)
        hint = f"There are {', '.join(choices)}." if choices else f"Write {base}."
        what = f"{base} is not stated at precision {excerpt(choice)}."
        return UnknownNameError(what, hint=hint, name=choice, kind="precision", suggestions=choices)
    close = Index(profile_entries(profiles)).meant(base)
    if not close:
        return unknown("profile", name, known, search=False)
    names = [hit.entry.name for hit in close]
    chosen = [f"{one}{colon}{choice.casefold()}" for one in names if choice.casefold() in profiles.choices(one)]
    return mistaken("profile", name, chosen or names, called=not colon and all(map(is_alias, close)))


def profile_entries(profiles: Profiles) -> list[Entry]:
    """The profiles as search entries; what completes one, such as a precision, belongs to it."""
    return [Entry("profile", name, said.title, said.also, rank=_LATER) for name, said in profiles.labels().items()]


def relation_entries(relations: Iterable[Relation]) -> list[Entry]:
    """The relations as search entries; a relation with a quantity's name ranks behind the quantity."""
    return [Entry("relation", r.name, r.because, joins=tuple(r.declared), rank=_BEHIND) for r in relations]


def prove_fit(profile: Profile, quantities: Mapping[str, Declaration]) -> None:
    """Refuse a profile whose values do not fit their quantities."""
    for name, value in profile.values.items():
        if name in quantities:
            try:
                read_given(value, quantities[name])
            except DeriveError as error:
                error.what = f"{profile.name}, {error.what}"
                raise


def named(kind: str, parts: Iterable[_T], same: Callable[[_T, _T], bool]) -> dict[str, _T]:
    """The parts by name, each name once; equal parts are merged."""
    found: dict[str, _T] = {}
    for part in parts:
        first = found.setdefault(part.name, part)
        if first is not part and not same(first, part):
            raise _twice(kind, part.name)
    return found


def _twice(kind: str, name: str) -> ExpressionError:
    return ExpressionError(
        f"The {kind} {name} is declared twice with two meanings: they differ.",
        hint="Rename one, or leave one out.",
        text=name,
    )


def merged(quantities: Iterable[Declaration]) -> dict[str, Declaration]:
    found: dict[str, Declaration] = {}
    for quantity in quantities:
        first = found.get(quantity.name, quantity)
        found[quantity.name] = first if first is quantity else agreed(first, quantity)
    return found
