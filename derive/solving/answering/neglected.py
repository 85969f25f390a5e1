"""What the relations of an answer leave out, and how much that is.

A relation may name the share that it `neglects`: what it leaves out, over what it counts. An answer that rests on it
says so once, with the number, where the givens of the question lead to one that is worth telling.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from derive.model.relation_set import RelationSet
from derive.presentation.numbers import shown_number
from derive.solving.execution.answer import Neglected
from derive.solving.execution.plan_execution import carried_out
from derive.solving.execution.plan_states import Found
from derive.solving.execution.regimes import explored
from derive.time_limits import query
from derive.tolerances import WORTH_TELLING

if TYPE_CHECKING:
    from derive.planning.plan import Plan
    from derive.solving.execution.question import Question

__all__ = ["neglected"]

_DIGITS = 3  # of what is left out


def neglected(library: RelationSet, question: Question, made: Plan) -> tuple[Neglected, ...]:
    """What the relations of a plan leave out, each share once; the meaning of a share begins with what it is.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''[quantities]
    ... height = { unit = "m" }
    ... speed = { unit = "m/s" }
    ... drag_share = { unit = "", meaning = "the drag of the air, over the speed" }
    ... thickness = { unit = "m" }
    ... gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
    ... [relations]
    ... fall = { equation = "speed = sqrt(2*gravity*height)", neglects = "drag_share" }
    ... drag_share = { equation = "drag_share = 0.001*height/thickness" }''')
    >>> fall.solve("speed", height="5 m", thickness="0.1 m").assumptions
    ('fall leaves out the drag of the air: 0.05 of what it counts (drag_share)',)
    >>> fall.solve("speed", height="5 m", thickness="9 m").assumptions, fall.solve("speed", height="5 m").assumptions
    ((), ())
    """
    found: dict[str, Neglected | None] = {}
    for relation in made.relations:
        share = library.relations[relation].neglected_share
        if share in library.declared and share not in found:
            found[share] = _neglected(library, question, relation, share)
    return tuple(one for one in found.values() if one is not None)


def _neglected(library: RelationSet, question: Question, relation: str, share: str) -> Neglected | None:
    number = _number(library, question, share)
    if number is None or abs(number) < WORTH_TELLING:
        return None
    declared = library.declared[share]
    what = declared.meaning.partition(",")[0] or "a part"
    return Neglected(relation, share, what, number, shown_number(number, declared.unit, _DIGITS))


def _number(library: RelationSet, question: Question, name: str) -> float | None:
    """What a quantity is by the givens of a question, if just one number; its own value, where nothing leads to it."""
    if name in question.strong:
        return question.strong[name].base[1]
    weak = {other: value for other, value in question.weak.items() if other != name}
    asked = replace(question, target=name, weak=weak, own=None)
    with query():
        cases = [found for _, found in explored(library, asked, partial(carried_out, library))]
    states = [state for found in cases if isinstance(found, Found) for state in found.states]
    numbers = {state.values[name] for state in states if name in state.values}
    if not numbers and name in question.weak:
        return question.weak[name].base[1]
    return numbers.pop() if len(numbers) == 1 else None
