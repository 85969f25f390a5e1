"""H. The audit: what was claimed, recomputed, so that every verdict can be checked with a pencil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from derive.auditing import Finding, Verdict, clashes
from derive.auditing import audit as audited
from derive.auditing.conflicts import Conflict
from derive.auditing.criteria import BEARING
from derive.auditing.judging import Judgement
from derive.auditing.telling import rows, summary
from derive.drawing.chart import Axis, Chart, Series, Shade
from derive.library import Library
from derive.relations import library as built_in
from derive.reporting.asking import number
from derive.reporting.document import Block, Grid, Heading, Items, Picture, Text, verbatim
from derive.reporting.sections.claimed import claimed
from derive.reporting.sections.clashing import clashing

__all__ = ["blocks", "told"]

_COLORS = {Verdict.REPRODUCED: 2, Verdict.ROUNDED: 0, Verdict.HOLDS_ONLY_IF: 4, Verdict.CONTRADICTED: 1}
_ROW = 0.17  # inches that a claim has in the picture


def blocks() -> Iterator[Block]:
    """The report."""
    return told(audited(), clashes(), built_in())


def told(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Iterator[Block]:
    """These findings and conflicts, as this library had them."""
    yield from _opening()
    yield Heading("The claims and their verdicts")
    header, *body = rows(findings)
    yield Text(verbatim(summary(findings)))
    yield Grid(header, tuple(tuple(map(verbatim, row)) for row in body), shares=(0, 0.36, 0, 0.43))
    yield _picture(findings)
    yield Heading("Claim by claim")
    for finding in findings:
        yield from claimed(finding, library)
    yield Heading("What cannot hold together")
    yield from clashing(conflicts, library)


def _opening() -> Iterator[Block]:
    bears = number(BEARING)
    yield Text(
        "Lectures speak in round numbers, and in sentences that can be read in more than one way. Here each claim is "
        "put into its readings, each reading is asked of the library with values from the catalogue, and the verdict "
        "follows from the answer by rule. Nobody typed a verdict, and none of them is a matter of courtesy."
    )
    yield Items(
        (
            "A spoken number is *reproduced* if what comes out rounds to its digits, of which it has two at least.",
            f"It is *rounded* if it lies beside what comes out by no more than the share {bears} of that.",
            "A range or a bound has said already how far it bears: there is in and out, and nothing between.",
            "A reading that misses *holds only if* some input is different, and the claim or the disagreement of its "
            "sources leaves room for that. If there is no such room it is *contradicted*; then the smallest change of "
            "a single input is told that would make it hold, and what it contradicts.",
            "A clause of which some readings hold and some do not *holds only if* it is read so. A claim is as good as "
            "the worst of its clauses.",
        )
    )
    yield Text(
        "How to check a verdict: take the reading, find its line of mathematics, put in the numbers that stand there, "
        "and compare with what is claimed. For the reading that decides, all that went in stands with its source, and "
        "the question is asked backwards too: which single number would have to be different?"
    )


def _picture(findings: Sequence[Finding]) -> Picture:
    """All readings with a number, as what is claimed over what is computed."""
    series = []
    for verdict, color in _COLORS.items():
        points = [
            (ratio, row)
            for row, finding in enumerate(findings)
            for judgement in finding.judgements
            if judgement.verdict is verdict and (ratio := _ratio(judgement)) is not None
        ]
        if points:
            ratios, places = zip(*points, strict=True)
            series.append(Series.of(ratios, places, str(verdict), style="points", color=color))
    chart = Chart(
        Axis("claimed over computed", log=True),
        Axis("", names=tuple(finding.claim.name for finding in findings)),
        tuple(series),
        shades=(Shade(1 - BEARING, 1 + BEARING, "what a spoken number bears"),),
        height=1 + _ROW * len(findings),
    )
    caption = (
        "Every reading that ends in a number, as what is claimed over what is computed: left of 1 the claim says too "
        "little, right of it too much. A range or a bound that is met stands at 1; one that is missed, by its nearer "
        "end. Where a claim has points inside the band and far from it, it is the reading that decides; one without "
        "points ends in a law or in a refusal."
    )
    return Picture("audit-ratios", (chart,), caption)


def _ratio(judgement: Judgement) -> float | None:
    """Claimed over computed, or None where the reading does not end in an amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    ratio = 1 + weighed.met.gap
    return ratio if 0 < ratio < float("inf") else None
