"""Similar texts, by rapidfuzz; imported only when something is misspelt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

__all__ = ["alike"]

_T = TypeVar("_T")


def alike(text: str, texts: Mapping[_T, str], least: float, most: int = 8) -> list[tuple[_T, float]]:
    """The texts that are similar to this one, with the share of letters in common, the most similar first.

    >>> [(key, round(share, 2)) for key, share in alike("lenght", {1: "length", 2: "width"}, least=0.75)]
    [(1, 0.83)]
    """
    from rapidfuzz import fuzz, process

    found = process.extract(text, texts, scorer=fuzz.ratio, limit=most, score_cutoff=100 * least)
    return [(key, score / 100) for _, score, key in found]
