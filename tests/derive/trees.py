"""Trees by other means: their shape in one line, and their value by plain arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import mpmath

from derive.expressions.tree import Name, Node, Number

_ACTS: dict[str, Callable[..., Any]] = {
    "add": lambda *args: sum(args),
    "mul": lambda *args: reduce(operator.mul, args),
    "neg": operator.neg,
    "inv": lambda x: 1 / x,
    "pow": lambda x, y: x**y,
    "pi": lambda: math.pi,
    "abs": abs,
    "min": lambda *args: min(args),
    "max": lambda *args: max(args),
    "ceil": math.ceil,
    "erfinv": lambda x: float(mpmath.erfinv(x)),
    "lambertw": lambda x: float(mpmath.lambertw(x)),
    "true": lambda: True,
    "and": lambda *args: all(args),
    "or": lambda *args: any(args),
    "not": operator.not_,
    **{name: getattr(operator, name) for name in ("lt", "le", "gt", "ge", "eq", "ne")},
}


def shape(node: Node) -> str:
    """The tree in one line: `a - b` is `add(a, neg(b))`."""
    if isinstance(node, Number):
        return str(node.value)
    if isinstance(node, Name):
        return node.name
    return f"{node.op}({', '.join(shape(arg) for arg in node.args)})" if node.args else node.op


def value(node: Node, names: Mapping[str, float]) -> Any:
    """What the tree amounts to at these values."""
    if isinstance(node, Number):
        return int(node.value) if node.value.denominator == 1 else float(node.value)
    if isinstance(node, Name):
        return names[node.name]
    if node.op == "piecewise":
        for i in range(0, len(node.args) - 1, 2):
            if value(node.args[i + 1], names):
                return value(node.args[i], names)
        return value(node.args[-1], names)
    act = _ACTS.get(node.op) or getattr(math, node.op)
    return act(*(value(arg, names) for arg in node.args))
