"""Proofs in reports: checked by sympy when the report is made, which fails if one does not hold.

A form is an expression in the quantities of a library. Templates add and divide forms, substitute into them, take
derivatives, and state which are identical; they have no access to sympy, which would run any text as code.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError, VerificationError
from derive.expressions.sympy_bridge import from_sympy
from derive.presentation import mathematics
from derive.presentation.document import Formulas
from quantities.declaration import Declaration
from quantities.quantity import Quantity

if TYPE_CHECKING:
    from collections.abc import Callable

    from derive.library import Library
    from derive.presentation.mathematics import Line


@dataclass(frozen=True)
class Form:
    """An expression in quantities of a library."""

    expression: Any

    def __add__(self, other: Form | float) -> Form:
        return Form(self.expression + _expression(other))

    def __sub__(self, other: Form | float) -> Form:
        return Form(self.expression - _expression(other))

    def __mul__(self, other: Form | float) -> Form:
        return Form(self.expression * _expression(other))

    def __truediv__(self, other: Form | float) -> Form:
        return Form(self.expression / _expression(other))

    def __pow__(self, other: Form | float) -> Form:
        return Form(self.expression ** _expression(other))

    def __str__(self) -> str:
        return str(self.expression)

    @property
    def quantities(self) -> dict[str, Any]:
        """The quantities in the form of a proof, by name."""
        return {symbol.name: symbol for symbol in sorted(self.expression.free_symbols, key=str)}

    def at(self, **values: Form | float) -> Form:
        """The proof's form with values or other forms substituted for quantities."""
        symbols = self.quantities
        return Form(self.expression.subs({symbols[name]: _expression(value) for name, value in values.items()}))

    def plain(self) -> Form:
        """The proof's form with its default in the place of each quantity with one: constants, efficiencies of 1."""
        import sympy

        quantities = [quantity for quantity in self.expression.free_symbols if isinstance(quantity, Quantity)]
        defaults = {quantity: quantity.default.base[1] for quantity in quantities if quantity.default is not None}
        return Form(self.expression.subs({quantity: sympy.nsimplify(number) for quantity, number in defaults.items()}))

    def without(self, *names: str) -> Form:
        """The form itself, once it is proved that none of these quantities is in it; an error otherwise.

        >>> from derive.tokens.relations import library
        >>> batch, chips = (Form(library().quantities[name]) for name in ("batch", "chips"))
        >>> str((batch*chips/chips).without("chips"))
        'batch'
        """
        remaining = sorted(self.quantities.keys() & set(names))
        if remaining:
            raise VerificationError(f"A report says that {', '.join(remaining)} cancels, but it does not: {self}.")
        return self

    def slope(self, name: str) -> Form:
        """The derivative of a proof's form with respect to a quantity."""
        import sympy

        return Form(sympy.diff(self.expression, self.quantities[name]))

    def limit(self, name: str) -> Form:
        """The limit of a proof's form as a quantity grows without bound."""
        import sympy

        return Form(sympy.limit(self.expression, self.quantities[name], sympy.oo))

    def simplified(self) -> Form:
        import sympy

        return Form(sympy.powsimp(sympy.simplify(self.expression)))


def _expression(value: Any) -> Any:
    """The sympy expression of a form or a number, for a proof; texts are refused, since sympy would run them."""
    import sympy

    if isinstance(value, Form):
        return value.expression
    if not isinstance(value, Real):
        hint = "Write form(...), quantity(...) or a number."
        raise ExpressionError(f"{type(value).__name__} cannot be used in a form.", hint=hint)
    return sympy.nsimplify(value)


def closed(library: Library, target: str, *given: str) -> Form:
    """The closed form of a quantity in terms of others, for a proof in a report."""
    return Form(library.formula(target, given))


def unknown_symbol(name: str) -> Form:
    """A form in a proof that stands for an arbitrary number, by its letter."""
    import sympy

    return Form(sympy.Symbol(_plain_name(name)))


def unknown_function(name: str) -> Callable[..., Form]:
    """An arbitrary function of forms, for proofs in reports.

    >>> f, x = unknown_function("f"), unknown_symbol("x")
    >>> str((f(x) + x).at(x=f(x)))
    'f(x) + f(f(x))'
    """
    import sympy

    function = sympy.Function(_plain_name(name))
    return lambda *forms: Form(function(*map(_expression, forms)))


def _plain_name(name: str) -> str:
    if not (name.isascii() and name.isidentifier()):
        raise ExpressionError(f"{name!r} is not a letter.", hint="Write a letter, such as x or x_1.", text=name)
    return name


def _holds_unknowns(expression: Any) -> bool:
    from sympy.core.function import AppliedUndef

    letters = expression.free_symbols
    return bool(expression.atoms(AppliedUndef)) or not all(isinstance(letter, Quantity) for letter in letters)


def sides(library: Library, relation: str) -> tuple[Form, Form]:
    """The two sides of a relation as forms, for a proof in a report."""
    stated = library.relations[relation]
    return Form(stated.lhs), Form(stated.rhs)


def identical(left: Form, right: Form | float) -> Form:
    """The left form, once it is proved identical to the right one; an error otherwise.

    Both are positive, unless they have unknowns.

    >>> from derive.tokens.relations import library
    >>> batch, chips = (Form(library().quantities[name]) for name in ("batch", "chips"))
    >>> str(identical((batch**2)**chips, batch**(chips*2)))
    'batch**(2*chips)'
    """
    import sympy

    first, second = left.expression, _expression(right)
    if _holds_unknowns(first) or _holds_unknowns(second):
        if sympy.simplify(first - second) != 0:
            raise _differ(left, right)
        return left
    # Positive forms have logarithms, which turn powers and products into sums that sympy compares.
    gap = sympy.expand_log(sympy.log(first) - sympy.log(second), force=True)
    if sympy.simplify(gap) != 0 and sympy.simplify(first / second) != 1:
        raise _differ(left, right)
    return left


def _differ(left: Form, right: Form | float) -> VerificationError:
    return VerificationError(f"A report says that two forms are the same, but they are not: {left}; {right}.")


def positive(form: Form) -> Form:
    """The form itself, once it is proved positive for all values of its quantities; an error otherwise.

    >>> from sympy import symbols
    >>> x, a = symbols("x a", positive=True)
    >>> str(positive(Form(x**a + 1)))
    'x**a + 1'
    """
    if not form.expression.is_positive:
        raise VerificationError(f"A report says that this is positive, but it need not be: {form}.")
    return form


def typeset(form: Form) -> str:
    """A line of a report's proof as LaTeX mathematics, from its sympy expression."""
    if _holds_unknowns(form.expression):
        import sympy

        return str(sympy.latex(form.expression, order="none"))
    node, quantities = from_sympy(form.expression)
    return mathematics.expression(node, mathematics.letters_of(quantities))


def lines(*equations: tuple[Form | str, Form | str]) -> Formulas:
    """The equations of a proof below each other; each side is a form, or LaTeX."""
    shown: list[Line] = []
    declarations: dict[Declaration, None] = {}
    for pair in equations:
        left, right = (side if isinstance(side, str) else typeset(side) for side in pair)
        shown.append((left, right))
        for side in pair:
            symbols = () if isinstance(side, str) else side.quantities.values()
            declarations |= dict.fromkeys(symbol.declaration for symbol in symbols if isinstance(symbol, Quantity))
    return Formulas(tuple(shown), tuple(declarations))
