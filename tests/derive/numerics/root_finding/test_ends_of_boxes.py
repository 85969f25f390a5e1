"""A root so close to the end of a box that rounding hides on which side it lies is found, whichever box has it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from derive.expressions.grammar import parse_equation
from derive.numerics.root_finding.residual import OneUnknown
from derive.numerics.root_finding.roots import roots_of
from quantities.domain import Domain
from tests.ordinary import every

FACTORS = ("exp(x)", "sqrt(x + 2)", "log(x + 5)", "(2 + sin(x))")  # without a zero where roots are sought


@pytest.mark.thorough
@every("seed", range(400), ordinary=20, thorough=36)
def test_a_root_beside_the_end_of_a_box_is_found(seed: int) -> None:
    assert_found(seed)


@pytest.mark.thorough
@every("seed", (483, 531, 542, 559, 649), ordinary=3)
def test_a_root_is_found_where_rounding_hides_it_from_both_boxes(seed: int) -> None:
    assert_found(seed)


def assert_found(seed: int) -> None:
    """Both roots of a random equation are found, one of which lies beside the place where its domain is cut first."""
    draw = random.Random(f"box {seed}")
    root = Fraction(draw.randint(33, 400), 128)
    other = root * (1 + Fraction(draw.choice((-1, 1)), 2 ** draw.randint(4, 9)))
    factor = draw.choice(FACTORS)
    level = 10 ** draw.randint(0, 4)  # of terms that cancel: the larger they are, the farther away rounding reaches
    product = f"{factor}*(x*x - ({root + other})*x + ({root * other}))"
    equation = parse_equation(f"{product} + {level}*cos(x)**2 = {level} - {level}*sin(x)**2")
    width = float(abs(other - root)) * draw.uniform(1.5, 3)
    beside = draw.choice((-1, 1)) * 10 ** draw.uniform(-12, -6)
    low, high = float(root) - width, float(root) + width + 2 * float(root) * beside  # first cut here, beside the root
    expected = sorted(float(x) for x in (root, other) if low <= x <= high)
    roots = roots_of(OneUnknown(equation, "x", {}, Domain("", low, high)))
    assert roots.values == pytest.approx(expected, rel=1e-9), (str(equation), low, high)
    assert roots.proved
