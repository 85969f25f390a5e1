"""The role of each given: whether the answer depends on it, or is only checked against it.

A given acts if changing it can change the answer, in one of exactly three ways:

1. It stands in a relation of the plan, or in one that a relation of the plan was derived from. This includes the
  shorter of two times whose longer one binds: another number would change which one binds.
2. It decides whether a relation applies. This covers the conditions of relations that are used or checked, and of a
  relation that was left out if that relation could change the answer where it held.
3. It is compared: it stands in a relation that was checked, or the value compared with a weak value depends on it.

Every other given is unused, and the answer names it. All this is structural: it needs names and no numbers, except
for what cancels, where the closed forms of the steps decide. If everything that follows from a given is homogeneous
in it, and the target is of degree zero, the given cancels and is unused as well.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from derive.expressions.tree import Name, Node, names_in
from derive.model.relation_set import RelationSet
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import basis_of
from derive.solving.execution.plan_states import planned, planned_for
from derive.solving.sensitivity.homogeneity import degree

if TYPE_CHECKING:
    from derive.planning.plan import Plan
    from derive.solving.execution.question import Question

__all__ = ["acting", "acts_on", "cancelling", "plan_of_its_own", "unused"]


def unused(
    library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str], tested: Iterable[str]
) -> tuple[str, ...]:
    """The typed names that an answer does not use; `tested` are the names of its checks."""
    silent = question.strong.keys() - acting(library, question, made, left_out, tested)
    deciding = _deciding(library, question, made, left_out, silent) if silent else set()
    return tuple(name for name in question.strong if name in silent and name not in deciding)


def acts_on(
    library: RelationSet, question: Question, left_out: Mapping[str, str], idle: Iterable[str]
) -> dict[str, str]:
    """For idle givens, the nearest quantity of the target's kind that is defined by the target and by that given.

    Whoever states a given beside a target of which it is no part may mean another target, of the same dimension. A
    definition is an equation with one name on its left. From the given and from the target, definitions are followed as
    far as all else in them is known without the given.
    """
    base = basis_of(
        structure_of(library, frozenset(left_out), question.stated), question.target, question.strong, question.weak
    )
    found = {}
    for given in idle:
        settled = closure(base.structure, {question.target, *question.strong, *base.weak} - {given})
        found[given] = _defined_by_both(library, settled, question.target, given)
    return {given: name for given, name in found.items() if name and name not in question.strong}


def _defined_by_both(library: RelationSet, settled: AbstractSet[str], target: str, given: str) -> str:
    """The first of the target's kind that definitions lead to from both, breadth first; empty if there is none."""
    led_by = {target: {target}, given: {given}}
    pending = [given, target]
    for name in pending:  # grows as it is walked
        for one in library.holders.get(name, ()):
            relation = library.relations[one]
            defined, parts = relation.written.lhs, {*names_in(relation.written.rhs)}
            if not relation.is_equation or not isinstance(defined, Name) or defined.name in parts | led_by.keys():
                continue
            if not parts <= settled | led_by.keys():
                continue
            led_by[defined.name] = set().union(*(led_by.get(part, ()) for part in parts))
            alike = library.declared[defined.name].dimension == library.declared[target].dimension
            if alike and led_by[defined.name] == {target, given}:
                return defined.name
            pending.append(defined.name)
    return ""


def cancelling(
    library: RelationSet,
    question: Question,
    made: Plan,
    left_out: Mapping[str, str],
    tested: Iterable[str],
    forms: Mapping[str, Node],
) -> set[str]:
    """The typed names in the answer's relations that cancel there, whatever their values are."""
    ways = _ways(library, made)
    met = {name for name, value in question.strong.items() if ways.get(name, 0) > 1 and not value.is_range}
    if not met or any(len(block.unknowns) > 1 for block in made.blocks):
        return set()
    compared = acting(library, question, replace(made, blocks=()), left_out, tested)
    return {name for name in met - compared if _is_free_of(library, made, name, forms)}


def _ways(library: RelationSet, made: Plan) -> dict[str, int]:
    """The number of paths by which the target depends on each name; cancelling needs two."""
    ways = {made.target: 1}
    for block in reversed(made.blocks):
        onward = sum(ways.get(name, 0) for name in block.unknowns)
        for name in {name for relation in block.relations for name in library.members[relation]} - {*block.unknowns}:
            ways[name] = ways.get(name, 0) + onward
    return ways


def _is_free_of(library: RelationSet, made: Plan, given: str, forms: Mapping[str, Node]) -> bool:
    """Whether everything that follows from a given is homogeneous in it, and the target of degree zero."""
    degrees = {given: Fraction(1)}
    for block in made.blocks:
        for name in block.unknowns:
            grows = degree(forms[name], degrees) if name in forms else None
            domain = library.declared[name].domain
            if grows is None or (grows and not (domain.low >= 0 and math.isinf(domain.high))):
                return False
            degrees[name] = grows
    return degrees.get(made.target) == 0 and library.declared[given].domain.low >= 0


def acting(
    library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str], tested: Iterable[str]
) -> set[str]:
    """All names that the answer of a plan depends on, or that its checks compare."""
    relations = [relation for block in made.blocks for relation in block.relations]
    compared = [name for name in tested if name in library.relations]
    weak = [name for name in tested if name in library.declared]
    held = {question.target, *weak, *(name for one in (*relations, *compared) for name in library.members[one])}
    conditions = [condition for one in (*relations, *compared) for condition in library.relations[one].conditions]
    return _upstream(library, question, made, left_out, held | {*names_in(*conditions)})


def _upstream(
    library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str], names: set[str]
) -> set[str]:
    """These names and all that they are derived from: by the plan, or else by plans of their own.

    Plans of their own are made only if some givens have not been found otherwise.
    """
    blocks = {name: block for block in (*made.blocks, *made.extra) for name in block.unknowns}
    found: set[str] = set()
    aside: list[str] = []
    pending = list(names)
    while True:
        while pending:
            name = pending.pop()
            if name in found:
                continue
            found.add(name)
            if name in blocks:
                pending += [other for relation in blocks[name].relations for other in library.members[relation]]
            elif name not in question.strong and name not in made.weak and name != question.target:
                aside.append(name)  # used only by a condition or a bound
        if not aside or question.strong.keys() <= found:
            return found
        pending += _beside(library, question, left_out, aside.pop())


def _beside(library: RelationSet, question: Question, left_out: Mapping[str, str], name: str) -> Iterator[str]:
    """The quantities that a quantity is derived from by a plan of its own."""
    for block in plan_of_its_own(library, question, left_out, name).blocks:
        for relation in block.relations:
            yield from library.members[relation]


def plan_of_its_own(library: RelationSet, question: Question, left_out: Mapping[str, str], name: str) -> Plan:
    """The plan for a quantity that only a condition or a limit contains.

    A limit may bound the target by what follows from the target itself: then that counts as known.
    """
    aside = frozenset(left_out)
    asked = question.for_target(name)
    made = planned(library, asked, aside)
    if made.is_determined:
        return made
    known = [*question.strong, question.target]
    return planned_for(library, name, known, asked.weak, aside, asked.stated)


def _deciding(
    library: RelationSet, question: Question, made: Plan, left_out: Mapping[str, str], silent: set[str]
) -> set[str]:
    """The names that decide against a relation which would change the answer if it applied."""
    shut_by: dict[str, set[str]] = {}
    for relation in left_out:
        asked = names_in(*library.relations[relation].conditions)
        for name in _upstream(library, question, made, left_out, set(asked)) & silent if asked else ():
            shut_by.setdefault(name, set()).add(relation)
    return {name for name, shut in shut_by.items() if _would_matter(library, question, {*left_out} - shut, shut)}


def _would_matter(library: RelationSet, question: Question, left_out: set[str], shut: set[str]) -> bool:
    """Whether the plan would use one of these relations, or could check it."""
    other = planned(library, question, frozenset(left_out))
    blocks = (*other.blocks, *other.extra)
    settled = {*question.strong, *other.weak, *(name for block in blocks for name in block.unknowns)}
    spent = {relation for block in other.blocks for relation in block.relations}
    return any(one in spent or settled.issuperset(library.members[one]) for one in shut)
