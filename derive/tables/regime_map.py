"""A question over one axis or two as a map: its regions, and the curves between them.

A label tells of a question at a point which arms bind, which checks fail, and whether there is an answer. Where the
labels of a column change, there is one curve for each thing that changes. The map is drawn with its regions coloured
and named, those with failing checks hatched, its borders, and levels of the target.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, groupby, pairwise, product
from typing import Any, Literal

import numpy

from derive.errors import LimitError
from derive.presentation import charts
from derive.presentation.cautions import fails_in_words
from derive.presentation.charts import Area, Caption, Chart, LevelCurves, Series
from derive.presentation.numbers import heading_with_unit, with_prefix, with_unit
from derive.tables.axes import DECADES, Axis, Line
from derive.tables.point_checks import Verdict
from derive.tables.sweep_question import SweepQuestion
from derive.tables.trapezoids import Column, Scale, columns_of, decomposed

Point = tuple[float, ...]
"""Its number on each axis."""

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
_JOINED = 0.6  # of a step of the grid, between the ends of two pieces of one curve
_APART = 1e-3  # of a step: a shorter vertical piece is the rounding of a slanted one


@dataclass(frozen=True)
class Curve:
    """A stretch of a border, from one end to the other."""

    change: Change
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Strip:
    """A part of a region: between two curves, over a stretch of the first axis."""

    label: int
    along: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


_AT_LEAST = 16  # points asked at once: the solver judges fewer one by one


@dataclass(frozen=True)
class PointRegime:
    """What holds at a point: the arm of each choice ("" where it does not apply), and the checks that fail."""

    arms: tuple[tuple[str, str], ...]
    failed: frozenset[str] = frozenset()
    is_answered: bool = True

    def changes(self, other: PointRegime) -> list[Change]:
        """What changes on the regime map from this standing to that at another point.

        >>> here, there = PointRegime((("step_time", "compute_time"),)), PointRegime((("step_time", "memory_time"),))
        >>> [(one.kind, one.relation, one.arms) for one in here.changes(there)]
        [('regime', 'step_time', ('compute_time', 'memory_time'))]
        """
        if self.is_answered != other.is_answered:
            return [Change("answer", "")]
        changes = []
        other_arms = dict(other.arms)
        for name, arm in self.arms:
            if other_arms.get(name, arm) != arm:
                arms = tuple(filter(None, sorted((arm, other_arms[name]))))
                changes.append(Change("regime" if len(arms) == 2 else "case", name, arms))
        return changes + [Change("check", name) for name in sorted(self.failed ^ other.failed)]


@dataclass(frozen=True, order=True)
class Change:
    """What changes across a border: the arm that binds in a relation, whether it applies, whether a check holds, or
    whether there is an answer.
    """

    kind: Literal["regime", "case", "check", "answer"]
    relation: str
    arms: tuple[str, ...] = ()


def varying(standings: Iterable[PointRegime]) -> set[str]:
    """The relations whose arm is not the same everywhere on a regime map; all, if none varies."""
    arms = [set(standing.arms) for standing in standings if standing.is_answered]
    shared = set.intersection(*arms) if arms else set()
    differing = set().union(*arms) - shared
    return {name for name, _ in differing or shared}


@dataclass
class Labels:
    """The standings of the points of a regime map, each a small number of its own."""

    survey: SweepQuestion
    standings: list[PointRegime] = field(default_factory=list)

    def at(self, *columns: Any) -> Any:
        """The label of each point of a regime map, whose numbers on each axis are in the columns, in declared units."""
        count = len(columns[0])
        if count < _AT_LEAST:
            columns = tuple(numpy.resize(column, _AT_LEAST) for column in columns)  # the points again and again
        function = self.survey.function
        targets = function.columns(columns, is_tested=False)
        codes = function.codes(columns, targets)
        judged = function.judgements(columns, targets, again=False)
        target = next(iter(judged))
        answered = numpy.isfinite(targets[target])
        rows = numpy.stack([*codes.values(), judged[target].places, answered], axis=1)
        patterns, places = numpy.unique(rows, axis=0, return_inverse=True)
        verdicts = judged[target].verdicts
        labels = numpy.array([self._label(tuple(codes), verdicts, pattern.tolist()) for pattern in patterns])
        return labels[places.ravel()][:count]

    def _label(self, names: Sequence[str], verdicts: Sequence[Verdict], pattern: Sequence[int]) -> int:
        """The label of the standing on a regime map that a row of codes tells."""
        *codes, verdict, answered = pattern
        if not answered:
            standing = PointRegime((), is_answered=False)
        else:
            judged = verdicts[verdict]
            if judged.unused is None and not judged.failed:  # compiled lines have a number, and the solver no answer
                raise LimitError(
                    "Which checks fail on this map could not be tested.",
                    hint="Narrow the ranges, or call solve at a point of them: it says why.",
                    limit="the time of an answer",
                )
            switches = self.survey.function.switches
            arms = [(*switches[name].arms, "")[code] for name, code in zip(names, codes, strict=True)]
            relations = (name.removesuffix(".regime") for name in names)
            standing = PointRegime(tuple(zip(relations, arms, strict=True)), judged.failed)
        if standing not in self.standings:
            self.standings.append(standing)
        return self.standings.index(standing)


_ALONG_ONE = Scale((0.0, 1.0))  # the other axis of a map with one, on whose sides its column stands twice


@dataclass(frozen=True)
class RegimeMap:
    """The regions along one axis or two: strips of equal standing, and the curves between them."""

    survey: SweepQuestion
    along: Scale
    up: Scale
    columns: tuple[Column, ...]
    standings: tuple[PointRegime, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The axes of the regime map; the last one is upright."""
        return self.survey.function.names

    @cached_property
    def _stretches(self) -> list[list[Column]]:
        """The stretches of a regime map in which the regions above each other stay the same: successive columns."""
        return [list(group) for _, group in groupby(self.columns, key=lambda column: column.labels)]

    @property
    def strips(self) -> Iterator[Strip]:
        """The regions of the regime map, each as strips that end where the order of labels changes.

        >>> import numpy
        >>> from derive.tables.trapezoids import decomposed
        >>> grid = Scale(numpy.linspace(0.0, 4.0, 5))
        >>> columns = decomposed(lambda x, y: (y > 3).astype(int), grid, grid)
        >>> strips = RegimeMap(None, grid, grid, tuple(columns), ()).strips
        >>> [(one.label, round(one.low[0], 9), round(one.high[0], 9)) for one in strips]
        [(0, 0.0, 3.0), (1, 3.0, 4.0)]
        """
        bottom, top = float(self.up.numbers[0]), float(self.up.numbers[-1])
        for stretch in self._stretches:
            along, count = tuple(column.at for column in stretch), len(stretch)
            lines = [(bottom,) * count, *zip(*(column.heights for column in stretch), strict=True), (top,) * count]
            for label, (low, high) in zip(stretch[0].labels, pairwise(lines), strict=True):
                yield Strip(label, along, low, high)

    @property
    def curves(self) -> list[Curve]:
        """The borders of the regime map, each in as few pieces as it has; with one axis each is a point."""
        curves: list[Curve] = []
        if self.along is _ALONG_ONE:
            column = self.columns[0]
            for height, (below, above) in zip(column.heights, pairwise(column.labels), strict=True):
                changes = self.standings[below].changes(self.standings[above])
                curves += [Curve(change, ((height,),)) for change in changes]
            return curves
        pieces: dict[Change, list[list[Point]]] = {}
        for below, above, points in self._pieces():
            for change in self.standings[below].changes(self.standings[above]):
                pieces.setdefault(change, []).append(points)
        for change in sorted(pieces):
            curves += [Curve(change, tuple(points)) for points in _joined(pieces[change], self.along, self.up)]
        return curves

    def _pieces(self) -> Iterator[tuple[int, int, list[Point]]]:
        """The pieces of borders inside each stretch of the regime map, and the upright ones between two stretches."""
        for stretch in self._stretches:
            for i, (below, above) in enumerate(pairwise(stretch[0].labels)):
                yield below, above, [(column.at, column.heights[i]) for column in stretch]
        for before, after in pairwise(self._stretches):
            yield from _upright(before[-1], after[0], self.up)

    @property
    def shares(self) -> list[float]:
        """How much of the regime map each standing takes, as it is drawn."""
        shares = [0.0] * len(self.standings)
        for strip in self.strips:
            widths = [high - low for low, high in pairwise(map(self.along.share, strip.along))]
            tall = [self.up.share(high) - self.up.share(low) for low, high in zip(strip.low, strip.high, strict=True)]
            shares[strip.label] += sum(w * (a + b) / 2 for w, (a, b) in zip(widths, pairwise(tall), strict=True))
        return shares


def _upright(left: Column, right: Column, up: Scale) -> Iterator[tuple[int, int, list[Point]]]:
    """The upright borders of a regime map's regions between two columns: the labels on both sides, and both ends."""
    ends = sorted({float(up.numbers[0]), float(up.numbers[-1]), *left.heights, *right.heights})
    middle = left.at / 2 + right.at / 2
    smallest = _APART / (len(up.numbers) - 1)
    for low, high in pairwise(ends):
        here, there = _label_over(left, low), _label_over(right, low)
        if here != there and up.share(high) - up.share(low) > smallest:
            yield here, there, [(middle, low), (middle, high)]


def _label_over(column: Column, height: float) -> int:
    """The label of a regime map's column right above a height."""
    return column.labels[bisect_right(column.heights, height)]


def _joined(pieces: Iterable[list[Point]], along: Scale, up: Scale) -> list[list[Point]]:
    """The pieces of a regime map's border joined into curves where their ends meet.

    Each curve grows at the nearest end of a piece, until none is in reach.
    """
    reach = _JOINED / (max(len(along.numbers), len(up.numbers)) - 1)

    def apart(a: Point, b: Point) -> float:
        return math.hypot(along.share(a[0]) - along.share(b[0]), up.share(a[1]) - up.share(b[1]))

    pending = sorted(pieces, key=lambda piece: piece[0])
    curves: list[list[Point]] = []
    while pending:
        curve = pending.pop(0)
        while pending:
            joints = []
            for i, piece in enumerate(pending):
                for is_after, is_reversed in product((False, True), repeat=2):
                    end, start = curve[-1 if is_after else 0], piece[0 if is_after ^ is_reversed else -1]
                    joints.append((apart(end, start), i, is_after, is_reversed))
            gap, i, is_after, is_reversed = min(joints)
            if gap > reach:
                break
            piece = pending.pop(i)
            piece = piece[::-1] if is_reversed else piece
            curve = curve + piece if is_after else piece + curve
        curves.append(curve)
    return curves


def mapped(survey: SweepQuestion) -> RegimeMap:
    """A question over one axis or two as a map of regimes: its regions by label, and the curves between them.

    Along an edge where two arms are equal, rounding would choose point by point. So the edge is labelled as what lies
    beside it on the map is.
    """
    labels = Labels(survey)
    *first, up = scales = [_scale(line) for line in survey.lines]

    def label_at(*columns: Any) -> Any:
        """The labels of points on the regime map, with those on its edge taken just inside."""
        return labels.at(*(scale.inwards(column) for scale, column in zip(scales, columns, strict=True)))

    if first:
        along, columns = first[0], decomposed(label_at, first[0], up)
    else:
        (column,) = columns_of(lambda _, y: label_at(y), [0.0], up)
        along, columns = _ALONG_ONE, [column, replace(column, at=1.0)]
    return RegimeMap(survey, along, up, tuple(columns), tuple(labels.standings))


def _scale(line: Line) -> Scale:
    numbers: Any = numpy.unique(line.part(0, len(line)))
    log = isinstance(line.source, Axis) and line.source.log
    return Scale(numbers, bool(numbers[0] > 0 and (log or numbers[-1] >= DECADES * numbers[0])))


def map_chart(regime_map: RegimeMap, target: str) -> Chart:
    """The chart of a regime map over two axes: regions, borders, names, and levels of the target."""
    units = regime_map.survey.units
    scales = zip(regime_map.names, (regime_map.along, regime_map.up), strict=True)
    along, up = (_DrawnAxis.of_scale(name, scale, units[name]) for name, scale in scales)
    worded = _words(regime_map)
    colors = {words: i for i, words in enumerate(dict.fromkeys(words for words, _ in worded if words))}
    areas = []
    for strip in regime_map.strips:
        arms, failing = worded[strip.label]
        sides = along.of_all(strip.along), up.of_all(strip.low), up.of_all(strip.high)
        areas.append(Area(*sides, colors.get(arms, _GREY), bool(failing)))
    borders = []
    for curve in regime_map.curves:
        x, y = zip(*curve.points, strict=True)
        style = _CHECK if curve.change.kind == "check" else _ARM
        borders.append(Series.of(along.of_all(x), up.of_all(y), **style))
    failing_checks = sorted({failing for _, failing in worded if failing})
    return Chart(
        along.axis,
        up.axis,
        tuple(borders),
        title="; hatched: ".join(filter(None, (target.replace("_", " "), ", ".join(failing_checks)))),
        height=4.2,
        areas=tuple(areas),
        words=tuple(replace(words, x=along.of(words.x), y=up.of(words.y)) for words in _names(regime_map, worded)),
        levels=_levels(regime_map, target, along, up),
    )


@dataclass(frozen=True)
class _DrawnAxis:
    """An axis as it is drawn: in a multiple of its unit where its numbers are long."""

    axis: charts.Axis
    factor: float

    @classmethod
    def of_scale(cls, name: str, scale: Scale, unit: str) -> _DrawnAxis:
        low, high = float(scale.numbers[0]), float(scale.numbers[-1])
        longest = max(low, high, key=abs)  # not zero, as the axis has two ends
        shown, unit = (longest, unit) if scale.log else with_prefix(longest, unit, _LONG)
        factor = shown / longest
        label = heading_with_unit(name.replace("_", " "), unit)
        return cls(charts.Axis(label, scale.log, low=low * factor, high=high * factor), factor)

    def of(self, number: float) -> float:
        return number * self.factor

    def of_all(self, numbers: Iterable[float]) -> tuple[float, ...]:
        return tuple(map(self.of, numbers))


def _words(regime_map: RegimeMap) -> list[tuple[str, str]]:
    """For each standing on a regime map, which arms bind, of those that vary, and which checks fail."""
    names = varying(regime_map.standings)

    def words(standing: PointRegime) -> tuple[str, str]:
        if not standing.is_answered:
            return "", "no answer"
        arms = [_arm_words(name, arm).replace("_", " ") for name, arm in standing.arms if name in names and arm]
        return ", ".join(arms), fails_in_words(sorted(standing.failed)) if standing.failed else ""

    return [words(standing) for standing in regime_map.standings]


def _arm_words(relation: str, arm: str) -> str:
    """The words for the arm that binds in a region of a regime map: its name, or the number that it is.

    >>> _arm_words("step_time", "memory_time"), _arm_words("scaled_step_time", "1")
    ('memory_time binds', 'scaled_step_time is 1')
    """
    return f"{relation} is {arm}" if _NUMBER.fullmatch(arm) else f"{arm} binds"


def _names(regime_map: RegimeMap, worded: list[tuple[str, str]]) -> list[Caption]:
    """The names of regions that are drawn in a regime map, where there is room, farthest from borders and sides."""
    border_points = chain.from_iterable(curve.points for curve in regime_map.curves)
    walls = numpy.array([(regime_map.along.share(x), regime_map.up.share(y)) for x, y in border_points])
    best: dict[int, tuple[float, Caption]] = {}
    shares = regime_map.shares
    for strip in regime_map.strips:
        text = "\n".join(filter(None, worded[strip.label]))
        if shares[strip.label] < _NAMED or not text:
            continue
        rows = text.split("\n")
        size = numpy.array([_LETTER * max(map(len, rows)), _ROW * len(rows)])
        for x, y in _within(regime_map, strip):
            here = numpy.array([regime_map.along.share(x), regime_map.up.share(y)])
            room = float((numpy.minimum(here, 1 - here) / size).min())  # in sizes of the name
            if len(walls):
                room = min(room, float((numpy.abs(walls - here) / size).max(axis=1).min()))
            if room > best.get(strip.label, (0.0,))[0]:
                best[strip.label] = room, Caption(x, y, text)
    return [words for _, words in best.values()]


def _within(regime_map: RegimeMap, strip: Strip) -> Iterator[tuple[float, float]]:
    """Places inside a strip of a regime map, at which the name of its region may stand."""
    for x, low, high in zip(strip.along, strip.low, strip.high, strict=True):
        for share in _HEIGHTS:
            yield x, low ** (1 - share) * high**share if regime_map.up.log else low + share * (high - low)


def _levels(regime_map: RegimeMap, target: str, along: _DrawnAxis, up: _DrawnAxis) -> LevelCurves | None:
    """The levels of the target at round numbers on a regime map; None where it hardly has numbers, or only one."""
    points = numpy.ix_(regime_map.along.numbers, regime_map.up.numbers)
    numbers = regime_map.survey.function.columns(points)[target]
    finite = numbers[numpy.isfinite(numbers)]
    if finite.size < 4 or finite.min() == finite.max():
        return None
    low, high = float(finite.min()), float(finite.max())
    chosen = tuple(level for level in round_levels(low, high) if low < level < high)  # a level plain has no line
    unit = regime_map.survey.units[target]
    x, y = along.of_all(map(float, regime_map.along.numbers)), up.of_all(map(float, regime_map.up.numbers))
    rows = tuple(tuple(map(float, row)) for row in numpy.asarray(numbers).T)
    labels = [with_unit(f"{number:g}", text) for number, text in (with_prefix(level, unit) for level in chosen)]
    return LevelCurves(x, y, rows, chosen, tuple(labels))


def round_levels(low: float, high: float) -> tuple[float, ...]:
    """At most a dozen round numbers between two, for the levels of the target that a regime map draws.

    They are 1, 2, 5 of each decade, or fewer; within a decade they are evenly spaced.

    >>> round_levels(0.7, 30.0)
    (1.0, 2.0, 5.0, 10.0, 20.0)
    >>> round_levels(3.1, 4.1)
    (3.2, 3.4, 3.6, 3.8, 4.0)
    """
    if low > 0 and high >= 10 * low:
        for steps in (_STEPS[:3], _STEPS[:1]):
            decades = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
            levels = [float(f"{step:g}e{n}") for n, step in product(decades, steps)]
            levels = [level for level in levels if low <= level <= high]
            if len(levels) <= _MOST_LEVELS:
                return tuple(levels)
        return tuple(levels[:: math.ceil(len(levels) / _MOST_LEVELS)])
    rough = (high - low) / 6
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(step * scale for step in _STEPS if step * scale >= rough)
    first, last = math.ceil(low / step), math.floor(high / step)
    return tuple(float(f"{i * step:.12g}") for i in range(first, last + 1))
