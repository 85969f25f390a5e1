"""Checks: relations and weak values that the answer did not need, tested against it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.expressions.tree import Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import departure, residual, residual_of_decimals, value
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.presentation.failed_checks import broken, displaced, sides_apart
from derive.presentation.numbers import shown_number
from derive.solving.blocks.outcome import is_met
from derive.solving.execution.answer import Check
from derive.solving.execution.block_execution import steps_beside
from derive.solving.execution.regimes import applies_at
from derive.solving.sensitivity.elasticities import bounds_of_form, composed
from derive.time_limits import tick
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.plan import Plan
    from derive.solving.execution.block_execution import State
    from derive.solving.execution.question import Question
    from quantities.units import Unit
    from quantities.value import Value


@dataclass(frozen=True)
class AnswerChecks:
    """The checks of one state of a plan: what the answer did not need, tested against it."""

    library: RelationSet
    question: Question
    plan: Plan
    state: State

    def all(self, bounds: Span | None = None) -> list[Check]:
        """Every check that the known numbers allow; `bounds` are those of the target.

        A definition that yielded to a given is not a check: it was replaced.
        """
        values = self.state.values
        found = self._of_relations(testable(self.library, self.plan, self.state), values, self.state.forms)
        found += self._limits({check.name for check in found})
        for name, weak in self._beside.items():
            if name in values:
                reach = bounds if bounds is not None and name == self.question.target else self._reach(name)
                found.append(self._yielding(name, weak, reach))
            elif name in self.state.barred:
                unit = self.library.declared[name].unit
                statement = f"{name} = {shown_number(weak.base[1], unit)} ({weak.source}); no value fits here"
                check = Check(name, statement, math.inf, False, tested=self.library.declared[name])
                found.append(_displaced(check, weak, None, unit))
        return found

    def _reach(self, name: str) -> Span:
        """The range of a number, whose inputs are rounded and ranged."""
        values = self.state.values
        number = values[name]
        form = composed(name, self.state.forms)
        ranges = self._ranges(values, rounded=True)
        if form is None or not values.keys() >= {*names_in(form)} or ranges.keys().isdisjoint(names_in(form)):
            return number, number
        low, high = bounds_of_form(form, values, ranges)[0]
        return min(low, number), max(high, number)

    @cached_property
    def _beside(self) -> dict[str, Value]:
        """The weak values to compare with the numbers that replaced them.

        A default exists only to be replaced. It is compared only if the answer uses its quantity, or if nothing could
        have replaced it.
        """
        question, made = self.question, self.plan
        own = {} if question.own is None else {question.target: question.own}
        fixed = {*made.unknowns} - {question.target}
        besides = {name for block in made.extra for name in block.unknowns}
        found = {}
        for name, weak in {**question.weak, **question.outdated, **own}.items():
            is_default = weak is self.library.declared[name].default
            is_exact = weak.source.kind == "exact"
            is_barred = name in self.state.barred
            counts = name in fixed or (is_exact and name in besides and not is_barred) or (is_barred and not is_exact)
            if name not in made.weak and not weak.source.stands_in and (counts or not is_default):
                found[name] = weak
        return found

    def replaced(self) -> dict[str, str]:
        """The definitions that yielded to givens, such as another count of operations, each with what is assumed
        instead."""
        found = {}
        for name, weak in self._beside.items():
            number = self.state.values.get(name)
            if weak.source.kind != "exact" or number is None:
                continue
            if not math.isclose(number, weak.base[1], rel_tol=AGREEMENT):
                shown = shown_number(number, self.library.declared[name].unit)
                found[name] = f"{name} = {weak} is replaced: it is {shown} here"
        return found

    def _yielding(self, name: str, weak: Value, reach: Span) -> Check:
        """A weak value compared with the number that replaced it, and with that number's range."""
        number, stated, (low, high) = self.state.values[name], weak.base[1], weak.as_rounded
        declared = self.library.declared[name]
        unit = declared.unit
        gap = abs(number - stated) / max(abs(number), abs(stated)) if number != stated else 0.0
        slack = AGREEMENT * max(abs(low), abs(high))
        inside = low - slack <= reach[1] and reach[0] <= high + slack
        statement = f"{name} = {shown_number(stated, unit)} ({weak.source}); here {shown_number(number, unit)}"
        passed = gap <= AGREEMENT or inside
        check = Check(name, statement, gap, passed, tested=declared, numbers={name: number})
        return check if passed else _displaced(check, weak, number, unit)

    def _limits(self, told: set[str]) -> list[Check]:
        """Inequalities that weak values complete, such as a capacity from a profile."""
        values = self.state.numbers
        weak = {name: value.base[1] for name, value in self.question.weak.items()}
        names = dict.fromkeys(one for quantity in values for one in self.library.limits.get(quantity, ()))
        return self._completed([name for name in names if name not in told], {**weak, **values})

    def of_idle(self, idle: Iterable[str], told: Collection[str]) -> list[Check]:
        """Checks of givens that the answer does not need: the relations that they complete together with the rest.

        Profiles and definitions are part of the rest, and so is what follows from the givens by relations in the
        direction in which they are written. An unstated default is not: it would yield to the given.
        """
        library = self.library
        stated = {
            name: weak.base[1]
            for name, weak in self.question.weak.items()
            if weak is not library.declared[name].default or weak.source.kind == "exact"
        }
        everything = {**stated, **self.state.values}
        following, used = self._followed({**fallbacks(library, self.question), **everything})
        touched = self._touched(idle, used)
        names = dict.fromkeys(one for quantity in touched for one in library.holders.get(quantity, ()))
        spent = {*told, *self.plan.spent, *used.values()}
        pending = [name for name in names if name not in spent and not self._has_fallback(name)]
        return self._completed(pending, {**everything, **following})

    def _has_fallback(self, name: str) -> bool:
        """Whether an equation has a member that only stood in for a relation when the answer was sought."""
        if not self.library.relations[name].is_equation:
            return False
        held = self.library.members[name]
        return any(one in self.plan.weak and _may_stand_in(self.library, self.question, one) for one in held)

    def _followed(self, known: Mapping[str, float]) -> tuple[dict[str, float], dict[str, str]]:
        """What follows by definitions in the direction in which these are written, and the definition of each."""
        library = self.library
        numbers = dict(known)
        following: dict[str, float] = {}
        used: dict[str, str] = {}
        pending = list(known)
        while pending:
            tick()
            for one in library.holders.get(pending.pop(), ()):
                relation = library.relations[one]
                name = relation.written.lhs.name if isinstance(relation.written.lhs, Name) else ""
                if not name or name in numbers or not relation.is_exact:
                    continue
                if not numbers.keys() >= {*library.members[one]} - {name} or not applies_at(relation, numbers):
                    continue
                number = value(relation.written.rhs, numbers)
                if math.isfinite(number) and number in library.declared[name].domain:
                    numbers[name] = following[name] = number
                    used[name] = one
                    pending.append(name)
        return following, used

    def _touched(self, idle: Iterable[str], used: Mapping[str, str]) -> list[str]:
        """The idle givens and what follows from them, by the plan or by definitions."""
        touched = dict.fromkeys(idle)
        for block in (*self.plan.blocks, *self.plan.extra):
            if not touched.keys().isdisjoint(self.library.held_by(block.relations)):
                touched |= dict.fromkeys(block.unknowns)
        for name, definition in used.items():
            if not touched.keys().isdisjoint(self.library.members[definition]):
                touched[name] = None
        return list(touched)

    def _completed(self, names: Iterable[str], everything: Mapping[str, float]) -> list[Check]:
        """The checks by relations that apply and whose quantities are all known."""
        known = [name for name in names if everything.keys() >= {*self.library.members[name]}]
        applying = [name for name in known if applies_at(self.library.relations[name], everything)]
        return self._of_relations(applying, everything, {})

    def _of_relations(
        self, names: Iterable[str], values: Mapping[str, float], forms: Mapping[str, Node]
    ) -> list[Check]:
        """The checks by relations whose quantities are all known."""
        stated, rounded = self._ranges(values, rounded=False), self._ranges(values, rounded=True)
        meaning = [name for name in names if not is_void(self.library, self.question, name, values)]
        relations = [self.library.relations[name] for name in meaning]
        typed = () if self.question.target in self.state.spans else self.question.ranges  # no number is told there
        return [checked(one, values, rounded if one.is_equation else stated, forms, typed) for one in relations]

    def _ranges(self, values: Mapping[str, float], *, rounded: bool) -> dict[str, Span]:
        """The ranges of stated values; with `rounded`, also the rounding of published figures.

        A limit, such as a capacity, counts as exact.
        """
        question = self.question
        ends = {name: span for name, span in question.stated_ranges.items() if name in values}
        if not rounded:
            return ends
        stated = {name: value for name, value in question.values.items() if name in values and value.rounding}
        return {name: value.as_rounded for name, value in stated.items()} | ends


def _displaced(check: Check, weak: Value, number: float | None, unit: Unit) -> Check:
    """The failed check of a weak value with its sentences."""
    verdict, brief = (displaced(check.name, weak, number, unit, is_brief) for is_brief in (False, True))
    return replace(check, verdict=verdict, brief=brief)


def fallbacks(library: RelationSet, question: Question) -> dict[str, float]:
    """The fallbacks of quantities that nothing given or stated leads to: by these, conditions hold or fail."""
    standing = {name: weak.base[1] for name, weak in question.weak.items() if weak.source.stands_in}
    if not standing:
        return standing
    led_to = closure(
        structure_of(library, frozenset(), question.stated), {*question.strong, *question.weak} - {*standing}
    )
    return {name: number for name, number in standing.items() if name not in led_to}


def is_void(library: RelationSet, question: Question, name: str, values: Mapping[str, float]) -> bool:
    """Whether a limit compares 0 with 0 because something of which nothing is known counts as 0."""
    relation = library.relations[name]
    if relation.is_equation or not any(_may_stand_in(library, question, one) for one in library.members[name]):
        return False
    return all(value(side, values) == 0 for side in (relation.written.lhs, relation.written.rhs))


def _may_stand_in(library: RelationSet, question: Question, name: str) -> bool:
    default = library.declared[name].default
    return default is not None and default.source.stands_in and name not in question.strong


def testable(library: RelationSet, made: Plan, state: State) -> list[str]:
    """The relations outside the plan that apply and whose quantities all have numbers."""
    values = state.values
    everything = {**state.asides, **values}
    met = Counter(chain.from_iterable(library.holders.get(name, ()) for name in values))
    found = [
        name
        for name, count in met.items()
        if count == len(library.members[name])
        and name not in made.spent
        and applies_at(library.relations[name], everything)
    ]
    return sorted(found, key=library.places.__getitem__)


def extended(library: RelationSet, made: Plan, state: State) -> State:
    """The state with what the checks need besides, as far as that takes no choice and no assumption."""
    for block in made.extra:
        if not all(applies_at(library.relations[name], state.numbers) for name in block.relations):
            continue
        try:
            steps = steps_beside(library, block, state)
        except DeriveError:
            return state
        if len(steps) == 1:
            state = steps[0]
    return state


def checked(
    relation: Relation,
    values: Mapping[str, float],
    ranges: Mapping[str, Span],
    forms: Mapping[str, Node],
    typed: Container[str] = (),
) -> Check:
    """The check of a relation; a range, and what follows from it by these forms, agrees where it overlaps.

    A limit that holds in a part of the ranges that are typed contradicts nothing, and fails if that leaves out their
    middle: the number that is told is one of those that it forbids. A range of a profile is what is known of a number.
    """
    if relation.approximate is not None:
        gap = departure(relation.written, values)
    elif math.isnan(gap := residual(relation.written, values)):
        gap = residual_of_decimals(relation.written, values)
    numbers = {name: values[name] for name in relation.declared if name in values}
    if math.isnan(gap):
        statement = f"{relation.written} is undefined"
        undefined = Check(relation.name, statement, math.inf, False, tested=relation, numbers=numbers)
        return _broken(undefined, relation, values)
    met = is_met(relation, values)
    overlaps = not met and _overlaps(relation, values, ranges, forms)
    known = {name: span for name, span in ranges.items() if name not in typed}
    passed = met or (overlaps and (relation.is_equation or _overlaps(relation, values, known, forms)))
    check = Check(relation.name, str(relation.written), gap, passed, tested=relation, numbers=numbers)
    if passed:
        return check
    failed = _broken(check, relation, values)
    if not overlaps:
        return failed
    return replace(failed, is_in_part=True, verdict=f"in the middle of the ranges, {failed.verdict}")


def _broken(check: Check, relation: Relation, values: Mapping[str, float]) -> Check:
    """The failed check of a relation with its sentences."""
    return replace(check, verdict=broken(relation, values), brief=sides_apart(relation, values))


def _overlaps(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> bool:
    """Whether the two sides meet somewhere within the ranges."""
    if not ranges:
        return False
    left, right = relation.written.lhs, relation.written.rhs
    between = composed("", {**forms, "": added(left, negated(right))})
    if between is None or not values.keys() >= set(names_in(between)):
        between = added(left, negated(right))
    if not any(name in ranges for name in names_in(between)):
        return False
    (low, high), _ = bounds_of_form(between, values, ranges)
    return {"=": low <= 0 <= high, "<=": low <= 0, ">=": high >= 0}[relation.written.op]
