"""Several targets over the same arrays in one function that computes shared parts once.

Each target has the values of a function of its own, since its givens are bound for that target only. The solver is
called, for the target concerned, at points that lines leave open: where a quantity has several values that further
relations could tell apart, or is only bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from derive.errors import DeriveError
from derive.kernels.backends.emitter import Unsaid
from derive.kernels.backends.numba_source import Machine, is_at_hand, looped
from derive.kernels.backends.python_numpy import Arrays
from derive.kernels.backends.tiles import part, spread, tiles
from derive.kernels.blocks.solver_calls import only_of_arrays
from derive.kernels.case_dispatch import Cases, cases, cases_of_arms, cases_of_stated, leaves
from derive.kernels.lowering import cancelling_divisors, written
from derive.kernels.reach import eliminates, eliminates_in_a_gap
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import isolate
from derive.planning.plan import Plan
from derive.solving.answering.solver import solve
from derive.solving.execution.question import outlined
from derive.time_limits import query
from quantities.facts import Profile
from quantities.value import read_number

__all__ = ["Abreast", "Asking", "found_for", "plans_for", "plans_of"]

_TILE = 1 << 17  # points computed at once by NumPy
_MANY = 2_000_000  # points from which compiling is worth its second; more if there are more than ten blocks
_LONG = 300  # blocks beyond which compiling is never worth it


def found_for(library: RelationSet, target: str, given: Iterable[str]) -> Cases:
    """The plans for a target, or that the solver is needed; otherwise an error that says what is missing."""
    with query():
        outline = outlined(library, target, given)
        found = cases_of_stated(library, outline)
        is_asked = not found.alternatives and (
            eliminates(library, found.outline) or cases_of_arms(library, found.outline) is not None
        )
        if is_asked:
            return replace(found, is_asked=True)
        if not found.alternatives:
            from derive.solving.diagnosis.diagnosis import shortage

            raise shortage(library, found.outline, {})
        return replace(found, is_asked=found.is_asked or eliminates_in_a_gap(library, found))


def plans_for(library: RelationSet, target: str, given: Iterable[str]) -> Cases | None:
    """The plans for a quantity that only sorts points, if it is determined: the solver is not called for it."""
    with query():
        found = cases(library, outlined(library, target, given))
        return replace(found, is_asked=False) if found.alternatives else None


class Abreast:
    """Functions of arrays that return each of the targets, from values of which some are weak.

    Every version is made on first use.

    >>> import numpy
    >>> from derive.relation_files.loading import load
    >>> ohm = load('''[quantities]
    ... V = { unit = "V" }
    ... I = { unit = "A" }
    ... R = { unit = "ohm" }
    ... P = { unit = "W" }
    ... [relations]
    ... ohm = { equation = "V = I*R" }
    ... power = { equation = "P = V*I" }''')
    >>> both = Abreast(ohm, [found_for(ohm, target, ["V", "I"]) for target in ("R", "P")])
    >>> both.names, [column.tolist() for column in both([numpy.array([12.0, 6.0]), 3.0])]
    (('V', 'I'), [[4.0, 2.0], [36.0, 18.0]])
    """

    def __init__(self, library: RelationSet, wanted: Sequence[Cases], weak: Container[str] = ()) -> None:
        self.names = tuple(dict.fromkeys(name for found in wanted for name in found.outline.strong))
        self.outlines = tuple(found.outline for found in wanted)
        self._library = library
        self._weak = weak
        self._asked = {i: Asking(library, found, self.names, weak) for i, found in enumerate(wanted) if found.is_asked}
        wanted = [found for found in wanted if not found.is_asked]
        self._wanted = tuple(wanted)
        self._asking = [Asking(library, found, self.names, weak) for found in wanted]
        self._size = len({block for found in wanted for made in plans_of(found) for block in made.blocks})
        self._points = 0  # so far

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """By the fastest back end: compiling pays if there are many points, now or in earlier calls."""
        import numpy

        if not self._wanted:
            return self._with_asked([], values)
        self._points += math.prod(numpy.broadcast_shapes(*map(numpy.shape, values)))
        if self._points >= _MANY * max(1.0, self._size / 10) and self._size <= _LONG and is_at_hand():
            return self.in_machine_code(values)
        return self.on_arrays(values)

    def in_machine_code(self, values: Sequence[Any]) -> list[Any]:
        """By one compiled loop; targets without machine code, because a block is solved numerically, use arrays."""
        return self._with_asked(self._by_machine(values), values)

    def on_arrays(self, values: Sequence[Any]) -> list[Any]:
        return self._with_asked(self._by_arrays(values), values)

    def _with_asked(self, columns: list[Any], values: Sequence[Any]) -> list[Any]:
        """The targets in the order wanted, including those that the solver computes."""
        if not self._asked:
            return columns
        rest, count = iter(columns), len(columns) + len(self._asked)
        return [self._asked[i].everywhere(values) if i in self._asked else next(rest) for i in range(count)]

    def _by_machine(self, values: Sequence[Any]) -> list[Any]:
        if not self._wanted:
            return []
        if self._apart is None:
            return looped(self._on_point, len(self._wanted), values, self._by_arrays)
        found: dict[int, Any] = {}
        for places, one, is_said in self._apart:
            own = [values[self.names.index(name)] for name in one.names]
            found |= dict(zip(places, one.in_machine_code(own) if is_said else one.on_arrays(own), strict=True))
        return [found[i] for i in range(len(found))]

    def _by_arrays(self, values: Sequence[Any]) -> list[Any]:
        import numpy

        if not self._wanted:
            return []
        arrays, shape = spread(values)
        with numpy.errstate(all="ignore"):
            if math.prod(shape) <= _TILE:
                return self._on_tile(arrays)
            results = [numpy.empty(shape) for _ in self._wanted]
            for tile in tiles(shape, _TILE):
                found = self._on_tile([part(array, tile) for array in arrays])
                for result, numbers in zip(results, found, strict=True):
                    result[tile] = numbers
            return results

    def _on_tile(self, arrays: Sequence[Any]) -> list[Any]:
        found = self._on_arrays(*arrays)
        return [asking.settled(held, arrays) for asking, held in zip(self._asking, found, strict=True)]

    @cached_property
    def _on_arrays(self) -> Callable[..., Any]:
        return written(self._library, self._wanted, self.names, Arrays())

    @cached_property
    def _on_point(self) -> Callable[..., Any]:
        return written(self._library, self._wanted, self.names, Machine())

    @cached_property
    def _apart(self) -> list[tuple[list[int], Abreast, bool]] | None:
        """The targets with machine code and those without; None if all have it."""
        try:
            _ = self._on_point
        except Unsaid:
            said = [self._is_said(found) for found in self._wanted]
        else:
            return None
        split = [([i for i, one in enumerate(said) if one is is_said], is_said) for is_said in (True, False)]
        return [
            (places, Abreast(self._library, [self._wanted[i] for i in places], self._weak), is_said)
            for places, is_said in split
            if places
        ]

    def _is_said(self, found: Cases) -> bool:
        try:
            written(self._library, [found], self.names, Machine())
        except Unsaid:
            return False
        return True


class Asking:
    """The points of one target that compiled lines leave open; `weak` values of them are stated, as profiles do."""

    def __init__(self, library: RelationSet, found: Cases, names: Sequence[str], weak: Container[str] = ()) -> None:
        self.library = library
        self.weak = weak
        self.outline = found.outline
        self.places = [names.index(name) for name in found.outline.strong]
        plans = plans_of(found)
        yields = any(case.yielding for tree in found.alternatives for case in leaves(tree))
        self.has_steps = yields or any(len(made.blocks) > 1 or _may_be_doubtful(library, made) for made in plans)
        self.has_checks = any(made.checks or _has_followers(library, made) for made in plans) or any(
            relation.conditions or not relation.is_equation for relation in library.relations.values()
        )

    def settled(self, held: Any, arrays: Sequence[Any]) -> Any:
        """The one value of each point, from its rows; the solver's answer where they leave it open."""
        import numpy

        result, several, bounded = only_of_arrays(held)
        open_ones = several & self.has_checks | bounded & self.has_steps
        if open_ones.any():
            result = numpy.array(result)
            own = [numpy.broadcast_to(arrays[i], result.shape)[open_ones].tolist() for i in self.places]
            points = zip(*own, strict=True) if own else [()] * int(open_ones.sum())
            result[open_ones] = [self.solved(point) for point in points]
        return result

    def everywhere(self, values: Sequence[Any]) -> Any:
        """The solver's answers at all points."""
        import numpy

        own = numpy.broadcast_arrays(*(numpy.asarray(values[i], dtype=float) for i in self.places))
        points = zip(*(array.ravel().tolist() for array in own), strict=True) if own else [()]
        numbers = numpy.array([self.solved(point) for point in points])
        return numbers.reshape(own[0].shape if own else ())

    def solved(self, point: Sequence[float]) -> float:
        library, outline = self.library, self.outline
        units = {name: library.declared[name].unit for name in (*outline.strong, outline.target)}
        try:
            given = {name: read_number(x, units[name]) for name, x in zip(outline.strong, point, strict=True)}
            stated = {name: given.pop(name) for name in outline.strong if name in self.weak}
            base = solve(library, outline.target, (Profile("point", stated),) if stated else (), given).base
        except DeriveError:
            return math.nan
        declared = math.nan if base is None else units[outline.target].from_base(base)
        return declared if math.isfinite(declared) else math.nan


def _has_followers(library: RelationSet, made: Plan) -> bool:
    """Whether other relations hold what a plan leads to: what follows there has a domain too."""
    others = library.relations.keys() - {*made.relations}
    return not {*made.unknowns}.isdisjoint(library.held_by(others))


def _may_be_doubtful(library: RelationSet, made: Plan) -> bool:
    """Whether the last block of a plan has a closed form that doubles do not decide everywhere."""
    if not made.blocks or len(made.blocks[-1].unknowns) > 1:
        return False
    last = made.blocks[-1]
    candidates = isolate(library.relations[last.relations[0]].written, last.unknowns[0])
    return bool(candidates and cancelling_divisors(library, candidates))


def plans_of(found: Cases) -> list[Plan]:
    """The plans of all cases."""
    return [case.plan for tree in found.alternatives for case in leaves(tree)]
