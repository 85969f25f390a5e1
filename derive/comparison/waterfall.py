"""A comparison as a picture: a waterfall from the value of one answer to that of the other."""

from __future__ import annotations

import math

from derive.comparison.comparison import Comparison, Factor
from derive.presentation.charts import Axis, Chart, Series
from derive.presentation.numbers import labelled, shown_number, spelled

__all__ = ["charts"]

_BARS = 12  # limit on factors that are drawn, the last bar being for the rest
_MARGIN = 0.08  # of the axis, beyond the least value; three times that beyond the greatest
_DECADE = 10.0  # ratio of the ends from which the axis is logarithmic
_LESS, _MORE, _VALUE = 2, 1, 0  # places in the palette


def charts(found: Comparison) -> tuple[Chart, ...]:
    """Each factor as a bar from the value before it to the value after it; of a large ratio, on a logarithmic axis.

    >>> from derive.relation_files.loading import load
    >>> rent = load('''[quantities]
    ... cost  = { unit = "USD" }
    ... price = { unit = "USD/h" }
    ... time  = { unit = "h" }
    ... [relations]
    ... cost = { equation = "cost = price*time" }''')
    >>> short, long = (rent.solve("cost", price="2 USD/h", time=time) for time in ("3 h", "6 h"))
    >>> from derive.comparison.compare import compare
    >>> chart, = charts(compare(short, long))
    >>> chart.y.names
    ('A', 'time', 'B')
    """
    drawn = _drawn(found)
    unit = found.a.quantity.unit
    first, last = (unit.from_base(one.base or 0.0) for one in (found.a, found.b))
    values = [first]
    for _, amount in drawn:
        values.append(values[-1] * amount if found.ratio is not None else values[-1] + amount)
    values[-1] = last if drawn else values[-1]
    is_log = found.ratio is not None and first > 0 and max(values) >= _DECADE * min(values)
    low, high = _ends(values, is_log)
    rows = len(drawn) + 2
    ends = Series.of(
        [first, last],
        [0, rows - 1],
        style="bars",
        start=(low if is_log else 0.0,) * 2,
        color=_VALUE,
        tags=tuple(shown_number(one.base or 0.0, one.quantity.unit, 4) for one in (found.a, found.b)),
    )
    names = ("A", *(label for label, _ in drawn), "B")
    across = Axis(labelled(found.target.replace("_", " "), spelled(unit)), is_log, low=low, high=high)
    title = f"{found.target.replace('_', ' ')}: from A to B"
    steps = [_bars(found, drawn, values, is_rise) for is_rise in (False, True)]
    series = (ends, *(one for one in steps if one is not None))
    return (Chart(across, Axis("", names=names), series, title=title, height=1.1 + 0.34 * rows),)


def _ends(values: list[float], is_log: bool) -> tuple[float, float]:
    """The ends of the axis, with room for the first bar and for the words beside the last."""
    if is_log:
        width = max(values) / min(values)
        return min(values) / width**_MARGIN, max(values) * width ** (3 * _MARGIN)
    low, high = min(0.0, *values), max(0.0, *values)
    return low - _MARGIN * (high - low) * (low < 0), high + 3 * _MARGIN * (high - low)


def _drawn(found: Comparison) -> list[tuple[str, float]]:
    """The factors with their names; of very many, the last ones as one."""
    told = [(_named(one), one.amount) for one in found.factors]
    if len(told) <= _BARS:
        return told
    rest = [amount for _, amount in told[_BARS - 1 :]]
    amount = math.fsum(rest) if found.ratio is None else math.prod(rest)
    return [*told[: _BARS - 1], (f"{len(rest)} more", amount)]


def _named(one: Factor) -> str:
    more = len(one.names) - 1
    return one.label.replace("_", " ") if more < 2 else f"{one.names[0].replace('_', ' ')} and {more} others"


def _bars(found: Comparison, drawn: list[tuple[str, float]], values: list[float], is_rise: bool) -> Series | None:
    """The steps that make the target more, or those that make it less."""
    picked = [i for i in range(len(drawn)) if (abs(values[i + 1]) >= abs(values[i])) == is_rise]
    if not picked:
        return None
    sign = "×" if found.ratio is not None else ""
    tags = tuple(f"{sign}{drawn[i][1]:{'.3g' if sign else '+.3g'}}" for i in picked)
    return Series.of(
        [values[i + 1] for i in picked],
        [i + 1 for i in picked],
        "more" if is_rise else "less",
        style="bars",
        start=tuple(values[i] for i in picked),
        color=_MORE if is_rise else _LESS,
        tags=tags,
    )
