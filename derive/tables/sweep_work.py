"""The work of a sweep: a picklable description, compiled wherever it runs.

`Work` holds no numbers but the scalar givens, and is cheap to send.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any

from derive.kernels.agreement import agreed
from derive.kernels.case_dispatch import Cases
from derive.kernels.several_targets import Abreast
from derive.model.relation_set import RelationSet
from derive.presentation.placed_remarks import PlacedRemark
from derive.tables.point_checks import Contradiction, Judge, Judgement, Verdict, contradicted, signs_of
from derive.tables.point_values import End, Recipe, Values, functions
from derive.tables.regimes import Switch, switches
from derive.tables.single_points import Told, asked_at, bounded, remarked_at
from quantities.declaration import read_given

__all__ = ["Work"]

_KEPT = 1 << 16  # limit on points whose solver answers are cached


@dataclass(frozen=True)
class Work:
    """The function from the axes to the targets, compiled on first use."""

    library: RelationSet
    names: tuple[str, ...]  # of the axes
    recipes: tuple[Recipe, ...]
    profiles: tuple[Any, ...]
    given: Mapping[str, Any]  # as stated
    is_ranged: bool  # whether some of it is a range
    weak: frozenset[str] = frozenset()  # axes that vary a profile's value, not a typed one

    def __reduce__(self) -> tuple[Any, ...]:
        return Work, (self.library, self.names, self.recipes, self.profiles, self.given, self.is_ranged, self.weak)

    @cached_property
    def lines(self) -> dict[str, Cases]:
        """The plans for each target."""
        return {recipe.target: recipe.lines for recipe in self.recipes}

    @cached_property
    def _tests(self) -> dict[str, list[Contradiction]]:
        return {recipe.target: contradicted(recipe) for recipe in self.recipes}

    @property
    def is_tested(self) -> bool:
        """Whether something is stated twice, so that it may contradict itself at some points."""
        return any(self._tests.values())

    @cached_property
    def _main(self) -> Abreast:
        tested = [source.found for tests in self._tests.values() for test in tests for source in test.sources]
        return self._function([*self.lines.values(), *tested])

    @cached_property
    def _beside(self) -> Abreast:
        return self._function(source.found for switch in self.switches.values() for source in switch.sources)

    @cached_property
    def _judging(self) -> Abreast:
        signs = [sign for judge in self.judges.values() for sign in judge.signs]
        return self._function(source.found for sign in signs for source in sign.sources)

    @cached_property
    def _judging_again(self) -> Abreast:
        signs = [sign for judge in self.judges.values() for sign in judge.signs]
        return self._function([*self.lines.values(), *(source.found for sign in signs for source in sign.sources)])

    def _at_ends(self, arrays: Sequence[Any], ends: Mapping[str, float]) -> dict[Any, Any]:
        """The values and the targets with weak values at ends of their ranges."""
        values = self._values(self._judging_again, arrays, ends)
        return values | {target: values[found.outline] for target, found in self.lines.items()}

    def _function(self, wanted: Iterable[Cases | None]) -> Abreast:
        """One function for all of them, which computes common parts once."""
        distinct = {found.outline: found for found in wanted if found is not None}
        weak = self.weak.union(*(recipe.stated for recipe in self.recipes))
        return functions(self.library, distinct.values(), weak)

    def _values(
        self, function: Abreast, arrays: Sequence[Any], ends: Mapping[str, float] = MappingProxyType({})
    ) -> dict[Any, Any]:
        """The axes by name, and the function's results by outline, broadcast; weak values may be at these ends."""
        import numpy

        named: dict[Any, Any] = dict(zip(self.names, arrays, strict=True))
        single = {name: number for recipe in self.recipes for name, number in recipe.numbers.items()}
        single |= {name: self.library.declared[name].unit.from_base(end) for name, end in ends.items()}
        shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
        found = function([named[name] if name in named else single[name] for name in function.names])
        columns = (_spread(numpy.asarray(column, dtype=float), shape) for column in found)
        there = {End(name): numpy.float64(end) for name, end in ends.items()}
        return named | there | dict(zip(function.outlines, columns, strict=True))

    def columns(self, arrays: Sequence[Any], *, is_tested: bool = True) -> dict[str, Any]:
        """The targets at points, and their bounds where a given is a range.

        Where givens contradict each other there is no number, unless they are not tested: a map has regions there too.
        """
        if not self.is_ranged:
            values = self._values(self._main, arrays)
            if not is_tested:
                return {target: values[found.outline] for target, found in self.lines.items()}
            return {target: self._agreeing(target, values, arrays) for target in self.lines}
        found: dict[str, Any] = {}
        for target in self.lines:
            found |= bounded(target, arrays, partial(self.told, target))
        return found

    def _agreeing(self, target: str, values: Values, arrays: Sequence[Any]) -> Any:
        """A target where its givens do not contradict each other."""
        import numpy

        found = values[self.lines[target].outline]
        gaps = (test.gaps({**values, target: found}) for test in self._tests[target])
        whole = (numpy.broadcast_to(gap, found.shape) for gap in gaps)
        return agreed(found, whole, arrays, lambda point: self.told(target, tuple(point)).middle)

    def told(self, target: str, point: tuple[float, ...]) -> Told:
        """The solver's answer at a point; recent answers are cached."""
        key = target, point
        found = self._told.get(key)
        if found is None:
            axes = dict(zip(self.names, point, strict=True))
            found = asked_at(self.library, target, self.profiles, self.given, axes, self.weak)
            if len(self._told) < _KEPT:
                self._told[key] = found
        return found

    def remarked(self, point: Mapping[str, float]) -> tuple[PlacedRemark, ...]:
        """What the targets assume or leave out at a point, each with its size."""
        asked = self.profiles, self.given, point, self.weak
        return tuple(one for target in self.lines for one in remarked_at(self.library, target, *asked))

    @cached_property
    def _told(self) -> dict[tuple[str, tuple[float, ...]], Told]:
        return {}

    @cached_property
    def judges(self) -> dict[str, Judge]:
        """The judge of each target's points."""

        def judge(recipe: Recipe) -> Judge:
            def ask(point: tuple[float, ...]) -> Verdict:
                told = self.told(recipe.target, point)
                return Verdict(told.failed, told.unused)

            return Judge(signs_of(recipe, self.given), ask, self.is_ranged, recipe.ranges)

        return {recipe.target: judge(recipe) for recipe in self.recipes}

    def judgements(
        self, arrays: Sequence[Any], columns: Mapping[str, Any], *, again: bool = True
    ) -> dict[str, Judgement]:
        """The verdicts on each target, from its numbers at the points; see `Judge.judged`."""
        held: dict[frozenset[tuple[str, float]], Values] = {}

        def values_at(ends: Mapping[str, float]) -> Values:
            key = frozenset(ends.items())
            if key not in held and ends:
                held[key] = self._at_ends(arrays, ends)
            elif key not in held:
                held[key] = self._values(self._judging, arrays) | self._untested(arrays, columns)
            return held[key]

        return {
            target: judge.judged(arrays, columns[target], values_at, again=again)
            for target, judge in self.judges.items()
        }

    def _untested(self, arrays: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
        """The targets at points, also where their givens contradict each other: there they tell what else is broken."""
        import numpy

        is_masked = any(numpy.isnan(columns[target]).any() for target in self.lines)
        if self.is_ranged or not is_masked:
            return dict(columns)
        return {**columns, **self.columns(arrays, is_tested=False)}

    @cached_property
    def switches(self) -> dict[str, Switch]:
        """For each relation with a choice, the function that tells its forms apart."""
        ranged = [name for name, value in self.given.items() if read_given(value, self.library.declared[name]).is_range]
        return switches(self.recipes, ranged)

    def codes(self, arrays: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
        """For each relation with a choice, its form at points whose targets are known."""
        values = {**self._values(self._beside, arrays), **columns}
        return {name: switch.codes(values) for name, switch in self.switches.items()}


def _spread(column: Any, shape: tuple[int, ...]) -> Any:
    import numpy

    return column if column.shape == shape else numpy.broadcast_to(column, shape)
