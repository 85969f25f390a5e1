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
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from derive.expressions.tree import Name, Node, names_in
from derive.model.conditions import are_exclusive
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.homogeneity import degree
from derive.planning.basis import basis_of
from derive.planning.incidence import core_of, structure_of
from derive.planning.matching import closure
from derive.planning.plan import plan_for
from derive.solving.execution.conditional_relations import decisions_of

if TYPE_CHECKING:
    from derive.planning.plan import Plan
    from derive.solving.execution.question import Question


@dataclass(frozen=True)
class Roles:
    """The roles of the givens of a question in a plan, and in its checks, whose names are `tested`."""

    library: RelationSet
    question: Question
    plan: Plan
    left_out: Mapping[str, str]

    def unused(self, tested: Iterable[str]) -> tuple[str, ...]:
        """The typed givens on which neither the answer nor a check depends."""
        silent = self.question.strong.keys() - self.acting(tested)
        deciding = self._excluding(silent) if silent else set()
        return tuple(name for name in self.question.strong if name in silent and name not in deciding)

    def acts_on(self, idle: Iterable[str]) -> dict[str, str]:
        """For each given without effect, the nearest quantity of the target's dimension that both help to define.

        Whoever states a given beside a target of which it is no part may mean another target, of the same dimension. A
        definition is an equation with one name on its left. From the given and from the target, definitions are
        followed as far as all else in them is known without the given.
        """
        question = self.question
        structure = structure_of(self.library, frozenset(self.left_out), question.stated)
        base = basis_of(structure, question.target, question.strong, question.weak)
        nearest = {}
        for given in idle:
            known = closure(base.structure, {question.target, *question.strong, *base.weak} - {given})
            nearest[given] = self._defined_by_both(known, given)
        return {given: name for given, name in nearest.items() if name and name not in question.strong}

    def _defined_by_both(self, known: AbstractSet[str], given: str) -> str:
        """The nearest quantity of the target's dimension that definitions lead to from target and given; or empty."""
        library, target = self.library, self.question.target
        led_by = {target: {target}, given: {given}}  # from which of the two definitions lead to each quantity
        pending = [given, target]
        for name in pending:  # breadth first: the list grows as it is walked
            for holder in library.holders.get(name, ()):
                relation = library.relations[holder]
                defined, inputs = relation.written.lhs, {*names_in(relation.written.rhs)}
                if not relation.is_equation or not isinstance(defined, Name) or defined.name in inputs | led_by.keys():
                    continue
                if not inputs <= known | led_by.keys():
                    continue
                led_by[defined.name] = set().union(*(led_by.get(name, ()) for name in inputs))
                alike = library.declared[defined.name].dimension == library.declared[target].dimension
                if alike and led_by[defined.name] == {target, given}:
                    return defined.name
                pending.append(defined.name)
        return ""

    def cancelling(self, tested: Iterable[str], forms: Mapping[str, Node]) -> set[str]:
        """The typed givens in the answer's relations that cancel there, whatever their values are."""
        question, paths = self.question, self._path_counts()
        candidates = {name for name in question.strong if paths.get(name, 0) > 1 and name not in question.ranges}
        if any(len(block.unknowns) > 1 for block in self.plan.blocks):
            return set()
        cancelling = {name for name in candidates if self._cancels(name, forms)}
        if not cancelling:
            return set()
        compared = replace(self, plan=replace(self.plan, blocks=())).acting(tested)  # by checks alone; takes long
        return cancelling - compared

    def _path_counts(self) -> dict[str, int]:
        """The number of paths from each name to the target: a given with two or more may cancel and not act."""
        paths = {self.plan.target: 1}
        for block in reversed(self.plan.blocks):
            onward = sum(paths.get(name, 0) for name in block.unknowns)
            for name in block.inputs(self.library):
                paths[name] = paths.get(name, 0) + onward
        return paths

    def _cancels(self, given: str, forms: Mapping[str, Node]) -> bool:
        """Whether a given cancels: all that follows from it is homogeneous in it, and the target of degree zero."""
        degrees = {given: Fraction(1)}
        for name in self.plan.unknowns:
            power = degree(forms[name], degrees) if name in forms else None
            domain = self.library.declared[name].domain
            if power is None or (power and not (domain.low >= 0 and math.isinf(domain.high))):
                return False  # or another given may bring the quantity to an end of its domain
            degrees[name] = power
        return degrees.get(self.plan.target) == 0 and self.library.declared[given].domain.low >= 0

    def acting(self, tested: Iterable[str], *, with_weak: bool = False) -> set[str]:
        """The names on which the answer or its checks depend: all typed givens, and `with_weak` all other names too."""
        tested = [*tested]
        used = [*self.plan.relations, *(name for name in tested if name in self.library.relations)]
        weak = [name for name in tested if name in self.library.declared]
        names = {self.question.target, *weak, *self.library.held_by(used), *self._conditions_of(used)}
        return self._upstream(names, with_weak=with_weak)

    def _upstream(self, names: Iterable[str], *, with_weak: bool = False) -> set[str]:
        """The givens that some names depend on, and all names on the way: by the plan, or else by plans of their own.

        Plans of their own take long. They are made only until all givens are reached, except where weak values are
        asked for as well: which of these are reached by then depends on the order.
        """
        question, plan = self.question, self.plan
        known = {*question.strong, *plan.weak, question.target}
        upstream: set[str] = set()
        unplanned: list[str] = []  # names that the plan does not derive: only a condition or a bound uses them
        pending = list(names)
        while True:
            while pending:
                name = pending.pop()
                if name in upstream:
                    continue
                upstream.add(name)
                if name in plan.sources and self._of_other_cases.isdisjoint(plan.sources[name].relations):
                    pending += self.library.held_by(plan.sources[name].relations)
                elif name not in known:
                    unplanned.append(name)
            if not unplanned or (question.strong.keys() <= upstream and not with_weak):
                return upstream
            relations = self.plan_of_its_own(unplanned.pop()).relations
            pending += [*self.library.held_by(relations), *self._conditions_of(relations)]

    def plan_of_its_own(self, name: str) -> Plan:
        """The plan that shows which givens act on a quantity that only a condition or a limit contains.

        A limit may bound the target by what follows from the target itself: then that counts as known.
        """
        left_out, question = self._of_other_cases.union(self.left_out), self.question
        asked = question.for_target(name)
        core = core_of(self.library, (question.target, *question.strong, *question.weak))
        plan = asked.plan(self.library, left_out, core if name in core.names else None)
        if plan.is_determined:
            return plan
        known = [*question.strong, question.target]
        return plan_for(self.library, name, known, asked.weak, left_out, asked.stated)

    @cached_property
    def _of_other_cases(self) -> frozenset[str]:
        """The relations that never apply beside those of the plan, by their conditions."""
        of_plan = [*chain.from_iterable(self.library.relations[name].conditions for name in self.plan.relations)]
        if not of_plan:
            return frozenset()
        others = (relation for relation in self.library.conditional if relation.name not in self.plan.relations)
        return frozenset(other.name for other in others if are_exclusive(of_plan, other.conditions))

    def _conditions_of(self, relations: Iterable[str]) -> tuple[str, ...]:
        """The quantities in the conditions of some relations, which decide whether these apply."""
        return names_in(*chain.from_iterable(self.library.relations[name].conditions for name in relations))

    def _excluding(self, silent: set[str]) -> set[str]:
        """The givens that act by excluding a relation which would change the answer if it applied."""
        excluded_by: dict[str, set[str]] = {}
        target = self.question.target
        is_bounded = not self.plan.blocks and target not in self.question.strong
        for relation in (*self.left_out, *self._excluded_limits()):
            asked = names_in(*self.library.relations[relation].conditions)
            if is_bounded and target in asked:  # the other cases of the target are excluded by numbers
                asked = (*asked, *self.library.members[relation])
            for name in self._upstream(asked) & silent:
                excluded_by.setdefault(name, set()).add(relation)
        return {name for name, relations in excluded_by.items() if self._would_matter(relations)}

    def _excluded_limits(self) -> list[str]:
        """The limits whose conditions are false, by which nothing is bounded."""
        decisions = decisions_of(self.library, self.question)
        conditional = (limit for limit in self.library.inequalities if limit.conditions)
        others = [limit for limit in conditional if limit.name not in {*self.left_out, *self.plan.relations}]
        return [limit.name for limit in others if decisions.applies(limit) is False]

    def _would_matter(self, relations: set[str]) -> bool:
        """Whether a given acts by excluding relations: the plan would use one of them, or could check or bound by it.

        Where nothing fixes the target, whatever would follow from it could bound it.
        """
        question = self.question
        left_out = frozenset(self.left_out.keys() - relations)
        plan = question.plan(self.library, left_out)
        determined = frozenset({*question.strong, *plan.weak, *plan.sources})
        if not plan.is_determined:
            structure = structure_of(self.library, left_out, question.stated)
            determined = closure(structure, {question.target, *determined})
        return any(name in plan.relations or determined.issuperset(self.library.members[name]) for name in relations)
