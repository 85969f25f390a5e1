"""Everything that a price sheet implies, and the same for all sheets of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from derive.tables.progress import watched
from derive.tokens.price_sheets.asker import Asker
from derive.tokens.price_sheets.concluding import conclude
from derive.tokens.price_sheets.conclusions import Conclusion, Inference, Missing
from derive.tokens.price_sheets.contradictions import contradictions
from derive.tokens.price_sheets.plausible import plausible
from derive.tokens.price_sheets.questions import QUESTIONS
from derive.tokens.price_sheets.sheets import read_sheet, sheet_names
from derive.tokens.relations import library
from quantities.profiles import Profile

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
        contradictions(asker),
    )
