"""A best choice as a picture: the best of each discrete choice side by side, or the target along a range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from derive.errors import ExpressionError
from derive.model.relation_set import RelationSet
from derive.optimization.optimum import Choice, Optimum
from derive.presentation.charts import Axis, Chart, Mark, Series
from derive.presentation.numbers import labelled, shown_number, spelled
from derive.tables.axes import spanned
from derive.tables.table import sweep
from derive.tables.table_charts import charts as table_charts

__all__ = ["bars", "charts"]

_POINTS = 120  # along a range


def charts(library: RelationSet, found: Optimum, given: Mapping[str, Any]) -> tuple[Chart, ...]:
    """Bars for several choices; for a single one the target along its first range, with the best point marked."""
    return (bars(found),) if len(found.choices) > 1 else _along(library, found, given)


def bars(found: Optimum) -> Chart:
    """The best of each discrete choice."""
    unit = found.answer.quantity.unit
    shown = [one for one in found.choices if one.best is not None]
    shared = set.intersection(*(set(one.profiles) for one in found.choices))
    names = tuple(_named(one, shared) for one in reversed(shown))
    values = [unit.from_base(one.best or 0.0) for one in reversed(shown)]
    label = labelled(found.answer.quantity.name.replace("_", " "), spelled(unit))
    bars = Series.of(values, range(len(values)), style="bars")
    height = max(2.0, 0.25 * len(names) + 1)
    return Chart(Axis(label, low=0.0), Axis("", names=names), (bars,), title=_title(found), height=height)


def _named(one: Choice, shared: set[str]) -> str:
    return ", ".join([*(name for name in one.profiles if name not in shared), *one.listed.values()])


def _title(found: Optimum) -> str:
    return f"{found.sense} {found.answer.quantity.name}".replace("_", " ")


def _along(library: RelationSet, found: Optimum, given: Mapping[str, Any]) -> tuple[Chart, ...]:
    if not found.ranged:
        raise ExpressionError("A single choice without a range has no picture.", hint="Give a range or a list.")
    first, *others = found.ranged
    fixed = {**given, **{name: found.at[name] for name in (*others, *found.chosen) if name != first}}
    name, target = first, found.answer.quantity.name
    table = sweep(library, target, found.profiles, {**fixed, name: spanned(str(given[name]), _POINTS)})
    quantity = found.quantities[name]
    at = quantity.unit.from_base(found.chosen[name])
    mark = Mark(at, shown_number(found.chosen[name], quantity.unit))
    return tuple(
        Chart(one.x, one.y, one.series, (*one.marks, mark), one.shades, one.hatches, _title(found), one.height)
        for one in table_charts(table)
    )
