"""Where two prices of one sheet cannot both be read as they are."""

from __future__ import annotations

from collections.abc import Iterator

from derive.tokens.price_sheets.asker import NOES, Asker, ends
from derive.tokens.price_sheets.concluding import conclude
from derive.tokens.price_sheets.conclusions import Conclusion, Contradiction
from derive.tokens.price_sheets.questions import TENSIONS, Tension
from derive.tokens.price_sheets.refutations import told
from derive.tokens.price_sheets.text import shown
from derive.tolerances import AGREEMENT

__all__ = ["contradictions"]


def contradictions(asker: Asker) -> tuple[Contradiction, ...]:
    """All that a sheet says against itself: by definition, and as its prices are read."""
    return (*_by_definition(asker), *(found for tension in TENSIONS for found in _tense(asker, tension)))


def _tense(asker: Asker, tension: Tension) -> Iterator[Contradiction]:
    """What two prices say together, if it lies outside the interval in which both can be so read."""
    gap = conclude(asker, tension.question)
    if not isinstance(gap, Conclusion) or gap.answer.base is None:
        return
    low, high = tension.low * (1 - AGREEMENT), tension.high * (1 + AGREEMENT)
    if not low <= gap.answer.base <= high:
        everywhere = gap.bounds[0] > high or gap.bounds[1] < low
        yield Contradiction(tension.prices, told(tension.text, gap), gap.answer, everywhere)


def _by_definition(asker: Asker) -> Iterator[Contradiction]:
    """What a sheet states and what follows from the rest of it, where the two differ."""
    compared: set[str] = set()
    for name in asker.doubled():
        if name in compared:
            continue
        try:
            answer = asker.again(name)
        except NOES:
            continue
        compared |= {name, *answer.given}
        stated, (low, high) = asker.sheet.profile.values[name], ends(answer)
        if stated.base[0] > high * (1 + AGREEMENT) or low * (1 - AGREEMENT) > stated.base[2]:
            text = f"{name} is stated as {stated}, and the others make it {shown(low, answer.quantity.unit)}"
            yield Contradiction((name, *answer.given), text, answer)
