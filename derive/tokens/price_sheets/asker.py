"""The library's answers on a price sheet, for one choice of chip, model size and memory tier."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Any

from derive.errors import AmbiguousError, UnderdeterminedError
from derive.library import Library
from derive.model.relation import Relation
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.solving.execution.answer import Answer
from derive.solving.execution.applicability import decisions_of
from derive.solving.execution.question import Question
from derive.tokens.price_sheets.sheets import KEYS, STANDING_IN, Plausible, Sheet, SheetQuestion, printed
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.value import Source, Value

__all__ = ["Asker", "Chosen", "Span", "ends", "stated"]

Span = tuple[float, float]
Chosen = tuple[Profile, ...]  # a profile of each kind, in the order of KEYS


@dataclass(frozen=True)
class Asker:
    """A sheet, and the hardware and models that may be behind it.

    `common` is a cache, shared by several sheets, of what depends only on the library and the choices.
    """

    sheet: Sheet
    plausible: Plausible
    common: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)
    _known: dict[Any, frozenset[str]] = field(default_factory=dict, repr=False, compare=False)

    def ask(self, target: str, chosen: Chosen, given: Mapping[str, Any], needs: tuple[str, ...] = ()) -> Answer:
        """The only answer, a value or bounds; first from the values that lead to it as relations are written."""
        profiles = (*chosen, *self.plausible.fixed, self.sheet.profile)
        leading = self._leading((target, *needs, *given), profiles)
        try:
            return self._solved(target, [_restricted(profile, leading) for profile in profiles], given)
        except UnderdeterminedError:
            return self._solved(target, profiles, given)

    def span(self, target: str, chosen: Chosen, given: Mapping[str, Any], needs: tuple[str, ...] = ()) -> Span:
        """The ends of an answer, or of what is stated; asked once for all sheets with the same numbers."""
        profiles = (*chosen, *self.plausible.fixed, self.sheet.profile)
        for values in (given, self.sheet.given, *(profile.values for profile in reversed(profiles))):
            if isinstance(value := values.get(target), Value):
                return value.base[0], value.base[2]
        leading = self._leading((target, *needs, *given), profiles)
        numbers = tuple((name, value.base) for name, value in self.sheet.profile.values.items() if name in leading)
        asked = (target, tuple(profile.name for profile in chosen), numbers, tuple(given.items()))
        if asked not in self.common:
            self.common[asked] = ends(self.ask(target, chosen, given, needs))
        span: Span = self.common[asked]
        return span

    def _solved(self, target: str, profiles: Sequence[Profile], given: Mapping[str, Any]) -> Answer:
        try:
            return self.sheet.library.solve(target, *profiles, **{**given, **self.sheet.given})
        except AmbiguousError as error:
            if len(error.answers) != 1:
                raise
            only: Answer = error.answers[0]
            return only

    def lacking(self, question: SheetQuestion) -> tuple[str, ...]:
        """What a question needs and the sheet does not determine; as missing prices, if these would determine it."""
        known = self._determined((), ())
        lacked = [name for name in question.needs if not {name, STANDING_IN.get(name, name)} & known]
        return tuple(dict.fromkeys(price for name in lacked for price in self._prices(name) if price not in known))

    def _prices(self, name: str) -> tuple[str, ...]:
        """The prices that a quantity is computed from, or else itself."""
        for relation in self._written.get(name, ()):
            others = tuple(other for other in relation.declared if other != name)
            if printed().issuperset(others):
                return others
        return (name,)

    def assumed(self, question: SheetQuestion) -> dict[str, Any]:
        """The givens of a question: those that it states, and those that the sheet implies."""
        given: dict[str, Any] = dict(question.given)
        for name, other in STANDING_IN.items():
            if name in question.needs and name not in self._determined((), ()):
                answer = self.ask(other, (), {})
                source = Source(f"{other}, which the sheet implies", "assumed")
                given[name] = stated(answer.quantity, *ends(answer), source)
        return given

    @cached_property
    def choices(self) -> tuple[Chosen, ...]:
        """All choices that may be behind the sheet, the reference first."""
        return tuple(product(*(self.plausible.axes[kind] for kind in KEYS)))

    def determines(self, question: SheetQuestion, chosen: Chosen, given: Mapping[str, Any]) -> bool:
        """Whether a question can be answered at a choice, whatever the numbers."""
        return question.target in self._determined(chosen, tuple(given))

    def kinds(self, answer: Answer, chosen: Chosen) -> frozenset[str]:
        """The kinds of choices whose values an answer uses."""
        prevailing = (self.sheet.given, *(p.values for p in (*self.plausible.fixed, self.sheet.profile)))
        used = set(answer.given).difference(*prevailing)
        return frozenset(kind for kind, profile in zip(KEYS, chosen, strict=True) if used.intersection(profile.values))

    def doubled(self) -> Iterator[str]:
        """The names that the sheet states and that also follow from the rest of it."""
        names = frozenset(self.sheet.names)
        for name in self.sheet.names:
            if name in _closure(self.sheet.library, names - {name}):
                yield name

    def again(self, name: str) -> Answer:
        """The answer for a name that the sheet states, from the rest of the sheet."""
        return self._solved(name, (self.sheet.profile,), {})

    def _leading(self, targets: tuple[str, ...], profiles: Iterable[Profile]) -> frozenset[str]:
        """The stated names that targets are computed from, as the relations are written."""
        named = frozenset(name for profile in profiles for name in profile.values)
        asked = (targets, named)
        if asked not in self.common:
            pending, seen = list(targets), set(targets)
            for name in pending:
                if name not in named or name in targets:
                    following = [n for relation in self._written.get(name, ()) for n in relation.declared]
                    pending += [n for n in dict.fromkeys(following) if n not in seen]
                    seen.update(following)
            self.common[asked] = named & seen
        leading: frozenset[str] = self.common[asked]
        return leading

    @cached_property
    def _written(self) -> Mapping[str, Sequence[Relation]]:
        """The relations that are written for each quantity."""
        found: dict[str, list[Relation]] = {}
        for relation, name in structure_of(self.sheet.library).forward.items():
            found.setdefault(name, []).append(self.sheet.library.relations[relation])
        return found

    def _determined(self, chosen: Chosen, given: tuple[str, ...]) -> frozenset[str]:
        """The names that follow from the sheet, a choice and some givens, whatever the numbers."""
        asked = (*(profile.name for profile in chosen), *given)
        if asked not in self._known:
            profiles = (*chosen, *self.plausible.fixed, self.sheet.profile)
            names = {*given, *self.sheet.given, *(name for profile in profiles for name in profile.values)}
            known = frozenset(names.intersection(self.sheet.library.declared))
            excluded = frozenset[str]().union(*(self._excluded(one, {*given, *self.sheet.given}) for one in profiles))
            if (known, excluded) not in self.common:
                self.common[known, excluded] = _closure(self.sheet.library, known, excluded)
            self._known[asked] = self.common[known, excluded]
        return self._known[asked]

    def _excluded(self, profile: Profile, replaced: set[str]) -> frozenset[str]:
        """The relations that what a profile states excludes, unless it is replaced."""
        stated = {name: value for name, value in profile.values.items() if name not in replaced}
        asked = ("excluded", profile.name, *stated)
        if asked not in self.common:
            self.common[asked] = _ruled_out(self.sheet.library, stated)
        excluded: frozenset[str] = self.common[asked]
        return excluded


def _closure(library: Library, names: Iterable[str], excluded: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names that these determine by structure alone: enough to know which questions are worth asking.

    An `otherwise` counts instead of the relations that are written for its quantity, and is not run back through them.
    """
    structure = structure_of(library, excluded)
    return closure(structure.not_written_for(structure.otherwise), [*names, *library.defaults])


def _ruled_out(library: Library, stated: Mapping[str, Value]) -> frozenset[str]:
    """The relations whose conditions do not hold at what one profile states, or at what follows from that.

    A cache of all tokens does not follow from the layers of a model of which some have a window.
    """
    numbers = {name: value for name, value in stated.items() if name in library.declared and not value.is_range}
    decisions = decisions_of(library, Question("", numbers, {}))
    return frozenset(relation.name for relation in library.conditional if decisions.applies(relation) is False)


def _restricted(profile: Profile, names: frozenset[str]) -> Profile:
    return Profile(profile.name, {name: value for name, value in profile.values.items() if name in names})


def stated(quantity: Declaration, low: float, high: float, source: Source) -> Value:
    """A number or a range in base units as a value of a quantity, in its unit."""
    low, high = (quantity.unit.from_base(end) for end in (low, high))
    return Value(low / 2 + high / 2, low, high, quantity.unit, source)


def ends(answer: Answer) -> Span:
    """The bounds of an answer in base units; its value twice if there are none."""
    if answer.bounds is not None:
        return answer.bounds
    assert answer.base is not None
    return answer.base, answer.base
