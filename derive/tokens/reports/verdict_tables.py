"""The findings of an audit for its report: what is read first, then each claim, then all that stands behind it.

A claim has half a page: who said it, its parts, the arithmetic that decides, other readings. Where that leaves
readings out, the appendix has all of them in one table.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from derive.audit.claim import BEARING, Assertion
from derive.audit.conflicts import Conflict
from derive.audit.text import summary
from derive.audit.verdicts import ClauseFinding, Finding, Judgement, Ruling, Verdict, worst_first
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.charts import Axis, Chart, Series, Shade
from derive.presentation.document import Block, Formulas, Grid, Heading, Items, Text, verbatim
from derive.presentation.numbers import rounded
from derive.reports.formulas import chain, pencil
from derive.reports.vocabulary import AnswerText, number
from derive.solving.execution.answer import Answer
from derive.tolerances import TOLD
from quantities.value import read_value

_DIGITS = re.compile(r"\d+\.\d{6,}")
_SIDE = re.compile("^(?:at least|at most|more than|less than) ")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) (\S+)")
_LONG = 1e7  # from which a number is written with an exponent
_STEPS = 4  # limit on steps of a derivation that is shown
_BESIDE = 4  # limit on readings of a claim that are told beside the natural ones


def in_short(finding: Finding) -> Iterator[Block]:
    """The report's half page on a claim: its verdict, its natural readings, and some of those beside them."""
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
    """What a claim says and what it comes to, in a plain sentence or two, with the numbers of the part that decides."""
    computed, claimed = (_worded(_SIDE.sub("", number_text)) for number_text in finding.decides.weighed.on_page)
    template = finding.claim.plainly
    return verbatim(template).replace("{computed}", computed).replace("{claimed}", claimed)


def _worded(text: str) -> str:
    """A number of a finding as a sentence has it: counts are named in words."""
    amount = _AMOUNT.fullmatch(text)
    shown = number(float(amount[1]), amount[2]) if amount else ""
    return verbatim(text) if not shown or "mathrm" in shown else shown.replace("$", "")


def _arithmetic(answer: Answer) -> Formulas:
    """The steps of an answer that decides a claim, or the last of many.

    They are without the needless digits of what other answers handed on.
    """
    shown = chain(answer) if len(answer.steps) <= _STEPS else pencil(answer)
    lines = [(lhs, _DIGITS.sub(lambda match: rounded(float(match[0]), 4, _LONG), rhs)) for lhs, rhs in shown.lines]
    return replace(shown, lines=tuple(lines))


def is_whole(finding: Finding) -> bool:
    """Whether the report's half page on a claim tells all its readings."""
    is_short = len(finding.rulings) - len(finding.clauses) <= _BESIDE
    return is_short and not any(ruling.reading.each for ruling in finding.rulings)


def _row(clause: ClauseFinding) -> tuple[str, ...]:
    natural = clause.natural
    words = natural.decides.words if natural.reading.each else natural.words
    cells = (clause.clause.words, words, *natural.decides.weighed.on_page, str(clause.verdict))
    return tuple(map(verbatim, cells))


def _beside(finding: Finding) -> Iterator[str]:
    """The readings beside the natural ones of a claim, first those that come to another verdict than theirs."""
    disagreeing: list[Ruling] = []
    agreeing: list[Ruling] = []
    for clause in finding.clauses:
        for ruling in clause.beside:
            (agreeing if ruling.verdict == clause.verdict else disagreeing).append(ruling)
    for ruling in (*disagreeing, *agreeing):
        computed, _ = ruling.decides.weighed.on_page
        yield f"{verbatim(ruling.decides.words)}, {verbatim(computed)}: {ruling.verdict}"


def all_readings(finding: Finding) -> Iterator[Block]:
    """All readings of a claim in a table: what each computes, its verdict, and what would make it hold.

    The natural reading of each part comes first. Below the table, what many profiles say one by one.
    """
    yield Heading(f"All readings of {verbatim(finding.claim.name)}", 3)
    is_part = len(finding.clauses) > 1
    rows: list[tuple[str, ...]] = []
    for clause in finding.clauses:
        rows += _reading_rows(clause, is_part)
    header = ("reading", "computed", "claimed", "verdict", "would hold if")
    yield Grid(header, tuple(rows), shares=(0.33, 0.1, 0.11, 0.12, 0.27))
    for clause in finding.clauses:
        yield from (_one_by_one(ruling) for ruling in clause.rulings if ruling.reading.each)


def _reading_rows(clause: ClauseFinding, is_part: bool) -> Iterator[tuple[str, ...]]:
    """The table rows of the readings of a clause; if the claim has several parts, the first row names the clause."""
    for ruling in clause.rulings:
        own_words = _reading_words(ruling)
        words = own_words or clause.clause.words
        if is_part and ruling is clause.natural and own_words:
            words = f"{clause.clause.words}: {own_words}"
        change = ruling.decides.change
        cells = (words, *ruling.decides.weighed.on_page, str(ruling.verdict), str(change or ""))
        yield tuple(map(verbatim, cells))


def _reading_words(ruling: Ruling) -> str:
    """The words of a claim's reading; of one for many profiles, how many of these hold, and the one that decides."""
    if not ruling.reading.each:
        return ruling.words
    return f"{ruling.decides.words} ({ruling.holding})"


def _one_by_one(ruling: Ruling) -> Text:
    """What each profile says in one reading of a claim, those first that hold, and those together that say the same."""
    profiles: dict[str, list[str]] = {}
    for judgement in ruling.ranked:
        computed, _ = judgement.weighed.on_page
        profiles.setdefault(computed, []).append(judgement.words.removeprefix(ruling.words).strip())
    listed = "; ".join(f"{computed} by {', '.join(names)}" for computed, names in profiles.items())
    return Text(verbatim(f"{ruling.words.rstrip(':')}: {listed}."))


_KEY = re.compile(r"(?<![\w/])[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?::[a-z0-9]+)?(?![\w/-])")
_MAKER = re.compile(r"(?:NVIDIA (?:GeForce )?|AMD |Google (?=TPU)|AWS (?=Train)|\w+ prices: )")


def displayed(library: Library) -> Callable[[str], str]:
    """A function that puts names for the keys of a library's profiles in a text of the report.

    >>> from derive.tokens.relations import library
    >>> displayed(library())("from h100-sxm:fp8 to rubin-r200: gemini-3-1-pro-prices")
    'from H100 SXM5 80GB in FP8 to Rubin R200 / VR200: prices of Gemini 3.1 Pro preview'
    """
    titles = {key: profile.title for key, profile in library.profiles.items() if profile.title and ":" not in key}
    full = {key: _MAKER.sub("", re.sub(r" \([^()]*\)", "", title)) for key, title in titles.items()}
    short = {key: title.partition(",")[0] for key, title in full.items()}
    times = Counter(short.values())
    names = {key: name if times[name] == 1 else full[key] for key, name in short.items()}

    def named(match: re.Match[str]) -> str:
        key, _, precision = match[0].partition(":")
        if key not in names:
            return match[0]
        name = f"prices of {names[key]}" if key.endswith("-prices") else names[key]
        return f"{name} in {precision.upper()}" if precision else name

    return lambda text: _KEY.sub(named, text)


def with_names(blocks: Iterable[Block], named: Callable[[str], str]) -> Iterator[Block]:
    """The blocks of a report with names in their words for the keys of profiles."""
    for block in blocks:
        match block:
            case Text() | Heading():
                yield replace(block, words=named(block.words))
            case Grid():
                yield replace(block, rows=tuple(tuple(map(named, row)) for row in block.rows))
            case _:
                yield block


_COLORS = {Verdict.REPRODUCED: 2, Verdict.ROUNDED: 0, Verdict.HOLDS_IF: 4, Verdict.CONTRADICTED: 1}
_FOUND = ("computed", "claimed")
_MEANS = {Verdict.HOLDS_IF: ", but holds with another input"}  # what a verdict's name leaves unsaid
_ROW = 0.17  # inches that a claim has in the picture

_Implied = tuple[Assertion, Answer] | None
"""What one claim of a set says, and the answer that the others imply in its place; None if it takes more than that."""


def verdicts(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Mapping[str, Any]:
    """The words that a report's template may use of the findings and conflicts of an audit."""
    with_titles = displayed(library)
    implied = {conflict: _implied(conflict, library) for conflict in conflicts}

    def shown(blocks: Iterable[Block]) -> tuple[Block, ...]:
        return tuple(with_names(blocks, with_titles))

    return {
        "bearing": BEARING,
        "summary": verbatim(summary(findings)),
        "at_a_glance": shown(_at_a_glance(findings)),
        "clashing": shown([_clashing(implied)]),
        "chart": _chart(worst_first(findings)),
        "claims": [shown(in_short(finding)) for finding in worst_first(findings)],
        "in_full": [shown(all_readings(finding)) for finding in findings if not is_whole(finding)],
        "conflicts": [shown(_clash(conflict, denial)) for conflict, denial in implied.items()],
    }


def _at_a_glance(findings: Sequence[Finding]) -> Iterator[Block]:
    """The report's table for each verdict, the worst first, with a row for each claim.

    Sentences above the table tell what fails.
    """
    for verdict in reversed(Verdict):
        of_verdict = [finding for finding in worst_first(findings) if finding.verdict is verdict]
        if not of_verdict:
            continue
        yield Heading(f"{str(verdict).capitalize()}{_MEANS.get(verdict, '')}: {len(of_verdict)}", 3)
        worded = [finding for finding in of_verdict if finding.claim.plainly]
        sentences = tuple(f"*{verbatim(finding.claim.name)}* {plainly(finding)}" for finding in worded)
        if sentences and verdict > Verdict.ROUNDED:
            yield Items(sentences)
        header = ("", "claim", "what decides", *_FOUND)
        if verdict is Verdict.REPRODUCED:
            yield Grid(header, tuple(map(_holding, of_verdict)), shares=(0.0, 0.27, 0.31, 0.14, 0.14))
        else:
            shares = (0.0, 0.23, 0.27, 0.12, 0.12, 0.0)
            yield Grid((*header, "off by"), tuple(map(_failing, of_verdict)), shares=shares)


def _holding(finding: Finding) -> tuple[str, ...]:
    claim, brief = finding.claim, finding.decides.weighed.on_page
    return tuple(map(verbatim, (claim.name, claim.brief or claim.statement, finding.reading, *brief)))


def _failing(finding: Finding) -> tuple[str, ...]:
    times = f"{number(finding.off, digits=3 if finding.off < 10 else 2)} times"
    return *_holding(finding), times if math.isfinite(finding.off) else "wrong direction"


def _clashing(implied: Mapping[Conflict, _Implied]) -> Grid:
    """The table of claims in conflict, those farthest apart first: what one says, and what the others imply."""
    header = ("claims", "what they speak of", "one says", "the others imply", "apart by")
    rows = []
    for conflict in sorted(implied, key=lambda conflict: -conflict.factor):
        one_says, others_imply = "", ""
        if (denial := implied[conflict]) is not None:
            denied, answer = denial
            one_says, others_imply = _as_claimed(denied, answer), AnswerText.of(answer, 3)
        claims, scene = ", ".join(conflict.claims), verbatim(conflict.scene.words)
        rows.append((claims, scene, one_says, others_imply, f"{number(conflict.factor)} times"))
    return Grid(header, tuple(rows), shares=(0.09, 0.2, 0.26, 0.18, 0.0))


def _chart(findings: Sequence[Finding]) -> Chart:
    """The chart of an audit: all natural readings with a number, as what is claimed over what is computed."""
    series = []
    for verdict, color in _COLORS.items():
        ratios, places = [], []
        for row, finding in enumerate(findings):
            for clause in finding.clauses:
                ratio = _ratio(clause.natural.decides)
                if clause.verdict is verdict and ratio is not None:
                    ratios.append(ratio)
                    places.append(row)
        if ratios:
            series.append(Series.of(ratios, places, str(verdict), style="points", color=color))
    return Chart(
        Axis("claimed over computed", log=True),
        Axis("", names=tuple(finding.claim.name for finding in findings)),
        tuple(series),
        shades=(Shade(1 / BEARING, BEARING, "the tolerance of a spoken number"),),
        height=1 + _ROW * len(findings),
    )


def _ratio(judgement: Judgement) -> float | None:
    """The claimed number of a judged reading over the computed one; None if the reading does not yield an amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    return weighed.met.ratio if 0 < weighed.met.ratio < float("inf") else None


def _as_claimed(denied: Assertion, implied: Answer) -> str:
    """What a claim in conflict says of the quantity for which the others imply an answer.

    >>> from derive.tokens.relations import library
    >>> _as_claimed(Assertion("C06", "step_rate", "64 1/s"), library().solve("step_rate", step_time="20 ms"))
    'C06: steps each second, 64/s'
    """
    meaning = re.split("[;:] ", implied.quantity.meaning)[0] or denied.quantity.replace("_", " ")
    return verbatim(f"{denied.claim}: {meaning}, {denied.value.replace(' 1/', '/')}")


def _clash(conflict: Conflict, denial: _Implied) -> Iterator[Block]:
    """The report on a conflict of claims: what they say, what is taken to hold, and the derivation that denies it."""
    apart = number(conflict.factor)
    assertions = [f"{each.claim} `{each.quantity}` = {verbatim(each.value)}" for each in conflict.assertions]
    taken = ", ".join(f"`{name}` = {verbatim(value)}" for name, value in conflict.scene.premises)
    implied = verbatim(str(conflict.error))
    if denial is not None:
        denied, answer = denial
        implied = f"Of `{denied.quantity}`, the others imply {AnswerText.of(answer, 4)}: apart by a factor of {apart}."
    yield Heading(f"{verbatim(conflict.scene.words)}: {' and '.join(conflict.claims)}", 3)
    premises = f" Taken to hold: {taken}." if taken else ""
    yield Text(f"Said: {', '.join(assertions)}.{premises} {implied}")
    if denial is not None:
        yield chain(answer)


def _implied(conflict: Conflict, library: Library) -> _Implied:
    """The claim in a conflict that shows its factor, and the answer that the others imply in its place."""
    for denied in sorted(conflict.assertions, key=lambda assertion: not conflict.error.what.startswith(assertion.name)):
        others = {assertion.quantity: assertion.value for assertion in conflict.assertions if assertion is not denied}
        try:
            answer = library.solve(denied.quantity, **{**dict(conflict.scene.premises), **others})
        except DeriveError:
            continue
        says = read_value(denied.value).base[1]
        if answer.base and math.isclose(abs(math.log(answer.base / says)), math.log(conflict.factor), rel_tol=TOLD):
            return denied, answer
    return None
