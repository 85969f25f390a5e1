"""The questions about a price sheet, subject by subject, and the prices of it that may contradict each other.

The questions are data: `questions.toml`, which describes its own format at the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

import tomli

__all__ = ["QUESTIONS", "STANDING_IN", "TENSIONS", "SheetQuestion", "Tension"]


@dataclass(frozen=True)
class SheetQuestion:
    """One question about a sheet."""

    target: str
    needs: tuple[str, ...]
    subject: str = ""
    says: str = ""  # the conclusion in the words of who reads price sheets
    bound: str = ""  # the side on which the truth lies, where the answer is a bound on it
    assuming: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    levers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    given: Mapping[str, float] = field(default_factory=dict)
    counted_by: tuple[str, ...] = ()
    nearest: bool = False


@dataclass(frozen=True)
class Tension:
    """A number that lies in an interval if two prices can both be read as they are."""

    question: SheetQuestion
    prices: tuple[str, ...]
    text: str  # the sentence if it does not
    low: float = 0.0
    high: float = inf


def _question(target: str, stated: Mapping[str, Any]) -> SheetQuestion:
    levers = {name: tuple(others) for name, others in stated.get("levers", {}).items()}
    needs, assuming, refuted, counted_by = (
        tuple(stated.get(part, ())) for part in ("needs", "assuming", "refuted", "counted_by")
    )
    given, is_nearest = stated.get("given", {}), stated.get("nearest", False)
    words = {word: stated.get(word, "") for word in ("subject", "says", "bound")}
    return SheetQuestion(
        target,
        needs,
        **words,
        assuming=assuming,
        refuted=refuted,
        levers=levers,
        given=given,
        counted_by=counted_by,
        nearest=is_nearest,
    )


def _tension(target: str, stated: Mapping[str, Any]) -> Tension:
    ends = {name: stated[name] for name in ("low", "high") if name in stated}
    return Tension(_question(target, stated), tuple(stated["prices"]), stated["text"], **ends)


_STATED = tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
STANDING_IN: Mapping[str, str] = _STATED["standing_in"]
QUESTIONS = tuple(_question(*entry) for entry in _STATED["questions"].items())
TENSIONS = tuple(_tension(*entry) for entry in _STATED["tensions"].items())
