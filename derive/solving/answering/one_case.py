"""What one case of a question answers: its plan on numbers, and what else determines the target where that does not.

The plan with the weak values comes first, then the one by the typed values alone. Where counting leaves the target
open, what cancels is eliminated, and inequalities bound it. What is found is put back into its relations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from derive.errors import (
    DeriveError,
    LimitError,
    NoSolutionError,
    UnderdeterminedError,
    VerificationError,
)
from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import residual
from derive.numerics.intervals.enclosure import span_of
from derive.planning.incidence import structure_of
from derive.planning.plan import Plan, fallbacks_led_to
from derive.solving.answering.regime_intervals import left_open
from derive.solving.blocks.complete_search import narrowed
from derive.solving.blocks.outcome import agrees
from derive.solving.diagnosis.diagnosis import (
    NoValueError,
    cancelling,
    contradiction,
    missing_sets,
    shortage,
    wanted,
)
from derive.solving.execution.block_execution import State
from derive.solving.execution.checks import extended
from derive.solving.execution.plan_execution import carried_out, conditional_in, decisions_of, detours, without
from derive.solving.execution.plan_states import Found, is_of_one_turn, planned
from derive.solving.execution.question import Question
from derive.solving.ranges.inequalities import bounded, pinned
from derive.solving.ranges.range_propagation import is_open_elsewhere, spread_without_middle
from quantities.value import Value

_STANDING = "its fallback stands"
_NEIGHBOURS = 12  # limit on relations that narrow an interval


class UnfixedError(UnderdeterminedError):
    """Nothing fixes the target in its case; the missing givens are searched for only if the error is reported."""

    def __init__(self, library: RelationSet, question: Question, left_out: Mapping[str, str]) -> None:
        super().__init__(f"{question.target} is not determined by what is given.")
        self.library = library
        self.question = question
        self.left_out = left_out

    def in_full(self) -> DeriveError:
        """The error that says also what takes long to find out."""
        return shortage(self.library, self.question, self.left_out)


class SingularError(UnderdeterminedError):
    """The relations of a block do not fix it at these numbers; the givens that would are searched for in its report."""

    def __init__(self, library: RelationSet, question: Question, error: UnderdeterminedError) -> None:
        super().__init__(error.what, hint=error.hint, missing=error.missing)
        self.library = library
        self.question = question

    def in_full(self) -> UnderdeterminedError:
        """The error that says also what takes long to find out."""
        sets = tuple(missing_sets(self.library, self.question, frozenset()))
        hint = wanted(sets) if sets else self.hint
        return UnderdeterminedError(self.what, hint=hint, missing=sets or self.missing)


def in_full(error: DeriveError) -> DeriveError:
    """The error to report, with what takes long to find out and most errors do not need: another case has an answer."""
    return error.in_full() if isinstance(error, (NoValueError, SingularError, UnfixedError)) else error


@dataclass(frozen=True)
class PlanWithoutValue:
    """A plan that leads to no value: the error that says so, and its result if it could be carried out."""

    error: DeriveError
    found: Found | None = None


def answered_in_case(library: RelationSet, question: Question) -> list[Found] | PlanWithoutValue:
    """The answers of one case of a question; raises the error that says why there are none.

    Where its plan leads to no value, there may be a last resort.
    """
    try:
        first = carried_out(library, question)
    except NoSolutionError as error:
        return PlanWithoutValue(error.with_traceback(None))
    except UnderdeterminedError as error:  # a block is singular at these numbers
        other = cancelling(library, question, {})
        return [other] if other else PlanWithoutValue(SingularError(library, question, error))
    except LimitError:  # what is not proved in the middle of the ranges may be so over all of them
        over_all = _over_ranges(library, question)
        if over_all is None:
            raise
        return [over_all]
    if not first.plan.is_determined:
        return _despite_structure(library, question, first)
    if first.states and all(question.target in state.spans for state in first.states):
        other = cancelling(library, question, first.left_out)
        if other is not None:
            return [other]
    broken: list[DeriveError] = []
    sound = _sound(library, question, first, broken)
    if sound is not None:
        return [sound]
    if broken and first.doubt:
        ways = detours(library, question, first.plan, first.left_out)
        other = next((one for way in ways if (one := _sound(library, question, way, []))), None)
        if other is None:
            raise _unsure(question)
        return [other]
    if broken:
        elsewhere = _in_another_turn(library, question, first)
        if elsewhere is None:
            raise broken[0]
        return [elsewhere]
    return PlanWithoutValue(NoValueError(library, question, first), first)


def by_last_resort(library: RelationSet, question: Question, without_value: PlanWithoutValue) -> list[Found]:
    """The answers where the plan of a case leads to no value: elsewhere in the ranges, or by what is typed alone."""
    first = without_value.found
    elsewhere = None if first is None else spread_without_middle(library, question, first)
    elsewhere = elsewhere or _by_strong_alone(library, question)
    if elsewhere is None and first is not None and is_open_elsewhere(library, question, first.plan):
        raise LimitError(
            f"{question.target} has no value in the middle of the ranges, and it is not proved that it has none "
            "elsewhere in them.",
            hint="Narrow the ranges, or give a number.",
            limit="ranges",
        )
    if elsewhere is None:
        raise without_value.error
    if not elsewhere.states:
        raise NoValueError(library, question, elsewhere)
    return [elsewhere]


def _over_ranges(library: RelationSet, question: Question) -> Found | None:
    """The interval of the target over the ranges, by a plan all of whose relations hold whatever the numbers."""
    if not question.ranges:
        return None
    made = planned(library, question, frozenset(question.case.failing))
    if not made.is_determined or conditional_in(library, made):
        return None
    return spread_without_middle(library, question, Found(made, (), {}), "none was found")


def _in_another_turn(library: RelationSet, question: Question, found: Found) -> Found | None:
    """The result in another turn, where angles were sought in one only and contradict a check; None if it has none.

    Another way, without the relation that left the turn open, finds the angle; that relation is then a check.
    """
    notes = [note for state in found.states for note in state.notes if is_of_one_turn(note)]
    for block in found.plan.blocks:
        if not any(note.startswith(f"{name}: ") for name in block.unknowns for note in notes):
            continue
        ways = [one for name in block.relations if (one := without(library, question, found, name)) is not None]
        sure = [one for one in ways if not any(state.notes or state.spans for state in one.states)]
        sound = [_sound(library, question, one, []) for one in sure if one.states]
        if not sound:
            raise _unsure(question)
        fitting = next(filter(None, sound), None)
        if fitting is not None:
            return fitting
    return None


def _by_strong_alone(library: RelationSet, question: Question) -> Found | None:
    """The answer without the weak values, which yield where they lead to none: one of them, or else all.

    Those that conditions ask for stay, unless they stand in for what relations give: without them any case could be
    taken, which nobody stated.
    """
    alone = _one_yielding(library, question)
    if alone is not None:
        return alone
    conditions = (condition for relation in library.conditional for condition in relation.conditions)
    asked = {*names_in(*conditions)}
    weak = question.weak.items()
    standing_in = {name for name, value in weak if value.source.stands_in and name in library.holders}
    deciding = {name: value for name, value in weak if name in asked - standing_in}
    exact = {name: value for name, value in weak if value.source.kind == "exact"}
    lefts = [left for left in (exact | deciding, deciding) if len(left) < len(question.weak)]
    return next(filter(None, (_of_weak(library, question, left) for left in lefts)), None)


def _one_yielding(library: RelationSet, question: Question) -> Found | None:
    """The answer where one fallback yields, and the others stand; None if there is none, or one for each of several.

    A circuit without a capacitor has a coil, where its impedance says so; that it has neither is no answer.
    """
    made = planned(library, question, frozenset(question.case.failing))
    held = library.held_by(made.relations)
    standing_in = [name for name in made.weak if name in held and question.weak[name].source.stands_in]
    found: list[Found] = []
    for name in standing_in:
        left = {other: value for other, value in question.weak.items() if other != name}
        one = _of_weak(library, question, left, only_by_plan=True)  # nothing else gives it a number
        if one is not None and name in {other for state in one.states for other in state.values}:
            found.append(one)
    return found[0] if len(found) == 1 else None


def _of_weak(
    library: RelationSet, question: Question, left: Mapping[str, Value], *, only_by_plan: bool = False
) -> Found | None:
    """The one sound answer with some of the weak values."""
    alone = replace(question, weak=left)
    sound: Sequence[Found | None]
    try:
        first = carried_out(library, alone)
        if first.plan.is_determined:
            sound = [_sound(library, alone, first, [])]
        elif only_by_plan:
            sound = [_pinned(library, alone, first)]
        else:
            sound = _despite_structure(library, alone, first)
    except DeriveError:
        return None
    found = sound[0]
    if len(sound) == 1 and found and all(question.target in state.values for state in found.states):
        return found
    return None


def _sound(library: RelationSet, question: Question, found: Found, broken: list[DeriveError]) -> Found | None:
    """The result without the states that contradict a relation; the contradictions are appended to `broken`."""
    sound = []
    for state in found.states:
        clash = contradiction(library, question, found.plan, extended(library, found.plan, state))
        if clash is None:
            sound.append(state)
        else:
            broken.append(clash)
    if not sound:
        return None
    _verified(library, found.plan, sound)
    return replace(found, states=tuple(sound))


def narrowed_by_neighbours(library: RelationSet, question: Question, found: Found) -> Found:
    """The result with intervals of the target narrowed by the domains of its neighbours."""
    target = question.target
    if not any(target in state.spans for state in found.states):
        return found
    names = [n for n in library.holders.get(target, ()) if n not in found.left_out and library.relations[n].is_equation]
    decisions = decisions_of(library, question)
    sure = [name for name in names if decisions.applies(library.relations[name]) is True]
    written = [library.relations[name].written for name in sure[:_NEIGHBOURS]]
    domains = {name: library.declared[name].domain for one in sure[:_NEIGHBOURS] for name in library.members[one]}
    whole = {name: (domain.low, domain.high) for name, domain in domains.items()}
    above = {name: domain.low for name, domain in domains.items() if domain.open_low}
    states = []
    for state in found.states:
        if written and target in state.spans and not question.ranges:
            points = {name: span_of(number) for name, number in state.values.items()}
            left = narrowed(written, [target], {**whole, **points, **state.spans}, above)
            if left is None:
                continue
            states.append(replace(state, spans={**state.spans, target: left[target]}))
        else:
            states.append(state)
    return replace(found, states=tuple(states))


def _unsure(question: Question) -> LimitError:
    return LimitError(
        f"{question.target}: the solutions found contradict a check, and others may exist.",
        hint="Give more, so that fewer relations are simultaneous.",
        limit="numerical search",
    )


def _despite_structure(library: RelationSet, question: Question, found: Found) -> list[Found]:
    """Answers that structure does not see: what is missing cancels, or inequalities bound the target."""
    only = _pinned(library, question, found)
    if only is not None:
        return [only]
    result = (
        cancelling(library, question, found.left_out)
        or _with_fallbacks(library, question, found.left_out)
        or bounded(library, question, found.left_out)
    )
    if result is not None:
        return [result]
    broken: list[DeriveError] = []
    pieces = left_open(library, question, found.left_out)
    sound = [one for piece in pieces if (one := _sound(library, question, piece, broken))]
    if not sound:
        raise broken[0] if broken else UnfixedError(library, question, found.left_out)
    return sound


def _pinned(library: RelationSet, question: Question, found: Found) -> Found | None:
    """The answer that two limits leave a target by a plan; None if there are none."""
    only = pinned(library, question, found.left_out)
    if only is None:
        return None
    broken: list[DeriveError] = []
    sound = _sound(library, question, only, broken)
    if sound is None:
        raise broken[0]
    return sound


def _with_fallbacks(library: RelationSet, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The answer that fallbacks lead to although they follow from it, where it leads to them again.

    Of a model in which all layers have experts, the size of the others plays no part.
    """
    structure = structure_of(library, frozenset(left_out), question.stated)
    names = fallbacks_led_to(structure, question.target, frozenset(question.strong), question.weak)
    written = {relation for name in names for relation in structure.writers[name]}
    if not written:
        return None
    try:
        found = cancelling(library, question, {**left_out, **dict.fromkeys(written, _STANDING)})
    except DeriveError:
        return None
    if found is None:
        return None
    tested = [
        library.relations[relation] for name in names if name in found.plan.weak for relation in structure.writers[name]
    ]
    is_met = all(
        state.values.keys() >= {*one.declared} and agrees(one.written, state.values)
        for one in tested
        for state in found.states
    )
    return replace(found, left_out=left_out) if is_met else None


def _verified(library: RelationSet, made: Plan, states: Sequence[State]) -> None:
    """Put every answer back into every relation that it used."""
    for state in states:
        for block in made.blocks:
            for name in block.relations:
                written = library.relations[name].written
                if any(other in state.spans for other in names_in(written.lhs, written.rhs)):
                    continue
                gap = residual(written, state.values)
                if not agrees(written, state.values):
                    raise VerificationError(
                        f"{name}: the answer does not satisfy {written}; the sides differ by {gap:.2g} of their size.",
                        hint="This is a bug in derive: report the question.",
                        relation=name,
                        residual=gap,
                    )
