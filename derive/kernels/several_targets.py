"""Several targets over the same arrays in one function that computes shared parts once.

Each target has the values of a function of its own, since its givens are bound for that target only. The solver is
called, for the target concerned, at points that lines leave open: where a quantity has several values that further
relations could tell apart, or is only bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy

from derive.errors import DeriveError
from derive.kernels.backends.emitter import Dialect, UnsupportedOperation
from derive.kernels.backends.exact_points import as_given
from derive.kernels.backends.numba_source import Machine, is_at_hand, looped, part, spread, tiles
from derive.kernels.backends.python_numpy import Arrays, Floats, only_of_arrays
from derive.kernels.lowering import cancelling_divisors, written
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.isolation import isolate
from derive.planning.plan import Block, Plan
from derive.solving.answering.solver import solve
from derive.solving.case_trees import Cases, cases_of_arms, cases_of_stated
from derive.solving.determined_quantities import eliminates, eliminates_in_a_gap
from derive.solving.diagnosis.missing_givens import shortage
from derive.solving.execution.answer import Answer
from derive.solving.execution.question import outlined
from derive.time_limits import query
from quantities.declaration import read_given
from quantities.profiles import Profile
from quantities.value import read_number

_TILE = 1 << 17  # points computed at once by NumPy
_MANY = 2_000_000  # points from which compiling is worth its second; more if there are more than ten blocks
_LONG = 300  # blocks beyond which compiling is never worth it


def found_for(library: RelationSet, target: str, given: Iterable[str]) -> Cases:
    """The plans with which a target is compiled among others, or that the solver is needed; else an error."""
    with query():
        outline = outlined(library, target, given)
        target_cases = cases_of_stated(library, outline)
        if target_cases.alternatives:
            return replace(target_cases, is_asked=target_cases.is_asked or eliminates_in_a_gap(library, target_cases))
        if eliminates(library, target_cases.outline) or cases_of_arms(library, target_cases.outline) is not None:
            return replace(target_cases, is_asked=True)
        raise shortage(library, target_cases.outline, {})


class JointFunctions:
    """Functions of arrays that return several targets at once, from values of which some are weak.

    The function for each back end is written on first use.

    >>> import numpy
    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> targets = "resistance", "dissipated_power"
    >>> both = JointFunctions(circuits, [found_for(circuits, target, ["voltage", "current"]) for target in targets])
    >>> both.names, [column.tolist() for column in both([numpy.array([12.0, 6.0]), 3.0])]
    (('voltage', 'current'), [[4.0, 2.0], [36.0, 18.0]])
    """

    def __init__(
        self,
        library: RelationSet,
        wanted: Sequence[Cases],
        weak: Container[str] = (),
        profiles: tuple[Any, ...] = (),
    ) -> None:
        """Prepare the function of several targets: the names of their givens, and which targets lines compute."""
        self.outlines = tuple(target_cases.outline for target_cases in wanted)
        self.names = tuple(dict.fromkeys(chain.from_iterable(outline.strong for outline in self.outlines)))
        self._library = library
        self._open_points = [OpenPoints(library, target_cases, self.names, weak, profiles) for target_cases in wanted]
        self._wanted = tuple(wanted)
        self._by_lines = tuple(i for i, target_cases in enumerate(wanted) if not target_cases.is_asked)
        plans = chain.from_iterable(wanted[i].plans for i in self._by_lines)
        self._size = len(set[Block]().union(*(plan.blocks for plan in plans)))
        self._points = 0  # so far
        self._functions: dict[tuple[type[Dialect], tuple[int, ...]], Callable[..., Any]] = {}

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        """Compute several targets together: in machine code where it pays for the points so far, else by NumPy."""
        self._points += math.prod(numpy.broadcast_shapes(*map(numpy.shape, values)))
        if self._points >= _MANY * max(1.0, self._size / 10) and self._size <= _LONG and is_at_hand():
            return self.in_machine_code(values)
        return self.on_arrays(values)

    def in_machine_code(self, values: Sequence[Any]) -> list[Any]:
        """Compute the targets by one loop of machine code; those with a block that is solved numerically use arrays."""
        compiled = self._compilable
        if not compiled:
            return self.on_arrays(values)
        point, ask = self._function(Machine, compiled), partial(self._by_arrays, compiled)
        columns = dict(zip(compiled, looped(point, len(compiled), values, ask), strict=True))
        return self._with_the_others(columns, values)

    def of_floats(self) -> Callable[..., float]:
        """The function of floats for the only target: of lines, or of the solver if that is asked at every point."""
        if self._by_lines:
            return self._function(Floats, self._by_lines)
        return lambda *numbers: self.solved(numbers)

    def solved(self, point: Sequence[float]) -> float:
        """The solver's answer for the only target at a point."""
        return self._open_points[0].solved(point)

    def on_arrays(self, values: Sequence[Any]) -> list[Any]:
        return self._with_the_others({}, values)

    def _with_the_others(self, columns: dict[int, Any], values: Sequence[Any]) -> list[Any]:
        """The columns of all targets that are compiled together; those that machine code has not computed are added."""
        remaining = tuple(i for i in self._by_lines if i not in columns)
        columns |= zip(remaining, self._by_arrays(remaining, values), strict=True)
        numbered = enumerate(self._open_points)
        return [columns[i] if i in columns else asking.everywhere(values) for i, asking in numbered]

    def _by_arrays(self, places: tuple[int, ...], values: Sequence[Any]) -> list[Any]:
        """Compute several targets, those at these places, by NumPy, one tile of points after another."""
        if not places:
            return []
        arrays, shape = spread(values)
        with numpy.errstate(all="ignore"):
            if math.prod(shape) <= _TILE:
                return self._on_tile(places, arrays)
            results = [numpy.empty(shape) for _ in places]
            for tile in tiles(shape, _TILE):
                columns = self._on_tile(places, [part(array, tile) for array in arrays])
                for result, numbers in zip(results, columns, strict=True):
                    result[tile] = numbers
            return results

    def _on_tile(self, places: tuple[int, ...], arrays: Sequence[Any]) -> list[Any]:
        columns = self._function(Arrays, places)(*arrays)
        return [self._open_points[i].settled(column, arrays) for i, column in zip(places, columns, strict=True)]

    def _function(self, dialect: type[Dialect], places: tuple[int, ...]) -> Callable[..., Any]:
        """The function that computes some of the targets in a dialect, written on first use."""
        key = dialect, places
        if key not in self._functions:
            self._functions[key] = written(self._library, [self._wanted[i] for i in places], self.names, dialect())
        return self._functions[key]

    @cached_property
    def _compilable(self) -> tuple[int, ...]:
        """The places of those among several targets that can be compiled to machine code."""
        if self._by_lines and self._is_compilable(self._by_lines):
            return self._by_lines
        return tuple(i for i in self._by_lines if self._is_compilable((i,)))

    def _is_compilable(self, places: tuple[int, ...]) -> bool:
        try:
            self._function(Machine, places)
        except UnsupportedOperation:
            return False
        return True


class OpenPoints:
    """The points of one target that compiled lines leave open; `weak` values of them are stated, as profiles do.

    The solver is asked with all values of the profiles: where relations repeat each other, it needs more of them than
    the lines do.
    """

    def __init__(
        self,
        library: RelationSet,
        wanted: Cases,
        names: Sequence[str],
        weak: Container[str] = (),
        profiles: tuple[Any, ...] = (),
    ) -> None:
        """Find out at which points that lines of several targets leave open the solver is to be asked for this one."""
        self.library = library
        self.weak = weak
        self.profiles = profiles
        self.outline = wanted.outline
        self.places = [names.index(name) for name in wanted.outline.strong]
        yields = any(case.yielding for case in wanted.leaves)
        plans = wanted.plans
        # a bound matters if it is of a quantity before the target; several values, if relations may tell them apart
        self.has_steps = yields or any(len(plan.unknowns) > 1 or _may_be_doubtful(library, plan) for plan in plans)
        self.has_checks = any(plan.checks or _has_followers(library, plan) for plan in plans) or any(
            relation.conditions or not relation.is_equation for relation in library.relations.values()
        )

    def settled(self, column: Any, arrays: Sequence[Any]) -> Any:
        """One target's values, from all those that lines have for it; the solver's answers at points left open."""
        result, several, bounded = only_of_arrays(column)
        open_ones = several & self.has_checks | bounded & self.has_steps
        if open_ones.any():
            result = numpy.array(result)
            points = points_at(open_ones, [arrays[i] for i in self.places])
            result[open_ones] = [self.solved(point) for point in points]
        return result

    def everywhere(self, values: Sequence[Any]) -> Any:
        """The solver's answers at all points of the arrays, for one of several targets that has no lines."""
        columns = [numpy.asarray(values[i], dtype=float) for i in self.places]
        everywhere = numpy.ones(numpy.broadcast_shapes(*(array.shape for array in columns)), bool)
        return numpy.array([self.solved(point) for point in points_at(everywhere, columns)]).reshape(everywhere.shape)

    def solved(self, point: Sequence[float]) -> float:
        """The solver's answer for one of several targets at a point, in the declared unit; NaN if there is none."""
        named = dict(zip(self.outline.strong, point, strict=True))
        return solved_number(self.library, self.outline.target, named, self.weak, self.profiles)


def solved_number(
    library: RelationSet,
    target: str,
    point: Mapping[str, float],
    weak: Container[str] = (),
    profiles: tuple[Any, ...] = (),
) -> float:
    """The solver's number for one of several targets at a point, in the declared unit; NaN if there is none."""
    try:
        base = answer_at(library, target, point, weak, profiles).base
    except DeriveError:
        return math.nan
    declared = math.nan if base is None else library.declared[target].unit.from_base(base)
    return declared if math.isfinite(declared) else math.nan


def answer_at(
    library: RelationSet,
    target: str,
    point: Mapping[str, float],
    weak: Container[str],
    profiles: tuple[Any, ...] = (),
    given: Mapping[str, Any] = MappingProxyType({}),
) -> Answer:
    """The solver's answer for one of several targets at a point; weak values are stated as a profile states them.

    Those that the profiles and defaults state anyway are left to them, and keep their strength.
    """
    values = {name: read_number(as_given(number), library.declared[name].unit) for name, number in point.items()}
    typed = {name: value for name, value in values.items() if name not in weak}
    changed = (name for name in point if name in weak and point[name] != _own_number(library, name, profiles))
    stated = {name: values[name] for name in changed}
    own = (Profile("point", stated),) if stated else ()
    return solve(library, target, (*profiles, *own), {**given, **typed})


def _own_number(library: RelationSet, name: str, profiles: tuple[Any, ...]) -> float | None:
    """The number that the profiles of targets, or else a default, state of a quantity, in its declared unit."""
    quantity, stated = library.declared[name], library.declared[name].default
    for profile in profiles:
        values = (profile if isinstance(profile, Profile) else library.profile(profile)).values
        stated = read_given(values[name], quantity) if name in values else stated
    return None if stated is None else quantity.unit.from_base(stated.base[1])


def points_at(mask: Any, arrays: Sequence[Any]) -> Iterable[tuple[float, ...]]:
    """The numbers of a target's givens at those points of the shared arrays where a mask is true."""
    columns = [numpy.broadcast_to(array, mask.shape)[mask].tolist() for array in arrays]
    return zip(*columns, strict=True) if columns else [()] * int(mask.sum())


def _has_followers(library: RelationSet, plan: Plan) -> bool:
    """Whether relations outside a target's plan may tell its several values apart, as they share quantities."""
    others = library.relations.keys() - {*plan.relations}
    return not {*plan.unknowns}.isdisjoint(library.held_by(others))


def _may_be_doubtful(library: RelationSet, plan: Plan) -> bool:
    """Whether lines may leave points of a target open, as a divisor in its last closed form may cancel."""
    if not plan.blocks or len(plan.blocks[-1].unknowns) > 1:
        return False
    last = plan.blocks[-1]
    candidates = isolate(library.relations[last.relations[0]].written, last.unknowns[0])
    return bool(candidates and cancelling_divisors(library, candidates))
