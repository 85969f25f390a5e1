"""Readings that differ only in their numbers, as one table: inputs, answers and verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from derive.audit.question import WrittenQuestion
from derive.audit.verdicts import Judgement
from derive.presentation.derivation import Line, letters_of
from derive.presentation.document import Block, Grid, Text, verbatim
from derive.presentation.mathematics import upright, width
from derive.reports.formulas import forms
from derive.reports.vocabulary import number, places_of
from derive.solving.execution.answer import Answer

__all__ = ["families", "tabled"]

_LINE = 108  # characters of small print in a line of a page
_GAP = 2  # characters between columns
_LEAST = 15  # least characters of a column whose words wrap
_STEPS = 4  # limit on steps of a derivation that is shown once for a whole table

Family = tuple[Judgement, ...]


def families(judgements: Sequence[Judgement]) -> list[Family]:
    """The readings grouped by kind; groups whose table would be too wide are split into single readings."""
    groups: dict[object, list[Judgement]] = {}
    for place, judgement in enumerate(judgements):
        groups.setdefault(_kind(judgement) or place, []).append(judgement)
    found: list[Family] = []
    for group in groups.values():
        found += [tuple(group)] if len(group) > 1 and _room(tuple(group)) >= 0 else [(one,) for one in group]
    return found


def _kind(judgement: Judgement) -> tuple[str, ...]:
    """What readings of one table have in common; empty if a reading cannot be in a table."""
    weighed = judgement.weighed
    answer = weighed.asked.answer if weighed.asked else None
    if answer is None or weighed.claimed is None or weighed.bound or weighed.reading.response_to:
        return ()
    if len(judgement.answers) > 1 or len(answer.steps) > _STEPS:
        return ()
    steps = (f"{step.relation} {step.stated} {step.form}" for step in answer.steps)
    return (answer.quantity.name, weighed.claims, weighed.claimed.unit.text, *steps)


def tabled(family: Family, known: set[Line]) -> Iterator[Block]:
    """The relations that all readings of a family use, unless shown before, and a row for each reading."""
    weighed = family[0].weighed
    start = _start(family)
    yield Text(
        f"{f'*{start.strip()}*: asked' if start else 'Asked'} for `{_answer(family[0]).quantity.name}`; "
        f"claimed: {verbatim(weighed.claims)}."
    )
    used = forms(_answer(family[0]))
    if not known.issuperset(used.lines):
        yield used
    known.update(used.lines)
    inputs = _inputs(family)
    header = ["reading", *(one.title for one in inputs), "came out", "verdict"]
    cells = zip(*(one.cells for one in inputs), strict=True) if inputs else [()] * len(family)
    rows = [
        [_words(one, start), *row, _came_out(one), str(one.verdict)] for one, row in zip(family, cells, strict=True)
    ]
    if any(one.change for one in family):
        header.append("would hold if")
        rows = [[*row, _change(one)] for row, one in zip(rows, family, strict=True)]
    places = places_of(map(_answer, family))
    yield Grid(tuple(header), tuple(map(tuple, rows)), _caption(family), places, _shares(family))


@dataclass(frozen=True, slots=True)
class _Input:
    """A column of inputs under a letter, or a name where there is none; numbers in the unit of the first."""

    title: str
    unit: str
    cells: tuple[str, ...]
    width: int
    wraps: bool


def _inputs(family: Family) -> list[_Input]:
    """The inputs that are not the same in every reading."""
    first, *others = (_answer(one).given for one in family)
    varied = (name for name, value in first.items() if any(other[name].base != value.base for other in others))
    return [_input(family, name) for name in varied]


def _input(family: Family, name: str) -> _Input:
    unit = _answer(family[0]).given[name].unit
    cells = tuple(number(unit.from_base(_answer(one).given[name].base[1]), digits=7) for one in family)
    widest = max(len(cell) - 2 for cell in cells)
    title, wraps = _mark(_answer(family[0]), name)
    head = max(map(len, title.split())) + 1 if wraps else width(title.strip("$"))
    return _Input(title, unit.text, cells, max(widest, head), wraps)


def _mark(answer: Answer, name: str) -> tuple[str, bool]:
    """A quantity's letter, or its name in words where it has none; and whether it is the name."""
    letter, words = letters_of(answer)[name], name.replace("_", " ")
    spelled = letter == upright(words)
    return (verbatim(words) if spelled else f"${letter}$"), spelled


def _answer(judgement: Judgement) -> Answer:
    assert judgement.weighed.asked is not None
    assert judgement.weighed.asked.answer is not None
    return judgement.weighed.asked.answer


def _came_out(judgement: Judgement) -> str:
    """The number alone: its unit is in the caption."""
    return verbatim(judgement.weighed.finds.removesuffix(_unit(judgement)).strip())


def _unit(judgement: Judgement) -> str:
    assert judgement.weighed.claimed is not None
    return judgement.weighed.claimed.unit.text


def _change(judgement: Judgement) -> str:
    change = judgement.change
    if change is None:
        return ""
    mark, _ = _mark(change.answer, change.answer.quantity.name)
    return f"{mark} = {verbatim(change.shown)}, {number(change.ratio)} times"


def _words(judgement: Judgement, start: str) -> str:
    """The words that distinguish a reading, and the profiles of its question that they do not name."""
    asked = judgement.weighed.reading.question
    assert isinstance(asked, WrittenQuestion)
    unnamed = [name for name in asked.profiles if name.partition(":")[0] not in judgement.words]
    own = judgement.words.removeprefix(start)
    return verbatim(f"{own} ({', '.join(unnamed)})" if unnamed else own)


def _start(family: Family) -> str:
    """The words that all readings share before their last one; empty if they differ or contain markup."""
    starts = {one.words[: one.words.rfind(" ") + 1] for one in family}
    start = starts.pop()
    return "" if starts or set(start) & set("*$`\\") else start


def _caption(family: Family) -> str:
    """The units of the columns, and what is the same in every row."""
    answer, inputs = _answer(family[0]), _inputs(family)
    units = [f"{one.title} in {one.unit}" for one in inputs if one.unit not in ("", "1")]
    units += [f"what came out in {_unit(family[0])}"] if _unit(family[0]) not in ("", "1") else []
    titles = {one.title for one in inputs}
    fixed = [
        f"{mark} = {number(value.number, digits=7)} {value.unit.text}".rstrip()
        for name, value in answer.given.items()
        if name in answer.quantities and (mark := _mark(answer, name)[0]) not in titles
    ]
    said = [f"{'; '.join(units)}." if units else "", f"In every row {', '.join(fixed)}." if fixed else ""]
    return " ".join(part[0].upper() + part[1:] for part in said if part)


def _room(family: Family) -> float:
    """The characters of a line that are left for columns of words beyond their least widths."""
    found = max(8, *(len(_came_out(one)) for one in family)), max(len(str(one.verdict)) for one in family)
    columns = [*(one.width for one in _inputs(family)), *found]
    wrapped = 2 if any(one.change for one in family) else 1
    return _LINE - sum(columns) - _GAP * (len(columns) + wrapped) - _LEAST * wrapped


def _shares(family: Family) -> tuple[float, ...]:
    """The shares of the columns in a line: the readings get what they need, the changes the rest."""
    start = _start(family)
    changes = any(one.change for one in family)
    between = (*(one.width / _LINE if one.wraps else 0.0 for one in _inputs(family)), 0.0, 0.0)
    readings = max(8, *(len(_words(one, start)) + 1 for one in family))
    if not changes:
        return (min(readings, _room(family) + _LEAST) / _LINE, *between)
    free = _room(family) + 2 * _LEAST
    last = max(len(_change(one)) for one in family) + 5
    first = max(_LEAST, min(readings, free - last, free - _LEAST), min(readings, free / 2))
    return (first / _LINE, *between, min(last, free - first) / _LINE)
