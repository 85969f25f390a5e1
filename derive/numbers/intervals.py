"""What an expression can come to while one name runs over an interval, and which way it can move.

`enclose` returns a box that surely holds the expression's values, and one that surely holds its slope. If the values'
box misses zero, there is no root; if the slope's box misses zero, there is at most one. That is how the absence and
the uniqueness of roots are proved here; sampling never proves either.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from derive.language.expression import Apply, Name, Node, Number
from derive.numbers.enclosures import Enclosure, applied
from derive.numbers.spans import ALL, ZERO, Span, hull

__all__ = ["Enclosure", "Span", "enclose"]


def enclose(node: Node, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """The enclosure of an expression as `moving` runs over its span; None where the expression is nowhere defined.

    >>> from derive.language.grammar import parse_expression
    >>> found = enclose(parse_expression("x**2 + x"), {"x": (1.0, 2.0)}, "x")
    >>> [round(end, 12) for end in (*found.values, *found.slopes)]
    [2.0, 6.0, 3.0, 5.0]
    """
    if isinstance(node, Number):
        return Enclosure((float(node.value),) * 2, ZERO)
    if isinstance(node, Name):
        return Enclosure(spans[node.name], (1.0, 1.0) if node.name == moving else ZERO)
    if node.op == "pi":
        return Enclosure((math.pi, math.pi), ZERO)
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
        return Enclosure(ALL, ALL, True)


def _choice(node: Apply, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """All arms that the conditions leave possible; where more than one, the values may jump."""
    found: list[Enclosure] = []
    certain = gap = False
    for i in range(0, len(node.args) - 1, 2):
        truth = _truth(node.args[i + 1], spans, moving)
        if truth is not False:
            arm = enclose(node.args[i], spans, moving)
            found.extend([arm] if arm else [])
            gap = gap or arm is None
        if truth is True:
            certain = True
            break
    if not certain:
        arm = enclose(node.args[-1], spans, moving) if len(node.args) % 2 else None
        found.extend([arm] if arm else [])
        gap = gap or arm is None
    if not found:
        return None
    whole = found[0]
    for arm in found[1:]:
        whole = Enclosure(hull(whole.values, arm.values), hull(whole.slopes, arm.slopes), True)
    return Enclosure(whole.values, whole.slopes, True) if gap else whole


def _truth(condition: Node, spans: Mapping[str, Span], moving: str) -> bool | None:
    """Whether a condition holds throughout, nowhere, or (None) in part."""
    assert isinstance(condition, Apply)
    if condition.op == "true":
        return True
    if condition.op in ("and", "or"):
        truths = [_truth(arg, spans, moving) for arg in condition.args]
        decided = condition.op == "or"
        if decided in truths:
            return decided
        return None if None in truths else not decided
    if condition.op == "not":
        inner = _truth(condition.args[0], spans, moving)
        return None if inner is None else not inner
    left, right = (enclose(arg, spans, moving) for arg in condition.args)
    if left is None or right is None:
        return False
    truth = _compared(condition.op, left.values, right.values)
    return None if truth and (left.partial or right.partial) else truth


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
