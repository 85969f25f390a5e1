"""A map has the same regions whether the bounds of its limits are typed or stated as defaults.

The oracle counts points of a fine grid in plain Python: at how many which limits are broken. The long run:

    DERIVE_SEEDS=0..2000 pytest -m long --override-ini addopts= -v tests/derive/borders/test_typed_bounds.py
"""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

import derive
from tests.ordinary import every

SHORT, BATCH = 4, 1
FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", f"{SHORT}..2000").split(".."))

TARGETS = ["a*x", "a + 2*x", "max(a, x)", "a/x"]
LIMITS = ["y <= {0}", "a + x <= {0}", "y >= {0}", "2*a <= {0} + x"]
FINE = 200


def wrong(seed: int) -> str:
    """What a map has otherwise than the grid, or typed otherwise than as defaults; nothing, if nothing is."""
    draw = random.Random(f"bounds {seed}")
    target = draw.choice(TARGETS)
    limits = [text.format(f"c{i}") for i, text in enumerate(draw.sample(LIMITS, draw.randint(1, 2)))]
    bounds = {f"c{i}": round(draw.uniform(1.5, 6.0), 2) for i in range(len(limits))}
    stated = "".join(f'limit{i} = {{ equation = "{text}" }}\n' for i, text in enumerate(limits))
    relations = f'[relations]\ny = {{ equation = "y = {target}" }}\n{stated}'
    maps = []
    for is_typed in (True, False):
        defaults = {name: "" if is_typed else f', value = "{x}"' for name, x in bounds.items()}
        names = "".join(f'{name} = {{ unit = "1"{defaults.get(name, "")} }}\n' for name in ["a", "x", "y", *bounds])
        library = derive.load(f"[quantities]\n{names}{relations}")
        maps.append(library.border("y", over=("a", "x"), a="1..5", x="1..5", **(bounds if is_typed else {})))
    said = f"wrong({seed}): y = {target}, {limits}, {bounds}"
    regions = [{tuple(sorted(one.failed)): 0.0 for one in found.regions} for found in maps]
    for found, shares in zip(maps, regions, strict=True):
        for one in found.regions:
            shares[tuple(sorted(one.failed))] += one.share
    counted = _counted(target, limits, bounds)
    for shares in regions:
        if any(abs(shares.get(one, 0.0) - share) > 0.01 for one, share in counted.items()):
            return f"{said}: {shares}, counted {dict(counted)}"
    borders = [sorted(map(str, found)) for found in maps]
    return "" if borders[0] == borders[1] else f"{said}: {borders[0]} typed, and {borders[1]} as defaults"


def _counted(target: str, limits: list[str], bounds: dict[str, float]) -> dict[tuple[str, ...], float]:
    """The share of a grid on which just these limits are broken."""
    found: Counter[tuple[str, ...]] = Counter()
    for i in range(FINE):
        for j in range(FINE):
            at = {"a": 1 + 4 * (i + 0.5) / FINE, "x": 1 + 4 * (j + 0.5) / FINE, **bounds}
            at["y"] = eval(target, {}, at)
            found[tuple(f"limit{n}" for n, text in enumerate(limits) if not eval(text, {}, at))] += 1
    return {broken: count / FINE**2 for broken, count in found.items()}


@pytest.mark.thorough
@every("start", range(0, SHORT, BATCH), ordinary=4, thorough=12)
def test_a_typed_bound_has_the_same_border_as_a_default(start):
    assert not [found for seed in range(start, start + BATCH) if (found := wrong(seed))]


@pytest.mark.long
@pytest.mark.parametrize("start", range(FIRST, LAST, BATCH))
def test_a_typed_bound_has_the_same_border_as_a_default_in_the_long_run(start):
    assert not [found for seed in range(start, min(start + BATCH, LAST)) if (found := wrong(seed))]


BROKEN_BY = {  # of a sum, a maximum and the typed quantities themselves
    "y <= {0}": lambda a, b, most: max(a, 2 * b) <= most,
    "a*b <= {0}": lambda a, b, most: a * b <= most,
    "z >= {0}": lambda a, b, most: a + b >= most,
    "a - b <= {0}": lambda a, b, most: a - b <= most,
    "z <= {0}*b": lambda a, b, most: a + b <= most * b,
}


@pytest.mark.thorough
@every("seed", range(40), ordinary=10, thorough=28)
def test_all_limits_that_typed_values_break_are_named_at_each_point_and_end_at_their_own_borders(seed):
    draw = random.Random(f"limits {seed}")
    limits = {f"limit{i}": (form, draw.randint(2, 12)) for i, form in enumerate(draw.sample([*BROKEN_BY], 3))}
    stated = "".join(f'{name} = {{ equation = "{form.format(most)}" }}\n' for name, (form, most) in limits.items())
    declared = "".join(f'{name} = {{ unit = "1" }}\n' for name in "abyz")
    library = derive.load(
        f'[quantities]\n{declared}[relations]\ny = {{ equation = "y = max(a, 2*b)" }}\n'
        f'z = {{ equation = "z = a + b" }}\n{stated}'
    )
    axis = [1.03, 2.77, 5.19, 9.41]
    points = [(a, b) for a in axis for b in axis]
    broken = {at: [name for name, (form, most) in limits.items() if not BROKEN_BY[form](*at, most)] for at in points}
    try:
        judged = library.sweep("y", a=axis, b=axis).holding.judgements["y"]
    except derive.InconsistentError:
        assert all(broken.values())
        return
    failing = {name: judged.failing(name) for name in limits}
    for i, a in enumerate(axis):
        for j, b in enumerate(axis):
            assert [name for name in limits if failing[name][i, j]] == broken[a, b], (a, b)
    for border in library.border("y", over=("a", "b"), a="1..10", b="1..10"):
        if border.kind != "check":
            continue
        form, most = limits[border.relation]
        for a, b in border.points:
            around = {BROKEN_BY[form](a + 1e-3 * i, b + 1e-3 * j, most) for i in (-1, 0, 1) for j in (-1, 0, 1)}
            assert around == {True, False}, (border, a, b)
