"""Substitution: simultaneous equations rewritten in as few of their unknowns as possible.

The tears are taken as known, and each other unknown is expressed in them by one relation, which is then used up. The
remaining relations determine the tears.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from derive.expressions.arithmetic import Arithmetic, reapplied, same
from derive.expressions.tree import Apply, Equation, Name, Node, names_in, walk
from derive.numerics.algebra.evaluation import value
from derive.numerics.algebra.isolation import Candidate, isolate
from derive.numerics.algebra.like_terms import TWO, added, multiplied, negated
from derive.solving.blocks.free_unknowns import has_choice

__all__ = ["Branch", "Lost", "expressed", "sizes", "substituted"]

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

    def at(self, tears: Mapping[str, float], known: Mapping[str, float], worth: Worth = value) -> dict[str, float]:
        """All the unknowns at these values of the tears; `worth` evaluates a form."""
        values = dict(tears)
        for name, form in self.forms.items():
            values[name] = worth(form, {**known, **values})
        return values


def expressed(equations: Sequence[Equation], unknowns: Sequence[str], *tears: str) -> tuple[Branch, ...]:
    """Every way to write the other unknowns as expressions of the tears; empty if there is none."""
    return _expressed(tuple(equations), frozenset(unknowns), tears)


@lru_cache(maxsize=512)
def _expressed(equations: tuple[Equation, ...], unknowns: frozenset[str], tears: tuple[str, ...]) -> tuple[Branch, ...]:
    """The same, cached: the expressions do not depend on the numbers."""
    pending: list[tuple[dict[str, Node], tuple[Equation, ...], tuple[Lost, ...], tuple[Apply, ...]]] = [
        ({}, equations, (), ())
    ]
    finished: list[Branch] = []
    while pending:
        forms, left, lost, powers = pending.pop()
        if len(left) == len(tears):
            finished.append(Branch(forms, tuple(_composed(equation, forms) for equation in left), lost, powers))
            continue
        step = _next_step(left, set(unknowns) - set(tears) - forms.keys())
        if step is None or len(pending) + len(finished) > _BRANCHES:
            return ()
        equation, name, candidates = step
        rest = tuple(other for other in left if other is not equation)
        for candidate in candidates:
            form = substituted(candidate.form, forms)
            if sum(1 for _ in walk(form)) > _LARGEST:
                return ()
            divided = tuple((equation, divisor) for divisor in candidate.divisors)
            pending.append(({**forms, name: form}, rest, lost + divided, powers + candidate.powers))
    return tuple(finished)


def _next_step(left: Sequence[Equation], missing: set[str]) -> tuple[Equation, str, tuple[Candidate, ...]] | None:
    """The simplest relation that yields one more unknown."""
    found: list[tuple[int, int, Equation, str, tuple[Candidate, ...]]] = []
    for index, equation in enumerate(left):
        open_ones = [name for name in names_in(equation.lhs, equation.rhs) if name in missing]
        if len(open_ones) != 1:
            continue
        candidates = isolate(equation, open_ones[0])
        if candidates and not any(c.winds for c in candidates) and not has_choice(equation, open_ones[0]):
            found.append((len(candidates), index, equation, open_ones[0], candidates))
    if not found:
        return None
    _, _, equation, name, candidates = min(found, key=lambda step: step[:2])
    return equation, name, candidates


def _composed(equation: Equation, forms: Mapping[str, Node]) -> Equation:
    return Equation(substituted(equation.lhs, forms), equation.op, substituted(equation.rhs, forms))


def sizes(equations: Sequence[Equation]) -> int:
    """The number of nodes of equations."""
    return sum(1 for equation in equations for _ in walk(equation.lhs, equation.rhs))


def substituted(node: Node, forms: Mapping[str, Node]) -> Node:
    """The expression with forms in the place of names, rebuilt."""
    found: Node = _SUBSTITUTED.fold(node, lambda name: forms.get(name) or Name(name))
    return found


def _power(base: Node, exponent: Node) -> Node:
    if isinstance(base, Apply) and base.op == "sqrt" and exponent == TWO:
        return base.args[0]  # nonnegative where the root was taken: the final substitution checks it
    return Apply("pow", (base, exponent))


_SUBSTITUTED: Arithmetic[Node] = Arithmetic(
    same, {"add": added, "mul": multiplied, "neg": negated, "pow": _power}, otherwise=reapplied
)
