"""The candidates for a question's target: what plans yield, over all cases and arms, or why there are none."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError, UnderdeterminedError
from derive.model.choice_arms import one_relation_for_each_arm, relation_of_arm, with_arms, without_excluded_arms
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block
from derive.presentation.failed_checks import counts_as
from derive.solving.answering.all_cases import explored_cases, leaves_open
from derive.solving.answering.linear_answers import compared_with_all, missing_with_weak_values
from derive.solving.answering.one_case import UnfixedError
from derive.solving.cancellation.jacobian_rank import tied
from derive.solving.diagnosis.contradictions import GIVENS, WEAK_VALUES, confirm
from derive.solving.diagnosis.diagnosis import shortage
from derive.solving.execution.plan_execution import decisions_of
from derive.solving.execution.plan_states import Found, lone_fallbacks
from derive.solving.execution.question import Case, Question

__all__ = ["Candidates", "candidates", "candidates_or_errors"]


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
    fewer, answers, errors = _sought_by_arms(library, question)
    idle = frozenset[str]().union(*(lone_fallbacks(used, one.plan, question) for used, one in answers))
    if not idle:
        exact = compared_with_all(library, question, answers, errors)
        if exact is None and answers:
            answers += missing_with_weak_values(library, question, answers)
        return Candidates(fewer, question, answers if exact is None else exact, errors, exact is not None)
    weak = {name: value for name, value in question.weak.items() if name not in idle}
    return candidates_or_errors(library, replace(question, weak=weak, decided={}))


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
    raise _with_weak_values(library, question, _weightiest(library, errors))


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
        raise _weightiest(library, opened)
    return None


def _with_weak_values(library: RelationSet, question: Question, error: DeriveError) -> DeriveError:
    """The error that there is no value, which says by which weak values: without them there may be one.

    One that the givens make another number counts for nothing.
    """
    if not isinstance(error, NoSolutionError) or WEAK_VALUES in error.what:
        return error
    around = structure_of(library).around(question.target, frozenset(question.strong))
    weak = {name: value for name, value in question.weak.items() if name in around}
    if not weak or not _is_open_without(library, question, weak):
        return error
    alone = [name for name in islice(weak, GIVENS) if _is_open_without(library, question, {name})]
    for name in alone:
        fewer = _without(question, {name})
        sought = candidates_or_errors(library, fewer)
        if not sought.answers and sought.errors and candidates_or_errors(library, replace(fewer, target=name)).answers:
            return _weightiest(library, sought.errors)
    told = [counts_as(name, weak[name]) for name in alone or islice(weak, GIVENS)]
    return NoSolutionError(error.what, hint=" ".join([error.hint, *told]), reason=error.reason)


def _is_open_without(library: RelationSet, question: Question, names: Container[str]) -> bool:
    """Whether a question that has no value has one, or is open, without some weak values."""
    sought = candidates_or_errors(library, _without(question, names))
    denied = bool(sought.errors) and all(isinstance(error, NoSolutionError) for error in sought.errors)
    return bool(sought.answers) or not denied


def _without(question: Question, names: Container[str]) -> Question:
    """The question without some weak values."""
    weak = {name: value for name, value in question.weak.items() if name not in names}
    return replace(question, weak=weak, decided={})


def _sought_by_arms(
    library: RelationSet, question: Question
) -> tuple[RelationSet, list[tuple[RelationSet, Found]], list[DeriveError]]:
    """What is sought, and where that leaves the target open, the same without the arms that conditions exclude.

    Where it is open still, each arm is a relation of its own case: a choice whose condition nothing decides ties the
    target by none of its arms alone, and may yet leave it one number, or a few. At last all relations together may
    leave it one.
    """
    answers, errors = _sought(library, question)
    is_open = any(isinstance(error, UnderdeterminedError) for error in errors) or not (answers or errors)
    if is_open or any(question.target in state.spans for one in answers for state in one.states):
        fewer = without_excluded_arms(library, decisions_of(library, question).verdict)
        found = None if fewer is None else _sought_by_arms(fewer, replace(question, decided={}))
        if found is not None and (found[1] or not answers):
            return found  # else a weak value excludes arms that would have it yield
    in_arms = _sought_in_arms(library, question) if is_open else []
    return library, in_arms or [(library, one) for one in answers], errors


def _sought_in_arms(library: RelationSet, question: Question) -> list[tuple[RelationSet, Found]]:
    """The states that answer a question in the library of arms; empty where one of them leaves the target open."""
    apart = one_relation_for_each_arm(library, of_same_names=True)
    if apart is None or question.ranges:
        return []
    if question.target not in closure(structure_of(apart), [*question.strong, *question.weak]):
        return []
    answers, errors = _sought(apart, replace(question, decided={}), until_open=True)
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
    for is_last_resort in (False, True):
        answers, errors = explored_cases(library, question, is_last_resort, until_open=until_open)
        if answers and not leaves_open(library, question.target, answers, errors):
            return answers, errors
        if answers or any(isinstance(error, (LimitError, InconsistentError)) for error in errors):
            break
        if all(isinstance(error, UnfixedError) for error in errors):
            break  # the last resort is for cases whose plan leads to no value, and here none has a plan
    return [], [] if answers else errors


def _weightiest(library: RelationSet, errors: Sequence[DeriveError]) -> DeriveError:
    """Why a question has no answer: an open case takes precedence over one without a solution."""
    kinds = (LimitError, UnderdeterminedError, InconsistentError, DeriveError)
    first = next(error for kind in kinds for error in errors if isinstance(error, kind))
    if isinstance(first, UnfixedError):
        first = shortage(library, first.question, first.left_out)
    none = next((error for error in errors if isinstance(error, NoSolutionError)), None)
    if not isinstance(first, UnderdeterminedError) or none is None:
        return first
    what = f"{first.what} In another case it has no admissible value: {none.reason}."
    return UnderdeterminedError(what, hint=first.hint, missing=first.missing)
