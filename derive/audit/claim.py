"""A claim as data: what is claimed, in which readings, and what each reading asks of the library.

A claim holds if all its clauses hold. A clause has one reading, or several where its words are ambiguous. A reading
is a question to the library and a criterion for the answer. Inputs that the claim leaves open have a range; other
inputs that might have to change, because the claim or the catalogue states them, are named. No verdict is stored: it
follows from the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from derive.audit.criteria import Criterion
from derive.audit.question import Statement, WrittenQuestion

__all__ = ["Claim", "Clause", "Reading"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a clause.

    `response_to` names quantities: what is judged is then by how many percent the answer moves if they all move by
    one. `leaves_open` names the inputs that the claim leaves open, each with its range; `may_change` other inputs that
    could differ. `each` names quantities: the reading is asked with every profile of the library that states them all.
    """

    words: str
    question: WrittenQuestion | Statement
    criterion: Criterion
    response_to: tuple[str, ...] = ()
    leaves_open: tuple[tuple[str, str], ...] = ()
    may_change: tuple[str, ...] = ()
    each: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a claim that can be true by itself, in all its readings."""

    words: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A paraphrased claim and its name; who made it, and where."""

    name: str
    statement: str
    clauses: tuple[Clause, ...]
    speaker: str = ""
    place: str = ""
