"""Weak values that counting needs, though what is typed determines the target as something cancels.

With `c = b`, `s = b - a` and `e = c + s + a`, a typed e gives c, as a cancels. Counting does not see that, and would
take a default of b for c. A weak value is never used beside what is typed and leads to the target, so such plans are
set aside. Relations count here if they always apply, and exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain, combinations
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.model.conditions import are_exclusive
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.modular import point_on, slopes
from derive.planning.incidence import core_of
from derive.planning.plan import Plan, plan_for
from derive.solving.cancellation.jacobian_rank import Rows, combined, jacobian_of

if TYPE_CHECKING:
    from derive.solving.execution.question import Outline, Question

_FIXED = Memo[bool](most=256)
_NEAR = Memo[bool](most=64)
_BY_TYPED = Memo[Plan](most=256)
_RIVALS = 8  # limit on relations that are left out as rivals of others; beyond it, counting is believed


def unsure_relations(library: RelationSet) -> frozenset[str]:
    """The relations that need not apply, or not exactly, and so do not count for what is typed alone."""
    relations = library.relations.items()
    return frozenset(name for name, relation in relations if relation.conditions or not relation.is_exact)


def definitions_in(library: RelationSet, weak: Iterable[str]) -> tuple[str, ...]:
    """The weak names whose values are definitions, which count beside what is typed alone."""
    defaults = library.defaults
    return tuple(name for name in weak if name in defaults and defaults[name].source.kind == "exact")


def yielding_to_typed(library: RelationSet, outline: Outline) -> list[str]:
    """The weak names whose values yield to what is typed: all but definitions, and fallbacks.

    That nothing was said of a fallback's quantity is an assumption about the case.
    """
    kept = {*definitions_in(library, outline.weak)}
    kept |= {name for name, value in library.defaults.items() if value.source.stands_in and name not in outline.stated}
    return [name for name in outline.weak if name not in kept]


def plan_by_typed(library: RelationSet, outline: Outline) -> Plan:
    """The plan that counting finds by what is typed alone if conditional relations apply, one of each two rivals.

    At the numbers other relations may apply: that it is determined says only that it is worth going through all cases.
    """
    known = (*outline.strong, *definitions_in(library, outline.weak))

    def plan_without(left_out: frozenset[str]) -> Plan:
        """Plan without some relations; of two that exclude each other, either may apply."""
        plan = plan_for(library, outline.target, known, (), left_out)
        conditional = [library.relations[name] for name in plan.relations if library.relations[name].conditions]
        for relation, rival in combinations(conditional, 2):
            if len(left_out) < _RIVALS and are_exclusive(relation.conditions, rival.conditions):
                without_rival = plan_without(left_out | {rival.name})
                return without_rival if without_rival.is_determined else plan_without(left_out | {relation.name})
        return plan

    return _BY_TYPED.of(library.session, (outline.target, frozenset(known)), lambda: plan_without(frozenset()))


def rests_on_typed(library: RelationSet, plan: Plan) -> bool:
    """Whether a plan starts from what is typed and from definitions alone."""
    used = plan.weak_behind_target(library)
    return len(definitions_in(library, used)) == len(used)


def displaced_by_typed(library: RelationSet, outline: Outline, plan: Plan) -> list[str]:
    """The weak values on which a plan's target rests, if what is typed alone determines it as something cancels."""
    idle = frozenset(outline.strong).difference(library.held_by(plan.relations))
    in_use = plan.weak_behind_target(library) if idle else []
    displaced = sorted(set(in_use).difference(definitions_in(library, in_use)))
    return displaced if displaced and _is_fixed(library, outline, idle) else []


def displaced_on_the_way(library: RelationSet, outline: Outline, plan: Plan) -> list[str]:
    """The weak values on which a plan rests though what is typed determines their quantities, as something cancels.

    Simultaneous equations may repeat or contradict each other: of `c = a + b` and `d = 2*a + 2*b` with a typed c and a
    weak d, d is twice c.
    """
    if not plan.weak:
        return []
    systems = chain.from_iterable(block.relations for block in plan.blocks if len(block.relations) > 1)
    in_systems = library.held_by(systems).keys()
    definitions = definitions_in(library, plan.weak)
    in_use = [name for name in plan.weak_behind_target(library) if name not in definitions]
    elsewhere = [name for name in in_use if name not in in_systems]
    candidates = {*in_use} if _may_be_fixed(library, outline, elsewhere) else {*in_use}.intersection(in_systems)
    return [name for name in in_use if name in candidates and _is_fixed(library, replace(outline, target=name))]


def without_displaced(library: RelationSet, outline: Outline) -> Outline:
    """The outline without the weak values by which its plan would go past what is typed alone."""
    plan = plan_for(library, outline.target, outline.strong, outline.weak, stated=outline.stated)
    displaced = displaced_on_the_way(library, outline, plan) or displaced_by_typed(library, outline, plan)
    if not displaced:
        return outline
    weak = tuple(name for name in outline.weak if name not in displaced)
    return without_displaced(library, replace(outline, weak=weak, stated=outline.stated.intersection(weak)))


def typed_first(library: RelationSet, question: Question) -> Question:
    """The question without the weak values by which its plan would go past what is typed alone."""
    kept = without_displaced(library, question.outline).weak
    displaced = question.weak.keys() - {*kept}
    return question.yielding(sorted(displaced)) if displaced else question


def _may_be_fixed(library: RelationSet, outline: Outline, names: Sequence[str]) -> bool:
    """Whether one of some quantities stands in any relation that may be combined with others to fix it."""
    known = frozenset(outline.strong).union(definitions_in(library, outline.weak), names)

    def may_be_fixed() -> bool:
        """Peel off the relations that alone contain an open quantity, and see what is left."""
        core = core_of(library, known)
        structure = core.structure(unsure_relations(library) & core.decisive, frozenset())
        lone_relations = structure.apart(known)
        left = structure.quantities_of(relation for relation in structure.members if relation not in lone_relations)
        return not left.isdisjoint(names)

    return bool(names) and _NEAR.of(library.session, (known, frozenset(names)), may_be_fixed)


def _rows_at(library: RelationSet, relations: Iterable[str], point: Mapping[str, int], known: Set[str]) -> Rows:
    """The slopes in what is open of relations that hold at a point; none where a side is undefined there."""
    rows = {}
    for name in relations:
        its = slopes(library.relations[name].written, point)
        if its is not None:
            rows[name] = {member: slope for member, slope in its.of_ratio.items() if member not in known}
    return rows


def _is_fixed(library: RelationSet, outline: Outline, idle: frozenset[str] | None = None) -> bool:
    """Whether what is typed alone fixes the target, by relations that hold an idle given if there are such names.

    Nearly always no such relation is left once those are peeled off that alone contain an open quantity.
    """
    target, strong = outline.target, frozenset(outline.strong)
    definitions = definitions_in(library, outline.weak)

    def is_fixed() -> bool:
        """Whether a combination of certain relations fixes the target, found from names alone."""
        unsure = unsure_relations(library)
        known = strong.union(definitions)
        core = core_of(library, (target, *known))
        structure = core.structure(unsure & core.decisive, frozenset())
        relations = structure.bearing(target, known, known.union((target,)))
        bearing = structure.quantities_of(relations)
        if target not in bearing or (idle is not None and bearing.isdisjoint(idle)):
            return False
        point = point_on(library.relations[name].written for name in relations)
        if point is not None:
            return combined(_rows_at(library, relations, point, known), target) is not None
        alone = replace(outline, weak=definitions, stated=frozenset(definitions))
        jacobian = jacobian_of(library, alone, unsure, only_combined=True)
        # where relations do not hold, terms that they share cancel in one way of writing them and not in the other
        return any(combined(rows, target) is not None for rows in jacobian.forms)

    return _FIXED.of(library.session, (target, strong, definitions, idle), is_fixed)
