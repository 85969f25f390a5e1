"""What a compiled function calls where lines of arithmetic do not do: the solver, and the choice of the only value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from derive.planning.plans import Block

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["only", "only_of_arrays", "solver"]

_SAME = 1e-9  # two values closer than this are one


def solver(library: Library, block: Block, inputs: Sequence[str], on_arrays: bool) -> Callable[..., Any]:
    """The block's only admissible solution at each point, as a number for each unknown; NaN where there is none."""
    from derive.solving.blocks import solve_block

    equations = [library.relations[name].written for name in block.relations]
    domains = {name: library.quantities[name].domain for name in block.unknowns}
    nothing = (math.nan,) * len(block.unknowns)

    def at(*numbers: float) -> tuple[float, ...]:
        known = dict(zip(inputs, map(float, numbers), strict=True))
        if any(number != number for number in known.values()):
            return nothing
        solutions = solve_block(equations, block.unknowns, known, domains).solutions
        if len(solutions) != 1 or solutions[0].spans:
            return nothing
        return tuple(solutions[0].values[name] for name in block.unknowns)

    return _on_arrays(at, len(block.unknowns)) if on_arrays else at


def _on_arrays(at: Callable[..., tuple[float, ...]], size: int) -> Callable[..., Any]:
    import numpy

    if size > 1:
        return numpy.vectorize(at, otypes=[float] * size)
    inner = numpy.vectorize(lambda *numbers: at(*numbers)[0], otypes=[float])
    return lambda *numbers: (inner(*numbers),)


def only(*numbers: float) -> float:
    """The one number that several are, NaN aside; NaN where they are none or more.

    >>> only(math.nan, 2.0, 2.0), only(1.0, math.nan, 2.0)
    (2.0, nan)
    """
    found = math.nan
    for number in numbers:
        if found != found:
            found = number
        elif number == number and not abs(number - found) <= _SAME * min(abs(number), abs(found)):
            return math.nan
    return found


def only_of_arrays(*arrays: Any) -> Any:
    """The same, point by point."""
    import numpy

    found = numpy.broadcast_arrays(*arrays)
    low, high = numpy.fmin.reduce(found), numpy.fmax.reduce(found)
    same = high - low <= _SAME * numpy.minimum(numpy.abs(low), numpy.abs(high))
    return numpy.where(same, low, numpy.nan)
