"""The findings of an audit for its report: verdicts at a glance, each claim, and conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from derive.audit.conflicts import Conflict
from derive.audit.criteria import BEARING
from derive.audit.text import rows, summary
from derive.audit.verdicts import Finding, Judgement, Verdict
from derive.library import Library
from derive.presentation.charts import Axis, Chart, Series, Shade
from derive.presentation.document import Grid, verbatim
from derive.tokens.reports.claim_pages import claimed
from derive.tokens.reports.conflict_pages import clash

__all__ = ["verdicts"]

_COLORS = {Verdict.REPRODUCED: 2, Verdict.ROUNDED: 0, Verdict.HOLDS_ONLY_IF: 4, Verdict.CONTRADICTED: 1}
_ROW = 0.17  # inches that a claim has in the picture


def verdicts(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Mapping[str, Any]:
    """The words that a template may use of these findings and conflicts in a library."""
    header, *body = rows(findings)
    cells = tuple(tuple(map(verbatim, row)) for row in body)
    return {
        "bearing": BEARING,
        "summary": verbatim(summary(findings)),
        "table": Grid(header, cells, shares=(0, 0.36, 0, 0.43)),
        "chart": _chart(findings),
        "claims": [tuple(claimed(finding, library)) for finding in findings],
        "conflicts": [tuple(clash(conflict, library)) for conflict in conflicts],
    }


def _chart(findings: Sequence[Finding]) -> Chart:
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
    return Chart(
        Axis("claimed over computed", log=True),
        Axis("", names=tuple(finding.claim.name for finding in findings)),
        tuple(series),
        shades=(Shade(1 - BEARING, 1 + BEARING, "what a spoken number bears"),),
        height=1 + _ROW * len(findings),
    )


def _ratio(judgement: Judgement) -> float | None:
    """Claimed over computed; None if the reading does not yield an amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    ratio = 1 + weighed.met.gap
    return ratio if 0 < ratio < float("inf") else None
