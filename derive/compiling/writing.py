"""Expressions as Python text, in two tongues: floats and NumPy arrays.

The text comes to what `evaluating` says of the same tree. What is undefined there may not pass for a number here, and
three things could let it: an infinity of which an operation makes a finite number again (1/inf is 0), a NaN of which
Python's `max` makes a number, and a comparison. So the operations that could are given sound operands only. Where an
operand is undefined, arrays hold NaN and floats raise, since a test that seldom fails is the cheapest there is.

Names of users never reach the text: a name stands as whatever text its reader puts in its place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from derive.language.expression import COMPARISONS, CONDITIONS, Apply, Name, Node, Number

__all__ = ["Arrays", "Floats", "Tongue", "inlined", "number", "worded"]

_SIGNS = {op: sign for sign, op in COMPARISONS.items()}
_FINITE = frozenset({"pi", "sin", "cos", "asin", "acos", "atan", "tanh"})
_AS_THEIR_PARTS = frozenset({"neg", "abs", "sqrt", "floor", "ceil", "max", "min"})
_SWALLOWING = frozenset({"inv", "exp", "pow", "atan", "tanh", "max", "min"})
"""Operations that make a finite number of something that is none."""


class Tongue(Protocol):
    """How the parts of an expression are put together."""

    is_lazy: bool  # whether an arm that is not chosen is not worked out

    def names(self) -> dict[str, Any]:
        """What the text may call."""

    def sound(self, text: str) -> str:
        """A number that is finite, or undefined."""

    def operation(self, op: str, args: Sequence[str]) -> str:
        """A number of numbers."""

    def comparison(self, op: str, left: str, right: str, finite: bool) -> str:
        """A test, false where a side is undefined; whether both are known to be no infinity."""

    def logic(self, op: str, tests: Sequence[str]) -> str:
        """A test of tests."""

    def pick(self, test: str, yes: str, no: str) -> str:
        """One number or another."""


class Floats:
    """Python's own floats; what is undefined raises, or is NaN."""

    is_lazy = True

    def names(self) -> dict[str, Any]:
        return {"m": math, "inf": math.inf, "max": max, "min": min, "abs": abs, "undefined": _undefined}

    def sound(self, text: str) -> str:
        if text.isidentifier():
            return f"({text} if {text} - {text} == 0.0 else undefined())"
        return f"(w if (w := {text}) - w == 0.0 else undefined())"

    def operation(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "max" | "min" | "abs":
                return f"{op}({', '.join(args)})"
            case "floor" | "ceil":
                return f"1.0 * m.{op}({args[0]})"
            case _:
                return _ARITHMETIC[op].join(args) if op in _ARITHMETIC else _prefixed(op, args, "m.")

    def comparison(self, op: str, left: str, right: str, finite: bool) -> str:
        plain = f"{left} {_SIGNS[op]} {right}"
        if op == "ne":  # NaN differs from everything
            apart = f"({left} < {right} or {left} > {right})"
            return apart if finite else f"(-inf < {left} < inf and -inf < {right} < inf and {apart})"
        if finite:
            return f"({plain})"
        return f"(inf > {plain} > -inf)" if op in ("gt", "ge") else f"(-inf < {plain} < inf)"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        return f"(not {tests[0]})" if op == "not" else f"({f' {op} '.join(tests)})"

    def pick(self, test: str, yes: str, no: str) -> str:
        return f"({yes} if {test} else {no})"


class Arrays:
    """NumPy's arrays of floats; what is undefined is NaN, or an infinity until something is made of it."""

    is_lazy = False

    def names(self) -> dict[str, Any]:
        import numpy

        return {"np": numpy, "inf": math.inf}

    def sound(self, text: str) -> str:
        return f"np.where(np.isfinite({text}), {text}, np.nan)"

    def operation(self, op: str, args: Sequence[str]) -> str:
        if op in ("max", "min"):
            nested = args[0]
            for arg in args[1:]:
                nested = f"np.{op}imum({nested}, {arg})"
            return nested
        if op in _ARITHMETIC:
            return _ARITHMETIC[op].join(args)
        if op == "pow" and not _is_literal(args[1]):  # for NaN**0 is 1, and so is 1**NaN
            base, exponent = args
            return f"np.where(np.isnan({base}) | np.isnan({exponent}), np.nan, np.power({base}, {exponent}))"
        if op == "inv":  # of two plain numbers Python's own division would raise
            return f"np.divide(1.0, {args[0]})"
        return _prefixed(
            {"pow": "power", **{f"a{w}": f"arc{w}" for w in ("sin", "cos", "tan")}}.get(op, op), args, "np."
        )

    def comparison(self, op: str, left: str, right: str, finite: bool) -> str:
        test = f"({left} < {right}) | ({left} > {right})" if op == "ne" else f"{left} {_SIGNS[op]} {right}"
        return f"({test})" if finite else f"(np.isfinite({left}) & np.isfinite({right}) & ({test}))"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        if op == "not":
            return f"np.logical_not({tests[0]})"
        return f"({(' & ' if op == 'and' else ' | ').join(tests)})"

    def pick(self, test: str, yes: str, no: str) -> str:
        return f"np.where({test}, {yes}, {no})"


_ARITHMETIC = {"add": " + ", "mul": " * "}


def _prefixed(op: str, args: Sequence[str], module: str) -> str:
    match op:
        case "neg":
            return f"-{args[0]}"
        case "inv":
            return f"1.0 / {args[0]}"
        case "pi":
            return repr(math.pi)
        case _:
            return f"{module}{op}({', '.join(args)})"


def _undefined() -> float:
    raise ValueError("undefined")


def _is_literal(text: str) -> bool:
    """Whether a text is a plain number other than zero."""
    try:
        return float(text.strip("()")) != 0
    except ValueError:
        return False


def number(node: Number) -> str:
    """A number as text that holds together.

    >>> from fractions import Fraction
    >>> number(Number(Fraction(-1, 2)))
    '(-0.5)'
    """
    text = repr(float(node.value))
    return f"({text})" if text.startswith("-") else text


def worded(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], tongue: Tongue) -> str:
    """One operation as text, from the texts of its parts; `lazy` writes a part that may not be worked out ahead.

    >>> from derive.language.grammar import parse_expression
    >>> sum_of = parse_expression("a + 2*b")
    >>> worded(sum_of, lambda node: "a" if isinstance(node, Name) else "v0", str, Floats())
    'a + v0'
    """
    if node.op == "piecewise":
        return _choice(node, part, lazy, tongue)
    if node.op == "true":
        return "True"
    if node.op in ("and", "or", "not"):
        return tongue.logic(node.op, [part(arg) for arg in node.args])
    args = [part(arg) for arg in node.args]
    if node.op in CONDITIONS:
        return tongue.comparison(node.op, args[0], args[1], all(map(_is_finite, node.args)))
    if node.op in _SWALLOWING:
        args = [text if _is_finite(arg) else tongue.sound(text) for text, arg in zip(args, node.args, strict=True)]
    return tongue.operation(node.op, args)


def _choice(node: Apply, part: Callable[[Node], str], lazy: Callable[[Node], str], tongue: Tongue) -> str:
    """The first arm whose condition holds; a condition after the first is met only where those before it failed."""
    arm = lazy if tongue.is_lazy else part
    otherwise = len(node.args) % 2
    text = arm(node.args[-1]) if otherwise else "undefined()" if tongue.is_lazy else "np.nan"
    for i in range(len(node.args) - otherwise - 2, -1, -2):
        test = part(node.args[i + 1]) if i == 0 else arm(node.args[i + 1])
        text = tongue.pick(test, arm(node.args[i]), text)
    return text


def inlined(node: Node, named: Callable[[str], str], tongue: Tongue) -> str:
    """A whole expression as one text."""

    def part(inner: Node) -> str:
        return inlined(inner, named, tongue)

    if isinstance(node, Name):
        return named(node.name)
    if isinstance(node, Number):
        return number(node)
    return f"({worded(node, part, part, tongue)})"


def _is_finite(node: Node) -> bool:
    """Whether an expression is never an infinity, since every name is a finite number or NaN."""
    if not isinstance(node, Apply) or node.op in _FINITE:
        return True
    return node.op in _AS_THEIR_PARTS and all(map(_is_finite, node.args))
