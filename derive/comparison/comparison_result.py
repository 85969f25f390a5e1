"""A comparison of two answers: the ratio of their values, and the factor of everything that differs.

It tells itself as a sentence, as text for the terminal, as plain data, and as a picture: a waterfall from the value of
one answer to that of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

from derive.errors import first_names
from derive.presentation.cautions import cautions, is_amiss
from derive.presentation.charts import Axis, Chart, Series
from derive.presentation.numbers import DIGITS, heading_with_unit, shown_number, with_unit
from derive.presentation.plain_data import answer_data, attributes
from derive.presentation.text import Document, Result, Section, columns
from derive.solving.execution.answer import Answer
from derive.time_limits import query
from derive.tolerances import TIGHT

NAMED = 3  # names in a row

Kind = Literal["number", "regime", "way", "together"]
"""A number that both answers state; an arm or case that binds; another way to a quantity; several of these as one."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One difference between two answers, and what it accounts for.

    `amount` is the factor of the ratio, or where the two are compared by their difference, the part of that in the
    target's unit. `low` and `high` bound it over the ranges of its own number, the others being held.
    """

    names: tuple[str, ...]
    kind: Kind
    amount: float
    before: str  # the number in the first answer, or the arm that binds there
    after: str
    origins: tuple[str, str] = ("", "")  # the profile of either number, "given" or "default"
    low: float | None = None
    high: float | None = None
    is_ranged: bool = False  # either number has a range
    is_within_ranges: bool = False  # the ranges of the two numbers overlap
    members: tuple[Factor, ...] = ()  # the numbers that are taken together, without amounts of their own

    @property
    def name(self) -> str:
        """The quantity of the factor, or the quantities that move together."""
        return ", ".join(self.names)

    @property
    def label(self) -> str:
        """The name that a comparison shows for the factor, with a word for a regime; of many names the first ones."""
        names = first_names(self.names, NAMED)
        return f"regime of {names}" if self.kind == "regime" else names


@dataclass(frozen=True)
class Comparison(Result):
    """Why the second of two answers differs from the first; the factors multiply up to the ratio."""

    a: Answer
    b: Answer
    ratio: float | None  # b over a; None where a ratio means nothing, and the difference is shared instead
    bounds: tuple[float, float] | None  # of the ratio, or of the difference in the target's unit, over all ranges
    factors: tuple[Factor, ...]  # the largest first
    idle: tuple[Factor, ...]  # what differs without a factor of its own
    method: str
    notes: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """The name of the quantity whose two values are compared."""
        return self.a.quantity.name

    @cached_property
    def change(self) -> float:
        """The difference of the comparison's two values, the second less the first, in the target's unit."""
        unit = self.a.quantity.unit
        assert self.a.base is not None
        assert self.b.base is not None
        return unit.from_base(self.b.base) - unit.from_base(self.a.base)

    @property
    def difference(self) -> Any:
        """The second compared value less the first, as a pint Quantity."""
        return self.b.value - self.a.value

    @property
    def low(self) -> float | None:
        """The least ratio of the answers over the givens' ranges, or the least difference; None without ranges."""
        return None if self.bounds is None else self.bounds[0]

    @property
    def high(self) -> float | None:
        """The greatest ratio, or difference, of the comparison's two answers over all ranges; None without ranges."""
        return None if self.bounds is None else self.bounds[1]

    @property
    def is_within_ranges(self) -> bool:
        """Whether the bounds of the comparison allow its two answers to be equal."""
        low, high = self.bounds or (math.nan, math.nan)
        return low < high and low <= (0.0 if self.ratio is None else 1.0) <= high

    def factor(self, name: str) -> float:
        """What one quantity accounts for in the comparison; neutral where it does not differ or has no effect."""
        return _whole(self, [factor for factor in self.factors if name in factor.names])

    @query()
    def _document(self, digits: int | None = None) -> Document:
        """The text of a comparison: the ratio, the factors as a table, what has no effect, and the checks that fail."""
        value_digits, factor_digits = digits or DIGITS, digits or _FACTOR
        amiss = [f"in A: {caution}" for caution in cautions(self.a)]
        amiss += [f"in B: {caution}" for caution in cautions(self.b)]
        ranges = ["the two may be equal: the difference is within the ranges"] if self.is_within_ranges else []
        factors: list[str] = []
        if self.factors:
            heading = ("part" if self.ratio is None else "factor", "of", "A", "B", "from", "")
            rows: list[tuple[str, ...]] = [heading]
            for factor in self.factors:
                rows += _rows(self, factor, factor_digits)
            factors = [*columns(rows, right={0}), f"together {_ratio(self, factor_digits)}; {self.method}"]
        idle = columns([(factor.label, factor.before, factor.after, _from(factor)) for factor in self.idle])
        # a regime may be decided by a number that has no factor itself
        has_regime = any(factor.kind != "number" for factor in self.factors)
        idle_title = "without a factor of its own" if has_regime else "without effect"
        return Document(
            headline=headline(self, value_digits, factor_digits),
            remarks=(sentence(self), *ranges, *self.notes, *amiss),
            sections=(Section("accounts for", factors), Section(idle_title, idle)),
            cautions=amiss,
            is_amiss=is_amiss(self.a, self.b),
            charts=lambda: charts(self),
            data=lambda: as_data(self, value_digits),
        )

    def plot(self) -> Any:
        """A figure of the comparison: the waterfall from the first value to the second."""
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    def __repr__(self) -> str:
        return f"<Comparison of {str(self).splitlines()[0]}>"


def _whole(comparison: Comparison, factors: Sequence[Factor]) -> float:
    """What several factors of a comparison account for together."""
    amounts = [factor.amount for factor in factors]
    return math.fsum(amounts) if comparison.ratio is None else math.prod(amounts)


def _shown(answer: Answer, digits: int) -> str:
    """The value of one of a comparison's two answers as text, with its unit."""
    return shown_number(answer.base or 0.0, answer.quantity.unit, digits)


_BARS = 12  # limit on factors that are drawn, the last bar being for the rest
_MARGIN = 0.08  # of the axis, beyond the least value; three times that beyond the greatest
_DECADE = 10.0  # ratio of the ends from which the axis is logarithmic
_LESS, _MORE, _VALUE = 2, 1, 0  # places in the palette


def charts(comparison: Comparison) -> tuple[Chart, ...]:
    """The picture of a comparison: a waterfall from one answer's value to that of the other, factor by factor.

    Of a large ratio, the axis is logarithmic.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> low, high = (circuits.solve("voltage", current="2 A", resistance=one) for one in ("3 ohm", "6 ohm"))
    >>> from derive.comparison.compare import compare
    >>> chart, = charts(compare(low, high))
    >>> chart.y.names
    ('A', 'resistance', 'B')
    """
    steps = _drawn(comparison)
    unit = comparison.a.quantity.unit
    first, last = (unit.from_base(answer.base or 0.0) for answer in (comparison.a, comparison.b))
    values = [first]
    for _, amount in steps:
        value = values[-1] + amount if comparison.ratio is None else values[-1] * amount
        values.append(value)
    values[-1] = last if steps else values[-1]
    is_log = comparison.ratio is not None and first > 0 and max(values) >= _DECADE * min(values)
    low, high = _ends(values, is_log)
    foot = low if is_log else 0.0
    rows = len(steps) + 2
    ends = Series.of(
        [first, last],
        [0, rows - 1],
        style="bars",
        start=(foot, foot),
        color=_VALUE,
        tags=(_shown(comparison.a, 4), _shown(comparison.b, 4)),
    )
    names = ("A", *(label for label, _ in steps), "B")
    across = Axis(heading_with_unit(comparison.target.replace("_", " "), unit.shown), is_log, low=low, high=high)
    title = f"{comparison.target.replace('_', ' ')}: from A to B"
    bars = [_bars(comparison, steps, values, is_rise=is_rise) for is_rise in (False, True)]
    series = (ends, *filter(None, bars))
    return (Chart(across, Axis("", names=names), series, title=title, height=1.1 + 0.34 * rows),)


def _ends(values: list[float], is_log: bool) -> tuple[float, float]:
    """The ends of the axis of a comparison's waterfall, with room for the first bar and the words beside the last."""
    if is_log:
        width = max(values) / min(values)
        return min(values) / width**_MARGIN, max(values) * width ** (3 * _MARGIN)
    low, high = min(0.0, *values), max(0.0, *values)
    room = _MARGIN * (high - low)
    return low - room if low < 0 else low, high + 3 * room


def _drawn(comparison: Comparison) -> list[tuple[str, float]]:
    """The factors of a comparison with their labels in the waterfall; of very many, the last ones as one."""
    own_bars = comparison.factors if len(comparison.factors) <= _BARS else comparison.factors[: _BARS - 1]
    others = comparison.factors[len(own_bars) :]
    drawn = []
    for factor in own_bars:
        label = factor.label
        if len(factor.names) >= 3:
            label = f"{factor.names[0]} and {len(factor.names) - 1} others"
        drawn.append((label.replace("_", " "), factor.amount))
    return [*drawn, (f"{len(others)} more", _whole(comparison, others))] if others else drawn


def _bars(comparison: Comparison, steps: list[tuple[str, float]], values: list[float], is_rise: bool) -> Series | None:
    """The factors of a comparison that make the target more, or those that make it less, as bars of its waterfall."""
    picked = [i for i in range(len(steps)) if (abs(values[i + 1]) >= abs(values[i])) == is_rise]
    if not picked:
        return None
    label, color = ("more", _MORE) if is_rise else ("less", _LESS)
    tag = "{:+.3g}" if comparison.ratio is None else "×{:.3g}"
    amounts = [amount for _, amount in steps]
    return Series.of(
        [values[i + 1] for i in picked],
        [i + 1 for i in picked],
        label,
        style="bars",
        start=tuple(values[i] for i in picked),
        color=color,
        tags=tuple(tag.format(amounts[i]) for i in picked),
    )


_FACTORS_NAMED = 6  # factors that the sentence names
_FACTOR = 4  # digits of a factor by default
_SHORT = 3  # the same in the sentence


def _ratio(comparison: Comparison, digits: int) -> str:
    """The ratio of a comparison in words, or the difference where a ratio means nothing."""
    amount = comparison.change if comparison.ratio is None else comparison.ratio
    return _amount(comparison, amount, digits)


def headline(comparison: Comparison, digits: int = DIGITS, factor: int = _FACTOR) -> str:
    """The compared values in one line, and their ratio with its bounds."""
    pair = f"{comparison.target}: A {_shown(comparison.a, digits)}, B {_shown(comparison.b, digits)}"
    name = "B - A" if comparison.ratio is None else "B/A"
    bounds = ""
    if comparison.bounds is not None and not math.isclose(*comparison.bounds, rel_tol=TIGHT):
        low, high = (_amount(comparison, end, factor) for end in comparison.bounds)
        bounds = f"  ({low} to {high})"
    return f"{pair}; {name} = {_ratio(comparison, factor)}{bounds}"


def _amount(comparison: Comparison, amount: float, digits: int) -> str:
    """The amount of a comparison's factor as text: a ratio, or a part of the difference in the target's unit."""
    if comparison.ratio is not None:
        return f"{amount:.{digits}g}"
    unit = comparison.a.quantity.unit
    name = f"delta_{unit.shown}" if unit.offset else unit.shown
    return with_unit(f"{amount:+.{digits}g}", name)


def sentence(comparison: Comparison) -> str:
    """The sentence of a comparison: the ratio, and the factors that make it up, the largest first."""
    if not comparison.factors:
        return f"{comparison.target} is the same in A and B"
    named, others = comparison.factors[:_FACTORS_NAMED], comparison.factors[_FACTORS_NAMED:]
    parts = [f"{factor.label} {_amount(comparison, factor.amount, _SHORT)}" for factor in named]
    if others:
        parts.append(f"{len(others)} more {_amount(comparison, _whole(comparison, others), _SHORT)}")
    if comparison.ratio is None:
        how = f"{_amount(comparison, comparison.change, _SHORT)} from A to B"
    else:
        times, word = (comparison.ratio, "more") if comparison.ratio >= 1 else (1 / comparison.ratio, "less")
        factor = f"{times:.{_SHORT}g}"
        by = f"{100 * (times - 1):.{_SHORT}g} %" if factor == "1" else f"{factor} times"
        how = "the same in A and B" if times == 1 else f"{by} {word} in B than in A"
    return f"{comparison.target} is {how}: {', '.join(parts)}"


def beside_each_other(comparisons: Mapping[str, Comparison], digits: int | None = None) -> list[tuple[str, ...]]:
    """Comparisons of one target side by side, a column for each: both values, their ratio, and the factors."""
    value_digits, factor_digits = digits or DIGITS, digits or _FACTOR
    columns = list(comparisons.values())
    labels = dict.fromkeys(factor.label for factor in chain.from_iterable(column.factors for column in columns))
    largest = sorted(labels, key=lambda label: -max(_weight(column, label) for column in columns))
    rows = [("", *comparisons)]
    rows.append(("A", *(_shown(column.a, value_digits) for column in columns)))
    rows.append(("B", *(_shown(column.b, value_digits) for column in columns)))
    kinds = ["B - A" if column.ratio is None else "B/A" for column in columns]
    ratios = [_ratio(column, factor_digits) for column in columns]
    for kind in dict.fromkeys(kinds):
        rows.append((kind, *(ratio if own == kind else "-" for own, ratio in zip(kinds, ratios, strict=True))))
    for label in largest:
        rows.append((f"  {label}", *(_factor_cell(column, label, factor_digits) for column in columns)))
    return rows


def _factor_cell(comparison: Comparison, label: str, digits: int) -> str:
    """The amount of one factor in a comparison that stands beside others; a dash if this one does not have it."""
    amounts = [factor.amount for factor in comparison.factors if factor.label == label]
    return ", ".join(_amount(comparison, amount, digits) for amount in amounts) or "-"


def _weight(comparison: Comparison, label: str) -> float:
    """How much a factor of a comparison moves the target, as a share of the whole where it is a part."""
    amounts = [factor.amount for factor in comparison.factors if factor.label == label]
    if comparison.ratio is None:
        weights = [abs(amount / comparison.change) if comparison.change else 0.0 for amount in amounts]
    else:
        weights = [abs(math.log(amount)) if amount > 0 else 0.0 for amount in amounts]
    return max(weights, default=0.0)


def _rows(comparison: Comparison, factor: Factor, digits: int) -> Iterator[tuple[str, ...]]:
    """The row of a factor in a comparison's table, and a row for each number in it that has none of its own."""
    label = f"{len(factor.members)} together:" if factor.members else factor.label
    amount, bounds = _amount(comparison, factor.amount, digits), _range(comparison, factor, digits)
    yield amount, label, factor.before, factor.after, _from(factor), bounds
    for member in factor.members:
        yield "", f"  {member.name}", member.before, member.after, _from(member), ""


def _from(factor: Factor) -> str:
    """The text of a comparison on where the numbers of a factor come from in each of its answers."""
    return " / ".join(filter(None, dict.fromkeys(factor.origins)))


def _range(comparison: Comparison, factor: Factor, digits: int) -> str:
    """The bounds of a comparison's factor, and whether its difference is within the ranges."""
    words = []
    if factor.low is not None and factor.high is not None:
        words.append(f"{_amount(comparison, factor.low, digits)} to {_amount(comparison, factor.high, digits)}")
    if factor.is_within_ranges:
        words.append("within the ranges")
    return "; ".join(words)


def as_data(comparison: Comparison, digits: int = DIGITS) -> dict[str, Any]:
    """The comparison as plain data: the schema of `derive compare --json`.

    `ratio` is B over A, or null where a ratio means nothing; `difference` is B less A in `unit`. `low` and `high` bound
    the ratio, or where there is none the difference, and are null without ranges. Each of `factors` has its `amount`,
    of which the product is the ratio, or the sum the difference; `idle` are the differences without a factor of
    their own. `a` and `b` are the answers as `derive solve --json` gives them.
    """
    return {
        "target": comparison.target,
        "unit": comparison.a.quantity.unit.text,
        "ratio": comparison.ratio,
        "difference": comparison.change,
        "low": comparison.low,
        "high": comparison.high,
        "within_ranges": comparison.is_within_ranges,
        "sentence": sentence(comparison),
        "method": comparison.method,
        "factors": [_factor_data(factor) for factor in comparison.factors],
        "idle": [_factor_data(factor) for factor in comparison.idle],
        "notes": list(comparison.notes),
        "a": answer_data(comparison.a, digits),
        "b": answer_data(comparison.b, digits),
    }


def _factor_data(factor: Factor) -> dict[str, Any]:
    """What a comparison tells as data of one factor: its amount, bounds, both answers' numbers, and its members."""
    return {
        **attributes(factor, "names", "kind", "amount", "low", "high"),
        "within_ranges": factor.is_within_ranges,
        "a": factor.before,
        "b": factor.after,
        "from": list(factor.origins),
        "members": [_factor_data(member) for member in factor.members],
    }
