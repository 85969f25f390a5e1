"""All values of a target, where relations leave them exactly, and the answers to a question held against them.

Around the target are the relations that hold it, or ask for it in a condition, and those around each quantity in them
that is not known. What is typed as one number is that number, and so is a default or a profile's value to which no
relation leads. A range that is typed, and a domain, bound the quantity. Where all relations are linear case by case,
`piecewise_linear` then finds all values. Where one of them is an estimate, or where a fallback may stand in for one,
nothing is found.

A part of a relation that is not linear may still be taken for a quantity of its own, which lies in what intervals make
of it. Then no value is lost. If a single one is left, it is the only one, provided that there is a solution: the
quantities in such parts are given numbers in search of one. And over one range, a single relation that is rational
piece by piece decides alone: from `y = x**2` and a range of y, x is an interval or two.

Plans, cases and boxes find answers with steps and a formula. They may also find what other quantities leave no value,
miss a value that nothing but all relations together leave, or not see which part of a range another quantity allows.
Here their answers are held against the exact values: what is not among them is no answer, what is missing is one, and
bounds are those of the interval that an answer lies in.

Over ranges an answer is made of each interval. The value in the middle of the ranges stands in its interval if there is
exactly one: of `y = abs(x)` and a range of y, x has two values there, which lie in one interval if y may be zero.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, islice, product

from derive.errors import DeriveError, InconsistentError, NoSolutionError, UnderdeterminedError
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
from derive.numerics.algebra.piecewise_rationals import exact_preimage
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.plan import Block, Plan
from derive.solving.diagnosis.diagnosis import NoValueError
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import boxes, with_own_values
from derive.solving.execution.plan_states import Found, is_doubt
from derive.solving.execution.question import Question
from derive.solving.ranges.inequalities import inside
from derive.tolerances import SAME_ROOT
from quantities.rational import exact_of
from quantities.value import Value

NOWHERE = "no number in its domain leads to one within the range that is given"

Answers = Sequence[tuple[RelationSet, Found]]
"""What was found, each with the library of the relations that it uses."""


def compared_with_all(
    library: RelationSet, question: Question, answers: Answers, errors: Sequence[DeriveError]
) -> Answers | None:
    """The answers that the target's exact values leave, and those that are missing; None if they are not known.

    Where no value is left at all, the givens themselves are at fault, and the answers stay as they are.
    """
    if _is_sure(question, answers, errors) or any(isinstance(error, InconsistentError) for error in errors):
        return None
    is_refused = not answers and all(isinstance(error, (NoSolutionError, UnderdeterminedError)) for error in errors)
    cases = _exactly(library, question, is_refused=is_refused)
    if cases is None or not cases.pieces:
        return None
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors)
    domain = library.declared[question.target].domain
    if (is_open or not answers) and any(piece.span == (domain.low, domain.high) for piece in cases.pieces):
        return None  # nothing determines it, at least in some case
    compared = _Compared(library, question, answers, cases, cases.pieces, is_open)
    return compared.over_ranges() if cases.ranged else compared.at_numbers()


def missing_with_weak_values(library: RelationSet, question: Question, answers: Answers) -> Answers:
    """The numbers that are no answers yet, though all relations hold there where all weak values stand.

    A plan that has a weak value yield may see only the case in which it does.
    """
    if not question.weak or question.ranges:
        return ()
    cases = linear_cases(library, question, with_standing=True)
    if cases is None or not cases.pieces or cases.ranged:
        return ()
    return _Compared(library, question, answers, cases, cases.pieces, is_open=False).missing_points()


def _exactly(library: RelationSet, question: Question, *, is_refused: bool) -> LinearCases | RationalPieces | None:
    """All values of the target; None if they are not known."""
    linear = linear_cases(library, question)
    if linear is not None and linear.pieces:
        return linear
    if not question.ranges:
        return cases_with_one_value(library, question) if is_refused and linear is None else None
    rational = rational_pieces(library, question)
    if rational is not None and not rational.pieces:
        nowhere = Found(Plan(question.target, (), (), ()), (), {}, NOWHERE)
        raise NoValueError(library, question, nowhere).in_full()
    return rational


def _is_sure(question: Question, answers: Answers, errors: Sequence[DeriveError]) -> bool:
    """Whether a plan leads from numbers to a number, and nothing was in doubt."""
    if errors or question.ranges or len(answers) != 1:
        return False
    states = answers[0][1].states
    return len(states) == 1 and question.target in states[0].values and not states[0].notes


@dataclass(frozen=True)
class _Compared:
    """What was found for a target, and all values that it has."""

    library: RelationSet
    question: Question
    answers: Answers
    cases: LinearCases | RationalPieces
    pieces: Sequence[Interval]
    is_open: bool  # whether nothing determines the target in some case

    def at_numbers(self) -> Answers | None:
        """The answers where all givens are numbers; an interval that is missing is left to the error that says so."""
        kept = [(used, replace(one, states=tuple(self._kept(one.states)))) for used, one in self.answers]
        kept = [(used, one) for used, one in kept if one.states]
        missing = [piece for piece in self.pieces if not self._is_among(piece, kept)]
        missing = [one for one in missing if not (one.is_point and self._is_where_it_begins(one))]
        wide = [piece for piece in missing if not piece.is_point]
        if wide and self.is_open:
            if not kept:
                return None
            missing = [piece for piece in missing if piece.is_point]
        elif not any(self.question.target in state.spans for _, one in kept for state in one.states):
            kept = [(used, self._without_doubts(one)) for used, one in kept]
        return [*kept, *((self.library, self._made_of([piece])) for piece in missing)]

    def missing_points(self) -> Answers:
        """The numbers among the values that are no answer yet."""
        points = [one for one in self.pieces if one.is_point and not self._is_among(one, self.answers)]
        return [(self.library, self._made_of([point])) for point in points if not self._is_where_it_begins(point)]

    def _is_where_it_begins(self, point: Interval) -> bool:
        """Whether a value is an end of the target's domain, at which nothing but failing conditions keeps it."""
        domain = self.library.declared[self.question.target].domain
        return point.span[0] in (domain.low, domain.high) and self.cases.is_left_by_failures(point.inside)

    def _kept(self, states: Sequence[State]) -> Iterator[State]:
        """The states that are among the values, and the parts of intervals that are."""
        target = self.question.target
        for state in states:
            span = state.spans.get(target)
            if span is None:
                if any(lies_in(_reach(state, target), piece.span, SAME_ROOT) for piece in self.pieces):
                    yield state
                continue
            for low, high in (piece.span for piece in self.pieces if not piece.is_point):
                part = max(low, span[0]), min(high, span[1])
                if part[0] < part[1]:
                    yield replace(state, spans={**state.spans, target: part})

    def _is_among(self, piece: Interval, kept: Answers) -> bool:
        """Whether an answer is this value, or this interval."""
        target = self.question.target
        return any(lies_in(piece.span, _reach(state, target), SAME_ROOT) for _, one in kept for state in one.states)

    def _without_doubts(self, found: Found) -> Found:
        """A result without the doubt that it may not be the only one: all others are known."""
        open_case = f"nothing determines {self.question.target}"

        def sure(state: State) -> State:
            notes = tuple(note for note in state.notes if not is_doubt(note) and open_case not in note)
            return replace(state, notes=notes)

        return replace(found, states=tuple(map(sure, found.states)))

    def over_ranges(self) -> Answers:
        """An answer for each interval over the ranges, with the value in their middle if there is exactly one.

        Where the target has one value at each point of the ranges, it is one answer, which leaves numbers out.
        """
        if self.cases.has_one_value_at_each_point and len(self._in_the_middle(self.pieces)) == 1:
            return [self._over(self.pieces)]
        return [self._over([piece]) for piece in self.pieces]

    def _in_the_middle(self, pieces: Sequence[Interval]) -> list[tuple[RelationSet, Found, State]]:
        """The values in the middle of the ranges that lie in these intervals, with what they were found by."""
        target = self.question.target
        return [
            (used, one, state)
            for used, one in self.answers
            for state in one.states
            if target in state.values and one.plan.blocks
            if any(lies_in(_reach(state, target), piece.span, SAME_ROOT) for piece in pieces)
        ]

    def _over(self, pieces: Sequence[Interval]) -> tuple[RelationSet, Found]:
        """The result that has its values in these intervals."""
        spans = [piece.span for piece in pieces]
        inside = self._in_the_middle(pieces)
        if len(inside) == 1:
            used, one, state = inside[0]
            return used, self._without_doubts(replace(one, states=(replace(state, pieces=tuple(spans)),)))
        count = "several values" if inside else "no value"
        return self.library, self._made_of(pieces, f"it has {count} in the middle of the ranges")

    def _made_of(self, pieces: Sequence[Interval], note: str = "") -> Found:
        """A result that is these intervals, with the relations that hold somewhere in them."""
        target = self.question.target
        used = self.cases.relations_at(pieces[0].inside)
        known = self.question.numbers
        spans = [piece.span for piece in pieces]
        left = "one value" if pieces[0].is_point else "these values"
        note = note or f"{', '.join(used)} together leave it {left}; nothing else determines it"
        if pieces[0].is_point and not self.cases.ranged:
            state = State({**known, target: spans[0][0]}, notes=(note,))
        else:
            whole = spans[0][0], spans[-1][1]
            state = State(known, {target: whole}, notes=(note,), pieces=tuple(spans))
        weak = tuple(name for name in self.question.weak if name in self.library.held_by(used))
        return Found(Plan(target, (Block(used, (target,)),), weak, ()), (state,), {})


def _reach(state: State, target: str) -> Span:
    return state.spans.get(target) or (state.values[target],) * 2


@dataclass(frozen=True)
class RationalPieces:
    """The intervals of all values that a relation leaves to its target over a range."""

    ranged: tuple[str, ...]
    relation: str
    pieces: tuple[Interval, ...]

    @property
    def has_one_value_at_each_point(self) -> bool:
        return False  # it is not known

    def relations_at(self, _: Fraction) -> tuple[str, ...]:
        return (self.relation,)

    def is_left_by_failures(self, _: Fraction) -> bool:
        return False  # it has no conditions


def rational_pieces(library: RelationSet, question: Question) -> RationalPieces | None:
    """The intervals of a target's values over one range; None if they are not known exactly."""
    target = question.target
    holders = library.holders.get(target, ())
    if len(holders) != 1 or target in question.strong:
        return None
    relation = library.relations[holders[0]]
    if not relation.is_exact or relation.conditions:
        return None
    if any(target in names_in(*other.conditions) for other in library.conditional):
        return None
    others = [name for name in relation.members if name != target]
    strong = with_own_values(library, question, others).strong
    ranged = [name for name in others if name in strong and strong[name].is_range]
    if not strong.keys() >= {*others} or len(ranged) != 1:
        return None
    side = _other_side(relation.written, ranged[0])
    if side is None or target not in names_in(side):
        return None
    known = {name: strong[name].base[1] for name in others if name != ranged[0]}
    low, _, high = strong[ranged[0]].base
    spans = exact_preimage(side, target, known, (low, high), library.declared[target].domain)
    if spans is None:
        return None
    return RationalPieces(tuple(ranged), relation.name, tuple(Interval.between(*span) for span in spans))


def _other_side(equation: Equation, name: str) -> Node | None:
    """The side of an equation whose other side is a name alone, which does not stand in it; None if there is none."""
    for one, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if one == Name(name) and name not in names_in(other):
            return other
    return None


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
