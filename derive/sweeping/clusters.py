"""The same sweeps on dask: arrays in chunks, worked out by threads, processes or the machines of a cluster.

What travels is the work, once to each worker, which compiles its functions for himself; a chunk needs nothing else
but its stretch of the axes. So a chunk that is lost with its worker is worked out again by another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.errors import ExpressionError
from derive.sweeping.asking import Survey, crossed
from derive.sweeping.axes import Axis, Line, checked, is_lazy
from derive.sweeping.packages import package
from derive.sweeping.regimes import Regime
from derive.sweeping.working import Work

__all__ = ["computed", "lazily", "regimes"]

_PIECE = 1 << 20  # points of a chunk


def lazily(survey: Survey, points: int | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The axes and the targets of a survey, in chunks of at most so many points that dask is to work out."""
    package("dask.array", "scale")
    if not survey.lines:
        raise ExpressionError("There is no axis to divide.", hint="Give span(...) for one of the givens.")
    sizes = [stretch.stop - stretch.start for stretch in next(survey.boxes(points or _PIECE))]
    axes = {line.name: _axis(survey, line, size) for line, size in zip(survey.lines, sizes, strict=True)}
    shipped, held = _shipped(survey.work), list(axes.values())
    return axes, {target: _blocks(_column, held, shipped, target, "f8") for target in survey.work.functions}


def regimes(work: Work, axes: Sequence[Any]) -> dict[str, Regime]:
    """The regimes along such axes."""
    shipped = _shipped(work)
    return {
        name: Regime(switch.arms, _blocks(_codes, axes, shipped, name, "i1")) for name, switch in work.switches.items()
    }


def computed(arrays: Mapping[str, Any], client: Any, retries: int) -> dict[str, Any]:
    """Arrays worked out; a client sends their chunks to its workers, and anew where a worker is lost."""
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
    """The work as one thing that dask sends about."""
    from dask import delayed

    return delayed(work, traverse=False, pure=False)


def _blocks(task: Any, axes: Sequence[Any], shipped: Any, name: str, kind: str) -> Any:
    """An array over the axes, each block of which is worked out from its stretch of each of them."""
    from dask import array

    pairs = [part for i, axis in enumerate(axes) for part in (axis, (i,))]
    how = {"dtype": kind, "meta": _empty(len(axes), kind)}
    return array.blockwise(task, tuple(range(len(axes))), shipped, None, name, None, *pairs, **how)


def _column(work: Work, target: str, *parts: Any) -> Any:
    return work.functions[target](*crossed(parts))


def _codes(work: Work, name: str, *parts: Any) -> Any:
    import numpy

    arrays = crossed(parts)
    values = {**dict(zip(work.names, arrays, strict=True)), **work.columns(arrays)}
    return numpy.broadcast_to(work.switches[name].codes(values), numpy.broadcast_shapes(*(a.shape for a in arrays)))


def _empty(dimensions: int, kind: str) -> Any:
    import numpy

    return numpy.empty((0,) * dimensions, dtype=kind)
