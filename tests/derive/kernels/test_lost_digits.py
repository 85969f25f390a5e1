"""Compiled functions where doubles do not decide: double roots, quotients near whole numbers, cancellation, saturation.

What is right is computed with fractions, or known because the root was chosen first.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import mpmath
import numpy
import pytest

import derive
from tests.derive.statements import bare
from tests.ordinary import every

WAYS = ("python", "numpy", "numba")


def library(equation: str, names: str, domain: str = "real") -> Any:
    declared = "\n".join(f'{name} = {{ unit = "1", domain = "{domain}" }}' for name in names.split())
    return derive.load(f'[quantities]\n{declared}\n[relations.r]\nequation = "{equation}"\n')


def values(made: Any, target: str, ways: tuple[str, ...] = WAYS[1:2], **typed: Fraction) -> list[float]:
    """What functions of floats and of arrays and a sweep say at a point; machine code takes a second to make."""
    given = {name: float(number) for name, number in typed.items()}
    at_point = [float(made.compile(target, given=list(given), backend="python")(**given))]
    arrays = {name: numpy.array([number]) for name, number in given.items()}
    at_arrays = [float(made.compile(target, given=list(given), backend=way)(**arrays)[0]) for way in ways]
    table = made.sweep(target, **{name: [number] for name, number in given.items()}).to_pandas()
    return [*at_point, *at_arrays, float(table[target].iloc[0])]


def decimal(rng: random.Random, low: int, high: int, digits: int = 2) -> Fraction:
    return Fraction(rng.randint(low * 10**digits, high * 10**digits), 10**digits)


def text(number: Fraction) -> str:
    return f"({mpmath.nstr(mpmath.mpf(number.numerator) / number.denominator, 15)})"


@every("seed", range(400), ordinary=40)
def test_a_planted_double_root_of_a_quadratic_is_found(seed: int) -> None:
    rng = random.Random(seed)
    root, lead, level = decimal(rng, 1, 20, 1), rng.choice([-1, 1]) * decimal(rng, 1, 4, 1), decimal(rng, -20, 20)
    typed = level - lead * root**2 + decimal(rng, -9, 9)
    rest = level - typed
    form = f"y = {text(lead)}*x**2 + {text(-2 * lead * root)}*x + {text(lead * root**2 + typed - level + rest)}"
    for found in values(library(form, "x y"), "x", WAYS[1 : 2 + (seed == 0)], y=Fraction(0)):
        assert math.isclose(found, root, rel_tol=1e-9)


@every("seed", range(120), ordinary=40)
def test_a_double_root_beside_another_is_not_left_out(seed: int) -> None:
    """`a*x**2*(x - r)**2*(x - 2*r)` has three roots, and its compiled value is none of them."""
    rng = random.Random(seed)
    lead, root = decimal(rng, 1, 3, 1), decimal(rng, 2, 12, 1)
    coefficients = [lead, -4 * lead * root, 5 * lead * root**2, -2 * lead * root**3, Fraction(0), Fraction(0)]
    form = text(coefficients[0])
    for coefficient in coefficients[1:]:
        form = f"({form}*x + {text(coefficient)})"
    for found in values(library(f"y = {form}", "x y"), "x", y=Fraction(0)):
        assert math.isnan(found)


@every("seed", range(600), ordinary=24)
def test_what_is_near_a_whole_number_is_rounded_as_in_decimals(seed: int) -> None:
    rng = random.Random(seed)
    divisor, count = decimal(rng, 1, 9), rng.randint(1, 99)
    above = divisor * count + rng.choice([0, 0, 1, -1]) * Fraction(1, 10 ** rng.randint(10, 12))
    quotient = Fraction(repr(float(above))) / divisor
    rounding, right = rng.choice([("ceil", math.ceil(quotient)), ("floor", math.floor(quotient))])
    for found in values(library(f"n = {rounding}(y/a)", "n y a"), "n", WAYS[1 : 2 + (seed == 0)], y=above, a=divisor):
        assert found == right
    rest = Fraction(repr(float(above))) - divisor * math.floor(quotient)
    for found in values(library("n = y - a*floor(y/a)", "n y a"), "n", y=above, a=divisor):
        assert found == rest if rest == 0 else math.isclose(found, rest, rel_tol=1e-9)


@every("seed", range(400), ordinary=16)
def test_a_sum_that_cancels_is_what_it_is_in_decimals(seed: int) -> None:
    rng = random.Random(seed)
    a, b = decimal(rng, 1, 99), decimal(rng, 1, 99)
    c = a * b + rng.choice([0, 1, -1]) * Fraction(1, 10 ** rng.randint(4, 9))
    right = a * b - c
    for found in values(library("y = a*b - c", "y a b c"), "y", WAYS[1 : 2 + (seed == 0)], a=a, b=b, c=c):
        assert found == right or math.isclose(found, right, rel_tol=1e-9)
    root = values(library("y**2 = a*b - c", "y a b c", "nonnegative"), "y", a=a, b=b, c=c)
    for found in root:
        assert math.isnan(found) if right < 0 else math.isclose(found, math.sqrt(right), rel_tol=1e-9)


@every("seed", range(200), ordinary=50)
def test_a_share_near_its_limit_keeps_its_digits(seed: int) -> None:
    rng = random.Random(seed)
    most, half, level = decimal(rng, 1, 30), decimal(rng, 1, 9), decimal(rng, -9, 9)
    typed = Fraction(repr(float(most + level - Fraction(rng.randint(1, 999), 10 ** rng.randint(4, 12)))))
    made = library("y = A*x**2.7/(x**2.7 + k**2.7) + c", "x y A k c", "real")
    share = (typed - level) / most
    if not 0 < share < 1:
        return
    with mpmath.workdps(50):
        ratio = mpmath.mpf((share / (1 - share)).numerator) / (share / (1 - share)).denominator
        right = mpmath.mpf(half.numerator) / half.denominator * ratio ** (mpmath.mpf(10) / 27)
    for found in values(made, "x", y=typed, A=most, k=half, c=level):
        assert abs(found - right) <= 1e-9 * right


@every("seed", range(200), ordinary=10)
def test_at_its_limit_a_saturating_relation_has_no_value(seed: int) -> None:
    rng = random.Random(seed)
    most, scale = decimal(rng, 1, 20), decimal(rng, 1, 5, 1)
    for form, names, given in (
        ("y = a*(1 - exp(-x/k))", "x y a k", {"y": most, "a": most, "k": scale}),
        (f"y = {text(most)}*(1 - exp(-x/{text(scale)}))", "x y", {"y": most}),
    ):
        assert all(map(math.isnan, values(library(form, names), "x", **given)))


@pytest.mark.parametrize("way", WAYS)
def test_equal_whole_numbers_are_not_handed_to_the_solver(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """`1 - 1/racks` at one rack, and a batch that fills its blocks, are exact in doubles."""
    monkeypatch.setattr("derive.kernels.several_targets.Asking.solved", None)
    made = bare("y n a b", "y = 1 - a/b", "n = y + ceil(a/b)", domains={"y": "nonnegative"})
    given = {"a": 64.0, "b": 64.0} if way == "python" else {"a": numpy.array([64.0]), "b": numpy.array([64.0])}
    assert made.compile("n", given=["a", "b"], backend=way)(**given) == 1
