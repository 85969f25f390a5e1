"""Logic of conditions: which imply others, and which exclude each other.

A comparison of two expressions bounds their difference, and one with a number bounds an expression. So each
comparison is an interval on a line, and conditions exclude each other where their intervals on one line are disjoint.
An undefined value satisfies no comparison; only between names and numbers, which always have a value, does the
failure of one comparison imply its opposite.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache

from derive.expressions.tree import COMPARISONS, OPPOSITE, Apply, Node, Number, is_simple

__all__ = ["MIRRORED", "exclude_each_other", "implied"]

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
    known = [_claim(other) for other, truth in truths.items() if truth]
    known += [_opposite(other) for other, truth in truths.items() if not truth]
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
def _opposite(condition: Node) -> _Claim | None:
    claim = _claim(condition)
    if claim is None or not isinstance(condition, Apply) or not all(map(is_simple, condition.args)):
        return None
    subject, op, number = claim
    return subject, OPPOSITE[op], number


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
