"""Points at which a given has the number that a profile states of it, so that it changes nothing.

What a profile states of quantities that follow from a changed one is out of date (`solving.execution.question`), and
lines leave it out. At the profile's own number nothing has changed: there it counts, and the solver is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from derive.model.relation_set import RelationSet
from derive.solving.determined_quantities import generic_numbers
from derive.solving.execution.question import ask
from derive.time_limits import query
from derive.tolerances import AGREEMENT
from quantities.value import Value


@dataclass(frozen=True)
class OwnNumbers:
    """What profiles state of the givens that vary from point to point, if a change of these puts values out of date."""

    library: RelationSet
    target: str
    profiles: tuple[Any, ...]
    given: Mapping[str, Any]  # what is given at every point
    own: Mapping[str, Value]
    outdated: frozenset[str]  # where all of them have changed

    def gap(self, *columns: Any) -> Any:
        """NaN at the points at which fewer values are out of date, as givens have their own numbers; else negative.

        The columns hold the numbers of the givens that vary, in base units.
        """
        places: Any = numpy.zeros((), int)
        for position, (column, value) in enumerate(zip(columns, self.own.values(), strict=True)):
            number = value.base[1]
            is_own = numpy.abs(column - number) <= AGREEMENT * abs(number)
            places = places + (is_own.astype(int) << position)
        gaps = numpy.full(places.shape, -1.0)
        for place in numpy.unique(places).tolist():
            unchanged = [name for position, name in enumerate(self.own) if place >> position & 1]
            if unchanged and self._outdated_beside(unchanged) != self.outdated:
                gaps[places == place] = numpy.nan
        return gaps

    def _outdated_beside(self, unchanged: Sequence[str]) -> frozenset[str]:
        """The names of the values that are out of date where some of the givens have their own numbers."""
        changed = frozenset(self.own) - {*unchanged}
        given = {**self.given, **self.own}
        with query():
            return frozenset(ask(self.library, self.target, self.profiles, given, changed).outdated)


def own_numbers(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any], varying: Sequence[str]
) -> OwnNumbers | None:
    """The own numbers of the givens that vary, at which lines of a target need not hold; None if they hold at all."""
    numbers = generic_numbers(library, varying, 0)
    with query():
        question = ask(library, target, profiles, {**given, **numbers}, frozenset(varying))
    own = {name: question.replaced[name] for name in varying if name in question.replaced}
    single = {name: value for name, value in own.items() if not value.is_range}
    if not question.outdated or not single:
        return None
    others = {name: value for name, value in numbers.items() if name not in single}
    return OwnNumbers(library, target, profiles, {**given, **others}, single, frozenset(question.outdated))
