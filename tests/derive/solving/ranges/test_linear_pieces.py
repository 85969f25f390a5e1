"""What relations leave to a target exactly: its values, over ranges its intervals, and which of them are one answer."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

import derive
from derive import UnderdeterminedError
from tests.ordinary import every


def library(*relations: str, **domains: str) -> derive.Library:
    """Relations of quantities without a unit, which are real unless a domain is given."""
    quantities = "\n".join(f'{name} = {{ unit = "1", domain = "{domains.get(name, "real")}" }}' for name in "abxyz")
    stated = "\n".join(f"r{place} = {{ {relation} }}" for place, relation in enumerate(relations))
    return derive.load(f"[quantities]\n{quantities}\n[relations]\n{stated}")


def numbers(*, asked: str, of: derive.Library, **given: object) -> list[float | None]:
    return [answer.base for answer in of.solve_all(asked, **given)]


@every("seed", range(40), ordinary=8)
@pytest.mark.parametrize("power", [2, 3])
def test_a_part_that_is_not_linear_leaves_one_value_where_its_bounds_decide(power: int, seed: int) -> None:
    draw = random.Random(f"part {power} {seed}")
    low, high = sorted(Fraction(draw.randint(-20, 20), 10) for _ in range(2))
    if low == high:
        return
    most = max(low**power, high**power)
    a = most + Fraction(draw.randint(-5, 15), 10)
    made = library(f'equation = "y = max(a, x**{power})"', x=f"{float(low)}..{float(high)}")
    if a == most:
        return  # what encloses the power may reach beyond it
    if a > most:
        assert numbers(asked="y", of=made, a=float(a)) == [pytest.approx(float(a))]
        return
    with pytest.raises(UnderdeterminedError):
        made.solve("y", a=float(a))


def test_a_single_value_needs_a_solution_of_all_relations() -> None:
    one = library('equation = "y = max(a, x**2)"', 'equation = "z = x**2 + 3*y"', 'equation = "z = 0"', x="0..1")
    with pytest.raises(derive.DeriveError):  # 15 + x**2 is never zero
        one.solve("y", a=5)


@every("seed", range(40), ordinary=8)
def test_bounds_end_where_the_domain_of_another_quantity_ends(seed: int) -> None:
    draw = random.Random(f"domain {seed}")
    edge, top = Fraction(draw.randint(11, 29), 10), Fraction(draw.randint(40, 90), 10)
    made = library(
        'equation = "y = max(-0.5*x, 3*x)"',
        f'equation = "z = x + y", when = ["x > {float(edge)}"]',
        z="-5..-1",
    )
    spans = sorted(answer.bounds for answer in made.solve_all("x", y=f"3..{float(top)}"))
    expected = [(-2 * float(top), -6.0), (1.0, float(min(edge, top / 3)))]
    assert [pytest.approx(span) for span in expected] == spans


def test_one_value_at_each_point_is_one_answer_and_several_are_several() -> None:
    steps = library('equation = "y = x if x < 3 else 10*x"')
    (answer,) = steps.solve_all("y", x="2..3.5")
    assert answer.bounds == (2, 35)
    assert "bounds are exact: not every number between them is a value" in answer.assumptions
    folded = library('equation = "y = abs(x) if x < 3 else 10*x"')
    assert [one.bounds for one in folded.solve_all("x", y="1..2")] == [(-2, -1), (1, 2)]
    assert [one.bounds for one in folded.solve_all("x", y="0..2")] == [(-2, 2)]


def test_what_only_a_limit_leaves_over_a_range_is_explained_by_the_limit() -> None:
    """`z <= a + x` with z from 2.5 on."""
    (answer,) = library('equation = "z <= a + x"').solve_all("x", z="2.5..3.4", a=1)
    assert answer.bounds == (1.5, math.inf)
    assert [step.relation for step in answer.steps] == ["r0"]
    assert any("several values in the middle" in note for note in answer.assumptions)


def test_what_only_a_failing_condition_leaves_has_no_step() -> None:
    """Where x is less than 1, z = a + x contradicts the range of z."""
    (answer,) = library('equation = "z = a + x", when = ["x < 1"]').solve_all("x", z="3..4", a=1.5)
    assert answer.bounds == (1, math.inf)
    assert answer.steps == ()
    assert str(answer)
