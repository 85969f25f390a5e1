"""How far each range alone moves the target, with the others held fixed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derive.tables.sampling.sample_question import Venture

from derive.model.relation_set import RelationSet

__all__ = ["Swing", "swings"]

_BETWEEN = 64  # steps from the low end to the high one, to find turning points


@dataclass(frozen=True, slots=True)
class Swing:
    """The target at the low end of a range, at the high end, and its least and greatest value between."""

    name: str
    held: float  # with every given at its fixed value
    at_low: float
    at_high: float
    least: float
    most: float

    @property
    def turns(self) -> bool:
        """Whether the target goes beyond its values at the ends."""
        ends = (self.held, self.at_low, self.at_high)
        return self.least < min(ends) or self.most > max(ends)

    @property
    def width(self) -> float:
        """The largest change of the target; zero if it has no value anywhere along the range."""
        return self.most - self.least if math.isfinite(self.most - self.least) else 0.0


def swings(library: RelationSet, venture: Venture) -> tuple[Swing, ...]:
    """The swings, widest first."""
    import numpy

    held = {name: library.declared[name].unit.from_base(spread.kept) for name, spread in venture.spreads.items()}
    shares = numpy.linspace(0.0, 1.0, _BETWEEN + 1)
    middle = float(venture.function(**venture.fixed, **held))
    found = []
    for name, spread in venture.spreads.items():
        from_base = library.declared[name].unit.from_base
        along = numpy.array([from_base(x) for x in spread.low + shares * (spread.high - spread.low)])
        reached = numpy.broadcast_to(venture.function(**venture.fixed, **{**held, name: along}), along.shape)
        finite = reached[numpy.isfinite(reached)]
        least, most = (float(finite.min()), float(finite.max())) if finite.size else (math.nan, math.nan)
        found.append(Swing(name, middle, float(reached[0]), float(reached[-1]), least, most))
    return tuple(sorted(found, key=lambda swing: -swing.width))
