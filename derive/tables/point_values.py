"""The quantities of a relation at every point of a sweep, and which arm of each maximum binds there.

A relation with a max, a min or a choice takes one of several forms at each point. Its quantities are computed there, in
base units, and the arms are compared. The form is reported only where the relation applies and holds at these numbers:
elsewhere there is no regime.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

import numpy

from derive.caches import Memo
from derive.errors import DeriveError
from derive.expressions.tree import Apply, names_in
from derive.kernels.agreement import based, tested, text_of_test
from derive.kernels.backends.emitter import Writer
from derive.kernels.backends.python_numpy import contrary, sure
from derive.kernels.browser_programs.layout import always_in_use, binding_arm, choices_of
from derive.kernels.several_targets import found_for
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import arms_of
from derive.planning.plan import Block, Plan
from derive.solving.case_trees import Cases, plans_for
from derive.solving.execution.question import Outline, Question, outlined
from derive.tables.axes import is_lazy
from derive.tolerances import HANDFUL
from quantities.value import Value

_PLANS = Memo["Cases | None"](most=512)  # by name, givens, and whether it is a target


@dataclass(frozen=True)
class Recipe:
    """A target, the axes and scalar values that it depends on, in declared units, and what these state twice.

    A name has one value in all recipes of a sweep; a weak one is used for some targets and yields for others.
    """

    library: RelationSet
    axes: tuple[str, ...]
    target: str
    numbers: Mapping[str, float]
    weak: Mapping[str, Value]  # what an answer is compared with, or what completes a limit
    only_checked: frozenset[str]  # quantities computed only for the checks
    checks: tuple[str, ...] = ()
    leaving: tuple[Block, ...] = ()  # of what typed values determine, and what may leave its domain
    is_asked: bool = False  # whether the solver says where weak values yield
    is_by_numbers: bool = False  # whether the solver has an answer where no plan leads to one: `d = b*k` at k = 0

    @classmethod
    def of(
        cls,
        library: RelationSet,
        question: Question,
        plan: Plan,
        axes: tuple[str, ...],
        numbers: Mapping[str, float],
        **more: Any,
    ) -> Recipe:
        """The recipe for a question's target at every point along some axes."""
        own_value = {} if question.own is None else {question.target: question.own}
        stated = {**question.weak, **question.outdated, **own_value}
        weak = {name: value for name, value in stated.items() if name not in axes}
        only_checked = frozenset(chain.from_iterable(block.unknowns for block in plan.extra))
        return cls(library, axes, question.target, numbers, weak, only_checked, **more)

    @property
    def names(self) -> tuple[str, ...]:
        """The names whose numbers the recipe of a target has at every point: its axes and scalar values."""
        return *self.axes, *self.numbers

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The weak values in the recipe of a target that are ranges, with their ends in base units."""
        ranged = sorted(name for name, value in self.weak.items() if value.is_range)
        return {name: self.weak[name].as_rounded for name in ranged}

    @property
    def lines(self) -> Cases:
        """The plans by which the recipe of a target computes it at every point of a sweep."""
        if self.is_by_numbers:
            return Cases(outlined(self.library, self.target, self.names), (), {}, is_asked=True)
        key = self.target, self.names, True
        cases = _PLANS.of(self.library.session, key, lambda: found_for(self.library, self.target, self.names))
        assert cases is not None
        return replace(cases, is_asked=True) if self.is_asked else cases

    def followed(self, name: str) -> Cases | None:
        """The plans for a relation's quantity beside the recipe's target; None if the givens do not give it."""
        key = name, self.names, False
        try:
            return _PLANS.of(self.library.session, key, lambda: plans_for(self.library, name, self.names))
        except DeriveError:
            return None

    def source(self, name: str, with_stated: bool = False) -> Source | None:
        """The source of a quantity's numbers at the points of a sweep.

        It is an axis, a target, a given, the plans for the quantity, or a value that stands in. None if it does not
        follow from the givens, and is not stated either where that counts.
        """
        quantity = self.library.declared[name]
        if name in self.axes or name == self.target:
            return Source(lambda values: based(values[name], quantity))
        if name in self.numbers:
            return _constant(name, quantity.unit.to_base(self.numbers[name]))
        cases, default = self.followed(name), quantity.default
        if cases is not None:
            return Source(lambda values: based(values[cases.outline], quantity), cases)
        if default is not None and default.source.stands_in:  # no relation gives it, so this does
            return _constant(name, default.base[1])
        return _constant(name, self.weak[name].base[1]) if with_stated and name in self.weak else None

    def sources(self, names: Iterable[str], with_stated: bool = False) -> tuple[Source, ...] | None:
        """Where several quantities have their numbers from at every point; None if one of them has no source."""
        sources = [self.source(name, with_stated) for name in names]
        known = tuple(source for source in sources if source is not None)
        return known if len(known) == len(sources) else None


@dataclass(frozen=True)
class End:
    """A weak value taken at an end of its range, as a key of `Values`; its number is in base units."""

    name: str


Values = Mapping[str | Outline | End, Any]
"""Numbers of the axes and the targets in a box, and of what follows beside them, in declared units."""


@dataclass(frozen=True)
class Source:
    """A quantity's numbers in base units, read from the values in a box, and its plans if it is not a column."""

    read: Callable[[Values], Any]
    cases: Cases | None = None


def _constant(name: str, base: float) -> Source:
    """The source of a number that is the same at every point, unless it is taken at an end of its range."""
    number = numpy.float64(base)
    return Source(lambda values: values.get(End(name), number))


@dataclass(frozen=True)
class PointFunction:
    """A function of quantities in base units, and where their numbers come from."""

    sources: tuple[Source, ...]
    call: Callable[..., Any]

    def at(self, values: Values) -> Any:
        """The value at every point, from the numbers of quantities there, as an array that broadcasts to the axes."""
        with numpy.errstate(all="ignore"):
            return self.call(*(source.read(values) for source in self.sources))


@dataclass(frozen=True)
class Regime:
    """The forms that a relation may take, and the index of its form at each point; -1 where there is none.

    >>> import numpy
    >>> Regime(("compute", "memory"), numpy.array([0, 1, -1], dtype="int8")).words.tolist()
    ['compute', 'memory', '']
    """

    arms: tuple[str, ...]
    codes: Any

    @property
    def words(self) -> Any:
        """Which arm of a relation binds at every point of a sweep, as text."""
        names = numpy.asarray([*self.arms, ""])
        if is_lazy(self.codes):
            return self.codes.map_blocks(names.__getitem__, dtype=names.dtype)
        return names[self.codes]


@dataclass(frozen=True)
class Switch:
    """A relation's choice: its forms, and the function that yields the index of the form at each point."""

    arms: tuple[str, ...]
    function: PointFunction


def switches(recipes: Iterable[Recipe], ranged: Collection[str]) -> dict[str, Switch]:
    """The choices behind a sweep's targets, to tell at every point which form binds; by the names of their columns.

    Some typed values are ranges.
    """
    choosing: dict[str, list[Recipe]] = {}
    for recipe in recipes:
        for relation in _choosing(recipe):
            choosing.setdefault(relation, []).append(recipe)
    switches: dict[str, Switch] = {}
    for name, choosing_recipes in choosing.items():
        fixed = frozenset.intersection(*(_fixed(recipe, name) for recipe in choosing_recipes)) - {*ranged}
        candidates = (_switch(recipe, recipe.library.relations[name], fixed) for recipe in choosing_recipes)
        switch = next((candidate for candidate in candidates if candidate is not None), None)
        if switch is not None and switch.arms:
            switches[f"{name}.regime"] = switch
    return switches


def _choosing(recipe: Recipe) -> Iterator[str]:
    """The relations by which a sweep's target is computed and in which one of several arms binds at every point."""
    blocks = chain.from_iterable(plan.blocks for plan in recipe.lines.plans)
    for name in dict.fromkeys(chain.from_iterable(block.relations for block in blocks)):
        if recipe.library.relations[name].chooses:
            yield name


def _fixed(recipe: Recipe, relation: str) -> frozenset[str]:
    """The names that have one number at every point of a sweep, wherever a relation is solved."""
    return always_in_use(recipe.lines.plans, relation).union(recipe.numbers).difference(recipe.axes, recipe.ranges)


def _switch(recipe: Recipe, relation: Relation, fixed: Collection[str]) -> Switch | None:
    """How a relation's form follows from its quantities at every point of a sweep, if these can be computed there."""
    written = relation.written
    choice = choices_of(written, fixed)
    if choice is None:
        return None
    arms = tuple(dict.fromkeys(filter(None, choice.regimes)))
    codes = {"": -1, **{arm: code for code, arm in enumerate(arms)}}
    names = names_in(written.lhs, written.rhs, *relation.conditions)
    sources = recipe.sources(names)
    if sources is None:
        return None
    places = numpy.array([*(codes[choice.regimes[place]] for place in choice.places), -1], dtype=numpy.int8)
    calls = {"largest": _largest, "smallest": _smallest, "first": _first}
    judge = tested(names, partial(_judging, relation, choice.nodes), **calls)
    sizes = [len(arms_of(node)) for node in choice.nodes]

    def form(*numbers: Any) -> Any:
        """Which form a relation with a choice takes at every point of a sweep; -1 where the relation does not hold.

        The ways that its choices take are the digits of a number, which `places` maps to the code.
        """
        tests, ways = judge(*numbers)
        combined: Any = 0
        is_sound: Any = True
        for way, size in zip(ways, sizes, strict=True):
            is_sound = is_sound & (way >= 0)
            combined = combined * size + way
        for test in tests:
            is_sound = is_sound & test
        return places[numpy.where(is_sound, combined, -1)]

    return Switch(arms, PointFunction(sources, form))


def _judging(relation: Relation, chosen: Sequence[Apply], text: Writer) -> str:
    """The source code that tells at every point whether a relation holds, and which arms its choices take."""
    tests = [text_of_test(relation.written, text), *(f"sure({text(condition)})" for condition in relation.conditions)]
    return f"({', '.join(tests)},), ({', '.join(binding_arm(node, text) for node in chosen)},)"


def _largest(arrays: Sequence[Any]) -> Any:
    """The place of the largest arm of a maximum at a point of a sweep; -1 where an arm is undefined.

    Arms that differ only by rounding are equal, and the first of them binds: two arms that tie over an area, one of
    them converted from another unit, would otherwise take turns from point to point.
    """
    listed = numpy.array(numpy.broadcast_arrays(*arrays))
    largest = listed.max(axis=0)
    is_largest = numpy.isclose(listed, largest, rtol=HANDFUL, atol=0)
    return numpy.where(numpy.isnan(largest), -1, is_largest.argmax(axis=0))


def _smallest(arrays: Sequence[Any]) -> Any:
    return _largest([-array for array in arrays])


def _first(tests: Sequence[Any], has_last: bool) -> Any:
    """The place of the first condition of a choice that holds at a point; -1 without one, or after an undefined one."""
    way: Any = len(tests) if has_last else -1
    for i, test in reversed(list(enumerate(tests))):
        way = numpy.where(sure(test), i, numpy.where(sure(contrary(test)), way, -1))
    return way
