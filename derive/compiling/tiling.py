"""Arrays tile by tile: what is worked out for one tile stays near at hand, and nothing is spread out that broadcasts.

Every argument keeps its own shape. An array that a shape is broadcast from has the size one along the axes that it
does not know; there each tile takes all of it.
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
    """Numbers as floats, arrays of them with one number of axes; and the shape that they broadcast to."""
    import numpy

    arrays = [numpy.asarray(value, dtype=float) for value in values]
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    return [_with_axes(array, len(shape)) if array.ndim else array[()] for array in arrays], shape


def _with_axes(array: Any, count: int) -> Any:
    return array if array.ndim == count else array.reshape((1,) * (count - array.ndim) + array.shape)


def tiles(shape: Sequence[int], most: int) -> Iterator[Tile]:
    """Blocks of at most so many points that cover a shape.

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
    """What an argument has for a tile."""
    if not array.ndim:
        return array
    return array[tuple(_ALL if size == 1 else cut for size, cut in zip(array.shape, tile, strict=True))]
