"""Values: what a text says is what is read, and what cannot be read is refused in words."""

from __future__ import annotations

import decimal
import fractions
import math
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given
from hypothesis import strategies as st

from quantities.errors import DeriveError, DomainError, ExpressionError, UnitError
from quantities.rational import exact_of, written
from quantities.spelling import parse_unit
from quantities.units import DIMENSIONLESS
from quantities.value import (
    ASKER,
    BY_DEFINITION,
    OTHERWISE,
    Source,
    Value,
    is_number,
    otherwise,
    read_number,
    read_value,
)
from tests.ordinary import every, examples
from tests.quantities.table import NAMES, SCALES, by_pint

READ = [  # a text, its number, how much that is in base units, and in which
    ("3.35 TB/s", 3.35, 3.35e12, "byte/s"),
    ("\N{MINUS SIGN}5 m", -5, -5, "m"),
    ("+5 m", 5, 5, "m"),
    (".5 m", 0.5, 0.5, "m"),
    ("5. m", 5, 5, "m"),
    ("5m", 5, 5, "m"),
    ("5\N{NO-BREAK SPACE}m", 5, 5, "m"),
    ("5\tm\n", 5, 5, "m"),
    ("1e3 m", 1000, 1000, "m"),
    ("1E-3 m", 0.001, 0.001, "m"),
    ("1e\N{MINUS SIGN}3 m", 0.001, 0.001, "m"),
    ("5 \N{MICRO SIGN}m", 5, 5e-6, "m"),
    ("5 \N{GREEK SMALL LETTER MU}m", 5, 5e-6, "m"),
    ("5 Mb/s", 5, 625_000, "byte/s"),
    ("5 Gb/s", 5, 6.25e8, "byte/s"),
    ("5 MB/s", 5, 5e6, "byte/s"),
    ("5 mm/s", 5, 0.005, "m/s"),
    ("3eV", 3, 4.806529902e-19, "kg*m**2/s**2"),
    ("3e2V", 300, 300, "kg*m**2/s**3/A"),
    ("3 EB", 3, 3e18, "byte"),
    ("5 meter per second", 5, 5, "m/s"),
    ("4 J/(kg K)", 4, 4, "m**2/s**2/K"),
    ("5 1/s", 5, 5, "1/s"),
    ("5 %", 5, 0.05, "1"),
    ("5%", 5, 0.05, "1"),
    ("5 ‰", 5, 0.005, "1"),
    ("5", 5, 5, "1"),
    ("5 1", 5, 5, "1"),
    ("0 m", 0, 0, "m"),
    ("5 $", 5, 5, "USD"),
    ("5 USD/Mtok", 5, 5e-6, "USD/token"),
    ("20 degC", 20, 293.15, "K"),
    ("20 °C", 20, 293.15, "K"),
    ("68 degF", 68, 293.15, "K"),
    ("-40 degF", -40, 233.15, "K"),
    ("-5 delta_degC", -5, -5, "K"),
    ("-9 delta_degF", -9, -5, "K"),
    ("5e-324 m", 5e-324, 5e-324, "m"),
    ("1.7976931348623157e308 m", 1.7976931348623157e308, 1.7976931348623157e308, "m"),
    ("60 rpm", 60, 1, "revolution/s"),
]

RANGES = [  # a text, its bounds and its number, and the unit of all three
    ("2..6", 2, 4, 6, "1"),
    ("2..6 m", 2, 4, 6, "m"),
    ("2 .. 6 m", 2, 4, 6, "m"),
    ("2 m .. 6 m", 2, 4, 6, "m"),
    ("200 cm..6 m", 2, 4, 6, "m"),
    ("-6..-2 m", -6, -4, -2, "m"),
    ("1.5..2.5 m", 1.5, 2, 2.5, "m"),
    ("1e3..2e3 m", 1000, 1500, 2000, "m"),
    ("60 rpm..2 Hz", 1, 1.5, 2, "Hz"),
    ("20..30 degC", 20, 25, 30, "degC"),
    ("273.15 K..30 degC", 0, 15, 30, "degC"),
    ("300 +/- 20 FLOP/byte", 280, 300, 320, "FLOP/byte"),
    ("5 ± 0.5 m", 4.5, 5, 5.5, "m"),
    ("5±0.5m", 4.5, 5, 5.5, "m"),
    ("5 ± 0 m", 5, 5, 5, "m"),
    ("20 ± 5 degC", 15, 20, 25, "degC"),
    ("-1.7e308..1.7e308 m", -1.7e308, 0, 1.7e308, "m"),
    ("1e308..1.5e308 m", 1e308, 1.25e308, 1.5e308, "m"),
]

REFUSED = {
    ExpressionError: [
        "1,5 m",
        "1,000 m",
        "1.000,5 m",
        "1 000 m",
        "1\N{NARROW NO-BREAK SPACE}000 m",
        "5 000 000 USD",
        "1_000 m",
        "1'000 m",
        "3.0.0 m",
        "1e3.5 m",
        "1e m",
        "1e+ m",
        "1e5e5 m",
        "1. 5 m",
        "1e٣ m",
        "٣ m",
        "1٣ m",
        "1.٣ m",
        "５ m",
        "√4 m",
        "~5 m",
        "½ m",
        "<5 m",
        "$5",
        "€5",
        "%s",
        "m",
        "",
        "   ",
        "--5 m",
        "+-5 m",
        "- 5 m",
        "(5 ± 0.1) m",
        "6..2 m",
        "2 km..6 m",
        "1..",
        "..2",
        "0...5 m",
        "1...2 m",
        "5 +/- -1 m",
        "5 +/-",
        "nano",
        "1" * 401,
    ],
    UnitError: [
        "5 Nm",
        "5 KB",
        "5 dB",
        "5 ton",
        "5 mb",
        "5 TFLOPS",
        "5 furlong",
        "5 €",
        "5 √m",
        "5 m⁄s",
        "4 J/kg K",
        "20 degC / 10 degC",
        "20 degC*m",
        "20 m m3",
        "5 - 3 m",
        "5-3 m",
        "5*m",
        "1/2 m",
        "1 1/2 inch",
        "1½ m",
        "0x1F",
        "5 m.",
        "5 m,",
        "5;",
        "5\x00m",
        "5 %s m",
        "1e300 m and 1e-300 m",
        "1 m..2 s",
        "20 delta_degC..30 degC",
        "1 Hz..9 rad/s",
    ],
    DomainError: [
        "-300 degC",
        "-500 degF",
        "-300..20 degC",
        "0 +/- 300 degC",
        "5e-324 nm",
        "1e-400 m",
        "1e400 m",
        "1e309",
        "1e308 km",
        "1e1000000000 m",
        "1e308 +/- 1e308 m",
        "nan",
        "NaN m",
        "inf m",
        "-inf",
        "Infinity",
        "5 +/- nan m",
        "1..inf m",
    ],
}
NO_VALUES = [(kind, text) for kind, texts in REFUSED.items() for text in texts]


@every(("text", "number", "base", "dimension"), READ)
def test_a_value_is_what_it_says(text, number, base, dimension):
    value = read_value(text)
    assert (value.number, value.low, value.high) == (number, number, number)
    assert value.base == pytest.approx((base, base, base), rel=1e-15)
    assert (str(value.unit.dimension), value.is_range) == (dimension, False)


@pytest.mark.parametrize(("text", "low", "number", "high", "unit"), RANGES)
def test_a_range_is_what_it_says(text, low, number, high, unit):
    value = read_value(text)
    assert (value.low, value.number, value.high) == pytest.approx((low, number, high), rel=1e-15, abs=1e-12)
    assert (str(value.unit), value.is_range) == (unit, low != high)


@every(("kind", "text"), NO_VALUES)
def test_what_is_no_value_is_refused_by_name(kind, text):
    with pytest.raises(kind) as caught:
        read_value(text)
    error = caught.value
    assert type(error) is kind
    named = error.unit if kind is UnitError else text[:60]
    assert named in text
    assert repr(named)[:-1] in error.what


def test_a_number_over_one_is_that_number():
    assert (read_value("3/1").number, read_value("3 /1").number, read_value("3 1").number) == (3, 3, 3)


def test_a_refusal_says_what_would_mend_it():
    assert [text for _, text in NO_VALUES if (error := refusal(text)) and not error.hint] == []


def refusal(text: str) -> DeriveError | None:
    try:
        read_value(text)
    except DeriveError as error:
        return error
    return None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1,5 m", "1.5 15"),
        ("1,000 m", "1000"),
        ("1 000 m", "1000"),
        ("5 000 000 USD", "5000000"),
        ("5,000,000 USD", "5000000"),
        ("1.000,5 m", ""),
        ("1e m", ""),
        ("3.0.0 m", ""),
    ],
)
def test_the_numbers_that_a_hint_proposes_can_be_read_and_are_among_those_meant(text, meant):
    proposed = re.findall(r"[0-9][0-9.e]*[0-9]", refusal(text).hint)
    assert [number for number in proposed if refusal(number)] == []
    assert not meant or set(meant.split()) & set(proposed)


WORDS = [  # a text, what is wrong with it, and what would mend it
    ("1,5 m", "a comma follows 1.", "Write 1.5."),
    ("1,000 m", "a comma follows 1.", "Write 1.000 for a decimal, 1000 for thousands."),
    ("1,234,567 m", "a comma follows 1.", "Write 1234567."),
    ("1, m", "a comma follows 1.", "Write 1."),
    ("1.5,0 m", "a comma follows 1.5.", "Write one decimal point, as in 1000.5."),
    ("1.000,5 m", "a comma follows 1.000.", "Write 1000.5."),
    ("1,000.5 m", "a comma follows 1.", "Write 1000.5."),
    ("1,234,567.89 m", "a comma follows 1.", "Write 1234567.89."),
    ("3.0.0 m", "another point follows 3.0.", "Write one decimal point, as in 1.5e3."),
    ("1_000 m", "'_' is inside the number.", "Write plain digits 0 to 9, as in 1e6."),
    ("1'000 m", '"\'" is inside the number.', "Write plain digits 0 to 9, as in 1e6."),
    ("1٣ m", "'٣' is inside the number.", "Write plain digits 0 to 9, as in 1e6."),
    ("1 000 m", "two numbers, 1 and 000.", "Write 1000."),
    ("1 000 1", "two numbers, 1 and 000.", "Write 1000."),
    ("5 000 000 USD", "two numbers, 5 and 000 000.", "Write 5000000."),
    ("1e m", "the exponent after 1 is broken.", "Write 1.5e3."),
    ("1.E+ m", "the exponent after 1. is broken.", "Write 1.5e3."),
    ("1e5e5 m", "the exponent after 1e5 is broken.", "Write 1.5e3."),
    ("1e", "the exponent after 1 is broken.", "Write 1.5e3."),
    ("٣ m", "it does not begin with a number.", "Write the digits 0 to 9."),
    *((f"{sign}5 m", "it does not begin with a number.", "Write a range, as in 2..6 m.") for sign in "<>~≈="),
    *((text, "it does not begin with a number.", "Write a number and its unit, as in 3.35 TB/s.")
      for text in ("m", "", "1..", "5 +/-", "nano", "info 5")),
    ("$ 2.5/h", "it does not begin with a number.", 'Write "2.5 USD/h".'),
    ("$5", "it does not begin with a number.", 'Write "5 USD".'),
    ("$5 h", "it does not begin with a number.", 'Write "5 USD h".'),
    ("$", "it does not begin with a number.", "Write the number first: 3 USD."),
    ("€x", "it does not begin with a number.", "Write the number first: 3 EUR."),
    ("€5/h", "it does not begin with a number.",
     'Give it in USD, or declare EUR in [units] and write "5 EUR/h".'),
    ("£ 3 h", "it does not begin with a number.",
     'Give it in USD, or declare GBP in [units] and write "3 GBP h".'),
    ("5 +/- -1 m", "the width -1 is negative.", "Write 5 +/- 0.1."),
    ("5 m +/- 1 cm", "the width is in another unit.", "Write the ends: 4.99..5.01 m."),
    ("5 m +/- 10 %", "the width is in another unit.", "Write the ends: 4.5..5.5 m."),
    ("-5 m +/- 10 %", "the width is in another unit.", "Write the ends: -5.5..-4.5 m."),
    ("20 degC +/- 1 K", "the width is in another unit.", "Write the ends: 19..21 degC."),
    ("20 degC +/- 9 delta_degF", "the width is in another unit.", "Write the ends: 15..25 degC."),
    ("20 degC +/- 5 %", "the width is in another unit.", "Write the ends, as in 270..330 degC."),
    ("5 m +/- 1 s", "the width is in another unit.", "Write the ends, as in 270..330 m."),
    ("5 degC +/- 3 degF", "the width is in another unit.", "Write the ends, as in 270..330 degC."),
    ("5 +- 1 m", "'+-' follows 5.", "Write 5 +/- 1 m."),
    ("1.5*10^3 m", "a power follows 1.5.", "Write 1.5e3."),
    ("1.5 × 10**-3 m", "a power follows 1.5.", "Write 1.5e-3."),
    ("10^6 m", "a power follows 10.", "Write 1e6."),
    ("10 x 10^6 m", "a power follows 10.", "Write 10e6."),
    ("1e3*10^6 m", "a power follows 1e3.", "Write a single power of ten, as in 1.5e3."),
    ("5 +-", "'+-' follows 5.", "Write 5 +/- 0.1."),
    ("1/2 m", "1/2 is no decimal.", "Write 0.5 m."),
    ("3 / 8", "3 / 8 is no decimal.", "Write 0.375."),
    ("1/3 m", "1/3 is no decimal.", "Write 0.3333333333333333 m."),
    ("2/7", "2/7 is no decimal.", "Write 0.2857142857142857."),
    ('"5 m"', "it does not begin with a number.", "Leave the quotation marks out."),
    ("\u20135 m", "it does not begin with a number.", "Write the minus as '-'."),
    ("\ufeff5 m", "it does not begin with a number.", "Leave out the character U+FEFF, which cannot be seen."),
    ("5 +/- 1 %", "the width can be read two ways.", "Write the ends: 4..6 %, or a width without the percent."),
    ("0...5 m", "three dots can be read two ways.", "Write a range with two: 0..5 m."),
    ("1 m .. 2", "the upper end has no unit.", "Write 1..2 m."),
    ("6..2 m", "the range runs from 6 down to 2.", "Write the lower end first."),
    ("nan", "it is not a finite number.", "Give a finite number."),
    ("5 +/- -Infinity m", "it is not a finite number.", "Give a finite number."),
    ("1e400 m", "1e400 is too large for double precision.", "Give a number between 1e-300 and 1e300."),
    ("-1.0e-400 m", "-1.0e-400 is too small for double precision.", "Give a number between 1e-300 and 1e300."),
    ("1e308 km", "in base units it exceeds the range of double precision.",
     "Give a number between 1e-300 and 1e300 in base units."),
    ("-300 degC", "it lies below absolute zero.", "Temperatures start at 0 K."),
    ("0 +/- 300 degC", "it lies below absolute zero.", "Temperatures start at 0 K."),
]  # fmt: skip


@every(("text", "what", "hint"), WORDS)
def test_a_refusal_says_what_is_wrong_and_what_would_mend_it(text, what, hint):
    error = refusal(text)
    assert (error.what, error.hint) == (f"value {text!r}: {what}", hint)
    assert not isinstance(error, ExpressionError) or error.text == text


def test_a_power_with_a_fraction_is_not_cut_to_a_whole_one():
    assert "1e3" not in str(refusal("10^3.5 m"))


@pytest.mark.parametrize(
    ("text", "column"),
    [("1,5 m", 1), ("  x", 1), ("12 +/- x m", 8), ("5 +/-  -1 m", 10), ("2..  y", 6), ("0...5 m", 4), ("1 m..2", 7),
     ("2 m  ..3,5 m", 8), ("6..2 m", 5), ("5 m +/- 1 cm", 10)],
)  # fmt: skip
def test_a_refusal_knows_how_far_the_text_was_read(text, column):
    assert refusal(text).position == (1, column)


def test_a_text_that_is_too_long_is_refused_unread():
    assert read_value("1" + " " * 398 + "m").number == 1
    error = refusal("1" + " " * 399 + "m")
    assert error.what == f"value '1{' ' * 59}...': 401 characters are too many for a value."
    assert (error.hint, len(error.text)) == ("Keep it under 400.", 401)


@pytest.mark.parametrize(
    ("number", "unit", "text", "expected"),
    [
        (math.inf, "m", "", "value 'inf': it is not a finite number. Give a finite number."),
        (math.nan, "m", "x/0", "value 'x/0': it is not a finite number. Give a finite number."),
        (-300.0, "degC", "", "value '-300.0': it lies below absolute zero. Temperatures start at 0 K."),
        (
            1e308,
            "km",
            "",
            "value '1e+308': in base units it exceeds the range of double precision. "
            "Give a number between 1e-300 and 1e300 in base units.",
        ),
    ],
)
def test_a_number_that_is_refused_is_shown_as_it_was_given(number, unit, text, expected):
    with pytest.raises(DomainError) as caught:
        read_number(number, parse_unit(unit), text)
    assert str(caught.value) == expected


@pytest.mark.parametrize("text", ["60/min", "60 /min", "60 1/min", "60 per min", "60 per  min", "60 / min"])
def test_a_number_over_a_unit_is_that_many_of_its_inverse(text):
    value = read_value(text)
    assert (value.number, str(value.unit), value.base[1]) == (60, "1/min", 1)


@pytest.mark.parametrize("text", ["0 K", "0 degR", "-273.15 degC", "-459.67 degF"])
def test_absolute_zero_is_zero_on_every_scale(text):
    assert read_value(text).base == (0, 0, 0)


def test_an_error_in_a_text_knows_the_text_and_the_place():
    with pytest.raises(ExpressionError) as caught:
        read_value("12 +/- x m")
    assert (caught.value.text, caught.value.position) == ("12 +/- x m", (1, 8))


# One property for each part of the grammar; the other route is Decimal and Fraction

DIGITS = st.text("0123456789", min_size=1, max_size=17)
SIGNS = st.sampled_from(["", "+", "-", "\N{MINUS SIGN}"])


@st.composite
def numerals(draw: st.DrawFn) -> str:
    mantissa = draw(st.one_of(DIGITS, st.tuples(DIGITS, DIGITS).map(".".join), DIGITS.map("{}.".format)))
    exponent = draw(st.one_of(st.just(""), st.integers(-80, 80).map(lambda n: f"{'eE'[n % 2]}{n:+d}")))
    return draw(SIGNS) + mantissa + exponent


UNITS = st.sampled_from([name for name in NAMES if NAMES[name].line not in SCALES])


def exact(numeral: str) -> Fraction:
    return Fraction(Decimal(numeral.replace("\N{MINUS SIGN}", "-")))


@given(numerals(), UNITS)
def test_a_number_is_the_double_nearest_to_what_is_written(numeral, unit):
    value = read_value(f"{numeral} {unit}")
    assert value.number == float(exact(numeral))
    assert value.base[1] == pytest.approx(float(exact(numeral) * by_pint(unit)[0]), rel=1e-15)


@given(numerals(), numerals(), UNITS)
def test_a_range_keeps_its_ends_and_its_middle(one, other, unit):
    low, high = sorted([one, other], key=exact)
    value = read_value(f"{low} .. {high} {unit}")
    assert (value.low, value.high) == (float(exact(low)), float(exact(high)))
    middle = float((exact(low) + exact(high)) / 2)
    assert value.number == pytest.approx(middle, rel=1e-15, abs=1e-15 * max(abs(value.low), abs(value.high)))


@given(
    numerals(),
    numerals().filter(lambda n: exact(n) >= 0),
    UNITS.filter(lambda unit: unit not in ("%", "pct", "percent")),
)
@example("0.3", "0.1", "m")  # in doubles it would begin below 0.2
def test_a_width_goes_both_ways(number, width, unit):
    value = read_value(f"{number} +/- {width} {unit}")
    ends = exact(number) - exact(width), exact(number) + exact(width)
    assert (value.low, value.number, value.high) == (float(ends[0]), float(exact(number)), float(ends[1]))


SHORT = st.builds("{}{}.{}e{}".format, SIGNS, st.integers(0, 9), st.integers(0, 10**9), st.integers(-80, 80))


@given(st.lists(SHORT, min_size=1, max_size=2), UNITS)
def test_a_value_says_what_would_be_read_as_itself(numbers, unit):
    value = read_value(f"{'..'.join(sorted(numbers, key=exact))} {unit}")
    again = read_value(str(value))
    assert (again.low, again.number, again.high, again.unit) == (value.low, value.number, value.high, value.unit)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["m", "", "TB/s", "delta_degC"]))
def test_a_long_number_is_said_to_twelve_figures(number, unit):
    assume(number == 0 or 1e-290 < abs(number) < 1e290)
    value = read_number(number, parse_unit(unit))
    assert read_value(str(value)).number == pytest.approx(number, rel=5e-12)


@given(numerals(), numerals(), st.sampled_from(["m", "%", "%/h"]))
def test_the_ends_that_a_hint_proposes_are_those_that_were_typed(one, other, unit):
    low, high = sorted((one, other), key=exact)
    again = read_value(refusal(f"{low} {unit}..{high}").hint.removeprefix("Write ").removesuffix("."))
    assert (again.low, again.high, again.unit.text) == (float(exact(low)), float(exact(high)), unit)


@given(numerals(), numerals().filter(lambda n: exact(n) >= 0), st.sampled_from(["%", "%/h"]))
def test_the_ends_that_a_hint_proposes_for_a_width_are_those_meant(number, width, unit):
    again = read_value(re.search("ends: (.*), or", refusal(f"{number} +/- {width} {unit}").hint)[1])
    ends = exact(number) - exact(width), exact(number) + exact(width)
    assert (again.low, again.high, again.unit.text) == (*map(float, ends), unit)


PIECES = [
    "",
    " ",
    ".",
    "..",
    ",",
    "e",
    "E",
    "+",
    "-",
    "\N{MINUS SIGN}",
    "+/-",
    "±",
    "0",
    "1",
    "9",
    "99",
    "e308",
    "e-308",
    "٣",
]
PIECES += [
    "(",
    ")",
    "*",
    "**",
    "^",
    "/",
    "²",
    "%",
    "$",
    "°",
    "nan",
    "inf",
    "Q",
    "q",
    "m",
    "degC",
    "delta_",
    "\x00",
    "\n",
    "_",
]
VALID = [
    "3.35 TB/s",
    "300 +/- 20 FLOP/byte",
    "2..6",
    "20 degC",
    "-5 delta_degC",
    "9.80665 m/s**2",
    "1e-9 kg*m²/(s^2 K)",
]
VALID += ["2 m..6 km", "5 ± 0.1 m", "60 rpm", "4 USD/Mtok", "3 m per s", "50 %", "1e300 m", "1 1/s", "0.5..1.5 radian"]


@st.composite
def mangled(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return text


@examples(600)
@given(st.one_of(st.text(max_size=40), mangled(), st.lists(st.sampled_from(PIECES), max_size=10).map("".join)))
def test_any_text_is_a_finite_value_or_is_refused(text):
    if refusal(text) is None:
        value = read_value(text)
        assert value.low <= value.number <= value.high
        assert all(math.isfinite(end) for end in (value.low, value.number, value.high, *value.base))
        again = read_value(str(value))
        assert (again.low, again.number, again.high) == pytest.approx(
            (value.low, value.number, value.high), rel=1e-11, abs=1e-11 * max(abs(value.low), abs(value.high))
        )
        assert again.unit.factors == value.unit.factors


# Numbers that are no texts


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.nan, np.inf])
def test_only_a_finite_number_is_a_value(number):
    with pytest.raises(DomainError, match="finite"):
        read_number(number, DIMENSIONLESS)


@pytest.mark.parametrize(("number", "unit"), [(1e308, "km"), (5e-324, "nm"), (1e300, "Qm")])
def test_a_number_keeps_its_meaning_in_base_units_or_is_refused(number, unit):
    with pytest.raises(DomainError, match="double precision"):
        read_number(number, parse_unit(unit))


NUMBERS = [
    1,
    1.5,
    np.float64(1),
    np.float32(1),
    np.int64(1),
    np.array(1.0),
    sympy.Rational(1, 3),
    sympy.pi,
    sympy.Integer(2),
]
NUMBERS += [fractions.Fraction(1, 3), decimal.Decimal("1.5"), 10**400, math.nan]
NO_NUMBERS = [True, False, np.True_, "1", b"1", 1j, None, [1], (1,), {}, np.array([1.0]), object(), parse_unit("m")]


def test_a_truth_value_a_text_and_a_list_are_no_numbers():
    assert [number for number in NUMBERS if not is_number(number)] == []
    assert [other for other in NO_NUMBERS if is_number(other)] == []


@pytest.mark.parametrize(
    ("text", "unit", "ends"),
    [
        ("2..6 km", "m", (2000, 4000, 6000)),
        ("20 +/- 5 degC", "K", (288.15, 293.15, 298.15)),
        ("60 rpm", "rad/s", (math.tau, math.tau, math.tau)),
        ("60..120 rpm", "Hz", (1, 1.5, 2)),
    ],
)
def test_a_value_in_another_unit_is_the_same_value(text, unit, ends):
    value = read_value(text).sourced(Source("data sheet"))
    other = value.within(parse_unit(unit))
    assert (other.low, other.number, other.high) == pytest.approx(ends, rel=1e-14)
    assert (other.unit, other.source) == (parse_unit(unit), value.source)


def test_a_value_is_frozen_and_remembers_who_said_it():
    value = read_value("3 m")
    sheet = Source("data sheet", "published")
    assert (value.source, value.sourced(sheet).source, value.sourced(sheet).number) == (ASKER, sheet, 3)
    assert value == Value(3.0, 3.0, 3.0, parse_unit("m"))
    assert len({value, read_value("3 m"), value.sourced(sheet)}) == 2
    with pytest.raises(AttributeError):
        value.number = 4.0


# What a value says of itself


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("3.350 TB/s", "3.35 TB/s"),
        ("5", "5"),
        ("5 1", "5"),
        ("2..6 m", "2..6 m"),
        ("-6..-2", "-6..-2"),
        ("5 +/- 1 m", "4..6 m"),
        ("1.2345678901234 m", "1.2345678901234 m"),
        ("1.2345678901234..2.3456789012345 m", "1.2345678901234..2.3456789012345 m"),
        ("2.70000000000000000001 m", "2.70000000000000000001 m"),
        ("12345678901234567890123456789e-70", "1.2345678901234567890123456789e-42"),
    ],
)
def test_a_decimal_is_written_with_all_its_digits(text, shown):
    assert str(read_value(text)) == shown


def test_a_number_that_is_no_decimal_is_written_short():
    assert str(read_value("1 m").within(parse_unit("ft"))) == "3.28083989501 ft"


@pytest.mark.parametrize(
    ("text", "ends", "shown"),
    [
        ("3 USD", "2..10 USD", "3 (2..10) USD"),
        ("2 USD", "2..10 USD", "2 (2..10) USD"),
        ("10 USD", "2..10 USD", "10 (2..10) USD"),
        ("6 USD", "2..10 USD", "2..10 USD"),
        ("3 km", "2000..10000 m", "3 (2..10) km"),
        ("3", "2.0000000000001..9.8765432109876", "3 (2.0000000000001..9.8765432109876)"),
        ("3.0000000000001", "2..9", "3.0000000000001 (2..9)"),
    ],
)
def test_a_number_keeps_its_place_between_the_ends_of_a_range(text, ends, shown):
    value = read_value(text).sourced(Source("data sheet"))
    held = value.between(read_value(ends))
    assert (str(held), held.number, held.unit, held.source) == (shown, value.number, value.unit, value.source)


@pytest.mark.parametrize("text", ["1 km", "11 km"])
def test_a_range_that_does_not_hold_its_number_is_refused(text):
    with pytest.raises(ExpressionError) as caught:
        read_value(text).between(read_value("2..10 km"))
    assert str(caught.value) == f"value {text}: it lies outside its range, 2..10 km. Widen the range."


ROUNDED = [  # a text, and the ends of all that would be written alike, in base units
    ("175 kg", 174.5, 175.5),
    ("175.0 kg", 174.95, 175.05),
    ("-3.5 m", -3.55, -3.45),
    ("3.14e5 m", 313_500, 314_500),
    ("1.E2 m", 50, 150),
    ("20 degC", 292.65, 293.65),
    ("0.5 km", 450, 550),
    ("80", 80, 80),
    ("80 token", 80, 80),
    ("80 sequence", 80, 80),
    ("80.0 token", 79.95, 80.05),
    ("8e1 token", 75, 85),
    ("80 ktoken", 79_500, 80_500),
    ("80 token/s", 79.5, 80.5),
    ("2..6 m", 2, 6),
    ("4 +/- 2 m", 2, 6),
]


@pytest.mark.parametrize(("text", "low", "high"), ROUNDED)
def test_what_is_published_stands_for_all_that_would_be_written_alike(text, low, high):
    value = read_value(text)
    for kind in ("published", "measured"):
        assert value.sourced(Source("a report", kind)).as_rounded == pytest.approx((low, high), rel=1e-14)
    assert value.as_rounded == (value.base[0], value.base[2])


@pytest.mark.parametrize(
    ("text", "unit"), [("175 kg", "g"), ("20 degC", "K"), ("68.0 degF", "degC"), ("80 token", "ktoken")]
)
def test_another_unit_does_not_change_what_would_be_written_alike(text, unit):
    value = read_value(text).sourced(Source("a report", "published"))
    assert value.within(parse_unit(unit)).as_rounded == pytest.approx(value.as_rounded, rel=1e-12)


def test_a_default_that_stands_in_and_a_definition_say_so():
    exactly = read_value("2 m").sourced(BY_DEFINITION)
    assert (exactly.source, otherwise("1.5").source) == (BY_DEFINITION, OTHERWISE)
    assert (exactly.number, otherwise("1.5").number) == (2, 1.5)


def test_the_word_of_the_same_source_changes_nothing():
    value = read_value("3 m")
    assert value.sourced(ASKER) is value


class Shaped:
    """What has some of the marks of a number."""

    def __init__(self, **marks):
        vars(self).update(marks)

    def __float__(self):
        return 1.0


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ({}, True),
        ({"shape": ()}, True),
        ({"shape": (1,)}, False),
        ({"_units": {}}, False),
        *(({"dtype": np.dtype(kind)}, kind != "c16") for kind in ("i4", "u2", "f8", "c16")),
        ({"dtype": np.dtype(bool)}, False),
        ({"dtype": object()}, True),
    ],
)
def test_a_number_is_what_floats_and_has_neither_axes_nor_units(marks, expected):
    assert is_number(Shaped(**marks)) is expected


@given(st.integers(-999, 999), st.integers(1, 999), st.sampled_from([1, 2, 5]))
def test_a_width_has_the_ends_that_its_decimals_give(number, width, places):
    """In doubles 0.3 - 0.1 is less than 0.2, which a limit at 0.2 would notice."""
    middle, half = (Decimal(digits).scaleb(-places) for digits in (number, width))
    value, ends = read_value(f"{middle:f} +/- {half:f} m"), read_value(f"{middle - half:f}..{middle + half:f} m")
    assert value.base == ends.base
    assert [exact_of(end) for end in value.base] == [Fraction(end) for end in (middle - half, middle, middle + half)]


def test_that_a_number_stands_beside_its_range_stays_so_in_another_unit():
    stated = read_value("6 km").between(read_value("2..10 km"))
    assert stated.is_beside_range
    assert stated.within(parse_unit("m")).is_beside_range
    assert not read_value("2..10 km").within(parse_unit("m")).is_beside_range


@pytest.mark.parametrize("text", ["1000000000000000.5", "9007199254740991", "4503599627370495.5"])
def test_a_long_decimal_that_a_double_is_is_exact_however_it_is_given(text):
    assert exact_of(read_value(text).number) == Fraction(text)
    assert exact_of(written(float(text))) == Fraction(text)
