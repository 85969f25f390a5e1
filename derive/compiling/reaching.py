"""What some givens determine: what counting sees, and what relations fix together where something cancels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derive.compiling.probing import eliminates
from derive.numbers.clock import query
from derive.planning.matching import closure
from derive.solving.asking import outlined
from derive.solving.ranks import directions, rows_of

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["reach"]


def reach(library: Library, given: Iterable[str]) -> frozenset[str]:
    """Every quantity that these givens determine, they and the defaults included.

    >>> from derive.files.loading import load
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
        seen: set[str] = set()
        for name in open_ones:
            if name in seen:
                continue
            rows = rows_of(library, outlined(library, name, names), frozenset())
            met = [one for one in open_ones if one == name or any(one in row for row in rows.values())]
            seen.update(met)
            moves = directions(rows, 1)[0]
            fixed.update(one for one in met if one not in moves and eliminates(library, outlined(library, one, names)))
        return counted | fixed
