"""Everything that a price sheet implies, its contradictions among it, and the same for all sheets of the catalogue.

A conclusion is a question put to a sheet for every choice that its answer depends on. It is refuted by
measurements outside its range, and by a chip or a model beyond the limits that the range sets. For these, each lever of
the question is solved for at each end of the range: with all else at the reference, a value beyond them would give an
answer outside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf, isfinite, log
from pathlib import Path
from typing import Any, TypeVar

from derive.errors import NOES, DeriveError, NoSolutionError, UnderdeterminedError
from derive.presentation.numbers import in_unit
from derive.solving.execution.answer import Answer
from derive.tables.progress import watched
from derive.tokens.price_sheets.sheets import (
    KEYS,
    QUESTIONS,
    TENSIONS,
    Asker,
    Chosen,
    SheetQuestion,
    Span,
    Tension,
    ends,
    plausible,
    read_sheet,
    sheet_names,
    stated,
)
from derive.tokens.price_sheets.text import shown
from derive.tokens.relations import library
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration
from quantities.facts import Profile
from quantities.value import Source, Value

__all__ = ["Choice", "Conclusion", "Contradiction", "Inference", "Missing", "conclude", "gap_text", "infer", "survey"]


@dataclass(frozen=True)
class Choice:
    """What was chosen where a sheet says nothing: a chip, a model's size, a memory tier; empty if it has no effect."""

    chip: str = ""
    size: str = ""
    tier: str = ""

    def __str__(self) -> str:
        return ", ".join(name for name in (self.chip, self.size, self.tier) if name)


@dataclass(frozen=True)
class Conclusion:
    """What prices say of one quantity: an answer at the reference choice, and how far it moves over all of them."""

    question: SheetQuestion
    quantity: Declaration
    answer: Answer
    bounds: tuple[float, float]  # in base units, over all choices and all ranges of their values
    reference: Choice
    low_at: Choice
    high_at: Choice
    passed_over: Choice  # what stands before the reference and does not determine the answer; empty if nothing does
    assumptions: tuple[str, ...]
    _refuted_by: Callable[[], tuple[str, ...]] = field(repr=False, compare=False)

    def __repr__(self) -> str:
        from derive.presentation.text import headline

        return f"<Conclusion {headline(self.answer)}>"

    @cached_property
    def refuted_by(self) -> tuple[str, ...]:
        """What would refute the conclusion, computed on first use."""
        return self._refuted_by()

    @property
    def meaning(self) -> str:
        return self.quantity.meaning

    @property
    def value(self) -> Any:
        """The value at the reference choice, or None where there are only bounds."""
        return self.answer.value

    @property
    def low(self) -> Any:
        """The least value over all choices, as a pint Quantity."""
        return in_unit(self.bounds[0], self.quantity.unit)

    @property
    def high(self) -> Any:
        """The greatest value over all choices, as a pint Quantity."""
        return in_unit(self.bounds[1], self.quantity.unit)


@dataclass(frozen=True)
class Missing:
    """A conclusion that the sheet does not yield: the prices that would, or why none would."""

    quantity: Declaration
    needs: tuple[str, ...]
    reason: str = ""


@dataclass(frozen=True)
class Contradiction:
    """Two prices that cannot both be read as they are: what they say, the gap, and whether any choice closes it."""

    prices: tuple[str, ...]
    text: str
    answer: Answer  # the gap, or the value that the other prices imply
    everywhere: bool = True  # over all choices; else at the reference choice only


@dataclass(frozen=True)
class Inference:
    """A price sheet and what it implies."""

    sheet: str
    title: str
    prices: Mapping[str, Value] = field(hash=False)
    conclusions: tuple[Conclusion, ...]
    missing: tuple[Missing, ...]
    contradictions: tuple[Contradiction, ...]

    def __getitem__(self, name: str) -> Conclusion:
        """The conclusion on a quantity.

        >>> import derive
        >>> found = derive.infer("gemini-2-5-pro-prices")
        >>> round(found["implied_kv_bytes_per_token"].value.to("byte/token").magnitude)
        1693
        """
        for conclusion in self.conclusions:
            if conclusion.quantity.name == name:
                return conclusion
        raise KeyError(name)

    def __repr__(self) -> str:
        return f"<Inference from {self.sheet}: {len(self.conclusions)} conclusions>"

    def __contains__(self, name: str) -> bool:
        return any(conclusion.quantity.name == name for conclusion in self.conclusions)

    def __str__(self) -> str:
        from derive.tokens.price_sheets.text import as_text

        return as_text(self)


_END = Source("an end of the range", "assumed")

Result = TypeVar("Result")


def conclude(asker: Asker, question: SheetQuestion) -> Conclusion | Missing:
    """The sheet's answer to a question, over all choices that it depends on."""
    quantity = asker.sheet.library.declaration(question.target)
    lacking = asker.lacking(question)
    if lacking:
        return Missing(quantity, lacking)
    try:
        given = asker.assumed(question)
        at, answer, found = _answered(asker, question, given)
    except NOES as error:
        return Missing(quantity, (), _why(error))
    low_at, (lowest, _) = min(found, key=lambda pair: pair[1][0])
    high_at, (_, highest) = max(found, key=lambda pair: pair[1][1])
    kinds = asker.kinds(answer, at)
    concluded: Conclusion = Conclusion(
        question,
        quantity,
        answer,
        (lowest, highest),
        _choice(at, kinds),
        _choice(low_at, kinds),
        _choice(high_at, kinds),
        _passed_over(asker, question, at, kinds),
        (*question.assuming, *answer.assumptions),
        lambda: _refuted(asker, question, concluded, at, given),
    )
    return concluded


def _answered(
    asker: Asker, question: SheetQuestion, given: Mapping[str, Any]
) -> tuple[Chosen, Answer, list[tuple[Chosen, Span]]]:
    """The first choice with an answer; that answer; and the ends of the answers at all choices."""

    def ask(chosen: Chosen) -> Answer:
        return asker.ask(question.target, chosen, given, question.needs)

    def span(chosen: Chosen) -> Span:
        return asker.span(question.target, chosen, given, question.needs)

    choices, refusals = iter(asker.choices), list[DeriveError]()
    determined = (chosen for chosen in choices if asker.determines(question, chosen, given))
    first = next(_answers_at(ask, determined, refusals), None)
    if first is None and refusals:
        raise refusals[0]
    at, answer = first or (asker.choices[0], ask(asker.choices[0]))
    others = _others(asker, question, given, choices, at, asker.kinds(answer, at))
    if question.nearest:
        answers = [(at, answer), *_answers_at(ask, others, refusals)]
        at, answer = min(answers, key=lambda pair: _apart(pair[1]))
        return at, answer, [(chosen, ends(one)) for chosen, one in answers]
    return at, answer, [(at, ends(answer)), *_answers_at(span, others, refusals)]


def _answers_at(
    ask: Callable[[Chosen], Result], choices: Iterable[Chosen], refusals: list[DeriveError]
) -> Iterator[tuple[Chosen, Result]]:
    """The answers at those choices that have one; the errors of the others are added to `refusals`."""
    for chosen in choices:
        try:
            yield chosen, ask(chosen)
        except NOES as error:
            refusals.append(error)


def _others(
    asker: Asker,
    question: SheetQuestion,
    given: Mapping[str, Any],
    choices: Iterable[Chosen],
    at: Chosen,
    kinds: frozenset[str],
) -> list[Chosen]:
    """Further choices, one for each combination of the kinds that the answer depends on."""
    found = {_choice(at, kinds): at}
    for chosen in choices:
        choice = _choice(chosen, kinds)
        if choice not in found and asker.determines(question, chosen, given):
            found[choice] = chosen
    return list(found.values())[1:]


def _why(error: DeriveError) -> str:
    """Why there is no answer, in short."""
    if isinstance(error, UnderdeterminedError) and error.missing:
        return f"no choice states {' and '.join(error.missing[0])}"
    return error.reason if isinstance(error, NoSolutionError) and error.reason else error.what


def _choice(chosen: Chosen, kinds: frozenset[str]) -> Choice:
    return Choice(**{kind: profile.name for kind, profile in zip(KEYS, chosen, strict=True) if kind in kinds})


def _passed_over(asker: Asker, question: SheetQuestion, at: Chosen, kinds: frozenset[str]) -> Choice:
    """The parts of the first choice that are not in the reference, except where the nearest one is looked for."""
    first = asker.choices[0]
    other = {kind for kind, one, chosen in zip(KEYS, first, at, strict=True) if one is not chosen} & kinds
    return Choice() if question.nearest else _choice(first, frozenset(other))


def _apart(answer: Answer) -> float:
    """How far an answer lies from 1, as a ratio."""
    return abs(log(answer.base)) if answer.base else inf


# What would refute it


def _refuted(
    asker: Asker, question: SheetQuestion, concluded: Conclusion, at: Chosen, given: Mapping[str, Any]
) -> tuple[str, ...]:
    """In words, what would refute a conclusion; all numbers are the library's."""
    said = [_filled(text, concluded) for text in question.refuted]
    levers = [_lever(asker, concluded, at, given, name, instead) for name, instead in question.levers.items()]
    return (*said, *(text for text in levers if text))


def _filled(text: str, concluded: Conclusion) -> str:
    """A text with the numbers of a conclusion substituted."""
    unit = concluded.quantity.unit
    low, high = concluded.bounds
    base = concluded.answer.base
    value = shown(base, unit) if base is not None else f"{shown(low, unit)} to {shown(high, unit)}"
    return text.format(value=value, low=shown(low, unit), high=shown(high, unit))


def gap_text(text: str, gap: Conclusion) -> str:
    """The text of a gap between two prices, with its range over all choices if there is one."""
    unit, (low, high) = gap.quantity.unit, gap.bounds
    ends = [shown(end, unit) for end in (low, high)]
    return text.format(value=ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}")


def _lever(
    asker: Asker, concluded: Conclusion, at: Chosen, given: Mapping[str, Any], name: str, instead: Sequence[str]
) -> str:
    """The values of one quantity, in words, at which the conclusion would leave its range, all else being equal."""
    if concluded.bounds[0] == concluded.bounds[1] or name in asker.sheet.given:
        return ""
    left = {name, *instead}
    kept = [replace(p, values={key: p.values[key] for key in p.values if _stays(key, left, concluded)}) for p in at]
    found = []
    for end in concluded.bounds:
        if isfinite(end):
            target = {concluded.quantity.name: stated(concluded.quantity, end, end, _END)}
            try:
                found.append(asker.ask(name, tuple(kept), {**given, **target}).base)
            except NOES:
                continue
    numbers = sorted(number for number in found if number is not None)
    unit = asker.sheet.library.declaration(name).unit
    limits = [f"{word} {shown(number, unit)}" for word, number in zip(("below", "above"), numbers, strict=False)]
    return f"{name} {' or '.join(limits)}, all else as at {concluded.reference}" if len(limits) == 2 else ""


def _stays(name: str, left: set[str], concluded: Conclusion) -> bool:
    """Whether a value of a choice was used in the answer and is not solved for."""
    return name in concluded.answer.given and name not in left


def infer(source: str | Path | Profile, /, *profiles: str | Profile, **given: Any) -> Inference:
    """What a price sheet implies: conclusions with derivation and range, contradictions, and what it does not yield.

    `source` is the name of a price sheet of the catalogue, a relation file with one profile, its text, or a profile.
    Profiles of chips, models or tiers replace the usual choices; `given` are further givens.

    >>> found = infer("claude-opus-4-6-prices")
    >>> print(f"{found['fast_batch_ratio'].value.magnitude:.4f}")
    0.0667
    """
    sheet = read_sheet(source, given)
    asker = Asker(sheet, plausible(sheet.library, profiles, sheet.profile.name))
    return _inferred(asker, watched(_concluded(asker), len(QUESTIONS), "questions"))


def survey(*profiles: str | Profile, **given: Any) -> tuple[Inference, ...]:
    """What every price sheet of the catalogue implies, in the order of the catalogue."""
    common = dict[Any, Any]()
    sheets = ((read_sheet(name, given), plausible(library(), profiles, name)) for name in sheet_names())
    askers = (Asker(sheet, among, common) for sheet, among in sheets)
    found = ((1, _inferred(asker, (one for _, one in _concluded(asker)))) for asker in askers)
    return tuple(watched(found, len(sheet_names()), "price sheets"))


def _concluded(asker: Asker) -> Iterator[tuple[int, Conclusion | Missing]]:
    return ((1, conclude(asker, question)) for question in QUESTIONS)


def _inferred(asker: Asker, concluded: Iterable[Conclusion | Missing]) -> Inference:
    found = list(concluded)
    return Inference(
        asker.sheet.profile.name,
        asker.sheet.profile.title,
        asker.sheet.profile.values,
        tuple(one for one in found if isinstance(one, Conclusion)),
        tuple(one for one in found if isinstance(one, Missing)),
        _contradictions(asker),
    )


def _contradictions(asker: Asker) -> tuple[Contradiction, ...]:
    """All contradictions within a sheet: by definition, and by the interpretation of its prices."""
    return (*_by_definition(asker), *(found for tension in TENSIONS for found in _by_interpretation(asker, tension)))


def _by_interpretation(asker: Asker, tension: Tension) -> Iterator[Contradiction]:
    """The contradiction of two prices, if what they imply together lies outside its interval."""
    gap = conclude(asker, tension.question)
    if not isinstance(gap, Conclusion) or gap.answer.base is None:
        return
    low, high = tension.low * (1 - AGREEMENT), tension.high * (1 + AGREEMENT)
    if not low <= gap.answer.base <= high:
        everywhere = gap.bounds[0] > high or gap.bounds[1] < low
        yield Contradiction(tension.prices, gap_text(tension.text, gap), gap.answer, everywhere)


def _by_definition(asker: Asker) -> Iterator[Contradiction]:
    """Statements of a sheet that differ from what follows from the rest of it."""
    compared: set[str] = set()
    for name in asker.doubled():
        if name in compared:
            continue
        try:
            answer = asker.again(name)
        except NOES:
            continue
        compared |= {name, *answer.given}
        stated, (low, high) = asker.sheet.profile.values[name], ends(answer)
        if stated.base[0] > high * (1 + AGREEMENT) or low * (1 - AGREEMENT) > stated.base[2]:
            text = f"{name} is stated as {stated}, and the others make it {shown(low, answer.quantity.unit)}"
            yield Contradiction((name, *answer.given), text, answer)
