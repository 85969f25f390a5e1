"""What has been seen of a quantity: the least and the most that a source reports.

A number beyond it is not wrong, but remarkable: nobody is known to have reached it. It binds nothing; an answer that
goes beyond it says so, with the source.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quantities.errors import ExpressionError, UnitError
from quantities.tolerances import SAME_DEFAULT
from quantities.units import Unit, convert
from quantities.value import read_value

__all__ = ["Seen", "read_seen"]

_KEYS = ("least", "most", "source")
_EXAMPLE = 'Write seen = { most = "0.56", source = "arXiv 2205.05198" }.'


@dataclass(frozen=True)
class Seen:
    """The ends of what was seen, as text and in base units, and where each was."""

    least: str
    most: str
    source: str
    low: float
    high: float

    @property
    def words(self) -> dict[str, str]:
        """The table that states it."""
        texts = {"least": self.least, "most": self.most, "source": self.source}
        return {key: text for key, text in texts.items() if text}

    def beyond(self, base: float) -> str:
        """How a number in base units lies outside what was seen; empty if it does not.

        >>> from quantities.spelling import parse_unit
        >>> read_seen({"most": "0.56", "source": "a paper"}, "use", parse_unit("")).beyond(0.9)
        'above the most that a known source reports, 0.56 (a paper)'
        """
        if base > self.high + SAME_DEFAULT * abs(self.high):
            return f"above the most that a known source reports, {self.most} ({self.source})"
        if base < self.low - SAME_DEFAULT * abs(self.low):
            return f"below the least that a known source reports, {self.least} ({self.source})"
        return ""


def read_seen(table: Any, name: str, unit: Unit) -> Seen:
    """What a table says was seen of a quantity with this unit; the ends are values of that quantity."""
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
    return Seen(least, most, table["source"], low, high)


def _end(text: str, name: str, unit: Unit) -> float:
    value = read_value(text)
    if value.is_range:
        raise ExpressionError(f"{name}: seen has the range {text!r} as an end.", hint=_EXAMPLE, text=text)
    try:
        return unit.to_base(convert(value.number, value.unit, unit))
    except UnitError as error:
        what = f"{name}: {text} does not fit its unit {unit}."
        raise UnitError(what, hint=error.hint, quantity=name, unit=value.unit.text) from None
