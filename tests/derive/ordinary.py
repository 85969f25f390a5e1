"""What the ordinary run asks of a long list; the long run asks all of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

# One of each way of building a model: many heads, grouped heads, one head of the cache, windows, chunks, sinks,
# experts that are all of the feed-forward part, experts beside shared ones and dense layers, latents, selection.
BUILDS = (
    "gpt3-175b",
    "llama3-70b",
    "palm-540b",
    "gemma-3-27b",
    "llama4-scout",
    "gpt-oss-120b",
    "mixtral-8x7b",
    "deepseek-v3",
    "deepseek-v3-2",
)


def one_of_each(models: Iterable[str]) -> list[Any]:
    """The models, of which the ordinary run asks one of each build."""
    return [name if name in BUILDS else pytest.param(name, marks=pytest.mark.long) for name in models]


def one_in(share: int, cases: Iterable[Any], ids: Iterable[str]) -> list[Any]:
    """The cases, of which the ordinary run asks one in so many."""
    return [
        pytest.param(case, id=name, marks=[pytest.mark.long] if place % share else [])
        for place, (case, name) in enumerate(zip(cases, ids, strict=True))
    ]
