"""The function of a sweep from its axes to its targets: a picklable description, compiled wherever it runs.

It holds no numbers but the scalar givens, and is cheap to send. Compiled lines compute its targets; the solver is asked
at single points for what they leave open, and at every point where a given is a range, since what values inside a range
come to does not follow from its ends.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache, partial
from itertools import chain, product
from types import MappingProxyType
from typing import Any

import numpy

from derive.caches import Memo
from derive.errors import DeriveError, InconsistentError
from derive.kernels.agreement import agreed
from derive.kernels.backends.exact_points import beside_rationals
from derive.kernels.own_numbers import own_numbers
from derive.kernels.several_targets import JointFunctions, answer_at
from derive.model.relation_set import RelationSet
from derive.presentation.cautions import PlacedRemark
from derive.solving.case_trees import Cases
from derive.solving.execution.answer import Answer, Remark
from derive.tables.point_checks import Judge, Judgement, Verdict, contradicted, signs_of, undecided_sign
from derive.tables.point_values import End, PointFunction, Recipe, Switch, Values, switches
from quantities.declaration import read_given

_KEPT = 1 << 16  # limit on points whose solver answers are cached
_FUNCTIONS = Memo[JointFunctions](most=256)
_WITHOUT_LIMIT = Memo[RelationSet](most=64)

ENDS = ("low", "high")
"""The columns beside a target's own, by the last part of their names."""

_NOTHING = (math.nan, math.nan, math.nan)


@dataclass(frozen=True, slots=True)
class PointAnswer:
    """An answer's number and bounds, the failed checks, and the unused givens; NaN for no answer."""

    numbers: tuple[float, float, float] = _NOTHING
    failures: Mapping[str, str] = field(default_factory=dict)  # a sentence for each failed check
    unused: frozenset[str] | None = None  # None if there is no answer

    @property
    def verdict(self) -> Verdict:
        return Verdict(frozenset(self.failures), self.unused)


@dataclass(frozen=True)
class SweepFunction:
    """The function from the axes to the targets, compiled on first use."""

    library: RelationSet
    names: tuple[str, ...]  # of the axes
    recipes: tuple[Recipe, ...]
    profiles: tuple[Any, ...]
    given: Mapping[str, Any]  # as stated
    weak: frozenset[str] = frozenset()  # axes that vary a profile's value, not a typed one
    rationals: Mapping[float, float] = field(default_factory=dict)  # given numbers that are no decimals, by doubles

    def __reduce__(self) -> tuple[Any, ...]:
        return SweepFunction, tuple(getattr(self, entry.name) for entry in fields(self))

    @cached_property
    def ranged(self) -> frozenset[str]:
        """The scalar givens of a sweep's function that are ranges, so that it asks the solver at every point."""
        declared = self.library.declared
        return frozenset(name for name, value in self.given.items() if read_given(value, declared[name]).is_range)

    @property
    def is_ranged(self) -> bool:
        return bool(self.ranged)

    @property
    def typed_axes(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name not in self.weak)

    @property
    def targets(self) -> tuple[str, ...]:
        return tuple(recipe.target for recipe in self.recipes)

    @cached_property
    def lines(self) -> dict[str, Cases]:
        """The plans that the function of a sweep compiles, for each of its targets."""
        return {recipe.target: recipe.lines for recipe in self.recipes}

    @cached_property
    def _tests(self) -> dict[str, list[PointFunction]]:
        """The tests of each target's givens that a sweep's function makes: where the solver is to be asked about them.

        They may contradict each other, or have numbers at which lines do not hold.
        """
        return {recipe.target: [*contradicted(recipe), *self._of_own_numbers(recipe)] for recipe in self.recipes}

    def _of_own_numbers(self, recipe: Recipe) -> list[PointFunction]:
        """What tells where axes of a sweep have the very numbers that profiles state of them."""
        if not self.profiles:
            return []
        own = own_numbers(self.library, recipe.target, self.profiles, self.given, self.typed_axes)
        sources = None if own is None else recipe.sources(own.own)
        return [] if own is None or sources is None else [PointFunction(sources, own.gap)]

    # The functions of the axes, one for each purpose: common parts are computed once

    def _signs(self) -> Iterator[PointFunction]:
        """The functions of all signs that the function of a sweep compiles for its judges."""
        for judge in self.judges.values():
            yield from (sign.function for sign in judge.signs)

    def _function(self, tests: Iterable[PointFunction], with_targets: bool) -> JointFunctions:
        """One compiled function for the targets of a sweep and for all that is tested beside them."""
        sources = chain.from_iterable(test.sources for test in tests)
        tested = [source.cases for source in sources if source.cases is not None]
        listed = [*self.lines.values(), *tested] if with_targets else tested
        wanted = [*{cases.outline: cases for cases in listed}.values()]
        weak = self.weak.union(*(recipe.weak for recipe in self.recipes))
        key = (weak, self.profiles, *((cases.outline, cases.is_asked) for cases in wanted))
        make_functions = partial(JointFunctions, self.library, wanted, weak, self.profiles)
        return _FUNCTIONS.of(self.library.session, key, make_functions)

    def _values(
        self,
        tests: Iterable[PointFunction],
        arrays: Sequence[Any],
        ends: Mapping[str, float] = MappingProxyType({}),
        *,
        with_targets: bool = False,
    ) -> dict[Any, Any]:
        """The axes of a sweep by name, and along them by outline what tests read, and the targets too if asked for.

        `ends` are weak values at range ends.
        """
        function = self._function(tests, with_targets)
        named: dict[Any, Any] = dict(zip(self.names, arrays, strict=True))
        single = dict(chain.from_iterable(recipe.numbers.items() for recipe in self.recipes))
        single |= {name: self.library.declared[name].unit.from_base(end) for name, end in ends.items()}
        shape = numpy.broadcast_shapes(*(array.shape for array in arrays))
        with beside_rationals(self.rationals):
            columns = function([named[name] if name in named else single[name] for name in function.names])
        broadcast = (numpy.broadcast_to(numpy.asarray(column, dtype=float), shape) for column in columns)
        ends_taken = {End(name): numpy.float64(end) for name, end in ends.items()}
        return named | ends_taken | dict(zip(function.outlines, broadcast, strict=True))

    # The targets

    def columns(self, arrays: Sequence[Any], *, is_tested: bool = True) -> dict[str, Any]:
        """The targets of a sweep's function at some points, and their bounds where a given is a range.

        Where givens contradict each other there is no number, unless they are not tested: a map has regions there too.
        """
        if not self.is_ranged:
            values = self._values(chain.from_iterable(self._tests.values()), arrays, with_targets=True)
            targets = {target: values[cases.outline] for target, cases in self.lines.items()}
            if not is_tested:
                return targets
            return {target: self._uncontradicted(target, values | targets, arrays) for target in targets}
        columns: dict[str, Any] = {}
        for target in self.lines:
            columns |= self._bounded(target, arrays)
        return columns

    def _bounded(self, target: str, axes: Sequence[Any]) -> dict[str, Any]:
        """A target for which a sweep's function asks the solver at every point, with bounds; NaN without an answer."""
        values: Sequence[Any] = [array.ravel().tolist() for array in axes]
        numbers = [self.point_answer(target, point).numbers for point in product(*values)]
        columns = numpy.array(numbers, dtype=float).T.reshape(1 + len(ENDS), *map(len, values))
        return dict(zip((target, *(f"{target}.{end}" for end in ENDS)), columns, strict=True))

    def _uncontradicted(self, target: str, values: Values, arrays: Sequence[Any]) -> Any:
        """The numbers that a sweep's function gives for a target, NaN where its givens contradict each other."""
        column = values[target]
        gaps = (numpy.broadcast_to(test.at(values), column.shape) for test in self._tests[target])
        return agreed(column, gaps, arrays, lambda point: self.point_answer(target, tuple(point)).numbers[0])

    # The solver's answers at single points

    @cached_property
    def point_answer(self) -> Callable[[str, tuple[float, ...]], PointAnswer]:
        """The answer that the function of a sweep asks the solver for at a single point; recent answers are cached."""

        @lru_cache(maxsize=_KEPT)
        def answered(target: str, point: tuple[float, ...]) -> PointAnswer:
            return self._asked(self.library, target, dict(zip(self.names, point, strict=True)))

        return answered

    def _answer(self, library: RelationSet, target: str, point: Mapping[str, float]) -> Answer:
        with beside_rationals(self.rationals):
            return answer_at(library, target, point, self.weak, self.profiles, self.given)

    def _asked(self, library: RelationSet, target: str, point: Mapping[str, float]) -> PointAnswer:
        """What the solver tells a sweep's function about a point: an answer, or the relations that fail.

        The solver names one limit that the givens break. Without it, it names the next.
        """
        try:
            answer = self._answer(library, target, point)
        except InconsistentError as error:
            failures = {name: error.what.rstrip(".") for name in error.conflicts[:1] if name in library.relations}
            further: Mapping[str, str] = {}
            for name in failures:
                if not library.relations[name].is_equation:
                    fewer = _WITHOUT_LIMIT.of(library.session, name, partial(library.without, name))
                    further = self._asked(fewer, target, point).failures
            return PointAnswer(failures={**error.broken, **further, **failures})
        except DeriveError:
            return PointAnswer()
        ends = answer.bounds or (answer.base, answer.base)
        unit = library.declared[target].unit
        middle, low, high = (math.nan if number is None else unit.from_base(number) for number in (answer.base, *ends))
        numbers = (middle, middle if math.isnan(low) else low, middle if math.isnan(high) else high)
        failures = {check.name: check.verdict or check.statement for check in answer.failed}
        return PointAnswer(numbers, failures, frozenset(answer.unused))

    def remarked(self, point: Mapping[str, float]) -> tuple[PlacedRemark, ...]:
        """What the answers of a sweep's function at one point assume or leave out, and whether there may be others too.

        Nothing is said of a target without an answer.
        """
        declared = self.library.declared
        placed = {name: {"value": number, "unit": declared[name].unit.text} for name, number in point.items()}
        remarks: list[PlacedRemark] = []
        for target in self.lines:
            try:
                answer = self._answer(self.library, target, point)
            except DeriveError:
                continue
            doubts = [note for note in answer.stated_assumptions if note.leaves_others]
            remarks += [PlacedRemark(target, placed, Remark.of_doubt(target, doubt.text)) for doubt in doubts]
            remarks += [PlacedRemark(target, placed, remark) for remark in answer.remarks]
        return tuple(remarks)

    # The verdicts and the regimes

    @cached_property
    def judges(self) -> dict[str, Judge]:
        """The judges of a sweep's function, one for each target, that ask the solver about single points."""

        def ask(target: str, point: tuple[float, ...]) -> Verdict:
            return self.point_answer(target, point).verdict

        judges = {}
        for recipe in self.recipes:
            signs, ask_target = signs_of(recipe, self.given), partial(ask, recipe.target)
            signs = (*signs, *map(undecided_sign, self._of_own_numbers(recipe)))
            judges[recipe.target] = Judge(signs, ask_target, is_patient=self.is_ranged, ranges=recipe.ranges)
        return judges

    def judgements(
        self, arrays: Sequence[Any], columns: Mapping[str, Any], *, again: bool = True
    ) -> dict[str, Judgement]:
        """The verdicts that a sweep's function has on each target, from its numbers at points; see `Judge.judged`."""
        cached: dict[frozenset[tuple[str, float]], Values] = {}  # for all judges, by the ends of ranges

        def values_at(ends: Mapping[str, float]) -> Values:
            """The values of all signs in a sweep, with weak values at some ends of their ranges."""
            key = frozenset(ends.items())
            if key not in cached and ends:
                values = self._values(self._signs(), arrays, ends, with_targets=True)
                cached[key] = values | {target: values[cases.outline] for target, cases in self.lines.items()}
            elif key not in cached:
                cached[key] = self._values(self._signs(), arrays) | self._untested(arrays, columns)
            return cached[key]

        judges = self.judges.items()
        return {target: judge.judged(arrays, columns[target], values_at, again=again) for target, judge in judges}

    def _untested(self, arrays: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
        """The targets as the compiled function of a sweep gives them, also where their givens contradict each other.

        There they tell what else is broken.
        """
        is_masked = any(numpy.isnan(columns[target]).any() for target in self.lines)
        if self.is_ranged or not is_masked:
            return dict(columns)
        return {**columns, **self.columns(arrays, is_tested=False)}

    @cached_property
    def switches(self) -> dict[str, Switch]:
        """For each relation with a choice in a sweep, the function that tells its forms apart."""
        return switches(self.recipes, self.ranged)

    def codes(self, arrays: Sequence[Any], columns: Mapping[str, Any]) -> dict[str, Any]:
        """The forms that a sweep's function gives for relations with a choice, at points whose targets are known."""
        values = {**self._values((switch.function for switch in self.switches.values()), arrays), **columns}
        return {name: switch.function.at(values) for name, switch in self.switches.items()}
