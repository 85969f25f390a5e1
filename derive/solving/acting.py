"""Which of the stated values act: what an answer hangs on, and what it is tested by.

A given acts if changing it can be seen in the answer. It does so in three ways, and in no other:

1. It stands in a relation of the plan, or of what those of the plan were derived from. So does the shorter of two
   times whose longer one binds: another number would change which of them does.
2. It decides whether a relation applies. The conditions of relations in use and of those put to the test are such; of
   a relation that was left aside, its condition is, if the relation would have a say in the answer where it held.
3. It is compared: it stands in a relation that was put to the test, or the number beside a weak value hangs on it.

Whatever else was typed is unused, and is named. All this is structure: names, no numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from derive.language.expression import names_in
from derive.solving.carrying import planned

if TYPE_CHECKING:
    from derive.library import Library
    from derive.planning.plans import Plan
    from derive.solving.asking import Question

__all__ = ["acting", "unused"]


def unused(
    library: Library, question: Question, made: Plan, left_out: Mapping[str, str], tested: Iterable[str]
) -> tuple[str, ...]:
    """The typed names that play no part in an answer; `tested` are the names of its checks."""
    silent = question.strong.keys() - acting(library, question, made, left_out, tested)
    deciding = _deciding(library, question, made, left_out, silent) if silent else set()
    return tuple(name for name in question.strong if name in silent and name not in deciding)


def acting(
    library: Library, question: Question, made: Plan, left_out: Mapping[str, str], tested: Iterable[str]
) -> set[str]:
    """All names that the answer of a plan hangs on, or that its checks compare."""
    relations = [relation for block in made.blocks for relation in block.relations]
    compared = [name for name in tested if name in library.relations]
    weak = [name for name in tested if name in library.declared]
    held = {question.target, *weak, *(name for one in (*relations, *compared) for name in library.members[one])}
    conditions = [condition for one in (*relations, *compared) for condition in library.relations[one].conditions]
    return _upstream(library, question, made, left_out, held | {*names_in(*conditions)})


def _upstream(
    library: Library, question: Question, made: Plan, left_out: Mapping[str, str], names: set[str]
) -> set[str]:
    """These names and all that they are derived from: by the plan, or beside it by one of their own."""
    found: set[str] = set()
    pending = list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += _sources(library, question, made, left_out, name)
    return found


def _sources(library: Library, question: Question, made: Plan, left_out: Mapping[str, str], name: str) -> Iterator[str]:
    if name in question.strong:
        return
    blocks = [block for block in (*made.blocks, *made.extra) if name in block.unknowns]
    if not blocks and name not in made.weak and name != question.target:  # what only a condition or a bound asks for
        weak = {other: value for other, value in question.weak.items() if other != name}
        aside = planned(library, replace(question, target=name, weak=weak), frozenset(left_out))
        blocks = list(aside.blocks)
    for block in blocks:
        for relation in block.relations:
            yield from library.members[relation]


def _deciding(
    library: Library, question: Question, made: Plan, left_out: Mapping[str, str], silent: set[str]
) -> set[str]:
    """Which of these decide that a relation does not apply which would have a say in the answer if it did."""
    shut_by: dict[str, set[str]] = {}
    for relation in left_out:
        asked = names_in(*library.relations[relation].conditions)
        for name in _upstream(library, question, made, left_out, set(asked)) & silent if asked else ():
            shut_by.setdefault(name, set()).add(relation)
    return {name for name, shut in shut_by.items() if _would_matter(library, question, {*left_out} - shut, shut)}


def _would_matter(library: Library, question: Question, left_out: set[str], shut: set[str]) -> bool:
    """Whether the plan would use one of these relations, or could put it to the test."""
    other = planned(library, question, frozenset(left_out))
    blocks = (*other.blocks, *other.extra)
    settled = {*question.strong, *other.weak, *(name for block in blocks for name in block.unknowns)}
    spent = {relation for block in other.blocks for relation in block.relations}
    return any(one in spent or settled.issuperset(library.members[one]) for one in shut)
