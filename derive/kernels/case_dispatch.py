"""Which plan applies in which case, found before any number is known.

A relation may hold under conditions only. Where the givens decide a condition, it is a fork: on one side the relation
applies, on the other it is left out and the question is planned again. Where a condition depends on what the plan
computes, it is evaluated at the plan's numbers, and the plan without that relation is an alternative. So is the plan
without a relation whose condition nothing decides, which otherwise is assumed to apply.

At given numbers one side of each fork is taken, and the alternative whose conditions hold there is used.

The solver is called at each point if an alternative leaves the target open, or if no alternative determines it and
only elimination of cancelling quantities does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, combinations, permutations
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.errors import LimitError
from derive.expressions.tree import Node, names_in
from derive.model.conditions import exclude_each_other, implied, one_relation_for_each_arm
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import truth
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Plan
from derive.solving.execution.plan_states import lone_fallbacks, planned_for
from derive.solving.execution.question import Outline
from derive.time_limits import tick

if TYPE_CHECKING:
    from derive.model.relation import Relation

_MOST = 400  # limit on plans of one question
_CASES = Memo["Cases"](most=512)


@dataclass(frozen=True, slots=True)
class Case:
    """A plan, and the conditions on its own numbers."""

    plan: Plan
    holding: tuple[Node, ...] = ()  # conditions of its relations
    failing: tuple[tuple[Node, ...], ...] = ()  # conditions of each relation left out here, not all of which may hold
    assumed: tuple[Node, ...] = ()  # conditions of its relations that nothing decides
    yielding: tuple[Yielding, ...] = ()  # conditions decided by defaults that its own numbers may replace
    following: tuple[Yielding, ...] = ()  # those of them that are on what follows from its own numbers

    @property
    def is_open(self) -> bool:
        """Whether a condition is assumed that its own numbers do not decide either."""
        return not {*self.assumed} <= {one.condition for one in self.following}


@dataclass(frozen=True, slots=True)
class Yielding:
    """A condition, and the plans that lead from the numbers of a case to its quantities.

    Where it does not hold at those numbers, the case is not the one. If it holds by defaults, the solver finds out
    which is.
    """

    condition: Node
    plans: tuple[Plan, ...]


@dataclass(frozen=True, slots=True)
class Fork:
    """A condition that the givens decide, and the trees on either side of it."""

    condition: Node
    yes: Tree
    no: Tree


Tree = Case | Fork | None
"""None is where no case holds: the target is not determined."""


Asides = Mapping[str, tuple[Tree, ...]]
"""The alternatives for each quantity that conditions ask for and the givens determine."""


@dataclass(frozen=True, slots=True)
class Cases:
    """A question's alternatives, and the plans for quantities in its conditions that the givens determine."""

    outline: Outline
    alternatives: tuple[Tree, ...]
    asides: Asides
    is_asked: bool = False  # whether the solver must be called at each point
    partial: Node | None = None  # a condition that the givens decide at some numbers only
    gaps: tuple[frozenset[str], ...] = ()  # relations without which, in some case, counting leaves the target open

    @property
    def leaves(self) -> list[Case]:
        """The cases of all alternatives."""
        return [case for tree in self.alternatives for case, _ in ends(tree) if case is not None]

    @property
    def plans(self) -> list[Plan]:
        """The plans of all alternatives."""
        return [case.plan for case in self.leaves]

    @property
    def ends(self) -> list[End]:
        """The ends of all trees, those for quantities in conditions included."""
        return [*chain.from_iterable(map(ends, chain(self.alternatives, *self.asides.values())))]

    def of_aside(self, name: str) -> Cases:
        """The cases of a quantity in a condition."""
        return Cases(replace(self.outline, target=name), self.asides[name], self.asides)


def cases(library: RelationSet, outline: Outline) -> Cases:
    """All the plans for a target, by case; no alternative if it is not determined at all.

    >>> from derive.solving.execution.question import outlined
    >>> from derive.expressions.tree import render
    >>> from derive.relation_files.loading import load
    >>> drag = load('''[quantities]
    ... Re = { unit = "1" }
    ... friction = { unit = "1" }
    ... [relations]
    ... laminar = { equation = "friction = 64/Re", when = ["Re < 2300"] }
    ... blasius = { equation = "friction = 0.316/Re**0.25", when = ["Re >= 4000"] }''')
    >>> (first,) = cases(drag, outlined(drag, "friction", ["Re"])).alternatives
    >>> render(first.condition), first.yes.plan.blocks[0].relations, render(first.no.condition), first.no.no
    ('Re < 2300', ('laminar',), 'Re >= 4000', None)
    """
    return _CASES.of(library.session, outline, lambda: _Sorting(library, outline).run())


def cases_of_arms(library: RelationSet, outline: Outline) -> tuple[RelationSet, Cases] | None:
    """The cases of a target where each arm of a choice is a relation of its own, in the library of those.

    An arm that a condition excludes needs no value there. None if that determines the target nowhere either.
    """
    apart = one_relation_for_each_arm(library)
    if apart is None or outline.target not in closure(structure_of(apart), [*outline.strong, *outline.weak]):
        return None
    found = cases(apart, outline)
    return (apart, found) if found.alternatives else None


def cases_of_stated(library: RelationSet, outline: Outline) -> Cases:
    """The same without the fallbacks on which alone a plan rests: what nothing stated leads to is not determined."""
    found = cases(library, outline)
    idle = frozenset[str]().union(*(lone_fallbacks(library, made, outline) for made in found.plans))
    if not idle:
        return found
    weak = tuple(name for name in outline.weak if name not in idle)
    return cases_of_stated(library, replace(outline, weak=weak))


class _Sorting:
    """The sorting of one target's plans; `asides` is shared with those of the quantities in its conditions."""

    def __init__(
        self, library: RelationSet, outline: Outline, asides: dict[str, tuple[Tree, ...]] | None = None
    ) -> None:
        self.library = library
        self.outline = outline
        self.asides = {} if asides is None else asides
        self.asides[outline.target] = ()  # the target itself decides nothing
        self.rivals: list[frozenset[str]] = []  # further sets to put aside, where relations exclude each other
        self.hanging: set[str] = set()  # the relations whose conditions depend on what a plan computes
        self.constants: dict[Node, bool | None] = {}  # what defaults say of conditions
        self.gaps: dict[frozenset[str], None] = {}
        self.count = 0

    def run(self) -> Cases:
        trees: dict[frozenset[str], Tree] = {}
        is_open = False
        pending: list[frozenset[str]] = [frozenset()]
        while pending:
            aside = pending.pop(0)
            if aside in trees or self._always_holds_one(aside):
                continue
            trees[aside] = self._tree(aside, aside, {})
            is_gap = bool(aside or self.rivals) and open_sides(trees[aside]) > 0
            pending += self.rivals
            self.rivals.clear()
            is_open |= is_gap and (self._is_spoken_of(aside) or aside <= self.hanging)
            for case in (case for case, _ in ends(trees[aside]) if case is not None):
                unsure = [r for r in self._conditional(case.plan) if not all(map(self._is_settled, r.conditions))]
                self.hanging |= {r.name for r in unsure if self._hanging(r, case.plan)}
                pending += [aside | {r.name} for r in unsure]
        found = tuple(tree for tree in trees.values() if tree is not None)
        asides = {name: trees for name, trees in self.asides.items() if trees}
        sorted_out = Cases(self.outline, found, asides, gaps=tuple(self.gaps))
        decided = chain.from_iterable(conditions for _, conditions in sorted_out.ends)
        partial = next(filter(self._is_partly_settled, decided), None)
        return replace(sorted_out, is_asked=bool(found) and (is_open or partial is not None), partial=partial)

    def _is_partly_settled(self, condition: Node) -> bool:
        """Whether a condition's quantity is determined in some cases only: elsewhere, the condition is assumed."""
        asked = (name for name in names_in(condition) if name not in self.outline.strong)
        return not all(any(not open_sides(tree) for tree in self.asides.get(name, ())) for name in asked)

    def _always_holds_one(self, aside: frozenset[str]) -> bool:
        """Whether one of several relations applies whatever the numbers: where one condition fails, another holds."""
        single = [held[0] for name in aside if len(held := self.library.relations[name].conditions) == 1]
        return any(implied(one, {other: False}) is True for one, other in permutations(single, 2))

    def _is_spoken_of(self, aside: frozenset[str]) -> bool:
        """Whether another relation covers, in its case, the quantities of one of those put aside."""
        relations, members = self.library.relations, self.library.members
        spoken = {name for one in aside if relations[one].conditions for name in members[one]}
        others = (one.name for one in self.library.conditional if one.name not in aside)
        return any(not spoken.isdisjoint(members[name]) for name in others)

    def _tree(self, aside: frozenset[str], left_out: frozenset[str], truths: Mapping[Node, bool]) -> Tree:
        """The tree without these relations, at these truths; the conditions of those aside depend on the answer."""
        tick()
        self.count += 1
        if self.count > _MOST:
            raise LimitError(
                f"{self.outline.target} may need more than {_MOST} plans, depending on the case.",
                hint="Leave out the relations of other cases: library.without(name, ...).",
                limit=f"{_MOST} plans",
            )
        asked = self.outline
        made = planned_for(self.library, asked.target, asked.strong, asked.weak, left_out, asked.stated)
        if not made.is_determined:
            self.gaps[left_out] = None
            return None
        conditional = self._conditional(made)
        for condition in (condition for relation in conditional for condition in relation.conditions):
            if implied(condition, truths) is not None:
                continue
            constant = self._by_fallbacks(condition)
            if constant is not None:
                return self._side(aside, left_out, {**truths, condition: constant})
            if self._is_settled(condition):
                yes = self._side(aside, left_out, {**truths, condition: True})
                no = self._side(aside, left_out, {**truths, condition: False})
                return None if yes is no is None else Fork(condition, yes, no)
        for one, other in combinations(conditional, 2):
            if any(exclude_each_other(a, b) for a in one.conditions for b in other.conditions):
                self.rivals.append(aside | {one.name})
                return self._tree(aside, left_out | {other.name}, truths)
        holding = [condition for relation in conditional for condition in self._hanging(relation, made)]
        failing = [self._hanging(self.library.relations[name], made) for name in sorted(aside)]
        open_ones = [condition for relation in conditional for condition in relation.conditions]
        assumed = [c for c in open_ones if c not in holding and not self._is_settled(c)]
        by_defaults = (condition for condition in dict.fromkeys(open_ones) if self._by_fallbacks(condition))
        yielding = tuple(filter(None, (self._yielding(condition, made, left_out) for condition in by_defaults)))
        following = tuple(filter(None, (self._following(condition, made) for condition in assumed)))
        told = tuple(dict.fromkeys(holding)), tuple(filter(None, failing)), tuple(assumed)
        return Case(made, *told, yielding, following)

    def _following(self, condition: Node, made: Plan) -> Yielding | None:
        """How the numbers of a plan lead to a condition's quantities, by relations that always hold."""
        reached = dict.fromkeys([*self.outline.strong, *made.unknowns])
        missing = [name for name in names_in(condition) if name not in reached and name not in self.outline.weak]
        if not missing:
            return None
        always = frozenset(relation.name for relation in self.library.conditional)
        plans = [planned_for(self.library, name, reached, made.weak, always, self.outline.stated) for name in missing]
        return Yielding(condition, tuple(plans)) if all(one.is_determined for one in plans) else None

    def _yielding(self, condition: Node, made: Plan, left_out: frozenset[str]) -> Yielding | None:
        """How the numbers of a plan replace the defaults of a condition; None if they do not."""
        reached = dict.fromkeys([*self.outline.strong, *made.unknowns])
        plans = [planned_for(self.library, name, reached, (), left_out) for name in names_in(condition)]
        firm = [one for one in plans if one.is_determined and not self._conditional(one)]
        return Yielding(condition, tuple(firm)) if firm else None

    def _side(self, aside: frozenset[str], left_out: frozenset[str], truths: Mapping[Node, bool]) -> Tree:
        """One side of a fork, without the relations that do not apply there."""
        false = {
            relation.name
            for relation in self.library.conditional
            if relation.name not in left_out
            and any(implied(condition, truths) is False for condition in relation.conditions)
        }
        return self._tree(aside, left_out | false, truths)

    def _conditional(self, made: Plan) -> list[Relation]:
        used = (self.library.relations[name] for name in made.relations)
        return [relation for relation in used if relation.conditions]

    def _is_settled(self, condition: Node) -> bool:
        """Whether the givens decide it, in every case alike."""
        if self._by_fallbacks(condition) is not None:
            return True
        return all(name in self.outline.strong or self._derived(name) for name in names_in(condition))

    def _by_fallbacks(self, condition: Node) -> bool | None:
        """The truth of a condition on defaults that nothing replaces: it is the same in every case."""
        if condition not in self.constants:
            names, defaults = names_in(condition), self.library.defaults
            fixed = {name: defaults[name].base for name in names if self._is_fallback(name)}
            is_known = fixed.keys() == {*names} and not any(defaults[name].is_range for name in names)
            numbers = {name: base[1] for name, base in fixed.items()}
            self.constants[condition] = truth(condition, numbers) if is_known else None
        return self.constants[condition]

    def _is_fallback(self, name: str) -> bool:
        is_default = name in self.library.defaults and name in self.outline.weak and name not in self.outline.stated
        return is_default and name != self.outline.target and not self._derived(name)

    def _derived(self, name: str) -> tuple[Tree, ...]:
        """The plans for a quantity in a condition, if they assume nothing."""
        if name not in self.asides:
            weak = tuple(other for other in self.outline.weak if other != name)
            inner = _Sorting(self.library, replace(self.outline, target=name, weak=weak), self.asides)
            found = inner.run()
            assumed = any(case.assumed for case in found.leaves)
            self.asides[name] = () if assumed or inner.hanging else found.alternatives
        return self.asides[name]

    def _hanging(self, relation: Relation, made: Plan) -> tuple[Node, ...]:
        """The conditions of a relation that are decided by what a plan computes, or by weak values."""
        known = {*self.outline.strong, *self.outline.weak, *made.unknowns}
        return tuple(
            condition
            for condition in relation.conditions
            if known.issuperset(names_in(condition)) and not self._is_settled(condition)
        )


End = tuple[Case | None, tuple[Node, ...]]
"""An end of a tree: its case, and the conditions that are decided on the way to it."""


def ends(tree: Tree, decided: tuple[Node, ...] = ()) -> Iterator[End]:
    """All ends of a tree."""
    if isinstance(tree, Fork):
        for side in (tree.yes, tree.no):
            yield from ends(side, (*decided, tree.condition))
    else:
        yield tree, decided


def open_sides(tree: Tree) -> int:
    """How many sides of its conditions a tree leaves open."""
    return sum(case is None for case, _ in ends(tree))
