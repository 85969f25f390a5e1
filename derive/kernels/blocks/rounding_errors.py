"""The rounding errors of expressions in a kernel's lines, bounded by other expressions in the same names.

How far rounding may have moved an expression is another expression in the same names. It counts roundings of half a
unit in the last place, to first order: each operation adds its own and passes on those of its arguments times its
slope. Where no sum can cancel, that is a share of the value itself. In the end each counts for a whole unit, so that
what is of second order is covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from derive.expressions.functions import STEPPED, TABLE
from derive.expressions.tree import Apply, Name, Node, Number, names_in
from derive.numerics.algebra.like_terms import ZERO, added, fill_template, inverted, multiplied
from derive.numerics.intervals.enclosure import Span, enclose

_OF_A_POWER = Fraction(8)  # roundings: what `pow` of the C library may be off by
_OF_AN_EXPONENT = Fraction(1000)  # the same by its rounded exponent: the largest logarithm, 710, and more


def roundings(node: Node) -> Node:
    """The rounding error of an expression in a kernel at most, as a multiple of the rounding of one.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> render(roundings(parse_expression("x - y")))
    'abs(x - y)'
    """
    return RoundingError().of(node)


@dataclass(frozen=True)
class RoundingError:
    """Bounds the rounding errors of expressions in a kernel, given those of names as shares or expressions."""

    errors: Mapping[str, Fraction | Node] = field(default_factory=dict)
    spans: Mapping[str, Span] = field(default_factory=dict)

    def of(self, node: Node) -> Node:
        """The rounding error of an expression in a kernel at most, in roundings."""
        share = self.share(node)
        if share is not None:
            return multiplied(Number(share), size_of(node))
        if isinstance(node, Name):
            error = self.errors[node.name]
            assert not isinstance(error, Fraction)  # else it has a share
            return error
        assert isinstance(node, Apply)
        if node.op == "piecewise":
            return Apply(node.op, tuple(arg if i % 2 else self.of(arg) for i, arg in enumerate(node.args)))
        errors = [self.of(arg) for arg in node.args]
        match node.op:
            case "neg":
                return errors[0]
            case "max" | "min":
                return added(*errors)
            case "add":
                sizes = [size_of(arg) for arg in node.args] if len(node.args) > 2 else [size_of(node)]
                return added(*errors, *sizes)
            case "mul":
                shares = [_error_by_factor(node, i, error) for i, error in enumerate(errors) if error != ZERO]
                return added(*shares, multiplied(Number(Fraction(len(node.args) - 1)), size_of(node)))
            case "pow":
                return _error_of_power(node, *errors)
            case "inv":
                return _propagated_error(multiplied(node, node), errors[0], size_of(node))
            case op:
                entry, parts = TABLE[op], {"x": node.args[0], "y": node}
                own = multiplied(Number(Fraction(2 * entry.off)), size_of(node))  # a last place is two roundings
                return _propagated_error(fill_template(entry.steepness, parts), errors[0], own)

    def share(self, node: Node) -> Fraction | None:
        """The rounding error as a share of a kernel's value; None if a sum may cancel, or a function is steep."""
        if isinstance(node, Number):
            return Fraction(0 if node.is_double else 1)
        if isinstance(node, Name):
            error = self.errors.get(node.name, Fraction(0))
            return error if isinstance(error, Fraction) else None
        if node.op in STEPPED or node.op == "pi":
            return Fraction(node.op == "pi")
        shares = [self.share(arg) for arg in (node.args[::2] if node.op == "piecewise" else node.args)]
        known = [share for share in shares if share is not None]
        if len(known) < len(shares):
            return None
        match node.op:
            case "neg" | "abs" | "max" | "min" | "piecewise":
                return max(known)
            case "add" if self._is_of_one_sign(node):
                return max(known) + len(known) - 1
            case "mul":
                return sum(known, Fraction(len(known) - 1))
            case "inv":
                return known[0] + 1
            case "sqrt":
                return known[0] / 2 + 2 * TABLE["sqrt"].off
            case "pow" if isinstance(node.args[1], Number):
                own = _OF_A_POWER if node.args[1].is_double else _OF_AN_EXPONENT
                return abs(node.args[1].value) * known[0] + own
        return None

    def _is_of_one_sign(self, node: Apply) -> bool:
        """Whether no two terms of a sum can differ in sign, so that its rounding error stays small beside it."""
        if not self.spans.keys() >= {*names_in(node)}:
            return False
        terms = [enclose(term, self.spans, "") for term in node.args]
        ends = [term.values for term in terms if term is not None]
        return len(ends) == len(terms) and (all(low >= 0 for low, _ in ends) or all(high <= 0 for _, high in ends))


def _error_by_factor(product: Apply, index: int, error: Node) -> Node:
    """The rounding error of a product that is due to the error of one factor."""
    return multiplied(error, *(size_of(arg) for i, arg in enumerate(product.args) if i != index))


def _error_of_power(node: Apply, of_base: Node, of_exponent: Node) -> Node:
    """The rounding error of a power, from the errors of its base and of its exponent."""
    base, exponent = node.args
    shares: list[Node] = [Number(_OF_A_POWER)]
    if of_base != ZERO:
        shares.append(multiplied(size_of(exponent), of_base, inverted(size_of(base))))
    if of_exponent != ZERO:
        shares.append(multiplied(size_of(Apply("log", (size_of(base),))), of_exponent))
    return multiplied(size_of(node), added(*shares))


def _propagated_error(steepness: Node, error: Node, own: Node) -> Node:
    """The rounding error of a function: that of its argument, propagated, and its own."""
    return own if error == ZERO else added(multiplied(steepness, error), own)


def size_of(node: Node) -> Node:
    """The absolute value of an expression, beside which its rounding error is a share."""
    return Apply("abs", (node,))
