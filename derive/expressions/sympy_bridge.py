"""Conversion between expression trees and sympy, in both directions.

A tree becomes sympy exactly (7/100, not 0.07), with the quantities themselves as symbols. The way back keeps what sympy
left of an expression: `x + L - L` built in Python is `x` before this module sees it; a relation given as text is not
simplified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import sympy
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational

from derive.errors import ExpressionError, LimitError, excerpt
from derive.expressions.arithmetic import Arithmetic, ConstantError, prove_constants
from derive.expressions.functions import TABLE, Function
from derive.expressions.tree import COMPARISONS, Apply, Equation, Name, Node, Number, applied, cases
from quantities.declaration import Declaration, agreed
from quantities.quantity import Quantity

_MOST_NESTED = 100  # limit on nested operations


def _constructor(entry: Function) -> Any:
    """The function of sympy to which a tree's function is converted, or one that makes its formula in sympy."""
    if callable(entry.in_sympy):
        return partial(entry.in_sympy, sympy)
    return getattr(sympy, entry.in_sympy or entry.name)


_CONSTRUCTORS: dict[str, Callable[..., Any]] = {
    **{op: getattr(sympy, op.capitalize()) for op in ("add", "mul", "pow", "min", "max", "and", "or", "not")},
    **{op: getattr(sympy, op.capitalize()) for op in COMPARISONS.values()},
    "neg": lambda x: -x,
    "inv": lambda x: 1 / x,
    "pi": lambda: sympy.pi,
    "true": lambda: sympy.true,
    **{name: _constructor(entry) for name, entry in TABLE.items()},
}
_SYMPY: Arithmetic[Any] = Arithmetic(
    number=lambda node: sympy.Rational(node.value.numerator, node.value.denominator),
    operations=_CONSTRUCTORS,
    forms={
        "piecewise": lambda choice, part: sympy.Piecewise(
            *((part(arm), condition is None or part(condition)) for arm, condition in cases(choice))
        )
    },
)
_OPERATIONS: dict[Any, str] = {maker: op for op, maker in _CONSTRUCTORS.items() if isinstance(maker, type)}
_RELATIONS: dict[str, Callable[..., Any]] = {"=": sympy.Eq, "<=": sympy.Le, ">=": sympy.Ge}


def to_sympy(node: Node, quantities: Mapping[str, Quantity]) -> Any:
    """The sympy expression of an expression tree, with quantities as its symbols.

    >>> x = Quantity("x", "m")
    >>> to_sympy(Apply("mul", (Number(Fraction(1, 2)), Name("x"))), {"x": x})
    x/2
    """
    return _SYMPY.fold(node, quantities.__getitem__)


def to_relational(equation: Equation, quantities: Mapping[str, Quantity]) -> Relational:
    """An equation of two trees converted to sympy, not evaluated (`Eq(x, x + 1)` would otherwise be False)."""
    sides = (to_sympy(side, quantities) for side in equation.sides)
    relational: Relational = _RELATIONS[equation.op](*sides, evaluate=False)
    return relational


def from_sympy(expression: Any) -> tuple[Node, dict[str, Declaration]]:
    """The expression tree of a sympy expression, and the declarations of its quantities."""
    if hasattr(expression, "_units"):  # a pint Quantity, which sympify would strip of its unit
        raise _no_expression(expression)
    try:
        reader = _Reader()
        node = reader.node(sympy.sympify(expression, strict=True))
        prove_constants(node)
    except ConstantError as fault:
        kind = LimitError if fault.limit else ExpressionError
        raise kind(f"In the expression {fault.what}.", hint="Make it a quantity with its own value.") from None
    except (sympy.SympifyError, AttributeError, TypeError):
        raise _no_expression(expression) from None
    except (ValueError, OverflowError):
        what = f"a {type(expression).__name__} of this size is not an expression."
        raise LimitError(what, hint="Write numbers between 1e-300 and 1e300.", limit="1e-300 to 1e300") from None
    except RecursionError:
        raise _too_deep() from None
    return node, reader.declared


def _no_expression(thing: Any) -> ExpressionError:
    shown = type(thing).__name__
    hint = "Write a sympy expression of quantities, or text."
    return ExpressionError(f"a {shown} is not an expression.", hint=hint, text=shown)


def _too_deep() -> LimitError:
    what = f"The expression is nested too deep, over {_MOST_NESTED} levels."
    return LimitError(what, hint="Name its inner parts.", limit=f"{_MOST_NESTED} levels")


class _Reader:
    """One pass over a sympy expression, which collects its quantities."""

    def __init__(self) -> None:
        self.declared: dict[str, Declaration] = {}
        self.depth = 0

    def node(self, expression: Any) -> Node:
        """The tree of a sympy expression; an error if operations are nested too deep."""
        self.depth += 1
        if self.depth > _MOST_NESTED:
            raise _too_deep()
        try:
            return self._node(expression)
        finally:
            self.depth -= 1

    def _node(self, expression: Any) -> Node:
        """The tree of a sympy expression by its kind; an error for a symbol without a unit."""
        if isinstance(expression, Quantity):
            return self._named(expression.declaration)
        if expression.is_Symbol or isinstance(expression, AppliedUndef):
            what = f"{excerpt(str(expression))} is a sympy symbol without a unit."
            hint = f'Declare it: Quantity("{expression}", "unit").'
            raise ExpressionError(what, hint=hint, text=str(expression))
        if expression is sympy.pi:
            return Apply("pi", ())
        if expression is sympy.E:
            return Apply("exp", (Number(Fraction(1)),))
        if expression is sympy.true:
            return Apply("true", ())
        if expression.is_Rational:
            return Number(Fraction(int(expression.p), int(expression.q)))
        if expression.is_Float and expression.is_finite:
            return Number(_fraction(expression))
        if expression.func is sympy.cot:  # sympy's form of tan(pi/2 - x)
            return Apply("inv", (Apply("tan", (self.node(expression.args[0]),)),))
        if isinstance(expression, sympy.Piecewise):
            return self._pieces(expression)
        return self._operation(expression)

    def _named(self, declaration: Declaration) -> Node:
        name = declaration.name
        self.declared[name] = agreed(self.declared[name], declaration) if name in self.declared else declaration
        return Name(name)

    def _operation(self, expression: Any) -> Node:
        """The tree of a sympy operation on its arguments; an error if relations do not have the operation."""
        if expression.is_Pow:
            base, exponent = expression.as_base_exp()
            return self._power(base, exponent)
        if expression.is_Add:
            return Apply("add", tuple(_signed(self.node(term)) for term in expression.as_ordered_terms()))
        if expression.is_Mul:
            return self._product(expression)
        op = _OPERATIONS.get(expression.func, "")
        if not op:
            what = f"sympy's {expression.func.__name__} cannot appear in a relation: {excerpt(str(expression))}."
            hint = "Write it with + - * / **, the functions of the relation file, Min, Max and Piecewise."
            raise ExpressionError(what, hint=hint, text=str(expression))
        return Apply(op, tuple(map(self.node, expression.args)))

    def _product(self, expression: Any) -> Node:
        """The tree of a sympy product, with its divisors last, and a leading -1 as its sign."""
        factors = map(self.node, expression.as_ordered_factors())
        parts = sorted(factors, key=lambda part: isinstance(part, Apply) and part.op == "inv")
        if parts[0] == Number(Fraction(-1)):
            return Apply("neg", (applied("mul", parts[1:], parts[0]),))
        return Apply("mul", tuple(parts))

    def _power(self, base: Any, exponent: Any) -> Node:
        """The tree of a sympy power, as exp, a square root or a quotient where it is one."""
        if base is sympy.E:
            return Apply("exp", (self.node(exponent),))
        if exponent.could_extract_minus_sign():
            inner = base if exponent == -1 else sympy.Pow(base, -exponent, evaluate=False)
            return Apply("inv", (self.node(inner),))
        if exponent == sympy.Rational(1, 2):
            return Apply("sqrt", (self.node(base),))
        if exponent.is_Float and float(_root(exponent)) == float(exponent):
            return Apply("pow", (self.node(base), Number(_root(exponent))))
        return Apply("pow", (self.node(base), self.node(exponent)))

    def _pieces(self, expression: Any) -> Node:
        arms: list[Node] = []
        for value, condition in expression.args:
            if condition == sympy.true:
                return Apply("piecewise", (*arms, self.node(value)))
            arms += [self.node(value), self.node(condition)]
        return Apply("piecewise", tuple(arms))


def _fraction(number: Any) -> Fraction:
    """A sympy float as the decimal that Python prints for it; OverflowError if it is below the least double."""
    double = float(number)
    if double == 0 and number != 0:
        raise OverflowError
    return Fraction(repr(double))


def _root(exponent: Any) -> Fraction:
    """The fraction that is meant by a sympy float in an exponent, such as Python's 1/3."""
    return Fraction(float(exponent)).limit_denominator(99)


def _signed(node: Node) -> Node:
    """The tree of a term of a sympy sum, with the sign of a negative number in front, as that of a product is."""
    if isinstance(node, Number) and node.value < 0:
        return Apply("neg", (Number(-node.value),))
    return node
