"""The findings of an audit for its report: what is read first, then each claim, then all that stands behind it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from derive.audit.claim import Assertion
from derive.audit.conflicts import Conflict
from derive.audit.criteria import BEARING
from derive.audit.text import summary
from derive.audit.verdicts import Finding, Judgement, Verdict, worst_first
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.charts import Axis, Chart, Series, Shade
from derive.presentation.document import Block, Grid, Heading, Items, Text, verbatim
from derive.reports.formulas import chain
from derive.reports.vocabulary import Said, number
from derive.solving.execution.answer import Answer
from derive.tokens.reports.claim_summaries import all_readings, in_short, is_whole, plainly
from derive.tokens.reports.profile_names import displayed, with_names
from derive.tolerances import TOLD
from quantities.value import read_value

__all__ = ["verdicts"]

_COLORS = {Verdict.REPRODUCED: 2, Verdict.ROUNDED: 0, Verdict.HOLDS_IF: 4, Verdict.CONTRADICTED: 1}
_FOUND = ("computed", "claimed")
_MEANS = {Verdict.HOLDS_IF: ", but holds with another input"}  # what a verdict's name leaves unsaid
_ROW = 0.17  # inches that a claim has in the picture

_Implied = tuple[Assertion, Answer] | None
"""What one claim of a set says, and the answer that the others imply in its place; None if it takes more than that."""


def verdicts(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Mapping[str, Any]:
    """The words that a template may use of these findings and conflicts in a library."""
    named, followed = displayed(library), {conflict: _implied(conflict, library) for conflict in conflicts}

    def shown(blocks: Iterable[Block]) -> tuple[Block, ...]:
        return tuple(with_names(blocks, named))

    return {
        "bearing": BEARING,
        "summary": verbatim(summary(findings)),
        "at_a_glance": shown(_at_a_glance(findings)),
        "clashing": shown([_clashing(followed)]),
        "chart": _chart(worst_first(findings)),
        "claims": [shown(in_short(finding)) for finding in worst_first(findings)],
        "in_full": [shown(all_readings(finding)) for finding in findings if not is_whole(finding)],
        "conflicts": [shown(_clash(conflict, found)) for conflict, found in followed.items()],
    }


def _at_a_glance(findings: Sequence[Finding]) -> Iterator[Block]:
    """A table for each verdict, the worst first, with a row for each claim; sentences above it tell what fails."""
    for verdict in reversed(Verdict):
        of_it = [finding for finding in worst_first(findings) if finding.verdict is verdict]
        if not of_it:
            continue
        yield Heading(f"{str(verdict).capitalize()}{_MEANS.get(verdict, '')}: {len(of_it)}", 3)
        told = tuple(f"*{verbatim(one.claim.name)}* {plainly(one)}" for one in of_it if one.claim.plainly)
        if told and verdict > Verdict.ROUNDED:
            yield Items(told)
        header = ("", "claim", "what decides", *_FOUND)
        if verdict is Verdict.REPRODUCED:
            yield Grid(header, tuple(map(_holding, of_it)), shares=(0.0, 0.27, 0.31, 0.14, 0.14))
        else:
            shares = (0.0, 0.23, 0.27, 0.12, 0.12, 0.0)
            yield Grid((*header, "off by"), tuple(map(_failing, of_it)), shares=shares)


def _holding(finding: Finding) -> tuple[str, ...]:
    claim, brief = finding.claim, finding.decides.weighed.told
    return tuple(map(verbatim, (claim.name, claim.brief or claim.statement, finding.reading, *brief)))


def _failing(finding: Finding) -> tuple[str, ...]:
    times = f"{number(finding.off, digits=3 if finding.off < 10 else 2)} times"
    return *_holding(finding), times if math.isfinite(finding.off) else "wrong direction"


def _clashing(followed: Mapping[Conflict, _Implied]) -> Grid:
    """The claims in conflict, those that are farthest apart first: what one says, and what the others imply."""
    header = ("claims", "what they speak of", "one says", "the others imply", "apart by")
    rows = []
    for conflict, found in sorted(followed.items(), key=lambda pair: -pair[0].factor):
        against = (_said(*found), Said.of(found[1], 3)) if found else ("", "")
        apart = f"{number(conflict.factor)} times"
        rows.append((", ".join(conflict.claims), verbatim(conflict.scene.words), *against, apart))
    return Grid(header, tuple(rows), shares=(0.09, 0.2, 0.26, 0.18, 0.0))


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
        shades=(Shade(1 / BEARING, BEARING, "the tolerance of a spoken number"),),
        height=1 + _ROW * len(findings),
    )


def _ratio(judgement: Judgement) -> float | None:
    """Claimed over computed; None if the reading does not yield an amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    return weighed.met.ratio if 0 < weighed.met.ratio < float("inf") else None


def _said(one: Assertion, implied: Answer) -> str:
    """What a claim says of the quantity for which the others imply an answer.

    >>> from derive.tokens.relations import library
    >>> _said(Assertion("C06", "step_rate", "64 1/s"), library().solve("step_rate", step_time="20 ms"))
    'C06: steps each second, 64/s'
    """
    meaning = re.split("[;:] ", implied.quantity.meaning)[0] or one.quantity.replace("_", " ")
    return verbatim(f"{one.claim}: {meaning}, {one.value.replace(' 1/', '/')}")


def _clash(conflict: Conflict, found: _Implied) -> Iterator[Block]:
    """What the claims say and what is taken to hold, then the derivation that shows that both cannot be."""
    apart = number(conflict.factor)
    told = ", ".join(f"{one.claim} `{one.quantity}` = {verbatim(one.value)}" for one in conflict.assertions)
    taken = ", ".join(f"`{name}` = {verbatim(value)}" for name, value in conflict.scene.premises)
    implied = verbatim(str(conflict.error))
    if found is not None:
        denied, answer = found
        implied = f"Of `{denied.quantity}`, the others imply {Said.of(answer, 4)}: apart by a factor of {apart}."
    yield Heading(f"{verbatim(conflict.scene.words)}: {' and '.join(conflict.claims)}", 3)
    yield Text(f"Said: {told}.{f' Taken to hold: {taken}.' if taken else ''} {implied}")
    if found is not None:
        yield chain(found[1])


def _implied(conflict: Conflict, library: Library) -> _Implied:
    """The claim of the set that shows the factor, and the answer that the others imply in its place."""
    for denied in sorted(conflict.assertions, key=lambda one: not conflict.error.what.startswith(one.name)):
        others = {one.quantity: one.value for one in conflict.assertions if one is not denied}
        try:
            answer = library.solve(denied.quantity, **{**dict(conflict.scene.premises), **others})
        except DeriveError:
            continue
        says = read_value(denied.value).base[1]
        if answer.base and math.isclose(abs(math.log(answer.base / says)), math.log(conflict.factor), rel_tol=TOLD):
            return denied, answer
    return None
