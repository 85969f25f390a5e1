"""The remarks on one answer of many: of a table, a sample or a front, with the point at which they were found.

What an answer assumes is found by asking again, which takes too long at every point: it is shown for one in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.presentation.failed_checks import MOST_REMARKS
from derive.presentation.numbers import with_unit
from derive.presentation.plain_data import remark_data

if TYPE_CHECKING:
    from derive.solving.execution.answer import Remark


@dataclass(frozen=True)
class PlacedRemark:
    """A remark on the answer for a target at a point."""

    target: str
    point: Mapping[str, Mapping[str, Any]]  # for programs: each number with its unit
    remark: Remark

    def __str__(self) -> str:
        if not self.point:
            return f"{self.target}: {self.remark.text}"
        numbers = {name: with_unit(format(data["value"], ".6g"), data["unit"]) for name, data in self.point.items()}
        place = ", ".join(f"{name} = {number}" for name, number in numbers.items())
        return f"{self.target} at {place}: {self.remark.text}"

    @property
    def data(self) -> dict[str, Any]:
        """The placed remark for programs: as one of `derive solve --json`, with its target and its point."""
        return {"target": self.target, "at": self.point, **remark_data(self.remark)}


def largest(remarks: Iterable[PlacedRemark]) -> Iterator[PlacedRemark]:
    """The remarks that stand beside many answers: of each target as many as under the headline of a single answer."""
    counts: dict[str, int] = {}
    for remark in remarks:
        counts[remark.target] = counts.get(remark.target, 0) + 1
        if counts[remark.target] <= MOST_REMARKS:
            yield remark
