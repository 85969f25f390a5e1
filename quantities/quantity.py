"""A quantity as a sympy symbol that carries its declaration.

sympy treats two symbols of one name as the same, and its cache returns whichever of two equal expressions it saw
first. Here the whole declaration is part of equality and hashing, and survives pickling, copying, substitution and
code generation.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from inspect import signature
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from sympy import Symbol

from quantities.declaration import Declaration
from quantities.dimension import Dimension
from quantities.domain import Domain, SeenEnds
from quantities.units import Unit
from quantities.value import Value

__all__ = ["Quantity", "symbol"]

_P = ParamSpec("_P")
_Q = TypeVar("_Q", bound="Quantity")


def _taking(_: Callable[_P, Any]) -> Callable[[Callable[..., _Q]], Callable[Concatenate[type[_Q], _P], _Q]]:
    """Give the constructor of a sympy quantity the signature of its declaration's, for type checkers."""
    return lambda constructor: constructor


def _declared(name: str, doc: str = "") -> Any:
    """A property of the sympy quantity that returns that of its declaration."""
    return property(lambda quantity: getattr(quantity.declaration, name), doc=doc)


class Quantity(Symbol):  # type: ignore[misc]  # sympy has no types
    """A named thing with a unit, to write relations with.

    >>> length, period = Quantity("length", "m"), Quantity("period", "s", "time of one swing", latex="T")
    >>> period.unit.text, str(period.dimension), period.domain.text, length/period**2
    ('s', 's', 'positive', length/period**2)
    >>> period == Quantity("period", "ms")
    False
    """

    __slots__ = ("declaration",)
    __signature__ = signature(Declaration)

    declaration: Declaration
    unit: Unit = _declared("unit")
    dimension: Dimension = _declared("dimension", "What the quantity's unit measures.")
    meaning: str = _declared("meaning")
    latex: str = _declared("latex")
    domain: Domain = _declared("domain")
    aliases: tuple[str, ...] = _declared("aliases", "Other names, by which it is searched.")
    default: Value | None = _declared("default")
    seen: SeenEnds | None = _declared("seen", "What sources report of it.")

    @_taking(Declaration)
    def __new__(cls, *arguments: Any, **keywords: Any) -> Self:
        return cls._of(Declaration(*arguments, **keywords))

    @classmethod
    def _of(cls, declaration: Declaration) -> Self:
        self: Self = Symbol.__xnew__(cls, declaration.name, **declaration.domain.assumptions)
        super(Quantity, self).__setattr__("declaration", declaration)
        vars(declaration).setdefault("symbol", self)
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        if name in vars(Quantity):
            raise AttributeError(f"{self.name}: a quantity is immutable; declare another one.")
        super().__setattr__(name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._of, (self.declaration,)

    def _repr_html_(self) -> str:
        """What a notebook shows of a quantity: its name, its unit and its meaning."""
        meaning = f": {self.meaning}" if self.meaning else ""
        return f"<p><b>{escape(self.name)}</b> [{escape(self.unit.text or '1')}]{escape(meaning)}</p>"

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), *self.declaration.said)


def symbol(declaration: Declaration) -> Quantity:
    """The quantity that stands for a declaration in Python expressions, always the same object.

    >>> length = Quantity("length", "m")
    >>> symbol(length.declaration) is length
    True
    """
    quantity: Quantity = vars(declaration).get("symbol") or Quantity._of(declaration)
    return quantity
