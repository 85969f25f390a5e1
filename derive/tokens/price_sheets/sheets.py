"""A price sheet, what is asked about it, and what it does not say: the chips, sizes and memory tiers behind it.

A sheet is a profile of the catalogue, or the one profile of a relation file. The questions, and the prices that may
contradict each other, are data: `questions.toml`, which describes its own format at the top. So are the choices:
`choices.toml`. A sheet whose model is published is read with that model, and any other with the models of its class: an
answer that spans every model there is says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from math import inf
from pathlib import Path
from typing import Any

import tomli

from derive.errors import ExpressionError, read_all
from derive.library import Library
from derive.model.relation_set import prove_fit
from derive.relation_files.loading import load
from derive.relation_files.sources import is_text
from derive.tokens.relations import library as built_in
from derive.tokens.relations import vocabulary
from quantities.declaration import read_given
from quantities.facts import Profile
from quantities.value import Source, Value, read_value

__all__ = [
    "KEYS",
    "QUESTIONS",
    "STANDING_IN",
    "TENSIONS",
    "Plausible",
    "Sheet",
    "SheetQuestion",
    "Tension",
    "plausible",
    "printed",
    "read_sheet",
    "sheet_names",
    "size_classes",
]


def _data(name: str) -> Mapping[str, Any]:
    return tomli.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def _priced() -> frozenset[str]:
    """The names that make a profile a price sheet: prices and their ratios."""
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
        """The names that the sheet states and the library declares."""
        return tuple(name for name in self.profile.values if name in self.library.declared)


def read_sheet(source: str | Path | Profile, given: Mapping[str, Any]) -> Sheet:
    """A price sheet by its name in the catalogue, as a relation file or its text, or as a profile.

    >>> read_sheet("gemini-2-5-pro-prices", {}).profile.values["price_cliff"].number
    200000.0
    """
    library, profile = _read(source)
    if not _priced().intersection(profile.values):
        raise ExpressionError(
            f"{profile.name} states no price of a token.",
            hint='Write input_price = "1.25 USD/Mtoken" and so on: derive list quantities price has them all.',
            text=profile.name,
        )
    return Sheet(library, profile, read_all(lambda name, value: read_given(value, library.declaration(name)), given))


def sheet_names() -> tuple[str, ...]:
    """The price sheets of the catalogue."""
    return tuple(name for name in built_in().profiles if name.endswith("-prices"))


def _read(source: str | Path | Profile) -> tuple[Library, Profile]:
    library = built_in()
    if isinstance(source, Profile):
        prove_fit(source, library.declared)
        return library, source
    has_text = isinstance(source, str) and is_text(source)
    if isinstance(source, str) and not has_text and (source in library.profiles or not _is_path(source)):
        return library, library.profile(source)
    loaded = load(source, beside=library)
    found = list(loaded.profiles.stated.values())
    if len(found) != 1:
        label = "the text" if has_text else Path(source).name
        said = f"there are {len(found)}: {', '.join(profile.name for profile in found)}" if found else "there is none"
        raise ExpressionError(
            f"{label}: a price sheet is one profile, and {said}.",
            hint="Write [profiles.my-prices] and the prices below it.",
            text=label,
        )
    return library | loaded if loaded.relations or loaded.declared else library, found[0]


def _is_path(source: str) -> bool:
    return source.endswith(".toml") or "/" in source or Path(source).is_file()


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


@dataclass(frozen=True)
class Tension:
    """A number that lies in an interval if two prices can both be read as they are."""

    question: SheetQuestion
    prices: tuple[str, ...]
    text: str  # the sentence if it does not
    low: float
    high: float


def _question(target: str, stated: Mapping[str, Any]) -> SheetQuestion:
    said = {one.name: stated[one.name] for one in fields(SheetQuestion) if one.name in stated}
    texts = {name: tuple(held) for name, held in said.items() if isinstance(held, list)}
    levers = {name: tuple(others) for name, others in stated.get("levers", {}).items()}
    return SheetQuestion(target, **{**said, **texts, "levers": levers})


def _tension(target: str, stated: Mapping[str, Any]) -> Tension:
    low, high = stated.get("low", 0.0), stated.get("high", inf)
    return Tension(_question(target, stated), tuple(stated["prices"]), stated["text"], low, high)


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
class Plausible:
    """The choices by kind, and the profiles that are fixed."""

    axes: Mapping[str, tuple[Profile, ...]]
    fixed: tuple[Profile, ...] = ()


def plausible(library: Library, named: Iterable[str | Profile], sheet: str = "") -> Plausible:
    """The choices for a sheet; named profiles replace the usual ones of their kind.

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
    usual = {kind: [_found(library, name) for name in names] for kind, names in stated.items()}
    return Plausible({kind: tuple(own[kind] or usual[kind]) for kind in KEYS}, tuple(fixed))


def size_classes() -> Mapping[str, list[str]]:
    """The models of each class, the reference first."""
    return {name: [*models] for name, models in _CHOICES["sizes"].items()}


def _sizes(library: Library, sheet: str) -> list[str]:
    """The models that a sheet may be of."""
    if sheet in _CHOICES["models"]:
        return [_CHOICES["models"][sheet]]
    sizes, small = _CHOICES["sizes"], _CHOICES["classes"]["small"]
    if sheet in library.profiles:
        return [*sizes["small" if sheet in small else "large"]]
    return [name for names in sizes.values() for name in names]


def _found(library: Library, name: str) -> Profile:
    if name not in _CHOICES["assumed"]:
        return library.profile(name)
    table = dict(_CHOICES["assumed"][name])
    title, source = table.pop("title"), Source(table.pop("source"), "assumed", date=table.pop("as_of"))
    return Profile(name, {one: read_value(text).sourced(source) for one, text in table.items()}, title)


def _at_each_precision(library: Library, profile: Profile) -> list[Profile]:
    """A profile at each choice that it leaves open."""
    if ":" in profile.name or profile.name not in library.profiles:
        return [profile]
    choices = library.profiles.choices(profile.name)
    return [library.profile(f"{profile.name}:{choice}") for choice in choices] or [profile]
