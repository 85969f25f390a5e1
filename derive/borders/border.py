"""Borders and the regions between them, which are the map of a question, as text and as plain data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from derive.expressions.tree import Node, render
from derive.notebook_display import NotebookDisplay
from derive.presentation.charts import Chart
from derive.presentation.numbers import DIGITS, percentage, shown_number
from derive.presentation.plain_data import attributes
from derive.presentation.text import Document, Result, Section, columns
from derive.tables.maps.regime_map import Change, PointRegime, varying
from derive.time_limits import query
from quantities.declaration import Declaration
from quantities.symbolic import Symbols


@dataclass(frozen=True)
class Border(NotebookDisplay):
    """A curve (with one axis, a point) on which the binding arm, a check or the existence of an answer changes.

    `points` are in declared units, in the order of the axes. A closed form gives the axis `of`.
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
        """The kind of change on the border: "regime", "case", "check" or "answer"."""
        return self.change.kind

    @property
    def relation(self) -> str:
        """The relation whose arm changes on the border, or that ceases to hold there."""
        return self.change.relation

    @property
    @query()
    def formula(self) -> Mapping[str, Any] | None:
        """The border in closed form: one axis in terms of the rest, in sympy and coherent base units; None without."""
        if self.form is None:
            return None
        from derive.expressions.sympy_bridge import to_sympy

        return {self.of: to_sympy(self.form, Symbols(self.symbols))}

    @property
    def at(self) -> dict[str, Any]:
        """The numbers of each axis along the border, as pint Quantities of arrays; with one axis, of a number."""
        from quantities.registry import registry

        columns = zip(*self.points, strict=True)
        arrays = {axis: numpy.array(column) for axis, column in zip(self.axes, columns, strict=True)}
        numbers = {
            axis.name: (array if len(self.axes) > 1 else float(array[0]), axis) for axis, array in arrays.items()
        }
        return {name: registry().Quantity(number, axis.unit.text) for name, (number, axis) in numbers.items()}

    def __repr__(self) -> str:
        return f"<Border {self}>"

    def __str__(self) -> str:
        return sentence(self)


@dataclass(frozen=True)
class Region:
    """All points of a map at which the same arms bind and the same checks fail."""

    standing: PointRegime
    share: float  # of the map as it is drawn, where axes may be logarithmic

    @property
    def arms(self) -> Mapping[str, str]:
        """The arms that bind in a region between borders, by the relations that have a choice."""
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
        """The borders on which one relation changes, with the regions between all borders."""
        return replace(self, borders=tuple(border for border in self.borders if border.relation == name))

    def plot(self) -> Any:
        """A figure of the borders and their regions: regions named, failing ones hatched, levels of the target."""
        from derive.presentation.plotting import figure

        return figure(*self.charts)

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The borders, each with its closed form or its ends, and the regions with the largest first."""
        shown = digits or DIGITS
        over = " and ".join(
            f"{axis.name} ({shown_number(low, axis.unit, shown)} to {shown_number(high, axis.unit, shown)})"
            for axis, (low, high) in zip(self.axes, self.ends.values(), strict=True)
        )
        count = {0: "no border", 1: "1 border"}.get(len(self), f"{len(self)} borders")
        names = varying(region.standing for region in self.regions)
        regions = columns([_region(region, names) for region in self.regions], right=(0,))
        return Document(
            headline=f"{self.target.name} over {over}: {count}",
            remarks=[sentence(border, shown) for border in self],
            sections=(Section("", regions),),
            charts=lambda: self.charts,
            data=lambda: as_data(self),
        )

    def __repr__(self) -> str:
        return f"<Borders of {self.text().partition(chr(10))[0]}>"


def sentence(border: Border, digits: int = DIGITS) -> str:
    """The sentence that says what changes on a border, and where it is."""
    if border.form is None:
        where = _stretch(border, digits)
    else:
        form, shown = render(border.form), _shown(border, 0, border.of, digits)
        where = f"{border.of} = {form}"
        is_level = border.symbols.keys().isdisjoint(axis.name for axis in border.axes if axis.name != border.of)
        if is_level and shown != form:
            where += f" = {shown}"  # the same number along the whole border
    ends = [f"{name} at {shown_number(end, border.symbols[name].unit, digits)}" for name, end in border.ends.items()]
    if ends:
        where += f" with {' and '.join(ends)}"
    return f"{_what(border)}, where {where}"


def _what(border: Border) -> str:
    """The words for what changes on a border: an arm, a check, whether a relation applies, or an answer's existence."""
    change = border.change
    if change.kind == "regime":
        return f"{border.equation or ' = '.join(change.arms)} ({change.relation})"
    if change.kind == "check":
        equation = f": {border.equation}" if border.equation else ""
        return f"{change.relation} ceases to hold{equation}"
    return f"{change.relation} begins to apply" if change.kind == "case" else "there is no answer beyond"


def _shown(border: Border, index: int, name: str, digits: int) -> str:
    """One coordinate of a point of a border, with its unit."""
    coordinates = dict(zip(border.axes, border.points[index], strict=True))
    axis = next(axis for axis in border.axes if axis.name == name)
    return shown_number(axis.unit.to_base(coordinates[axis]), axis.unit, digits)


def _stretch(border: Border, digits: int) -> str:
    """Where a border without a closed form begins and ends."""

    def point_text(index: int) -> str:
        return ", ".join(f"{axis.name} = {_shown(border, index, axis.name, digits)}" for axis in border.axes)

    return point_text(0) if len(border.points) == 1 else f"{point_text(0)} to {point_text(-1)}"


def _region(region: Region, names: set[str]) -> tuple[str, str]:
    """The row of a region where borders are printed as text: its share of the map, and what distinguishes it."""
    share = percentage(region.share)
    if not region.is_answered:
        return share, "no answer"
    arms = [f"{arm} binds ({name})" for name, arm in region.standing.arms if arm and name in names]
    failed = [f"{name} fails" for name in sorted(region.failed)]
    return share, "; ".join([*arms, *failed]) or "every check holds"


def as_data(borders: Borders) -> dict[str, Any]:
    """The borders as plain data: the schema of `derive border --json`.

    Each border has its points in the declared units of the axes, and its closed form, or null.
    """
    return {
        "target": borders.target.name,
        "axes": [
            {
                "name": axis.name,
                "unit": axis.unit.shown,
                "low": axis.unit.from_base(low),
                "high": axis.unit.from_base(high),
            }
            for axis, (low, high) in zip(borders.axes, borders.ends.values(), strict=True)
        ],
        "borders": [
            {
                **attributes(border, "kind", "relation"),
                "arms": list(border.change.arms),
                "equation": border.equation or None,
                "formula": None if border.form is None else {border.of: render(border.form)},
                "points": [list(point) for point in border.points],
            }
            for border in borders
        ],
        "regions": [
            {
                "arms": dict(region.arms),
                "failed": sorted(region.failed),
                "answered": region.is_answered,
                "share": region.share,
            }
            for region in borders.regions
        ],
    }
