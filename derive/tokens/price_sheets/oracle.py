"""Everything that a price sheet implies, and the same for all sheets of the catalogue."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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
    return _inferred(Asker(sheet, plausible(sheet.library, profiles, sheet.profile.name)))


def survey(*profiles: str | Profile, **given: Any) -> tuple[Inference, ...]:
    """What every price sheet of the catalogue implies, in the order of the catalogue."""
    common = dict[Any, Any]()
    sheets = ((read_sheet(name, given), plausible(library(), profiles, name)) for name in sheet_names())
    return tuple(_inferred(Asker(sheet, among, common)) for sheet, among in sheets)


def _inferred(asker: Asker) -> Inference:
    found = [conclude(asker, question) for question in QUESTIONS]
    return Inference(
        asker.sheet.profile.name,
        asker.sheet.profile.title,
        asker.sheet.profile.values,
        tuple(one for one in found if isinstance(one, Conclusion)),
        tuple(one for one in found if isinstance(one, Missing)),
        contradictions(asker),
    )
