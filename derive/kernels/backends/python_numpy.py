"""The dialects of Python floats and NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from derive.expressions.functions import TABLE
from derive.expressions.tree import Apply, Name, Node, names_in
from derive.kernels.backends.condition_values import NAMES
from derive.kernels.backends.emitter import (
    ARITHMETIC,
    NUMBERS,
    SIGNS,
    both_or_either,
    is_clear,
    is_literal,
    is_total,
    prefixed,
)
from derive.kernels.backends.shared_lines import execute
from derive.numerics.algebra.evaluation import truth

__all__ = ["Arrays", "Floats"]


class Floats:
    """Python's own floats; an undefined value raises, or is NaN."""

    is_lazy = True
    leaves = True
    asks = False

    def __init__(self) -> None:
        self._fresh = count()

    def names(self) -> dict[str, Any]:
        own = {"max": max, "min": min, "abs": abs, "undefined": _undefined}
        return {"m": NUMBERS, "inf": math.inf, **own}

    def sound(self, text: str) -> str:
        if text.isidentifier():
            return f"({text} if {text} - {text} == 0.0 else undefined())"
        return f"(w if (w := {text}) - w == 0.0 else undefined())"

    def operation(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "max" | "min":
                return f"{op}({', '.join(args)})"
            case _:
                return ARITHMETIC[op].join(args) if op in ARITHMETIC else prefixed(op, args, "m.")

    def comparison(self, node: Apply, part: Callable[[Node], str]) -> str:
        left, right = map(part, node.args)
        if is_total(node):
            return f"({left} {SIGNS[node.op]} {right})"
        (left, one), (right, other) = map(self._kept, (left, right))
        return f"({left} {SIGNS[node.op]} {right} if -inf < {one} - {other} < inf else undefined())"

    def _kept(self, text: str) -> tuple[str, str]:
        """The name of a computed number, and the text that computes it."""
        if text.isidentifier() or text == "0.0" or is_literal(text):
            return text, text
        name = f"w{next(self._fresh)}"
        return name, f"({name} := {text})"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        return both_or_either(op, tests)

    def passed(self, tests: Sequence[str]) -> str:
        return both_or_either("and", tests)

    def sure(self, test: str) -> str:
        return test

    def pick(self, test: str, yes: str, no: str) -> str:
        return f"({yes} if {test} else {no})"

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return _executed(text, space)


class Arrays:
    """NumPy's arrays of floats; an undefined value is NaN, or an infinity until an operation uses it."""

    is_lazy = False
    leaves = False
    asks = False

    def __init__(self) -> None:
        self._judges: list[Callable[..., bool | None]] = []
        self._places: dict[Node, int] = {}  # the judge of each comparison

    def names(self) -> dict[str, Any]:
        import numpy

        return {"np": numpy, "inf": math.inf, "judges": self._judges, "special": _OfArrays(), **NAMES}

    def sound(self, text: str) -> str:
        return f"sound({text})"

    def operation(self, op: str, args: Sequence[str]) -> str:
        if op in ("max", "min"):
            nested = args[0]
            for arg in args[1:]:
                nested = f"np.{op}imum({nested}, {arg})"
            return nested
        if op in ARITHMETIC:
            return ARITHMETIC[op].join(args)
        if op == "pow" and not is_literal(args[1]):  # because NaN**0 is 1, and so is 1**NaN
            base, exponent = args
            return f"np.where(np.isnan({base}) | np.isnan({exponent}), np.nan, np.power({base}, {exponent}))"
        if op in TABLE:
            called = TABLE[op].called_in_numpy
            return f"np.{called[6:]}({args[0]})" if called.startswith("numpy.") else f"special.{op}({args[0]})"
        if op == "inv":  # for two literals Python's own division would raise
            return f"np.divide(1.0, {args[0]})"
        return prefixed("power" if op == "pow" else op, args, "np.")

    def comparison(self, node: Apply, part: Callable[[Node], str]) -> str:
        left, right = map(part, node.args)
        test = f"({left} {SIGNS[node.op]} {right})"
        if is_total(node):
            return test
        names = names_in(node)
        if node not in self._places:
            self._places[node] = len(self._judges)
            self._judges.append(lambda *numbers: truth(node, dict(zip(names, numbers, strict=True))))
        held = "".join(f"{part(Name(name))}, " for name in names)
        clear = all(map(is_clear, node.args))
        return f"told({test}, {left}, {right}, {clear}, judges[{self._places[node]}], ({held}))"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        if op == "not":
            return f"contrary({tests[0]})"
        if op == "and":
            return f"both({', '.join(tests)})"
        nested = tests[0]
        for test in tests[1:]:
            nested = f"np.maximum({nested}, {test})"
        return nested

    def passed(self, tests: Sequence[str]) -> str:
        return f"both({', '.join(tests)})"

    def sure(self, test: str) -> str:
        return f"sure({test})"

    def pick(self, test: str, yes: str, no: str) -> str:
        return f"chosen({test}, {yes}, {no})"

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return _executed(text, space)


class _OfArrays:
    """The functions that NumPy lacks for arrays, each made on first use."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in TABLE:
            raise AttributeError(name)
        function = TABLE[name].over()
        setattr(self, name, function)
        return function


def _executed(text: str, space: dict[str, Any]) -> Callable[..., Any]:
    space = {"__builtins__": {}, **space}
    execute(text, space)
    made: Callable[..., Any] = space["compiled"]
    return made


def _undefined() -> float:
    raise ValueError("undefined")
