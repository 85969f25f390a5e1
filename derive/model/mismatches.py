"""Dimension errors as the user reads them: the relation, the part, both sides factor by factor, the repair."""

from __future__ import annotations

from derive.errors import Problem
from derive.expressions.tree import Apply, Equation, Name, Node, Number, render
from derive.model.dimensions import Mismatch, dimension_of
from derive.model.repairs import repair
from derive.model.vocabulary import Vocabulary, exponent_of, factors_of, shown
from quantities.dimension import Dimension
from quantities.spelling import parse_unit

__all__ = ["problem_of"]

_SHOWN = 24  # limit on factors of a product in a message
_DERIVED = ("N", "Pa", "J", "W", "C", "V", "ohm", "F", "H", "T", "Wb")


def problem_of(name: str, equation: Equation, fault: Mismatch, vocabulary: Vocabulary, line: int = 0) -> Problem:
    """A mismatch as the user reads it: the relation, the part, both sides factor by factor, the repair."""
    message = f"{name}: {_said(fault)}"
    left, right = _factors(fault.left, vocabulary), _factors(fault.right, vocabulary)
    if fault.kind == "sides":
        message += f"\n    left:  {left or render(fault.left)}\n    right: {right or render(fault.right)}"
    else:
        message += "".join(f"\n    {row}" for row in (left, right) if row)
    mend = repair(equation, fault, vocabulary)
    span = _span(equation, fault)
    return Problem(name.partition(",")[0], line, message, mend.hint, span=span, edits=mend.edits)


def _span(equation: Equation, fault: Mismatch) -> tuple[int, int]:
    """Where in the text of the equation the mismatch is."""
    match fault.kind:
        case "sides":
            parts: tuple[Node, ...] = (equation.lhs, equation.rhs)
        case "argument" | "exponent":
            parts = (fault.left,)
        case _:
            parts = (fault.left, fault.right) if fault.kind == "terms" else (fault.node,)
    return min(part.at[0] for part in parts), max(part.at[1] for part in parts)


def _said(fault: Mismatch) -> str:
    left, right = shown(fault.left), shown(fault.right)
    dimension, other = _named(fault.left_dimension), _named(fault.right_dimension)
    if fault.left_dimension == fault.right_dimension:
        return f"{left} and {right} differ by 2*pi: one counts radians, the other cycles or hertz."
    match fault.kind:
        case "sides":
            return f"left is {dimension}, right is {other}."
        case "terms":
            return f"in {shown(fault.node)}, {left} is {dimension} and {right} is {other}."
        case "argument":
            function = fault.node.op if isinstance(fault.node, Apply) else ""
            return f"{function} takes a number, and {left} is {dimension}."
        case "exponent":
            return f"an exponent is a number, and {left} is {dimension}."
        case "rounding":
            return f"{shown(fault.node)} would depend on the unit, since {left} is {dimension}."


def _named(dimension: Dimension) -> str:
    """A dimension in base units, with its common name if it has one."""
    if not dimension:
        return "a number"
    common = next((unit for unit in _DERIVED if parse_unit(unit).dimension == dimension), "")
    return f"{dimension} ({common})" if common else str(dimension)


def _factors(side: Node, vocabulary: Vocabulary) -> str:
    """A product with the unit of each of its factors; empty for a plain number."""
    text = ""
    factors = factors_of(side)
    for factor, power in factors[:_SHOWN]:
        if isinstance(factor, Number) or (isinstance(factor, Apply) and factor.op == "pi"):
            continue
        part = _measured(factor, vocabulary) + exponent_of(power)
        text = f"{text or '1'} / {part}" if power < 0 else f"{text} * {part}" if text else part
    return text if len(factors) <= _SHOWN else f"{text} * ..."


def _measured(factor: Node, vocabulary: Vocabulary) -> str:
    if isinstance(factor, Name):
        return f"{factor.name} [{vocabulary.quantities[factor.name].unit}]"
    found = dimension_of(factor, vocabulary.dimensions)
    return f"({shown(factor)}) [{'?' if found is None else found}]"
