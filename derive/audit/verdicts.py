"""Verdicts: they follow from the numbers by rule.

A reading is reproduced or rounded if its answer meets the claim. If not, it is contradicted as stated but holds
conditionally if a change within what the claim leaves open, or within the disagreement of its sources, makes it hold;
otherwise it is contradicted. A reading that is asked with many profiles has the verdict that its share of them
reaches. A clause has the verdict of its natural reading, whatever the readings beside it say. A claim has that of its
worst clause: of equal verdicts, the one that is off by the larger factor.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cached_property

from derive.audit.claim import Claim, Clause, Reading
from derive.audit.counterfactuals import Change, changes
from derive.audit.criteria import Between, Bound
from derive.audit.question import WrittenQuestion
from derive.audit.weighing import Weighed, weigh
from derive.errors import DeriveError, UnderdeterminedError
from derive.library import Library
from derive.solving.execution.answer import Answer

__all__ = ["ClauseFinding", "Finding", "Judgement", "Ruling", "Verdict", "judge", "worst_first"]


class Verdict(IntEnum):
    """The verdicts, the best first."""

    REPRODUCED = 0
    ROUNDED = 1
    HOLDS_IF = 2
    CONTRADICTED = 3

    def __str__(self) -> str:
        return "contradicted as stated" if self is Verdict.HOLDS_IF else self.name.lower()


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
                return f"{finds}, so that {claims} is {_off(self.weighed.met.ratio)}"
            case Verdict.HOLDS_IF:
                return f"{finds}, not {claims}; holds if {self.change}"
        return f"{finds}, not {claims}{f'; would hold if {self.change}' if self.change else ''}"


@dataclass(frozen=True)
class Ruling:
    """A reading with one judgement, or with one for each profile with which it is asked."""

    reading: Reading
    judgements: tuple[Judgement, ...]

    @cached_property
    def decides(self) -> Judgement:
        """The judgement that speaks for all: of many, the one up to which the reading's share of them is counted."""
        ranked = sorted(self.judgements, key=lambda one: (one.verdict, one.weighed.met.off))
        return ranked[math.ceil(self.reading.share * len(ranked)) - 1]

    @property
    def verdict(self) -> Verdict:
        return self.decides.verdict

    @property
    def words(self) -> str:
        return self.reading.words

    @property
    def off(self) -> float:
        """The factor between the claim and what was computed; 1 if the reading holds."""
        return self.decides.weighed.met.off if self.verdict > Verdict.REPRODUCED else 1.0

    @property
    def why(self) -> str:
        """The verdict's reason in one line."""
        if not self.reading.each:
            return self.decides.why
        held = sum(judgement.weighed.met.holds for judgement in self.judgements)
        return f"{held} of {len(self.judgements)} hold; {self.decides.words}: {self.decides.why}"


@dataclass(frozen=True)
class ClauseFinding:
    """A clause and the rulings on its readings; the first, on the natural one, decides."""

    clause: Clause
    rulings: tuple[Ruling, ...]

    @property
    def natural(self) -> Ruling:
        return self.rulings[0]

    @property
    def beside(self) -> tuple[Ruling, ...]:
        return self.rulings[1:]

    @property
    def verdict(self) -> Verdict:
        return self.natural.verdict

    @property
    def why(self) -> str:
        return self.natural.why

    @property
    def judgements(self) -> tuple[Judgement, ...]:
        return tuple(judgement for ruling in self.rulings for judgement in ruling.judgements)


@dataclass(frozen=True)
class Finding:
    """A claim and the findings on its clauses, of which the worst decides."""

    claim: Claim
    clauses: tuple[ClauseFinding, ...]

    @property
    def worst(self) -> ClauseFinding:
        return max(self.clauses, key=lambda clause: (clause.verdict, clause.natural.off))

    @property
    def verdict(self) -> Verdict:
        return self.worst.verdict

    @property
    def off(self) -> float:
        """The factor by which the claim fails; infinite if it fails in kind."""
        return self.worst.natural.off

    @property
    def decides(self) -> Judgement:
        """The judgement from which the verdict follows."""
        return self.worst.natural.decides

    @property
    def why(self) -> str:
        """The reason of the worst clause, and how many hold."""
        if len(self.clauses) == 1:
            return self.worst.why
        held = sum(clause.verdict <= Verdict.ROUNDED for clause in self.clauses)
        count = f" ({held} of {len(self.clauses)} parts hold)" if held < len(self.clauses) else ""
        return f"{self.worst.clause.words}: {self.worst.why}{count}"

    @property
    def reading(self) -> str:
        """How the deciding part was read."""
        part = self.worst.clause.words if len(self.clauses) > 1 else ""
        return ": ".join(filter(None, (part, self.decides.words))) or self.worst.clause.words

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
        return Finding(claim, tuple(_of_clause(library, clause) for clause in claim.clauses))
    except DeriveError as error:
        error.what = f"claim {claim.name}: {error.what}"
        raise


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings by how badly the claims fail: by verdict, then by the factor that they are off."""
    return sorted(findings, key=lambda finding: (-finding.verdict, -finding.off))


def _of_clause(library: Library, clause: Clause) -> ClauseFinding:
    return ClauseFinding(clause, tuple(_of_reading(library, reading) for reading in clause.readings))


def _of_reading(library: Library, reading: Reading) -> Ruling:
    return Ruling(reading, tuple(_judged(library, one) for one in _expanded(library, reading)))


def _judged(library: Library, reading: Reading) -> Judgement:
    weighed = weigh(library, reading)
    if weighed.met.holds:
        return Judgement(weighed, Verdict.REPRODUCED if weighed.met.exactly else Verdict.ROUNDED, ())
    found = changes(library, weighed)
    possible = any(change.admissible for change in found)
    return Judgement(weighed, Verdict.HOLDS_IF if possible else Verdict.CONTRADICTED, found)


def _expanded(library: Library, reading: Reading) -> Sequence[Reading]:
    """The reading itself, or one for each profile that states what it names."""
    if not reading.each:
        return [reading]
    assert isinstance(reading.question, WrittenQuestion)
    wanted, found = set(reading.each), []
    for name in library.profiles:
        base, choice, _ = name.partition(":")
        if wanted <= library.profiles[name].values.keys() and not (
            choice and wanted <= library.profiles[base].values.keys()
        ):
            words = f"{reading.words} {name}".strip()
            found.append(replace(reading, words=words, question=reading.question.with_profile(name), each=()))
    if not found:
        raise UnderdeterminedError(f"no profile states {' and '.join(reading.each)}.")
    return found


def _off(ratio: float) -> str:
    """By how much a claim is off what was computed.

    >>> _off(1.2), _off(0.956)
    ('20 % more', '4.4 % less')
    """
    return f"{abs(ratio - 1) * 100:.2g} % {'more' if ratio > 1 else 'less'}"
