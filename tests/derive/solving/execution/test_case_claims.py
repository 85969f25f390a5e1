"""What a case leaves to quantities: where a default ends it, and what the limits of one leave open of others."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest

from derive import Answer
from derive.expressions.grammar import parse_condition
from derive.library import Library
from derive.numerics.algebra.evaluation import holds
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


OPPOSITE = {">": "<=", "<=": ">", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}
MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">=", "==": "==", "!=": "!="}
EVERYWHERE = ["x*y", "x + y", "x**2 + y", "exp(x)*y", "abs(x - y)", "max(x, y)", "x/(1 + y**2)", "sqrt(1 + x**2)", "5"]
WHERE_POSITIVE = ["x/y", "1/(x*y)", "log(x)", "sqrt(x*y)", "x**0.5*y", "x/y**2", "y**x", "(x + y)**-1.5", "x*y**-2"]
ELSEWHERE = ["log(x - 1)", "1/(x - y)", "sqrt(y - x)", "acos(x*y)", "(x - 2)**0.5", "y/floor(x)"]


def split_twice(first: str, second: str, low: int, domain: str) -> Library:
    """`t` by whether `x` is above a number and by two conditions, of which it is open whether one of them holds."""
    return bare(
        "t u v x y",
        "t = u + v",
        {"equation": "u = 1", "when": [f"x > {low}"]},
        {"equation": "u = 2", "when": [f"x <= {low}"]},
        {"equation": "v = 10", "when": [first]},
        {"equation": "v = 20", "when": [second]},
        domains={"x": domain, "y": domain},
    )


def either_way(draw: random.Random, left: str, sign: str, right: str) -> str:
    """A comparison with either side first, or as the denial of its opposite."""
    if draw.random() < 0.2:
        return f"not {left} {OPPOSITE[sign]} {right}"
    return f"{left} {sign} {right}" if draw.random() < 0.5 else f"{right} {MIRRORED[sign]} {left}"


def is_left_open(answers: Iterable[Answer]) -> bool:
    return any("nothing determines t" in note for answer in answers for note in answer.assumptions)


@every("seed", range(120), ordinary=24, thorough=20)
def test_a_comparison_and_its_opposite_leave_no_case_open_unless_a_side_may_be_undefined(seed: int) -> None:
    draw = random.Random(f"opposite {seed}")
    domain = draw.choice(["positive", "real"])
    total = EVERYWHERE + WHERE_POSITIVE * (domain == "positive")
    left, right = draw.sample(total + ELSEWHERE, 2) if seed % 2 else draw.sample(total, 2)
    signs = draw.choice([*OPPOSITE.items()])
    first, second = (either_way(draw, left, sign, right) for sign in signs)
    low = draw.randint(1, 3)
    answers = split_twice(first, second, low, domain).solve_all("t")
    conditions = [parse_condition(first), parse_condition(second)]
    reached = set[int]()
    is_undefined_somewhere = False
    for _ in range(400):
        least = 0.01 if domain == "positive" else -9
        point = {name: draw.uniform(least, 9) for name in "xy"}
        u = 1 if point["x"] > low else 2
        holding = [v for v, condition in zip((10, 20), conditions, strict=True) if holds(condition, point)]
        reached.update(u + v for v in holding)
        is_undefined_somewhere |= not holding
    assert reached <= {round(number) for number in numbers([a for a in answers if a.bounds is None])}
    if left in total and right in total:
        assert not is_left_open(answers)
    if is_undefined_somewhere:
        assert is_left_open(answers)


@pytest.mark.parametrize(("domain", "is_open"), [("positive", False), ("real", True), ("0.5..9", False)])
def test_a_logarithm_leaves_a_case_open_only_where_its_argument_may_be_negative(domain: str, *, is_open: bool) -> None:
    assert is_left_open(split_twice("log(x) > y", "log(x) <= y", 3, domain).solve_all("t")) is is_open


def test_what_else_holds_in_a_case_shows_that_a_side_has_a_value() -> None:
    """Where `x > 3`, `log(x - 3)` has a value; elsewhere it has none, and neither comparison of it holds."""
    answers = split_twice("log(x - 3) > y", "log(x - 3) <= y", 3, "real").solve_all("t")
    open_notes = [note for answer in answers for note in answer.assumptions if "nothing determines t" in note]
    assert sorted(numbers([answer for answer in answers if answer.bounds is None])) == [11, 21]
    assert len(open_notes) == 1
    assert "x <= 3" in open_notes[0]


@pytest.mark.parametrize("positive", ["x > 0", "0 < x", "not x <= 0"])
def test_conditions_beside_a_comparison_show_that_its_sides_have_a_value(positive: str) -> None:
    system = bare(
        "v x y",
        {"equation": "v = 1", "when": [positive, "log(x) > y"]},
        {"equation": "v = 2", "when": [positive, "log(x) <= y"]},
        {"equation": "v = 3", "when": ["x <= 0"]},
        domains={"x": "real"},
    )
    answers = system.solve_all("v")
    assert sorted(numbers(answers)) == [1, 2, 3]
    assert not any("nothing determines" in note for answer in answers for note in answer.assumptions)


def test_a_side_of_a_comparison_that_holds_has_a_value_in_others() -> None:
    """Where `log(x) > 1` or `log(x) <= 1`, `log(x)` has a value; where neither holds, `u` has no number."""
    system = bare(
        "t u v x y",
        "t = u + v",
        {"equation": "u = 1", "when": ["log(x) > 1"]},
        {"equation": "u = 2", "when": ["log(x) <= 1"]},
        {"equation": "v = 10", "when": ["log(x) > y"]},
        {"equation": "v = 20", "when": ["log(x) <= y"]},
        domains={"x": "real", "y": "real"},
    )
    answers = system.solve_all("t")
    notes = [note for answer in answers for note in answer.assumptions if "nothing determines" in note]
    assert not any("log(x) > 1 and" in note and "not log(x)" in note for note in notes)
    assert sorted(numbers([answer for answer in answers if answer.bounds is None])) == [11, 12, 21, 22]


def test_arms_of_a_choice_are_all_there_is_where_its_condition_has_a_value() -> None:
    system = bare("k u t x y", "k = u if x*y > 5 else 10*t", "u = 3", "t = 4")
    assert sorted(numbers(system.solve_all("k"))) == [3, 40]
