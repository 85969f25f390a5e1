"""Arrays processed tile by tile, so that intermediate results stay in cache and nothing is broadcast in full.

Every argument keeps its own shape. An array that is broadcast has size one along some axes; there each tile takes all
of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

__all__ = ["Tile", "part", "spread", "tiles"]

Tile = tuple[slice, ...]
_ALL = slice(None)


def spread(values: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """Numbers as floats or arrays with one number of axes, and the shape that they broadcast to."""
    import numpy

    arrays = [numpy.asarray(value, dtype=float) for value in values]
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    return [_with_axes(array, len(shape)) if array.ndim else array[()] for array in arrays], shape


def _with_axes(array: Any, count: int) -> Any:
    return array if array.ndim == count else array.reshape((1,) * (count - array.ndim) + array.shape)


def tiles(shape: Sequence[int], most: int) -> Iterator[Tile]:
    """Blocks of at most this many points that cover a shape.

    >>> [[(one.start, one.stop) for one in tile] for tile in tiles((2, 5), 4)]
    [[(0, 1), (0, 4)], [(0, 1), (4, 8)], [(1, 2), (0, 4)], [(1, 2), (4, 8)]]
    >>> [tile[0].stop for tile in tiles((3, 2), 4)]
    [2, 4]
    """
    axis = len(shape)
    while axis and math.prod(shape[axis - 1 :]) <= most:
        axis -= 1
    if not axis:
        yield (_ALL,) * len(shape)
        return
    step = max(1, most // math.prod(shape[axis:]))
    rest = (_ALL,) * (len(shape) - axis)
    for index in product(*map(range, shape[: axis - 1])):
        before = tuple(slice(i, i + 1) for i in index)
        for start in range(0, shape[axis - 1], step):
            yield (*before, slice(start, start + step), *rest)


def part(array: Any, tile: Tile) -> Any:
    """The part of an argument in a tile."""
    if not array.ndim:
        return array
    return array[tuple(_ALL if size == 1 else cut for size, cut in zip(array.shape, tile, strict=True))]


def folded(arrays: Sequence[Any]) -> list[Any]:
    """Views of arrays with axes merged that are contiguous in all of them; the first array has all axes.

    >>> import numpy
    >>> [array.shape for array in folded([numpy.empty((2, 3, 4)), numpy.ones((1, 3, 4)), numpy.float64(2)])]
    [(2, 12), (1, 12), ()]
    """
    spread_out = [array for array in arrays if array.ndim]
    if not spread_out:
        return [array.reshape(1) if i == 0 else array for i, array in enumerate(arrays)]
    ends = [
        axis for axis in range(1, arrays[0].ndim) if not all(_follow(array, axis, arrays[0]) for array in spread_out)
    ]
    starts, stops = [0, *ends], [*ends, arrays[0].ndim]
    return [
        array.reshape([math.prod(array.shape[i:j]) for i, j in zip(starts, stops, strict=True)])
        if array.ndim
        else array
        for array in arrays
    ]


def _follow(array: Any, axis: int, whole: Any) -> bool:
    """Whether an axis is contiguous with the one before it."""
    before, size = array.shape[axis - 1 : axis + 1]
    if before == size == 1:
        return True
    knows_both = (before, size) == whole.shape[axis - 1 : axis + 1]
    return knows_both and bool(before == 1 or array.strides[axis - 1] == size * array.strides[axis])
