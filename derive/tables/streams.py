"""Sweeps of any length: gone through piece by piece, in the memory of one piece.

>>> from derive.relation_files.loading import load
>>> from derive.tables.axes import span
>>> ohm = load('''[quantities]
... V = { unit = "V" }
... I = { unit = "A" }
... R = { unit = "ohm" }
... [relations.ohm]
... equation = "V = I*R"''')
>>> found = ohm.stream("R", V=span("1..12 V", 1_000), I=span("1..4 A", 1_000)).summary()["R"]
>>> found.points, found.low, dict(found.low_at), found.high
(1000000, 0.25, {'V': 1.0, 'I': 4.0}, 12.0)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError
from derive.tables.axes import is_lazy
from derive.tables.progress import ahead, watched
from derive.tables.summaries import Summary, Tally
from derive.tables.sweep_question import Box, Survey, asked
from derive.tables.table import Table, postponed
from derive.tables.table_checks import held_along

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["Stream", "stream"]


_SEEN = 3  # points along each axis that are looked at


@dataclass(frozen=True, eq=False)
class Stream:
    """A sweep that is not worked out yet. Each use goes through its points anew."""

    survey: Survey

    def __len__(self) -> int:
        return self.survey.size

    def __iter__(self) -> Iterator[Table]:
        """Tables of neighbouring points, in the order of the rows of one large table."""
        tables = ahead(partial(_table, self.survey), self.survey.boxes(self.survey.pace()))
        return watched(((len(table), table) for table in tables), self.survey.size, "points")

    def summary(self, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> dict[str, Summary]:
        """What each target comes to over all points: its ends and where they lie, its mean, its quantiles.

        And at how many points which of its checks fail.
        """
        import numpy

        tallies = {recipe.target: Tally() for recipe in self.survey.work.recipes}
        for table in self:
            for target, tally in tallies.items():
                tally.add(table.columns[target])
                tally.test(table.holding.judgements[target], numpy.isfinite(table.columns[target]))
        units = self.survey.units
        return {
            target: tally.summary(units[target], [*map(self._at, (tally.low_place, tally.high_place))], quantiles)
            for target, tally in tallies.items()
        }

    @cached_property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that play no part, as far as a few points along each axis show."""
        import numpy

        places = [numpy.unique(numpy.linspace(0, len(line) - 1, _SEEN).astype(int)) for line in self.survey.lines]
        lines = zip(self.survey.lines, places, strict=True)
        few = self.survey.at(*(numpy.concatenate([line.part(i, i + 1) for i in along]) for line, along in lines))
        columns = few.work.columns(few.within(tuple(slice(0, len(line)) for line in few.lines)))
        return held_along(few, columns).unused

    def _at(self, place: int) -> dict[str, float]:
        """Where on the axes a point lies, by its place among the rows."""
        found = {}
        for line in reversed(self.survey.lines):
            place, i = divmod(place, len(line))
            found[line.name] = float(line.part(i, i + 1)[0])
        return {line.name: found[line.name] for line in self.survey.lines}

    def to_csv(self, path: str | PathLike[str]) -> None:
        """A file with a line for each point, its units in the heading."""
        from derive.tables.csv_files import write_csv

        write_csv(path, self)

    def to_dask(self, points: int = 1 << 20) -> Table:
        """The table of all points as dask's arrays, in chunks of at most so many points, worked out when asked for."""
        return postponed(self.survey, points)


def stream(
    library: Library, targets: str | Sequence[str], profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> Stream:
    """The targets at every combination of the axes' values, to be gone through piece by piece."""
    survey = asked(library, targets, profiles, given)
    if any(is_lazy(line.source) for line in survey.lines):
        raise ExpressionError("An axis of dask's is not streamed.", hint="Ask sweep(...), which leaves it to dask.")
    survey.refuse_ranges("for a stream of them")
    return Stream(survey)


def _table(survey: Survey, box: Box) -> Table:
    arrays = survey.within(box)
    axes = {name: array.ravel() for name, array in zip(survey.work.names, arrays, strict=True)}
    return Table(axes, survey.work.columns(arrays), survey.units, survey.at(*axes.values()))
