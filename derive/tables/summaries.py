"""What remains of a column of any length: its ends and where they lie, its mean, its quantiles.

The quantiles come from a histogram over the leading bits of the numbers. The bits of a double, read as an integer, grow
with its magnitude, and the first of them are its exponent: counting by the leading 21 bits sorts numbers of any size
into classes that are 0.2 % wide, in a few megabytes, and a quantile is told within 0.1 %.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from derive.errors import ExpressionError

if TYPE_CHECKING:
    from derive.tables.point_checks import Judgement

__all__ = ["Summary", "Tally"]

_DROPPED = 43  # bits of a double that the histogram does not look at
_CLASSES = 1 << (64 - _DROPPED)


@dataclass(frozen=True)
class Summary:
    """What a column comes to, in its declared unit. Points without a value are counted, and else left out."""

    unit: str
    points: int
    missing: int
    low: float
    high: float
    low_at: Mapping[str, float]
    high_at: Mapping[str, float]
    mean: float
    quantiles: Mapping[float, float]
    failed: Mapping[str, int] = field(default_factory=dict)  # at how many points each check fails that fails at any
    holds: int = 0  # points that have a value, of which every check holds

    def __str__(self) -> str:
        unit = f" {self.unit}" if self.unit not in ("", "1") else ""
        shares = ", ".join(f"{share:.0%} below {number:.4g}" for share, number in self.quantiles.items())
        amiss = "".join(f"; {name} fails at {count} of {self.points} points" for name, count in self.failed.items())
        return f"{self.low:.6g}..{self.high:.6g}{unit}, {self.mean:.6g} on average ({shares}){amiss}"


class Tally:
    """The summary of a column while it goes by, piece by piece.

    >>> import numpy
    >>> tally = Tally()
    >>> for piece in ([3.0, 1.0], [2.0, numpy.nan]):
    ...     tally.add(numpy.array(piece))
    >>> tally.points, tally.missing, tally.low, tally.low_place, tally.high, tally.mean
    (4, 1, 1.0, 1, 3.0, 2.0)
    >>> round(tally.quantile(0.5), 2)
    2.0
    """

    def __init__(self) -> None:
        import numpy

        self.points = self.missing = self.low_place = self.high_place = 0
        self.low, self.high = math.nan, math.nan
        self._sums: list[float] = []
        self._counts = numpy.zeros(_CLASSES, dtype=numpy.int64)
        self._failed: dict[str, int] = {}
        self._holds = 0

    def test(self, judgement: Judgement, has_value: Any) -> None:
        """Take the verdicts on the next numbers into account."""
        import numpy

        counts = numpy.bincount(judgement.places.ravel(), minlength=len(judgement.verdicts)).tolist()
        for verdict, count in zip(judgement.verdicts, counts, strict=True):
            for name in verdict.failed:
                self._failed[name] = self._failed.get(name, 0) + count
        sound = numpy.array([not verdict.failed for verdict in judgement.verdicts])[judgement.places]
        self._holds += int(numpy.count_nonzero(sound & has_value))

    def add(self, column: Any) -> None:
        """Take the next numbers of the column into account."""
        import numpy

        column = numpy.ravel(column)
        before, self.points = self.points, self.points + len(column)
        low = column.min()
        if low == low:
            held = column
            low_place, high_place = int(column.argmin()), int(column.argmax())
        else:
            missing = numpy.isnan(column)
            held = column[~missing]
            self.missing += len(column) - len(held)
            if len(held) == 0:
                return
            low_place, high_place = int(numpy.nanargmin(column)), int(numpy.nanargmax(column))
        if not column[low_place] >= self.low:
            self.low, self.low_place = float(column[low_place]), before + low_place
        if not column[high_place] <= self.high:
            self.high, self.high_place = float(column[high_place]), before + high_place
        self._sums = [math.fsum([*self._sums, float(held.sum())])]
        self._count(held)

    def _count(self, held: Any) -> None:
        import numpy

        classes = (numpy.ascontiguousarray(held).view(numpy.uint64) >> numpy.uint64(_DROPPED)).astype(numpy.int64)
        first = int(classes.min())
        counts = numpy.bincount(classes - first)
        self._counts[first : first + len(counts)] += counts

    @property
    def mean(self) -> float:
        held = self.points - self.missing
        return self._sums[0] / held if held else math.nan

    def quantile(self, share: float) -> float:
        """The number below which a share of the others lies, within 0.1 %."""
        import numpy

        held = self.points - self.missing
        if held == 0:
            return math.nan
        half = _CLASSES // 2  # negative numbers come in the upper half, the largest magnitude last
        order = numpy.concatenate([numpy.arange(_CLASSES - 1, half - 1, -1), numpy.arange(half)])
        reached = numpy.cumsum(self._counts[order])
        place = order[int(numpy.searchsorted(reached, min(math.floor(share * held) + 1, held)))]
        ends = (numpy.array([place, place + 1], dtype=numpy.uint64) << numpy.uint64(_DROPPED)).view(numpy.float64)
        middle = float(ends[0] / 2 + ends[1] / 2) if math.isfinite(ends[1]) else float(ends[0])
        return min(max(middle, self.low), self.high)

    def summary(self, unit: str, places: Sequence[Mapping[str, float]], shares: Sequence[float]) -> Summary:
        """What the column came to; `places` are the axes where it is lowest and highest."""
        for share in shares:
            if not 0 <= share <= 1:
                raise ExpressionError(f"{share!r} is no share.", hint="Give quantiles between 0 and 1.")
        quantiles = {share: self.quantile(share) for share in shares}
        low_at, high_at = map(dict, places)
        held = (self.low, self.high, low_at, high_at, self.mean, quantiles)
        return Summary(unit, self.points, self.missing, *held, dict(sorted(self._failed.items())), self._holds)
