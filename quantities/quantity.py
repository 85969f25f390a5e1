"""A quantity as a sympy symbol, which knows its unit and all else that is declared of it.

sympy takes two symbols of one name for the same thing, and hands out of its cache whichever of two equal expressions it
saw first. Here all that is said of a quantity takes part in equality and hashing; and it travels along through
pickling, copying, substitution and code generation.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from sympy import Symbol

from quantities.declaration import Declaration
from quantities.dimension import Dimension
from quantities.domain import Domain
from quantities.units import Unit
from quantities.value import Value

__all__ = ["Quantity", "symbol"]

_DECLARED = ("aliases", "default", "dimension", "domain", "latex", "meaning", "unit")


class Quantity(Symbol):  # type: ignore[misc]  # sympy has no types
    """A named thing with a unit, to write relations with.

    >>> length, period = Quantity("length", "m"), Quantity("period", "s", "time of one swing", latex="T")
    >>> period.unit.text, str(period.dimension), period.domain.text, length/period**2
    ('s', 's', 'positive', length/period**2)
    >>> period == Quantity("period", "ms")
    False
    """

    __slots__ = ("declaration",)

    declaration: Declaration

    def __new__(
        cls,
        name: str,
        unit: str = "",
        meaning: str = "",
        *,
        latex: str = "",
        domain: str = "positive",
        default: str | float | Value | None = None,
        aliases: Iterable[str] = (),
    ) -> Self:
        said = Declaration(name, unit, meaning, latex=latex, domain=domain, default=default, aliases=aliases)
        return cls._of(said)

    @classmethod
    def _of(cls, declaration: Declaration) -> Self:
        self: Self = Symbol.__xnew__(cls, declaration.name, **declaration.domain.assumptions)
        super(Quantity, self).__setattr__("declaration", declaration)
        vars(declaration).setdefault("symbol", self)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "declaration" or name in _DECLARED:
            raise AttributeError(f"{self.name}: a quantity does not change; declare another one.")
        super().__setattr__(name, value)

    def __getnewargs_ex__(self) -> tuple[tuple[str, str, str], dict[str, Any]]:
        names = {"latex": self.latex, "domain": self.domain.text, "default": self.default, "aliases": self.aliases}
        return (self.name, self.unit.text, self.meaning), names

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), *self.declaration.said)

    @property
    def unit(self) -> Unit:
        return self.declaration.unit

    @property
    def dimension(self) -> Dimension:
        """What the quantity's unit measures."""
        return self.declaration.dimension

    @property
    def meaning(self) -> str:
        return self.declaration.meaning

    @property
    def latex(self) -> str:
        return self.declaration.latex

    @property
    def domain(self) -> Domain:
        return self.declaration.domain

    @property
    def aliases(self) -> tuple[str, ...]:
        """What else it is called."""
        return self.declaration.aliases

    @property
    def default(self) -> Value | None:
        return self.declaration.default


def symbol(declaration: Declaration) -> Quantity:
    """The one quantity that stands for a declaration.

    >>> length = Quantity("length", "m")
    >>> symbol(length.declaration) is length
    True
    """
    made: Quantity = vars(declaration).get("symbol") or Quantity._of(declaration)
    return made
