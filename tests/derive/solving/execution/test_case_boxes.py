"""What a case leaves to quantities: where a default ends it, and what the limits of one leave open of others."""

from __future__ import annotations

import random

import pytest

from tests.derive.statements import bare, numbers
from tests.ordinary import every


@every("seed", range(40), ordinary=10)
def test_a_solution_at_the_default_that_ends_a_case_is_in_one_case_and_leaves_no_other_open(seed: int) -> None:
    """`abs(x - middle)` is the same on both sides of `k`, which is the upper of the two solutions."""
    draw = random.Random(f"at the end {seed}")
    middle, distance = draw.randint(-20, 20) / 10, draw.randint(1, 9) / 10
    system = bare(
        "k x q s",
        {"equation": f"q = abs(x - ({middle}))", "when": ["x <= k"]},
        {"equation": f"q = abs(x - ({middle}))", "when": ["x > k"]},
        "s = q*(q + 1)",
        domains=dict.fromkeys("kxqs", "real"),
        values={"k": f"{middle + distance:.1f}"},
    )
    answers = system.solve_all("x", s=f"{distance * (distance + 1):.2f}")
    assert numbers(answers) == pytest.approx([middle - distance, middle + distance])
    assert not any("nothing determines" in note for answer in answers for note in answer.assumptions)


@every("seed", range(40), ordinary=10)
def test_a_condition_that_the_limits_of_its_case_decide_leaves_no_case_open(seed: int) -> None:
    """Where `x > low` and `y` is at least 2, `x*y` is above twice that."""
    draw = random.Random(f"decided {seed}")
    low, u, v = (draw.randint(1, 9) for _ in range(3))
    edge = draw.randint(1, 2 * low - 1)
    system = bare(
        "t u v x y",
        "t = u + v",
        {"equation": f"u = {u}", "when": [f"x > {low}"]},
        {"equation": f"u = {u + 20}", "when": [f"x <= {low}"]},
        {"equation": f"v = {v}", "when": [f"x*y > {edge}"]},
        {"equation": f"v = {v + 50}", "when": [f"x*y <= {edge}"]},
        domains={"y": "2..9"},
    )
    answers = system.solve_all("t")
    beyond = [answer for answer in answers if any(f"x > {low}" in note for note in answer.assumptions)]
    assert numbers(beyond) == [u + v]
