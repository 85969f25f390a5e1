"""The sliders of a page: how far each goes, and whether by ratios or by differences.

A slider covers what one may want to try: the range that was asked for; otherwise a bounded domain, or two decades on
either side of the value, cut at the domain; and always the values that the page's profiles have. Where its ends are far
apart it goes by ratios. A slider that begins at zero and goes by ratios has the zero at its left end.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Slider", "nice", "slider", "starting_number"]

_AROUND = 100.0  # how many times larger and smaller than the value a slider goes
_WIDE = 20.0  # the ratio of the ends from which it goes by ratios
_DECADES = 6.0  # of a slider that begins at zero


@dataclass(frozen=True, slots=True)
class Slider:
    """The ends of a slider in the declared unit, and how it goes."""

    low: float
    high: float
    scale: Literal["ratio", "difference", "ratio from zero"]
    whole: bool = False


def starting_number(value: Value, quantity: Declaration) -> float:
    """The number at which a given starts, in the declared unit: the middle of a wide range is that of its ratios.

    >>> from quantities.value import read_value
    >>> starting_number(read_value("1..4096 sequence"), Declaration("batch", "sequence"))
    64.0
    """
    low, number, high = map(quantity.unit.from_base, value.base)
    is_middle = value.is_range and math.isclose(number, (low + high) / 2)
    found = math.sqrt(low * high) if is_middle and low > 0 and high / low >= _WIDE else number
    return float(round(found)) if quantity.domain.whole else found


def slider(
    quantity: Declaration, value: Value, others: Iterable[float] = (), like: float = 0.0, *, asked: bool = False
) -> Slider:
    """The slider of a given: `others` are values that it must reach, `like` a size to go by where the value is zero.

    >>> from quantities.value import read_value
    >>> slider(Declaration("context", "token/sequence"), read_value("8 ktoken/sequence"))
    Slider(low=50.0, high=1000000.0, scale='ratio', whole=False)
    >>> slider(Declaration("share", "", domain="0..1"), read_value("0.4"))
    Slider(low=0.0, high=1.0, scale='difference', whole=False)
    >>> slider(Declaration("delay", "s", domain="nonnegative"), read_value("0 s"), like=0.3)
    Slider(low=0.0, high=5.0, scale='ratio from zero', whole=False)
    """
    unit, domain = quantity.unit, quantity.domain
    least, most = unit.from_base(domain.low), unit.from_base(domain.high)
    ends = [unit.from_base(end) for end in (value.base[0], value.base[2])]
    start = starting_number(value, quantity)
    if not (asked and value.is_range):
        ends = [*ends, *_usual(start, least, most, like, is_scale=not unit.offset)]
    reached = [*ends, start, *others]
    low, high = max(min(reached), least), min(max(reached), most)
    if low == least and domain.open_low and low >= 0:
        low = min(number for number in (*reached, high) if number > least) if any(n > least for n in reached) else high
    if domain.whole:
        low, high = math.ceil(low), math.floor(high)
    return Slider(low, high, _scale(low, high), domain.whole)


def _usual(start: float, least: float, most: float, like: float, *, is_scale: bool) -> tuple[float, float]:
    """The ends where nobody asked for any."""
    if math.isfinite(least) and math.isfinite(most):
        return (nice(most / _AROUND**2, -1), most) if least == 0 and most > _AROUND**2 else (least, most)
    if is_scale and start > 0 <= least:
        return nice(start / _AROUND, -1), nice(start * _AROUND, 1)
    if is_scale and start == 0 <= least:
        return 0.0, nice(like * 10, 1) if like > 0 else 1.0
    reach = nice(4 * abs(start), 1) if is_scale and start else _AROUND if not is_scale else 1.0
    return (start - reach, start + reach) if not is_scale else (-reach, reach)


def _scale(low: float, high: float) -> Literal["ratio", "difference", "ratio from zero"]:
    if low > 0 and high / low >= _WIDE:
        return "ratio"
    return "ratio from zero" if low == 0 and high not in (1.0, 100.0) and high > 0 else "difference"


def nice(number: float, way: int) -> float:
    """The next 1, 2 or 5 times a power of ten above a number, or below it.

    >>> nice(823.0, 1), nice(823.0, -1), nice(0.03, 1)
    (1000.0, 500.0, 0.05)
    """
    power = 10.0 ** math.floor(math.log10(number))
    steps = [float(f"{step * power:.1g}") for step in (1, 2, 5, 10)]
    shown = float(f"{number:.12g}")
    if way > 0:
        return next(step for step in steps if step >= shown)
    return next(step for step in reversed(steps) if step <= shown)
