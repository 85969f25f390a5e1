"""Conditional relations: those that hold under conditions (`when`), followed case by case.

A conditional relation is an implication: if all its conditions hold, so does the relation; otherwise it says nothing.
A case assumes that some of these relations apply and that others do not. The cases of a question are found by
splitting:

1. A question is planned with every conditional relation that may apply. One that the givens decide is kept or left
  out. The first undecided one that an answer would depend on splits the question in two: it applies, or it does not.
  Each side is a question of its own and may split again; relations that no answer depends on never split.
2. Every solution is on one side of every split. A leaf uses only relations that apply to its solutions, so if each
  leaf has all its solutions, the leaves together have all there are. A leaf is skipped only if its conditions exclude
  each other within the domains.
3. A solution belongs to its leaf's case if the conditions hold at its numbers; otherwise another leaf finds it, or it
  is none. A condition on a quantity that nothing determines is an assumption of the answer.
4. A leaf that does not fix the target leaves an interval where the conditions of the case hold, if they involve the
  target; if not, the case is open. While a case is open, no solution is called absent, and none unique without saying
  so.

A condition is decided by the givens and by what follows from them through relations that surely apply (those without
conditions, and those that are decided or assumed to apply); and by the domains, cut down by the other conditions of
the case. Where a quantity of a condition does not follow, its weak value is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import replace
from functools import cached_property, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from derive.errors import DeriveError, VerificationError
from derive.expressions.tree import Node, names_in, render
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.evaluation import holds, truth, truth_within
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Span, truths
from derive.planning.basis import is_determined, is_surely_open
from derive.planning.incidence import Core, Structure, core_of, structure_of
from derive.planning.plan import Plan
from derive.solving.execution.case_claims import CaseLogic, is_possible
from derive.solving.execution.plan_states import all_of
from derive.time_limits import tick

if TYPE_CHECKING:
    from derive.model.relation import Relation
    from derive.solving.execution.question import Question


ANOTHER = "its case does not apply"  # why a relation is left out that a case takes not to apply
MOST_CASES = 64  # limit on cases of one question that are followed
_T = TypeVar("_T")
_Key = tuple[str, str]  # what is found once: its kind, "decided" or "derived", and the name of a relation or a quantity
_WEAK = "weak"  # the kind of a weak value that is not used while it is being found whether its quantity follows


class Undecided(Exception):  # noqa: N818 - no error: the question has to be asked case by case
    """A plan depends on a conditional relation that the givens do not decide."""

    def __init__(self, relation: str) -> None:
        super().__init__(relation)
        self.relation = relation


def explored(
    library: RelationSet, question: Question, answered: Callable[[Question], _T]
) -> Iterator[tuple[Question, _T | DeriveError | None]]:
    """Each case into which conditional relations split a question, with what `answered` makes of it, or its error."""
    pending, followed = [question], 0  # cases that split are not counted
    while pending:
        tick()
        asked = pending.pop()
        if followed >= MOST_CASES:
            yield asked, None
            return
        try:
            outcome: _T | DeriveError = answered(asked)
        except Undecided as split:
            for case in (asked.case.without(split.relation), asked.case.taking(split.relation)):
                side = replace(asked, case=case)
                if is_possible(library, side):
                    pending.append(side)
            continue
        except VerificationError:
            raise
        except DeriveError as error:
            outcome = error.with_traceback(None)  # whose frames would keep the error alive
        followed += 1
        yield asked, outcome


def verdict_at(condition: Node, values: Mapping[str, float]) -> bool | None:
    """The verdict on a relation's condition at these numbers, False if undefined; None if a quantity is unknown."""
    return holds(condition, values) if values.keys() >= {*names_in(condition)} else None


def applies_at(relation: Relation, values: Mapping[str, float]) -> bool | None:
    """Whether a conditional relation applies at these numbers; None if they leave that open."""
    return _all_hold(verdict_at(condition, values) for condition in relation.conditions)


def _all_hold(verdicts: Iterable[bool | None]) -> bool | None:
    """Whether a conditional relation applies at given numbers, as all its conditions hold; None if one is open."""
    distinct = {*verdicts}
    if False in distinct:
        return False
    return None if None in distinct else True


def whether(condition: Node, values: Mapping[str, float], question: Question) -> str:
    """Why a conditional relation does not apply, as a sentence; a range is taken at its midpoint."""
    verdict = "is undefined" if truth(condition, values) is None else "is false"
    fixed = question.values.keys() - question.stated_ranges.keys()
    if question.stated_ranges and not fixed >= set(names_in(condition)):
        verdict += " in the middle of the ranges"
    return f"{render(condition)} {verdict}"


class Decisions:
    """The conditions that one question decides, each decided once.

    A condition may depend on itself. That decides nothing, and no result found meanwhile is cached: asked again from
    elsewhere, it may be decided.
    """

    def __init__(self, library: RelationSet, question: Question) -> None:
        """Start the decisions on a question's conditional relations: the givens are known, and nothing is decided."""
        self.library = library
        self.question = question.detached()
        self.logic = CaseLogic.of(library, question)  # what the case itself says of conditions
        self.derived: dict[str, float | None] = dict(question.numbers)
        self.carried_out: dict[str, Plan] = {}  # the plans by which quantities were derived, or were not
        self.decided: dict[str, bool | None] = {}
        self.pending: set[_Key] = set()  # what is being decided or derived now
        self.met: set[_Key] = set()  # the pending items that were needed again meanwhile
        self.provisional: dict[_Key, tuple[Any, frozenset[_Key]]] = {}  # results, with the pending items that they met
        self.settled_weak: set[str] = set()  # quantities with weak values that were derived by themselves
        self.refuted: set[str] = set()  # weak values that decided a condition, and that its own case replaces

    def applies(self, relation: Relation) -> bool | None:
        """Whether a conditional relation applies in the question's case; None if nothing decides that."""
        if relation.name in self.question.case.holding or not relation.conditions:
            return True
        if relation.name in self.question.case.failing:
            return False
        conditions = relation.conditions
        return self._once(self.decided, "decided", relation.name, lambda: _all_hold(map(self.truth, conditions)))

    def following(self, name: str) -> float | None:
        """The number that decides on a conditional relation if it follows from the givens without assumptions."""
        return self._once(self.derived, "derived", name, lambda: self._derived(name))

    def _once(self, results: dict[str, _T | None], kind: str, name: str, compute: Callable[[], _T | None]) -> _T | None:
        """The decision on a conditional relation, or a derived number, found once; None while it is being found.

        A result that rests on such a None is provisional. It is dropped if the other is found to be something else;
        otherwise conditions that decide each other would be gone through in every order.
        """
        if name in results:
            return results[name]
        key = kind, name
        if key in self.provisional:
            result, met = self.provisional[key]
            self.met |= met
            return result  # type: ignore[no-any-return]
        tick()
        if key in self.pending:
            self.met.add(key)
            return None
        outer, self.met = self.met, set()  # to tell what this result meets from what others did
        self.pending.add(key)
        none_was_right = False  # whether those that met it meanwhile, and took it for None, were right
        try:
            result = compute()
            none_was_right = not result if kind == "decided" else result is None
        finally:
            self.pending.discard(key)
            met = frozenset(self.met - {key, (_WEAK, name)})
            self.met = outer | met
            self._settle(key, met, none_was_right=none_was_right)
        if not self.pending:
            if self._settle_weak(met):
                return self._once(results, kind, name, compute)  # by what is known now
            met = frozenset()
        self._keep(key, result, met)
        return result

    def _settle_weak(self, met: frozenset[_Key]) -> bool:
        """Derive what a decision on a conditional relation needs and had in doubt; False if there is nothing.

        While it is being found whether a quantity follows from others, its weak value decides nothing, and results that
        rest on that are dropped. Each of these quantities is derived by itself, once.
        """
        for key, (_, others) in list(self.provisional.items()):
            if any(kind == _WEAK for kind, _ in others):
                del self.provisional[key]
        doubtful = sorted(name for kind, name in met if kind == _WEAK and name not in self.settled_weak)
        self.settled_weak.update(doubtful)
        for name in doubtful:
            self.following(name)
        return bool(doubtful)

    def _settle(self, key: _Key, met: frozenset[_Key], *, none_was_right: bool) -> None:
        """Drop decisions on conditional relations that rest on a pending one, if its outcome contradicts them."""
        for resting, (result, others) in list(self.provisional.items()):
            if key not in others:
                continue
            del self.provisional[resting]
            if none_was_right:
                self._keep(resting, result, (others - {key}) | met)

    def _keep(self, key: _Key, result: Any, met: frozenset[_Key]) -> None:
        """Store a decision on a conditional relation, for good if it rests on nothing that is pending."""
        kind, name = key
        if met:
            self.provisional[key] = result, met
        elif kind == "decided":
            self.decided[name] = result
        else:
            self.derived[name] = result

    def yields(self, relation: Relation) -> bool:
        """Whether a conditional relation applies only by a weak value that yields to the result."""
        if relation.name in self.question.case.holding:
            return False
        weak = [name for name in names_in(*relation.conditions) if name in self.question.weak]
        return any(self.logic.fixed(name) is None and self.following(name) is None for name in weak)

    def applying_by(self, names: Iterable[str], plan: Plan) -> tuple[list[str], list[str]]:
        """Some relations with those that lead to their conditions, and the typed values there, by which all apply.

        A quantity in a condition is as the plan derives it, or else as it follows from the givens.
        """
        relations = dict.fromkeys(names)
        pending = list(relations)
        givens: dict[str, None] = {}
        for relation in pending:  # the list grows as it is walked
            tick()
            for name in self._deciding(self.library.relations[relation]):
                is_derived_apart = name not in plan.sources and self.derived.get(name) is not None
                source = self.carried_out.get(name, plan) if is_derived_apart else plan
                for origin in source.behind([name], self.library):
                    if origin in source.sources:
                        further = [other for other in source.sources[origin].relations if other not in relations]
                        relations.update(dict.fromkeys(further))
                        pending += further
                    elif origin in self.question.strong:
                        givens[origin] = None
        return pending, list(givens)

    def _deciding(self, relation: Relation) -> tuple[str, ...]:
        """The quantities that decide whether a conditional relation applies: where a domain does, it needs no other."""
        domains = {name: self.library.declared[name].domain.ends for name in names_in(*relation.conditions)}
        return names_in(*(condition for condition in relation.conditions if not truth_within(condition, domains)))

    def whether(self, relation: Relation) -> str:
        """The reason why a conditional relation is decided not to apply in this case."""
        if relation.name in self.question.case.failing:
            return ANOTHER
        false = (condition for condition in relation.conditions if self.truth(condition) is False)
        condition = next(false, relation.conditions[0])
        numbers = self._numbers(condition)
        if len(numbers) == len(names_in(condition)):
            return whether(condition, numbers, self.question)
        return f"{render(condition)} is false in this case"

    def truth(self, condition: Node) -> bool | None:
        """The truth of a relation's condition by known numbers, by the case, or by domains; None if none decides it."""
        numbers = self._numbers(condition)
        by_numbers = verdict_at(condition, numbers)
        if by_numbers is not None:
            return by_numbers
        by_case = self.logic.verdict(condition)
        if by_case is not None:
            return by_case
        box = self.logic.box
        if box is None:
            return None
        domains = {name: self.library.declared[name].domain.ends for name in names_in(condition) if name not in box}
        possible = truths(condition, {**domains, **box, **point_box(numbers)})
        if True not in possible:
            return False
        return None if len(possible) > 1 else True

    def verdict(self, condition: Node) -> bool | None:
        """The verdict on a relation's condition by the givens, wherever they may lie; None if they leave it open."""
        spans: dict[str, Span] = {}
        for name in names_in(condition):
            given, domain = self.question.strong.get(name), self.library.declared[name].domain
            number = None if self.question.ranges else self.value(name)
            if given is not None:
                spans[name] = given.base[0], given.base[2]
            elif number is not None:
                spans[name] = number, number
            else:
                spans[name] = domain.ends
        return truth_within(condition, spans)

    def surely_applies(self, relation: Relation) -> bool:
        """Whether a conditional relation applies wherever the givens may lie."""
        return all(self.verdict(condition) is True for condition in relation.conditions)

    def _numbers(self, condition: Node) -> dict[str, float]:
        """The numbers by which a relation's condition is decided: those of its quantities, as far as they are known."""
        return {name: number for name in names_in(condition) if (number := self.value(name)) is not None}

    def value(self, name: str) -> float | None:
        """The number of a quantity in a relation's condition if it follows without assumptions, else its weak value."""
        number = self.following(name)
        if number is not None or name not in self.question.weak:
            return number
        if ("derived", name) in self.pending:
            self.met.add((_WEAK, name))
            return None  # for now: its weak value, unless it turns out to follow
        return self.question.weak[name].base[1]

    def stated_behind(self, name: str) -> frozenset[str]:
        """The typed and the weak values by which a quantity in a relation's condition has its number."""
        behind, seen = set[str](), set[str]()
        pending = [name]
        while pending:
            current = pending.pop()
            if current in seen:
                continue
            seen.add(current)
            plan = self.carried_out.get(current)
            if current in self._strong or self.following(current) is None or plan is None:
                behind.update({current} & self._stated)
                continue
            relations = [self.library.relations[relation] for relation in plan.relations]
            inputs = chain.from_iterable(block.inputs(self.library) for block in plan.blocks)
            behind.update(plan.weak_behind_target(self.library), self._strong.intersection(inputs))
            pending += chain.from_iterable(names_in(*relation.conditions) for relation in relations)
        return frozenset(behind)

    def weak_behind(self, name: str) -> frozenset[str]:
        """The weak values by which a quantity in a relation's condition has its number."""
        return self.stated_behind(name) - self._strong

    @cached_property
    def _stated(self) -> Set[str]:
        return self.question.strong.keys() | self.question.weak.keys()

    @cached_property
    def _strong(self) -> frozenset[str]:
        return frozenset(self.question.strong)

    @cached_property
    def _core(self) -> Core:
        return core_of(self.library, (self.question.target, *self._strong, *self.question.weak))

    def _graph(self, name: str) -> Structure:
        """The relations that may determine a quantity in another relation's condition, of the question or of all."""
        failing, stated = frozenset(self.question.case.failing), self.question.stated
        if name not in self._core.names:
            return structure_of(self.library, failing, stated)
        return self._core.structure(failing & self._core.decisive, stated)

    def is_in_reach(self, name: str) -> bool:
        """Whether a condition's quantity is stated, or could be determined if all conditional relations applied."""
        strong, weak = self._strong, tuple(self.question.weak)
        if name in strong or name in self.question.weak:
            return True
        graph = self._graph(name)
        if is_surely_open(graph, name, strong, weak):
            return False
        return is_determined(graph, name, strong, weak)

    def is_of_ranges(self, name: str) -> bool:
        """Whether a quantity in a relation's condition is a range that is typed, or follows from one."""
        plan = self.carried_out.get(name)
        origins = {name} if plan is None else {name, *self.library.held_by(plan.relations)}
        return not origins.isdisjoint(self.question.ranges)

    def _undecided(self) -> Iterator[tuple[str, frozenset[_Key]]]:
        """The conditional relations not decided yet, each with the pending items that decide it."""
        for kind, name in self.pending:
            if kind == "decided":
                yield name, frozenset({(kind, name)})
        for (kind, name), (applies, met) in self.provisional.items():
            if kind == "decided" and applies is not True:
                yield name, met

    def rest_on(self, weak: Set[str]) -> bool:
        """Whether one of some weak values led to a number that may decide on relations, or decided and was refuted."""
        used = (plan.weak_behind_target(self.library) for plan in self.carried_out.values())
        return not weak.isdisjoint(self.refuted.union(*used))

    def _derived(self, name: str) -> float | None:
        """A number that decides on conditional relations, from relations that apply; undecided ones are not tried."""
        is_open = is_surely_open(self._graph(name), name, self._strong, self.question.weak)
        if is_open or not self.is_in_reach(name):
            return None
        undecided = dict(self._undecided())
        never = {relation for relation, applies in self.decided.items() if applies is not True}
        left_out = never | undecided.keys() | self.question.case.failing
        number = self._number_without(left_out, self.question.for_target(name))
        if number is None:  # perhaps only as some relations are undecided now
            self.met.update(*undecided.values())
        return number

    def _number_without(self, left_out: set[str], question: Question) -> float | None:
        """A number that decides on conditional relations, from a plan without those that may not apply."""
        core = self._core if question.target in self._core.names else None
        make_plan = partial(question.plan, self.library, core=core)
        plan = self.applicable_plan(make_plan, left_out, is_kept=lambda applies: applies is True)
        if not plan.is_determined:
            return None
        self.carried_out[question.target] = plan
        numbers = all_of(self.library, plan, question.start(plan), self.question.hints)
        return numbers[0] if numbers is not None and len(numbers) == 1 else None

    def applicable_plan(
        self, make_plan: Callable[[frozenset[str]], Plan], start: Iterable[str], is_kept: Callable[[bool | None], bool]
    ) -> Plan:
        """A plan without the relations of `start`, and without conditional ones that are decided not to be kept."""
        left_out = frozenset(start)
        while True:
            plan = make_plan(left_out)
            used = (self.library.relations[name] for name in plan.relations)
            unkept = {rule.name for rule in used if rule.conditions and not is_kept(self.applies(rule))}
            if not unkept:
                return plan
            left_out |= unkept


def decisions_of(library: RelationSet, question: Question) -> Decisions:
    """The decisions on which conditional relations apply, by which a question is followed case by case.

    They are stored with the question, for all uses of the same values in the same case.
    """
    key = question.case, id(question.strong), id(question.weak)
    if key not in question.decided:
        question.decided[key] = Decisions(library, question)
    decisions: Decisions = question.decided[key]
    return decisions
