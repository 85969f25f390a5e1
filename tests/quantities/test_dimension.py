"""Dimensions form a group, written in base units, with exponents that may be polynomials in symbols."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantities.dimension import BASE_UNITS, NUMBER, Dimension, multiply
from quantities.spelling import parse_unit

POWERS = st.fractions(-9, 9, max_denominator=9)
MAPS = st.dictionaries(st.sampled_from(list(BASE_UNITS)), POWERS, max_size=5)
SYMBOLS = st.sampled_from(["gamma", "k", "n"])
MONOMIALS = st.dictionaries(SYMBOLS, st.integers(1, 3), max_size=2).map(lambda m: tuple(sorted(m.items())))
POLYNOMIALS = st.dictionaries(MONOMIALS, POWERS, max_size=3)
VALUES = {"gamma": Fraction(7, 5), "k": Fraction(-3, 11), "n": Fraction(13, 17)}


def built(powers: dict[str, Fraction]) -> Dimension:
    return Dimension(((base, ()), power) for base, power in powers.items())


def kept(powers: dict[str, Fraction]) -> dict[str, Fraction]:
    return {base: power for base, power in powers.items() if power}


def summed(a: dict[str, Fraction], b: dict[str, Fraction], sign: int = 1) -> dict[str, Fraction]:
    return kept({base: a.get(base, Fraction(0)) + sign * b.get(base, Fraction(0)) for base in a | b})


@given(MAPS, MAPS)
def test_a_product_adds_the_exponents_and_a_quotient_subtracts_them(a, b):
    assert (built(a) * built(b)).bases == summed(a, b)
    assert (built(a) / built(b)).bases == summed(a, b, -1)
    assert built(a) * built(b) == built(b) * built(a)
    assert built(a) / built(a) == NUMBER


@given(MAPS, POWERS)
def test_a_power_multiplies_the_exponents(a, power):
    assert (built(a) ** power).bases == kept({base: exponent * power for base, exponent in a.items()})
    assert built(a).raised({(): power}) == built(a) ** power


@given(MAPS, MAPS)
def test_two_dimensions_are_equal_when_their_exponents_are(a, b):
    assert (built(a) == built(b)) == (kept(a) == kept(b))
    assert hash(built(a)) == hash(built(dict(reversed(a.items()))))
    assert bool(built(a)) == bool(kept(a))
    assert built(a) != kept(a)


@given(MAPS)
def test_a_dimension_reads_as_the_unit_that_it_is_written_in(a):
    unit = parse_unit(str(built(a)))
    assert (unit.dimension, unit.size) == (built(a), 1)


@pytest.mark.parametrize(
    ("powers", "text"),
    [
        ({}, "1"),
        ({"length": 1}, "m"),
        ({"time": -1}, "1/s"),
        ({"length": 1, "time": -2}, "m/s**2"),
        ({"time": -3, "length": 2, "mass": 1}, "kg*m**2/s**3"),
        ({"length": Fraction(1, 2)}, "m**(1/2)"),
        ({"money": 1, "token": -1}, "USD/token"),
        ({"temperature": -1, "mass": -1}, "1/kg/K"),
    ],
)
def test_a_dimension_is_written_in_base_units(powers, text):
    assert str(built(powers)) == text
    assert repr(built(powers)) == f"Dimension('{text}')"


@pytest.mark.parametrize(("base", "unit"), BASE_UNITS.items())
def test_every_base_has_a_coherent_unit(base, unit):
    assert (parse_unit(unit).dimension, parse_unit(unit).size) == (Dimension.of(base), 1)


def at(dimension: Dimension, values: dict[str, Fraction]) -> dict[str, float]:
    """The exponents as numbers, where the symbols in them are given."""
    total: dict[str, float] = {}
    for (base, monomial), power in dimension.powers:
        total[base] = total.get(base, 0.0) + float(power) * float(polynomial({monomial: 1}, values))
    return total


def polynomial(terms: dict, values: dict[str, Fraction]) -> Fraction:
    total = Fraction(0)
    for monomial, factor in terms.items():
        term = Fraction(factor)
        for symbol, power in monomial:
            term *= values[symbol] ** power
        total += term
    return total


@given(MAPS, POLYNOMIALS, POLYNOMIALS)
def test_symbols_in_exponents_stand_for_their_numbers(a, p, q):
    raised = built(a).raised(p).raised(q)
    expected = float(polynomial(p, VALUES) * polynomial(q, VALUES))
    found = at(raised, VALUES)
    assert {base: found.get(base, 0.0) for base in a} == pytest.approx(
        {base: float(power) * expected for base, power in a.items()}, rel=1e-9, abs=1e-9
    )


@given(MAPS, POLYNOMIALS)
def test_a_symbolic_power_cancels_itself_and_nothing_else(a, p):
    raised = built(a).raised(p)
    assert raised / raised == NUMBER
    assert (raised == NUMBER) == (not kept(a) or not any(p.values()))
    assert built(a).raised(p) * built(a).raised({m: -c for m, c in p.items()}) == NUMBER


def test_a_symbolic_power_is_not_a_plain_one():
    gamma = {(("gamma", 1),): Fraction(1)}
    length = Dimension.of("length")
    assert length.raised(gamma) != length
    assert length.raised(gamma).bases == {}
    assert str(length.raised(gamma)) == "m**(gamma)"
    assert str(length.raised({(("gamma", 1),): Fraction(3)})) == "m**(3*gamma)"


@given(MONOMIALS, MONOMIALS)
def test_monomials_multiply_by_adding_powers(a, b):
    total = {symbol: dict(a).get(symbol, 0) + dict(b).get(symbol, 0) for symbol in dict(a) | dict(b)}
    assert dict(multiply(a, b)) == total
    assert multiply(a, b) == multiply(b, a)


@given(MAPS)
def test_a_dimension_travels_and_does_not_change(a):
    dimension = built(a)
    for other in (pickle.loads(pickle.dumps(dimension)), copy.copy(dimension), copy.deepcopy(dimension)):
        assert (other, hash(other), str(other)) == (dimension, hash(dimension), str(dimension))
    with pytest.raises(AttributeError):
        dimension.powers = ()
