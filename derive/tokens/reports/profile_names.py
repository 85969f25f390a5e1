"""Profiles as a reader knows them: the name of a product, where the catalogue has a key."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from derive.library import Library
from derive.presentation.document import Block, Grid, Heading, Text

__all__ = ["displayed", "with_names"]

_KEY = re.compile(r"(?<![\w/])[a-z][a-z0-9]*(?:-[a-z0-9]+)*(?::[a-z0-9]+)?(?![\w/-])")
_MAKER = re.compile(r"(?:NVIDIA (?:GeForce )?|AMD |Google (?=TPU)|AWS (?=Train)|\w+ prices: )")


def displayed(library: Library) -> Callable[[str], str]:
    """A function that puts names for the keys of a library's profiles in a text.

    >>> from derive.tokens.relations import library
    >>> displayed(library())("from h100-sxm:fp8 to rubin-r200: gemini-3-1-pro-prices")
    'from H100 SXM5 80GB in FP8 to Rubin R200 / VR200: prices of Gemini 3.1 Pro preview'
    """
    titles = {key: one.title for key, one in library.profiles.items() if one.title and ":" not in key}
    whole = {key: _MAKER.sub("", re.sub(r" \([^()]*\)", "", title)) for key, title in titles.items()}
    short = {key: title.partition(",")[0] for key, title in whole.items()}
    times = Counter(short.values())
    names = {key: name if times[name] == 1 else whole[key] for key, name in short.items()}

    def named(found: re.Match[str]) -> str:
        key, _, precision = found[0].partition(":")
        if key not in names:
            return found[0]
        name = f"prices of {names[key]}" if key.endswith("-prices") else names[key]
        return f"{name} in {precision.upper()}" if precision else name

    return lambda text: _KEY.sub(named, text)


def with_names(blocks: Iterable[Block], named: Callable[[str], str]) -> Iterator[Block]:
    """The blocks with names in their words for the keys of profiles."""
    for block in blocks:
        match block:
            case Text() | Heading():
                yield replace(block, words=named(block.words))
            case Grid():
                yield replace(block, rows=tuple(tuple(map(named, row)) for row in block.rows))
            case _:
                yield block
