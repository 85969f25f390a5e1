"""Two polynomials with exact numbers have the common zeros that were planted in them, and no others."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest
import sympy

from derive.expressions.grammar import parse_equation
from derive.numerics.algebra.polynomials import common_zeros
from quantities.rational import written
from tests.derive.planted_solutions import planted_pair

X, Y = sympy.symbols("x y")


def zeros_of(*texts: str, **known: float) -> tuple[tuple[float, float], ...] | None:
    return common_zeros([parse_equation(text) for text in texts], ["x", "y"], known)


@pytest.mark.parametrize("seed", range(60))
def test_curves_that_are_products_of_lines_meet_where_two_of_the_lines_do(seed):
    draw = random.Random(f"lines {seed}")
    first, second = (
        [tuple(draw.randint(-6, 6) for _ in range(3)) for _ in range(draw.randint(1, 3))] for _ in range(2)
    )
    crossings, is_finite = set(), True
    for (a, b, c), (d, e, f) in product(first, second):  # a*x + b*y = c and d*x + e*y = f
        if a * e != b * d:
            crossings.add((Fraction(c * e - b * f, a * e - b * d), Fraction(a * f - c * d, a * e - b * d)))
        elif (a, b) == (0, 0) or (d, e) == (0, 0) or (a * f == c * d and b * f == c * e):
            is_finite = False  # no line, or the same one
    texts = [f"{sympy.expand(sympy.prod([a * X + b * Y - c for a, b, c in lines]))} = 0" for lines in (first, second)]
    zeros = zeros_of(*texts)
    if is_finite:
        assert zeros == tuple(sorted((float(x), float(y)) for x, y in crossings))


@pytest.mark.parametrize("seed", [414003316, 420004390, 420005134, 420006052, *range(60)])
def test_a_multiple_zero_is_one_and_exact(seed):
    planted = planted_pair(seed)
    zeros = zeros_of(*planted.texts)
    inside = [zero for zero in zeros if all(abs(x) <= float(planted.domain.rpartition(".")[2]) for x in zero)]
    assert inside == sorted({(solution["x"], solution["y"]) for solution in planted.solutions})


def test_a_zero_that_is_not_real_is_none():
    assert zeros_of("x**2 + y**2 = 1", "x + y = 3") == ()
    assert zeros_of("x**2 = y", "y**2 = x") == ((0.0, 0.0), (1.0, 1.0))  # of four


def test_parallel_curves_have_no_common_zero():
    assert zeros_of("y - x = 1", "y - x = 2") == ()
    assert zeros_of("x*y = 1", "x*y = 2") == ()


def test_typed_decimals_are_exact_and_computed_doubles_are_left_to_other_methods():
    pair = "x**2 + y = a", "y = b*x + c"  # they touch where x is b/2
    touching = {"a": written(0.35), "b": written(-0.2), "c": written(0.36)}
    assert zeros_of(*pair, **touching) == ((0.1, 0.34),)
    assert zeros_of(*pair, **touching | {"a": 0.1 + 0.25}) is None


def test_where_a_divisor_vanishes_nothing_is_told():
    assert zeros_of("x/y = 2", "x*y = 8") == ((-4.0, -2.0), (4.0, 2.0))
    assert zeros_of("x/y = 2", "x*(y - 1) = y") is None  # (0, 0) is no solution
    assert zeros_of("(x**2 - 1)/(x - 1) = y", "x*y = 2") is None  # x = 1 is no solution


@pytest.mark.parametrize("pair", [("x*y = x", "x*y = 2*x"), ("x**2 = y**2", "x + y = 0"), ("x = sin(y)", "x = y")])
def test_a_common_curve_and_what_is_no_polynomial_are_left_to_other_methods(pair):
    assert zeros_of(*pair) is None
