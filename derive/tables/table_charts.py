"""A table as charts: one for each target along the first axis, a line for each value of the others; over two axes with
a dozen points or more each, a map (`maps`).

With a single line, the stretches in which each regime binds are shaded and the knees between them marked, each found
to many digits between the points where the regime changes. With several lines, the knees of each are points.
Stretches where checks fail are hatched (`hatches`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError
from derive.expressions.tree import Apply, walk
from derive.presentation.charts import Axis, Chart, Hatch, Mark, Series, Shade, holding
from derive.presentation.failed_checks import fails_in_words
from derive.presentation.numbers import labelled, prefixed, with_unit
from derive.tables.maps.map_charts import map_chart
from derive.tables.maps.regime_map import mapped
from derive.tables.single_points import ENDS

if TYPE_CHECKING:
    from derive.tables.sweep_work import Work
    from derive.tables.table import Table

__all__ = ["captioned", "charts", "charts_of_each", "crosses", "hatches", "holding_for"]

_LINES = 7  # limit on drawn values of the further axes
_STRETCHES = 9  # limit on regimes along a line; more are too many to show
_FINER = 64  # points between two, where a knee is sought
_ROUNDS = 5
_DENSE = 12  # points on each of two axes from which a table is a map
_BLACK = 6  # index in the palette
_LONG = 1e4  # numbers from here on take a prefix
_BESIDE_KNEE = 1e-5  # distance from a knee, as a share of the way between its points
_LEAST_JUMP = 1e-2  # change across a knee, relative to the value, beyond which it is a jump
_LEAST_SHARE = 1e-2  # of the change between the points, that happens at a knee where there is a jump


def charts(table: Table) -> tuple[Chart, ...]:
    """The charts of a table, from its first axis to each of its targets."""
    _prove_drawable(table)
    if _is_map(table):
        return _maps(table)
    first, *others = table.axes
    along = table.axes[first]
    count = len(table) // len(along)
    chosen = _chosen_lines(table)
    stretches = [_stretches(table, place) for place in chosen]
    axis = Axis.of(_label(first, table), along)
    axis = replace(axis, log=axis.log or _in_ratios(along))
    marks, shades = _told(table, stretches[0]) if count == 1 else ((), ())
    found = []
    for target in table.columns:
        name, _, end = target.rpartition(".")
        if end in ENDS and name in table.columns:  # drawn beside its target
            continue
        lines, found_at = _lines(table, target), dict(zip(chosen, stretches, strict=True))
        series = [_curve(table, target, lines, i, found_at[i], _which(table, others, i)) for i in chosen]
        bounds = [_bounds(table, target, end, i, n) for end in ENDS for n, i in enumerate(chosen)]
        height = Axis.of(_label(target, table), *(one.y for one in series))
        if count > 1:
            series += _knees(table, target, found_at)
            series += crosses(table, target, chosen)
        hatched = hatches(table, target) if count == 1 else ()
        found.append(Chart(axis, height, (*series, *filter(None, bounds)), marks, shades, hatched))
    return tuple(found)


def charts_of_each(tables: Mapping[str, Table]) -> tuple[Chart, ...]:
    """The charts of one question asked of several things, a curve each, in the colour of its place.

    A point where another regime binds is marked on each curve, and where a check fails it is crossed.
    """
    first = next(iter(tables.values()))
    _prove_drawable(first)
    name = next(iter(first.axes))
    along = first.axes[name]
    axis = Axis.of(_label(name, first), along)
    axis = replace(axis, log=axis.log or _in_ratios(along))
    found = []
    for target in first.columns:
        whole, _, end = target.rpartition(".")
        if end in ENDS and whole in first.columns:
            continue
        curves, points, count = [], [], 0
        for label, table in tables.items():
            chosen = _chosen_lines(table)
            stretches = {i: _stretches(table, i) for i in chosen}
            curves += list(_curves(table, target, label, range(count, count + len(chosen)), stretches))
            points += [*_knees(table, target, stretches), *crosses(table, target, chosen)]
            count += len(chosen)
        height = Axis.of(_label(target, first), *(one.y for one in curves))
        found.append(Chart(axis, height, (*curves, *_joined(points))))
    return tuple(found)


def _curve(
    table: Table, target: str, lines: Any, place: int, stretches: Sequence[_Stretch], label: str, **how: Any
) -> Series:
    """The line of one value of the further axes, broken where it jumps."""
    knees = [one.low for one in stretches if one.from_knee]
    return Series.of(*_broken_at_jumps(table, target, lines[:, place], knees, _others(table, place)), label, **how)


def _broken_at_jumps(
    table: Table, target: str, line: Any, knees: Iterable[float], others: Sequence[Any]
) -> tuple[list[float], list[float]]:
    """A curve through points in ascending order, with a gap (NaN) where it jumps at a knee.

    Where another form of a relation begins, a target may take another value at once. A line through the points of the
    table would join both values, as if those between were taken. So the curve is evaluated close to both sides of each
    knee; where the values differ there, it is broken.
    """
    import numpy

    along = next(iter(table.axes.values()))
    order = numpy.argsort(along, kind="stable")
    x, y = [float(one) for one in along[order]], [float(one) for one in line[order]]
    if table.survey is None:
        return x, y
    for knee in knees:
        after = int(numpy.searchsorted(x, knee))
        if not 0 < after < len(x):
            continue
        apart = _BESIDE_KNEE * (x[after] - x[after - 1])
        ends = numpy.array([max(knee - apart, x[after - 1]), min(knee + apart, x[after])])
        left, right = (float(one) for one in table.beside(ends, *others).columns[target].ravel())
        whole = abs(y[after] - y[after - 1])
        if abs(right - left) > max(_LEAST_JUMP * max(abs(left), abs(right)), _LEAST_SHARE * whole):
            x[after:after] = [float(ends[0]), knee, float(ends[1])]
            y[after:after] = [left, float("nan"), right]
    return x, y


def _curves(
    table: Table, target: str, label: str, colors: Iterable[int], stretches: Mapping[int, Sequence[_Stretch]]
) -> Iterator[Series]:
    """The curves of one of several tables, each with its bounds."""
    _, *others = table.axes
    lines = _lines(table, target)
    for color, i in zip(colors, stretches, strict=True):
        told = ", ".join(filter(None, (label, _which(table, others, i))))
        yield _curve(table, target, lines, i, stretches[i], told, color=color)
        bounds = (_bounds(table, target, end, i, color) for end in ENDS)
        yield from (one for one in bounds if one is not None)


def _prove_drawable(table: Table) -> None:
    if not table.axes:
        raise ExpressionError("The table has no axis to plot along.", hint="Give span(...) for one of the givens.")


def captioned(drawn: Sequence[Chart], *tables: Table) -> tuple[Chart, ...]:
    """Charts of tables with what these have in common below them: profiles and givens."""
    works = [table.survey.work for table in tables if table.survey is not None]
    return holding_for(drawn, works) if works else tuple(drawn)


def holding_for(drawn: Sequence[Chart], works: Sequence[Work]) -> tuple[Chart, ...]:
    """Charts with the profiles and givens below them that some pieces of work have in common."""
    named = [[getattr(profile, "name", profile) for profile in work.profiles] for work in works]
    shared = [name for name in named[0] if all(name in others for others in named)]
    others = [work.given for work in works]
    given = {name: value for name, value in works[0].given.items() if all(one.get(name) == value for one in others)}
    return holding(drawn, shared, given)


def _joined(series: Sequence[Series]) -> list[Series]:
    """Points with the same name as one series."""
    found: dict[str, Series] = {}
    for one in series:
        before = found.get(one.label)
        x, y = (one.x, one.y) if before is None else (before.x + one.x, before.y + one.y)
        found[one.label] = replace(one, x=x, y=y, color=_BLACK if one.color is None else one.color)
    return list(found.values())


def _chosen_lines(table: Table) -> list[int]:
    """The positions of the values of the further axes that are drawn."""
    import numpy

    count = len(table) // len(next(iter(table.axes.values())))
    return sorted({round(i) for i in numpy.linspace(0, count - 1, min(count, _LINES))})


def _lines(table: Table, target: str) -> Any:
    """A target along the first axis, a column for each value of the others."""
    import numpy

    return numpy.reshape(table.columns[target], (len(next(iter(table.axes.values()))), -1))


def _is_map(table: Table) -> bool:
    """Whether two axes are both so dense that the table is drawn as a map."""
    lengths = [len(axis) for axis in table.axes.values()]
    return len(lengths) == 2 and min(lengths) >= _DENSE and table.survey is not None and not table.survey.work.is_ranged


def _maps(table: Table) -> tuple[Chart, ...]:
    """A map for each target."""
    assert table.survey is not None
    return tuple(map_chart(mapped(table.survey.of(target)), target) for target in table.columns)


def _in_ratios(along: Any) -> bool:
    """Whether the points are evenly spaced in their logarithm."""
    import numpy

    if len(along) < 3 or not (along > 0).all():
        return False
    even, ratios = numpy.diff(along), numpy.diff(numpy.log(along))
    return bool(numpy.allclose(ratios, ratios[0]) and not numpy.allclose(even, even[0]))


def _bounds(table: Table, target: str, end: str, place: int, color: int) -> Series | None:
    """A line of the bounds of a target, if there are any."""
    import numpy

    along, column = next(iter(table.axes.values())), table.columns.get(f"{target}.{end}")
    if column is None:
        return None
    return Series.of(along, numpy.reshape(column, (len(along), -1))[:, place], style="dotted", color=color)


@dataclass(frozen=True)
class _Stretch:
    """A stretch of the first axis on which each relation keeps one form."""

    low: float
    high: float
    arms: Mapping[str, str]
    from_knee: bool  # whether it begins where the one before it ends


def _stretches(table: Table, place: int) -> list[_Stretch]:
    """The regimes along one line of the table; none if they change too often."""
    import numpy

    along = numpy.asarray(table.axes[next(iter(table.axes))])
    if not table.regimes or len(along) < 2:
        return []
    codes = numpy.array([numpy.reshape(one.codes, (len(along), -1))[:, place] for one in table.regimes.values()])
    order = numpy.argsort(along, kind="stable")
    along, codes = along[order], codes[:, order]
    turns = [0, *(numpy.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1), len(along)]
    if len(turns) - 1 > _STRETCHES:
        return []
    knees = [along[0], *(_knee(table, place, along[i - 1], along[i]) for i in turns[1:-1]), along[-1]]
    found = []
    for i, begin in enumerate(turns[:-1]):
        arms = {
            name: regime.arms[code]
            for (name, regime), code in zip(table.regimes.items(), codes[:, begin], strict=True)
            if code >= 0
        }
        found.append(_Stretch(float(knees[i]), float(knees[i + 1]), arms, i > 0))
    return found


def _knee(table: Table, place: int, low: float, high: float) -> float:
    """The point between two at which the regime changes."""
    import numpy

    if table.survey is None:
        return (low + high) / 2
    others = _others(table, place)
    for _ in range(_ROUNDS):
        between = numpy.linspace(low, high, _FINER)
        codes = numpy.array([regime.codes.ravel() for regime in table.beside(between, *others).regimes.values()])
        change = int(numpy.argmax((codes != codes[:, :1]).any(axis=0)))
        if change == 0:
            break
        low, high = between[change - 1], between[change]
    return float((low + high) / 2)


def _told(table: Table, stretches: list[_Stretch]) -> tuple[tuple[Mark, ...], tuple[Shade, ...]]:
    """The shades and the marks of a chart with one line."""
    first = next(iter(table.axes))
    varying = {name for one in stretches for name in one.arms if one.arms[name] != stretches[0].arms.get(name)}
    names = [name for name in table.regimes if name in varying] or list(table.regimes)[:1]
    shades, marks = [], []
    for one in stretches:
        arms = [f"{_worded(one.arms[name])} {_acts(table, name)}" for name in names if name in one.arms]
        if arms:
            shades.append(Shade(one.low, one.high, "; ".join(arms)))
        if one.from_knee:
            marks.append(Mark(one.low, _measured(one.low, table.units[first])))
    return tuple(marks), tuple(shades)


def _acts(table: Table, relation: str) -> str:
    """What the arm of a relation does: that of a maximum or a minimum binds, any other applies."""
    if table.survey is None:
        return "binds"
    written = table.survey.work.library.relations[relation.removesuffix(".regime")].written
    parts = (part for side in (written.lhs, written.rhs) for part in walk(side) if isinstance(part, Apply))
    return "binds" if any(part.op in ("max", "min") for part in parts) else "applies"


def _worded(arm: str) -> str:
    return arm.replace("_", " ")


def _others(table: Table, place: int) -> list[Any]:
    """The values of the further axes for a line."""
    import numpy

    rest = list(table.axes.values())[1:]
    places = numpy.unravel_index(place, [len(axis) for axis in rest]) if rest else ()
    return [axis[i : i + 1] for axis, i in zip(rest, places, strict=True)]


def _knees(table: Table, target: str, stretches: Mapping[int, list[_Stretch]]) -> Iterator[Series]:
    """The knees of each line, as points on it."""
    import numpy

    x: list[float] = []
    y: list[float] = []
    for place, found in stretches.items():
        knees = [one.low for one in found if one.from_knee]
        if knees and table.survey is not None:
            x += knees
            y += table.beside(numpy.array(knees), *_others(table, place)).columns[target].ravel().tolist()
    if x:
        yield Series.of(x, y, "another regime begins", style="points")


def _which(table: Table, names: list[str], position: int) -> str:
    """The values of the further axes for a line, as text: `context = 4096 token/sequence`."""
    import numpy

    places = numpy.unravel_index(position, [len(table.axes[name]) for name in names])
    values = [(name, table.axes[name][i]) for name, i in zip(names, places, strict=True)]
    return ", ".join(f"{name.replace('_', ' ')} = {_measured(value, table.units[name])}" for name, value in values)


def _label(name: str, table: Table) -> str:
    return labelled(name.replace("_", " "), table.units.get(name, ""))


def _measured(value: float, unit: str) -> str:
    number, text = prefixed(float(value), unit, _LONG)
    return with_unit(f"{number:.4g}", text)


# Where checks fail in a chart: stretches of its first axis, and points on its lines
#
# With one line, the stretches in which a check fails are hatched, and their ends are found between the points. With
# several lines, each fails elsewhere: the points of each line at which it fails are crossed.


_HALVINGS = 8  # between two points, where a verdict changes
_RED = 7  # index in the palette


def hatches(table: Table, target: str) -> tuple[Hatch, ...]:
    """The stretches in which checks of a target fail, along the only line of a table."""
    import numpy

    if table.survey is None:
        return ()
    first = next(iter(table.axes))
    along = numpy.asarray(table.axes[first])
    order = numpy.argsort(along, kind="stable")
    judgement = table.holding.judgements[target]
    found: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for name in sorted(judgement.names):
        failing = judgement.failing(name).ravel()[order]
        found.setdefault(tuple(_failing_stretches(table, target, name, along[order], failing)), []).append(name)
    return tuple(Hatch(stretches, fails_in_words(names)) for stretches, names in found.items())


def _failing_stretches(table: Table, target: str, name: str, along: Any, failing: Any) -> Iterator[tuple[float, float]]:
    import numpy

    turns = numpy.flatnonzero(failing[1:] != failing[:-1])
    ends = [float(along[0]), *(_border(table, target, name, along[i], along[i + 1]) for i in turns), float(along[-1])]
    for i, (low, high) in enumerate(pairwise(ends)):
        if bool(failing[0]) == (i % 2 == 0):
            yield low, high


def _border(table: Table, target: str, name: str, low: float, high: float) -> float:
    """The point between two on the first axis at which a check begins or ceases to fail."""
    assert table.survey is not None
    work = table.survey.work
    others = tuple(float(axis[0]) for axis in list(table.axes.values())[1:])

    def fails(x: float) -> bool:
        return name in work.told(target, (x, *others)).failed

    before = fails(float(low))
    for _ in range(_HALVINGS):
        middle = float((low + high) / 2)
        low, high = (middle, high) if fails(middle) == before else (low, middle)
    return float((low + high) / 2)


def crosses(table: Table, target: str, chosen: Sequence[int]) -> list[Series]:
    """The points of several lines at which a check fails, crossed."""
    import numpy

    if table.survey is None:
        return []
    along = numpy.asarray(next(iter(table.axes.values())))
    lines = numpy.reshape(table.columns[target], (len(along), -1))
    judgement = table.holding.judgements[target]
    found: dict[bytes, list[str]] = {}
    for name in sorted(judgement.names):
        failing = numpy.reshape(judgement.failing(name), lines.shape)
        found.setdefault(failing.tobytes(), []).append(name)
    made = []
    for held, names in found.items():
        failing = numpy.frombuffer(held, bool).reshape(lines.shape)
        x = [along[failing[:, i]] for i in chosen]
        y = [lines[failing[:, i], i] for i in chosen]
        if sum(map(len, x)):
            made.append(
                Series.of(
                    numpy.concatenate(x), numpy.concatenate(y), fails_in_words(names), style="crosses", color=_RED
                )
            )
    return made
