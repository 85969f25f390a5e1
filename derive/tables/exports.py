"""Tables for other programs: CSV files, data frames of pandas, and sweeps on dask.

A data frame has the units beside its columns, in their names, or in the numbers themselves. Sweeps on dask are chunked
arrays, computed by threads, processes or a cluster. The function is sent once to each worker, which compiles its own
functions; a chunk needs nothing else but its stretch of the axes. So a chunk that is lost with its worker is recomputed
by another.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy

from derive.errors import DeriveError, ExpressionError, optional_package, unknown
from derive.files import written_whole
from derive.presentation.numbers import heading_with_unit
from derive.tables.axes import Axis, Line, checked, is_lazy
from derive.tables.point_values import Regime
from derive.tables.sweep_function import SweepFunction
from derive.tables.sweep_question import SweepQuestion
from derive.tables.table_checks import held_along
from quantities.registry import quantity, registry
from quantities.spelling import parse_unit

if TYPE_CHECKING:
    from derive.tables.table import Table

_PIECE = 1 << 16  # lines written at once


def write_csv(path: str | PathLike[str], tables: Iterable[Table]) -> None:
    """Export tables to a CSV file, one below the other under one heading; numbers have all their digits."""
    with written_whole(path) as file:
        text = TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text, lineterminator="\n")
        for i, table in enumerate(tables):
            if i == 0:
                writer.writerow(heading(table))
            for start in range(0, len(table), _PIECE):
                writer.writerows(lines(table, slice(start, start + _PIECE)))
        text.detach()  # writes its buffer


def beside_each_other(
    tables: Mapping[str, Table], chosen: Any, is_tested: bool = True
) -> tuple[list[str], list[tuple[Any, ...]]]:
    """The heading and the rows of several tables over the same axes, for one export.

    The axes come once, then each table's columns with its label.
    """
    first = next(iter(tables.values()))
    axes = len(first.axes)
    names = heading(first, is_tested)[:axes]
    rows: list[tuple[Any, ...]] = [line[:axes] for line in lines(first, chosen, is_tested)]
    for label, table in tables.items():
        names += [f"{name} {label}" for name in heading(table, is_tested)[axes:]]
        own_lines = lines(table, chosen, is_tested)
        rows = [(*row, *line[axes:]) for row, line in zip(rows, own_lines, strict=True)]
    return names, rows


def heading(table: Table, is_tested: bool = True) -> list[str]:
    """The heading of an exported table: the names of its columns, each with its unit, as in `batch [sequence]`."""
    labels = [heading_with_unit(name, table.units[name]) for name in (*table.axes, *table.columns)]
    return [*labels, *table.regimes, *(table.own_names if is_tested else ())]


def lines(table: Table, chosen: Any, is_tested: bool = True) -> Iterator[tuple[Any, ...]]:
    """The lines of an exported table, one for each point; a cell without a number is empty.

    If the points are tested, the last cells say whether all checks hold, and which do not.
    """
    columns = [[None if x != x else x for x in column.flat[chosen].tolist()] for column in table.rows().values()]
    words = [[*regime.arms, ""] for regime in table.regimes.values()]
    for names, regime in zip(words, table.regimes.values(), strict=True):
        columns.append([names[code] for code in regime.codes.flat[chosen].tolist()])
    if is_tested:
        columns += [table.holds.flat[chosen].tolist(), table.fails.flat[chosen].tolist()]
    return zip(*columns, strict=True)


Units = Literal["attrs", "names", "pint"]
"""Where a frame keeps its units: in `.attrs["units"]`, in the names of its columns, or in its numbers (pint-pandas)."""


def data_frame(columns: Mapping[str, Any], units: Mapping[str, str], place: Units) -> Any:
    """Columns exported as a data frame of pandas, some of them with units.

    What pandas works out of a frame often loses its `.attrs`; the names of columns stay, and so do numbers with units.
    """
    if place not in get_args(Units):
        raise unknown("place for units", place, get_args(Units))
    pandas = optional_package("pandas", "tables")
    if place == "pint":
        columns = {**columns, **{name: _with_unit(columns[name], unit) for name, unit in units.items()}}
    frame = pandas.DataFrame(dict(columns))
    frame.attrs["units"] = dict(units)
    if place == "names":
        frame = frame.rename(columns={name: heading_with_unit(name, unit) for name, unit in units.items()})
    return frame


def _with_unit(numbers: Any, unit: str) -> Any:
    """A column exported to a data frame as an array of pint-pandas, which computes in pint's application registry."""
    pint_pandas = optional_package("pint_pandas", "tables")
    if pint_pandas.PintType.ureg.get() is not registry():
        message = "pint-pandas reckons in pint's application registry, which does not know these units."
        raise DeriveError(message, hint="Call pint.set_application_registry(derive.units) first.")
    return pint_pandas.PintArray(numbers, dtype=pint_pandas.PintType(quantity(1, parse_unit(unit)).units))


_CHUNK = 1 << 20  # points of a chunk

Task = Callable[[SweepQuestion, Mapping[str, Any]], Iterable[Any]]
"""What is computed along some axes, from the targets there."""


def lazily(survey: SweepQuestion, points: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """A sweep exported to dask: its axes and targets as arrays in chunks of at most this many points."""
    optional_package("dask.array", "scale")
    if not survey.lines:
        raise ExpressionError("There is no axis to divide.", hint="Give span(...) for one of the givens.")
    sizes = [stretch.stop - stretch.start for stretch in next(survey.boxes(points or _CHUNK))]
    axes = {line.name: _axis(survey, line, size) for line, size in zip(survey.lines, sizes, strict=True)}
    return axes, _blocks(_columns, survey.function, list(survey.function.lines), axes, {}, "f8")


def regimes(function: SweepFunction, axes: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Regime]:
    """The regimes of a sweep exported to dask, as chunked arrays, from the targets there."""
    codes = _blocks(_codes, function, list(function.switches), axes, columns, "i1")
    return {name: Regime(function.switches[name].arms, codes[name]) for name in codes}


def holds(function: SweepFunction, axes: Mapping[str, Any], columns: Mapping[str, Any]) -> Any:
    """Whether all checks hold at each point of a sweep exported to dask, as a chunked array, from the targets there."""
    return _blocks(_holds, function, ["holds"], axes, columns, "?")["holds"]


def computed(arrays: Mapping[str, Any], client: Any, retries: int) -> dict[str, Any]:
    """Compute the arrays of a sweep exported to dask; a client's workers compute chunks, again if a worker is lost."""
    import dask

    listed = list(arrays.values())
    results = dask.compute(*listed) if client is None else client.gather(client.compute(listed, retries=retries))
    return dict(zip(arrays, results, strict=True))


def _axis(survey: SweepQuestion, line: Line, size: int) -> Any:
    """The axis of a sweep exported to dask, as a chunked array in declared units."""
    from dask import array

    if is_lazy(line.source):
        quantity = survey.function.library.declared[line.name]
        source = line.source.rechunk(size) if max(line.source.chunks[0]) > size else line.source
        return source.map_blocks(_declared, line, quantity, dtype="f8", meta=_empty(1, "f8"))
    if isinstance(line.source, Axis):
        places = array.arange(len(line), chunks=size)
        return places.map_blocks(_part, line, dtype="f8", meta=_empty(1, "f8"))
    return array.from_array(line.part(0, len(line)), chunks=size)


def _part(places: Any, line: Line) -> Any:
    return line.part(int(places[0]), int(places[-1]) + 1)


def _declared(numbers: Any, line: Line, quantity: Any) -> Any:
    return checked(quantity, line.declared(numbers))


def _blocks(
    task: Task,
    function: SweepFunction,
    names: Sequence[str],
    axes: Mapping[str, Any],
    columns: Mapping[str, Any],
    kind: str,
) -> dict[str, Any]:
    """Chunked arrays of a sweep exported to dask, of which one task computes each stretch of axes and columns."""
    from dask import array, delayed

    if not names:
        return {}
    shipped = delayed(function, traverse=False, pure=False)  # one object, which is sent once
    axis_places = tuple(range(len(axes)))
    pairs: list[Any] = []  # what dask's blockwise takes: each array, followed by the places of its dimensions
    for i, axis in enumerate(axes.values()):
        pairs += [axis, (i,)]
    for column in columns.values():
        pairs += [column, axis_places]
    how = {"dtype": kind, "meta": _empty(1 + len(axes), kind), "new_axes": {len(axes): len(names)}}
    fixed = (task, None, shipped, None, tuple(columns), None)  # None: the same in every block
    blocks = array.blockwise(_of_stretch, (len(axes), *axis_places), *fixed, *pairs, **how)
    return {name: blocks[i] for i, name in enumerate(names)}


def _of_stretch(task: Task, function: SweepFunction, targets: tuple[str, ...], *parts: Any) -> Any:
    """What a task of dask finds on its stretch of an exported sweep, each result broadcast to a whole chunk."""
    lines = tuple(Line(name, array) for name, array in zip(function.names, parts, strict=False))
    survey, columns = SweepQuestion(lines, function), dict(zip(targets, parts[len(lines) :], strict=True))
    return numpy.stack([numpy.broadcast_to(result, survey.shape) for result in task(survey, columns)])


def _columns(survey: SweepQuestion, _: Mapping[str, Any]) -> Iterable[Any]:
    return survey.function.columns(numpy.ix_(*(line.source for line in survey.lines))).values()


def _codes(survey: SweepQuestion, columns: Mapping[str, Any]) -> Iterable[Any]:
    return survey.function.codes(numpy.ix_(*(line.source for line in survey.lines)), columns).values()


def _holds(survey: SweepQuestion, columns: Mapping[str, Any]) -> Iterable[Any]:
    return [held_along(survey, columns).holds]


def _empty(dimensions: int, kind: str) -> Any:
    return numpy.empty((0,) * dimensions, dtype=kind)
