"""Which solutions a system may lose when one unknown is expressed by the others.

A division by a factor loses the solutions at which that factor is zero, and an inverted even power those with a
negative base. Interval arithmetic over the domains tells where neither can happen.
"""

from __future__ import annotations

from collections.abc import Mapping

from derive.expressions.tree import Apply, Equation, Name, Node, replaced
from derive.numerics.algebra.isolation import leaves_out
from derive.numerics.algebra.like_terms import ZERO, added, negated
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.blocks.outcome import System
from derive.solving.blocks.substitution import Branch

__all__ = ["loses_nothing", "may_be_lost", "spans_of"]


def loses_nothing(branch: Branch, box: Mapping[str, Span]) -> bool:
    """Whether all solutions in a box lie along a branch: no divisor vanishes and no root loses a negative base."""
    divisors = [enclose(divisor, box, "") for _, divisor in branch.lost]
    whole = all(found is not None and found.misses_zero for found in divisors)
    return whole and not leaves_out(branch.powers, box)


def may_be_lost(equation: Equation, divisor: Node, system: System) -> bool:
    """Whether a divisor may be zero while the equation holds."""
    if not _may_vanish(divisor, system):
        return False
    left, right = (replaced(side, divisor, ZERO) for side in (equation.lhs, equation.rhs))
    if _divides_by_zero(left, system) or _divides_by_zero(right, system):
        return False
    return _may_vanish(added(left, negated(right)), system)


def _divides_by_zero(node: Node, system: System) -> bool:
    """Whether an expression is undefined whatever the unknowns are, as `1/(x*0)` is: no equation with it holds."""
    if not isinstance(node, Apply) or node.op == "piecewise":  # an arm that does not bind may be undefined
        return False
    if node.op == "inv":
        under = enclose(node.args[0], spans_of(system), "")
        if under is not None and under.values == (0.0, 0.0):
            return True
    return any(_divides_by_zero(arg, system) for arg in node.args)


def _may_vanish(node: Node, system: System) -> bool:
    """Whether an expression may be zero with the unknowns anywhere in their domains."""
    if isinstance(node, Apply) and node.op == "mul":
        return any(_may_vanish(arg, system) for arg in node.args)
    if isinstance(node, Apply) and node.op in ("neg", "abs", "sqrt"):
        return _may_vanish(node.args[0], system)
    if isinstance(node, Apply) and node.op == "inv":
        return False
    if isinstance(node, Name) and node.name in system.unknowns:
        return 0.0 in system.domains[node.name]
    found = enclose(node, spans_of(system), "")
    return found is not None and not found.misses_zero


def spans_of(system: System) -> dict[str, Span]:
    """The knowns as points, and the domains of the unknowns."""
    known = {name: (number, number) for name, number in system.known.items()}
    return known | {name: system.domains[name].closed for name in system.unknowns}
