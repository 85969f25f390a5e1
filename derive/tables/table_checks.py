"""Failed checks along the axes of a table, over all its targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy

from derive.kernels.backends.numba_source import Tile
from derive.presentation.cautions import PlacedRemark, largest, without_part
from derive.presentation.numbers import with_unit
from derive.tables.point_checks import Judgement, Verdict, unused_in_common
from derive.tables.progress import in_threads, with_progress_bar
from derive.tables.sweep_function import SweepFunction
from derive.tables.sweep_question import SweepQuestion

if TYPE_CHECKING:
    from derive.tables.table import Table


@dataclass(frozen=True)
class Holding:
    """Where the checks of a table hold, and which of them fail elsewhere."""

    judgements: Mapping[str, Judgement]  # of each target
    typed: tuple[str, ...]
    has_value: Any  # whether each target has one, at each point

    @cached_property
    def holds(self) -> Any:
        """Whether, over all targets of a table, each point has an answer tested by the solver, and no check fails."""
        holds = self.has_value & ~self.untested
        for column in self.failed.values():
            holds &= ~column
        return holds

    @cached_property
    def untested(self) -> Any:
        """Whether a point of a table has numbers, but the solver found no answer by which to test some target."""
        tested = [judgement.tested for judgement in self.judgements.values()]
        return self.has_value & ~numpy.logical_and.reduce(tested)

    @cached_property
    def failed(self) -> dict[str, Any]:
        """For each check that fails anywhere in a table, at which points it does."""
        failed: dict[str, Any] = {}
        for judgement in self.judgements.values():
            for name in sorted(judgement.names):
                column = judgement.failing(name)
                failed[name] = failed[name] | column if name in failed else column
        return failed

    @property
    def silent(self) -> frozenset[str] | None:
        """The names that no answer in a table uses; None if there is no answer."""
        return unused_in_common(self.judgements.values())

    @property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that no answer in a table uses."""
        return tuple(name for name in self.typed if name in (self.silent or ()))

    @cached_property
    def words(self) -> Any:
        """The checks that fail at each point of a table, as text."""
        words = numpy.where(self.untested, "not tested", "").astype(object)
        for name, column in self.failed.items():
            words[column] = numpy.where(words[column] == "", name, words[column] + f"; {name}")
        return words


def held_along(survey: SweepQuestion, columns: Mapping[str, Any]) -> Holding:
    """Where the checks of a table hold along its axes, over all its targets."""
    pieces = ((box, survey.within(box)) for box in survey.boxes())
    return held_at(survey.function, pieces, columns)


def held_at(
    function: SweepFunction, pieces: Iterable[tuple[Tile, Sequence[Any]]], columns: Mapping[str, Any]
) -> Holding:
    """Where the checks of a table hold, over all its targets, at points that come in pieces.

    Each piece has its place in the columns and the numbers of its axes.
    """
    targets = function.targets
    first = columns[targets[0]]
    places = {target: numpy.empty(first.shape, numpy.int32) for target in targets}
    verdicts: dict[str, dict[Verdict, int]] = {target: {} for target in targets}

    def worked(piece: tuple[Tile, Sequence[Any]]) -> tuple[int, tuple[Tile, dict[str, Judgement]]]:
        box, arrays = piece
        targets_here = {target: column[box] for target, column in columns.items()}
        return targets_here[targets[0]].size, (box, function.judgements(arrays, targets_here))

    for box, judged in with_progress_bar(in_threads(worked, pieces), first.size, "checks"):
        for target, judgement in judged.items():
            numbered = verdicts[target]  # the number of each verdict over all pieces, where a piece has its own
            numbers = [numbered.setdefault(verdict, len(numbered)) for verdict in judgement.verdicts]
            places[target][box] = numpy.array(numbers, numpy.int32)[judgement.places]
    judgements = {target: Judgement(places[target], tuple(verdicts[target])) for target in targets}
    has_value = numpy.logical_and.reduce([numpy.isfinite(columns[target]) for target in targets])
    return Holding(judgements, (*function.typed_axes, *function.given), numpy.asarray(has_value))


# Sentences about a table: the checks that fail, points without an answer, unused givens


class Cautions:
    """The cautions about tables that are seen piece by piece.

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
        """Begin to collect, over several tables, the checks that fail and the givens that are unused."""
        self.points = self.missing = self.untested = 0
        self.is_answered = False  # whether any target has a value anywhere
        self.failing: dict[str, int] = {}
        self._first: dict[str, tuple[str, str]] = {}
        self._silent: set[str] | None = None  # names unused so far
        self._typed: tuple[str, ...] = ()
        self.remarks: tuple[PlacedRemark, ...] = ()  # in the middle of the first piece

    def add(self, table: Table) -> None:
        """Count in where a table's checks fail, where it has no answer, and which of its givens are unused."""
        if not self.points:
            self.remarks = table.remarks
        self.points += len(table)
        self.missing += len(table) - int(numpy.count_nonzero(table.holding.has_value))
        self.untested += int(numpy.count_nonzero(table.holding.untested))
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
        """The givens and axes that no answer in the tables has used so far."""
        return tuple(name for name in self._typed if name in (self._silent or ()))

    def __iter__(self) -> Iterator[str]:
        """The sentences about the tables' checks, missing answers, unused givens and remarks."""
        for name, count in self.failing.items():
            sentence, where = self._first[name]
            yield f"{sentence}; so at {count} of {self.points} points, first at {where}"
        if self.missing and self.is_answered:
            yield f"there is no answer at {self.missing} of {self.points} points"
        if self.untested:
            yield f"the checks could not be tested at {self.untested} of {self.points} points; solve at one says why"
        if self.unused:
            yield without_part(self.unused)
        yield from map(str, largest(self.remarks))


def _example(table: Table, name: str, place: int) -> tuple[str, str]:
    """The sentence on a check of a table where it first fails, and that place."""
    point, function = table.survey.point(place), table.survey.function
    where = ", ".join(f"{axis} = {with_unit(f'{x:.4g}', table.units[axis])}" for axis, x in point.items())
    failures = (function.point_answer(target, tuple(point.values())).failures for target in function.targets)
    sentence = next((sentences[name] for sentences in failures if name in sentences), f"{name} does not hold")
    return sentence, where
