"""Domains: which numbers a quantity can take, judged in base units."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantities.domain import read_domain
from quantities.errors import DeriveError, DomainError, ExpressionError, UnitError
from quantities.spelling import parse_unit
from quantities.value import read_value

TENTHS = st.integers(-(10**6), 10**6)
ENDS = st.tuples(TENTHS, TENTHS).map(sorted)


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("positive", [5e-324, 1, 1e308], [0, -0.0, -1]),
        ("nonnegative", [0, -0.0, 5e-324, 1e308], [-5e-324, -1]),
        ("real", [-1e308, -1, 0, 1e308], []),
        (" positive ", [1], [0]),
        ("2..6 m", [2, 4, 6], [1.999, 6.001, -4]),
        ("200..600 cm", [2, 4, 6], [1.999, 6.001]),
        ("-1..0 m", [-1, -0.5, 0], [-1.001, 0.001]),
        ("0..0 m", [0], [1e-9]),
    ],
)
def test_a_domain_holds_what_it_says(text, inside, outside):
    domain = read_domain(text, parse_unit("m"))
    assert [number for number in inside if number not in domain] == []
    assert [number for number in outside if number in domain] == []
    assert domain.text == text.strip()


@pytest.mark.parametrize("text", ["positive", "nonnegative", "real", "2..6 m"])
@pytest.mark.parametrize("other", [math.nan, math.inf, -math.inf, "3", None, 3j, parse_unit("m")])
def test_only_a_finite_number_lies_in_a_domain(text, other):
    assert other not in read_domain(text, parse_unit("m"))


@given(ENDS, TENTHS)
def test_an_interval_holds_its_ends_and_what_lies_between(ends, number):
    low, high = ends
    domain = read_domain(f"{low / 10}..{high / 10} m", parse_unit("m"))
    assert (number / 10 in domain) == (low <= number <= high)
    assert {low / 10 in domain, high / 10 in domain} == {True}


@given(ENDS, st.sampled_from(["mm", "cm", "m", "km"]), st.sampled_from(["mm", "cm", "m", "km"]))
def test_an_end_lies_inside_in_whatever_unit_it_is_written(ends, declared, given_in):
    low, high = (Fraction(end, 10) for end in ends)
    domain = read_domain(f"{float(low)}..{float(high)} m", parse_unit(declared))
    metres = {"mm": Fraction(1, 1000), "cm": Fraction(1, 100), "m": Fraction(1), "km": Fraction(1000)}[given_in]
    for end in (low, high):
        assert domain.admits(read_value(f"{float(end / metres)} {given_in}").base[1])


@pytest.mark.parametrize(
    ("text", "unit", "low", "high"),
    [
        ("0..6.3 radian", "radian", 0, 6.3),
        ("0..6.3", "radian", 0, 6.3),
        ("-180..180 degree", "radian", -math.pi, math.pi),
        ("0..100 degC", "K", 273.15, 373.15),
        ("0..100 degC", "degC", 273.15, 373.15),
        ("300..400 K", "degC", 300, 400),
        ("32..212 degF", "degC", 273.15, 373.15),
        ("-5..5 delta_degC", "delta_degC", -5, 5),
        ("0..60 rpm", "Hz", 0, 1),
        ("0..1 Hz", "rpm", 0, 1),
        ("0..1", "", 0, 1),
        ("0..100 %", "", 0, 1),
        ("1..8 bit", "byte", 0.125, 1),
    ],
)
def test_the_ends_are_judged_in_base_units(text, unit, low, high):
    domain = read_domain(text, parse_unit(unit))
    assert domain.ends == pytest.approx((low, high), rel=1e-15, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        ("positive", {"positive": True}),
        ("nonnegative", {"nonnegative": True}),
        ("real", {"real": True}),
        ("1..2 m", {"positive": True}),
        ("0..2 m", {"nonnegative": True}),
        ("-1..2 m", {"real": True}),
        ("-2..-1 m", {"negative": True}),
        ("-1..0 m", {"real": True}),
    ],
)
def test_sympy_may_assume_what_the_domain_implies(text, assumed):
    assert read_domain(text, parse_unit("m")).assumptions == assumed


@pytest.mark.parametrize(
    ("text", "unit", "kind"),
    [
        ("", "m", ExpressionError),
        ("Positive", "m", ExpressionError),
        ("negative", "m", ExpressionError),
        ("2 m", "m", ExpressionError),
        ("..", "m", ExpressionError),
        ("4 +/- 2 m", "m", ExpressionError),
        ("2..", "m", ExpressionError),
        ("6..2 m", "m", ExpressionError),
        ("2,5..6 m", "m", ExpressionError),
        ("2..6", "m", UnitError),
        ("2..6 s", "m", UnitError),
        ("2..6 furlong", "m", UnitError),
        ("0..1 Hz", "rad/s", UnitError),
        ("0..100 degC", "delta_degC", UnitError),
        ("nan..1 m", "m", DomainError),
        ("0..inf m", "m", DomainError),
        ("-inf..1 m", "m", DomainError),
        ("-300..0 degC", "degC", DomainError),
    ],
)
def test_what_is_no_domain_is_refused_by_name(text, unit, kind):
    with pytest.raises(DeriveError) as caught:
        read_domain(text, parse_unit(unit))
    assert type(caught.value) is kind
    assert f"domain {text!r}" in caught.value.what
    assert caught.value.hint
