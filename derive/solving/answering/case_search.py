"""The search through the cases of a question: what each yields, and what an open case means for the others.

A case says which conditional relations hold, and which do not. Where nothing determines the target in one case, the
number of another is no less the answer, if it assumes its case or is decided by it; it says so, and the interval that
is left in the open case stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from derive.errors import DeriveError, LimitError, NoSolutionError, UnderdeterminedError, VerificationError
from derive.expressions.tree import names_in
from derive.model.conditions import relation_of_arm
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.planning.plan import Plan
from derive.solving.answering.case_intervals import confined, left_open, without_impossible
from derive.solving.answering.one_case import (
    PlanWithoutValue,
    UnfixedError,
    answered_in_case,
    by_last_resort,
    narrowed_by_neighbours,
)
from derive.solving.assumptions import Assumption
from derive.solving.diagnosis.conflicts import NoValueError
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_claims import boxes_by_arms, claims, worded
from derive.solving.execution.conditional_relations import MOST_CASES, explored
from derive.solving.execution.plan_execution import conditional_in
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import NO_CASE, Case, Question
from quantities.domain import Domain

CaseOutcome = list[PlanResult] | PlanWithoutValue | DeriveError
"""What one case yields: results, or why it has none."""


class CaseSearch:
    """A search through the cases of a question: the results of each case, or the error of a case without any.

    Where `until_open`, nothing but its error is kept once a case leaves the target open.
    """

    def __init__(
        self,
        library: RelationSet,
        question: Question,
        outcomes: dict[Case, CaseOutcome],
        *,
        is_last_resort: bool,
        until_open: bool,
    ) -> None:
        """Search all cases for results and errors, and note open cases on the results of the others."""
        self.library, self.question, self.target = library, question, question.target
        self.outcomes = outcomes  # by case, shared with the search by the last resort, which goes on from them
        self.domain = library.declared[question.target].domain
        self.is_last_resort = is_last_resort
        self.results: list[PlanResult] = []
        self.errors: list[DeriveError] = []
        self._doubts: list[tuple[Case, Assumption]] = []  # each case without a proof, with the note for other results
        for asked, outcome in explored(library, question, self._results_of):
            if until_open and isinstance(outcome, UnfixedError):
                self.results, self.errors = [], [outcome]
                return
            self._add(asked.case, outcome)
        if not self.results and not self.errors:
            self.errors.append(_impossible(question))
        self._weigh_open_cases()

    def _add(self, case: Case, outcome: list[PlanResult] | DeriveError | None) -> None:
        """Add to the search what one case yields; None stands for the cases beyond the limit."""
        if isinstance(outcome, list):
            self.results += [replace(result, case=case) for result in outcome]
            return
        self.errors.append(outcome or _too_many(self.question))
        if outcome is None or isinstance(outcome, LimitError):
            where = self._in_words(case) or "further cases hold"
            text = f"it is not proved that there is no other solution where {where}"
            self._doubts.append((case, Assumption(text, "unproved")))
        elif isinstance(outcome, UnderdeterminedError):
            self._doubts.append(self._open_case(case))
        elif self._may_hold_elsewhere(case):
            where = f"where {self._in_words(case)}, it has no value in the middle of the ranges"
            self._doubts.append((case, Assumption(f"{where}; elsewhere in the ranges there may be others", "turning")))

    def _may_hold_elsewhere(self, case: Case) -> bool:
        """Whether a searched case without a value in the middle of the ranges may have one elsewhere in them."""
        if not self.question.ranges or case == NO_CASE:
            return False
        asked = replace(self.question, case=case)
        return next(boxes_by_arms(self.library, asked, asked.strong), None) is not None

    def _weigh_open_cases(self) -> None:
        """Set aside the searched cases that others assume away, and note on each result the cases in doubt."""
        is_open = self._all_assume_open_case_away()
        self.results = without_impossible(self.library, self.question, self.results, is_open=is_open)
        away = [result for result in self.results if self._is_assumed_away(result) or self._is_bounded_only(result)]
        open_cases = [self._open_case(result.case) for result in away]
        kept = [self._with_doubts(result, open_cases) for result in self.results if result not in away]
        uncovered = self._uncovered_cases()  # before the errors of `away` join those of open cases
        for result in away:
            self.errors.append(UnfixedError(self.library, replace(self.question, case=result.case), result.left_out))
        kept += [replace(result, is_assumed_away=True) for result in (*away, *uncovered)]
        self.results = [self._with_doubts(result, self._doubts) for result in self._joined_where_free(kept)]

    def leaves_target_open(self) -> bool:
        """Whether the search fixes the target in no case, and its results together leave it the whole domain."""
        spans = [state.spans.get(self.target) for _, state in states_of(self.results)]
        if None in spans or any(result.plan.blocks for result in self.results):
            return False
        if any(isinstance(error, UnderdeterminedError) for error in self.errors):
            return True
        return _covers(self.domain, [span for span in spans if span is not None])

    def _results_of(self, asked: Question) -> list[PlanResult]:
        """The results of this search in one of the cases, by the last resort if need be; raises the case's error."""
        if asked.case not in self.outcomes:
            self.outcomes[asked.case] = self._outcome(asked)
        outcome = self.outcomes[asked.case]
        if isinstance(outcome, PlanWithoutValue) and self.is_last_resort:
            return self._confined_to_case(asked, by_last_resort(self.library, asked, outcome))
        if isinstance(outcome, PlanWithoutValue):
            raise outcome.error
        if isinstance(outcome, DeriveError):
            raise outcome
        return outcome

    def _outcome(self, asked: Question) -> CaseOutcome:
        """What the search through the cases finds in one at first: results, a plan without a value, or an error."""
        try:
            results = answered_in_case(self.library, asked)
            return results if isinstance(results, PlanWithoutValue) else self._confined_to_case(asked, results)
        except VerificationError:
            raise
        except DeriveError as error:
            return error.with_traceback(None)

    def _confined_to_case(self, asked: Question, results: Sequence[PlanResult]) -> list[PlanResult]:
        """What the search through the cases keeps of one's results: intervals cut to where it and domains hold."""
        library = self.library
        cut = [confined(library, asked, narrowed_by_neighbours(library, asked, result)) for result in results]
        kept = [result for result in cut if result.states]
        if not kept:
            reason = f"{self.target}: its interval lies outside what the relations and domains around it allow"
            raise NoValueError(library, asked, replace(results[0], reason=reason))
        return kept

    def _in_words(self, case: Case) -> str:
        """The claims of a searched case in words, for the notes on results of other cases."""
        return " and ".join(dict.fromkeys(map(worded, claims(self.library, replace(self.question, case=case)))))

    def _open_case(self, case: Case) -> tuple[Case, Assumption]:
        """Pair a searched case that leaves the target open with the note on it for results of other cases."""
        return case, Assumption(f"where {self._in_words(case)}, nothing determines {self.target}", "open")

    def _all_assume_open_case_away(self) -> bool:
        """Whether a searched case is open, and all results rest on relations that are only assumed to apply."""
        if not any(isinstance(error, UnderdeterminedError) for error in self.errors):
            return False
        for result, state in states_of(self.results):
            conditional = conditional_in(self.library, result.plan)
            if not any(self._assumes(result, state, relation.name) for relation in conditional):
                return False
        return True

    def _joined_where_free(self, results: Sequence[PlanResult]) -> list[PlanResult]:
        """The results of the search; one interval, if those cut by nothing but their cases cover the domain.

        The joined interval covers all other results. A case that an answer assumes away is no part of it: the answer
        would be lost in it.
        """
        free_states = [
            (result, state) for result, state in states_of(results) if state.is_free and not result.is_assumed_away
        ]
        if not free_states or not _covers(self.domain, [state.spans[self.target] for _, state in free_states]):
            return list(results)
        first, state = free_states[0]
        everywhere = replace(state, spans={**state.spans, self.target: self.domain.ends})
        return [replace(first, states=(everywhere,))]

    def _is_assumed_away(self, result: PlanResult) -> bool:
        """Whether nothing fixes the target in the case of a result, and another result assumes that case away.

        A column buckles after Euler if it is slender. Where nothing says how slender it is, that is assumed of the
        answer; that the target otherwise lies somewhere in its domain, or in what the relations leave of it, makes that
        answer no less the one.
        """
        if self._is_fixed(result):
            return False
        for other, state in states_of(self.results):
            if self.target in state.values and any(self._assumes(other, state, name) for name in result.case.failing):
                return True
        return False

    def _is_bounded_only(self, result: PlanResult) -> bool:
        """Whether only inequalities bound the target in a case, and a relation conditional on it fixes it in another.

        `racks = chips/domain` holds from one domain on. Asked for the chips of one rack, it is 72 of them; that fewer,
        of which no relation says how many racks they are, would keep to a limit as well, makes that answer no less the
        one.
        """
        if self._is_fixed(result):
            return False
        relations = self.library.relations
        of_target = {name for name in result.case.failing if self.target in names_in(*relations[name].conditions)}
        for other in self.results:
            has_number = any(self.target in state.values for state in other.states)
            if has_number and not of_target.isdisjoint(other.plan.relations):
                return True
        return False

    def _is_fixed(self, result: PlanResult) -> bool:
        """Whether a result of the case search rests on an equation, or has a number for the target."""
        is_led_to = any(self.library.relations[name].is_equation for name in result.plan.relations)
        return is_led_to or any(self.target in state.values for state in result.states)

    def _uncovered_cases(self) -> list[PlanResult]:
        """The intervals of open cases that a result assumes away, also where no relation covers the case."""
        uncovered = []
        anywhere = (State({}, {self.target: self.domain.ends}),)
        for error in self.errors:
            if isinstance(error, UnfixedError) and error.question.case.failing:
                case = error.question.case
                if self._is_assumed_away(PlanResult(Plan(self.target, (), (), ()), anywhere, left_out={}, case=case)):
                    pieces = left_open(self.library, error.question, error.left_out, is_covered=False)
                    uncovered += [replace(piece, case=case) for piece in pieces]
        return uncovered

    def _assumes(self, result: PlanResult, state: State, name: str) -> bool:
        """Whether a result of the case search uses a relation that is merely assumed to apply; an arm never counts.

        A relation says nothing of other cases than its own, and a choice says what holds in each of them.
        """
        if relation_of_arm(name):
            return False
        conditions = self.library.relations[name].conditions
        return name in result.plan.relations and not state.known >= {*names_in(*conditions)}

    def _with_doubts(self, result: PlanResult, doubts: Sequence[tuple[Case, Assumption]]) -> PlanResult:
        """A result of the case search with notes on doubtful cases, but for those that it assumes not to hold."""

        def with_doubts(state: State) -> State:
            notes = dict.fromkeys(state.notes)
            for case, doubt in doubts:
                if not any(self._assumes(result, state, name) for name in case.failing):
                    notes[doubt] = None
            return replace(state, notes=tuple(notes))

        return replace(result, states=tuple(map(with_doubts, result.states)))


def states_of(results: Iterable[PlanResult]) -> Iterator[tuple[PlanResult, State]]:
    """Each state of the results that a case search found, after its result."""
    for result in results:
        for state in result.states:
            yield result, state


def _impossible(question: Question) -> NoSolutionError:
    """The error of a case search in which no case of the relations is possible."""
    reason = "no case of the relations is possible"
    what = f"{question.target} has no admissible value: {reason} with it."
    return NoSolutionError(what, hint="Check the givens, their units, and the domain of what is asked.", reason=reason)


def _too_many(question: Question) -> LimitError:
    """The error of a case search that reached its limit on cases."""
    what = f"{question.target} depends on more than {MOST_CASES} cases."
    hint = "Give the quantities in the conditions of the relations."
    return LimitError(what, hint=hint, limit=f"{MOST_CASES} cases")


def _covers(domain: Domain, spans: Iterable[Span]) -> bool:
    """Whether the intervals that a search found in several cases together cover a whole domain."""
    reached = domain.low
    for low, high in sorted(spans):
        if low > reached:
            return False
        reached = max(reached, high)
    return reached >= domain.high
