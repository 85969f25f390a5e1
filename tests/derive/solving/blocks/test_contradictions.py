"""Equations that state one quantity twice, and differently in the tenth digit, have no solution and hold nowhere.

The decimals are exact, so no rounding excuses the difference; where they agree, the equations hold along a curve.
"""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

import pytest

import derive
from derive.errors import LimitError, NoSolutionError, UnderdeterminedError
from derive.time_limits import limits
from quantities.rational import is_printed
from tests.derive.statements import bare, span
from tests.ordinary import every

COMBINATIONS = ["x + y", "x*y", "x/y", "x**2 + y**2", "x + 2*y", "x*exp(y)", "sqrt(x) + sqrt(y)", "x + y**2", "x*y**3"]
STATEMENTS = {
    "({g}) - {b} = 0": lambda b: b,
    "{g} = {b}": lambda b: b,
    "3*({g}) = {b}": lambda b: 3 * b,
    "({g})**2 = {b}": lambda b: b**2,
    "1 + 2*({g}) = {b}": lambda b: 1 + 2 * b,
    "abs({g}) = {b}": abs,
    "({g})**2 + {g} = {b}": lambda b: b**2 + b,
    "max({g}, 0) = {b}": lambda b: b,
}
"""Texts of an equation for a positive combination, and what its right side has to be where the combination is b."""
RELATIVE = [Fraction(1, 10**digits) for digits in (8, 9, 10, 11, 12)]


def in_decimals(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


def stated_twice(draw: random.Random, gap: Fraction) -> list[str]:
    """Two equations for one combination of x and y, the second of which is off by a gap."""
    combination = draw.choice(COMBINATIONS)
    while True:
        number = Fraction(draw.randint(101, 999), 100)
        (first, of_first), (second, of_second) = draw.sample(sorted(STATEMENTS.items()), 2)
        right = of_second(number) * (1 + draw.choice((-1, 1)) * gap)
        if not is_printed(right):  # else it counts as a double that was computed, and is rounded
            break
    equations = [
        first.format(g=combination, b=in_decimals(of_first(number))),
        second.format(g=combination, b=in_decimals(right)),
    ]
    draw.shuffle(equations)
    return equations


def answers(equations: list[str], target: str) -> list[derive.Answer]:
    with limits(seconds=10):
        return bare("x y", *equations, domains=dict.fromkeys("xy", "positive")).solve_all(target)


@every("seed", range(300), ordinary=150, thorough=160)
def test_what_is_stated_twice_and_differently_has_no_solution_and_holds_along_no_curve(seed):
    draw = random.Random(f"different {seed}")
    equations = stated_twice(draw, draw.choice(RELATIVE))
    with pytest.raises((NoSolutionError, LimitError)):
        answers(equations, draw.choice("xy"))


@every("seed", range(150), ordinary=15, thorough=36)
def test_what_is_stated_twice_alike_holds_along_a_curve(seed):
    draw = random.Random(f"alike {seed}")
    equations = stated_twice(draw, Fraction(0))
    try:
        found = answers(equations, draw.choice("xy"))
    except (UnderdeterminedError, LimitError):
        return
    assert all(answer.base is None for answer in found)  # intervals, of which `max` leaves the other arm


@pytest.mark.thorough
@every("digits", range(101, 999, 90), ordinary=10, thorough=12)
def test_a_curve_in_one_arm_is_a_curve_though_a_search_sees_parts_of_it(digits):
    """The pieces of it that the search proves are short, and between them it sees points."""
    height = Fraction(digits, 100)
    equations = [
        f"max(sqrt(x) + sqrt(y), 0) = {in_decimals(height)}",
        f"(sqrt(x) + sqrt(y))**2 = {in_decimals(height**2)}",
    ]
    with pytest.raises(UnderdeterminedError, match="hold along a whole curve"):
        answers(equations, "x")


BY_EACH_METHOD = [
    ("x + y = 1", "2*x + 2*y = 2.0000000001"),  # in fractions
    ("x*y = 9.86", "(x*y)**2 = 97.2196000000972196"),  # by logarithms
    ("x**2 + y = 2", "3*x**2 + 3*y = 6.0000000001"),  # as combinations of monomials
    pytest.param(("x + sin(y)**2 = 2", "cos(y)**2 - x = -1.0000000001"), marks=pytest.mark.thorough),
    ("sqrt(x) + sqrt(y) = 1", "x + y = 1.0000000001"),  # by tearing
]


@pytest.mark.parametrize("pair", BY_EACH_METHOD, ids=str)
def test_a_contradiction_in_the_tenth_digit_is_proved_by_each_closed_method(pair):
    for stated in (list(pair), list(pair[::-1])):
        with pytest.raises(NoSolutionError):
            answers(stated, "x")


NEARLY_ALONG_A_CURVE = [
    ("sqrt(x + y) = 3", "x + y = 9.0000000001"),
    ("x - y = 3", "abs(x - y) = 3.00000000003"),
    ("x*y = 1.0000000001", "log(x) + log(y) = 0"),
    pytest.param(("x**2 + y**2 = 5", "exp(x**2)*exp(y**2) = exp(5.0000000001)"), marks=pytest.mark.thorough),
    ("max(x + y, 1) = 2", "2*x + 2*y = 4.0000000001"),
]


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize("pair", NEARLY_ALONG_A_CURVE, ids=str)
def test_what_nearly_holds_along_a_curve_does_not_hold_along_it(pair):
    for stated in (list(pair), list(pair[::-1])):
        with pytest.raises((NoSolutionError, LimitError)):
            answers(stated, "x")


PAIRS = [
    ("x**2 + y**2 = 2", "x + y = 2{gap}"),
    ("sqrt(x) + sqrt(y) = 1", "x + y = 1{gap}"),
    ("max(x, y) = 2", "x + y = 4{gap}"),
    ("abs(x) + abs(y) = 1", "x**2 + y**2 = 1{gap}"),
    ("x*y = 4{gap}", "x + y = 4"),
    ("exp(x) + exp(y) = 2*exp(1)", "x + y = 2{gap}"),
]
"""Curves of which the second touches the first from outside, and leaves it once the gap is added."""


@every("gap", [f".{'0' * digits}{draw}" for digits in (8, 9, 10, 11) for draw in (1, 3)], ordinary=16, thorough=8)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_curves_that_just_fail_to_touch_have_no_common_point(pair, gap):
    equations = [text.format(gap=gap) for text in pair]
    for stated in (equations, equations[::-1]):
        for target in "xy":
            with pytest.raises((NoSolutionError, LimitError)):
                answers(stated, target)


APPROACHED = [
    ("floor(x) = y", "x = y + 1"),
    ("ceil(x) = y", "y = x + 1"),
    pytest.param(("ceil(2*x) = y", "y = 2*x + 1"), marks=pytest.mark.long),  # which takes the longest by far
    ("ceil(x + y) = 3.0000000001", "ceil(x - y) = 1"),  # whole numbers alone, which nothing moves
]


@pytest.mark.thorough
@every("equations", APPROACHED, ordinary=8)
def test_a_number_that_rounding_only_approaches_is_no_solution(equations):
    """`ceil(x)` comes as close to x + 1 as one likes, above each whole number."""
    for target in "xy":
        with pytest.raises((NoSolutionError, LimitError)):
            answers([*equations], target)


@every("seed", range(60), ordinary=12, thorough=20)
def test_a_whole_number_at_which_rounding_holds_exactly_is_found(seed):
    draw = random.Random(f"whole {seed}")
    whole, factor = draw.randint(1, 30), draw.randint(2, 9)
    rounded = draw.choice(("ceil(x)", "floor(x)", "ceil(x/3)*3", "floor(x) + ceil(x) - x"))
    if "3" in rounded:
        whole *= 3
    pair = [f"y = {factor}*{rounded}", f"x*y + x = {factor * whole**2 + whole}"]
    found = answers(pair, "x")
    assert any(answer.base == pytest.approx(whole, rel=1e-12) for answer in found)


ZEROS = ["(x - {x})*({f}) = 0", "{f} - {g} = 0", "0 = ({f} - {g})*x", "({f})/{g} - 1 = 0", "log({f}) - log({g}) = 0"]
SECONDS = ["x - {x} = y - {y}", "x/{x} - y/{y} = 0", "{x}*y + x**2 - {twice} = 0"]
SUMS = {"x + y": (1, 1, 0), "x*y": (0, 0, 1), "2*x + 3*y": (2, 3, 0), "x + x*y": (1, 0, 1)}
"""Factors of x, y and x*y."""


@every("tenths", range(11, 60), ordinary=12, thorough=12)
def test_curves_of_exact_numbers_that_touch_meet_at_one_point(tenths):
    """The logarithm of the one's height is rounded, and undoing it must not split the double root."""
    x = Fraction(tenths, 10)
    height, total = in_decimals(x**3), in_decimals(3 * x**2 - 2)
    for curve in (f"log(x + x*y) = log({height})", f"log(x + x*y) - log({height}) = 0"):
        (found,) = answers([curve, f"2*y + x**2 = {total}"], "x")
        assert found.base == pytest.approx(tenths / 10, rel=1e-12)


@every("seed", range(200), ordinary=20, thorough=28)
def test_a_solution_is_found_where_a_side_is_zero_or_a_product_with_a_zero_factor(seed):
    """There the sides give no measure of a gap."""
    draw = random.Random(f"zero {seed}")
    x, y = draw.randint(1, 6), draw.randint(1, 6)
    text, (of_x, of_y, of_product) = draw.choice(sorted(SUMS.items()))
    height = of_x * x + of_y * y + of_product * x * y
    first = draw.choice(ZEROS).format(x=x, f=text, g=height)
    second = draw.choice(SECONDS).format(x=x, y=y, twice=x * y + x**2)
    found = answers(draw.sample([first, second], 2), "x")
    assert any(answer.base == pytest.approx(x, rel=1e-9) for answer in found)


@pytest.mark.parametrize(("domain", "bounds"), [("real", (-float("inf"), 2)), ("1..5", (1, 2))])
def test_an_arm_in_which_equations_contradict_each_other_leaves_no_doubt(domain, bounds):
    """Where y were the larger one in both, it would be 2 and 3."""
    arms = bare("a x y", "max(x, y) = a", "max(x, y - 1) = a", domains={"x": "real", "y": domain, "a": "real"})
    (answer,) = arms.solve_all("y", a=2)
    assert span(answer) == bounds
    assert not answer.assumptions
