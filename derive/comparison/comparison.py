"""A comparison of two answers: the ratio of their values, and the factor of everything that differs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from derive.showing import Shown
from derive.solving.execution.answer import Answer
from derive.time_limits import query

__all__ = ["Comparison", "Factor", "Kind", "first_names"]

_TOLD = 3  # names in a row

Kind = Literal["number", "regime", "way", "together"]
"""A number that both answers state; an arm or case that binds; another way to a quantity; several of these as one."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One difference between two answers, and what it accounts for.

    `amount` is the factor of the ratio, or where the two are compared by their difference, the part of that in the
    target's unit. `low` and `high` bound it over the ranges of its own number, the others being held.
    """

    names: tuple[str, ...]
    kind: Kind
    amount: float
    before: str  # the number in the first answer, or the arm that binds there
    after: str
    origins: tuple[str, str] = ("", "")  # the profile of either number, "given" or "default"
    low: float | None = None
    high: float | None = None
    is_ranged: bool = False  # either number has a range
    is_within_ranges: bool = False  # the ranges of the two numbers overlap
    members: tuple[Factor, ...] = ()  # the numbers that are taken together, without amounts of their own

    @property
    def name(self) -> str:
        """The quantity, or the quantities that move together."""
        return ", ".join(self.names)

    @property
    def label(self) -> str:
        """The name, with a word for a regime; of many names the first ones."""
        names = first_names(self.names)
        return f"regime of {names}" if self.kind == "regime" else names


def first_names(names: Sequence[str]) -> str:
    """Names in a row; of many, the first ones and the number of the others."""
    more = len(names) - _TOLD
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_TOLD])} and {more} more"


@dataclass(frozen=True)
class Comparison(Shown):
    """Why the second of two answers differs from the first; the factors multiply up to the ratio."""

    a: Answer
    b: Answer
    ratio: float | None  # b over a; None where a ratio means nothing, and the difference is shared instead
    bounds: tuple[float, float] | None  # of the ratio, or of the difference in the target's unit, over all ranges
    factors: tuple[Factor, ...]  # the largest first
    idle: tuple[Factor, ...]  # what differs without a factor of its own
    method: str
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The name of the quantity."""
        return self.a.quantity.name

    @cached_property
    def change(self) -> float:
        """The second value less the first, in the target's unit."""
        unit = self.a.quantity.unit
        assert self.a.base is not None
        assert self.b.base is not None
        return unit.from_base(self.b.base) - unit.from_base(self.a.base)

    @property
    def difference(self) -> Any:
        """The second value less the first, as a pint Quantity."""
        return self.b.value - self.a.value

    @property
    def low(self) -> float | None:
        """The least ratio over the ranges of the givens, or the least difference; None without ranges."""
        return None if self.bounds is None else self.bounds[0]

    @property
    def high(self) -> float | None:
        """The greatest ratio over the ranges of the givens, or the greatest difference; None without ranges."""
        return None if self.bounds is None else self.bounds[1]

    @property
    def is_within_ranges(self) -> bool:
        """Whether the two answers may be equal, for all that the ranges say."""
        neutral = 0.0 if self.ratio is None else 1.0
        return (
            self.bounds is not None and self.bounds[0] <= neutral <= self.bounds[1] and self.bounds[0] < self.bounds[1]
        )

    def factor(self, name: str) -> float:
        """What one quantity accounts for; neutral where it does not differ or has no effect."""
        found = [one.amount for one in self.factors if name in one.names]
        return math.fsum(found) if self.ratio is None else math.prod(found)

    @query()
    def text(self, digits: int | None = None) -> str:
        """The values, the factors and what they are of, as aligned text."""
        from derive.comparison.comparison_text import as_text

        return as_text(self, digits)

    def plot(self) -> Any:
        """A figure: the waterfall from the first value to the second."""
        from derive.comparison.waterfall import charts
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    def __repr__(self) -> str:
        return f"<Comparison of {str(self).splitlines()[0]}>"

    def __str__(self) -> str:
        return self.text()
