"""What is declared of a quantity is the same with sympy and without."""

from __future__ import annotations

import copy
import pickle
import re
from decimal import Decimal
from fractions import Fraction
from inspect import signature

import numpy
import pytest
import sympy

from derive import Library, relate
from quantities import Quantity
from quantities.declaration import Declaration, declaration_of, read_given
from quantities.errors import DomainError, ExpressionError, UnitError
from quantities.quantity import symbol
from quantities.symbolic import Symbols

SAID = {"meaning": "length of the string", "latex": "L", "domain": "1..2 m", "default": "1.5 m"}
ALL = Declaration("length", "m", **SAID)
LESS = [
    Declaration("length", "m", **{**SAID, word: other})
    for word, other in zip(SAID, ("", "", "real", None), strict=True)
]


def test_a_quantity_says_what_its_declaration_says():
    stated = Quantity("length", "m", **SAID)
    assert stated.declaration == ALL
    for word in ("name", "unit", "meaning", "latex", "domain", "default", "dimension"):
        assert getattr(stated, word) == getattr(ALL, word)


@pytest.mark.parametrize("other", [*LESS, Declaration("length", "km", **SAID), Declaration("width", "m", **SAID)])
def test_whatever_else_is_said_makes_another_declaration_and_another_symbol(other):
    assert (other == ALL, len({other, ALL}), symbol(other) == symbol(ALL)) == (False, 2, False)


def test_two_spellings_of_a_unit_declare_the_same():
    assert Declaration("work", "kg*m") == Declaration("work", "m*kg")


@pytest.mark.parametrize("journey", [lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy])
def test_a_declaration_arrives_as_it_left(journey):
    arrived = journey(ALL)
    assert (type(arrived), arrived, arrived.said, hash(arrived)) == (Declaration, ALL, ALL.said, hash(ALL))


@pytest.mark.parametrize("name", ["unit", "default", "other"])
def test_a_declaration_does_not_change(name):
    with pytest.raises(AttributeError, match="declare another one"):
        setattr(ALL, name, None)
    with pytest.raises(AttributeError, match="declare another one"):
        del ALL.unit


def test_there_is_one_symbol_for_a_declaration():
    stated = Quantity("length", "m")
    assert symbol(stated.declaration) is stated
    assert symbol(ALL) is symbol(ALL)
    assert (declaration_of(stated), declaration_of(ALL), declaration_of("length")) == (stated.declaration, ALL, None)


def test_symbols_are_a_mapping_that_does_not_change():
    held = Symbols({"length": ALL})
    assert (list(held), len(held), "length" in held, "width" in held) == (["length"], 1, True, False)
    assert held["length"] == Quantity("length", "m", **SAID)
    assert held == {"length": held["length"]}
    with pytest.raises(KeyError):
        held["width"]
    with pytest.raises(TypeError):
        held["width"] = ALL


def test_a_relation_is_stated_in_declarations_as_in_symbols():
    area, side = Declaration("area", "m**2"), Declaration("side", "m")
    by_text = relate("square", "area = side**2", quantities=[area, side])
    by_symbols = relate("square", symbol(area), symbol(side) ** 2)
    assert by_text == by_symbols
    assert Library([by_text]) == Library([by_symbols], [symbol(side)])
    assert Library([by_text]).quantities["side"] is symbol(side)
    same = relate("same", side, Declaration("edge", "m"))
    assert str(same) == "same: side = edge"


def test_a_quantity_is_stated_as_a_declaration_is():
    assert signature(Quantity) == signature(Declaration)
    words = ["name", "unit", "meaning", "latex", "domain", "default", "aliases"]
    assert list(ALL.words) == words
    assert list(signature(Quantity).parameters) == [*words, "seen"]


def test_what_is_said_otherwise_leaves_the_rest():
    assert ALL.but() == ALL
    assert ALL.but(default=None) == LESS[-1]
    assert ALL.but(name="width").meaning == ALL.meaning


@pytest.mark.parametrize(
    "number",
    [
        Decimal("1e-400"),
        Decimal("-1e-999999999"),
        Fraction(1, 10**400),
        10**400,
        -(10**5000),
        Decimal("1e999999999"),
        sympy.Float("1e400"),
    ],
    ids=["small", "smaller", "fraction", "large", "larger", "largest", "sympy"],
)
def test_a_number_beyond_all_doubles_is_refused_and_never_zero_or_infinite(number):
    with pytest.raises(DomainError) as refused:
        read_given(number, Declaration("gain", "", domain="real"))
    hint = "Give a number between 1e-300 and 1e300."
    assert str(refused.value) == f"gain: it exceeds the range of double precision. {hint}"
    assert read_given(Decimal("0e-400"), Declaration("gain", "", domain="real")).number == 0


@pytest.mark.parametrize("text", ["20 degC..300 K", "280 K..20 degC", "60 degF..300 K"])
def test_a_range_with_an_absolute_temperature_is_no_range_of_differences(text):
    with pytest.raises(UnitError, match="One is a temperature, the other a difference of temperatures"):
        read_given(text, Declaration("rise", "delta_degC"))
    low, _, high = read_given(text, Declaration("temperature", "K")).base
    assert 280 <= low < high <= 300


def test_a_number_that_states_its_unit_is_in_that_unit():
    xarray = pytest.importorskip("xarray", reason="xarray comes with the extra dev")
    share, length = Declaration("share", ""), Declaration("length", "m")
    assert read_given(xarray.DataArray(5.0, attrs={"units": "percent"}), share).base[1] == 0.05
    assert read_given(xarray.DataArray(5.0), share).base[1] == 5
    assert read_given(xarray.DataArray(5, attrs={"units": "km"}), length).base[1] == 5000
    for unit, said in (("s", "length: 5 s does not fit its unit m"), ("degrees_north", "length: ")):
        with pytest.raises(UnitError, match=said):
            read_given(xarray.DataArray(5.0, attrs={"units": unit}), length)
    with pytest.raises(UnitError, match=r'length: 5.0 has no unit, and length is in m. Write "5.0 m"'):
        read_given(xarray.DataArray(5.0, attrs={"units": ""}), length)


@pytest.mark.filterwarnings("error")
def test_a_number_under_a_mask_is_none():
    for masked in (numpy.ma.masked, numpy.ma.array(5.0, mask=True)):
        with pytest.raises(ExpressionError, match="share: a Masked"):
            read_given(masked, Declaration("share", ""))
    assert read_given(numpy.ma.array(5.0), Declaration("share", "")).number == 5


class Deviating:
    """A number as the package uncertainties has them."""

    nominal_value, std_dev = 300.0, 10.0


def test_a_standard_deviation_is_no_range():
    length = Declaration("length", "m")
    with pytest.raises(ExpressionError, match='"300 \\+/- 10 m" for one deviation, "300 \\+/- 20 m" for two'):
        read_given(Deviating(), length)
    long = Deviating()
    long.nominal_value, long.std_dev = 1234567.8, 0.25
    with pytest.raises(ExpressionError, match=r'"1234567\.8 \+/- 0\.25 m" for one deviation'):
        read_given(long, length)


def test_nor_is_one_in_a_unit_which_the_hint_keeps():
    uncertainties = pytest.importorskip("uncertainties", reason="uncertainties comes with the extra dev")
    import pint

    length = Declaration("length", "m")
    given = pint.UnitRegistry().Quantity(uncertainties.ufloat(300, 10), "cm")
    with pytest.raises(ExpressionError) as raised:
        read_given(given, length)
    meant = re.findall(r'"([^"]*)"', raised.value.hint)
    ends = [(value.base[0], value.base[2]) for value in (read_given(text, length) for text in meant)]
    assert ends == [pytest.approx((2.9, 3.1)), pytest.approx((2.8, 3.2))]
