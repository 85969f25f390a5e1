"""Trees by other means: their value in sixty digits and with exponents of any size, and what conditions come to."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from mpmath import mp, mpc, mpf

from derive.expressions.tree import Name, Node, Number

_LONGEST = 4000  # binary digits before the point, of what is raised to a power
_SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")
}
_ACTS: dict[str, Callable[..., Any]] = {
    "add": lambda *args: mp.fsum(args),
    "mul": lambda *args: mp.fprod(args),
    "neg": operator.neg,
    "inv": lambda x: 1 / x,
    "pow": lambda x, y: x**y,
    "pi": lambda: +mp.pi,
    "abs": abs,
    "min": min,
    "max": max,
    "log2": lambda x: mp.log(x, 2),
    "gamma": lambda x: mp.gamma(x) if x > 0 else None,
    "erfinv": lambda x: mp.erfinv(x) if abs(x) < 1 else None,
    "atanh": lambda x: mp.atanh(x) if abs(x) < 1 else None,
}

SLOPES: dict[str, Callable[[Any], Any]] = {
    "exp": mp.exp,
    "log": lambda x: 1 / x,
    "log10": lambda x: 1 / (x * mp.log(10)),
    "log2": lambda x: 1 / (x * mp.log(2)),
    "sqrt": lambda x: 1 / (2 * mp.sqrt(x)),
    "sin": mp.cos,
    "cos": lambda x: -mp.sin(x),
    "tan": lambda x: 1 / mp.cos(x) ** 2,
    "asin": lambda x: 1 / mp.sqrt(1 - x * x),
    "acos": lambda x: -1 / mp.sqrt(1 - x * x),
    "atan": lambda x: 1 / (1 + x * x),
    "sinh": mp.cosh,
    "cosh": mp.sinh,
    "tanh": lambda x: 1 / mp.cosh(x) ** 2,
    "asinh": lambda x: 1 / mp.sqrt(1 + x * x),
    "acosh": lambda x: 1 / mp.sqrt(x * x - 1),
    "atanh": lambda x: 1 / (1 - x * x),
    "inv": lambda x: -1 / (x * x),
    "abs": mp.sign,
    "floor": lambda x: 0,
    "ceil": lambda x: 0,
    "erf": lambda x: 2 / mp.sqrt(mp.pi) * mp.exp(-x * x),
    "erfinv": lambda x: mp.sqrt(mp.pi) / 2 * mp.exp(mp.erfinv(x) ** 2),
    "gamma": lambda x: mp.gamma(x) * mp.psi(0, x),
    "lambertw": lambda x: mp.exp(-mp.lambertw(x).real) / (1 + mp.lambertw(x).real),
}
"""The slopes of operations on one number."""

_VALUES: dict[str, Callable[[Any], Any]] = {
    "inv": lambda x: 1 / x,
    "abs": abs,
    "log2": lambda x: mp.log(x, 2),
    "lambertw": lambda x: mp.lambertw(x).real,
}


def value_of(op: str) -> Callable[[Any], Any]:
    """An operation on one number, in as many digits as are asked for."""
    return _VALUES.get(op) or getattr(mp, op)


class OutOfReachError(Exception):
    """Too large even for these digits."""


def exact(node: Node, at: Mapping[str, float], digits: int = 60) -> Any:
    """The value, or None where real arithmetic has none."""
    with mp.workdps(digits):
        return _exact(node, at)


def verdict(condition: Node, at: Mapping[str, float]) -> bool | None:
    """Whether a condition is true; None where it has no meaning."""
    with mp.workdps(60):
        return _verdict(condition, at)


def _exact(node: Node, at: Mapping[str, float]) -> Any:
    if isinstance(node, Number):
        return mpf(node.value.numerator) / node.value.denominator
    if isinstance(node, Name):
        return mpf(at[node.name])
    if node.op == "piecewise":
        return _chosen(list(node.args), at)
    args = [_exact(arg, at) for arg in node.args]
    if None in args:
        return None
    if any(abs(arg) > mpf(2) ** _LONGEST for arg in args if node.op in ("exp", "sinh", "cosh", "pow")):
        raise OutOfReachError
    if node.op == "gamma" and args[0] > 2**20:
        raise OutOfReachError
    try:
        found = (_ACTS.get(node.op) or getattr(mp, node.op))(*args)
    except (ValueError, ZeroDivisionError):
        return None
    return None if found is None or isinstance(found, mpc) or not mp.isfinite(found) else found


def _chosen(arms: list[Node], at: Mapping[str, float]) -> Any:
    while len(arms) > 1:
        arm, condition, *arms = arms
        met = _verdict(condition, at)
        if met is not False:
            return _exact(arm, at) if met else None
    return _exact(arms[0], at) if arms else None


def _verdict(condition: Node, at: Mapping[str, float]) -> bool | None:
    assert not isinstance(condition, (Name, Number))
    if condition.op in _SIGNS:
        left, right = (_exact(arg, at) for arg in condition.args)
        return None if left is None or right is None else bool(_SIGNS[condition.op](left, right))
    parts = [_verdict(arg, at) for arg in condition.args]
    if condition.op == "not":
        return None if parts[0] is None else not parts[0]
    decisive = condition.op == "or"
    return decisive if decisive in parts else None if None in parts else not decisive
