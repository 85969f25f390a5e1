"""A second opinion on dimensions: pint's own registry, walking the text as Python reads it.

Nothing here comes from the code under test. Names stand for quantities with generic magnitudes, so that two symbolic
exponents agree only where they are equal; a function's argument must be a number; exponents agree to nine digits.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pint

UNITS: Any = pint.UnitRegistry()
for _word in ("token", "parameter", "sequence", "chip", "FLOP", "USD", "datum"):
    UNITS.define(f"{_word} = [{_word}]")
_PLAIN = {"sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "log10", "log2"}
_COMMON = {"min", "max", "abs"}


def consistent(equation: str, units: Mapping[str, str]) -> bool:
    """Whether the two sides of an equation, and all terms and arguments in it, fit."""
    names = {name: _generic(number, unit) for number, (name, unit) in enumerate(units.items())}
    try:
        _alike([_valued(ast.parse(side.strip(), mode="eval").body, names) for side in equation.split(" = ")])
    except pint.DimensionalityError:
        return False
    return True


@cache
def _base(unit: str) -> Any:
    """One of the unit; pint has no dimension for the byte, so that another word stands in."""
    return UNITS.Quantity(1.0, "" if unit == "1" else re.sub(r"\bbyte\b", "datum", unit)).to_base_units()


def _generic(number: int, unit: str) -> Any:
    """A quantity whose magnitude, between 1 and 2, is like no other's."""
    return UNITS.Quantity(1 + (number + 1) * 0.6180339887498949 % 1, _base(unit).units)


def _valued(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Name("pi"):
            return UNITS.Quantity(3.141592653589793)
        case ast.Name(name):
            return names[name]
        case ast.Constant(value):
            return UNITS.Quantity(float(value)) if value else 0
        case ast.UnaryOp(ast.USub(), operand):
            return -_valued(operand, names)
        case ast.BinOp(left, ast.Pow(), right):
            return _power(_valued(left, names), _number(_valued(right, names)))
        case ast.BinOp(left, ast.Mult() | ast.Div() as act, right):
            apply = operator.mul if isinstance(act, ast.Mult) else operator.truediv
            return apply(_valued(left, names), _valued(right, names))
        case ast.BinOp(left, _, right):
            return _alike([_valued(left, names), _valued(right, names)])
        case ast.Call(ast.Name("sqrt"), [argument]):
            return _power(_valued(argument, names), 0.5)
        case ast.Call(ast.Name(name), arguments) if name in _COMMON:
            return _alike([_valued(argument, names) for argument in arguments])
        case ast.Call(ast.Name(name), [argument]) if name in _PLAIN:
            _number(_valued(argument, names))
            return UNITS.Quantity(1.5)
    raise AssertionError(ast.dump(node))


def _power(base: Any, exponent: float) -> Any:
    if isinstance(base, int):
        return base
    return UNITS.Quantity(1.25, base.units**exponent)


def _number(value: Any) -> float:
    return 0.0 if isinstance(value, int) else float(value.to("dimensionless").magnitude)


def _alike(values: list[Any]) -> Any:
    """One of the values, if pint would add them all up."""
    rounded = [value if isinstance(value, int) else _rounded(value) for value in values]
    for one, other in pairwise(rounded):
        _ = one + other
    return next((value for value in values if not isinstance(value, int)), 0)


def _rounded(value: Any) -> Any:
    powers = {unit: round(float(power), 9) for unit, power in value._units.items()}
    return UNITS.Quantity(1.5, UNITS.UnitsContainer({unit: power for unit, power in powers.items() if power}))
