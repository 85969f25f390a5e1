"""Everything that a price sheet implies, its contradictions among it, and the same for all sheets of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from derive.errors import NOES
from derive.tables.progress import watched
from derive.tokens.price_sheets.asker import Asker, ends
from derive.tokens.price_sheets.concluding import Conclusion, Contradiction, Inference, Missing, conclude, gap_text
from derive.tokens.price_sheets.sheets import QUESTIONS, TENSIONS, Tension, plausible, read_sheet, sheet_names
from derive.tokens.price_sheets.text import shown
from derive.tokens.relations import library
from derive.tolerances import AGREEMENT
from quantities.facts import Profile

__all__ = ["infer", "survey"]


def infer(source: str | Path | Profile, /, *profiles: str | Profile, **given: Any) -> Inference:
    """What a price sheet implies: conclusions with derivation and range, contradictions, and what it does not yield.

    `source` is the name of a price sheet of the catalogue, a relation file with one profile, its text, or a profile.
    Profiles of chips, models or tiers replace the usual choices; `given` are further givens.

    >>> found = infer("claude-opus-4-6-prices")
    >>> print(f"{found['fast_batch_ratio'].value.magnitude:.4f}")
    0.0667
    """
    sheet = read_sheet(source, given)
    asker = Asker(sheet, plausible(sheet.library, profiles, sheet.profile.name))
    return _inferred(asker, watched(_concluded(asker), len(QUESTIONS), "questions"))


def survey(*profiles: str | Profile, **given: Any) -> tuple[Inference, ...]:
    """What every price sheet of the catalogue implies, in the order of the catalogue."""
    common = dict[Any, Any]()
    sheets = ((read_sheet(name, given), plausible(library(), profiles, name)) for name in sheet_names())
    askers = (Asker(sheet, among, common) for sheet, among in sheets)
    found = ((1, _inferred(asker, (one for _, one in _concluded(asker)))) for asker in askers)
    return tuple(watched(found, len(sheet_names()), "price sheets"))


def _concluded(asker: Asker) -> Iterator[tuple[int, Conclusion | Missing]]:
    return ((1, conclude(asker, question)) for question in QUESTIONS)


def _inferred(asker: Asker, concluded: Iterable[Conclusion | Missing]) -> Inference:
    found = list(concluded)
    return Inference(
        asker.sheet.profile.name,
        asker.sheet.profile.title,
        asker.sheet.profile.values,
        tuple(one for one in found if isinstance(one, Conclusion)),
        tuple(one for one in found if isinstance(one, Missing)),
        _contradictions(asker),
    )


def _contradictions(asker: Asker) -> tuple[Contradiction, ...]:
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
