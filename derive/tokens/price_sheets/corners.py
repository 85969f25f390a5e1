"""The choices at which an answer is least and greatest, without trying each of them.

Where a question names the quantities by which a choice acts, these and the sheet determine the answer, and the choice
has no other effect. So the answer over the box of these quantities encloses the answers at all choices. If choices in
the corners of that box reach both ends of it, no other goes beyond; if they do not, all choices are evaluated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isclose, isfinite
from typing import Any

from derive.errors import NOES
from derive.solving.execution.answer import Answer
from derive.solving.sensitivity.elasticities import EXACT
from derive.tokens.price_sheets.asker import Asker, Chosen, Span, ends, stated
from derive.tokens.price_sheets.questions import SheetQuestion
from derive.tolerances import AGREEMENT
from quantities.source import Source

__all__ = ["at_corners"]

_FEW = 5  # choices up to which it is faster to evaluate all
_OVER = Source("the ends over all choices", "assumed")


def at_corners(
    asker: Asker, question: SheetQuestion, given: Mapping[str, Any], choices: Sequence[Chosen]
) -> list[tuple[Chosen, Span]] | None:
    """The answers at some of the choices, which none of the others exceeds; None if that is not proved."""
    if not question.counted_by or len(choices) <= _FEW:
        return None
    try:
        spans = {name: [asker.span(name, chosen, {}) for chosen in choices] for name in question.counted_by}
        whole = _over_all(asker, question, given, spans)
        if whole is None or _states_more(choices, whole.quantities.keys() - spans.keys()):
            return None
        corners = [choices[i] for i in range(len(choices)) if _is_corner(i, spans)]
        found = [(chosen, asker.span(question.target, chosen, given, question.needs)) for chosen in corners]
    except NOES:
        return None
    return found if _reach([span for _, span in found], ends(whole)) else None


def _over_all(
    asker: Asker, question: SheetQuestion, given: Mapping[str, Any], spans: Mapping[str, Sequence[Span]]
) -> Answer | None:
    """The answer over the box that encloses all choices, if its bounds are proved."""
    box = {name: _hull(found) for name, found in spans.items()}
    if not all(isfinite(end) for span in box.values() for end in span):
        return None
    library = asker.sheet.library
    boxed = {name: stated(library.declaration(name), *span, _OVER) for name, span in box.items()}
    whole = asker.ask(question.target, (), {**given, **boxed})
    return whole if any(one.text == EXACT for one in whole.stated_assumptions) else None


def _states_more(choices: Sequence[Chosen], between: set[str]) -> bool:
    """Whether a choice states any other quantity of the answer."""
    return any(between & profile.values.keys() for chosen in choices for profile in chosen)


def _is_corner(place: int, spans: Mapping[str, Sequence[Span]]) -> bool:
    """Whether a choice has every quantity at an end of the box."""
    hulls = {name: _hull(found) for name, found in spans.items()}
    return all(any(map(float.__eq__, spans[name][place], hull)) for name, hull in hulls.items())


def _hull(spans: Sequence[Span]) -> Span:
    return min(low for low, _ in spans), max(high for _, high in spans)


def _reach(found: Sequence[Span], whole: Span) -> bool:
    """Whether the answers reach both ends of the whole."""
    return bool(found) and all(isclose(*pair, rel_tol=AGREEMENT) for pair in zip(_hull(found), whole, strict=True))
