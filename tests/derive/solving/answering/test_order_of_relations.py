"""The order in which relations are stated says nothing where no two of them stand for one quantity."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice, permutations

import pytest

from tests.derive.statements import bare
from tests.ordinary import every

LEVEL = ["z = min(b, y, w)", "z = max(y, min(b, w))", "z = floor(b/4)", "z = ceil(y)", "z = min(y, b)"]


def answers(relations: Sequence[str], target: str, given: dict[str, str]) -> list[tuple[float, float]]:
    """The intervals of all answers; a number is an interval of its own."""
    names = "a b c w y z"
    library = bare(names, *relations, domains=dict.fromkeys(names.split(), "real"))
    found = library.solve_all(target, **given)
    return sorted(answer.bounds if answer.value is None else (answer.base,) * 2 for answer in found)


@every("seed", range(120), ordinary=30, thorough=8)
def test_all_orders_have_the_numbers_that_were_planted(seed: int) -> None:
    """Of `z = min(b, y, w)`, with relations to spare, b was an interval where it came before what fixes b."""
    draw = random.Random(f"order {seed}")
    a, b = draw.randint(1, 3), draw.randint(4, 9)
    numbers = {"a": a, "b": b, "y": abs(b - a), "w": b + a, "c": a * b}
    level = draw.choice(LEVEL)
    own = {"floor": lambda x: x // 1, "ceil": lambda x: -(-x // 1), "min": min, "max": max, **numbers}
    numbers["z"] = eval(level.partition("=")[2], own)
    relations = ["y = abs(b - a)", "w = b + a", level, "c = a*b"]
    given = {name: f"{float(numbers[name]):g}" for name in "yzc"}
    orders = draw.sample([*permutations(relations)], 6)
    for target in ("a", "b"):
        for found in (answers(order, target, given) for order in orders):
            assert any(low == pytest.approx(numbers[target]) == high for low, high in found), (level, given, target)
            assert len(found) <= 4
            assert all(low == high for low, high in found), (level, given, target, found)


def test_rounding_before_what_fixes_its_unknowns_leaves_no_interval() -> None:
    """The first order left y from 0.0038 to 1, and the last from 0 to 1."""
    relations = ["y = c**2", "z = floor(y/c)", "w = abs(y - c)"]
    for order in islice(permutations(relations), 6):
        ends = [end for interval in answers(order, "y", {"z": "0", "w": "0.061644"}) for end in interval]
        assert ends == pytest.approx([0.004356, 0.004356, 0.872356, 0.872356])
