"""What some givens determine: what counting sees, and what relations fix together where something cancels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derive.kernels.determinacy import eliminates
from derive.planning.matching import closure
from derive.solving.cancellation.jacobian_rank import directions, rows_of
from derive.solving.execution.question import outlined
from derive.time_limits import query

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["reach"]


def reach(library: Library, given: Iterable[str]) -> frozenset[str]:
    """Every quantity that these givens determine, they and the defaults included.

    >>> from derive.relation_files.loading import load
    >>> gas = load('''[quantities]
    ... p = { unit = "Pa" }
    ... V = { unit = "m**3" }
    ... n = { unit = "mol" }
    ... m = { unit = "kg" }
    ... M = { unit = "kg/mol" }
    ... rho = { unit = "kg/m**3" }
    ... RT = { unit = "J/mol" }
    ... [relations]
    ... ideal = { equation = "p*V = n*RT" }
    ... mass = { equation = "m = n*M" }
    ... density = { equation = "rho = m/V" }''')
    >>> sorted(reach(gas, ["p", "RT", "M"]))
    ['M', 'RT', 'p', 'rho']
    """
    with query():
        names = [library.declaration(name).name for name in given]
        counted = closure(library.structure(), [*names, *library.defaults])
        open_ones = [name for name in library.declared if name not in counted and library.holders.get(name)]
        if not open_ones:
            return counted
        fixed: set[str] = set()
        left = dict.fromkeys(open_ones)
        while left:
            rows = rows_of(library, outlined(library, next(iter(left)), names), frozenset())
            met = {next(iter(left))}.union(*(row.keys() for row in rows.values()))
            moves = directions(rows, 1)[0]
            still = [one for one in left if one in met and one not in moves]
            fixed.update(one for one in still if eliminates(library, outlined(library, one, names)))
            left = {one: None for one in left if one not in met}
        return counted | fixed
