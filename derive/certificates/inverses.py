"""The solutions of an equation in which the unknown stands once, by the inverses of the operations around it.

Where the unknown stands once, the operations around it are undone from the outside to the inside by the
table of inverses below, on balls that hold every possible number. Each operation has none, one or two numbers that it
takes to its result; so what is left in the end are all solutions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import chain

from flint import arb, fmpq

from derive.certificates.balls import Ball, ball_of, compared, exponent_of, is_sure
from derive.certificates.proof import Claim, Isolation, Span
from derive.expressions.arithmetic import NoElement
from derive.expressions.tree import Apply, Node, cases, names_in
from derive.numerics.intervals.enclosure import GAP, enclose, truths

__all__ = ["flaw_of_isolation"]


_INVERSES: dict[str, Callable[[Ball], Sequence[Ball]]] = {
    "neg": lambda y: [-y],
    "inv": lambda y: [1 / y] if is_sure(y != 0, y == 0) else [],
    "sqrt": lambda y: [y * y] if is_sure(y >= 0, y < 0) else [],
    "abs": lambda y: [y, -y] if is_sure(y >= 0, y < 0) else [],
    "exp": lambda y: [y.log()] if is_sure(y > 0, y <= 0) else [],
    "log": lambda y: [y.exp()],
    "log2": lambda y: [arb(2) ** y],
    "log10": lambda y: [arb(10) ** y],
    "sinh": lambda y: [y.asinh()],
    "cosh": lambda y: [y.acosh(), -y.acosh()] if is_sure(y >= 1, y < 1) else [],
    "tanh": lambda y: [y.atanh()] if is_sure(abs(y) < 1, abs(y) >= 1) else [],
    "asinh": lambda y: [y.sinh()],
    "acosh": lambda y: [y.cosh()] if is_sure(y >= 0, y < 0) else [],
    "atanh": lambda y: [y.tanh()],
    "asin": lambda y: [y.sin()] if is_sure(2 * abs(y) <= arb.pi(), 2 * abs(y) > arb.pi()) else [],
    "acos": lambda y: [y.cos()] if is_sure(abs(2 * y - arb.pi()) <= arb.pi(), y < 0 or y > arb.pi()) else [],
    "atan": lambda y: [y.tan()] if is_sure(2 * abs(y) < arb.pi(), 2 * abs(y) >= arb.pi()) else [],
    "erf": lambda y: [y.erfinv()] if is_sure(abs(y) < 1, abs(y) >= 1) else [],
}
"""All numbers that an operation takes to y."""


def flaw_of_isolation(claim: Claim, evidence: Isolation) -> str:
    (equation,), (name,) = claim.equations, claim.unknowns
    is_left = name in names_in(equation.lhs)
    node, other = (equation.lhs, equation.rhs) if is_left else (equation.rhs, equation.lhs)
    if name in names_in(other):
        return "the unknown stands on both sides"
    operations: list[str] = []
    values = [_value(other, claim.spans)]
    while isinstance(node, Apply):
        holding = [i for i, arg in enumerate(node.args) if name in names_in(arg)]
        if len(holding) != 1:
            return "the unknown stands more than once"
        operations.append(node.op)
        values = [*chain(*(_undone(node, holding[0], y, claim) for y in values))]
        node = node.args[holding[0]]
    if tuple(operations) != evidence.operations:
        return "other operations stand there"
    return compared(claim, [(ball,) for ball in values])


def _value(node: Node, spans: Mapping[str, Span]) -> Ball:
    """A ball that holds the value of an expression of known numbers."""
    found = enclose(node, spans, "")
    if found is None or found.flaw == GAP:
        raise NoElement
    return ball_of(found.values)


def _undone(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """All numbers of one argument for which an operation comes to y."""
    if node.op in _INVERSES:
        return _INVERSES[node.op](y)
    if node.op == "piecewise":
        return _undone_choice(node, place, y, claim)
    if node.op == "pow" and place == 0:
        return _roots(y, exponent_of(node.args[1], claim))
    rest = [_value(arg, claim.spans) for i, arg in enumerate(node.args) if i != place]
    match node.op:
        case "add":
            return [y - sum(rest)]
        case "mul" if math.prod(rest) != 0:
            return [y / math.prod(rest)]
        case "max":
            return [y] if all(is_sure(one < y, one > y) for one in rest) else []
        case "min":
            return [y] if all(is_sure(one > y, one < y) for one in rest) else []
        case "pow" if rest[0] > 0 and rest[0] != 1:
            return [y.log() / rest[0].log()] if is_sure(y > 0, y <= 0) else []
    raise NoElement


def _undone_choice(node: Apply, place: int, y: Ball, claim: Claim) -> Sequence[Ball]:
    """The same for a choice, of which known numbers have to decide that it takes this arm."""
    for i, (_, condition) in enumerate(cases(node)):
        possible = {True} if condition is None else truths(condition, claim.spans)
        if is_sure(possible == {True}, possible == {False}):
            return [y] if is_sure(2 * i == place, False) else []
    return []


def _roots(y: Ball, power: Fraction) -> Sequence[Ball]:
    """All numbers of which a power is y."""
    if y == 0:
        return [arb(0)] if is_sure(power > 0, power < 0) else []
    is_positive = is_sure(y > 0, y < 0)
    size = abs(y) ** arb(fmpq(power.denominator, power.numerator))
    if power.denominator != 1:  # of a negative number it is not real
        return [size] if is_positive else []
    if power.numerator % 2 == 0:
        return [size, -size] if is_positive else []
    return [size if is_positive else -size]
