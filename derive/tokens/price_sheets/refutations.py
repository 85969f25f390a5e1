"""What would refute a conclusion: measurements outside its range, and limits that the range sets to chip and size.

Each lever of a question is solved for at each end of the range: with all else at the reference, a chip or a model
beyond these values would give an answer outside the range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from derive.errors import NOES
from derive.tokens.price_sheets.asker import Asker, Chosen, stated
from derive.tokens.price_sheets.conclusions import Conclusion
from derive.tokens.price_sheets.questions import SheetQuestion
from derive.tokens.price_sheets.text import shown
from quantities.source import Source

__all__ = ["filled", "gap_text", "refuted"]

_END = Source("an end of the range", "assumed")


def refuted(
    asker: Asker, question: SheetQuestion, concluded: Conclusion, at: Chosen, given: Mapping[str, Any]
) -> tuple[str, ...]:
    """In words, what would refute a conclusion; all numbers are the library's."""
    said = [filled(text, concluded) for text in question.refuted]
    levers = [_lever(asker, concluded, at, given, name, instead) for name, instead in question.levers.items()]
    return (*said, *(text for text in levers if text))


def filled(text: str, concluded: Conclusion) -> str:
    """A text with the numbers of a conclusion substituted."""
    unit = concluded.quantity.unit
    low, high = concluded.bounds
    base = concluded.answer.base
    value = shown(base, unit) if base is not None else f"{shown(low, unit)} to {shown(high, unit)}"
    return text.format(value=value, low=shown(low, unit), high=shown(high, unit))


def gap_text(text: str, gap: Conclusion) -> str:
    """The text of a gap between two prices, with its range over all choices if there is one."""
    unit, (low, high) = gap.quantity.unit, gap.bounds
    ends = [shown(end, unit) for end in (low, high)]
    return text.format(value=ends[0] if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}")


def _lever(
    asker: Asker, concluded: Conclusion, at: Chosen, given: Mapping[str, Any], name: str, instead: Sequence[str]
) -> str:
    """The values of one quantity, in words, at which the conclusion would leave its range, all else being equal."""
    if concluded.bounds[0] == concluded.bounds[1] or name in asker.sheet.given:
        return ""
    left = {name, *instead}
    kept = [replace(p, values={key: p.values[key] for key in p.values if _stays(key, left, concluded)}) for p in at]
    found = []
    for end in concluded.bounds:
        if isfinite(end):
            target = {concluded.quantity.name: stated(concluded.quantity, end, end, _END)}
            try:
                found.append(asker.ask(name, tuple(kept), {**given, **target}).base)
            except NOES:
                continue
    numbers = sorted(number for number in found if number is not None)
    unit = asker.sheet.library.declaration(name).unit
    limits = [f"{word} {shown(number, unit)}" for word, number in zip(("below", "above"), numbers, strict=False)]
    return f"{name} {' or '.join(limits)}, all else as at {concluded.reference}" if len(limits) == 2 else ""


def _stays(name: str, left: set[str], concluded: Conclusion) -> bool:
    """Whether a value of a choice was used in the answer and is not solved for."""
    return name in concluded.answer.given and name not in left
