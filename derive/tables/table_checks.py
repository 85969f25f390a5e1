"""What fails along the axes of a table: the verdicts on all its targets, put together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from derive.tables.point_checks import Judgement, Verdict
from derive.tables.progress import ahead, watched

if TYPE_CHECKING:
    from derive.tables.sweep_question import Box, Survey
    from derive.tables.sweep_work import Work

__all__ = ["Holding", "held_along", "held_at"]


@dataclass(frozen=True)
class Holding:
    """Where the checks of a table hold, and which do not where they do not."""

    judgements: Mapping[str, Judgement]  # of each target
    typed: tuple[str, ...]
    has_value: Any  # whether each target has one, at each point

    @cached_property
    def holds(self) -> Any:
        """Whether there is an answer at each point, and every check holds that could be put to the test there."""
        found = self.has_value.copy()
        for column in self.failed.values():
            found &= ~column
        return found

    @cached_property
    def failed(self) -> dict[str, Any]:
        """For each check that fails anywhere, where it does."""
        found: dict[str, Any] = {}
        for judgement in self.judgements.values():
            for name in sorted(judgement.names):
                column = judgement.failing(name)
                found[name] = found[name] | column if name in found else column
        return found

    @property
    def silent(self) -> frozenset[str] | None:
        """What plays no part in any answer; None where there is none."""
        held = [one.unused for one in self.judgements.values() if one.unused is not None]
        return frozenset.intersection(*held) if held else None

    @property
    def unused(self) -> tuple[str, ...]:
        """The givens and axes that play no part in any answer."""
        return tuple(name for name in self.typed if name in (self.silent or ()))

    @cached_property
    def words(self) -> Any:
        """The checks that fail at each point, as text."""
        import numpy

        found = numpy.full(self.has_value.shape, "", dtype=object)
        for name, column in self.failed.items():
            found[column] = numpy.where(found[column] == "", name, found[column] + f"; {name}")
        return found


def held_along(survey: Survey, columns: Mapping[str, Any]) -> Holding:
    """What fails at the points of a survey whose targets are known."""
    pieces = ((box, survey.within(box)) for box in survey.boxes())
    return held_at(survey.work, pieces, columns, survey.typed)


def held_at(
    work: Work, pieces: Iterable[tuple[Box, Sequence[Any]]], columns: Mapping[str, Any], typed: tuple[str, ...]
) -> Holding:
    """What fails at points that come in pieces: where in the columns each lies, and the numbers of the axes there."""
    import numpy

    targets = [recipe.target for recipe in work.recipes]
    first = columns[targets[0]]
    places = {target: numpy.empty(first.shape, numpy.int32) for target in targets}
    verdicts: dict[str, dict[Verdict, int]] = {target: {} for target in targets}

    def worked(piece: tuple[Box, Sequence[Any]]) -> tuple[int, tuple[Box, dict[str, Judgement]]]:
        box, arrays = piece
        held = {target: column[box] for target, column in columns.items()}
        return held[targets[0]].size, (box, work.judgements(arrays, held))

    for box, found in watched(ahead(worked, pieces), first.size, "checks"):
        for target, judgement in found.items():
            listed = verdicts[target]
            own = [listed.setdefault(verdict, len(listed)) for verdict in judgement.verdicts]
            places[target][box] = numpy.array(own, numpy.int32)[judgement.places]
    judgements = {target: Judgement(places[target], tuple(verdicts[target])) for target in targets}
    has_value = numpy.logical_and.reduce([numpy.isfinite(columns[target]) for target in targets])
    return Holding(judgements, typed, numpy.asarray(has_value))
