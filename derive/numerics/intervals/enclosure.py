"""Enclosures of an expression and its slope while one name ranges over an interval.

`enclose` returns an interval that is certain to contain the expression's values, and one for its slope. If the
values' interval excludes zero, there is no root; if the slope's does, there is at most one. The absence and the
uniqueness of roots are proved in this way; sampling never proves either.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from itertools import product

from derive.expressions.tree import Apply, Name, Node, Number
from derive.numerics.intervals.arithmetic import ALL, ZERO, Span, hull
from derive.numerics.intervals.functions import GAP, JUMP, Enclosure, applied

__all__ = ["Enclosure", "Span", "enclose", "joined", "truths"]

_PI: Span = (math.pi, math.nextafter(math.pi, 4.0))


def enclose(node: Node, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """The enclosure of an expression as `moving` runs over its span; None where the expression is nowhere defined.

    >>> from derive.expressions.grammar import parse_expression
    >>> found = enclose(parse_expression("x**2 + x"), {"x": (1.0, 2.0)}, "x")
    >>> [round(end, 12) for end in (*found.values, *found.slopes)]
    [2.0, 6.0, 3.0, 5.0]
    """
    if isinstance(node, Number):
        return Enclosure((node.real, node.real) if node.is_double else _around(node), ZERO)
    if isinstance(node, Name):
        return Enclosure(spans[node.name], (1.0, 1.0) if node.name == moving else ZERO)
    if node.op == "pi":
        return Enclosure(_PI, ZERO)
    if node.op == "piecewise":
        return _choice(node, spans, moving)
    parts = []
    for arg in node.args:
        part = enclose(arg, spans, moving)
        if part is None:
            return None
        parts.append(part)
    try:
        return applied(node.op, parts)
    except (ValueError, OverflowError, ZeroDivisionError):
        return Enclosure(ALL, ALL, GAP)


def _around(node: Number) -> Span:
    """Bounds of a number that is not a double: its neighbours, or the largest double and infinity."""
    if node.real == node.real:
        return math.nextafter(node.real, -math.inf), math.nextafter(node.real, math.inf)
    return (sys.float_info.max, math.inf) if node.value > 0 else (-math.inf, -sys.float_info.max)


def _choice(node: Apply, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """The hull of all arms that the conditions allow; if there are several, the values may jump."""
    found: list[Enclosure | None] = []
    gap = False
    for i in range(0, len(node.args) - 1, 2):
        possible = truths(node.args[i + 1], spans, moving)
        gap = gap or None in possible
        if True in possible:
            found.append(enclose(node.args[i], spans, moving))
        if False not in possible:
            break
    else:
        found.append(enclose(node.args[-1], spans, moving) if len(node.args) % 2 else None)
    arms = [arm for arm in found if arm is not None]
    if not arms:
        return None
    whole = arms[0]
    for arm in arms[1:]:
        whole = Enclosure(
            hull(whole.values, arm.values), hull(whole.slopes, arm.slopes), max(whole.flaw, arm.flaw, JUMP)
        )
    return Enclosure(whole.values, whole.slopes, GAP) if gap or len(arms) < len(found) else whole


def truths(condition: Node, spans: Mapping[str, Span], moving: str = "") -> frozenset[bool | None]:
    """The possible truths of a condition: true, false, or None where it is undefined.

    >>> from derive.expressions.grammar import parse_condition
    >>> sorted(truths(parse_condition("log(x) > 1"), {"x": (-1.0, 2.0)}), key=str)
    [False, None]
    """
    assert isinstance(condition, Apply)
    match condition.op:
        case "true":
            return frozenset({True})
        case "not":
            return frozenset(None if one is None else not one for one in truths(condition.args[0], spans, moving))
        case "and" | "or":
            parts = [truths(arg, spans, moving) for arg in condition.args]
            return frozenset(joined(condition.op, chosen) for chosen in product(*parts))
        case op:
            left, right = (enclose(arg, spans, moving) for arg in condition.args)
            if left is None or right is None:
                return frozenset({None})
            decided = _compared(op, left.values, right.values)
            possible = {True, False} if decided is None else {decided}
            return frozenset({*possible, None} if GAP in (left.flaw, right.flaw) else possible)


def joined(op: str, known: Iterable[bool | None]) -> bool | None:
    """The truth of conditions joined by `and` or `or`, where some may be undefined (None)."""
    found: bool | None = op == "and"
    for truth in known:
        if truth is not None and truth is (op == "or"):
            return truth
        found = None if truth is None else found
    return found


def _compared(op: str, left: Span, right: Span) -> bool | None:
    (a, b), (c, d) = left, right
    match op:
        case "lt":
            return True if b < c else False if a >= d else None
        case "le":
            return True if b <= c else False if a > d else None
        case "gt":
            return True if a > d else False if b <= c else None
        case "ge":
            return True if a >= d else False if b < c else None
        case _:
            apart = b < c or d < a
            same = a == b == c == d
            return (op == "eq") if same else (op == "ne") if apart else None
