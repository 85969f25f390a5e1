"""Contradictions between prices of one sheet."""

from __future__ import annotations

from collections.abc import Iterator

from derive.tokens.price_sheets.asker import NOES, Asker, ends
from derive.tokens.price_sheets.concluding import conclude
from derive.tokens.price_sheets.conclusions import Conclusion, Contradiction
from derive.tokens.price_sheets.questions import TENSIONS, Tension
from derive.tokens.price_sheets.refutations import gap_text
from derive.tokens.price_sheets.text import shown
from derive.tolerances import AGREEMENT

__all__ = ["contradictions"]


def contradictions(asker: Asker) -> tuple[Contradiction, ...]:
    """All contradictions within a sheet: by definition, and by the interpretation of its prices."""
    return (*_by_definition(asker), *(found for tension in TENSIONS for found in _by_interpretation(asker, tension)))


def _by_interpretation(asker: Asker, tension: Tension) -> Iterator[Contradiction]:
    """The contradiction of two prices, if what they imply together lies outside its interval."""
    gap = conclude(asker, tension.question)
    if not isinstance(gap, Conclusion) or gap.answer.base is None:
        return
    low, high = tension.low * (1 - AGREEMENT), tension.high * (1 + AGREEMENT)
    if not low <= gap.answer.base <= high:
        everywhere = gap.bounds[0] > high or gap.bounds[1] < low
        yield Contradiction(tension.prices, gap_text(tension.text, gap), gap.answer, everywhere)


def _by_definition(asker: Asker) -> Iterator[Contradiction]:
    """Statements of a sheet that differ from what follows from the rest of it."""
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
