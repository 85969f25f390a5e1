"""A table as charts: one for each target along the first axis, a line for each value of the others; over two axes with
a dozen points or more each, a map (`maps`).

With a single line, the stretches in which each regime binds are shaded and the knees between them marked, each found
to many digits between the points where the regime changes. With several lines, the knees of each are points.
Stretches where checks fail are hatched (`hatches`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, product
from typing import TYPE_CHECKING, Any

import numpy

from derive.errors import ExpressionError
from derive.expressions.tree import Apply, walk
from derive.presentation.cautions import fails_in_words
from derive.presentation.charts import Axis, Chart, Hatch, Mark, Series, Shade, holding
from derive.presentation.numbers import heading_with_unit, with_prefix, with_unit
from derive.tables.regime_map import map_chart, mapped
from derive.tables.sweep_function import ENDS

if TYPE_CHECKING:
    from derive.tables.sweep_function import SweepFunction
    from derive.tables.table import Table

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
        return tuple(map_chart(mapped(table.survey.of(target)), target) for target in table.columns)
    lines = _lines({"": table})
    is_alone = len(lines) == 1
    marks, shades = _regime_marks(lines[0]) if is_alone else ((), ())
    charts_drawn = []
    for target in table.survey.function.targets:
        curves = [line.curve(target) for line in lines]
        bounds = [line.bound(target, end) for end, line in product(ENDS, lines)]
        points = [] if is_alone else [*_knees(target, lines), *_crosses(table, target, lines)]
        height = Axis.of(_label(target, table), *(curve.y for curve in curves))
        series = (*curves, *points, *filter(None, bounds))
        hatched = _hatches(table, target) if is_alone else ()
        charts_drawn.append(Chart(_along(table), height, series, marks, shades, hatched))
    return tuple(charts_drawn)


def charts_of_each(tables: Mapping[str, Table]) -> tuple[Chart, ...]:
    """The charts of several tables of one question along the first axis, a line each, in the colour of its place.

    A point where another regime binds is marked on each curve, and where a check fails it is crossed.
    """
    first = next(iter(tables.values()))
    _prove_drawable(first)
    lines = _lines(tables)
    charts_drawn = []
    for target in first.survey.function.targets:
        curves: list[Series] = []
        for line in lines:
            curves += filter(None, (line.curve(target, line.color), *(line.bound(target, end) for end in ENDS)))
        points: list[Series] = []
        for table in tables.values():
            own_lines = [line for line in lines if line.table is table]
            points += [*_knees(target, own_lines, _BLACK), *_crosses(table, target, own_lines)]
        height = Axis.of(_label(target, first), *(curve.y for curve in curves))
        charts_drawn.append(Chart(_along(first), height, (*curves, *_joined(points))))
    return tuple(charts_drawn)


@dataclass(frozen=True, eq=False)
class _Line:
    """The targets of a table along its first axis, at one value of each of the others."""

    table: Table
    place: int
    label: str  # of the table
    color: int

    def of(self, array: Any) -> Any:
        """The numbers of a table's array that lie on the line of a chart, in the order of the first axis."""
        return numpy.reshape(array, (len(_first(self.table)), -1))[:, self.place][self._order]

    @cached_property
    def _order(self) -> Any:
        return numpy.argsort(_first(self.table), kind="stable")

    @cached_property
    def _places(self) -> dict[str, int]:
        """The places of a chart's line on each of the table's further axes."""
        _, *further = self.table.axes
        places = numpy.unravel_index(self.place, [len(self.table.axes[name]) for name in further]) if further else ()
        return {name: int(i) for name, i in zip(further, places, strict=True)}

    @property
    def along(self) -> Any:
        """The numbers of the table's first axis along a chart's line, in ascending order."""
        return _first(self.table)[self._order]

    def beside(self, numbers: Any) -> Table:
        """The table of a chart's line at other numbers on its first axis."""
        return self.table.beside(numbers, *(self.table.axes[name][i : i + 1] for name, i in self._places.items()))

    def curve(self, target: str, color: int | None = None) -> Series:
        """The curve of a target in a chart, in ascending order, with a gap (NaN) where it jumps at a knee.

        Where another form of a relation begins, a target may take another value at once. A line through the points of
        the table would join both values, as if those between were taken. So the curve is evaluated close to both sides
        of each knee; where the values differ there, it is broken.
        """
        x, y = self.along.tolist(), self.of(self.table.columns[target]).tolist()
        for knee in self.knees:
            after = int(numpy.searchsorted(x, knee))
            if not 0 < after < len(x):
                continue
            apart = _BESIDE_KNEE * (x[after] - x[after - 1])
            ends = numpy.array([max(knee - apart, x[after - 1]), min(knee + apart, x[after])])
            left, right = self.beside(ends).columns[target].ravel().tolist()
            change = abs(y[after] - y[after - 1])
            if abs(right - left) > max(_LEAST_JUMP * max(abs(left), abs(right)), _LEAST_SHARE * change):
                x[after:after] = [float(ends[0]), knee, float(ends[1])]
                y[after:after] = [left, float("nan"), right]
        values = ((name, self.table.axes[name][i]) for name, i in self._places.items())
        places = [f"{_worded(name)} = {_measured(value, self.table.units[name])}" for name, value in values]
        return Series.of(x, y, ", ".join(filter(None, (self.label, *places))), color=color)

    def bound(self, target: str, end: str) -> Series | None:
        """The line of a target's bound in a chart, if the table has one."""
        column = self.table.columns.get(f"{target}.{end}")
        if column is None:
            return None
        return Series.of(self.along, self.of(column), style="dotted", color=self.color)

    @property
    def knees(self) -> list[float]:
        """The knees of a chart's line, where the regime changes."""
        return [stretch.low for stretch in self.stretches[1:]]

    @cached_property
    def stretches(self) -> list[_Stretch]:
        """The stretches of a chart's line with their regimes; none if these change too often."""
        along, regimes = self.along, self.table.regimes
        if not regimes or len(along) < 2:
            return []
        codes = numpy.array([self.of(regime.codes) for regime in regimes.values()])
        turns = [0, *(numpy.flatnonzero((codes[:, 1:] != codes[:, :-1]).any(axis=0)) + 1), len(along)]
        if len(turns) - 1 > _STRETCHES:
            return []
        knees = [float(along[0]), *(self._knee(along[i - 1], along[i]) for i in turns[1:-1]), float(along[-1])]
        stretches = []
        for begin, (low, high) in zip(turns, pairwise(knees), strict=False):
            pairs = zip(regimes.items(), codes[:, begin], strict=True)
            arms = {name: regime.arms[code] for (name, regime), code in pairs if code >= 0}
            stretches.append(_Stretch(low, high, arms))
        return stretches

    def _knee(self, low: float, high: float) -> float:
        """The knee between two points of a chart's line, at which the regime changes."""
        for _ in range(_ROUNDS):
            between = numpy.linspace(low, high, _FINER)
            codes = numpy.array([regime.codes.ravel() for regime in self.beside(between).regimes.values()])
            change = int(numpy.argmax((codes != codes[:, :1]).any(axis=0)))
            if change == 0:
                break
            low, high = between[change - 1], between[change]
        return float((low + high) / 2)


@dataclass(frozen=True)
class _Stretch:
    """A stretch of the first axis on which each relation keeps one form."""

    low: float
    high: float
    arms: Mapping[str, str]


def _lines(tables: Mapping[str, Table]) -> list[_Line]:
    """The lines of the charts of tables, one for each value of the further axes.

    Of many values they are some that are spread evenly.
    """
    lines: list[_Line] = []
    for label, table in tables.items():
        count = len(table) // len(_first(table))
        for place in sorted({round(i) for i in numpy.linspace(0, count - 1, min(count, _LINES))}):
            lines.append(_Line(table, place, label, color=len(lines)))
    return lines


def _first(table: Table) -> Any:
    """The numbers of a table's first axis."""
    return numpy.asarray(next(iter(table.axes.values())))


def _along(table: Table) -> Axis:
    """The first axis of a table's chart, logarithmic also where its points are evenly spaced in their logarithm."""
    along = _first(table)
    axis = Axis.of(_label(next(iter(table.axes)), table), along)
    is_log = bool(axis.log)
    if not is_log and len(along) > 2 and (along > 0).all():
        even, ratios = numpy.diff(along), numpy.diff(numpy.log(along))
        is_log = bool(numpy.allclose(ratios, ratios[0]) and not numpy.allclose(even, even[0]))
    return replace(axis, log=is_log)


def _prove_drawable(table: Table) -> None:
    if not table.axes:
        raise ExpressionError("The table has no axis to plot along.", hint="Give span(...) for one of the givens.")


def _is_map(table: Table) -> bool:
    """Whether a table is drawn as a map: it has two axes, which are both dense, and no ranges."""
    lengths = [len(axis) for axis in table.axes.values()]
    return len(lengths) == 2 and min(lengths) >= _DENSE and not table.survey.function.is_ranged


def captioned(drawn: Sequence[Chart], *tables: Table) -> tuple[Chart, ...]:
    """The charts of tables, with the profiles and givens below them that the tables have in common."""
    return holding_for(drawn, [table.survey.function for table in tables])


def holding_for(drawn: Sequence[Chart], functions: Sequence[SweepFunction]) -> tuple[Chart, ...]:
    """Charts of several tables, with the profiles and givens below them that all of these tables have."""
    named = [[getattr(profile, "name", profile) for profile in function.profiles] for function in functions]
    shared = [name for name in named[0] if all(name in others for others in named)]
    others = [function.given for function in functions]
    first = functions[0].given.items()
    given = {name: value for name, value in first if all(other.get(name) == value for other in others)}
    return holding(drawn, shared, given)


def _joined(series: Iterable[Series]) -> list[Series]:
    """The points of several tables in a chart, put together in one series for each label."""
    joined: dict[str, Series] = {}
    for points in series:
        before = joined.get(points.label, replace(points, x=(), y=()))
        joined[points.label] = replace(before, x=before.x + points.x, y=before.y + points.y)
    return list(joined.values())


def _regime_marks(line: _Line) -> tuple[tuple[Mark, ...], tuple[Shade, ...]]:
    """The knees of the only line in a table's chart as marks, and its regimes as shades."""
    table, stretches = line.table, line.stretches
    first = next(iter(table.axes))
    forms = set(chain.from_iterable(stretch.arms.items() for stretch in stretches))
    varying = {name for name, arm in forms if arm != stretches[0].arms.get(name)}
    names = [name for name in table.regimes if name in varying] or list(table.regimes)[:1]
    shades = []
    for stretch in stretches:
        arms = [f"{_worded(stretch.arms[name])} {_acts(table, name)}" for name in names if name in stretch.arms]
        if arms:
            shades.append(Shade(stretch.low, stretch.high, "; ".join(arms)))
    return tuple(Mark(knee, _measured(knee, table.units[first])) for knee in line.knees), tuple(shades)


def _acts(table: Table, relation: str) -> str:
    """The verb for a relation's arm in a table's chart: that of a maximum or a minimum binds, any other applies."""
    written = table.survey.function.library.relations[relation.removesuffix(".regime")].written
    nodes = walk(written.lhs, written.rhs)
    is_extreme = any(isinstance(node, Apply) and node.op in ("max", "min") for node in nodes)
    return "binds" if is_extreme else "applies"


def _worded(arm: str) -> str:
    return arm.replace("_", " ")


def _knees(target: str, lines: Iterable[_Line], color: int | None = None) -> Iterator[Series]:
    """The knees of a table's lines, as points on them in a chart."""
    bent = [line for line in lines if line.knees]
    heights = [line.beside(numpy.array(line.knees)).columns[target].ravel().tolist() for line in bent]
    if bent:
        x = chain.from_iterable(line.knees for line in bent)
        yield Series.of(x, chain.from_iterable(heights), "another regime begins", style="points", color=color)


def _label(name: str, table: Table) -> str:
    return heading_with_unit(name.replace("_", " "), table.units.get(name, ""))


def _measured(value: float, unit: str) -> str:
    number, text = with_prefix(float(value), unit, _LONG)
    return with_unit(f"{number:.4g}", text)


# Where checks fail in a chart: stretches of its first axis, and points on its lines
#
# With one line, the stretches in which a check fails are hatched, and their ends are found between the points. With
# several lines, each fails elsewhere: the points of each line at which it fails are crossed.


_HALVINGS = 8  # between two points, where a verdict changes
_RED = 7  # index in the palette


def _hatches(table: Table, target: str) -> tuple[Hatch, ...]:
    """The stretches that a table's chart hatches, in which checks of a target fail along its only line."""
    order = numpy.argsort(_first(table), kind="stable")
    along, judgement = _first(table)[order], table.holding.judgements[target]
    failing: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for name in sorted(judgement.names):
        stretches = _failing_stretches(table, target, name, along, judgement.failing(name).ravel()[order])
        failing.setdefault(tuple(stretches), []).append(name)
    return tuple(Hatch(stretches, fails_in_words(names)) for stretches, names in failing.items())


def _failing_stretches(table: Table, target: str, name: str, along: Any, failing: Any) -> Iterator[tuple[float, float]]:
    """The stretches of a chart's first axis on which a check fails, from whether it does at each table point."""
    turns = numpy.flatnonzero(failing[1:] != failing[:-1])
    ends = [float(along[0]), *(_border(table, target, name, along[i], along[i + 1]) for i in turns), float(along[-1])]
    for i, (low, high) in enumerate(pairwise(ends)):
        if bool(failing[0]) == (i % 2 == 0):
            yield low, high


def _border(table: Table, target: str, name: str, low: float, high: float) -> float:
    """The point between two on a chart's first axis at which a check begins or ceases to fail."""
    others = tuple(float(axis[0]) for axis in list(table.axes.values())[1:])

    def fails(x: float) -> bool:
        return name in table.survey.function.point_answer(target, (x, *others)).failures

    before = fails(float(low))
    for _ in range(_HALVINGS):
        middle = float((low + high) / 2)
        low, high = (middle, high) if fails(middle) == before else (low, middle)
    return float((low + high) / 2)


def _crosses(table: Table, target: str, lines: Sequence[_Line]) -> Iterator[Series]:
    """The points on the lines of a table's chart that are crossed, since a check fails there.

    Checks that fail at the same points are named together.
    """
    judgement = table.holding.judgements[target]
    named: dict[bytes, list[str]] = {}
    for name in sorted(judgement.names):
        named.setdefault(judgement.failing(name).tobytes(), []).append(name)
    for names in named.values():
        failing = judgement.failing(names[0])
        crossed = [(line.of(failing), line) for line in lines]
        x = [*chain.from_iterable(line.along[is_failing] for is_failing, line in crossed)]
        y = [*chain.from_iterable(line.of(table.columns[target])[is_failing] for is_failing, line in crossed)]
        if x:
            yield Series.of(x, y, fails_in_words(names), style="crosses", color=_RED)
