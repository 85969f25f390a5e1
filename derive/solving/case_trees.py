"""Trees of cases: which plan applies in which case, found before any number is known.

A relation may hold under conditions only. Where the givens decide a condition, it is a fork: on one side the relation
applies, on the other it is left out and the question is planned again. Where a condition depends on what the plan
computes, it is evaluated at the plan's numbers, and the plan without that relation is an alternative. So is the plan
without a relation whose condition nothing decides, which otherwise is assumed to apply.

At given numbers one side of each fork is taken, and the alternative whose conditions hold there is used.

The solver is called at each point if an alternative leaves the target open, or if no alternative determines it and
only elimination of cancelling quantities does.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, permutations, product
from typing import TYPE_CHECKING

from derive.caches import Memo
from derive.errors import LimitError
from derive.expressions.tree import Node, names_in
from derive.model.conditions import are_exclusive, implied, one_relation_for_each_arm
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import truth
from derive.planning.incidence import structure_of
from derive.planning.matching import closure
from derive.planning.plan import Block, Plan, plan_for
from derive.solving.cancellation.typed_alone import plan_by_typed, without_displaced, yielding_to_typed
from derive.solving.execution.question import Outline, lone_fallbacks, outlined
from derive.time_limits import query, tick

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
    yielding: tuple[YieldingCondition, ...] = ()  # conditions decided by defaults that its own numbers may replace
    following: tuple[YieldingCondition, ...] = ()  # those of them that are on what follows from its own numbers

    def left_by(self, known: Callable[[Node], bool | None]) -> Case | None:
        """The case with only those conditions on its numbers of which nothing is known; None if it does not apply."""
        if any(known(condition) is False for condition in self.holding):
            return None
        open_groups = [group for group in self.failing if not any(known(condition) is False for condition in group)]
        if any(all(map(known, group)) for group in open_groups):
            return None
        holding = tuple(condition for condition in self.holding if known(condition) is None)
        return replace(self, holding=holding, failing=tuple(open_groups))

    @property
    def is_on_assumptions(self) -> bool:
        """Whether the case rests on more than conditions at forks and on its own numbers."""
        return bool(self.assumed or self.yielding)

    def names(self, library: RelationSet) -> set[str]:
        """The quantities that lead to the target in the case, or are in conditions on its numbers."""
        conditions = (*self.holding, *chain.from_iterable(self.failing))
        return {*library.held_by(self.plan.relations), *names_in(*conditions)}

    @property
    def is_open(self) -> bool:
        """Whether the case rests on a condition that no fork decides, and that its own numbers do not decide either."""
        return not {*self.assumed} <= {following.condition for following in self.following}


@dataclass(frozen=True, slots=True)
class YieldingCondition:
    """A condition, and the plans that lead from the numbers of a case to its quantities.

    Where it does not hold at those numbers, the case does not apply. If it holds by defaults only, the solver finds out
    which case applies.
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
    may_go_past_typed: bool = False  # whether weak values may yield to typed ones, as only all cases at numbers tell
    partial: Node | None = None  # a condition that the givens decide at some numbers only
    gaps: tuple[frozenset[str], ...] = ()  # relations without which, in some case, counting leaves the target open
    without_forks: frozenset[str] = frozenset()  # quantities in conditions whose own cases the givens do not tell apart

    @property
    def leaves(self) -> list[Case]:
        """The cases in which the target has a plan, from the trees of all alternatives."""
        return [case for case, _ in chain.from_iterable(map(ends, self.alternatives)) if case is not None]

    @property
    def plans(self) -> list[Plan]:
        """The plans of all cases in which the target has one."""
        return [case.plan for case in self.leaves]

    @property
    def ends(self) -> list[End]:
        """The ends of all trees of forks, with or without a case, those for quantities in conditions included."""
        return [*chain.from_iterable(map(ends, chain(self.alternatives, *self.asides.values())))]

    def where(self, library: RelationSet, varying: Iterable[str], truth_of: Callable[[Node], bool | None]) -> Cases:
        """The cases that are left where only some givens vary, by the truths of the conditions on all other numbers.

        A model's profile says once for all batches whether it has experts. Names alone do not tell, and leave so many
        cases that no lines would serve.
        """
        changing = frozenset(varying)
        moving = changing.union(self.without_forks, *(plan.unknowns for plan in self.plans))

        @cache
        def known(condition: Node) -> bool | None:
            return truth_of(condition) if self._is_constant(condition, library, changing, moving) else None

        def left(tree: Tree) -> Tree:
            if not isinstance(tree, Fork):
                return None if tree is None else tree.left_by(known)
            truth_here = known(tree.condition)
            if truth_here is None:
                return replace(tree, yes=left(tree.yes), no=left(tree.no))
            return left(tree.yes if truth_here else tree.no)

        return replace(self, alternatives=tuple(tree for tree in map(left, self.alternatives) if tree is not None))

    def _is_constant(
        self, condition: Node, library: RelationSet, varying: frozenset[str], moving: frozenset[str]
    ) -> bool:
        """Whether a condition is true in all cases or in none, whatever numbers some of the givens have.

        What has no tree of its own is as it is stated, unless cases lead to it (`moving`).
        """
        pending = [*names_in(condition)]
        for name in pending:  # grows as it is walked
            trees = self.asides.get(name, ())
            is_stated = name in self.outline.strong or name in self.outline.weak
            if name in varying or not (trees or (is_stated and name not in moving)):
                return False
            for case, decided in chain.from_iterable(map(ends, trees)):
                if case is not None and (case.is_on_assumptions or not varying.isdisjoint(case.names(library))):
                    return False
                pending += [other for other in names_in(*decided) if other not in pending]
        return True

    @property
    def is_everywhere(self) -> bool:
        """Whether an alternative always leads to the target: it tests nothing and has steps on each side of forks."""
        return any(all(_tests_nothing(case) for case, _ in ends(tree)) for tree in self.alternatives)

    def of_aside(self, name: str) -> Cases:
        """The trees of cases that compute a quantity in a condition, as alternatives of a question of its own."""
        return Cases(replace(self.outline, target=name), self.asides[name], self.asides)


def cases(library: RelationSet, outline: Outline) -> Cases:
    """The trees of forks that sort all plans for a target by case; no alternative if it is not determined at all.

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
    return _CASES.of(library.session, outline, lambda: _CaseSorter(library, without_displaced(library, outline)).run())


def cases_of_arms(library: RelationSet, outline: Outline) -> tuple[RelationSet, Cases] | None:
    """The trees of cases for a target where each arm of a choice is a relation, and the library of these relations.

    An arm that a condition excludes needs no value there. None if that determines the target nowhere either.
    """
    arms = one_relation_for_each_arm(library)
    if arms is None or outline.target not in closure(structure_of(arms), [*outline.strong, *outline.weak]):
        return None
    target_cases = cases(arms, outline)
    return (arms, target_cases) if target_cases.alternatives else None


def cases_of_stated(library: RelationSet, outline: Outline) -> Cases:
    """The trees of cases for a target, planned without the fallbacks that alone lead to it.

    What follows from such a fallback only is not determined. Where it stands alone in some cases, and beside what is
    stated in others, it counts in those others.
    """
    target_cases = cases(library, outline)
    lone_in = {plan: lone_fallbacks(library, plan, outline) for plan in target_cases.plans}
    idle = frozenset[str]().union(*lone_in.values())
    if not idle:
        return target_cases
    weak = tuple(name for name in outline.weak if name not in idle)
    without = cases_of_stated(library, replace(outline, weak=weak))
    lone_plans = {plan for plan, lone in lone_in.items() if lone}
    if all(idle.isdisjoint(_weak_behind(library, plan)) for plan in lone_in.keys() - lone_plans):
        return without
    return _with_lone_cases_replaced(target_cases, without, lone_plans)


def _weak_behind(library: RelationSet, plan: Plan) -> Iterator[str]:
    """The weak values that a case's plan uses, and the quantities that decide whether its relations apply."""
    yield from plan.weak
    for name in plan.relations:
        yield from names_in(*library.relations[name].conditions)


def _with_lone_cases_replaced(target_cases: Cases, without: Cases, lone_plans: Container[Plan]) -> Cases:
    """A target's trees of cases, with other trees in place of each case that rests on fallbacks alone.

    The solver is asked at each point where the two cannot stand in one tree.
    """
    # of several alternatives each has a value of its own, and a quantity in a condition can have one list of cases only
    are_single = len(target_cases.alternatives) == 1 and len(without.alternatives) <= 1
    shared = target_cases.asides.keys() & without.asides.keys()
    is_joined = are_single and all(target_cases.asides[name] == without.asides[name] for name in shared)
    instead: Tree = None
    if is_joined and without.alternatives:
        (instead,) = without.alternatives
    trees = (_replaced(tree, lone_plans, instead) for tree in target_cases.alternatives)
    return replace(
        target_cases,
        outline=without.outline,  # elimination of what cancels may not rest on these fallbacks either
        alternatives=tuple(tree for tree in trees if tree is not None),
        asides={**without.asides, **target_cases.asides},
        is_asked=target_cases.is_asked or without.is_asked or not is_joined,
        may_go_past_typed=target_cases.may_go_past_typed or without.may_go_past_typed,
        partial=target_cases.partial or without.partial,
        gaps=(*target_cases.gaps, *without.gaps),
        without_forks=target_cases.without_forks | without.without_forks,
    )


def _replaced(tree: Tree, plans: Container[Plan], instead: Tree) -> Tree:
    """A tree of cases with another tree in place of each case that has one of some plans."""
    if isinstance(tree, Fork):
        return replace(tree, yes=_replaced(tree.yes, plans, instead), no=_replaced(tree.no, plans, instead))
    return instead if tree is not None and tree.plan in plans else tree


class _CaseSorter:
    """Sorts the plans of one target by case; `asides` is shared with the sorters of quantities in its conditions.

    Relations are left out of a plan for two reasons: a condition of theirs is false in the case, or they are `excluded`
    on trial, since the givens do not decide whether they apply.
    """

    def __init__(
        self, library: RelationSet, outline: Outline, asides: dict[str, tuple[Tree, ...]] | None = None
    ) -> None:
        """Begin to sort the plans of a target by case; the target itself decides no condition."""
        self.library = library
        self.outline = outline
        self.asides = {} if asides is None else asides
        self.asides[outline.target] = ()  # the target itself decides nothing
        self.rivals: list[frozenset[str]] = []  # further sets to exclude, where relations exclude each other
        self.on_results: set[str] = set()  # the relations whose conditions depend on what a plan computes
        self.constants: dict[Node, bool | None] = {}  # what defaults say of conditions
        self.gaps: dict[frozenset[str], None] = {}
        self.without_forks: set[str] = set()  # quantities in conditions whose own cases the givens do not tell apart
        self.count = 0

    def run(self) -> Cases:
        """Sort the plans for a target into trees of cases, one without each set of relations that may not apply."""
        trees: dict[frozenset[str], Tree] = {}
        is_open = False
        pending: list[frozenset[str]] = [frozenset()]
        while pending:
            excluded = pending.pop(0)
            if excluded in trees or self._one_always_applies(excluded):
                continue
            trees[excluded] = self._tree(excluded, excluded, {})
            is_gap = bool(excluded or self.rivals) and open_sides(trees[excluded]) > 0
            pending += self.rivals
            self.rivals.clear()
            is_open |= is_gap and (self._is_covered(excluded) or excluded <= self.on_results)
            for case in (case for case, _ in ends(trees[excluded]) if case is not None):
                for relation in self._conditional(case.plan):
                    if all(map(self._is_decided, relation.conditions)):
                        continue
                    if self._decided_by_results(relation, case.plan):
                        self.on_results.add(relation.name)
                    pending.append(excluded | {relation.name})
        alternatives = tuple(tree for tree in trees.values() if tree is not None)
        asides = {name: trees for name, trees in self.asides.items() if trees}
        sorted_out = Cases(
            self.outline,
            alternatives,
            asides,
            gaps=tuple(self.gaps),
            without_forks=frozenset(self.without_forks),
        )
        decided = chain.from_iterable(conditions for _, conditions in sorted_out.ends)
        partial = next(filter(self._is_partly_decided, decided), None)
        may_go_past_typed = bool(alternatives) and self._may_go_past_typed(sorted_out)
        assumed = chain.from_iterable(case.assumed for case in sorted_out.leaves)
        is_open |= any(not self.without_forks.isdisjoint(names_in(condition)) for condition in assumed)
        is_asked = bool(alternatives) and (is_open or partial is not None or may_go_past_typed)
        return replace(sorted_out, is_asked=is_asked, partial=partial, may_go_past_typed=may_go_past_typed)

    def _may_go_past_typed(self, target_cases: Cases) -> bool:
        """Whether weak values lead to a case or decide on it though counting finds a plan by typed ones alone.

        Such a plan has conditional relations, so that only all cases at given numbers tell which weak values yield.
        """
        used = chain.from_iterable(case.plan.weak_behind_target(self.library) for case in target_cases.leaves)
        conditions = {condition for condition, constant in self.constants.items() if constant is not None}
        conditions.update(*(decided for _, decided in target_cases.ends))
        conditions.update(*(case.holding for case in target_cases.leaves))
        if {*used, *names_in(*conditions)}.isdisjoint(yielding_to_typed(self.library, self.outline)):
            return False
        typed = plan_by_typed(self.library, self.outline)
        return typed.is_determined and bool(self._conditional(typed))

    def _is_partly_decided(self, condition: Node) -> bool:
        """Whether a fork's quantity is determined in some cases only: elsewhere, the condition is assumed."""
        computed = (name for name in names_in(condition) if name not in self.outline.strong)
        return not all(any(not open_sides(tree) for tree in self.asides.get(name, ())) for name in computed)

    def _one_always_applies(self, excluded: frozenset[str]) -> bool:
        """Whether no case leaves all of several relations out, as one condition fails only where another holds."""
        single = [conditions[0] for name in excluded if len(conditions := self.library.relations[name].conditions) == 1]
        return any(implied(condition, {other: False}) is True for condition, other in permutations(single, 2))

    def _is_covered(self, excluded: frozenset[str]) -> bool:
        """Whether a relation that a case leaves out shares quantities with a conditional relation that it keeps."""
        relations, members = self.library.relations, self.library.members
        covered = set[str]().union(*(members[name] for name in excluded if relations[name].conditions))
        others = (relation.name for relation in self.library.conditional if relation.name not in excluded)
        return any(not covered.isdisjoint(members[name]) for name in others)

    def _tree(self, excluded: frozenset[str], left_out: frozenset[str], truths: Mapping[Node, bool]) -> Tree:
        """The tree of forks and cases without some relations, at known truths; no given decides on `excluded`."""
        tick()
        self.count += 1
        if self.count > _MOST:
            raise LimitError(
                f"{self.outline.target} may need more than {_MOST} plans, depending on the case.",
                hint="Leave out the relations of other cases: library.without(name, ...).",
                limit=f"{_MOST} plans",
            )
        outline = self.outline
        plan = plan_for(self.library, outline.target, outline.strong, outline.weak, left_out, outline.stated)
        if not plan.is_determined:
            self.gaps[left_out] = None
            return None
        conditional = self._conditional(plan)
        for condition in chain.from_iterable(relation.conditions for relation in conditional):
            if implied(condition, truths) is not None:
                continue
            constant = self._truth_by_defaults(condition)
            if constant is not None:
                return self._side(excluded, left_out, {**truths, condition: constant})
            if self._is_decided(condition):
                yes = self._side(excluded, left_out, {**truths, condition: True})
                no = self._side(excluded, left_out, {**truths, condition: False})
                return None if yes is no is None else Fork(condition, yes, no)
        for relation, rival in combinations(conditional, 2):
            if are_exclusive(relation.conditions, rival.conditions):
                self.rivals.append(excluded | {relation.name})
                return self._tree(excluded, left_out | {rival.name}, truths)
        on_results = (self._decided_by_results(relation, plan) for relation in conditional)
        holding = dict.fromkeys(chain.from_iterable(on_results))
        failing = [self._decided_by_results(self.library.relations[name], plan) for name in sorted(excluded)]
        conditions = [*chain.from_iterable(relation.conditions for relation in conditional)]
        assumed = [c for c in conditions if c not in holding and not self._is_decided(c)]
        by_defaults = filter(self._truth_by_defaults, dict.fromkeys(conditions))
        yielding = tuple(filter(None, (self._yielding(condition, plan, left_out) for condition in by_defaults)))
        following = tuple(filter(None, (self._following(condition, plan) for condition in assumed)))
        return Case(plan, tuple(holding), tuple(filter(None, failing)), tuple(assumed), yielding, following)

    def _following(self, condition: Node, plan: Plan) -> YieldingCondition | None:
        """The plans by which a case's numbers lead, unconditionally, to a condition that it assumes; None without."""
        known = dict.fromkeys([*self.outline.strong, *plan.unknowns])
        missing = [name for name in names_in(condition) if name not in known and name not in self.outline.weak]
        if not missing:
            return None
        always = frozenset(relation.name for relation in self.library.conditional)
        plans = [plan_for(self.library, name, known, plan.weak, always, self.outline.stated) for name in missing]
        return YieldingCondition(condition, tuple(plans)) if all(inner.is_determined for inner in plans) else None

    def _yielding(self, condition: Node, plan: Plan, left_out: frozenset[str]) -> YieldingCondition | None:
        """The plans by which a case's own numbers replace the defaults that decide a condition; None if they do not."""
        known = dict.fromkeys([*self.outline.strong, *plan.unknowns])
        plans = [plan_for(self.library, name, known, (), left_out) for name in names_in(condition)]
        firm = [inner for inner in plans if inner.is_determined and not self._conditional(inner)]
        return YieldingCondition(condition, tuple(firm)) if firm else None

    def _side(self, excluded: frozenset[str], left_out: frozenset[str], truths: Mapping[Node, bool]) -> Tree:
        """The tree of cases on one side of a fork, without the relations that do not apply there."""
        for relation in self.library.conditional:
            if relation.name not in left_out and any(implied(c, truths) is False for c in relation.conditions):
                left_out |= {relation.name}
        return self._tree(excluded, left_out, truths)

    def _conditional(self, plan: Plan) -> list[Relation]:
        """The relations in a plan that confine it to a case, as they hold under conditions only."""
        used = (self.library.relations[name] for name in plan.relations)
        return [relation for relation in used if relation.conditions]

    def _is_decided(self, condition: Node) -> bool:
        """Whether a condition is known before a case is chosen: by the givens at a fork, or by fixed defaults."""
        if self._truth_by_defaults(condition) is not None:
            return True
        return all(name in self.outline.strong or self._trees_of(name) for name in names_in(condition))

    def _truth_by_defaults(self, condition: Node) -> bool | None:
        """The truth of a condition that is no fork, on defaults that nothing replaces in any case; else None."""
        if condition not in self.constants:
            names, defaults = names_in(condition), self.library.defaults
            fixed = {name: defaults[name].base for name in names if self._is_fallback(name)}
            is_known = fixed.keys() == {*names} and not any(defaults[name].is_range for name in names)
            numbers = {name: base[1] for name, base in fixed.items()}
            self.constants[condition] = truth(condition, numbers) if is_known else None
        return self.constants[condition]

    def _is_fallback(self, name: str) -> bool:
        """Whether a quantity has its default in every case, as no tree of cases leads to a number of its own."""
        is_default = name in self.library.defaults and name in self.outline.weak and name not in self.outline.stated
        return is_default and name != self.outline.target and not self._trees_of(name)

    def _trees_of(self, name: str) -> tuple[Tree, ...]:
        """The trees of cases for a quantity in a condition; none unless forks on the givens decide between them."""
        if name not in self.asides:
            weak = tuple(other for other in self.outline.weak if other != name)
            sorter = _CaseSorter(self.library, replace(self.outline, target=name, weak=weak), self.asides)
            target_cases = sorter.run()
            assumed = any(case.assumed for case in target_cases.leaves)
            self.asides[name] = () if assumed or sorter.on_results else target_cases.alternatives
            if target_cases.alternatives and not self.asides[name]:
                self.without_forks.add(name)
        return self.asides[name]

    def _decided_by_results(self, relation: Relation, plan: Plan) -> tuple[Node, ...]:
        """The conditions of a relation that no fork decides, but the results or weak values of a case's plan."""
        known = {*self.outline.strong, *self.outline.weak, *plan.unknowns}
        tested = (condition for condition in relation.conditions if known.issuperset(names_in(condition)))
        return tuple(condition for condition in tested if not self._is_decided(condition))


End = tuple[Case | None, tuple[Node, ...]]
"""An end of a tree: its case, and the conditions that are decided on the way to it."""


def ends(tree: Tree, decided: tuple[Node, ...] = ()) -> Iterator[End]:
    """All ends of a tree of cases, each with the conditions that are decided on the way to it."""
    if isinstance(tree, Fork):
        for side in (tree.yes, tree.no):
            yield from ends(side, (*decided, tree.condition))
    else:
        yield tree, decided


def same_steps(first: Cases, second: Cases) -> bool:
    """Whether two questions for a target take the same steps in all cases, in whatever order conditions are decided.

    What a case rests on, and tests, may differ. Conditions may hold together unless it is seen that they exclude each
    other. Alternatives with the steps of one that tests nothing have no other value than that.
    """
    only_steps = _only_steps(first)
    if only_steps is not None and only_steps == _only_steps(second):
        return True
    if len(first.alternatives) != len(second.alternatives):
        return False
    for tree, other_tree in zip(first.alternatives, second.alternatives, strict=True):
        for (case, truths), (other, other_truths) in product(_decided(tree, {}), _decided(other_tree, {})):
            may_meet = all(implied(condition, truths) in (truth, None) for condition, truth in other_truths.items())
            if may_meet and _steps(case) != _steps(other):
                return False
    return True


def _decided(tree: Tree, truths: Mapping[Node, bool]) -> Iterator[tuple[Case | None, Mapping[Node, bool]]]:
    """All ends of a tree of cases, each with the truths of the conditions that are decided on the way to it."""
    if isinstance(tree, Fork):
        yield from _decided(tree.yes, {**truths, tree.condition: True})
        yield from _decided(tree.no, {**truths, tree.condition: False})
    else:
        yield tree, truths


def _only_steps(target_cases: Cases) -> tuple[Block, ...] | None:
    """The steps to a target that are the same in all cases, where an alternative tests nothing; None if there are none.

    A case that tests something may not apply, and then has no value.
    """
    steps_of_all = {plan.blocks for plan in target_cases.plans}
    return steps_of_all.pop() if len(steps_of_all) == 1 and target_cases.is_everywhere else None


def _tests_nothing(case: Case | None) -> bool:
    return case is not None and not (case.holding or case.failing or case.is_on_assumptions)


def _steps(case: Case | None) -> object:
    """By what a case is computed, and what decides on the way whether it applies."""
    if case is None:
        return None
    return case.plan.blocks, case.holding, case.failing, case.assumed, case.yielding, case.following


def weak_in_conditions(library: RelationSet, target_cases: Cases) -> frozenset[str]:
    """The weak values by which it is decided which case of a target applies, at once or through relations."""
    outline = target_cases.outline
    relations = chain.from_iterable(plan.relations for plan in target_cases.plans)
    conditions = chain.from_iterable(library.relations[name].conditions for name in relations)
    deciding = set[str]()
    known = {outline.target, *outline.strong}.union(*(plan.weak for plan in target_cases.plans))
    for name in dict.fromkeys(names_in(*conditions)):
        if name in known:
            continue
        others = tuple(other for other in outline.weak if other != name)
        plans = cases(library, replace(outline, target=name, weak=others, stated=outline.stated - {name})).plans
        deciding.update(*(plan.weak for plan in plans))
        if not plans and name in outline.weak:
            deciding.add(name)
    return frozenset(deciding)


def open_sides(tree: Tree) -> int:
    """The number of ends in a tree of cases at which no case holds, and which have no plan."""
    return sum(case is None for case, _ in ends(tree))


def plans_for(library: RelationSet, target: str, given: Iterable[str]) -> Cases | None:
    """The plans, sorted by case, for a quantity needed beside a target and not asked for, if it is determined."""
    with query():
        target_cases = cases(library, outlined(library, target, given))
        return replace(target_cases, is_asked=False) if target_cases.alternatives else None
