"""A value of a profile is weak: where a free range leads to its quantity, limits are on what follows from the range."""

from __future__ import annotations

import random

import pytest

from derive import DeriveError
from tests.derive.statements import bare, number
from tests.ordinary import every

TIES = ["w = k", "w = 2*k", "w = k + 1", "k = 3 - w", "k*w = 6", "abs(w - k) = 1", "w = max(k, 1)"]


def best(library, sense, *profiles):
    try:
        return number(getattr(library, sense)("t", *profiles, w="0.5..6").answer)
    except DeriveError as refusal:
        return type(refusal)


@every("seed", range(120), ordinary=12, thorough=4)
def test_a_value_of_a_profile_stands_in_no_limit_where_the_range_leads_to_another(seed):
    draw = random.Random(f"profiles beside ranges {seed}")
    tie = draw.choice(TIES)
    goal = draw.choice(["t = w", "t = 2*w", "t = (w - 2)**2"])
    limit = f"k {draw.choice(['<=', '>='])} {draw.choice([-9, 1, 1.5, 2, 3])}"
    names, domains = "k t w", {"k": draw.choice(["real", "1..3"]), "t": "real", "w": "real"}
    stated = bare(names, tie, goal, limit, domains=domains, profiles={"stated": {"k": "2.5"}})
    sense = draw.choice(["least", "most"])
    expected = best(bare(names, tie, goal, limit, domains=domains), sense)
    assert best(stated, sense, "stated") == (expected if isinstance(expected, type) else pytest.approx(expected))


def test_a_front_has_its_ends_where_the_range_leads_to_them():
    domains = dict.fromkeys("ktw", "real")
    library = bare("k t w", "w = k", "t = w", "k <= 2", domains=domains, profiles={"stated": {"k": "2.5"}})
    points = library.front(["most t", "least w"], "stated", w="0..6").points
    assert max(number(point.answers[0]) for point in points) == pytest.approx(2)


def test_a_best_choice_by_profiles_takes_the_value_that_its_answer_takes():
    """A relation of another case would lead to y as well."""
    relations = (
        {"equation": "s = x + 2", "when": "b < 0.5"},
        {"equation": "s = x - 4*y", "when": "b >= 0.5"},
        "s <= 3*y",
    )
    profiles = {"p": {"b": "5", "y": "1"}, "q": {"b": "8", "y": "6"}}
    library = bare("x y b s", *relations, profiles=profiles)
    for x in (["5", "6"], "5..6"):
        best = library.least("s", ("p", "q"), x=x)
        assert best.value.magnitude == 1
        assert best.at["x"].magnitude == 5
