"""Monte Carlo: the distribution of a target whose givens are ranges.

Each range has its own stream of random numbers, seeded by the seed and its name. The same seed therefore gives the
same points, and a further range leaves the points of the others unchanged.

A range states only its ends, and `300 +/- 20` is a range here, so every value in it is equally likely. If a value
within the range is known, as in profiles whose sources disagree, it is the most likely one, and the density falls
linearly to zero at the ends: a triangle, the simplest shape with these three numbers. Where the ends are two decades
apart or more, both distributions are of the logarithm; otherwise nearly all points of `1..1000` would lie above 10.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Any

import numpy

from derive.errors import ExpressionError, LimitError, NoSolutionError, UnderdeterminedError
from derive.kernels.compiled_functions import cases_left, is_told_by_case, used_values
from derive.model.relation_set import RelationSet
from derive.presentation.cautions import PlacedRemark, fails_in_words, is_amiss, largest, without_part
from derive.presentation.charts import Axis, Chart, Mark, Series
from derive.presentation.numbers import DIGITS, heading_with_unit, percentage, range_text, with_unit
from derive.presentation.plain_data import attributes
from derive.presentation.text import Document, Result, Section, columns
from derive.solving.answering.solver import has_number, solve
from derive.solving.cancellation.typed_alone import typed_first
from derive.solving.execution.question import ask
from derive.tables.axes import DECADES
from derive.tables.exports import Units, data_frame
from derive.tables.point_values import Recipe
from derive.tables.sweep_function import SweepFunction
from derive.tables.table_charts import holding_for
from derive.tables.table_checks import Holding, held_at
from derive.time_limits import query
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration, read_given
from quantities.registry import quantity
from quantities.value import Value, is_number

_MOST = 20_000_000  # limit on points of one sample
_PIECE = 1 << 18  # points that are tested at once
_TAIL = 0.05  # share of the values that lie below `low`, and of those that lie above `high`
_BETWEEN = 64  # steps from the low end of a range to the high one, to find turning points
_BINS = 48
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)  # of the points, below the quantiles that are data
_BARS = 12  # limit on ranges that are drawn and listed
_EDGE = 0.001  # share of the values on either side that the histogram leaves out if they would stretch it


@dataclass(frozen=True, slots=True)
class Swing:
    """How far one range alone moves the target: its values at both ends, and the least and greatest between."""

    name: str
    held: float  # with every given at its fixed value
    at_low: float
    at_high: float
    least: float
    most: float

    @property
    def turns(self) -> bool:
        """Whether a sampled range takes the target beyond its values at the range's ends and where it is held."""
        ends = (self.held, self.at_low, self.at_high)
        return self.least < min(ends) or self.most > max(ends)

    @property
    def width(self) -> float:
        """The width of a sampled range's bar in the tornado: the largest change of the target; zero without values."""
        return self.most - self.least if math.isfinite(self.most - self.least) else 0.0


@dataclass(frozen=True, eq=False)
class Sample(Result):
    """The target at points drawn from the ranges, in its declared unit; NaN where it has no single value."""

    quantity: Declaration
    numbers: Any
    draws: Mapping[str, Any]  # the numbers drawn for each given, in its declared unit
    spreads: Mapping[str, Spread]
    tornado: tuple[Swing, ...]  # how far each range alone moves the target, the widest first
    seed: int
    quantities: Mapping[str, Declaration] = field(repr=False)
    function: SweepFunction = field(repr=False)

    @cached_property
    def holding(self) -> Holding:
        """The failed checks at the points of the Monte Carlo sample, and the unused givens."""
        drawn = list(self.draws.values())
        boxes = ((slice(start, start + _PIECE),) for start in range(0, len(self), _PIECE))
        pieces = ((box, [column[box] for column in drawn]) for box in boxes)
        return held_at(self.function, pieces, {self.quantity.name: self.numbers})

    @property
    def holds(self) -> Any:
        """Whether each point of the Monte Carlo sample has an answer, and every check that could be tested holds."""
        return self.holding.holds

    @property
    def failed(self) -> Mapping[str, Any]:
        """For each check that fails anywhere in the Monte Carlo sample, at which points it does."""
        return self.holding.failed

    @property
    def unused(self) -> tuple[str, ...]:
        """The typed names that no answer at the points drawn for the Monte Carlo sample uses."""
        return self.holding.unused

    @cached_property
    def remarks(self) -> tuple[PlacedRemark, ...]:
        """What the answer in the middle of a Monte Carlo sample assumes, takes by default or leaves out."""
        middle = {name: self.quantities[name].unit.from_base(spread.kept) for name, spread in self.spreads.items()}
        return self.function.remarked(middle)

    @property
    def sound(self) -> float:
        """The share of the Monte Carlo sample's points at which all checks hold."""
        return float(self.holds.mean())

    @cached_property
    def _sorted(self) -> Any:
        return numpy.sort(self.numbers[numpy.isfinite(self.numbers)])

    def quantile(self, share: float) -> Any:
        """The value, a pint Quantity, below which a share of the sampled values lies; interpolated linearly."""
        if not is_number(share) or not 0 <= share <= 1:
            raise ExpressionError(f"{share!r} is not a share.", hint="Give one from 0 to 1.", text=repr(share))
        return quantity(float(numpy.quantile(self._sorted, share)), self.quantity.unit)

    @property
    def low(self) -> Any:
        """The value below which 5 % of the sampled values lie."""
        return self.quantile(_TAIL)

    @property
    def median(self) -> Any:
        """The median of all sampled values."""
        return self.quantile(0.5)

    @property
    def high(self) -> Any:
        """The value above which 5 % of the sampled values lie."""
        return self.quantile(1 - _TAIL)

    @property
    def lost(self) -> float:
        """The share of the Monte Carlo sample's points at which the target has no value, or more than one."""
        return 1 - len(self._sorted) / len(self.numbers)

    def below(self, value: Any) -> float:
        """The share of the sampled values that lie below a given value."""
        number = self.quantity.unit.from_base(read_given(value, self.quantity).base[1])
        return int(numpy.searchsorted(self._sorted, number)) / len(self._sorted)

    def to_pandas(self, units: Units = "attrs") -> Any:
        """The sample as a frame: a row for each point, a column for each drawn given, the target, `holds` and `fails`.

        The units are in `.attrs["units"]`, by the name of the column, or where `Table.to_pandas` puts them.
        """
        named = {**self.draws, self.quantity.name: self.numbers}
        tested = {"holds": self.holds, "fails": self.holding.words}
        tested_columns = {f"sample.{name}" if name in named else name: column for name, column in tested.items()}
        return data_frame({**named, **tested_columns}, {name: self.quantities[name].unit.text for name in named}, units)

    def plot(self) -> Any:
        """The distribution of the sampled target as a figure, with the tornado of its ranges."""
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The text of a sample: the distribution of its values, and the effect of each range alone."""
        shown_digits = digits or DIGITS
        unit = self.quantity.unit.text
        low, median, high = (f"{value.magnitude:.{shown_digits}g}" for value in (self.low, self.median, self.high))
        middle, to = with_unit(median, unit), with_unit(high, unit)
        lost = f"; {percentage(self.lost)} of them have no single value" if self.lost else ""
        rows = []
        for swing in self.tornado[:_BARS]:
            reached = range_text(swing.least, swing.most, unit, shown_digits)
            rows.append((swing.name, _range(self, swing.name), self.spreads[swing.name].shape, reached))
        alone = columns(rows)
        if len(self.tornado) > _BARS:
            alone.append(f"and {len(self.tornado) - _BARS} more, which move it less")
        lines = [f"{len(self)} points, seed {self.seed}{lost}", *_amiss(self)]
        summary = f"{self.quantity.name} = {middle} in the middle, 90 % of the values from {low} to {to}"
        return Document(
            headline="\n".join([summary, *lines]),
            sections=(Section("each range alone", alone),),
            cautions=tuple(_cautions(self)),
            is_amiss=is_amiss(self),
            charts=lambda: charts(self),
            data=lambda: as_data(self),
        )

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        return f"<Sample of {self.quantity.name}: {len(self)} points, seed {self.seed}>"


def sample(
    library: RelationSet, target: str, profiles: tuple[Any, ...], points: int, seed: int, given: Mapping[str, Any]
) -> Sample:
    """A Monte Carlo sample: points drawn from the ranges of a question, and the target at each.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> found = sample(circuits, "voltage", (), 10_000, 1, {"current": "1..3 A", "resistance": "3 ohm"})
    >>> f"{found.low:.1f}, {found.median:.1f}, {found.high:.1f}"
    '3.3 volt, 6.0 volt, 8.7 volt'
    """
    _prove_whole("points", points, 1)
    _prove_whole("seed", seed, 0)
    if points > _MOST:
        raise LimitError("The sample is too large.", hint="Take fewer points.", limit=f"{_MOST} points")
    with query():
        spreads, function = _read(library, target, profiles, given)
    draws = {}
    for name, spread in spreads.items():
        stream = numpy.random.default_rng([seed, *name.encode()])
        draws[name] = _from_base(library.declared[name], spread.at(stream.random(points)))
        draws[name].setflags(write=False)
    numbers = _numbers(function, draws)
    numbers.setflags(write=False)
    if not numpy.isfinite(numbers).any():
        what = f"{target} has no value at any of {points} points of the ranges."
        raise NoSolutionError(what, hint="Call solve at one of them: it says why.", reason="no value within the ranges")
    facts = (MappingProxyType(draws), MappingProxyType(spreads), _swings(function, spreads), seed)
    return Sample(library.declared[target], numbers, *facts, library.declared, function)


def _numbers(function: SweepFunction, drawn: Mapping[str, Any]) -> Any:
    """The target at the points drawn for Monte Carlo, from the numbers of each range there, in declared units."""
    (column,) = function.columns([drawn[name] for name in function.names], is_tested=False).values()
    return numpy.array(column)


def _swings(function: SweepFunction, spreads: Mapping[str, Spread]) -> tuple[Swing, ...]:
    """How far each sampled range moves the target with the others held fixed, the widest swing first."""
    declared = function.library.declared
    fixed = {name: numpy.array([declared[name].unit.from_base(spread.kept)]) for name, spread in spreads.items()}
    shares = numpy.linspace(0.0, 1.0, _BETWEEN + 1)
    middle = float(_numbers(function, fixed)[0])
    swings = []
    for name, spread in spreads.items():
        from_base = declared[name].unit.from_base
        along = numpy.array([from_base(x) for x in spread.low + shares * (spread.high - spread.low)])
        reached = _numbers(function, {**fixed, name: along})
        finite = reached[numpy.isfinite(reached)]
        least, most = (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)
        swings.append(Swing(name, middle, float(reached[0]), float(reached[-1]), least, most))
    return tuple(sorted(swings, key=lambda swing: -swing.width))


def _prove_whole(what: str, number: Any, least: int) -> None:
    if isinstance(number, bool) or not isinstance(number, int) or number < least:
        hint = f"Give a whole number of at least {least}; put the value of a quantity of that name into a profile."
        raise ExpressionError(f"{what} = {number!r} is not allowed.", hint=hint, text=repr(number))


def _from_base(quantity: Declaration, numbers: Any) -> Any:
    """An array of numbers drawn for Monte Carlo, converted from base units to the declared unit."""
    zero, unit_step = (quantity.unit.from_base(x) for x in (0.0, 1.0))
    if quantity.unit.offset:
        return numpy.asarray(numbers * (unit_step - zero) + zero)
    return numpy.asarray(numbers * unit_step)


def _read(
    library: RelationSet, target: str, profiles: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[dict[str, Spread], SweepFunction]:
    """Read the ranges of a question for Monte Carlo, with the function from numbers in them to its target."""
    question = typed_first(library, ask(library, target, profiles, given))
    plan = question.plan(library)
    used = used_values(library, question)
    values = {**question.strong, **used}
    spreads = {name: spread_of(value, library.declared[name]) for name, value in values.items() if value.is_range}
    single = {name: value for name, value in values.items() if name not in spreads}
    numbers = {name: library.declared[name].unit.from_base(value.base[1]) for name, value in single.items()}
    is_asked = is_told_by_case(library, question, used, spreads)
    is_by_numbers = not cases_left(library, question, spreads).plans and has_number(library, target, profiles, given)
    recipe = Recipe.of(library, question, plan, tuple(spreads), numbers, is_asked=is_asked, is_by_numbers=is_by_numbers)
    fixed = {name: value for name, value in given.items() if name not in spreads}
    function = SweepFunction(
        library, tuple(spreads), (recipe,), profiles, fixed, frozenset(spreads.keys() - given.keys())
    )
    try:
        _ = function.lines  # refuses here what has no answer
    except UnderdeterminedError:
        solve(library, target, profiles, given)  # the solver knows the profiles, and says what they lack
        raise
    if not spreads:
        raise ExpressionError(
            f"{target} does not depend on any range.",
            hint='Give a range for one of them, such as "2..6" or "300 +/- 20 FLOP/byte".',
            text=target,
        )
    return spreads, function


@dataclass(frozen=True, slots=True)
class Spread:
    """The ends of a range, its most likely value if it has one, and its fixed value; all in base units."""

    low: float
    high: float
    kept: float
    has_peak: bool
    log: bool

    @property
    def shape(self) -> str:
        shape = "triangular" if self.has_peak else "uniform"
        return f"log-{shape}" if self.log else shape

    def at(self, shares: Any) -> Any:
        """The quantiles of the distribution of a range for Monte Carlo: the inverse of the cumulative distribution.

        >>> Spread(0.0, 4.0, 3.0, True, False).at([0.0, 0.75, 1.0]).tolist()
        [0.0, 3.0, 4.0]
        """
        shares = numpy.asarray(shares, dtype=float)
        transform = numpy.log if self.log else numpy.asarray
        low, high, peak = (float(transform(end)) for end in (self.low, self.high, self.kept))
        if not self.has_peak:
            quantiles = low + shares * (high - low)
        else:
            width = high - low
            rising = low + numpy.sqrt(shares * width * (peak - low))
            falling = high - numpy.sqrt((1 - shares) * width * (high - peak))
            quantiles = numpy.where(shares * width < peak - low, rising, falling)
        if self.log:
            quantiles = numpy.exp(quantiles)
        return numpy.clip(quantiles, self.low, self.high)


def spread_of(value: Value, quantity: Declaration) -> Spread:
    """The distribution of the values that Monte Carlo draws from a range.

    >>> from quantities.value import read_value
    >>> batch, price = Declaration("batch", "1"), Declaration("price", "USD")
    >>> spread_of(read_value("1..1000"), batch).shape, spread_of(read_value("300 +/- 20 USD"), price).shape
    ('log-uniform', 'uniform')
    >>> [spread_of(read_value(stated).between(read_value("1..10 USD")), price).shape for stated in ("2 USD", "5.5 USD")]
    ['triangular', 'triangular']
    """
    low, kept, high = value.within(quantity.unit).base
    has_peak = value.is_beside_range or not math.isclose(kept, low / 2 + high / 2, rel_tol=AGREEMENT)
    log = low > 0 and high / low >= DECADES
    if log and not has_peak:  # the middle of the logarithms is the middle of such a range
        kept = math.sqrt(low) * math.sqrt(high)
    return Spread(low, high, kept, has_peak, log)


# A sample as charts and text: the histogram of its values, and the tornado of its ranges


def charts(sample: Sample) -> tuple[Chart, ...]:
    """The charts of a sample: the histogram of its values, and the tornado of its ranges."""
    return holding_for((_histogram(sample), _tornado(sample)), [sample.function])


def _histogram(sample: Sample) -> Chart:
    """The distribution of a sampled target in bins of equal width or ratio; points with failed checks are hatched."""
    values = sample.numbers[numpy.isfinite(sample.numbers)]
    low, high = numpy.quantile(values, [_EDGE, 1 - _EDGE])
    log = Axis.of("", [float(low), float(high)]).log
    if low == high:
        edges = numpy.array([low, high])
    else:
        edges = numpy.geomspace(low, high, _BINS + 1) if log else numpy.linspace(low, high, _BINS + 1)
    corners = numpy.repeat(edges, 2)[1:-1].tolist()  # each inner edge twice, for the two bars that it parts

    def steps(numbers: Any, label: str = "", **how: Any) -> Series:
        counts = numpy.histogram(numbers, edges)[0] if low < high else numpy.array([len(numbers)])
        heights = numpy.repeat(counts / len(sample), 2).tolist()
        return Series.of([corners[0], *corners, corners[-1]], [0.0, *heights, 0.0], label, **how)

    failing = numpy.isfinite(sample.numbers) & ~sample.holds
    failing_checks = fails_in_words(list(sample.failed))
    hatched = (steps(sample.numbers[failing], failing_checks, style="hatched", color=7),) if failing.any() else ()
    ends = ((sample.low, "5 %"), (sample.median, "median"), (sample.high, "95 %"))
    marks = tuple(Mark(float(value.magnitude), word) for value, word in ends)
    return Chart(
        Axis(_label(sample.quantity), log),
        Axis("share of the points", low=0.0),
        (steps(values), *hatched),
        marks,
        title=f"{sample.quantity.name.replace('_', ' ')}: {len(sample)} points",
        height=2.8,
    )


def _tornado(sample: Sample) -> Chart:
    """The tornado of a sample: each range as a bar between the target's values at its ends, the widest on top."""
    drawn = [swing for swing in sample.tornado if swing.width > 0][:_BARS] or list(sample.tornado[:1])
    rows = range(len(drawn))
    held = tuple(swing.held for swing in drawn)
    ends = (
        Series.of([swing.at_low for swing in drawn], rows, "at the low end", style="bars", start=held, color=0),
        Series.of([swing.at_high for swing in drawn], rows, "at the high end", style="bars", start=held, color=1),
    )
    beyond = tuple(  # where the target turns between the ends
        Series.of([swing.least, swing.most], [row, row], color=6) for row, swing in enumerate(drawn) if swing.turns
    )
    reached = [*chain.from_iterable((swing.least, swing.most) for swing in drawn)]
    names = tuple(f"{swing.name.replace('_', ' ')} {_range(sample, swing.name)}" for swing in drawn)
    across, down = Axis.of(_label(sample.quantity), reached), Axis("", names=names)
    return Chart(across, down, (*ends, *beyond), title="each range alone", height=1.1 + 0.34 * len(names))


def _cautions(sample: Sample) -> Iterator[str]:
    """The cautions about a Monte Carlo sample: a sentence for each thing amiss with its points."""
    for name, where in sample.failed.items():
        yield f"{name} does not hold at {int(where.sum())} of {len(sample)} points"
    if sample.unused:
        yield f"{without_part(sample.unused)} at any point"
    yield from map(str, largest(sample.remarks))


def as_data(sample: Sample) -> dict[str, Any]:
    """The sample as plain data: quantiles in the target's unit, and how far each range alone moves it."""
    return {
        "target": sample.quantity.name,
        "unit": sample.quantity.unit.text,
        "points": len(sample),
        "seed": sample.seed,
        "quantiles": {f"{share:g}": sample.quantile(share).magnitude for share in _SHARES},
        "lost": sample.lost,
        "tornado": [attributes(swing, "name", "least", "most") for swing in sample.tornado],
        "failed": {name: float(where.mean()) for name, where in sample.failed.items()},
        "unused": list(sample.unused),
        "remarks": [remark.data for remark in sample.remarks],
    }


def _amiss(sample: Sample) -> list[str]:
    """What is amiss in a Monte Carlo sample: shares of failed checks, unused givens, what its middle assumes."""
    shares = [f"{name} fails at {percentage(float(column.mean()))}" for name, column in sample.failed.items()]
    lines = [f"all checks hold at {percentage(sample.sound)} of the points: {', '.join(shares)}"] if shares else []
    if sample.unused:
        lines.append(f"unused: {', '.join(sample.unused)}")
    return [*lines, *map(str, largest(sample.remarks))]


def _range(sample: Sample, name: str) -> str:
    """A sampled range as a user would write it: `16..64 sequence`."""
    spread, unit = sample.spreads[name], sample.quantities[name].unit
    return range_text(unit.from_base(spread.low), unit.from_base(spread.high), unit.text)


def _label(quantity: Declaration) -> str:
    return heading_with_unit(quantity.name.replace("_", " "), quantity.unit.text)
