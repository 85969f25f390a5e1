"""The numba dialect: expressions as Python source text that numba compiles for one point.

It has the semantics of `Arrays`, for scalars: an undefined value is NaN, or an infinity until an operation uses it.
No test returns early, because a processor can vectorise only lines without branches: tests are kept as a mask. Flags
record what these lines cannot decide (a comparison with an operand that is not finite, several roots, a quantity that
is only bounded), and a sum shows overflow; such a point returns an infinity, and the NumPy version then computes it.

Over arrays such a function runs in one machine-code loop that touches each number once. The loop is generated for the
shapes at hand: each argument is a scalar or is indexed along its own axes, so nothing is broadcast. Tiles are divided
among as many threads as there are processors; numba releases the GIL in the loop. They are Python threads: numba's own
take seconds to compile and may not be started from two threads at once.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache, partial
from importlib import import_module
from itertools import chain, product
from threading import Lock
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy

from derive.expressions.functions import Function
from derive.expressions.tree import CONDITIONS, Apply
from derive.kernels.backends import python_runtime
from derive.kernels.backends.emitter import (
    NUMBERS,
    SIGNS,
    UNDECIDED,
    Dialect,
    Writer,
    execute,
    is_literal,
    nested,
    operations,
)
from derive.kernels.backends.python_runtime import called

CALLED = ("sound", "larger", "smaller", "power", "only", "crossing")
"""The functions of `python_runtime` that any line for one point may call."""

_ONE_BY_ONE = Lock()


def _table(called: Callable[[Function], str]) -> dict[str, Callable[..., str]]:
    """The texts of operations in the numba dialect, for one point; `called` gives the name of a function."""
    return operations(called, max=nested("larger"), min=nested("smaller"), pow=_power_of)


def _power_of(base: str, exponent: str) -> str:
    function = "m.pow" if is_literal(exponent) else "power"  # which tests for NaN: NaN**0 is 1, and so is 1**NaN
    return f"{function}({base}, {exponent})"


class PlainPython(Dialect):
    """Numbers of one point, in lines of plain Python, where overflow is an infinity and an undefined value is NaN."""

    most_unknowns = 4  # of a block: more take numba too many seconds
    takes_arms = False  # whether a block is taken arm by arm; otherwise arrays are asked
    asks = True
    is_exact = False  # a file has nobody to ask
    operations = _table(lambda entry: f"m.{entry.name}")

    def names(self) -> dict[str, Any]:
        functions = SimpleNamespace(
            **{name: partial(called, function) for name, function in vars(NUMBERS).items() if callable(function)}
        )
        own = {name: getattr(python_runtime, name) for name in CALLED}
        return {"m": functions, "np": functions, "inf": math.inf, "abs": abs, **own}

    def comparison(self, node: Apply, left: str, right: str, part: Writer) -> str:
        return f"({left} {SIGNS[node.op]} {right} if abs({left} - {right}) < inf else {UNDECIDED})"

    def settled(self, text: str, is_near: str, node: Apply, part: Writer) -> str:
        decision, doubtful = node.args[0], UNDECIDED
        if not (isinstance(decision, Apply) and decision.op in CONDITIONS):
            doubtful = f"nan * {UNDECIDED}"
        return f"({text} if not {is_near} else {doubtful})"

    def passed(self, tests: Sequence[str]) -> str:
        return " & ".join(tests)


class Machine(PlainPython):
    """The same lines, compiled by numba."""

    is_exact = True
    operations = _table(lambda entry: entry.called_in_numba)

    def names(self) -> dict[str, Any]:
        own = {name: _runtime()[name] for name in CALLED}
        return {"m": math, "np": numpy, "inf": math.inf, "abs": abs, **own}

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return translated(text, tuple(space.items()))


@lru_cache(maxsize=1)
def is_at_hand() -> bool:
    """Whether numba can compile lines here: it is installed and compatible with the installed NumPy."""
    try:
        import_module("numba")
    except ImportError:
        return False
    return True


@lru_cache(maxsize=2)
def _jit(*, is_entered: bool) -> Callable[..., Any]:
    """Numba's compiler of functions; Python itself may call one only if it `is_entered`: the wrapper takes time."""
    import numba

    wrappers = {"no_cpython_wrapper": not is_entered, "no_cfunc_wrapper": True}
    # beyond a few lines, a function that is not inlined by force is called point by point and takes ten times as long
    compiler = numba.njit(error_model="numpy", nogil=True, forceinline=True, **wrappers)
    jit: Callable[..., Any] = lru_cache(maxsize=None)(compiler)
    return jit


def translated(text: str, space: tuple[tuple[str, Any], ...], *, is_entered: bool = False) -> Callable[..., Any]:
    """The machine code of a text's function, by numba; a text is compiled once, whichever threads need it."""
    with _ONE_BY_ONE:
        return _translated(text, space, is_entered)


@lru_cache(maxsize=256)
def _translated(text: str, space: tuple[tuple[str, Any], ...], is_entered: bool) -> Callable[..., Any]:
    names = dict(space)
    execute(text, names)
    function: Callable[..., Any] = _jit(is_entered=is_entered)(names["compiled"])
    return function


@lru_cache(maxsize=1)
def _runtime() -> dict[str, Any]:
    """The functions of `python_runtime` as numba compiles them on first use; they call each other in this form."""
    space = dict(vars(python_runtime))
    for name, function in vars(python_runtime).items():
        if isinstance(function, FunctionType):
            space[name] = _jit(is_entered=False)(FunctionType(function.__code__, space, name))
    space["power"] = _jit(is_entered=False)(_power)
    return space


def _power(base: float, exponent: float) -> float:
    return math.nan if (base != base) | (exponent != exponent) else math.pow(base, exponent)


# Tiles of arrays, for this loop and for NumPy

Tile = tuple[slice, ...]
"""Part of an array: intermediate results of one tile stay in cache, and nothing is broadcast in full."""


def spread(values: Sequence[Any]) -> tuple[list[Any], tuple[int, ...]]:
    """The numbers for numba's loop over points, as floats or as arrays with one number of axes, and their common shape.

    Every array keeps its own shape: it has size one along the axes on which it does not depend.
    """
    arrays = [numpy.asarray(value, dtype=float) for value in values]
    shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
    axes = len(shape)
    return [x.reshape((1,) * (axes - x.ndim) + x.shape) if x.ndim else x[()] for x in arrays], shape


def tiles(shape: Sequence[int], most: int) -> Iterator[Tile]:
    """The tiles, of at most this many points, into which numba's loop over arrays of a shape is divided.

    >>> [[(one.start, one.stop) for one in tile] for tile in tiles((2, 5), 4)]
    [[(0, 1), (0, 4)], [(0, 1), (4, 5)], [(1, 2), (0, 4)], [(1, 2), (4, 5)]]
    >>> [tile[0].stop for tile in tiles((3, 2), 4)]
    [2, 3]
    """
    axis, everything = len(shape), [slice(0, size) for size in shape]
    while axis and math.prod(shape[axis - 1 :]) <= most:
        axis -= 1
    if not axis:
        yield tuple(everything)
        return
    size, step = shape[axis - 1], max(1, most // math.prod(shape[axis:]))
    for index in product(*map(range, shape[: axis - 1])):
        before = tuple(slice(i, i + 1) for i in index)
        for start in range(0, size, step):
            yield (*before, slice(start, min(start + step, size)), *everything[axis:])


def part(array: Any, tile: Tile) -> Any:
    """The part of an array in numba's loop that a tile covers; an axis of size one is kept whole."""
    if not array.ndim:
        return array
    return array[tuple(slice(None) if size == 1 else cut for size, cut in zip(array.shape, tile, strict=True))]


_TILE = 1 << 16  # points that a thread takes at once


def looped(
    point: Callable[..., Any], count: int, values: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]]
) -> list[Any]:
    """Run a numba function at all points of arrays, in tiles and threads; `ask` computes its infinite results."""
    arguments, shape = spread(values)
    results = [numpy.empty(shape) for _ in range(count)]
    if not results[0].size:
        return results
    # a short axis would be an inner loop of few steps, which a processor cannot vectorise
    is_even = all(array.shape == shape and array.flags.c_contiguous for array in arguments if array.ndim)
    long = [axis for axis, size in enumerate(shape) if size != 1]

    def folded(array: Any) -> Any:
        return array.reshape(-1) if is_even else array.reshape([array.shape[axis] for axis in long])

    arrays = [folded(array) if array.ndim else array for array in arguments]
    outputs = [folded(result) for result in results]
    loop = _loop(point, count, outputs[0].ndim, arrays)

    def run(remaining: Iterator[Tile]) -> list[Tile]:
        """Run numba's loop in one of the threads over tiles, and return those in which some point is infinite."""
        return [tile for tile in remaining if loop(*(x[tile] for x in outputs), *(part(x, tile) for x in arrays))]

    first, *others = tiles(outputs[0].shape, _TILE)
    asked = run(iter([first]))  # compiles the loop before threads need it
    if others:
        remaining = iter(others)  # a list's iterator, from which threads take one tile at a time
        with ThreadPoolExecutor(_helpers() or 1) as pool:
            helpers = [pool.submit(run, remaining) for _ in range(_helpers())]
            asked += run(remaining)
        asked += chain.from_iterable(helper.result() for helper in helpers)
    for tile in asked:
        outputs_here = [output[tile] for output in outputs]
        open_ones = [numpy.isinf(output) for output in outputs_here]
        pending = numpy.logical_or.reduce(open_ones)
        answers = ask([_at(part(array, tile), pending) for array in arrays])
        for output, is_open, numbers in zip(outputs_here, open_ones, answers, strict=True):
            output[is_open] = _at(numbers, numpy.ones(pending.sum(), dtype=bool))[is_open[pending]]
    return results if shape else [result[()] for result in results]


def _at(array: Any, pending: Any) -> Any:
    """The numbers of an array, or the one number, at points of a tile that numba leaves to another dialect."""
    return numpy.broadcast_to(array, pending.shape)[pending]


def _helpers() -> int:
    """The number of further threads that run a numba loop, one for each other available processor."""
    return (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1) - 1


def _loop(point: Callable[..., Any], count: int, axes: int, arrays: Sequence[Any]) -> Callable[..., bool]:
    """Compile by numba the loop over arrays with such axes; it returns whether some point is infinite."""
    outputs, indices = [f"out{i}" for i in range(count)], [f"i{axis}" for axis in range(axes)]
    read = ", ".join(_read(f"a{i}", array, indices) for i, array in enumerate(arrays))
    lines = [f"def compiled({', '.join([*outputs, *(f'a{i}' for i in range(len(arrays)))])}):", "    asked = False"]
    lines += [f"{'    ' * (axis + 1)}for i{axis} in range(out0.shape[{axis}]):" for axis in range(axes)]
    inner = "    " * (axes + 1)
    lines += [f"{inner}found = point({read})"]
    lines += [f"{inner}{out}[{', '.join(indices)}] = found[{i}]" for i, out in enumerate(outputs)]
    lines += [f"{inner}asked = asked | (abs(found[{i}]) == inf)" for i in range(count)]
    lines += ["    return asked", ""]
    return translated("\n".join(lines), (("point", point), ("inf", math.inf), ("abs", abs)), is_entered=True)


def _read(name: str, array: Any, indices: Sequence[str]) -> str:
    if not array.ndim:
        return name
    places = ("0" if size == 1 else index for size, index in zip(array.shape, indices, strict=True))
    return f"{name}[{', '.join(places)}]"
