"""Quantities by name, each made into a sympy symbol on first use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from quantities.declaration import Declaration

if TYPE_CHECKING:
    from quantities.quantity import Quantity

__all__ = ["Symbols"]


class Symbols(Mapping[str, "Quantity"]):
    """Declarations as quantities to write expressions with.

    >>> held = Symbols({"length": Declaration("length", "m")})
    >>> list(held), 2 * held["length"]
    (['length'], 2*length)
    """

    def __init__(self, declarations: Mapping[str, Declaration]) -> None:
        self._declarations = declarations

    def __getitem__(self, name: str) -> Quantity:
        from quantities.quantity import symbol

        return symbol(self._declarations[name])

    def __contains__(self, name: object) -> bool:
        return name in self._declarations

    def __iter__(self) -> Iterator[str]:
        return iter(self._declarations)

    def __len__(self) -> int:
        return len(self._declarations)

    def __repr__(self) -> str:
        return f"{{{', '.join(f'{name!r}: {name}' for name in self)}}}"
