"""Checks: relations and weak values that the answer did not need, tested against it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.expressions.tree import Apply, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import departure, residual, residual_of_decimals, share_of, size_of, value
from derive.numerics.algebra.like_terms import added, difference_of, excess_of, negated
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.planning.incidence import core_of, structure_of
from derive.planning.matching import closure
from derive.presentation.cautions import broken, displaced, sides_apart
from derive.presentation.numbers import shown_number
from derive.solving.blocks.closed_forms import composed
from derive.solving.blocks.system import agrees
from derive.solving.execution.answer import Check
from derive.solving.execution.block_execution import states_for_checks
from derive.solving.execution.conditional_relations import applies_at, decisions_of
from derive.solving.extremes import bounds_of_form
from derive.time_limits import Search, tick
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.planning.plan import Plan
    from derive.solving.execution.block_execution import State
    from derive.solving.execution.question import Question
    from quantities.units import Unit
    from quantities.value import Value

_PARTS = 100  # limit on parts of the ranges in which a limit is sought to fail
_DIFFERENCE = ""  # a name that no quantity has, for the difference of two sides among the forms of quantities


@dataclass(frozen=True)
class AnswerChecks:
    """The checks of one state of a plan: what the answer did not need, tested against it."""

    library: RelationSet
    question: Question
    plan: Plan
    state: State

    def all(self, bounds: Span | None = None) -> list[Check]:
        """Every check of the answer that the known numbers allow; `bounds` are those of the target.

        A definition that yielded to a given is not a check: it was replaced.
        """
        values = self.state.values
        checks = self._of_relations(testable(self.library, self.plan, self.state), values, self.state.forms)
        checks += self._limits_with_weak_values({check.name for check in checks})
        for name, weak in self._replaced_weak_values.items():
            if name in values:
                reach = bounds if bounds is not None and name == self.question.target else self.reach(name)
                checks.append(self._check_of_weak_value(name, weak, reach))
            elif name in self.state.barred:
                unit = self.library.declared[name].unit
                statement = f"{name} = {shown_number(weak.base[1], unit)} ({weak.source}); no value fits here"
                check = Check(name, statement, gap=math.inf, passed=False, tested=self.library.declared[name])
                checks.append(_displaced(check, weak, None, unit))
        return checks

    def reach(self, name: str) -> Span:
        """The interval of a computed quantity to be checked, over the ranges and the rounding of its inputs."""
        values = self.state.values
        number = values[name]
        form = composed(name, self.state.forms)
        ranges = self._ranges(values, rounded=True)
        if form is None or not values.keys() >= {*names_in(form)} or ranges.keys().isdisjoint(names_in(form)):
            return number, number
        (low, high), _ = bounds_of_form(form, values, ranges)
        return min(low, number), max(high, number)

    @cached_property
    def _replaced_weak_values(self) -> dict[str, Value]:
        """The weak values to check against the numbers that replaced them.

        A default exists only to be replaced. It is compared only if the answer uses its quantity, or if nothing could
        have replaced it.
        """
        question = self.question
        own = {} if question.own is None else {question.target: question.own}
        compared = {}
        for name, weak in {**question.weak, **question.outdated, **own}.items():
            if name in self.plan.weak or weak.source.stands_in:
                continue  # it is in use, or only stands in where nothing else is known
            is_default = weak is self.library.declared[name].default
            if not is_default or self._contradicts_default(name, weak):
                compared[name] = weak
        return compared

    def _contradicts_default(self, name: str, default: Value) -> bool:
        """Whether a number of the answer for a quantity contradicts its default, instead of replacing it."""
        plan = self.plan
        if name in plan.unknowns and name != self.question.target:
            return True  # the answer uses the quantity
        is_exact = default.source.kind == "exact"
        if name in self.state.barred:
            return not is_exact
        return is_exact and any(name in block.unknowns for block in plan.extra)

    def replaced(self) -> dict[str, str]:
        """The definitions that fail their check because they yielded to givens, each with a sentence on it."""
        sentences = {}
        for name, weak in self._replaced_weak_values.items():
            number = self.state.values.get(name)
            if weak.source.kind != "exact" or number is None:
                continue
            if not math.isclose(number, weak.base[1], rel_tol=AGREEMENT):
                shown = shown_number(number, self.library.declared[name].unit)
                sentences[name] = f"{name} = {weak} is replaced: it is {shown} here"
        return sentences

    def _check_of_weak_value(self, name: str, weak: Value, reach: Span) -> Check:
        """The check of a weak value against the number that replaced it, whose interval is `reach`."""
        number, stated = self.state.values[name], weak.base[1]
        declared = self.library.declared[name]
        unit = declared.unit
        gap = abs(number - stated) / max(abs(number), abs(stated)) if number != stated else 0.0
        low, high = weak.as_rounded
        slack = AGREEMENT * max(abs(low), abs(high))
        overlaps = low - slack <= reach[1] and reach[0] <= high + slack
        statement = f"{name} = {shown_number(stated, unit)} ({weak.source}); here {shown_number(number, unit)}"
        passed = gap <= AGREEMENT or overlaps
        check = Check(name, statement, gap, passed, tested=declared, numbers={name: number})
        return check if passed else _displaced(check, weak, number, unit)

    def _limits_with_weak_values(self, tested: set[str]) -> list[Check]:
        """Checks of inequalities that weak values complete, such as a capacity from a profile."""
        values = self.state.numbers
        names = dict.fromkeys(chain.from_iterable(self.library.limits.get(name, ()) for name in values))
        return self._limits_beside(values, [name for name in names if name not in tested])

    def _in_place_of_weak(self, names: Sequence[str]) -> dict[str, float]:
        """The numbers of quantities with weak values beside the answer: these yield to what follows from the givens.

        What follows from ranges, or has no single number, is left out: whether the givens agree there is tested apart.
        """
        library, question = self.library, self.question
        numbers = {name: question.weak[name].base[1] for name in names}
        yielding = led_to_by_givens(library, question, names)
        decisions = decisions_of(library, question)
        for name in yielding:
            following = decisions.following(name)
            if following is None or decisions.is_of_ranges(name):
                del numbers[name]
            else:
                numbers[name] = following
        return numbers

    def of_idle(self, idle: Iterable[str], tested: Collection[str]) -> list[Check]:
        """Check givens that the answer did not need, by the relations that they complete together with the rest.

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
        affected = self._affected_by(idle, used)
        names = dict.fromkeys(chain.from_iterable(library.holders.get(name, ()) for name in affected))
        spent = {*tested, *self.plan.spent, *used.values()}
        untested = [name for name in names if name not in spent and not self._has_fallback(name)]
        numbers = {**everything, **following}
        equations = [name for name in untested if library.relations[name].is_equation]
        return self._completed(equations, numbers) + self._limits_beside(numbers, untested)

    def _limits_beside(self, numbers: Mapping[str, float], names: Iterable[str]) -> list[Check]:
        """Checks of those relations that are inequalities at some numbers, in which weak values yield to the givens."""
        limits = [name for name in names if not self.library.relations[name].is_equation]
        members = dict.fromkeys(chain.from_iterable(self.library.members[name] for name in limits))
        weak = [name for name in members if name in self.question.weak and name not in self.state.numbers]
        known = {name: number for name, number in numbers.items() if name not in weak}
        return self._completed(limits, {**known, **self._in_place_of_weak(weak)})

    def _has_fallback(self, name: str) -> bool:
        """Whether an equation to check has a member that only stood in for a relation in the answer."""
        if not self.library.relations[name].is_equation:
            return False
        weak = [member for member in self.library.members[name] if member in self.plan.weak]
        return any(_may_stand_in(self.library, self.question, member) for member in weak)

    def _followed(self, known: Mapping[str, float]) -> tuple[dict[str, float], dict[str, str]]:
        """Numbers for checks that follow by definitions, in the direction as written, and the definition of each."""
        library = self.library
        numbers = dict(known)
        following: dict[str, float] = {}
        used: dict[str, str] = {}
        pending = list(known)
        while pending:
            tick()
            for holder in library.holders.get(pending.pop(), ()):
                relation = library.relations[holder]
                name = relation.written_for
                if name is None or name in numbers or not relation.is_exact:
                    continue
                is_computable = numbers.keys() >= {*library.members[holder]} - {name}
                if not is_computable or not applies_at(relation, numbers):
                    continue
                number = value(relation.written.rhs, numbers)
                if math.isfinite(number) and number in library.declared[name].domain:
                    numbers[name] = following[name] = number
                    used[name] = holder
                    pending.append(name)
        return following, used

    def _affected_by(self, idle: Iterable[str], used: Mapping[str, str]) -> list[str]:
        """What checks of idle givens test: these, and what follows from them by the plan or by definitions."""
        affected = dict.fromkeys(idle)
        for block in (*self.plan.blocks, *self.plan.extra):
            if not affected.keys().isdisjoint(self.library.held_by(block.relations)):
                affected |= dict.fromkeys(block.unknowns)
        for name, definition in used.items():
            if not affected.keys().isdisjoint(self.library.members[definition]):
                affected[name] = None
        return list(affected)

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
        typed: Container[str] = ()
        if self.question.target not in self.state.spans:  # an answer that is an interval gives no middle to forbid
            typed = self.question.ranges
        checks = []
        for name in names:
            if not is_void(self.library, self.question, name, values):
                relation = self.library.relations[name]
                ranges = rounded if relation.is_equation else stated
                check = checked(relation, values, ranges, forms, typed)
                in_part = check.passed and _fails_elsewhere(relation, values, self.question, forms)
                checks.append(replace(check, is_in_part=True) if in_part else check)
        return checks

    def _ranges(self, values: Mapping[str, float], *, rounded: bool) -> dict[str, Span]:
        """The ranges of stated values that a check allows for; if `rounded`, also the rounding of published figures.

        A limit, such as a capacity, counts as exact.
        """
        question = self.question
        ends = {name: span for name, span in question.stated_ranges.items() if name in values}
        if not rounded:
            return ends
        published = {name: stated for name, stated in question.values.items() if name in values and stated.rounding}
        return {name: stated.as_rounded for name, stated in published.items()} | ends


def _displaced(check: Check, weak: Value, number: float | None, unit: Unit) -> Check:
    """The failed check of a weak value with its sentences."""
    verdict = displaced(check.name, weak, number, unit)
    return replace(check, verdict=verdict, brief=displaced(check.name, weak, number, unit, is_brief=True))


def fallbacks(library: RelationSet, question: Question) -> dict[str, float]:
    """The fallbacks by which checks judge conditions: of quantities that nothing given or stated leads to."""
    numbers = {name: weak.base[1] for name, weak in question.weak.items() if weak.source.stands_in}
    if not numbers:
        return numbers
    known = {*question.strong, *question.weak} - {*numbers}
    led_to = closure(structure_of(library, frozenset(), question.stated), known)
    return {name: number for name, number in numbers.items() if name not in led_to}


def led_to_by_givens(library: RelationSet, question: Question, names: Sequence[str]) -> list[str]:
    """The quantities that strong values lead to by relations that apply, so that their weak values yield.

    The other relations of the library than those of the question's core lead to none of them.
    """
    core = core_of(library, (question.target, *question.strong, *question.weak))

    def led_to(left_out: frozenset[str]) -> list[str]:
        known = closure(core.structure(core.decisive & left_out, question.stated), question.strong)
        return [name for name in names if name in known]

    if not names or not led_to(frozenset()):
        return []
    decisions = decisions_of(library, question)
    return led_to(frozenset(rule.name for rule in library.conditional if decisions.applies(rule) is not True))


def is_void(library: RelationSet, question: Question, name: str, values: Mapping[str, float]) -> bool:
    """Whether a check tests nothing: a limit compares 0 with 0, as a quantity that nothing is known of counts as 0."""
    relation = library.relations[name]
    if relation.is_equation or not any(_may_stand_in(library, question, member) for member in library.members[name]):
        return False
    return all(value(side, values) == 0 for side in (relation.written.lhs, relation.written.rhs))


def _may_stand_in(library: RelationSet, question: Question, name: str) -> bool:
    """Whether a check may take a quantity's fallback for it, as it has one and is not given."""
    default = library.declared[name].default
    return default is not None and default.source.stands_in and name not in question.strong


def testable(library: RelationSet, plan: Plan, state: State) -> list[str]:
    """The relations outside the plan that can be checked: they apply, and all their quantities have numbers."""
    counts = Counter(chain.from_iterable(library.holders.get(name, ()) for name in state.values))
    known = [name for name, count in counts.items() if count == len(library.members[name]) and name not in plan.spent]
    numbers = state.numbers
    applying = [name for name in known if applies_at(library.relations[name], numbers)]
    return sorted(applying, key=library.places.__getitem__)


def extended(library: RelationSet, plan: Plan, state: State) -> State:
    """The state with the numbers that only checks need, as far as these take no choice and no assumption.

    So no block is searched from starting points: what is found there may be one of several solutions.
    """
    state = replace(state, search=Search.COMPLETE)
    for block in plan.extra:
        if not all(applies_at(library.relations[name], state.numbers) for name in block.relations):
            continue
        try:
            steps = states_for_checks(library, block, state)
        except DeriveError:
            return state
        if len(steps) == 1 and not any(note.kind == "unproved" for note in steps[0].notes[len(state.notes) :]):
            state = steps[0]  # of several, a check would have to choose
    return state


def is_met(relation: Relation, values: Mapping[str, float]) -> bool:
    """Whether a relation that is checked counts as met at some numbers, an estimate within its share."""
    if relation.approximate is not None:
        gap = departure(relation.written, values)
        if {"=": abs(gap), "<=": gap, ">=": -gap}[relation.written.op] <= relation.tolerance:
            return True
    return agrees(relation.written, values)


def may_be_met(relation: Relation, values: Mapping[str, float]) -> bool:
    """Whether a relation that is checked counts as met at some numbers, or the numbers do not tell."""
    return not values.keys() >= {*relation.members} or is_met(relation, values)


def checked(
    relation: Relation,
    values: Mapping[str, float],
    ranges: Mapping[str, Span],
    forms: Mapping[str, Node],
    typed: Container[str] = (),
) -> Check:
    """The check of a relation; a range, and what follows from it by these forms, agrees where it overlaps.

    A limit that holds in a part of the typed ranges, but not in their middle, fails: it forbids the number that the
    answer gives. The range of a profile is another thing: it is what is known of a number.
    """
    if relation.approximate is not None:
        gap = departure(relation.written, values)
    elif math.isnan(gap := residual(relation.written, values)):
        gap = residual_of_decimals(relation.written, values)
    numbers = {name: values[name] for name in relation.declared if name in values}
    if math.isnan(gap):
        statement = f"{relation.written} is undefined"
        undefined = Check(relation.name, statement, math.inf, passed=False, tested=relation, numbers=numbers)
        return _broken(undefined, relation, values)
    holds = is_met(relation, values)
    overlaps = not holds and _overlaps(relation, values, ranges, forms)
    passed = holds or overlaps
    if overlaps and not relation.is_equation:  # where a typed range alone excuses it, the limit forbids the middle
        untyped = {name: span for name, span in ranges.items() if name not in typed}
        passed = _overlaps(relation, values, untyped, forms)
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


def _fails_elsewhere(
    relation: Relation, values: Mapping[str, float], question: Question, forms: Mapping[str, Node]
) -> bool:
    """Whether a limit that holds in the middle of the typed ranges surely fails in another part of them."""
    if relation.is_equation or not question.ranges:
        return False
    difference = _difference(relation, values, forms)
    names = names_in(difference)
    ranges = {name: question.ranges[name] for name in names if name in question.ranges}
    is_uncertain = any(name in question.stated_ranges and name not in ranges for name in names)
    if not ranges or is_uncertain or relation.approximate is not None:
        return False
    enclosure = enclose(difference, {**point_box(values), **ranges}, "")
    slack = AGREEMENT * size_of(relation.written, values)
    is_below = relation.written.op == "<="
    if enclosure is None or (enclosure.values[1] <= slack if is_below else enclosure.values[0] >= -slack):
        return False
    (low, high), how = bounds_of_form(difference, values, ranges, _PARTS)
    return how.are_reached and (high > slack if is_below else low < -slack)


def _difference(relation: Relation, values: Mapping[str, float], forms: Mapping[str, Node]) -> Node:
    """The left side of a checked relation less its right side, with the forms of quantities put in where known."""
    return _with_forms(difference_of(relation.written), values, forms)


def _with_forms(node: Node, values: Mapping[str, float], forms: Mapping[str, Node]) -> Node:
    """An expression of a checked relation with the forms of quantities put in, if their names are all known."""
    put_in = composed(_DIFFERENCE, {**forms, _DIFFERENCE: node})
    return put_in if put_in is not None and values.keys() >= set(names_in(put_in)) else node


def _excess(relation: Relation) -> Node:
    """By how much the sides of a checked estimate differ beyond the share that it states of its formula's value."""
    over, less_share = excess_of(relation.written), negated(share_of(relation.written, relation.tolerance))
    if relation.is_equation:
        return Apply("max", (added(over, less_share), added(negated(over), less_share)))
    return added(over, less_share)


def _overlaps(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> bool:
    """Whether the two sides of a checked relation meet within the ranges, or at their ends but for rounding."""
    if not ranges:
        return False
    difference = _difference(relation, values, forms)
    if not any(name in ranges for name in names_in(difference)):
        return False
    if relation.approximate is not None:
        (least, _), _ = bounds_of_form(_with_forms(_excess(relation), values, forms), values, ranges)
        return least <= 0
    (low, high), _ = bounds_of_form(difference, values, ranges)
    slack = AGREEMENT * size_of(relation.written, values)
    return {"=": low <= slack and high >= -slack, "<=": low <= slack, ">=": high >= -slack}[relation.written.op]
