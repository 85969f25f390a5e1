"""What could be tested and was not needed: relations all of whose quantities are known, and weak values not in use."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.language.expression import Node, names_in
from derive.numbers.algebra import added, negated
from derive.numbers.evaluating import holds, residual
from derive.numbers.intervals import Span
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

__all__ = ["applies", "checked", "checks_of", "extended", "testable"]


def checks_of(
    library: Library, question: Question, made: Plan, state: State, bounds: Span | None = None
) -> list[Check]:
    """Every check that the known numbers allow; `bounds` are those of the target."""
    found = []
    values = state.values
    for name in testable(library, made, state):
        check = checked(library.relations[name], values, _ranges(question, values), state.forms)
        if check is not None:
            found.append(check)
    found += _limits(library, question, values, {check.name for check in found})
    own = {} if question.own is None else {question.target: question.own}
    for name, weak in {**question.weak, **question.outdated, **own}.items():
        if name in made.weak or weak.source == OTHERWISE:
            continue
        if name in values:
            reach = bounds if bounds is not None and name == question.target else (values[name],) * 2
            found.append(_yielding(library, name, weak, values[name], reach))
        elif name in state.barred:
            stated = shown_number(weak.base[1], library.declared[name].unit)
            found.append(Check(name, f"{name} = {stated} by {weak.source}; no value fits here", math.inf, False))
    return found


def _yielding(library: Library, name: str, weak: Value, number: float, reach: Span) -> Check:
    """A weak value beside the number that took its place, and what else this may be."""
    low, stated, high = weak.base
    unit = library.declared[name].unit
    gap = abs(number - stated) / max(abs(number), abs(stated)) if number != stated else 0.0
    slack = TOLERANCE * max(abs(low), abs(high))
    inside = low - slack <= reach[1] and reach[0] <= high + slack
    statement = f"{name} = {shown_number(stated, unit)} by {weak.source}; here {shown_number(number, unit)}"
    return Check(name, statement, gap, gap <= TOLERANCE or inside)


def _limits(library: Library, question: Question, values: Mapping[str, float], told: set[str]) -> list[Check]:
    """Inequalities that weak values complete, such as a capacity from a profile."""
    everything = {**{name: weak.base[1] for name, weak in question.weak.items()}, **values}
    found = []
    for name in dict.fromkeys(one for quantity in values for one in library.limits.get(quantity, ())):
        relation = library.relations[name]
        if name in told or not applies(relation, everything):
            continue
        if all(other in everything for other in library.members[name]):
            check = checked(relation, everything, {}, {})
            found.extend([check] if check else [])
    return found


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
    stated = {**question.weak, **question.strong}
    return {name: (value.base[0], value.base[2]) for name, value in stated.items() if value.is_range and name in values}


def checked(
    relation: Relation, values: Mapping[str, float], ranges: Mapping[str, Span], forms: Mapping[str, Node]
) -> Check | None:
    """A relation put to the test; a range, and what follows from it by these forms, agrees where it overlaps."""
    gap = residual(relation.written, values)
    if math.isnan(gap):
        return Check(relation.name, f"{relation.written} is undefined", math.inf, False)
    tolerance = max(relation.approximate or 0.0, TOLERANCE)
    size = {"=": abs(gap), "<=": gap, ">=": -gap}[relation.written.op]
    passed = size <= tolerance or _overlaps(relation, values, ranges, forms)
    return Check(relation.name, str(relation.written), gap, passed)


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
