"""A best choice as a picture: the best of each discrete choice side by side, or the target along a range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from derive.errors import ExpressionError
from derive.model.relation_set import RelationSet
from derive.optimization.optimum import Optimum
from derive.optimization.question import Choice, is_choice
from derive.presentation.charts import Axis, Chart, Mark, Series, holding
from derive.presentation.numbers import labelled, shown_number, spelled
from derive.tables.axes import spanned
from derive.tables.table import sweep
from derive.tables.table_charts import charts as table_charts

_POINTS = 120  # along a range


def charts(
    library: RelationSet, found: Optimum, given: Mapping[str, Any], such_that: Iterable[str] = ()
) -> tuple[Chart, ...]:
    """Bars for several choices; for a single one the target along its first range, with the best point marked.

    What holds in all of it stands below.
    """
    if len(found.choices) == 1:
        return _along(library, found, given, such_that)
    shared = _shared(found)
    told = {name: value for name, value in given.items() if not is_choice(value)}
    return holding([bars(found)], [one for one in found.profiles if one in shared], told, such_that)


def bars_of_each(found: Mapping[str, Optimum]) -> Chart:
    """The best of each of several questions about one target."""
    first = next(iter(found.values()))
    unit = first.answer.quantity.unit
    return _bars(first, [(name, unit.from_base(one.answer.base or 0.0)) for name, one in found.items()])


def bars(found: Optimum) -> Chart:
    """The best of each discrete choice."""
    unit, shared = found.answer.quantity.unit, _shared(found)
    shown = [(_named(one, shared), one.best) for one in found.choices if one.best is not None]
    return _bars(found, [(name, unit.from_base(best)) for name, best in shown])


def _bars(found: Optimum, values: Sequence[tuple[str, float]]) -> Chart:
    """A bar for each name, the first on top."""
    names, numbers = zip(*reversed(values), strict=True)
    label = labelled(found.answer.quantity.name.replace("_", " "), spelled(found.answer.quantity.unit))
    bars = Series.of(numbers, range(len(numbers)), style="bars")
    height = max(2.0, 0.25 * len(names) + 1)
    return Chart(Axis(label, low=0.0), Axis("", names=names), (bars,), title=_title(found), height=height)


def _shared(found: Optimum) -> set[str]:
    """The profiles of every choice."""
    return set.intersection(*(set(one.profiles) for one in found.choices))


def _named(one: Choice, shared: set[str]) -> str:
    return ", ".join([*(name for name in one.profiles if name not in shared), *one.listed.values()])


def _title(found: Optimum) -> str:
    return f"{found.sense} {found.answer.quantity.name}".replace("_", " ")


def _along(
    library: RelationSet, found: Optimum, given: Mapping[str, Any], such_that: Iterable[str]
) -> tuple[Chart, ...]:
    if not found.ranged:
        raise ExpressionError("A single choice without a range has no picture.", hint="Give a range or a list.")
    first, *others = found.ranged
    fixed = {**given, **{name: found.at[name] for name in (*others, *found.chosen) if name != first}}
    name, target = first, found.answer.quantity.name
    table = sweep(library, target, found.profiles, {**fixed, name: spanned(str(given[name]), _POINTS)})
    quantity = found.quantities[name]
    at = quantity.unit.from_base(found.chosen[name])
    mark = Mark(at, shown_number(found.chosen[name], quantity.unit))
    drawn = [replace(one, marks=(*one.marks, mark), title=_title(found)) for one in table_charts(table)]
    best = {one: shown_number(number, found.quantities[one].unit) for one, number in found.chosen.items()}
    told = {one: best.get(one, value) for one, value in fixed.items() if one != name}
    return holding(drawn, found.profiles, told, such_that)
