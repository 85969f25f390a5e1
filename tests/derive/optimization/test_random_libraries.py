"""Random libraries, simultaneous and conditional: no point of the ranges has a better answer than the best choice.

The long run: DERIVE_SEEDS=1000..3000 pytest -m long --override-ini addopts= tests/derive/optimization
"""

from __future__ import annotations

import os
import random

import pytest

import derive
from derive import DeriveError, VerificationError
from tests.derive.test_one_meaning import question

FIRST, LAST = (int(end) for end in os.environ.get("DERIVE_SEEDS", "24..400").split(".."))
POINTS = 25


def prove(seed):
    """Whether a best choice was found; it is held against answers at random points."""
    asked = question(seed)
    if asked is None:
        return False
    library, target, numbers = asked
    draw = random.Random(f"best {seed}")
    names = [name for name in numbers if library.declared[name].unit.is_number and not library.declared[name].is_count]
    if not names or target in numbers:
        return False
    free = draw.sample(names, min(len(names), draw.choice([1, 1, 2])))
    ends = {name: sorted([numbers[name], numbers[name] * draw.choice([0.4, 0.8, 1.3, 2.5])]) for name in free}
    fixed = {name: f"{x!r} {library.declared[name].unit}".strip() for name, x in numbers.items() if name not in free}
    ranges = {name: f"{low!r}..{high!r}" for name, (low, high) in ends.items()}
    sense, sign = draw.choice([("least", 1), ("most", -1)])
    try:
        with derive.limits(seconds=3):
            found = getattr(library, sense)(target, **fixed, **ranges)
    except VerificationError:  # never an answer
        raise
    except DeriveError:
        return False
    best = sign * found.answer.base
    limits = {relation.name for relation in library.relations.values() if not relation.is_equation}
    for _ in range(POINTS):
        at = {name: repr(draw.uniform(*ends[name])) for name in free}
        try:
            answer = library.solve(target, **fixed, **at)
        except DeriveError:
            continue
        if not limits & {check.name for check in answer.failed}:
            slack = 1e-6 * max(abs(best), abs(answer.base), 1e-9)
            assert not found.proved or sign * answer.base >= best - slack, (seed, at, answer.base, found.answer.base)
    return True


@pytest.mark.thorough
def test_no_point_has_a_better_answer():
    assert sum(prove(seed) for seed in range(FIRST)) >= FIRST // 8


@pytest.mark.long
def test_no_point_of_many_libraries_has_a_better_answer():
    assert sum(prove(seed) for seed in range(FIRST, LAST)) > (LAST - FIRST) // 10
