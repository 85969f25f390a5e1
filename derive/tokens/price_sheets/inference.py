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
from itertools import chain
from math import inf, isfinite, log
from pathlib import Path
from typing import Any, TypeVar

from derive.errors import NOES, DeriveError, NoSolutionError, UnderdeterminedError
from derive.presentation.numbers import in_unit
from derive.solving.execution.answer import Answer
from derive.tables.progress import with_progress_bar
from derive.tokens.price_sheets.sheets import (
    KEYS,
    QUESTIONS,
    TENSIONS,
    Chosen,
    SheetQuestion,
    SheetSolver,
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
from quantities.profiles import Profile
from quantities.value import Source, Value


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
        """The value of a conclusion at the reference choice, or None where there are only bounds."""
        return self.answer.value

    @property
    def low(self) -> Any:
        """The lower end of a conclusion's range over all choices behind a price sheet, as a pint Quantity."""
        return in_unit(self.bounds[0], self.quantity.unit)

    @property
    def high(self) -> Any:
        """The upper end of a conclusion's range over all choices, as a pint Quantity."""
        return in_unit(self.bounds[1], self.quantity.unit)


@dataclass(frozen=True)
class MissingConclusion:
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
    missing: tuple[MissingConclusion, ...]
    contradictions: tuple[Contradiction, ...]

    def __getitem__(self, name: str) -> Conclusion:
        """The conclusion of the inference on a quantity, by its name.

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


def conclude(asker: SheetSolver, question: SheetQuestion) -> Conclusion | MissingConclusion:
    """The inference for one question: a conclusion over all choices that its answer depends on, or none."""
    quantity = asker.sheet.library.declaration(question.target)
    lacking = asker.lacking(question)
    if lacking:
        return MissingConclusion(quantity, lacking)
    try:
        return _Inquiry(asker, question, asker.assumed(question)).concluded()
    except NOES as error:
        return MissingConclusion(quantity, (), _why(error))


@dataclass(frozen=True)
class _Inquiry:
    """A question that is put to a sheet for every choice that its answer depends on."""

    asker: SheetSolver
    question: SheetQuestion
    given: Mapping[str, Any]

    def concluded(self) -> Conclusion:
        """The inference for a question: the answer at the reference choice, and its range over all others."""
        reference, answer, spans = self._answered()
        low_at, (lowest, _) = min(spans, key=lambda pair: pair[1][0])
        high_at, (_, highest) = max(spans, key=lambda pair: pair[1][1])
        kinds = self.asker.kinds(answer, reference)
        concluded: Conclusion = Conclusion(
            question=self.question,
            quantity=self.asker.sheet.library.declaration(self.question.target),
            answer=answer,
            bounds=(lowest, highest),
            reference=_choice(reference, kinds),
            low_at=_choice(low_at, kinds),
            high_at=_choice(high_at, kinds),
            passed_over=self._passed_over(reference, kinds),
            assumptions=(*self.question.assuming, *answer.assumptions),
            _refuted_by=lambda: self._refuted(concluded, reference),
        )
        return concluded

    def _answered(self) -> tuple[Chosen, Answer, list[tuple[Chosen, Span]]]:
        """What a conclusion rests on: the reference choice, the answer there, and the ends of all choices' answers.

        The reference is the first choice with an answer; for a `nearest` question, that with the answer nearest to 1.
        """
        choices, refusals = iter(self.asker.choices), list[DeriveError]()
        first = next(self._answers_at(self._ask, filter(self._determines, choices), refusals), None)
        if first is None and refusals:
            raise refusals[0]
        reference, answer = first or (self.asker.choices[0], self._ask(self.asker.choices[0]))
        others = self._others(choices, reference, self.asker.kinds(answer, reference))
        if self.question.nearest:
            answers = [(reference, answer), *self._answers_at(self._ask, others, refusals)]
            reference, answer = min(answers, key=lambda pair: _distance_from_one(pair[1]))
            return reference, answer, [(chosen, ends(each_answer)) for chosen, each_answer in answers]
        return reference, answer, [(reference, ends(answer)), *self._answers_at(self._span, others, refusals)]

    def _ask(self, chosen: Chosen) -> Answer:
        return self.asker.ask(self.question.target, chosen, self.given, self.question.needs)

    def _span(self, chosen: Chosen) -> Span:
        return self.asker.span(self.question.target, chosen, self.given, self.question.needs)

    def _determines(self, chosen: Chosen) -> bool:
        """Whether the sheet's question can be answered at a choice, whatever the numbers."""
        return self.question.target in self.asker.determined(chosen, tuple(self.given))

    def _answers_at(
        self, ask: Callable[[Chosen], Result], choices: Iterable[Chosen], refusals: list[DeriveError]
    ) -> Iterator[tuple[Chosen, Result]]:
        """The sheet's answers at those choices that have one; the errors of the others are added to `refusals`."""
        for chosen in choices:
            try:
                yield chosen, ask(chosen)
            except NOES as error:
                refusals.append(error)

    def _others(self, choices: Iterable[Chosen], reference: Chosen, kinds: frozenset[str]) -> list[Chosen]:
        """The choices beside the reference over which a conclusion ranges, one for each combination of these kinds."""
        by_choice = {_choice(reference, kinds): reference}
        for chosen in choices:
            choice = _choice(chosen, kinds)
            if choice not in by_choice and self._determines(chosen):
                by_choice[choice] = chosen
        return list(by_choice.values())[1:]

    def _passed_over(self, reference: Chosen, kinds: frozenset[str]) -> Choice:
        """The parts of the first choice that the reference of a conclusion lacks.

        There are none where the nearest choice is looked for.
        """
        first = self.asker.choices[0]
        pairs = zip(KEYS, first, reference, strict=True)
        passed_over = {kind for kind, profile, chosen in pairs if profile is not chosen} & kinds
        return Choice() if self.question.nearest else _choice(first, frozenset(passed_over))

    # What would refute it

    def _refuted(self, concluded: Conclusion, reference: Chosen) -> tuple[str, ...]:
        """What would refute a conclusion, in words: measurements, and its levers; all numbers are the library's."""
        texts = [_filled(text, concluded) for text in self.question.refuted]
        levers = [self._lever(concluded, reference, name, instead) for name, instead in self.question.levers.items()]
        return (*texts, *filter(None, levers))

    def _lever(self, concluded: Conclusion, reference: Chosen, name: str, instead: Sequence[str]) -> str:
        """The values of one lever, in words, that would refute a conclusion since it left its range, all else equal."""
        sheet, quantity = self.asker.sheet, concluded.quantity
        low, high = concluded.bounds
        if low == high or name in sheet.given:
            return ""
        kept = concluded.answer.given.keys() - {name, *instead}  # what was used in the answer and is not solved for
        restricted = tuple(
            replace(profile, values={key: profile.values[key] for key in profile.values if key in kept})
            for profile in reference
        )
        numbers = []
        for end in filter(isfinite, concluded.bounds):
            target = {quantity.name: stated(quantity, end, end, _END)}
            try:
                numbers.append(self.asker.ask(name, restricted, {**self.given, **target}).base)
            except NOES:
                continue
        ordered = sorted(number for number in numbers if number is not None)
        unit = sheet.library.declaration(name).unit
        limits = [f"{word} {shown(number, unit)}" for word, number in zip(("below", "above"), ordered, strict=False)]
        return f"{name} {' or '.join(limits)}, all else as at {concluded.reference}" if len(limits) == 2 else ""


def _why(error: DeriveError) -> str:
    """Why an inference has no conclusion for a question, in short."""
    if isinstance(error, UnderdeterminedError) and error.missing:
        return f"no choice states {' and '.join(error.missing[0])}"
    return error.reason if isinstance(error, NoSolutionError) and error.reason else error.what


def _choice(chosen: Chosen, kinds: frozenset[str]) -> Choice:
    return Choice(**{kind: profile.name for kind, profile in zip(KEYS, chosen, strict=True) if kind in kinds})


def _distance_from_one(answer: Answer) -> float:
    """How far an answer lies from 1, as a ratio's logarithm, by which an inference picks the nearest reference."""
    return abs(log(answer.base)) if answer.base else inf


def _filled(text: str, concluded: Conclusion) -> str:
    """A text on what would refute an inference's conclusion, with the conclusion's numbers substituted."""
    unit = concluded.quantity.unit
    low, high = concluded.bounds
    base = concluded.answer.base
    value = shown(base, unit) if base is not None else f"{shown(low, unit)} to {shown(high, unit)}"
    return text.format(value=value, low=shown(low, unit), high=shown(high, unit))


def infer(source: str | Path | Profile, /, *profiles: str | Profile, **given: Any) -> Inference:
    """The inference from a price sheet: conclusions with derivation and range, contradictions, and what it lacks.

    `source` is the name of a price sheet of the catalogue, a relation file with one profile, its text, or a profile.
    Profiles of chips, models or tiers replace the usual choices; `given` are further givens.

    >>> found = infer("claude-opus-4-6-prices")
    >>> print(f"{found['fast_batch_ratio'].value.magnitude:.4f}")
    0.0667
    """
    sheet = read_sheet(source, given)
    asker = SheetSolver(sheet, plausible(sheet.library, profiles, sheet.profile.name))
    concluded = ((1, conclude(asker, question)) for question in QUESTIONS)
    return _inference(asker, with_progress_bar(concluded, len(QUESTIONS), "questions"))


def survey(*profiles: str | Profile, **given: Any) -> tuple[Inference, ...]:
    """The inference from each price sheet of the catalogue, in the order of the catalogue."""
    common = dict[Any, Any]()
    sheets = ((read_sheet(name, given), plausible(library(), profiles, name)) for name in sheet_names())
    askers = (SheetSolver(sheet, among, common) for sheet, among in sheets)
    inferences = ((1, _inference(asker, (conclude(asker, question) for question in QUESTIONS))) for asker in askers)
    return tuple(with_progress_bar(inferences, len(sheet_names()), "price sheets"))


def _inference(asker: SheetSolver, concluded: Iterable[Conclusion | MissingConclusion]) -> Inference:
    """The inference from a price sheet: its conclusions, what it does not yield, and its contradictions."""
    results = list(concluded)
    return Inference(
        sheet=asker.sheet.profile.name,
        title=asker.sheet.profile.title,
        prices=asker.sheet.profile.values,
        conclusions=tuple(result for result in results if isinstance(result, Conclusion)),
        missing=tuple(result for result in results if isinstance(result, MissingConclusion)),
        contradictions=_contradictions(asker),
    )


def _contradictions(asker: SheetSolver) -> tuple[Contradiction, ...]:
    """All contradictions in an inference: by definition, and by the interpretation of prices."""
    by_interpretation = chain.from_iterable(_by_interpretation(asker, tension) for tension in TENSIONS)
    return (*_by_definition(asker), *by_interpretation)


def _by_interpretation(asker: SheetSolver, tension: Tension) -> Iterator[Contradiction]:
    """The contradiction that an inference finds in two prices whose conclusion lies outside its interval."""
    gap = conclude(asker, tension.question)
    if not isinstance(gap, Conclusion) or gap.answer.base is None:
        return
    low, high = tension.low * (1 - AGREEMENT), tension.high * (1 + AGREEMENT)
    if not low <= gap.answer.base <= high:
        everywhere = gap.bounds[0] > high or gap.bounds[1] < low
        least, most = (shown(end, gap.quantity.unit) for end in gap.bounds)
        value = least if least == most else f"{least} to {most}"
        text = tension.text.format(value=value)
        yield Contradiction(tension.prices, text, gap.answer, everywhere)


def _by_definition(asker: SheetSolver) -> Iterator[Contradiction]:
    """The contradictions that an inference finds between a statement of the sheet and what follows from the rest."""
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
