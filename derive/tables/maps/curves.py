"""The borders of a map as curves: where the columns' labels change, one curve for each thing that changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from derive.tables.maps.decomposition import Column, Scale
from derive.tables.maps.labels import Change, Standing

__all__ = ["Curve", "Strip", "curves", "strips"]

Point = tuple[float, ...]
"""Its number on each axis."""

_JOINED = 0.6  # of a step of the grid, between the ends of two pieces of one curve
_APART = 1e-3  # of a step: a shorter vertical piece is the rounding of a slanted one


@dataclass(frozen=True)
class Curve:
    """A stretch of a border, from one end to the other."""

    change: Change
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Strip:
    """A part of a region: between two curves, over a stretch of the first axis."""

    label: int
    along: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def _stretches(columns: Sequence[Column]) -> list[list[Column]]:
    """Successive columns with the same labels in the same order."""
    return [list(group) for _, group in groupby(columns, key=lambda one: one.labels)]


def strips(columns: Sequence[Column], up: Scale) -> Iterator[Strip]:
    """The regions, each as strips that end where the order of labels changes.

    >>> import numpy
    >>> from derive.tables.maps.decomposition import decomposed
    >>> grid = Scale(numpy.linspace(0.0, 4.0, 5))
    >>> whole = decomposed(lambda x, y: (y > 3).astype(int), grid, grid)
    >>> [(one.label, round(one.low[0], 9), round(one.high[0], 9)) for one in strips(whole, grid)]
    [(0, 0.0, 3.0), (1, 3.0, 4.0)]
    """
    bottom, top = float(up.numbers[0]), float(up.numbers[-1])
    for stretch in _stretches(columns):
        along = tuple(one.at for one in stretch)
        lines = [(bottom,) * len(stretch), *zip(*(one.heights for one in stretch), strict=True), (top,) * len(stretch)]
        for label, (low, high) in zip(stretch[0].labels, pairwise(lines), strict=True):
            yield Strip(label, along, low, high)


def curves(columns: Sequence[Column], standings: Sequence[Standing], along: Scale, up: Scale) -> list[Curve]:
    """The borders, each in as few pieces as it has."""
    pieces: dict[Change, list[list[Point]]] = {}
    for below, above, points in _pieces(columns, up):
        for change in standings[below].changes(standings[above]):
            pieces.setdefault(change, []).append(points)
    return [Curve(change, tuple(points)) for change in sorted(pieces) for points in _joined(pieces[change], along, up)]


def _pieces(columns: Sequence[Column], up: Scale) -> Iterator[tuple[int, int, list[Point]]]:
    """The curves inside each stretch of columns, and the upright ones between two stretches."""
    stretches = _stretches(columns)
    for stretch in stretches:
        for i, (below, above) in enumerate(pairwise(stretch[0].labels)):
            yield below, above, [(one.at, one.heights[i]) for one in stretch]
    for before, after in pairwise(stretches):
        yield from _upright(before[-1], after[0], up)


def _upright(left: Column, right: Column, up: Scale) -> Iterator[tuple[int, int, list[Point]]]:
    """Where labels differ between neighbouring columns."""
    ends = sorted({float(up.numbers[0]), float(up.numbers[-1]), *left.heights, *right.heights})
    at = left.at / 2 + right.at / 2
    smallest = _APART / (len(up.numbers) - 1)
    for low, high in pairwise(ends):
        here, there = _label_over(left, low), _label_over(right, low)
        if here != there and up.share(high) - up.share(low) > smallest:
            yield here, there, [(at, low), (at, high)]


def _label_over(column: Column, height: float) -> int:
    return column.labels[sum(1 for one in column.heights if one <= height)]


def _joined(pieces: Iterable[list[Point]], along: Scale, up: Scale) -> list[list[Point]]:
    """Pieces whose ends meet, put together."""
    reach = _JOINED / (max(len(along.numbers), len(up.numbers)) - 1)

    def apart(one: Point, other: Point) -> float:
        return math.hypot(along.share(one[0]) - along.share(other[0]), up.share(one[1]) - up.share(other[1]))

    left = sorted(pieces, key=lambda one: one[0])
    found: list[list[Point]] = []
    while left:
        whole = left.pop(0)
        while left:
            gap, i, joint = min(
                (apart(a, b), i, way)
                for i, other in enumerate(left)
                for way, a, b in (
                    ("on", whole[-1], other[0]),
                    ("on back", whole[-1], other[-1]),
                    ("before", whole[0], other[-1]),
                    ("before back", whole[0], other[0]),
                )
            )
            if gap > reach:
                break
            other = left.pop(i)
            other = other[::-1] if joint.endswith("back") else other
            whole = whole + other if joint.startswith("on") else other + whole
        found.append(whole)
    return found
