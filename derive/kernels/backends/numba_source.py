"""The numba dialect: expressions as Python source text that numba compiles for one point.

It has the semantics of `Arrays`, for scalars: an undefined value is NaN, or an infinity until an operation uses it.
No test returns early, because a processor can vectorise only lines without branches: tests are kept as a mask. Flags
record what these lines cannot decide (a comparison with an operand that is not finite, several roots, a quantity that
is only bounded), and a sum shows overflow; such a point returns an infinity, and the NumPy version then computes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib import import_module
from threading import Lock
from types import FunctionType, SimpleNamespace
from typing import Any

from derive.expressions.functions import Function
from derive.expressions.tree import CONDITIONS, Apply, Node
from derive.kernels.backends import python_runtime
from derive.kernels.backends.emitter import (
    DOUBT,
    NUMBERS,
    SIGNS,
    Dialect,
    is_literal,
    is_total,
    nested,
    operations,
)
from derive.kernels.backends.python_runtime import called
from derive.kernels.backends.shared_lines import execute

__all__ = ["CALLED", "Machine", "Slow", "is_at_hand", "translated"]

CALLED = ("sound", "larger", "smaller", "power", "only")
"""The functions of `python_runtime` that any line for one point may call."""

_ONE_BY_ONE = Lock()


def _table(called: Callable[[Function], str]) -> dict[str, Callable[..., str]]:
    """The operations of one point, where a function is called by this name."""
    return operations(called, max=nested("larger"), min=nested("smaller"), pow=_power_of)


def _power_of(base: str, exponent: str) -> str:
    return f"{'m.pow' if is_literal(exponent) else 'power'}({base}, {exponent})"


class Machine(Dialect):
    """Numbers of one point, in lines that numba compiles."""

    most_unknowns = 4  # of a block: more take numba too many seconds
    takes_arms = False  # whether a block is taken arm by arm; otherwise arrays are asked
    asks = True
    operations = _table(lambda entry: entry.called_in_numba)

    def names(self) -> dict[str, Any]:
        import numpy

        own = {name: _runtime()[name] for name in CALLED}
        return {"m": math, "np": numpy, "inf": math.inf, "abs": abs, **own}

    def comparison(self, node: Apply, part: Callable[[Node], str]) -> str:
        left, right = map(part, node.args)
        if is_total(node):
            return f"({left} {SIGNS[node.op]} {right})"
        return f"({left} {SIGNS[node.op]} {right} if abs({left} - {right}) < inf else ({DOUBT} := {DOUBT} | True))"

    def settled(self, found: str, near: str, node: Apply, part: Callable[[Node], str]) -> str:
        decision, doubtful = node.args[0], f"({DOUBT} := {DOUBT} | True)"
        is_test = isinstance(decision, Apply) and decision.op in CONDITIONS
        return f"({found} if not {near} else {doubtful if is_test else f'nan * {doubtful}'})"

    def passed(self, tests: Sequence[str]) -> str:
        return " & ".join(tests)

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        return translated(text, tuple(space.items()))

    def helper(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of `python_runtime` that the text may call."""
        held: Callable[..., Any] = _runtime()[function.__name__]
        return held


class Slow(Machine):
    """The same lines in plain Python; overflow is an infinity there too, and an undefined value is NaN."""

    operations = _table(lambda entry: f"m.{entry.name}")

    def names(self) -> dict[str, Any]:
        quiet = SimpleNamespace(
            **{name: partial(called, function) for name, function in vars(NUMBERS).items() if callable(function)}
        )
        own = {name: getattr(python_runtime, name) for name in CALLED}
        return {"m": quiet, "np": quiet, "inf": math.inf, "abs": abs, **own}

    def made(self, text: str, space: dict[str, Any]) -> Callable[..., Any]:
        names = {"__builtins__": {}, **space}
        execute(text, names)
        made: Callable[..., Any] = names["compiled"]
        return made

    def helper(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


@lru_cache(maxsize=1)
def is_at_hand() -> bool:
    """Whether numba is installed and compatible with the installed NumPy."""
    try:
        import_module("numba")
    except ImportError:
        return False
    return True


@lru_cache(maxsize=2)
def _jit(is_entered: bool) -> Callable[..., Any]:
    """What compiles a function; Python itself may call it only if it is entered from there: such a door takes time."""
    import numba

    doors = {"no_cpython_wrapper": not is_entered, "no_cfunc_wrapper": True}
    # beyond a few lines, a function that is not inlined by force is called point by point and takes ten times as long
    jit: Callable[..., Any] = lru_cache(maxsize=None)(
        numba.njit(error_model="numpy", nogil=True, forceinline=True, **doors)
    )
    return jit


def translated(text: str, space: tuple[tuple[str, Any], ...], *, is_entered: bool = False) -> Callable[..., Any]:
    """The function of a text; a text is compiled once in a process, whichever threads need it."""
    with _ONE_BY_ONE:
        return _translated(text, space, is_entered)


@lru_cache(maxsize=256)
def _translated(text: str, space: tuple[tuple[str, Any], ...], is_entered: bool) -> Callable[..., Any]:
    names = dict(space)
    execute(text, names)
    made: Callable[..., Any] = _jit(is_entered)(names["compiled"])
    return made


@lru_cache(maxsize=1)
def _runtime() -> dict[str, Any]:
    """The functions of `python_runtime`, each to be translated when it is first called, and calling these others."""
    space = dict(vars(python_runtime))
    for name, function in vars(python_runtime).items():
        if isinstance(function, FunctionType):
            space[name] = _jit(False)(FunctionType(function.__code__, space, name))
    space["power"] = _jit(False)(_power)
    return space


def _power(base: float, exponent: float) -> float:
    return math.nan if (base != base) | (exponent != exponent) else math.pow(base, exponent)
