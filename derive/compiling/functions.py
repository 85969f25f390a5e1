"""A question as a fast function of numbers.

Every closed form of the plan becomes one line of Python in base units, with common subexpressions shared; `writing`
knows the two tongues, one for floats and one for NumPy arrays, and `machine` a third, which numba turns into one loop
(`looping`). Names of users never reach that text: quantities are called v0, v1, ... in it. Where an unknown has several
inverses, each is tried and the one that satisfies its relation within its domain is kept; where a block has no closed
form, lines that vouch for themselves work it out (`blockwise`), and the solver does so at the points they leave. Where
conditions decide which relations hold, each case has its own lines (`cases`).

A point that has no admissible value, or more than one, or at which no case holds, comes out as NaN. Where lines leave
several and relations that are not needed could tell them apart, or where a quantity on the way is only bounded, the
solver is asked. Otherwise relations that are not needed are not put to the test: whether the givens contradict each
other is a question to the solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

from derive.compiling.calling import by_name
from derive.compiling.cases import Cases, cases, leaves
from derive.compiling.drafting import written
from derive.compiling.looping import looped
from derive.compiling.machine import Machine, is_at_hand
from derive.compiling.pointwise import only_of_arrays
from derive.compiling.tiling import part, spread, tiles
from derive.compiling.tongues import Arrays, Floats
from derive.compiling.verdicts import sound
from derive.compiling.writing import Unsaid
from derive.errors import DeriveError, unknown
from derive.solving.answering import solve
from derive.solving.asking import Outline, outlined
from quantities.value import is_number, read_number

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["BACKENDS", "Backend", "compiled"]

Backend = Literal["auto", "python", "numpy", "numba"]
BACKENDS: tuple[str, ...] = get_args(Backend)
_TILE = 1 << 17  # points that are worked out at once, by NumPy
_MANY = 2_000_000  # points from which translating is worth its second; more, if there are more blocks than ten
_LONG = 300  # blocks beyond which it is never worth it


def compiled(library: Library, target: str, given: Iterable[str], backend: str = "auto") -> Callable[..., Any]:
    """A function of the givens by keyword, in declared units, that yields the target in its declared unit.

    >>> from derive.files.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "mA" }
    ... R = { unit = "kohm" }
    ... [relations.ohm]
    ... equation = "V = I*R"''')
    >>> resistance = compiled(ohm, "R", ["V", "I"])
    >>> resistance(V=12.0, I=4.0)
    3.0
    """
    if backend not in BACKENDS:
        raise unknown("backend", backend, list(BACKENDS))
    outline = outlined(library, target, given)
    found = cases(library, outline)
    if not found.alternatives:
        from derive.solving.diagnosing import shortage

        raise shortage(library, outline, {})
    versions = _Versions(library, outline, found)
    match backend:
        case "numpy":
            call = by_name(outline.strong, versions.on_arrays)
        case "numba":
            if not is_at_hand():
                hint = "pip install 'derive-engine[speed]'"
                raise DeriveError("This needs numba, which is not installed.", hint=hint)
            call = by_name(outline.strong, versions.in_machine_code)
        case _:
            slow = versions.on_any if backend == "auto" else versions.on_floats
            call = by_name(outline.strong, slow, versions.floats, lambda *values: float(versions.on_arrays(values)))
    call.__doc__ = f"{target} from {', '.join(outline.strong)}, in declared units."
    return call


class _Versions:
    """The function in each tongue, made when it is first asked for."""

    def __init__(self, library: Library, outline: Outline, found: Cases) -> None:
        self._parts = (library, outline, found)
        plans = [case.plan for tree in found.alternatives for case in leaves(tree)]
        self._has_steps = any(len(made.blocks) > 1 for made in plans)
        limits = (relation for relation in library.relations.values() if not relation.is_equation)
        self._has_checks = any(made.checks for made in plans) or any(limits)
        self._size = sum(len(made.blocks) for made in plans)
        self._points = 0  # so far, of arrays

    def floats(self) -> Callable[..., float]:
        return self._on_floats

    @cached_property
    def _on_floats(self) -> Callable[..., float]:
        return written(*self._parts, Floats())

    @cached_property
    def _on_arrays(self) -> Callable[..., Any]:
        return written(*self._parts, Arrays())

    @cached_property
    def _in_machine_code(self) -> Callable[..., float] | None:
        """None where there are no lines for it: a block is solved by numbers."""
        try:
            return written(*self._parts, Machine())
        except Unsaid:
            return None

    def on_floats(self, values: Sequence[Any]) -> float:
        numbers = tuple(map(float, values))
        try:
            result = self._on_floats(*numbers)
        except (ValueError, ZeroDivisionError, OverflowError):  # arrays carry on with what is undefined or several
            return float(self.on_arrays(numbers))
        return result if -math.inf < result < math.inf else math.nan

    def on_any(self, values: Sequence[Any]) -> Any:
        """By the back end that is soonest done: translating pays where there are many points, or were before."""
        import numpy

        if all(map(is_number, values)):
            return self.on_floats(values)
        self._points += math.prod(numpy.broadcast_shapes(*map(numpy.shape, values)))
        if self._points >= _MANY * max(1.0, self._size / 10) and self._size <= _LONG and is_at_hand():
            return self.in_machine_code(values)
        return self.on_arrays(values)

    def in_machine_code(self, values: Sequence[Any]) -> Any:
        point = self._in_machine_code
        return self.on_arrays(values) if point is None else looped(point, values, self.on_arrays)

    def on_arrays(self, values: Sequence[Any]) -> Any:
        import numpy

        arrays, shape = spread(values)
        with numpy.errstate(all="ignore"):
            if math.prod(shape) <= _TILE:
                return self._on_tile(arrays)
            result = numpy.empty(shape)
            for tile in tiles(shape, _TILE):
                result[tile] = self._on_tile([part(array, tile) for array in arrays])
            return result

    def _on_tile(self, arrays: Sequence[Any]) -> Any:
        import numpy

        result, several, bounded = only_of_arrays(self._on_arrays(*arrays))
        open_ones = several & self._has_checks | bounded & self._has_steps
        if open_ones.any():
            result = numpy.array(result)
            points = [numpy.broadcast_to(array, result.shape)[open_ones].tolist() for array in arrays]
            result[open_ones] = [self._solved(point) for point in zip(*points, strict=True)]
        return sound(result)

    def _solved(self, point: Sequence[float]) -> float:
        """What the solver says at a point."""
        library, outline, _ = self._parts
        units = {name: library.quantities[name].unit for name in (*outline.strong, outline.target)}
        try:
            given = {name: read_number(x, units[name]) for name, x in zip(outline.strong, point, strict=True)}
            base = solve(library, outline.target, (), given).base
        except DeriveError:
            return math.nan
        return math.nan if base is None else units[outline.target].from_base(base)
