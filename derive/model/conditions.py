"""Conditions: which imply others and which exclude each other; relations taken apart by those of their choices.

A comparison of two expressions bounds their difference, and one with a number bounds an expression. So each
comparison is an interval on a line, and conditions exclude each other where their intervals on one line are disjoint.
An undefined value satisfies no comparison; only between names and numbers, which always have a value, does the
failure of one comparison imply its opposite. Of other expressions the domains decide that (`case_claims`).

Relations are left without the arms that are excluded, or become a relation for each arm: `k = u if e > 4 else 10*t`
does not need t where e is 5. A plan is made from the names of relations, so the names of an arm that the condition
excludes must not be among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from derive.caches import Memo
from derive.expressions.tree import (
    COMPARISONS,
    OPPOSITE,
    Apply,
    Equation,
    Node,
    Number,
    cases,
    conjunction,
    is_simple,
    names_in,
    operations,
    render,
    replaced,
)
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet

MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}

_Claim = tuple[object, str, float]
"""What is compared, how, and with which number."""


def implied(condition: Node, truths: Mapping[Node, bool]) -> bool | None:
    """Whether other conditions of known truth make a condition true or false; None if they do not decide it.

    >>> from derive.expressions.grammar import parse_condition
    >>> implied(parse_condition("Re >= 4000"), {parse_condition("Re < 2300"): True})
    False
    """
    if condition in truths:
        return truths[condition]
    if truths.get(Apply("not", (condition,))):
        return False
    claim = _claim_of(condition)
    if claim is None:
        return _implied_by_parts(condition, truths)
    subject, op, number = claim
    known = (_claim_of(other if truth else _negation(other)) for other, truth in truths.items())
    of_subject = [other for other in known if other is not None and other[0] == subject]
    if not of_subject:
        return None
    if not _is_possible([*of_subject, claim]):
        return False
    return None if _is_possible([*of_subject, (subject, OPPOSITE[op], number)]) else True


def _implied_by_parts(condition: Node, truths: Mapping[Node, bool]) -> bool | None:
    """Whether other conditions of known truth decide the parts of a `not`, `and` or `or`, and so the whole; or None."""
    if not isinstance(condition, Apply) or condition.op not in ("not", "and", "or"):
        return None
    verdicts = {implied(part, truths) for part in condition.args}
    if condition.op == "not":  # where a condition fails, it may be undefined, and then its negation fails as well
        return False if True in verdicts else None
    is_decisive = condition.op == "or"
    if is_decisive in verdicts:
        return is_decisive
    return None if None in verdicts else not is_decisive


def are_exclusive(conditions: Collection[Node], others: Collection[Node]) -> bool:
    """Whether some conditions never all hold together with others, as one of them excludes one of the others.

    >>> from derive.expressions.grammar import parse_condition
    >>> are_exclusive([parse_condition("x*y > z")], [parse_condition("z >= x*y")])
    True
    """
    return _exclude(conditions, others) or _exclude(others, conditions)


def _exclude(conditions: Iterable[Node], others: Iterable[Node]) -> bool:
    """Whether one of the other conditions fails wherever these hold."""
    truths = dict.fromkeys(conditions, True)
    return any(implied(other, truths) is False for other in others)


@lru_cache(maxsize=4096)  # a tree of many cases asks for each of them at every fork
def _claim_of(condition: Node) -> _Claim | None:
    """A condition's comparison as a bound on one side if the other is a number, else on the difference; or None."""
    if not isinstance(condition, Apply) or condition.op not in COMPARISONS.values():
        return None
    left, right = condition.args
    for subject, bound, op in ((left, right, condition.op), (right, left, MIRRORED[condition.op])):
        if isinstance(bound, Number):
            return subject, op, bound.real
        if isinstance(bound, Apply) and bound.op == "neg" and isinstance(bound.args[0], Number):
            return subject, op, -bound.args[0].real
    if render(left) > render(right):  # either side may be written first
        return (right, left), MIRRORED[condition.op], 0.0
    return (left, right), condition.op, 0.0


@lru_cache(maxsize=4096)
def _negation(condition: Node) -> Node:
    """The negation of a condition: the opposite comparison between names and numbers, which always have a value."""
    if isinstance(condition, Apply) and condition.op in OPPOSITE and all(map(is_simple, condition.args)):
        return Apply(OPPOSITE[condition.op], condition.args, condition.at)
    return Apply("not", (condition,))


def _is_possible(claims: Iterable[_Claim]) -> bool:
    """Whether some number satisfies all of these claims about one expression, made by comparisons with numbers."""
    low, low_open, high, high_open = -math.inf, True, math.inf, True
    excluded = set()
    for _, op, number in claims:  # of two bounds at one number, the open one is tighter
        if op in ("gt", "ge", "eq") and (number, op == "gt") > (low, low_open):
            low, low_open = number, op == "gt"
        if op in ("lt", "le", "eq") and (number, op != "lt") < (high, not high_open):
            high, high_open = number, op == "lt"
        if op == "ne":
            excluded.add(number)
    if low == high:
        return not (low_open or high_open or low in excluded)
    return low < high


# Relations taken apart

_ARM = " arm "  # between the name of a relation and the place of its arm
_MOST_ARMS = 8  # limit on arms of one relation that are taken apart
_TAKEN_APART = Memo["RelationSet | None"](most=2)
_REDUCED = Memo[RelationSet](most=16)
_CHOOSING = Memo["list[Relation]"](most=1)  # the relations that have a name in some arms only

Verdict = Callable[[Node], "bool | None"]
"""Whether a condition holds; None if nothing decides it."""


def _chooses_names(relation: Relation, *, of_same_names: bool = False) -> bool:
    """Whether a relation has names in some arms of a choice only, which conditions may exclude; or any choice."""
    choices = operations(*relation.written.sides, among=("piecewise",))
    return any(of_same_names or len({frozenset(names_in(arm)) for arm, _ in cases(choice)}) > 1 for choice in choices)


def without_excluded_arms(library: RelationSet, verdict: Verdict) -> RelationSet | None:
    """A library's relations without the arms that conditions exclude; None if no relation loses a name by that."""
    fewer: dict[str, Equation] = {}
    choosing = _CHOOSING.of(library.session, "", lambda: [*filter(_chooses_names, library.relations.values())])
    for relation in choosing:
        old = relation.written
        new = old.changed(partial(_without_false_arms, verdict=verdict))
        if len(new.names) < len(old.names):
            fewer[relation.name] = replace(new, text=str(old))
    if not fewer:
        return None
    key = tuple((name, new.lhs, new.rhs) for name, new in fewer.items())

    def make_library() -> RelationSet:
        relations = library.relations.values()
        return library.holding(_with_equation(each, fewer.get(each.name, each.written)) for each in relations)

    return _REDUCED.of(library.session, key, make_library)


def _without_false_arms(node: Node, verdict: Verdict) -> Node:
    """An expression without the arms that are excluded: those of its choices whose conditions are false."""
    if not isinstance(node, Apply):
        return node
    if node.op != "piecewise":
        return Apply(node.op, tuple(_without_false_arms(arg, verdict) for arg in node.args), node.at)
    kept: list[Node] = []
    failed: list[Node] = []
    for arm, condition in cases(node):
        if condition is None:
            kept.append(_without_false_arms(arm, verdict))
            if failed and len(kept) == 1:
                kept.append(conjunction([_negation(failing) for failing in failed]))
            break
        holds = verdict(condition)
        if holds is False:
            failed.append(condition)
            continue
        kept += [_without_false_arms(arm, verdict), condition]
        if holds is True:
            break
    return Apply("piecewise", tuple(kept), node.at) if kept else node


def one_relation_for_each_arm(library: RelationSet, *, of_same_names: bool = False) -> RelationSet | None:
    """The library with choices taken apart, a relation under conditions for each arm; None if it has no choice.

    Which of them apply is found out as for any relation under conditions. Choices all of whose arms have the same names
    are taken apart only where that is asked for.
    """
    is_apart = partial(_chooses_names, of_same_names=of_same_names)

    def make_library() -> RelationSet | None:
        """Take the library's choices apart into relations under conditions; None without a choice."""
        if not any(map(is_apart, library.relations.values())):
            return None
        relations: list[Relation] = []
        for relation in library.relations.values():
            arms = list(_arms(relation)) if is_apart(relation) else []
            if not arms or len(arms) > _MOST_ARMS:
                relations.append(relation)
                continue
            for place, (equation, conditions) in enumerate(arms):
                name = f"{relation.name}{_ARM}{place}"
                relations.append(_with_equation(relation, equation, name, _without_implied(conditions)))
        return library.holding(relations)

    return _TAKEN_APART.of(library.session, of_same_names, make_library)


def relation_of_arm(name: str) -> str:
    """The name of the relation that was taken apart, of which one arm became the relation of this name."""
    return name.rpartition(_ARM)[0]


def with_arms(library: RelationSet, arms: Mapping[str, Relation]) -> RelationSet:
    """The library with one arm in the place of each choice, under the name and the text of the arm's own relation."""

    def restored(relation: Relation) -> Relation:
        arm = arms.get(relation.name)
        if arm is None:
            return relation
        return _with_equation(arm, replace(arm.written, text=str(relation.written)), relation.name)

    key = tuple((name, arm.name) for name, arm in arms.items())
    return _REDUCED.of(library.session, key, lambda: library.holding(map(restored, library.relations.values())))


def _without_implied(conditions: tuple[Node, ...]) -> tuple[Node, ...]:
    """Conditions without those that the others imply: `x > 1 and x > 2` is `x > 2`."""
    kept = list(dict.fromkeys(conditions))
    for condition in tuple(kept):
        others = {other: True for other in kept if other != condition}
        if implied(condition, others):
            kept.remove(condition)
    return tuple(kept)


def _arms(relation: Relation) -> Iterator[tuple[Equation, tuple[Node, ...]]]:
    """The equations into which the choices of a relation are taken apart, each with the conditions of its arms."""
    pending: list[tuple[Equation, tuple[Node, ...]]] = [(replace(relation.written, text=""), ())]
    while pending:
        equation, conditions_so_far = pending.pop()
        choice = next(operations(*equation.sides, among=("piecewise",)), None)
        if choice is None:
            yield equation, conditions_so_far
            continue
        failed: list[Node] = []
        branches: list[tuple[Node, tuple[Node, ...]]] = []
        for arm, condition in cases(choice):
            own = () if condition is None else (condition,)
            branches.append((arm, (*map(_negation, failed), *own)))
            failed += own
        for arm, conditions in reversed(branches):
            chosen = equation.changed(partial(replaced, old=choice, new=arm))
            pending.append((chosen, (*conditions_so_far, *conditions)))


def _with_equation(
    relation: Relation, written: Equation, name: str = "", conditions: tuple[Node, ...] = ()
) -> Relation:
    """The relation without some of its arms: another equation, more conditions, and only the quantities in these."""
    all_conditions = (*relation.conditions, *conditions)
    names = names_in(written, *all_conditions)
    declared = {quantity: relation.declared[quantity] for quantity in relation.declared if quantity in names}
    return relation.but(name=name or relation.name, written=written, declared=declared, conditions=all_conditions)
