"""Exponents of units are fractions, read and reckoned with exactly: empirical formulas have units such as m**-0.686."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import derive
from quantities.errors import UnitError
from quantities.registry import quantity, unit_of
from quantities.spelling import HIGHEST, parse_unit

# Hazen and Williams, Hydraulic Tables (1905), in the SI form of textbooks: h = 10.67 L (Q/C)**1.852 / d**4.87
HAZEN_WILLIAMS = """
[quantities]
head = { unit = "m" }
length = { unit = "m" }
flow = { unit = "m**3/s" }
roughness = { unit = "" }
diameter = { unit = "mm" }
constant = { unit = "m**-0.686*s**1.852", value = "10.67 m**-0.686*s**1.852" }
[relations.hazen_williams]
equation = "head = constant*length*(flow/roughness)**1.852/diameter**4.87"
"""
PIPE = {"length": 100.0, "flow": 0.05, "roughness": 130.0, "diameter": 0.2}
HEAD = 10.67 * PIPE["length"] * (PIPE["flow"] / PIPE["roughness"]) ** 1.852 / PIPE["diameter"] ** 4.87
UNITS = {"head": "m", "length": "m", "flow": "m**3/s", "roughness": "", "diameter": "m"}


@pytest.mark.parametrize("asked", UNITS)
def test_a_formula_with_odd_exponents_is_asked_in_all_directions(asked):
    pipe = derive.load(HAZEN_WILLIAMS)
    numbers = {**PIPE, "head": HEAD}
    answer = pipe.solve(asked, **{n: f"{x!r} {UNITS[n]}" for n, x in numbers.items() if n != asked})
    assert answer.to(UNITS[asked]).magnitude == pytest.approx(numbers[asked], rel=1e-9)
    assert answer.value.units == derive.units.Unit(pipe.declared[asked].unit.text)


def test_another_exponent_is_seen():
    with pytest.raises(derive.DimensionError):
        derive.load(HAZEN_WILLIAMS.replace("4.87", "4.8704"))


EXPONENTS = st.fractions(-HIGHEST, HIGHEST, max_denominator=HIGHEST).filter(
    lambda power: power and abs(power.numerator) <= HIGHEST
)


@given(EXPONENTS)
def test_every_exponent_within_the_limit_is_kept_through_pint_and_back(power):
    unit = parse_unit(f"s**({power})")
    assert unit.factors == (("second", power),)
    assert unit.dimension.bases == {"time": power}
    assert unit_of(quantity(2.0, unit).units).factors == unit.factors
    assert parse_unit(str(unit.dimension)).dimension == unit.dimension


@given(st.integers(-30, 30), st.integers(0, 9999))
def test_a_decimal_is_the_fraction_that_it_says(whole, part):
    text = f"{whole}.{part:04d}"
    exponent = Fraction(text)
    if exponent and abs(exponent.numerator) <= HIGHEST:
        assert parse_unit(f"m**{text}*s").dimension.bases == {"length": exponent, "time": 1}


@pytest.mark.parametrize("power", [f"{HIGHEST + 1}", f"(1/{HIGHEST + 1})", "0.00001", "3.14159265358979"])
def test_a_fraction_beyond_the_limit_is_refused_with_the_limit(power):
    with pytest.raises(UnitError, match=str(HIGHEST)):
        parse_unit(f"m**{power}")
