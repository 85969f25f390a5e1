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
from derive import NoSolutionError

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
    for number in (one, float(many[0])):
        assert number == pytest.approx(told, rel=1e-9, abs=1e-12, nan_ok=True)


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
