"""Answers where structure sees none.

Counting relations and unknowns, density is not determined by pressure and temperature: volume, amount and mass are
open. Yet they cancel. So before a target is called underdetermined, each quantity that would fix it is lent a number:
if the target comes out the same for numbers twelve decades apart, and no choice (max, min, if, floor) stands in the
way that could hide it, the quantity cancels.

And where no equation fixes the target, inequalities may still bound it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from derive.asking import Question
from derive.blocks import agrees, radical_inverse, solve_block
from derive.carrying import Found, State, carried_out
from derive.diagnosing import missing_sets
from derive.errors import DeriveError
from derive.expression import Apply, Equation, Node, names_in, walk
from derive.intervals import Span
from derive.planning import Block, Plan
from derive.ranging import composed
from quantities.value import Value

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["bounded", "cancelled"]

_LENT = range(1, 9)  # points of a sequence that fills the box of all magnitudes evenly
_ENOUGH = 4  # lent numbers that must lead to an answer
_TRIED = 6  # sets of quantities that are lent numbers
_TOGETHER = 2  # quantities in one of them
_CHOICES = {"max", "min", "piecewise", "abs", "floor", "ceil"}


def cancelled(library: Library, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The answer that does not depend on what is missing, if there is one."""
    for names in islice(missing_sets(library, question, frozenset(left_out)), _TRIED):
        found = _without(library, question, names) if len(names) <= _TOGETHER else None
        if found is not None:
            return found
    return None


def _without(library: Library, question: Question, names: tuple[str, ...]) -> Found | None:
    target = question.target
    results: list[tuple[Found, State]] = []
    for number in _LENT:
        values = _lent(library, names, number)
        if values is None:
            continue
        try:
            found = carried_out(library, Question(target, {**question.strong, **values}, question.weak))
        except DeriveError:
            continue
        if len(found.states) == 1 and target in found.states[0].values:
            results.append((found, found.states[0]))
            first, last = results[0][1].values[target], found.states[0].values[target]
            if not abs(first - last) <= 1e-9 * max(abs(first), abs(last)):
                return None
    if len(results) < _ENOUGH:
        return None
    found, state = results[0]
    if _has_choice(library, found.plan):
        return None
    form = composed(target, state.forms)
    reduced = _free_of(library, form, names) if form is not None else None
    return _told(library, question, found, state, names, reduced)


def _lent(library: Library, names: tuple[str, ...], number: int) -> dict[str, Value] | None:
    """A number for each of the names, or None where one of their domains does not hold it."""
    values = {}
    for i, name in enumerate(names):
        quantity = library.quantities[name]
        lent = 10 ** (12 * radical_inverse(number, (2, 3, 5)[i]) - 6)
        if quantity.unit.to_base(lent) not in quantity.domain:
            return None
        values[name] = Value(lent, lent, lent, quantity.unit)
    return values


def _free_of(library: Library, form: Node, names: tuple[str, ...]) -> Node | None:
    """The closed form in which the names have cancelled."""
    import sympy

    from derive.symbolic import from_sympy, to_sympy

    expression = to_sympy(form, library.quantities)
    for simplified in (expression, sympy.cancel(sympy.together(expression))):
        if not any(symbol.name in names for symbol in simplified.free_symbols):
            return from_sympy(simplified)[0]
    return None


def _has_choice(library: Library, made: Plan) -> bool:
    used = [library.relations[name].written for block in made.blocks for name in block.relations]
    nodes = (part for written in used for side in (written.lhs, written.rhs) for part in walk(side))
    return any(isinstance(part, Apply) and part.op in _CHOICES for part in nodes)


def _told(
    library: Library, question: Question, found: Found, state: State, names: tuple[str, ...], form: Node | None
) -> Found:
    """The result as one step through all the relations that led to it, without the numbers that were lent."""
    target = question.target
    relations = tuple(name for block in found.plan.blocks for name in block.relations)
    known = {name: value.base[1] for name, value in question.strong.items()}
    known |= {name: question.weak[name].base[1] for name in found.plan.weak}
    block = Block(relations, (target,))
    note = f"{' and '.join(names)} cancel{'s' if len(names) == 1 else ''}: any value gives the same {target}"
    forms = {} if form is None else {target: form}
    reached = State({**known, target: state.values[target]}, {}, forms, (note,))
    return Found(Plan(target, (block,), found.plan.weak, ()), (reached,), found.left_out)


def bounded(library: Library, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The interval that inequalities leave to the target."""
    target = question.target
    domain = library.quantities[target].domain
    low, high = domain.low, domain.high
    used: list[str] = []
    values: dict[str, float] = {}
    for name in library.holders.get(target, ()):
        relation = library.relations[name]
        if relation.is_equation or name in left_out:
            continue
        known = _others(library, question, names_in(relation.written.lhs, relation.written.rhs))
        span = None if known is None else _allowed(relation.written, target, known, domain)
        if span is None:
            continue
        assert known is not None
        low, high = max(low, span[0]), min(high, span[1])
        used.append(name)
        values |= known
    if not used or low > high:
        return None
    note = f"bounded by {', '.join(used)}; nothing else determines it"
    state = State(values, {target: (low, high)}, {}, (note,))
    return Found(Plan(target, (Block(tuple(used[:1]), (target,)),), (), ()), (state,), left_out)


def _others(library: Library, question: Question, names: tuple[str, ...]) -> dict[str, float] | None:
    """The numbers of the other quantities of an inequality, given or derived."""
    known: dict[str, float] = {}
    for name in names:
        if name == question.target:
            continue
        if name in question.strong:
            known[name] = question.strong[name].base[1]
            continue
        try:
            found = carried_out(library, Question(name, question.strong, question.weak))
        except DeriveError:
            found = None
        if found is not None and len(found.states) == 1 and name in found.states[0].values:
            known[name] = found.states[0].values[name]
        elif name in question.weak:
            known[name] = question.weak[name].base[1]
        else:
            return None
    return known


def _allowed(written: Equation, target: str, known: Mapping[str, float], domain: Any) -> Span | None:
    """On which side of its boundary the target may lie."""
    edge = Equation(written.lhs, "=", written.rhs)
    outcome = solve_block([edge], [target], known, {target: domain})
    if len(outcome.solutions) != 1 or target not in outcome.solutions[0].values:
        return None
    at = outcome.solutions[0].values[target]
    step = 1e-3 * abs(at) or 1e-3
    below, above = (agrees(written, {**known, target: x}, 0.0) for x in (at - step, at + step))
    if below == above or not math.isfinite(at):
        return None
    return (domain.low, at) if below else (at, domain.high)
