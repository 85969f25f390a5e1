"""A question over one axis or two as a map: its regions, and the curves between them.

A label tells of a question at a point which arms bind, which checks fail, and whether there is an answer. Where the
labels of a column change, there is one curve for each thing that changes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from typing import Any, Literal

from derive.errors import LimitError
from derive.tables.axes import DECADES, Axis, Line
from derive.tables.maps.decomposition import Column, Scale, columns_of, decomposed
from derive.tables.point_checks import Verdict
from derive.tables.sweep_question import Survey

__all__ = ["Change", "Curve", "Labels", "RegimeMap", "Standing", "Strip", "curves", "mapped", "strips", "varying"]

Point = tuple[float, ...]
"""Its number on each axis."""

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


def _stretches(columns: Sequence[Column]) -> list[list[Column]]:
    """Successive columns with the same labels in the same order."""
    return [list(group) for _, group in groupby(columns, key=lambda one: one.labels)]


def strips(columns: Sequence[Column], up: Scale) -> Iterator[Strip]:
    """The regions, each as strips that end where the order of labels changes.

    >>> import numpy
    >>> from derive.tables.maps.decomposition import decomposed
    >>> grid = Scale(numpy.linspace(0.0, 4.0, 5))
    >>> whole = decomposed(lambda x, y: (y > 3).astype(int), grid, grid)
    >>> [(one.label, round(one.low[0], 9), round(one.high[0], 9)) for one in strips(whole, grid)]
    [(0, 0.0, 3.0), (1, 3.0, 4.0)]
    """
    bottom, top = float(up.numbers[0]), float(up.numbers[-1])
    for stretch in _stretches(columns):
        along = tuple(one.at for one in stretch)
        lines = [(bottom,) * len(stretch), *zip(*(one.heights for one in stretch), strict=True), (top,) * len(stretch)]
        for label, (low, high) in zip(stretch[0].labels, pairwise(lines), strict=True):
            yield Strip(label, along, low, high)


def curves(columns: Sequence[Column], standings: Sequence[Standing], along: Scale, up: Scale) -> list[Curve]:
    """The borders, each in as few pieces as it has."""
    pieces: dict[Change, list[list[Point]]] = {}
    for below, above, points in _pieces(columns, up):
        for change in standings[below].changes(standings[above]):
            pieces.setdefault(change, []).append(points)
    return [Curve(change, tuple(points)) for change in sorted(pieces) for points in _joined(pieces[change], along, up)]


def _pieces(columns: Sequence[Column], up: Scale) -> Iterator[tuple[int, int, list[Point]]]:
    """The curves inside each stretch of columns, and the upright ones between two stretches."""
    stretches = _stretches(columns)
    for stretch in stretches:
        for i, (below, above) in enumerate(pairwise(stretch[0].labels)):
            yield below, above, [(one.at, one.heights[i]) for one in stretch]
    for before, after in pairwise(stretches):
        yield from _upright(before[-1], after[0], up)


def _upright(left: Column, right: Column, up: Scale) -> Iterator[tuple[int, int, list[Point]]]:
    """Where labels differ between neighbouring columns."""
    ends = sorted({float(up.numbers[0]), float(up.numbers[-1]), *left.heights, *right.heights})
    at = left.at / 2 + right.at / 2
    smallest = _APART / (len(up.numbers) - 1)
    for low, high in pairwise(ends):
        here, there = _label_over(left, low), _label_over(right, low)
        if here != there and up.share(high) - up.share(low) > smallest:
            yield here, there, [(at, low), (at, high)]


def _label_over(column: Column, height: float) -> int:
    return column.labels[sum(1 for one in column.heights if one <= height)]


def _joined(pieces: Iterable[list[Point]], along: Scale, up: Scale) -> list[list[Point]]:
    """Pieces whose ends meet, put together."""
    reach = _JOINED / (max(len(along.numbers), len(up.numbers)) - 1)

    def apart(one: Point, other: Point) -> float:
        return math.hypot(along.share(one[0]) - along.share(other[0]), up.share(one[1]) - up.share(other[1]))

    left = sorted(pieces, key=lambda one: one[0])
    found: list[list[Point]] = []
    while left:
        whole = left.pop(0)
        while left:
            gap, i, joint = min(
                (apart(a, b), i, way)
                for i, other in enumerate(left)
                for way, a, b in (
                    ("on", whole[-1], other[0]),
                    ("on back", whole[-1], other[-1]),
                    ("before", whole[0], other[-1]),
                    ("before back", whole[0], other[0]),
                )
            )
            if gap > reach:
                break
            other = left.pop(i)
            other = other[::-1] if joint.endswith("back") else other
            whole = whole + other if joint.startswith("on") else other + whole
        found.append(whole)
    return found


_AT_LEAST = 16  # points asked at once: the solver judges fewer one by one


@dataclass(frozen=True)
class Standing:
    """What holds at a point: the arm of each choice ("" where it does not apply), and the checks that fail."""

    arms: tuple[tuple[str, str], ...]
    failed: frozenset[str] = frozenset()
    is_answered: bool = True

    def changes(self, other: Standing) -> list[Change]:
        """What is different at another point.

        >>> here, there = Standing((("step_time", "compute_time"),)), Standing((("step_time", "memory_time"),))
        >>> [str(one) for one in here.changes(there)]
        ['step_time: compute_time = memory_time']
        """
        if self.is_answered != other.is_answered:
            return [Change("answer", "")]
        found = []
        theirs = dict(other.arms)
        for name, arm in self.arms:
            if theirs.get(name, arm) != arm:
                low, high = sorted((arm, theirs[name]))
                found.append(Change("regime" if low else "case", name, tuple(filter(None, (low, high)))))
        return found + [Change("check", name) for name in sorted(self.failed ^ other.failed)]


@dataclass(frozen=True, order=True)
class Change:
    """What changes across a border: the arm that binds in a relation, whether it applies, whether a check holds, or
    whether there is an answer.
    """

    kind: Literal["regime", "case", "check", "answer"]
    relation: str
    arms: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "regime":
            return f"{self.relation}: {' = '.join(self.arms)}"
        if self.kind == "case":
            return f"{self.relation} begins to apply"
        return f"{self.relation} ceases to hold" if self.kind == "check" else "there is no answer beyond"


def varying(standings: Iterable[Standing]) -> set[str]:
    """The relations whose arm is not the same everywhere; all, if none varies."""
    arms = [set(one.arms) for one in standings if one.is_answered]
    shared = set.intersection(*arms) if arms else set()
    return {name for one in arms for name, _ in one - shared} or {name for name, _ in shared}


@dataclass
class Labels:
    """The standings of the points of a survey, each a small number of its own."""

    survey: Survey
    standings: list[Standing] = field(default_factory=list)

    def at(self, *columns: Any) -> Any:
        """The label of each point; the columns hold the points' numbers on each axis, in declared units."""
        import numpy

        count = len(columns[0])
        if count < _AT_LEAST:
            columns = tuple(numpy.resize(column, _AT_LEAST) for column in columns)
        work = self.survey.work
        found = work.columns(columns, is_tested=False)
        codes = work.codes(columns, found)
        judged = work.judgements(columns, found, again=False)
        target = next(iter(judged))
        answered = numpy.isfinite(found[target])
        rows = numpy.stack([*codes.values(), judged[target].places, answered], axis=1)
        patterns, places = numpy.unique(rows, axis=0, return_inverse=True)
        own = numpy.array([self._label(tuple(codes), judged[target].verdicts, one.tolist()) for one in patterns])
        return own[places.ravel()][:count]

    def _label(self, names: Sequence[str], verdicts: Sequence[Verdict], pattern: Sequence[int]) -> int:
        """The number of the standing that a row of codes tells."""
        *codes, verdict, answered = pattern
        if not answered:
            standing = Standing((), frozenset(), False)
        else:
            found = verdicts[verdict]
            if found.unused is None and not found.failed:  # compiled lines have a number, and the solver no answer
                raise LimitError(
                    "Which checks fail on this map could not be tested.",
                    hint="Narrow the ranges, or call solve at a point of them: it says why.",
                    limit="the time of an answer",
                )
            switches = self.survey.work.switches
            arms = [(*switches[name].arms, "")[code] for name, code in zip(names, codes, strict=True)]
            relations = (name.removesuffix(".regime") for name in names)
            standing = Standing(tuple(zip(relations, arms, strict=True)), found.failed)
        if standing not in self.standings:
            self.standings.append(standing)
        return self.standings.index(standing)


_ALONG_ONE = Scale((0.0, 1.0))  # the other axis of a map with one


@dataclass(frozen=True)
class RegimeMap:
    """The regions along one axis or two: strips of equal standing, and the curves between them."""

    survey: Survey
    along: Scale
    up: Scale
    columns: tuple[Column, ...]
    standings: tuple[Standing, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The axes; the last one is upright."""
        return self.survey.work.names

    @property
    def strips(self) -> list[Strip]:
        return list(strips(self.columns, self.up))

    @property
    def curves(self) -> list[Curve]:
        """The borders; with one axis each is a point."""
        if len(self.names) > 1:
            return curves(self.columns, self.standings, self.along, self.up)
        (column,) = self.columns
        pairs = zip(column.heights, pairwise(column.labels), strict=True)
        return [
            Curve(change, ((height,),))
            for height, (below, above) in pairs
            for change in self.standings[below].changes(self.standings[above])
        ]

    @property
    def shares(self) -> list[float]:
        """How much of the map each standing takes, as it is drawn."""
        found = [0.0] * len(self.standings)
        if len(self.names) == 1:
            (column,) = self.columns
            ends = [0.0, *map(self.up.share, column.heights), 1.0]
            for label, (low, high) in zip(column.labels, pairwise(ends), strict=True):
                found[label] += high - low
            return found
        for strip in self.strips:
            widths = [high - low for low, high in pairwise(map(self.along.share, strip.along))]
            tall = [self.up.share(high) - self.up.share(low) for low, high in zip(strip.low, strip.high, strict=True)]
            found[strip.label] += sum(w * (a + b) / 2 for w, (a, b) in zip(widths, pairwise(tall), strict=True))
        return found


def mapped(survey: Survey) -> RegimeMap:
    """The map of a survey with one axis or two."""
    labels = Labels(survey)
    scales = [_scale(line) for line in survey.lines]
    if len(scales) == 1:
        found: Sequence[Column] = columns_of(lambda _, y: labels.at(y), [0.0], scales[0])
    else:
        found = decomposed(labels.at, *scales)
    along = scales[0] if len(scales) > 1 else _ALONG_ONE
    return RegimeMap(survey, along, scales[-1], tuple(found), tuple(labels.standings))


def _scale(line: Line) -> Scale:
    import numpy

    numbers: Any = numpy.unique(line.part(0, len(line)))
    log = isinstance(line.source, Axis) and line.source.log
    return Scale(numbers, bool(numbers[0] > 0 and (log or numbers[-1] >= DECADES * numbers[0])))
