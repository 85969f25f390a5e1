"""The names and units that error messages use, and expressions shown briefly or factor by factor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from derive.errors import UnknownNameError, unknown
from derive.expressions.tree import Apply, Node, Number, render
from derive.model.dimensions import STILL, Turn, mark_of
from derive.search.index import Entry, Index
from quantities.declaration import Declaration
from quantities.dimension import Dimension

__all__ = ["Vocabulary", "exponent_of", "factors_of", "shown"]

_WIDEST = 48  # limit on characters of an expression in a message


@dataclass(frozen=True)
class Vocabulary:
    """The quantities that a repair may name."""

    quantities: Mapping[str, Declaration]
    searches: bool = True  # for repairs and similar names; turned off after many problems

    @cached_property
    def brief(self) -> Vocabulary:
        """The same for one of many problems."""
        return replace(self, searches=False) if self.searches else self

    @cached_property
    def _names(self) -> list[str]:
        return list(self.quantities)

    @cached_property
    def index(self) -> Index:
        """The search index of quantities by name, alias and meaning."""
        said = self.quantities.values()
        return Index(Entry("quantity", q.name, q.meaning, q.aliases) for q in said)

    def unknown(self, name: object) -> UnknownNameError:
        """The error for an undeclared quantity."""
        if not self.searches:
            return unknown("quantity", name, self._names, search=False)
        return self.index.unknown("quantity", name)

    @cached_property
    def dimensions(self) -> dict[str, Dimension]:
        return {name: quantity.dimension for name, quantity in self.quantities.items()}

    @cached_property
    def marks(self) -> dict[str, Turn]:
        """The turns in the units of some quantities."""
        found = {name: mark_of(quantity.unit) for name, quantity in self.quantities.items()}
        return {name: mark for name, mark in found.items() if mark is not STILL}

    @cached_property
    def by_dimension(self) -> dict[Dimension, list[str]]:
        """The names of each dimension, in the order of declaration."""
        found: dict[Dimension, list[str]] = {}
        for name, dimension in self.dimensions.items():
            found.setdefault(dimension, []).append(name)
        return found


def shown(node: Node) -> str:
    text = render(node)
    return text if len(text) <= _WIDEST else text[:_WIDEST] + "..."


def exponent_of(power: Fraction) -> str:
    size = abs(power)
    if size == 1:
        return ""
    return f"**{size}" if size.denominator == 1 else f"**({size})"


def factors_of(side: Node, power: Fraction = Fraction(1)) -> list[tuple[Node, Fraction]]:
    """The factors of a product, each with its power."""
    if isinstance(side, Apply):
        match side.op:
            case "mul":
                return [part for arg in side.args for part in factors_of(arg, power)]
            case "inv":
                return factors_of(side.args[0], -power)
            case "neg":
                return factors_of(side.args[0], power)
            case "sqrt":
                return factors_of(side.args[0], power / 2)
            case "pow" if isinstance(side.args[1], Number) and side.args[1].value:
                return factors_of(side.args[0], power * side.args[1].value)
    return [(side, power)]
