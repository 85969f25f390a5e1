"""Zero givens: where a zero takes an unknown out of a relation, so that givens may contradict it.

By counting, `y = b*c*z` fixes one of b and c; where z is zero, it says that y is zero too. Givens that are left alone
there are tested. Else compiled functions ask the solver, and a program for a browser says that only the solver can
tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from derive.caches import Memo
from derive.expressions.tree import Apply, Equation, Node, names_in, operations, replaced
from derive.kernels.case_dispatch import Cases
from derive.model.relation_set import RelationSet
from derive.numerics.algebra.like_terms import ZERO, simplified
from derive.planning.matching import Matching
from derive.solving.blocks.closed_forms import may_be_zero

_DECIDING = Memo[tuple["DecidingZero", ...]](most=256)

_Members = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class DecidingZero:
    """A relation, a factor of givens in it that decides by being zero, and what the relation says there."""

    relation: str
    factor: Node
    rest: Equation
    is_known: bool  # whether only givens are left in the rest, which show whether they contradict each other


def deciding_zeros(library: RelationSet, cases: Cases) -> tuple[DecidingZero, ...]:
    """The zeros of givens that leave more relations than unknowns for them: those beside a target's plans.

    The relations in every plan need no test: their closed forms divide by such factors.
    """
    strong = frozenset(cases.outline.strong)
    deciding = _DECIDING.of(library.session, strong, lambda: tuple(_deciding(library, strong)))
    used = set.intersection(*({*plan.relations} for plan in cases.plans)) if deciding and cases.plans else set()
    return tuple(zero for zero in deciding if zero.relation not in used)


def _deciding(library: RelationSet, strong: frozenset[str]) -> Iterator[DecidingZero]:
    """The zeros of givens, in all relations, that decide whether there is something left to contradict."""
    exact = {name: relation.written for name, relation in library.relations.items() if relation.is_exact}
    holding = dict.fromkeys(chain.from_iterable(library.holders.get(name, ()) for name in sorted(strong)))
    factors: list[tuple[str, Node]] = []
    for name in holding:
        if name in exact:
            factors += ((name, factor) for factor in _factors(library, exact[name], strong))
    if not factors:
        return
    members: _Members = {name: equation.names for name, equation in exact.items()}
    spare = _spare(members, strong)
    at_zeros = dict(exact)
    for name, factor in factors:
        at_zeros[name] = _at_zero(at_zeros[name], factor)
    if _spare({name: equation.names for name, equation in at_zeros.items()}, strong) == spare:
        return
    at_zeros = dict(exact)
    for name, factor in factors:
        trial = _at_zero(at_zeros[name], factor)
        reduced = {**members, name: trial.names}
        if _spare(reduced, strong) == spare:
            at_zeros[name], members = trial, reduced
        else:
            rest = _at_zero(exact[name], factor)
            yield DecidingZero(name, factor, rest, is_known=strong.issuperset(rest.names))


def _at_zero(equation: Equation, factor: Node) -> Equation:
    return equation.changed(lambda side: simplified(replaced(side, factor, ZERO)))


def _factors(library: RelationSet, equation: Equation, strong: frozenset[str]) -> Iterator[Node]:
    """The factors of givens alone that multiply an unknown in an equation, and may be zero."""
    for product in operations(*equation.sides, among=("mul",)):
        if strong.issuperset(product.names):
            continue
        for factor in product.args:
            names = {*names_in(factor)}
            if names and names <= strong and not _is_divisor(factor) and may_be_zero(library, factor):
                yield factor


def _is_divisor(factor: Node) -> bool:
    return isinstance(factor, Apply) and factor.op == "inv"


def _spare(members: _Members, strong: frozenset[str]) -> int:
    """How many relations are left over when each fixes an unknown of its own: what givens may contradict."""
    matching = Matching(strong)
    matching.add_all(members, members)
    return len(members) - len(matching.fixes)
