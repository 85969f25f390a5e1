"""Equations as sums of monomials, combined so that common terms go out.

A monomial is a product of powers of names, and of parts that are no sums or products, such as `log(x)`. Known numbers
are exact fractions. Elimination treats each monomial as an unknown of its own: equations of which a combination leaves
a constant alone contradict each other, whatever the unknowns are, and a combination that leaves nothing shows that
they are dependent. Near a large unknown doubles can tell neither from a solution.

The squares of a cosine are written as those of the sine, so that `sin(x)**2 + cos(x)**2` is 1 here too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from derive.expressions.arithmetic import UNIT, Monomial, NoElement, Sum, joined, multiplied_out, plus
from derive.expressions.tree import Apply, Equation, Name, Node, Number, names_in
from derive.numerics.algebra.constant_folding import folded
from derive.numerics.algebra.evaluation import terms, value
from derive.numerics.algebra.like_terms import ZERO, added, multiplied, negated
from derive.tolerances import AGREEMENT, BLUR

__all__ = ["Combined", "combined"]

_MOST = 200  # limit on monomials of an equation
_BLUR, _AGREEMENT = Fraction(BLUR), Fraction(AGREEMENT)  # products of large numbers are beyond doubles


@dataclass(frozen=True, slots=True)
class Combined:
    """What each equation comes to less shares of the others, and whether they contradict each other."""

    equations: tuple[Equation | None, ...]  # None where nothing with an unknown is left
    degrees: tuple[tuple[int, int], ...]  # of each equation, before and after
    contradict: bool


def combined(equations: Sequence[Equation], known: Mapping[str, float]) -> Combined | None:
    """The equations with common monomials eliminated, the highest first; None if there are too many monomials.

    >>> from derive.expressions.grammar import parse_equation
    >>> def of(*texts):
    ...     found = combined([parse_equation(text) for text in texts], {})
    ...     return [str(one) for one in found.equations], found.contradict
    >>> of("x**2 + y = 2", "2*x**2 + 2*y = 3")[1], of("sin(x)**2 + y = 2", "cos(x)**2 = y")[1]
    (True, True)
    >>> of("x**2 + y = 2", "(x**2 + y)*3 = 6")
    (['x**2 + y + (-2) = 0', 'None'], False)
    >>> of("x**3 + x = y", "x**3 + y = 4")[0][1]
    '2*y + (-1)*x + (-4) = 0'
    """
    sums = (_sum_of(folded(added(one.lhs, negated(one.rhs)), known)) for one in equations)
    before = [row for row in sums if row is not None and len(row) <= _MOST]
    if len(before) < len(equations):
        return None
    rows = [dict(row) for row in before]
    sizes = [{key: abs(share) for key, share in row.items()} for row in before]
    for own, size in zip(equations, sizes, strict=True):  # constants that cancelled leave rounding, not a number
        held = [term for side in (own.lhs, own.rhs) for term in terms(side) if {*names_in(term)} <= known.keys()]
        whole = sum(abs(value(term, known)) for term in held)
        size[UNIT] = Fraction(whole) if isfinite(whole) else size.get(UNIT, Fraction(0))
    pending = [*range(len(rows))]
    while pending:
        lead = max((key for i in pending for key in rows[i] if key), key=_height, default=None)
        if lead is None:
            break
        pivot = next(i for i in pending if lead in rows[i])
        pending.remove(pivot)
        for i in pending:
            if lead in rows[i]:
                share = rows[i][lead] / rows[pivot][lead]
                rows[i], sizes[i] = _without(rows[i], sizes[i], share, rows[pivot], sizes[pivot])
                rows[i].pop(lead, None)
    contradict = any(abs(rows[i].get(UNIT, 0)) > _AGREEMENT * sizes[i].get(UNIT, 0) for i in pending)
    left = (None if i in pending else Equation(_written(row), "=", ZERO) for i, row in enumerate(rows))
    return Combined(tuple(left), tuple(zip(map(_degree, before), map(_degree, rows), strict=True)), contradict)


def _degree(row: Sum) -> int:
    """The highest degree of a monomial; two for a part that is neither a name nor a power of one."""
    return max((sum(abs(power) if isinstance(part, Name) else 2 for part, power in key) for key in row), default=0)


def _without(row: Sum, sizes: Sum, share: Fraction, other: Sum, other_sizes: Sum) -> tuple[Sum, Sum]:
    """A sum less a share of another, without what rounding leaves of cancelling terms, and the sizes of its terms."""
    grown = {key: sizes.get(key, 0) + abs(share) * other_sizes.get(key, 0) for key in {*sizes, *other_sizes}}
    rest = {key: row.get(key, 0) - share * other.get(key, 0) for key in {*row, *other}}
    return {key: factor for key, factor in rest.items() if abs(factor) > _BLUR * grown[key]}, grown


def _height(monomial: Monomial) -> tuple[int, int, str]:
    """Which monomial goes out first: one of the highest degree, and always the same one."""
    return sum(abs(power) for _, power in monomial), len(monomial), str(sorted(map(str, monomial)))


def _sum_of(node: Node) -> Sum | None:
    """An expression multiplied out, in which no cosine is squared; None if it has too many terms."""
    try:
        whole = multiplied_out(node, lambda part: part, _MOST)
        while (square := next(filter(None, map(_squared_cosine, whole)), None)) is not None:
            monomial, angle = square
            factor = whole.pop(monomial)
            rest = joined(monomial, {Apply("cos", angle): -2})
            for share, key in ((factor, rest), (-factor, joined(rest, {Apply("sin", angle): 2}))):
                whole = plus(whole, {key: share})
    except NoElement:
        return None
    return whole


def _squared_cosine(monomial: Monomial) -> tuple[Monomial, tuple[Node, ...]] | None:
    """A monomial with the square of a cosine, and that one's argument."""
    for part, power in monomial:
        if isinstance(part, Apply) and part.op == "cos" and power >= 2:
            return monomial, part.args
    return None


def _written(row: Sum) -> Node:
    """A sum as an expression, its highest monomials first."""
    found = []
    for key in sorted(row, key=_height, reverse=True):
        parts = [_power(part, power) for part, power in sorted(key, key=str)]
        found.append(multiplied(Number(row[key]), *parts) if row[key] != 1 or not parts else multiplied(*parts))
    return added(*found)


def _power(part: Node, power: int) -> Node:
    if power == 1:
        return part
    return Apply("pow", (part, Number(Fraction(power)))) if power > 0 else Apply("inv", (_power(part, -power),))
