"""A function of one point taken through arrays, as one loop of machine code that touches every number once.

The loop is written for the arrays at hand: an argument is a single number, or is read along the axes that it knows, so
that nothing is spread out. Tiles are shared out among as many threads as there are processors; numba lets go of Python
while it counts. They are Python's own threads and not numba's, which take seconds to translate and may not be asked
from two threads at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Any

from derive.compiling.machine import translated
from derive.compiling.tiling import Tile, folded, part, spread, tiles

__all__ = ["looped"]

_TILE = 1 << 16  # points that a thread takes at once
_ASKED = "asked"


def looped(point: Callable[..., float], values: Sequence[Any], ask: Callable[[Sequence[Any]], Any]) -> Any:
    """What a function comes to at all points; `ask` says it of those that come out as an infinity."""
    import numpy

    whole, shape = spread(values)
    result = numpy.empty(shape)
    if not result.size:
        return result
    (held, *arrays) = folded([result, *whole])
    loop = _loop(point, held.ndim, arrays)

    def run(left: Iterator[Tile]) -> list[Tile]:
        return [tile for tile in left if loop(held[tile], *(part(array, tile) for array in arrays))]

    first, *rest = tiles(held.shape, _TILE)
    asked = run(iter([first]))  # which translates the loop, before threads ask for it
    if rest:
        left = iter(rest)  # a list's, of which threads take one tile at a time
        with ThreadPoolExecutor(_helpers() or 1) as pool:
            helpers = [pool.submit(run, left) for _ in range(_helpers())]
            asked += run(left)
        asked += chain.from_iterable(helper.result() for helper in helpers)
    for tile in asked:
        there = held[tile]
        pending = numpy.isinf(there)
        there[pending] = ask([_at(part(array, tile), pending) for array in arrays])
    return result if shape else result[()]


def _at(array: Any, pending: Any) -> Any:
    import numpy

    return numpy.broadcast_to(array, pending.shape)[pending]


def _helpers() -> int:
    """Threads beside this one, one for each processor there is to be had."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) - 1


def _loop(point: Callable[..., float], axes: int, arrays: Sequence[Any]) -> Callable[..., bool]:
    """The loop for arrays of such axes; it says whether a point has come out as an infinity."""
    indices = [f"i{axis}" for axis in range(axes)]
    read = ", ".join(_read(f"a{i}", array, indices) for i, array in enumerate(arrays))
    lines = [f"def compiled(out, {', '.join(f'a{i}' for i in range(len(arrays)))}):", "    asked = False"]
    lines += [f"{'    ' * (axis + 1)}for i{axis} in range(out.shape[{axis}]):" for axis in range(axes)]
    inner = "    " * (axes + 1)
    lines += [f"{inner}found = point({read})", f"{inner}out[{', '.join(indices)}] = found"]
    lines += [f"{inner}asked = asked | (abs(found) == inf)", "    return asked", ""]
    return translated("\n".join(lines), (("point", point), ("inf", math.inf), ("abs", abs)))


def _read(name: str, array: Any, indices: Sequence[str]) -> str:
    if not array.ndim:
        return name
    places = ("0" if size == 1 else index for size, index in zip(array.shape, indices, strict=True))
    return f"{name}[{', '.join(places)}]"
