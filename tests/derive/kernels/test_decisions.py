"""Compiled functions where the last digit decides: multiple roots, quotients near whole numbers, saturation.

What is right is computed with fractions and many digits, or known because the roots were chosen first.
"""

from __future__ import annotations

import math
import operator
import random
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import mpmath
import numpy
import pytest

import derive
from derive.kernels.backends.numba_source import is_at_hand
from tests.ordinary import every

ONE_POINT = ("numpy",)
ALL_WAYS = ("numpy", "numba") if is_at_hand() else ONE_POINT


def library(*equations: str, domain: str = "real", units: dict[str, str] | None = None) -> Any:
    """A library of these equations, whose names are single letters."""
    names = dict.fromkeys(re.findall(r"\b[A-Za-z]\b", " ".join(equations)))
    listed = [f'{name} = {{ unit = "{(units or {}).get(name, "1")}", domain = "{domain}" }}' for name in names]
    relations = [f'[relations.r{i}]\nequation = "{equation}"' for i, equation in enumerate(equations)]
    return derive.load("\n".join(["[quantities]", *listed, *relations, ""]))


def values(made: Any, target: str, ways: tuple[str, ...] = ONE_POINT, **typed: Fraction) -> list[float]:
    """What the functions of floats and of arrays say at a point, and what a sweep does."""
    given = {name: float(number) for name, number in typed.items()}
    found = [float(made.compile(target, given=[*given], backend="python")(**given))]
    arrays = {name: numpy.array([number]) for name, number in given.items()}
    found += [float(made.compile(target, given=[*given], backend=way)(**arrays)[0]) for way in ways]
    axes = {name: derive.units.Quantity([x], made.quantities[name].unit.text or "1") for name, x in given.items()}
    return [*found, float(made.sweep(target, **axes).columns[target].item())]


def decimal(draw: random.Random, low: int, high: int, digits: int = 2) -> Fraction:
    return Fraction(draw.randint(low * 10**digits, high * 10**digits), 10**digits)


def text(number: Fraction) -> str:
    return f"({mpmath.nstr(mpmath.mpf(number.numerator) / number.denominator, 15)})"


def beside(draw: random.Random, number: Fraction) -> Fraction:
    """A number, or one that differs from it in one of its last digits that a double holds."""
    digits = len(str(int(abs(number))))
    return number + draw.choice([0, 0, 1, -1, 2, -2, 10, -10, 1000]) * Fraction(1, 10 ** (15 - digits))


def of_roots(lead: Fraction, roots: Iterable[Fraction]) -> list[Fraction]:
    """The coefficients of the polynomial with these roots, the highest first."""
    found = [lead]
    for root in roots:
        found = [one - root * before for one, before in zip([*found, Fraction(0)], [Fraction(0), *found], strict=True)]
    return found


def in_horner(coefficients: list[Fraction]) -> str:
    form = text(coefficients[0])
    for coefficient in coefficients[1:]:
        form = f"({form}*x + {text(coefficient)})"
    return form


@pytest.mark.thorough
@every("seed", range(100), ordinary=16, thorough=36)
def test_a_quadratic_touches_or_misses_as_its_decimals_do(seed: int) -> None:
    draw = random.Random(seed)
    root, lead, level = decimal(draw, 1, 20, 1), draw.choice([-1, 1]) * decimal(draw, 1, 4, 1), decimal(draw, -20, 20)
    form = f"{text(lead)}*x**2 + {text(-2 * lead * root)}*x + {text(lead * root**2 + level)}"
    typed = beside(draw, level)
    height = (typed - level) / lead
    for found in values(library(f"y = {form}"), "x", ALL_WAYS[: 1 + (seed % 40 == 0)], y=typed):
        if height:
            assert math.isnan(found)  # two roots, or none
        else:
            assert math.isclose(found, root, rel_tol=1e-12)


@pytest.mark.thorough
@every("seed", range(100), ordinary=12, thorough=36)
def test_the_roots_beside_a_double_root_are_as_far_apart_as_decimals_say(seed: int) -> None:
    draw = random.Random(seed)
    root, lead = decimal(draw, 2, 20, 1), decimal(draw, 1, 4, 1)
    made = library("y = k*x**2 - b*x + c", domain="nonnegative")
    linear, constant = 2 * lead * root, lead * root**2
    typed = Fraction(draw.choice([0, 1, 3]), 10 ** draw.randint(9, 13))
    larger = root + mpmath.sqrt(mpmath.mpf(typed.numerator) / typed.denominator / lead.numerator * lead.denominator)
    above = library("y = k*x**2 - b*x + c", f"p = sqrt(x - {text(root)})", domain="nonnegative")
    for found in values(made, "x", y=typed, k=lead, b=linear, c=constant):
        assert math.isnan(found) if typed else math.isclose(found, root, rel_tol=1e-12)
    for found in values(above, "x", y=typed, k=lead, b=linear, c=constant):
        assert math.isnan(found) or math.isclose(found, larger, rel_tol=1e-9)


@pytest.mark.thorough
@every("seed", range(70), ordinary=8, thorough=36)
def test_no_multiple_root_is_left_out(seed: int) -> None:
    draw = random.Random(seed)
    lead, root = decimal(draw, 1, 3, 1), decimal(draw, 2, 12, 1)
    other = root + draw.choice([-1, 1]) * decimal(draw, 1, 9, 1)
    roots = draw.choice([[root, root, other], [0, 0, root, root, root], [root, root, other, other], [0, 0, root, root]])
    coefficients = of_roots(lead, [Fraction(one) for one in roots])
    if any(float(one) != float(text(one).strip("()")) for one in coefficients):
        return
    level = decimal(draw, -9, 9)
    coefficients[-1] += level
    for found in values(library(f"y = {in_horner(coefficients)}"), "x", y=level):
        assert math.isnan(found)  # there are two roots at least


def test_a_triple_root_beside_a_double_root_at_zero_is_not_left_out() -> None:
    coefficients = of_roots(Fraction(3, 10), [Fraction(0), Fraction(0), *[Fraction(108, 10)] * 3])
    assert all(map(math.isnan, values(library(f"y = {in_horner(coefficients)}"), "x", y=Fraction(0))))


@every("seed", range(40), ordinary=12, thorough=16)
def test_a_multiple_root_that_stands_alone_is_the_value(seed: int) -> None:
    draw = random.Random(seed)
    lead, root = decimal(draw, 1, 3, 1), decimal(draw, 2, 12, 1)
    coefficients = of_roots(lead, [root] * draw.choice([3, 4]))
    for found in values(library(f"y = {in_horner(coefficients)}"), "x", y=Fraction(0)):
        assert math.isnan(found) or math.isclose(found, root, rel_tol=1e-9)


@every("seed", range(200), ordinary=48, thorough=60)
def test_what_is_near_a_whole_number_is_rounded_as_decimals_are(seed: int) -> None:
    draw = random.Random(seed)
    divisor, count = decimal(draw, 1, 9), draw.randint(1, 99)
    typed = beside(draw, divisor * count)
    rounding, right = draw.choice([("ceil", math.ceil(typed / divisor)), ("floor", math.floor(typed / divisor))])
    ways = ALL_WAYS[: 1 + (seed % 40 == 0)]
    for found in values(library(f"n = {rounding}(a/b)"), "n", ways, a=typed, b=divisor):
        assert found == right
    for found in values(library("q = a/b", f"n = {rounding}(q)", "m = n + 1"), "m", a=typed, b=divisor):
        assert found == right + 1
    small = {"a": "mm"}
    for found in values(library("q = a/b", f"n = {rounding}(q)", units={**small, "b": "m"}), "n", a=typed, b=divisor):
        assert found == (math.ceil if rounding == "ceil" else math.floor)(typed / divisor / 1000)


@pytest.mark.thorough
@every("seed", range(200), ordinary=48, thorough=60)
def test_sums_and_products_are_compared_as_decimals_are(seed: int) -> None:
    draw = random.Random(seed)
    a, b, c = (decimal(draw, 1, 99) for _ in range(3))
    left, right, form = draw.choice(
        [(a * b, c, "a*b"), (a * b - c, Fraction(0), "a*b - c"), (a - b, Fraction(0), "a - b"), (a + b, c, "a + b")]
    )
    if right:
        c = beside(draw, left)
        right = c
    sign = draw.choice(["<", "<=", ">", ">="])
    holds = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}[sign]
    made = library(f"n = a if {form} {sign} {'c' if right else '0'} else b + c")
    for found in values(made, "n", ALL_WAYS[: 1 + (seed % 40 == 0)], a=a, b=b, c=c):
        assert math.isclose(found, a if holds else b + c, rel_tol=1e-15)
    for found in values(library("p = a*b", f"n = 1 if p {sign} {text(a * b)} else 0"), "n", a=a, b=b):
        assert found == ("=" in sign)


COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


@pytest.mark.thorough
@every("seed", range(60), ordinary=8, thorough=20)
def test_products_are_compared_as_decimals_are_where_doubles_say_otherwise(seed: int) -> None:
    draw = random.Random(f"compared {seed}")
    sign, compared = draw.choice([*COMPARED.items()])
    while True:
        a, b = decimal(draw, 1, 99), decimal(draw, 1, 99)
        c = beside(draw, a * b)
        if compared(float(a) * float(b), float(c)) != compared(a * b, c):
            break
    right = 1 if compared(a * b, c) else 2
    for relations in (
        [f"n = 1 if a*b {sign} c else 2"],
        ["p = a*b", f"n = 1 if p {sign} c else 2"],
        ["p = a*b - c", f"n = 1 if p {sign} 0 else 2"],
    ):
        found = values(library(*relations), "n", ALL_WAYS[: 1 + (seed == 0)], a=a, b=b, c=c)
        assert set(found) == {right}


@every("seed", range(60), ordinary=8)
def test_the_same_length_in_two_units_is_the_same_where_doubles_say_otherwise(seed: int) -> None:
    draw = random.Random(f"units {seed}")
    while True:
        b = decimal(draw, 1, 999)
        a = 10 * b
        if float(a) * 1e-3 != float(b) * 1e-2:
            break
    made = library("n = 1 if a == b else 2", units={"a": "mm", "b": "cm"})
    assert set(values(made, "n", a=a, b=b)) == {1.0}


@every("seed", range(40), ordinary=6)
def test_a_tangent_beside_its_pole_is_that_of_the_decimals(seed: int) -> None:
    draw = random.Random(f"pole {seed}")
    a = decimal(draw, 1, 9)
    with mpmath.workdps(40):
        angle = mpmath.pi / 2 + draw.choice([-1, 1]) * mpmath.mpf(10) ** -draw.randint(6, 9)
        b = Fraction(mpmath.nstr(angle * a.denominator / a.numerator, 14))
        exact = a * b
        right = mpmath.tan(mpmath.mpf(exact.numerator) / exact.denominator)
    for found in values(library("y = tan(a*b)"), "y", a=a, b=b):
        assert math.isclose(found, right, rel_tol=1e-9)


@pytest.mark.thorough
@every("seed", range(120), ordinary=40, thorough=12)
def test_a_wave_of_an_argument_without_a_known_digit_within_a_period_is_that_of_the_decimals(seed: int) -> None:
    """A given that moves by its last digit changes the wave completely, as `cos(cosh(47))` shows."""
    draw = random.Random(f"wave {seed}")
    wave, grows = draw.choice(["sin", "cos"]), draw.choice(["cosh", "exp"])
    a, b = decimal(draw, 2, 9), Fraction(draw.randint(10, 25), 100)
    with mpmath.workdps(60):
        argument = getattr(mpmath, grows)(mpmath.mpf(a.numerator * b.denominator) / (a.denominator * b.numerator))
        right = float(getattr(mpmath, wave)(argument))
    made = library(f"y = {wave}({grows}(a/b))")
    assert made.solve("y", a=float(a), b=float(b)).base == pytest.approx(right, rel=1e-9)
    for found in values(made, "y", ALL_WAYS, a=a, b=b):
        assert math.isclose(found, right, rel_tol=1e-9)


@pytest.mark.parametrize("wave", ["sin", "cos"])
def test_a_wave_of_an_argument_beyond_all_doubles_has_no_value(wave: str) -> None:
    made = library(f"y = {wave}(cosh(a*b))")
    assert all(map(math.isnan, values(made, "y", ALL_WAYS, a=Fraction(800), b=Fraction(1))))


@every("seed", range(120), ordinary=16, thorough=12)
def test_a_root_of_a_sum_that_cancels_is_that_of_its_decimals(seed: int) -> None:
    draw = random.Random(seed)
    a, b = decimal(draw, 1, 99), decimal(draw, 1, 99)
    c = beside(draw, a * b)
    right = a * b - c
    for found in values(library("y**2 = a*b - c", domain="nonnegative"), "y", a=a, b=b, c=c):
        with mpmath.workdps(30):
            root = mpmath.sqrt(mpmath.mpf(right.numerator) / right.denominator)
        assert math.isnan(found) if right < 0 else math.isclose(found, root, rel_tol=1e-9)


@pytest.mark.thorough
@every("seed", range(120), ordinary=16, thorough=36)
def test_a_saturating_relation_has_a_value_below_its_limit_alone(seed: int) -> None:
    draw = random.Random(seed)
    most, scale, level = decimal(draw, 1, 20), decimal(draw, 1, 5, 1), decimal(draw, 1, 9)
    typed = beside(draw, most)
    curves: dict[str, Any] = {
        "A*(1 - exp(-x/k))": lambda share: -mpmath.log(1 - share),
        "A*tanh(x/k)": mpmath.atanh,
        "A*x/(x + k)": lambda share: share / (1 - share),
        "A - A*exp(-x/k)": lambda share: -mpmath.log(1 - share),
        "A*(x/k)**2.7/(1 + (x/k)**2.7)": lambda share: (share / (1 - share)) ** (mpmath.mpf(10) / 27),
    }
    form, inverse = draw.choice(list(curves.items()))
    share = typed / most
    with mpmath.workdps(40):
        right = None if share >= 1 else scale.numerator * inverse(mpmath.mpf(share.numerator) / share.denominator)
        right = None if right is None else right / scale.denominator
    literal = form.replace("A", text(most)).replace("k", text(scale))
    for equation, given in ((form, {"A": most, "k": scale}), (literal, {})):
        for found in values(library(f"y = {equation}", domain="nonnegative"), "x", y=typed, **given):
            assert math.isnan(found) if right is None else math.isnan(found) or math.isclose(found, right, rel_tol=1e-9)
    assert level  # drawn for the sake of the others


@pytest.mark.parametrize("way", ALL_WAYS)
def test_a_whole_axis_of_ties_is_rounded_as_whole_numbers_are(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All at once: neither the solver nor fractions are asked for one of them."""
    monkeypatch.setattr("derive.kernels.several_targets.OpenPoints.solved", None)
    monkeypatch.setattr("derive.kernels.backends.exact_points.ExactPoints.at", None)
    whole = numpy.arange(1.0, 5000.0)
    made = library("n = floor(a/b)")
    assert (made.compile("n", given=["a", "b"], backend=way)(a=whole, b=196.0) == whole // 196).all()
    tenths = made.compile("n", given=["a", "b"], backend=way)(a=whole / 10, b=0.3)
    assert (tenths == whole // 3).all()


def test_what_follows_from_profiles_and_a_search_is_asked_of_the_solver_as_weak() -> None:
    made = derive.load("""[quantities]
a = { unit = "1" }
x = { unit = "1" }
n = { unit = "1" }
most = { unit = "1" }
[relations]
search = { equation = "x*exp(x) = a*exp(3)" }
pages = { equation = "n = ceil(x)" }
limit = { equation = "a <= most" }
[profiles.three]
a = "3"
most = "2"
""")
    assert made.solve("n", "three").base == 3
    assert made.compile("n", profiles=["three"])() == 3
    assert made.compile("n", given=["a"])(a=3.0) == 3


@pytest.mark.parametrize("way", ALL_WAYS)
def test_a_sought_number_that_is_zero_is_no_doubt(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("derive.kernels.several_targets.OpenPoints.solved", None)
    made = library("x*exp(x) = a", "n = 1 if x > 0 else 2", domain="nonnegative")
    assert made.compile("n", given=["a"], backend=way)(a=numpy.array([0.0, 0.1, 3.0])).tolist() == [2, 1, 1]


def test_a_sought_number_is_rounded_without_the_solver_where_it_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("derive.kernels.several_targets.OpenPoints.solved", None)
    made = library("x*exp(x) = a*exp(a)", "n = ceil(x)", domain="nonnegative")
    whole = numpy.arange(1.0, 40.0)  # which a search meets but for its last digits
    assert made.compile("n", given=["a"], backend="numpy")(a=whole).tolist() == whole.tolist()


def test_the_solver_is_asked_where_a_sought_number_may_lie_on_either_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("derive.kernels.several_targets.OpenPoints.solved", lambda *_: 7.0)
    made = library("x*exp(x) = a", "n = 1 if x > 3 else 2", domain="nonnegative")
    there = 3 * math.exp(3) * (1 + 4e-13)  # where x is greater than 3 by 3e-13 of it
    assert made.compile("n", given=["a"], backend="numpy")(a=numpy.array([there, 100.0])).tolist() == [7, 1]


AT_ENDS = [
    ("asin", 1, math.pi / 2),
    ("asin", -1, -math.pi / 2),
    ("acos", 1, 0.0),
    ("acos", -1, math.pi),
    ("acosh", 1, 0.0),
    ("sqrt", 0, 0.0),
]


@pytest.mark.thorough
@pytest.mark.ordinary(2)
@pytest.mark.parametrize(("function", "end", "right"), AT_ENDS)
def test_a_function_has_its_value_where_a_quotient_is_the_end_of_its_domain(
    function: str, end: int, right: float
) -> None:
    """No number of digits of a seventh tells that seven of them are one."""
    draw = random.Random(f"{function} {end}")
    for scale in (3, 5, 7, decimal(draw, 1, 30, 1)):
        typed = decimal(draw, -30, 30, 1)
        argument = f"b/{text(Fraction(scale))} + ({end} - {text(typed)}/{text(Fraction(scale))})"
        for found in values(library(f"y = {function}({argument})"), "y", ALL_WAYS[: 1 + (scale == 3)], b=typed):
            assert math.isclose(found, right, rel_tol=1e-12, abs_tol=1e-12)
        whole = library(f"y = {function}(b/{text(Fraction(scale))})")
        for found in values(whole, "y", b=end * Fraction(scale)):
            assert math.isclose(found, right, rel_tol=1e-12, abs_tol=1e-12)


CANCELLING = {
    "log(1 + x)": mpmath.log1p,
    "exp(x) - 1": mpmath.expm1,
    "sqrt(1 + x) - 1": lambda x: mpmath.sqrt(1 + x) - 1,
    "1 - cos(x)": lambda x: 1 - mpmath.cos(x),
    "(1 + x)**2 - 1": lambda x: (1 + x) ** 2 - 1,
    "1/(1 - x) - 1": lambda x: 1 / (1 - x) - 1,
    "(1 - exp(-x))/x": lambda x: (1 - mpmath.exp(-x)) / x,
    "1/(exp(x) - 1)": lambda x: 1 / (mpmath.exp(x) - 1),
    "max(3, (x + 2)**2) - 4": lambda x: (x + 2) ** 2 - 4,
    "(2 + x if x > 0 else x) - 2": lambda x: x,
}
"""Forms of which doubles keep few digits at a small x, and what they are."""


def kept(case: tuple[str, str], ways: tuple[str, ...]) -> None:
    form, x = case
    with mpmath.workdps(60):
        exact = float(CANCELLING[form](mpmath.mpf(x)))
    given = Fraction(x)
    assert values(library(f"y = {form}"), "y", ways, x=given) == pytest.approx([exact] * (len(ways) + 2), rel=1e-12)
    behind = library(f"z = {form}", "y = z*w")
    assert values(behind, "y", ways, x=given, w=Fraction(1)) == pytest.approx([exact] * (len(ways) + 2), rel=1e-12)


SMALL = [(form, x) for form in CANCELLING for x in ("1e-12", "3.7e-9", "1e-6")]


@every("case", SMALL, ordinary=3)
def test_terms_that_cancel_leave_all_digits(case):
    kept(case, ONE_POINT)


@pytest.mark.thorough
@every("case", SMALL[::6])
def test_terms_that_cancel_leave_all_digits_in_machine_code(case):
    kept(case, ALL_WAYS)


@every("divisor", ["b - 3*a", "(b - 3*a)**2", "5*b - 15*a", "sqrt(b) - sqrt(3*a)"])
def test_what_divides_by_rounding_alone_has_no_value(divisor):
    made = library(f"y = a/({divisor}) + 1")
    assert all(map(math.isnan, values(made, "y", a=Fraction("0.1"), b=Fraction("0.3"))))
    assert not any(map(math.isnan, values(made, "y", a=Fraction("0.1"), b=Fraction("0.31"))))
