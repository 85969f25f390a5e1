"""An inference as a table, as derivations, and as plain data; several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

from derive.presentation import numbers, text
from derive.presentation.cautions import in_a_row
from derive.presentation.numbers import rounded_text, with_prefix, with_unit
from derive.presentation.plain_data import answer_data, attributes, finite_data
from derive.tokens.price_sheets.sheets import QUESTIONS
from quantities.units import Unit

if TYPE_CHECKING:
    from derive.tokens.price_sheets.inference import Conclusion, Contradiction, Inference, MissingConclusion

DIGITS = 3
"""Digits of a conclusion by default."""

_LONG = 1e4  # from which a number has a prefix
_WRITTEN_OUT = 1e6  # below which a number has no exponent


def shown(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """A number of an inference as text, from base units to a unit or a multiple of it.

    >>> from quantities.spelling import parse_unit
    >>> shown(1692.857, parse_unit("byte/token")), shown(1.07e12, parse_unit("parameter")), shown(0.125, parse_unit(""))
    ('1690 byte/token', '1.07 Tparameter', '0.125')
    """
    if isinf(unit.from_base(base)):
        return "any number"
    number, text = with_prefix(unit.from_base(base), unit.shown, _LONG)
    return with_unit(rounded_text(number, digits, _WRITTEN_OUT), text)


def as_text(inference: Inference, digits: int = DIGITS) -> str:
    """An inference as text, subject by subject, with its contradictions and what the price sheet does not say."""
    headline = f"{inference.sheet}: {inference.title}" if inference.title else inference.sheet
    subjects = dict.fromkeys(conclusion.question.subject for conclusion in inference.conclusions)
    sections = [text.Section(subject, _rows(inference, subject, digits)) for subject in subjects]
    sections.append(text.Section("Its prices contradict each other", [*map(_clash_text, inference.contradictions)]))
    lacking: dict[str, list[str]] = {}
    for missing in inference.missing:
        lacking.setdefault(_reason_missing(missing), []).append(missing.quantity.name)
    rows = [f"{', '.join(names)}: {reason}" for reason, names in lacking.items()]
    return text.Document(headline=headline, sections=(*sections, text.Section("It does not say", rows))).text


def _rows(inference: Inference, subject: str, digits: int) -> Iterator[str]:
    """The lines of an inference on a subject: value, words and name of each conclusion, then range and assumptions."""
    rows = [conclusion for conclusion in inference.conclusions if conclusion.question.subject == subject]
    values = [_at_reference(conclusion, digits) for conclusion in rows]
    width, words_width = max(map(len, values)), max(len(conclusion.question.says) for conclusion in rows)
    for conclusion, value in zip(rows, values, strict=True):
        yield f"{value:<{width}}  {conclusion.question.says:<{words_width}}  {conclusion.quantity.name}"
        if where := _where(conclusion, digits):
            yield f"{'':<{width}}    {where}"
        if conclusion.question.assuming:
            yield f"{'':<{width}}    if {in_a_row(conclusion.question.assuming)}"


def _where(conclusion: Conclusion, digits: int) -> str:
    """The text beside a value in an inference's table: the choice behind it, and how far the others move it."""
    low, high = (shown(end, conclusion.quantity.unit, digits) for end in conclusion.bounds)
    on = f"on {conclusion.reference}" if str(conclusion.reference) else ""
    if str(conclusion.passed_over):
        on += f", since {conclusion.passed_over} does not say"
    if low == high or conclusion.answer.base is None:
        return on
    low_at, high_at = (f" ({place})" if str(place) else "" for place in (conclusion.low_at, conclusion.high_at))
    return f"{on}; from {low}{low_at} to {high}{high_at}".removeprefix("; ")


def as_steps(inference: Inference, digits: int | None = None) -> str:
    """An inference as derivations: each conclusion with its steps, its assumptions and what would refute it."""
    parts = []
    for conclusion in inference.conclusions:
        low, high = (shown(end, conclusion.quantity.unit, digits or DIGITS) for end in conclusion.bounds)
        taken = [assumption for assumption in conclusion.assumptions if assumption not in conclusion.answer.assumptions]
        lines = [
            conclusion.meaning,
            conclusion.answer.text(digits or numbers.DIGITS),
            *text.Section("taken", taken or ["nothing"]).lines,
        ]
        if str(conclusion.reference):
            lines += ["", f"range over chips and sizes: {low} ({conclusion.low_at}) to {high} ({conclusion.high_at})"]
        lines += text.Section("refuted by", conclusion.refuted_by).lines
        parts.append("\n".join(lines))
    return "\n\n\n".join(parts)


def side_by_side(inferences: Sequence[Inference], digits: int = DIGITS) -> list[tuple[str, ...]]:
    """Several inferences as one table, a conclusion a column; the last one counts the contradictions."""
    rows, names = [], [question.target for question in QUESTIONS if question.compared]
    for inference in inferences:
        cells = (_at_reference(inference[name], digits) if name in inference else "" for name in names)
        rows.append((inference.sheet, *cells, str(len(inference.contradictions))))
    return [("sheet", *names, "contradictions"), *rows]


def points(inferences: Iterable[Inference], target: str) -> list[tuple[str, float, float, float]]:
    """Several inferences as points of a figure for one conclusion: sheet, low, value and high in its declared unit."""
    rows = []
    for inference in inferences:
        base = inference[target].answer.base if target in inference else None
        if base is not None:
            conclusion, unit = inference[target], inference[target].quantity.unit
            low, value, high = map(unit.from_base, (conclusion.bounds[0], base, conclusion.bounds[1]))
            rows.append((inference.sheet, low, value, high))
    return rows


def as_data(inference: Inference) -> dict[str, Any]:
    """An inference as plain data, beside its text: the schema of `derive infer --json`."""
    return {
        **attributes(inference, "sheet", "title"),
        "prices": {name: str(value) for name, value in inference.prices.items()},
        "conclusions": [_conclusion_data(conclusion) for conclusion in inference.conclusions],
        "contradictions": [
            {**attributes(clash, "prices", "text", "everywhere"), "answer": answer_data(clash.answer)}
            for clash in inference.contradictions
        ],
        "missing": [
            {"quantity": missing.quantity.name, **attributes(missing, "needs", "reason")}
            for missing in inference.missing
        ],
    }


def _at_reference(conclusion: Conclusion, digits: int) -> str:
    unit = conclusion.quantity.unit
    if conclusion.answer.base is not None:
        return f"{conclusion.question.bound} {shown(conclusion.answer.base, unit, digits)}".lstrip()
    low, high = conclusion.bounds
    return f"at most {shown(high, unit, digits)}" if isfinite(high) else f"at least {shown(low, unit, digits)}"


def _clash_text(clash: Contradiction) -> str:
    where = "" if clash.everywhere else " (at the reference; other chips or sizes close the gap)"
    return f"{' and '.join(clash.prices)}: {clash.text}{where}"


def _reason_missing(missing: MissingConclusion) -> str:
    return f"give {' and '.join(missing.needs)}" if missing.needs else missing.reason


def _conclusion_data(conclusion: Conclusion) -> dict[str, Any]:
    """A conclusion in the plain data of an inference, with its range, its assumptions and its answer."""
    low, high = (conclusion.quantity.unit.from_base(end) for end in conclusion.bounds)
    return {
        "quantity": conclusion.quantity.name,
        "meaning": conclusion.meaning,
        **attributes(conclusion.question, "subject", "says", "bound"),
        "low": finite_data(low),
        "high": finite_data(high),
        "at": str(conclusion.reference),
        "low_at": str(conclusion.low_at),
        "high_at": str(conclusion.high_at),
        "passed_over": str(conclusion.passed_over),
        **attributes(conclusion, "assumptions", "refuted_by"),
        "answer": answer_data(conclusion.answer),
    }
