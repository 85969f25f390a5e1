"""Determined quantities: all that some givens determine, by counting and, where terms cancel, by elimination."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.expressions.tree import Apply, Node, names_in
from derive.model.conditions import one_relation_for_each_arm
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.solving.answering.solver import has_one_answer, one_answer_or_none
from derive.solving.cancellation.jacobian_rank import (
    combined,
    directions,
    jacobian_of,
    moving_beside,
    repeated_among,
    structure_of_combined,
)
from derive.solving.case_trees import Cases, cases, cases_of_arms
from derive.solving.execution.question import Outline, outlined
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.domain import Domain
from quantities.value import Value, read_number

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer

_ELIMINATED = Memo[bool](most=1024)
_IN_GAPS = Memo[bool](most=1024)

_DRAWS = 3
_FEW = 4  # limit on combined relations for which numbers are drawn that fit them: each of them is a question


def eliminates(library: RelationSet, outline: Outline) -> bool:
    """Whether a target that givens do not determine by counting is determined by elimination."""
    return _ELIMINATED.of(library.session, outline, lambda: _eliminates(library, outline))


def _eliminates(library: RelationSet, outline: Outline) -> bool:
    """Try at generic numbers for the givens whether elimination determines a target."""
    used = next(filter(None, _combinations(library, outline)), None)
    if used is None:
        return False
    if _is_settled_at_generic_numbers(library, outline.target, outline.strong):
        return True
    if len(used) > _FEW:
        return False
    fitting_numbers = (_fitting_numbers(library, outline, used, draw) for draw in range(_DRAWS))
    if _is_settled_at_some(library, outline.target, fitting_numbers):
        return True
    alone = _with_only(library, used)  # where givens state something twice, drawn numbers contradict the others
    return _is_settled_at_generic_numbers(alone, outline.target, outline.strong)


def _combinations(library: RelationSet, outline: Outline) -> Iterator[tuple[str, ...] | None]:
    """The relations that may determine a target by elimination, at generic numbers and at the values of defaults.

    A factor may be zero, or a term may be absent, at the values of defaults only.
    """
    for rows in jacobian_of(library, outline, frozenset(), only_combined=True).forms:
        yield combined(rows, outline.target)
    for rows in jacobian_of(library, outline, frozenset(), _default_numbers(library, outline)).forms:
        yield combined(rows, outline.target)


def eliminates_in_a_gap(library: RelationSet, target_cases: Cases) -> bool:
    """Whether elimination determines a target in a case in which counting leaves it open.

    The library of such a case is built for this question alone, so only the verdict is cached.
    """
    if not target_cases.gaps:
        return False
    key = target_cases.outline, target_cases.gaps
    in_cases = (library.in_case(gap) for gap in target_cases.gaps)
    return _IN_GAPS.of(library.session, key, lambda: any(eliminates(case, target_cases.outline) for case in in_cases))


def _default_numbers(library: RelationSet, outline: Outline) -> dict[str, float]:
    """The numbers, in base units, of the defaults that count among what determines a target."""
    return {name: library.defaults[name].base[1] for name in outline.weak if name in library.defaults}


def _is_settled_at_some(library: RelationSet, target: str, drawn: Iterable[Mapping[str, Value]]) -> bool:
    """Whether givens determine a target, by the first draw of generic numbers that decides it.

    Givens without a solution decide nothing. If one draw leaves the target open, all do, and each takes long.
    """
    for given in drawn:
        verdict = has_one_answer(library, target, given)
        if verdict is not None:
            return verdict
    return False


def _is_settled_at_generic_numbers(library: RelationSet, target: str, names: Sequence[str]) -> bool:
    return _is_settled_at_some(library, target, (generic_numbers(library, names, draw) for draw in range(_DRAWS)))


def _fitting_numbers(library: RelationSet, outline: Outline, used: Collection[str], draw: int) -> dict[str, Value]:
    """Numbers to try whether a target is determined: the relations that elimination combines fit them.

    The other quantities in the relations are drawn first. Whatever follows from the numbers so far is computed, by
    these relations alone: the whole library would take too long.
    """
    few_relations = _with_only(library, used)
    inside = (library.members[relation] for relation in used if relation in library.relations)
    members = dict.fromkeys(chain.from_iterable(inside))
    numbers: dict[str, Value] = {}
    for name in (*(name for name in members if name not in outline.strong), *outline.strong):
        quantity = library.declared[name]
        answer = one_answer_or_none(few_relations, name, numbers) if numbers and name in members else None
        base = generic(quantity, draw) if answer is None or answer.base is None else answer.base
        numbers[name] = read_number(quantity.unit.from_base(base), quantity.unit)
    return {name: numbers[name] for name in outline.strong}


def _with_only(library: RelationSet, used: Collection[str]) -> RelationSet:
    """The library with only the relations by which elimination may determine a target."""
    return library.without(*(library.relations.keys() - {*used}))


def probed(library: RelationSet, target: str, names: Sequence[str], draw: int) -> Answer | None:
    """The answer at generic numbers of the givens, which shows whether they determine a target; None without one."""
    return one_answer_or_none(library, target, generic_numbers(library, names, draw))


def generic_numbers(library: RelationSet, names: Iterable[str], draw: int) -> dict[str, Value]:
    """A generic number for each of some quantities, as if it were given, to try which quantities they determine."""
    quantities = {name: library.declared[name] for name in names}
    return {name: read_number(q.unit.from_base(generic(q, draw)), q.unit) for name, q in quantities.items()}


def generic(quantity: Declaration, draw: int) -> float:
    """A generic number of a quantity, in base units, to try what it determines; the same for the same draw."""
    return _drawn(quantity.domain, random.Random(f"{quantity.name} {draw}"))


def _drawn(domain: Domain, draw: random.Random) -> float:
    """A generic number drawn inside a domain, in base units, to try which quantities it determines."""
    if math.isfinite(domain.low) and math.isfinite(domain.high):
        return domain.low + (domain.high - domain.low) * draw.uniform(0.2, 0.8)
    number = 2.0 ** draw.uniform(-1, 1)
    if math.isfinite(domain.low):
        return float(domain.low + number * max(1.0, abs(domain.low)))
    return float(domain.high - number * max(1.0, abs(domain.high))) if math.isfinite(domain.high) else number


def reach(library: RelationSet, given: Iterable[str]) -> frozenset[str]:
    """All quantities that some givens determine, by counting or elimination, themselves and the defaults included.

    >>> from derive.relation_files.loading import load
    >>> gas = load('''[quantities]
    ... p = { unit = "Pa" }
    ... V = { unit = "m**3" }
    ... n = { unit = "mol" }
    ... m = { unit = "kg" }
    ... M = { unit = "kg/mol" }
    ... rho = { unit = "kg/m**3" }
    ... RT = { unit = "J/mol" }
    ... [relations]
    ... ideal = { equation = "p*V = n*RT" }
    ... mass = { equation = "m = n*M" }
    ... density = { equation = "rho = m/V" }''')
    >>> sorted(reach(gas, ["p", "RT", "M"]))
    ['M', 'RT', 'p', 'rho']
    """
    with query():
        names = [library.declaration(name).name for name in given]
        counted = _counted_in_some_case(library, names)
        counted -= _left_open(library, names)
        open_ones = [name for name in library.declared if name not in counted and library.holders.get(name)]
        if not open_ones:
            return counted
        fixed: set[str] = set()
        remaining = dict.fromkeys(open_ones)
        while remaining:
            outline = outlined(library, next(iter(remaining)), names)
            rows = jacobian_of(library, outline, frozenset()).of_ratios
            reached = {next(iter(remaining))}.union(*(row.keys() for row in rows.values()))
            moves = _moving(library, outline)
            unmoved = [name for name in remaining if name in reached and name not in moves]
            fixed.update(name for name in unmoved if eliminates(library, outlined(library, name, names)))
            remaining = {name: None for name in remaining if name not in reached}
        return counted | fixed


def _moving(library: RelationSet, outline: Outline) -> set[str]:
    """The quantities that elimination cannot determine: they move at generic numbers and at the values of defaults."""
    points: tuple[Mapping[str, float], ...] = ({}, _default_numbers(library, outline))
    forms = chain.from_iterable(jacobian_of(library, outline, frozenset(), numbers).forms for numbers in points)
    return set.intersection(*(set(next(directions(rows))) for rows in forms))


def _left_open(library: RelationSet, names: Sequence[str]) -> frozenset[str]:
    """The quantities that givens seem to determine by counting, and that relations leave open, as some are repeated.

    All relations count here, whatever their conditions are.
    """
    known = frozenset([*names, *library.defaults])
    combined_ones = structure_of_combined(library, known, frozenset(), is_generic=True)
    if next(repeated_among(library, combined_ones, known, {}), None) is None:
        return frozenset()
    each = one_relation_for_each_arm(library) or library
    structure = structure_of(each)
    moving = moving_beside(each, structure, known, {})
    if not moving:
        return frozenset()
    defaults = {name: value.base[1] for name, value in library.defaults.items()}
    return moving & moving_beside(each, structure, known, defaults)


def _counted_in_some_case(library: RelationSet, names: Sequence[str]) -> frozenset[str]:
    """The quantities determined by counting in some case, in which no relations exclude each other.

    Where each arm of a choice counts as a relation of its own, an arm needs the quantities in it alone.
    """
    apart = one_relation_for_each_arm(library)
    seen = _counted(library, names) | (frozenset() if apart is None else _counted(apart, names))
    always = _counted(library, names, frozenset(relation.name for relation in library.conditional))

    def is_determined(name: str) -> bool:
        outline = outlined(library, name, names)
        return bool(cases(library, outline).alternatives) or cases_of_arms(library, outline) is not None

    return always | {name for name in seen - always if is_determined(name)}


def _counted(library: RelationSet, names: Sequence[str], left_out: frozenset[str] = frozenset()) -> frozenset[str]:
    """The quantities that some givens determine by counting alone, without elimination.

    A fallback counts where nothing leads to its quantity, and is not run backwards. Relations that hold for one number
    of a given only are left out: the givens are generic.
    """
    conditions = {name: relation.conditions for name, relation in library.relations.items() if relation.conditions}
    special = (name for name, own in conditions.items() if any(_is_special(condition, names) for condition in own))
    structure = structure_of(library, left_out.union(special))
    firm = [*names, *(name for name in library.defaults if name not in structure.otherwise)]
    led = closure(structure, firm)
    standing = [name for name in structure.otherwise if name not in led]
    bare = structure.not_written_for(standing)
    # what follows from fallbacks alone counts only where the givens lead to it as well
    by_fallbacks = closure(bare, standing) - closure(bare, firm) - {*standing}
    unsettled = {name for name in by_fallbacks if not _is_settled_at_generic_numbers(library, name, names)}
    return closure(bare, [*firm, *standing]) - unsettled


def _is_special(condition: Node, names: Sequence[str]) -> bool:
    """Whether a condition holds for one number of a given only, so that no quantity counts as determined by it."""
    return isinstance(condition, Apply) and condition.op == "eq" and not {*names}.isdisjoint(names_in(condition))
