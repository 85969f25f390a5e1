"""What one name stands for, where several parts come together: the same thing said twice, or a clash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

from derive.errors import DeriveError, ExpressionError, UnknownNameError, excerpt, unknown
from derive.stating.relation import Relation
from quantities.declaration import Declaration, agreed, declaration_of, read_given
from quantities.profiles import Profile, Profiles

__all__ = ["both", "declarations", "merged", "named", "no_profile", "prove_fit", "shelved", "typed"]

_T = TypeVar("_T", Relation, Profile)
_S = TypeVar("_S")
_FEW = 4  # names that an error proposes


def typed(kind: str, wanted: type[_S], parts: Any) -> list[_S]:
    """The parts as a list, each of the type that is wanted."""
    listed = _listed(parts)
    for part in listed:
        if not isinstance(part, wanted):
            raise ExpressionError(
                f"a {type(part).__name__} is no {kind}.",
                hint="Write Library([relation, ...], [quantity, ...], [profile, ...]).",
                text=type(part).__name__,
            )
    return listed


def declarations(parts: Any) -> list[Declaration]:
    """What is declared of each of these quantities."""
    return typed("quantity", Declaration, [declaration_of(part) or part for part in _listed(parts)])


def _listed(parts: Any) -> list[Any]:
    return list(parts) if isinstance(parts, Iterable) and not isinstance(parts, (str, Mapping)) else [parts]


def shelved(profiles: Iterable[Profile] | Profiles) -> Profiles:
    """The profiles by name; what lies on a shelf stays there until it is asked for."""
    if isinstance(profiles, Profiles):
        return profiles
    return Profiles(named("profile", typed("profile", Profile, profiles), Profile.__eq__).values())


def both(one: Profiles, other: Profiles) -> Profiles:
    """The profiles of both; a name that both have must mean the same."""
    stated = named("profile", [*one.stated.values(), *other.stated.values()], Profile.__eq__)
    shelves = tuple(dict.fromkeys([*one.shelves, *other.shelves]))
    for shelf in shelves:
        for name, profile in stated.items():
            if name in shelf and shelf[name] != profile:
                raise _twice("profile", name)
    return Profiles(stated.values(), shelves)


def no_profile(name: Any, profiles: Profiles) -> UnknownNameError:
    """The error for a profile that there is not, or for a precision that the profile has not."""
    known = list(profiles)
    if not isinstance(name, str):
        return unknown("profile", name, known)
    base, colon, choice = name.partition(":")
    if colon and base in profiles:
        choices = profiles.choices(base)
        hint = f"There are {', '.join(choices)}." if choices else f"Write {base}."
        what = f"{base} is not stated at precision {excerpt(choice)}."
        return UnknownNameError(what, hint=hint, name=choice, kind="precision", suggestions=choices)
    same = [other for other in known if _plain(other) == _plain(name)]
    longer = [other for other in known if ":" not in other and _plain(other).startswith(f"{_plain(base)}-")]
    like = tuple(same or sorted(longer, key=len)[:_FEW])
    if not like:
        error = unknown("profile", name, known)
        named = [other for other in known if ":" not in other and _begins(other, _plain(base).split("-"))]
        like = tuple(sorted(named, key=len)[:_FEW])
        if error.suggestions or not like:
            return error
    said = f"Did you mean {' or '.join(like)}?"
    return UnknownNameError(
        f"There is no profile {excerpt(name)}.", hint=said, name=name, kind="profile", suggestions=like
    )


def _plain(name: str) -> str:
    """A profile's name as somebody might spell it who has it from elsewhere."""
    return name.casefold().replace("_", "-").replace(".", "-").replace(" ", "-")


def _begins(name: str, words: Sequence[str]) -> bool:
    """Whether a profile begins with one of the words under which somebody asks for it, as in nvidia h100."""
    return len(words) > 1 and _plain(name).partition("-")[0] in (word for word in words if len(word) > 2)


def prove_fit(profile: Profile, quantities: Mapping[str, Declaration]) -> None:
    """Refuse a profile whose values do not fit the quantities that it speaks of."""
    for name, value in profile.values.items():
        if name in quantities:
            try:
                read_given(value, quantities[name])
            except DeriveError as error:
                error.what = f"{profile.name}, {error.what}"
                raise


def named(kind: str, parts: Iterable[_T], same: Callable[[_T, _T], bool]) -> dict[str, _T]:
    """The parts by name, each name once; the same thing said twice is said once."""
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
