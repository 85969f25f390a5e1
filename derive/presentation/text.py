"""Results as documents, and their text for the terminal; the text of an answer.

Every result of derive becomes one document: a headline, what stands below it, its sections, the picture and the data.
The command line prints, draws or lists it, and a notebook shows it, each without knowing what it is of.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from derive.notebook_display import NotebookDisplay
from derive.presentation.cautions import cautions, remarked, warnings
from derive.presentation.derivation import notes
from derive.presentation.numbers import DIGITS, prove_digits, shown_number, shown_span
from derive.time_limits import query

if TYPE_CHECKING:
    from derive.presentation.charts import Chart
    from derive.solving.execution.answer import Answer, Step
    from quantities.value import Value


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a title; without one they stand at the margin."""

    title: str
    rows: Iterable[str]

    @property
    def lines(self) -> list[str]:
        """The lines of a section of a text, after an empty one."""
        return ["", self.title, *(f"  {row}" for row in self.rows)] if self.title else ["", *self.rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What a result shows, in text, in pictures and as data."""

    headline: str
    remarks: Sequence[str] = ()  # directly below it
    sections: Sequence[Section] = ()  # those without rows are left out
    cautions: Sequence[str] = ()  # of the remarks, or beside them: what is amiss, which is never hidden
    is_amiss: bool = False  # for those who want nothing to be
    charts: Callable[[], Sequence[Chart]] = tuple
    data: Callable[[], dict[str, Any]] = dict  # for programs, with a documented schema

    @property
    def text(self) -> str:
        """The text of a result: its headline, its remarks, and the lines of its sections."""
        lines = [self.headline, *(f"  {remark}" for remark in self.remarks)]
        for section in self.sections:
            lines += section.lines if section.rows else []
        return "\n".join(lines)


class Result(NotebookDisplay):
    """A result of derive, which a subclass lays out, and its text."""

    def _document(self, digits: int | None = None) -> Document:
        raise NotImplementedError

    @query()
    def text(self, digits: int | None = None) -> str:
        """The result as aligned text: a headline and what stands below it, with numbers to this many digits."""
        prove_digits(digits)
        return self._document(digits).text

    def __str__(self) -> str:
        return self.text()


def headline(answer: Answer, digits: int = DIGITS) -> str:
    """The headline of an answer's text: `period = 2.00 s`, or its bounds."""
    unit = answer.quantity.unit
    name = answer.quantity.name
    if answer.base is not None:
        low, high = (shown_number(end, unit, digits) for end in answer.bounds or (answer.base, answer.base))
        spread = f"  ({low} to {high})" if low != high else ""
        return f"{name} = {shown_number(answer.base, unit, digits)}{spread}"
    assert answer.bounds is not None
    return f"{name} is {shown_span(*answer.bounds, unit, digits)}"


def as_text(answers: Sequence[Answer], digits: int = DIGITS) -> str:
    """The text of the answers to one or more targets from the same givens, with each step, given and note once.

    Failed checks, givens without effect and the largest remarks come directly below each answer.
    """
    idle, lines = _idle(answers), list[str]()
    steps: dict[tuple[str, ...], None] = {}
    given: dict[str, Value] = {}
    titled: dict[str, dict[str, None]] = {}  # the notes of all answers under each title, each once
    for answer in answers:
        lines += Document(headline=headline(answer, digits), remarks=cautions(answer, idle)).text.split("\n")
        steps.update(dict.fromkeys(tuple(_step_lines(step, digits)) for step in answer.steps))
        given.update(answer.given)
        for title, rows in notes(answer):
            titled.setdefault(title, {}).update(dict.fromkeys(rows))
    for number, step in enumerate(steps, 1):
        lines += ["", f"{number}. {step[0]}", *step[1:]]
    for section in (Section("given", _given(given)), *(Section(title, [*rows]) for title, rows in titled.items())):
        lines += section.lines if section.rows else []
    return "\n".join(lines)


def _idle(answers: Sequence[Answer]) -> tuple[str, ...]:
    """The givens that play no part in any of the answers of a text."""
    first, *others = answers
    return tuple(name for name in first.unused if all(name in other.unused for other in others))


def cautions_together(answers: Sequence[Answer]) -> list[str]:
    """The text below the headlines of several answers: their warnings and largest remarks, each once."""
    idle = _idle(answers)
    sentences = list(chain.from_iterable(warnings(answer, idle) for answer in answers))
    for answer in answers:
        about = f"{answer.quantity.name}: " if len(answers) > 1 else ""
        sentences += [f"{about}{remark}" for remark in remarked(answer)]
    return list(dict.fromkeys(sentences))


def _step_lines(step: Step, digits: int) -> list[str]:
    """The lines of a step in an answer's text, of which the first follows the step's number."""
    shown = step.rounded(digits)
    if shown.together:
        width = max(len(part.quantity) for part in shown.together)
        lines = [f"{shown.relation}, together", *(f"   {part.equation}" for part in shown.together)]
        return [*lines, "   so that", *(f"   {part.quantity:<{width}} = {part.value}" for part in shown.together)]
    name, equals, form = shown.rearranged.partition(" = ")
    rows = [form] if equals and shown.rearranged != shown.equation else []
    rows += [row for row in (shown.numbers, shown.value) if row not in ("", form)]
    lefts = [name, *[""] * len(rows)]
    lines = [f"   {left:<{len(name)}} = {row}" for left, row in zip(lefts, rows, strict=False)]
    return [f"{shown.relation}: {shown.equation}", *lines]


def _given(given: Mapping[str, Value]) -> list[str]:
    """The givens in an answer's text in aligned columns: name, value and source."""
    name_width = max(map(len, given), default=0)
    value_width = max((len(str(value)) for value in given.values()), default=0)
    return [f"{name:<{name_width}} = {value!s:<{value_width}}  {value.source}" for name, value in given.items()]


def columns(rows: Sequence[Sequence[str]], right: Container[int] = ()) -> list[str]:
    """The lines of a text table, in columns as wide as their widest cells; those in `right` are aligned right.

    >>> print(*columns([("batch", "cost"), ("16", "1.5"), ("256", "0.12")], right={1}), sep="\\n")
    batch  cost
    16      1.5
    256    0.12
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    formats = [f">{width}" if i in right else f"<{width}" for i, width in enumerate(widths)]
    return ["  ".join(map(format, row, formats)).rstrip() for row in rows]
