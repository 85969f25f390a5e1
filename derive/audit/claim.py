"""A claim as data: what is claimed, in which readings, and what each reading asks of the library.

A claim holds if all its clauses hold. A clause has readings, each a question to the library and a criterion for the
answer. The first is the natural one: the clause as stated, as the speaker's listeners would take it, with the numbers
that the claim or its talk names and the published chip or model that it speaks of. It alone decides. All others stand
beside it, with verdicts of their own. Inputs that the claim leaves open have a range; other
inputs that might have to change, because the claim or the catalogue states them, are named. No verdict is stored: it
follows from the answers.

A scene is what several claims say about one thing, stated all at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from derive.audit.criteria import BEARING, Criterion
from derive.audit.question import Statement, WrittenQuestion
from quantities.value import read_value

__all__ = ["Assertion", "Claim", "Clause", "Reading", "Scene"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a clause.

    `response_to` names quantities: what is judged is then by how many percent the answer moves if they all move by
    one. `leaves_open` names the inputs that the claim leaves open, each with its range; `may_change` other inputs that
    could differ. `each` names quantities: the reading is asked with every profile of the library that states them all,
    and `share` is how many of these must hold: 0.5 where the claim speaks of what is usual.
    """

    words: str
    question: WrittenQuestion | Statement
    criterion: Criterion
    response_to: tuple[str, ...] = ()
    leaves_open: tuple[tuple[str, str], ...] = ()
    may_change: tuple[str, ...] = ()
    each: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a claim that can be true by itself; the first of its readings is the natural one."""

    words: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Claim:
    """A paraphrased claim and its name; who made it, where and at which place in it, and the words.

    `brief` is the claim in a few words, for tables; the statement if there are none. `plainly` says what it comes to,
    with the computed and the claimed number of the part that decides in the place of {computed} and {claimed}.
    """

    name: str
    statement: str
    clauses: tuple[Clause, ...]
    speaker: str = ""
    place: str = ""
    at: str = ""
    words: str = ""
    brief: str = ""
    plainly: str = ""

    @property
    def said(self) -> str:
        """Who said it, where, and in which words.

        >>> Claim("C", "it is late", (), "A. Speaker", "a talk", "minute 3", "it is late").said
        'A. Speaker, a talk, minute 3: "it is late"'
        """
        said = ", ".join(filter(None, (self.speaker, self.place, self.at)))
        return f'{said}: "{self.words}"' if self.words else said


@dataclass(frozen=True, slots=True)
class Assertion:
    """A claim's value of one quantity."""

    claim: str
    quantity: str
    value: str
    printed: bool = False  # an exact number, without tolerance

    @property
    def name(self) -> str:
        return f"{self.quantity}_by_{self.claim}"

    @property
    def room(self) -> str:
        """The range within the claim's tolerance."""
        value = read_value(self.value)
        if self.printed or value.is_range:
            return self.value
        return f"{value.number / BEARING!r}..{value.number * BEARING!r} {value.unit.text}".rstrip()

    def __str__(self) -> str:
        return f"{self.claim}: {self.quantity} = {self.value}"


@dataclass(frozen=True, slots=True)
class Scene:
    """One thing about which several claims are made, and what is assumed of it."""

    words: str
    premises: tuple[tuple[str, str], ...]
    assertions: tuple[Assertion, ...]
