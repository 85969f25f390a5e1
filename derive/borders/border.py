"""Borders and what lies between them: the map of a question.

They tell themselves as text and as plain data.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from derive.expressions.tree import Node, render
from derive.presentation.charts import Chart
from derive.presentation.numbers import DIGITS, attributes, shown_number, spelled
from derive.presentation.text import Document, Result, Section, columns
from derive.showing import Shown
from derive.tables.maps.regime_map import Change, Standing, varying
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.symbolic import Symbols


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
        from quantities.registry import registry

        columns = zip(*self.points, strict=True)
        held = {one: numpy.array(column) for one, column in zip(self.axes, columns, strict=True)}
        numbers = {one.name: (array if len(self.axes) > 1 else float(array[0]), one) for one, array in held.items()}
        return {name: registry().Quantity(number, one.unit.text) for name, (number, one) in numbers.items()}

    def __repr__(self) -> str:
        return f"<Border {self}>"

    def __str__(self) -> str:
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
class Borders(Result, Sequence[Border]):
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
    def _document(self, digits: int | None = None) -> Document:
        """The borders, each with its closed form or its ends, and the regions with the largest first."""
        shown = digits or DIGITS
        over = " and ".join(
            f"{one.name} ({shown_number(low, one.unit, shown)} to {shown_number(high, one.unit, shown)})"
            for one, (low, high) in zip(self.axes, self.ends.values(), strict=True)
        )
        count = {0: "no border", 1: "1 border"}.get(len(self), f"{len(self)} borders")
        names = varying(one.standing for one in self.regions)
        regions = columns([_region(one, names) for one in self.regions], right=(0,))
        return Document(
            headline=f"{self.target.name} over {over}: {count}",
            remarks=[sentence(one, shown) for one in self],
            sections=(Section("", regions),),
            charts=lambda: self.charts,
            data=lambda: as_data(self),
        )

    def __repr__(self) -> str:
        return f"<Borders of {self.text().partition(chr(10))[0]}>"


def sentence(border: Border, digits: int = DIGITS) -> str:
    """What changes, and where."""
    where = f"{border.of} = {render(border.form)}" if border.form is not None else _stretch(border, digits)
    if border.form is not None and not border.symbols.keys() & {
        one.name for one in border.axes if one.name != border.of
    }:
        where += f" = {_shown(border, 0, border.of, digits)}"
    ends = [f"{name} at {shown_number(end, border.symbols[name].unit, digits)}" for name, end in border.ends.items()]
    if ends:
        where += f" with {' and '.join(ends)}"
    return f"{_what(border)}, where {where}"


def _what(border: Border) -> str:
    change = border.change
    if change.kind == "regime":
        return f"{border.equation or ' = '.join(change.arms)} ({change.relation})"
    if change.kind == "check":
        held = f": {border.equation}" if border.equation else ""
        return f"{change.relation} ceases to hold{held}"
    return f"{change.relation} begins to apply" if change.kind == "case" else "there is no answer beyond"


def _shown(border: Border, place: int, name: str, digits: int) -> str:
    names = [one.name for one in border.axes]
    quantity = border.axes[names.index(name)]
    return shown_number(quantity.unit.to_base(border.points[place][names.index(name)]), quantity.unit, digits)


def _stretch(border: Border, digits: int) -> str:
    def told(place: int) -> str:
        return ", ".join(f"{one.name} = {_shown(border, place, one.name, digits)}" for one in border.axes)

    return told(0) if len(border.points) == 1 else f"{told(0)} to {told(-1)}"


def _region(region: Region, names: set[str]) -> tuple[str, str]:
    share = f"{100 * region.share:.3g} %"
    if not region.is_answered:
        return share, "no answer"
    arms = [f"{arm} binds ({name})" for name, arm in region.standing.arms if arm and name in names]
    failed = [f"{name} fails" for name in sorted(region.failed)]
    return share, "; ".join([*arms, *failed]) or "every check holds"


def as_data(found: Borders) -> dict[str, Any]:
    """The borders as plain data: the schema of `derive border --json`.

    Each border has its points in the declared units of the axes, and its closed form, or null.
    """
    return {
        "target": found.target.name,
        "axes": [
            {
                "name": one.name,
                "unit": spelled(one.unit),
                "low": one.unit.from_base(low),
                "high": one.unit.from_base(high),
            }
            for one, (low, high) in zip(found.axes, found.ends.values(), strict=True)
        ],
        "borders": [
            {
                **attributes(one, "kind", "relation"),
                "arms": list(one.change.arms),
                "equation": one.equation or None,
                "formula": None if one.form is None else {one.of: render(one.form)},
                "points": [list(point) for point in one.points],
            }
            for one in found
        ],
        "regions": [
            {
                "arms": dict(one.arms),
                "failed": sorted(one.failed),
                "answered": one.is_answered,
                "share": one.share,
            }
            for one in found.regions
        ],
    }
