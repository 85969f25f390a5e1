"""Units, and conversions that refuse to guess.

Radians and cycles have no dimension in the SI, but confusing them changes a number by 2 pi. So a cycle (revolution,
rpm) is a dimension of its own. Hertz stays 1/s, but a unit records whether it was written with radians or with hertz,
and `convert` converts each to cycles at its true rate (60 rpm = 1 Hz = 2 pi rad/s of rotation) and never one into the
other.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from quantities.dimension import NUMBER, Dimension
from quantities.errors import UnitError
from quantities.rational import exact_of, nearest
from quantities.tolerances import LEAST, MOST

__all__ = ["DIMENSIONLESS", "Unit", "convert"]


@dataclass(frozen=True)
class Unit:
    """A unit that has been read: its text, its size in coherent base units, and what it measures."""

    text: str
    factors: tuple[tuple[str, Fraction], ...]  # pint's names and their powers
    size: Fraction
    dimension: Dimension
    offset: Fraction = Fraction(0)

    @property
    def is_number(self) -> bool:
        """Whether the unit is that of a bare number: it is "", "1" or the radian."""
        return all(name == "radian" for name, _ in self.factors)

    @property
    def is_difference(self) -> bool:
        return len(self.factors) == 1 and self.factors[0][0].startswith("delta_")

    @cached_property
    def is_rounded(self) -> bool:
        """Whether the unit's size is no rational number: that of a degree has a pi in it, and of m**(1/2) a root."""
        return any(power.denominator != 1 or _is_degree(name) for name, power in self.factors)

    @property
    def counts(self) -> str:
        """Whether the unit counts rotation in "radian", in "hertz", or not at all."""
        for name, _ in self.factors:
            if counted := _counted(name):
                return counted
        return ""

    @property
    def turning(self) -> tuple[Fraction, Fraction]:
        """The powers of radians and of hertz in the unit."""
        powers = {"": Fraction(0), "radian": Fraction(0), "hertz": Fraction(0)}
        for name, power in self.factors:
            powers[_counted(name)] += power
        return powers["radian"], powers["hertz"]

    def to_base(self, number: float) -> float:
        """Convert a number in this unit to a number in coherent base units."""
        exact = exact_of(number)
        if exact is not None and self._is_coherent:
            return number
        if exact is not None:  # in fractions, and rounded once
            in_base = exact * self.size
            return nearest(in_base + self.offset if self.offset else in_base)
        if self.offset:
            return float(_decimal(number) * self.size + self.offset) if math.isfinite(number) else number
        return number * self._scale

    def from_base(self, number: float) -> float:
        exact = exact_of(number)
        if exact is not None and self._is_coherent:
            return number
        if exact is not None:
            return nearest((exact - self.offset if self.offset else exact) / self.size)
        if self.offset:
            return float((_decimal(number) - self.offset) / self.size) if math.isfinite(number) else number
        return number / self._scale

    @cached_property
    def _is_coherent(self) -> bool:
        """Whether the unit is a base unit, or a product of powers of them."""
        return self.size == 1 and not self.offset

    @cached_property
    def _scale(self) -> float:
        return float(self.size)

    @property
    def shown(self) -> str:
        """The unit's text behind a number; empty for a plain number, however it was spelled."""
        return "" if self.text in ("1", "dimensionless") else self.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __str__(self) -> str:
        return self.text or "1"


def _is_degree(name: str) -> bool:
    """Whether a pint name is that of a degree or a part of it."""
    return name in ("degree", "arcminute", "arcsecond") or name.endswith("mas")


def _counted(name: str) -> str:
    """How the unit of a pint name counts rotation, prefixed or not."""
    if _is_degree(name) or name.endswith("radian"):
        return "radian"
    return "hertz" if name.endswith("hertz") else ""


def _decimal(number: float) -> Fraction:
    """The number whose unit is converted as it is written, so that -273.15 degC is exactly 0 K."""
    return Fraction(repr(float(number)))


DIMENSIONLESS = Unit("", (), Fraction(1), NUMBER)


def convert(number: float, source: Unit, target: Unit) -> float:
    """Convert a number in one unit to a number in another.

    >>> from quantities.spelling import parse_unit
    >>> convert(60, parse_unit("rpm"), parse_unit("Hz"))
    1.0
    >>> convert(20, parse_unit("degC"), parse_unit("K"))
    293.15
    """
    ratio = _ratio(source, target)
    exact = exact_of(number)
    if exact is not None and _turns(source, target) == 1:
        converted = nearest((exact * source.size + source.offset - target.offset) / target.size)
    elif source.offset or target.offset:
        if not math.isfinite(number):
            return number
        return float((_decimal(number) * source.size + source.offset - target.offset) / target.size)
    else:
        converted = number * ratio
    if math.isinf(converted) and math.isfinite(number):
        raise _misfit(source, target, "The number exceeds the range of double precision.")
    return converted


@lru_cache(maxsize=4096)
def _ratio(source: Unit, target: Unit) -> float:
    """How many of one unit make one of the other, if they convert."""
    turns = _turns(source, target)
    scale = source.size / target.size
    if not (LEAST < scale < MOST or source.offset or target.offset):
        raise _misfit(source, target, "Their ratio is out of range.")
    return float(scale) * turns


_MISTAKES: tuple[tuple[dict[str, int], str], ...] = (
    ({"accelerator": 1}, "If it is a total where a per-chip value is meant, divide it by the chips."),
    ({"accelerator": -1}, "If it is a per-chip value where a total is meant, multiply it by the chips."),
    ({"time": 1}, "If it is an amount where a rate is meant, divide it by a time."),
    ({"time": -1}, "If it is a rate where an amount is meant, multiply it by a time."),
    ({"current": 1, "time": 1, "temperature": -1}, "C is the coulomb: write degC for Celsius."),
)
"""The hints for typical mistakes, by the ratio of the given and the expected dimension."""


def _turns(source: Unit, target: Unit) -> float:
    """The factor by which a conversion of units differs from their sizes; raises an error if there is none."""
    ratio = source.dimension / target.dimension
    (radians, hertz), (target_radians, target_hertz) = source.turning, target.turning
    radians, hertz = radians - target_radians, hertz - target_hertz
    if not ratio:
        if (source.offset and target.is_difference) or (target.offset and source.is_difference):
            raise _misfit(source, target, "One is a temperature, the other a difference of temperatures.")
        if radians * hertz < 0:
            hint = "Hertz counts cycles, 2 pi radians each: write rad/s for one, Hz for the other."
            raise _misfit(source, target, hint)
        return 1.0
    if ratio.bases.keys() == {"cycle"} and len(ratio.powers) == 1:
        cycles = ratio.bases["cycle"]
        if radians == -cycles:
            return float(math.tau ** float(cycles))
        if hertz == -cycles:
            return 1.0
        hint = "Cycles become 1/s only as Hz (one each) or as rad/s (2 pi each): say which."
        raise _misfit(source, target, hint)
    hint = next((hint for bases, hint in _MISTAKES if bases == ratio.bases), f"They differ by {ratio}.")
    raise _misfit(source, target, hint)


def _misfit(source: Unit, target: Unit, hint: str) -> UnitError:
    what = f"'{source}' [{source.dimension}] does not convert to '{target}' [{target.dimension}]."
    return UnitError(what, hint=hint, unit=source.text)
