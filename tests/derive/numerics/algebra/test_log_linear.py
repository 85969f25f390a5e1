"""Systems of products, solved in logarithms: the numbers they were made from come out again."""

from __future__ import annotations

import math

import pytest

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.log_linear import product_solutions
from quantities.domain import Domain

POSITIVE = Domain("positive", 0.0, math.inf, open_low=True)


def solved(*texts, unknowns, domain=POSITIVE, **known):
    return product_solutions([parse_equation(text) for text in texts], unknowns, known, dict.fromkeys(unknowns, domain))


def test_a_square_system_of_products_has_the_one_solution_that_made_it():
    x, y, z = 3.7, 0.02, 5e9
    found = solved(
        "x*y**2 = a*sqrt(z)", "x = b*z/y", "z**3*x = c/y", unknowns="xyz",
        a=x * y**2 / z**0.5, b=x * y / z, c=z**3 * x * y,
    )  # fmt: skip
    assert found[0] == [pytest.approx({"x": x, "y": y, "z": z}, rel=1e-12)]
    assert not found[1]


def test_products_that_say_the_same_are_singular_and_those_that_do_not_agree_contradict():
    assert solved("x = a*y", "a*y**2 = x*y", unknowns="xy", a=2.0)[1:] == (True, "the equations are dependent")
    assert solved("x = a*y", "b*y**2 = x*y", unknowns="xy", a=2.0, b=3.0)[1:] == (
        True,
        "the equations contradict each other",
    )


def test_what_is_no_product_of_positive_numbers_is_left_to_others():
    assert solved("x = a + y", "x = y**2", unknowns="xy", a=2.0) is None
    assert solved("x = a*y", "x = y**2", unknowns="xy", a=-2.0) is None
    assert solved("x = a*y", "x = y**2", unknowns="xy", a=2.0, domain=Domain("real", -math.inf, math.inf)) is None
