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
from derive.presentation.numbers import heading_with_unit, shown_choice, unit_text
from derive.tables.axes import spanned
from derive.tables.table import sweep
from derive.tables.table_charts import charts as table_charts

_POINTS = 120  # along a range


def charts(
    library: RelationSet, optimum: Optimum, given: Mapping[str, Any], such_that: Iterable[str] = ()
) -> tuple[Chart, ...]:
    """The charts of an optimum: bars for several choices, or the target along the first range of a single one.

    Along a range, the best point is marked. What holds in all of the chart stands below it.
    """
    if len(optimum.choices) == 1:
        return _along(library, optimum, given, such_that)
    shared = _shared(optimum)
    shown_given = {name: value for name, value in given.items() if not is_choice(value)}
    return holding([bars(optimum)], [name for name in optimum.profiles if name in shared], shown_given, such_that)


def bars_of_each(optima: Mapping[str, Optimum]) -> Chart:
    """A chart of the optima of several questions about one target, a bar for each."""
    first = next(iter(optima.values()))
    unit = first.answer.quantity.unit
    return _bars(first, [(name, unit.from_base(optimum.answer.base or 0.0)) for name, optimum in optima.items()])


def bars(optimum: Optimum) -> Chart:
    """A chart of an optimum, with a bar for the best value in each discrete choice."""
    unit, shared = optimum.answer.quantity.unit, _shared(optimum)
    labelled_bests = [(_named(choice, shared), choice.best) for choice in optimum.choices if choice.best is not None]
    return _bars(optimum, [(name, unit.from_base(best)) for name, best in labelled_bests])


def _bars(optimum: Optimum, values: Sequence[tuple[str, float]]) -> Chart:
    """A chart of an optimum's target, with a bar for each name, the first on top."""
    names, numbers = zip(*reversed(values), strict=True)
    label = heading_with_unit(optimum.answer.quantity.name.replace("_", " "), unit_text(optimum.answer.quantity.unit))
    bars = Series.of(numbers, range(len(numbers)), style="bars")
    height = max(2.0, 0.25 * len(names) + 1)
    return Chart(Axis(label, low=0.0), Axis("", names=names), (bars,), title=_title(optimum), height=height)


def _shared(optimum: Optimum) -> set[str]:
    """The profiles that every choice of an optimum has, which no bar has to name."""
    return set.intersection(*(set(choice.profiles) for choice in optimum.choices))


def _named(choice: Choice, shared: set[str]) -> str:
    """The label of a choice's bar in the chart of an optimum: its own profiles and its list entries."""
    return ", ".join([*(name for name in choice.profiles if name not in shared), *choice.listed.values()])


def _title(optimum: Optimum) -> str:
    return f"{optimum.sense} {optimum.answer.quantity.name}".replace("_", " ")


def _along(
    library: RelationSet, optimum: Optimum, given: Mapping[str, Any], such_that: Iterable[str]
) -> tuple[Chart, ...]:
    """Charts of an optimum's target along the first range, everything else as in the best point, which is marked."""
    if not optimum.ranged:
        raise ExpressionError("A single choice without a range has no picture.", hint="Give a range or a list.")
    first, *others = optimum.ranged
    fixed = {**given, **{name: optimum.at[name] for name in (*others, *optimum.chosen) if name != first}}
    name, target = first, optimum.answer.quantity.name
    table = sweep(library, target, optimum.profiles, {**fixed, name: spanned(str(given[name]), _POINTS)})
    quantity = optimum.quantities[name]
    best_at = quantity.unit.from_base(optimum.chosen[name])
    mark = Mark(best_at, shown_choice(optimum.chosen[name], quantity))
    drawn = [replace(chart, marks=(*chart.marks, mark), title=_title(optimum)) for chart in table_charts(table)]
    best = {name: shown_choice(number, optimum.quantities[name]) for name, number in optimum.chosen.items()}
    shown_given = {name: best.get(name, value) for name, value in fixed.items() if name != first}
    return holding(drawn, optimum.profiles, shown_given, such_that)
