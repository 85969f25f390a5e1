"""A chart as data: series and axes, independent of how it is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import partial
from itertools import chain
from math import isfinite
from typing import Any, Literal

from derive.errors import ExpressionError

_MOST_LISTED = 12  # names of an axis that are all listed
_DECADES = 100.0  # ratio of the ends from which an axis is logarithmic


@dataclass(frozen=True, slots=True)
class Axis:
    """What an axis measures. If it has `names`, its values are their positions: 0 for the first."""

    label: str
    log: bool = False
    names: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None

    @classmethod
    def of(cls, label: str, *columns: Sequence[float]) -> Axis:
        """The axis of a chart for these numbers, logarithmic where they are positive and span two decades or more.

        >>> Axis.of("batch", [1, 10, 400]).log, Axis.of("batch", [0, 10, 400]).log
        (True, False)
        """
        numbers = [*filter(isfinite, chain.from_iterable(columns))]
        return cls(label, log=bool(numbers) and min(numbers) > 0 and max(numbers) / min(numbers) >= _DECADES)


@dataclass(frozen=True, slots=True)
class Series:
    """Points that belong together: a line through them, or single points, each with a tag if it has one."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    label: str = ""
    style: Literal["line", "dashed", "dotted", "points", "crosses", "hatched", "bars"] = "line"
    tags: tuple[str, ...] = ()
    strong: bool = False  # drawn thicker, above the others
    color: int | None = None  # the place in the palette; the next free one if None
    start: tuple[float, ...] = ()  # where each bar begins, if not at zero

    @classmethod
    def of(cls, x: Iterable[float], y: Iterable[float], label: str = "", **how: Any) -> Series:
        """A series of a chart from columns of any kind."""
        return cls(tuple(map(float, x)), tuple(map(float, y)), label, **how)


@dataclass(frozen=True, slots=True)
class Mark:
    """A labelled line across the picture at one value of an axis: a knee, a limit."""

    at: float
    label: str
    axis: Literal["x", "y"] = "x"


@dataclass(frozen=True, slots=True)
class Shade:
    """A labelled stretch of the horizontal axis: a regime."""

    low: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class Hatch:
    """Stretches of the horizontal axis in which something fails, under one name."""

    stretches: tuple[tuple[float, float], ...]
    label: str


@dataclass(frozen=True, slots=True)
class Area:
    """A part of a map between two curves, in the colour of a place in the palette."""

    x: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    color: int
    is_hatched: bool = False


@dataclass(frozen=True, slots=True)
class Caption:
    """A text inside the panel."""

    x: float
    y: float
    text: str


@dataclass(frozen=True, slots=True)
class LevelCurves:
    """Curves of equal value, each with its name: a row of values for each y."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]
    at: tuple[float, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """One picture."""

    x: Axis
    y: Axis
    series: tuple[Series, ...]
    marks: tuple[Mark, ...] = ()
    shades: tuple[Shade, ...] = ()
    hatches: tuple[Hatch, ...] = ()
    title: str = ""
    height: float = 3.4  # inches, at a width of 6.4
    areas: tuple[Area, ...] = ()
    words: tuple[Caption, ...] = ()
    levels: LevelCurves | None = None
    caption: str = ""  # below the panel: what holds everywhere in it


def holding(
    drawn: Sequence[Chart], profiles: Iterable[str], given: Mapping[str, Any], limits: Iterable[str] = ()
) -> tuple[Chart, ...]:
    """Charts with a caption below the last one: the profiles, givens and limits that hold for all their series.

    >>> chart, = holding([Chart(Axis("batch"), Axis("cost"), ())], ["llama3-70b"], {"chips": "8 chip"}, ["time <= 2 s"])
    >>> chart.caption
    'llama3-70b; chips = 8 chip; time <= 2 s'
    """
    if not drawn:
        return ()
    groups = (profiles, (f"{name} = {value}" for name, value in given.items()), limits)
    caption = "; ".join(filter(None, map(", ".join, groups)))
    return (*drawn[:-1], replace(drawn[-1], caption=caption))


def described(charts: Iterable[Chart]) -> str:
    """A description of charts in plain words, for readers who do not see them.

    >>> time = Chart(Axis("batch"), Axis("time [s]"), (Series.of([1, 2], [3, 4], "step"),), (Mark(2, "the knee"),))
    >>> described([time])
    'Chart of time [s] against batch: step. Marked: the knee.'
    """
    return " ".join(map(_described, charts))


def _described(chart: Chart) -> str:
    """A description of one chart in plain words: its axes, series, regions and marks."""
    shown = [series.label for series in chart.series if series.label]
    marked = [mark.label for mark in chart.marks if mark.label]
    up, along = (axis.label or _listed(axis.names) for axis in (chart.y, chart.x))
    text = f"Chart of {up} against {along}"
    text = ": ".join(filter(None, (chart.title, text, ", ".join(shown)))) + "."
    regions = list(dict.fromkeys(words.text.replace("\n", ", ") for words in chart.words))
    if regions:
        text += f" Regions: {'; '.join(regions)}."
    if marked:
        text += f" Marked: {', '.join(marked)}."
    return text


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= _MOST_LISTED else f"{names[0]} and {len(names) - 1} others"


def reworded(charts: Iterable[Chart], called: Mapping[str, str]) -> tuple[Chart, ...]:
    """Charts with a reader's own words in place of theirs, the longest first; an error if one stands in no chart.

    >>> time = Chart(Axis("batch"), Axis("step time [s]"), (Series.of([1, 2], [3, 4], "h100-sxm:fp8"),))
    >>> described(reworded([time], {"h100-sxm:fp8": "H100", "step time": "latency"}))
    'Chart of latency [s] against batch: H100.'
    """
    shown, replaced = tuple(charts), set[str]()
    words = re.compile("|".join(map(re.escape, sorted(called, key=len, reverse=True))))

    def replacement(match: re.Match[str]) -> str:
        replaced.add(match[0])
        return called[match[0]]

    renamed = tuple(_worded(chart, partial(words.sub, replacement)) for chart in shown) if called else shown
    if missing := [old for old in called if old not in replaced]:
        what = f"No words of the picture are {', '.join(map(repr, missing))}."
        raise ExpressionError(what, hint=f"It says: {described(shown)}")
    return renamed


_AS_THEY_ARE = ("style", "axis", "levels")  # no words, and numbers with their units


def _worded(part: Any, word: Callable[[str], str]) -> Any:
    """A part of a chart with a function applied to each text in the part."""
    if isinstance(part, str):
        return word(part)
    if isinstance(part, tuple):
        return tuple(_worded(element, word) for element in part)
    if not is_dataclass(part) or isinstance(part, type):
        return part
    names = (field.name for field in fields(part) if field.name not in _AS_THEY_ARE)
    return replace(part, **{name: _worded(getattr(part, name), word) for name in names})
