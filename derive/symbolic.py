"""Between trees and sympy: the tree as a sympy expression, and a sympy expression as a tree.

A tree becomes sympy exactly (7/100, not 0.07), with the quantities themselves as symbols. The way back keeps what sympy
left of an expression: `x + L - L` built in Python is `x` before anybody here sees it, which is why a relation may also
be given as text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from derive.errors import ExpressionError, excerpt
from derive.expression import Apply, Equation, Name, Node, Number
from quantities.quantity import Quantity

__all__ = ["from_sympy", "to_relational", "to_sympy"]

_MAKERS: dict[str, Callable[..., Any]] = {
    "add": sympy.Add,
    "mul": sympy.Mul,
    "neg": lambda x: -x,
    "inv": lambda x: 1 / x,
    "pow": sympy.Pow,
    "pi": lambda: sympy.pi,
    "true": lambda: sympy.true,
    "log10": lambda x: sympy.log(x) / sympy.log(10),
    "log2": lambda x: sympy.log(x) / sympy.log(2),
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "floor": sympy.floor,
    "ceil": sympy.ceiling,
    "lt": sympy.Lt,
    "le": sympy.Le,
    "gt": sympy.Gt,
    "ge": sympy.Ge,
    "eq": sympy.Eq,
    "ne": sympy.Ne,
    "and": sympy.And,
    "or": sympy.Or,
    "not": sympy.Not,
    **{name: getattr(sympy, name) for name in ("sqrt", "exp", "log", "sin", "cos", "tan", "asin", "acos", "atan")},
    **{name: getattr(sympy, name) for name in ("sinh", "cosh", "tanh")},
}
_OPS: dict[type, str] = {
    sympy.exp: "exp",
    sympy.log: "log",
    sympy.Abs: "abs",
    sympy.Min: "min",
    sympy.Max: "max",
    sympy.floor: "floor",
    sympy.ceiling: "ceil",
    sympy.And: "and",
    sympy.Or: "or",
    sympy.Not: "not",
    sympy.StrictLessThan: "lt",
    sympy.LessThan: "le",
    sympy.StrictGreaterThan: "gt",
    sympy.GreaterThan: "ge",
    sympy.Equality: "eq",
    sympy.Unequality: "ne",
    **{getattr(sympy, name): name for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")},
}
_RELATIONS: dict[str, Callable[..., Any]] = {"=": sympy.Eq, "<=": sympy.Le, ">=": sympy.Ge}


def to_sympy(node: Node, quantities: Mapping[str, Quantity]) -> Any:
    """A tree as a sympy expression over the quantities.

    >>> x = Quantity("x", "m")
    >>> to_sympy(Apply("mul", (Number(Fraction(1, 2)), Name("x"))), {"x": x})
    x/2
    """
    if isinstance(node, Number):
        return sympy.Rational(node.value.numerator, node.value.denominator)
    if isinstance(node, Name):
        return quantities[node.name]
    args = [to_sympy(arg, quantities) for arg in node.args]
    if node.op == "piecewise":
        pairs = [(args[i], args[i + 1]) for i in range(0, len(args) - 1, 2)]
        return sympy.Piecewise(*pairs, *([(args[-1], True)] if len(args) % 2 else []))
    return _MAKERS[node.op](*args)


def to_relational(equation: Equation, quantities: Mapping[str, Quantity]) -> Relational:
    """The equation as sympy's, left as it is (`Eq(x, x + 1)` would otherwise be False)."""
    sides = (to_sympy(side, quantities) for side in (equation.lhs, equation.rhs))
    made: Relational = _RELATIONS[equation.op](*sides, evaluate=False)
    return made


def from_sympy(expression: Any) -> tuple[Node, dict[str, Quantity]]:
    """What sympy left of an expression, as a tree, and the quantities in it."""
    found: dict[str, Quantity] = {}
    try:
        return _node(sympy.sympify(expression, strict=True), found), found
    except sympy.SympifyError:
        shown = type(expression).__name__
        raise ExpressionError(
            f"a {shown} is no expression.", hint="Write a sympy expression of quantities, or text.", text=shown
        ) from None
    except RecursionError:
        raise ExpressionError("The expression is nested too deep.", hint="Give its parts names of their own.") from None


def _node(expression: Any, found: dict[str, Quantity]) -> Node:
    if isinstance(expression, Quantity):
        return _named(expression, found)
    if expression.is_Symbol or isinstance(expression, AppliedUndef):
        raise ExpressionError(
            f"{excerpt(str(expression))} is a sympy symbol without a unit.",
            hint=f'Declare it: Quantity("{expression}", "unit").',
            text=str(expression),
        )
    if expression is sympy.pi:
        return Apply("pi", ())
    if expression is sympy.E:
        return Apply("exp", (Number(Fraction(1)),))
    if expression is sympy.true:
        return Apply("true", ())
    if expression.is_Rational:
        return Number(Fraction(int(expression.p), int(expression.q)))
    if expression.is_Float and expression.is_finite:
        return Number(Fraction(repr(float(expression))))
    if isinstance(expression, sympy.Piecewise):
        return _pieces(expression, found)
    return _operation(expression, found)


def _named(quantity: Quantity, found: dict[str, Quantity]) -> Node:
    if found.setdefault(quantity.name, quantity) != quantity:
        raise ExpressionError(
            f"Two quantities are both called {quantity.name}, in {found[quantity.name].unit} and in {quantity.unit}.",
            hint="Give one of them another name.",
            text=quantity.name,
        )
    return Name(quantity.name)


def _operation(expression: Any, found: dict[str, Quantity]) -> Node:
    if expression.is_Pow:
        base, exponent = expression.as_base_exp()
        return _power(base, exponent, found)
    op = "add" if expression.is_Add else "mul" if expression.is_Mul else _OPS.get(expression.func, "")
    if not op:
        raise ExpressionError(
            f"sympy's {expression.func.__name__} has no place in a relation: {excerpt(str(expression))}.",
            hint="Write it with + - * / **, the functions of the relation file, Min, Max and Piecewise.",
            text=str(expression),
        )
    args = expression.as_ordered_terms() if op == "add" else expression.as_ordered_factors() if op == "mul" else None
    parts = tuple(_node(arg, found) for arg in (expression.args if args is None else args))
    if op == "add":
        parts = tuple(_signed(part) for part in parts)
    if op == "mul":
        parts = tuple(sorted(parts, key=lambda part: isinstance(part, Apply) and part.op == "inv"))
    if op == "mul" and parts[0] == Number(Fraction(-1)):
        rest = parts[1:]
        return Apply("neg", (rest[0] if len(rest) == 1 else Apply("mul", rest),))
    return Apply(op, parts)


def _power(base: Any, exponent: Any, found: dict[str, Quantity]) -> Node:
    if base is sympy.E:
        return Apply("exp", (_node(exponent, found),))
    if exponent.could_extract_minus_sign():
        inner = base if exponent == -1 else sympy.Pow(base, -exponent, evaluate=False)
        return Apply("inv", (_node(inner, found),))
    if exponent == sympy.Rational(1, 2):
        return Apply("sqrt", (_node(base, found),))
    return Apply("pow", (_node(base, found), _node(exponent, found)))


def _signed(node: Node) -> Node:
    """A negative term of a sum, as a subtraction."""
    if isinstance(node, Number) and node.value < 0:
        return Apply("neg", (Number(-node.value),))
    if isinstance(node, Apply) and node.op == "mul" and isinstance(node.args[0], Number) and node.args[0].value < 0:
        return Apply("neg", (Apply("mul", (Number(-node.args[0].value), *node.args[1:])),))
    return node


def _pieces(expression: Any, found: dict[str, Quantity]) -> Node:
    arms: list[Node] = []
    for value, condition in expression.args:
        if condition == sympy.true:
            return Apply("piecewise", (*arms, _node(value, found)))
        arms += [_node(value, found), _node(condition, found)]
    return Apply("piecewise", tuple(arms))
