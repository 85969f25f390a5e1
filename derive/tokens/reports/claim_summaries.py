"""One claim of the audit on half a page: who said it, its parts, the arithmetic that decides, other readings."""

from __future__ import annotations

from collections.abc import Iterator

from derive.audit.verdicts import ClauseFinding, Finding
from derive.presentation.document import Block, Grid, Heading, Text, verbatim
from derive.reports.formulas import chain

__all__ = ["in_short"]

_STEPS = 4  # limit on steps of a derivation that is shown
_BESIDE = 4  # limit on readings of a claim that are told beside the natural ones


def in_short(finding: Finding) -> Iterator[Block]:
    """The claim with its natural readings, and some of those beside them."""
    yield Heading(f"{verbatim(finding.claim.name)}: {finding.verdict}", 3)
    yield Text(f"{verbatim(finding.claim.said)}.")
    yield Text(f"Claimed: {verbatim(finding.claim.statement)}.")
    rows = tuple(_row(clause) for clause in finding.clauses)
    yield Grid(("part", "read as", "computed", "claimed", "verdict"), rows, shares=(0.2, 0.27, 0.13, 0.13, 0.0))
    yield Text(f"Found: {verbatim(finding.why)}.")
    asked = finding.decides.weighed.asked
    if asked is not None and asked.answer is not None and len(asked.answer.steps) <= _STEPS:
        yield chain(asked.answer)
    beside = tuple(_beside(finding))
    if beside:
        more = f"; {len(beside) - _BESIDE} more in the appendix" if len(beside) > _BESIDE else ""
        yield Text(f"Read otherwise: {'; '.join(beside[:_BESIDE])}{more}.")


def _row(clause: ClauseFinding) -> tuple[str, ...]:
    natural = clause.natural
    words = natural.decides.words if natural.reading.each else natural.words
    cells = (clause.clause.words, words, *natural.decides.weighed.brief, str(clause.verdict))
    return tuple(map(verbatim, cells))


def _beside(finding: Finding) -> Iterator[str]:
    """The readings beside the natural ones, first those that come to another verdict than theirs."""
    rulings = [(clause, ruling) for clause in finding.clauses for ruling in clause.beside]
    for _, ruling in sorted(rulings, key=lambda both: both[1].verdict == both[0].verdict):
        computed, _ = ruling.decides.weighed.brief
        yield f"{verbatim(ruling.decides.words)}, {verbatim(computed)}: {ruling.verdict}"
