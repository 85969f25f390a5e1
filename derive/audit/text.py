"""Findings as text for the terminal, and as plain data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import indent
from typing import Any

from derive.audit.verdicts import ClauseFinding, Conflict, Finding, Judgement, Ruling, Verdict, worst_first
from derive.presentation import text
from derive.presentation.plain_data import answer_data, attributes

_SHOWN = 3  # limit on readings of a clause whose derivations are all shown; of more, only the natural one is


def rows(findings: Sequence[Finding]) -> list[tuple[str, str, str, str, str]]:
    """The findings of an audit as rows below a header, the worst first: claim, verdict, and the deciding numbers."""
    table_rows = [("id", "claim", "verdict", "computed", "claimed")]
    for finding in worst_first(findings):
        claim, (computed, claimed) = finding.claim, finding.decides.weighed.brief
        table_rows.append((claim.name, claim.brief or claim.statement, str(finding.verdict), computed, claimed))
    return table_rows


def summary(findings: Sequence[Finding]) -> str:
    """A line of text that counts the claims of an audit by their verdicts."""
    counts = Counter(finding.verdict for finding in findings)
    claims = "1 claim" if len(findings) == 1 else f"{len(findings)} claims"
    return f"{claims}: {', '.join(f'{counts[verdict]} {verdict}' for verdict in Verdict)}."


def as_text(finding: Finding, conflicts: Sequence[Conflict] = ()) -> str:
    """The text of the finding on a claim, with all readings: their questions, answers, and reasons of verdicts."""
    lines = [f"{finding.claim.name}: {finding.verdict}", finding.claim.statement]
    lines += [f"said by {finding.claim.said}"] if finding.claim.said else []
    for clause in finding.clauses:
        lines += ["", f"{clause.clause.words}: {clause.verdict}", *_readings(clause)]
    lines += text.Section("cannot hold together", map(str, conflicts)).lines if conflicts else []
    return "\n".join(lines)


def _readings(clause: ClauseFinding) -> Iterator[str]:
    yield from _reading(clause, clause.natural, in_full=True)
    if clause.beside:
        yield "  Beside it, without a say in the verdict:"
    for ruling in clause.beside:
        yield from _reading(clause, ruling, in_full=len(clause.rulings) <= _SHOWN)


def _reading(clause: ClauseFinding, ruling: Ruling, in_full: bool) -> Iterator[str]:
    """The lines on one reading of a claim: its verdict, and in full its question and answers."""
    judgement = ruling.decides
    weighed = judgement.weighed
    yield f"  - {ruling.words or clause.clause.words}: {ruling.verdict}: {ruling.why}"
    if in_full:
        yield f"    asked: {weighed.reading.question}"
        yield from (indent(answer.text(), "      ") for answer in weighed.answers)
        if weighed.refusal is not None:  # in place of an answer
            yield f"      {weighed.refusal}"
        elif weighed.relation is not None:  # of a statement
            yield f"      {weighed.relation}"


def as_data(findings: Sequence[Finding], conflicts: Sequence[Conflict]) -> dict[str, Any]:
    """An audit's findings and conflicts as plain data, beside their text: the schema of `derive audit --json`."""
    return {
        "claims": [_finding_data(finding) for finding in findings],
        "conflicts": [_conflict_data(conflict) for conflict in conflicts],
    }


def _finding_data(finding: Finding) -> dict[str, Any]:
    """A finding in the plain data of an audit: the claim with its words, the verdict, and the clauses."""
    return {
        "id": finding.claim.name,
        "claim": finding.claim.statement,
        **attributes(finding.claim, "speaker", "place", "at", "words", "brief"),
        "verdict": str(finding.verdict),
        "why": finding.why,
        "clauses": [_clause_data(clause) for clause in finding.clauses],
    }


def _clause_data(clause: ClauseFinding) -> dict[str, Any]:
    """A clause in the plain data of an audit: its finding, with all its readings."""
    readings = []
    for ruling in clause.rulings:
        is_natural = ruling is clause.natural
        readings += [_reading_data(judgement, is_natural) for judgement in ruling.judgements]
    return {
        "clause": clause.clause.words,
        "verdict": str(clause.verdict),
        "why": clause.natural.why,
        "readings": readings,
    }


def _reading_data(judgement: Judgement, is_natural: bool) -> dict[str, Any]:
    """A reading in the plain data of an audit: what was asked, claimed and found, and what would make it hold."""
    weighed = judgement.weighed
    return {
        "reading": judgement.words,
        "natural": is_natural,
        "asked": str(weighed.reading.question),
        "claimed": weighed.claims,
        "found": weighed.finds,
        "verdict": str(judgement.verdict),
        "why": judgement.why,
        "holds_at": [
            {"input": change.path, "value": change.shown, "ratio": change.ratio, "admissible": change.admissible}
            for change in judgement.changes
        ],
        "answers": [answer_data(answer) for answer in weighed.answers],
        "refusal": None if weighed.refusal is None else str(weighed.refusal),
    }


def _conflict_data(conflict: Conflict) -> dict[str, Any]:
    """A conflict in the plain data of an audit: the scene, what each claim says, and the library's error as text."""
    return {
        "scene": conflict.scene.words,
        "claims": list(conflict.claims),
        "says": [attributes(assertion, "claim", "quantity", "value") for assertion in conflict.assertions],
        "factor": conflict.factor,
        "refusal": str(conflict.error),
    }
