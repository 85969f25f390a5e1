"""Domains: which values a quantity can take, judged in coherent base units (kelvin for a temperature).

Beside its domain, what has been seen of a quantity (`SeenEnds`): the least and the most that a source reports. A number
beyond it is not wrong, but remarkable. It binds nothing; an answer that goes beyond it says so, with the source.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from quantities.errors import DeriveError, ExpressionError, UnitError, excerpt
from quantities.rational import exact_of
from quantities.tolerances import LEAST, SAME_COUNT, SAME_DEFAULT, UNIT_ROUNDING
from quantities.units import DIMENSIONLESS, Unit, convert
from quantities.value import read_value

__all__ = ["Domain", "SeenEnds", "read_domain", "read_seen"]

_WORDS = {
    "positive": (0.0, math.inf, True),
    "nonnegative": (0.0, math.inf, False),
    "real": (-math.inf, math.inf, False),
}
"""The ends of the domains that have a name, and whether the lower one is excluded."""


@dataclass(frozen=True, slots=True)
class Domain:
    """An interval in base units; `open_low` excludes its lower end.

    >>> from quantities.spelling import parse_unit
    >>> domain = read_domain("0..6.3 radian", parse_unit("radian"))
    >>> 6.3 in domain, 7 in domain
    (True, False)
    """

    text: str
    low: float
    high: float
    open_low: bool = False
    unit: Unit = field(default=DIMENSIONLESS, compare=False, repr=False)
    is_rounded: bool = field(default=False, compare=False, repr=False)  # whether its ends are, by the size of a unit
    is_bare: bool = field(default=False, compare=False, repr=False)  # whether they are stated without a unit
    whole: bool = False  # a count: what is stated of it has to be whole, what is worked out need not be

    def told(self, number: float, digits: int = 6) -> str:
        """A number of a domain in base units as text in the declared unit of the quantity.

        >>> from quantities.spelling import parse_unit
        >>> read_domain("real", parse_unit("mm")).told(0.0125)
        '12.5 mm'
        """
        plain = self.unit.text in ("", "1", "dimensionless")
        return f"{self.unit.from_base(number):.{digits}g}" + ("" if plain else f" {self.unit}")

    def __contains__(self, number: object) -> bool:
        if not isinstance(number, (int, float)) or not math.isfinite(number):
            return False
        above = number > self.low if self.open_low else number >= self.low
        return above and number <= self.high

    def admits(self, number: float, unit: Unit = DIMENSIONLESS) -> bool:
        """Whether a domain admits a number that was stated in a unit: it is inside, or outside only by a rounding.

        One that is known exactly was not rounded, unless its unit is.
        """
        if not (exact_of(number) is None or self.is_rounded or unit.is_rounded):
            return number in self
        slack = UNIT_ROUNDING * abs(number)
        above = number > self.low if self.open_low else number >= self.low - slack
        return math.isfinite(number) and above and number <= self.high + slack

    def is_whole(self, number: float) -> bool:
        """Whether a number for a domain is whole in the declared unit; one that is not known exactly may be rounded.

        >>> from quantities.spelling import parse_unit
        >>> read_domain("whole", parse_unit("ktoken")).is_whole(3000.0)
        True
        """
        count = self.unit.from_base(number)
        exact = None if self.unit.is_rounded else exact_of(count)
        if exact is not None:
            return exact.denominator == 1
        return abs(count - round(count)) <= SAME_COUNT * max(1.0, abs(count))

    @property
    def ends(self) -> tuple[float, float]:
        """The domain's least and greatest number, which it need not have itself."""
        return self.low, self.high

    @property
    def closed(self) -> tuple[float, float]:
        """The domain's ends, with the least number in place of an excluded zero.

        >>> Domain("positive", 0.0, 5.0, open_low=True).closed, Domain("real", -5.0, 5.0).closed
        ((1e-300, 5.0), (-5.0, 5.0))
        """
        return LEAST if self.open_low and self.low == 0 else self.low, self.high

    @property
    def assumptions(self) -> dict[str, bool]:
        """What the domain lets sympy assume of a symbol, such as that it is positive."""
        if self.low > 0 or (self.low == 0 and self.open_low):
            return {"positive": True}
        if self.low == 0:
            return {"nonnegative": True}
        if self.high < 0:
            return {"negative": True}
        return {"real": True}


@lru_cache(maxsize=4096)
def read_domain(text: str, unit: Unit) -> Domain:
    """Read `positive`, `nonnegative`, `real` or `low..high unit`; `whole`, alone for a positive count, may follow them.

    >>> from quantities.spelling import parse_unit
    >>> counted = read_domain("1..4096 chip, whole", parse_unit("chip"))
    >>> counted.whole, counted.is_whole(72.0), counted.is_whole(14.3)
    (True, True, False)
    """
    first, comma, last = text.strip().rpartition(",")
    if last.strip() == "whole":
        inner = read_domain(first if comma else "positive", unit)
        return replace(inner, text=text.strip(), whole=True)
    word = text.strip()
    if word in _WORDS:
        return Domain(word, *_WORDS[word], unit=unit)
    hint = f"Write {', '.join(_WORDS)}, whole, or an interval such as 0..6.3 radian."
    if word.endswith(" whole"):
        hint = f"Write {word.removesuffix('whole').strip()}, whole."
        raise ExpressionError(f"domain {excerpt(text)}: a comma is missing before whole.", hint=hint, text=text)
    if ".." not in word:
        raise ExpressionError(f"domain {excerpt(text)}: it is not one of the known words.", hint=hint, text=text)
    try:
        value = read_value(word)
        if not (value.unit.factors or value.unit.text or unit.is_number):
            raise UnitError("it has no unit.", hint=f"Write {word} {unit}.", unit="")
        low, high = (unit.to_base(convert(end, value.unit, unit)) for end in (value.low, value.high))
    except DeriveError as error:
        raise type(error)(f"domain {excerpt(text)}: {error.what}", hint=error.hint or hint) from None
    is_rounded = value.unit.is_rounded or unit.is_rounded
    return Domain(word, low, high, unit=unit, is_rounded=is_rounded, is_bare=not value.unit.text)


_KEYS = ("least", "most", "source")
_EXAMPLE = 'Write seen = { most = "0.56", source = "arXiv 2205.05198" }.'


@dataclass(frozen=True)
class SeenEnds:
    """The ends of what was seen, as text and in base units, and where each was."""

    least: str
    most: str
    source: str
    low: float
    high: float

    @property
    def words(self) -> dict[str, str]:
        """The table that states what has been seen of a quantity: the least, the most, and the source."""
        texts = {"least": self.least, "most": self.most, "source": self.source}
        return {key: text for key, text in texts.items() if text}

    def beyond(self, base: float) -> str:
        """How a number in base units lies beyond what has been seen of a quantity; empty if it does not.

        >>> from quantities.spelling import parse_unit
        >>> read_seen({"most": "0.56", "source": "a paper"}, "use", parse_unit("")).beyond(0.9)
        'above the most that a known source reports, 0.56 (a paper)'
        """
        if base > self.high + SAME_DEFAULT * abs(self.high):
            return f"above the most that a known source reports, {self.most} ({self.source})"
        if base < self.low - SAME_DEFAULT * abs(self.low):
            return f"below the least that a known source reports, {self.least} ({self.source})"
        return ""


def read_seen(table: Any, name: str, unit: Unit) -> SeenEnds:
    """Read what has been seen of a quantity, beside its domain: the least and the most that a source reports."""
    if not isinstance(table, Mapping) or not all(isinstance(text, str) and text.strip() for text in table.values()):
        raise ExpressionError(f"{name}: seen is not a table of texts.", hint=_EXAMPLE, text=name)
    if odd := [key for key in table if key not in _KEYS]:
        raise ExpressionError(f"{name}: seen has no {odd[0]!r}.", hint=_EXAMPLE, text=name)
    if "source" not in table or len(table) < 2:
        lacking = "source" if "source" not in table else "least and no most"
        raise ExpressionError(f"{name}: seen has no {lacking}.", hint=_EXAMPLE, text=name)
    least, most = table.get("least", ""), table.get("most", "")
    low = _end(least, name, unit) if least else -math.inf
    high = _end(most, name, unit) if most else math.inf
    if low > high:
        raise ExpressionError(f"{name}: seen has more as its least than as its most.", hint=_EXAMPLE, text=name)
    return SeenEnds(least, most, table["source"], low, high)


def _end(text: str, name: str, unit: Unit) -> float:
    value = read_value(text)
    if value.is_range:
        raise ExpressionError(f"{name}: seen has the range {text!r} as an end.", hint=_EXAMPLE, text=text)
    try:
        return unit.to_base(convert(value.number, value.unit, unit))
    except UnitError as error:
        what = f"{name}: {text} does not fit its unit {unit}."
        raise UnitError(what, hint=error.hint, quantity=name, unit=value.unit.text) from None
