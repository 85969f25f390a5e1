"""What could be tested and was not needed: relations all of whose quantities are known, and weak values not in use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.language.expression import Node, names_in
from derive.numbers.algebra import added, negated
from derive.numbers.evaluating import holds, residual
from derive.numbers.intervals import Span
from derive.showing.failing import broken, displaced
from derive.showing.numerals import shown_number
from derive.solving.answer import Check
from derive.solving.outcome import TOLERANCE
from derive.solving.ranging import bounds_of_form, composed
from derive.solving.stepping import block_states
from quantities.source import OTHERWISE

if TYPE_CHECKING:
    from derive.library import Library
    from derive.planning.plans import Plan
    from derive.solving.asking import Question
    from derive.solving.stepping import State
    from derive.stating.relation import Relation
    from quantities.value import Value

__all__ = ["applies", "checked", "checks_of", "extended", "idle_checks", "replaced", "testable"]


def checks_of(
    library: Library, question: Question, made: Plan, state: State, bounds: Span | None = None
) -> list[Check]:
    """Every check that the known numbers allow; `bounds` are those of the target.

    A default of the target itself is no check: it was only there to be replaced. Nor is a definition that gave way
    (see `replaced`).
    """
    values = state.values
    ranges = _ranges(question, values)
    tested = (checked(library.relations[name], values, ranges, state.forms) for name in testable(library, made, state))
    found = [check for check in tested if check is not None]
    found += _limits(library, question, values, {check.name for check in found})
    gone = replaced(library, question, made, state)
    for name, weak in _beside(library, question, made).items():
        if name in gone:
            continue
        if name in values:
            reach = bounds if bounds is not None and name == question.target else (values[name],) * 2
            found.append(_yielding(library, name, weak, values[name], reach))
        elif name in state.barred:
            unit = library.declared[name].unit
            statement = f"{name} = {shown_number(weak.base[1], unit)} by {weak.source}; no value fits here"
            found.append(Check(name, statement, math.inf, False, displaced(name, weak, None, unit)))
    return found


def _beside(library: Library, question: Question, made: Plan) -> dict[str, Value]:
    """The weak values that stand beside what came in their place."""
    own = question.own if question.own is not library.declared[question.target].default else None
    stated = {**question.weak, **question.outdated, **({} if own is None else {question.target: own})}
    return {name: weak for name, weak in stated.items() if name not in made.weak and weak.source != OTHERWISE}


def replaced(library: Library, question: Question, made: Plan, state: State) -> dict[str, str]:
    """The definitions that gave way to what was typed, as another count of operations does; what is assumed instead."""
    found = {}
    for name, weak in _beside(library, question, made).items():
        number = state.values.get(name)
        if weak.source.kind != "exact" or not (name in state.barred or number is not None):
            continue
        unit = library.declared[name].unit
        if number is None:
            found[name] = f"{name} = {weak} is set aside, for no value of it fits what is given"
        elif abs(number - weak.base[1]) > TOLERANCE * max(abs(number), abs(weak.base[1])):
            found[name] = f"{name} = {weak} is replaced: here it is {shown_number(number, unit)}"
    return found


def _yielding(library: Library, name: str, weak: Value, number: float, reach: Span) -> Check:
    """A weak value beside the number that took its place, and what else this may be."""
    stated, (low, high) = weak.base[1], weak.as_rounded
    unit = library.declared[name].unit
    gap = abs(number - stated) / max(abs(number), abs(stated)) if number != stated else 0.0
    slack = TOLERANCE * max(abs(low), abs(high))
    inside = low - slack <= reach[1] and reach[0] <= high + slack
    statement = f"{name} = {shown_number(stated, unit)} by {weak.source}; here {shown_number(number, unit)}"
    passed = gap <= TOLERANCE or inside
    return Check(name, statement, gap, passed, "" if passed else displaced(name, weak, number, unit))


def _limits(library: Library, question: Question, values: Mapping[str, float], told: set[str]) -> list[Check]:
    """Inequalities that weak values complete, such as a capacity from a profile."""
    everything = {**{name: weak.base[1] for name, weak in question.weak.items()}, **values}
    names = dict.fromkeys(one for quantity in values for one in library.limits.get(quantity, ()))
    return _completed(library, question, [name for name in names if name not in told], everything)


def idle_checks(
    library: Library, question: Question, state: State, idle: Iterable[str], told: Collection[str]
) -> list[Check]:
    """What givens that the answer does not need can be tested by: what they complete together with the rest.

    Profiles and definitions are part of the rest. A default that nobody stated is not: it would yield to the given.
    """
    stated = {
        name: weak.base[1]
        for name, weak in question.weak.items()
        if weak is not library.declared[name].default or weak.source.kind == "exact"
    }
    names = dict.fromkeys(one for quantity in idle for one in library.holders.get(quantity, ()))
    return _completed(library, question, [name for name in names if name not in told], {**stated, **state.values})


def _completed(
    library: Library, question: Question, names: Iterable[str], everything: Mapping[str, float]
) -> list[Check]:
    """The checks by those relations that apply and all of whose quantities are known."""
    ranges = _ranges(question, everything)
    relations = [library.relations[name] for name in names if everything.keys() >= {*library.members[name]}]
    tested = [checked(relation, everything, ranges, {}) for relation in relations if applies(relation, everything)]
    return [check for check in tested if check is not None]


def testable(library: Library, made: Plan, state: State) -> list[str]:
    """The relations that are not in use, that apply, and all of whose quantities have numbers."""
    values = state.values
    everything = {**state.asides, **values}
    spent = {relation for block in (*made.blocks, *made.extra) for relation in block.relations}
    met = Counter(chain.from_iterable(library.holders.get(name, ()) for name in values))
    found = [
        name
        for name, count in met.items()
        if count == len(library.members[name]) and name not in spent and applies(library.relations[name], everything)
    ]
    return sorted(found, key=library.places.__getitem__)


def _sides(relation: Relation) -> tuple[Node, Node]:
    return relation.written.lhs, relation.written.rhs


def extended(library: Library, made: Plan, state: State) -> State:
    """The state with what the checks need beside it, as far as that is without choice and without assumption."""
    for block in made.extra:
        relations = [library.relations[name] for name in block.relations]
        needed = {name for relation in block.relations for name in library.members[relation]} - {*block.unknowns}
        if needed & state.barred:
            state = replace(state, barred=state.barred | {*block.unknowns})
        if not needed <= state.values.keys():
            continue
        if not all(applies(relation, {**state.asides, **state.values}) for relation in relations):
            continue
        try:
            steps, _ = block_states(library, block, state)
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


def _ranges(question: Question, values: Mapping[str, float]) -> dict[str, Span]:
    """The ranges of what was stated, those of rounding among them; a published figure holds to its last place."""
    stated = {**question.weak, **question.strong}
    ranges = {n: (v.base[0], v.base[2]) if v.is_range else v.as_rounded for n, v in stated.items() if n in values}
    return {name: span for name, span in ranges.items() if span[0] < span[1]}


def checked(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> Check | None:
    """A relation put to the test; a range, and what follows from it by these forms, agrees where it overlaps."""
    gap = residual(relation.written, values)
    if math.isnan(gap):
        return Check(relation.name, f"{relation.written} is undefined", math.inf, False, broken(relation, values))
    tolerance = max(relation.approximate or 0.0, TOLERANCE)
    size = {"=": abs(gap), "<=": gap, ">=": -gap}[relation.written.op]
    passed = size <= tolerance or _overlaps(relation, values, ranges, forms)
    return Check(relation.name, str(relation.written), gap, passed, "" if passed else broken(relation, values))


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
