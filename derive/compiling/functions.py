"""A question as a fast function of numbers.

Every closed form of the plan becomes one line of Python in base units, with common subexpressions shared; `writing`
knows the two tongues, one for floats and one for NumPy arrays. Names of users never reach that text: quantities are
called v0, v1, ... in it. Where an unknown has several inverses, each is tried and the one that satisfies its relation
within its domain is kept; where a block has no closed form it is solved by numbers, point by point. Where conditions
decide which relations hold, each case has its own lines (`cases`).

A point that has no admissible value, or more than one, or at which no case holds, comes out as NaN. Where lines leave
several and relations that are not needed could tell them apart, or where a quantity on the way is only bounded, the
solver is asked. Otherwise relations that are not needed are not put to the test: whether the givens contradict each
other is a question to the solver.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, get_args

from derive.compiling.cases import Cases, cases, leaves
from derive.compiling.drafting import written
from derive.compiling.pointwise import only_of_arrays
from derive.compiling.tiling import part, spread, tiles
from derive.compiling.verdicts import sound
from derive.compiling.writing import Arrays, Floats
from derive.errors import DeriveError, UnknownNameError, unknown
from derive.solving.answering import solve
from derive.solving.asking import Outline, outlined
from quantities.value import is_number, read_number

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["BACKENDS", "Backend", "compiled"]

Backend = Literal["auto", "python", "numpy"]
BACKENDS: tuple[str, ...] = get_args(Backend)
_INFINITY = math.inf
_TILE = 1 << 17  # points that are worked out at once, by NumPy


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
    names, count = outline.strong, len(outline.strong)
    pick = itemgetter(*names) if count > 1 else lambda numbers: tuple(numbers[name] for name in names)
    versions = _Versions(library, outline, found)

    def call(**numbers: Any) -> Any:
        try:
            values = pick(numbers)
        except KeyError:
            raise _misnamed(numbers, names) from None
        if len(numbers) != count:
            raise _misnamed(numbers, names)
        if backend == "numpy":
            return versions.on_arrays(values)
        for value in values:
            if type(value) is not float:  # numbers of other kinds, or arrays
                if backend == "auto" and not all(map(is_number, values)):
                    return versions.on_arrays(values)
                return versions.on_floats(tuple(map(float, values)))
        return versions.on_floats(values)

    call.__doc__ = f"{target} from {', '.join(names)}, in declared units."
    return call


def _misnamed(numbers: Iterable[str], names: Sequence[str]) -> Exception:
    for name in numbers:
        if name not in names:
            return unknown("argument", name, list(names))
    missing = [name for name in names if name not in numbers]
    return UnknownNameError(
        f"{', '.join(missing)} is missing from the call.",
        hint=f"Give {', '.join(names)}.",
        name=missing[0],
        kind="argument",
    )


class _Versions:
    """The function in both tongues, each made when it is first asked for."""

    def __init__(self, library: Library, outline: Outline, found: Cases) -> None:
        self._parts = (library, outline, found)
        self._floats: Callable[..., float] | None = None
        self._arrays: Callable[..., Any] | None = None
        plans = [case.plan for tree in found.alternatives for case in leaves(tree)]
        self._has_steps = any(len(made.blocks) > 1 for made in plans)
        limits = (relation for relation in library.relations.values() if not relation.is_equation)
        self._has_checks = any(made.checks for made in plans) or any(limits)

    def on_floats(self, values: Sequence[float]) -> float:
        if self._floats is None:
            self._floats = written(*self._parts, Floats())
        try:
            result = self._floats(*values)
        except (ValueError, ZeroDivisionError, OverflowError):  # arrays carry on with what is undefined or several
            return float(self.on_arrays(values))
        return result if -_INFINITY < result < _INFINITY else math.nan

    def on_arrays(self, values: Sequence[Any]) -> Any:
        import numpy

        if self._arrays is None:
            self._arrays = written(*self._parts, Arrays())
        arrays, shape = spread(values)
        with numpy.errstate(all="ignore"):
            if math.prod(shape) <= _TILE:
                return self._on_tile(self._arrays, arrays)
            result = numpy.empty(shape)
            for tile in tiles(shape, _TILE):
                result[tile] = self._on_tile(self._arrays, [part(array, tile) for array in arrays])
            return result

    def _on_tile(self, function: Callable[..., Any], arrays: Sequence[Any]) -> Any:
        import numpy

        result, several, bounded = only_of_arrays(function(*arrays))
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
