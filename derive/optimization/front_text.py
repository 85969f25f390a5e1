"""A front as text, as plain data, and as a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from derive.optimization.front import Front
from derive.presentation.charts import Axis, Chart, Series, holding
from derive.presentation.failed_checks import without_part
from derive.presentation.numbers import DIGITS, labelled, shown_number, spelled
from derive.presentation.placed_remarks import largest
from derive.presentation.text import columns

__all__ = ["as_data", "as_text", "cautions", "charts"]

_DECADE = 10.0


def as_text(front: Front, digits: int = DIGITS) -> str:
    """The front as a table, and what is proved of it."""
    names = [quantity.name for quantity in front.targets]
    rows = [(*names, *front.quantities, "profiles")]
    for point in front.points:
        values = [shown_number(answer.base or 0.0, answer.quantity.unit, digits) for answer in point.answers]
        chosen = [shown_number(x, front.quantities[name].unit, digits) for name, x in point.chosen.items()]
        rows.append((*values, *chosen, ", ".join(point.profiles) or "-"))
    told = " and ".join(f"{sense} {name}" for sense, name in zip(front.senses, names, strict=True))
    proof = "each point is proved" if front.proved else "not every point is proved"
    head = f"front of {told}: {len(front)} points, {proof}"
    return "\n".join([head, *(f"  {text}" for text in cautions(front, digits)), "", *columns(rows)])


def cautions(front: Front, digits: int = DIGITS) -> Iterator[str]:
    """What stands below the headline: failed checks, givens without effect, and what the middle assumes."""
    for name, count in front.failed.items():
        yield f"{name} does not hold at {count} of {len(front)} points"
    if front.unused:
        yield f"{without_part(front.unused)} at any point"
    middle = {answer.quantity.name: answer for answer in front.points[len(front) // 2].answers}
    for one in largest(front.remarks):
        answer = middle[one.target]
        shown = shown_number(answer.base or 0.0, answer.quantity.unit, digits)
        yield f"where {one.target} is {shown}: {one.remark.text}"


def charts(front: Front) -> tuple[Chart, ...]:
    """One target against the other; the profiles that differ along the front are told apart."""
    first, second = front.targets
    numbers = [
        [answer.quantity.unit.from_base(answer.base or 0.0) for answer in point.answers] for point in front.points
    ]
    everywhere = set.intersection(*(set(point.profiles) for point in front.points))
    own = [", ".join(name for name in point.profiles if name not in everywhere) for point in front.points]
    series = [Series.of([y for _, y in numbers], [x for x, _ in numbers], style="dotted", color=7)]
    for label in dict.fromkeys(own):
        mine = [pair for pair, name in zip(numbers, own, strict=True) if name == label]
        series.append(Series.of([y for _, y in mine], [x for x, _ in mine], label, style="points"))
    up, along = (labelled(one.name.replace("_", " "), spelled(one.unit)) for one in (first, second))
    drawn = Chart(
        Axis(along, _is_wide([y for _, y in numbers])),
        Axis(up, _is_wide([x for x, _ in numbers])),
        tuple(series),
        title=f"{front.senses[0]} {first.name} and {front.senses[1]} {second.name}".replace("_", " "),
    )
    shared = [name for name in front.points[0].profiles if name in everywhere]
    return holding([drawn], shared, front.given, front.such_that)


def _is_wide(numbers: Sequence[float]) -> bool:
    """Whether an axis is logarithmic: already from one decade on, since a front is steep at its ends."""
    return min(numbers) > 0 and max(numbers) >= _DECADE * min(numbers)


def as_data(front: Front) -> dict[str, Any]:
    """The front as plain data: the schema of `derive front --json`."""
    return {
        "targets": [
            {"name": one.name, "sense": sense, "unit": one.unit.text}
            for one, sense in zip(front.targets, front.senses, strict=True)
        ],
        "proved": front.proved,
        "points": [
            {
                "values": [answer.quantity.unit.from_base(answer.base or 0.0) for answer in point.answers],
                "at": {
                    name: {"value": front.quantities[name].unit.from_base(x), "unit": front.quantities[name].unit.text}
                    for name, x in point.chosen.items()
                },
                "profiles": list(point.profiles),
                "proved": point.proved,
                "failed": sorted({check.name for answer in point.answers for check in answer.failed}),
            }
            for point in front.points
        ],
        "unused": list(front.unused),
        "remarks": [remark.data for remark in front.remarks],
    }
