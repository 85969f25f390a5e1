"""A price sheet, what is asked about it, and what it does not say: the chips, sizes and memory tiers behind it.

A sheet is a profile of the catalogue, or the one profile of a relation file. The questions, and the prices that may
contradict each other, are data: `questions.toml`, which describes its own format at the top. So are the choices:
`choices.toml`. A sheet whose model is published is read with that model, and any other with the models of its class: an
answer that spans every model there is says nothing.

A `SheetSolver` has the answers of the library on a sheet, for one choice of chip, model size and memory tier.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from itertools import chain, product
from math import inf
from pathlib import Path
from typing import Any, TypeVar

import tomli

from derive.errors import AmbiguousError, ExpressionError, UnderdeterminedError, read_all
from derive.library import Library
from derive.model.relation import Relation
from derive.model.relation_set import prove_fit
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.relation_files.file_text import is_text
from derive.relation_files.loading import load
from derive.solving.execution.answer import Answer
from derive.solving.execution.conditional_relations import decisions_of
from derive.solving.execution.question import Question
from derive.tokens.relations import library as built_in
from derive.tokens.relations import vocabulary
from quantities.declaration import Declaration, read_given
from quantities.profiles import Profile
from quantities.value import Source, Value, read_value


def _data(name: str) -> Mapping[str, Any]:
    return tomli.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _priced() -> frozenset[str]:
    """The names of prices and their ratios, which make a profile a price sheet."""
    return frozenset(name for name in vocabulary("prices") if built_in().declared[name].default is None)


@cache
def printed() -> frozenset[str]:
    """The prices that price sheets print, and the price cliff."""
    declared = built_in().declared
    return frozenset(n for n in _priced() if "price" in n and "USD" in declared[n].unit.text) | {"price_cliff"}


@dataclass(frozen=True)
class Sheet:
    """A price sheet, the library that reads it, and further givens."""

    library: Library
    profile: Profile
    given: Mapping[str, Value]

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the price sheet states and the library declares."""
        return tuple(name for name in self.profile.values if name in self.library.declared)


def read_sheet(source: str | Path | Profile, given: Mapping[str, Any]) -> Sheet:
    """Read a price sheet by its name in the catalogue, as a relation file or its text, or as a profile.

    >>> read_sheet("gemini-2-5-pro-prices", {}).profile.values["price_cliff"].number
    200000.0
    """
    library, profile = _read(source)
    if not _priced().intersection(profile.values):
        hint = 'Write input_price = "1.25 USD/Mtoken" and so on: derive list quantities price has them all.'
        raise ExpressionError(f"{profile.name} states no price of a token.", hint=hint, text=profile.name)
    return Sheet(library, profile, read_all(lambda name, value: read_given(value, library.declaration(name)), given))


def sheet_names() -> tuple[str, ...]:
    """The names of the price sheets of the catalogue."""
    return tuple(name for name in built_in().profiles if name.endswith("-prices"))


def _read(source: str | Path | Profile) -> tuple[Library, Profile]:
    """Read the profile of a price sheet, and the library with what its file declares besides."""
    library = built_in()
    if isinstance(source, Profile):
        prove_fit(source, library.declared)
        return library, source
    has_text = isinstance(source, str) and is_text(source)
    is_path = str(source).endswith(".toml") or "/" in str(source) or os.path.isfile(source)
    if isinstance(source, str) and not has_text and (source in library.profiles or not is_path):
        return library, library.profile(source)
    loaded = load(source, beside=library)
    profiles = list(loaded.profiles.stated.values())
    if len(profiles) != 1:
        label = "the text" if has_text else Path(source).name
        names = ", ".join(profile.name for profile in profiles)
        count = f"there are {len(profiles)}: {names}" if profiles else "there is none"
        what = f"{label}: a price sheet is one profile, and {count}."
        raise ExpressionError(what, hint="Write [profiles.my-prices] and the prices below it.", text=label)
    return library | loaded if loaded.relations or loaded.declared else library, profiles[0]


# What is asked


@dataclass(frozen=True)
class SheetQuestion:
    """One question about a sheet."""

    target: str
    needs: tuple[str, ...]
    subject: str = ""
    says: str = ""  # the conclusion in the words of who reads price sheets
    bound: str = ""  # the side on which the truth lies, where the answer is a bound on it
    assuming: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    levers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, float] = field(default_factory=dict)
    nearest: bool = False
    head: str = ""  # above its column in a table of sheets, and above that of its range
    range_head: str = ""
    compared: bool = False  # whether sheets are compared by it in a line


@dataclass(frozen=True)
class Tension:
    """A number that lies in an interval if two prices can both be read as they are."""

    question: SheetQuestion
    prices: tuple[str, ...]
    text: str  # the sentence if it does not
    low: float
    high: float


def _question(target: str, stated: Mapping[str, Any]) -> SheetQuestion:
    attributes = [attribute.name for attribute in fields(SheetQuestion)]
    known_keys = {name: stated[name] for name in attributes if name in stated}
    texts = {name: tuple(value) for name, value in known_keys.items() if isinstance(value, list)}
    levers = {name: tuple(names) for name, names in stated.get("levers", {}).items()}
    return SheetQuestion(target, **{**known_keys, **texts, "levers": levers})


def _tension(target: str, stated: Mapping[str, Any]) -> Tension:
    low, high = stated.get("low", 0.0), stated.get("high", inf)
    return Tension(_question(target, stated), tuple(stated["prices"]), text=stated["text"], low=low, high=high)


_ASKED = _data("questions")
STANDING_IN: Mapping[str, str] = _ASKED["standing_in"]
QUESTIONS = tuple(_question(*entry) for entry in _ASKED["questions"].items())
TENSIONS = tuple(_tension(*entry) for entry in _ASKED["tensions"].items())


# What it does not say

_CHOICES = _data("choices")
KEYS = {
    "chip": ("hbm_bandwidth", "domain_bandwidth"),  # of a chip, or of a rack in totals
    "size": ("active_parameters",),
    "tier": ("tier_bandwidth",),
}
"""The quantities by which a profile is recognised as one of a kind."""


@dataclass(frozen=True)
class PlausibleProfiles:
    """The choices by kind, and the profiles that are fixed."""

    axes: Mapping[str, tuple[Profile, ...]]
    fixed: tuple[Profile, ...] = ()


def plausible(library: Library, named: Iterable[str | Profile], sheet: str = "") -> PlausibleProfiles:
    """The plausible chips, sizes and tiers behind a price sheet; named profiles replace the usual ones of their kind.

    >>> from derive.tokens.relations import library
    >>> [chip.name for chip in plausible(library(), ["b100-sxm"]).axes["chip"]]
    ['b100-sxm:bf16', 'b100-sxm:fp8', 'b100-sxm:fp4', 'b100-sxm:int8']
    >>> [size.name for size in plausible(library(), [], "deepseek-v3-2-prices").axes["size"]]
    ['deepseek-v3-2']
    """
    own: dict[str, list[Profile]] = {kind: [] for kind in KEYS}
    fixed = []
    for name in named:
        profile = name if isinstance(name, Profile) else library.profile(name)
        kind = next((kind for kind, keys in KEYS.items() if profile.values.keys() & set(keys)), None)
        if kind is None:
            fixed.append(profile)
        else:
            own[kind] += _at_each_precision(library, profile)
    stated = {"chip": _CHOICES["chips"], "size": _sizes(library, sheet), "tier": _CHOICES["tiers"]}
    usual = {kind: [_profile_for(library, name) for name in names] for kind, names in stated.items()}
    return PlausibleProfiles({kind: tuple(own[kind] or usual[kind]) for kind in KEYS}, tuple(fixed))


def size_classes() -> Mapping[str, list[str]]:
    """The models of each class of sizes behind price sheets, the reference first."""
    return {name: [*models] for name, models in _CHOICES["sizes"].items()}


def _sizes(library: Library, sheet: str) -> list[str]:
    """The names of the models that a price sheet may be of."""
    if sheet in _CHOICES["models"]:
        return [_CHOICES["models"][sheet]]
    sizes, small = _CHOICES["sizes"], _CHOICES["classes"]["small"]
    if sheet in library.profiles:
        return [*sizes["small" if sheet in small else "large"]]
    return list(chain.from_iterable(sizes.values()))


def _profile_for(library: Library, name: str) -> Profile:
    """The profile of a chip, size or memory tier behind a sheet: the library's, or one that `choices.toml` assumes."""
    if name not in _CHOICES["assumed"]:
        return library.profile(name)
    table = dict(_CHOICES["assumed"][name])
    title, source = table.pop("title"), Source(table.pop("source"), "assumed", date=table.pop("as_of"))
    return Profile(name, {key: read_value(text).sourced(source) for key, text in table.items()}, title)


def _at_each_precision(library: Library, profile: Profile) -> list[Profile]:
    """A profile behind a price sheet at each choice, such as a precision, that it leaves open."""
    if ":" in profile.name or profile.name not in library.profiles:
        return [profile]
    choices = library.profiles.choices(profile.name)
    return [library.profile(f"{profile.name}:{choice}") for choice in choices] or [profile]


T = TypeVar("T")
Span = tuple[float, float]
Chosen = tuple[Profile, ...]  # a profile of each kind, in the order of KEYS


@dataclass(frozen=True)
class SheetSolver:
    """A sheet, and the hardware and models that may be behind it.

    `common` is a cache, shared by several sheets, of what depends only on the library, the choices and the numbers.
    """

    sheet: Sheet
    plausible: PlausibleProfiles
    common: dict[Any, Any] = field(default_factory=dict, repr=False, compare=False)

    def _once(self, key: Any, make: Callable[[], T]) -> T:
        """What several price sheets share in a cache under a key, made on first use."""
        if key not in self.common:
            self.common[key] = make()
        cached: T = self.common[key]
        return cached

    def _profiles(self, chosen: Chosen) -> tuple[Profile, ...]:
        return (*chosen, *self.plausible.fixed, self.sheet.profile)

    def ask(self, target: str, chosen: Chosen, given: Mapping[str, Any], needs: tuple[str, ...] = ()) -> Answer:
        """Ask about a price sheet at one choice of chip, model size and memory tier: its only answer, or bounds.

        It is sought first from the values that lead to the target as relations are written.
        """
        profiles = self._profiles(chosen)
        leading = self._leading((target, *needs, *given), profiles)
        try:
            return self._solved(target, [_restricted(profile, leading) for profile in profiles], given)
        except UnderdeterminedError:
            return self._solved(target, profiles, given)

    def span(self, target: str, chosen: Chosen, given: Mapping[str, Any], needs: tuple[str, ...] = ()) -> Span:
        """The ends of the answer on a price sheet at one choice of chip, size and tier, or of what the sheet states.

        It is asked once for all sheets with the same numbers.
        """
        profiles = self._profiles(chosen)
        for values in (given, self.sheet.given, *(profile.values for profile in reversed(profiles))):
            if isinstance(value := values.get(target), Value):
                return value.base[0], value.base[2]
        leading = self._leading((target, *needs, *given), profiles)
        numbers = tuple((name, value.base) for name, value in self.sheet.profile.values.items() if name in leading)
        asked = (target, tuple(profile.name for profile in chosen), numbers, tuple(given.items()))
        return self._once(asked, lambda: ends(self.ask(target, chosen, given, needs)))

    def _solved(self, target: str, profiles: Sequence[Profile], given: Mapping[str, Any]) -> Answer:
        """The only answer to a question about a price sheet: a value, or bounds where there is no value."""
        try:
            return self.sheet.library.solve(target, *profiles, **{**given, **self.sheet.given})
        except AmbiguousError as error:
            if len(error.answers) != 1:
                raise
            only: Answer = error.answers[0]
            return only

    def lacking(self, question: SheetQuestion) -> tuple[str, ...]:
        """What a question needs and the price sheet does not determine.

        Missing prices are named instead, if these would determine it.
        """
        known = self.determined((), ())
        lacked = [name for name in question.needs if not {name, STANDING_IN.get(name, name)} & known]
        prices = chain.from_iterable(map(self._prices, lacked))
        return tuple(dict.fromkeys(price for price in prices if price not in known))

    def _prices(self, name: str) -> tuple[str, ...]:
        """The prices that a quantity of a sheet is computed from, or else the quantity itself."""
        for relation in self._written.get(name, ()):
            others = tuple(other for other in relation.declared if other != name)
            if printed().issuperset(others):
                return others
        return (name,)

    def assumed(self, question: SheetQuestion) -> dict[str, Any]:
        """The givens of a question about the sheet: those that it states, and those that the sheet implies."""
        given: dict[str, Any] = dict(question.given)
        for name, other in STANDING_IN.items():
            if name in question.needs and name not in self.determined((), ()):
                answer = self.ask(other, (), {})
                source = Source(f"{other}, which the sheet implies", "assumed")
                given[name] = stated(answer.quantity, *ends(answer), source)
        return given

    @cached_property
    def choices(self) -> tuple[Chosen, ...]:
        """All choices that may be behind the price sheet, the reference first."""
        return tuple(product(*(self.plausible.axes[kind] for kind in KEYS)))

    def kinds(self, answer: Answer, chosen: Chosen) -> frozenset[str]:
        """The kinds of choices behind the sheet whose values an answer uses: chip, size, tier."""
        used = set(answer.given).difference(self.sheet.given, *(profile.values for profile in self._profiles(())))
        return frozenset(kind for kind, profile in zip(KEYS, chosen, strict=True) if used.intersection(profile.values))

    def doubled(self) -> Iterator[str]:
        """The names that the price sheet states and that also follow from the rest of it."""
        names = frozenset(self.sheet.names)
        for name in self.sheet.names:
            if name in _closure(self.sheet.library, names - {name}):
                yield name

    def again(self, name: str) -> Answer:
        """The answer for a name that a price sheet states, from the rest of the sheet."""
        return self._solved(name, (self.sheet.profile,), {})

    def _leading(self, targets: tuple[str, ...], profiles: Iterable[Profile]) -> frozenset[str]:
        """The names stated on a price sheet from which its targets are computed, as the relations are written."""
        stated_names = frozenset(chain.from_iterable(profile.values for profile in profiles))

        def leading_names() -> frozenset[str]:
            """Walk from a price sheet's targets along relations written for them to the stated names."""
            pending, seen = list(targets), set(targets)
            for name in pending:  # grows as it is walked
                if name not in stated_names or name in targets:
                    relations = self._written.get(name, ())
                    following = dict.fromkeys(chain.from_iterable(relation.declared for relation in relations))
                    pending += [n for n in following if n not in seen]
                    seen.update(following)
            return stated_names & seen

        return self._once((targets, stated_names), leading_names)

    @cached_property
    def _written(self) -> Mapping[str, Sequence[Relation]]:
        """The relations of a sheet's library that are written for each quantity."""
        by_name: dict[str, list[Relation]] = {}
        for relation, name in structure_of(self.sheet.library).forward.items():
            by_name.setdefault(name, []).append(self.sheet.library.relations[relation])
        return by_name

    def determined(self, chosen: Chosen, given: tuple[str, ...]) -> frozenset[str]:
        """The names that follow from the price sheet, a choice and some givens, whatever the numbers."""

        def determined() -> frozenset[str]:
            library, profiles, typed = self.sheet.library, self._profiles(chosen), {*given, *self.sheet.given}
            known = frozenset(typed.union(*(profile.values for profile in profiles)).intersection(library.declared))
            excluded = frozenset[str]().union(*(self._excluded(profile, typed) for profile in profiles))
            return self._once((known, excluded), lambda: _closure(library, known, excluded))

        names = tuple(profile.name for profile in chosen)
        return self._once(("determined", self.sheet.profile.name, names, given), determined)

    def _excluded(self, profile: Profile, replaced: set[str]) -> frozenset[str]:
        """The relations that a profile behind a price sheet excludes by its values, but for the replaced ones."""
        stated = {name: value for name, value in profile.values.items() if name not in replaced}
        return self._once(("excluded", profile.name, *stated), lambda: _ruled_out(self.sheet.library, stated))


def _closure(library: Library, names: Iterable[str], excluded: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names that those on a sheet determine by structure alone: enough to know what the sheet does not say.

    An `otherwise` counts instead of the relations that are written for its quantity, and is not run back through them.
    """
    structure = structure_of(library, excluded)
    return closure(structure.not_written_for(structure.otherwise), [*names, *library.defaults])


def _ruled_out(library: Library, stated: Mapping[str, Value]) -> frozenset[str]:
    """The relations whose conditions do not hold at what one profile behind a price sheet states.

    What follows from its values counts too: a cache of all tokens does not follow from the layers of a model of which
    some have a window.
    """
    numbers = {name: value for name, value in stated.items() if name in library.declared and not value.is_range}
    decisions = decisions_of(library, Question("", numbers, {}))
    return frozenset(relation.name for relation in library.conditional if decisions.applies(relation) is False)


def _restricted(profile: Profile, names: frozenset[str]) -> Profile:
    return Profile(profile.name, {name: value for name, value in profile.values.items() if name in names})


def stated(quantity: Declaration, low: float, high: float, source: Source) -> Value:
    """A number or a range in base units as a given beside a price sheet, in its quantity's unit."""
    low, high = (quantity.unit.from_base(end) for end in (low, high))
    return Value(number=low / 2 + high / 2, low=low, high=high, unit=quantity.unit, source=source)


def ends(answer: Answer) -> Span:
    """The ends of an answer on a price sheet, in base units; its value twice if there are no bounds."""
    if answer.bounds is not None:
        return answer.bounds
    assert answer.base is not None
    return answer.base, answer.base
