"""Where in the picture of a table something fails: stretches of its first axis, and points on its lines.

Of a picture with one line, the stretches in which a check fails are hatched, their ends found between the points. Of
several lines each fails elsewhere: there the points of each line at which it fails are crossed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from derive.presentation.charts import Hatch, Series

if TYPE_CHECKING:
    from derive.tables.table import Table

__all__ = ["crosses", "hatches"]

_HALVINGS = 8  # between two points, where a verdict changes
_RED = 7  # the place in the palette


def hatches(table: Table, target: str) -> tuple[Hatch, ...]:
    """The stretches in which checks of a target fail, along the only line of a table."""
    import numpy

    if table.survey is None:
        return ()
    first = next(iter(table.axes))
    along = numpy.asarray(table.axes[first])
    order = numpy.argsort(along, kind="stable")
    judgement = table.holding.judgements[target]
    found: dict[tuple[tuple[float, float], ...], list[str]] = {}
    for name in sorted(judgement.names):
        failing = judgement.failing(name).ravel()[order]
        found.setdefault(tuple(_stretches(table, target, name, along[order], failing)), []).append(name)
    return tuple(Hatch(stretches, _named(names)) for stretches, names in found.items())


def _stretches(table: Table, target: str, name: str, along: Any, failing: Any) -> Iterator[tuple[float, float]]:
    import numpy

    turns = numpy.flatnonzero(failing[1:] != failing[:-1])
    ends = [float(along[0]), *(_border(table, target, name, along[i], along[i + 1]) for i in turns), float(along[-1])]
    for i, (low, high) in enumerate(pairwise(ends)):
        if bool(failing[0]) == (i % 2 == 0):
            yield low, high


def _border(table: Table, target: str, name: str, low: float, high: float) -> float:
    """Where between two points on the first axis a check begins to fail, or ceases to."""
    assert table.survey is not None
    work = table.survey.work
    others = tuple(float(axis[0]) for axis in list(table.axes.values())[1:])

    def fails(x: float) -> bool:
        return name in work.told(target, (x, *others)).failed

    before = fails(float(low))
    for _ in range(_HALVINGS):
        middle = float((low + high) / 2)
        low, high = (middle, high) if fails(middle) == before else (low, middle)
    return float((low + high) / 2)


def crosses(table: Table, target: str, chosen: Sequence[int]) -> list[Series]:
    """The points of several lines at which a check fails, crossed."""
    import numpy

    if table.survey is None:
        return []
    along = numpy.asarray(next(iter(table.axes.values())))
    lines = numpy.reshape(table.columns[target], (len(along), -1))
    judgement = table.holding.judgements[target]
    found: dict[bytes, list[str]] = {}
    for name in sorted(judgement.names):
        failing = numpy.reshape(judgement.failing(name), lines.shape)
        found.setdefault(failing.tobytes(), []).append(name)
    made = []
    for held, names in found.items():
        failing = numpy.frombuffer(held, bool).reshape(lines.shape)
        x = [along[failing[:, i]] for i in chosen]
        y = [lines[failing[:, i], i] for i in chosen]
        if sum(map(len, x)):
            made.append(
                Series.of(numpy.concatenate(x), numpy.concatenate(y), _named(names), style="crosses", color=_RED)
            )
    return made


def _named(names: Sequence[str]) -> str:
    words = [name.replace("_", " ") for name in names]
    return f"{', '.join(words)} {'fails' if len(words) == 1 else 'fail'}"
