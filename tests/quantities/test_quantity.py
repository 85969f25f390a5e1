"""Quantities: symbols that know their unit and keep it, and what may be stated of them."""

from __future__ import annotations

import copy
import decimal
import fractions
import keyword
import math
import pickle
import re
import subprocess
import sys

import numpy as np
import pint
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from quantities.declaration import check_name, read_given
from quantities.errors import DeriveError, DomainError, ExpressionError, UnitError
from quantities.quantity import Quantity
from quantities.spelling import parse_unit
from quantities.value import ASKER, Source, Value, read_value
from tests.ordinary import every, examples

FOREIGN = pint.UnitRegistry()

# Names

GOOD_NAMES = [
    "E",
    "I",
    "N",
    "S",
    "Q",
    "O",
    "C_A",
    "FLOP",
    "beta",
    "gamma",
    "zeta",
    "Symbol",
    "true",
    "x10",
    "_x",
    "lambda_",
]
GOOD_NAMES += ["t", "kv_bytes_per_token", "fast.batch", "a" * 120, "sin", "oo", "zoo", "nan", "None_"]
BAD_NAMES = [
    "pi",
    "a.pi",
    "x,y",
    "x'",
    "",
    " ",
    "x;y",
    "x y",
    "__class__",
    "x.__class__",
    "x..y",
    ".x",
    "x.",
    "x\n",
    "2x",
]
BAD_NAMES += [
    "a" * 121,
    "x-y",
    "x\N{RIGHT-TO-LEFT OVERRIDE}",
    "\N{CYRILLIC SMALL LETTER HA}",
    "√x",
    "λ",
    "eff_%",
    "#1",
    "a[0]",
]
BAD_NAMES += ["\\def\\x{\\x}\\x", "x(", "1", "x\x00", *keyword.kwlist]


@pytest.mark.parametrize("name", GOOD_NAMES)
def test_every_word_is_the_users_own(name):
    quantity = Quantity(name, "m")
    assert (quantity.name, str(quantity), quantity.unit) == (name, name, parse_unit("m"))
    assert (quantity + 1).free_symbols == {quantity}


@every("name", BAD_NAMES)
def test_what_is_no_word_is_no_name(name):
    with pytest.raises(ExpressionError) as caught:
        Quantity(name, "m")
    assert repr(name[:60])[:-1] in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize("name", [None, 3, b"x", ["x"]])
def test_what_is_no_text_is_no_name(name):
    with pytest.raises(ExpressionError):
        check_name(name)


@given(st.text(max_size=8))
def test_any_text_is_a_name_or_is_refused(name):
    words = name.split(".")
    plain = all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", word) for word in words)
    reserved = any(word in ("pi", *keyword.kwlist) or word.startswith("__") for word in words)
    if plain and not reserved:
        assert check_name(name) == name
    else:
        with pytest.raises(ExpressionError):
            check_name(name)


# Symbols that know their unit

UNITS = [
    "",
    "m",
    "s",
    "kg*m/s**2",
    "byte",
    "bit",
    "degC",
    "delta_degC",
    "radian",
    "rpm",
    "Hz",
    "USD/Mtok",
    "1/m**(1/2)",
]
DOMAINS = ["positive", "nonnegative", "real", "1..2", "3..4"]
KINDS = [(unit, f"{domain} {unit}".strip() if ".." in domain else domain) for unit in UNITS for domain in DOMAINS]
kinds = st.sampled_from(KINDS)
other = Quantity("other", "m", domain="real")


def made(kind: tuple[str, str]) -> Quantity:
    unit, domain = kind
    return Quantity("x", unit, "a meaning", latex="X", domain=domain)


def same(a: Quantity, b: Quantity) -> bool:
    return (a == b, hash(a), a.unit, a.domain) == (True, hash(b), b.unit, b.domain)


@given(kinds, kinds)
def test_two_quantities_of_one_name_are_one_only_if_unit_and_domain_are(one, another):
    a, b = made(one), made(another)
    assert (a == b) == (one == another)
    assert (a == b) == (hash(a) == hash(b))
    assert len({a, b}) == 1 + (one != another)


@pytest.mark.parametrize(
    ("one", "another"), [("m", "meter"), ("kg*m", "m*kg"), ("1", ""), ("tok", "token"), ("J/kg/K", "J/(kg*K)")]
)
def test_a_unit_written_in_two_ways_makes_one_quantity(one, another):
    a, b = Quantity("x", one), Quantity("x", another)
    assert (a == b, hash(a)) == (True, hash(b))


def test_a_quantity_is_no_plain_symbol():
    for assumptions in ({}, {"positive": True}, {"real": True}):
        for domain in ("positive", "real"):
            plain = sympy.Symbol("x", **assumptions)
            assert plain != Quantity("x", "m", domain=domain)
            assert Quantity("x", "m", domain=domain) - plain != 0


JOURNEYS = {
    "pickle": lambda q: pickle.loads(pickle.dumps(q)),
    "pickle 2": lambda q: pickle.loads(pickle.dumps(q, 2)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "sympify": sympy.sympify,
    "pickle in an expression": lambda q: pickle.loads(pickle.dumps(sympy.sqrt(q + 1))).free_symbols.pop(),
    "deepcopy in an expression": lambda q: copy.deepcopy([sympy.Max(q, 2)])[0].free_symbols.pop(),
    "subs": lambda q: (2 * other + 1).subs(other, q).free_symbols.pop(),
    "xreplace": lambda q: (2 * other + 1).xreplace({other: q}).free_symbols.pop(),
    "solve": lambda q: sympy.solve(other - 3 * q, other)[0].free_symbols.pop(),
    "simplify": lambda q: sympy.simplify(sympy.sin(q) ** 2 + sympy.cos(q) ** 2 + q).free_symbols.pop(),
    "expand": lambda q: sympy.expand((q + 1) ** 2).free_symbols.pop(),
    "factor": lambda q: sympy.factor(q**2 + 2 * q + 1).free_symbols.pop(),
    "diff": lambda q: sympy.diff(q**3, q).free_symbols.pop(),
    "integrate": lambda q: sympy.integrate(q**2, q).free_symbols.pop(),
    "together": lambda q: sympy.together(1 / q + 1).free_symbols.pop(),
    "Poly": lambda q: sympy.Poly(q**2 + 1, q).gen,
    "Piecewise": lambda q: sympy.Piecewise((q, q > 1), (1, True)).subs(other, 1).free_symbols.pop(),
}


@pytest.mark.parametrize("journey", JOURNEYS)
@examples(25)
@given(kind=kinds)
def test_a_quantity_arrives_as_it_left(journey, kind):
    left = made(kind)
    arrived = JOURNEYS[journey](left)
    assert type(arrived) is Quantity
    assert same(arrived, left)
    assert (arrived.meaning, arrived.latex, arrived.dimension) == ("a meaning", "X", left.unit.dimension)


def test_meaning_latex_and_default_travel():
    left = Quantity("length", "m", "length of the string", latex="L", default="0.994 m")
    for journey in ("pickle", "copy", "deepcopy"):
        arrived = JOURNEYS[journey](left)
        assert (arrived.meaning, arrived.latex, arrived.default) == ("length of the string", "L", left.default)


@pytest.mark.thorough
def test_a_pickle_is_the_same_quantity_in_another_process():
    program = "import pickle, sys; from quantities import Quantity\nq = Quantity('x', 'm', domain='real')\n"
    program += "print(pickle.dumps((q, 3 * q + 1)).hex())"
    for seed in ("1", "2"):
        env = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=env)
        arrived, expression = pickle.loads(bytes.fromhex(done.stdout))
        here = Quantity("x", "m", domain="real")
        assert {arrived: "found"}[here] == "found"
        assert expression == 3 * here + 1
        assert expression - 3 * here == 1


@given(kinds, kinds, st.floats(0.5, 2), st.floats(0.5, 2))
def test_two_of_one_name_never_merge_in_an_expression(one, another, x, y):
    a, b = made(one), made(another)
    apart = one != another
    assert ((a - b != 0), (a / b != 1), sympy.simplify(a - b) != 0) == (apart, apart, apart)
    assert len(sympy.expand((a + b) ** 2).free_symbols) == 1 + apart
    if apart:
        assert sympy.diff(a * b**2, a) == b**2
        assert (a + b).subs(a, 1) == b + 1
        assert sympy.solve(a - 2 * b, a) == [2 * b]
        assert sympy.factor(a**2 - b**2).free_symbols == {a, b}
        assert sympy.Eq(a, b) not in (True, False)
        assert (a + b, hash(a + b), a * b, hash(a * b)) == (b + a, hash(b + a), b * a, hash(b * a))
        assert pickle.loads(pickle.dumps(a - b)) == a - b
        assert sympy.lambdify([a, b], a - 2 * b, dummify=True)(x, y) == x - 2 * y


@given(kinds, st.floats(0.5, 2))
def test_numeric_code_takes_a_quantity_as_its_argument(kind, number):
    x = made(kind)
    assert sympy.lambdify([x], x**2 + 1)(number) == pytest.approx(number**2 + 1)
    assert sympy.lambdify([x], sympy.Max(x, 1), "numpy")(np.array([0.0, 3.0])).tolist() == [1.0, 3.0]


def test_a_dotted_name_is_an_argument_too():
    fast, slow = Quantity("fast.batch", "sequence"), Quantity("slow.batch", "sequence")
    assert sympy.lambdify([fast, slow], fast - slow)(5, 3) == 2


@pytest.mark.parametrize(
    ("domain", "positive", "nonnegative", "real"),
    [
        ("positive", True, True, True),
        ("nonnegative", None, True, True),
        ("real", None, None, True),
        ("1..2 m", True, True, True),
    ],
)
def test_sympy_knows_the_sign(domain, positive, nonnegative, real):
    x = Quantity("x", "m", domain=domain)
    assert (x.is_positive, x.is_nonnegative, x.is_real) == (positive, nonnegative, real)
    assert (sympy.sqrt(x**2) == x) == bool(nonnegative)


# What is stated of a quantity

LENGTH = Quantity("length", "m")
SHARE = Quantity("share", "")
ANGLE = Quantity("angle", "radian", domain="real")
SPEED = Quantity("speed", "rad/s", domain="real")
RATE = Quantity("rate", "Hz", domain="real")
TURNS = Quantity("turns", "rpm", domain="real")
KELVIN = Quantity("hot", "K")
CELSIUS = Quantity("warm", "degC")
STEP = Quantity("step", "delta_degC", domain="real")
SIZE = Quantity("size", "byte")
LEVEL = Quantity("level", "m", domain="nonnegative")
SPAN = Quantity("span", "m", domain="1..2 m")
PLACE = Quantity("place", "m", domain="real")


@pytest.mark.parametrize(
    ("given", "quantity", "base"),
    [
        ("3 m", LENGTH, 3),
        ("3 km", LENGTH, 3000),
        ("2..6 m", LENGTH, 4),
        ("5 +/- 1 m", LENGTH, 5),
        ("3", SHARE, 3),
        (3, SHARE, 3),
        (0.5, ANGLE, 0.5),
        ("0.5", ANGLE, 0.5),
        ("90 degree", ANGLE, math.pi / 2),
        ("3 %", SHARE, 0.03),
        ("3 rad", SHARE, 3),
        ("60 rpm", TURNS, 1),
        ("20 degC", KELVIN, 293.15),
        ("-5 degC", CELSIUS, 268.15),
        ("300 K", CELSIUS, 300),
        ("68 degF", CELSIUS, 293.15),
        ("-5 delta_degC", STEP, -5),
        ("9 delta_degF", STEP, 5),
        ("-5 K", STEP, -5),
        ("0 m", LEVEL, 0),
        ("-7 m", PLACE, -7),
        ("1 m", SPAN, 1),
        ("2 m", SPAN, 2),
        ("1..2 m", SPAN, 1.5),
        ("8 bit", SIZE, 1),
        (read_value("3 km"), LENGTH, 3000),
    ],
)
def test_what_fits_is_taken_as_it_was_stated(given, quantity, base):
    value = read_given(given, quantity)
    assert value.base[1] == pytest.approx(base, rel=1e-15)
    assert str(value) == str(read_value(given) if isinstance(given, str) else given)


TURNING = {  # what is stated, and what it is of each in base units; None where only a guess could say
    "60 rpm": (math.tau, 1, 1),
    "3 Hz": (None, 3, 3),
    "3 1/s": (3, 3, None),
    "3 rad/s": (3, None, 3 / math.tau),
    "0..60 rpm": (math.pi, 0.5, 0.5),
}


@pytest.mark.parametrize(("given", "bases"), TURNING.items())
def test_a_given_does_not_slide_between_cycles_and_radians(given, bases):
    for quantity, base in zip((SPEED, RATE, TURNS), bases, strict=True):
        if base is None:
            with pytest.raises(UnitError):
                read_given(given, quantity)
        else:
            assert read_given(given, quantity).base[1] == pytest.approx(base, rel=1e-14)


NUMBERS = [3, 3.0, np.float64(3), np.float32(3), np.int64(3), np.array(3.0), fractions.Fraction(3), decimal.Decimal(3)]
NUMBERS += [sympy.Integer(3), sympy.Float(3), sympy.Rational(6, 2), "3", " 3 ", "3.0"]


@every("number", NUMBERS, ids=repr)
@every("unit", ["", "1", "dimensionless", "radian", "rad"])
def test_a_bare_number_is_taken_where_it_cannot_be_misread(number, unit):
    assert read_given(number, Quantity("x", unit)).base == (3, 3, 3)


@every("number", NUMBERS, ids=repr)
@every("unit", ["m", "%", "degree", "degC", "token", "rad/s", "rpm", "turn", "USD/Mtok"])
def test_a_bare_number_is_refused_where_there_is_a_unit_to_name(number, unit):
    quantity = Quantity("x", unit)
    with pytest.raises(UnitError) as caught:
        read_given(number, quantity)
    assert caught.value.quantity == "x"
    assert unit in caught.value.what
    proposed = re.search(r'"(.*)"', caught.value.hint).group(1)
    assert read_given(proposed, quantity).number == 3


def test_a_bare_pint_quantity_gets_the_same_advice():
    with pytest.raises(UnitError) as caught:
        read_given(FOREIGN.Quantity(3.0, ""), LENGTH)
    assert read_given(re.search(r'"(.*)"', caught.value.hint).group(1), LENGTH).number == 3


NO_VALUES = [
    True,
    False,
    np.True_,
    1j,
    sympy.I,
    None,
    [1],
    (1,),
    {},
    {1},
    b"3",
    pytest.param(object(), id="an object"),
    np.array([3.0]),
    np.array([1.0, 2]),
]
NO_VALUES += [sympy.Symbol("y"), sympy.true, decimal.Decimal("sNaN"), parse_unit("m"), FOREIGN.meter, range(3)]
NO_VALUES += [FOREIGN.Quantity([1.0, 2.0], "m"), FOREIGN.Quantity([1.0], "m"), FOREIGN.Quantity(1j, "m")]


@every("given", NO_VALUES, ids=repr)
@every("quantity", [SHARE, LENGTH])
def test_what_is_no_number_is_refused_by_its_kind(given, quantity):
    with pytest.raises(ExpressionError) as caught:
        read_given(given, quantity)
    assert caught.value.what.startswith(f"{quantity.name}: ")
    assert type(given).__name__ in caught.value.what
    assert (bool(caught.value.text), bool(caught.value.hint)) == (True, True)


ENDLESS = [math.nan, math.inf, -math.inf, np.nan, np.float32("inf"), sympy.oo, sympy.nan, decimal.Decimal("NaN")]
ENDLESS += ["nan", "inf", "-inf", "1e400", 10**400]


@pytest.mark.parametrize("given", ENDLESS, ids=lambda given: str(given)[:9])
def test_what_is_not_finite_is_outside_every_domain(given):
    for quantity in (SHARE, Quantity("share", "", domain="real")):
        with pytest.raises(DomainError) as caught:
            read_given(given, quantity)
        assert caught.value.what.startswith("share: ")
        assert caught.value.hint


@pytest.mark.parametrize("given", [math.nan, "nan", "1e400", "-1", -1, 0])
def test_a_domain_error_knows_the_quantity_and_its_domain(given):
    with pytest.raises(DomainError) as caught:
        read_given(given, SHARE)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.quantity, error.domain) == ("share", "positive")


@pytest.mark.parametrize(
    ("given", "quantity"),
    [
        ("0 m", LENGTH),
        ("-0 m", LENGTH),
        ("-1 m", LENGTH),
        ("0..1 m", LENGTH),
        ("5 +/- 6 m", LENGTH),
        ("-1e-300 m", LEVEL),
        ("-1..1 m", LEVEL),
        ("0.999 m", SPAN),
        ("2.0000001 m", SPAN),
        ("1..3 m", SPAN),
        ("0..1.5 m", SPAN),
        ("0 K", KELVIN),
        ("-5 K", KELVIN),
        ("-5 K", CELSIUS),
        ("-273.15 degC", KELVIN),
        ("-273.15 degC", CELSIUS),
        ("-300 degC", CELSIUS),
        (-3, SHARE),
        (0, SHARE),
        (Value(math.nan, math.nan, math.nan, parse_unit("m")), PLACE),
    ],
)
def test_what_lies_outside_the_domain_is_refused(given, quantity):
    with pytest.raises(DomainError) as caught:
        read_given(given, quantity)
    assert quantity.name in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize(
    ("given", "quantity"),
    [
        ("3 s", LENGTH),
        ("3 1", LENGTH),
        ("3 furlong", LENGTH),
        ("3 Nm", LENGTH),
        ("20 degC", STEP),
        ("20 delta_degC", CELSIUS),
        ("3 m", SIZE),
        ("3 token", SIZE),
        ("3 m", SHARE),
        ("3 turn", SHARE),
        (read_value("3 s"), LENGTH),
        (read_value("3"), LENGTH),
    ],
)
def test_what_does_not_fit_the_unit_is_refused(given, quantity):
    with pytest.raises(UnitError) as caught:
        read_given(given, quantity)
    assert caught.value.quantity == quantity.name
    assert caught.value.what.startswith(f"{quantity.name}: ")
    assert (bool(caught.value.unit), bool(caught.value.hint)) == (str(given) != "3", True)


@pytest.mark.parametrize("given", ["1,5 m", "", "abc", "6..2 m", "3.0.0 m", "٣ m"])
def test_what_cannot_be_read_is_refused_with_the_name_of_the_quantity(given):
    with pytest.raises(ExpressionError) as caught:
        read_given(given, LENGTH)
    assert caught.value.what.startswith("length: ")
    assert (caught.value.text, bool(caught.value.hint)) == (given, True)


def test_a_given_has_the_source_of_whoever_states_it():
    sheet = Source("data sheet", "published")
    assert read_given("3 m", LENGTH).source == ASKER
    assert read_given("3 m", LENGTH, sheet).source == sheet
    assert read_given(read_value("3 m").sourced(sheet), LENGTH).source == sheet


def test_a_default_is_a_given_like_any_other():
    assert Quantity("x", "m", default="3 km").default.base == (3000, 3000, 3000)
    assert Quantity("x", "", default=0.5).default.number == 0.5
    assert Quantity("x", "m").default is None
    assert Quantity("x", "m", default="3 km").default.source != ASKER
    for default, kind in [("3 s", UnitError), (3, UnitError), ("-1 m", DomainError), ("1,5 m", ExpressionError)]:
        with pytest.raises(kind):
            Quantity("x", "m", default=default)


# pint Quantities of any registry are read anew by the names of their units

BY_NAME = [
    "m",
    "km",
    "µm",
    "ft",
    "mile",
    "nmi",
    "hour",
    "ms",
    "kg",
    "lb",
    "tonne",
    "N",
    "bar",
    "Pa",
    "psi",
    "torr",
    "kWh",
    "eV",
]
BY_NAME += [
    "Btu",
    "calorie",
    "W",
    "hp",
    "knot",
    "mph",
    "gallon",
    "L",
    "degC",
    "delta_degC",
    "degF",
    "K",
    "byte",
    "bit",
    "kB",
    "GiB",
]
BY_NAME += [
    "Mbit",
    "radian",
    "degree",
    "percent",
    "ppm",
    "m/s**2",
    "J/(kg*K)",
    "W/m**2/K",
    "m**0.5",
    "Hz",
    "mol/L",
    "ohm",
    "barn",
]
BY_NAME += ["rpm", "atm", "lbf"]


@every("name", BY_NAME)
def test_a_foreign_quantity_is_read_by_the_names_of_its_units(name):
    quantity = Quantity("x", name)
    stated = read_given(FOREIGN.Quantity(3.0, name), quantity)
    assert stated.base[1] == pytest.approx(parse_unit(name).to_base(3.0), rel=1e-6)
    assert stated.unit.dimension == quantity.dimension


@pytest.mark.parametrize("text", ["3 megabyte", "24 megabit", "3e6 octet"])
def test_foreign_bytes_are_bytes_although_a_foreigner_holds_them_for_numbers(text):
    number, unit = text.split()
    assert read_given(FOREIGN.Quantity(float(number), unit), SIZE).base[1] == 3e6
    with pytest.raises(UnitError):
        read_given(FOREIGN.Quantity(float(number), unit), SHARE)


@pytest.mark.parametrize(
    ("given", "quantity", "kind"),
    [
        (FOREIGN.Quantity(3, "s"), LENGTH, UnitError),
        (FOREIGN.Quantity(3, "furlong"), LENGTH, UnitError),
        (FOREIGN.Quantity(3, "ton"), Quantity("mass", "kg"), UnitError),
        (FOREIGN.Quantity(3, "Mb/s"), Quantity("link", "bit/s"), UnitError),  # a foreigner's barn
        (FOREIGN.Quantity(3, "Hz"), SPEED, UnitError),
        (FOREIGN.Quantity(20, "degC"), STEP, UnitError),
        (FOREIGN.Quantity(-3, "m"), LENGTH, DomainError),
        (FOREIGN.Quantity(math.nan, "m"), LENGTH, DomainError),
        (FOREIGN.Quantity(-300, "degC"), CELSIUS, DomainError),
    ],
)
def test_a_foreign_quantity_is_refused_for_the_same_reasons(given, quantity, kind):
    with pytest.raises(kind) as caught:
        read_given(given, quantity)
    assert quantity.name in caught.value.what
    assert caught.value.hint


@pytest.mark.parametrize(
    "magnitude", [3, 3.0, np.float64(3), np.int64(3), np.array(3.0), fractions.Fraction(3), decimal.Decimal(3)]
)
def test_a_foreign_quantity_may_hold_any_real_number(magnitude):
    assert read_given(FOREIGN.Quantity(magnitude, "km"), LENGTH).base == (3000, 3000, 3000)


ANY = st.one_of(
    st.text(max_size=20), st.floats(), st.integers(), st.booleans(), st.none(), st.complex_numbers(), st.binary()
)


@given(st.one_of(ANY, st.lists(ANY, max_size=2)), st.sampled_from([SHARE, LENGTH, CELSIUS, ANGLE, SPAN]))
def test_anything_is_a_value_inside_the_domain_or_is_refused(given, quantity):
    try:
        value = read_given(given, quantity)
    except DeriveError as error:
        refused = error
    else:
        assert all(end in quantity.domain for end in value.base)
        return
    assert refused.what.startswith(f"{quantity.name}: ")


def test_what_a_declaration_cannot_be():
    with pytest.raises(ExpressionError, match=r"a comma is missing before whole\. Write 1\.\.5, whole\."):
        Quantity("n", "chip", domain="1..5 whole")
    with pytest.raises(ExpressionError, match="n: the domain is a int"):
        Quantity("n", "chip", domain=3)
    with pytest.raises(AttributeError, match="n: a quantity is immutable"):
        Quantity("n", "chip").unit = "m"


@pytest.mark.thorough
def test_a_unit_that_another_registry_defines_otherwise_is_refused():
    length = Quantity("length", "m").declaration
    for defined, said in (
        ("foot = 0.3 meter = ft", "is 0.3 meter in its own"),
        ("ft = 1 second", "is 1 second in its"),
    ):
        theirs = pint.UnitRegistry()
        theirs.define(defined)
        with pytest.raises(UnitError, match=said):
            read_given(theirs.Quantity(3, "ft"), length)
