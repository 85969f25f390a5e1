"""Which of two expressions is larger: beside rationals of Python and numbers of mpmath in a thousand digits."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction

import mpmath
import pytest

from derive.expressions.grammar import parse_expression
from derive.numerics.algebra.evaluation import chosen_arm
from derive.numerics.algebra.exact_values import Order, order
from quantities.rational import Rational, written
from tests.ordinary import every


def compared(left: str, right: str, values: dict[str, float]) -> Order:
    return order(parse_expression(left), parse_expression(right), values, chosen_arm)


def expression(draw: random.Random, depth: int) -> str:
    """A random expression of a, b and c, as Python reads it too."""
    if depth == 0:
        return draw.choice(("a", "b", "c", "Fraction('2')", "Fraction('0.3')"))
    one, other = expression(draw, depth - 1), expression(draw, draw.randrange(depth))
    return draw.choice(
        (
            f"({one} + {other})",
            f"({one} - {other})",
            f"({one}*{other})",
            f"({one}/{other})",
            f"({one})**2",
            f"abs({one})",
            f"max({one}, {other})",
            f"floor({one})",
            f"({one} if {other} > 1 else {other})",
        )
    )


@every("seed", range(400), ordinary=40, thorough=28)
def test_rational_expressions_compare_as_fractions_do(seed: int) -> None:
    draw = random.Random(f"predicates {seed}")
    for _ in range(25):
        digits = draw.choice((2, 9, 17, 30))
        numbers = {name: Fraction(draw.randint(1, 10**digits), 10 ** draw.randint(0, digits)) for name in "abc"}
        if draw.random() < 0.5:
            numbers["b"] = numbers["a"] + Fraction(draw.choice((-1, 0, 1)), 10 ** draw.randint(1, 40))
        left = expression(draw, 3)
        beside = draw.choice(("", "", f" + 1/10**{draw.randint(1, 40)}"))
        right = draw.choice((f"{left}{beside}", f"({left} + a) - b{beside}", expression(draw, 2)))
        space = {"Fraction": Fraction, "floor": lambda x: Fraction(math.floor(x)), **numbers}
        try:
            one, other = (Fraction(eval(text.replace("10**", "Fraction(10)**"), space)) for text in (left, right))
        except ZeroDivisionError:
            continue
        values = {name: Rational(number) for name, number in numbers.items()}
        sides = [re.sub(r"Fraction\('(.*?)'\)", r"\1", text) for text in (left, right)]
        assert compared(*sides, values) is Order.of(one - other), (sides, numbers)


IDENTITIES = (
    ("exp(a + b)", "exp(a)*exp(b)"),
    ("log(a*b)", "log(a) + log(b)"),
    ("sqrt(a)*sqrt(b)", "sqrt(a*b)"),
    ("sin(a + b)", "sin(a)*cos(b) + cos(a)*sin(b)"),
    ("a**b*a**b", "a**(2*b)"),
    ("tanh(a)", "1 - 2/(exp(2*a) + 1)"),
)


@pytest.mark.parametrize(("left", "right"), IDENTITIES)
@pytest.mark.parametrize("places", [4, 12, 18, 60, 140])
def test_what_is_equal_is_told_from_what_differs_by_little(left: str, right: str, places: int) -> None:
    draw = random.Random(f"{left} {places}")
    for _ in range(10):
        numbers = {name: Fraction(draw.randint(1, 4000), 1000) for name in "ab"}
        step = draw.choice((-1, 0, 1)) * Fraction(1, 10**places)
        values = {**{name: Rational(number) for name, number in numbers.items()}, "step": Rational(step)}
        assert compared(left, f"{right} + step", values) is Order.of(-step), (numbers, step)


def test_numbers_that_doubles_tell_apart_only_by_their_rounding_are_told_apart_by_their_digits() -> None:
    draw = random.Random("cancelling")
    for _ in range(200):
        numbers = {name: Fraction(draw.randint(1, 10**12), 10**3) for name in "ab"}
        values = {name: Rational(number) for name, number in numbers.items()}
        square = numbers["a"] ** 2 - numbers["b"] ** 2
        with mpmath.workdps(200):
            root = mpmath.sqrt(mpmath.mpf(numbers["a"].numerator) / numbers["a"].denominator)
            text = mpmath.nstr(root, 25)
            above = mpmath.mpf(text) > root
        beside = square + draw.choice((-1, 0, 1)) * Fraction(1, 10**8)
        assert compared("a*a - b*b", "c", {**values, "c": Rational(beside)}) is Order.of(square - beside)
        assert compared("sqrt(a)", text, values) is (Order.LESS if above else Order.GREATER)


def test_computed_numbers_are_told_apart_beyond_their_rounding_alone() -> None:
    computed = 0.1 + 0.2
    for size in (1e-30, 1.0, 1e30):
        assert compared("x", "y", {"x": computed * size, "y": written(0.3) * size}) is Order.UNDECIDED
        assert compared("x - y", "0", {"x": computed * size, "y": 0.3 * size}) is Order.UNDECIDED
        assert compared("x", "y", {"x": computed * size * (1 + 1e-12), "y": 0.3 * size}) is Order.GREATER
        assert compared("sqrt(x) + z", "sqrt(y) + z", {"x": 1.001 * size, "y": size, "z": 1.0 * size}) in (
            Order.GREATER,
            Order.UNDECIDED,
        )


@pytest.mark.parametrize(("left", "right"), [("log(-a)", "1"), ("1/(a - a)", "1"), ("1 if a > 5 else 1/(a - a)", "2")])
def test_what_has_no_value_is_undefined(left: str, right: str) -> None:
    assert compared(left, right, {"a": written(2.0)}) is Order.UNDEFINED
