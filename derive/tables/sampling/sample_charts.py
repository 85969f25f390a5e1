"""A sample as charts and text: the histogram of its values, and the tornado of its ranges."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from derive.presentation.charts import Axis, Chart, Mark, Series
from derive.presentation.failed_checks import fails_in_words, is_amiss, without_part
from derive.presentation.numbers import DIGITS, labelled, ranged, with_unit
from derive.presentation.placed_remarks import largest
from derive.presentation.text import Document, Section, columns
from derive.tables.table_charts import holding_for

if TYPE_CHECKING:
    from derive.tables.sampling.monte_carlo import Sample
    from quantities.declaration import Declaration

__all__ = ["charts", "document"]

_BINS = 48
_BARS = 12  # limit on ranges that are drawn and listed
_SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)  # of the points, below the quantiles that are data
_EDGE = 0.001  # share of the values on either side that the histogram leaves out if they would stretch it


def charts(sample: Sample) -> tuple[Chart, ...]:
    """The histogram and the tornado."""
    return holding_for((_histogram(sample), _tornado(sample)), [sample.work])


def _histogram(sample: Sample) -> Chart:
    import numpy

    values = sample.numbers[numpy.isfinite(sample.numbers)]
    low, high = numpy.quantile(values, [_EDGE, 1 - _EDGE])
    log = Axis.of("", [float(low), float(high)]).log
    if low == high:
        edges = numpy.array([low, high])
    else:
        edges = numpy.geomspace(low, high, _BINS + 1) if log else numpy.linspace(low, high, _BINS + 1)
    corners = [edges[0], *(edge for edge in edges[1:-1] for _ in (0, 1)), edges[-1]]

    def steps(numbers: Any, label: str = "", **how: Any) -> Series:
        counts = numpy.histogram(numbers, edges)[0] if low < high else numpy.array([len(numbers)])
        heights = [height for height in counts / len(sample) for _ in (0, 1)]
        return Series.of([corners[0], *corners, corners[-1]], [0.0, *heights, 0.0], label, **how)

    failing = numpy.isfinite(sample.numbers) & ~sample.holds
    told = fails_in_words(list(sample.failed))
    hatched = (steps(sample.numbers[failing], told, style="hatched", color=7),) if failing.any() else ()
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
    """Each range as a bar between the target's values at its ends, the widest on top."""
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
    reached = [end for swing in drawn for end in (swing.least, swing.most)]
    names = tuple(f"{swing.name.replace('_', ' ')} {_range(sample, swing.name)}" for swing in drawn)
    across, down = Axis.of(_label(sample.quantity), reached), Axis("", names=names)
    return Chart(across, down, (*ends, *beyond), title="each range alone", height=1.1 + 0.34 * len(names))


def document(sample: Sample, digits: int = DIGITS) -> Document:
    """The distribution of the values, and the effect of each range alone."""
    unit = sample.quantity.unit.text
    low, median, high = (f"{value.magnitude:.{digits}g}" for value in (sample.low, sample.median, sample.high))
    middle, to = with_unit(median, unit), with_unit(high, unit)
    lost = f"; {100 * sample.lost:.3g} % of them have no single value" if sample.lost else ""
    rows = [
        (one.name, _range(sample, one.name), sample.spreads[one.name].shape, ranged(one.least, one.most, unit, digits))
        for one in sample.tornado[:_BARS]
    ]
    alone = columns(rows)
    if len(sample.tornado) > _BARS:
        alone.append(f"and {len(sample.tornado) - _BARS} more, which move it less")
    told = [f"{len(sample)} points, seed {sample.seed}{lost}", *_amiss(sample)]
    return Document(
        headline="\n".join(
            [f"{sample.quantity.name} = {middle} in the middle, 90 % of the values from {low} to {to}", *told]
        ),
        sections=(Section("each range alone", alone),),
        cautions=tuple(_cautions(sample)),
        is_amiss=is_amiss(sample),
        charts=lambda: charts(sample),
        data=lambda: as_data(sample),
    )


def _cautions(sample: Sample) -> Iterator[str]:
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
        "tornado": [{"name": one.name, "least": one.least, "most": one.most} for one in sample.tornado],
        "failed": {name: float(where.mean()) for name, where in sample.failed.items()},
        "unused": list(sample.unused),
        "remarks": [remark.data for remark in sample.remarks],
    }


def _amiss(sample: Sample) -> list[str]:
    """The failed checks with their share of the points, the unused givens, and what the middle assumes."""
    shares = [f"{name} fails at {100 * float(column.mean()):.3g} %" for name, column in sample.failed.items()]
    told = [f"all checks hold at {100 * sample.sound:.3g} % of the points: {', '.join(shares)}"] if shares else []
    if sample.unused:
        told.append(f"unused: {', '.join(sample.unused)}")
    return [*told, *map(str, largest(sample.remarks))]


def _range(sample: Sample, name: str) -> str:
    """A range as a user would write it: `16..64 sequence`."""
    spread, unit = sample.spreads[name], sample.quantities[name].unit
    return ranged(unit.from_base(spread.low), unit.from_base(spread.high), unit.text)


def _label(quantity: Declaration) -> str:
    return labelled(quantity.name.replace("_", " "), quantity.unit.text)
