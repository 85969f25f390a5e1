"""What one case of a question answers: its plan on numbers, and what else determines the target where that does not.

The plan with the weak values comes first, then the one by the typed values alone. Where counting leaves the target
open, what cancels is eliminated, and inequalities bound it. What is found is put back into its relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from derive.errors import (
    DeriveError,
    InconsistentError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
    VerificationError,
)
from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import residual
from derive.numerics.algebra.like_terms import difference_of
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.fallbacks import fallbacks_led_to
from derive.planning.incidence import core_of, structure_of
from derive.planning.plan import Plan, plan_for
from derive.presentation.cautions import in_a_row
from derive.solving.answering.case_intervals import ENCLOSED, left_open
from derive.solving.blocks.propagation import narrowed, narrowed_beside
from derive.solving.blocks.system import agrees
from derive.solving.cancellation.typed_alone import (
    definitions_in,
    displaced_by_typed,
    displaced_on_the_way,
    unsure_relations,
)
from derive.solving.diagnosis.conflicts import NoValueError, cancelling, contradiction, unproved
from derive.solving.diagnosis.missing_givens import missing_sets, shortage, wanted
from derive.solving.diagnosis.overdetermined_givens import prove_agreement
from derive.solving.execution.block_execution import State
from derive.solving.execution.checks import extended
from derive.solving.execution.conditional_relations import ANOTHER, Undecided, decisions_of
from derive.solving.execution.plan_execution import carried_out, conditional_in, detours, without
from derive.solving.execution.plan_states import PlanResult
from derive.solving.execution.question import Question, stated_at
from derive.solving.ranges.global_bounds import interval_without_middle, is_open_elsewhere
from derive.solving.ranges.inequalities import bounded, pinned
from derive.solving.ranges.limits_over_ranges import within_limits
from derive.solving.ranges.range_propagation import box_of
from quantities.value import Value

_FALLBACK_STANDS = "its fallback stands"
_UNSURE = "it need not hold exactly"
_ENCLOSED_ON_CURVE = replace(
    ENCLOSED, text="the interval contains every value that fits; not every value in it need fit"
)
_NEIGHBOURS = 12  # limit on relations that narrow an interval


class UnfixedError(UnderdeterminedError):
    """Nothing fixes the target in its case, which another case may do."""

    def __init__(self, library: RelationSet, question: Question, left_out: Mapping[str, str]) -> None:
        super().__init__(f"{question.target} is not determined by what is given.")
        self.library = library
        self.question = question
        self.left_out = left_out

    def in_full(self) -> DeriveError:
        """The error to report for a target that nothing fixes in this one case, if no other has an answer."""
        return shortage(self.library, self.question, self.left_out)


def in_full(error: DeriveError) -> DeriveError:
    """The error of one case, told in full for when no other case of the question has an answer."""
    return error.in_full() if isinstance(error, (NoValueError, UnfixedError)) else error


def _singular(library: RelationSet, question: Question, error: UnderdeterminedError) -> UnderdeterminedError:
    """The error of one case whose plan has a block that is singular at these numbers, with the givens that would do."""

    @cache
    def sets() -> tuple[tuple[str, ...], ...]:
        """Where no set is found, any unknown of the block may be what is missing, but not the target itself."""
        of_block = (names for names in error.missing if question.target not in names)
        return missing_sets(library, question) or tuple(of_block)

    return UnderdeterminedError(
        error.what,
        hint=lambda: wanted(sets()) or error.hint,
        missing=sets,
    )


@dataclass(frozen=True)
class PlanWithoutValue:
    """A plan that leads to no value: the error that says so, and its result if it could be carried out."""

    error: DeriveError
    result: PlanResult | None = None


def answered_in_case(library: RelationSet, question: Question) -> list[PlanResult] | PlanWithoutValue:
    """The results of one case of a question; raises the error that says why there are none.

    A plan that leads to no value is returned, since the last resort may go on from it.
    """
    plan = question.plan(library, frozenset(question.case.failing))
    displaced = displaced_on_the_way(library, question.outline, plan)
    if not displaced:
        return _answered_by_plan(library, question)
    outcome = answered_in_case(library, question.yielding(displaced))
    if isinstance(outcome, PlanWithoutValue):
        return outcome
    return [with_values_for_checks(library, question, result, displaced) for result in outcome]


def _answered_by_plan(library: RelationSet, question: Question) -> list[PlanResult] | PlanWithoutValue:
    """The results of one case by its plan, and by other ways where that does not do."""
    try:
        first = carried_out(library, question)
    except (NoSolutionError, UnderdeterminedError, LimitError) as error:
        result = _despite_error(library, question, error)
        if result is None:
            raise
        return result
    has_numbers = first.plan.is_determined and all(question.target in state.values for state in first.states)
    if question.wants_number and not has_numbers:
        raise UnfixedError(library, question, first.left_out)
    if not first.plan.is_determined:
        return _despite_structure(library, question, first)
    typed_alone = _cancelling_beside_weak_values(library, question, first)
    if typed_alone is not None:
        return [typed_alone]
    by_others = _by_other_relations(library, question, first)
    if by_others is not None:
        return [by_others]
    if first.states and all(question.target in state.spans for state in first.states):
        is_loose = any(state.is_enclosure for state in first.states)
        eliminated = cancelling(library, question, first.left_out, () if is_loose else first.plan.relations)
        if eliminated is not None:
            return [eliminated]
    consistent, contradictions = _consistent(library, question, first)
    if consistent is not None:
        return [consistent]
    if not contradictions:
        return PlanWithoutValue(NoValueError(library, question, first), first)
    if first.doubt:  # solutions may be missing: another way may find them
        return [_by_a_detour(library, question, first)]
    in_another_turn = _in_another_turn(library, question, first)
    if in_another_turn is None:
        raise contradictions[0]
    return [in_another_turn]


def _by_other_relations(library: RelationSet, question: Question, first: PlanResult) -> PlanResult | None:
    """The numbers of one case by a plan without a relation that leaves the target an interval; None if none has any.

    Of more relations than unknowns the first are taken, and one of them may hold all along an interval, as
    `z = min(b, y)` does of b. The others may fix the target, and that relation then tests their numbers.
    """
    if not any(question.target in state.spans for state in first.states):
        return None
    open_names = set().union(*(state.spans for state in first.states))
    blocks = [block for block in first.plan.blocks if not open_names.isdisjoint(block.unknowns)]
    relations = dict.fromkeys(chain.from_iterable(block.relations for block in blocks))
    return _first_consistent(library, question, _ways_without(library, question, first, relations))


def _ways_without(
    library: RelationSet, question: Question, first: PlanResult, relations: Iterable[str]
) -> Iterator[PlanResult]:
    """The results of one case by plans without each of some relations, where they have all solutions as numbers."""
    for way in filter(None, (without(library, question, first, name) for name in relations)):
        if way.states and not any(state.notes or state.spans for state in way.states):
            yield way


def _first_consistent(library: RelationSet, question: Question, ways: Iterable[PlanResult]) -> PlanResult | None:
    """The first of several results of one case that contradicts no relation; None if each does."""
    results = (_consistent(library, question, way)[0] for way in ways)
    return next(filter(None, results), None)


def _cancelling_beside_weak_values(library: RelationSet, question: Question, first: PlanResult) -> PlanResult | None:
    """The result of one case by what is typed, where its plan rests on weak values instead; None if there is none.

    Counting needs these values where something cancels. What is typed determines the target by relations that always
    apply exactly, so it comes first.
    """
    displaced = displaced_by_typed(library, question.outline, first.plan)
    if not displaced:
        return None
    definitions = definitions_in(library, question.weak)
    unsure = unsure_relations(library)
    typed = question.but(weak={name: question.weak[name] for name in definitions})
    try:
        result = cancelling(library, typed, {**first.left_out, **dict.fromkeys(sorted(unsure), _UNSURE)})
    except (DeriveError, Undecided):
        return None
    if result is None or not all(question.target in state.values for state in result.states):
        raise _fixed_by_typed(question, displaced)
    return with_values_for_checks(library, question, replace(result, left_out=first.left_out), displaced)


def _fixed_by_typed(question: Question, displaced: Sequence[str]) -> LimitError:
    """The error for a target that what is typed fixes as something cancels, where elimination does not find it.

    An answer by the weak values that counting needs would go past what is typed.
    """
    weak = in_a_row(displaced)
    return LimitError(
        f"{question.target} is fixed by what is typed as something cancels, and elimination does not find it; "
        f"a result from {weak}, stated by a default or a profile, would contradict that.",
        hint=f"Give {weak} to see what is contradicted, or leave out what does not lead to {question.target}.",
    )


def with_values_for_checks(
    library: RelationSet, question: Question, result: PlanResult, displaced: Iterable[str]
) -> PlanResult:
    """The result of one case whose plan also leads to the quantities of weak values that it displaced, if it can."""
    plan = result.plan
    known = dict.fromkeys([*question.strong, *plan.weak, *plan.unknowns])
    unsure = unsure_relations(library)
    plans = [plan_for(library, name, known, definitions_in(library, question.weak), unsure) for name in displaced]
    blocks = chain.from_iterable(further.blocks for further in plans if further.is_determined)
    extra = dict.fromkeys([*plan.extra, *(block for block in blocks if block not in plan.blocks)])
    return replace(result, plan=replace(plan, extra=tuple(extra)))


def _despite_error(
    library: RelationSet, question: Question, error: NoSolutionError | UnderdeterminedError | LimitError
) -> list[PlanResult] | PlanWithoutValue | None:
    """The results of one case whose plan ends in an error: by elimination, or over the whole ranges; None if none."""
    if isinstance(error, UnderdeterminedError):  # a block is singular at these numbers
        eliminated = cancelling(library, question, {})
        if eliminated is not None:
            return [eliminated]
        return _along_curve(library, question) or PlanWithoutValue(_singular(library, question, error))
    over_all = _over_ranges(library, question)
    if isinstance(error, NoSolutionError):  # of a block, proved in the middle of the ranges alone
        return PlanWithoutValue(error.with_traceback(None) if over_all is None else _open_elsewhere(question))
    return None if over_all is None else [over_all]  # what is not proved in their middle may be so over all of them


def _along_curve(library: RelationSet, question: Question) -> list[PlanResult]:
    """The intervals that one case's conditions leave the target along the curve of a singular block.

    Of `p = 3*b` where `c > 3*b`, and `r = p/b`, r = 3 leaves b whatever the condition leaves it. The intervals may hold
    more than the curve does.
    """
    failing = question.case.failing
    plan = question.plan(library, frozenset(failing))
    decided = (library.relations[name].conditions for name in (*question.case.holding, *failing))
    if not {*names_in(*chain.from_iterable(decided))}.intersection(plan.unknowns):
        return []
    results, _ = _left_open(library, question, dict.fromkeys(sorted(failing), ANOTHER))
    equations = [library.relations[name].written for name in plan.relations]
    others = [name for name in plan.unknowns if name != question.target]
    domain_spans, above = _ends_of_domains(library, plan.unknowns)

    def with_others(state: State) -> State | None:
        """A state with the intervals of the block's other unknowns as well; None if they have none."""
        start = {**domain_spans, **box_of(library, question, plan), **point_box(state.values), **state.spans}
        spans = narrowed(equations, others, start, above)
        if spans is None:
            return None
        other_spans = {name: spans[name] for name in others if name not in state.values}
        return replace(state, spans={**other_spans, **state.spans}, notes=(*state.notes, _ENCLOSED_ON_CURVE))

    with_plan = []
    for result in results:
        states = tuple(state for state in map(with_others, result.states) if state is not None)
        if states:
            with_plan.append(replace(result, plan=plan, states=states))
    return with_plan


def _by_a_detour(library: RelationSet, question: Question, first: PlanResult) -> PlanResult:
    """The result of one case by another plan, where the solutions found by the first contradict a check."""
    consistent = _first_consistent(library, question, detours(library, question, first.plan, first.left_out))
    if consistent is None:
        raise unproved(question)
    return consistent


def by_last_resort(library: RelationSet, question: Question, without_value: PlanWithoutValue) -> list[PlanResult]:
    """The results where the plan of a case leads to no value: elsewhere in the ranges, or by the givens alone."""
    first = without_value.result
    result = None if first is None else interval_without_middle(library, question, first)
    if first is not None and result is not None:
        result = within_limits(library, question, first.plan, result)
    if result is None:
        result = _by_givens_alone(library, question)
    if result is None and first is not None and is_open_elsewhere(library, question, first.plan):
        raise _open_elsewhere(question)
    if result is None:
        raise without_value.error
    if not result.states:
        raise NoValueError(library, question, result)
    _prove_agreement_over_ranges(library, question, result)
    return [result]


def _prove_agreement_over_ranges(library: RelationSet, question: Question, result: PlanResult) -> None:
    """Raise if a relation beside the plan holds nowhere in the ranges and the target's interval over them.

    Where the middle of the ranges has no value, no check is made there.
    """
    target = question.target
    ends = list(chain.from_iterable(state.spans[target] for state in result.states if target in state.spans))
    if not ends or target in question.strong:
        return
    spans = {**point_box(question.numbers), **question.ranges, target: (min(ends), max(ends))}
    for name in library.holders.get(target, ()):
        relation = library.relations[name]
        is_beside = name not in result.plan.relations and spans.keys() >= {*relation.members}
        if not is_beside or not relation.is_exact or relation.conditions:
            continue
        gap = enclose(difference_of(relation.written), spans, "")
        if gap is not None and gap.misses_zero:
            names = dict.fromkeys([*library.held_by(result.plan.relations), *relation.members])
            givens = [f"{given} = {question.strong[given]}" for given in names if given in question.strong]
            conflicts = (*result.plan.relations, name, *givens)
            raise InconsistentError(
                f"{name}: {relation.written} holds nowhere in the ranges. The conflict: {'; '.join(conflicts)}.",
                hint="Change one of the givens.",
                conflicts=conflicts,
                gap=min(map(abs, gap.values)),
            )


def _open_elsewhere(question: Question) -> LimitError:
    """The error of one case without a value in the middle of the ranges, but perhaps with one elsewhere in them."""
    what = f"{question.target} has no value in the middle of the ranges, and it is not proved that it has none"
    return LimitError(f"{what} elsewhere in them.", hint="Narrow the ranges, or give a number.", limit="ranges")


def _over_ranges(library: RelationSet, question: Question) -> PlanResult | None:
    """What one case answers over whole ranges, if its plan has only relations that always apply; None otherwise."""
    if not question.ranges:
        return None
    plan = question.plan(library, frozenset(question.case.failing))
    if not plan.is_determined or conditional_in(library, plan):
        return None
    result = interval_without_middle(library, question, PlanResult(plan, states=(), left_out={}), "none was found")
    return None if result is None else within_limits(library, question, plan, result)


def _in_another_turn(library: RelationSet, question: Question, result: PlanResult) -> PlanResult | None:
    """The result of one case with angles in another turn, where those sought in one turn contradict a check.

    Another way, without the relation that left the turn open, finds the angle; that relation is then a check. None if
    no way does.
    """
    notes = chain.from_iterable(state.notes for state in result.states)
    angles = {note.about for note in notes if note.kind == "one turn"}
    for block in result.plan.blocks:
        if angles.isdisjoint(block.unknowns):
            continue
        ways = [*_ways_without(library, question, result, block.relations)]
        if not ways:
            raise unproved(question)
        first = _first_consistent(library, question, ways)
        if first is not None:
            return first
    return None


def _by_givens_alone(library: RelationSet, question: Question) -> PlanResult | None:
    """The result of one case whose weak values lead to none: one fallback yields, or else all weak values do.

    Weak values that conditions ask for stay, unless they stand in for what relations give: without them any case could
    be taken, which nobody stated.
    """
    result = _with_one_fallback_yielding(library, question)
    if result is not None:
        return result
    asked = {*names_in(*chain.from_iterable(relation.conditions for relation in library.conditional))}
    weak = question.weak.items()
    standing_in = {name for name, value in weak if value.source.stands_in and name in library.holders}
    deciding = {name: value for name, value in weak if name in asked - standing_in}
    exact = {name: value for name, value in weak if value.source.kind == "exact"}
    for kept in (exact | deciding, deciding):
        result = _with_weak(library, question, kept) if len(kept) < len(question.weak) else None
        if result is not None:
            return result
    return None


def _with_one_fallback_yielding(library: RelationSet, question: Question) -> PlanResult | None:
    """The result of one case in which one fallback yields; None if no fallback, or each of several, gives a result.

    A circuit without a capacitor has a coil, where its impedance says so; that it has neither is no answer.
    """
    plan = question.plan(library, frozenset(question.case.failing))
    standing_in = [name for name in plan.weak_behind_target(library) if question.weak[name].source.stands_in]
    results: list[PlanResult] = []
    for name in standing_in:
        others = {other: value for other, value in question.weak.items() if other != name}
        result = _with_weak(library, question, others, only_by_plan=True)  # nothing else gives it a number
        if result is not None and any(name in state.values for state in result.states):
            results.append(result)
    return results[0] if len(results) == 1 else None


def _with_weak(
    library: RelationSet, question: Question, weak: Mapping[str, Value], *, only_by_plan: bool = False
) -> PlanResult | None:
    """The result of one case with these weak values alone, if each of its states has a number for the target."""
    asked = replace(question, weak=weak)
    core = core_of(library, (question.target, *question.strong, *question.weak))
    results: Sequence[PlanResult | None]
    try:
        first = carried_out(library, asked, core=core)
        if first.plan.is_determined:
            results = [_consistent(library, asked, first)[0]]
        elif only_by_plan:
            results = [_pinned(library, asked, first)]
        else:
            results = _despite_structure(library, asked, first)
    except DeriveError:
        return None
    result = results[0]
    if len(results) == 1 and result and all(question.target in state.values for state in result.states):
        return result
    return None


def _consistent(
    library: RelationSet, question: Question, result: PlanResult
) -> tuple[PlanResult | None, list[DeriveError]]:
    """One case's result without states that contradict a relation, or None if none is left; and the contradictions."""
    states: list[State] = []
    contradictions: list[DeriveError] = []
    for state in result.states:
        error = contradiction(library, question, result.plan, extended(library, result.plan, state))
        if error is None:
            states.append(state)
        else:
            contradictions.append(error)
    if not states:
        return None, contradictions
    _put_back(library, result.plan, states)
    return replace(result, states=tuple(states)), contradictions


def narrowed_by_neighbours(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """What one case answers, with intervals of the target narrowed by relations and domains of its neighbours."""
    target = question.target
    if not any(target in state.spans for state in result.states):
        return result
    holders = [library.relations[name] for name in library.holders.get(target, ()) if name not in result.left_out]
    decisions = decisions_of(library, question)
    sure = [relation for relation in holders if relation.is_equation and decisions.applies(relation) is True]
    if not sure or question.ranges:
        return result
    equations = [relation.written for relation in sure[:_NEIGHBOURS]]
    names = dict.fromkeys(chain.from_iterable(library.members[relation.name] for relation in sure[:_NEIGHBOURS]))
    domain_spans, above = _ends_of_domains(library, names)

    def with_narrower_target(state: State) -> State | None:
        """A state of one case's result with the interval that relations leave the target; None if nothing."""

        def narrowing(points: Mapping[str, Span]) -> dict[str, Span] | None:
            return narrowed(equations, [target], {**domain_spans, **points, **state.spans}, above)

        spans = narrowed_beside(state.values, narrowing)
        return None if spans is None else replace(state, spans={**state.spans, target: spans[target]})

    states = [with_narrower_target(state) if target in state.spans else state for state in result.states]
    return replace(result, states=tuple(state for state in states if state is not None))


def _ends_of_domains(library: RelationSet, names: Iterable[str]) -> tuple[dict[str, Span], dict[str, float]]:
    """The domains from which one case's intervals are narrowed, and the lower ends that do not belong to them."""
    domains = {name: library.declared[name].domain for name in names}
    open_ends = {name: domain.low for name, domain in domains.items() if domain.open_low}
    return {name: domain.ends for name, domain in domains.items()}, open_ends


def _despite_structure(library: RelationSet, question: Question, undetermined: PlanResult) -> list[PlanResult]:
    """The results of one case whose plan is undetermined: what is missing cancels, or inequalities bound the target."""
    left_out = undetermined.left_out
    result = (
        _pinned(library, question, undetermined)
        or cancelling(library, question, left_out)
        or _with_fallbacks(library, question, left_out)
        or _bounded(library, question, left_out)
    )
    if result is not None:
        return [result]
    results, contradictions = _left_open(library, question, left_out)
    if not results:
        raise contradictions[0] if contradictions else UnfixedError(library, question, left_out)
    return results


def _left_open(
    library: RelationSet, question: Question, left_out: Mapping[str, str]
) -> tuple[list[PlanResult], list[DeriveError]]:
    """The results of one case with the intervals that its conditions leave the target, and the errors of others."""
    results: list[PlanResult] = []
    contradictions: list[DeriveError] = []
    for piece in left_open(library, question, left_out):
        consistent, errors = _consistent(library, question, piece)
        contradictions += errors
        if consistent is not None:
            results.append(consistent)
    return results, contradictions


def _pinned(library: RelationSet, question: Question, undetermined: PlanResult) -> PlanResult | None:
    """The result of one case in which two limits leave the target one number; None if there are no such limits."""
    result = pinned(library, question, undetermined.left_out)
    return None if result is None else _agreeing(library, question, result)


def _bounded(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> PlanResult | None:
    """The result of one case in which inequalities bound the target; None if none does."""
    result = bounded(library, question, left_out)
    is_value = result is not None and any(question.target in state.values for state in result.states)
    return _agreeing(library, question, result) if result is not None and is_value else result


def _agreeing(library: RelationSet, question: Question, result: PlanResult) -> PlanResult:
    """The result of one case in which limits leave the target a number; raises if what follows from it does not agree.

    Limits are no equations, and no plan leads from the number on: it counts as if it were typed.
    """
    consistent, contradictions = _consistent(library, question, result)
    if consistent is None:
        raise contradictions[0]
    for state in consistent.states:
        value = stated_at(library, question.target, state.values[question.target])
        prove_agreement(library, question.but(strong={**question.strong, question.target: value}))
    return consistent


def _with_fallbacks(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> PlanResult | None:
    """The result of one case by fallbacks that the target leads to, if the relations for these fallbacks agree.

    Of a model in which all layers have experts, the size of the others plays no part.
    """
    structure = structure_of(library, frozenset(left_out), question.stated)
    names = fallbacks_led_to(structure, question.target, frozenset(question.strong), question.weak)
    writers = {*chain.from_iterable(structure.writers[name] for name in names)}
    if not writers:
        return None
    try:
        result = cancelling(library, question, {**left_out, **dict.fromkeys(writers, _FALLBACK_STANDS)})
    except DeriveError:
        return None
    if result is None:
        return None
    for name in chain.from_iterable(structure.writers[name] for name in names if name in result.plan.weak):
        relation = library.relations[name]
        for state in result.states:
            if not state.values.keys() >= {*relation.declared} or not agrees(relation.written, state.values):
                return None
    return replace(result, left_out=left_out)


def _put_back(library: RelationSet, plan: Plan, states: Sequence[State]) -> None:
    """Put what is found in one case back into the relations of its plan; raises if a state does not satisfy one."""
    for state in states:
        for block in plan.blocks:
            for name in block.relations:
                written = library.relations[name].written
                if not state.values.keys() >= {*written.names}:
                    continue  # an interval satisfies no equation, and a limit may hold names without a number
                gap = residual(written, state.values)
                if not agrees(written, state.values):
                    what = f"the answer does not satisfy {written}; the sides differ by {gap:.2g} of their size."
                    hint = "This is a bug in derive: report the question."
                    raise VerificationError(f"{name}: {what}", hint=hint, relation=name, residual=gap)
