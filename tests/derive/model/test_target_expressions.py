"""An expression as a target: its value is that of its parts, its unit is checked, and no text breaks it."""

from __future__ import annotations

import math
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import derive
from derive import DeriveError, DimensionError, UnitError, UnknownNameError
from derive.model.target_expressions import asking
from tests.derive.statements import library

TANK = derive.load("""
[quantities]
volume = { unit = "m**3" }
area = { unit = "m**2" }
height = { unit = "m" }
wall = { unit = "mm", value = "5 mm" }
turns = { unit = "rpm" }
pieces = { unit = "1", domain = "whole" }
warmth = { unit = "K" }
kv_bytes = { unit = "byte" }
token = { unit = "token" }
kv_bytes_per_token = { unit = "byte/token" }
[relations]
volume = { equation = "volume = area*height" }
""")
POINT = {"area": "2 m**2", "height": "3 m"}


@pytest.mark.parametrize(
    ("target", "value", "unit"),
    [
        ("volume/area", 3.0, "m"),
        ("volume/area in cm", 300.0, "cm"),
        ("volume in l", 6000.0, "l"),
        ("height + wall", 3.005, "m"),
        ("wall + height", 3005.0, "mm"),
        ("height - 2*wall in mm", 2990.0, "mm"),
        ("max(area, height**2)", 9.0, "m**2"),
        ("sqrt(area)", math.sqrt(2), "m"),
        ("2*3", 6.0, ""),
        ("area if height > wall else 2*area", 2.0, "m**2"),
        ("height-wall", 2.995, "m"),
        ("(volume)", 6.0, "m**3"),
    ],
)
def test_its_value_is_that_of_its_parts_in_a_unit_of_one_of_them(target, value, unit):
    given_here = {} if target == "2*3" else POINT
    answer = TANK.solve(target, **given_here)
    assert answer.value.magnitude == pytest.approx(value, rel=1e-12)
    assert answer.quantity.unit.text == unit


SHARES = derive.load("""
[quantities]
share = { unit = "1", domain = "0..1", value = "0.4" }
loss = { unit = "", domain = "-9..0" }
idle = { unit = "1", domain = "nonnegative", seen = { most = "0.9", source = "a survey" } }
angle = { unit = "radian", domain = "0..6.3" }
[relations]
idle = { equation = "idle = 1 - share" }
loss = { equation = "loss = -2*share" }
angle = { equation = "angle = share*(1 + 2*share)" }
""")


@pytest.mark.parametrize(
    ("target", "given", "value"),
    [
        ("idle in percent", {}, 60.0),
        ("share in percent", {"idle": 0.25}, 75.0),
        ("loss in percent", {"share": 0.25}, -50.0),
        ("idle in ppm", {"share": "40 percent"}, 6e5),
        ("angle in degree", {"share": 0.5}, math.degrees(1.0)),
    ],
)
def test_a_number_that_is_declared_without_a_unit_keeps_its_meaning_in_another(target, given, value):
    answer = SHARES.solve(target, **given)
    assert answer.value.magnitude == pytest.approx(value, rel=1e-12)
    assert pickle.loads(pickle.dumps(answer.quantity)) == answer.quantity


@pytest.mark.parametrize(
    "name", [name for name, one in derive.llm.quantities.items() if one.declaration.unit.is_number]
)
def test_every_number_of_the_library_may_be_asked_for_in_percent(name):
    quantity = derive.llm.quantities[name].declaration
    if quantity.is_count or quantity.unit.factors:
        return
    declared = asking(derive.llm, f"{name} in percent")[0].declared[name]
    assert (declared.domain.low, declared.domain.high) == quantity.domain.ends
    assert (declared.default and declared.default.base) == (quantity.default and quantity.default.base)


def test_it_follows_backwards_from_what_the_library_solves():
    assert TANK.solve("2*area", volume="6 m**3", height="3 m").value.magnitude == pytest.approx(4)
    assert TANK.solve("volume/area/height", **POINT).value.magnitude == pytest.approx(1)


@pytest.mark.parametrize(
    ("target", "error", "told"),
    [
        ("volume + area", DimensionError, "volume is m**3 and area is m**2"),
        ("volume/area in kg", UnitError, "kg does not fit its unit m"),
        ("volume in kg", UnitError, "volume: kg does not fit its unit m**3"),
        ("pieces in %", UnitError, "pieces keeps its unit 1: it counts"),
        ("volme/area", UnknownNameError, "Did you mean volume?"),
        ("volume-weight", UnknownNameError, "no quantity 'volume-weight'"),
        ("volume area", UnknownNameError, "no quantity 'volume area'"),
        ("volume/", DeriveError, "it ends where a value is expected"),
        ("exp(volume)", DimensionError, "m**3"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_the_words_of_the_asker(target, error, told):
    with pytest.raises(error) as caught:
        TANK.solve(target, **POINT)
    assert told in str(caught.value)
    assert "asked" not in str(caught.value)


def test_its_name_is_nobody_elses():
    library, name = asking(TANK, "kv_bytes/token")
    assert name == "kv_bytes_per_token_asked"
    assert library.declared["kv_bytes_per_token"] is TANK.declared["kv_bytes_per_token"]
    assert asking(TANK, "volume") == (TANK, "volume")
    assert asking(TANK, "volume in l")[0].declared.keys() == TANK.declared.keys()


def test_a_unit_keeps_what_is_weak_weak():
    """`x in u` is x itself: a default of it is compared with the answer, and is no answer."""
    with pytest.raises(DeriveError, match="not determined"):
        TANK.solve("wall in m")
    with pytest.raises(DeriveError, match="not determined"):
        TANK.solve("wall")


def test_temperatures_are_absolute():
    assert TANK.solve("warmth in degC", warmth="300 K").value.magnitude == pytest.approx(26.85)


BATHS = library({"hot": "degC", "cold": "degC", "lift": "delta_degC", "heated": "K"})
BATH = {"hot": "20 degC", "cold": "10 degC", "lift": "5 delta_degC", "heated": "300 K"}


@pytest.mark.parametrize(
    "difference",
    [
        "hot - cold",
        "cold - hot",
        "2*(hot - cold)",
        "abs(cold - hot)",
        "hot - heated",
        "max(hot, cold) - cold",
        "(hot + cold)/2 - cold",
    ],
)
@pytest.mark.parametrize("unit", ["degC", "degF"])
def test_a_difference_of_temperatures_is_no_temperature(difference, unit):
    with pytest.raises(UnitError, match="delta_degC"):
        BATHS.solve(f"{difference} in {unit}", **BATH)
    assert BATHS.solve(f"{difference} in delta_degC", **BATH).base == BATHS.solve(difference, **BATH).base


@pytest.mark.parametrize(
    ("temperature", "kelvin"),
    [
        ("(hot + cold)/2", 288.15),
        ("hot + 0.3*(cold - hot)", 290.15),
        ("max(hot, cold)", 293.15),
        ("2*hot", 586.3),
        ("hot*cold/heated", 293.15 * 283.15 / 300),
    ],
)
def test_what_rises_with_temperatures_is_one(temperature, kelvin):
    """As a relation says it: what is twice as hot as 20 degC has 586.3 K."""
    answer = BATHS.solve(f"{temperature} in degC", **BATH)
    assert answer.value.magnitude == pytest.approx(kelvin - 273.15)


NAMES = ["volume", "area", "height", "wall", "pieces", "turns", "warmth", "x", "é", "max", "sqrt", "pi"]
UNITS = ["in", "m", "cm", "kg", "%", "2", "0", "1e400"]
SIGNS = ["if", "else", "not", "(", ")", "+", "-", "*", "**", "/", ",", "=", "<", "'"]
WORDS = NAMES + UNITS + SIGNS


@pytest.mark.long
@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join) | st.text(max_size=30))
def test_no_text_breaks_it(target):
    """It is answered, or refused in words: any other error fails here."""
    try:
        answers = TANK.solve_all(target, **POINT)
    except DeriveError as error:
        answers, refusal = (), str(error).strip()
    else:
        refusal = ""
    assert answers or refusal


@pytest.mark.thorough
@settings(max_examples=200, deadline=None)
@given(st.recursive(st.sampled_from(["area", "height", "wall", "3", "0.5"]),
                    lambda inner: st.tuples(inner, st.sampled_from("*/"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
                    max_leaves=6))  # fmt: skip
def test_a_product_is_what_python_makes_of_it(target):
    if not any(letter.isalpha() for letter in target):
        return
    answer = TANK.solve(f"{target}*1", **POINT)
    expected = eval(target, {"area": 2.0, "height": 3.0, "wall": 0.005})
    assert answer.base == pytest.approx(expected, rel=1e-9)


def test_a_name_between_spaces_is_the_name():
    circuits = derive.load("circuits")
    assert circuits.solve(" voltage ", current="2 A", resistance="3 ohm").base == pytest.approx(6)
