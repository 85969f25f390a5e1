"""Whether what is given twice agrees, point by point.

Where strong givens determine both sides of a relation that was not needed, its sides are compared at every point. Where
they disagree, the lines of arithmetic have no answer, or the wrong one of several: the solver is asked there.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.kernels.agreement import gap_of
from derive.tables.point_values import Source, Values, sources

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.tables.sweep_work import Recipe, Work

__all__ = ["Contradiction", "contradicted"]


@dataclass(frozen=True)
class Contradiction:
    """A relation that is put to the test at every point, and the quantities in it."""

    sources: tuple[Source, ...]
    test: Callable[..., Any]

    def gaps(self, values: Values) -> Any:
        """How far it is from holding: above zero where it is contradicted, NaN where that cannot be said."""
        import numpy

        with numpy.errstate(all="ignore"):
            return self.test(*(source.read(values) for source in self.sources))


def contradicted(work: Work, recipe: Recipe) -> list[Contradiction]:
    """The relations that are put to the test beside a target."""
    found = [_contradicted(work, recipe, work.library.relations[name]) for name in recipe.checks]
    return [each for each in found if each is not None]


def _contradicted(work: Work, recipe: Recipe, relation: Relation) -> Contradiction | None:
    names, test = gap_of(relation)
    held = sources(work, recipe, names)
    return None if held is None else Contradiction(tuple(held), test)
