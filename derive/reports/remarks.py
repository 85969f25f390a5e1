"""What a report says of an answer beside its number: plain sentences, where the command line prints a log.

Checks that hold, conditions that are taken to hold and the arm of a maximum are left out: the lines of the derivation
show what they rest on. A check that fails is said once, with both numbers and without the source, which the table has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from derive.presentation.failed_checks import idle_givens
from derive.presentation.numbers import customary, readable
from derive.solving.execution.answer import Answer, Check
from derive.solving.sensitivity.elasticities import EXACT
from quantities.value import ASKER, DEFAULT, OTHERWISE, Source

__all__ = ["failures", "remarks", "shown_source"]

_ASSUMED = Source("assumed", "assumed")
_SHORT = {DEFAULT: _ASSUMED, OTHERWISE: _ASSUMED, ASKER: Source("given", "assumed")}


def failures(answer: Answer) -> tuple[str, ...]:
    """The failed checks of an answer, the givens that play no part, and the whole numbers next to a count.

    >>> from derive.relation_files.loading import load
    >>> shelf = load('''[quantities]
    ... book = { unit = "kg" }
    ... books_held = { unit = "kg" }
    ... shelf_bears = { unit = "kg", value = "5 kg" }
    ... [relations]
    ... held = { equation = "books_held = 3*book" }
    ... shelf = { equation = "books_held <= shelf_bears", because = "the board bends" }''')
    >>> failures(shelf.solve("books_held", book="2 kg"))
    ('books held is 6 kg, more than shelf bears, which is 5 kg',)
    """
    told = [_failure(check) for check in answer.failed]
    told += [_in_words(idle_givens(answer, answer.unused))] if answer.unused else []
    return (*told, readable(answer.whole)) if answer.whole else tuple(told)


def _failure(check: Check) -> str:
    """Both numbers of a failed check in a sentence."""
    return readable(_in_words(check.brief or check.statement))


def _in_words(text: str) -> str:
    """A text with the names in it as words."""
    return re.sub(r"(?<=\w\w)\*(?=[a-z])", " times ", text.replace("_", " "))


def remarks(answer: Answer) -> tuple[str, ...]:
    """What an answer leaves out or takes for granted, with its size, and its range.

    >>> from derive.relation_files.loading import load
    >>> fall = load('''[quantities]
    ... height = { unit = "m" }
    ... speed = { unit = "m/s" }
    ... drag_share = { unit = "", meaning = "the drag of the air, over the speed" }
    ... thickness = { unit = "m" }
    ... gravity = { unit = "m/s**2", value = "9.81 m/s**2" }
    ... [relations]
    ... fall_speed = { equation = "speed = sqrt(2*gravity*height)", neglects = "drag_share" }
    ... drag = { equation = "drag_share = 0.001*height/thickness" }''')
    >>> remarks(fall.solve("speed", height="5 m", thickness="0.1 m"))
    ('the fall speed leaves out the drag of the air: 5 % of what it counts',)
    """
    return tuple(_remarks(answer))


def _remarks(answer: Answer) -> Iterator[str]:
    if answer.base is not None and answer.bounds is not None and answer.bounds[0] < answer.bounds[1]:
        low, high = (readable(customary(end, answer.quantity.unit, 3)) for end in answer.bounds)
        yield f"the ranges of the inputs make it {low} to {high}"
    for assumption in answer.stated_assumptions:
        if assumption.kind == "value":
            yield f"{_in_words(assumption.about)} is an assumption"
        elif assumption.kind != "condition" and assumption.text != EXACT:
            yield readable(_in_words(assumption.text))
    for left_out in answer.neglected:
        share = f"{100 * left_out.number:.3g} % of what it counts"
        yield f"the {_in_words(left_out.relation)} leaves out {left_out.what}: {share}"


def shown_source(source: Source) -> Source:
    """The source of an input as a table shows it."""
    return _SHORT.get(source, source)
