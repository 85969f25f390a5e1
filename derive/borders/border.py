"""Borders and what lies between them: the map of a question."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from derive.expressions.tree import Node
from derive.presentation.charts import Chart
from derive.presentation.numbers import DIGITS
from derive.showing import Shown
from derive.tables.maps.labels import Change, Standing
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.symbolic import Symbols

__all__ = ["Border", "Borders", "Region"]


@dataclass(frozen=True)
class Border(Shown):
    """A curve (with one axis, a point) on which the binding arm, a check or the existence of an answer changes.

    `points` are in declared units, in the order of the axes. With a closed form, `of` is the quantity that it gives.
    """

    change: Change
    equation: str  # what holds on it, as text; "" if it is not an equation
    points: tuple[tuple[float, ...], ...]
    axes: tuple[Declaration, ...]
    of: str = ""
    form: Node | None = field(default=None, repr=False, compare=False)
    symbols: Mapping[str, Declaration] = field(default_factory=dict, repr=False, compare=False)
    ends: Mapping[str, float] = field(default_factory=dict)  # of ranges, in base units, where these decide

    @property
    def kind(self) -> str:
        """ "regime", "case", "check" or "answer"."""
        return self.change.kind

    @property
    def relation(self) -> str:
        """The relation whose arm changes, or that ceases to hold."""
        return self.change.relation

    @property
    @query()
    def formula(self) -> Mapping[str, Any] | None:
        """One axis in terms of the rest, in sympy and in coherent base units; None without a closed form."""
        if self.form is None:
            return None
        from derive.expressions.sympy_bridge import to_sympy

        return {self.of: to_sympy(self.form, Symbols(self.symbols))}

    @property
    def at(self) -> dict[str, Any]:
        """The numbers of each axis along the curve, as pint Quantities of arrays; with one axis, of a number."""
        import numpy

        from quantities.registry import registry

        columns = zip(*self.points, strict=True)
        held = {one: numpy.array(column) for one, column in zip(self.axes, columns, strict=True)}
        numbers = {one.name: (array if len(self.axes) > 1 else float(array[0]), one) for one, array in held.items()}
        return {name: registry().Quantity(number, one.unit.text) for name, (number, one) in numbers.items()}

    def __repr__(self) -> str:
        return f"<Border {self}>"

    def __str__(self) -> str:
        from derive.borders.border_text import sentence

        return sentence(self)


@dataclass(frozen=True)
class Region:
    """The points of equal standing: which arms bind there, and which checks fail."""

    standing: Standing
    share: float  # of the map as it is drawn, where axes may be logarithmic

    @property
    def arms(self) -> Mapping[str, str]:
        """For each relation with a choice, the arm that binds."""
        return dict(self.standing.arms)

    @property
    def failed(self) -> frozenset[str]:
        return self.standing.failed

    @property
    def is_answered(self) -> bool:
        return self.standing.is_answered


@dataclass(frozen=True)
class Borders(Shown, Sequence[Border]):
    """The borders of a question, and the regions between them."""

    target: Declaration
    axes: tuple[Declaration, ...]
    ends: Mapping[str, tuple[float, float]]
    borders: tuple[Border, ...]
    regions: tuple[Region, ...]
    charts: tuple[Chart, ...] = field(repr=False, compare=False)

    def __getitem__(self, i: Any) -> Any:
        return self.borders[i]

    def __len__(self) -> int:
        return len(self.borders)

    def __iter__(self) -> Iterator[Border]:
        return iter(self.borders)

    def of_relation(self, name: str) -> Borders:
        """Only the borders on which one relation changes; the regions are those of the whole map."""
        return replace(self, borders=tuple(border for border in self.borders if border.relation == name))

    def plot(self) -> Any:
        """A figure of the map: regions coloured and named, failing ones hatched, borders, levels of the target."""
        from derive.presentation.plotting import figure

        return figure(*self.charts)

    @query()
    def text(self, digits: int = DIGITS) -> str:
        """The borders, each with its closed form or its ends, and the regions."""
        from derive.borders.border_text import as_text

        return as_text(self, digits)

    def __repr__(self) -> str:
        return f"<Borders of {self.text().partition(chr(10))[0]}>"

    def __str__(self) -> str:
        return self.text()
