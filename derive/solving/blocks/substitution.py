"""Substitution: simultaneous equations rewritten in as few of their unknowns as possible.

The tears are taken as known, and each other unknown is expressed in them by one relation, which is then used up. The
remaining relations determine the tears.

A division by a factor loses the solutions at which that factor is zero, and an inverted even power those with a
negative base. Interval arithmetic over the domains tells where neither can happen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

from derive.expressions.arithmetic import Arithmetic, reapplied, same
from derive.expressions.tree import Apply, Equation, Name, Node, replaced, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.isolation import Candidate, isolate, leaves_out
from derive.numerics.algebra.like_terms import TWO, ZERO, added, multiplied, negated
from derive.numerics.intervals.arithmetic import point_box
from derive.numerics.intervals.enclosure import Span, enclose
from derive.solving.blocks.free_unknowns import has_choice
from derive.solving.blocks.system import System

_LARGEST = 4000  # limit on nodes of a composed expression
_BRANCHES = 8  # limit on combinations of inverses in a tearing

Lost = tuple[Equation, Node]
Worth = Callable[[Node, Mapping[str, float]], float]


@dataclass(frozen=True, slots=True)
class Branch:
    """The unknowns as expressions of the tears, in order of computation, and the remaining equations.

    Some equations were divided by a divisor; solutions at which a divisor is zero are lost.
    """

    forms: Mapping[str, Node]
    left: tuple[Equation, ...]
    lost: tuple[Lost, ...] = ()
    powers: tuple[Apply, ...] = ()  # inverted for nonnegative bases only
    conditions: tuple[Node, ...] = ()  # under which the expressions hold

    def at(self, tears: Mapping[str, float], known: Mapping[str, float], worth: Worth = value) -> dict[str, float]:
        """All unknowns by the forms substituted for them, at values of the tears; `worth` evaluates a form."""
        values = dict(tears)
        for name, form in self.forms.items():
            values[name] = worth(form, {**known, **values})
        return values


def expressed(equations: Sequence[Equation], unknowns: Sequence[str], *tears: str) -> tuple[Branch, ...]:
    """Every way to express the other unknowns in the tears by substitution; empty if there is none."""
    return _expressed(tuple(equations), frozenset(unknowns), tears)


@lru_cache(maxsize=512)
def _expressed(equations: tuple[Equation, ...], unknowns: frozenset[str], tears: tuple[str, ...]) -> tuple[Branch, ...]:
    """Every way to rewrite equations in the tears by substitution, cached: the expressions do not depend on numbers."""
    pending = [Branch({}, equations)]
    finished: list[Branch] = []
    while pending:
        branch = pending.pop()
        if len(branch.left) == len(tears):
            put_in = partial(substituted, forms=branch.forms)
            finished.append(replace(branch, left=tuple(equation.changed(put_in) for equation in branch.left)))
            continue
        step = _next_step(branch.left, set(unknowns) - set(tears) - branch.forms.keys())
        if step is None or len(pending) + len(finished) > _BRANCHES:
            return ()
        equation, name, candidates = step
        left = tuple(other for other in branch.left if other is not equation)
        for candidate in candidates:
            form = substituted(candidate.form, branch.forms)
            if sum(1 for _ in walk(form)) > _LARGEST:
                return ()
            lost = (*branch.lost, *((equation, divisor) for divisor in candidate.divisors))
            conditions = (substituted(condition, branch.forms) for condition in candidate.conditions)
            pending.append(
                Branch(
                    {**branch.forms, name: form},
                    left,
                    lost,
                    branch.powers + candidate.powers,
                    (*branch.conditions, *conditions),
                )
            )
    return tuple(finished)


def _next_step(left: Sequence[Equation], missing: set[str]) -> tuple[Equation, str, tuple[Candidate, ...]] | None:
    """The next substitution: the equation that yields an unknown in the fewest forms, that unknown, and the forms."""
    best: tuple[Equation, str, tuple[Candidate, ...]] | None = None
    fewest = math.inf
    for equation in left:
        open_names = [name for name in equation.names if name in missing]
        if len(open_names) != 1:
            continue
        (name,) = open_names
        candidates = isolate(equation, name)
        if not candidates or any(candidate.winds for candidate in candidates) or has_choice(equation, name):
            continue
        if len(candidates) < fewest:
            best, fewest = (equation, name, candidates), len(candidates)
    return best


def sizes(equations: Sequence[Equation]) -> int:
    """The number of nodes of equations, beyond which substitution would take too long."""
    return sum(sum(1 for _ in walk(*equation.sides)) for equation in equations)


def substituted(node: Node, forms: Mapping[str, Node]) -> Node:
    """An expression with forms substituted for names, rebuilt."""
    rebuilt: Node = _SUBSTITUTED.fold(node, lambda name: forms.get(name) or Name(name))
    return rebuilt


def _power(base: Node, exponent: Node) -> Node:
    if isinstance(base, Apply) and base.op == "sqrt" and exponent == TWO:
        return base.args[0]  # nonnegative where the root was taken: the final substitution checks it
    return Apply("pow", (base, exponent))


_SUBSTITUTED: Arithmetic[Node] = Arithmetic(
    same, {"add": added, "mul": multiplied, "neg": negated, "pow": _power}, otherwise=reapplied
)


# What may be lost


def loses_nothing(branch: Branch, box: Mapping[str, Span]) -> bool:
    """Whether substitution loses no solution in a box: no divisor vanishes and no root loses a negative base."""
    divisors = [enclose(form, box, "") for _, form in branch.lost]
    keep_sign = all(divisor is not None and divisor.misses_zero for divisor in divisors)
    return keep_sign and not leaves_out(branch.powers, box)


def may_be_lost(equation: Equation, divisor: Node, system: System) -> bool:
    """Whether substitution may lose a solution: a divisor may be zero while the equation holds."""
    if not _may_vanish(divisor, system):
        return False
    left, right = (replaced(side, divisor, ZERO) for side in equation.sides)
    box = spans_of(system)
    if divides_by_zero(left, box) or divides_by_zero(right, box):
        return False
    return _may_vanish(added(left, negated(right)), system)


def divides_by_zero(node: Node, box: Mapping[str, Span]) -> bool:
    """Whether a substituted expression has no value in a box, since a divisor is zero, as in `1/(x*0)` or `x/(x - x)`.

    No equation with such an expression holds. A divisor with a name that has no interval is left aside.
    """
    if not isinstance(node, Apply) or node.op == "piecewise":  # an arm that does not bind may be undefined
        return False
    is_known_divisor = node.op == "inv" and box.keys() >= {*node.names}
    divisor = enclose(node.args[0], box, "") if is_known_divisor else None
    is_zero = divisor is not None and divisor.values == (0.0, 0.0)
    return is_zero or any(divides_by_zero(argument, box) for argument in node.args)


def _may_vanish(node: Node, system: System) -> bool:
    """Whether an expression that substitution divides by may be zero with the unknowns anywhere in their domains."""
    if isinstance(node, Apply) and node.op == "mul":
        return any(_may_vanish(arg, system) for arg in node.args)
    if isinstance(node, Apply) and node.op in ("neg", "abs", "sqrt"):
        return _may_vanish(node.args[0], system)
    if isinstance(node, Apply) and node.op == "inv":
        return False
    if isinstance(node, Name) and node.name in system.unknowns:
        return 0.0 in system.domains[node.name]
    enclosure = enclose(node, spans_of(system), "")
    return enclosure is not None and not enclosure.misses_zero


def spans_of(system: System) -> dict[str, Span]:
    """The intervals for tests of substitution: the knowns as points, and the domains of the unknowns."""
    known = point_box(system.known)
    return known | {name: system.domains[name].closed for name in system.unknowns}
