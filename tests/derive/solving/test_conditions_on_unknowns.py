"""Choices by quantities that have no number: each question is answered, or refused in words."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest

import derive
from derive import DeriveError, NoSolutionError
from tests.derive.statements import bare, span
from tests.ordinary import every


@pytest.mark.parametrize(
    ("relation", "target", "given", "expected"),
    [
        ("a = min((q if q < 0 else p), 1)", "p", {"a": "1"}, (1, float("inf"))),
        ("a = q if p > 2 else ceil(q)", "q", {"a": "1"}, (0, 1)),
    ],
)
def test_an_arm_of_a_choice_by_an_unknown_is_told_with_its_condition(relation, target, given, expected):
    library = bare("a p q", relation, domains=dict.fromkeys("apq", "real"))
    (answer,) = library.solve_all(target, **given)
    assert span(answer) == expected
    assert any("is assumed to apply" in str(assumption) for assumption in answer.assumptions)


def test_a_condition_on_what_has_no_value_is_not_fulfilled():
    domains = {**dict.fromkeys("jkxy", "real"), "z": "nonnegative"}
    library = bare("j k x y z", "k = z", {"equation": "j = y", "when": "max(z, x) > -0.8"}, domains=domains)
    with pytest.raises(NoSolutionError):
        library.solve("y", k="-1.77", j="2")


def test_two_arms_of_one_choice_never_apply_together():
    relations = (
        "y = (y if 2*x <= 1 else x) + (x - x)",
        "x + k = (x + y) if 0 <= -3.8 else (x if y - y <= 0 else 1.1)",
        {"equation": "x = (y + x) - (x + y)", "when": "x > 1"},
        {"equation": "x = y", "when": "x <= 1"},
    )
    library = bare("k x y", *relations, domains={"k": "real", "x": "positive", "y": "real"})
    with pytest.raises(DeriveError):
        library.solve_all("x", k="1.35")


def expression(draw: random.Random, depth: int) -> str:
    if depth == 0 or draw.random() < 0.2:
        return draw.choice(["a", "p", "q", "x", "1", "-0.8", "2.5"])
    left, right = expression(draw, depth - 1), expression(draw, depth - 1)
    form = draw.choice(["{} + {}", "{} - {}", "min({}, {})", "max({}, {})", "ceil({})", "({} if {} < {} else {})"])
    return f"({form.format(left, right, draw.choice('apqx'), expression(draw, depth - 1))})"


@every("seed", range(600), ordinary=30, thorough=12)
def test_whatever_is_asked_of_nested_choices_is_answered_or_refused_in_words(seed):
    draw = random.Random(f"choices {seed}")
    condition = f"{expression(draw, 1)} > {draw.choice(['-0.8', '1', 'q'])}"
    relations = (f"a = {expression(draw, 3)}", {"equation": f"x = {expression(draw, 2)}", "when": condition})
    domains = {name: draw.choice(["real", "positive", "-5..3"]) for name in "apqx"}
    target, *others = draw.sample("apqx", 3)
    with suppress(DeriveError), derive.limits(seconds=2):
        library = bare("a p q x", *relations, domains=domains)
        library.reach(others)
        library.solve_all(target, **{name: str(draw.choice([-1.77, 0.5, 1, 2])) for name in others})
