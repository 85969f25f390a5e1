"""What a sheet does not say: the chips, active sizes and memory tiers that may be behind it.

The first of each is the reference. All are profiles of the catalogue, with their sources there, except the size that
the lecture assumes for a frontier model.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from derive.library import Library
from quantities.profiles import Profile
from quantities.source import Source
from quantities.value import read_value

__all__ = ["CHIPS", "KEYS", "SIZES", "TIERS", "Plausible", "plausible"]

CHIPS = (
    "h100-sxm:fp8",
    "h100-sxm:bf16",
    "h200-sxm:fp8",
    "b200-sxm:fp4",
    "gb200:fp8",
    "mi300x:fp8",
    "tpu-v5p:bf16",
    "tpu-v6e:bf16",
    "trainium2:fp8",
)
"""Chips that vendors rent out for serving, at the precisions in which models are served; all have a price."""

_FRONTIER = Profile(
    "lecture-100b",
    {
        "active_parameters": read_value("100 Gparameter").sourced(
            Source("R. Pope with D. Patel, blackboard lecture, April 2026", "assumed", date="2026-04")
        )
    },
    "Active size that the lecture takes for a frontier model",
)

SIZES = (_FRONTIER, "deepseek-v3", "qwen3-30b-a3b", "qwen3-235b-a22b", "llama3-1-405b")
"""Active sizes from the lecture's, and of published models from a small mixture of experts to the largest dense one."""

TIERS = (
    "ddr5-6400-typical-server",
    "cxl-cz120-256gb",
    "cxl-pool-cmm-b",
    "nvme-gen6-30tb",
    "nvme-gen5-30tb",
    "nvme-gen4-qlc-122tb",
    "hdd-exos-x24-24tb",
)
"""One device of each kind below a chip's own memory, from the fastest to drain to the slowest."""

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


def plausible(library: Library, named: Iterable[str | Profile]) -> Plausible:
    """The choices; named profiles replace the usual ones of their kind.

    >>> from derive.tokens.relations import library
    >>> [chip.name for chip in plausible(library(), ["b100-sxm"]).axes["chip"]]
    ['b100-sxm:bf16', 'b100-sxm:fp8', 'b100-sxm:fp4', 'b100-sxm:int8']
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
    stated = {"chip": CHIPS, "size": SIZES, "tier": TIERS}
    usual = {kind: [_found(library, name) for name in names] for kind, names in stated.items()}
    return Plausible({kind: tuple(own[kind] or usual[kind]) for kind in KEYS}, tuple(fixed))


def _found(library: Library, name: str | Profile) -> Profile:
    return name if isinstance(name, Profile) else library.profile(name)


def _at_each_precision(library: Library, profile: Profile) -> list[Profile]:
    """A profile at each choice that it leaves open."""
    if ":" in profile.name or profile.name not in library.profiles:
        return [profile]
    choices = library.profiles.choices(profile.name)
    return [library.profile(f"{profile.name}:{choice}") for choice in choices] or [profile]
