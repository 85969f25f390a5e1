"""Conflicts: which givens and relations contradict each other, or leave a question no admissible value.

The givens are overdetermined where a relation outside the plan does not hold. The conflict consists of that relation,
the relations from which its quantities were derived, and the givens that these start from. If a weak value is among
them, it yields: that is a failed check and not a contradiction.

Some contradictions only elimination sees. Where structure leaves a target open, relations may still fix it together,
because what is missing cancels. The same holds for a given: if the others fix it at another value, they contradict each
other, though no single relation shows it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from derive.errors import DeriveError, InconsistentError, LimitError, NoSolutionError, first_names
from derive.expressions.tree import Name, names_in
from derive.model.dimensional_analysis import dimension_of
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import residual_of_decimals, value
from derive.planning.plan import Block, Plan
from derive.presentation.cautions import by_default, in_a_row, no_value_fits
from derive.presentation.numbers import shown_number, told_apart
from derive.solving.blocks.free_unknowns import variants_of
from derive.solving.blocks.propagation import narrowed
from derive.solving.cancellation.elimination import cancelled_answer
from derive.solving.diagnosis.domain_violations import is_silent
from derive.solving.diagnosis.minimal_conflict import minimal_conflict
from derive.solving.execution.block_execution import State
from derive.solving.execution.case_claims import boxes_by_arms
from derive.solving.execution.checks import checked, fallbacks, testable
from derive.solving.execution.conditional_relations import Undecided, applies_at, decisions_of
from derive.solving.execution.plan_execution import of_case
from derive.solving.execution.plan_states import PlanResult, all_of, claims_of
from derive.time_limits import Search
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from derive.certificates.proof import Claim
    from derive.model.relation import Relation
    from derive.solving.execution.answer import Check
    from derive.solving.execution.question import Question

_NAMED = 5  # limit on relations, and on givens, in a sentence

GIVENS = 6
"""Of how many givens it is asked whether the others allow them, where there is no solution."""


def tested(library: RelationSet, question: Question, plan: Plan, state: State) -> list[tuple[Relation, Check]]:
    """The relations outside a plan with which the givens may be in conflict in a state, each with its check."""
    relations = [library.relations[name] for name in testable(library, plan, state)]
    ranges = question.ranges
    return [(relation, checked(relation, state.values, ranges, state.forms, ranges)) for relation in relations]


def contradiction(
    library: RelationSet, question: Question, plan: Plan, state: State, nowhere: frozenset[str] = frozenset()
) -> InconsistentError | None:
    """The error for a conflict among strong values and exact relations in a state; None if there is no conflict.

    Some quantities have a value `nowhere` in the ranges, where the relations that they follow from apply.
    """
    checks = tested(library, question, plan, state)
    failed = [(relation, check) for relation, check in checks if not (check.passed or check.is_in_part)]
    for relation, check in failed:
        others, givens, weak = behind(library, plan, relation)
        relations = [relation.name, *others]
        is_rough = any(library.relations[name].approximate is not None for name in relations)
        if weak or is_rough or any(name in state.spans for name in relation.declared):
            continue
        is_of_ranges = not question.ranges.keys().isdisjoint(givens)
        if is_of_ranges and _may_hold_in_ranges(library, question, relations):  # another arm or root may, elsewhere
            continue
        if not _apply_in_all_ranges(library, question, relations) and _may_fit_in_ranges(library, question, relations):
            continue
        gap = abs(check.gap)
        relations, givens = _parts(library, question, plan, relations, givens, told=[relation.name])
        what = f"{relation.name}: {_sides_in_words(relation, question, state)} (they differ by {gap:.2g} of their size)"
        subject = relation.written.lhs
        if isinstance(subject, Name) and not _is_told(plan, subject.name, relations, givens):
            what = no_value_fits([relation.name], [subject.name])
        broken = {other.name: other.verdict for _, other in failed}
        return _conflict(library, question, what, relations, givens, gap, broken)
    return _no_value_conflict(library, question, plan, state, nowhere)


def _conflict(
    library: RelationSet,
    question: Question,
    what: str,
    relations: Sequence[str],
    givens: Sequence[str],
    gap: float,
    broken: Mapping[str, str],
) -> InconsistentError:
    """The error for conflicting relations and givens, with a hint to leave out the first relation or change a given."""
    stated = [f"{name} = {question.strong[name]}" for name in givens if name in question.strong]
    defaults = by_default([library.relations[name] for name in relations], library.defaults, question.strong)
    several = "one of " if len(givens) != 1 else ""
    culprits = first_names(givens, _NAMED) or "the givens"
    return InconsistentError(
        f"{what}. The conflict: {'; '.join(first_names(part, _NAMED) for part in (relations, stated) if part)}.",
        hint=f"Change or drop {several}{culprits}, or leave {relations[0]} out.{defaults}",
        conflicts=(*relations, *stated),
        gap=gap,
        broken=broken,
    )


def _no_value_conflict(
    library: RelationSet, question: Question, plan: Plan, state: State, nowhere: frozenset[str]
) -> InconsistentError | None:
    """The error for the smallest conflict that leaves quantities of the checks no value; None if there is none."""
    conflicts: list[tuple[Block, list[str], list[str]]] = []
    for block in plan.extra:
        needed = block.inputs(library)
        if not state.barred.issuperset(block.unknowns) or not needed <= state.values.keys():
            continue
        if _is_idle(library, question, plan, state, block):
            continue
        traces = [behind(library, plan, library.relations[name]) for name in block.relations]
        others = chain.from_iterable(names for names, _, _ in traces)
        relations = list(dict.fromkeys([*block.relations, *others]))
        is_rough = any(library.relations[name].approximate is not None for name in relations)
        if is_rough or any(weak for _, _, weak in traces):
            continue
        givens = list(dict.fromkeys(chain.from_iterable(names for _, names, _ in traces)))
        is_nowhere = nowhere.issuperset(block.unknowns)
        if not _may_have_value_in_ranges(library, question, relations, givens, is_nowhere=is_nowhere):
            conflicts.append((block, relations, givens))
    if not conflicts:
        return None
    block, relations, givens = min(conflicts, key=lambda conflict: [len(names) for names in conflict[1:]])
    what = no_value_fits(block.relations, block.unknowns)
    relations, givens = _parts(library, question, plan, relations, givens, told=block.relations)
    return _conflict(library, question, what, relations, givens, math.inf, {})


def limits_leave_nothing(
    library: RelationSet, question: Question, plan: Plan, limits: Sequence[str]
) -> InconsistentError:
    """The error for a conflict of limits with all numbers of the interval that a plan leaves the target."""
    traces = [behind(library, plan, library.relations[name]) for name in limits]
    relations = list(dict.fromkeys([*limits, *chain.from_iterable(others for others, _, _ in traces)]))
    givens = list(dict.fromkeys(chain.from_iterable(names for _, names, _ in traces)))
    relations, givens = _parts(library, question, plan, relations, givens, told=[])
    needed = [name for name in limits if name in relations] or limits
    what = f"{question.target}: none of the values that the relations leave it satisfies {in_a_row(needed)}"
    return _conflict(library, question, what, relations, givens, math.inf, {})


def _is_told(plan: Plan, name: str, relations: Collection[str], givens: Collection[str]) -> bool:
    """Whether a conflict tells the value of a quantity: by a given, or by the relations from which it follows."""
    return name in givens or (name in plan.sources and {*plan.sources[name].relations} <= {*relations})


def _parts(
    library: RelationSet,
    question: Question,
    plan: Plan,
    relations: Sequence[str],
    givens: Sequence[str],
    told: Sequence[str],
) -> tuple[list[str], list[str]]:
    """The relations and givens of a conflict: without spare ones, and with those by which its relations apply.

    With `b = a**2` for c > 1, another c would end the conflict. The relations `told` are in the sentence on it.
    """
    decisions = decisions_of(library, question)
    involved, deciding = decisions.applying_by(relations, plan)
    if len(involved) == len(relations):  # otherwise some may serve only to decide
        relations, givens = minimal_conflict(
            library,
            question.strong,
            relations,
            givens,
            needed_relations=told,
            needed_givens=deciding,
        )
        involved, deciding = decisions.applying_by(relations, plan)
    return involved, list(dict.fromkeys([*givens, *deciding]))


def _may_have_value_in_ranges(
    library: RelationSet, question: Question, relations: Sequence[str], givens: Sequence[str], *, is_nowhere: bool
) -> bool:
    """Whether relations in conflict in the middle of the ranges may leave their quantities values elsewhere in them.

    Elsewhere a relation with a condition need not apply.
    """
    if question.ranges.keys().isdisjoint(givens):
        return False
    applies = _apply_in_all_ranges(library, question, relations)
    if applies and (is_nowhere or not _may_hold_in_ranges(library, question, relations)):
        return False
    return _may_fit_in_ranges(library, question, relations)


def _apply_in_all_ranges(library: RelationSet, question: Question, relations: Sequence[str]) -> bool:
    """Whether relations in conflict in the middle of the ranges apply elsewhere in them too, as far as the givens say.

    Without ranges there is no elsewhere.
    """
    surely_applies = decisions_of(library, question).surely_applies
    return not question.ranges or all(surely_applies(library.relations[name]) for name in relations)


def _may_fit_in_ranges(library: RelationSet, question: Question, relations: Sequence[str]) -> bool:
    """Whether a conflict in the middle of the ranges may end elsewhere: some case leaves its quantities values."""
    return next(boxes_by_arms(library, question, library.held_by(relations)), None) is not None


def _may_hold_in_ranges(library: RelationSet, question: Question, relations: Sequence[str]) -> bool:
    """Whether the equations of relations, which are in conflict in the middle of the ranges, may hold elsewhere."""
    equations = tuple(library.relations[name].written for name in relations)
    names = dict.fromkeys(chain.from_iterable(equation.names for equation in equations))
    domains = {name: library.declared[name].domain for name in names}
    typed = {name: (value.base[0], value.base[2]) for name, value in question.strong.items() if name in domains}
    spans = {name: domain.ends for name, domain in domains.items()} | typed
    above = {name: domain.low for name, domain in domains.items() if domain.open_low}
    moving = [name for name in names if name not in typed or name in question.ranges]
    if narrowed(equations, moving, spans, above) is None:
        return False
    variants = variants_of(equations, moving)  # across the edge of an arm, an interval has all between two arms
    return any(narrowed(variant, moving, spans, above) is not None for variant in variants)


def _is_idle(library: RelationSet, question: Question, plan: Plan, state: State, block: Block) -> bool:
    """Whether a block is no cause of a conflict: it has no number, and only relations that do not apply here need it.

    So it is with `x = sqrt(a)` where a is negative, and only another case has an equation with x.
    """
    if not is_silent(library, block, state.values):
        return False
    without_value = {*block.unknowns}
    for other in plan.extra:  # in the order in which they are computed, so that one pass finds all that follows
        if not without_value.isdisjoint(library.held_by(other.relations)):
            without_value.update(other.unknowns)
    in_limits = chain.from_iterable(library.members[relation.name] for relation in library.inequalities)
    if not without_value.isdisjoint(chain(question.weak, in_limits)):
        return False
    tests = [library.relations[name] for name in plan.checks if not without_value.isdisjoint(library.members[name])]
    return bool(tests) and not any(_may_apply(relation, state) for relation in tests)


def _may_apply(relation: Relation, state: State) -> bool:
    """Whether a relation in a conflict may apply: its conditions have values in a state, and none is false there."""
    is_undefined = not state.barred.isdisjoint(names_in(*relation.conditions))
    return not is_undefined and applies_at(relation, state.numbers) is not False


def _sides_in_words(relation: Relation, question: Question, state: State) -> str:
    """The values of the two sides of a relation in conflict, in words."""
    written = relation.written
    right, left = value(written.rhs, state.values), value(written.lhs, state.values)
    if isinstance(written.lhs, Name):
        unit = relation.declared[written.lhs.name].unit
        verb = {"=": "gives", "<=": "allows at most", ">=": "requires at least"}[written.op]
        whence = "is stated" if written.lhs.name in question.strong else "follows from the others"
        there, here = told_apart(lambda digits: [shown_number(side, unit, digits) for side in (right, left)])
        return f"{written} {verb} {there}, and {here} {whence}"
    measured = dimension_of(written.lhs, {name: declared.dimension for name, declared in relation.declared.items()})
    suffix = f" {measured}" if measured else ""
    if math.isnan(left) or math.isnan(right):
        is_undefined = math.isnan(residual_of_decimals(written, state.values))
        what = "that is undefined" if is_undefined else f"whose size is beyond {sys.float_info.max:.2g}"
        return f"{written} has a side {what}"
    here, there = told_apart(lambda digits: [f"{side:.{digits}g}{suffix}" for side in (left, right)])
    return f"{written} has {here} on the left and {there} on the right"


def behind(library: RelationSet, plan: Plan, relation: Relation) -> tuple[list[str], list[str], list[str]]:
    """The relations behind those in a conflict, and their strong and weak values."""
    relations: dict[str, None] = {}
    givens: list[str] = []
    weak: list[str] = []
    for name in plan.behind([name for name in relation.declared if name in relation.members], library):
        if name in plan.sources:
            relations.update(dict.fromkeys(plan.sources[name].relations))
        elif name in plan.weak:
            weak.append(name)
        else:
            givens.append(name)
    return list(relations), givens, weak


def cancelling(
    library: RelationSet, question: Question, left_out: Mapping[str, str], carried_out: Collection[str] = ()
) -> PlanResult | None:
    """The answer to a question that lacks only what cancels; an error of the conflict if the givens contradict it.

    It is sought among other relations than those that a plan has already carried out exactly.
    """
    result = cancelled_answer(library, question, left_out, carried_out)
    if result is None:
        return None
    result = of_case(library, question, result)
    if not result.states:
        raise NoValueError(library, question, result)
    clashes = [contradiction(library, question, result.plan, state) for state in result.states]
    sound = tuple(state for state, clash in zip(result.states, clashes, strict=True) if clash is None)
    if not sound:
        raise unproved(question) if result.doubt else next(clash for clash in clashes if clash is not None)
    return replace(result, states=sound)


def unproved(question: Question) -> LimitError:
    """The error for solutions that contradict a check, where others may exist: that is no conflict of the givens."""
    what = f"{question.target}: the solutions found contradict a check, and others may exist."
    return LimitError.unproved(what, hint="Give more, so that fewer relations are simultaneous.")


def prove_fit_together(library: RelationSet, question: Question) -> None:
    """Raise the conflict if typed values alone contradict a relation, before an answer is sought that rests on them.

    Whether the relation applies may rest on a fallback, unless something typed leads to that quantity.
    """
    typed = question.numbers
    holders = chain.from_iterable(library.holders.get(given, ()) for given in typed)
    exact = [name for name in holders if library.relations[name].approximate is None]
    complete = [name for name in exact if typed.keys() >= {*library.members[name]}]
    if complete:
        state = State(typed, condition_numbers=fallbacks(library, question))
        clash = contradiction(library, question, Plan(question.target, (), (), tuple(complete)), state)
        try:
            if clash is not None:
                raise clash
        finally:
            del clash  # the error's traceback holds this frame, which would hold the error


def confirm(library: RelationSet, question: Question, name: str) -> None:
    """Raise an error of the conflict if the other givens determine one to be another number, as only elimination shows.

    Only closed solutions count: a search that may have missed solutions proves no contradiction.
    """
    given = question.strong[name]
    others = {other: value for other, value in question.strong.items() if other != name}
    if not others or question.ranges:
        return
    exact = {other: value for other, value in question.weak.items() if value.source.kind == "exact"}
    alone = replace(question, target=name, strong=others, weak=exact, own=None, outdated={}, search=Search.NONE)
    try:
        result = cancelled_answer(library, alone, {})
    except (DeriveError, Undecided):  # a result that depends on a condition proves nothing
        return
    if result is None or not result.states or result.doubt:
        return
    if any(name not in state.values for state in result.states):
        return
    names = list(result.plan.relations)
    relations = [library.relations[relation] for relation in names]
    if any(relation.approximate is not None or relation.conditions for relation in relations):
        return
    numbers = [state.values[name] for state in result.states]
    own = given.base[1]
    if any(abs(number - own) <= AGREEMENT * (abs(number) + abs(own)) for number in numbers):
        return
    declared = dict.fromkeys(chain.from_iterable(relation.declared for relation in relations))
    givens = [*(other for other in declared if other in others), name]
    names, givens = minimal_conflict(library, question.strong, names, givens, needed_givens=(name,))
    stated = [f"{other} = {question.strong[other]}" for other in givens]
    raise InconsistentError(
        f"{name} is stated as {given}, and the other givens make it "
        f"{' or '.join(shown_number(number, library.declared[name].unit) for number in numbers)}. "
        f"The conflict: {', '.join(names)}; {', '.join(stated)}.",
        hint=f"Change or drop one of them, or leave out one of {', '.join(names)}.",
        conflicts=(*names, *stated),
        gap=min(abs(number - own) / max(abs(number), abs(own)) for number in numbers),
    )


class NoValueError(NoSolutionError):
    """A case of a question has no admissible value.

    Most such errors are never reported: another case has an answer. A certificate takes as long as the search that it
    certifies, so it is made for the one that is.
    """

    def __init__(self, library: RelationSet, question: Question, found: PlanResult) -> None:
        reason = found.reason or "no value in its domain fits all relations"
        hint = "Check the givens, their units, and the domain of what is asked."
        self.library = library
        self.question = question
        self.found = found
        self.weak = found.plan.weak_behind_target(library)
        super().__init__(self._denial(reason), hint=hint, reason=reason)

    def _denial(self, reason: str) -> str:
        """The sentence on a conflict that leaves a target no admissible value, with the weak values behind it."""
        used = f" (the weak values of {', '.join(self.weak)} are in use)" if self.weak else ""
        return f"{self.found.plan.target} has no admissible value: {reason}{used}."

    @cached_property
    def claims(self) -> tuple[Claim, ...] | None:
        """The proof of a conflict that leaves no answer: the plan leads to no admissible value; None without one."""
        plan = self.found.plan
        return claims_of(self.library, self.question, plan, self.question.start(plan))

    @cached_property
    def holds_without_weak_values(self) -> bool:
        """Whether typed givens and unconditional relations alone are in conflict, as a proof shows.

        A certificate takes longer than to see what a block rests on and that it has no solution: only then is it made.
        """
        question, start = self.question, self.question.start(self.found.plan)
        firm = replace(self.found.plan, blocks=tuple(takewhile(self._is_firm, self.found.plan.blocks)))
        if not firm.blocks or question.ranges:  # of which the claims take the middle
            return False
        if not start.keys() >= self.library.held_by(firm.relations).keys() - {*firm.unknowns}:
            return False  # something cancels that has no number
        if all_of(self.library, firm, start, question.hints) != ():
            return False
        claims = claims_of(self.library, question, firm, start) or ()
        counts = [len(claim.solutions) for claim in claims]
        return counts[-1:] == [0] and all(count == 1 for count in counts[:-1])

    def _is_firm(self, block: Block) -> bool:
        """Whether a block may prove a conflict: it applies in every case, and uses no weak value."""
        library = self.library
        relations = [library.relations[name] for name in block.relations]
        if any(relation.conditions or relation.approximate is not None for relation in relations):
            return False
        return library.held_by(block.relations).keys().isdisjoint(self.found.plan.weak)

    def in_full(self) -> NoSolutionError:
        """The error of a conflict that leaves a target no value; it speaks of a proof only if there is one."""
        reason, proved_by, _ = self.reason.partition(": proved by ")
        if proved_by and self.claims is not None:
            reason = self.reason
        return NoSolutionError(self._denial(reason), hint=self.hint, reason=reason)
