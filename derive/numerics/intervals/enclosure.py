"""Enclosures of an expression and its slope while one name ranges over an interval.

`enclose` returns an interval that is certain to contain the expression's values, and one for its slope. If the
values' interval excludes zero, there is no root; if the slope's does, there is at most one. The absence and the
uniqueness of roots are proved in this way; sampling never proves either.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import partial
from itertools import product

from derive.expressions.arithmetic import TESTS, Arithmetic, Fold, NoElement
from derive.expressions.tree import Apply, Node, Number
from derive.numerics.intervals.arithmetic import ZERO, Span, hull
from derive.numerics.intervals.functions import GAP, JUMP, OPERATIONS, Enclosure
from quantities.rational import exact_of

__all__ = ["Enclosure", "Span", "arms_allowed", "around", "enclose", "joined", "span_of", "truths"]

_ONE: Span = (1.0, 1.0)


def enclose(node: Node, spans: Mapping[str, Span], moving: str) -> Enclosure | None:
    """The enclosure of an expression as `moving` runs over its span; None where the expression is nowhere defined.

    >>> from derive.expressions.grammar import parse_expression
    >>> found = enclose(parse_expression("x**2 + x"), {"x": (1.0, 2.0)}, "x")
    >>> [round(end, 12) for end in (*found.values, *found.slopes)]
    [2.0, 6.0, 3.0, 5.0]
    """
    return _ENCLOSURES.attempt(node, _named(spans, moving))


def truths(condition: Node, spans: Mapping[str, Span], moving: str = "") -> frozenset[bool | None]:
    """The possible truths of a condition: true, false, or None where it is undefined.

    >>> from derive.expressions.grammar import parse_condition
    >>> sorted(truths(parse_condition("log(x) > 1"), {"x": (-1.0, 2.0)}), key=str)
    [False, None]
    """
    found: frozenset[bool | None] = _ENCLOSURES.fold(condition, _named(spans, moving))
    return found


def _named(spans: Mapping[str, Span], moving: str) -> Callable[[str], Enclosure]:
    return lambda name: Enclosure(spans[name], _ONE if name == moving else ZERO)


def around(number: Number) -> Span:
    """Bounds of a number: itself, its neighbours, or the largest double and infinity."""
    if number.is_double:
        return number.real, number.real
    if number.real == number.real:
        return math.nextafter(number.real, -math.inf), math.nextafter(number.real, math.inf)
    return (sys.float_info.max, math.inf) if number.value > 0 else (-math.inf, -sys.float_info.max)


def span_of(number: float) -> Span:
    """Bounds of what a number says: itself, or its neighbours where it rounds a rational."""
    exact = exact_of(number)
    if exact is None or exact == Fraction(number):
        return number, number
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def _choice(choice: Apply, part: Fold) -> Enclosure:
    """The hull of all arms that the conditions allow; if there are several, the values may jump."""
    conditions = (part(condition) for condition in choice.args[1::2])
    allowed, is_partial = arms_allowed(conditions, len(choice.args))
    whole: Enclosure | None = None
    for place in allowed:
        try:
            arm: Enclosure = part(choice.args[2 * place])
        except NoElement:
            is_partial = True
            continue
        if whole is None:
            whole = arm
        else:
            flaw = max(whole.flaw, arm.flaw, JUMP)
            whole = Enclosure(hull(whole.values, arm.values), hull(whole.slopes, arm.slopes), flaw)
    if whole is None:
        raise NoElement
    return Enclosure(whole.values, whole.slopes, GAP) if is_partial else whole


def arms_allowed(truths_of_conditions: Iterable[frozenset[bool | None]], parts: int) -> tuple[list[int], bool]:
    """The places of the arms that a choice of so many parts may take, and whether it may be undefined."""
    allowed: list[int] = []
    is_partial = False
    for place, possible in enumerate(truths_of_conditions):
        is_partial = is_partial or None in possible
        if True in possible:
            allowed.append(place)
        if False not in possible:
            return allowed, is_partial
    if parts % 2:
        return [*allowed, parts // 2], is_partial
    return allowed, True


def _comparison(comparison: Apply, part: Fold) -> frozenset[bool | None]:
    try:
        left, right = map(part, comparison.args)
    except NoElement:
        return frozenset({None})
    decided = _compared(comparison.op, left.values, right.values)
    possible = {True, False} if decided is None else {decided}
    return frozenset({*possible, None} if GAP in (left.flaw, right.flaw) else possible)


def _joined(op: str, *parts: frozenset[bool | None]) -> frozenset[bool | None]:
    return frozenset(joined(op, chosen) for chosen in product(*parts))


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


_ENCLOSURES: Arithmetic[Enclosure] = Arithmetic(
    number=lambda node: Enclosure(around(node), ZERO),
    operations=OPERATIONS
    | {
        "true": lambda: frozenset({True}),
        "not": lambda possible: frozenset(None if one is None else not one for one in possible),
        "and": partial(_joined, "and"),
        "or": partial(_joined, "or"),
    },
    forms={"piecewise": _choice, **dict.fromkeys(TESTS, _comparison)},
)
"""Bounds of values and slopes; a condition comes to the truths that it may have."""
