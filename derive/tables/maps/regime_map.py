"""A question over one axis or two as a map: its regions, and the curves between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from derive.tables.axes import DECADES, Axis, Line
from derive.tables.maps.curves import Curve, Strip, curves, strips
from derive.tables.maps.decomposition import Column, Scale, columns_of, decomposed
from derive.tables.maps.labels import Labels, Standing
from derive.tables.sweep_question import Survey

__all__ = ["RegimeMap", "mapped"]

_ALONG_ONE = Scale((0.0, 1.0))  # the other axis of a map with one


@dataclass(frozen=True)
class RegimeMap:
    """The regions along one axis or two: strips of equal standing, and the curves between them."""

    survey: Survey
    along: Scale
    up: Scale
    columns: tuple[Column, ...]
    standings: tuple[Standing, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The axes; the last one is upright."""
        return self.survey.work.names

    @property
    def strips(self) -> list[Strip]:
        return list(strips(self.columns, self.up))

    @property
    def curves(self) -> list[Curve]:
        """The borders; with one axis each is a point."""
        if len(self.names) > 1:
            return curves(self.columns, self.standings, self.along, self.up)
        (column,) = self.columns
        pairs = zip(column.heights, pairwise(column.labels), strict=True)
        return [
            Curve(change, ((height,),))
            for height, (below, above) in pairs
            for change in self.standings[below].changes(self.standings[above])
        ]

    @property
    def shares(self) -> list[float]:
        """How much of the map each standing takes, as it is drawn."""
        found = [0.0] * len(self.standings)
        if len(self.names) == 1:
            (column,) = self.columns
            ends = [0.0, *map(self.up.share, column.heights), 1.0]
            for label, (low, high) in zip(column.labels, pairwise(ends), strict=True):
                found[label] += high - low
            return found
        for strip in self.strips:
            widths = [high - low for low, high in pairwise(map(self.along.share, strip.along))]
            tall = [self.up.share(high) - self.up.share(low) for low, high in zip(strip.low, strip.high, strict=True)]
            found[strip.label] += sum(w * (a + b) / 2 for w, (a, b) in zip(widths, pairwise(tall), strict=True))
        return found


def mapped(survey: Survey) -> RegimeMap:
    """The map of a survey with one axis or two."""
    labels = Labels(survey)
    scales = [_scale(line) for line in survey.lines]
    if len(scales) == 1:
        found: Sequence[Column] = columns_of(lambda _, y: labels.at(y), [0.0], scales[0])
    else:
        found = decomposed(labels.at, *scales)
    along = scales[0] if len(scales) > 1 else _ALONG_ONE
    return RegimeMap(survey, along, scales[-1], tuple(found), tuple(labels.standings))


def _scale(line: Line) -> Scale:
    import numpy

    numbers: Any = numpy.unique(line.part(0, len(line)))
    log = isinstance(line.source, Axis) and line.source.log
    return Scale(numbers, bool(numbers[0] > 0 and (log or numbers[-1] >= DECADES * numbers[0])))
