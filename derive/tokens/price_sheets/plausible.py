"""What a sheet does not say: the chips, active sizes and memory tiers that may be behind it.

They are data: `choices.toml`. A sheet whose model is published is read with that model, and any other with the models
of its class: an answer that spans every model there is says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli

from derive.library import Library
from quantities.profiles import Profile
from quantities.source import Source
from quantities.value import read_value

__all__ = ["KEYS", "Plausible", "plausible", "size_classes"]

_STATED: Mapping[str, Any] = tomli.loads(Path(__file__).with_name("choices.toml").read_text(encoding="utf-8"))

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
    stated = {"chip": _STATED["chips"], "size": _sizes(library, sheet), "tier": _STATED["tiers"]}
    usual = {kind: [_found(library, name) for name in names] for kind, names in stated.items()}
    return Plausible({kind: tuple(own[kind] or usual[kind]) for kind in KEYS}, tuple(fixed))


def size_classes() -> Mapping[str, list[str]]:
    """The models of each class, the reference first."""
    return {name: [*models] for name, models in _STATED["sizes"].items()}


def _sizes(library: Library, sheet: str) -> list[str]:
    """The models that a sheet may be of."""
    if sheet in _STATED["models"]:
        return [_STATED["models"][sheet]]
    sizes, small = _STATED["sizes"], _STATED["classes"]["small"]
    if sheet in library.profiles:
        return [*sizes["small" if sheet in small else "large"]]
    return [name for names in sizes.values() for name in names]


def _found(library: Library, name: str) -> Profile:
    if name not in _STATED["assumed"]:
        return library.profile(name)
    table = dict(_STATED["assumed"][name])
    title, source = table.pop("title"), Source(table.pop("source"), "assumed", date=table.pop("as_of"))
    return Profile(name, {one: read_value(text).sourced(source) for one, text in table.items()}, title)


def _at_each_precision(library: Library, profile: Profile) -> list[Profile]:
    """A profile at each choice that it leaves open."""
    if ":" in profile.name or profile.name not in library.profiles:
        return [profile]
    choices = library.profiles.choices(profile.name)
    return [library.profile(f"{profile.name}:{choice}") for choice in choices] or [profile]
