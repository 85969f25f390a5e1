"""What a report proves with letters: done by sympy while the report is made, and a loud failure where it does not hold.

Expressions are those of the library: their symbols are its quantities.
"""

from __future__ import annotations

from typing import Any

from derive.errors import VerificationError
from derive.language.symbolic import from_sympy
from derive.relations import library
from derive.reporting.document import Formulas
from derive.showing import mathematics
from derive.showing.derivation import Line
from quantities.declaration import Declaration

__all__ = ["closed", "identical", "lines", "plain", "typeset", "without"]


def closed(target: str, *given: str) -> Any:
    """The closed form of a quantity in terms of others, as sympy writes it."""
    return library().formula(target, given)


def without(expression: Any, *names: str) -> Any:
    """The expression, in which none of these quantities may stand.

    >>> from derive.relations import library
    >>> held = library().quantities
    >>> without(held["batch"]*held["chips"]/held["chips"], "chips")
    batch
    """
    left = sorted({symbol.name for symbol in expression.free_symbols} & set(names))
    if left:
        raise VerificationError(f"A report says that {', '.join(left)} cancels, and it does not: {expression}.")
    return expression


def identical(left: Any, right: Any) -> Any:
    """The left expression, which has to be the right one; both are positive.

    >>> from sympy import symbols
    >>> x, a = symbols("x a", positive=True)
    >>> identical((x**2)**a, x**(2*a))
    x**(2*a)
    """
    import sympy

    gap = sympy.expand_log(sympy.log(left) - sympy.log(right), force=True)
    if sympy.simplify(gap) != 0 and sympy.simplify(left / right) != 1:
        raise VerificationError(f"A report says that two forms are the same, and they are not: {left}; {right}.")
    return left


def plain(expression: Any) -> Any:
    """The expression with every quantity that has a default at its default: constants, efficiencies of 1."""
    import sympy

    defaults = {one: one.default.base[1] for one in expression.free_symbols if one.default is not None}
    return expression.subs({one: sympy.nsimplify(number) for one, number in defaults.items()})


def typeset(expression: Any) -> str:
    """An expression in the library's quantities, as mathematics."""
    node, held = from_sympy(expression)

    def written(name: str) -> str:
        return mathematics.letter(name, held[name].latex)

    return mathematics.mathematics(node, written)


def lines(*equations: tuple[Any, Any]) -> Formulas:
    """Equations below each other: each side an expression of the library's quantities, or LaTeX."""
    shown: list[Line] = []
    met: dict[Declaration, None] = {}
    for sides in equations:
        left, right = (side if isinstance(side, str) else typeset(side) for side in sides)
        shown.append((left, right))
        for side in sides:
            held = () if isinstance(side, str) else sorted(side.free_symbols, key=str)
            met.update(dict.fromkeys(quantity.declaration for quantity in held))
    return Formulas(tuple(shown), tuple(met))
