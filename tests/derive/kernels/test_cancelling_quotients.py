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
