"""The values of a target over one range of what follows from it, piece by piece, against values of the same text."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from derive import NoSolutionError
from tests.derive.statements import bare, span
from tests.ordinary import every

REAL = {"x": "real", "y": "real"}
THREE = "y = max(1*(max(5.77, x)), ((abs(x)) if x < 4.5 else (min(4.53, 5.9))))"
JUMP = ({"equation": "y = x", "when": ["x < 3"]}, {"equation": "y = x + 2", "when": ["x >= 3"]})


@every(
    ("relations", "y", "pieces"),
    [
        (["y = abs(x)"], "-0.6..3.2", [(-3.2, 3.2)]),
        (["y = abs(x)"], "0.6..3.2", [(-3.2, -0.6), (0.6, 3.2)]),
        (["y = abs(x)"], "-1..0", [(0, 0)]),
        ([THREE], "5.5..9.6", [(-9.6, 9.6)]),
        (["y = x if x < 3 else x - 10"], "2..4", [(2, 3), (12, 14)]),
        (["y = 1/x"], "-1..4", [(-math.inf, -1), (0.25, math.inf)]),
        (["y = max(x, 3)"], "2..4", [(-math.inf, 4)]),
        (JUMP, "2..10", [(2, 8)]),
        (JUMP, "2..4", [(2, 3)]),
        (JUMP, "4..6", [(3, 4)]),
    ],
)
def test_each_interval_is_told_with_its_ends(relations, y, pieces):
    answers = bare("x y", *relations, domains=REAL).solve_all("x", y=y)
    assert [span(answer) for answer in answers] == pieces
    assert all(any("bounds are exact" in note for note in answer.assumptions) for answer in answers)


@pytest.mark.thorough
@every(("relations", "y"), [(["y = abs(x) - min(x, x)"], "-8..-1.9"), (JUMP, "3.2..4.9"), (["y = abs(x)"], "-2..-1")])
def test_a_range_that_nothing_leads_to_has_no_solution(relations, y):
    with pytest.raises(NoSolutionError):
        bare("x y", *relations, domains=REAL).solve_all("x", y=y)


def _form(rng: random.Random) -> str:
    a, b = (rng.choice((0.5, 1.3, 2.0, 3.1)) for _ in range(2))
    forms = (f"{a}*x + {b}", f"{b} - {a}*x", f"abs(x - {a})", f"max({a}*x, {b})", f"min(x, {b}) - {a}", f"{a}")
    return rng.choice((*forms, f"x**2 - {b}", f"{a}/(x - {b})"))


@pytest.mark.thorough
@every("seed", range(200), ordinary=10, thorough=28)
def test_a_number_lies_in_an_interval_just_if_it_leads_into_the_range(seed):
    """In cases whose conditions are on the target, or in one relation that chooses."""
    rng = random.Random(seed)
    cut = rng.choice((-1.0, 0.0, 1.5, 3.0))
    one, other = _form(rng), _form(rng)
    if rng.random() < 0.5:
        relations = [{"equation": f"y = {one}", "when": [f"x < {cut}"]}]
        relations.append({"equation": f"y = {other}", "when": [f"x >= {cut}"]})
    else:
        relations = [f"y = ({one}) if x < {cut} else ({other})"]
    low = rng.randint(-60, 60) / 10
    high = low + rng.randint(1, 60) / 10
    try:
        answers = bare("x y", *relations, domains=REAL).solve_all("x", y=f"{low}..{high}")
    except NoSolutionError:
        answers = ()
    spans = [span(answer) for answer in answers]
    for step in range(-1000, 1001):
        x = Fraction(step, 89)
        try:
            y = eval(one if x < Fraction(cut) else other, {"x": float(x), "abs": abs, "max": max, "min": min})
        except ZeroDivisionError:
            continue
        near = [end for end in (low, high) if math.isclose(y, end, abs_tol=1e-9)]
        near += [end for pair in spans for end in pair if math.isclose(x, end, abs_tol=1e-9)]
        is_met = low <= y <= high
        assert near or is_met == any(start <= x <= end for start, end in spans), (relations, low, high, spans, x)


@pytest.mark.parametrize(
    ("relation", "given", "reach"),
    [("y = abs(x)", "-1..3", 3), ("y = x**2 - 1", "-2..3", 2), ("y = abs(x) + max(x, -x, 1)", "-1..5", 2.5)],
)
def test_an_interval_with_several_values_in_the_middle_of_a_range_has_no_number(relation, given, reach):
    (answer,) = bare("x y", relation, domains={"x": "real", "y": "real"}).solve_all("x", y=given)
    assert answer.base is None
    assert span(answer) == pytest.approx((-reach, reach))


def test_exact_values_are_not_taken_from_one_relation_where_a_condition_asks_for_the_target():
    """Where z is two, x is two at least."""
    cases = [{"equation": "z = 1", "when": ["x < 2"]}, {"equation": "z = 2", "when": ["x >= 2"]}]
    system = bare("x y z", "y = x**2", *cases, domains={"x": "real", "y": "real"})
    spans = [span(answer) for answer in system.solve_all("x", y="1..9", z=2)]
    assert spans
    assert all(high >= 2 for _, high in spans)


BESIDE = (
    ("1/x", lambda x: 1 / x),
    ("x**2", lambda x: x * x),
    ("x - 0.5", lambda x: x - 0.5),
    ("exp(x)", math.exp),
    ("ceil(x)", math.ceil),
)


@every("seed", range(80), ordinary=8)
def test_bounds_are_only_called_reached_where_what_else_is_given_or_declared_lets_them(seed: int) -> None:
    """`y = x` is given as a range, and b of the same x as a range or by its domain alone."""
    draw = random.Random(f"reached {seed}")
    text, function = draw.choice(BESIDE)
    low, wide = draw.choice((-3, -2, 0.5, 1)), draw.choice((0.5, 1, 2))
    inside = low + wide * draw.uniform(0.2, 0.8)
    ends = (round(function(inside) - draw.uniform(0.05, 1), 2), round(function(inside) + draw.uniform(0.05, 1), 2))
    is_given, target = draw.choice((True, False)), draw.choice("xy")
    domains = {"x": "real", "y": "real", "b": "real" if is_given else f"{ends[0]}..{ends[1]}"}
    system = bare("x y b", "y = x", f"b = {text}", domains=domains)
    given = {"x" if target == "y" else "y": f"{low}..{low + wide}"} | (
        {"b": f"{ends[0]}..{ends[1]}"} if is_given else {}
    )
    for answer in system.solve_all(target, **given):
        if any(note.startswith(("bounds are exact", "bounds found by")) for note in answer.assumptions):
            points = [low + wide * step / 2000 for step in range(2001)]
            values = [x for x in points if x and ends[0] - 1e-9 <= function(x) <= ends[1] + 1e-9]
            assert span(answer) == pytest.approx((min(values), max(values)), abs=wide / 500)


def test_the_end_of_a_domain_that_a_value_jumps_over_is_not_called_reached() -> None:
    relation = "a = (x - 3)*x/abs((x - 3)*x)"
    (answer,) = bare("a x", relation, domains={"a": "positive", "x": "real"}).solve_all("a", x="1.5..5")
    assert answer.low.magnitude == 0
    assert not any(note.startswith(("bounds are exact", "bounds found by")) for note in answer.assumptions)


def test_the_bounds_of_rounded_numbers_are_the_least_and_the_greatest_of_them() -> None:
    (answer,) = bare("a x", "a = ceil(x - 3) + 0.25", domains={"a": "positive", "x": "real"}).solve_all("a", x="1.5..5")
    assert span(answer) == (0.25, 2.25)
    assert "bounds are exact: not every number between them is a value" in answer.assumptions
