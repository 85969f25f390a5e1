"""A library: an immutable set of relations over one vocabulary, with named sets of values.

Libraries are added up (`a | b`) and cut down (`without`), never changed. One name means one thing in a library: two
quantities of one name must agree in unit and domain, and where both state a meaning or a default, in those too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

from derive.errors import ExpressionError, unknown
from derive.relation import Relation
from derive.repairs import Vocabulary
from quantities.profiles import Profile
from quantities.quantity import Quantity

__all__ = ["Library"]

_T = TypeVar("_T", Relation, Profile)


@dataclass(frozen=True, init=False, eq=False)
class Library:
    """Relations, the quantities they join, and profiles of values; in the order in which they were stated.

    >>> from derive.relation import relate
    >>> voltage, current, resistance = Quantity("V", "V"), Quantity("I", "A"), Quantity("R", "ohm")
    >>> ohm = Library([relate("ohm", voltage, current * resistance)])
    >>> list(ohm.quantities), str(ohm.relations["ohm"])
    (['V', 'I', 'R'], 'ohm: V = I*R')
    """

    quantities: Mapping[str, Quantity]
    relations: Mapping[str, Relation]
    profiles: Mapping[str, Profile]
    title: str

    def __init__(
        self,
        relations: Iterable[Relation] = (),
        quantities: Iterable[Quantity] = (),
        profiles: Iterable[Profile] = (),
        title: str = "",
    ) -> None:
        stated = _named("relation", relations)
        mentioned = [quantity for relation in stated.values() for quantity in relation.quantities.values()]
        object.__setattr__(self, "relations", MappingProxyType(stated))
        object.__setattr__(self, "quantities", MappingProxyType(_merged([*quantities, *mentioned])))
        object.__setattr__(self, "profiles", MappingProxyType(_named("profile", profiles)))
        object.__setattr__(self, "title", title)

    def __or__(self, other: Library) -> Library:
        """Both libraries in one."""
        if not isinstance(other, Library):
            return NotImplemented
        return Library(
            [*self.relations.values(), *other.relations.values()],
            [*self.quantities.values(), *other.quantities.values()],
            [*self.profiles.values(), *other.profiles.values()],
            self.title or other.title,
        )

    def without(self, *names: str) -> Library:
        """The library with these relations left out; its quantities stay.

        >>> Library().without("kirchhoff")
        Traceback (most recent call last):
            ...
        quantities.errors.UnknownNameError: There is no relation 'kirchhoff'. None is declared.
        """
        for name in names:
            if name not in self.relations:
                raise unknown("relation", name, list(self.relations))
        kept = [relation for name, relation in self.relations.items() if name not in names]
        return Library(kept, self.quantities.values(), self.profiles.values(), self.title)

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name."""
        if name not in self.quantities:
            raise unknown("quantity", name, list(self.quantities))
        return self.quantities[name]

    def relation(self, name: str) -> Relation:
        """The relation of this name."""
        if name not in self.relations:
            raise unknown("relation", name, list(self.relations))
        return self.relations[name]

    def profile(self, name: str) -> Profile:
        """The profile of this name."""
        if name not in self.profiles:
            raise unknown("profile", name, list(self.profiles))
        return self.profiles[name]

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The quantities as repairs name them."""
        return Vocabulary(self.quantities)

    def __reduce__(self) -> tuple[Any, ...]:
        parts = (self.relations.values(), self.quantities.values(), self.profiles.values())
        return Library, (*(tuple(part) for part in parts), self.title)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Library):
            return NotImplemented
        return all(
            dict(getattr(self, part)) == dict(getattr(other, part)) for part in ("quantities", "relations", "profiles")
        )

    def __hash__(self) -> int:
        return hash((*self.relations.values(), *self.profiles))

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        counts = f"{len(self.relations)} relations, {len(self.quantities)} quantities, {len(self.profiles)} profiles"
        return f"<Library {title}{counts}>"


def _named(kind: str, parts: Iterable[_T]) -> dict[str, _T]:
    """The parts by name, each name once; the same thing said twice is said once."""
    found: dict[str, _T] = {}
    for part in parts:
        if found.setdefault(part.name, part) != part:
            raise _clash(kind, part.name, "they differ")
    return found


def _merged(quantities: Iterable[Quantity]) -> dict[str, Quantity]:
    found: dict[str, Quantity] = {}
    for quantity in quantities:
        first = found.get(quantity.name)
        if first is None:
            found[quantity.name] = quantity
        elif first is not quantity:
            found[quantity.name] = _agreed(first, quantity)
    return found


def _agreed(first: Quantity, second: Quantity) -> Quantity:
    """One quantity out of two of one name, the fuller of the two, if they mean the same."""
    if first != second:
        said = f"in {first.unit} and {first.domain.text}, in {second.unit} and {second.domain.text}"
        raise _clash("quantity", first.name, said)
    for part in ("meaning", "default"):
        one, other = getattr(first, part), getattr(second, part)
        if one and other and one != other:
            raise _clash("quantity", first.name, f"{part} {str(one)!r} and {str(other)!r}")
    return second if (second.meaning and not first.meaning) or (second.default and not first.default) else first


def _clash(kind: str, name: str, difference: str) -> ExpressionError:
    return ExpressionError(
        f"The {kind} {name} is declared twice with two meanings: {difference}.",
        hint="Rename one, or leave one out.",
        text=name,
    )
