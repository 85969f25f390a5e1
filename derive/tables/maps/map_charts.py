"""A map drawn: regions coloured and named, failing ones hatched, borders, and levels of the target."""

from __future__ import annotations

import math

from derive.presentation.charts import Area, Axis, Chart, Levels, Series, Words
from derive.presentation.numbers import labelled, prefixed, with_unit
from derive.tables.maps.curves import Strip
from derive.tables.maps.decomposition import Scale
from derive.tables.maps.labels import Standing
from derive.tables.maps.regime_map import RegimeMap
from derive.tables.sweep_question import crossed

__all__ = ["map_chart"]

_NAMED = 0.03  # share of the map from which a region bears its name
_STEPS = (1.0, 2.0, 5.0, 10.0)
_MOST_LEVELS = 12
_BLACK, _GREY, _RED = 6, 7, 1  # places in the palette


def map_chart(found: RegimeMap, target: str) -> Chart:
    """The map of a question over two axes."""
    units = found.survey.units
    axes = [
        Axis(labelled(name.replace("_", " "), units[name]), scale.log, (), *_ends(scale))
        for name, scale in zip(found.names, (found.along, found.up), strict=True)
    ]
    worded = _words(found)
    colors = {words: i for i, words in enumerate(dict.fromkeys(words for words, _ in worded if words))}
    areas = [
        Area(
            strip.along, strip.low, strip.high, colors.get(worded[strip.label][0], _GREY), bool(worded[strip.label][1])
        )
        for strip in found.strips
    ]
    failing = {words for _, words in worded if words}
    borders = [
        Series.of(
            *zip(*curve.points, strict=True),
            style="dashed" if curve.change.kind == "check" else "line",
            color=_RED if curve.change.kind == "check" else _BLACK,
        )
        for curve in found.curves
    ]
    told = sorted(failing)
    title = labelled(target.replace("_", " "), units[target]) + (f"; hatched: {', '.join(told)}" if told else "")
    return Chart(
        *axes,
        series=tuple(borders),
        title=title,
        height=4.2,
        areas=tuple(areas),
        words=tuple(_names(found, worded)),
        levels=_levels(found, target),
    )


def _ends(scale: Scale) -> tuple[float, float]:
    return float(scale.numbers[0]), float(scale.numbers[-1])


def _words(found: RegimeMap) -> list[tuple[str, str]]:
    """For each standing, which arms bind, of those that vary, and which checks fail."""
    answered = [one for one in found.standings if one.is_answered]
    shared = set.intersection(*(set(one.arms) for one in answered)) if answered else set()
    varying = {name for one in answered for name, _ in set(one.arms) - shared} or {name for name, _ in shared}

    def words(standing: Standing) -> tuple[str, str]:
        if not standing.is_answered:
            return "", "no answer"
        arms = [arm.replace("_", " ") for name, arm in standing.arms if name in varying and arm]
        failed = [name.replace("_", " ") for name in sorted(standing.failed)]
        verb = "fails" if len(failed) == 1 else "fail"
        return f"{', '.join(arms)} binds" if arms else "", f"{', '.join(failed)} {verb}" if failed else ""

    return [words(one) for one in found.standings]


def _names(found: RegimeMap, worded: list[tuple[str, str]]) -> list[Words]:
    """The name of each region that has room for it, where it is tallest."""
    shares = found.shares
    best: dict[int, tuple[float, Words]] = {}
    for strip in found.strips:
        text = "\n".join(filter(None, worded[strip.label]))
        if shares[strip.label] < _NAMED or not text:
            continue
        room, x, y = _roomiest(found, strip)
        if room > best.get(strip.label, (0.0,))[0]:
            best[strip.label] = room, Words(x, y, text)
    return [words for _, words in best.values()]


def _roomiest(found: RegimeMap, strip: Strip) -> tuple[float, float, float]:
    """The room that a strip has at its tallest, in its middle rather than at its ends, and that place."""
    first, last = found.along.share(strip.along[0]), found.along.share(strip.along[-1])

    def room(i: int) -> float:
        side = found.along.share(strip.along[i])
        tall = found.up.share(strip.high[i]) - found.up.share(strip.low[i])
        return tall * (min(side - first, last - side) + 1e-6)

    i = max(range(len(strip.along)), key=room)
    low, high = strip.low[i], strip.high[i]
    return room(i), strip.along[i], math.sqrt(low) * math.sqrt(high) if found.up.log else (low + high) / 2


def _levels(found: RegimeMap, target: str) -> Levels | None:
    """Levels of the target at round numbers."""
    import numpy

    numbers = found.survey.work.columns(crossed([found.along.numbers, found.up.numbers]))[target]
    finite = numbers[numpy.isfinite(numbers)]
    if finite.size < 4 or finite.min() == finite.max():
        return None
    chosen = round_levels(float(finite.min()), float(finite.max()))
    unit = found.survey.units[target]
    x, y = (tuple(map(float, scale.numbers)) for scale in (found.along, found.up))
    rows = tuple(tuple(map(float, row)) for row in numpy.asarray(numbers).T)
    return Levels(x, y, rows, chosen, tuple(with_unit(f"{n:g}", u) for n, u in (prefixed(one, unit) for one in chosen)))


def round_levels(low: float, high: float) -> tuple[float, ...]:
    """At most a dozen round numbers between two: 1, 2, 5 of each decade, or fewer; evenly within a decade.

    >>> round_levels(0.7, 30.0)
    (1.0, 2.0, 5.0, 10.0, 20.0)
    >>> round_levels(3.1, 4.2)
    (3.2, 3.4, 3.6, 3.8, 4.0, 4.2)
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
    first = math.ceil(low / step)
    return tuple(float(f"{i * step:.12g}") for i in range(first, math.floor(high / step * (1 + 1e-12)) + 1))
