"""A scalar function run over arrays in one machine-code loop that touches each number once.

The loop is generated for the shapes at hand: each argument is a scalar or is indexed along its own axes, so nothing
is broadcast. Tiles are divided among as many threads as there are processors; numba releases the GIL in the loop.
They are Python threads: numba's own take seconds to compile and may not be started from two threads at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

from derive.kernels.backends.numba_source import translated
from derive.kernels.backends.tiles import Tile, folded, part, spread, tiles

__all__ = ["looped"]

_TILE = 1 << 16  # points that a thread takes at once
_ASKED = "asked"


def looped(
    point: Callable[..., Any], count: int, values: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]]
) -> list[Any]:
    """The results of a function at all points; `ask` computes the points that are infinite."""
    import numpy

    whole, shape = spread(values)
    results = [numpy.empty(shape) for _ in range(count)]
    if not results[0].size:
        return results
    (first_of_all, *arrays) = folded([results[0], *whole])
    held = [result.reshape(first_of_all.shape) for result in results]
    loop = _loop(point, count, held[0].ndim, arrays)

    def run(left: Iterator[Tile]) -> list[Tile]:
        return [tile for tile in left if loop(*(one[tile] for one in held), *(part(array, tile) for array in arrays))]

    first, *rest = tiles(held[0].shape, _TILE)
    asked = run(iter([first]))  # compiles the loop before threads need it
    if rest:
        left = iter(rest)  # a list's iterator, from which threads take one tile at a time
        with ThreadPoolExecutor(_helpers() or 1) as pool:
            helpers = [pool.submit(run, left) for _ in range(_helpers())]
            asked += run(left)
        asked += chain.from_iterable(helper.result() for helper in helpers)
    for tile in asked:
        there = [one[tile] for one in held]
        open_ones = [numpy.isinf(one) for one in there]
        pending = numpy.logical_or.reduce(open_ones)
        found = ask([_at(part(array, tile), pending) for array in arrays])
        for one, is_open, numbers in zip(there, open_ones, found, strict=True):
            one[is_open] = _at(numbers, numpy.ones(pending.sum(), dtype=bool))[is_open[pending]]
    return results if shape else [result[()] for result in results]


def _at(array: Any, pending: Any) -> Any:
    import numpy

    return numpy.broadcast_to(array, pending.shape)[pending]


def _helpers() -> int:
    """The number of further threads, one for each other available processor."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) - 1


def _loop(point: Callable[..., Any], count: int, axes: int, arrays: Sequence[Any]) -> Callable[..., bool]:
    """The loop for arrays with such axes; it returns whether some point is infinite."""
    outs, indices = [f"out{i}" for i in range(count)], [f"i{axis}" for axis in range(axes)]
    read = ", ".join(_read(f"a{i}", array, indices) for i, array in enumerate(arrays))
    lines = [f"def compiled({', '.join([*outs, *(f'a{i}' for i in range(len(arrays)))])}):", "    asked = False"]
    lines += [f"{'    ' * (axis + 1)}for i{axis} in range(out0.shape[{axis}]):" for axis in range(axes)]
    inner = "    " * (axes + 1)
    lines += [f"{inner}found = point({read})"]
    lines += [f"{inner}{out}[{', '.join(indices)}] = found[{i}]" for i, out in enumerate(outs)]
    lines += [f"{inner}asked = asked | (abs(found[{i}]) == inf)" for i in range(count)]
    lines += ["    return asked", ""]
    return translated("\n".join(lines), (("point", point), ("inf", math.inf), ("abs", abs)), is_entered=True)


def _read(name: str, array: Any, indices: Sequence[str]) -> str:
    if not array.ndim:
        return name
    places = ("0" if size == 1 else index for size, index in zip(array.shape, indices, strict=True))
    return f"{name}[{', '.join(places)}]"
