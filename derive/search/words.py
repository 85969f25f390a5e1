"""Text as normalised search words, one form for all spellings.

Case, hyphens, underscores and camelCase are removed, British spelling becomes American, and endings of number and tense
are cut off (`utilisations`, `Utilization`). The stems are not dictionary forms (`caches`, `caching` and `cache` are all
`cach`), and are never shown. Names of counted things are those of the table of units: where `gpu` is an alias of the
unit `chip`, it is the same word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from quantities.definitions import definition

__all__ = ["FILLERS", "compact", "fold", "letters"]

_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_WORD = re.compile(r"[^\W_]+")
_SIGNS = str.maketrans({"$": " USD ", "&": " and ", "'": None, "\u2019": None})
_AMERICAN = [
    (re.compile(r"(?<=[a-z]{2})([iy])s(?=(e|ed|er|ers|es|ing|ation|ations)$)"), r"\1z"),
    (re.compile(r"(?<=[a-z]{2})our(?=(s|ed|ing|al|able)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})ll(?=(ed|ing|er|ers)$)"), "l"),
    (re.compile(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
]
_ODD = {
    "axes": "axis",
    "indices": "index",
    "matrices": "matrix",
    "centre": "center",
    "litre": "liter",
    "metre": "meter",
    "fibre": "fiber",
    "licence": "license",
    "programme": "program",
    "grey": "gray",
    "artefact": "artifact",
}


def fold(text: str) -> tuple[str, ...]:
    """The words of a text in the form in which they are compared.

    >>> fold("KV-cache Utilisations"), fold("kvCacheUtilization")
    (('kv', 'cach', 'utilization'), ('kv', 'cach', 'utilization'))
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    return tuple(_one_form(word.casefold()) for part in _CAMEL.split(plain) for word in _WORD.findall(part))


def letters(text: str) -> str:
    """The letters and digits of a text alone, to compare misspelt ones.

    >>> letters("KV-cache Size")
    'kvcachesize'
    """
    return "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


def compact(words: Sequence[str]) -> str:
    """The words written as one, so that word boundaries do not matter."""
    return "".join(words)


@lru_cache(maxsize=16384)
def _one_form(word: str) -> str:
    plural = word.removesuffix("s")
    word = _ODD.get(word) or _ODD.get(plural) or word
    for british, american in _AMERICAN:
        word = british.sub(american, word)
    stem = _stem(word)
    unit = definition(stem) if len(stem) > 2 else None
    return _stem(unit.name.casefold()) if unit is not None and unit.meaning.startswith("[") else stem


def _stem(word: str) -> str:
    """The word without its ending of number or tense."""
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("s") and not word.endswith(("ss", "is")) and (len(word) == 4 or not word.endswith("us")):
        word = word[:-1]  # `virus` is singular, `gpus` plural
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 3:
            return word.removesuffix(ending)
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return f"{word[:-1]}i" if word.endswith("y") and len(word) > 3 else word


_LITTLE = """
a an and are as at be by count for from how if in is it its many much n num number of on or per that the to what which
with
"""
FILLERS = frozenset(fold(_LITTLE))
"""Words with little meaning, which a match may lack."""
