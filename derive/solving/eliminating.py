"""Answers where structure sees none.

Counting relations and unknowns, density is not determined by pressure and temperature: volume, amount and mass are
open. Yet they cancel. So before a target is called underdetermined, each quantity that would fix it is lent a number:
if the target comes out the same for numbers twelve decades apart, and no choice (max, min, if, floor) stands in the
way that could hide it, the quantity may cancel. It may also be too small or too large to be seen beside others: so its
slope in the closed form has to be zero too, and where there is no closed form, every relation in use has to go on to
hold as the quantity and all that hangs on it grow in proportion or shift together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING

from derive.errors import DeriveError
from derive.language.expression import Node, names_in
from derive.numbers.intervals import enclose
from derive.numbers.linear import linear_form
from derive.planning.plans import Block, Plan
from derive.solving.asking import Question
from derive.solving.bounding import has_any
from derive.solving.carrying import Found, carried_out, planned
from derive.solving.diagnosing import missing_sets
from derive.solving.numeric import radical_inverse
from derive.solving.ranging import composed
from derive.solving.scaling import grows, shifts
from derive.solving.stepping import State
from quantities.units import DIMENSIONLESS
from quantities.value import Value

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["cancelled"]

_LENT = range(1, 9)  # points of a sequence that fills the box of all magnitudes evenly
_ENOUGH = 4  # lent numbers that must lead to an answer
_TRIED = 6  # sets of quantities that are lent numbers
_TOGETHER = 2  # quantities in one of them
_SEARCHED = 3  # unknowns of a block that is searched for every number lent
_FEW_FAILURES = 1  # of these searches
_ROOTS = 12  # the highest root in which something grows with what is lent
_PARTS = 1000  # the smallest share in which something shifts with it
_ANY = Value(1.0, 1.0, 1.0, DIMENSIONLESS)
_CHOICES = {"max", "min", "piecewise", "abs", "floor", "ceil"}


def cancelled(library: Library, question: Question, left_out: Mapping[str, str]) -> Found | None:
    """The answer that does not depend on what is missing, if there is one."""
    for names in islice(missing_sets(library, question, frozenset(left_out)), _TRIED):
        patience = _patience(library, question, names, frozenset(left_out)) if len(names) <= _TOGETHER else None
        found = None if patience is None else _without(library, question, names, patience)
        if found is not None:
            return found
    return None


def _patience(library: Library, question: Question, names: tuple[str, ...], left_out: frozenset[str]) -> int | None:
    """How many lent numbers may lead nowhere; None where the way from them to the target shows no cancelling."""
    lent = dict.fromkeys(names, _ANY)
    made = planned(library, Question(question.target, {**question.strong, **lent}, question.weak), left_out)
    used = [library.relations[name] for block in made.blocks for name in block.relations]
    if has_any(library, made, _CHOICES) and not any(relation.conditions for relation in used):
        return None
    sought = max((len(block.unknowns) for block in made.blocks if _is_searched(library, block)), default=0)
    if sought:
        return _FEW_FAILURES if sought <= _SEARCHED else None
    return len(_LENT) - _ENOUGH


def _is_searched(library: Library, block: Block) -> bool:
    """Whether a block has to be solved by searching: several unknowns, and not linear in them."""
    unknowns = frozenset(block.unknowns)
    written = [library.relations[name].written for name in block.relations]
    sides = [side for equation in written for side in (equation.lhs, equation.rhs)]
    return len(unknowns) > 1 and any(linear_form(side, unknowns) is None for side in sides)


def _without(library: Library, question: Question, names: tuple[str, ...], patience: int) -> Found | None:
    target = question.target
    results: list[Found] = []
    for number in _LENT:
        values = _lent(library, names, number)
        found = None if values is None or patience < 0 else _tried(library, question, values)
        if found is None:
            patience -= values is not None
            continue
        results.append(found)
        if not _is_same(_values(results[0], target), _values(found, target)):
            return None
        if has_any(library, found.plan, _CHOICES):
            return None
    if len(results) < _ENOUGH or not _is_proved(library, results, target, names):
        return None
    found = results[0]
    told = [_told(library, question, found, state, names) for state in found.states]
    return replace(told[0], states=tuple(state for one in told for state in one.states))


def _tried(library: Library, question: Question, lent: Mapping[str, Value]) -> Found | None:
    """What the question comes to with further values, if it comes to numbers."""
    try:
        found = carried_out(library, Question(question.target, {**question.strong, **lent}, question.weak))
    except DeriveError:
        return None
    return found if found.states and all(question.target in state.values for state in found.states) else None


def _values(found: Found, target: str) -> list[float]:
    return sorted(state.values[target] for state in found.states)


def _is_same(one: Sequence[float], other: Sequence[float]) -> bool:
    """Whether two questions have the same answers."""
    pairs = zip(one, other, strict=False)
    return len(one) == len(other) and all(abs(a - b) <= 1e-9 * max(abs(a), abs(b)) for a, b in pairs)


def _is_proved(library: Library, results: Sequence[Found], target: str, names: tuple[str, ...]) -> bool:
    """Whether what is lent truly plays no part, and is not merely too small or too large to be seen in the numbers."""
    unknowns = {unknown for block in results[0].plan.blocks for unknown in block.unknowns}
    formed = [(composed(target, state.forms), state) for found in results for state in found.states]
    if any(form is None or not unknowns.isdisjoint(names_in(form)) for form, _ in formed):
        solutions = range(len(results[0].states))
        return len(names) == 1 and all(_goes_on(library, results[:2], target, names[0], i) for i in solutions)
    return all(_is_level(form, state, names) for form, state in formed if form is not None)


def _is_level(form: Node, state: State, names: tuple[str, ...]) -> bool:
    """Whether a form may have the slope zero in each of the names."""
    spans = {name: (number, number) for name, number in state.values.items()}
    found = [enclose(form, spans, name) for name in names]
    return all(one is not None and one.slopes[0] <= 0 <= one.slopes[1] for one in found)


def _goes_on(library: Library, results: Sequence[Found], target: str, name: str, which: int) -> bool:
    """Whether all relations in use go on to hold as a name and all that hangs on it grow or shift together."""
    one, other = (sorted(found.states, key=lambda state: state.values[target])[which].values for found in results)
    blocks = results[0].plan.blocks
    moved = [unknown for block in blocks for unknown in block.unknowns if unknown != target] + [name]
    used = [library.relations[relation].written for block in blocks for relation in block.relations]
    if all(one.get(n, 0.0) * other.get(n, 0.0) > 0 for n in moved):
        stretch = math.log(other[name] / one[name])
        degrees = {n: Fraction(math.log(other[n] / one[n]) / stretch).limit_denominator(_ROOTS) for n in moved}
        if all(grows(written, degrees) for written in used):
            return True
    steps = {n: Fraction((other[n] - one[n]) / (other[name] - one[name])).limit_denominator(_PARTS) for n in moved}
    return all(shifts(written, steps, one) for written in used)


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

    from derive.language.symbolic import from_sympy, to_sympy

    expression = to_sympy(form, library.quantities)
    for simplified in (expression, sympy.cancel(sympy.together(expression))):
        if not any(symbol.name in names for symbol in simplified.free_symbols):
            return from_sympy(simplified)[0]
    return None


def _told(library: Library, question: Question, found: Found, state: State, names: tuple[str, ...]) -> Found:
    """The result as one step through all the relations that led to it, without the numbers that were lent."""
    target = question.target
    whole = composed(target, state.forms)
    form = None if whole is None else _free_of(library, whole, names)
    relations = tuple(name for block in found.plan.blocks for name in block.relations)
    known = {name: value.base[1] for name, value in question.strong.items()}
    known |= {name: question.weak[name].base[1] for name in found.plan.weak}
    block = Block(relations, (target,))
    note = f"{' and '.join(names)} cancel{'s' if len(names) == 1 else ''}: any value gives the same {target}"
    forms = {} if form is None else {target: form}
    doubts = tuple(one for one in state.notes if "not proved" in one)
    reached = State({**known, target: state.values[target]}, {}, forms, (note, *doubts))
    return Found(Plan(target, (block,), found.plan.weak, ()), (reached,), found.left_out)
