"""The remarks on one answer of many: of a table, a sample or a front, with the point at which they were found.

What an answer assumes is found by asking again, which takes too long at every point: it is told of one in the middle.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from derive.presentation.failed_checks import MOST_REMARKS
from derive.presentation.numbers import with_unit

if TYPE_CHECKING:
    from derive.solving.execution.answer import Remark
    from quantities.declaration import Declaration


@dataclass(frozen=True)
class PlacedRemark:
    """A remark on the answer for a target at a point."""

    target: str
    point: Mapping[str, tuple[float, str]]  # each number with its unit
    remark: Remark

    def __str__(self) -> str:
        places = (f"{name} = {with_unit(f'{number:.6g}', unit)}" for name, (number, unit) in self.point.items())
        where = f" at {', '.join(places)}" if self.point else ""
        return f"{self.target}{where}: {self.remark.text}"

    @property
    def data(self) -> dict[str, Any]:
        """The remark for programs: as one of `derive solve --json`, with its target and its point."""
        at = {name: {"value": number, "unit": unit} for name, (number, unit) in self.point.items()}
        return {"target": self.target, "at": at, **remark_data(self.remark)}


def remark_data(remark: Remark) -> dict[str, Any]:
    """A remark for programs."""
    return {
        "kind": remark.kind,
        "name": remark.name,
        "value": remark.value,
        "factor": remark.factor,
        "sentence": remark.text,
    }


def point_data(chosen: Mapping[str, float], declared: Mapping[str, Declaration]) -> dict[str, tuple[float, str]]:
    """Numbers in base units as numbers in the declared ones, each with its unit."""
    return {name: (declared[name].unit.from_base(number), declared[name].unit.text) for name, number in chosen.items()}


def largest(remarks: Iterable[PlacedRemark]) -> Iterator[PlacedRemark]:
    """The remarks that stand beside the numbers: for each target as many as stand under the headline of an answer."""
    told: dict[str, int] = {}
    for one in remarks:
        told[one.target] = told.get(one.target, 0) + 1
        if told[one.target] <= MOST_REMARKS:
            yield one
