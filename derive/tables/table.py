"""Tables: the axes and targets of a sweep as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import Any

import numpy

from derive.errors import ExpressionError, LimitError, optional_package, unknown
from derive.kernels.backends.numba_source import Tile
from derive.model.relation_set import RelationSet
from derive.notebook_display import NotebookDisplay
from derive.presentation.cautions import PlacedRemark
from derive.tables import exports
from derive.tables.axes import is_lazy
from derive.tables.exports import Units, data_frame
from derive.tables.point_values import Regime
from derive.tables.progress import in_threads, with_progress_bar
from derive.tables.sweep_question import SweepQuestion, asked, points_in
from derive.tables.table_checks import Holding, held_along

_MOST = 20_000_000  # limit on points of one table
_MOST_SOLVED = 10_000  # the same where the solver is called at each


@dataclass(frozen=True, eq=False)
class Table(NotebookDisplay):
    """The axes and the targets of a sweep, as arrays in declared units; a point without a value is NaN.

    Each target has as many dimensions as there are axes. `regimes` holds the binding arm of each maximum, computed on
    first use. The arrays of a lazy table stay dask's until `compute`.
    """

    axes: Mapping[str, Any]
    columns: Mapping[str, Any]
    units: Mapping[str, str]
    survey: SweepQuestion = field(repr=False)

    def __len__(self) -> int:
        return math.prod(len(axis) for axis in self.axes.values())

    def __repr__(self) -> str:
        over = f" over {', '.join(self.axes)}" if self.axes else ""
        return f"<Table of {', '.join(self.columns)}{over}: {len(self)} points>"

    def __getitem__(self, name: str) -> Any:
        """A column of the table by its name: an axis, a target, a regime (`step_time.regime`), `holds` or `fails`."""
        for arrays in (self.axes, self.columns):
            if name in arrays:
                return arrays[name]
        if name in self.own_names:
            return self.holds if name == self.own_names[0] else self.fails
        if name in self.regimes:
            return self.regimes[name].words
        raise unknown("column", name, [*self.axes, *self.columns, *self.regimes, *self.own_names])

    @cached_property
    def regimes(self) -> Mapping[str, Regime]:
        """The arm that binds at each point of the table, for each relation with a maximum or an open choice."""
        if self.is_lazy:
            return exports.regimes(self.survey.function, self.axes, self.columns)
        return _regimes(self.survey, self.columns)

    @cached_property
    def holding(self) -> Holding:
        """The checks of this table's targets: at which points they fail, and which givens are unused."""
        if self.is_lazy:
            raise ExpressionError("Which checks fail is known once the table is computed.", hint="Call compute().")
        return held_along(self.survey, self.columns)

    @property
    def holds(self) -> Any:
        """Whether each point of the table has an answer of which every check that could be tested holds."""
        if self.is_lazy:
            return exports.holds(self.survey.function, self.axes, self.columns)
        return self.holding.holds

    @property
    def fails(self) -> Any:
        """The table's own column of the names of the checks that fail at each point, as text."""
        return self.holding.words

    @property
    def own_names(self) -> tuple[str, str]:
        """The names of the table's own columns `holds` and `fails`, adapted if a quantity has one of these names."""
        named = {*self.axes, *self.columns}
        holds, fails = (f"table.{name}" if name in named else name for name in ("holds", "fails"))
        return holds, fails

    @property
    def failed(self) -> Mapping[str, Any]:
        """For each check that fails anywhere, the column of this table that tells at which points it does."""
        return self.holding.failed

    @property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that no answer in the table uses."""
        return self.holding.unused

    @cached_property
    def remarks(self) -> tuple[PlacedRemark, ...]:
        """What targets in the middle of the table's axes assume, take by default or leave out, each with its size."""
        if self.is_lazy:
            return ()
        return self.survey.function.remarked({name: float(axis[len(axis) // 2]) for name, axis in self.axes.items()})

    def beside(self, *axes: Any) -> Table:
        """The table of the same question at other numbers on its axes."""
        return tabled(self.survey.at(*axes))

    @property
    def is_lazy(self) -> bool:
        """Whether the columns of the table are dask's and not computed yet."""
        return any(is_lazy(array) for array in (*self.axes.values(), *self.columns.values()))

    def compute(self, client: Any = None, retries: int = 5) -> Table:
        """The same table with its numbers computed, by dask's threads or by a distributed client."""
        if not self.is_lazy:
            return self
        numbers = exports.computed({**self.axes, **self.columns}, client, retries)
        axes = {name: numbers[name] for name in self.axes}
        columns = {name: numbers[name] for name in self.columns}
        return replace(self, axes=axes, columns=columns, survey=self.survey.at(*axes.values()))

    def to_pandas(self, units: Units = "attrs") -> Any:
        """This table as a frame: a row for each point, a column for each axis, target and regime, `holds` and `fails`.

        The units are in `.attrs["units"]`, by the name of the column. With `units="names"` they stand in the names as
        well (`step_time [s]`), and with `units="pint"` the numbers carry them (pint-pandas).
        """
        pandas = optional_package("pandas", "tables")
        table = self.compute()
        data = {name: column.ravel() for name, column in table.rows().items()}
        for name, regime in table.regimes.items():
            data[name] = pandas.Categorical.from_codes(regime.codes.ravel(), list(regime.arms))
        for name in self.own_names:
            data[name] = table[name].ravel()
        return data_frame(data, table.units, units)

    def rows(self) -> dict[str, Any]:
        """The axes and targets of the table, each broadcast to its size."""
        shape, rows = tuple(map(len, self.axes.values())), dict[str, Any]()
        for i, (name, axis) in enumerate(self.axes.items()):
            rows[name] = numpy.broadcast_to(axis.reshape(-1, *(1,) * (len(shape) - i - 1)), shape)
        return {**rows, **self.columns}

    def to_xarray(self) -> Any:
        """This table as a data set over its axes, with units as attributes; lazy if the table is."""
        xarray = optional_package("xarray", "tables")
        names = list(self.axes)
        variables = {n: (names, column, {"units": self.units[n]}) for n, column in self.columns.items()}
        axes = {name: (name, axis, {"units": self.units[name]}) for name, axis in self.axes.items()}
        regimes = {name: (names, regime.words) for name, regime in self.regimes.items()}
        holds, fails = self.own_names
        tested = {holds: (names, self.holds)} if self.is_lazy else {n: (names, self[n]) for n in (holds, fails)}
        return xarray.Dataset({**variables, **regimes, **tested}, axes)

    def to_csv(self, path: str | PathLike[str]) -> None:
        """Write this table to a file, a row for each point below a heading with units."""
        exports.write_csv(path, [self.compute()])

    def plot(self) -> Any:
        """This table as a figure: its targets along the first axis, a line for each value of the others."""
        from derive.presentation.plotting import figure
        from derive.tables.table_charts import captioned, charts

        table = self.compute()
        return figure(*captioned(charts(table), table))


def sweep(
    library: RelationSet, targets: str | Sequence[str], profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> Table:
    """Compute a table: a column of numbers for each target, over every combination of the axes' values."""
    survey = asked(library, targets, profiles, given)
    if any(is_lazy(line.source) for line in survey.lines):
        return postponed(survey)
    if survey.size > _MOST_SOLVED:
        survey.refuse_ranges(f"for more than {_MOST_SOLVED} points")
    if survey.size > _MOST:
        raise LimitError(
            "The table is too large.",
            hint="Take fewer points, or go through any number of them in pieces: library.stream(...), or -o FILE.csv.",
            limit=f"{_MOST} points",
        )
    return tabled(survey)


def tabled(survey: SweepQuestion) -> Table:
    """The table of a sweep's question, with the columns of its targets computed."""
    axes = {line.name: line.part(0, len(line)) for line in survey.lines}
    full = survey.at(*axes.values())
    columns = {name: numpy.empty(survey.shape) for name in survey.units if name not in axes}
    _fill(columns, full, full.boxes(full.pace()), "points", lambda arrays, _: full.function.columns(arrays))
    return Table(axes, columns, survey.units, full)


def _regimes(survey: SweepQuestion, columns: Mapping[str, Any]) -> dict[str, Regime]:
    """The regime columns of a table, from its columns of targets."""
    switches = survey.function.switches
    codes = {name: numpy.empty(survey.shape, dtype=numpy.int8) for name in switches}

    def work(arrays: Sequence[Any], box: Tile) -> Mapping[str, Any]:
        return survey.function.codes(arrays, {name: column[box] for name, column in columns.items()})

    boxes = survey.boxes() if switches else ()
    _fill(codes, survey, boxes, "regimes", work)
    return {name: Regime(switch.arms, codes[name]) for name, switch in switches.items()}


def _fill(
    columns: Mapping[str, Any],
    survey: SweepQuestion,
    boxes: Iterable[Tile],
    what: str,
    work: Callable[[Sequence[Any], Tile], Mapping[str, Any]],
) -> None:
    """Fill the columns of a table, box by box, from the numbers of the axes in each."""

    def fill(box: Tile) -> tuple[int, None]:
        for name, numbers in work(survey.within(box), box).items():
            columns[name][box] = numbers
        return points_in(box), None

    for _ in with_progress_bar(in_threads(fill, boxes), survey.size, what):
        pass


def postponed(survey: SweepQuestion, points: int | None = None) -> Table:
    """The table of a sweep's question, with columns that dask computes later."""
    survey.refuse_ranges("by dask")
    axes, columns = exports.lazily(survey, points)
    return Table(axes, columns, survey.units, survey)
