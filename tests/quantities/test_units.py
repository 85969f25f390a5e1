"""Units: what each is worth, what their grammar means, what is refused, and that radians and cycles stay apart."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quantities.errors import DeriveError, UnitError
from quantities.spelling import parse_unit
from quantities.units import DIMENSIONLESS, Unit, convert
from tests.ordinary import every, examples
from tests.processes import ended
from tests.quantities.table import NAMES, PREFIXED, SCALES, by_pint

# The SI, 9th edition, tables 2 and 4, and what else the tables below are given in: each in base units.
COHERENT = {
    "1": "1",
    "A": "A",
    "A/m": "A/m",
    "Bq": "1/s",
    "C": "s*A",
    "C*m": "m*s*A",
    "C/kg": "s*A/kg",
    "F": "s**4*A**2/kg/m**2",
    "Gy": "m**2/s**2",
    "H": "kg*m**2/s**2/A**2",
    "Hz": "1/s",
    "J": "kg*m**2/s**2",
    "J/(kg*K)": "m**2/s**2/K",
    "K": "K",
    "N": "kg*m/s**2",
    "N/m": "kg/s**2",
    "Pa": "kg/m/s**2",
    "Pa*s": "kg/m/s",
    "S": "s**3*A**2/kg/m**2",
    "Sv": "m**2/s**2",
    "T": "kg/s**2/A",
    "V": "kg*m**2/s**3/A",
    "W": "kg*m**2/s**3",
    "W/(m**2*K)": "kg/s**3/K",
    "W/(m*K)": "kg*m/s**3/K",
    "Wb": "kg*m**2/s**2/A",
    "byte": "byte",
    "byte/s": "byte/s",
    "cd": "cd",
    "cd/m**2": "cd/m**2",
    "kat": "mol/s",
    "kg": "kg",
    "kg*m**2": "kg*m**2",
    "kg/m**2": "kg/m**2",
    "kg/m**3": "kg/m**3",
    "lm": "cd",
    "lx": "cd/m**2",
    "m": "m",
    "m**2": "m**2",
    "m**2/s": "m**2/s",
    "m**3": "m**3",
    "m**3/s": "m**3/s",
    "m/m**3": "1/m**2",
    "m/s": "m/s",
    "m/s**2": "m/s**2",
    "mol": "mol",
    "ohm": "kg*m**2/s**3/A**2",
    "rad": "1",
    "s": "s",
    "sr": "1",
}
SI_PREFIXES = "q r y z a f p n µ m c d da h k M G T P E Z Y R Q"
SI_SYMBOLS = "m g s A K mol cd rad sr Hz N Pa J W C V F Ω S Wb T H lm lx Bq Gy Sv kat L t eV Da bar"

# NIST Special Publication 811 (2008), appendix B.8, the factors printed in bold; the SI, 9th edition, tables 7 and 8;
# IEC 80000-13 for information. A unit, how many, of what.
EXACT = """
angstrom            1e-10             m
au                  149597870700      m
ft                  0.3048            m
inch                0.0254            m
micron              1e-6              m
mile                1609.344          m
nmi                 1852              m
thou                2.54e-5           m
yd                  0.9144            m
barn                1e-28             m**2
ft**2               0.09290304        m**2
ha                  10000             m**2
inch**2             6.4516e-4         m**2
L                   0.001             m**3
imperial_gallon     0.00454609        m**3
inch**3             1.6387064e-5      m**3
d                   86400             s
h                   3600              s
min                 60                s
g                   0.001             kg
carat               0.0002            kg
grain               6.479891e-5       kg
lb                  0.45359237        kg
t                   1000              kg
dyn                 1e-5              N
gf                  9.80665e-3        N
kgf                 9.80665           N
atm                 101325            Pa
bar                 100000            Pa
mbar                100               Pa
cmH2O               98.0665           Pa
kgf/cm**2           98066.5           Pa
technical_atmosphere 98066.5          Pa
cal                 4.184             J
kcal                4184              J
erg                 1e-7              J
eV                  1.602176634e-19   J
Wh                  3600              J
kWh                 3.6e6             J
tonne_of_TNT        4.184e9           J
cal/s               4.184             W
Btu/(lb*delta_degF) 4186.8            J/(kg*K)
ft/min              5.08e-3           m/s
mph                 0.44704           m/s
galileo             0.01              m/s**2
standard_gravity    9.80665           m/s**2
P                   0.1               Pa*s
cP                  0.001             Pa*s
St                  1e-4              m**2/s
cSt                 1e-6              m**2/s
gauss               1e-4              T
Mx                  1e-8              Wb
A*h                 3600              C
Ah                  3600              C
mho                 1                 S
Ci                  3.7e10            Bq
rem                 0.01              Sv
roentgen            2.58e-4           C/kg
nit                 1                 cd/m**2
elementary_charge   1.602176634e-19   C
bit                 0.125             byte
kB                  1000              byte
KiB                 1024              byte
GB                  1e9               byte
GiB                 1073741824        byte
TiB                 1099511627776     byte
Mb/s                125000            byte/s
Gb/s                1.25e8            byte/s
Gbps                1.25e8            byte/s
%                   0.01              1
ppm                 1e-6              1
"""

# The same, of the factors that are printed to six or seven figures
ROUNDED = """
ly                  9.46073e15        m
parsec              3.085678e16       m
mile**2             2.589988e6        m**2
bbl                 1.589873e-1       m**3
cup                 2.365882e-4       m**3
fluid_ounce         2.957353e-5       m**3
ft**3               2.831685e-2       m**3
gal                 3.785412e-3       m**3
US_pint             4.731765e-4       m**3
quart               9.463529e-4       m**3
yd**3               7.645549e-1       m**3
long_ton            1.016047e3        kg
oz                  2.834952e-2       kg
short_ton           9.071847e2        kg
slug                1.459390e1        kg
stone               6.350293          kg
troy_ounce          3.110348e-2       kg
Da                  1.66054e-27       kg
lb*ft**2            4.214011e-2       kg*m**2
oz/ft**2            3.051517e-1       kg/m**2
lb/ft**3            1.601846e1        kg/m**3
lb/gal              1.198264e2        kg/m**3
grain/gal           1.711806e-2       kg/m**3
slug/ft**3          5.153788e2        kg/m**3
kip                 4.448222e3        N
lbf                 4.448222          N
ozf                 2.780139e-1       N
poundal             1.382550e-1       N
lbf/ft              1.459390e1        N/m
inHg                3.386389e3        Pa
inH2O               2.490889e2        Pa
ksi                 6.894757e6        Pa
mmHg                1.333224e2        Pa
psf                 4.788026e1        Pa
psi                 6.894757e3        Pa
torr                1.333224e2        Pa
lbf*s/ft**2         4.788026e1        Pa*s
Btu                 1.055056e3        J
ft*lbf              1.355818          J
ft*poundal          4.214011e-2       J
quad                1.055056e18       J
therm               1.05506e8         J
Btu/h               2.930711e-1       W
ft*lbf/min          2.259697e-2       W
hp                  7.456999e2        W
kcal/min            6.973333e1        W
metric_horsepower   7.354988e2        W
ton_of_refrigeration 3.516853e3       W
Btu/(h*ft*delta_degF) 1.730735        W/(m*K)
Btu/(h*ft**2*delta_degF) 5.678263     W/(m**2*K)
km/h                2.777778e-1       m/s
kph                 2.777778e-1       m/s
knot                5.144444e-1       m/s
ft**3/min           4.719474e-4       m**3/s
gal/day             4.381264e-8       m**3/s
gpm                 6.309020e-5       m**3/s
lpm                 1.666667e-5       m**3/s
mile/gal            4.251437e5        m/m**3
Oe                  7.957747e1        A/m
debye               3.33564e-30       C*m
footcandle          1.076391e1        lx
delta_degF          5.555556e-1       K
degR                5.555556e-1       K
arcminute           2.908882e-4       rad
arcsecond           4.848137e-6       rad
degree              1.745329e-2       rad
"""

FIXED_POINTS = [  # the same temperature on two scales: NIST Special Publication 811, appendix B.8
    ("0 degC", "273.15 K"),
    ("100 degC", "212 degF"),
    ("37 degC", "98.6 degF"),
    ("-40 degC", "-40 degF"),
    ("32 degF", "273.15 K"),
    ("32 degF", "491.67 degR"),
    ("0 K", "0 degR"),
    ("0 K", "-273.15 degC"),
    ("0 K", "-459.67 degF"),
    ("20 °C", "68 °F"),
]

TAU = math.tau
TURNING = {  # what one of the first is in the second; None where only a guess could say
    "rpm": {"rpm": 1, "Hz": 1 / 60, "rad/s": TAU / 60, "1/s": None, "degree/s": 6},
    "Hz": {"rpm": 60, "Hz": 1, "rad/s": None, "1/s": 1, "degree/s": None},
    "rad/s": {"rpm": 60 / TAU, "Hz": None, "rad/s": 1, "1/s": 1, "degree/s": 360 / TAU},
    "1/s": {"rpm": None, "Hz": 1, "rad/s": 1, "1/s": 1, "degree/s": 360 / TAU},
    "degree/s": {"rpm": 1 / 6, "Hz": None, "rad/s": TAU / 360, "1/s": TAU / 360, "degree/s": 1},
}
RATES = [(source, target, factor) for source, row in TURNING.items() for target, factor in row.items()]


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


def dimension(unit: Unit) -> dict[str, Fraction]:
    return unit.dimension.bases


def split(text: str) -> tuple[float, Unit]:
    number, _, unit = text.partition(" ")
    return float(number), parse_unit(unit)


@every(("unit", "published", "of"), rows(EXACT))
def test_an_exact_factor_is_exact(unit, published, of):
    assert parse_unit(unit).size == Fraction(published)
    assert str(parse_unit(unit).dimension) == COHERENT[of]


@every(("unit", "published", "of"), rows(ROUNDED))
def test_a_published_factor_agrees_in_every_figure(unit, published, of):
    last_figure = Fraction(10) ** Decimal(published).as_tuple().exponent
    assert abs(parse_unit(unit).size - Fraction(published)) <= last_figure / 2
    assert str(parse_unit(unit).dimension) == COHERENT[of]


@every("unit", COHERENT)
def test_a_coherent_unit_is_one_of_its_base_units(unit):
    read = parse_unit(unit)
    assert (read.size, str(read.dimension)) == (1, COHERENT[unit])


def test_every_si_unit_takes_every_si_prefix():
    taken = {"ft", "ct", "qt", "mt"}  # the foot, the carat, the quart, and what some write for a metric ton
    spelled = {prefix + symbol for prefix in SI_PREFIXES.split() for symbol in SI_SYMBOLS.split()} - taken
    assert [spelling for spelling in sorted(spelled) if not readable(spelling)] == []


def test_every_spelling_of_the_table_can_be_written():
    of_two_meanings = {"mt", "MBtu", "MBTU"}
    spelled = {*NAMES, *(prefix + name for prefix, name in PREFIXED)} - of_two_meanings
    assert [name for name in sorted(spelled) if not readable(name)] == []


def refusal(text: str) -> UnitError | None:
    try:
        parse_unit(text)
    except UnitError as error:
        return error
    return None


def readable(text: str) -> bool:
    return refusal(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\N{GREEK CAPITAL LETTER OMEGA}", "\N{OHM SIGN}"),
        ("k\N{GREEK CAPITAL LETTER OMEGA}", "k\N{OHM SIGN}"),
        ("\N{LATIN CAPITAL LETTER A WITH RING ABOVE}", "\N{ANGSTROM SIGN}"),
        ("\N{MICRO SIGN}m", "\N{GREEK SMALL LETTER MU}m"),
        ("um", "\N{MICRO SIGN}m"),
        ("°C", "degC"),
        ("m\N{MIDDLE DOT}s", "m\N{DOT OPERATOR}s"),
        ("m\N{MULTIPLICATION SIGN}s", "m*s"),
        ("m²", "m**2"),
        ("m\N{SUPERSCRIPT MINUS}¹²", "m**-12"),
        ("m^2", "m**2"),
        ("m^(1/2)", "m**0.5"),
        ("meter per second", "m/s"),
        ("1 per s", "1/s"),
        ("m\N{NO-BREAK SPACE}s", "m s"),
        ("  m  ", "m"),
        ("tokens", "token"),
        ("GPU*h", "chip h"),
        ("dimensionless", ""),
        ("   ", ""),
        ("1", ""),
    ],
)
def test_two_ways_of_writing_are_one_unit(one, other):
    a, b = parse_unit(one), parse_unit(other)
    assert (a.factors, a.size, a.dimension, a.offset) == (b.factors, b.size, b.dimension, b.offset)


@pytest.mark.parametrize(
    ("aliases", "name"),
    [
        ("tok Tok tokens", "token"),
        ("param params parameters", "parameter"),
        ("seq seqs sequences", "sequence"),
        ("gpu GPU GPUs tpu TPU accelerator accelerators chips", "chip"),
        ("$ usd dollar dollars", "USD"),
        ("B octet bytes", "byte"),
        ("b bits", "bit"),
        ("flop FLOPs", "FLOP"),
        ("mac MACs", "MAC"),
        ("rev turn cycle", "revolution"),
    ],
)
def test_an_alias_is_the_unit_itself(aliases, name):
    assert {parse_unit(alias).factors for alias in aliases.split()} == {((name, 1),)}


@pytest.mark.parametrize(
    ("unit", "base"),
    [
        ("byte", "information"),
        ("FLOP", "operation"),
        ("token", "token"),
        ("parameter", "parameter"),
        ("sequence", "sequence"),
        ("chip", "accelerator"),
        ("USD", "money"),
        ("revolution", "cycle"),
    ],
)
def test_what_is_easily_confused_is_a_dimension(unit, base):
    assert (parse_unit(unit).size, dimension(parse_unit(unit))) == (1, {base: 1})
    for other in ("", "m", "byte*token"):
        with pytest.raises(UnitError):
            convert(1.0, parse_unit(unit), parse_unit(other))


def test_a_multiply_and_add_is_two_operations():
    assert convert(3.0, parse_unit("MAC"), parse_unit("FLOP")) == 6
    assert convert(3.0, parse_unit("GMAC/s"), parse_unit("TFLOP/s")) == pytest.approx(0.006, rel=1e-15)


# A unit as a tree, its text in any of the ways of writing it, and its worth in exact fractions from the other reader

BASE = st.sampled_from([n for n in NAMES if NAMES[n].line not in SCALES])
Worth = tuple[Fraction, dict[str, Fraction]]


def times(a: Worth, b: Worth, sign: int) -> Worth:
    bases = {base: a[1].get(base, 0) + sign * b[1].get(base, 0) for base in {**a[1], **b[1]}}
    return a[0] * b[0] ** sign, {base: power for base, power in bases.items() if power}


def raised(a: Worth, power: int) -> Worth:
    return a[0] ** power, {base: exponent * power for base, exponent in a[1].items() if power}


@st.composite
def written(draw: st.DrawFn, depth: int = 2) -> tuple[str, Worth]:
    """A product or quotient of powers: (text, worth)."""
    parts = [draw(factor(depth)) for _ in range(draw(st.integers(1, 3)))]
    text, worth = parts[0]
    divided = False
    for more, its_worth in parts[1:]:
        divides = draw(st.booleans())
        signs = ["/", " / ", " per "] if divides else ["*", " * ", "·", "⋅", "×", *([] if divided else [" "])]
        text += draw(st.sampled_from(signs)) + more
        worth = times(worth, its_worth, -1 if divides else 1)
        divided = divided or divides
    return text, worth


@st.composite
def factor(draw: st.DrawFn, depth: int) -> tuple[str, Worth]:
    if depth and draw(st.booleans()):
        text, worth = draw(written(depth - 1))
        text = f"({text})"
    else:
        text = draw(BASE)
        worth = by_pint(text)
    power = draw(st.integers(-3, 3))
    marks = {1: ["", "**1", "^(1)", "¹"]}.get(power, [f"**{power}", f"^{power}", f"**({power})", high(power)])
    return text + draw(st.sampled_from(marks)), raised(worth, power)


def high(power: int) -> str:
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


@given(written())
def test_a_unit_means_the_product_that_it_spells(unit):
    text, (size, bases) = unit
    if 1e-300 < size < 1e300:
        read = parse_unit(text)
        assert (read.size, dimension(read)) == (size, bases)
    else:
        with pytest.raises(UnitError, match="size"):
            parse_unit(text)


@pytest.mark.parametrize(
    ("text", "meant"),
    [("J/kg*K", "J*K/kg"), ("J/kg/K", "J/(kg*K)"), ("m/s/s", "m/s**2"), ("m**-1*s", "s/m"), ("(m/s) kg", "kg*m/s")],
)
def test_division_runs_from_left_to_right(text, meant):
    assert parse_unit(text).dimension == parse_unit(meant).dimension


@given(st.fractions(-9, 9, max_denominator=9), st.sampled_from(["m", "km", "inch", "Btu", "GiB"]))
def test_a_broken_power_of_a_unit_is_that_power_of_its_size(power, name):
    read = parse_unit(f"{name}**({power})")
    size, bases = by_pint(name)
    assert float(read.size) == pytest.approx(float(size) ** float(power), rel=1e-12)
    assert dimension(read) == raised((Fraction(1), bases), power)[1]


REFUSED = [
    "Nm",
    "kgm",
    "KB",
    "Kb",
    "mb",
    "mB",
    "dB",
    "dBm",
    "mtok",
    "ton",
    "tons",
    "kton",
    "mt",
    "MBtu",
    "MBTU",
    "FLOPS",
    "TFLOPS",
    "TOPS",
    "kiB",
    "%s",
    "5",
    "2 m",
    "1.0",
    "0",
    "J/kg K",
    "m/s kg",
    "m per s kg",
    "m⁄s",
    "m∕s",
    "m,s",
    "m.s",
    "m**−1",
    "√Hz",
    "½",
    "m½",
    "m\x00",
    "€",
    "gpu-hour",
    "m2",
    "m**2**3",
    "m^1e3",
    "m**",
    "m**-",
    "m^()",
    "m^(2",
    "m^(1/0)",
    "m^٢",
    "m**10001",
    "m**(1/10001)",
    "(m**101)**100",
    "m//s",
    "m*",
    "*m",
    "/s",
    "m/",
    "(m",
    "m)",
    "()",
    "per",
    "degC*m",
    "degC**2",
    "mdegC",
    "delta_K",
    "degree Celsius",
    "furlong",
    "__class__",
    "m\N{RIGHT-TO-LEFT OVERRIDE}",
    "\N{CYRILLIC SMALL LETTER HA}",
    "\ud800",
    "a" * 301,
    "(" * 60 + "m" + ")" * 60,
    "m" + "*m" * 150,
]


@every("text", REFUSED)
def test_what_is_no_unit_is_refused_by_name(text):
    with pytest.raises(UnitError) as caught:
        parse_unit(text)
    assert repr(text[:60])[:-1] in caught.value.what
    assert caught.value.unit == text


def test_a_refusal_says_what_would_mend_it():
    assert [text for text in REFUSED if (error := refusal(text)) and not error.hint] == []


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("Nm", "N*m"),
        ("m2", "m**2"),
        ("KB", "KiB"),
        ("TFLOPS", "FLOP/s"),
        ("ton", "tonne"),
        ("mt", "tonne (1000 kg) for a metric ton, or kg for a thousandth of it"),
        ("MBtu", "MMBtu (a million Btu) or kBtu (a thousand)"),
        ("mhz", "MHz"),
        ("tokn", "token"),
        ("GBB", "mean GB?"),
        ("MTokk", "MTok"),
        ("kWhh", "mean kWh?"),
        ("degC*m", "delta_degC"),
        ("J/kg K", "J/(kg*K)"),
        ("m⁄s", "'/'"),
    ],
)
def test_the_hint_proposes_what_was_meant(text, advice):
    with pytest.raises(UnitError) as caught:
        parse_unit(text)
    assert advice in caught.value.hint


@given(st.sampled_from([name for name in NAMES if len(name) > 3]), st.data())
def test_a_misspelled_name_gets_no_advice_that_is_refused_again(name, data):
    place = data.draw(st.integers(0, len(name) - 1))
    typed = name[:place] + data.draw(st.sampled_from(["", "x", name[place].swapcase()])) + name[place + 1 :]
    error = refusal(typed)
    if error and error.hint.startswith("Did you mean"):
        advice = error.hint.removeprefix("Did you mean ").removesuffix("?").split(" or ")
        assert [other for other in advice if not readable(other)] == []


@pytest.mark.parametrize("text", ["Qm**10.5", "(((inch**99)**99)**99)**99", "((((m**99)**99)**99)**99)**99"])
def test_towers_of_exponents_are_answered_at_once(text):
    program = (
        "import sys; from quantities import parse_unit; from quantities.errors import DeriveError\n"
        "try: parse_unit(sys.argv[1])\n"
        "except DeriveError: pass"
    )
    done = ended(program, text)
    assert (done.returncode, done.stderr) == (0, "")


# Converting


@pytest.mark.parametrize(("source", "target", "factor"), RATES)
def test_radians_and_cycles_do_not_slide(source, target, factor):
    a, b = parse_unit(source), parse_unit(target)
    if factor is None:
        with pytest.raises(UnitError) as caught:
            convert(1.0, a, b)
        assert source in caught.value.what
        assert target in caught.value.what
        assert caught.value.hint
    else:
        assert convert(3.0, a, b) == pytest.approx(3 * factor, rel=1e-14)


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("turn", "rad", TAU),
        ("turn", "degree", 360),
        ("rad", "turn", 1 / TAU),
        ("rad", "", 1),
        ("", "rad", 1),
        ("rpm*s", "rad", TAU / 60),
        ("rad/s", "rpm", 60 / TAU),
        ("krad/s", "rpm", 60_000 / TAU),
        ("mrad", "turn", 0.001 / TAU),
        ("J/rev", "J/rad", 1 / TAU),
        ("J/rad", "J/rev", TAU),
        ("mm/rev", "mm/rad", 1 / TAU),
        ("V/rpm", "V*s/rad", 60 / TAU),
        ("V*s/rad", "V/rpm", TAU / 60),
        ("s/rev", "1/Hz", 1),
    ],
)
def test_a_turn_is_two_pi_radians_above_and_below_the_line(source, target, factor):
    assert convert(1.0, parse_unit(source), parse_unit(target)) == pytest.approx(factor, rel=1e-14)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("turn", ""),
        ("", "turn"),
        ("turn", "1/s"),
        ("Hz*s", "rad"),
        ("Hz*s", "degree"),
        ("Hz/(rad/s)", ""),
        ("rad/s/Hz", ""),
        ("", "rad/(s*Hz)"),
        ("Hz**2", "rad**2/s**2"),
        ("kHz", "krad/s"),
        ("turn**2", ""),
        ("m/turn", "m"),
    ],
)
def test_a_turn_is_no_bare_number(source, target):
    a, b = parse_unit(source), parse_unit(target)
    with pytest.raises(UnitError):
        convert(1.0, a, b)


@pytest.mark.parametrize(("one", "other"), [*FIXED_POINTS, *((b, a) for a, b in FIXED_POINTS)])
def test_a_temperature_is_one_point_on_every_scale(one, other):
    (number, unit), (expected, scale) = split(one), split(other)
    assert convert(number, unit, scale) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("unit", ["degC", "degF"])
def test_a_difference_is_no_temperature(unit):
    point, step = parse_unit(unit), parse_unit(f"delta_{unit}")
    assert (point.is_difference, step.is_difference) == (False, True)
    for source, target in [(point, step), (step, point)]:
        with pytest.raises(UnitError, match="difference of temperatures"):
            convert(20.0, source, target)


@pytest.mark.parametrize(
    ("source", "target", "factor"),
    [
        ("delta_degC", "K", 1),
        ("delta_degC", "delta_degF", 1.8),
        ("delta_degF", "degR", 1),
        ("J/degC", "J/K", 1),
        ("J/(kg*degF)", "J/(kg*K)", 1.8),
        ("1/degC", "1/delta_degF", 5 / 9),
    ],
)
def test_below_the_line_a_degree_is_a_difference(source, target, factor):
    assert convert(1.0, parse_unit(source), parse_unit(target)) == pytest.approx(factor, rel=1e-15)


@pytest.mark.parametrize(
    ("source", "target", "word"),
    [
        ("USD/h", "USD/h/chip", "per-chip"),
        ("USD/h/chip", "USD/h", "total"),
        ("FLOP", "FLOP/s", "rate"),
        ("byte/s", "byte", "amount"),
        ("C", "K", "degC"),
        ("m", "kg", "m/kg"),
    ],
)
def test_a_typical_slip_is_named(source, target, word):
    with pytest.raises(UnitError) as caught:
        convert(1.0, parse_unit(source), parse_unit(target))
    assert word in caught.value.hint
    assert repr(source) in caught.value.what
    assert repr(target) in caught.value.what


SIZED = st.sampled_from([name for name in NAMES if NAMES[name].line not in SCALES]).map(parse_unit)
NUMBERS = st.floats(-1e100, 1e100, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-100)


@given(NUMBERS, SIZED, SIZED)
def test_a_number_converts_by_the_ratio_of_the_sizes_or_not_at_all(number, source, target):
    assume("cycle" not in dimension(source) | dimension(target))
    if dimension(source) == dimension(target) and {source.counts, target.counts} != {"radian", "hertz"}:
        exact = Fraction(number) * by_pint(source.text)[0] / by_pint(target.text)[0]
        assert convert(number, source, target) == pytest.approx(float(exact), rel=1e-15)
    else:
        with pytest.raises(UnitError):
            convert(number, source, target)


@given(st.floats(-1e6, 1e6), st.sampled_from(["K", "degC", "degF", "degR"]), st.sampled_from(["K", "degC", "degF"]))
def test_a_temperature_comes_back(number, source, target):
    there = convert(number, parse_unit(source), parse_unit(target))
    assert convert(there, parse_unit(target), parse_unit(source)) == pytest.approx(number, rel=1e-12, abs=1e-9)


@given(NUMBERS, SIZED)
def test_base_units_and_back(number, unit):
    base = unit.to_base(number)
    assert base == pytest.approx(float(Fraction(number) * by_pint(unit.text)[0]), rel=1e-15)
    assert unit.from_base(base) == pytest.approx(number, rel=1e-15)


@pytest.mark.parametrize(
    ("number", "source", "target"),
    [(1.0, "Qm**9", "qm**9"), (1.0, "qm**9", "Qm**9"), (1e308, "km", "m"), (1e300, "m", "qm")],
)
def test_a_conversion_that_leaves_the_doubles_is_no_number(number, source, target):
    try:
        converted = convert(number, parse_unit(source), parse_unit(target))
    except DeriveError:
        return
    assert math.isfinite(converted)


def test_a_bare_number_is_meant_only_by_nothing_one_and_the_radian():
    assert {text for text in ["", "1", "dimensionless", *NAMES] if parse_unit(text).is_number} == {
        "",
        "1",
        "dimensionless",
        "radian",
        "rad",
    }


def test_a_unit_shows_its_own_text():
    assert [str(parse_unit(text)) for text in ("TB/s", " km ", "", "1")] == ["TB/s", "km", "1", "1"]
    assert str(DIMENSIONLESS) == "1"
    assert parse_unit("m") == parse_unit(" m ")


PIECES = [
    "",
    " ",
    "m",
    "s",
    "kg",
    "degC",
    "delta_",
    "Q",
    "q",
    "k",
    "b",
    "rad",
    "Hz",
    "turn",
    "1",
    "2",
    "99",
    "9.5",
    "٣",
    "²",
    "⁻",
]
PIECES += [
    "*",
    "**",
    "^",
    "/",
    "·",
    "(",
    ")",
    "-",
    "+",
    "−",
    " per ",
    "%",
    "$",
    "°",
    "_",
    "\x00",
    "\n",
    "é",
    ".",
    ",",
    "e",
]
VALID = [
    "TB/s",
    "J/(kg*K)",
    "kg*m²/(s^2 K)",
    "m**(1/2)",
    "USD/Mtok",
    "W/(m**2*degC)",
    "1/s",
    "meter per second",
    "(m/s)**-2",
]


@st.composite
def mangled(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(VALID))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + draw(st.sampled_from(PIECES)) + text[end:]
    return text


ANYTHING = st.one_of(st.text(max_size=40), mangled(), st.lists(st.sampled_from(PIECES), max_size=12).map("".join))


@examples(400)
@given(ANYTHING)
def test_any_text_is_a_unit_or_is_refused(text):
    if readable(text):
        unit = parse_unit(text)
        assert 0 < float(unit.size) < math.inf
        assert parse_unit(str(unit)).factors == unit.factors


@given(ANYTHING)
def test_any_refusal_is_in_words_and_says_what_would_mend_it(text):
    error = refusal(text)
    assert error is None or (error.what and error.hint)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("EUR", 'Declare it with its rate, as in [units] EUR = "1.08 USD"'),
        ("euro", 'Declare it with its rate, as in [units] EUR = "1.08 USD"'),
        ("kBps", "Write kB/s."),
        ("Ym**20", "Its size in base units is out of range."),
        (3, "a int is not a unit."),
    ],
)
def test_what_is_no_unit_is_refused_with_what_to_write(text, hint):
    with pytest.raises(UnitError, match=re.escape(hint)):
        parse_unit(text)


def test_infinity_converts_to_itself():
    assert convert(math.inf, parse_unit("degC"), parse_unit("K")) == math.inf
