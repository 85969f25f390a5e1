"""The probability distribution of a ranged given.

A range states only its ends, and `300 +/- 20` is a range here, so every value in it is equally likely. If a value
within the range is known, as in profiles whose sources disagree, it is the most likely one, and the density falls
linearly to zero at the ends: a triangle, the simplest shape with these three numbers. Where the ends are two decades
apart or more, both distributions are of the logarithm; otherwise nearly all points of `1..1000` would lie above 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration
from quantities.value import Value

__all__ = ["Spread", "spread_of"]

_DECADES = 100.0  # ratio of the ends from which logarithms are drawn, as for logarithmic axes


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
        return f"{'log-' if self.log else ''}{'triangular' if self.has_peak else 'uniform'}"

    def at(self, shares: Any) -> Any:
        """The quantiles at these shares: the inverse of the cumulative distribution.

        >>> Spread(0.0, 4.0, 3.0, True, False).at([0.0, 0.75, 1.0]).tolist()
        [0.0, 3.0, 4.0]
        """
        import numpy

        shares = numpy.asarray(shares, dtype=float)
        turn = numpy.log if self.log else numpy.asarray
        low, high, peak = (float(turn(end)) for end in (self.low, self.high, self.kept))
        if not self.has_peak:
            found = low + shares * (high - low)
        else:
            width = high - low
            rising = low + numpy.sqrt(shares * width * (peak - low))
            falling = high - numpy.sqrt((1 - shares) * width * (high - peak))
            found = numpy.where(shares * width < peak - low, rising, falling)
        return numpy.clip(numpy.exp(found) if self.log else found, self.low, self.high)


def spread_of(value: Value, quantity: Declaration) -> Spread:
    """The spread of a value that is a range.

    >>> from quantities.value import read_value
    >>> batch, price = Declaration("batch", "1"), Declaration("price", "USD")
    >>> spread_of(read_value("1..1000"), batch).shape, spread_of(read_value("300 +/- 20 USD"), price).shape
    ('log-uniform', 'uniform')
    >>> spread_of(read_value("2 USD").between(read_value("1..10 USD")), price).shape
    'triangular'
    """
    low, kept, high = value.within(quantity.unit).base
    has_peak = not math.isclose(kept, low / 2 + high / 2, rel_tol=AGREEMENT)
    log = low > 0 and high / low >= _DECADES
    return Spread(low, high, kept if has_peak or not log else math.sqrt(low) * math.sqrt(high), has_peak, log)
