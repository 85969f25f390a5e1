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
from dataclasses import replace
from fractions import Fraction
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from derive.asking import Question
from derive.blocks import agrees, radical_inverse
from derive.carrying import Found, State, carried_out
from derive.diagnosing import missing_sets
from derive.errors import DeriveError, InconsistentError
from derive.expression import Apply, Equation, Node, walk
from derive.intervals import Span
from derive.planning import Block, Plan
from derive.ranging import composed
from quantities.units import Unit
from quantities.value import Value

if TYPE_CHECKING:
    from derive.library import Library
    from derive.relation import Relation

__all__ = ["bounded", "cancelled"]

_LENT = range(1, 9)  # points of a sequence that fills the box of all magnitudes evenly
_ENOUGH = 4  # lent numbers that must lead to an answer
_TRIED = 6  # sets of quantities that are lent numbers
_TOGETHER = 2  # quantities in one of them
_EDGES = 4  # values at which an inequality may turn
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
    for relation in library.relations.values():
        if relation.is_equation or relation.name in left_out:
            continue
        span = _allowed(library, question, relation)
        if span is not None:
            low, high = max(low, span[0]), min(high, span[1])
            used.append(relation.name)
    if not used:
        return None
    if low > high:
        raise InconsistentError(
            f"{target}: {', '.join(used)} exclude each other: it would have to be at least {low:.6g} and at most "
            f"{high:.6g} (base units).",
            hint="Change one of the givens.",
            conflicts=used,
            gap=(low - high) / max(abs(low), abs(high)),
        )
    note = f"bounded by {', '.join(used)}; nothing else determines it"
    state = State({}, {target: (low, high)}, {}, (note,))
    return Found(Plan(target, (Block(tuple(used[:1]), (target,)),), (), ()), (state,), left_out)


def _allowed(library: Library, question: Question, relation: Relation) -> Span | None:
    """Where an inequality lets the target lie: found from where it holds with equality, and what holds beside that."""
    edges = _edges(library, question, relation)
    if not edges or len(edges) > _EDGES:
        return None
    domain = library.quantities[question.target].domain
    ends = [domain.low, *edges, domain.high]
    pieces = [span for span in pairwise(ends) if span[0] < span[1] and _is_allowed(library, question, relation, span)]
    return pieces[0] if len(pieces) == 1 else None


def _edges(library: Library, question: Question, relation: Relation) -> list[float]:
    """The target's values for which the two sides of an inequality are equal."""
    written = relation.written
    equal = replace(relation, written=Equation(written.lhs, "=", written.rhs))
    others = [other for other in library.relations.values() if other.is_equation]
    try:
        found = carried_out(type(library)([*others, equal], library.quantities.values()), question)
    except DeriveError:
        return []
    if relation.name not in (name for block in found.plan.blocks for name in block.relations):
        return []
    return sorted({state.values[question.target] for state in found.states if question.target in state.values})


def _is_allowed(library: Library, question: Question, relation: Relation, span: Span) -> bool:
    """Whether the inequality holds at a point inside an interval."""
    low, high = span
    if math.isinf(low) or math.isinf(high):
        end = low if math.isinf(high) else high
        point = 0.0 if math.isinf(end) else end + math.copysign(0.5 * abs(end) + 1e-3, 1 if math.isinf(high) else -1)
    else:
        point = (low + high) / 2
    stated = Value(point, point, point, _base_unit(library, question.target))
    values = {question.target: point}
    for name in relation.quantities:
        if name in values:
            continue
        try:
            found = carried_out(library, Question(name, {**question.strong, question.target: stated}, question.weak))
        except DeriveError:
            return False
        if len(found.states) != 1 or name not in found.states[0].values:
            return False
        values[name] = found.states[0].values[name]
    return agrees(relation.written, values, 0.0)


def _base_unit(library: Library, name: str) -> Unit:
    """The unit in which a number in base units is itself."""
    quantity = library.quantities[name]
    return Unit(str(quantity.dimension), quantity.unit.factors, Fraction(1), quantity.dimension)
