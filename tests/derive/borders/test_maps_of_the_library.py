"""At random points of random maps of the built-in library, the solver says what the map says.

`DERIVE_MAPS=200 pytest -m long tests/derive/borders` asks as many as one likes.
"""

from __future__ import annotations

import os
import random
from itertools import pairwise
from typing import Any

import pytest

import derive
from derive.errors import DeriveError
from derive.tables.axes import spanned
from derive.tables.regime_map import RegimeMap, mapped
from derive.tables.sweep_question import asked
from tests.ordinary import BUILDS, every

CHIPS = ("h100-sxm:fp8", "b200-sxm:fp8", "a100-sxm-80gb:bf16", "tpu-v5p:bf16", "mi300x:fp8", "gb200:fp8")
TARGETS = ("step_time", "cost_per_token", "user_speed", "prefill_time", "mbu", "throughput", "time_to_first_token")
RANGES = {
    "batch": "1..4096 sequence",
    "context": "0.1..500 ktoken/sequence",
    "chips": "1..128 chip",
    "prompt_tokens": "0.1..200 ktoken/sequence",
    "hbm_bandwidth": "0.5..20 TB/s/chip",
    "peak_compute": "0.1..10 PFLOP/s/chip",
}
USUAL = {
    "batch": "64 sequence",
    "context": "8 ktoken/sequence",
    "chips": "8 chip",
    "prompt_tokens": "4 ktoken/sequence",
}
POINTS = 12


def drawn(seed: int) -> tuple[RegimeMap, str, tuple[str, str], dict[str, str]] | None:
    dice = random.Random(seed)
    profiles = dice.choice(CHIPS), dice.choice(BUILDS)
    target, (first, second) = dice.choice(TARGETS), dice.sample(sorted(RANGES), 2)
    fixed = {name: value for name, value in USUAL.items() if name not in (first, second)}
    axes = {name: spanned(RANGES[name], 24) for name in (first, second)}
    try:
        survey = asked(derive.llm, target, profiles, {**fixed, **axes})
        return mapped(survey), target, profiles, fixed
    except DeriveError:  # a target that does not follow from these
        return None


def label(found: RegimeMap, x: float, y: float) -> int | None:
    """The label of the map at a point; None near a border."""
    share_x, share_y = found.along.share(x), found.up.share(y)
    for curve in found.curves:
        for one in curve.points:
            near = abs(found.along.share(one[0]) - share_x), abs(found.up.share(one[1]) - share_y)
            if max(near) < 2.0 / 23:  # a point in every step of the grid
                return None
    for strip in found.strips:
        for (left, right), (a, b), (c, d) in zip(*map(pairwise, (strip.along, strip.low, strip.high)), strict=True):
            if left <= x <= right and min(a, b) <= y <= max(c, d):
                return strip.label
    return None


def shown(found: RegimeMap, target: str, profiles: tuple[str, str], fixed: dict[str, str], dice: Any) -> int:
    """Compare the map with the solver at random points; returns at how many."""
    compared = 0
    names = found.names
    units = [derive.llm.declared[name].unit for name in names]
    for _ in range(POINTS):
        shares = dice.random(), dice.random()
        x, y = (
            scale.numbers[0] * (scale.numbers[-1] / scale.numbers[0]) ** share
            if scale.log
            else scale.numbers[0] + share * (scale.numbers[-1] - scale.numbers[0])
            for scale, share in zip((found.along, found.up), shares, strict=True)
        )
        told = label(found, float(x), float(y))
        if told is None:
            continue
        standing = found.standings[told]
        at = {name: f"{float(z)!r} {unit}" for name, z, unit in zip(names, (x, y), units, strict=True)}
        try:
            answer = derive.solve(target, *profiles, **fixed, **at)
        except DeriveError:
            assert not standing.is_answered, (at, standing)
            continue
        assert standing.is_answered == (answer.base is not None)
        assert {check.name for check in answer.failed} == standing.failed, (profiles, target, at)
        for name, arm in standing.arms:
            if name in answer.regime and arm:
                assert answer.regime[name] == arm, (profiles, target, at, name)
        compared += 1
    return compared


@pytest.mark.thorough
@every("seed", [10, 18, 23, 42], ordinary=4, thorough=8)  # dense models, which take a second or two
def test_the_solver_says_what_the_map_says(seed: int) -> None:
    found = drawn(seed)
    if found is not None:
        shown(*found, random.Random(seed))


@pytest.mark.long
def test_the_solver_says_what_many_maps_say() -> None:
    compared = 0
    for seed in range(100, 100 + int(os.environ.get("DERIVE_MAPS", "40"))):
        found = drawn(seed)
        if found is not None:
            compared += shown(*found, random.Random(seed))
    assert compared > 100
