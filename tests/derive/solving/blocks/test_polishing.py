"""Where equations seem to hold in doubles and have no root, no root is claimed; roots are told to the last digit."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from derive import LimitError, NoSolutionError, UnderdeterminedError
from derive.expressions.grammar import parse_equation
from derive.solving.blocks.polishing import leads_elsewhere
from derive.solving.blocks.system import System
from quantities.domain import Domain
from tests.derive.statements import bare
from tests.ordinary import every

REAL = Domain("real", -math.inf, math.inf)
NEAR_ZERO = ("x*cosh(y) = x", "y*cosh(x) = y")  # which hold at zero alone
FAR = ("y = x + 1", "y*y = x*x + x")  # which hold at x = -1 alone


@pytest.mark.parametrize(
    ("texts", "point", "expected"),
    [
        (NEAR_ZERO, {"x": 1e-5, "y": 1e-5}, True),
        (NEAR_ZERO, {"x": 2e-5, "y": 7e-6}, True),
        (NEAR_ZERO, {"x": 0.0, "y": 0.0}, False),
        (FAR, {"x": 1e12, "y": 1e12 + 1}, True),
        (FAR, {"x": -1e11, "y": 1 - 1e11}, True),
        (FAR, {"x": -1.0, "y": 0.0}, False),
    ],
)
def test_a_point_at_which_equations_only_seem_to_hold_leads_elsewhere(texts, point, expected):
    system = System(tuple(map(parse_equation, texts)), ("x", "y"), {}, dict.fromkeys("xy", REAL))
    assert system.holds(point)
    assert leads_elsewhere(point, system) is expected


@pytest.mark.parametrize("seed", [9, 43, 71, 97])
def test_rounding_in_several_digits_keeps_no_solution_from_being_a_short_decimal(seed):
    expect_the_planted_decimal(seed)


@every("seed", range(120), ordinary=20)
def test_a_solution_of_short_decimals_is_found_to_the_last_digit(seed):
    expect_the_planted_decimal(seed)


def expect_the_planted_decimal(seed):
    draw = random.Random(f"decimals {seed}")
    planted = {name: Fraction(draw.randint(-20, 20), 10) for name in "xyz"}
    relations = []
    for _ in planted:
        terms = [(draw.choice((1, 2, -1, 3)), draw.choices("xyz", k=draw.choice((1, 2)))) for _ in range(3)]
        constant = sum(factor * math.prod(planted[name] for name in names) for factor, names in terms)
        relations.append(
            " + ".join(f"({factor})*{'*'.join(names)}" for factor, names in terms) + f" = {float(constant)}"
        )
    library = bare("x y z", *relations, domains=dict.fromkeys("xyz", "-2..2"))
    try:
        found = [answer.base for answer in library.solve_all("x")]
    except (LimitError, UnderdeterminedError):  # it may lie on a curve
        return
    near = [x for x in found if x is not None and abs(x - float(planted["x"])) < 1e-9]
    assert near == [float(planted["x"])] or (None in found and not near)


AT_ZERO = ("0.64 - y**2 = x*z", "3*y*z - x*z = 2*x**2 - 2", "2*x*z + 0.5*y*z = 1 - x**2")


def test_noise_brings_no_zero_into_a_domain_of_positive_numbers():
    library = bare("x y z", *AT_ZERO, domains={"x": "-2..2", "y": "real", "z": "positive"})
    for target in "xyz":
        with pytest.raises(NoSolutionError):
            library.solve_all(target)


@pytest.mark.parametrize(
    "domains", [{"x": "real", "y": "real"}, {"x": "-2..2", "y": "0..1e16"}], ids=["real", "bounded"]
)
def test_a_small_root_beside_a_large_number_is_no_zero(domains):
    library = bare("x y", "x**3 - 2*x = 3*(y - 1e15)", "y - 1e15 = x**3 - 2*x", domains=domains)
    assert [answer.base for answer in library.solve_all("x")] == pytest.approx([-math.sqrt(2), 0, math.sqrt(2)])


def test_zeros_of_two_solutions_are_one_number():
    library = bare("x y z", *AT_ZERO, domains={"x": "-2..2", "y": "real", "z": "real"})
    assert [answer.base for answer in library.solve_all("z")] == [0]
    assert [answer.base for answer in library.solve_all("y")] == [-0.8, 0.8]
