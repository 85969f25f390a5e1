"""Verdicts: they follow from the numbers by rule.

A reading is reproduced or rounded if its answer meets the claim. If not, it holds conditionally if a change within
what the claim leaves open, or within the disagreement of its sources, makes it hold; otherwise it is contradicted. A
clause whose readings all hold has the worst of their verdicts. If some hold and some do not, it holds only in a
certain reading; if none does, it has the best of their verdicts. A claim has the worst verdict of its clauses.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum

from derive.audit.claim import Claim, Clause, Reading
from derive.audit.counterfactuals import Change, changes
from derive.audit.criteria import Between, Bound
from derive.audit.question import WrittenQuestion
from derive.audit.weighing import Weighed, weigh
from derive.errors import DeriveError
from derive.library import Library
from derive.solving.execution.answer import Answer

__all__ = ["ClauseFinding", "Finding", "Judgement", "Verdict", "judge"]


class Verdict(IntEnum):
    """The verdicts, the best first."""

    REPRODUCED = 0
    ROUNDED = 1
    HOLDS_ONLY_IF = 2
    CONTRADICTED = 3

    def __str__(self) -> str:
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True)
class Judgement:
    """A reading, the library's answer, the verdict, and the changes that would make it hold."""

    weighed: Weighed
    verdict: Verdict
    changes: tuple[Change, ...]

    @property
    def words(self) -> str:
        return self.weighed.reading.words

    @property
    def answers(self) -> tuple[Answer, ...]:
        return self.weighed.answers

    @property
    def smallest(self) -> Change | None:
        """The smallest change that would make the reading hold."""
        return self.changes[0] if self.changes else None

    @property
    def condition(self) -> Change | None:
        """The smallest change that the claim or its sources admit."""
        return next((change for change in self.changes if change.admissible), None)

    @property
    def change(self) -> Change | None:
        """The change that the verdict names: the smallest admissible one, or else the smallest."""
        return self.condition or self.smallest

    @property
    def why(self) -> str:
        """The verdict's reason in one line: what was computed, what is claimed, and by how much they differ."""
        finds, claims = self.weighed.finds, self.weighed.claims
        match self.verdict:
            case Verdict.REPRODUCED:
                return f"{finds}, {claims}" if isinstance(self.weighed.reading.criterion, (Between, Bound)) else finds
            case Verdict.ROUNDED:
                return f"{finds}, so that {claims} is {_off(self.weighed.met.gap)}"
            case Verdict.HOLDS_ONLY_IF:
                return f"{finds}, not {claims}; holds at {self.change}"
        return f"{finds}, not {claims}{f'; would hold at {self.change}' if self.change else ''}"


@dataclass(frozen=True)
class ClauseFinding:
    """A clause, the judgements of its readings, and its verdict, which follows from the reading `decides`."""

    clause: Clause
    verdict: Verdict
    why: str
    judgements: tuple[Judgement, ...]
    decides: Judgement


@dataclass(frozen=True)
class Finding:
    """A claim, the findings on its clauses, and its verdict."""

    claim: Claim
    verdict: Verdict
    why: str
    clauses: tuple[ClauseFinding, ...]

    @property
    def decides(self) -> Judgement:
        """The reading from which the verdict follows: that of the worst clause."""
        return max(self.clauses, key=lambda clause: clause.verdict).decides

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        return tuple(judgement for clause in self.clauses for judgement in clause.judgements)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All answers of the library."""
        return tuple(answer for judgement in self.judgements for answer in judgement.answers)


def judge(library: Library, claim: Claim) -> Finding:
    """Ask the library the questions of a claim, and judge the answers."""
    try:
        clauses = tuple(_of_clause(library, clause) for clause in claim.clauses)
    except DeriveError as error:
        error.what = f"claim {claim.name}: {error.what}"
        raise
    worst = max(clauses, key=lambda clause: clause.verdict)
    return Finding(claim, worst.verdict, _why(clauses, worst), clauses)


def _why(clauses: Sequence[ClauseFinding], worst: ClauseFinding) -> str:
    """The reason of the worst clause, and how many hold."""
    if len(clauses) == 1:
        return worst.why
    held = sum(clause.verdict <= Verdict.ROUNDED for clause in clauses)
    count = f" ({held} of {len(clauses)} parts hold)" if 0 < held < len(clauses) else ""
    return f"{worst.clause.words}: {worst.why}{count}"


def _of_clause(library: Library, clause: Clause) -> ClauseFinding:
    readings = [one for reading in clause.readings for one in _expanded(library, reading)]
    judged = tuple(_of_reading(library, reading) for reading in readings)
    holding = [judgement for judgement in judged if judgement.weighed.met.holds]
    failing = [judgement for judgement in judged if not judgement.weighed.met.holds]
    if not failing:
        worst = max(judged, key=lambda judgement: judgement.verdict)
        return ClauseFinding(clause, worst.verdict, worst.why, judged, worst)
    if holding:
        farthest = max(failing, key=_distance)
        return ClauseFinding(clause, Verdict.HOLDS_ONLY_IF, _which_hold(holding, failing, farthest), judged, farthest)
    nearest = min(failing, key=_distance)
    return ClauseFinding(clause, nearest.verdict, nearest.why, judged, nearest)


def _of_reading(library: Library, reading: Reading) -> Judgement:
    weighed = weigh(library, reading)
    if weighed.met.holds:
        return Judgement(weighed, Verdict.REPRODUCED if weighed.met.exactly else Verdict.ROUNDED, ())
    found = changes(library, weighed)
    possible = any(change.admissible for change in found)
    return Judgement(weighed, Verdict.HOLDS_ONLY_IF if possible else Verdict.CONTRADICTED, found)


def _expanded(library: Library, reading: Reading) -> Iterable[Reading]:
    """The reading itself, or one for each profile that states what it names."""
    if not reading.each:
        yield reading
        return
    assert isinstance(reading.question, WrittenQuestion)
    wanted = set(reading.each)
    for name in library.profiles:
        base, choice, _ = name.partition(":")
        if wanted <= library.profiles[name].values.keys() and not (
            choice and wanted <= library.profiles[base].values.keys()
        ):
            words = f"{reading.words} {name}".strip()
            yield replace(reading, words=words, question=reading.question.with_profile(name), each=())


def _distance(judgement: Judgement) -> tuple[Verdict, float]:
    """How far a reading is from holding."""
    smallest = judgement.smallest
    return judgement.verdict, abs(judgement.weighed.met.gap) if smallest is None else smallest.size


def _which_hold(holding: Sequence[Judgement], failing: Sequence[Judgement], worst: Judgement) -> str:
    """In which readings a clause holds, and in which it does not."""
    best = min(holding, key=lambda judgement: (judgement.verdict, abs(judgement.weighed.met.gap)))
    held = f"{best.words}{_others(holding)}: {best.weighed.finds}"
    return f"{held}; but {worst.words}{_others(failing)}: {worst.weighed.finds}"


def _others(judgements: Sequence[Judgement]) -> str:
    """How many readings there are besides the one that is named."""
    return f" (and {len(judgements) - 1} other{'s' if len(judgements) > 2 else ''})" if len(judgements) > 1 else ""


def _off(gap: float) -> str:
    """By how much a claim is off.

    >>> _off(0.2), _off(-0.044)
    ('20 % more', '4.4 % less')
    """
    return f"{abs(gap) * 100:.2g} % {'more' if gap > 0 else 'less'}"
