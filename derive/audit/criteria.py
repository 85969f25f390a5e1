"""What an answer must meet: a number, a range or a bound; or be impossible, independent of something, or sound.

A spoken number is reproduced if the computed one rounds to its digits (at least two). It is rounded if the two differ
by no more than a factor of 1.25, whichever is the larger, and wrong beyond. A range or a bound states its own
tolerance: the answer is in or out, at the digits of its ends, with nothing between.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from derive.audit.question import WrittenQuestion
from derive.tolerances import AGREEMENT
from quantities.value import Value, read_value

__all__ = [
    "BEARING",
    "SIDES",
    "Between",
    "Bound",
    "Criterion",
    "Impossible",
    "Met",
    "Number",
    "Sound",
    "Without",
    "as_printed",
    "compared",
    "goals",
    "read_expected",
]

BEARING = 1.25
"""The tolerance of a spoken number: the factor by which it may be larger or smaller than the computed one."""

SIDES = ("at least", "at most", "more than", "less than")
"""The side of a bound on which the answer must lie, and whether its end is included."""

_PRINTED = re.compile(r"[-+]?(?P<whole>\d*)(?P<point>\.?)(?P<behind>\d*)")
_DIGITS = 2  # least digits of a spoken number: "300" means nearer to 300 than to 290 or 310


@dataclass(frozen=True, slots=True)
class Number:
    """A number: reproduced, rounded, or wrong."""

    stated: str

    def __str__(self) -> str:
        return self.stated


@dataclass(frozen=True, slots=True)
class Between:
    """A range, such as 15..20 ms."""

    stated: str

    def __str__(self) -> str:
        return self.stated


@dataclass(frozen=True, slots=True)
class Bound:
    """A bound on one side, the end itself included or not; it may be the answer to another question."""

    side: str
    stated: str | WrittenQuestion

    def __str__(self) -> str:
        return f"{self.side} {self.stated}"


@dataclass(frozen=True, slots=True)
class Impossible:
    """The claim of impossibility: the question has no solution, or contradicts itself."""

    def __str__(self) -> str:
        return "impossible"


@dataclass(frozen=True, slots=True)
class Without:
    """The claim of independence: the closed form of the target does not contain these quantities."""

    names: tuple[str, ...]

    def __str__(self) -> str:
        return f"no {' and no '.join(self.names)} in it"


@dataclass(frozen=True, slots=True)
class Sound:
    """The claim that the two sides of a statement have one unit."""

    def __str__(self) -> str:
        return "units that fit"


Criterion = Number | Between | Bound | Impossible | Without | Sound


@dataclass(frozen=True, slots=True)
class Met:
    """A computed number against a criterion; `ratio` is the claim, or its nearer end, over the computed number."""

    holds: bool
    exactly: bool
    ratio: float

    @property
    def off(self) -> float:
        """The factor between the two, at least 1; infinite if no factor leads from one to the other."""
        return max(self.ratio, 1 / self.ratio) if self.ratio > 0 else math.inf


def read_expected(text: str) -> Criterion:
    """The criterion that a text states: a number, a range, a bound, or impossibility.

    >>> read_expected("15..20 ms"), read_expected("at least 1 Mtoken")
    (Between(stated='15..20 ms'), Bound(side='at least', stated='1 Mtoken'))
    """
    if text == "impossible":
        return Impossible()
    for side in SIDES:
        if text.startswith(f"{side} "):
            stated = text.removeprefix(side).strip()
            read_value(stated)
            return Bound(side, stated)
    return Between(text) if read_value(text).is_range else Number(text)


def compared(criterion: Number | Between | Bound, claimed: Value, computed: float) -> Met:
    """A computed number compared with the claim, both in the claim's unit.

    >>> from quantities.value import read_value
    >>> [compared(Number("15 ms"), read_value("15 ms"), x).holds for x in (14.96, 14.4, 23.9)]
    [True, True, False]
    >>> [compared(Number("300"), read_value("300"), x).holds for x in (239, 240, 375, 376)]
    [False, True, True, False]
    >>> compared(Between("15..20 ms"), read_value("15..20 ms"), 20.4)
    Met(holds=True, exactly=True, ratio=1.0)
    """
    match criterion:
        case Number():
            met = Met(True, False, _ratio(claimed.number, computed))
            exactly = _rounded(computed, claimed.number) == claimed.number or met.ratio == 1
            return replace(met, holds=exactly or met.off <= BEARING * (1 + AGREEMENT), exactly=exactly)
        case Between():
            inside = _rounded(computed, claimed.low) >= claimed.low and _rounded(computed, claimed.high) <= claimed.high
            nearest = claimed.low if computed < claimed.low else claimed.high
            return Met(inside, inside, 1.0 if inside else _ratio(nearest, computed))
        case Bound(side=side):
            beyond = computed - claimed.number
            slack = AGREEMENT * abs(claimed.number)
            holds = {
                "at least": beyond >= -slack,
                "at most": beyond <= slack,
                "more than": beyond > slack,
                "less than": beyond < -slack,
            }[side]
            return Met(holds, holds, 1.0 if holds else _ratio(claimed.number, computed))


def goals(criterion: Number | Between | Bound, claimed: Value, computed: float) -> tuple[float, ...]:
    """The numbers at which the claim would hold, in its unit: its number or nearest end, then that of its tolerance."""
    match criterion:
        case Number():
            ends = claimed.number / BEARING, claimed.number * BEARING
            return claimed.number, min(ends, key=lambda end: abs(end - computed))
        case Between():
            return (claimed.low if computed < claimed.low else claimed.high,)
        case Bound():
            return (claimed.number,)


def _ratio(claimed: float, computed: float) -> float:
    if abs(claimed - computed) <= AGREEMENT * (abs(computed) if claimed else 1.0):
        return 1.0
    return claimed / computed if computed else math.inf


def as_printed(computed: float, stated: str) -> bool:
    """Whether a number rounds to a printed one, to all its digits, including trailing zeros.

    >>> as_printed(2.0007, "2.00 s"), as_printed(2.0071, "2.00 s"), as_printed(295.5, "300 token")
    (True, False, True)
    """
    printed = _PRINTED.match(stated.strip())
    claimed = read_value(stated).number
    if printed is None or not claimed:
        return abs(computed - claimed) <= AGREEMENT
    whole, point, behind = printed["whole"], printed["point"], printed["behind"] or ""
    digits = len((whole + behind).lstrip("0")) if point else len(whole.strip("0"))
    return math.isclose(float(f"{computed:.{max(digits, _DIGITS) - 1}e}"), claimed, rel_tol=AGREEMENT)


def _rounded(computed: float, claimed: float) -> float:
    """The computed number with as many digits as the claim states."""
    digits = len(f"{abs(claimed):.12g}".partition("e")[0].replace(".", "").strip("0"))
    return float(f"{computed:.{max(digits, _DIGITS) - 1}e}")
