"""What has to be said beside a table, in sentences: the checks that fail, points without an answer, idle givens."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from derive.tables.table import Table

__all__ = ["Cautions"]


class Cautions:
    """What tables that go by, piece by piece, leave to be said.

    >>> from derive.relation_files.loading import load
    >>> shelf = load('''[quantities]
    ... book = { unit = "kg" }
    ... books = { unit = "kg" }
    ... bears = { unit = "kg", value = "12 kg" }
    ... [relations]
    ... books = { equation = "books = 3*book" }
    ... shelf = { equation = "books <= bears" }''')
    >>> told = Cautions()
    >>> told.add(shelf.sweep("books", book=["1 kg", "5 kg", "6 kg"]))
    >>> [*told]
    ['shelf does not hold: books is 15 kg, more than bears, which is 12 kg; so at 2 of 3 points, first at book = 5 kg']
    """

    def __init__(self) -> None:
        self.points = self.missing = 0
        self.is_answered = False  # whether any target has a value anywhere
        self.failing: dict[str, int] = {}
        self._first: dict[str, tuple[str, str]] = {}
        self._silent: set[str] | None = None  # what played no part so far
        self._typed: tuple[str, ...] = ()

    def add(self, table: Table) -> None:
        """Take the points of a table into account."""
        import numpy

        self.points += len(table)
        self.missing += len(table) - int(numpy.count_nonzero(table.holding.has_value))
        self.is_answered |= any(bool(numpy.isfinite(column).any()) for column in table.columns.values())
        for name, column in table.failed.items():
            self.failing[name] = self.failing.get(name, 0) + int(numpy.count_nonzero(column))
            if name not in self._first:
                self._first[name] = _example(table, name, int(numpy.argmax(column)))
        silent = table.holding.silent
        self._typed = table.holding.typed
        if silent is not None:
            self._silent = {*silent} if self._silent is None else self._silent & {*silent}

    @property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that play no part in any answer so far."""
        return tuple(name for name in self._typed if name in (self._silent or ()))

    def __iter__(self) -> Iterator[str]:
        for name, count in self.failing.items():
            said, where = self._first[name]
            yield f"{said}; so at {count} of {self.points} points, first at {where}"
        if self.missing and self.is_answered:
            yield f"there is no answer at {self.missing} of {self.points} points"
        if self.unused:
            *names, last = self.unused
            yield f"{', '.join(names)} and {last} play no part" if names else f"{last} plays no part"


def _example(table: Table, name: str, place: int) -> tuple[str, str]:
    """What is said of a check where it fails first, and where that is."""
    import numpy

    places = numpy.unravel_index(place, tuple(map(len, table.axes.values())))
    point = tuple(float(axis[i]) for axis, i in zip(table.axes.values(), places, strict=True))
    where = ", ".join(
        _measured(axis, number, table.units[axis]) for axis, number in zip(table.axes, point, strict=True)
    )
    assert table.survey is not None
    work = table.survey.work
    told = (work.told(recipe.target, point).said for recipe in work.recipes)
    said = next((held[name] for held in told if name in held), f"{name} does not hold")
    return said, where


def _measured(name: str, number: float, unit: str) -> str:
    return f"{name} = {number:.4g} {unit}" if unit not in ("", "1") else f"{name} = {number:.4g}"
