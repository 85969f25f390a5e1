"""How many roots an equation surely has in an interval, by means of its own.

Of a polynomial with rational coefficients Sturm's theorem counts the distinct real ones, in fractions. Of anything else
interval arithmetic in fifty digits (mpmath's, which rounds outwards) does, with slopes by the chain rule: a box without
a zero in its values is dropped, one without a zero in its slopes holds a root if the signs at its ends differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from mpmath import iv

from derive.expressions.tree import Name, Node, Number

__all__ = ["counted_by_intervals", "counted_by_sturm"]

_FINEST = 2.0**-46
_BOXES = 4000


def counted_by_sturm(coefficients: Sequence[Fraction], low: Fraction, high: Fraction) -> int:
    """The distinct real roots between two ends, both of which count; the leading coefficient comes first."""
    chain = _chain(_divided(coefficients, _chain(coefficients)[-1])[0])  # without what is there twice
    changes = [_changes([_at(one, end) for one in chain]) for end in (low, high)]
    return changes[0] - changes[1] + (_at(chain[0], low) == 0)


def _at(coefficients: Sequence[Fraction], x: Fraction) -> Fraction:
    total = Fraction(0)
    for c in coefficients:
        total = total * x + c
    return total


def _chain(coefficients: Sequence[Fraction]) -> list[list[Fraction]]:
    """A polynomial, its slope, and what is left of each division with its sign turned; the last divides them all."""
    slope = [c * (len(coefficients) - 1 - i) for i, c in enumerate(coefficients[:-1])]
    chain = [list(coefficients), slope]
    while len(chain[-1]) > 0 and (rest := _divided(chain[-2], chain[-1])[1]):
        chain.append([-c for c in rest])
    return chain if chain[-1] else chain[:-1]


def _divided(a: Sequence[Fraction], b: Sequence[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """The quotient of two polynomials, and what is left."""
    left, quotient = list(a), []
    while len(left) >= len(b):
        quotient.append(left[0] / b[0])
        padded = [*b, *[Fraction(0)] * (len(left) - len(b))]
        left = [x - quotient[-1] * y for x, y in zip(left, padded, strict=True)][1:]
    while left and left[0] == 0:
        left = left[1:]
    return quotient, left


def _changes(numbers: Sequence[Fraction]) -> int:
    signs = [number > 0 for number in numbers if number]
    return sum(a != b for a, b in pairwise(signs))


def counted_by_intervals(form: Node, low: float, high: float) -> int | None:
    """The roots of a form in x; None where that cannot be told."""
    iv.dps = 50
    pending, count = [(low, high)], 0
    for _ in range(_BOXES):
        if not pending:
            return count
        a, b = pending.pop()
        value, slope = _both(form, iv.mpf([a, b]))
        if value.a > 0 or value.b < 0:
            continue
        if slope.a > 0 or slope.b < 0:
            signs = [_sign(_both(form, iv.mpf(end))[0]) for end in (a, b)]
            if None in signs:
                return None
            count += signs[0] != signs[1]
            continue
        if b - a <= _FINEST * max(abs(a), abs(b), 1.0):
            return None
        middle = a + (b - a) * 0.4871
        pending += [(a, middle), (middle, b)]
    return None


def _sign(value: Any) -> bool | None:
    return True if value.a > 0 else False if value.b < 0 else None


def _both(node: Node, x: Any) -> tuple[Any, Any]:
    """Bounds of the values and of the slopes."""
    if isinstance(node, Number):
        return iv.mpf(node.value.numerator) / node.value.denominator, iv.mpf(0)
    if isinstance(node, Name):
        return x, iv.mpf(1)
    parts = [_both(arg, x) for arg in node.args]
    (u, du), rest = parts[0], parts[1:]
    match node.op:
        case "add":
            return sum((v for v, _ in rest), u), sum((dv for _, dv in rest), du)
        case "mul":
            for v, dv in rest:
                u, du = u * v, u * dv + du * v
            return u, du
        case "neg":
            return -u, -du
        case "inv":
            return 1 / u, -du / u**2
        case "pow":
            n = int(node.args[1].value)
            return u**n, n * u ** (n - 1) * du
        case "exp":
            return iv.exp(u), iv.exp(u) * du
        case "log":
            return iv.log(u), du / u
        case "sqrt":
            return iv.sqrt(u), du / (2 * iv.sqrt(u))
        case "sin":
            return iv.sin(u), iv.cos(u) * du
        case "cos":
            return iv.cos(u), -iv.sin(u) * du
    raise ValueError(node.op)
