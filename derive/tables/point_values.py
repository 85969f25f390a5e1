"""The quantities of a relation at every point of a sweep, in base units."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from derive.caches import Memo
from derive.errors import DeriveError
from derive.kernels.agreement import based
from derive.kernels.case_dispatch import Cases
from derive.kernels.several_targets import Abreast, found_for, plans_for
from derive.model.relation_set import RelationSet
from derive.planning.plan import Block
from derive.solving.execution.question import Outline

__all__ = ["End", "Recipe", "Source", "Values", "functions", "plans", "sources", "stated_sources"]

_PLANS = Memo[Cases](most=256)  # by target and names
_BESIDE = Memo["Cases | None"](most=256)  # the same, for quantities that are not targets
_FUNCTIONS = Memo[Abreast](most=256)


def plans(library: RelationSet, target: str, names: Iterable[str]) -> Cases:
    """The plans for a target from such names."""
    given = tuple(names)
    return _PLANS.of(library.session, (target, given), lambda: found_for(library, target, given))


def beside(library: RelationSet, target: str, names: Iterable[str]) -> Cases | None:
    """The plans for a quantity that is not a target itself; None if it does not follow."""
    given = tuple(names)
    return _BESIDE.of(library.session, (target, given), lambda: plans_for(library, target, given))


def functions(library: RelationSet, wanted: Iterable[Cases], weak: frozenset[str] = frozenset()) -> Abreast:
    """One function for all these quantities, from values of which some are weak."""
    listed = list(wanted)
    key = (weak, *((one.outline, one.is_asked) for one in listed))
    return _FUNCTIONS.of(library.session, key, lambda: Abreast(library, listed, weak))


@dataclass(frozen=True)
class Recipe:
    """A target, the axes and scalar values that it depends on, in declared units, and what these state twice.

    A name has one value in all recipes of a sweep; a weak one is used for some targets and yields for others.
    """

    library: RelationSet
    axes: tuple[str, ...]
    target: str
    numbers: Mapping[str, float]
    checks: tuple[str, ...]
    stated: Mapping[str, tuple[float, float, float]]  # each weak value between its ends, in base units
    beside: frozenset[str]  # quantities computed only for the checks
    fallbacks: frozenset[str]  # weak values that nothing is compared with
    ranged: frozenset[str]  # weak values that are ranges, and not only rounded
    leaving: tuple[Block, ...] = ()  # of what typed values determine, and what may leave its domain
    is_asked: bool = False  # whether the solver says where weak values yield

    @property
    def names(self) -> tuple[str, ...]:
        """The names with numbers of their own."""
        return *self.axes, *self.numbers

    @property
    def ranges(self) -> dict[str, tuple[float, float]]:
        """The weak values that are ranges, with their ends in base units."""
        return {name: (self.stated[name][0], self.stated[name][2]) for name in sorted(self.ranged - {*self.axes})}

    @property
    def lines(self) -> Cases:
        """The plans for the target."""
        found = plans(self.library, self.target, self.names)
        return replace(found, is_asked=True) if self.is_asked else found


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
    found: Cases | None = None


def sources(recipe: Recipe, names: Sequence[str]) -> list[Source] | None:
    """The sources of quantities; None if one of them does not follow from the givens."""
    found = [_source(recipe, name) for name in names]
    return [each for each in found if each is not None] if None not in found else None


def stated_sources(recipe: Recipe, names: Sequence[str]) -> tuple[Source, ...] | None:
    """The same, with stated numbers for quantities that do not follow."""
    found = [_source(recipe, name) or _constant(recipe, name) for name in names]
    return tuple(each for each in found if each is not None) if None not in found else None


def _constant(recipe: Recipe, name: str) -> Source | None:
    import numpy

    if name not in recipe.stated:
        return None
    base = numpy.float64(recipe.stated[name][1])
    return Source(lambda values: values.get(End(name), base))


def _source(recipe: Recipe, name: str) -> Source | None:
    """The source of a quantity: an axis, a target, a given, or the plans for the target."""
    import numpy

    quantity = recipe.library.declared[name]
    if name in recipe.axes or name == recipe.target:
        return Source(lambda values: based(values[name], quantity))
    if name in recipe.numbers:
        base = numpy.float64(quantity.unit.to_base(recipe.numbers[name]))
        return Source(lambda values: values.get(End(name), base))
    try:
        found = beside(recipe.library, name, recipe.names)
    except DeriveError:
        found = None
    if found is not None:
        return Source(lambda values: based(values[found.outline], quantity), found)
    if quantity.default is not None and quantity.default.source.stands_in:  # no relation gives it, so this does
        standing = numpy.float64(quantity.default.base[1])
        return Source(lambda values: values.get(End(name), standing))
    return None
