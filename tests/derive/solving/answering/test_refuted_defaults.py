"""A default that decides a case, and whose quantity comes out as another number: it counts for nothing there."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from derive import DeriveError
from tests.derive.statements import bare, number
from tests.ordinary import every

TARGETS = ("t", "y", "k")


def drawn(seed: int) -> tuple[list, dict[str, str], set[tuple[Fraction, Fraction]]]:
    """Relations for y in two cases of k, which y or a product determines; givens; the pairs of y and k that fit."""
    draw = random.Random(seed)
    border, below, above, x = (Fraction(draw.randint(2, 30), 2) for _ in range(4))
    y_of = [
        {"equation": f"y = {float(below)}*x", "when": f"k < {float(border)}"},
        {"equation": f"y = {float(above)}*x", "when": f"k >= {float(border)}"},
    ]
    values = {"below": below * x, "above": above * x}
    if draw.random() < 0.5:
        factor = Fraction(draw.randint(1, 8), 4)
        rule, numbers = f"k = {float(factor)}*y", {case: [factor * y] for case, y in values.items()}
    else:
        first, second = (Fraction(draw.randint(1, 40), 2) for _ in range(2))
        rule, numbers = f"(k - {float(first)})*(k - {float(second)}) = z", {case: [first, second] for case in values}
    pairs = {(values[case], k) for case in values for k in numbers[case] if (k < border) == (case == "below")}
    given = {"x": str(float(x)), **({"z": "0"} if "z" in rule else {})}
    return ["t = y + k", rule, *y_of], given, pairs


@pytest.mark.parametrize("target", TARGETS)
@every("seed", range(200), ordinary=15, thorough=400)
def test_what_a_default_decides_is_no_refusal_where_another_case_has_an_answer(seed: int, target: str) -> None:
    relations, given, pairs = drawn(seed)
    names = "t y k x z" if "z" in given else "t y k x"
    library = bare(names, *relations, values={"k": "1"}, domains={"z": "real"} if "z" in given else {})
    expected = {"t": [y + k for y, k in pairs], "y": [y for y, _ in pairs], "k": [k for _, k in pairs]}[target]
    try:
        answers = [number(answer) for answer in library.solve_all(target, **given)]
    except DeriveError:
        answers = []
    assert bool(answers) == bool(pairs)
    assert all(any(answer == pytest.approx(float(value)) for value in expected) for answer in answers)


@pytest.mark.parametrize(("target", "expected"), [("t", 9), ("y", 2), ("k", 4), ("u", 3)])
def test_a_default_that_nothing_refutes_still_decides_its_own_case(target, expected):
    library = bare(
        "t y k x u m",
        "t = y + k + u",
        "k = 2*y",
        {"equation": "y = x", "when": "k < 1.5"},
        {"equation": "y = 2*x", "when": "k >= 1.5"},
        {"equation": "u = 3*x", "when": "m < 2"},
        {"equation": "u = 5*x", "when": "m >= 2"},
        values={"k": "1", "m": "1"},
    )
    assert number(library.solve(target, x="1")) == expected
