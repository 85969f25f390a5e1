"""The registry: pint, with this package's units, reading of text and refusals, by whichever door one enters."""

from __future__ import annotations

import contextlib
import copy
import math
import operator
import pickle
from fractions import Fraction

import numpy as np
import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantities.errors import DeriveError, ExpressionError, UnitError
from quantities.registry import Registry, quantity, registry, unit_of
from quantities.spelling import parse_unit
from quantities.value import read_value
from tests.ordinary import every
from tests.quantities.table import NAMES, PREFIXED, SCALES, by_pint

UNITS = registry()
Q = UNITS.Quantity
REFUSED = (DeriveError, pint.DimensionalityError)
TAU = math.tau


def test_there_is_one_registry():
    assert registry() is UNITS
    assert isinstance(UNITS, Registry)
    assert quantity(3, parse_unit("m"))._REGISTRY is UNITS


@pytest.mark.parametrize(
    "ask", [lambda text: UNITS("3 " + text), UNITS.Unit, lambda text: Q(3, text), lambda text: Q(3, "m").to(text)]
)
@given(st.sampled_from(["furlang", "metre_x", "object", "KBs"]), st.sampled_from(["", "/s", "**2"]))
def test_an_unknown_unit_is_pints_error_and_ours(ask, name, rest):
    with pytest.raises(pint.UndefinedUnitError) as caught:
        ask(name + rest)
    assert isinstance(caught.value, UnitError)
    assert caught.value.unit_names == (name + rest,)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.unit_names) == (str(caught.value), caught.value.unit_names)
    assert not hasattr(UNITS, name)


@pytest.mark.parametrize("text", ["2..6 m", "300 +/- 20 m", "2 m .. 9 ft"])
def test_a_range_is_no_single_number_of_the_registry(text):
    for read in (UNITS, UNITS.parse_expression, UNITS.Quantity):
        with pytest.raises(ExpressionError, match="a pint Quantity is one number, and this is a range"):
            read(text)
    assert UNITS("2..2 m") == Q(2, "m")


ORDINARY = [name for name in NAMES if NAMES[name].line not in SCALES] + [
    "kB",
    "GiB",
    "Mb",
    "µs",
    "kW",
    "Mtok",
    "mUSD",
    "kg",
]


@given(st.sampled_from(ORDINARY), st.sampled_from(ORDINARY), st.floats(1e-3, 1e3))
def test_pint_converts_by_the_same_sizes(source, target, number):
    (a, its), (b, other) = by_pint(source), by_pint(target)
    if its == other and {parse_unit(source).counts, parse_unit(target).counts} != {"radian", "hertz"}:
        exact = float(Fraction(number) * a / b)
        assert Q(number, source).to(target).magnitude == pytest.approx(exact, rel=1e-12)
    elif "cycle" not in its | other:
        with pytest.raises(REFUSED):
            Q(number, source).to(target)


@given(st.sampled_from([*NAMES, *(prefix + name for prefix, name in PREFIXED if name != "$")]))
def test_a_unit_comes_back_from_pint_as_itself(name):
    unit = parse_unit(name)
    again = unit_of(quantity(1.0, unit))
    assert (again.factors, again.size, again.dimension, again.offset) == (
        unit.factors,
        unit.size,
        unit.dimension,
        unit.offset,
    )


@pytest.mark.parametrize(
    "text", ["TB/s", "J/(kg*K)", "m**(1/2)", "1/s", "USD/Mtok", "W/(m**2*degC)", "", "delta_degF", "m**(1/3)"]
)
def test_a_product_comes_back_from_pint_as_itself(text):
    unit, again = parse_unit(text), unit_of(UNITS.Unit(text))
    assert (again.size, again.dimension, set(again.factors)) == (unit.size, unit.dimension, set(unit.factors))


# Text

DOORS = {
    "the registry itself": UNITS,
    "a quantity of text": Q,
    "an expression": UNITS.parse_expression,
}
UNIT_DOORS = {
    "a quantity in it": lambda text: Q(1.0, text),
    "a unit of text": UNITS.Unit,
    "parsing units": UNITS.parse_units,
    "an attribute": lambda text: getattr(UNITS, text),
    "converting to it": lambda text: Q(1.0, "byte").to(text),
    "converting from it": lambda text: UNITS.convert(1.0, text, "byte"),
    "its dimensions": UNITS.get_dimensionality,
    "its base units": UNITS.get_base_units,
    "its kin": UNITS.get_compatible_units,
    "its own name": UNITS.get_name,
    "a value of one": lambda text: UNITS(f"1 {text}"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("text", ["3.35 TB/s", "\N{MINUS SIGN}5 m", "5 Mb/s", "1e3 m", "4 J/(kg K)", "3 kg"])
def test_text_means_by_every_door_what_it_says(door, text):
    value = read_value(text)
    found = DOORS[door](text)
    assert found.magnitude == value.number
    assert unit_of(found).factors == value.unit.factors


MISREAD = [
    "1,5 m",
    "3.0.0 m",
    "1e3.5 m",
    "5 Nm",
    "1 000 m",
    "20 degC / 10 degC",
    "4 J/kg K",
    "5 KB",
    "5 mb",
    "5 dB",
    "5 ton",
]
NO_UNITS = ["mb", "dB", "KB", "Nm", "mtok", "ton", "mt", "MBtu", "TFLOPS", "krpm", "furlong"]


def refuses(door, text):
    try:
        door(text)
    except (DeriveError, AttributeError):
        return True
    return False


@pytest.mark.parametrize("door", DOORS)
def test_text_that_pint_misreads_is_refused_by_every_door(door):
    assert [text for text in MISREAD if not refuses(DOORS[door], text)] == []


@pytest.mark.parametrize("door", UNIT_DOORS)
def test_what_is_no_unit_is_none_by_every_door(door):
    assert [text for text in NO_UNITS if not refuses(UNIT_DOORS[door], text)] == []


def test_the_registry_has_its_units_as_attributes_and_no_others():
    assert hasattr(UNITS, "byte")
    assert str(UNITS.kB) == "kilobyte"
    assert not hasattr(UNITS, "furlong")
    assert getattr(UNITS, "KB", None) is None


@pytest.mark.parametrize("door", [name for name in UNIT_DOORS if "converting" not in name])
def test_a_kilogram_by_any_name_stays_a_kilogram(door):
    fresh = registry.__wrapped__()
    calls = {
        "a quantity in it": lambda: fresh.Quantity(1.0, "kgram"),
        "a unit of text": lambda: fresh.Unit("kgram"),
        "parsing units": lambda: fresh.parse_units("kgram"),
        "an attribute": lambda: fresh.kgram,
        "its dimensions": lambda: fresh.get_dimensionality("kgram"),
        "its base units": lambda: fresh.get_base_units("kgram"),
        "its kin": lambda: fresh.get_compatible_units("kgram"),
        "its own name": lambda: fresh.get_name("kgram"),
        "a value of one": lambda: fresh("1 kgram"),
    }
    calls[door]()
    assert fresh.Quantity(2.0, "kg").to("lb").magnitude == pytest.approx(2 / 0.45359237)
    assert fresh.Quantity(2.0, "kg").to("g").magnitude == pytest.approx(2000)


# Dimensions of our own

OWN = [
    "byte",
    "bit",
    "FLOP",
    "MAC",
    "token",
    "parameter",
    "sequence",
    "chip",
    "USD",
    "revolution",
    "kB",
    "Mtok",
    "gpu",
    "B",
    "b",
]


@every("unit", OWN)
@every("apply", [operator.add, operator.sub, lambda a, b: b + a, operator.lt, operator.ge])
def test_a_thing_and_a_number_do_not_add_up(unit, apply):
    with pytest.raises((pint.DimensionalityError, ValueError)):
        apply(Q(1.0, unit), 1.0)
    assert Q(1.0, unit) != 1.0


@every("unit", OWN)
@every("target", ["", "m", "percent", "radian"])
def test_a_thing_is_no_number(unit, target):
    if (unit, target) == ("revolution", "radian"):
        assert Q(1.0, unit).to(target).magnitude == pytest.approx(TAU)
        return
    with pytest.raises(REFUSED):
        Q(1.0, unit).to(target)


def test_things_of_one_kind_add_up():
    assert (Q(1, "byte") + Q(8, "bit")).to("byte").magnitude == 2
    assert (Q(1, "MAC") + Q(1, "FLOP")).to("FLOP").magnitude == 3
    assert (Q(1, "Mtok") / Q(1, "tok")).to("").magnitude == pytest.approx(1e6)
    assert Q(1, "GiB").to("bit").magnitude == 2**33
    assert (Q(2, "USD/h/chip") * Q(3, "gpu") * Q(1, "day")).to("$").magnitude == pytest.approx(144)


# Turning

TURNING = {
    "rpm": {"rpm": 1, "Hz": 1 / 60, "rad/s": TAU / 60, "1/s": None},
    "Hz": {"rpm": 60, "Hz": 1, "rad/s": None, "1/s": 1},
    "rad/s": {"rpm": 60 / TAU, "Hz": None, "rad/s": 1, "1/s": 1},
    "1/s": {"rpm": None, "Hz": 1, "rad/s": 1, "1/s": 1},
}
RATES = [(source, target, factor) for source, row in TURNING.items() for target, factor in row.items()]
SLIDES = [(source, target) for source, target, factor in RATES if factor is None]


@every("magnitude", [3.0, 3, np.array([3.0, 6.0]), np.array([3, 6])], ids=repr)
@every(("source", "target", "factor"), RATES)
def test_radians_and_cycles_do_not_slide_in_pint(magnitude, source, target, factor):
    stated = Q(magnitude, source)
    if factor is None:
        for convert in (stated.to, stated.m_as, lambda unit: UNITS.convert(magnitude, source, unit)):
            with pytest.raises(REFUSED):
                convert(target)
    else:
        assert np.allclose(stated.to(target).magnitude, np.asarray(magnitude) * factor, rtol=1e-14)
        assert str(stated.to(target).units) == str(UNITS.Unit(target))


def test_an_array_turns_in_place():
    stated = Q(np.array([60.0, 120.0]), "rpm")
    stated.ito("Hz")
    assert (stated.magnitude.tolist(), str(stated.units)) == ([1, 2], "hertz")


@pytest.mark.parametrize(("source", "target"), SLIDES)
def test_what_does_not_convert_does_not_compare_or_add_up(source, target):
    answered = []
    for apply in (operator.add, operator.sub, operator.lt, operator.le, operator.gt, operator.ge):
        with contextlib.suppress(*REFUSED):
            answered.append((apply.__name__, apply(Q(1.0, source), Q(2.0, target))))
    assert answered == []


@pytest.mark.parametrize(("source", "target"), SLIDES)
def test_what_does_not_convert_is_not_equal(source, target):
    assert (Q(1.0, source) == Q(1.0, target)) is False
    assert (Q(1.0, source) != Q(1.0, target)) is True


def test_a_ratio_of_a_rate_and_an_angular_speed_is_no_number():
    ratio = Q(1.0, "Hz") / Q(1.0, "rad/s")
    with pytest.raises(REFUSED):
        ratio.to("")


# Temperatures

POINTS = [("degC", 20.0), ("degF", 68.0), ("K", 293.15), ("degR", 527.67)]


@pytest.mark.parametrize(("source", "number"), POINTS)
@pytest.mark.parametrize(("target", "expected"), POINTS)
def test_a_temperature_is_one_point_on_every_scale(source, number, target, expected):
    assert Q(number, source).to(target).magnitude == pytest.approx(expected, rel=1e-12)


def test_temperatures_differ_by_differences():
    warmer = Q(20.0, "degC") - Q(10.0, "degC")
    assert (warmer.magnitude, str(warmer.units)) == (10, "delta_degree_Celsius")
    assert warmer.to("delta_degF").magnitude == pytest.approx(18)
    assert (Q(20.0, "degC") + warmer).to("K").magnitude == pytest.approx(303.15)
    assert Q(3.0, "J/(kg*degC)").to("J/(kg*K)").magnitude == pytest.approx(3)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Q(20.0, "degC") + Q(10.0, "degC"),
        lambda: Q(20.0, "degC") * 2,
        lambda: Q(20.0, "degC") / Q(10.0, "degC"),
        lambda: Q(20.0, "degC").to("delta_degC"),
        lambda: Q(20.0, "delta_degC").to("degC"),
        lambda: UNITS.Unit("degC*m"),
    ],
)
def test_a_point_on_a_scale_is_neither_added_nor_multiplied_nor_a_difference(wrong):
    with pytest.raises((pint.PintError, UnitError)):
        wrong()


# Travelling


@pytest.mark.parametrize(
    "journey", [lambda q: pickle.loads(pickle.dumps(q)), copy.copy, copy.deepcopy], ids=["pickle", "copy", "deep"]
)
@pytest.mark.parametrize("text", ["3 TB/s", "20 degC", "2 Mtok", "60 rpm"])
def test_a_quantity_travels(journey, text):
    value = read_value(text)
    left = quantity(value.number, value.unit)
    arrived = journey(left)
    assert arrived == left
    assert arrived.dimensionality == left.dimensionality
    assert unit_of(arrived).factors == value.unit.factors


@pytest.mark.parametrize(
    ("number", "unit", "compact"),
    [
        (3e9, "byte", "3.0 gigabyte"),
        (1e-9, "byte", "1e-09 byte"),
        (2e-6, "s", "2.0 microsecond"),
        (0.5, "token", "0.5 token"),
    ],
)
def test_a_compact_form_never_invents_a_unit(number, unit, compact):
    assert str(registry().Quantity(number, unit).to_compact()) == compact
