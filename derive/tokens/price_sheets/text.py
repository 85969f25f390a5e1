"""An inference as a table, as derivations, and as plain data; several side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isinf
from typing import TYPE_CHECKING, Any

from derive.presentation import numbers, text
from derive.presentation.failed_checks import in_a_row
from derive.presentation.numbers import attributes, finite, prefixed, rounded, spelled, with_unit
from derive.tokens.price_sheets.sheets import QUESTIONS
from quantities.units import Unit

if TYPE_CHECKING:
    from derive.tokens.price_sheets.oracle import Conclusion, Contradiction, Inference, Missing

DIGITS = 3
"""Digits of a conclusion by default."""

_LONG = 1e4  # from which a number has a prefix
_WRITTEN_OUT = 1e6  # below which a number has no exponent


def shown(base: float, unit: Unit, digits: int = DIGITS) -> str:
    """A number in base units in a unit, or in a multiple of it.

    >>> from quantities.spelling import parse_unit
    >>> shown(1692.857, parse_unit("byte/token")), shown(1.07e12, parse_unit("parameter")), shown(0.125, parse_unit(""))
    ('1690 byte/token', '1.07 Tparameter', '0.125')
    """
    if isinf(unit.from_base(base)):
        return "any number"
    number, text = prefixed(unit.from_base(base), spelled(unit), _LONG)
    return with_unit(rounded(number, digits, _WRITTEN_OUT), text)


def as_text(found: Inference, digits: int = DIGITS) -> str:
    """What a sheet implies: subject by subject with its assumptions, its contradictions, and what it does not say."""
    lines = [f"{found.sheet}: {found.title}" if found.title else found.sheet]
    for subject in dict.fromkeys(one.question.subject for one in found.conclusions):
        lines += text.Section(subject, _rows(found, subject, digits)).lines
    if found.contradictions:
        lines += text.Section("Its prices contradict each other", map(_said, found.contradictions)).lines
    lacking: dict[str, list[str]] = {}
    for missing in found.missing:
        lacking.setdefault(_reason(missing), []).append(missing.quantity.name)
    if lacking:
        rows = (f"{', '.join(names)}: {reason}" for reason, names in lacking.items())
        lines += text.Section("It does not say", rows).lines
    return "\n".join(lines)


def _rows(found: Inference, subject: str, digits: int) -> Iterator[str]:
    """The conclusions on a subject: value, words and name in a line, and below it the range and the assumptions."""
    rows = [one for one in found.conclusions if one.question.subject == subject]
    values = [_at_reference(one, digits) for one in rows]
    width, said = max(map(len, values)), max(len(one.question.says) for one in rows)
    for one, value in zip(rows, values, strict=True):
        yield f"{value:<{width}}  {one.question.says:<{said}}  {one.quantity.name}"
        if where := _where(one, digits):
            yield f"{'':<{width}}    {where}"
        if one.question.assuming:
            yield f"{'':<{width}}    if {in_a_row(one.question.assuming)}"


def _where(one: Conclusion, digits: int) -> str:
    """The choice behind a value, and how far the others move it."""
    low, high = (shown(end, one.quantity.unit, digits) for end in one.bounds)
    on = f"on {one.reference}" if str(one.reference) else ""
    on += f", since {one.passed_over} does not say" if str(one.passed_over) else ""
    if low == high or one.answer.base is None:
        return on
    places = [f" ({place})" if str(place) else "" for place in (one.low_at, one.high_at)]
    return f"{on}; from {low}{places[0]} to {high}{places[1]}".removeprefix("; ")


def as_steps(found: Inference, digits: int | None = None) -> str:
    """Each conclusion with its derivation, its assumptions and what would refute it."""
    parts = []
    for one in found.conclusions:
        low, high = (shown(end, one.quantity.unit, digits or DIGITS) for end in one.bounds)
        taken = [assumption for assumption in one.assumptions if assumption not in one.answer.assumptions]
        lines = [
            one.meaning,
            one.answer.text(digits or numbers.DIGITS),
            *text.Section("taken", taken or ["nothing"]).lines,
        ]
        if str(one.reference):
            lines += ["", f"range over chips and sizes: {low} ({one.low_at}) to {high} ({one.high_at})"]
        lines += text.Section("refuted by", one.refuted_by).lines
        parts.append("\n".join(lines))
    return "\n\n\n".join(parts)


def side_by_side(many: Sequence[Inference], digits: int = DIGITS) -> list[tuple[str, ...]]:
    """Several sheets under one header, a conclusion a column; the last one counts their contradictions."""
    rows, names = [], [question.target for question in QUESTIONS if question.compared]
    for found in many:
        cells = (_at_reference(found[name], digits) if name in found else "" for name in names)
        rows.append((found.sheet, *cells, str(len(found.contradictions))))
    return [("sheet", *names, "contradictions"), *rows]


def points(many: Iterable[Inference], target: str) -> list[tuple[str, float, float, float]]:
    """Sheet, low, value and high of one conclusion in its declared unit, for a figure."""
    rows = []
    for found in many:
        base = found[target].answer.base if target in found else None
        if base is not None:
            one, unit = found[target], found[target].quantity.unit
            low, value, high = map(unit.from_base, (one.bounds[0], base, one.bounds[1]))
            rows.append((found.sheet, low, value, high))
    return rows


def as_data(found: Inference) -> dict[str, Any]:
    """An inference as plain data: the schema of `derive infer --json`."""
    return {
        **attributes(found, "sheet", "title"),
        "prices": {name: str(value) for name, value in found.prices.items()},
        "conclusions": [_conclusion_data(conclusion) for conclusion in found.conclusions],
        "contradictions": [
            {**attributes(one, "prices", "text", "everywhere"), "answer": text.as_data(one.answer)}
            for one in found.contradictions
        ],
        "missing": [{"quantity": one.quantity.name, **attributes(one, "needs", "reason")} for one in found.missing],
    }


def _at_reference(one: Conclusion, digits: int) -> str:
    unit = one.quantity.unit
    if one.answer.base is not None:
        return f"{one.question.bound} {shown(one.answer.base, unit, digits)}".lstrip()
    low, high = one.bounds
    return f"at most {shown(high, unit, digits)}" if isfinite(high) else f"at least {shown(low, unit, digits)}"


def _said(one: Contradiction) -> str:
    where = "" if one.everywhere else " (at the reference; other chips or sizes close the gap)"
    return f"{' and '.join(one.prices)}: {one.text}{where}"


def _reason(missing: Missing) -> str:
    return f"give {' and '.join(missing.needs)}" if missing.needs else missing.reason


def _conclusion_data(one: Conclusion) -> dict[str, Any]:
    low, high = (one.quantity.unit.from_base(end) for end in one.bounds)
    return {
        "quantity": one.quantity.name,
        "meaning": one.meaning,
        **attributes(one.question, "subject", "says", "bound"),
        "low": finite(low),
        "high": finite(high),
        "at": str(one.reference),
        "low_at": str(one.low_at),
        "high_at": str(one.high_at),
        "passed_over": str(one.passed_over),
        **attributes(one, "assumptions", "refuted_by"),
        "answer": text.as_data(one.answer),
    }
