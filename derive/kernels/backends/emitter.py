"""Expressions as Python source text, in dialects: floats and arrays (`python_numpy`), machine code (`numba_source`).

The text computes what `evaluation` computes for the same tree. An undefined value must not turn into a number, and
three things could make it one: an operation that takes an infinity to a finite number (1/inf is 0), Python's `max` of
a NaN, and a comparison. These operations therefore get only finite operands. Where an operand is undefined, arrays
hold NaN and floats raise, because a test that seldom fails is cheapest as an exception. A comparison with an operand
that is not finite is left to the evaluator: floats raise, arrays call it at those points.

Names of users never reach the text: the caller says which text stands for each name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Sequence
from fractions import Fraction
from types import SimpleNamespace
from typing import Any, Protocol

from derive.expressions.functions import TABLE
from derive.expressions.tree import COMPARISONS, CONDITIONS, Apply, Name, Node, Number
from derive.numerics.algebra.like_terms import ZERO, negated
from derive.tolerances import EXPRESSION

__all__ = [
    "ARITHMETIC",
    "DOUBT",
    "NUMBERS",
    "SIGNS",
    "Dialect",
    "Unsaid",
    "both_or_either",
    "inlined",
    "is_clear",
    "is_literal",
    "is_total",
    "number",
    "prefixed",
    "with_room_for_rounding",
    "worded",
]

DOUBT = "doubt"
"""What a text makes true where it cannot tell, in a dialect that asks another."""

NUMBERS = SimpleNamespace(**{**vars(math), **{name: entry.value for name, entry in TABLE.items()}})
"""What Python's math has, with all functions of the table."""

SIGNS = {op: sign for sign, op in COMPARISONS.items()}
_FINITE = {"pi", *(name for name, entry in TABLE.items() if entry.is_bounded)}
_TOTAL = {"pi", "neg", "max", "min"} | {name for name, one in TABLE.items() if one.is_everywhere and not one.overflows}
_AS_THEIR_PARTS = {"neg", "max", "min", *(name for name, one in TABLE.items() if not (one.is_bounded or one.overflows))}
_GROWING = {"add", "mul", *(name for name, entry in TABLE.items() if entry.is_everywhere and entry.overflows)}
_SWALLOWING = {"inv", "pow", "max", "min", *(name for name, entry in TABLE.items() if entry.swallows)}
"""Operations that make a finite number of something that is none."""


class Unsaid(Exception):  # noqa: N818  # no error: another dialect is taken
    """An operation that a dialect cannot express."""


class Dialect(Protocol):
    """How a dialect writes the parts of an expression."""

    is_lazy: bool  # whether it treats one point, and skips arms that are not chosen
    leaves: bool  # whether a failed test returns from the function at once
    asks: bool  # whether an infinity says that another dialect must compute the point

    def names(self) -> dict[str, Any]:
        """The functions that the text may call."""

    def sound(self, text: str) -> str:
        """A number that is finite, or undefined."""

    def operation(self, op: str, args: Sequence[str]) -> str:
        """An operation on numbers."""

    def comparison(self, node: Apply, part: Callable[[Node], str]) -> str:
        """A comparison of numbers."""

    def logic(self, op: str, tests: Sequence[str]) -> str:
        """A combination of tests."""

    def passed(self, tests: Sequence[str]) -> str:
        """The test that all these named tests pass."""

    def sure(self, test: str) -> str:
        """A test that fails where it is undefined."""

    def pick(self, test: str, yes: str, no: str) -> str:
        """One number or another."""

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        """The function `compiled` of a text, which may call the names in `space`."""


ARITHMETIC = {"add": " + ", "mul": " * "}


def both_or_either(op: str, tests: Sequence[str]) -> str:
    """A combination of tests of one point in Python's own operators."""
    return f"(not {tests[0]})" if op == "not" else f"({f' {op} '.join(tests)})"


def prefixed(op: str, args: Sequence[str], module: str) -> str:
    match op:
        case "neg":
            return f"-{args[0]}"
        case "inv":
            return f"1.0 / {args[0]}"
        case "pi":
            return repr(math.pi)
        case _:
            return f"{module}{op}({', '.join(args)})"


def is_literal(text: str) -> bool:
    """Whether a text is a plain number other than zero."""
    try:
        return float(text.strip("()")) != 0
    except ValueError:
        return False


def number(node: Number) -> str:
    """A number as text that binds as one operand.

    >>> from fractions import Fraction
    >>> number(Number(Fraction(-1, 2)))
    '(-0.5)'
    """
    text = repr(node.real)
    return f"({text})" if text.startswith("-") else text


def worded(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], dialect: Dialect) -> str:
    """One operation as text, from the texts of its parts; `lazy` writes a part that must not be computed in advance.

    >>> from derive.expressions.grammar import parse_expression
    >>> from derive.kernels.backends.python_numpy import Floats
    >>> sum_of = parse_expression("a + 2*b")
    >>> worded(sum_of, lambda node: "a" if isinstance(node, Name) else "v0", str, Floats())
    'a + v0'
    """
    if node.op == "piecewise":
        return _choice(node, part, lazy, dialect)
    if node.op == "true":
        return "True"
    if node.op in ("and", "or", "not"):
        return dialect.logic(node.op, [part(arg) for arg in node.args])
    if node.op in CONDITIONS:
        return dialect.comparison(node, part)
    args = [part(arg) for arg in node.args]
    if node.op in _SWALLOWING:
        args = [text if _is_finite(arg) else dialect.sound(text) for text, arg in zip(args, node.args, strict=True)]
    return dialect.operation(node.op, args)


def _choice(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], dialect: Dialect) -> str:
    """The first arm whose condition holds; a later condition is evaluated only where those before it failed."""
    arm = lazy if dialect.is_lazy else part
    otherwise = len(node.args) % 2
    text = arm(node.args[-1]) if otherwise else "undefined()" if dialect.is_lazy and not dialect.asks else "nan"
    for i in range(len(node.args) - otherwise - 2, -1, -2):
        test = part(node.args[i + 1]) if i == 0 else arm(node.args[i + 1])
        text = dialect.pick(test, arm(node.args[i]), text)
    return text


def with_room_for_rounding(node: Node, exact: Container[str]) -> Node:
    """An expression in whose conditions a computed number that equals a literal but for rounding is equal to it.

    3*0.1 is 0.30000000000000004, and still `<= 0.3`. Numbers of the names in `exact` are compared as they are.

    >>> from derive.expressions.grammar import parse_condition
    >>> [with_room_for_rounding(parse_condition("y <= 0.3"), given).args[1].real for given in ("y", "x")]
    [0.3, 0.300000000000003]
    """
    if not isinstance(node, Apply):
        return node
    if node.op not in _OUTWARDS:
        args = tuple(with_room_for_rounding(arg, exact) for arg in node.args)
        return node if args == node.args else Apply(node.op, args, node.at)
    left, right = node.args
    if all(isinstance(side, Number) or (isinstance(side, Name) and side.name in exact) for side in node.args):
        return node
    if right == ZERO and isinstance(left, Apply) and left.op == "add" and len(left.args) == 2:
        first, second = left.args
        left, right = first, negated(second)
    way = _OUTWARDS[node.op]
    if isinstance(right, Number):
        return Apply(node.op, (left, _moved(right, way)), node.at)
    if isinstance(left, Number):
        return Apply(node.op, (_moved(left, -way), right), node.at)
    if isinstance(left, Name) and isinstance(right, Name):
        room = Apply("mul", (Number(Fraction(way * EXPRESSION)), Apply("abs", (right,))))
        return Apply(node.op, (left, Apply("add", (right, room))), node.at)
    return node


_OUTWARDS = {"lt": -1, "le": 1, "gt": 1, "ge": -1}
"""Which way a bound on the right moves, so that equality counts as the sign says."""


def _moved(bound: Number, way: int) -> Number:
    return Number(Fraction(bound.real + way * EXPRESSION * abs(bound.real)))


def inlined(node: Node, named: Callable[[str], str], dialect: Dialect) -> str:
    """A whole expression as one text."""

    def part(inner: Node) -> str:
        return inlined(inner, named, dialect)

    if isinstance(node, Name):
        return named(node.name)
    if isinstance(node, Number):
        return number(node)
    return f"({worded(node, part, part, dialect)})"


def _is_finite(node: Node) -> bool:
    """Whether an expression is never infinite, given that every name is finite or NaN."""
    if not isinstance(node, Apply) or node.op in _FINITE:
        return True
    return node.op in _AS_THEIR_PARTS and all(map(_is_finite, node.args))


def is_total(node: Node) -> bool:
    """Whether an expression, or both sides of a comparison, always have a finite value."""
    if not isinstance(node, Apply):
        return True
    return (node.op in _TOTAL or node.op in SIGNS) and all(map(is_total, node.args))


def is_clear(node: Node) -> bool:
    """Whether an infinity can only be an overflow, in one step from finite numbers; a NaN is undefined."""
    if isinstance(node, Apply) and node.op in ("neg", "abs"):
        return is_clear(node.args[0])
    if isinstance(node, Apply) and node.op in _GROWING and len(node.args) <= 2:
        return all(map(_is_finite_inside, node.args))
    return _is_finite_inside(node)


def _is_finite_inside(node: Node) -> bool:
    """Whether neither an expression nor any part of it is ever infinite."""
    if not isinstance(node, Apply):
        return True
    return (node.op in _FINITE or node.op in _AS_THEIR_PARTS) and all(map(_is_finite_inside, node.args))
