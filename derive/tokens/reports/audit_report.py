"""The audit report: a half page on each claim, tables of all readings, a chart, and the conflicts of claims.

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
from derive.audit.text import summary
from derive.audit.verdicts import ClauseFinding, Conflict, Finding, Judgement, Ruling, Verdict, worst_first
from derive.errors import DeriveError
from derive.library import Library
from derive.presentation.charts import Axis, Chart, Series, Shade
from derive.presentation.document import Block, Formulas, Grid, Heading, Items, Text, verbatim
from derive.presentation.numbers import rounded_text
from derive.reports.formulas import chain, pencil
from derive.reports.template_words import AnswerText, number
from derive.solving.execution.answer import Answer
from derive.tolerances import TOLD
from quantities.value import read_value

_DIGITS = re.compile(r"\d+\.\d{6,}")
_SIDE = re.compile("^(?:at least|at most|more than|less than) ")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?) (\S+)")
_LONG = 1e7  # from which a number is written with an exponent
_STEPS = 4  # limit on steps of a derivation that is shown
_BESIDE = 4  # limit on readings of a claim that are told beside the natural ones


def half_page(finding: Finding) -> Iterator[Block]:
    """The audit report's half page on a claim: its verdict, its natural readings, and some of those beside them."""
    yield Heading(f"{verbatim(finding.claim.name)}: {finding.verdict}", 3)
    yield Text(f"{verbatim(finding.claim.said)}.")
    yield Text(f"Claimed: {verbatim(finding.claim.statement)}.")
    rows = tuple(_clause_row(clause) for clause in finding.clauses)
    yield Grid(("part", "read as", "computed", "claimed", "verdict"), rows, shares=(0.2, 0.27, 0.13, 0.13, 0.0))
    if finding.claim.plainly:
        yield Text(plain_sentences(finding))
    if finding.verdict is not Verdict.REPRODUCED:  # of what holds, the table has told it
        yield Text(f"Found: {verbatim(finding.why)}.")
    asked = finding.decides.weighed.asked
    if asked is not None and asked.answer is not None:
        yield _deciding_steps(asked.answer)
    beside = tuple(_readings_beside(finding))
    if beside:
        more = "" if is_told_whole(finding) else "; more in the appendix"
        yield Text(f"Read otherwise: {'; '.join(beside[:_BESIDE])}{more}.")


def plain_sentences(finding: Finding) -> str:
    """The audit report's plain sentences on a claim, with the numbers of the part that decides."""
    computed, claimed = (_in_words(_SIDE.sub("", number_text)) for number_text in finding.decides.weighed.on_page)
    template = finding.claim.plainly
    return verbatim(template).replace("{computed}", computed).replace("{claimed}", claimed)


def _in_words(text: str) -> str:
    """A number in the audit report's plain sentences, where counts are named in words."""
    amount = _AMOUNT.fullmatch(text)
    if amount is None:
        return verbatim(text)
    shown = number(float(amount[1]), amount[2])
    has_symbol = "mathrm" in shown  # a unit that has no word stands in mathematics
    return verbatim(text) if has_symbol else shown.replace("$", "")


def _deciding_steps(answer: Answer) -> Formulas:
    """The steps, or the last of many, of the answer that decides a claim in the audit report.

    Numbers that other answers handed on are cut to four digits.
    """

    def shorter(match: re.Match[str]) -> str:
        return rounded_text(float(match[0]), 4, _LONG)

    shown = chain(answer) if len(answer.steps) <= _STEPS else pencil(answer)
    return replace(shown, lines=tuple((lhs, _DIGITS.sub(shorter, rhs)) for lhs, rhs in shown.lines))


def is_told_whole(finding: Finding) -> bool:
    """Whether the audit report's half page on a claim tells all its readings."""
    is_short = len(finding.rulings) - len(finding.clauses) <= _BESIDE
    return is_short and not any(ruling.reading.each for ruling in finding.rulings)


def _clause_row(clause: ClauseFinding) -> tuple[str, ...]:
    """The row of a claim's clause in the table on its half page of the audit report."""
    natural = clause.natural
    words = natural.decides.words if natural.reading.each else natural.words
    cells = (clause.clause.words, words, *natural.decides.weighed.on_page, str(clause.verdict))
    return tuple(map(verbatim, cells))


def _readings_beside(finding: Finding) -> Iterator[str]:
    """The audit report's sentences on the other readings of a claim, first those that disagree in the verdict."""
    disagreeing: list[Ruling] = []
    agreeing: list[Ruling] = []
    for clause in finding.clauses:
        for ruling in clause.beside:
            (agreeing if ruling.verdict == clause.verdict else disagreeing).append(ruling)
    for ruling in (*disagreeing, *agreeing):
        computed, _ = ruling.decides.weighed.on_page
        yield f"{verbatim(ruling.decides.words)}, {verbatim(computed)}: {ruling.verdict}"


def readings_table(finding: Finding) -> Iterator[Block]:
    """The audit report's table of all readings of a claim: what each computes, its verdict, what would mend it.

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
        yield from (_profiles_of_reading(ruling) for ruling in clause.rulings if ruling.reading.each)


def _reading_rows(clause: ClauseFinding, is_part: bool) -> Iterator[tuple[str, ...]]:
    """The rows of a clause's readings in the audit report; of several clauses, the first row names the clause."""
    for ruling in clause.rulings:
        own_words = _reading_words(ruling)
        words = own_words or clause.clause.words
        if is_part and ruling is clause.natural and own_words:
            words = f"{clause.clause.words}: {own_words}"
        change = ruling.decides.change
        cells = (words, *ruling.decides.weighed.on_page, str(ruling.verdict), str(change or ""))
        yield tuple(map(verbatim, cells))


def _reading_words(ruling: Ruling) -> str:
    """The words of a claim's reading in the audit report; of one for many profiles, also how many of these hold."""
    if not ruling.reading.each:
        return ruling.words
    return f"{ruling.decides.words} ({ruling.holding})"


def _profiles_of_reading(ruling: Ruling) -> Text:
    """The audit report's paragraph on what each profile says in one reading; equal results stand together."""
    profiles: dict[str, list[str]] = {}
    for judgement in ruling.ranked:
        computed, _ = judgement.weighed.on_page
        profiles.setdefault(computed, []).append(judgement.words.removeprefix(ruling.words).strip())
    listed = "; ".join(f"{computed} by {', '.join(names)}" for computed, names in profiles.items())
    return Text(verbatim(f"{ruling.words.rstrip(':')}: {listed}."))


_KEY = re.compile(r"(?<![\w/])[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?::[a-z0-9]+)?(?![\w/-])")
_MAKER = re.compile(r"(?:NVIDIA (?:GeForce )?|AMD |Google (?=TPU)|AWS (?=Train)|\w+ prices: )")


def title_writer(library: Library) -> Callable[[str], str]:
    """The function that writes readable names of profiles for their keys in a text of the audit report.

    >>> from derive.tokens.relations import library
    >>> title_writer(library())("from h100-sxm:fp8 to rubin-r200: gemini-3-1-pro-prices")
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


def with_titles_for_keys(blocks: Iterable[Block], named: Callable[[str], str]) -> Iterator[Block]:
    """The blocks of the audit report on claims, with readable names in place of the keys of profiles."""
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


def audit_words(findings: Sequence[Finding], conflicts: Sequence[Conflict], library: Library) -> Mapping[str, Any]:
    """The words that the audit report's template may use of an audit's findings and conflicts."""
    with_titles = title_writer(library)
    implied = {conflict: _implied_answer(conflict, library) for conflict in conflicts}

    def shown(blocks: Iterable[Block]) -> tuple[Block, ...]:
        return tuple(with_titles_for_keys(blocks, with_titles))

    return {
        "bearing": BEARING,
        "summary": verbatim(summary(findings)),
        "at_a_glance": shown(_at_a_glance(findings)),
        "clashing": shown([_conflict_table(implied)]),
        "chart": _chart(worst_first(findings)),
        "claims": [shown(half_page(finding)) for finding in worst_first(findings)],
        "in_full": [shown(readings_table(finding)) for finding in findings if not is_told_whole(finding)],
        "conflicts": [shown(_conflict_blocks(conflict, denial)) for conflict, denial in implied.items()],
    }


def _at_a_glance(findings: Sequence[Finding]) -> Iterator[Block]:
    """The audit report's table for each verdict, the worst first, with a row for each claim.

    Sentences above the table tell what fails.
    """
    for verdict in reversed(Verdict):
        of_verdict = [finding for finding in worst_first(findings) if finding.verdict is verdict]
        if not of_verdict:
            continue
        yield Heading(f"{str(verdict).capitalize()}{_MEANS.get(verdict, '')}: {len(of_verdict)}", 3)
        worded = [finding for finding in of_verdict if finding.claim.plainly]
        sentences = tuple(f"*{verbatim(finding.claim.name)}* {plain_sentences(finding)}" for finding in worded)
        if sentences and verdict > Verdict.ROUNDED:
            yield Items(sentences)
        header = ("", "claim", "what decides", *_FOUND)
        if verdict is Verdict.REPRODUCED:
            yield Grid(header, tuple(map(_claim_cells, of_verdict)), shares=(0.0, 0.27, 0.31, 0.14, 0.14))
        else:
            shares = (0.0, 0.23, 0.27, 0.12, 0.12, 0.0)
            yield Grid((*header, "off by"), tuple(map(_failing_claim_cells, of_verdict)), shares=shares)


def _claim_cells(finding: Finding) -> tuple[str, ...]:
    """The cells of a claim in the audit report's table for its verdict: name, statement, reading and numbers."""
    claim, brief = finding.claim, finding.decides.weighed.on_page
    return tuple(map(verbatim, (claim.name, claim.brief or claim.statement, finding.reading, *brief)))


def _failing_claim_cells(finding: Finding) -> tuple[str, ...]:
    """The cells of a claim that fails in the audit report's table, the last with the factor by which it is off."""
    if not math.isfinite(finding.off):
        return *_claim_cells(finding), "wrong direction"
    return *_claim_cells(finding), f"{number(finding.off, digits=3 if finding.off < 10 else 2)} times"


def _conflict_table(implied: Mapping[Conflict, _Implied]) -> Grid:
    """The audit report's table of claims in conflict: what one of them says, and what the others imply."""
    header = ("claims", "what they speak of", "one says", "the others imply", "apart by")
    rows = []
    for conflict in sorted(implied, key=lambda conflict: -conflict.factor):
        one_says, others_imply = "", ""
        denial = implied[conflict]
        if denial is not None:
            denied, answer = denial
            one_says, others_imply = _denied_claim(denied, answer), AnswerText.of(answer, 3)
        claims, scene = ", ".join(conflict.claims), verbatim(conflict.scene.words)
        rows.append((claims, scene, one_says, others_imply, f"{number(conflict.factor)} times"))
    return Grid(header, tuple(rows), shares=(0.09, 0.2, 0.26, 0.18, 0.0))


def _chart(findings: Sequence[Finding]) -> Chart:
    """The audit report's chart: of each natural reading, what is claimed over what is computed."""
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
    """The claimed number over the computed one in the audit report's chart; None where the reading has no amount."""
    weighed = judgement.weighed
    if weighed.base is None or weighed.reading.response_to:
        return None
    return weighed.result.ratio if 0 < weighed.result.ratio < float("inf") else None


def _denied_claim(denied: Assertion, implied: Answer) -> str:
    """The audit report's words for what a claim in conflict says of the quantity that the others imply.

    >>> from derive.tokens.relations import library
    >>> _denied_claim(Assertion("C06", "step_rate", "64 1/s"), library().solve("step_rate", step_time="20 ms"))
    'C06: steps each second, 64/s'
    """
    meaning = re.split("[;:] ", implied.quantity.meaning)[0] or denied.quantity.replace("_", " ")
    return verbatim(f"{denied.claim}: {meaning}, {denied.value.replace(' 1/', '/')}")


def _conflict_blocks(conflict: Conflict, denial: _Implied) -> Iterator[Block]:
    """The audit report on one conflict of claims: what they say, what is taken to hold, and the derivation."""
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


def _implied_answer(conflict: Conflict, library: Library) -> _Implied:
    """The claim that shows the factor of a conflict in the audit report, and the answer that the others imply."""
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
