"""What can be told of a question at a point: which arms bind, which checks fail, and whether there is an answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from derive.errors import LimitError
from derive.tables.point_checks import Verdict
from derive.tables.sweep_question import Survey

__all__ = ["Change", "Labels", "Standing", "varying"]

_AT_LEAST = 16  # points asked at once: the solver judges fewer one by one


@dataclass(frozen=True)
class Standing:
    """What holds at a point: the arm of each choice ("" where it does not apply), and the checks that fail."""

    arms: tuple[tuple[str, str], ...]
    failed: frozenset[str] = frozenset()
    is_answered: bool = True

    def changes(self, other: Standing) -> list[Change]:
        """What is different at another point.

        >>> here, there = Standing((("step_time", "compute_time"),)), Standing((("step_time", "memory_time"),))
        >>> [str(one) for one in here.changes(there)]
        ['step_time: compute_time = memory_time']
        """
        if self.is_answered != other.is_answered:
            return [Change("answer", "")]
        found = []
        theirs = dict(other.arms)
        for name, arm in self.arms:
            if theirs.get(name, arm) != arm:
                low, high = sorted((arm, theirs[name]))
                found.append(Change("regime" if low else "case", name, tuple(filter(None, (low, high)))))
        return found + [Change("check", name) for name in sorted(self.failed ^ other.failed)]


@dataclass(frozen=True, order=True)
class Change:
    """What changes across a border: the arm that binds in a relation, whether it applies, whether a check holds, or
    whether there is an answer.
    """

    kind: Literal["regime", "case", "check", "answer"]
    relation: str
    arms: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.kind == "regime":
            return f"{self.relation}: {' = '.join(self.arms)}"
        if self.kind == "case":
            return f"{self.relation} begins to apply"
        return f"{self.relation} ceases to hold" if self.kind == "check" else "there is no answer beyond"


def varying(standings: Iterable[Standing]) -> set[str]:
    """The relations whose arm is not the same everywhere; all, if none varies."""
    arms = [set(one.arms) for one in standings if one.is_answered]
    shared = set.intersection(*arms) if arms else set()
    return {name for one in arms for name, _ in one - shared} or {name for name, _ in shared}


@dataclass
class Labels:
    """The standings of the points of a survey, each a small number of its own."""

    survey: Survey
    standings: list[Standing] = field(default_factory=list)

    def at(self, *columns: Any) -> Any:
        """The label of each point; the columns hold the points' numbers on each axis, in declared units."""
        import numpy

        count = len(columns[0])
        if count < _AT_LEAST:
            columns = tuple(numpy.resize(column, _AT_LEAST) for column in columns)
        work = self.survey.work
        found = work.columns(columns, is_tested=False)
        codes = work.codes(columns, found)
        judged = work.judgements(columns, found, again=False)
        target = next(iter(judged))
        answered = numpy.isfinite(found[target])
        rows = numpy.stack([*codes.values(), judged[target].places, answered], axis=1)
        patterns, places = numpy.unique(rows, axis=0, return_inverse=True)
        own = numpy.array([self._label(tuple(codes), judged[target].verdicts, one.tolist()) for one in patterns])
        return own[places.ravel()][:count]

    def _label(self, names: Sequence[str], verdicts: Sequence[Verdict], pattern: Sequence[int]) -> int:
        """The number of the standing that a row of codes tells."""
        *codes, verdict, answered = pattern
        if not answered:
            standing = Standing((), frozenset(), False)
        else:
            found = verdicts[verdict]
            if found.unused is None and not found.failed:  # compiled lines have a number, and the solver no answer
                raise LimitError(
                    "Which checks fail on this map could not be tested.",
                    hint="Narrow the ranges, or call solve at a point of them: it says why.",
                    limit="the time of an answer",
                )
            switches = self.survey.work.switches
            arms = [(*switches[name].arms, "")[code] for name, code in zip(names, codes, strict=True)]
            relations = (name.removesuffix(".regime") for name in names)
            standing = Standing(tuple(zip(relations, arms, strict=True)), found.failed)
        if standing not in self.standings:
            self.standings.append(standing)
        return self.standings.index(standing)
