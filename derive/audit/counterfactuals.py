"""Counterfactuals: which change of an input would make a claim hold.

For each input that may change, the library solves for its value with the answer as claimed. A change counts only if
the claim holds when it is asked again with it. The smallest has the smallest ratio of new to old, in either
direction. A change within what the claim leaves open, or within the disagreement of its sources, is a condition; any
other contradicts a stated value.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from derive.audit.claim import Reading
from derive.audit.criteria import Between, Bound, Number, goals
from derive.audit.question import Asked, WrittenQuestion, spoken
from derive.audit.weighing import Weighed, formatted, weigh
from derive.errors import AmbiguousError, DeriveError
from derive.library import Library
from derive.solving.execution.answer import Answer
from derive.tolerances import AGREEMENT, TOLD
from quantities.value import ASKER, BY_DEFINITION, DEFAULT, Value, read_value

__all__ = ["Change", "changes"]

_SIMPLE = 20  # limit on the denominator of a change that is written as a fraction


@dataclass(frozen=True)
class Change:
    """One input, its old value, and the answer that has the value it would need."""

    path: str
    old: Value
    answer: Answer
    admissible: bool

    @property
    def ratio(self) -> float:
        """The new value over the old one."""
        assert self.answer.base is not None
        return self.answer.base / self.old.base[1]

    @property
    def size(self) -> float:
        """How far the new value is from the old one, either way."""
        return round(abs(math.log(self.ratio)), 9)  # so that equal changes keep the order of the claim

    @property
    def shown(self) -> str:
        """The new value, in the unit of the old one."""
        assert self.answer.base is not None
        return formatted(self.old.unit.from_base(self.answer.base), self.old.unit)

    def __str__(self) -> str:
        return f"{self.path.replace('/', ', ')} = {self.shown}, {_times(self.ratio)} {_whose(self.old)}"


def changes(library: Library, weighed: Weighed) -> tuple[Change, ...]:
    """All single changes that would make a reading hold, the smallest first."""
    reading, criterion = weighed.reading, weighed.reading.criterion
    if weighed.base is None or weighed.asked is None or weighed.claimed is None or reading.response_to:
        return ()
    assert isinstance(criterion, (Number, Between, Bound))
    unit = weighed.claimed.unit
    paths = dict.fromkeys([*dict(reading.leaves_open), *reading.may_change])
    found: list[Change] = []
    for goal in goals(criterion, weighed.claimed, unit.from_base(weighed.base)):
        wanted = f"{goal!r} {unit.text}".strip()
        more = [change for path in paths for change in _change(library, weighed, path, wanted)]
        found += [change for change in more if change.admissible or not found]
        if any(change.admissible for change in found):
            break
    return tuple(sorted(found, key=lambda change: change.size))


def _change(library: Library, weighed: Weighed, path: str, wanted: str) -> list[Change]:
    """The values of one input that give the wanted target and make the claim hold."""
    reading, found = weighed.reading, weighed.asked
    assert found is not None
    assert isinstance(reading.question, WrittenQuestion)
    old = _value_at(found, path)
    if old is None or old.base[1] <= 0:
        return []
    kept = []
    for answer in _needed(library, found, path, wanted):
        if answer.base is None or answer.base <= 0:
            continue
        again = replace(reading, question=reading.question.having(path, spoken(answer)))
        if weigh(library, again).met.holds:
            kept.append(Change(path, old, answer, _admissible(reading, path, old, answer.base)))
    return kept


def _needed(library: Library, found: Asked, path: str, wanted: str) -> tuple[Answer, ...]:
    """The answers to the question asked backwards, through its inner questions."""
    name, _, rest = path.partition("/")
    question = found.question
    given = {other: _given(found, other, value) for other, value in question.given if other != name}
    try:
        answers: tuple[Answer, ...] = (library.solve(name, *question.profiles, **{**given, question.target: wanted}),)
    except AmbiguousError as error:
        answers = error.answers
    except DeriveError:
        return ()
    if not rest:
        return answers
    through = [spoken(answer) for answer in answers if answer.base is not None]
    return tuple(one for value in through for one in _needed(library, found.inner[name], rest, value))


def _given(found: Asked, name: str, value: str | WrittenQuestion) -> str:
    if isinstance(value, str):
        return value
    answer = found.inner[name].answer
    assert answer is not None
    return spoken(answer)


def _value_at(found: Asked, path: str) -> Value | None:
    """The value of an input: as given, or from the catalogue."""
    name, _, rest = path.partition("/")
    if rest:
        return _value_at(found.inner[name], rest)
    return None if found.answer is None else found.answer.given.get(name)


def _admissible(reading: Reading, path: str, old: Value, base: float) -> bool:
    """Whether the claim, or the disagreement of its sources, admits this value."""
    stated = dict(reading.leaves_open).get(path)
    room = old if stated is None else read_value(stated)
    low, _, high = room.base
    return low * (1 - AGREEMENT) <= base <= high * (1 + AGREEMENT) and (stated is not None or old.is_range)


def _times(ratio: float) -> str:
    """A ratio in words.

    >>> _times(0.5), _times(3.0), _times(1.31)
    ('1/2 of', '3 times', '1.31 times')
    """
    for whole in range(2, _SIMPLE + 1):
        if math.isclose(ratio, 1 / whole, rel_tol=TOLD):
            return f"1/{whole} of"
    return f"{ratio:.3g} times" if ratio > 1 else f"{ratio:.3g} of"


def _whose(old: Value) -> str:
    if old.source == ASKER:
        return "the stated"
    return "the default" if old.source in (DEFAULT, BY_DEFINITION) or old.source.stands_in else "the catalogue's"
