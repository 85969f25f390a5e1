"""Closed forms simplified over a box, so that their bounds get tighter.

An arm of a max that cannot bind anywhere in the box is removed; numbers are substituted exactly; and a remaining
ratio of polynomials is reduced. A quantity that cancels then no longer widens the bounds, as in the share of a time
in itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from derive.expressions.tree import Apply, Name, Node, Number, names_in, walk
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.intervals.enclosure import Span, enclose

if TYPE_CHECKING:
    from quantities.quantity import Quantity

__all__ = ["eased", "is_monotone", "without_idle_arms"]

_RATIONAL = {"add", "mul", "neg", "inv", "pow"}
_LARGEST = 400  # limit on nodes of a form that is reduced
_MOST = 4  # limit on names in it


def is_monotone(form: Node, values: Mapping[str, float], ranges: Mapping[str, Span]) -> bool:
    """Whether a form is certainly monotone or constant in each of the ranges."""
    spans = {name: (number, number) for name, number in values.items()} | dict(ranges)
    moving = [enclose(form, spans, name) for name in names_in(form) if name in ranges]
    return all(e is not None and not e.partial and not e.slopes[0] < 0 < e.slopes[1] for e in moving)


def eased(
    form: Node, values: Mapping[str, float], ranges: Mapping[str, Span], quantities: Mapping[str, Quantity]
) -> Node:
    """An expression of the ranges alone that equals the form everywhere in them.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> form = parse_expression("max(a*x, b)/(a*x)")
    >>> render(eased(form, {"a": 2.0, "b": 3.0}, {"x": (2.0, 5.0)}, {"x": Quantity("x")}))
    '1'
    """
    known = {name: number for name, number in values.items() if name not in ranges}
    form = folded(without_idle_arms(folded(form, known), ranges), {})
    parts = list(walk(form))
    names = names_in(form)
    rational = all(_is_rational(part) for part in parts)
    if not rational or len(parts) > _LARGEST or not 0 < len(names) <= _MOST or any(n not in quantities for n in names):
        return form
    return _reduced(form, quantities)


def without_idle_arms(node: Node, ranges: Mapping[str, Span]) -> Node:
    """The expression without the arms of a max or min that never bind in the ranges."""
    if not isinstance(node, Apply):
        return node
    args = tuple(without_idle_arms(arg, ranges) for arg in node.args)
    if node.op in ("max", "min"):
        found = [enclose(arg, ranges, "") for arg in args]
        spans = [e.values for e in found if e is not None and not e.partial]
        if len(spans) == len(args):
            best = max(low for low, _ in spans) if node.op == "max" else min(high for _, high in spans)
            args = tuple(
                arg
                for arg, (low, high) in zip(args, spans, strict=True)
                if (high >= best if node.op == "max" else low <= best)
            )
    return args[0] if node.op in ("max", "min") and len(args) == 1 else Apply(node.op, args)


def _is_rational(part: Node) -> bool:
    if not isinstance(part, Apply):
        return True
    if part.op == "pow":
        return isinstance(part.args[1], Number) and part.args[1].value.denominator == 1
    return part.op in _RATIONAL


def _reduced(form: Node, quantities: Mapping[str, Quantity]) -> Node:
    import sympy

    from derive.expressions.sympy_bridge import from_sympy, to_sympy

    whole = sympy.cancel(sympy.together(to_sympy(form, quantities)))
    symbols = whole.free_symbols
    split = sympy.apart(whole, *symbols) if len(symbols) == 1 else whole  # (x + 1)/(x + 2) as 1 - 1/(x + 2)
    return min(form, from_sympy(whole)[0], from_sympy(split)[0], key=_mentions)


def _mentions(form: Node) -> int:
    """The number of occurrences of ranged names in a form: the more there are, the wider its enclosure."""
    return sum(isinstance(part, Name) for part in walk(form))
