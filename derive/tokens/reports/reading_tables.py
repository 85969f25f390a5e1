"""All readings of a claim in one table: what each computes, its verdict, and what would make it hold."""

from __future__ import annotations

from collections.abc import Iterator

from derive.audit.verdicts import ClauseFinding, Finding, Ruling
from derive.presentation.document import Block, Grid, Heading, Text, verbatim

__all__ = ["all_readings"]

_SHARES = (0.33, 0.1, 0.11, 0.12, 0.27)


def all_readings(finding: Finding) -> Iterator[Block]:
    """A row for each reading, the natural one of each part first; below, what many profiles say one by one."""
    yield Heading(f"All readings of {verbatim(finding.claim.name)}", 3)
    rows = tuple(row for clause in finding.clauses for row in _rows(clause, len(finding.clauses) > 1))
    yield Grid(("reading", "computed", "claimed", "verdict", "would hold if"), rows, shares=_SHARES)
    for clause in finding.clauses:
        yield from (_one_by_one(ruling) for ruling in clause.rulings if ruling.reading.each)


def _rows(clause: ClauseFinding, is_part: bool) -> Iterator[tuple[str, ...]]:
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
