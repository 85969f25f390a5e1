"""The question of a sweep: its axes, its targets, and the plan for each.

A `SweepQuestion` walks the points in boxes, stretches of the axes in the order of the table's rows, so that memory
stays small however long the axes are.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice, product
from typing import Any

import numpy

from derive.errors import (
    AmbiguousError,
    DeriveError,
    ExpressionError,
    InconsistentError,
    UnderdeterminedError,
    read_all,
)
from derive.kernels.agreement import leaving_beside_in_any_case, said_twice
from derive.kernels.backends.numba_source import Tile, tiles
from derive.kernels.compiled_functions import cases_left, is_own_value_alone, is_told_by_case
from derive.model.relation_set import RelationSet
from derive.planning.plan import Plan
from derive.solving.answering.solver import has_number, solve
from derive.solving.cancellation.typed_alone import typed_first
from derive.solving.case_trees import cases, weak_in_conditions
from derive.solving.execution.question import Question, ask, given_quantity
from derive.tables.axes import Line, is_axis, is_lazy, line, no_decimals
from derive.tables.point_values import Recipe
from derive.tables.sweep_function import ENDS, SweepFunction
from quantities.declaration import read_given
from quantities.units import convert
from quantities.value import read_number

_PIECE = 1 << 18  # points computed at once
_SHORT = 1 << 12  # number of points too small for a probe
_PROBE = 64
_ASKED = 64  # points of which each is asked before all of them are refused
_SLOW = 5e-5  # seconds for one point
_PATIENCE = 2.0  # seconds for a piece of slow ones


@dataclass(frozen=True)
class SweepQuestion:
    """The question of a sweep: its axes, and its function along them."""

    lines: tuple[Line, ...]
    function: SweepFunction

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.lines))

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def units(self) -> dict[str, str]:
        """The declared units of the axes and the targets of a sweep."""
        quantities, targets = self.function.library.declared, self.function.targets
        units = {name: quantities[name].unit.text for name in (*self.function.names, *targets)}
        ends = ENDS if self.function.is_ranged else ()
        return units | {f"{target}.{end}": units[target] for target, end in product(targets, ends)}

    def refuse_ranges(self, how: str) -> None:
        """Refuse a sweep in which a given is a range, since the solver is called at each point there.

        `how` says what is asked for, as in "for a stream of them".
        """
        if self.function.is_ranged:
            raise ExpressionError(
                f"A given is a range, which the solver takes point by point, but not {how}.",
                hint='Give a single value, derive.span("2..6") for an axis, or a table of fewer points.',
            )

    @cached_property
    def _each(self) -> float:
        """The seconds that a sweep takes for one of its points, measured on a few after compilation."""
        first, second = islice(self.boxes(_PROBE), 2)
        self.function.columns(self.within(first))  # compiles
        begun = time.monotonic()
        self.function.columns(self.within(second))
        return (time.monotonic() - begun) / points_in(second)

    def pace(self) -> int:
        """How many points of a sweep are computed at once: fewer where the solver is called at each."""
        if self.function.is_ranged:
            return _PROBE // 8
        if self.size <= _SHORT:
            return _SHORT // 8
        return _PIECE if self._each < _SLOW else max(_PROBE, min(_PIECE, int(_PATIENCE / self._each)))

    def boxes(self, points: int = _PIECE) -> Iterator[Tile]:
        """The boxes in which a sweep walks its points, of at most this many each, in the order of the rows.

        >>> lines = tuple(Line(name, range(n)) for name, n in (("x", 3), ("y", 4)))
        >>> [tuple((s.start, s.stop) for s in box) for box in SweepQuestion(lines, None).boxes(8)]
        [((0, 2), (0, 4)), ((2, 3), (0, 4))]
        """
        return tiles(self.shape, points)

    def within(self, box: Tile) -> tuple[Any, ...]:
        """The numbers of each axis of a sweep in one of its boxes, shaped so that they broadcast."""
        pairs = zip(self.lines, box, strict=True)
        return numpy.ix_(*(line.part(stretch.start, stretch.stop) for line, stretch in pairs))

    def of(self, target: str) -> SweepQuestion:
        """The question of a sweep with one of its targets alone."""
        recipes = tuple(recipe for recipe in self.function.recipes if recipe.target == target)
        if recipes == self.function.recipes:
            return self
        return replace(self, function=replace(self.function, recipes=recipes))

    def point(self, place: int) -> dict[str, float]:
        """The numbers on the axes at one point of a sweep's question, from the number of its row."""
        places = map(int, numpy.unravel_index(place, self.shape)) if self.shape else ()
        return {line.name: float(line.part(i, i + 1)[0]) for line, i in zip(self.lines, places, strict=True)}

    def at(self, *arrays: Any) -> SweepQuestion:
        """The same question of a sweep, with other numbers along its axes."""
        lines = [Line(line.name, array) for line, array in zip(self.lines, arrays, strict=True)]
        return replace(self, lines=tuple(lines))


def points_in(box: Tile) -> int:
    """The number of points in a box of a sweep's question."""
    return math.prod(stretch.stop - stretch.start for stretch in box)


def asked(
    library: RelationSet,
    targets: str | Sequence[str],
    profiles: tuple[Any, ...],
    given: Mapping[str, Any],
    *,
    is_map: bool = False,
) -> SweepQuestion:
    """Read the question of a sweep along axes; on a map limits may be broken everywhere."""
    listed = [targets] if isinstance(targets, str) or not isinstance(targets, Iterable) else targets
    stated = list(listed)
    for target in stated:
        library.declaration(target)
    if not stated:
        raise ExpressionError("The question has no target.", hint="Name a quantity, or several in a list.")
    wanted: list[Any] = list(dict.fromkeys(stated))
    axes: dict[str, Any] = {}
    fixed: dict[str, Any] = {}
    for name, value in given.items():
        if name in wanted:
            varies = "is an axis" if is_axis(value) else "is given"
            raise ExpressionError(f"{name} {varies}, and is also the target.", hint="Ask for what follows from it.")
        (axes if is_axis(value) else fixed)[name] = value
    lines = _read(library, axes, fixed)
    along = _AxisGivens(library, profiles, fixed, tuple(lines), is_map)
    names = tuple(line.name for line in lines)
    recipes = tuple(map(along.recipe, wanted))
    scalars = no_decimals(chain.from_iterable(recipe.numbers.values() for recipe in recipes))
    rationals = dict(chain(scalars.items(), *(line.rationals.items() for line in lines)))
    function = SweepFunction(library, names, recipes, profiles, fixed, rationals=rationals)
    try:
        _ = function.lines  # refuses here what has no answer
    except UnderdeterminedError:
        for target in wanted:  # the solver knows the profiles, and says what they lack
            with suppress(AmbiguousError):  # by bounds that hold at one point between those of the axes
                solve(library, target, profiles, along.given(along.between()))
        raise
    return SweepQuestion(along.lines, function)


def _read(library: RelationSet, axes: Mapping[str, Any], fixed: Mapping[str, Any]) -> list[Line]:
    """The axes of a sweep's question, read beside its scalar values; what is unreadable is refused at once."""

    def read(name: str, value: Any) -> Line | None:
        if name in axes:
            return line(library.declaration(name), value)
        read_given(value, given_quantity(library, name, value))
        return None

    return [axis for axis in read_all(read, {**axes, **fixed}).values() if axis is not None]


@dataclass(frozen=True)
class _AxisGivens:
    """What a sweep's question gives along axes; on a map limits may be broken everywhere."""

    library: RelationSet
    profiles: tuple[Any, ...]
    fixed: Mapping[str, Any]
    lines: tuple[Line, ...]
    is_map: bool

    def recipe(self, target: str) -> Recipe:
        """The recipe for a target of a sweep's question, with the scalar values that its plan uses.

        They are the strong values, and weak ones of its plan.
        """
        library = self.library
        axes = tuple(line.name for line in self.lines)
        question = typed_first(library, ask(library, target, self.profiles, self.given(self.between()), axes))
        strong = list(question.strong)
        plan = question.plan(library)
        # a fallback (`otherwise`) is added where it is compiled, instead of the relations written for its quantity
        used, is_asked = self._used(question, plan)
        checks = said_twice(library, strong, [plan])
        plans = cases(library, question.outline).plans or [plan]  # a quantity that one case computes, another may not
        leaving = leaving_beside_in_any_case(library, strong, plans)
        is_strict = not self.is_map or any(library.relations[name].is_equation for name in checks)
        if (checks or leaving) and is_strict:
            self._prove_consistent(target)
        values = {name: value for name, value in question.strong.items() if name in self.fixed}
        values |= {name: question.weak[name] for name in used}
        if is_own_value_alone(library, question):
            assert question.own is not None
            values[target] = question.own
        is_open = target not in values and not cases_left(library, question, axes).plans
        return Recipe.of(
            library,
            question,
            plan,
            axes=axes,
            numbers={n: convert(value.number, value.unit, library.declared[n].unit) for n, value in values.items()},
            checks=checks,
            leaving=leaving,
            is_asked=is_asked,
            is_by_numbers=is_open and has_number(library, target, self.profiles, self.given(self.between())),
        )

    def _used(self, question: Question, plan: Plan) -> tuple[list[str], bool]:
        """The weak values that a sweep's question uses for a target, and whether the solver says where each yields.

        These are the values that any case uses, and those that decide which case applies. As givens they count in every
        case: where steps would be others then, the solver is asked.
        """
        dispatch = cases(self.library, question.outline)
        used = weak_in_conditions(self.library, dispatch).union(*(case.weak for case in dispatch.plans or [plan]))
        stated = {name: value for name, value in question.weak.items() if name in used & question.stated}
        axes = [line.name for line in self.lines]
        is_asked = dispatch.may_go_past_typed or is_told_by_case(self.library, question, stated, axes)
        return list(stated), is_asked

    def _prove_consistent(self, target: str) -> None:
        """Refuse the question of a sweep if its givens contradict each other at every point.

        Where there are many points, only the ends of the axes and the middle are asked. A contradiction there that the
        axes have a part in need not be one elsewhere: the table tells it point by point.
        """
        if any(is_lazy(line.source) for line in self.lines):
            return
        ranges = [range(len(line)) for line in self.lines]
        is_short = math.prod(map(len, ranges)) <= _ASKED
        shares = (0.0, 1.0, 0.5)
        along = [tuple(round(share * (len(line) - 1)) for line in self.lines) for share in shares]
        contradiction: InconsistentError | None = None
        for places in dict.fromkeys([*along, *(product(*ranges) if is_short else ())]):
            point = [float(line.part(i, i + 1)[0]) for line, i in zip(self.lines, places, strict=True)]
            try:
                solve(self.library, target, self.profiles, self.given(point))
            except InconsistentError as error:
                contradiction = error
            except DeriveError:
                return
            else:
                return
        assert contradiction is not None
        involved = {part.partition(" = ")[0] for part in contradiction.conflicts}
        if is_short or involved.isdisjoint(line.name for line in self.lines):
            raise contradiction

    def given(self, point: Iterable[float]) -> dict[str, Any]:
        """The givens of a sweep's question at a point on its axes."""
        declared = self.library.declared
        numbers = zip(self.lines, point, strict=True)
        return {**self.fixed, **{line.name: read_number(x, declared[line.name].unit) for line, x in numbers}}

    def between(self) -> Iterator[float]:
        """A point at which a sweep's question is asked, between those of each axis, at numbers stated nowhere else."""
        for axis in self.lines:
            quantity = self.library.declared[axis.name]
            if is_lazy(axis.source):  # must not be computed
                low, high = quantity.domain.low, quantity.domain.high
                if math.isfinite(high - low):
                    inside = low / 2 + high / 2
                else:
                    inside = 1.382 if low <= 1.382 <= high else low or high
                yield quantity.unit.from_base(inside)
            else:
                place = int(0.382 * (len(axis) - 1))
                low, high = (float(axis.part(i, i + 1)[0]) for i in (place, min(place + 1, len(axis) - 1)))
                yield low + 0.382 * (high - low)
