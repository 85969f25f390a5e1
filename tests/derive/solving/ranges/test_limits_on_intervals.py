"""Limits cut the intervals that roundings, arms and zero factors leave an unknown.

The oracle tries the numbers of a fine grid in the relations, in fractions.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import derive
from tests.derive.statements import bare, span
from tests.ordinary import every

FORMS = {
    "floor(x)": math.floor,
    "ceil(x/2)": lambda x: math.ceil(x / 2),
    "max(0, floor(x))": lambda x: max(0, math.floor(x)),
    "max(x, 2)": lambda x: max(x, 2),
    "min(x, 1) + min(x, 3)": lambda x: min(x, 1) + min(x, 3),
    "abs(x - 1) + abs(x + 1)": lambda x: abs(x - 1) + abs(x + 1),
    "0*x": lambda x: 0,
    "floor(x)*0": lambda x: 0,
    "x/abs(x)": lambda x: x / abs(x) if x else None,
}
LIMITS = {
    "x <= {k}": lambda x, k: x <= k,
    "2*x >= {k}": lambda x, k: 2 * x >= k,
    "z <= {k}": lambda x, k: 3 - x <= k,
    "z*x >= {k}": lambda x, k: (3 - x) * x >= k,
    "abs(x) >= {k}": lambda x, k: abs(x) >= k,
}
GRID = [Fraction(i, 16) for i in range(-4 * 16, 6 * 16 + 1)]
LAW = "z = 3 - x"


@every("seed", range(400), ordinary=8)
def test_limits_leave_of_an_interval_what_a_grid_shows(seed: int) -> None:
    draw = random.Random(f"limits on intervals {seed}")
    form = draw.choice([*FORMS])
    y = FORMS[form](draw.choice([x for x in GRID if FORMS[form](x) is not None]))
    limits = [(draw.choice([*LIMITS]), Fraction(draw.randint(-6, 10), 2)) for _ in range(draw.choice((1, 1, 2)))]
    relations = [f"y = {form}", LAW, *(text.format(k=float(k)) for text, k in limits)]
    asked = bare("x y z", *relations, domains={"x": "-4..6", "y": "real", "z": "real"})

    def fits(x: Fraction) -> bool:
        return FORMS[form](x) == y and all(LIMITS[text](x, k) for text, k in limits)

    fitting = [x for x in GRID if fits(x)]
    try:
        answers = asked.solve_all("x", y=float(y))
    except (derive.InconsistentError, derive.NoSolutionError):
        assert not fitting, (relations, y, fitting)
        return
    except derive.UnderdeterminedError:  # limits in several pieces that reach from end to end
        assert fitting
        assert (fitting[0], fitting[-1]) == (GRID[0], GRID[-1]), (relations, y)
        return
    spans = [(answer.base,) * 2 if answer.base is not None else span(answer) for answer in answers]
    for x in fitting:
        assert any(low - 1e-9 <= x <= high + 1e-9 for low, high in spans), (relations, y, float(x), spans)
    for x in GRID:
        is_inside = any(low + 1 / 8 < x < high - 1 / 8 for low, high in spans)
        beside = (x, x - Fraction(1, 16), x + Fraction(1, 16))
        assert not is_inside or any(map(fits, beside)), (relations, y, float(x), spans)
    if not fitting:  # a number between those of the grid
        assert all(low == high for low, high in spans), (relations, y, spans)


def asked(*relations: str, **more: object) -> derive.Library:
    return bare("x y w", *relations, domains={"x": "-4..6", "y": "real", "w": "real"}, **more)


def test_a_limit_contradicts_no_interval_that_rests_on_a_value_of_a_profile():
    (answer,) = asked("y = floor(x)", "x <= 1", profiles={"p": {"y": "2"}}).solve_all("x", "p")
    assert answer.bounds == (2, 3)


def test_a_limit_that_a_value_of_a_profile_completes_contradicts_nothing():
    (answer,) = asked("y = max(0, floor(x))", "x <= w", profiles={"p": {"w": "-5"}}).solve_all("x", "p", y=0)
    assert answer.bounds == (-4, 1)


def test_a_limit_that_leaves_nothing_in_the_middle_of_a_range_may_leave_something_elsewhere():
    (answer,) = asked("y = floor(x)*w/w", "x <= 1.5").solve_all("x", y="1..3", w=2)
    assert answer.low.magnitude <= 1.2 <= answer.high.magnitude


@pytest.mark.parametrize(
    ("relations", "y"),
    [
        (["y = floor(x)", "x >= 3"], 2),  # an end at which the relation itself does not hold
        (["y = ceil(x)", "x <= 1"], 2),
        (["y = max(0, floor(x))", "x >= 0.5", "x <= 0.5", "x*x >= 0.3"], 0),
    ],
)
def test_a_single_number_that_limits_leave_meets_all_relations(relations, y):
    with pytest.raises(derive.InconsistentError):
        asked(*relations).solve_all("x", y=y)


def test_limits_that_hold_only_at_the_excluded_end_of_a_domain_hold_nowhere():
    (answer,) = bare("t a", "t = 2 - a*a", "t <= 0", domains={"a": "real"}).solve_all("t", a="1..3")
    assert any("nowhere in it do all limits hold" in note for note in answer.assumptions)


def test_a_limit_that_a_quantity_keeps_nowhere_in_its_domain_is_a_contradiction_over_ranges():
    beside = bare("t a q", "q = -2*a", "t = a", "q <= -3", domains={"a": "real", "t": "real", "q": "-2..6"})
    with pytest.raises(derive.InconsistentError):
        beside.solve_all("t", a="0..3")


def test_a_limit_tried_between_whole_numbers_leaves_no_value_alone():
    stepped = bare(
        "a b c d e",
        "c = min(b, a)",
        {"equation": "e >= 0*c", "when": ["c <= 2"]},
        "e = c*d",
        {"equation": "d = ceil(c/2)", "when": ["b > 1"]},
        domains={"a": "real", "b": "2..3", "c": "real", "d": "0..6", "e": "nonnegative"},
    )
    with pytest.raises(derive.UnderdeterminedError):  # d is 1, since b is more than a; that it is 0 would be wrong
        stepped.solve_all("d", a=1)
