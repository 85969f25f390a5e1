"""Conditions: which imply others and which exclude each other; relations taken apart by those of their choices.

A comparison of two expressions bounds their difference, and one with a number bounds an expression. So each
comparison is an interval on a line, and conditions exclude each other where their intervals on one line are disjoint.
An undefined value satisfies no comparison; only between names and numbers, which always have a value, does the
failure of one comparison imply its opposite.

Relations are left without the arms that are excluded, or become a relation for each arm: `k = u if e > 4 else 10*t`
does not need t where e is 5. A plan is made from the names of relations, so the names of an arm that the condition
excludes must not be among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
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
    replaced,
)
from derive.model.relation import Relation
from derive.model.relation_set import RelationSet

MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}

_Claim = tuple[object, str, float]
"""What is compared, how, and with which number."""


def implied(condition: Node, truths: Mapping[Node, bool]) -> bool | None:
    """Whether a condition is true or false because of others; None if they do not decide it.

    >>> from derive.expressions.grammar import parse_condition
    >>> implied(parse_condition("Re >= 4000"), {parse_condition("Re < 2300"): True})
    False
    """
    if condition in truths:
        return truths[condition]
    claim = _claim(condition)
    if claim is None:
        return None
    known = [_claim(other if truth else _denied(other)) for other, truth in truths.items()]
    around = [one for one in known if one is not None and one[0] == claim[0]]
    if around and not _is_possible([*around, claim]):
        return False
    subject, op, number = claim
    return True if around and not _is_possible([*around, (subject, OPPOSITE[op], number)]) else None


def exclude_each_other(one: Node, other: Node) -> bool:
    """Whether two conditions never hold together."""
    first, second = _claim(one), _claim(other)
    return first is not None and second is not None and first[0] == second[0] and not _is_possible([first, second])


@lru_cache(maxsize=4096)  # a tree of many cases asks for each of them at every fork
def _claim(condition: Node) -> _Claim | None:
    if not isinstance(condition, Apply) or condition.op not in COMPARISONS.values():
        return None
    left, right = condition.args
    for subject, bound, op in ((left, right, condition.op), (right, left, MIRRORED[condition.op])):
        if isinstance(bound, Number):
            return subject, op, bound.real
        if isinstance(bound, Apply) and bound.op == "neg" and isinstance(bound.args[0], Number):
            return subject, op, -bound.args[0].real
    return (left, right), condition.op, 0.0


@lru_cache(maxsize=4096)
def _denied(condition: Node) -> Node:
    """The negation of a condition: the opposite comparison between names and numbers, which always have a value."""
    if isinstance(condition, Apply) and condition.op in OPPOSITE and all(map(is_simple, condition.args)):
        return Apply(OPPOSITE[condition.op], condition.args, condition.at)
    return Apply("not", (condition,))


def _is_possible(claims: Iterable[_Claim]) -> bool:
    """Whether some number satisfies all these claims."""
    low, low_open, high, high_open = -math.inf, True, math.inf, True
    excluded = set()
    for _, op, number in claims:
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
_MOST = 8  # limit on arms of one relation that are taken apart
_TAKEN_APART = Memo["RelationSet | None"](most=2)
_REDUCED = Memo[RelationSet](most=16)
_CHOOSING = Memo["list[Relation]"](most=1)  # the relations that have a name in some arms only

Verdict = Callable[[Node], "bool | None"]
"""Whether a condition holds; None if nothing decides it."""


def _chooses_names(relation: Relation, *, of_same_names: bool = False) -> bool:
    """Whether a relation has a choice with a name in some arms only, or any choice where that is asked for."""
    choices = operations(*relation.written.sides, among=("piecewise",))
    return any(of_same_names or len({frozenset(names_in(arm)) for arm, _ in cases(one)}) > 1 for one in choices)


def without_excluded_arms(library: RelationSet, verdict: Verdict) -> RelationSet | None:
    """The library without the arms that conditions exclude; None if that leaves every relation its names."""
    fewer: dict[str, Equation] = {}
    choosing = _CHOOSING.of(library.session, "", lambda: [*filter(_chooses_names, library.relations.values())])
    for relation in choosing:
        old = relation.written
        new = old.changed(partial(_reduced, verdict=verdict))
        if len(new.names) < len(old.names):
            fewer[relation.name] = replace(new, text=str(old))
    if not fewer:
        return None
    key = tuple((name, new.lhs, new.rhs) for name, new in fewer.items())

    def made() -> RelationSet:
        return library.holding(_stated(one, fewer.get(one.name, one.written)) for one in library.relations.values())

    return _REDUCED.of(library.session, key, made)


def _reduced(node: Node, verdict: Verdict) -> Node:
    """An expression without the arms of its choices that are excluded."""
    if not isinstance(node, Apply):
        return node
    if node.op != "piecewise":
        return Apply(node.op, tuple(_reduced(arg, verdict) for arg in node.args), node.at)
    kept: list[Node] = []
    failed: list[Node] = []
    for arm, condition in cases(node):
        if condition is None:
            kept.append(_reduced(arm, verdict))
            if failed and len(kept) == 1:
                kept.append(conjunction([_denied(one) for one in failed]))
            break
        holds = verdict(condition)
        if holds is False:
            failed.append(condition)
            continue
        kept += [_reduced(arm, verdict), condition]
        if holds is True:
            break
    return Apply("piecewise", tuple(kept), node.at) if kept else node


def one_relation_for_each_arm(library: RelationSet, *, of_same_names: bool = False) -> RelationSet | None:
    """The library with a relation under conditions for each arm of its choices; None if it has no choice.

    Which of them apply is found out as for any relation under conditions. Choices all of whose arms have the same names
    are taken apart only where that is asked for.
    """
    is_apart = partial(_chooses_names, of_same_names=of_same_names)

    def made() -> RelationSet | None:
        if not any(map(is_apart, library.relations.values())):
            return None
        relations: list[Relation] = []
        for one in library.relations.values():
            arms = list(_arms(one)) if is_apart(one) else []
            if not arms or len(arms) > _MOST:
                relations.append(one)
                continue
            for place, (equation, conditions) in enumerate(arms):
                name = f"{one.name}{_ARM}{place}"
                relations.append(_stated(one, equation, name, _without_implied(conditions)))
        return library.holding(relations)

    return _TAKEN_APART.of(library.session, of_same_names, made)


def relation_of_arm(name: str) -> str:
    """The relation that an arm with this name was taken from."""
    return name.rpartition(_ARM)[0]


def with_arms(library: RelationSet, arms: Mapping[str, Relation]) -> RelationSet:
    """The library with these arms, each under the name and the text of the relation that it was taken from."""

    def stated(one: Relation) -> Relation:
        arm = arms.get(one.name)
        if arm is None:
            return one
        return _stated(arm, replace(arm.written, text=str(one.written)), one.name)

    key = tuple((name, arm.name) for name, arm in arms.items())
    return _REDUCED.of(library.session, key, lambda: library.holding(map(stated, library.relations.values())))


def _without_implied(conditions: tuple[Node, ...]) -> tuple[Node, ...]:
    """Conditions without those that the others imply: `x > 1 and x > 2` is `x > 2`."""
    kept = list(dict.fromkeys(conditions))
    for one in tuple(kept):
        others = {other: True for other in kept if other != one}
        if implied(one, others):
            kept.remove(one)
    return tuple(kept)


def _arms(relation: Relation) -> Iterator[tuple[Equation, tuple[Node, ...]]]:
    """The equations with one arm in the place of each choice, and the conditions that lead to each of them."""
    pending: list[tuple[Equation, tuple[Node, ...]]] = [(replace(relation.written, text=""), ())]
    while pending:
        equation, met = pending.pop()
        choice = next(operations(*equation.sides, among=("piecewise",)), None)
        if choice is None:
            yield equation, met
            continue
        failed: list[Node] = []
        ways: list[tuple[Node, tuple[Node, ...]]] = []
        for arm, condition in cases(choice):
            held = () if condition is None else (condition,)
            ways.append((arm, (*map(_denied, failed), *held)))
            failed += held
        for arm, conditions in reversed(ways):
            pending.append((equation.changed(partial(replaced, old=choice, new=arm)), (*met, *conditions)))


def _stated(one: Relation, written: Equation, name: str = "", conditions: tuple[Node, ...] = ()) -> Relation:
    """The same relation with another equation, over the quantities that are left in it."""
    whole = (*one.conditions, *conditions)
    left = names_in(written, *whole)
    declared = {other: one.declared[other] for other in one.declared if other in left}
    return one.but(name=name or one.name, written=written, declared=declared, conditions=whole)
