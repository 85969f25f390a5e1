"""Sweeps on dask: chunked arrays, computed by threads, processes or a cluster.

The work is sent once to each worker, which compiles its own functions; a chunk needs nothing else but its stretch of
the axes. So a chunk that is lost with its worker is recomputed by another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.errors import ExpressionError
from derive.tables.axes import Axis, Line, checked, is_lazy
from derive.tables.extras import package
from derive.tables.regimes import Regime
from derive.tables.sweep_question import Survey, crossed
from derive.tables.sweep_work import Work
from derive.tables.table_checks import held_along

__all__ = ["computed", "holds", "lazily", "regimes"]

_PIECE = 1 << 20  # points of a chunk


def lazily(survey: Survey, points: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axes and targets of a survey as dask arrays, in chunks of at most this many points."""
    package("dask.array", "scale")
    if not survey.lines:
        raise ExpressionError("There is no axis to divide.", hint="Give span(...) for one of the givens.")
    sizes = [stretch.stop - stretch.start for stretch in next(survey.boxes(points or _PIECE))]
    axes = {line.name: _axis(survey, line, size) for line, size in zip(survey.lines, sizes, strict=True)}
    return axes, _blocks(_columns, survey.work, list(survey.work.lines), axes, {}, "f8")


def regimes(work: Work, axes: Mapping[str, Any], columns: Mapping[str, Any]) -> dict[str, Regime]:
    """The regimes along such axes, from the targets there."""
    codes = _blocks(_codes, work, list(work.switches), axes, columns, "i1")
    return {name: Regime(work.switches[name].arms, codes[name]) for name in codes}


def holds(work: Work, axes: Mapping[str, Any], columns: Mapping[str, Any]) -> Any:
    """Where all checks hold along such axes, from the targets there."""
    return _blocks(_holds, work, ["holds"], axes, columns, "?")["holds"]


def computed(arrays: Mapping[str, Any], client: Any, retries: int) -> dict[str, Any]:
    """Arrays computed; a client sends their chunks to its workers, again if a worker is lost."""
    import dask

    held = list(arrays.values())
    found = dask.compute(*held) if client is None else client.gather(client.compute(held, retries=retries))
    return dict(zip(arrays, found, strict=True))


def _axis(survey: Survey, line: Line, size: int) -> Any:
    """An axis as dask's, in declared units."""
    from dask import array

    if is_lazy(line.source):
        quantity = survey.work.library.declared[line.name]
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


def _shipped(work: Work) -> Any:
    """The work as one object that dask distributes."""
    from dask import delayed

    return delayed(work, traverse=False, pure=False)


def _blocks(
    task: Any, work: Work, names: Sequence[str], axes: Mapping[str, Any], columns: Mapping[str, Any], kind: str
) -> dict[str, Any]:
    """Arrays over the axes, computed together by one task for each stretch of the axes and the columns there."""
    from dask import array

    if not names:
        return {}
    whole = tuple(range(len(axes)))
    pairs = [part for i, axis in enumerate(axes.values()) for part in (axis, (i,))]
    pairs += [part for column in columns.values() for part in (column, whole)]
    how = {"dtype": kind, "meta": _empty(1 + len(axes), kind), "new_axes": {len(axes): len(names)}}
    held = array.blockwise(task, (len(axes), *whole), _shipped(work), None, tuple(columns), None, *pairs, **how)
    return {name: held[i] for i, name in enumerate(names)}


def _columns(work: Work, _: tuple[str, ...], *parts: Any) -> Any:
    import numpy

    return numpy.stack([*work.columns(crossed(parts)).values()])


def _codes(work: Work, targets: tuple[str, ...], *parts: Any) -> Any:
    import numpy

    arrays, columns = crossed(parts[: len(work.names)]), parts[len(work.names) :]
    codes = work.codes(arrays, dict(zip(targets, columns, strict=True)))
    return numpy.stack(numpy.broadcast_arrays(*codes.values(), numpy.empty(columns[0].shape))[:-1])


def _holds(work: Work, targets: tuple[str, ...], *parts: Any) -> Any:
    import numpy

    arrays, columns = parts[: len(work.names)], dict(zip(targets, parts[len(work.names) :], strict=True))
    lines = tuple(Line(name, "", array) for name, array in zip(work.names, arrays, strict=True))
    return numpy.stack([held_along(Survey(lines, work), columns).holds])


def _empty(dimensions: int, kind: str) -> Any:
    import numpy

    return numpy.empty((0,) * dimensions, dtype=kind)
