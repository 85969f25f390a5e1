"""What a compiled function calls where source lines do not suffice: the solver, and the choice among several roots.

A quantity that the target depends on may have several admissible roots, of which perhaps only one leads to an answer.
Arrays follow all of them: roots lie along a new axis before the axes of the points, later lines broadcast over it,
and at the end a point has as many values as answers. `Axes` counts these axes. Each call also returns where the
quantity is only bounded, which lines cannot follow. Floats leave such points to arrays.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from derive.kernels.blocks.decisions import Origins
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block
from derive.tolerances import SAME_ROOT

__all__ = ["Axes", "branches", "only", "only_of_arrays", "rows", "settled", "solver", "solver_of_arrays", "stacked"]

Tried = Callable[..., "list[tuple[float, ...]] | None"]
"""All solutions at a point; None where they have to be asked for."""

TriedAtAll = Callable[[Sequence[Any]], tuple[Any, Any]]
"""All solutions at many points, of each unknown a row for each; and where they have to be asked for."""


def solver(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins, tried: Tried | None = None
) -> Callable[..., tuple[float, ...]]:
    """The block's only admissible solution, as a number for each unknown; NaN if there is none.

    The solver is called where `tried` does not decide.
    """
    found = _solutions(library, block, inputs, origins)
    nothing = (math.nan,) * len(block.unknowns)

    def at(*numbers: float) -> tuple[float, ...]:
        given = numbers[: len(inputs)]
        solutions = tried(*given) if tried and all(map(math.isfinite, given)) else None
        solutions = found(*numbers) if solutions is None else solutions
        if solutions is None or len(solutions) > 1:
            raise ValueError("several solutions")
        return solutions[0] if solutions else nothing

    return at


def solver_of_arrays(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins, tried: TriedAtAll | None = None
) -> Callable[..., Any]:
    """The same for arrays, with several solutions along an axis of their own; and last, where an unknown is bounded."""
    found, size = _solutions(library, block, inputs, origins), len(block.unknowns)

    def at(axes: Axes, *arrays: Any) -> Any:
        import numpy

        shape = numpy.broadcast_shapes(*(numpy.shape(array) for array in arrays))
        flat = [numpy.broadcast_to(array, shape).ravel() for array in arrays]
        columns, pending = tried(flat[: len(inputs)]) if tried and inputs else _nothing(size, math.prod(shape))
        places = numpy.flatnonzero(pending)
        points = [axes.once(found, tuple(float(array[i]) for array in flat)) for i in places]
        bounded = numpy.zeros(pending.shape, bool)
        bounded[places] = [solutions is None for solutions in points]
        bounded = bounded.reshape(shape)
        columns = _widened(columns, max((len(one) for one in points if one), default=1))
        for i, solutions in zip(places, points, strict=True):
            for j, solution in enumerate(solutions or ()):
                columns[:, j, i] = solution
        held = columns.reshape(size, -1, *shape)
        return *(held[:, 0] if held.shape[1] == 1 else axes.added(held)), bounded

    return at


def _nothing(size: int, count: int) -> tuple[Any, Any]:
    """No solutions yet, and all points open."""
    import numpy

    return numpy.full((size, 1, count), math.nan), numpy.full(count, True)


def _widened(columns: Any, several: int) -> Any:
    """The same with room for this many solutions of a point."""
    import numpy

    size, held, count = columns.shape
    if held >= several:
        return columns
    return numpy.concatenate([columns, numpy.full((size, several - held, count), math.nan)], axis=1)


def _solutions(
    library: RelationSet, block: Block, inputs: Sequence[str], origins: Origins
) -> Callable[..., list[tuple[float, ...]] | None]:
    """All admissible solutions of a block at a point; None if an unknown is only bounded."""
    from derive.solving.execution.block_execution import outcome_of

    def at(*numbers: float) -> list[tuple[float, ...]] | None:
        known = dict(zip(inputs, map(float, numbers), strict=False))
        if any(number != number for number in known.values()):
            return []
        known |= origins.values(numbers[len(inputs) :])
        solutions = outcome_of(library, block, known).solutions
        if any(solution.spans for solution in solutions):
            return None
        return [tuple(solution.values[name] for name in block.unknowns) for solution in solutions]

    return at


class Axes:
    """The number of axes that the arrays of one call have, and the solutions found in it for all targets."""

    def __init__(self, *arguments: Any) -> None:
        self.count = max((argument.ndim for argument in arguments), default=0)
        self._solved: dict[Any, Any] = {}

    def once(self, found: Callable[..., Any], point: tuple[Any, ...]) -> Any:
        """The result of a function at a point, computed once."""
        if (found, point) not in self._solved:
            self._solved[found, point] = found(*point)
        return self._solved[found, point]

    def added(self, held: Any) -> Any:
        """Arrays of several values, with their second axis moved before all existing ones."""
        size, several, *shape = held.shape
        held = held.reshape(size, several, *(1,) * (self.count - len(shape)), *shape)
        self.count += 1
        return held


def branches(axes: Axes, inside: Any, *tried: Any) -> tuple[Any, Any]:
    """The one number among several, ignoring NaN; if points inside have more, all of them along a new axis.

    The second result says at which points inside it is only bounded.
    """
    import numpy

    tried = numpy.broadcast_arrays(*tried)  # an arm of literals alone is one number for all points
    low, high = numpy.fmin.reduce(tried), numpy.fmax.reduce(tried)
    if not (_are_same(low, high) | numpy.isnan(low)).all():
        is_bounded = numpy.isinf(high) & inside
        finite = [numpy.where(numpy.isinf(one), numpy.nan, one) for one in tried]
        low, high = numpy.fmin.reduce(finite), numpy.fmax.reduce(finite)
        differ = ~_are_same(low, high) & ~numpy.isnan(low)
        low = numpy.where(is_bounded, numpy.nan, low)
        if (differ & inside & ~is_bounded).any():
            low = axes.added(numpy.array(numpy.broadcast_arrays(*finite))[None])[0]
        return low, is_bounded
    return low, False


def _are_same(low: Any, high: Any) -> Any:
    """Where two numbers are one root; nowhere, where they are undefined."""
    import numpy

    return high - low <= SAME_ROOT * numpy.minimum(numpy.abs(low), numpy.abs(high))


def rows(result: Any, bounded: Sequence[Any], *arguments: Any) -> Any:
    """All values of each point, a row for each branch; a row of infinities where a quantity was only bounded."""
    import numpy

    sizes = zip(*(argument.shape for argument in arguments if argument.ndim), strict=True)
    shape = tuple(next((size for size in along if size != 1), 1) for along in sizes)
    bounded = [one for one in bounded if numpy.any(one)]
    if not bounded and numpy.shape(result) == shape:
        return numpy.asarray(result)[None]
    parts = [result, *(numpy.where(one, numpy.inf, numpy.nan) for one in bounded)]
    whole = [numpy.broadcast_to(part, numpy.broadcast_shapes(numpy.shape(part), shape)) for part in parts]
    held = [part.reshape(-1, *shape) for part in whole]
    return held[0] if len(held) == 1 else numpy.concatenate(held)


def stacked(*held: Any) -> Any:
    """The rows of several functions."""
    import numpy

    return numpy.concatenate(held)


def settled(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of rows as one of single values, for values needed before lines continue; and where it fails."""

    def at(axes: Axes, *arrays: Any) -> tuple[Any, Any]:
        import numpy

        (held,) = function(*map(numpy.asarray, arrays))  # what is the same at all points may be a literal
        number, several, bounded = only_of_arrays(held)
        return number, several | bounded

    return at


def only(*numbers: float) -> float:
    """The one number among several, ignoring NaN; an infinity is only bounded.

    >>> only(math.nan, 2.0, 2.0)
    2.0
    """
    found = math.nan
    for number in numbers:
        if found != found:
            found = number
        elif number == number and not abs(number - found) <= SAME_ROOT * min(abs(number), abs(found)):
            raise ValueError("several values")
    if math.isinf(found):
        raise ValueError("bounds and no value")
    return found


def only_of_arrays(held: Any) -> tuple[Any, Any, Any]:
    """The same for rows, point by point; where there are several; and where something was only bounded."""
    import numpy

    if len(held) == 1:
        return held[0], numpy.False_, numpy.False_
    low, high = numpy.fmin.reduce(held), numpy.fmax.reduce(held)
    same = _are_same(low, high)
    return numpy.where(same, low, numpy.nan), ~same & ~numpy.isnan(low), numpy.isinf(high)
