"""A quotient in which the unknown may cancel: what is compiled agrees with exact arithmetic on either side.

`x = (p*b + q)/(r*b + s)` has one solution, unless the quotient is the same for every b, or `r*b + s` is zero there.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from derive import DeriveError, NoSolutionError
from tests.derive.statements import bare, number

FACTORS = st.integers(-3, 3)


def exact(p: int, q: int, r: int, s: int, x: Fraction) -> Fraction | None:
    """The one b at which the quotient is x; None if there is none, or if any b does."""
    slope = p - r * x
    if slope == 0:
        return None
    b = (s * x - q) / slope
    return None if r * b + s == 0 else b


def library(p: int, q: int, r: int, s: int) -> derive.Library:
    return derive.load(f"""[quantities]
b = {{ unit = "1", domain = "real" }}
x = {{ unit = "1", domain = "real" }}
[relations]
quotient = {{ equation = "x = ({p}*b + ({q}))/({r}*b + ({s}))" }}
""")


@given(FACTORS, FACTORS, FACTORS, FACTORS, st.integers(-8, 8))
def test_a_compiled_quotient_has_the_value_of_exact_arithmetic(p: int, q: int, r: int, s: int, quarters: int) -> None:
    if not p or not r:
        return
    x = Fraction(quarters, 4)
    b = exact(p, q, r, s, x)
    told = math.nan if b is None else float(b)
    one = library(p, q, r, s).compile("b", ["x"], "python")(x=float(x))
    many = library(p, q, r, s).compile("b", ["x"], "numpy")(x=numpy.array([float(x)]))
    for result in (one, float(many[0])):
        assert result == pytest.approx(told, rel=1e-9, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("quotient", ["b/b", "(b + 1)/(b + 1)", "(2*b - 2)/(b - 1)"])
def test_what_cancels_for_every_number_has_no_closed_form(quotient: str) -> None:
    text = '[quantities]\nb = { unit = "1", domain = "real" }\nx = { unit = "1", domain = "real" }\n'
    held = derive.load(f'{text}[relations]\nr = {{ equation = "x = {quotient}" }}\n')
    with pytest.raises(NoSolutionError):
        held.formula("b", ["x"])


def test_what_cancels_in_a_block_leaves_its_formula_one_root() -> None:
    """`q*a/(q + q)` is half of a; cleared of its divisor, the equation would have the root 0 besides."""
    names = "".join(f'{name} = {{ unit = "1", domain = "real" }}\n' for name in ("q", "a", "b", "w", "g", "v", "z"))
    held = derive.load(
        f'[quantities]\n{names}[relations]\nr0 = {{ equation = "b = 0.5*w" }}\n'
        'r1 = { equation = "b = q*a/(q + q)" }\nr2 = { equation = "g = min(v, 10*w) - q*z" }\n'
    )
    formula = held.formula("q", ["g", "z", "a", "v"])
    for a, v in ((3, 40), (3, 20), (-2, 5)):
        numbers = {"g": 1, "z": 2, "a": a, "v": v}
        found = float(formula.subs({symbol: numbers[symbol.name] for symbol in formula.free_symbols}))
        assert found == pytest.approx((min(v, 10 * a) - 1) / 2)


ZEROS = st.integers(-2, 2)


@pytest.mark.parametrize(
    "relation",
    [
        "y = a/x",
        "y = a/x + c",
        "1/y = x/a",
        "y = c/(a/x)",
        "y = a*x/c",
        "y = a/(a - c*x)",
        "y = a*x**-1",
        "a*x = a*y",
        "y = x/(a/a)",
        pytest.param("(x + a)/(a*c) = 1/(2 - x)", marks=pytest.mark.thorough),
        "y = (x/2 + 2 + x)/x",
    ],
)
@given(ZEROS, ZEROS, ZEROS)
def test_a_number_that_makes_a_divisor_zero_is_not_compiled(relation: str, a: int, c: int, y: int) -> None:
    """Of y = a/x with y = 5, the line for x is a/y, and was 0 at a = 0."""
    held = bare("a c x y", relation, domains=dict.fromkeys("acxy", "real"))
    given = dict(zip("acy", map(float, (a, c, y)), strict=True))
    given = {name: number for name, number in given.items() if name in held.relations["r1"].declared}
    by_floats = held.compile("x", list(given), "python")(**given)
    by_arrays = held.compile("x", list(given), "numpy")(**{name: numpy.array([x]) for name, x in given.items()})
    try:
        told = number(held.solve("x", **given))
    except DeriveError:
        told = math.nan
    assert [by_floats, float(by_arrays[0])] == pytest.approx([told, told], rel=1e-12, nan_ok=True)


def test_what_zero_by_zero_leaves_open_is_had_from_another_relation() -> None:
    """Any b satisfies d = e/(e - b) where both are zero, and b = f/(f - e) leaves 1 of them."""
    held = bare("b d e f", "b = f/(f - e)", "d = e/(e - b)", domains=dict.fromkeys("bdef", "real"))
    assert number(held.solve("b", d=0, e=0)) == 1
    assert held.compile("b", ["d", "e"], "python")(d=0.0, e=0.0) == 1
    several = held.compile("b", ["d", "e"], "numpy")(d=numpy.array([0.0, 3.0]), e=numpy.array([0.0, 5.0]))
    assert several == pytest.approx([1, 10 / 3])
