"""The findings of an audit for its report: what is read first, then each claim, then all that stands behind it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from derive.audit.conflicts import Conflict
from derive.audit.criteria import BEARING
from derive.audit.text import summary
from derive.audit.verdicts import Finding, Judgement, Verdict, worst_first
from derive.library import Library
from derive.presentation.charts import Axis, Chart, Series, Shade
from derive.presentation.document import Block, Grid, Heading, verbatim
from derive.reports.vocabulary import number
from derive.tokens.reports.claim_summaries import in_short, is_whole
from derive.tokens.reports.conflict_pages import clash
from derive.tokens.reports.reading_tables import all_readings

__all__ = ["verdicts"]

_COLORS = {Verdict.REPRODUCED: 2, Verdict.ROUNDED: 0, Verdict.HOLDS_IF: 4, Verdict.CONTRADICTED: 1}
_FOUND = ("computed", "claimed")
_ROW = 0.17  # inches that a claim has in the picture


def verdicts(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Mapping[str, Any]:
    """The words that a template may use of these findings and conflicts in a library."""
    return {
        "bearing": BEARING,
        "summary": verbatim(summary(findings)),
        "at_a_glance": tuple(_at_a_glance(findings)),
        "clashing": _clashing(conflicts),
        "chart": _chart(worst_first(findings)),
        "claims": [tuple(in_short(finding)) for finding in worst_first(findings)],
        "in_full": [tuple(all_readings(finding)) for finding in findings if not is_whole(finding)],
        "conflicts": [tuple(clash(conflict, library)) for conflict in conflicts],
    }


def _at_a_glance(findings: Sequence[Finding]) -> Iterator[Block]:
    """A table for each verdict, the worst first, with a row for each claim; what holds needs no reason."""
    for verdict in reversed(Verdict):
        of_it = [finding for finding in worst_first(findings) if finding.verdict is verdict]
        if not of_it:
            continue
        yield Heading(f"{str(verdict).capitalize()}: {len(of_it)}", 3)
        if verdict is Verdict.REPRODUCED:
            yield Grid(("", "claim", *_FOUND), tuple(map(_holding, of_it)), shares=(0.0, 0.52, 0.19, 0.19))
        else:
            header = ("", "claim", "what decides", *_FOUND, "off by")
            yield Grid(header, tuple(map(_failing, of_it)), shares=(0.0, 0.25, 0.29, 0.125, 0.125, 0.0))


def _holding(finding: Finding) -> tuple[str, ...]:
    cells = (finding.claim.name, finding.claim.brief or finding.claim.statement, *finding.decides.weighed.brief)
    return tuple(map(verbatim, cells))


def _failing(finding: Finding) -> tuple[str, ...]:
    name, claim, *found = _holding(finding)
    times = f"{number(finding.off, digits=2 if finding.off < 10 else 3)} times"
    return name, claim, verbatim(finding.reading), *found, times if math.isfinite(finding.off) else "in kind"


def _clashing(conflicts: Sequence[Conflict]) -> Grid:
    """The claims that cannot hold together, those that are farthest apart first."""
    apart = sorted(conflicts, key=lambda conflict: -conflict.factor)
    cells = ((", ".join(one.claims), verbatim(one.scene.words), f"{number(one.factor)} times") for one in apart)
    return Grid(("claims", "what they speak of", "apart by"), tuple(cells), shares=(0.2, 0.6, 0.0))


def _chart(findings: Sequence[Finding]) -> Chart:
    """All natural readings with a number, as what is claimed over what is computed."""
    series = []
    for verdict, color in _COLORS.items():
        points = [
            (ratio, row)
            for row, finding in enumerate(findings)
            for clause in finding.clauses
            if clause.verdict is verdict and (ratio := _ratio(clause.natural.decides)) is not None
        ]
        if points:
            ratios, places = zip(*points, strict=True)
            series.append(Series.of(ratios, places, str(verdict), style="points", color=color))
    return Chart(
        Axis("claimed over computed", log=True),
        Axis("", names=tuple(finding.claim.name for finding in findings)),
        tuple(series),
        shades=(Shade(1 / BEARING, BEARING, "what a spoken number bears"),),
        height=1 + _ROW * len(findings),
    )


def _ratio(judgement: Judgement) -> float | None:
    """Claimed over computed; None if the reading does not yield an amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    return weighed.met.ratio if 0 < weighed.met.ratio < float("inf") else None
