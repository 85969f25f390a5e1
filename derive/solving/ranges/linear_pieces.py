"""Every value that the relations around a target leave to it, where all of them are linear case by case.

Around the target are the relations that hold it, or ask for it in a condition, and those around each quantity in them
that is not known. What is typed as one number is that number, and so is a default or a profile's value to which no
relation leads. A range that is typed, and a domain, bound the quantity. Then `piecewise_linear` finds all values.

Where one of the relations is an estimate, or where a fallback may stand in for one, nothing is found.

A part of a relation that is not linear may still be taken for a quantity of its own, which lies in what intervals make
of it. Then no value is lost. If a single one is left, it is the only one, provided that there is a solution: the
quantities in such parts are given numbers in search of one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product

from derive.expressions.tree import CONDITIONS, Apply, Equation, Name, Node, Number, names_in, rebuilt, walk, with_forms
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
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
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.execution.case_boxes import boxes, with_own_values
from derive.solving.execution.question import Question
from derive.solving.ranges.inequalities import inside
from quantities.rational import exact_of
from quantities.value import Value

__all__ = ["LinearCases", "cases_with_one_value", "linear_cases"]

_MOST_NAMES = 30  # limit on open quantities around the target
_FEW_NAMES = 12  # the same where relations are not linear
_TRIED = 32  # limit on points at which the parts that are not linear are tried


def linear_cases(library: RelationSet, question: Question, *, with_standing: bool = False) -> LinearCases | None:
    """The relations around a target; None if they are not linear case by case, or are plain equations.

    A weak value that a relation may lead to is left to plans, unless all are to stand as they are (`with_standing`).
    """
    try:
        around = _Around.of(library, question, with_standing=with_standing)
        return around.cases() if any(map(_has_cases, around.relations)) else None
    except NotLinear:
        return None


def cases_with_one_value(library: RelationSet, question: Question) -> LinearCases | None:
    """The relations around a target, some of which are not linear, if they leave it one value; None otherwise."""
    try:
        around = _Around.of(library, question)
        if len(around.names) > _FEW_NAMES or around.ranged:
            return None
        box = next(boxes(library, question, around.names, blur=0.0, splits=0), None)
        if box is None or not all(map(math.isfinite, box[question.target])):  # seldom bounds what nothing fixes
            return None
        enclosed = _Enclosed(box)
        found = around.cases(enclosed)
        if not found.pieces or len(found.pieces) > 1 or not found.pieces[0].is_point:
            return None
        names = names_in(*enclosed.parts)
        for point in islice(product(*(_tried(library, name, box[name]) for name in names)), _TRIED):
            numbers = {name: (x, x) for name, x in zip(names, point, strict=True)}
            if around.cases(_Enclosed({**box, **numbers})).pieces:
                return found
    except NotLinear:
        pass
    return None


def _tried(library: RelationSet, name: str, span: Span) -> list[float]:
    """Numbers to try in an interval: one inside, and its ends, where relations often bind."""
    ends = [float(f"{end:.15g}") for end in span if math.isfinite(end)]
    return [number for number in (inside(span)[1], *ends) if number in library.declared[name].domain]


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
class _Around:
    """The relations around a target, the quantities in them that are not known, and the values of the others."""

    library: RelationSet
    question: Question
    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    known: Mapping[str, Value]

    @classmethod
    def of(cls, library: RelationSet, question: Question, *, with_standing: bool = False) -> _Around:
        """Raises `NotLinear` where they are too many, or where it depends on the case which of the values yield."""
        values = {**question.weak, **question.strong}
        if question.target in question.strong:
            raise NotLinear
        names = [question.target]
        walked = [question.target]
        relations: dict[str, Relation] = {}
        known: dict[str, Value] = {}
        for name in walked:  # grows meanwhile
            for relation in _holding(library, name):
                if relation.approximate is not None:
                    raise NotLinear
                relations[relation.name] = relation
                for one in (*relation.members, *names_in(*relation.conditions)):
                    if one in values and not values[one].is_range:
                        known[one] = values[one]
                    elif one not in names:
                        names.append(one)
                    if one not in walked and (one in names or (with_standing and one in question.weak)):
                        walked.append(one)  # a weak value that stands has to fit all relations that hold it
            if len(walked) > _MOST_NAMES:
                raise NotLinear
        weak = [name for name in question.weak if name in known or name in names]
        if not with_standing and not with_own_values(library, question, weak).strong.keys() >= {*weak}:
            raise NotLinear
        return cls(library, question, tuple(names), tuple(relations.values()), known)

    @property
    def ranged(self) -> tuple[str, ...]:
        return tuple(name for name in self.names if name in self.question.strong or name in self.question.weak)

    def cases(self, enclosed: _Enclosed | None = None) -> LinearCases:
        """Their ways; raises `NotLinear` if one has none, and its parts are not to be enclosed."""
        numbers = {name: Number(_exact(value)) for name, value in self.known.items()}

        def at_numbers(node: Node) -> Node:
            node = with_forms(node, numbers)
            return node if enclosed is None else enclosed.linear(node)

        relations = []
        for relation in self.relations:
            old = relation.written
            written = Equation(at_numbers(old.lhs), old.op, at_numbers(old.rhs))
            conditions = [at_numbers(condition) for condition in relation.conditions]
            relations.append(Ways(relation, *ways_under(conditions, ways_of_equation(written))))
        claims = [claim for name in self.names for claim in _bounds(self.library, self.question, name)]
        if enclosed is not None:
            claims += enclosed.claims(self.names)
        return LinearCases(self.question.target, self.ranged, tuple(relations), tuple(claims))


@dataclass(frozen=True)
class _Enclosed:
    """Parts of relations that are not linear, each as a quantity of its own, over intervals of those in them."""

    box: Mapping[str, Span]
    parts: dict[Node, Name] = field(default_factory=dict)

    def linear(self, node: Node) -> Node:
        """An expression with such quantities in the place of these parts."""
        return rebuilt(node, self._in_place_of)

    def _in_place_of(self, part: Node) -> Node | None:
        if not isinstance(part, Apply) or not part.names:
            return part
        factors = sum(bool(names_in(arg)) for arg in part.args)
        if part.op in CHOICES | CONDITIONS | {"add", "neg"} or (part.op == "mul" and factors == 1):
            return None
        return self.parts.setdefault(part, Name(f"part {len(self.parts)}"))  # no quantity has a space in its name

    def claims(self, names: Iterable[str]) -> Iterator[Claim]:
        """That these quantities, and those in the parts, lie in their intervals."""
        spans = {name: self.box[name] for name in names}
        for part, name in self.parts.items():
            found = enclose(part, self.box, "")
            if found is None or found.partial:
                raise NotLinear  # a condition that is undefined somewhere fails there
            spans[name.name] = math.nextafter(found.values[0], -math.inf), math.nextafter(found.values[1], math.inf)
        for one, span in spans.items():
            yield from Interval.between(*span).claims(one)


@dataclass(frozen=True)
class LinearCases:
    """The ways of the relations around a target, and what is certain of the quantities in them."""

    target: str
    ranged: tuple[str, ...]
    relations: tuple[Ways, ...]
    certain: tuple[Claim, ...]

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
        """The relations that apply in one of the cases in which the target has this value."""
        return tuple(
            one.relation.name for one, way in self._case_at(number) if one.relation.is_equation and way in one.applying
        )

    def is_left_by_failures(self, number: Fraction) -> bool:
        """Whether nothing but failing conditions keeps the target at a value: `x > 0` fails at 0, where x begins."""
        ways = [[way] if way in one.applying else [()] for one, way in self._case_at(number)]
        try:
            return not any(span.is_point for span in values_left(self.target, self.certain, ways))
        except NotLinear:
            return False

    def _case_at(self, number: Fraction) -> list[tuple[Ways, Way]]:
        """The way that each relation takes in one of the cases in which the target has this value."""
        here = Claim({self.target: Fraction(1), "": -number}, "=")
        try:
            ways = first_ways(self.target, [*self.certain, here], [one.ways for one in self.relations])
        except NotLinear:
            return []
        return list(zip(self.relations, ways, strict=True))


def _are_apart(one: Sequence[Interval], other: Sequence[Interval]) -> bool:
    return not any(before.meets(after) for before in one for after in other)


def _holding(library: RelationSet, name: str) -> Iterator[Relation]:
    """The relations that hold a quantity, or ask for it in a condition."""
    for held in library.holders.get(name, ()):
        yield library.relations[held]
    if name not in library.compared:
        return
    for relation in library.conditional:
        if name in names_in(*relation.conditions):
            yield relation


def _exact(value: Value) -> Fraction:
    """The rational that was typed."""
    found = exact_of(value.base[1])
    if found is None:
        raise NotLinear
    return found


def _bounds(library: RelationSet, question: Question, name: str) -> Iterator[Claim]:
    """What the range and the domain of a quantity claim of it."""
    domain, value = library.declared[name].domain, question.strong.get(name) or question.weak.get(name)
    yield from replace(Interval.between(domain.low, domain.high), is_open_low=domain.open_low).claims(name)
    if value is not None:
        yield from Interval.between(value.base[0], value.base[2]).claims(name)
