"""The table of units: each spelling has one meaning, and two readers find the same one."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest

from quantities.definitions import _OWN, definition, definition_lines, entry, known_names, spellings
from tests.ordinary import every
from tests.quantities.table import LINES, NAMES, PREFIXED, PREFIXES, SCALES, SPELLED, SPELLINGS, by_pint, plain_registry

# Two readings by letters alone, and none but the first is meant. Where the file lets both stand, the whole name wins.
WHOLE_WINS = {
    "ct": "carat",  # not the centitonne
    "ft": "foot",  # not the femtotonne
    "kg": "kilogram",
    "kilogram": "kilogram",
    "qt": "quart",  # not the quectotonne
}
NEVER_PREFIXED = {
    "Eh": "hartree",  # not the exahour
    "au": "astronomical_unit",  # not an attodalton
    "cd": "candela",  # not the centiday
    "kgf": "kilogram_force",
    "kilogram_force": "kilogram_force",
    "milliarcsecond": "mas",
    "min": "minute",  # not the milliinch
    "nmi": "nautical_mile",  # not the nanomile
    "pct": "percent",  # not the picocarat
    "yd": "yard",  # not the yoctoday
}

# The International System of Units, 9th edition, table 7; IEC 80000-13, clause 4
LONG = (
    "quecto ronto yocto zepto atto femto pico nano micro milli centi deci deca hecto kilo mega giga tera peta exa zetta"
)
SHORT = "q r y z a f p n µ m c d da h k M G T P E Z"
POWERS = [-30, -27, -24, -21, -18, -15, -12, -9, -6, -3, -2, -1, 1, 2, 3, 6, 9, 12, 15, 18, 21]
POWERS_OF_TEN = dict(zip(LONG.split(), POWERS, strict=True)) | dict(zip(SHORT.split(), POWERS, strict=True))
POWERS_OF_TEN |= {"yotta": 24, "ronna": 27, "quetta": 30, "Y": 24, "R": 27, "Q": 30}
POWERS_OF_TEN |= {"u": -6, "\N{GREEK SMALL LETTER MU}": -6, "deka": 1}
POWERS_OF_1024 = {
    prefix: power
    for power, names in enumerate(["kibi Ki", "mebi Mi", "gibi Gi", "tebi Ti", "pebi Pi", "exbi Ei"], 1)
    for prefix in names.split()
}


@pytest.mark.thorough
def test_two_readers_find_one_meaning_in_every_spelling():
    ours = {spelling: (found.factor, found.dimension.bases) for spelling in SPELLINGS if (found := entry(spelling))}
    assert ours == {spelling: by_pint(spelling) for spelling in SPELLINGS}


@pytest.mark.parametrize("name", [name for name in NAMES if NAMES[name].line in SCALES])
@pytest.mark.parametrize("degrees", [-40, 0, 100, Fraction("98.6")])
def test_two_readers_place_a_zero_alike(name, degrees):
    kelvin = plain_registry().Quantity(Fraction(degrees), NAMES[name].line).to("kelvin").magnitude
    found = entry(name)
    assert degrees * found.factor + found.offset == kelvin


def test_no_name_is_defined_twice():
    assert [name for name, times in Counter(name for name, _ in SPELLED).items() if times > 1] == []


def test_a_spelling_with_two_readings_is_one_of_a_few_in_which_the_whole_name_wins():
    readings = defaultdict(set)
    for name in NAMES:
        readings[name].add(("", name))
    for prefix, name in product(PREFIXES, NAMES):
        readings[prefix + name].add((prefix, name))
    double = {spelling for spelling, found in readings.items() if len(found) > 1}
    assert double == {*WHOLE_WINS, *NEVER_PREFIXED, "dau"}
    assert entry("dau") is None
    assert {spelling for prefix, name in PREFIXED if (spelling := prefix + name) in NAMES} == set(WHOLE_WINS)
    assert {spelling: entry(spelling).canonical for spelling in double - {"dau"}} == WHOLE_WINS | NEVER_PREFIXED


def test_what_the_sections_forbid_is_not_read():
    forbidden = {prefix + name for prefix, name in product(PREFIXES, NAMES)} - set(SPELLINGS)
    assert len(forbidden) > 10_000
    assert [spelling for spelling in forbidden if entry(spelling)] == []


def test_whole_things_have_no_parts():
    things = [name for name in NAMES if NAMES[name].section == "multiples"]
    lines = {NAMES[name].line for name in things}
    assert lines >= {"bit", "byte", "FLOP", "MAC", "token", "parameter", "sequence"}
    small = [prefix for prefix in PREFIXES if PREFIXES[prefix].scale < 1]
    parts = [prefix + name + plural for prefix, name, plural in product(small, things, ["", "s"])]
    assert [part for part in parts if entry(part)] == []


@every(("prefix", "power"), POWERS_OF_TEN.items())
def test_a_decimal_prefix_is_its_power_of_ten(prefix, power):
    assert entry(f"{prefix}Hz").factor == Fraction(10) ** power


@pytest.mark.parametrize(("prefix", "power"), POWERS_OF_1024.items())
def test_a_binary_prefix_is_its_power_of_1024(prefix, power):
    assert entry(f"{prefix}B").factor == 1024**power
    assert entry(f"{prefix}W") is None


def test_a_plural_means_what_the_singular_means():
    plurals = {name: entry(f"{name}s") for name in SPELLINGS if len(name) > 1}
    assert {name: found for name, found in plurals.items() if found not in (None, entry(name))} == {}
    assert all(plurals[name] for name in ("token", "bit", "GPU", "meter", "pascal", "kilobyte", "hour"))


def test_only_a_scale_with_a_zero_of_its_own_has_a_difference():
    found = {name: entry(f"delta_{name}") for name in NAMES}
    assert {NAMES[name].line for name, difference in found.items() if difference} == SCALES
    assert all(d.offset == 0 and d.factor == entry(name).factor for name, d in found.items() if d)


def test_what_nobody_defined_means_nothing():
    assert [
        name for name in ("", "Nm", "kgm", "delta_", "s_", "kilo", "kk", "mmm", "ss", "furlongs") if entry(name)
    ] == []


def test_the_lines_are_those_of_the_file_and_each_is_found_by_all_its_names():
    assert definition_lines() == LINES
    own = _OWN.keys()  # of files that were read before, in the same process
    assert sorted(name for name in known_names() if name not in own) == sorted(NAMES)
    assert {name: (definition(name).name, definition(name).section) for name in NAMES} == NAMES
    assert definition("Nm") is None


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("mhz", ["MHz", "mHz"]), ("KG", ["kg"]), ("gib", ["GiB", "Gib"]), ("PA", ["Pa"]), ("kwh", ["kWh"]), ("zzz", [])],
)
def test_capitals_that_slipped_are_found(typed, meant):
    assert set(meant) <= set(spellings(typed))
    assert {other.casefold() for other in spellings(typed)} <= {typed.casefold()}
    assert typed not in spellings(typed)
