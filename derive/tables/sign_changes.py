"""Signs along axes: on which side of a change of verdict each point lies, as small whole numbers.

Of a relation: 0 where it holds, 1 where it does not, 2 where it is undefined, 3 where a quantity in it has no number, 4
where it holds only thanks to a range among the stated values. Of a condition: 0, 1 and 2 where it is true, false and
without meaning. Of a number in the place of a weak value: 0 where they agree, 4 within the range of that, 1 outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.expressions.tree import Node, names_in
from derive.kernels.agreement import Writer, gap_of, tested
from derive.solving.blocks.outcome import TOLERANCE
from derive.tables.point_values import Source, Values, stated_sources

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.tables.sweep_work import Recipe, Work

__all__ = ["Sign", "condition_sign", "displaced_sign", "relation_sign"]

_HOLDS, _FAILS, _UNDEFINED, _UNKNOWN, _WITHIN = range(5)


@dataclass(frozen=True)
class Sign:
    """What is looked at, the quantities in it, and the function of these that yields its codes."""

    name: str
    sources: tuple[Source, ...]
    judge: Callable[..., Any]

    def codes(self, values: Values) -> Any:
        """The code of each point, as an array that fits the axes."""
        import numpy

        with numpy.errstate(all="ignore"):
            return numpy.asarray(self.judge(*(source.read(values) for source in self.sources)), dtype=numpy.int8)


def relation_sign(work: Work, recipe: Recipe, relation: Relation) -> Sign | None:
    """Where a relation holds, as a check of an answer is judged; whether it applies is another sign."""
    names, gap = gap_of(relation, max(relation.approximate or 0.0, TOLERANCE))
    held = stated_sources(work, recipe, names)
    if held is None:
        return None

    def judge(*numbers: Any) -> Any:
        import numpy

        found = gap(*numbers)
        codes = numpy.where(numpy.isfinite(found), numpy.where(found > 0, _FAILS, _HOLDS), _UNDEFINED)
        return numpy.where(_unknown(numbers), _UNKNOWN, codes)

    return Sign(relation.name, held, judge)


def condition_sign(work: Work, recipe: Recipe, condition: Node) -> Sign | None:
    """Where a condition is true."""
    names = names_in(condition)
    held = stated_sources(work, recipe, names)
    if held is None:
        return None

    def write(text: Writer) -> str:
        test = text(condition)
        return f"(sure({test}), sure(contrary({test})))"

    verdicts = tested(names, write)

    def judge(*numbers: Any) -> Any:
        import numpy

        yes, no = verdicts(*numbers)
        codes = numpy.where(yes, _HOLDS, numpy.where(no, _FAILS, _UNDEFINED))
        return numpy.where(_unknown(numbers), _UNKNOWN, codes)

    return Sign("", held, judge)


def displaced_sign(work: Work, recipe: Recipe, name: str) -> Sign | None:
    """Where the number in the place of a weak value agrees with it."""
    held = stated_sources(work, recipe, [name])
    low, stated, high = recipe.stated[name]
    slack = TOLERANCE * max(abs(low), abs(high))

    def judge(number: Any) -> Any:
        import numpy

        apart = numpy.abs(number - stated)
        same = apart <= TOLERANCE * numpy.maximum(numpy.abs(number), abs(stated))
        inside = (low - slack <= number) & (number <= high + slack)
        codes = numpy.where(same, _HOLDS, numpy.where(inside, _WITHIN, _FAILS))
        return numpy.where(numpy.isnan(number), _UNKNOWN, codes)

    return None if held is None else Sign(name, held, judge)


def _unknown(numbers: tuple[Any, ...]) -> Any:
    """Where one of several quantities has no number."""
    import numpy

    missing: Any = False
    for one in numbers:
        missing = missing | numpy.isnan(one)
    return missing
