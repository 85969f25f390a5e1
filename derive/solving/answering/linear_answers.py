"""The answers to a question, where all that relations leave to its target is known exactly (`linear_pieces`).

Plans, cases and boxes find answers with steps and a formula. They may also find what other quantities leave no value,
miss a value that nothing but all relations together leave, or not see which part of a range another quantity allows.
Here their answers are held against the exact values: what is not among them is no answer, what is missing is one, and
bounds are those of the interval that an answer lies in.

Over ranges an answer is made of each interval. The value in the middle of the ranges stands in its interval if there is
exactly one: of `y = abs(x)` and a range of y, x has two values there, which lie in one interval if y may be zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from derive.errors import DeriveError, InconsistentError, NoSolutionError, UnderdeterminedError
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.piecewise_linear import Interval
from derive.numerics.intervals.arithmetic import lies_in
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Block, Plan
from derive.solving.diagnosis.diagnosis import no_solution
from derive.solving.execution.block_execution import State
from derive.solving.execution.plan_states import Found, is_doubt
from derive.solving.execution.question import Question
from derive.solving.ranges.exact_pieces import NOWHERE, RationalPieces, rational_pieces
from derive.solving.ranges.linear_pieces import LinearCases, cases_with_one_value, linear_cases
from derive.tolerances import SAME_ROOT

__all__ = ["compared_with_all", "missing_with_weak_values"]

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
    if not question.weak or _is_ranged(question):
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
    if not _is_ranged(question):
        return cases_with_one_value(library, question) if is_refused and linear is None else None
    rational = rational_pieces(library, question)
    if rational is not None and not rational.pieces:
        raise no_solution(library, question, Found(Plan(question.target, (), (), ()), (), {}, NOWHERE))
    return rational


def _is_ranged(question: Question) -> bool:
    return any(value.is_range for value in question.strong.values())


def _is_sure(question: Question, answers: Answers, errors: Sequence[DeriveError]) -> bool:
    """Whether a plan leads from numbers to a number, and nothing was in doubt."""
    if errors or _is_ranged(question) or len(answers) != 1:
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
        known = {name: value.base[1] for name, value in self.question.strong.items()}
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
