"""A table as charts: one for each target along the first axis, a line for each value of the second."""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.drawing.chart import Axis, Chart, Series
from derive.errors import ExpressionError

if TYPE_CHECKING:
    from derive.compiling.sweeping import Table

__all__ = ["charts"]

_LINES = 7  # values of the second axis that are drawn


def charts(table: Table) -> tuple[Chart, ...]:
    """The pictures of a table, from its first axis to each of its targets."""
    import numpy

    if not table.axes:
        raise ExpressionError("The table has no axis to plot along.", hint="Give span(...) for one of the givens.")
    names = list(table.axes)
    along = table.axes[names[0]]
    found = []
    for target, column in table.columns.items():
        lines = numpy.reshape(column, (len(along), -1))
        chosen = sorted({round(i) for i in numpy.linspace(0, lines.shape[1] - 1, min(lines.shape[1], _LINES))})
        series = tuple(Series.of(along, lines[:, i], _which(table, names[1:], i)) for i in chosen)
        x = Axis.of(_label(names[0], table), along)
        found.append(Chart(x, Axis.of(_label(target, table), *(one.y for one in series)), series))
    return tuple(found)


def _which(table: Table, names: list[str], position: int) -> str:
    """Where on the further axes a line lies: `context = 4096 token/sequence`."""
    import numpy

    places = numpy.unravel_index(position, [len(table.axes[name]) for name in names])
    values = [(name, table.axes[name][i]) for name, i in zip(names, places, strict=True)]
    return ", ".join(f"{name.replace('_', ' ')} = {value:.4g} {table.units[name]}".rstrip() for name, value in values)


def _label(name: str, table: Table) -> str:
    unit = table.units[name]
    return f"{name.replace('_', ' ')} [{unit}]" if unit not in ("", "1") else name.replace("_", " ")
