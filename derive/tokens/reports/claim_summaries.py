"""One claim of the audit on half a page: who said it, its parts, the arithmetic that decides, other readings.

Where that leaves readings out, the appendix has all of them in one table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from derive.audit.verdicts import ClauseFinding, Finding, Ruling, Verdict
from derive.presentation.document import Block, Formulas, Grid, Heading, Text, verbatim
from derive.presentation.numbers import rounded
from derive.reports.formulas import chain, pencil
from derive.reports.vocabulary import number
from derive.solving.execution.answer import Answer

__all__ = ["all_readings", "in_short", "is_whole", "plainly"]

_DIGITS = re.compile(r"\d+\.\d{6,}")
_SIDE = re.compile("^(?:at least|at most|more than|less than) ")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) (\S+)")
_LONG = 1e7  # from which a number is written with an exponent
_STEPS = 4  # limit on steps of a derivation that is shown
_BESIDE = 4  # limit on readings of a claim that are told beside the natural ones


def in_short(finding: Finding) -> Iterator[Block]:
    """The claim with its natural readings, and some of those beside them."""
    yield Heading(f"{verbatim(finding.claim.name)}: {finding.verdict}", 3)
    yield Text(f"{verbatim(finding.claim.said)}.")
    yield Text(f"Claimed: {verbatim(finding.claim.statement)}.")
    rows = tuple(_row(clause) for clause in finding.clauses)
    yield Grid(("part", "read as", "computed", "claimed", "verdict"), rows, shares=(0.2, 0.27, 0.13, 0.13, 0.0))
    if finding.claim.plainly:
        yield Text(plainly(finding))
    if finding.verdict is not Verdict.REPRODUCED:  # of what holds, the table has told it
        yield Text(f"Found: {verbatim(finding.why)}.")
    asked = finding.decides.weighed.asked
    if asked is not None and asked.answer is not None:
        yield _arithmetic(asked.answer)
    beside = tuple(_beside(finding))
    if beside:
        more = "" if is_whole(finding) else "; more in the appendix"
        yield Text(f"Read otherwise: {'; '.join(beside[:_BESIDE])}{more}.")


def plainly(finding: Finding) -> str:
    """What is said and what it comes to, in a plain sentence or two, with the numbers of the part that decides."""
    computed, claimed = (_worded(_SIDE.sub("", one)) for one in finding.decides.weighed.told)
    said = finding.claim.plainly
    return verbatim(said).replace("{computed}", computed).replace("{claimed}", claimed)


def _worded(found: str) -> str:
    """A number as a sentence has it: counts are named in words."""
    amount = _AMOUNT.fullmatch(found)
    shown = number(float(amount[1]), amount[2]) if amount else ""
    return verbatim(found) if not shown or "mathrm" in shown else shown.replace("$", "")


def _arithmetic(answer: Answer) -> Formulas:
    """The steps of an answer, or the last of many, without the needless digits of what other answers handed on."""
    shown = chain(answer) if len(answer.steps) <= _STEPS else pencil(answer)
    lines = [(left, _DIGITS.sub(lambda one: rounded(float(one[0]), 4, _LONG), right)) for left, right in shown.lines]
    return replace(shown, lines=tuple(lines))


def is_whole(finding: Finding) -> bool:
    """Whether its half page tells all readings of a claim."""
    rulings = [ruling for clause in finding.clauses for ruling in clause.rulings]
    return len(rulings) - len(finding.clauses) <= _BESIDE and not any(ruling.reading.each for ruling in rulings)


def _row(clause: ClauseFinding) -> tuple[str, ...]:
    natural = clause.natural
    words = natural.decides.words if natural.reading.each else natural.words
    cells = (clause.clause.words, words, *natural.decides.weighed.told, str(clause.verdict))
    return tuple(map(verbatim, cells))


def _beside(finding: Finding) -> Iterator[str]:
    """The readings beside the natural ones, first those that come to another verdict than theirs."""
    rulings = [(clause, ruling) for clause in finding.clauses for ruling in clause.beside]
    for _, ruling in sorted(rulings, key=lambda both: both[1].verdict == both[0].verdict):
        computed, _ = ruling.decides.weighed.told
        yield f"{verbatim(ruling.decides.words)}, {verbatim(computed)}: {ruling.verdict}"


def all_readings(finding: Finding) -> Iterator[Block]:
    """All readings in a table: what each computes, its verdict, and what would make it hold.

    The natural reading of each part comes first. Below the table, what many profiles say one by one.
    """
    yield Heading(f"All readings of {verbatim(finding.claim.name)}", 3)
    rows = tuple(row for clause in finding.clauses for row in _reading_rows(clause, len(finding.clauses) > 1))
    header = ("reading", "computed", "claimed", "verdict", "would hold if")
    yield Grid(header, rows, shares=(0.33, 0.1, 0.11, 0.12, 0.27))
    for clause in finding.clauses:
        yield from (_one_by_one(ruling) for ruling in clause.rulings if ruling.reading.each)


def _reading_rows(clause: ClauseFinding, is_part: bool) -> Iterator[tuple[str, ...]]:
    for ruling in clause.rulings:
        words = _told(ruling) or clause.clause.words
        named = f"{clause.clause.words}: {words}" if is_part and ruling is clause.natural and _told(ruling) else words
        change = ruling.decides.change
        cells = (named, *ruling.decides.weighed.told, str(ruling.verdict), str(change or ""))
        yield tuple(map(verbatim, cells))


def _told(ruling: Ruling) -> str:
    """The words of a reading; of one for many profiles, how many of these hold, and the one that decides."""
    if not ruling.reading.each:
        return ruling.words
    held = sum(judgement.weighed.met.holds for judgement in ruling.judgements)
    return f"{ruling.decides.words} ({held} of {len(ruling.judgements)} hold)"


def _one_by_one(ruling: Ruling) -> Text:
    """What each profile says, those first that hold, and those together that say the same."""
    names: dict[str, list[str]] = {}
    for one in sorted(ruling.judgements, key=lambda one: (one.verdict, one.weighed.met.off)):
        names.setdefault(one.weighed.told[0], []).append(one.words.removeprefix(ruling.words).strip())
    said = "; ".join(f"{found} by {', '.join(those)}" for found, those in names.items())
    return Text(verbatim(f"{ruling.words.rstrip(':')}: {said}."))
