"""The work of a sweep: functions from the axes to the targets, which whoever is to do it compiles for himself.

`Work` holds no numbers but the single ones that were given, and is cheap to send.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from derive.compiling.functions import compiled
from derive.sweeping.bounding import at, bounded
from derive.sweeping.proving import contradicted
from derive.sweeping.regimes import Switch, switches

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["Recipe", "Work"]

_MOST_ASKED = 1000  # points of a piece at which the solver is asked, one by one
_KEPT = 64  # functions of one library


@dataclass(frozen=True)
class Recipe:
    """A target, the single values that lead to it beside the axes, in declared units, and what they say twice."""

    target: str
    numbers: Mapping[str, float]
    checks: tuple[str, ...]


@dataclass(frozen=True)
class Work:
    """The functions from the axes to the targets, compiled when they are first called for."""

    library: Library
    names: tuple[str, ...]  # of the axes
    recipes: tuple[Recipe, ...]
    profiles: tuple[Any, ...]
    given: Mapping[str, Any]  # as it was stated
    is_ranged: bool  # whether some of it is a range

    def __reduce__(self) -> tuple[Any, ...]:
        return Work, (self.library, self.names, self.recipes, self.profiles, self.given, self.is_ranged)

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """For each target a function of arrays, one for each axis, that broadcast."""
        return {recipe.target: self._function(recipe) for recipe in self.recipes}

    def _function(self, recipe: Recipe) -> Callable[..., Any]:
        import numpy

        function = _compiled(self.library, recipe.target, (*self.names, *recipe.numbers))
        contradictions = contradicted(self, recipe)

        def call(*arrays: Any) -> Any:
            named = dict(zip(self.names, arrays, strict=True))
            found = numpy.asarray(function(**named, **recipe.numbers), dtype=float)
            found = numpy.broadcast_to(found, numpy.broadcast_shapes(*(array.shape for array in arrays)))
            for gaps in contradictions:
                gap = numpy.broadcast_to(gaps({**named, recipe.target: found}), found.shape)
                wrong, doubtful = gap > 0, numpy.isnan(gap) & ~numpy.isnan(found)
                if wrong.any() or doubtful.any():
                    found = self._asked(recipe.target, arrays, numpy.array(found), wrong, doubtful)
            return found

        return call

    def _asked(self, target: str, arrays: Sequence[Any], found: Any, wrong: Any, doubtful: Any) -> Any:
        """What the solver says where lines of arithmetic go wrong, or may; where those are many, none is told."""
        import numpy

        found[wrong] = numpy.nan
        there = wrong | doubtful
        if there.sum() > _MOST_ASKED:
            return found
        points = zip(*(numpy.broadcast_to(array, found.shape)[there].tolist() for array in arrays), strict=True)
        how = (self.library, target, self.profiles, self.given)
        asked = [at(*how, dict(zip(self.names, point, strict=True)))[0] for point in (points if arrays else [()])]
        found[there] = asked
        return found

    @cached_property
    def switches(self) -> dict[str, Switch]:
        """For each relation with a choice in it, what tells its forms apart."""
        return switches(self)

    def columns(self, arrays: Sequence[Any]) -> dict[str, Any]:
        """The targets at points, and their bounds where something is given as a range."""
        if not self.is_ranged:
            return {target: function(*arrays) for target, function in self.functions.items()}
        found: dict[str, Any] = {}
        for recipe in self.recipes:
            axes = dict(zip(self.names, arrays, strict=True))
            found |= bounded(self.library, recipe.target, self.profiles, self.given, axes)
        return found


def _compiled(library: Library, target: str, names: tuple[str, ...]) -> Callable[..., Any]:
    """A function of these names, kept for the next sweep over other numbers of theirs."""
    kept, key = library.swept, (target, names)
    function = kept.get(key)
    if function is None:
        function = compiled(library, target, names)
        if len(kept) >= _KEPT:
            kept.clear()
        kept[key] = function
    return function
