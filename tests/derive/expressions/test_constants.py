"""Constants of which doubles lose digits are computed in many: in answers, formulas and compiled functions."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import mpmath
import pytest

import derive
from derive.expressions.grammar import parse_expression
from derive.expressions.tree import Apply, Node, Number, render
from derive.numerics.algebra.evaluation import value
from tests.derive.statements import bare, number

LOSING = {
    "exp(1e-40) - 1": 1e-40,
    "log(1 + 1e-40)": 1e-40,
    "cos(1e-40) - 1": -5e-81,
    "sqrt(1 + 1e-40) - 1": 5e-41,
    "log(exp(1e-40))": 1e-40,
    "exp(1e-10) - 1": math.expm1(1e-10),
    "1 - tanh(50)": 2 * math.exp(-100),
    "3*(pi - 3.141592653589793)": 7.15387930149838e-16,
}


@pytest.mark.parametrize("text", LOSING)
def test_a_constant_of_which_doubles_lose_digits_divides_as_the_number_that_it_is(text):
    """In doubles most of these are zero, and the relation was refused."""
    library = bare("x y", f"y = x/({text})", domains={"y": "real"})
    expected = 2 / LOSING[text]
    assert number(library.solve("y", x=2)) == pytest.approx(expected, rel=1e-7)
    assert library.compile("y", given=["x"])(x=2.0) == pytest.approx(number(library.solve("y", x=2)), rel=1e-14)
    formula = library.formula("y", given=["x"])
    assert float(formula.subs(dict.fromkeys(formula.free_symbols, 2)).evalf(60)) == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize(
    "text", ["log(9) - 2*log(3)", "sqrt(2)**2 - 2", "exp(log(2)) - 2", "exp(log(3)) - 3", "sin(pi)", "1.1 - 1 - 0.1"]
)
def test_a_constant_that_is_zero_is_no_divisor(text):
    """In doubles some of these are 4e-16."""
    with pytest.raises(derive.errors.ExpressionError, match="divides by zero"):
        bare("x y", f"y = x/({text})")


@pytest.mark.parametrize(
    "text", ["2*pi", "sqrt(2)/3", "log(10)", "exp(1) + 1", "log(1.1)", "1/3 - 0.3", "exp(1e-40) - 1"]
)
def test_constants_stay_as_they_are_written(text):
    assert render(parse_expression(text)) == text


@pytest.mark.parametrize("seed", range(40))
def test_random_constants_have_the_digits_of_many(seed):
    draw = random.Random(seed)
    tree = _constant(draw, 3)
    with mpmath.workdps(400):
        expected = _in_mpmath(tree)
        if expected is None or not 1e-200 < abs(expected) < 1e200:
            return
        assert value(parse_expression(render(tree)), {}) == pytest.approx(float(expected), rel=1e-9)


def _constant(draw: random.Random, depth: int) -> Node:
    if not depth or draw.random() < 0.2:
        return Number(Fraction(draw.choice(("1", "2", "3", "1e-9", "1e-20", "0.5", "1.1"))))
    op = draw.choice(("add", "add", "sub", "mul", "exp", "log", "sqrt", "cos", "atan"))
    if op == "sub":
        return Apply("add", (_constant(draw, depth - 1), Apply("neg", (_constant(draw, depth - 1),))))
    count = 2 if op in ("add", "mul") else 1
    return Apply(op, tuple(_constant(draw, depth - 1) for _ in range(count)))


def _in_mpmath(node: Node) -> mpmath.mpf | None:
    """The number of a constant in many digits; None if it has none, or an argument is zero but for these digits."""
    if isinstance(node, Number):
        return mpmath.mpf(node.value.numerator) / node.value.denominator
    assert isinstance(node, Apply)
    args = [_in_mpmath(arg) for arg in node.args]
    if any(arg is None or abs(arg) > 100 for arg in args):
        return None
    if node.op == "add":
        return args[0] + args[1]
    if node.op == "mul":
        return args[0] * args[1]
    if node.op == "neg":
        return -args[0]
    if node.op in ("log", "sqrt") and args[0] < 1e-100:
        return None
    return getattr(mpmath, node.op)(args[0])


@pytest.mark.parametrize("constant", ["exp(1e-10) - 1", "log(1 + 1e-40)", "1 - tanh(50)"])
def test_a_constant_cancels_with_all_its_digits(constant):
    """What is left beside x would be 1e-70, and x beyond 1e60, of a constant with sixty digits."""
    library = bare("x y", f"x*({constant}) - x*({constant}) + 2*x = y", domains=dict.fromkeys("xy", "real"))
    assert number(library.solve("x", y=4)) == 2
    apart = bare("x y", "x*(exp(1e-10) - 1) - x*exp(1e-10) + 3*x = y", domains=dict.fromkeys("xy", "real"))
    assert number(apart.solve("x", y=4)) == 2


@pytest.mark.parametrize("exponent", [2, 7, 7.5])
def test_a_power_of_a_constant_of_which_doubles_lose_digits_is_read(exponent):
    library = bare("x y", f"y = x*(exp(1e-10) - 1)**{exponent}", domains={"y": "real"})
    assert number(library.solve("y", x=1)) == pytest.approx(math.expm1(1e-10) ** exponent, rel=1e-12)
