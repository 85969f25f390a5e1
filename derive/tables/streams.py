"""Sweeps of any length, processed piece by piece in the memory of one piece.

>>> from derive.relation_files.loading import load
>>> from derive.tables.axes import span
>>> circuits = load("circuits")
>>> axes = {"voltage": span("1..12 V", 1_000), "current": span("1..4 A", 1_000)}
>>> found = circuits.stream("resistance", **axes).summary()["resistance"]
>>> found.points, found.low, dict(found.low_at), found.high
(1000000, 0.25, {'voltage': 1.0, 'current': 4.0}, 12.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from os import PathLike
from typing import Any

import numpy

from derive.errors import ExpressionError
from derive.kernels.backends.numba_source import Tile
from derive.model.relation_set import RelationSet
from derive.notebook_display import NotebookDisplay
from derive.presentation.numbers import range_text
from derive.tables.axes import is_lazy
from derive.tables.exports import write_csv
from derive.tables.point_checks import Judgement
from derive.tables.progress import in_threads, with_progress_bar
from derive.tables.sweep_question import SweepQuestion, asked
from derive.tables.table import Table, postponed, tabled

# Quantiles come from a histogram over the leading bits of the numbers. The bits of a double, read as an integer, grow
# with its magnitude, and the first of them are its exponent: the leading 21 bits sort numbers of any size into
# classes of 0.2 % width, in a few megabytes, and give a quantile to 0.1 %.
_DROPPED = 43  # bits of a double that the histogram ignores
_CLASSES = 1 << (64 - _DROPPED)


@dataclass(frozen=True)
class Summary:
    """The summary of a column, in its declared unit. Points without a value are only counted."""

    unit: str
    points: int
    missing: int
    low: float
    high: float
    low_at: Mapping[str, float]
    high_at: Mapping[str, float]
    mean: float
    quantiles: Mapping[float, float]
    failed: Mapping[str, int] = field(default_factory=dict)  # number of points at which each check fails
    holds: int = 0  # points with a value of which every check holds
    untested: int = 0  # points with a value to which the solver, which has the checks, came to no answer

    def __repr__(self) -> str:
        return f"<Summary {self}>"

    def __str__(self) -> str:
        spread = range_text(self.low, self.high, self.unit)
        shares = ", ".join(f"{100 * share:.12g}% below {number:.4g}" for share, number in self.quantiles.items())
        amiss = "".join(f"; {name} fails at {count} of {self.points} points" for name, count in self.failed.items())
        amiss += f"; not tested at {self.untested} of {self.points} points" if self.untested else ""
        return f"{spread}, {self.mean:.6g} on average ({shares}){amiss}"


class Tally:
    """The running summary of a column, piece by piece.

    >>> import numpy
    >>> tally = Tally()
    >>> for piece in ([3.0, 1.0], [2.0, numpy.nan]):
    ...     tally.add(numpy.array(piece))
    >>> tally.points, tally.missing, tally.low, tally.low_place, tally.high, tally.mean
    (4, 1, 1.0, 1, 3.0, 2.0)
    >>> round(tally.quantile(0.5), 2)
    2.0
    """

    def __init__(self) -> None:
        self.points = self.missing = self.low_place = self.high_place = 0
        self.low, self.high = math.nan, math.nan
        self._sums: list[float] = []
        self._counts = numpy.zeros(_CLASSES, dtype=numpy.int64)
        self._failed: dict[str, int] = {}
        self._holds = self._untested = 0

    def test(self, judgement: Judgement, has_value: Any) -> None:
        """Add the verdicts on the next numbers of the stream to the tally."""
        counts = numpy.bincount(judgement.places.ravel(), minlength=len(judgement.verdicts)).tolist()
        for verdict, count in zip(judgement.verdicts, counts, strict=True):
            for name in verdict.failed:
                self._failed[name] = self._failed.get(name, 0) + count
        sound = numpy.array([not verdict.failed for verdict in judgement.verdicts])[judgement.places]
        tested = judgement.tested
        self._holds += int(numpy.count_nonzero(sound & tested & has_value))
        self._untested += int(numpy.count_nonzero(has_value & ~tested))

    def add(self, column: Any) -> None:
        """Add the next numbers of the stream's column to the tally."""
        column = numpy.ravel(column)
        before, self.points = self.points, self.points + len(column)
        low = column.min()
        if low == low:
            values = column
            low_place, high_place = int(column.argmin()), int(column.argmax())
        else:
            missing = numpy.isnan(column)
            values = column[~missing]
            self.missing += len(column) - len(values)
            if len(values) == 0:
                return
            low_place, high_place = int(numpy.nanargmin(column)), int(numpy.nanargmax(column))
        if not column[low_place] >= self.low:
            self.low, self.low_place = float(column[low_place]), before + low_place
        if not column[high_place] <= self.high:
            self.high, self.high_place = float(column[high_place]), before + high_place
        self._sums = [math.fsum([*self._sums, float(values.sum())])]
        self._count(values)

    def _count(self, values: Any) -> None:
        """Count a piece of a sweep's column into the tally: a class is all numbers with the same leading bits."""
        classes = (numpy.ascontiguousarray(values).view(numpy.uint64) >> numpy.uint64(_DROPPED)).astype(numpy.int64)
        first = int(classes.min())
        counts = numpy.bincount(classes - first)
        self._counts[first : first + len(counts)] += counts

    @property
    def mean(self) -> float:
        count = self.points - self.missing
        return self._sums[0] / count if count else math.nan

    def quantile(self, share: float) -> float:
        """The number below which a share of a stream's tallied numbers lies, within 0.1 %."""
        count = self.points - self.missing
        if count == 0:
            return math.nan
        half = _CLASSES // 2  # negative numbers come in the upper half, the largest magnitude last
        order = numpy.concatenate([numpy.arange(_CLASSES - 1, half - 1, -1), numpy.arange(half)])
        reached = numpy.cumsum(self._counts[order])
        place = order[int(numpy.searchsorted(reached, min(math.floor(share * count) + 1, count)))]
        ends = (numpy.array([place, place + 1], dtype=numpy.uint64) << numpy.uint64(_DROPPED)).view(numpy.float64)
        low, high = map(float, ends)
        middle = low / 2 + high / 2 if math.isfinite(high) else low
        return min(max(middle, self.low), self.high)

    def summary(self, unit: str, places: Sequence[Mapping[str, float]], shares: Sequence[float]) -> Summary:
        """The summary of the tallied column of a stream.

        `places` are the axes where it is lowest and highest.
        """
        for share in shares:
            if not 0 <= share <= 1:
                raise ExpressionError(f"{share!r} is not a share.", hint="Give quantiles between 0 and 1.")
        quantiles = {share: self.quantile(share) for share in shares}
        low_at, high_at = places
        numbers = (self.low, self.high, low_at, high_at, self.mean, quantiles)
        amiss = dict(sorted(self._failed.items()))
        return Summary(unit, self.points, self.missing, *numbers, amiss, self._holds, self._untested)


_SEEN = 3  # points tried along each axis


@dataclass(frozen=True, eq=False)
class Stream(NotebookDisplay):
    """A sweep that is computed on use. Each use goes through its points anew."""

    survey: SweepQuestion

    def __len__(self) -> int:
        return self.survey.size

    def __repr__(self) -> str:
        function = self.survey.function
        return f"<Stream of {', '.join(function.targets)} over {', '.join(function.names)}: {len(self)} points>"

    def __iter__(self) -> Iterator[Table]:
        """The stream as tables of adjacent points, in the order of the rows of one large table."""
        tables = in_threads(partial(_table, self.survey), self.survey.boxes(self.survey.pace()))
        return with_progress_bar(((len(table), table) for table in tables), self.survey.size, "points")

    def summary(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> dict[str, Summary]:
        """The summary of each target over all points of the stream: extremes and where they lie, mean, quantiles.

        It also counts the points at which each check fails.
        """
        tallies = {target: Tally() for target in self.survey.function.targets}
        for table in self:
            for target, tally in tallies.items():
                tally.add(table.columns[target])
                tally.test(table.holding.judgements[target], numpy.isfinite(table.columns[target]))
        units, point = self.survey.units, self.survey.point
        summaries = {}
        for target, tally in tallies.items():
            extremes = point(tally.low_place), point(tally.high_place)
            summaries[target] = tally.summary(units[target], extremes, quantiles)
        return summaries

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that the stream does not use, as far as a few points along each axis show."""
        places = [numpy.unique(numpy.linspace(0, len(line) - 1, _SEEN).astype(int)) for line in self.survey.lines]
        lines = zip(self.survey.lines, places, strict=True)
        few = self.survey.at(*(numpy.concatenate([line.part(i, i + 1) for i in along]) for line, along in lines))
        return tabled(few).unused

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write the stream to a file with a line for each point, its units in the heading."""
        write_csv(path, self)

    def to_dask(self, points: int = 1 << 20) -> Table:
        """The table of all points of the stream as lazy dask arrays, in chunks of at most this many points."""
        return postponed(self.survey, points)


def stream(
    library: RelationSet, targets: str | Sequence[str], profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> Stream:
    """The stream of targets at every combination of the axes' values, to be computed piece by piece."""
    survey = asked(library, targets, profiles, given)
    if any(is_lazy(line.source) for line in survey.lines):
        raise ExpressionError("A dask axis cannot be streamed.", hint="Use sweep(...), which leaves it to dask.")
    survey.refuse_ranges("for a stream of them")
    return Stream(survey)


def _table(survey: SweepQuestion, box: Tile) -> Table:
    """The table of one piece of a stream, which is a box of its question."""
    arrays = survey.within(box)
    axes = {name: array.ravel() for name, array in zip(survey.function.names, arrays, strict=True)}
    return Table(axes, survey.function.columns(arrays), survey.units, survey.at(*axes.values()))
