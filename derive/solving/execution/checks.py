"""Checks: relations and weak values that the answer did not need, tested against it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError, NoSolutionError
from derive.expressions.tree import Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import departure, holds, residual, residual_of_decimals, value
from derive.numerics.algebra.like_terms import added, negated
from derive.numerics.intervals.enclosure import Span
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.presentation.failed_checks import broken, displaced, sides_apart
from derive.presentation.numbers import shown_number
from derive.solving.blocks.outcome import agrees
from derive.solving.execution.answer import Check
from derive.solving.execution.block_execution import block_states
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

__all__ = ["applies", "checked", "checks_of", "extended", "fallbacks", "idle_checks", "is_void", "replaced", "testable"]


def checks_of(
    library: RelationSet, question: Question, made: Plan, state: State, bounds: Span | None = None
) -> list[Check]:
    """Every check that the known numbers allow; `bounds` are those of the target.

    A definition that yielded to a given is not a check: it was replaced.
    """
    values = state.values
    found = _checks(library, question, testable(library, made, state), values, state.forms)
    found += _limits(library, question, {**state.asides, **values}, {check.name for check in found})
    for name, weak in _beside(library, question, made, state).items():
        if name in values:
            reach = bounds if bounds is not None and name == question.target else _reach(question, state, name)
            found.append(_yielding(library, name, weak, values[name], reach))
        elif name in state.barred:
            unit = library.declared[name].unit
            statement = f"{name} = {shown_number(weak.base[1], unit)} ({weak.source}); no value fits here"
            check = Check(name, statement, math.inf, False, tested=library.declared[name])
            found.append(_displaced(check, weak, None, unit))
    return found


def _reach(question: Question, state: State, name: str) -> Span:
    """The range of a number, whose inputs are rounded and ranged."""
    number = state.values[name]
    form = composed(name, state.forms)
    ranges = _ranges(question, state.values, rounded=True)
    if form is None or not state.values.keys() >= set(names_in(form)) or ranges.keys().isdisjoint(names_in(form)):
        return number, number
    low, high = bounds_of_form(form, state.values, ranges)[0]
    return min(low, number), max(high, number)


def _beside(library: RelationSet, question: Question, made: Plan, state: State) -> dict[str, Value]:
    """The weak values to compare with the numbers that replaced them.

    A default exists only to be replaced. It is compared only if the answer uses its quantity, or if nothing could
    have replaced it.
    """
    stated = {**question.weak, **question.outdated, **({} if question.own is None else {question.target: question.own})}
    fixed = {name for block in made.blocks for name in block.unknowns} - {question.target}
    besides = {name for block in made.extra for name in block.unknowns}
    found = {}
    for name, weak in stated.items():
        is_default = weak is library.declared[name].default
        is_exact = weak.source.kind == "exact"
        is_barred = name in state.barred
        counts = name in fixed or (is_exact and name in besides and not is_barred) or (is_barred and not is_exact)
        if name not in made.weak and not weak.source.stands_in and (counts or not is_default):
            found[name] = weak
    return found


def replaced(library: RelationSet, question: Question, made: Plan, state: State) -> dict[str, str]:
    """The definitions that yielded to givens, such as another count of operations, each with what is assumed
    instead."""
    found = {}
    for name, weak in _beside(library, question, made, state).items():
        number, stated = state.values.get(name), weak.base[1]
        if weak.source.kind != "exact" or number is None:
            continue
        if not math.isclose(number, stated, rel_tol=AGREEMENT):
            found[name] = f"{name} = {weak} is replaced: it is {shown_number(number, library.declared[name].unit)} here"
    return found


def _yielding(library: RelationSet, name: str, weak: Value, number: float, reach: Span) -> Check:
    """A weak value compared with the number that replaced it, and with that number's range."""
    stated, (low, high) = weak.base[1], weak.as_rounded
    declared = library.declared[name]
    unit = declared.unit
    gap = abs(number - stated) / max(abs(number), abs(stated)) if number != stated else 0.0
    slack = AGREEMENT * max(abs(low), abs(high))
    inside = low - slack <= reach[1] and reach[0] <= high + slack
    statement = f"{name} = {shown_number(stated, unit)} ({weak.source}); here {shown_number(number, unit)}"
    passed = gap <= AGREEMENT or inside
    check = Check(name, statement, gap, passed, tested=declared, numbers={name: number})
    return check if passed else _displaced(check, weak, number, unit)


def _displaced(check: Check, weak: Value, number: float | None, unit: Unit) -> Check:
    """The failed check of a weak value with its sentences."""
    verdict, brief = (displaced(check.name, weak, number, unit, is_brief) for is_brief in (False, True))
    return replace(check, verdict=verdict, brief=brief)


def _limits(library: RelationSet, question: Question, values: Mapping[str, float], told: set[str]) -> list[Check]:
    """Inequalities that weak values complete, such as a capacity from a profile."""
    everything = {**{name: weak.base[1] for name, weak in question.weak.items()}, **values}
    names = dict.fromkeys(one for quantity in values for one in library.limits.get(quantity, ()))
    return _completed(library, question, [name for name in names if name not in told], everything)


def idle_checks(
    library: RelationSet, question: Question, made: Plan, state: State, idle: Iterable[str], told: Collection[str]
) -> list[Check]:
    """Checks of givens that the answer does not need: the relations that they complete together with the rest.

    Profiles and definitions are part of the rest, and so is what follows from the givens by relations in the direction
    in which they are written. An unstated default is not: it would yield to the given.
    """
    stated = {
        name: weak.base[1]
        for name, weak in question.weak.items()
        if weak is not library.declared[name].default or weak.source.kind == "exact"
    }
    everything = {**stated, **state.values}
    following, used = _followed(library, {**fallbacks(library, question), **everything})
    touched = _touched(library, made, idle, used)
    names = dict.fromkeys(one for quantity in touched for one in library.holders.get(quantity, ()))
    spent = {*told, *_spent(made), *used.values()}
    pending = [name for name in names if name not in spent and not _has_fallback(library, question, made, name)]
    return _completed(library, question, pending, {**everything, **following})


def _has_fallback(library: RelationSet, question: Question, made: Plan, name: str) -> bool:
    """Whether an equation has a member that only stood in for a relation when the answer was sought."""
    if not library.relations[name].is_equation:
        return False
    return any(one in made.weak and _may_stand_in(library, question, one) for one in library.members[name])


def fallbacks(library: RelationSet, question: Question) -> dict[str, float]:
    """The fallbacks of quantities that nothing given or stated leads to: by these, conditions hold or fail."""
    standing = {name: weak.base[1] for name, weak in question.weak.items() if weak.source.stands_in}
    if not standing:
        return standing
    led_to = closure(
        structure_of(library, frozenset(), question.stated), {*question.strong, *question.weak} - {*standing}
    )
    return {name: number for name, number in standing.items() if name not in led_to}


def _followed(library: RelationSet, known: Mapping[str, float]) -> tuple[dict[str, float], dict[str, str]]:
    """What follows by definitions in the direction in which these are written, and the definition of each."""
    numbers = dict(known)
    following: dict[str, float] = {}
    used: dict[str, str] = {}
    pending = list(known)
    while pending:
        tick()
        for one in library.holders.get(pending.pop(), ()):
            relation = library.relations[one]
            name = relation.written.lhs.name if isinstance(relation.written.lhs, Name) else ""
            if not name or name in numbers or not relation.is_equation or relation.approximate is not None:
                continue
            if not numbers.keys() >= {*library.members[one]} - {name} or not applies(relation, numbers):
                continue
            number = value(relation.written.rhs, numbers)
            if math.isfinite(number) and number in library.declared[name].domain:
                numbers[name] = following[name] = number
                used[name] = one
                pending.append(name)
    return following, used


def _touched(library: RelationSet, made: Plan, idle: Iterable[str], used: Mapping[str, str]) -> list[str]:
    """The idle givens and what follows from them, by the plan or by definitions."""
    touched = dict.fromkeys(idle)
    for block in (*made.blocks, *made.extra):
        if not touched.keys().isdisjoint(one for relation in block.relations for one in library.members[relation]):
            touched |= dict.fromkeys(block.unknowns)
    for name, definition in used.items():
        if not touched.keys().isdisjoint(library.members[definition]):
            touched[name] = None
    return list(touched)


def _spent(made: Plan) -> set[str]:
    """The relations by which numbers were computed, and which hold by construction."""
    return {relation for block in (*made.blocks, *made.extra) for relation in block.relations}


def _completed(
    library: RelationSet, question: Question, names: Iterable[str], everything: Mapping[str, float]
) -> list[Check]:
    """The checks by relations that apply and whose quantities are all known."""
    known = [name for name in names if everything.keys() >= {*library.members[name]}]
    applying = [name for name in known if applies(library.relations[name], everything)]
    return _checks(library, question, applying, everything, {})


def _checks(
    library: RelationSet,
    question: Question,
    names: Iterable[str],
    values: Mapping[str, float],
    forms: Mapping[str, Node],
) -> list[Check]:
    """The checks by relations whose quantities are all known."""
    stated, rounded = _ranges(question, values, rounded=False), _ranges(question, values, rounded=True)
    relations = (library.relations[name] for name in names if not is_void(library, question, name, values))
    tested = (checked(one, values, rounded if one.is_equation else stated, forms) for one in relations)
    return [check for check in tested if check is not None]


def is_void(library: RelationSet, question: Question, name: str, values: Mapping[str, float]) -> bool:
    """Whether a limit compares 0 with 0 because something of which nothing is known counts as 0."""
    relation = library.relations[name]
    if relation.is_equation or not any(_may_stand_in(library, question, one) for one in library.members[name]):
        return False
    return all(value(side, values) == 0 for side in _sides(relation))


def _may_stand_in(library: RelationSet, question: Question, name: str) -> bool:
    default = library.declared[name].default
    return default is not None and default.source.stands_in and name not in question.strong


def testable(library: RelationSet, made: Plan, state: State) -> list[str]:
    """The relations outside the plan that apply and whose quantities all have numbers."""
    values = state.values
    everything = {**state.asides, **values}
    spent = _spent(made)
    met = Counter(chain.from_iterable(library.holders.get(name, ()) for name in values))
    found = [
        name
        for name, count in met.items()
        if count == len(library.members[name]) and name not in spent and applies(library.relations[name], everything)
    ]
    return sorted(found, key=library.places.__getitem__)


def _sides(relation: Relation) -> tuple[Node, Node]:
    return relation.written.lhs, relation.written.rhs


def extended(library: RelationSet, made: Plan, state: State) -> State:
    """The state with what the checks need besides, as far as that takes no choice and no assumption."""
    for block in made.extra:
        relations = [library.relations[name] for name in block.relations]
        needed = {name for relation in block.relations for name in library.members[relation]} - {*block.unknowns}
        if not all(applies(relation, {**state.asides, **state.values}) for relation in relations):
            continue
        if needed & state.barred:
            state = replace(state, barred=state.barred | {*block.unknowns})
        if not needed <= state.values.keys():
            continue
        try:
            steps, _ = block_states(library, block, state)
        except NoSolutionError:
            steps = []
        except DeriveError:
            return state
        if not steps:
            state = replace(state, barred=state.barred | {*block.unknowns})
        elif len(steps) == 1:
            state = replace(steps[0], barred=state.barred)
    return state


def applies(relation: Relation, values: Mapping[str, float]) -> bool:
    """Whether every condition of the relation is known to hold."""
    return all(
        all(name in values for name in names_in(condition)) and holds(condition, values)
        for condition in relation.conditions
    )


def _ranges(question: Question, values: Mapping[str, float], *, rounded: bool) -> dict[str, Span]:
    """The ranges of stated values; with `rounded`, also the rounding of published figures.

    A limit, such as a capacity, counts as exact.
    """
    stated = {name: value for name, value in {**question.weak, **question.strong}.items() if name in values}
    ends = {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range}
    return {name: value.as_rounded for name, value in stated.items() if value.rounding} | ends if rounded else ends


def checked(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> Check | None:
    """The check of a relation; a range, and what follows from it by these forms, agrees where it overlaps."""
    exact = residual(relation.written, values)
    if math.isnan(exact):
        exact = residual_of_decimals(relation.written, values)
    gap = exact if relation.approximate is None else departure(relation.written, values)
    numbers = {name: values[name] for name in relation.declared if name in values}
    if math.isnan(gap):
        statement = f"{relation.written} is undefined"
        undefined = Check(relation.name, statement, math.inf, False, tested=relation, numbers=numbers)
        return _broken(undefined, relation, values)
    size, rounding = ({"=": abs(one), "<=": one, ">=": -one}[relation.written.op] for one in (gap, exact))
    passed = size <= relation.tolerance or rounding <= AGREEMENT or agrees(relation.written, values)
    passed = passed or _overlaps(relation, values, ranges, forms)
    check = Check(relation.name, str(relation.written), gap, passed, tested=relation, numbers=numbers)
    return check if passed else _broken(check, relation, values)


def _broken(check: Check, relation: Relation, values: Mapping[str, float]) -> Check:
    """The failed check of a relation with its sentences."""
    return replace(check, verdict=broken(relation, values), brief=sides_apart(relation, values))


def _overlaps(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> bool:
    """Whether the two sides meet somewhere within the ranges."""
    if not ranges:
        return False
    left, right = _sides(relation)
    between = composed("", {**forms, "": added(left, negated(right))})
    if between is None or not values.keys() >= set(names_in(between)):
        between = added(left, negated(right))
    if not any(name in ranges for name in names_in(between)):
        return False
    (low, high), _ = bounds_of_form(between, values, ranges)
    return {"=": low <= 0 <= high, "<=": low <= 0, ">=": high >= 0}[relation.written.op]
