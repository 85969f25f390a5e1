"""The candidates for a question's target: what plans yield, over all cases and arms, or why there are none.

A relation may hold under a condition only. Each case has candidates of its own, or an error. Where nothing determines
the target in one case, the number of another is no less the answer, if it assumes its case or is decided by it; it says
so, and the interval that is left in the open case stands beside it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
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
from derive.solving.answering.regime_intervals import confined, left_open, told_apart
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.diagnosis.diagnosis import GIVENS, WEAK_VALUES, NoValueError, confirm, shortage
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_boxes import claims, worded
from derive.solving.execution.plan_execution import conditional_in, decisions_of
from derive.solving.execution.plan_states import Found, lone_fallbacks
from derive.solving.execution.question import Case, Question
from derive.solving.execution.regimes import MOST_CASES, explored
from quantities.domain import Domain


@dataclass(frozen=True)
class Candidates:
    """What answers a question, or why nothing does; and what of the library and of the question that rests on."""

    library: RelationSet
    """Without the arms that conditions exclude."""
    question: Question
    """Without fallbacks on which alone an answer would rest."""
    answers: Sequence[tuple[RelationSet, Found]]
    """Each with the library of the relations that it uses, where those of another answer may have other arms."""
    errors: Sequence[DeriveError]
    is_exact: bool = False
    """Whether the answers are all values that there are, with exact bounds."""


def candidates_or_errors(library: RelationSet, question: Question) -> Candidates:
    """What answers a question, or why nothing does; fallbacks on which alone an answer would rest are left out."""
    sought = _sought_by_arms(library, question)
    idle = frozenset[str]().union(*(lone_fallbacks(used, one.plan, question) for used, one in sought.answers))
    if idle:
        return candidates_or_errors(library, _without(question, idle))
    exact = compared_with_all(library, question, sought.answers, sought.errors)
    if exact is not None:
        return replace(sought, answers=exact, is_exact=True)
    further = missing_with_weak_values(library, question, sought.answers) if sought.answers else ()
    return replace(sought, answers=[*sought.answers, *further])


def candidates(library: RelationSet, question: Question) -> Candidates:
    """The states that answer a question, case by case, or the error that says why there are none."""
    sought = candidates_or_errors(library, question)
    if sought.answers:
        return sought
    library, question, errors = sought.library, sought.question, sought.errors
    if not errors:
        raise shortage(library, question, {})
    if all(isinstance(error, NoSolutionError) for error in errors):
        for name in islice(tied(library, question), GIVENS):
            confirm(library, question, name)
        meant = _without_what_is_meant(library, question)
        if meant is not None:
            return meant
    error = _weightiest(errors)
    if _is_denied(errors):
        raise error
    raise _with_weak_values(library, question, error)


def _is_denied(errors: Sequence[DeriveError]) -> bool:
    """Whether it is proved of one case that there is no value in any, whatever the weak values."""
    return any(isinstance(error, NoValueError) and error.holds_without_weak_values for error in errors)


def _without_what_is_meant(library: RelationSet, question: Question) -> Candidates | None:
    """What answers a question without a rest that stands beside its target; None where that is denied as well.

    Whoever asks for the reactance of a coil means a circuit that has a coil: its inductance is not the rest of 0 H.
    """
    structure = structure_of(library)
    beside = {name for relation in structure.holders.get(question.target, ()) for name in structure.members[relation]}
    rests = structure.otherwise.intersection(question.weak, beside)
    opened: list[DeriveError] = []
    for name in sorted(rest for rest in rests if not structure.is_written(rest)):
        sought = candidates_or_errors(library, _without(question, {name}))
        if sought.answers:
            return sought
        opened += (error for error in sought.errors if isinstance(error, UnderdeterminedError))
    if opened:
        raise _weightiest(opened)
    return None


def _with_weak_values(library: RelationSet, question: Question, error: DeriveError) -> DeriveError:
    """The error that there is no value, which says by which weak values: without them there may be one.

    One that the givens make another number counts for nothing. A definition is never another number.
    """
    if not isinstance(error, NoSolutionError) or WEAK_VALUES in error.what:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around and value.source.kind != "exact"}
    if not weak or not _is_open(_trial_without(library, question, weak)):
        return error
    trials = {name: _trial_without(library, question, {name}) for name in islice(weak, GIVENS)}
    alone = {name: sought for name, sought in trials.items() if _is_open(sought)}
    for name, sought in alone.items():
        fewer = _without(question, {name})
        if not sought.answers and sought.errors and candidates_or_errors(library, replace(fewer, target=name)).answers:
            return _weightiest(sought.errors)
    told = [counts_as(name, weak[name]) for name in alone or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *told]), reason=error.reason)


def _trial_without(library: RelationSet, question: Question, names: Container[str]) -> Candidates:
    """What answers a question without some weak values, and no last resort: the others stand."""
    return candidates_or_errors(library, replace(_without(question, names), is_trial=True))


def _is_open(sought: Candidates) -> bool:
    """Whether a question has an answer, or is open, as it is asked here."""
    is_denied = bool(sought.errors) and all(isinstance(error, NoSolutionError) for error in sought.errors)
    return bool(sought.answers) or not is_denied


def _without(question: Question, names: Container[str]) -> Question:
    """The question without some weak values."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    return question.but(weak=weak)


def _sought_by_arms(library: RelationSet, question: Question) -> Candidates:
    """What is sought, and where that leaves the target open, the same without the arms that conditions exclude.

    Where it is open still, each arm is a relation of its own case: a choice whose condition nothing decides ties the
    target by none of its arms alone, and may yet leave it one number, or a few. At last all relations together may
    leave it one.
    """
    answers, errors = _sought(library, question)
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors) or not (answers or errors)
    if is_open or any(question.target in state.spans for _, state in _states_of(answers)):
        fewer = without_excluded_arms(library, decisions_of(library, question).verdict)
        found = None if fewer is None else _sought_by_arms(fewer, question.but())
        if found is not None and (found.answers or not answers):
            return replace(found, question=question)  # else a weak value excludes arms that would have it yield
    in_arms = _sought_in_arms(library, question) if is_open else []
    return Candidates(library, question, in_arms or [(library, one) for one in answers], errors)


def _sought_in_arms(library: RelationSet, question: Question) -> list[tuple[RelationSet, Found]]:
    """The states that answer a question in the library of arms; empty where one of them leaves the target open."""
    apart = one_relation_for_each_arm(library, of_same_names=True)
    if apart is None or question.ranges:
        return []
    if question.target not in closure(structure_of(apart), [*question.strong, *question.weak]):
        return []
    answers, errors = _sought(apart, question.but(), until_open=True)
    if any(isinstance(error, (LimitError, UnderdeterminedError)) for error in errors):
        return []
    return [_with_arms(library, apart, one) for one in answers]


def _with_arms(library: RelationSet, apart: RelationSet, found: Found) -> tuple[RelationSet, Found]:
    """A result of the library of arms, and the library in which each relation that it uses has the arm of that."""
    made, case = found.plan, found.case
    names = {name: name for name in library.relations}
    chosen: dict[str, str] = {}
    for arm in (*made.relations, *sorted(case.holding)):
        relation = relation_of_arm(arm)
        if arm not in names and chosen.setdefault(relation, arm) == arm:
            names[arm] = relation

    def named(block: Block) -> Block:
        return replace(block, relations=tuple(names[name] for name in block.relations))

    blocks = tuple(map(named, made.blocks))
    known = {*made.weak, *(name for block in blocks for name in block.unknowns)}
    unneeded = {name for block in made.extra for name in block.unknowns} - known  # which other arms may lead to
    checks = [name for name in made.checks if name in names and unneeded.isdisjoint(apart.members[name])]
    plan = replace(made, blocks=blocks, checks=tuple(names[name] for name in checks), extra=())
    holding, failing = (frozenset(names[name] for name in one if name in names) for one in (case.holding, case.failing))
    left_out = {name: why for name, why in found.left_out.items() if name in library.relations}
    stated = with_arms(library, {relation: apart.relations[arm] for relation, arm in chosen.items()})
    return stated, replace(found, plan=plan, case=Case(holding, failing - holding), left_out=left_out)


def _sought(
    library: RelationSet, question: Question, *, until_open: bool = False
) -> tuple[list[Found], list[DeriveError]]:
    """The states that answer a question, or why each case has none; neither where the answers leave it open.

    Where `until_open`, the first case that leaves the target open ends the search.
    """
    if question.target in question.strong:
        confirm(library, question, question.target)
    outcomes: dict[Case, _Outcome] = {}
    for is_last_resort in (False,) if question.is_trial else (False, True):
        cases = _Cases(library, question, outcomes, is_last_resort=is_last_resort, until_open=until_open)
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
    """Why a question has no answer: an open case takes precedence over one without a solution."""
    kinds = (LimitError, UnderdeterminedError, InconsistentError, DeriveError)
    first = in_full(next(error for kind in kinds for error in errors if isinstance(error, kind)))
    none = next((error for error in errors if isinstance(error, NoSolutionError)), None)
    if not isinstance(first, UnderdeterminedError) or none is None:
        return first
    denial = none.in_full() if isinstance(none, NoValueError) else none
    what = f"{first.what} In another case it has no admissible value: {denial.reason}."
    return UnderdeterminedError(what, hint=first.hint, missing=first.missing)


_Outcome = list[Found] | PlanWithoutValue | DeriveError
"""What comes of a case: its answers, a plan that leads to no value, or another error."""


class _Cases:
    """The cases of a question: the answers of each, or the error that says why it has none.

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
        self.library, self.question, self.target = library, question, question.target
        self.outcomes = outcomes  # of each case, found once: the last resort goes on from them
        self.domain = library.declared[question.target].domain
        self.is_last_resort = is_last_resort
        self.answers: list[Found] = []
        self.errors: list[DeriveError] = []
        doubts: list[tuple[Case, str]] = []
        for asked, found in explored(library, question, self._answered):
            if isinstance(found, list):
                self.answers += [replace(one, case=asked.case) for one in found]
                continue
            if until_open and isinstance(found, UnfixedError):
                self.answers, self.errors = [], [found]
                return
            self.errors.append(found or _too_many(question))
            if found is None or isinstance(found, LimitError):
                where = self._where(asked.case) or "further cases hold"
                doubts.append((asked.case, f"it is not proved that there is no other solution where {where}"))
            elif isinstance(found, UnderdeterminedError):
                doubts.append(self._beyond(asked.case))
        if not self.answers and not self.errors:
            self.errors.append(_impossible(question))
        self.answers = told_apart(library, question, self.answers, is_open=self._may_be_away())
        away = [one for one in self.answers if self._is_assumed_away(one) or self._is_beside(one)]
        beyond = [self._beyond(one.case) for one in away]
        kept = [self._doubted(one, beyond) for one in self.answers if one not in away]
        unspoken = self._unspoken()
        self.errors += [UnfixedError(library, replace(question, case=one.case), one.left_out) for one in away]
        kept += [replace(one, is_assumed_away=True) for one in (*away, *unspoken)]
        self.answers = [self._doubted(one, doubts) for one in self._joined_where_free(kept)]

    def leave_open(self) -> bool:
        """Whether no case fixes the target, and together the cases leave it its whole domain."""
        spans = [state.spans.get(self.target) for _, state in _states_of(self.answers)]
        if None in spans or any(result.plan.blocks for result in self.answers):
            return False
        if any(isinstance(error, UnderdeterminedError) for error in self.errors):
            return True
        return _covers(self.domain, [span for span in spans if span is not None])

    def _answered(self, asked: Question) -> list[Found]:
        """The answers of one case."""
        if asked.case not in self.outcomes:
            self.outcomes[asked.case] = self._outcome(asked)
        outcome = self.outcomes[asked.case]
        if isinstance(outcome, PlanWithoutValue) and self.is_last_resort:
            return self._cut(asked, by_last_resort(self.library, asked, outcome))
        if isinstance(outcome, PlanWithoutValue):
            raise outcome.error
        if isinstance(outcome, DeriveError):
            raise outcome
        return outcome

    def _outcome(self, asked: Question) -> _Outcome:
        """What comes of one case without the last resort."""
        try:
            found = answered_in_case(self.library, asked)
            return found if isinstance(found, PlanWithoutValue) else self._cut(asked, found)
        except VerificationError:
            raise
        except DeriveError as error:
            return error.with_traceback(None)

    def _cut(self, asked: Question, whole: Sequence[Found]) -> list[Found]:
        """The answers of one case, cut to what it leaves of them."""
        library = self.library
        cut = [confined(library, asked, narrowed_by_neighbours(library, asked, each)) for each in whole]
        kept = [each for each in cut if each.states]
        if not kept:
            reason = f"{self.target}: its interval lies outside what the relations and domains around it allow"
            raise NoValueError(library, asked, replace(whole[0], reason=reason))
        return kept

    def _where(self, case: Case) -> str:
        """A case in words."""
        return " and ".join(dict.fromkeys(map(worded, claims(self.library, replace(self.question, case=case)))))

    def _beyond(self, case: Case) -> tuple[Case, str]:
        """A case that leaves the target open, and what to say of it beside the answers of other cases."""
        return case, f"where {self._where(case)}, nothing determines {self.target}"

    def _may_be_away(self) -> bool:
        """Whether a case is open, and every answer assumes that it is another."""
        is_open = any(isinstance(error, UnderdeterminedError) for error in self.errors)
        return is_open and all(
            any(self._assumes(result, state, relation.name) for relation in conditional_in(self.library, result.plan))
            for result, state in _states_of(self.answers)
        )

    def _joined_where_free(self, results: Sequence[Found]) -> list[Found]:
        """The results; one interval alone, if intervals that nothing but cases ends make up the target's domain.

        It covers all else that was found. What an answer assumes away makes up nothing: the answer would be lost in it.
        """
        free = [(one, state) for one, state in _states_of(results) if state.is_free and not one.is_assumed_away]
        if not free or not _covers(self.domain, [state.spans[self.target] for _, state in free]):
            return list(results)
        first, state = free[0]
        whole = replace(state, spans={**state.spans, self.target: (self.domain.low, self.domain.high)})
        return [replace(first, states=(whole,))]

    def _is_assumed_away(self, result: Found) -> bool:
        """Whether nothing fixes the target in the case of a result, and another result assumes that this is not the
        case.

        A column buckles after Euler if it is slender. Where nothing says how slender it is, that is assumed of the
        answer; that the target otherwise lies somewhere in its domain, or in what the relations leave of it, makes that
        answer no less the one.
        """
        if self._is_fixed(result):
            return False
        return any(
            any(self._assumes(other, state, name) for name in result.case.failing)
            for other, state in _states_of(self.answers)
            if self.target in state.values
        )

    def _is_beside(self, result: Found) -> bool:
        """Whether only inequalities bound the target in the case of a result, and it is a number in that of another, by
        a relation whose condition is on the target itself.

        `racks = chips/domain` holds from one domain on. Asked for the chips of one rack, it is 72 of them; that fewer,
        of which no relation says how many racks they are, would keep to a limit as well, makes that answer no less the
        one.
        """
        if self._is_fixed(result):
            return False
        relations = self.library.relations
        of_target = {name for name in result.case.failing if self.target in names_in(*relations[name].conditions)}
        return any(
            not of_target.isdisjoint(other.plan.relations)
            for other in self.answers
            if any(self.target in state.values for state in other.states)
        )

    def _is_fixed(self, result: Found) -> bool:
        """Whether an equation leads to the target, or it has a number."""
        is_led_to = any(self.library.relations[name].is_equation for name in result.plan.relations)
        return is_led_to or any(self.target in state.values for state in result.states)

    def _unspoken(self) -> list[Found]:
        """What cases leave of the target's domain that others assume away, and in which no relation replaces theirs."""
        unspoken = []
        anywhere = (State({}, {self.target: (self.domain.low, self.domain.high)}),)
        for error in self.errors:
            if isinstance(error, UnfixedError) and error.question.case.failing:
                case = error.question.case
                if self._is_assumed_away(Found(Plan(self.target, (), (), ()), anywhere, {}, case=case)):
                    pieces = left_open(self.library, error.question, error.left_out, is_covered=False)
                    unspoken += [replace(piece, case=case) for piece in pieces]
        return unspoken

    def _assumes(self, result: Found, state: State, name: str) -> bool:
        """Whether a result uses a relation whose case is not known, and is therefore assumed; an arm of a choice never
        is.

        A relation says nothing of other cases than its own, and a choice says what holds in each of them.
        """
        if relation_of_arm(name):
            return False
        conditions = self.library.relations[name].conditions
        return name in result.plan.relations and not state.known >= {*names_in(*conditions)}

    def _doubted(self, result: Found, doubts: Sequence[tuple[Case, str]]) -> Found:
        """The result with notes on the open cases, except those that its own assumptions exclude."""

        def told(state: State) -> State:
            notes = [
                doubt for case, doubt in doubts if not any(self._assumes(result, state, name) for name in case.failing)
            ]
            return replace(state, notes=tuple(dict.fromkeys([*state.notes, *notes])))

        return replace(result, states=tuple(map(told, result.states)))


def _states_of(results: Iterable[Found]) -> Iterator[tuple[Found, State]]:
    """Each state of some results, with its result."""
    for result in results:
        for state in result.states:
            yield result, state


def _impossible(question: Question) -> NoSolutionError:
    return NoSolutionError(
        f"{question.target} has no admissible value: no case of the relations is possible with it.",
        hint="Check the givens, their units, and the domain of what is asked.",
        reason="no case of the relations is possible",
    )


def _too_many(question: Question) -> LimitError:
    return LimitError(
        f"{question.target} depends on more than {MOST_CASES} cases.",
        hint="Give the quantities in the conditions of the relations.",
        limit=f"{MOST_CASES} cases",
    )


def _covers(domain: Domain, spans: Iterable[Span]) -> bool:
    """Whether intervals together leave nothing of a domain."""
    reached = domain.low
    for low, high in sorted(spans):
        if low > reached:
            return False
        reached = max(reached, high)
    return reached >= domain.high
