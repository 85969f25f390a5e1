"""One reading, weighed: the library's answer against the claimed value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from derive.audit.claim import (
    Amount,
    CriterionResult,
    Impossibility,
    Independence,
    Reading,
    Statement,
    WrittenQuestion,
    compared,
)
from derive.errors import (
    NOES,
    AmbiguousError,
    DeriveError,
    DimensionError,
    DomainError,
    InconsistentError,
    NoSolutionError,
)
from derive.library import Library
from derive.model.relation import Relation, relate
from derive.presentation.numbers import rounded_text, with_prefix, with_unit
from derive.presentation.text import headline
from derive.solving.execution.answer import Answer
from derive.tolerances import AGREEMENT
from quantities.declaration import Declaration
from quantities.units import DIMENSIONLESS, Unit
from quantities.value import Value, read_value

_REFUSALS: tuple[type[DeriveError], ...] = (*NOES, DomainError)  # any other error is a mistake in the question
_LONG = 1e7  # from which a number is written with an exponent
_NEAR = 1e4  # from which it is written with a prefix where words are few

_MET = CriterionResult(holds=True, exactly=True, ratio=1.0)
_MISSED = CriterionResult(holds=False, exactly=False, ratio=0.0)


@dataclass(frozen=True)
class QuestionResult:
    """A question with its answer or refusal, and the same for its inner questions."""

    question: WrittenQuestion
    answer: Answer | None
    refusal: DeriveError | None
    inner: Mapping[str, QuestionResult]

    @property
    def answers(self) -> Iterator[Answer]:
        """All answers that the library gave while a reading was weighed, those of inner questions first."""
        for inner in self.inner.values():
            yield from inner.answers
        if self.answer is not None:
            yield self.answer

    @property
    def given(self) -> dict[str, str]:
        """The givens with which a reading's question was weighed, inner questions by their answers."""
        answers = {name: inner.answer for name, inner in self.inner.items() if inner.answer is not None}
        return {name: spoken(answers[name]) if name in answers else str(value) for name, value in self.question.given}


def asked(library: Library, question: WrittenQuestion) -> QuestionResult:
    """Weigh a reading by its question: the library's answer or refusal, after those to its inner questions."""
    inner = {name: asked(library, value) for name, value in question.given if isinstance(value, WrittenQuestion)}
    refused = next((inner_asked.refusal for inner_asked in inner.values() if inner_asked.refusal is not None), None)
    unanswered = QuestionResult(question, None, refused, MappingProxyType(inner))
    if refused is not None:
        return unanswered
    try:
        return replace(unanswered, answer=library.solve(question.target, *question.profiles, **unanswered.given))
    except AmbiguousError as error:
        is_bounded = len(error.answers) == 1
        return replace(unanswered, answer=error.answers[0]) if is_bounded else replace(unanswered, refusal=error)
    except _REFUSALS as error:
        return replace(unanswered, refusal=error)


def spoken(answer: Answer) -> str:
    """The answer to a weighed reading's question as it is typed into the next question, to the last digit."""
    assert answer.base is not None
    unit = answer.quantity.unit
    return f"{unit.from_base(answer.base)!r} {unit.text}".rstrip()


@dataclass(frozen=True)
class WeighedReading:
    """The library's answer to a reading, compared with the claim.

    `base` is the computed number in base units; None if there is none. `finds` is in words what was computed.
    """

    reading: Reading
    result: CriterionResult
    finds: str
    asked: QuestionResult | None = None
    relation: Relation | None = None
    refusal: DeriveError | None = None
    base: float | None = None
    claimed: Value | None = None
    bound: QuestionResult | None = None

    @property
    def claims(self) -> str:
        """The claim against which a reading is weighed, in words; a bound that is a question itself with its number."""
        criterion = self.reading.criterion
        if self.bound is not None and self.claimed is not None and isinstance(criterion, Amount):
            return f"{criterion.side} {formatted(self.claimed.number, self.claimed.unit)} ({criterion.stated})"
        return str(criterion)

    @property
    def has_room(self) -> bool:
        """Whether the claimed value of a weighed reading is a range or a bound, and not one number."""
        criterion = self.reading.criterion
        is_range = self.claimed is not None and self.claimed.is_range
        return isinstance(criterion, Amount) and (bool(criterion.side) or is_range)

    @property
    def brief(self) -> tuple[str, str]:
        """The answer and the claimed value of a weighed reading, each in as few words as a table has room for."""
        criterion = self.reading.criterion
        if isinstance(criterion, Independence):
            names = " and ".join(criterion.names)
            return f"{'without' if self.result.holds else 'with'} {names}", f"without {names}"
        if self.reading.response_to and self.base is not None:
            return f"power {rounded_text(self.base, 3, _LONG)}", f"power {criterion}"
        if self.base is None or self.asked is None or self.claimed is None:
            return str(criterion) if self.result.holds else self.finds, str(criterion)
        computed = _brief(self.base, self.claimed.unit, self.asked)
        if self.bound is None or not isinstance(criterion, Amount):
            return computed, _tidy(str(criterion))
        return computed, f"{criterion.side} {_brief(self.claimed.base[1], self.claimed.unit, self.bound)}"

    @property
    def on_page(self) -> tuple[str, str]:
        """The answer and the claimed value of a weighed reading, as a page says them.

        Beside the texts of `brief` it says what a power is a power of: `as context to the power 0.5`.
        """
        if not self.reading.response_to or self.base is None:
            return self.brief
        moved = " and ".join(name.replace("_", " ") for name in self.reading.response_to)
        claimed = {"less than 0": f"falling with {moved}", "more than 0": f"rising with {moved}"}
        criterion = str(self.reading.criterion)
        computed = _powered(moved, rounded_text(self.base, 3, _LONG), "as ")
        return computed, claimed.get(criterion) or _powered(moved, criterion, "as ")

    @property
    def answers(self) -> tuple[Answer, ...]:
        """All that the library answered while one reading was weighed, in order."""
        questions = [asked for asked in (self.asked, self.bound) if asked is not None]
        return tuple(answer for question in questions for answer in question.answers)


def weigh(library: Library, reading: Reading) -> WeighedReading:
    """Weigh one reading of a claim: ask the library its question, and test the answer against the claimed value."""
    criterion = reading.criterion
    if isinstance(reading.question, Statement):
        return _weigh_statement(library, reading, reading.question)
    answered = asked(library, reading.question)
    if isinstance(criterion, Impossibility) and isinstance(answered.refusal, (NoSolutionError, InconsistentError)):
        return WeighedReading(reading, _MET, _refusal(answered.refusal), answered, refusal=answered.refusal)
    if answered.answer is None:
        return _refused(reading, answered)
    if isinstance(criterion, Impossibility):
        return WeighedReading(reading, _MISSED, headline(answered.answer), answered)
    if isinstance(criterion, Independence):
        # whether the closed form in terms of all givens contains none of these names
        form = library.formula(answered.question.target, list(answered.answer.given))
        is_without = {str(symbol) for symbol in form.free_symbols}.isdisjoint(criterion.names)
        result = _MET if is_without else _MISSED
        return WeighedReading(reading, result, f"{answered.question.target} = {form}", answered)
    assert isinstance(criterion, Amount)
    return _weigh_amount(library, reading, criterion, answered, answered.answer)


def _weigh_statement(library: Library, reading: Reading, statement: Statement) -> WeighedReading:
    """Weigh a reading that claims a statement, as a relation of the library: its units fit, or it is refused."""
    newcomers = [Declaration(name, unit) for name, unit in statement.units]
    try:
        relation = relate("claim", statement.equation, quantities=[*library.declared.values(), *newcomers])
    except DimensionError as error:
        misfit = str(error).removeprefix("claim: ").partition("\n")[0].rstrip(".")
        return WeighedReading(reading, _MISSED, misfit, refusal=error)
    return WeighedReading(reading, _MET, "its units fit", relation=relation)


def _weigh_amount(
    library: Library, reading: Reading, criterion: Amount, answered: QuestionResult, answer: Answer
) -> WeighedReading:
    """Weigh the library's answer, or its elasticity in the quantities of a reading, against a claimed amount."""
    if answer.base is None:
        return _refused(reading, answered)
    stated, bound = criterion.stated, None
    if isinstance(stated, WrittenQuestion):
        bound = asked(library, stated)
        if bound.answer is None:
            return _refused(reading, bound)
        stated = spoken(bound.answer)
    base, unit = answer.base, answer.quantity.unit
    if reading.response_to:
        moved = sum(answer.elasticities.get(name, 0.0) for name in reading.response_to)
        base, unit = 0.0 if abs(moved) < AGREEMENT else moved, DIMENSIONLESS
    claimed = read_value(stated)
    claimed.within(unit)  # a claim in another dimension is a mistake in the claims file, and an error
    computed = claimed.unit.from_base(base)
    result, finds = compared(criterion, claimed, computed), _shown(computed, claimed.unit, reading)
    return WeighedReading(reading, result, finds, answered, base=base, claimed=claimed, bound=bound)


def _refused(reading: Reading, answered: QuestionResult) -> WeighedReading:
    reason = "only bounds" if answered.refusal is None else _refusal(answered.refusal)
    return WeighedReading(reading, _MISSED, reason, answered, refusal=answered.refusal)


def _shown(computed: float, unit: Unit, reading: Reading) -> str:
    """The library's number in a weighed reading in words; an elasticity as how the answer moves with the quantities."""
    number = formatted(computed, unit)
    if not reading.response_to:
        return number
    moved = " and ".join(reading.response_to)
    if number == "0":
        return f"it does not move with {moved} (power 0)"
    power = f" (power {number})" if number in ("1", "-1") else ""  # which "in proportion" does not show
    return f"it moves {_powered(moved, number, 'with ')}{power}"


def _powered(moved: str, power: str, before: str) -> str:
    """How the answer of a weighed reading moves with quantities, in words for a power that is given as text.

    >>> _powered("context", "0.5", "as "), _powered("chips", "1", "as "), _powered("chips", "-1", "as ")
    ('as context to the power 0.5', 'in proportion to chips', 'in inverse proportion to chips')
    """
    words = {"1": f"in proportion to {moved}", "-1": f"in inverse proportion to {moved}", "0": f"unchanged by {moved}"}
    return words.get(power) or f"{before}{moved} to the power {power}"


def formatted(number: float, unit: Unit) -> str:
    """A number in the words on a weighed reading: four digits, and an exponent only for large or small ones.

    >>> formatted(12685.7, DIMENSIONLESS), formatted(0.4, DIMENSIONLESS), formatted(3.2e9, DIMENSIONLESS)
    ('12690', '0.4', '3.2e+09')
    """
    return with_unit(rounded_text(number, 4, _LONG), unit.text)


def _brief(base: float, unit: Unit, answered: QuestionResult) -> str:
    """The number in a weighed reading, in the claim's unit, or in its own with a prefix if very small or large."""
    assert answered.answer is not None
    is_readable = 0.1 <= abs(unit.from_base(base)) < _NEAR
    shown_unit = unit if is_readable or not base else answered.answer.quantity.unit
    number, text = with_prefix(shown_unit.from_base(base), shown_unit.shown, _NEAR)
    return _tidy(with_unit(rounded_text(number, 3, _LONG), text))


def _tidy(text: str) -> str:
    """The text of a rate that is weighed, computed or claimed, without the 1 in its unit.

    >>> _tidy("50 1/s")
    '50/s'
    """
    return text.replace(" 1/", "/")


def _refusal(error: DeriveError) -> str:
    """Why the library refuses the question of a reading that is weighed, without the hint."""
    if isinstance(error, NoSolutionError) and error.reason:
        return f"no solution: {error.reason}"
    return error.what.partition("\n")[0].partition(" The conflict:")[0].rstrip(".")
