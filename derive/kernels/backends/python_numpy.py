"""The dialects of Python floats and NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any

from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import Apply, Name, Node, names_in
from derive.kernels.backends.condition_values import NAMES
from derive.kernels.backends.emitter import (
    DOUBT,
    NUMBERS,
    SIGNS,
    Dialect,
    exact_points,
    is_clear,
    is_literal,
    is_total,
    nested,
    operations,
    unsettled,
)
from derive.kernels.backends.exact_points import ExactPoints
from derive.kernels.backends.shared_lines import execute
from derive.numerics.algebra.evaluation import truth

__all__ = ["Arrays", "Floats"]


class _Exact:
    """The exact points of a function's decisions, each once, by the texts that call them."""

    def __init__(self) -> None:
        self.held: list[ExactPoints] = []
        self._places: dict[Node, int] = {}

    def called(self, node: Apply, part: Callable[[Node], str]) -> tuple[str, str] | None:
        """The exact points of a decision, and the numbers that were given; None where the solver has to be asked."""
        if node not in self._places:
            made = exact_points(node.args[0], node.args[3:])
            if made is None:
                return None
            self._places[node] = len(self.held)
            self.held.append(made)
        place = self._places[node]
        return f"exact[{place}]", "".join(f"{part(Name(name))}, " for name in self.held[place].names)


class Floats(Dialect):
    """Python's own floats; an undefined value raises, or is NaN."""

    leaves = True
    operations = operations(
        lambda entry: f"m.{entry.name}",
        max=lambda *args: f"max({', '.join(args)})",
        min=lambda *args: f"min({', '.join(args)})",
    )

    def __init__(self) -> None:
        self._fresh = count()
        self._exact = _Exact()

    def names(self) -> dict[str, Any]:
        own = {"max": max, "min": min, "abs": abs, "undefined": _undefined, "exact": self._exact.held}
        return {"m": NUMBERS, "inf": math.inf, **own}

    def settled(self, found: str, near: str, node: Apply, part: Callable[[Node], str]) -> str:
        called = self._exact.called(node, part)
        known = "undefined()" if called is None else f"{called[0]}.known({called[1]})"
        return f"({known} if {near} else {found})"

    def sound(self, text: str) -> str:
        if text.isidentifier():
            return f"({text} if {text} - {text} == 0.0 else undefined())"
        return f"(w if (w := {text}) - w == 0.0 else undefined())"

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

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return _executed(text, space)


def _called(entry: Function) -> str:
    """The function of arrays: NumPy's, or one of `special`."""
    known = entry.called_in_numpy
    return f"np.{known[6:]}" if known.startswith("numpy.") else f"special.{entry.name}"


def _power(base: str, exponent: str) -> str:
    power = f"np.power({base}, {exponent})"
    if is_literal(exponent):
        return power
    return f"np.where(np.isnan({base}) | np.isnan({exponent}), np.nan, {power})"  # NaN**0 is 1, and so is 1**NaN


class Arrays(Dialect):
    """NumPy's arrays of floats; an undefined value is NaN, or an infinity until an operation uses it."""

    is_lazy = False
    size = "np.abs"
    operations = operations(
        _called,
        max=nested("np.maximum"),
        min=nested("np.minimum"),
        pow=_power,
        inv="np.divide(1.0, {})".format,  # for two literals Python's own division would raise
    )

    def __init__(self) -> None:
        self._judges: list[Callable[..., bool | None]] = []
        self._places: dict[Node, int] = {}  # the judge of each comparison
        self._exact = _Exact()

    def names(self) -> dict[str, Any]:
        import numpy

        return {
            "np": numpy,
            "inf": math.inf,
            "judges": self._judges,
            "exact": self._exact.held,
            "special": _OfArrays(),
            **NAMES,
        }

    def settled(self, found: str, near: str, node: Apply, part: Callable[[Node], str]) -> str:
        called = self._exact.called(node, part)
        if called is None:
            return f"(({DOUBT} := {near}), {found})[1]"
        return f"settled({found}, {near}, {called[0]}, ({called[1]}))"

    def comparison(self, node: Apply, part: Callable[[Node], str]) -> str:
        left, right = map(part, node.args)
        test = f"({left} {SIGNS[node.op]} {right})"
        if is_total(node):
            return test
        names = names_in(unsettled(node))
        if node not in self._places:
            self._places[node] = len(self._judges)
            plain = unsettled(node)
            self._judges.append(lambda *numbers: truth(plain, dict(zip(names, numbers, strict=True))))
        held = "".join(f"{part(Name(name))}, " for name in names)
        clear = all(map(is_clear, node.args))
        return f"told({test}, {left}, {right}, {clear}, judges[{self._places[node]}], ({held}))"

    def logic(self, op: str, tests: Sequence[str]) -> str:
        if op == "not":
            return f"contrary({tests[0]})"
        if op == "and":
            return f"both({', '.join(tests)})"
        return nested("np.maximum")(*tests)

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
