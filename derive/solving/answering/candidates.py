"""The candidates for a question's target: what plans yield, over all cases and arms, or why there are none.

A relation may hold under a condition only. Each case has candidates of its own, or an error. Where nothing determines
the target in one case, the number of another is no less the answer, if it assumes its case or is decided by it; it says
so, and the interval that is left in the open case stands beside it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice

from derive.errors import (
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
    VerificationError,
)
from derive.expressions.tree import names_in
from derive.model.conditions import one_relation_for_each_arm, relation_of_arm, with_arms, without_excluded_arms
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan
from derive.presentation.failed_checks import counts_as
from derive.solving.answering.exact_answers import compared_with_all, missing_with_weak_values
from derive.solving.answering.one_case import (
    PlanWithoutValue,
    UnfixedError,
    answered_in_case,
    by_last_resort,
    in_full,
    narrowed_by_neighbours,
)
from derive.solving.answering.regime_intervals import confined, left_open, without_impossible
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.diagnosis.diagnosis import GIVENS, WEAK_VALUES, NoValueError, confirm, shortage
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_execution import conditional_in, decisions_of
from derive.solving.execution.plan_states import Found, lone_fallbacks
from derive.solving.execution.question import Case, Question
from derive.solving.execution.regimes import MOST_CASES, explored
from derive.solving.ranges.inequalities import stated_at
from quantities.domain import Domain


@dataclass(frozen=True)
class Candidates:
    """The candidates for a question: results that answer it, or the errors that say why there are none."""

    library: RelationSet  # without the arms that conditions exclude
    question: Question  # without fallbacks on which alone an answer would rest
    answers: Sequence[tuple[RelationSet, Found]]  # each with the library that has the arms which it uses
    errors: Sequence[DeriveError]
    is_exact: bool = False  # whether the answers are all values that there are, with exact bounds


def candidates_or_errors(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question or its errors, without fallbacks on which alone an answer would rest."""
    sought = _candidates_by_arms(library, question)
    fallbacks = [lone_fallbacks(its_library, result.plan, question) for its_library, result in sought.answers]
    lone = frozenset[str]().union(*fallbacks)
    if lone:
        return candidates_or_errors(library, _without(question, lone))
    exact = compared_with_all(library, question, sought.answers, sought.errors)
    if exact is not None:
        return replace(sought, answers=exact, is_exact=True)
    if not sought.answers:
        return sought
    return replace(sought, answers=[*sought.answers, *missing_with_weak_values(library, question, sought.answers)])


def candidates(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question; raises the full error that explains their absence if there are none."""
    sought = candidates_or_errors(library, question)
    if sought.answers:
        return sought
    library, question, errors = sought.library, sought.question, sought.errors
    if not errors:
        raise shortage(library, question, {})
    if all(isinstance(error, NoSolutionError) for error in errors):
        for name in islice(tied(library, question), GIVENS):
            confirm(library, question, name)
        fewer = _without_fallback_of_target(library, question)
        if fewer is not None:
            return fewer
    without_refuted = None if _is_denied(errors) else _without_refuted(library, question)
    if without_refuted is not None:
        return without_refuted
    try:
        raise _full_error(library, question, errors)
    finally:
        del sought, errors  # the error's traceback holds this frame, which would hold the error


def _full_error(library: RelationSet, question: Question, errors: Sequence[DeriveError]) -> DeriveError:
    """The weightiest error of all cases, with a hint at the weak values unless one of them is denied whatever these."""
    error = _weightiest(errors)
    return error if _is_denied(errors) else _with_weak_values(library, question, error)


def _is_denied(errors: Sequence[DeriveError]) -> bool:
    """Whether the error of one case proves that no case has a candidate, whatever the weak values are."""
    return any(isinstance(error, NoValueError) and error.holds_without_weak_values for error in errors)


def _without_fallback_of_target(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates after dropping one fallback that shares a relation with the target; None if no drop yields any.

    Whoever asks for the reactance of a coil means a circuit that has a coil: its inductance is not the fallback of 0 H.
    """
    structure = structure_of(library)
    neighbours = set[str]().union(*(structure.members[name] for name in structure.holders.get(question.target, ())))
    fallbacks = structure.otherwise.intersection(question.weak, neighbours)
    open_cases: list[DeriveError] = []
    for name in sorted(fallback for fallback in fallbacks if not structure.is_written(fallback)):
        sought = candidates_or_errors(library, _without(question, {name}))
        if sought.answers:
            return sought
        open_cases += (error for error in sought.errors if isinstance(error, UnderdeterminedError))
    if open_cases:
        raise _weightiest(open_cases)
    return None


def _without_refuted(library: RelationSet, question: Question) -> Candidates | None:
    """The candidates without the weak values that decided cases in which their quantities came out as other numbers.

    Without such a value any case could be taken, which nobody stated: so each answer has to determine its quantity.
    """
    refuted = decisions_of(library, question).refuted
    if not refuted:
        return None
    fewer = _without(question, refuted)
    sought = candidates_or_errors(library, fewer)
    states = [state for _, state in _states_of(result for _, result in sought.answers)]
    if not states or not all(_determines(library, fewer, state, refuted) for state in states):
        return None
    return replace(sought, question=fewer)


def _determines(library: RelationSet, question: Question, state: State, names: Set[str]) -> bool:
    """Whether some quantities have numbers in a state of an answer, or follow from its number for the target."""
    missing = names - state.values.keys()
    if not missing or question.target not in state.values:
        return not missing
    number = stated_at(library, question.target, state.values[question.target])
    answered = question.but(strong={**question.strong, question.target: number})
    return all(_is_determined(library, answered.but(target=name)) for name in missing)


def _is_determined(library: RelationSet, question: Question) -> bool:
    """Whether a question has answers, each of which is a number."""
    answers = candidates_or_errors(library, question).answers
    states = [state for _, state in _states_of(result for _, result in answers)]
    return bool(states) and all(question.target in state.values for state in states)


def _with_weak_values(library: RelationSet, question: Question, error: DeriveError) -> DeriveError:
    """The error that a question has no candidates, with a hint at the weak values without which it may have some.

    A weak value that the givens make another number is not at fault, and a definition is never another number.
    """
    if not isinstance(error, NoSolutionError) or WEAK_VALUES in error.what:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around and value.source.kind != "exact"}
    if not weak or not _is_open(_trial_without(library, question, weak)):
        return error
    trials = {name: _trial_without(library, question, {name}) for name in islice(weak, GIVENS)}
    at_fault = {name: sought for name, sought in trials.items() if _is_open(sought)}  # each by itself
    for name, sought in at_fault.items():
        # what determines this quantity otherwise makes its weak value count for nothing: the fault lies elsewhere
        fewer = _without(question, {name})
        if not sought.answers and sought.errors and candidates_or_errors(library, replace(fewer, target=name)).answers:
            return _weightiest(sought.errors)
    hints = [counts_as(name, weak[name]) for name in at_fault or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *hints]), reason=error.reason)


def _trial_without(library: RelationSet, question: Question, names: Container[str]) -> Candidates:
    """The candidates in a trial that drops some weak values and lets no other weak value yield."""
    return candidates_or_errors(library, replace(_without(question, names), is_trial=True))


def _is_open(sought: Candidates) -> bool:
    """Whether a search has found candidates, or has not proved that there are none."""
    is_denied = bool(sought.errors) and all(isinstance(error, NoSolutionError) for error in sought.errors)
    return bool(sought.answers) or not is_denied


def _without(question: Question, names: Container[str]) -> Question:
    """A copy of the question without the named weak values, for another search for candidates."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    return question.but(weak=weak)


def _candidates_by_arms(library: RelationSet, question: Question) -> Candidates:
    """The candidates for a question, searched again with fewer arms of choices if the target stays open.

    First the arms that conditions exclude are dropped. Where the target is open even then, each arm is a relation of
    its own case: a choice whose condition nothing decides ties the target by none of its arms alone, and may yet leave
    it one number, or a few.
    """
    answers, errors = _results_by_case(library, question)
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors) or not (answers or errors)
    if is_open or any(question.target in state.spans for _, state in _states_of(answers)):
        fewer_arms = without_excluded_arms(library, decisions_of(library, question).verdict)
        if fewer_arms is not None:
            sought = _candidates_by_arms(fewer_arms, question.but())
            if sought.answers or not answers:  # else a weak value excludes arms that would have it yield
                return replace(sought, question=question)
    in_arms = _results_in_arms(library, question) if is_open else []
    return Candidates(library, question, in_arms or [(library, result) for result in answers], errors)


def _results_in_arms(library: RelationSet, question: Question) -> list[tuple[RelationSet, Found]]:
    """The candidates in the library that makes each arm a relation; empty where a case of it leaves the target open."""
    arm_library = one_relation_for_each_arm(library, of_same_names=True)
    if arm_library is None or question.ranges:
        return []
    if question.target not in closure(structure_of(arm_library), [*question.strong, *question.weak]):
        return []
    answers, errors = _results_by_case(arm_library, question.but(), until_open=True)
    if any(isinstance(error, (LimitError, UnderdeterminedError)) for error in errors):
        return []
    return [_with_arms(library, arm_library, result) for result in answers]


def _with_arms(library: RelationSet, arm_library: RelationSet, result: Found) -> tuple[RelationSet, Found]:
    """Rename a candidate of the library of arms to the original relations; beside it, a library of the chosen arms."""
    plan, case = result.plan, result.case
    names = {name: name for name in library.relations}
    chosen: dict[str, str] = {}
    for arm in (*plan.relations, *sorted(case.holding)):
        relation = relation_of_arm(arm)
        if arm not in names and chosen.setdefault(relation, arm) == arm:
            names[arm] = relation

    def named(block: Block) -> Block:
        return replace(block, relations=tuple(names[name] for name in block.relations))

    blocks = tuple(map(named, plan.blocks))
    known = {*plan.weak}.union(*(block.unknowns for block in blocks))
    unneeded = set[str]().union(*(block.unknowns for block in plan.extra)) - known  # other arms may lead to these
    checks = [name for name in plan.checks if name in names and unneeded.isdisjoint(arm_library.members[name])]
    plan = replace(plan, blocks=blocks, checks=tuple(names[name] for name in checks), extra=())
    holding = frozenset(names[name] for name in case.holding if name in names)
    failing = frozenset(names[name] for name in case.failing if name in names)
    left_out = {name: why for name, why in result.left_out.items() if name in library.relations}
    stated = with_arms(library, {relation: arm_library.relations[arm] for relation, arm in chosen.items()})
    return stated, replace(result, plan=plan, case=Case(holding, failing - holding), left_out=left_out)


def _results_by_case(
    library: RelationSet, question: Question, *, until_open: bool = False
) -> tuple[list[Found], list[DeriveError]]:
    """The candidates of all cases, and the errors of cases without any; neither where candidates leave the target open.

    Where `until_open`, the first case that leaves the target open ends the search.
    """
    if question.target in question.strong:
        confirm(library, question, question.target)
    outcomes: dict[Case, _Outcome] = {}
    for is_last_resort in (False,) if question.is_trial else (False, True):
        cases = _CaseSearch(library, question, outcomes, is_last_resort=is_last_resort, until_open=until_open)
        answers, errors = cases.answers, cases.errors
        if answers and not cases.leave_open():
            return answers, errors
        if answers or any(isinstance(error, (LimitError, InconsistentError)) for error in errors):
            break
        if all(isinstance(error, UnfixedError) for error in errors):
            break  # the last resort is for cases whose plan leads to no value, and here none has a plan
        if _is_denied(errors):
            break
    return [], [] if answers else errors


def _weightiest(errors: Sequence[DeriveError]) -> DeriveError:
    """The error to report if no case has candidates: an open case takes precedence over one without a solution."""
    kinds = (LimitError, UnderdeterminedError, InconsistentError, DeriveError)  # the weightiest first
    reported = in_full(next(error for kind in kinds for error in errors if isinstance(error, kind)))
    denial_of_value = next((error for error in errors if isinstance(error, NoSolutionError)), None)
    if not isinstance(reported, UnderdeterminedError) or denial_of_value is None:
        return reported
    denial = denial_of_value.in_full() if isinstance(denial_of_value, NoValueError) else denial_of_value
    what = f"{reported.what} In another case it has no admissible value: {denial.reason}."
    return UnderdeterminedError(what, hint=reported.hint, missing=reported.missing)


_Outcome = list[Found] | PlanWithoutValue | DeriveError  # of a case: its results, or why it has none


class _CaseSearch:
    """The search for candidates through the cases of a question: the results of each, or the error of one without any.

    Where `until_open`, nothing but its error is kept once a case leaves the target open.
    """

    def __init__(
        self,
        library: RelationSet,
        question: Question,
        outcomes: dict[Case, _Outcome],
        *,
        is_last_resort: bool,
        until_open: bool,
    ) -> None:
        """Collect candidates and errors of all cases, and note open cases on the candidates of the others."""
        self.library, self.question, self.target = library, question, question.target
        self.outcomes = outcomes  # by case, shared with the search by the last resort, which goes on from them
        self.domain = library.declared[question.target].domain
        self.is_last_resort = is_last_resort
        self.answers: list[Found] = []
        self.errors: list[DeriveError] = []
        doubts: list[tuple[Case, str]] = []  # of each case without a proof, a note for the results of other cases
        for asked, outcome in explored(library, question, self._results_of):
            if isinstance(outcome, list):
                self.answers += [replace(result, case=asked.case) for result in outcome]
                continue
            if until_open and isinstance(outcome, UnfixedError):
                self.answers, self.errors = [], [outcome]
                return
            self.errors.append(outcome or _too_many(question))
            if outcome is None or isinstance(outcome, LimitError):
                where = self._in_words(asked.case) or "further cases hold"
                doubts.append((asked.case, f"it is not proved that there is no other solution where {where}"))
            elif isinstance(outcome, UnderdeterminedError):
                doubts.append(self._open_case(asked.case))
        if not self.answers and not self.errors:
            self.errors.append(_impossible(question))
        self.answers = without_impossible(library, question, self.answers, is_open=self._all_assume_open_case_away())
        away = [result for result in self.answers if self._is_assumed_away(result) or self._is_bounded_only(result)]
        open_cases = [self._open_case(result.case) for result in away]
        kept = [self._with_doubts(result, open_cases) for result in self.answers if result not in away]
        uncovered = self._uncovered_cases()  # before the errors of `away` join those of open cases
        self.errors += [UnfixedError(library, replace(question, case=result.case), result.left_out) for result in away]
        kept += [replace(result, is_assumed_away=True) for result in (*away, *uncovered)]
        self.answers = [self._with_doubts(result, doubts) for result in self._joined_where_free(kept)]

    def leave_open(self) -> bool:
        """Whether no case fixes the target, and the cases together leave it its whole domain."""
        spans = [state.spans.get(self.target) for _, state in _states_of(self.answers)]
        if None in spans or any(result.plan.blocks for result in self.answers):
            return False
        if any(isinstance(error, UnderdeterminedError) for error in self.errors):
            return True
        return _covers(self.domain, [span for span in spans if span is not None])

    def _results_of(self, asked: Question) -> list[Found]:
        """The candidates of one case, by the last resort if need be; raises the error of a case without any."""
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

    def _outcome(self, asked: Question) -> _Outcome:
        """What one case yields without the last resort: candidates, a plan without a value, or an error."""
        try:
            results = answered_in_case(self.library, asked)
            return results if isinstance(results, PlanWithoutValue) else self._confined_to_case(asked, results)
        except VerificationError:
            raise
        except DeriveError as error:
            return error.with_traceback(None)

    def _confined_to_case(self, asked: Question, results: Sequence[Found]) -> list[Found]:
        """The candidates of one case, with intervals cut to where the case and the domains around the target hold."""
        library = self.library
        cut = [confined(library, asked, narrowed_by_neighbours(library, asked, result)) for result in results]
        kept = [result for result in cut if result.states]
        if not kept:
            reason = f"{self.target}: its interval lies outside what the relations and domains around it allow"
            raise NoValueError(library, asked, replace(results[0], reason=reason))
        return kept

    def _in_words(self, case: Case) -> str:
        """The claims of a case in words, for the notes on candidates."""
        return " and ".join(dict.fromkeys(map(worded, claims(self.library, replace(self.question, case=case)))))

    def _open_case(self, case: Case) -> tuple[Case, str]:
        """Pair a case that leaves the target open with the note on it for the candidates of other cases."""
        return case, f"where {self._in_words(case)}, nothing determines {self.target}"

    def _all_assume_open_case_away(self) -> bool:
        """Whether some case is open, and every candidate rests on a relation that is only assumed to apply."""
        if not any(isinstance(error, UnderdeterminedError) for error in self.errors):
            return False
        for result, state in _states_of(self.answers):
            conditional = conditional_in(self.library, result.plan)
            if not any(self._assumes(result, state, relation.name) for relation in conditional):
                return False
        return True

    def _joined_where_free(self, results: Sequence[Found]) -> list[Found]:
        """The candidates; one interval alone, if intervals cut by nothing but their cases cover the target's domain.

        The joined interval covers all other candidates. A case that an answer assumes away is no part of it: the answer
        would be lost in it.
        """
        free_states = [
            (result, state) for result, state in _states_of(results) if state.is_free and not result.is_assumed_away
        ]
        if not free_states or not _covers(self.domain, [state.spans[self.target] for _, state in free_states]):
            return list(results)
        first, state = free_states[0]
        everywhere = replace(state, spans={**state.spans, self.target: (self.domain.low, self.domain.high)})
        return [replace(first, states=(everywhere,))]

    def _is_assumed_away(self, result: Found) -> bool:
        """Whether nothing fixes the target in a candidate's case, and another candidate assumes that case away.

        A column buckles after Euler if it is slender. Where nothing says how slender it is, that is assumed of the
        answer; that the target otherwise lies somewhere in its domain, or in what the relations leave of it, makes that
        answer no less the one.
        """
        if self._is_fixed(result):
            return False
        for other, state in _states_of(self.answers):
            if self.target in state.values and any(self._assumes(other, state, name) for name in result.case.failing):
                return True
        return False

    def _is_bounded_only(self, result: Found) -> bool:
        """Whether only inequalities bound a candidate, and a relation conditional on the target fixes another one.

        `racks = chips/domain` holds from one domain on. Asked for the chips of one rack, it is 72 of them; that fewer,
        of which no relation says how many racks they are, would keep to a limit as well, makes that answer no less the
        one.
        """
        if self._is_fixed(result):
            return False
        relations = self.library.relations
        of_target = {name for name in result.case.failing if self.target in names_in(*relations[name].conditions)}
        for other in self.answers:
            has_number = any(self.target in state.values for state in other.states)
            if has_number and not of_target.isdisjoint(other.plan.relations):
                return True
        return False

    def _is_fixed(self, result: Found) -> bool:
        """Whether a candidate rests on an equation, or has a number for the target."""
        is_led_to = any(self.library.relations[name].is_equation for name in result.plan.relations)
        return is_led_to or any(self.target in state.values for state in result.states)

    def _uncovered_cases(self) -> list[Found]:
        """The intervals of open cases that a candidate assumes away, also where no relation covers the case."""
        uncovered = []
        anywhere = (State({}, {self.target: (self.domain.low, self.domain.high)}),)
        for error in self.errors:
            if isinstance(error, UnfixedError) and error.question.case.failing:
                case = error.question.case
                if self._is_assumed_away(Found(Plan(self.target, (), (), ()), anywhere, left_out={}, case=case)):
                    pieces = left_open(self.library, error.question, error.left_out, is_covered=False)
                    uncovered += [replace(piece, case=case) for piece in pieces]
        return uncovered

    def _assumes(self, result: Found, state: State, name: str) -> bool:
        """Whether a candidate uses a relation whose conditions are merely assumed to hold; an arm never counts.

        A relation says nothing of other cases than its own, and a choice says what holds in each of them.
        """
        if relation_of_arm(name):
            return False
        conditions = self.library.relations[name].conditions
        return name in result.plan.relations and not state.known >= {*names_in(*conditions)}

    def _with_doubts(self, result: Found, doubts: Sequence[tuple[Case, str]]) -> Found:
        """A candidate with notes on doubtful cases, except those that its own assumptions exclude."""

        def with_doubts(state: State) -> State:
            notes = dict.fromkeys(state.notes)
            for case, doubt in doubts:
                if not any(self._assumes(result, state, name) for name in case.failing):
                    notes[doubt] = None
            return replace(state, notes=tuple(notes))

        return replace(result, states=tuple(map(with_doubts, result.states)))


def _states_of(results: Iterable[Found]) -> Iterator[tuple[Found, State]]:
    """Each state of some candidates, paired with its candidate."""
    for result in results:
        for state in result.states:
            yield result, state


def _impossible(question: Question) -> NoSolutionError:
    reason = "no case of the relations is possible"
    what = f"{question.target} has no admissible value: {reason} with it."
    return NoSolutionError(what, hint="Check the givens, their units, and the domain of what is asked.", reason=reason)


def _too_many(question: Question) -> LimitError:
    what = f"{question.target} depends on more than {MOST_CASES} cases."
    hint = "Give the quantities in the conditions of the relations."
    return LimitError(what, hint=hint, limit=f"{MOST_CASES} cases")


def _covers(domain: Domain, spans: Iterable[Span]) -> bool:
    """Whether the intervals of candidates together cover a whole domain."""
    reached = domain.low
    for low, high in sorted(spans):
        if low > reached:
            return False
        reached = max(reached, high)
    return reached >= domain.high
