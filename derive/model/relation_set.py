"""The data of a library: an immutable set of relations over one vocabulary, with named profiles of values.

Sets of relations are united (`a | b`) and reduced (`without`), never changed. A name has one meaning in a set: two
quantities of one name must agree in unit and domain, and in meaning and default if both state them. Results kept
between questions live in the `session`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from derive.caches import Session
from derive.errors import DeriveError, ExpressionError, UnknownNameError, excerpt, unknown
from derive.expressions.tree import CONDITIONS, Node, names_in, operations
from derive.model.relation import Relation
from derive.model.repairs import Vocabulary
from derive.notebook_display import NotebookDisplay
from derive.search_index import Entry, Index, is_alias, mistaken
from quantities.declaration import Declaration, agreed, declaration_of, read_given
from quantities.profiles import Profile, Profiles
from quantities.symbolic import Symbols
from quantities.value import Value

if TYPE_CHECKING:
    from quantities.quantity import Quantity

_Named = TypeVar("_Named", Relation, Profile)
_Type = TypeVar("_Type")
_PROFILE_RANK, _RELATION_RANK = 0.98, 0.9  # so that a quantity that matches as well comes first


def list_of(kind: str, wanted: type[_Type], parts: Any) -> list[_Type]:
    """The parts of one kind for a set of relations as a list; an error if one is not of the wanted type."""
    listed = _listed(parts)
    for part in listed:
        if not isinstance(part, wanted):
            name, hint = type(part).__name__, "Write Library([relation, ...], [quantity, ...], [profile, ...])."
            raise ExpressionError(f"a {name} is not a {kind}.", hint=hint, text=name)
    return listed


def declarations(parts: Any) -> list[Declaration]:
    """The declarations of the quantities from which a set of relations is made."""
    return list_of("quantity", Declaration, [declaration_of(part) or part for part in _listed(parts)])


def _listed(parts: Any) -> list[Any]:
    """The parts of a set of relations as a list; a single one, such as a text or a mapping, may stand alone."""
    return list(parts) if isinstance(parts, Iterable) and not isinstance(parts, (str, Mapping)) else [parts]


def as_profiles(profiles: Iterable[Profile] | Profiles) -> Profiles:
    """The profiles of a set of relations by name; those in files stay unread until they are needed."""
    if isinstance(profiles, Profiles):
        return profiles
    return Profiles(by_name("profile", list_of("profile", Profile, profiles), Profile.__eq__).values())


def unite_profiles(profiles: Profiles, other: Profiles) -> Profiles:
    """The profiles of two sets of relations united; an error if profiles of one name differ."""
    stated = by_name("profile", [*profiles.stated.values(), *other.stated.values()], Profile.__eq__)
    shelves = tuple(dict.fromkeys([*profiles.shelves, *other.shelves]))
    for shelf in shelves:
        for name, profile in stated.items():
            if name in shelf and shelf[name] != profile:
                raise _twice("profile", name)
    return Profiles(stated.values(), shelves)


def unknown_profile(name: Any, profiles: Profiles) -> UnknownNameError:
    """The error for a profile that a set of relations does not have, or for a precision that the profile lacks."""
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
    choice = choice.casefold()
    with_choice = [f"{profile}{colon}{choice}" for profile in names if choice in profiles.choices(profile)]
    return mistaken("profile", name, with_choice or names, called=not colon and all(map(is_alias, close)))


def profile_entries(profiles: Profiles) -> list[Entry]:
    """The profiles in a set of relations as search entries; a choice, such as a precision, belongs to its profile."""
    labels = profiles.labels().items()
    return [Entry("profile", name, label.title, label.also, rank=_PROFILE_RANK) for name, label in labels]


def relation_entries(relations: Iterable[Relation]) -> list[Entry]:
    """The relations of a set as search entries; a relation ranks behind a quantity of the same name."""
    return [Entry("relation", r.name, r.because, joins=tuple(r.declared), rank=_RELATION_RANK) for r in relations]


def prove_fit(profile: Profile, quantities: Mapping[str, Declaration]) -> None:
    """Refuse a profile for a set of relations if one of its values does not fit its quantity there."""
    for name, value in profile.values.items():
        if name in quantities:
            try:
                read_given(value, quantities[name])
            except DeriveError as error:
                error.what = f"{profile.name}, {error.what}"
                raise


def by_name(kind: str, parts: Iterable[_Named], same: Callable[[_Named, _Named], bool]) -> dict[str, _Named]:
    """The relations or profiles of a set by name; equal ones are merged, different ones of a name refused."""
    merged: dict[str, _Named] = {}
    for part in parts:
        first = merged.setdefault(part.name, part)
        if first is not part and not same(first, part):
            raise _twice(kind, part.name)
    return merged


def _twice(kind: str, name: str) -> ExpressionError:
    what = f"The {kind} {name} is declared twice with two meanings: they differ."
    return ExpressionError(what, hint="Rename one, or leave one out.", text=name)


def merge_declarations(quantities: Iterable[Declaration]) -> dict[str, Declaration]:
    """The quantities of a set of relations by name; those of one name are merged, and must agree."""
    declarations: dict[str, Declaration] = {}
    for quantity in quantities:
        first = declarations.get(quantity.name, quantity)
        declarations[quantity.name] = first if first is quantity else agreed(first, quantity)
    return declarations


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RelationSet(NotebookDisplay):
    """Relations, the quantities they join, and profiles of values; in the order in which they were stated."""

    declared: Mapping[str, Declaration]
    relations: Mapping[str, Relation]
    profiles: Profiles
    title: str
    session: Session = field(compare=False, repr=False)

    def __init__(
        self,
        relations: Iterable[Relation] = (),
        quantities: Iterable[Quantity | Declaration] = (),
        profiles: Iterable[Profile] | Profiles = (),
        title: str = "",
    ) -> None:
        """Make a set of relations, quantities and profiles; an error if two of one name differ or a value is unfit."""
        listed = list_of("relation", Relation, relations)
        stated = by_name("relation", listed, Relation.states_the_same)
        mentioned = chain.from_iterable(relation.declared.values() for relation in listed)
        vocabulary = merge_declarations([*declarations(quantities), *mentioned])
        sets = as_profiles(profiles)
        for profile in sets.stated.values():
            prove_fit(profile, vocabulary)
        self.__dict__.update(
            relations=MappingProxyType({name: relation.over(vocabulary) for name, relation in stated.items()}),
            declared=MappingProxyType(vocabulary),
            profiles=sets,
            title=title,
            session=Session(),
        )

    def __or__(self, other: RelationSet) -> Self:
        """The union of two sets of relations."""
        if not isinstance(other, RelationSet):
            return NotImplemented
        return type(self)(
            [*self.relations.values(), *other.relations.values()],
            [*self.declared.values(), *other.declared.values()],
            unite_profiles(self.profiles, other.profiles),
            self.title or other.title,
        )

    def without(self, *names: str) -> Self:
        """The same set without these relations; the quantities stay.

        >>> RelationSet().without("kirchhoff")
        Traceback (most recent call last):
            ...
        quantities.errors.UnknownNameError: There is no relation 'kirchhoff'. None is declared.
        """
        for name in names:
            if not isinstance(name, str) or name not in self.relations:
                raise self._no_relation(name)
        return self.holding(relation for name, relation in self.relations.items() if name not in names)

    def in_case(self, left_out: Collection[str]) -> Self:
        """The set in one case: without some relations, and with the others as though their conditions held."""
        relations = self.relations.items()
        return self.holding(relation.in_its_case for name, relation in relations if name not in left_out)

    def holding(self, relations: Iterable[Relation], declared: Mapping[str, Declaration] | None = None) -> Self:
        """The same set with these relations instead of its own, and with other declarations of its quantities."""
        return type(self)(relations, (declared or self.declared).values(), self.profiles, self.title)

    @cached_property
    def quantities(self) -> Mapping[str, Quantity]:
        """The quantities of the set of relations as sympy symbols."""
        return Symbols(self.declared)

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name in the set of relations, as a sympy symbol."""
        return self.quantities[self.declaration(name).name]

    def declaration(self, name: str) -> Declaration:
        """The declaration of the quantity of this name in the set of relations; an error if there is none."""
        if not isinstance(name, str) or name not in self.declared:
            raise self.vocabulary.unknown(name)
        return self.declared[name]

    def relation(self, name: str) -> Relation:
        """The relation of this name in the set; an error if there is none."""
        if not isinstance(name, str) or name not in self.relations:
            raise self._no_relation(name)
        return self.relations[name]

    def _no_relation(self, name: object) -> UnknownNameError:
        return Index(relation_entries(self.relations.values())).unknown("relation", name)

    def profile(self, name: str) -> Profile:
        """The profile of this name in the set; a choice behind a colon, such as a chip's precision, completes it."""
        if not isinstance(name, str) or name not in self.profiles:
            raise unknown_profile(name, self.profiles)
        return self.profiles[name]

    @cached_property
    def holders(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the relations in the set, inequalities included, that contain each quantity in a side."""
        relations: dict[str, list[str]] = {}
        for relation, members in self.members.items():
            for name in members:
                relations.setdefault(name, []).append(relation)
        return {name: tuple(names) for name, names in relations.items()}

    def held_by(self, relations: Iterable[str]) -> dict[str, None]:
        """The quantities in the sides of some relations, in the order in which they stand there."""
        return dict.fromkeys(chain.from_iterable(map(self.members.__getitem__, relations)))

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of each relation in the set."""
        return {name: i for i, name in enumerate(self.relations)}

    @cached_property
    def inequalities(self) -> tuple[Relation, ...]:
        return tuple(relation for relation in self.relations.values() if not relation.is_equation)

    @cached_property
    def limits(self) -> Mapping[str, tuple[str, ...]]:
        """The names of the inequalities in the set of relations that contain each quantity in a side."""
        bounding = {relation.name for relation in self.inequalities}
        limits = {name: tuple(filter(bounding.__contains__, names)) for name, names in self.holders.items()}
        return {name: relations for name, relations in limits.items() if relations}

    @cached_property
    def conditional(self) -> tuple[Relation, ...]:
        """The relations of the set that hold only under conditions."""
        return tuple(relation for relation in self.relations.values() if relation.conditions)

    @cached_property
    def compared(self) -> frozenset[str]:
        """The quantities in the conditions of the set: those of relations, and those of the choices in them."""
        conditions: list[Node] = [*chain.from_iterable(relation.conditions for relation in self.conditional)]
        for relation in self.relations.values():
            if relation.chooses:
                conditions += operations(*relation.written.sides, among=CONDITIONS)
        return frozenset(names_in(*conditions))

    @cached_property
    def defaults(self) -> Mapping[str, Value]:
        """The default of each quantity in the set of relations that has one."""
        return {name: q.default for name, q in self.declared.items() if q.default is not None}

    @cached_property
    def hints(self) -> Mapping[str, float]:
        """The defaults of the quantities in the set of relations in base units, which serve as guesses."""
        return {name: value.base[1] for name, value in self.defaults.items()}

    @cached_property
    def measured(self) -> Mapping[str, Value]:
        """A published value for each quantity in the set of relations that a profile states, or that has a default."""
        values: dict[str, Value] = {}
        for profile in self.profiles.values():
            values |= profile.values
        values |= self.defaults
        return {name: value for name, value in values.items() if name in self.declared}

    def plausible(self, name: str) -> float:
        """A number in base units that a quantity of the set may have: a value stated there, or one in its domain."""
        if name in self.measured:
            return self.measured[name].base[1]
        domain, one_unit = self.declared[name].domain, self.declared[name].unit.to_base(1.0)
        numbers = (one_unit, 0.5, (domain.low + domain.high) / 2, domain.low + 1, domain.high)
        return next((number for number in numbers if number in domain), domain.low)

    @cached_property
    def members(self) -> Mapping[str, tuple[str, ...]]:
        """The quantities on the two sides of each relation in the set."""
        return {name: relation.members for name, relation in self.relations.items()}

    @cached_property
    def index(self) -> Index:
        """The search index of the set's quantities, relations and profiles by name, alias and meaning."""
        relations, profiles = relation_entries(self.relations.values()), profile_entries(self.profiles)
        return Index([*self.vocabulary.index.entries, *relations, *profiles])

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The quantities of the set, among which repairs and similar names are searched."""
        return Vocabulary(self.declared)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.relations.values()), tuple(self.declared.values()), self.profiles, self.title)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RelationSet):
            return NotImplemented
        parts = other.declared, other.relations, other.profiles
        return (self.declared, self.relations, self.profiles) == parts

    def __hash__(self) -> int:
        return hash(frozenset((*self.relations.values(), *self.declared.values(), *self.profiles)))

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        counts = f"{len(self.relations)} relations, {len(self.declared)} quantities, {len(self.profiles)} profiles"
        return f"<{type(self).__name__} {title}{counts}>"
