"""Everything wrong with a relation file: its errors, its redundant relations, and its failing examples.

`load` checks only for errors: a library with redundant relations or failing examples can still answer.
"""

from __future__ import annotations

import math
from pathlib import Path

from derive.audit.claim import Impossibility, Reading, WrittenQuestion, as_printed, read_expected
from derive.audit.weighed_reading import weigh
from derive.errors import DeriveError, DomainError, InconsistentError, Problem, UnitError
from derive.library import Library
from derive.model.redundancy import redundant
from derive.presentation.numbers import shown_number
from derive.relation_files.file_text import Notes, Table, read_document
from derive.relation_files.loading import Example, Reader, proved, read
from derive.time_limits import query
from quantities.declaration import read_given
from quantities.value import read_value


def check(source: str | Path, *, beside: Library | None = None) -> list[Problem]:
    """All problems of a relation file; none if it is consistent.

    A redundant relation is a problem here but not for `load`: the library answers, but determines less than it seems.

    >>> [problem.message for problem in check("[quantities]\\nx = { unit = 'metr' }")]
    ["x: unit 'metr': 'metr' is not a unit."]
    """
    with query(math.inf):
        return [problem for problem, _ in tested(read(read_document(source), beside)).notes.errors]


def sound(source: str | Path, *, beside: Library | None = None) -> Library:
    """The library of a relation file in which a check finds nothing wrong; else an error with all problems."""
    with query(math.inf):
        return proved(tested(read(read_document(source), beside)))


def tested(reader: Reader) -> Reader:
    """The reading of a checked relation file, with a note of every redundant relation and every failing example."""
    repetitive(reader)
    if reader.notes.errors:
        return reader
    parts = reader.parts()
    if any(part.examples for part in parts):
        library = reader.beside | reader.library()
        for part in parts:
            for example in part.examples:
                _try(library, example, part.notes, reader.notes)
    return reader


def repetitive(reader: Reader) -> None:
    """Note as a problem of the relation file every relation that says what the others say."""
    for repetition in redundant(reader.relations):
        relation = Table(reader.notes, repetition.relation, ("relations", repetition.relation), {})
        relation.complain(repetition.message, repetition.hint, "equation")


def _try(library: Library, example: Example, notes: Notes, outer: Notes) -> None:
    """Run an example, and note its failure on its line; if it is of a used file, with the name of that."""
    where = ("examples", example.name)
    within = "" if notes is outer else f" (in {notes.document.label}, line {notes.document.line(where)})"
    place = where if notes is outer else ("uses",)
    if error := failure(library, example):
        error.what += within
        outer.note(place, error, outer.document.line(place))


def failure(library: Library, example: Example) -> DeriveError | None:
    """What the check of a relation file finds wrong with the answer to an example; None if it is as expected."""
    try:
        _prove_in_unit(library, example)
        deviation = _deviation(library, example)
    except DeriveError as error:
        error.what = f"{example.name}: {error.what}"
        return error
    if not deviation:
        return None
    what = f"{example.name}: {example.asked} is {deviation}; expected {' and '.join(example.expected)}."
    return InconsistentError(what, hint="Fix a relation, a value or the example.")


def _prove_in_unit(library: Library, example: Example) -> None:
    """Refuse what the check of a relation file finds expected in another unit than that of the quantity asked for."""
    quantity = library.declared.get(example.asked)
    if quantity is None:  # an expression of quantities
        return
    for text in example.expected:
        criterion = read_expected(text)
        if isinstance(criterion, Impossibility) or not isinstance(criterion.stated, str):
            continue
        try:
            read_given(criterion.stated, quantity)
        except DomainError:  # which its answer never is
            continue
        except UnitError as error:
            error.what = f"expected {text}: {error.what}"
            raise


def _deviation(library: Library, example: Example) -> str:
    """A checked example's answer in words, if not as expected; empty if it is. A refusal is raised."""
    if len(example.expected) != 1:
        return _deviation_of_list(library, example)
    (expected,) = example.expected
    question = WrittenQuestion(example.asked, example.profiles, tuple(example.given.items()))
    weighed = weigh(library, Reading("", question, read_expected(expected)))
    if not weighed.result.holds and weighed.refusal is not None:
        raise weighed.refusal
    holds = weighed.result.holds
    # A claim may miss a number by its tolerance; an example has to round to the number as printed.
    if holds and not weighed.has_room and weighed.base is not None and weighed.claimed is not None:
        holds = as_printed(weighed.claimed.unit.from_base(weighed.base), expected)
    return "" if holds else weighed.finds


def _deviation_of_list(library: Library, example: Example) -> str:
    """All answers to a relation file's example in words, if the check fails since they are not those listed."""
    answers = library.solve_all(example.asked, *example.profiles, **example.given)
    values = sorted(answer.base for answer in answers if answer.base is not None)
    wanted = sorted(((read_value(text), text) for text in example.expected), key=lambda pair: pair[0].base[1])
    if len(values) == len(wanted) and all(
        as_printed(value.unit.from_base(base), text) for base, (value, text) in zip(values, wanted, strict=True)
    ):
        return ""
    unit = library.declaration(example.asked).unit
    return " and ".join(shown_number(base, unit) for base in values) or "only bounded"
