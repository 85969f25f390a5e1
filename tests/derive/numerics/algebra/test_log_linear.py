"""Systems of products, solved in logarithms: the numbers they were made from come out again."""

from __future__ import annotations

import math
import random

import pytest

from derive.errors import Cause
from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.linear import product_solutions
from quantities.domain import Domain
from tests.ordinary import every

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)


def solved(*texts, unknowns, domain=POSITIVE, **known):
    return product_solutions([parse_equation(text) for text in texts], unknowns, known, dict.fromkeys(unknowns, domain))


def test_a_square_system_of_products_has_the_one_solution_that_made_it():
    x, y, z = 3.7, 0.02, 5e9
    solution = solved(
        "x*y**2 = a*sqrt(z)", "x = b*z/y", "z**3*x = c/y", unknowns="xyz",
        a=x * y**2 / z**0.5, b=x * y / z, c=z**3 * x * y,
    )  # fmt: skip
    assert solution[0] == [pytest.approx({"x": x, "y": y, "z": z}, rel=1e-12)]
    assert not solution[1]


def test_products_that_say_the_same_are_singular_and_those_that_do_not_agree_contradict():
    assert solved("x = a*y", "a*y**2 = x*y", unknowns="xy", a=2.0)[1:3] == (True, "the equations are dependent")
    assert solved("x = a*y", "b*y**2 = x*y", unknowns="xy", a=2.0, b=3.0)[1:] == (
        True,
        "the equations contradict each other",
        Cause.CONTRADICTION,
    )


def test_what_is_no_product_of_positive_numbers_is_left_to_others():
    assert solved("x = a + y", "x = y**2", unknowns="xy", a=2.0) is None
    assert solved("x = a*y", "x = y**2", unknowns="xy", a=-2.0) is None
    assert solved("x = a*y", "x = y**2", unknowns="xy", a=2.0, domain=Domain("real", -math.inf, math.inf)) is None


@every("seed", range(40), ordinary=4)
def test_products_that_are_one_up_to_rounding_do_not_contradict_each_other(seed: int) -> None:
    """Decimals times the double next to their reciprocal, which is one only roughly."""
    draw = random.Random(f"ones {seed}")
    p, q = (draw.randint(1, 99) / 10 for _ in range(2))
    values, singular, why, _ = solved("u*w = p*q*r", "u**2*w**2 = (r*p*q)**3", unknowns="uw", p=p, q=q, r=1 / (p * q))
    assert (values, singular) == ([], True)
    assert "contradict" not in why
