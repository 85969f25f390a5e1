"""What answers over ranges say of their bounds: whether they are reached, in this case and beside other quantities."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

from derive.expressions.tree import names_in
from derive.model.relation_set import RelationSet
from derive.numerics.intervals.arithmetic import lies_in
from derive.solving.answering.regime_intervals import is_possible_within
from derive.solving.execution.answer import Answer, Assumption
from derive.solving.execution.case_boxes import claims, left_by_arms
from derive.solving.execution.plan_states import Found
from derive.solving.execution.question import NO_CASE, Question
from derive.solving.ranges.range_propagation import may_enter_elsewhere
from derive.solving.ranges.solution_path import ATTAINED_ALONG
from derive.solving.sensitivity.elasticities import EXACT, ROUGH, SEARCHED
from derive.tolerances import ASIDE, SAME_ROOT

__all__ = ["cut_to_case", "is_of_bounds", "without_unreached"]

_CUT = Assumption("bounds contain every value in this case; not every value in them need be reached", "bounds")


_CLOSE = ("bounds are exact", "bounds found by")
_UNREACHED = Assumption("bounds contain every value in the range; not every value in them need be reached", "bounds")
_UNREACHED_ALONG = Assumption(
    "bounds contain every value along this solution; not every value in them need be reached; elsewhere in the ranges "
    "there may be others",
    "bounds",
)


def is_of_bounds(note: Assumption) -> bool:
    """Whether a note says how bounds are known, also one that a block of its own says."""
    return note.kind == "bounds" or note.text.startswith("bounds ")


def cut_to_case(library: RelationSet, question: Question, answer: Answer) -> Answer:
    """An answer over ranges, whose bounds are cut to what its case leaves to the target."""
    if not question.ranges or question.case == NO_CASE or answer.bounds is None:
        return answer
    fixed = {name for name, value in question.values.items() if not value.is_range}
    if fixed.issuperset(names_in(*claims(library, question))):  # the ranges do not touch what decides the case
        return answer
    left = left_by_arms(library, question, [question.target])
    if left is None:
        return answer
    (low, high), (least, most) = answer.bounds, left[question.target]
    if low < least <= high:
        low = float(f"{least:.15g}")  # without what was rounded outwards
    if low <= most < high:
        high = float(f"{most:.15g}")
    if (low, high) == answer.bounds:
        return answer
    notes = tuple(_CUT if _claims(one, _CLOSE) else one for one in answer.stated_assumptions)
    answer = replace(answer, bounds=(low, high), stated_assumptions=notes)
    if answer.base is None or lies_in((answer.base, answer.base), (low, high), SAME_ROOT):
        return answer
    note = Assumption("it has no value in the middle of the ranges")  # there the case does not hold
    lineage = answer._lineage
    return replace(
        answer,
        base=None,
        stated_assumptions=(*notes, note),
        _steps=tuple,
        _lineage=cache(lambda: lineage().without_numbers()),
    )


def without_unreached(library: RelationSet, question: Question, found: Found, answer: Answer) -> Answer:
    """An answer over ranges, which does not say that its bounds are reached where other quantities forbid it.

    Nor does it say that its bounds are all there is where another value may come into the domain.
    """
    if answer.bounds is None:
        return answer
    low, high = answer.bounds
    along = tuple(map(_along, answer.stated_assumptions))
    if along != answer.stated_assumptions and may_enter_elsewhere(library, question, found.plan):
        answer = replace(answer, stated_assumptions=along)
    if not any(_claims(note, (*_CLOSE, ATTAINED_ALONG)) for note in answer.stated_assumptions):
        return answer
    inwards = ASIDE * (high - low)
    beside = [(low, low + inwards), (high - inwards, high)]  # ends are rounded, and may lie outside by that alone
    if not math.isfinite(inwards) or all(is_possible_within(library, question, found, span) for span in beside):
        return answer
    notes = tuple(_unreached(one) for one in answer.stated_assumptions)
    return replace(answer, stated_assumptions=notes)


def _along(note: Assumption) -> Assumption:
    """What is said of the bounds of a closed form, as of those along one solution among others."""
    if note.kind != "bounds" or note.text not in (EXACT, SEARCHED, ROUGH):
        return note
    how = "contain every value of it" if note.text == ROUGH else "are attained"
    return Assumption(f"bounds along this solution {how}; elsewhere in the ranges there may be others", "bounds")


def _unreached(note: Assumption) -> Assumption:
    """What is said of bounds, without the claim that they are reached."""
    if _claims(note, (ATTAINED_ALONG,)):
        return _UNREACHED_ALONG
    return _UNREACHED if _claims(note, _CLOSE) else note


def _claims(note: Assumption, starts: tuple[str, ...]) -> bool:
    """Whether a note on bounds begins so; these say that the bounds are reached."""
    return note.kind == "bounds" and note.text.startswith(starts)
