"""A derivation as lines of mathematics, common to all dialects.

Each step is shown as stated, rearranged for its result, with numbers and units substituted, and evaluated. Results
have one digit more than their inputs justify, and in a report four at most. If two quantities share a letter, the later
one is spelled out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from derive.expressions.tree import Equation, Name, names_in
from derive.presentation import mathematics
from derive.presentation.cautions import cautions
from derive.presentation.mathematics import Line
from derive.presentation.numbers import REPORTED, STATED, in_multiples, reported_digits, with_prefix, with_short_numbers
from quantities.declaration import Declaration
from quantities.value import Source, Value

if TYPE_CHECKING:
    from derive.solving.execution.answer import Answer, Step

_FEWEST, _MOST = 3, 6  # digits of a result
_WIDEST = 260  # characters of a line with numbers, beyond which it would not fit a page


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One step: the relation's name, its reason, and its lines."""

    relation: str
    because: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Symbol:
    """An input: its letter, its name, its value with the unit, and the source of that."""

    letter: str
    name: str
    value: str
    source: Source


@dataclass(frozen=True, slots=True)
class Derivation:
    """What a page shows of an answer."""

    target: str
    headline: str
    steps: tuple[Paragraph, ...]
    symbols: tuple[Symbol, ...]
    notes: tuple[tuple[str, tuple[str, ...]], ...]  # each title with its notes
    cautions: tuple[str, ...] = ()  # failed checks, and givens without effect


@dataclass(frozen=True, slots=True)
class _NumberStyle:
    """Functions that write a result and a stated number, each with its unit, and a text with numbers in it."""

    result: Callable[[float, str], str]
    stated: Callable[[float, str], str]
    text: Callable[[str], str]


def lay_out(answer: Answer, digits: int | None = None, is_report: bool = False) -> Derivation:
    """An answer's derivation as lines of mathematics; results have the given digits, or as many as the inputs justify.

    In a report all numbers are short, and in customary multiples of their units; its notes and cautions are its own.
    """
    letters = letters_for(answer.quantities)
    digits = digits or digits_borne(answer)
    if is_report:
        style = _NumberStyle(result=partial(reported, digits=digits), stated=reported, text=with_short_numbers)
    else:
        style = _NumberStyle(result=partial(amount, digits=digits), stated=partial(_stated, digits=STATED), text=str)
    return Derivation(
        target=answer.quantity.name,
        headline=_result(answer, letters[answer.quantity.name], style),
        steps=tuple(_paragraph(step, letters, style, answer.given) for step in answer.steps),
        symbols=tuple(
            Symbol(letters[name], name, _magnitude(value, style), value.source)
            for name, value in answer.given.items()
            if name in letters
        ),
        notes=() if is_report else notes(answer),
        cautions=() if is_report else cautions(answer),
    )


def notes(answer: Answer) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The notes on a derivation under their titles: the regime, the assumptions and the checks."""
    regime = tuple(f"{relation}: {arm} binds" for relation, arm in answer.regime.items())
    checks = tuple(str(check) for check in answer.checks)
    titled = (("regime", regime), ("assumptions", tuple(answer.assumptions)), ("checks", checks))
    return tuple((title, rows) for title, rows in titled if rows)


def letters_for(quantities: Mapping[str, Declaration]) -> dict[str, str]:
    """The letter of each quantity in a derivation; a quantity whose letter is taken is spelled out."""
    letters: dict[str, str] = {}
    for name, quantity in quantities.items():
        chosen = mathematics.letter(name, quantity.latex)
        letters[name] = mathematics.upright(name.replace("_", " ")) if chosen in letters.values() else chosen
    return letters


def digits_borne(answer: Answer) -> int:
    """The digits of a derivation's result: one more than its least certain given, small whole numbers aside."""
    digits = [
        len(f"{abs(value.number):.12g}".replace(".", "").split("e")[0].strip("0"))
        for value in answer.given.values()
        if value.number != int(value.number) or abs(value.number) >= 1e4
    ]
    return min(max(min(digits, default=_MOST - 1) + 1, _FEWEST), _MOST)


def _magnitude(value: Value, style: _NumberStyle) -> str:
    """A given of a derivation with its unit and, if it is a range, its bounds."""
    text = style.stated(value.number, value.unit.text)
    if not value.is_range:
        return text
    low, high = (style.stated(end, "") for end in (value.low, value.high))
    return rf"{text}\ ({low}\ldots{high})"


def _stated(number: float, unit: str, digits: int) -> str:
    return _with_unit(mathematics.stated_number(number, digits), unit)


def _with_unit(number: str, unit: str) -> str:
    spelled = mathematics.unit(unit)
    return rf"{number}\,{spelled}" if spelled else number


def amount(number: float, unit: str, digits: int) -> str:
    """A result of a derivation with its unit, and a prefix for very small or large numbers where the unit has any."""
    number, unit = with_prefix(number, unit)
    return _with_unit(mathematics.number(number, digits), unit)


def reported(number: float, unit: str, digits: int = REPORTED) -> str:
    r"""A number in a report's derivation: at most four digits, in a customary multiple of its unit; counts are whole.

    >>> reported(12685.7142857, "USD"), reported(3.79e7, "EFLOP"), reported(129280.0, "token")
    ('12690\\,\\mathrm{USD}', '37.9\\,\\mathrm{YFLOP}', '129.3\\,\\mathrm{ktoken}')
    """
    number, unit = in_multiples(number, unit)
    return _with_unit(mathematics.number(number, reported_digits(number, digits)), unit)


def _result(answer: Answer, letter: str, style: _NumberStyle) -> str:
    """The headline of a derivation: the target's letter with its value, or between its bounds."""
    unit = answer.quantity.unit
    if answer.base is not None:
        return f"{letter} = {style.result(unit.from_base(answer.base), unit.text)}"
    assert answer.bounds is not None
    low, high = (style.result(unit.from_base(end), unit.text) for end in answer.bounds)
    return rf"{low} \le {letter} \le {high}"


def _paragraph(step: Step, letters: Mapping[str, str], style: _NumberStyle, given: Mapping[str, Value]) -> Paragraph:
    """A derivation's step as lines: as stated, rearranged, with numbers, and its value.

    Equations that are solved together are stated and have their values, without the two lines between.
    """

    def letter_of(name: str) -> str:
        return letters.get(name) or mathematics.letter(name)

    if step.together:
        equations = [stated(part.stated, letter_of) for part in step.together if part.stated is not None]
        values = [(letter_of(part.quantity), _evaluated(part, style)) for part in step.together]
        return Paragraph(f"{step.relation}, together", step.because, (*equations, *values))

    def number_of(name: str) -> str:
        if name not in step.worth or (letter_of(name)[:1].isdigit() and given[name].source.kind == "exact"):
            return letter_of(name)  # a letter such as 1/token has its number
        number, unit = step.worth[name]
        write = style.stated if name in given else style.result
        return write(number, unit.text)

    lines: list[Line] = []
    letter = letter_of(step.quantity)
    if step.stated is not None:
        lines.append(stated(step.stated, letter_of))
    if step.form is not None:
        form = mathematics.expression(step.form, letter_of)
        if lines != [(letter, form)]:  # where the step is not stated in this form already
            lines.append((letter, form))
        numbers = mathematics.expression(step.form, number_of)
        is_name = isinstance(step.form, Name)
        if names_in(step.form) and not is_name and len(numbers) <= _WIDEST:
            lines.append(("" if lines else letter, numbers))
    lines.append(("" if step.form is not None else letter, _evaluated(step, style)))
    return Paragraph(step.relation, step.because, tuple(lines))


def stated(equation: Equation, written: Callable[[str], str]) -> Line:
    """The two sides of an equation as a line of a derivation; an inequality stands on the left, with its sign."""
    if equation.op != "=":
        return mathematics.equation(equation, written), ""
    return mathematics.expression(equation.lhs, written), mathematics.expression(equation.rhs, written)


def _evaluated(step: Step, style: _NumberStyle) -> str:
    """The value of a derivation's step as mathematics; a text, such as that of an interval, is upright."""
    if step.result is None:
        return mathematics.upright(step.value)
    (low, high), unit = step.result
    if low != high:
        return mathematics.upright(style.text(step.value))
    return style.result(unit.from_base(low), unit.text)
