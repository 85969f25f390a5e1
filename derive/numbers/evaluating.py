"""The value of an expression at given numbers, as a float; NaN where it has none.

Everything is in coherent base units here, so a value is a bare float. What real arithmetic leaves undefined (the root
of a negative number, a division by zero, an overflow) is NaN and stays NaN, so that a candidate solution that needs it
fails its substitution instead of raising.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping

from derive.language.expression import Apply, Equation, Name, Node, Number, names_in

__all__ = ["arms", "holds", "residual", "strain", "terms", "value"]

Values = Mapping[str, float]

_NAN = math.nan


def power(base: float, exponent: float) -> float:
    """A real power, undefined where it would be complex or infinite."""
    if base == 0 and exponent < 0:
        return _NAN
    result = base**exponent
    return result if isinstance(result, float) else _NAN


_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "neg": operator.neg,
    "inv": lambda x: 1.0 / x,
    "abs": abs,
    **{name: getattr(math, name) for name in ("sqrt", "exp", "log", "log10", "log2", "sin", "cos", "tan")},
    **{name: getattr(math, name) for name in ("asin", "acos", "atan", "sinh", "cosh", "tanh")},
    "floor": lambda x: float(math.floor(x)),
    "ceil": lambda x: float(math.ceil(x)),
}
_TESTS: dict[str, Callable[[float, float], bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
}


def value(node: Node, values: Values) -> float:
    """The number that an expression comes to.

    >>> from derive.language.grammar import parse_expression
    >>> value(parse_expression("2*max(x, 3)**2"), {"x": 1.0})
    18.0
    """
    if isinstance(node, Name):
        return values[node.name]
    if isinstance(node, Number):
        return float(node.value)
    try:
        result = _applied(node, values)
    except (ValueError, ZeroDivisionError, OverflowError):
        return _NAN
    return result if math.isfinite(result) else _NAN


def _applied(node: Apply, values: Values) -> float:
    op = node.op
    if op == "piecewise":
        return _chosen(node, values)
    if op == "pi":
        return math.pi
    args = [value(arg, values) for arg in node.args]
    if any(arg != arg for arg in args):
        return _NAN
    match op:
        case "add":
            return math.fsum(args)
        case "mul":
            return math.prod(args)
        case "pow":
            return power(args[0], args[1])
        case "max":
            return max(args)
        case "min":
            return min(args)
        case _:
            return _FUNCTIONS[op](args[0])


def _chosen(node: Apply, values: Values) -> float:
    for i in range(0, len(node.args) - 1, 2):
        if holds(node.args[i + 1], values):
            return value(node.args[i], values)
    return value(node.args[-1], values) if len(node.args) % 2 else _NAN


def holds(condition: Node, values: Values) -> bool:
    """Whether a condition is true; false where it has no meaning."""
    assert isinstance(condition, Apply)
    match condition.op:
        case "true":
            return True
        case "and":
            return all(holds(arg, values) for arg in condition.args)
        case "or":
            return any(holds(arg, values) for arg in condition.args)
        case "not":
            return not holds(condition.args[0], values)
        case op:
            left, right = (value(arg, values) for arg in condition.args)
            return left == left and right == right and _TESTS[op](left, right)


def terms(node: Node) -> tuple[Node, ...]:
    """The terms of a sum, signs aside; any other expression is its only term."""
    if isinstance(node, Apply) and node.op == "add":
        return tuple(term for arg in node.args for term in terms(arg))
    if isinstance(node, Apply) and node.op == "neg":
        return terms(node.args[0])
    return (node,)


def residual(equation: Equation, values: Values) -> float:
    """How far the sides are apart, as a share of the sum of the absolute terms; NaN where a side has no value.

    >>> from derive.language.grammar import parse_equation
    >>> residual(parse_equation("a = b + c"), {"a": 4.0, "b": 1.0, "c": 3.0})
    0.0
    """
    gap = value(equation.lhs, values) - value(equation.rhs, values)
    if gap == 0:
        return 0.0
    size = sum(abs(value(term, values)) for side in (equation.lhs, equation.rhs) for term in terms(side))
    return gap / size if math.isfinite(size) and size > 0 else _NAN


def strain(equation: Equation, values: Values, moving: Iterable[str] | None = None) -> float:
    """How far the sides are apart beside what they would move if every number in them moved by its own size.

    Where a side is zero its terms give no measure, as in `cos(x) = 0`; this one does. `moving` says whose numbers may
    move, if not all of them.
    """
    gap = value(equation.lhs, values) - value(equation.rhs, values)
    moved = 0.0
    for name in names_in(equation.lhs, equation.rhs) if moving is None else moving:
        step = 1e-6 * abs(values[name]) or 1e-9
        aside = {**values, name: values[name] + step}
        change = value(equation.lhs, aside) - value(equation.rhs, aside) - gap
        moved += abs(change) * 1e6 if change == change else 0.0
    return abs(gap) / moved if moved else math.inf


def arms(node: Node, values: Values) -> list[Node]:
    """The arms that bind in each max, min and choice of an expression, outermost first."""
    if not isinstance(node, Apply):
        return []
    if node.op in ("max", "min"):
        sizes = [value(arg, values) for arg in node.args]
        best = sizes.index(max(sizes) if node.op == "max" else min(sizes))
        return [node.args[best], *arms(node.args[best], values)]
    if node.op == "piecewise":
        for i in range(0, len(node.args) - 1, 2):
            if holds(node.args[i + 1], values):
                return [node.args[i], *arms(node.args[i], values)]
        return [node.args[-1], *arms(node.args[-1], values)] if len(node.args) % 2 else []
    return [arm for arg in node.args for arm in arms(arg, values)]
