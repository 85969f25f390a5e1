"""The solver's answer at single points of a sweep, and at every point where a given is a range.

Values inside a range do not follow from its ends, so compiled lines do not suffice there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from derive.caches import Memo
from derive.errors import DeriveError, InconsistentError
from derive.model.relation_set import RelationSet
from derive.presentation.placed_remarks import PlacedRemark
from derive.solving.answering.solver import solve
from derive.solving.execution.answer import Answer
from quantities.facts import Profile
from quantities.value import read_number

__all__ = ["ENDS", "Told", "asked_at", "bounded", "remarked_at"]

_WITHOUT_LIMIT = Memo[RelationSet](most=64)

ENDS = ("low", "high")
"""The columns beside a target's own, by the last part of their names."""


@dataclass(frozen=True, slots=True)
class Told:
    """An answer's number and bounds, the failed checks, and the unused givens; NaN for no answer."""

    numbers: tuple[float, float, float]
    said: Mapping[str, str] = field(default_factory=dict)  # a sentence for each failed check
    unused: frozenset[str] | None = None  # None if there is no answer

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(self.said)

    @property
    def middle(self) -> float:
        return self.numbers[0]


def asked_at(
    library: RelationSet,
    target: str,
    profiles: tuple[Any, ...],
    given: Mapping[str, Any],
    point: Mapping[str, float],
    weak: Collection[str] = (),
) -> Told:
    """The solver's answer at a point on the axes; where givens contradict each other, the relations that fail.

    The solver names one limit that the givens break. Without it, it names the next.
    """
    nothing = (math.nan, math.nan, math.nan)
    try:
        answer = _answer(library, target, profiles, given, point, weak)
    except InconsistentError as error:
        said = {name: error.what.rstrip(".") for name in error.conflicts[:1] if name in library.relations}
        further: Mapping[str, str] = {}
        for name in said:
            if not library.relations[name].is_equation:
                fewer = _WITHOUT_LIMIT.of(library.session, name, partial(library.without, name))
                further = asked_at(fewer, target, profiles, given, point, weak).said
        return Told(nothing, {**error.broken, **further, **said})
    except DeriveError:
        return Told(nothing)
    ends = answer.bounds or (answer.base, answer.base)
    middle, low, high = (
        math.nan if one is None else library.declared[target].unit.from_base(one) for one in (answer.base, *ends)
    )
    numbers = (middle, middle if low != low else low, middle if high != high else high)
    said = {check.name: check.verdict or check.statement for check in answer.failed}
    return Told(numbers, said, frozenset(answer.unused))


def remarked_at(
    library: RelationSet,
    target: str,
    profiles: tuple[Any, ...],
    given: Mapping[str, Any],
    point: Mapping[str, float],
    weak: Collection[str] = (),
) -> tuple[PlacedRemark, ...]:
    """What the answer at a point assumes or leaves out, the largest first; nothing without an answer."""
    try:
        answer = _answer(library, target, profiles, given, point, weak)
    except DeriveError:
        return ()
    placed = {name: (number, library.declared[name].unit.text) for name, number in point.items()}
    return tuple(PlacedRemark(target, placed, remark) for remark in answer.remarks)


def _answer(
    library: RelationSet,
    target: str,
    profiles: tuple[Any, ...],
    given: Mapping[str, Any],
    point: Mapping[str, float],
    weak: Collection[str],
) -> Answer:
    """The solver's answer at a point; weak values of it are stated as a profile states them."""
    values = {name: read_number(number, library.declared[name].unit) for name, number in point.items()}
    stated = {name: value for name, value in values.items() if name not in weak}
    profiles = (*profiles, Profile("point", {name: values[name] for name in weak})) if weak else profiles
    return solve(library, target, profiles, {**given, **stated})


def bounded(target: str, axes: Sequence[Any], ask: Callable[[tuple[float, ...]], Told]) -> dict[str, Any]:
    """The target at the midpoint of the ranges, and its bounds, at every point; NaN where there is no answer."""
    import numpy

    values: Sequence[Any] = [array.ravel().tolist() for array in axes]
    found = [ask(point).numbers for point in product(*values)]
    columns = numpy.array(found, dtype=float).T.reshape(1 + len(ENDS), *map(len, values))
    return dict(zip((target, *(f"{target}.{end}" for end in ENDS)), columns, strict=True))
