"""A map drawn: regions coloured and named, failing ones hatched, borders, and levels of the target."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from derive.presentation.charts import Area, Axis, Chart, Levels, Series, Words
from derive.presentation.failed_checks import fails_in_words
from derive.presentation.numbers import labelled, prefixed, with_unit
from derive.tables.maps.decomposition import Scale
from derive.tables.maps.regime_map import RegimeMap, Standing, Strip, varying
from derive.tables.sweep_question import crossed

__all__ = ["map_chart"]

_NAMED = 0.03  # share of the map from which a region bears its name
_STEPS = (1.0, 2.0, 5.0, 10.0)
_MOST_LEVELS = 12
_GREY = 7  # place in the palette
_ARM: dict[str, Any] = {"style": "line", "color": 6}
_CHECK: dict[str, Any] = {"style": "dashed", "color": 1}
_NUMBER = re.compile(r"-?[\d.]+(e[-+]?\d+)?(/[\d.]+)?")
_LETTER, _ROW = 0.006, 0.025  # half of a letter's width and of a line's height, as shares of the panel
_HEIGHTS = (0.25, 0.5, 0.75)  # of a strip, where its name may stand
_LONG = 1e4  # numbers of an axis from here on take a prefix


def map_chart(found: RegimeMap, target: str) -> Chart:
    """The map of a question over two axes."""
    units = found.survey.units
    along, up = (
        _Drawn.of_scale(name, scale, units[name])
        for name, scale in zip(found.names, (found.along, found.up), strict=True)
    )
    worded = _words(found)
    colors = {words: i for i, words in enumerate(dict.fromkeys(words for words, _ in worded if words))}
    areas = []
    for strip in found.strips:
        arms, failing = worded[strip.label]
        sides = along.of_all(strip.along), up.of_all(strip.low), up.of_all(strip.high)
        areas.append(Area(*sides, colors.get(arms, _GREY), bool(failing)))
    borders = []
    for curve in found.curves:
        x, y = zip(*curve.points, strict=True)
        style = _CHECK if curve.change.kind == "check" else _ARM
        borders.append(Series.of(along.of_all(x), up.of_all(y), **style))
    told = sorted({failing for _, failing in worded if failing})
    return Chart(
        along.axis,
        up.axis,
        tuple(borders),
        title="; hatched: ".join(filter(None, (target.replace("_", " "), ", ".join(told)))),
        height=4.2,
        areas=tuple(areas),
        words=tuple(replace(one, x=along.of(one.x), y=up.of(one.y)) for one in _names(found, worded)),
        levels=_levels(found, target, along, up),
    )


@dataclass(frozen=True)
class _Drawn:
    """An axis as it is drawn: in a multiple of its unit where its numbers are long."""

    axis: Axis
    factor: float

    @classmethod
    def of_scale(cls, name: str, scale: Scale, unit: str) -> _Drawn:
        low, high = float(scale.numbers[0]), float(scale.numbers[-1])
        shown, unit = (high, unit) if scale.log else prefixed(high, unit, _LONG)
        factor = shown / high
        return cls(Axis(labelled(name.replace("_", " "), unit), scale.log, (), low * factor, high * factor), factor)

    def of(self, number: float) -> float:
        return number * self.factor

    def of_all(self, numbers: Iterable[float]) -> tuple[float, ...]:
        return tuple(map(self.of, numbers))


def _words(found: RegimeMap) -> list[tuple[str, str]]:
    """For each standing, which arms bind, of those that vary, and which checks fail."""
    names = varying(found.standings)

    def words(standing: Standing) -> tuple[str, str]:
        if not standing.is_answered:
            return "", "no answer"
        arms = [_of_arm(name, arm).replace("_", " ") for name, arm in standing.arms if name in names and arm]
        return ", ".join(arms), fails_in_words(sorted(standing.failed)) if standing.failed else ""

    return [words(one) for one in found.standings]


def _of_arm(relation: str, arm: str) -> str:
    """What is told of the arm that binds: its name, or the number that it is.

    >>> _of_arm("step_time", "memory_time"), _of_arm("scaled_step_time", "1")
    ('memory_time binds', 'scaled_step_time is 1')
    """
    return f"{relation} is {arm}" if _NUMBER.fullmatch(arm) else f"{arm} binds"


def _names(found: RegimeMap, worded: list[tuple[str, str]]) -> list[Words]:
    """The name of each region that has room for it, where it is farthest from borders and sides."""
    import numpy

    walls = numpy.array([(found.along.share(x), found.up.share(y)) for one in found.curves for x, y in one.points])
    best: dict[int, tuple[float, Words]] = {}
    for strip in found.strips:
        text = "\n".join(filter(None, worded[strip.label]))
        if found.shares[strip.label] < _NAMED or not text:
            continue
        rows = text.split("\n")
        size = numpy.array([_LETTER * max(map(len, rows)), _ROW * len(rows)])
        for x, y in _within(found, strip):
            here = numpy.array([found.along.share(x), found.up.share(y)])
            room = float((numpy.minimum(here, 1 - here) / size).min())  # in sizes of the name
            if len(walls):
                room = min(room, float((numpy.abs(walls - here) / size).max(axis=1).min()))
            if room > best.get(strip.label, (0.0,))[0]:
                best[strip.label] = room, Words(x, y, text)
    return [words for _, words in best.values()]


def _within(found: RegimeMap, strip: Strip) -> Iterator[tuple[float, float]]:
    """Places inside a strip."""
    for x, low, high in zip(strip.along, strip.low, strip.high, strict=True):
        for share in _HEIGHTS:
            yield x, low ** (1 - share) * high**share if found.up.log else low + share * (high - low)


def _levels(found: RegimeMap, target: str, along: _Drawn, up: _Drawn) -> Levels | None:
    """Levels of the target at round numbers."""
    import numpy

    numbers = found.survey.work.columns(crossed([found.along.numbers, found.up.numbers]))[target]
    finite = numbers[numpy.isfinite(numbers)]
    if finite.size < 4 or finite.min() == finite.max():
        return None
    low, high = float(finite.min()), float(finite.max())
    chosen = tuple(one for one in round_levels(low, high) if low < one < high)  # a level plain has no line
    unit = found.survey.units[target]
    x, y = along.of_all(map(float, found.along.numbers)), up.of_all(map(float, found.up.numbers))
    rows = tuple(tuple(map(float, row)) for row in numpy.asarray(numbers).T)
    return Levels(x, y, rows, chosen, tuple(with_unit(f"{n:g}", u) for n, u in (prefixed(one, unit) for one in chosen)))


def round_levels(low: float, high: float) -> tuple[float, ...]:
    """At most a dozen round numbers between two: 1, 2, 5 of each decade, or fewer; evenly within a decade.

    >>> round_levels(0.7, 30.0)
    (1.0, 2.0, 5.0, 10.0, 20.0)
    >>> round_levels(3.1, 4.1)
    (3.2, 3.4, 3.6, 3.8, 4.0)
    """
    if low > 0 and high >= 10 * low:
        for steps in (_STEPS[:3], _STEPS[:1]):
            decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
            found = [float(f"{step:g}e{n}") for n in decades for step in steps if low <= float(f"{step:g}e{n}") <= high]
            if len(found) <= _MOST_LEVELS:
                return tuple(found)
        return tuple(found[:: math.ceil(len(found) / _MOST_LEVELS)])
    rough = (high - low) / 6
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(one * scale for one in _STEPS if one * scale >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return tuple(float(f"{i * step:.12g}") for i in range(first, last + 1))
