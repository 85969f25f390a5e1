"""The exact values of a target, all that its relations leave it, and the candidates for it compared with them.

Around the target are the relations that hold it, or ask for it in a condition, and those around each quantity in them
that is not known. What is typed as one number is that number, and so is a default or a profile's value to which no
relation leads. A range that is typed, and a domain, bound the quantity. Where all relations are linear case by case,
`linear_cases` then finds all values. Where one of them is an estimate, or where a fallback may stand in for one,
nothing is found.

A part of a relation that is not linear may still be taken for a quantity of its own, which lies in what intervals make
of it. Then no value is lost. If a single one is left, it is the only one, provided that there is a solution: the
quantities in such parts are given numbers in search of one. And over one range, a single relation that is rational
piece by piece decides alone: from `y = x**2` and a range of y, x is an interval or two.

Plans, cases and boxes find answers with steps and a formula. They may also find what other quantities leave no value,
miss a value that nothing but all relations together leave, or not see which part of a range another quantity allows.
Here their answers are compared with the exact values: what is not among them is no answer, what is missing is one, and
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
from itertools import chain, combinations, islice, product, starmap

from derive.errors import Cause, DeriveError, InconsistentError, NoSolutionError, UnderdeterminedError
from derive.expressions.functions import STEPPED
from derive.expressions.tree import (
    CONDITIONS,
    Apply,
    Equation,
    Name,
    Node,
    Number,
    has_operation,
    names_in,
    rebuilt,
    walk,
    with_forms,
)
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import SWITCHES
from derive.numerics.algebra.linear_cases import (
    Claim,
    Interval,
    NotLinear,
    Way,
    first_ways,
    values_left,
    ways_of_equation,
    ways_under,
    ways_within,
)
from derive.numerics.algebra.piecewise_rationals import exact_preimage
from derive.numerics.intervals.arithmetic import lies_in, point_box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.matching import Matching
from derive.planning.plan import Block, Plan
from derive.solving.assumptions import Assumption
from derive.solving.blocks.propagation import narrowed
from derive.solving.diagnosis.conflicts import NoValueError
from derive.solving.diagnosis.missing_givens import wanted
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_claims import boxes, with_own_values
from derive.solving.execution.checks import may_be_met
from derive.solving.execution.conditional_relations import applies_at
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question
from derive.solving.ranges.inequalities import inside
from derive.tolerances import SAME_ROOT
from quantities.rational import exact_of
from quantities.value import Value

_NONE_IN_RANGE = "no number in its domain leads to one within the range that is given"

Answers = Sequence[tuple[RelationSet, PlanResult]]
"""Candidates: results, each with the library of the relations that it uses."""


def corrected_by_exact_values(
    library: RelationSet, question: Question, answers: Answers, errors: Sequence[DeriveError]
) -> Answers | None:
    """The answers corrected and completed by the target's exact values; None if those are not known.

    Where no value is left at all, the givens themselves are at fault, and the answers stay as they are.
    """
    if _is_certain(question, answers, errors) or any(isinstance(error, InconsistentError) for error in errors):
        return None
    is_refused = not answers and all(isinstance(error, (NoSolutionError, UnderdeterminedError)) for error in errors)
    is_bounded = bool(answers) and not any(question.target in state.values for _, _, state in _states_of(answers))
    cases = _exact_values(library, question, is_refused=is_refused, is_bounded=is_bounded)
    if cases is None or not cases.pieces:
        return None
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors)
    domain = library.declared[question.target].domain
    if cases.rounds and answers and not cases.ranged and [piece.span for piece in cases.pieces] == [domain.ends]:
        raise _any_number(
            library, question, cases.relations_at(cases.pieces[0].inside)
        )  # the numbers that plans found are some of these
    if (is_open or not answers) and any(piece.span == domain.ends for piece in cases.pieces):
        return None  # nothing determines the target, at least in some case
    comparison = _Comparison(library, question, answers, cases, is_open=is_open)
    return comparison.over_ranges() if cases.ranged else comparison.at_numbers()


def _any_number(library: RelationSet, question: Question, names: Sequence[str]) -> UnderdeterminedError:
    """The error for a target whose exact values are all numbers of its domain, though some relations round it."""
    known = {question.target, *question.strong, *question.weak}
    missing = tuple((name,) for name in library.held_by(names) if name not in known)
    return UnderdeterminedError(
        f"{question.target} is not determined by what is given: {', '.join(names)} leave it any number in its domain.",
        hint=wanted(missing),
        missing=missing,
    )


def missing_exact_values(library: RelationSet, question: Question, answers: Answers) -> Answers:
    """Answers for the exact values of the target that none has yet, and that agree with all weak values.

    A plan in which a weak value yields to the relations may see only the case in which it yields.
    """
    if not question.weak or question.ranges:
        return ()
    cases = linear_cases(library, question, with_standing=True)
    if cases is None or cases.ranged:
        return ()
    return _Comparison(library, question, answers, cases, is_open=False).missing_points()


def _exact_values(
    library: RelationSet, question: Question, *, is_refused: bool, is_bounded: bool
) -> LinearCases | RationalPieces | None:
    """All exact values that the relations around a target leave it; None if these are not linear or rational by pieces.

    Where plans were refused, the parts of relations that are not linear may be enclosed. Where they only bound the
    target over ranges, nothing may lie within the bounds: about a jump, an enclosure holds both of its sides.
    """
    linear = linear_cases(library, question)
    if linear is not None and linear.pieces:
        return linear
    if is_refused and linear is not None and linear.rounds and linear.leave_nothing:
        raise _no_value(library, question, "no number in its domain is rounded to what is given")
    if question.ranges and is_bounded and linear is not None and linear.leave_nothing:
        raise _no_value(library, question, _NONE_IN_RANGE, linear)
    if not question.ranges:
        return cases_with_one_value(library, question) if is_refused and linear is None else None
    rational = rational_pieces(library, question)
    if rational is not None and not rational.pieces:
        error = _no_value(library, question, _NONE_IN_RANGE)
        error.cause = Cause.NO_PIECE
        raise error
    return rational


def _no_value(
    library: RelationSet, question: Question, reason: str, cases: LinearCases | None = None
) -> NoSolutionError:
    """The error for a target that has no exact value, with the weak values in the cases that leave it none."""
    relations = () if cases is None else tuple(ways.relation.name for ways in cases.relations)
    plan = Plan(question.target, (Block(relations, ()),), tuple(question.weak), ())
    return NoValueError(library, question, PlanResult(plan, (), {}, reason)).in_full()


def _is_certain(question: Question, answers: Answers, errors: Sequence[DeriveError]) -> bool:
    """Whether plans give one number without a doubt, which needs no comparison with the exact values."""
    if errors or question.ranges or len(answers) != 1:
        return False
    ((_, result),) = answers
    return len(result.states) == 1 and question.target in result.states[0].values and not result.states[0].notes


@dataclass(frozen=True)
class _Comparison:
    """The answers that plans gave for a target, compared with the exact values that it has."""

    library: RelationSet
    question: Question
    answers: Answers
    cases: LinearCases | RationalPieces
    is_open: bool  # whether nothing determines the target in some case

    def at_numbers(self) -> Answers | None:
        """The answers at given numbers as exact values correct them; None if the error of an open case says more."""
        cut = [(its_library, self._cut_to_values(result)) for its_library, result in self.answers]
        kept = [(its_library, result) for its_library, result in cut if result.states]
        missing = self._missing_from(kept)
        if self.cases.rounds:  # the relations leave an interval, on which plans may have found some numbers
            intervals = [piece for piece in missing if not piece.is_point]
            kept = [(its_library, self._apart_from(intervals, result)) for its_library, result in kept]
            kept = [(its_library, result) for its_library, result in kept if result.states]
        elif self.is_open and not all(piece.is_point for piece in missing):
            if not kept:
                return None
            missing = [piece for piece in missing if piece.is_point]
        elif not any(self.question.target in state.spans for _, _, state in _states_of(kept)):
            kept = [(its_library, self._without_doubts(result)) for its_library, result in kept]
        return [*kept, *((self.library, self._result_for([piece])) for piece in missing)]

    def missing_points(self) -> Answers:
        """Answers for the exact values of the target that are numbers, and that no answer has yet."""
        points = [piece for piece in self._missing_from(self.answers) if piece.is_point]
        return [(self.library, self._result_for([point])) for point in points]

    def _missing_from(self, answers: Answers) -> list[Interval]:
        """The exact values that no answer has yet, without ends of the domain at which conditions fail."""
        missing = [piece for piece in self.cases.pieces if not self._is_among(piece, answers)]
        return [piece for piece in missing if not (piece.is_point and self._is_end_kept_by_failures(piece))]

    def _is_end_kept_by_failures(self, point: Interval) -> bool:
        """Whether an exact value ends the target's domain, and remains only because conditions fail there."""
        domain = self.library.declared[self.question.target].domain
        return point.span[0] in domain.ends and self.cases.is_left_by_failures(point.inside)

    def _cut_to_values(self, result: PlanResult) -> PlanResult:
        """The answers that plans found, cut to the target's exact values: no other number, narrower intervals."""
        target = self.question.target
        states = []
        for state in result.states:
            if target not in state.spans:
                if self._is_in(state, self.cases.pieces):
                    states.append(state)
                continue
            start, end = state.spans[target]
            for piece in self.cases.pieces:
                low, high = max(piece.span[0], start), min(piece.span[1], end)
                if low < high and not piece.is_point:
                    states.append(replace(state, spans={**state.spans, target: (low, high)}))
        return replace(result, states=tuple(states))

    def _apart_from(self, pieces: Sequence[Interval], result: PlanResult) -> PlanResult:
        """The answers that plans found, without those that lie in some intervals of the target's exact values."""
        return replace(result, states=tuple(state for state in result.states if not self._is_in(state, pieces)))

    def _is_in(self, state: State, pieces: Sequence[Interval]) -> bool:
        """Whether the number or interval that plans found lies in some interval of the target's exact values."""
        reach = _interval_of(state, self.question.target)
        return any(lies_in(reach, piece.span, SAME_ROOT) for piece in pieces)

    def _is_among(self, piece: Interval, answers: Answers) -> bool:
        """Whether plans have found an exact value of the target, or an interval around its exact values."""
        reaches = [_interval_of(state, self.question.target) for _, _, state in _states_of(answers)]
        return any(lies_in(piece.span, reach, SAME_ROOT) for reach in reaches)

    def _without_doubts(self, result: PlanResult) -> PlanResult:
        """The answers that plans found, without notes that the target may have other values: all are known."""

        def sure(state: State) -> State:
            return replace(state, notes=tuple(note for note in state.notes if note.kind not in ("unproved", "open")))

        return replace(result, states=tuple(map(sure, result.states)))

    def over_ranges(self) -> Answers:
        """The target's exact values over ranges as answers: one for each interval of them.

        The value in the middle of the ranges stands in its interval if there is exactly one. Where the target has one
        value at each point of the ranges, it is one answer, which leaves numbers out.
        """
        if self.cases.has_one_value_at_each_point and len(self._values_in_middle(self.cases.pieces)) == 1:
            return [self._result_over(self.cases.pieces)]
        return [self._result_over([piece]) for piece in self.cases.pieces]

    def _values_in_middle(self, pieces: Sequence[Interval]) -> list[tuple[RelationSet, PlanResult, State]]:
        """The values that plans have in the middle of the ranges, within intervals of exact values."""
        return [
            (its_library, result, state)
            for its_library, result, state in _states_of(self.answers)
            if self.question.target in state.values and result.plan.blocks and self._is_in(state, pieces)
        ]

    def _result_over(self, pieces: Sequence[Interval]) -> tuple[RelationSet, PlanResult]:
        """The result for intervals of the target's exact values, with the value in the middle if plans found one."""
        in_middle = self._values_in_middle(pieces)
        if len(in_middle) == 1:
            its_library, result, state = in_middle[0]
            state = replace(state, pieces=tuple(piece.span for piece in pieces))
            return its_library, self._without_doubts(replace(result, states=(state,)))
        is_bounded = any(self.question.target in state.spans for _, _, state in _states_of(self.answers))
        count = "several values" if in_middle or is_bounded or self.is_open else "no value"
        return self.library, self._result_for(pieces, f"it has {count} in the middle of the ranges")

    def _result_for(self, pieces: Sequence[Interval], note: str = "") -> PlanResult:
        """A result that is made of the target's exact values, with the relations that apply in the first interval."""
        target, known = self.question.target, self.question.numbers
        used = self.cases.relations_at(pieces[0].inside)
        if not note:
            count = "one value" if pieces[0].is_point else "these values"
            leaving = f"{', '.join(used)} together leave" if used else "the conditions of relations leave"
            note = f"{leaving} it {count}; nothing else determines it"
        low, high = pieces[0].span[0], pieces[-1].span[1]
        if pieces[0].is_point and not self.cases.ranged:
            state = State({**known, target: low}, notes=(Assumption(note),))
        else:
            spans = tuple(piece.span for piece in pieces)
            state = State(known, {target: (low, high)}, notes=(Assumption(note),), pieces=spans)
        weak = tuple(name for name in self.question.weak if name in self.library.held_by(used))
        blocks = (Block(used, (target,)),) if used else ()
        return PlanResult(Plan(target, blocks, weak, ()), (state,), left_out={})


def _interval_of(state: State, target: str) -> Span:
    """The interval of the target in a state, to compare with exact values; for a number, one without width."""
    return state.spans.get(target) or (state.values[target],) * 2


def _states_of(answers: Answers) -> Iterator[tuple[RelationSet, PlanResult, State]]:
    """Each state of some answers to compare with exact values, after its library and its result."""
    for its_library, result in answers:
        for state in result.states:
            yield its_library, result, state


@dataclass(frozen=True)
class RationalPieces:
    """The intervals of exact values that one relation, rational piece by piece, leaves its target over a range."""

    ranged: tuple[str, ...]
    relation: str
    pieces: tuple[Interval, ...]
    has_one_value_at_each_point: bool = False  # it is not known

    rounds = False  # a plan finds the intervals of one unknown

    def relations_at(self, _: Fraction) -> tuple[str, ...]:
        return (self.relation,)

    def is_left_by_failures(self, _: Fraction) -> bool:
        return False  # the relation has no conditions that could fail


def rational_pieces(library: RelationSet, question: Question) -> RationalPieces | None:
    """The intervals of a target's exact values by one relation over one range; None if they are not known."""
    target = question.target
    relation = _only_relation(library, target)
    if relation is None or target in question.strong:
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


def _only_relation(library: RelationSet, target: str) -> Relation | None:
    """The only relation around a target, if it decides its exact values whatever the case; None otherwise."""
    holders = library.holders.get(target, ())
    if len(holders) != 1:
        return None
    relation = library.relations[holders[0]]
    is_asked_for = any(target in names_in(*conditional.conditions) for conditional in library.conditional)
    return relation if relation.is_exact and not relation.conditions and not is_asked_for else None


def _other_side(equation: Equation, name: str) -> Node | None:
    """What an equation around a target sets equal to a ranged name, which leaves exact values; None without it."""
    for side, opposite in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if side == Name(name) and name not in names_in(opposite):
            return opposite
    return None


_MOST_NAMES = 30  # limit on open quantities around the target
_FEW_NAMES = 12  # the same where relations are not linear
_TRIED = 32  # limit on points at which the parts that are not linear are tried


def linear_cases(library: RelationSet, question: Question, *, with_standing: bool = False) -> LinearCases | None:
    """The linear cases around a target, for its exact values; None if a relation is not linear, or none has cases.

    A weak value that a relation may lead to is left to plans, unless all are to stand as they are (`with_standing`).
    """
    try:
        around = _Neighbourhood.of(library, question, with_standing=with_standing)
        return around.cases() if any(map(_has_cases, around.relations)) else None
    except NotLinear:
        return None


def cases_with_one_value(library: RelationSet, question: Question) -> LinearCases | None:
    """The cases by which relations around a target, some not linear, leave it one exact value; None if more."""
    try:
        around = _Neighbourhood.of(library, question)
        if len(around.names) > _FEW_NAMES or around.ranged:
            return None
        box = next(boxes(library, question, around.names, blur=0.0, splits=0), None)
        if box is None or not all(map(math.isfinite, box[question.target])):  # seldom bounds what nothing fixes
            return None
        nonlinear = _NonlinearParts(box)
        cases = around.cases(nonlinear)
        if len(cases.pieces) != 1 or not cases.pieces[0].is_point:
            return None
        # this value is the only one if there is a solution: numbers for the names in nonlinear parts are tried for one
        names = names_in(*nonlinear.symbols)
        for point in islice(product(*(_trial_numbers(library, name, box[name]) for name in names)), _TRIED):
            numbers = {name: (x, x) for name, x in zip(names, point, strict=True)}
            is_left = around.cases(_NonlinearParts({**box, **numbers})).pieces
            tried = {question.target: float(cases.pieces[0].inside), **dict(zip(names, point, strict=True))}
            if is_left and around.is_met(tried):
                return cases
    except NotLinear:
        pass
    return None


def _trial_numbers(library: RelationSet, name: str, span: Span) -> list[float]:
    """Numbers of a quantity around the target, tried to confirm its exact value: inside an interval, and its ends."""
    ends = [float(f"{end:.15g}") for end in span if math.isfinite(end)]  # without what was rounded outwards
    return [number for number in (inside(span)[1], *ends) if number in library.declared[name].domain]


def _has_cases(relation: Relation) -> bool:
    """Whether a relation around a target leaves it values by case: by choices or conditions, or as an inequality."""
    nodes = walk(relation.written.lhs, relation.written.rhs)
    chooses = any(isinstance(node, Apply) and node.op in SWITCHES | STEPPED for node in nodes)
    return chooses or bool(relation.conditions) or not relation.is_equation


@dataclass(frozen=True)
class RelationWays:
    """The ways of a relation in linear cases: those where it applies, and those where one of its conditions fails."""

    relation: Relation
    applying: list[Way]
    failing: list[Way]

    @property
    def ways(self) -> list[Way]:
        return [*self.applying, *self.failing]


@dataclass(frozen=True)
class _Neighbourhood:
    """The relations around a target that leave its exact values, their open quantities, and values of the others."""

    library: RelationSet
    question: Question
    names: tuple[str, ...]
    relations: tuple[Relation, ...]
    known: Mapping[str, Value]

    @classmethod
    def of(cls, library: RelationSet, question: Question, *, with_standing: bool = False) -> _Neighbourhood:
        """Collect the relations around a target; raises `NotLinear` where they do not tell its exact values."""
        values = {**question.weak, **question.strong}
        if question.target in question.strong:
            raise NotLinear
        names = [question.target]
        walked = [question.target]
        relations: dict[str, Relation] = {}
        known: dict[str, Value] = {}
        for name in walked:  # the list grows as it is walked
            for relation in _relations_asking_for(library, name):
                if relation.approximate is not None:
                    raise NotLinear
                relations[relation.name] = relation
                for member in (*relation.members, *names_in(*relation.conditions)):
                    if member in values and not values[member].is_range:
                        known[member] = values[member]
                    elif member not in names:
                        names.append(member)
                    if member not in walked and (member in names or (with_standing and member in question.weak)):
                        walked.append(member)  # a weak value that stands has to fit all relations that hold it
            if len(walked) > _MOST_NAMES:
                raise NotLinear
        weak = [name for name in question.weak if name in known or name in names]
        if not with_standing and not with_own_values(library, question, weak).strong.keys() >= {*weak}:
            raise NotLinear
        return cls(library, question, tuple(names), tuple(relations.values()), known)

    @property
    def ranged(self) -> tuple[str, ...]:
        """The quantities around the target that are given as ranges: those with a value that are not `known`."""
        return tuple(name for name in self.names if name in self.question.strong or name in self.question.weak)

    def cases(self, nonlinear: _NonlinearParts | None = None) -> LinearCases:
        """Split all relations around the target into linear cases; raises `NotLinear` at a part that is not linear."""
        numbers = {name: Number(_rational(value)) for name, value in self.known.items()}

        def at_numbers(node: Node) -> Node:
            node = with_forms(node, numbers)
            return node if nonlinear is None else nonlinear.linear(node)

        relations = []
        for relation in self.relations:
            stated = relation.written
            equation = Equation(at_numbers(stated.lhs), stated.op, at_numbers(stated.rhs))
            conditions = [at_numbers(condition) for condition in relation.conditions]
            relations.append(RelationWays(relation, *ways_under(conditions, self._ways_of(equation))))
        claims = [*chain.from_iterable(_claims_on(self.library, self.question, name) for name in self.names)]
        if nonlinear is not None:
            claims += nonlinear.claims(self.names)
        with_values = frozenset(self.question.strong).union(self.question.weak)
        return LinearCases(self.question.target, with_values, self.ranged, tuple(relations), tuple(claims))

    def is_met(self, numbers: Mapping[str, float]) -> bool:
        """Whether the relations around the target that apply hold at exact numbers, where all of theirs are known.

        An enclosure of a part that is not linear reaches beyond its number, so that a tie may be decided either way.
        """
        values = {**{name: value.base[1] for name, value in self.known.items()}, **numbers}
        applying = (relation for relation in self.relations if applies_at(relation, values))
        return all(may_be_met(relation, values) for relation in applying)

    def _ways_of(self, equation: Equation) -> list[Way]:
        """The ways of an equation around a target; over ranges, for exact values, its roundings are told apart."""
        if self.question.ranges and has_operation(*equation.sides, among=STEPPED):
            return [] if self._box is None else ways_within(equation, self._box)
        return ways_of_equation(equation)

    @cached_property
    def _box(self) -> Mapping[str, Span] | None:
        """The intervals of the open quantities around the target that hold its exact values; None if there is none."""
        box = next(boxes(self.library, self.question, self.names, blur=0.0, splits=0), None)
        endless = [name for name in self.names if box is not None and not all(map(math.isfinite, box[name]))]
        if box is not None and endless:  # contractors leave an unbounded unknown as it is where it stands twice
            box |= point_box({name: value.base[1] for name, value in self.known.items()})
            certain = [relation.written for relation in self.relations if not relation.conditions]
            halved = narrowed([equation for equation in certain if equation.op == "="], endless, box)
            return None if halved is None else box | halved
        return box


@dataclass(frozen=True)
class _NonlinearParts:
    """The nonlinear parts of relations that leave exact values, each replaced by a symbol, and spans of names."""

    box: Mapping[str, Span]
    symbols: dict[Node, Name] = field(default_factory=dict)  # by the part that each stands for

    def linear(self, node: Node) -> Node:
        """An expression around the target, linear by symbols for its other parts, so that exact values can be found."""
        return rebuilt(node, self._symbol_for)

    def _symbol_for(self, part: Node) -> Node | None:
        """The symbol for a nonlinear part around a target whose values are sought; None to look at its arguments."""
        if not isinstance(part, Apply) or not part.names:
            return part
        factors = sum(bool(names_in(arg)) for arg in part.args)
        if part.op in SWITCHES | CONDITIONS | {"add", "neg"} or (part.op == "mul" and factors == 1):
            return None  # linear itself: its arguments are looked at one by one
        return self.symbols.setdefault(part, Name(f"part {len(self.symbols)}"))  # no quantity has a space in its name

    def claims(self, names: Iterable[str]) -> Iterator[Claim]:
        """The intervals of names around the target and of symbols for nonlinear parts, as claims on its values."""
        spans = {name: self.box[name] for name in names}
        for part, symbol in self.symbols.items():
            enclosure = enclose(part, self.box, "")
            if enclosure is None or enclosure.partial:
                raise NotLinear  # a condition that is undefined somewhere fails there
            low, high = enclosure.values
            spans[symbol.name] = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
        for name, span in spans.items():
            yield from Interval.between(*span).claims(name)


@dataclass(frozen=True)
class LinearCases:
    """The linear cases around a target: the ways of its relations, and claims that are certain in each of them."""

    target: str
    stated: frozenset[str]  # the names of the values beside which equations may fix the target
    ranged: tuple[str, ...]
    relations: tuple[RelationWays, ...]
    certain: tuple[Claim, ...]

    @cached_property
    def rounds(self) -> bool:
        """Whether a relation around the target rounds, so that numbers leave exact values an interval."""
        nodes = walk(*chain.from_iterable(ways.relation.written.sides for ways in self.relations))
        return any(isinstance(node, Apply) and node.op in STEPPED for node in nodes)

    @cached_property
    def pieces(self) -> tuple[Interval, ...]:
        """The intervals of the target's exact values, in ascending order; none if there are too many cases."""
        try:
            return values_left(self.target, self.certain, self._ways)
        except NotLinear:
            return ()

    @cached_property
    def leave_nothing(self) -> bool:
        """Whether the linear cases leave the target no value; not where there are too many of them."""
        try:
            return not values_left(self.target, self.certain, self._ways)
        except NotLinear:
            return False

    @cached_property
    def has_one_value_at_each_point(self) -> bool:
        """Whether no two intervals of the target's exact values share numbers of the ranges, as one range tells."""
        try:
            fitting = [self._numbers_in_ranges(piece) for piece in self.pieces]
        except NotLinear:
            return False
        return all(starmap(_are_apart_in_some_range, combinations(fitting, 2)))

    def _numbers_in_ranges(self, piece: Interval) -> list[tuple[Interval, ...]]:
        """The numbers of each range at which the target may have exact values in an interval."""
        certain = [*self.certain, *piece.claims(self.target)]
        return [values_left(name, certain, self._ways) for name in self.ranged]

    @cached_property
    def _ways(self) -> list[list[Way]]:
        """The ways of each relation around the target, and those in which one of them says something of it.

        With `y = 0` from 1 to 2 and `y = x` below 1, nothing is said of an x above 2, which is no value for a y of 0.
        """
        ways = [relation.ways for relation in self.relations]
        equations = [ways_of for ways_of in self.relations if ways_of.relation.is_equation]
        conditional = [ways_of for ways_of in equations if ways_of.relation.conditions]
        always = [ways_of.relation for ways_of in equations if not ways_of.relation.conditions]
        if len(conditional) > 1 and not any(self.target in relation.members for relation in always):
            ways.append([*chain.from_iterable(ways_of.applying for ways_of in conditional)])
        return ways

    def relations_at(self, number: Fraction) -> tuple[str, ...]:
        """The relations around the target that apply where it has this exact value: equations, if these fix it."""
        applying = [ways.relation for ways, way in self._case_at(number) if way in ways.applying]
        equations = [relation for relation in applying if relation.is_equation]
        matching = Matching(self.stated)
        for relation in equations:
            matching.add(relation.name, relation.members)
        return tuple(relation.name for relation in (equations if matching.settles(self.target) else applying))

    def is_left_by_failures(self, number: Fraction) -> bool:
        """Whether only failing conditions leave the target an exact value: `x > 0` fails at 0, where x begins."""
        applying = [[way] if way in ways.applying else [()] for ways, way in self._case_at(number)]
        try:
            return not any(piece.is_point for piece in values_left(self.target, self.certain, applying))
        except NotLinear:
            return False

    def _case_at(self, number: Fraction) -> list[tuple[RelationWays, Way]]:
        """The way that each relation around the target takes where the target has this exact value."""
        here = Claim({self.target: Fraction(1), "": -number}, "=")
        try:
            ways = first_ways(self.target, [*self.certain, here], self._ways)
        except NotLinear:
            return []
        return list(zip(self.relations, ways, strict=False))  # the last way may tell only which of the others applies


def _are_apart_in_some_range(first: Sequence[Sequence[Interval]], second: Sequence[Sequence[Interval]]) -> bool:
    """Whether two exact values fit no common number of some range, from the numbers of each range that fit them."""
    for numbers, others in zip(first, second, strict=True):
        if not any(piece.meets(other) for piece, other in product(numbers, others)):
            return True
    return False


def _relations_asking_for(library: RelationSet, name: str) -> Iterator[Relation]:
    """The relations that decide exact values around a target, since they hold a quantity or ask for it."""
    for holder in library.holders.get(name, ()):
        yield library.relations[holder]
    if name not in library.compared:
        return
    for relation in library.conditional:
        if name in names_in(*relation.conditions):
            yield relation


def _rational(value: Value) -> Fraction:
    """The exact rational of a value around the target; raises `NotLinear` if it is none."""
    rational = exact_of(value.base[1])
    if rational is None:
        raise NotLinear
    return rational


def _claims_on(library: RelationSet, question: Question, name: str) -> Iterator[Claim]:
    """The linear claims on a quantity, which bound exact values: by its domain, and by its range if it has one."""
    domain = library.declared[name].domain
    value = question.strong.get(name) or question.weak.get(name)
    yield from replace(Interval.between(*domain.ends), is_open_low=domain.open_low).claims(name)
    if value is not None:
        yield from Interval.between(value.base[0], value.base[2]).claims(name)
