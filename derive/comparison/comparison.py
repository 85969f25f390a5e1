"""A comparison of two answers: the ratio of their values, and the factor of everything that differs.

It tells itself as a sentence, as text for the terminal, as plain data, and as a picture: a waterfall from the value of
one answer to that of the other.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from derive.presentation.charts import Axis, Chart, Series
from derive.presentation.failed_checks import cautions, is_amiss
from derive.presentation.numbers import DIGITS, attributes, labelled, shown_number, spelled, with_unit
from derive.presentation.text import Document, Result, Section, columns
from derive.presentation.text import as_data as answer_data
from derive.solving.execution.answer import Answer
from derive.time_limits import query
from derive.tolerances import TIGHT

_TOLD = 3  # names in a row

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
        """The quantity, or the quantities that move together."""
        return ", ".join(self.names)

    @property
    def label(self) -> str:
        """The name, with a word for a regime; of many names the first ones."""
        names = first_names(self.names)
        return f"regime of {names}" if self.kind == "regime" else names


def first_names(names: Sequence[str]) -> str:
    """Names in a row; of many, the first ones and the number of the others."""
    more = len(names) - _TOLD
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:_TOLD])} and {more} more"


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
        """The name of the quantity."""
        return self.a.quantity.name

    @cached_property
    def change(self) -> float:
        """The second value less the first, in the target's unit."""
        unit = self.a.quantity.unit
        assert self.a.base is not None
        assert self.b.base is not None
        return unit.from_base(self.b.base) - unit.from_base(self.a.base)

    @property
    def difference(self) -> Any:
        """The second value less the first, as a pint Quantity."""
        return self.b.value - self.a.value

    @property
    def low(self) -> float | None:
        """The least ratio over the ranges of the givens, or the least difference; None without ranges."""
        return None if self.bounds is None else self.bounds[0]

    @property
    def high(self) -> float | None:
        """The greatest ratio over the ranges of the givens, or the greatest difference; None without ranges."""
        return None if self.bounds is None else self.bounds[1]

    @property
    def is_within_ranges(self) -> bool:
        """Whether the two answers may be equal, for all that the ranges say."""
        low, high = self.bounds or (math.nan, math.nan)
        return low < high and low <= (0.0 if self.ratio is None else 1.0) <= high

    def factor(self, name: str) -> float:
        """What one quantity accounts for; neutral where it does not differ or has no effect."""
        return _whole(self, [one for one in self.factors if name in one.names])

    @query()
    def _document(self, digits: int | None = None) -> Document:
        return document(self, digits)

    def plot(self) -> Any:
        """A figure: the waterfall from the first value to the second."""
        from derive.presentation.plotting import figure

        return figure(*charts(self))

    def __repr__(self) -> str:
        return f"<Comparison of {str(self).splitlines()[0]}>"


def _whole(found: Comparison, factors: Sequence[Factor]) -> float:
    """What several factors account for together."""
    amounts = [one.amount for one in factors]
    return math.fsum(amounts) if found.ratio is None else math.prod(amounts)


_BARS = 12  # limit on factors that are drawn, the last bar being for the rest
_MARGIN = 0.08  # of the axis, beyond the least value; three times that beyond the greatest
_DECADE = 10.0  # ratio of the ends from which the axis is logarithmic
_LESS, _MORE, _VALUE = 2, 1, 0  # places in the palette


def charts(found: Comparison) -> tuple[Chart, ...]:
    """Each factor as a bar from the value before it to the value after it; of a large ratio, on a logarithmic axis.

    >>> from derive.relation_files.loading import load
    >>> circuits = load("circuits")
    >>> low, high = (circuits.solve("voltage", current="2 A", resistance=one) for one in ("3 ohm", "6 ohm"))
    >>> from derive.comparison.compare import compare
    >>> chart, = charts(compare(low, high))
    >>> chart.y.names
    ('A', 'resistance', 'B')
    """
    drawn = _drawn(found)
    unit = found.a.quantity.unit
    first, last = (unit.from_base(one.base or 0.0) for one in (found.a, found.b))
    values = [first]
    for _, amount in drawn:
        values.append(values[-1] * amount if found.ratio is not None else values[-1] + amount)
    values[-1] = last if drawn else values[-1]
    is_log = found.ratio is not None and first > 0 and max(values) >= _DECADE * min(values)
    low, high = _ends(values, is_log)
    rows = len(drawn) + 2
    ends = Series.of(
        [first, last],
        [0, rows - 1],
        style="bars",
        start=(low if is_log else 0.0,) * 2,
        color=_VALUE,
        tags=tuple(shown_number(one.base or 0.0, one.quantity.unit, 4) for one in (found.a, found.b)),
    )
    names = ("A", *(label for label, _ in drawn), "B")
    across = Axis(labelled(found.target.replace("_", " "), spelled(unit)), is_log, low=low, high=high)
    title = f"{found.target.replace('_', ' ')}: from A to B"
    steps = [_bars(found, drawn, values, is_rise) for is_rise in (False, True)]
    series = (ends, *(one for one in steps if one is not None))
    return (Chart(across, Axis("", names=names), series, title=title, height=1.1 + 0.34 * rows),)


def _ends(values: list[float], is_log: bool) -> tuple[float, float]:
    """The ends of the axis, with room for the first bar and for the words beside the last."""
    if is_log:
        width = max(values) / min(values)
        return min(values) / width**_MARGIN, max(values) * width ** (3 * _MARGIN)
    low, high = min(0.0, *values), max(0.0, *values)
    return low - _MARGIN * (high - low) * (low < 0), high + 3 * _MARGIN * (high - low)


def _drawn(found: Comparison) -> list[tuple[str, float]]:
    """The factors with their names; of very many, the last ones as one."""
    shown = found.factors if len(found.factors) <= _BARS else found.factors[: _BARS - 1]
    rest = found.factors[len(shown) :]
    names = [one.label if len(one.names) < 3 else f"{one.names[0]} and {len(one.names) - 1} others" for one in shown]
    drawn = [(name.replace("_", " "), one.amount) for name, one in zip(names, shown, strict=True)]
    return [*drawn, (f"{len(rest)} more", _whole(found, rest))] if rest else drawn


def _bars(found: Comparison, drawn: list[tuple[str, float]], values: list[float], is_rise: bool) -> Series | None:
    """The steps that make the target more, or those that make it less."""
    picked = [i for i in range(len(drawn)) if (abs(values[i + 1]) >= abs(values[i])) == is_rise]
    if not picked:
        return None
    sign = "×" if found.ratio is not None else ""
    tags = tuple(f"{sign}{drawn[i][1]:{'.3g' if sign else '+.3g'}}" for i in picked)
    return Series.of(
        [values[i + 1] for i in picked],
        [i + 1 for i in picked],
        "more" if is_rise else "less",
        style="bars",
        start=tuple(values[i] for i in picked),
        color=_MORE if is_rise else _LESS,
        tags=tags,
    )


_FACTORS_NAMED = 6  # factors that the sentence names
_FACTOR = 4  # digits of a factor by default
_SHORT = 3  # the same in the sentence


def _ratio(found: Comparison, digits: int) -> str:
    """The ratio, or the difference where a ratio means nothing."""
    return _amount(found, found.change if found.ratio is None else found.ratio, digits)


def headline(found: Comparison, digits: int = DIGITS, factor: int = _FACTOR) -> str:
    """Both values, and their ratio with its bounds."""
    values = [shown_number(one.base or 0.0, one.quantity.unit, digits) for one in (found.a, found.b)]
    pair = f"{found.target}: A {values[0]}, B {values[1]}"
    name = "B - A" if found.ratio is None else "B/A"
    bounds = ""
    if found.bounds is not None and not math.isclose(*found.bounds, rel_tol=TIGHT):
        low, high = (_amount(found, end, factor) for end in found.bounds)
        bounds = f"  ({low} to {high})"
    return f"{pair}; {name} = {_ratio(found, factor)}{bounds}"


def _amount(found: Comparison, amount: float, digits: int) -> str:
    """A factor, or a part of the difference in the target's unit."""
    if found.ratio is not None:
        return f"{amount:.{digits}g}"
    unit = found.a.quantity.unit
    return with_unit(f"{amount:+.{digits}g}", f"delta_{spelled(unit)}" if unit.offset else spelled(unit))


def sentence(found: Comparison) -> str:
    """The ratio, and the factors that make it up, the largest first."""
    if not found.factors:
        return f"{found.target} is the same in A and B"
    named, rest = found.factors[:_FACTORS_NAMED], found.factors[_FACTORS_NAMED:]
    told = [f"{one.label} {_amount(found, one.amount, _SHORT)}" for one in named]
    if rest:
        told.append(f"{len(rest)} more {_amount(found, _whole(found, rest), _SHORT)}")
    if found.ratio is None:
        how = f"{_amount(found, found.change, _SHORT)} from A to B"
    else:
        more = found.ratio if found.ratio >= 1 else 1 / found.ratio
        how = f"{more:.{_SHORT}g} times {'more' if found.ratio >= 1 else 'less'} in B than in A"
        how = "the same in A and B" if more == 1 else how
    return f"{found.target} is {how}: {', '.join(told)}"


def document(found: Comparison, digits: int | None = None) -> Document:
    """The ratio, the factors as a table, what has no effect, and the checks that fail."""
    usual, factor = digits or DIGITS, digits or _FACTOR
    amiss = [f"in A: {caution}" for caution in cautions(found.a)]
    amiss += [f"in B: {caution}" for caution in cautions(found.b)]
    ranges = ["the two may be equal: the difference is within the ranges"] if found.is_within_ranges else []
    factors: list[str] = []
    if found.factors:
        heading = ("part" if found.ratio is None else "factor", "of", "A", "B", "from", "")
        rows = [heading, *(row for one in found.factors for row in _rows(found, one, factor))]
        factors = [*columns(rows, right={0}), f"together {_ratio(found, factor)}; {found.method}"]
    idle = columns([(one.label, one.before, one.after, _from(one)) for one in found.idle])
    has_regime = any(one.kind != "number" for one in found.factors)  # which a number without a factor may decide
    aside = "without a factor of its own" if has_regime else "without effect"
    return Document(
        headline=headline(found, usual, factor),
        remarks=(sentence(found), *ranges, *found.notes, *amiss),
        sections=(Section("accounts for", factors), Section(aside, idle)),
        cautions=amiss,
        is_amiss=is_amiss(found.a, found.b),
        charts=lambda: charts(found),
        data=lambda: as_data(found, usual),
    )


def beside_each_other(found: Mapping[str, Comparison], digits: int | None = None) -> list[tuple[str, ...]]:
    """Comparisons of one target side by side, a column for each: both values, their ratio, and the factors."""
    usual, factor = digits or DIGITS, digits or _FACTOR
    names = dict.fromkeys(one.label for each in found.values() for one in each.factors)
    largest = sorted(names, key=lambda name: -max(_weight(each, name) for each in found.values()))
    rows = [("", *found)]
    for side in ("a", "b"):
        answers = (getattr(one, side) for one in found.values())
        rows.append((side.upper(), *(shown_number(one.base or 0.0, one.quantity.unit, usual) for one in answers)))
    told = ["B - A" if one.ratio is None else "B/A" for one in found.values()]
    for way in dict.fromkeys(told):
        each = zip(told, found.values(), strict=True)
        rows.append((way, *(_ratio(one, factor) if way == own else "-" for own, one in each)))
    for name in largest:
        rows.append((f"  {name}", *(_told(each, name, factor) for each in found.values())))
    return rows


def _told(found: Comparison, label: str, digits: int) -> str:
    """What a factor accounts for; a dash if there is none."""
    return ", ".join(_amount(found, one.amount, digits) for one in found.factors if one.label == label) or "-"


def _weight(found: Comparison, label: str) -> float:
    """How much a factor moves the target, as a share of the whole where it is a part."""
    amounts = [one.amount for one in found.factors if one.label == label]
    if found.ratio is None:
        weights = [abs(one / found.change) if found.change else 0.0 for one in amounts]
    else:
        weights = [abs(math.log(one)) if one > 0 else 0.0 for one in amounts]
    return max(weights, default=0.0)


def _rows(found: Comparison, one: Factor, digits: int) -> Iterator[tuple[str, ...]]:
    """The row of a factor, and a row for each number in it that has none of its own."""
    label = f"{len(one.members)} together:" if one.members else one.label
    yield _amount(found, one.amount, digits), label, one.before, one.after, _from(one), _range(found, one, digits)
    for member in one.members:
        yield "", f"  {member.name}", member.before, member.after, _from(member), ""


def _from(one: Factor) -> str:
    """Where the two numbers come from."""
    return " / ".join(filter(None, dict.fromkeys(one.origins)))


def _range(found: Comparison, one: Factor, digits: int) -> str:
    """The bounds of a factor, and whether its difference is within the ranges."""
    told = []
    if one.low is not None and one.high is not None:
        told.append(f"{_amount(found, one.low, digits)} to {_amount(found, one.high, digits)}")
    if one.is_within_ranges:
        told.append("within the ranges")
    return "; ".join(told)


def as_data(found: Comparison, digits: int = DIGITS) -> dict[str, Any]:
    """The comparison as plain data: the schema of `derive compare --json`.

    `ratio` is B over A, or null where a ratio means nothing; `difference` is B less A in `unit`. `low` and `high` bound
    the ratio, or where there is none the difference, and are null without ranges. Each of `factors` has its `amount`,
    of which the product is the ratio, or the sum the difference; `idle` are the differences without a factor of
    their own. `a` and `b` are the answers as `derive solve --json` gives them.
    """
    return {
        "target": found.target,
        "unit": found.a.quantity.unit.text,
        "ratio": found.ratio,
        "difference": found.change,
        "low": found.low,
        "high": found.high,
        "within_ranges": found.is_within_ranges,
        "sentence": sentence(found),
        "method": found.method,
        "factors": [_factor_data(one) for one in found.factors],
        "idle": [_factor_data(one) for one in found.idle],
        "notes": list(found.notes),
        "a": answer_data(found.a, digits),
        "b": answer_data(found.b, digits),
    }


def _factor_data(one: Factor) -> dict[str, Any]:
    return {
        **attributes(one, "names", "kind", "amount", "low", "high"),
        "within_ranges": one.is_within_ranges,
        "a": one.before,
        "b": one.after,
        "from": list(one.origins),
        "members": [_factor_data(member) for member in one.members],
    }
