"""Symbolic linear systems by Cramer's rule: each unknown is a quotient of two determinants.

Determinants need no division, so the closed form is undefined exactly where the system is singular; elimination would
add the zeros of its pivots. A determinant is expanded row by row, and minors on the same columns are computed once,
which is cheap for sparse systems. The cost of a dense one grows like the factorial of its size, and one that grows
too large is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from derive.errors import LimitError
from derive.expressions.tree import Node, names_in
from derive.numerics.algebra.evaluation import terms, value
from derive.numerics.algebra.linear import Linear, linear_form
from derive.time_limits import tick
from derive.tolerances import AGREEMENT

if TYPE_CHECKING:
    from quantities.quantity import Quantity

__all__ = ["solved_in_symbols"]

_TERMS = 1000  # limit for one determinant
_CANCELLED = 20_000  # limit on the product of lengths of two polynomials whose common factor is sought
_TRIED = ((0.6180, 0.1547), (1.3247, 0.0923))  # first number and step of the points at which a determinant is tried

Rows = Sequence[Mapping[int, Any]]


def solved_in_symbols(
    differences: Sequence[Node], unknowns: Sequence[str], quantities: Mapping[str, Quantity]
) -> dict[str, Node] | None:
    """The unknowns at which all differences are zero; None if these are not linear, or always singular.

    >>> from derive.expressions.tree import render
    >>> from derive.expressions.grammar import parse_expression
    >>> from quantities.quantity import Quantity
    >>> system = [parse_expression("x + y - a"), parse_expression("x - y - b")]
    >>> found = solved_in_symbols(system, ["x", "y"], {name: Quantity(name) for name in "abxy"})
    >>> {name: render(form) for name, form in found.items()}
    {'x': '0.5*a + 0.5*b', 'y': '0.5*a - 0.5*b'}
    """
    from derive.expressions.sympy_bridge import from_sympy

    linear = [linear_form(difference, frozenset(unknowns)) for difference in differences]
    if any(form is None for form in linear):
        return None
    rows = _rows([form for form in linear if form is not None], unknowns, quantities)
    whole = _determinant(rows, list(range(len(unknowns))))
    if not whole or _vanishes(from_sympy(whole.as_expr())[0]):
        return None
    found = {}
    for i, name in enumerate(unknowns):
        columns = list(range(len(unknowns)))
        columns[i] = len(unknowns)
        part = _determinant(rows, columns) or whole.ring.zero
        small = len(part) * len(whole) <= _CANCELLED
        quotient = (part.ring.to_field()(part) / whole).as_expr() if small else part.as_expr() / whole.as_expr()
        found[name] = from_sympy(quotient)[0]
    return found


def _rows(linear: Sequence[Linear], unknowns: Sequence[str], quantities: Mapping[str, Quantity]) -> Rows:
    """The coefficients as polynomials, each row cleared of denominators; the right side is the last column."""
    import sympy
    from sympy.polys.fields import sfield

    from derive.expressions.sympy_bridge import to_sympy

    column: dict[str | None, int] = {name: i for i, name in enumerate(unknowns)}
    column[None] = len(unknowns)
    named = [(i, name, node) for i, form in enumerate(linear) for name, node in form.items()]
    entries = [(i, column[name], to_sympy(node, quantities)) for i, name, node in named]
    signed = [-entry if at == len(unknowns) else entry for _, at, entry in entries]
    _, elements = sfield([*signed, sympy.Dummy()])  # a field of fractions needs a symbol, even if nothing holds it
    rows: list[dict[int, Any]] = [{} for _ in linear]
    for (i, at, _), element in zip(entries, elements, strict=False):
        if element:
            rows[i][at] = element
    return [_cleared(row) for row in sorted(rows, key=len)]


def _cleared(row: Mapping[int, Any]) -> dict[int, Any]:
    common: Any = 1
    for element in row.values():
        common = element.denom if common == 1 else common.lcm(element.denom)
    return {at: (element * common).numer for at, element in row.items()}


def _determinant(rows: Rows, columns: list[int]) -> Any:
    """The determinant of the rows on these columns."""
    minors: dict[tuple[int, ...], Any] = {}

    def minor(row: int, left: tuple[int, ...]) -> Any:
        if row == len(rows):
            return 1
        if left not in minors:
            total: Any = 0
            for i, at in enumerate(left):
                entry = rows[row].get(at)
                rest = minor(row + 1, left[:i] + left[i + 1 :]) if entry is not None else 0
                total += (-1) ** i * entry * rest if rest else 0
                _check(total, len(minors))
            minors[left] = total
        return minors[left]

    return minor(0, tuple(columns))


def _check(polynomial: Any, count: int) -> None:
    tick()
    if count > _TERMS or (polynomial and len(polynomial) > _TERMS):
        raise LimitError(
            f"The closed form of this linear system has more than {_TERMS} terms.",
            hint="solve and compile do not need the closed form.",
            limit=f"{_TERMS} terms",
        )


def _vanishes(form: Node) -> bool:
    """Whether it is zero at every trial point, as it may be if its symbols are dependent (`sqrt(a)` and `a`)."""
    for first, step in _TRIED:
        at = {name: first + step * i for i, name in enumerate(names_in(form))}
        size = sum(abs(value(term, at)) for term in terms(form))
        if not abs(value(form, at)) <= AGREEMENT * size:
            return False
    return True
