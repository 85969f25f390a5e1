"""A second reading of the table of units: by pint itself, in exact fractions.

Nothing here comes from the code under test but the file `units.txt`. Its lines are cut into names and prefixes, its
sections say which may meet, and a plain pint registry, built from the same lines, says what each spelling is worth.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import product
from typing import Any, NamedTuple

import pint
from pint.util import UnitsContainer

LINES = files("quantities").joinpath("units.txt").read_text(encoding="utf-8").splitlines()
Dimensions = dict[str, Fraction]


class Name(NamedTuple):
    line: str  # the first name of the line that defines it
    section: str


class Prefix(NamedTuple):
    line: str
    scale: Fraction

    @property
    def binary(self) -> bool:
        return self.line.endswith("bi")


class Reading(NamedTuple):
    prefix: str
    name: str


def _cut() -> tuple[list[tuple[str, Name]], dict[str, Prefix]]:
    names, prefixes, section = [], {}, "plain"
    for line in LINES:
        if line.startswith("#:"):
            section = line.removeprefix("#:").strip()
        elif line and line[0] != "#":
            first, meaning, *others = line.split(" = ")
            spelled = [first, *(other for other in others if other != "_")]
            if first.endswith("-"):
                prefixes |= {other[:-1]: Prefix(first[:-1], Fraction(meaning)) for other in spelled}
            else:
                names += [(other, Name(first, section)) for other in spelled]
    return names, prefixes


SPELLED, PREFIXES = _cut()
NAMES = dict(SPELLED)


def allowed(prefix: str, name: str) -> bool:
    """Whether the file lets this prefix stand before this name."""
    section, scale = NAMES[name].section, PREFIXES[prefix]
    if section == "multiples":
        return scale.scale >= 1
    return section == "prefixes" and not scale.binary


PREFIXED = [Reading(prefix, name) for prefix, name in product(PREFIXES, NAMES) if allowed(prefix, name)]
SPELLINGS = sorted({*NAMES, *(prefix + name for prefix, name in PREFIXED)})
SCALES = {"degree_Celsius", "degree_Fahrenheit"}  # those with a zero of their own


@cache
def plain_registry() -> Any:
    """pint as it comes, with the lines of the file."""
    built = pint.UnitRegistry(None, non_int_type=Fraction, cache_folder=None)
    built.load_definitions(LINES)
    return built


@cache
def by_pint(spelling: str) -> tuple[Fraction, Dimensions]:
    """How large a unit is in base units, and what it measures."""
    if spelling not in NAMES and any(
        PREFIXES[p].line == "kilo" and NAMES[n].line == "gram" for p, n in _cuts(spelling)
    ):
        return by_pint("kilogram")  # asked for kgram, pint would define the kilogram anew, by the gram
    unit = UnitsContainer({spelling: 1}, non_int_type=Fraction)
    size, _ = plain_registry().get_root_units(unit)
    powers = plain_registry().get_dimensionality(unit)
    return Fraction(size), {base.strip("[]"): Fraction(power) for base, power in powers.items()}


def _cuts(spelling: str) -> list[Reading]:
    cuts = [Reading(spelling[:cut], spelling[cut:]) for cut in range(1, len(spelling))]
    return [cut for cut in cuts if cut.prefix in PREFIXES and cut.name in NAMES]
