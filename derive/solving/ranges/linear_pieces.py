"""Every value that the relations around a target leave to it, where all of them are linear case by case.

Around the target are the relations that hold it, or ask for it in a condition, and those around each quantity in them
that is not known. What is typed as one number is that number, and so is a default or a profile's value to which no
relation leads. A range that is typed, and a domain, bound the quantity. Then `piecewise_linear` finds all values.

Where one of the relations is not linear, or is an estimate, or where a fallback may stand in for one, nothing is found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations

from derive.expressions.tree import Apply, Number, names_in, walk, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.constant_folding import stated
from derive.numerics.algebra.piecewise_linear import (
    CHOICES,
    Claim,
    Interval,
    NotLinear,
    Way,
    first_ways,
    values_left,
    ways_of_equation,
    ways_under,
)
from derive.numerics.intervals.enclosure import Span
from derive.solving.execution.case_boxes import with_own_values
from derive.solving.execution.question import Question
from quantities.rational import exact_of, nearest
from quantities.value import Value

__all__ = ["LinearCases", "linear_cases", "span_of"]

_MOST_NAMES = 30  # limit on open quantities around the target


def linear_cases(library: RelationSet, question: Question) -> LinearCases | None:
    """The relations around a target; None if they are not linear case by case, or are plain equations."""
    try:
        found = LinearCases.around(library, question)
    except NotLinear:
        return None
    return found if any(_has_cases(one.relation) for one in found.relations) else None


def _has_cases(relation: Relation) -> bool:
    """Whether a relation is more than one linear equation."""
    parts = walk(relation.written.lhs, relation.written.rhs)
    chooses = any(isinstance(part, Apply) and part.op in CHOICES for part in parts)
    return chooses or bool(relation.conditions) or not relation.is_equation


@dataclass(frozen=True)
class Ways:
    """A relation, its ways where it applies, and those where one of its conditions fails."""

    relation: Relation
    applying: list[Way]
    failing: list[Way]

    @property
    def ways(self) -> list[Way]:
        return [*self.applying, *self.failing]


@dataclass(frozen=True)
class LinearCases:
    """The relations around a target, and what is certain of the quantities in them."""

    target: str
    ranged: tuple[str, ...]
    relations: tuple[Ways, ...]
    certain: tuple[Claim, ...]

    @classmethod
    def around(cls, library: RelationSet, question: Question) -> LinearCases:
        """Raises `NotLinear`."""
        if question.target in question.strong:
            raise NotLinear
        known = {name: value for name, value in {**question.weak, **question.strong}.items() if not value.is_range}
        relations: dict[str, Ways] = {}
        names = [question.target]
        met = {question.target}
        for name in names:  # grows meanwhile
            for relation in _holding(library, name):
                if relation.name in relations:
                    continue
                mentioned = dict.fromkeys([*relation.members, *names_in(*relation.conditions)])
                relations[relation.name] = _ways(relation, {one: known[one] for one in mentioned if one in known})
                met.update(mentioned)
                names += [one for one in mentioned if one not in names and one not in known]
            if len(names) > _MOST_NAMES:
                raise NotLinear
        _prove_known(library, question, met)
        claims = [claim for name in names for claim in _bounds(library, question, name)]
        ranged = [name for name in names if name in question.strong or name in question.weak]
        return cls(question.target, tuple(ranged), tuple(relations.values()), tuple(claims))

    @cached_property
    def pieces(self) -> tuple[Interval, ...] | None:
        """The values in intervals, from the lowest to the highest; None if there are too many cases."""
        try:
            return values_left(self.target, self.certain, [one.ways for one in self.relations])
        except NotLinear:
            return None

    @cached_property
    def has_one_value_at_each_point(self) -> bool:
        """Whether no two of the intervals have values at the same numbers in the ranges, as far as one range tells."""
        ways = [one.ways for one in self.relations]
        try:
            behind = [
                [values_left(name, [*self.certain, *piece.claims(self.target)], ways) for name in self.ranged]
                for piece in self.pieces or ()
            ]
        except NotLinear:
            return False
        return all(
            any(_are_apart(before, after) for before, after in zip(one, other, strict=True))
            for one, other in combinations(behind, 2)
        )

    def relations_at(self, number: Fraction) -> tuple[str, ...]:
        """The relations that hold in one of the cases in which the target has a value."""
        return tuple(
            one.relation.name for one, way in self._case_at(number) if one.relation.is_equation and way in one.applying
        )

    def is_left_by_failures(self, number: Fraction) -> bool:
        """Whether nothing but failing conditions keeps the target at a value: `x > 0` fails at 0, where x begins."""
        case = self._case_at(number)
        ways = [[way] if way in one.applying else [()] for one, way in case]
        return not any(span.is_point for span in values_left(self.target, self.certain, ways))

    def _case_at(self, number: Fraction) -> list[tuple[Ways, Way]]:
        """The way that each relation takes in one of the cases in which the target has a value."""
        here = Claim({self.target: Fraction(1), "": -number}, "=")
        ways = first_ways(self.target, [*self.certain, here], [one.ways for one in self.relations])
        return list(zip(self.relations, ways, strict=True))


def span_of(piece: Interval) -> Span:
    """The ends of an interval as doubles."""
    low = -math.inf if piece.low is None else nearest(piece.low)
    return low, math.inf if piece.high is None else nearest(piece.high)


def _are_apart(one: Sequence[Interval], other: Sequence[Interval]) -> bool:
    return not any(before.meets(after) for before in one for after in other)


def _holding(library: RelationSet, name: str) -> Iterator[Relation]:
    """The relations that hold a quantity, or ask for it in a condition."""
    for held in library.holders.get(name, ()):
        yield library.relations[held]
    for relation in library.conditional:
        if name in names_in(*relation.conditions):
            yield relation


def _ways(relation: Relation, known: Mapping[str, Value]) -> Ways:
    """The ways of a relation at some known values."""
    if relation.approximate is not None:
        raise NotLinear
    numbers = {name: Number(_exact(value)) for name, value in known.items()}
    written = relation.written
    at = replace(written, lhs=with_forms(written.lhs, numbers), rhs=with_forms(written.rhs, numbers))
    return Ways(relation, *ways_under([with_forms(one, numbers) for one in relation.conditions], ways_of_equation(at)))


def _prove_known(library: RelationSet, question: Question, met: set[str]) -> None:
    """Make sure that no relation leads to the values that were not typed: they would yield."""
    weak = [name for name in question.weak if name in met and name not in question.strong]
    if not weak:
        return
    fixed = with_own_values(library, question, weak).strong
    if not fixed.keys() >= {*weak}:
        raise NotLinear


def _exact(value: Value) -> Fraction:
    """The rational that was typed."""
    found = exact_of(value.base[1])
    if found is None:
        raise NotLinear
    return found


def _bounds(library: RelationSet, question: Question, name: str) -> Iterator[Claim]:
    """What the range and the domain of a quantity claim of it."""
    domain, value = library.declared[name].domain, question.strong.get(name) or question.weak.get(name)
    spans = [(domain.low, domain.high)]
    if value is not None:
        spans.append((value.base[0], value.base[2]))
    for low, high in spans:
        if math.isfinite(low):
            yield Claim({name: Fraction(1), "": -stated(low)}, ">" if domain.open_low and low == domain.low else ">=")
        if math.isfinite(high):
            yield Claim({name: Fraction(-1), "": stated(high)}, ">=")
