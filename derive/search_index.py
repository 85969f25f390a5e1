"""A search index of named things, best match first.

Each entry has titles (its name and aliases) and a meaning. A word of the query has a weight, which is greater the fewer
entries contain it, and a match: whole, at the beginning of a word, inside one, or misspelt. Abbreviations, which are
short, match only as whole words. An entry scores by two shares: how much of the query it matches anywhere, and how much
the query and the best matching title or meaning have in common (Dice's coefficient), so that of all entries that
mention a word the one that is named by it comes first.

Words are compared in one form for all spellings: case, hyphens, underscores and camelCase are removed, British
spelling becomes American, and endings of number and tense are cut off (`utilisations`, `Utilization`). The stems are
not dictionary forms (`caches`, `caching` and `cache` are all `cach`), and are never shown. Names of counted things are
those of the table of units: where `gpu` is an alias of the unit `chip`, it is the same word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain
from math import log
from typing import TypeVar

from derive.errors import UnknownNameError, excerpt, unknown
from quantities.definitions import definition

_NAME_WEIGHT, _ALIAS_WEIGHT, _MEANING_WEIGHT, _JOINED_WEIGHT = 1.0, 0.97, 0.8, 0.5
_FILLER_WEIGHT = 0.2  # of a word with little meaning
_LEAST_LETTERS = 4  # of a word that may match a part or a misspelling of another
_SAME_LETTERS = 0.75  # least share of letters that a misspelt word shares with a word
_SAME_TITLE = 0.75  # the same for a whole title
_LEAST_SCORE = 0.4  # of a hit
_LEAST_PROPOSED = 0.62  # score of a proposal for an undeclared name
_NEAR_BEST = 0.9  # least share of the best score for further proposals
_LEAST_COVER = 0.3  # least share of a query that an entry must match: with less, its score cannot reach `_LEAST_SCORE`
_MOST_PROPOSED = 3  # names for an undeclared one
_MOST_SIMILAR = 8  # texts that count as similar to one
_LONGEST_QUERY = 200  # characters of a query


@dataclass(frozen=True, eq=False)
class Entry:
    """A named thing with its meaning, its aliases, and the names that it joins."""

    kind: str
    name: str
    meaning: str = ""
    aliases: tuple[str, ...] = ()
    joins: tuple[str, ...] = ()
    rank: float = 1.0  # below 1 to come after others that match as well


@dataclass(frozen=True)
class Hit:
    """An entry that was found: its score, up to about 1, and whether it matches the whole query.

    `called` is the alias that matched best, if one did; it is `exact` if its name or alias is the whole query.
    """

    entry: Entry
    score: float
    whole: bool
    called: str = ""
    exact: bool = False


@dataclass(frozen=True, eq=False)
class _Field:
    """A title or a meaning: its entry, its weight, and its words."""

    entry: int
    weight: float
    words: tuple[str, ...]
    text: str

    @property
    def is_title(self) -> bool:
        return self.weight >= _ALIAS_WEIGHT


_Key = TypeVar("_Key")
_Matches = dict[str, tuple[float, str]]
"""For each matched word of a query, how well it matches, from 0 to 1, and the word of an entry that it matches."""


class Index:
    """Entries that can be searched.

    >>> index = Index([Entry("quantity", "token_interval", aliases=("TPOT",)), Entry("quantity", "length")])
    >>> [hit.entry.name for hit in index.search("tpots")], [hit.entry.name for hit in index.search("lenght")]
    (['token_interval'], ['length'])
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries = tuple(entries)

    @cached_property
    def _postings(self) -> dict[str, list[_Field]]:
        """The titles and meanings in the index that contain each word."""
        postings: dict[str, list[_Field]] = {}
        for i, entry in enumerate(self.entries):
            for field in _fields(i, entry):
                for word in dict.fromkeys(field.words):
                    postings.setdefault(word, []).append(field)
        return postings

    @cached_property
    def _weights(self) -> dict[str, float]:
        """The weight of each indexed word: greater, the fewer entries contain it."""
        counts = {word: len({field.entry for field in fields}) for word, fields in self._postings.items()}
        return {word: log(1 + len(self.entries) / count) for word, count in counts.items() if word not in FILLERS}

    def _weight(self, word: str) -> float:
        """The weight of any word in a search.

        One that no entry contains weighs as much as one that a single entry contains.
        """
        return _FILLER_WEIGHT if word in FILLERS else self._weights.get(word, log(1 + len(self.entries)))

    @cached_property
    def _total_weights(self) -> dict[_Field, float]:
        """The total weight of the words of each title and meaning in the index."""
        fields = set(chain.from_iterable(self._postings.values()))
        return {field: sum(map(self._weight, dict.fromkeys(field.words))) for field in fields}

    @cached_property
    def _titles(self) -> dict[tuple[int, str], str]:
        """Every name and alias in the index, written as one word."""
        fields = chain.from_iterable(self._postings.values())
        return {(field.entry, field.text): letters(field.text) for field in fields if field.is_title}

    def search(self, text: str, kind: str = "") -> list[Hit]:
        """Search the index for entries that match some words, best first; of one kind, if it is given."""
        words = self._segmented(fold(text[:_LONGEST_QUERY]))
        best = {hit.entry: hit for hit in self._entries_mentioning(words)}
        for hit in self._entries_misspelt(letters(text[:_LONGEST_QUERY])):
            if hit.entry not in best or hit.score > best[hit.entry].score:
                best[hit.entry] = hit
        kept = [hit for hit in best.values() if hit.score >= _LEAST_SCORE and kind in ("", hit.entry.kind)]
        return sorted(kept, key=lambda hit: (-round(hit.score, 9), self._places[hit.entry]))

    @cached_property
    def _places(self) -> dict[Entry, int]:
        """The first place of each entry in the index, by which hits of the same score are ordered."""
        return {entry: place for place, entry in reversed([*enumerate(self.entries)])}

    # Entries that mention the words

    def _segmented(self, words: tuple[str, ...]) -> list[str]:
        """The words of a search query; unknown ones are joined or split if that makes indexed words."""
        segmented: list[str] = []
        remaining = list(words)
        while remaining:
            word = remaining.pop(0)
            is_unknown = word not in self._postings and word not in FILLERS
            joined = fold(word + remaining[0]) if is_unknown and remaining else ()
            if joined and joined[0] in self._postings:
                segmented += joined
                remaining.pop(0)
            else:
                segmented += (self._split(word) if is_unknown else []) or [word]
        return segmented

    def _split(self, word: str) -> list[str]:
        """The two indexed words that a word of the query is made of, the first as long as possible; else none."""
        for cut in range(len(word) - 2, 1, -1):
            parts = [*fold(word[:cut]), *fold(word[cut:])]
            if all(part in self._postings for part in parts):
                return parts
        return []

    def _matches(self, word: str) -> Mapping[str, float]:
        """The indexed words that a word of the query matches, with how well they match, from 0 to 1.

        It matches itself alone where it is indexed.
        """
        if word in self._postings:
            return {word: 1.0}
        if len(word) < _LEAST_LETTERS or word in FILLERS:
            return {}
        known = [other for other in self._postings if len(other) >= _LEAST_LETTERS]
        shares = {other: 0.9 * share for other, share in _similar(word, {o: o for o in known}, _SAME_LETTERS)}
        for other in known:
            if word in other:
                covered = len(word) / len(other)
                share = 0.6 + 0.3 * covered if other.startswith(word) else 0.6 * covered
                shares[other] = max(shares.get(other, 0), share)
        return shares

    def _entries_mentioning(self, words: Sequence[str]) -> Iterable[Hit]:
        """The entries of the index that contain words of a query; its fillers alone are not enough."""
        different = tuple(dict.fromkeys(words))
        telling = [word for word in different if word not in FILLERS] or different
        query_weight = sum(map(self._weight, different))
        matched: dict[int, dict[_Field, _Matches]] = {}
        for word in telling:
            for other, share in self._matches(word).items():
                for field in self._postings[other]:
                    matches = matched.setdefault(field.entry, {}).setdefault(field, {})
                    matches[word] = max(matches.get(word, (0.0, "")), (share, other))
        for i, fields in matched.items():
            if sum(map(self._weight, set(chain.from_iterable(fields.values())))) < _LEAST_COVER * query_weight:
                continue
            for field, matches in fields.items():
                fillers = (word for word in different if word not in telling and word in field.words)
                matches.update({word: (1.0, word) for word in fillers})
            yield self._scored(self.entries[i], fields, words, query_weight)

    def _scored(
        self, entry: Entry, fields: Mapping[_Field, _Matches], words: Sequence[str], query_weight: float
    ) -> Hit:
        """Score an entry of the index by the words of the query that its titles and meaning match."""
        covered: dict[str, float] = {}
        best, called, exact = 0.0, "", False
        for field, matches in fields.items():
            for word, (share, _) in matches.items():
                covered[word] = max(covered.get(word, 0.0), share * (1.0 if field.is_title else 0.9))
            in_query = sum(self._weight(word) * share for word, (share, _) in matches.items())
            shares = {matched: share for share, matched in matches.values()}  # a word of the field counts once
            in_field = sum(self._weight(matched) * share for matched, share in shares.items())
            is_same = field.is_title and "".join(field.words) == "".join(words)  # wherever the words are parted
            if is_same:  # more than the title can score by its words
                dice = field.weight + 0.02
            else:
                dice = field.weight * (in_query + in_field) / (query_weight + self._total_weights[field])
            if dice > best:
                best, exact = dice, is_same
                called = field.text if field.weight == _ALIAS_WEIGHT else ""
        cover = sum(self._weight(word) * share for word, share in covered.items()) / query_weight
        covers_query = all(word in covered or word in FILLERS for word in words)
        return Hit(entry, entry.rank * (cover + best) / 2, whole=covers_query, called=called, exact=exact)

    def _entries_misspelt(self, query: str) -> Iterable[Hit]:
        """The entries of the index with a title that is similar to the whole query."""
        if len(query) < _LEAST_LETTERS:
            return
        for (i, title), share in _similar(query, self._titles, _SAME_TITLE):
            entry = self.entries[i]
            score = entry.rank * 0.95 * share
            yield Hit(entry, score, whole=True, called="" if title == entry.name else title)

    # Undeclared names

    def unknown(self, kind: str, name: object) -> UnknownNameError:
        """The error for a name that the index lacks, with those of its entries that match best and may have been meant.

        >>> print(Index([Entry("quantity", "token_interval", aliases=("TPOT",))]).unknown("quantity", "TPOT"))
        There is no quantity 'TPOT'. TPOT is called token_interval here.
        """
        close = self.meant(name) if isinstance(name, str) else []
        if not close:
            return unknown(kind, name, [entry.name for entry in self.entries], search=False)
        return mistaken(kind, str(name), [hit.entry.name for hit in close], called=all(map(is_alias, close)))

    def meant(self, name: str) -> list[Hit]:
        """The few entries of the index that may have been meant by a name.

        They are only those with this name or alias, if there are any.
        """
        if len(name) > _LONGEST_QUERY:
            return []
        hits = [hit for hit in self.search(name) if hit.score >= _LEAST_PROPOSED]
        exact = [hit for hit in hits if hit.exact]
        return (exact or [hit for hit in hits if hit.score >= _NEAR_BEST * hits[0].score])[:_MOST_PROPOSED]


def is_alias(hit: Hit) -> bool:
    """Whether the whole search query is an alias of the entry that was hit."""
    return hit.exact and bool(hit.called)


def mistaken(kind: str, name: str, close: Iterable[str], called: bool = False) -> UnknownNameError:
    """The error for an undeclared name, with what a search found close to it: what may be meant, or has that alias."""
    close = tuple(dict.fromkeys(close))
    listed = " or ".join(close)
    hint = f"{name} is called {listed} here." if called else f"Did you mean {listed}?"
    what = f"There is no {kind} {excerpt(name)}."
    return UnknownNameError(what, hint=hint, name=name, kind=kind, suggestions=close)


def _fields(place: int, entry: Entry) -> Iterable[_Field]:
    """The titles, the meaning and the joined names of an entry as fields of the index, each with its weight."""
    yield _Field(place, _NAME_WEIGHT, fold(entry.name), entry.name)
    for alias in entry.aliases:
        yield _Field(place, _ALIAS_WEIGHT, fold(alias), alias)
    if entry.meaning:
        yield _Field(place, _MEANING_WEIGHT, fold(entry.meaning), entry.meaning)
    if entry.joins:
        yield _Field(place, _JOINED_WEIGHT, fold(" ".join(entry.joins)), "")


def _similar(text: str, texts: Mapping[_Key, str], least: float) -> list[tuple[_Key, float]]:
    """The indexed texts that are similar to a misspelt one, with the share of letters in common, best first.

    >>> [(key, round(share, 2)) for key, share in _similar("lenght", {1: "length", 2: "width"}, least=0.75)]
    [(1, 0.83)]
    """
    from rapidfuzz import fuzz, process  # here, since most searches meet no misspelt word

    similar = process.extract(text, texts, scorer=fuzz.ratio, limit=_MOST_SIMILAR, score_cutoff=100 * least)
    return [(key, score / 100) for _, score, key in similar]


# Words in one form for all spellings

_CAMEL = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z]{2})")
_WORD = re.compile(r"[^\W_]+")
_SIGNS = str.maketrans({"$": " USD ", "&": " and ", "'": None, "\u2019": None})
_AMERICAN = [
    (re.compile(r"(?<=[a-z]{2})([iy])s(?=(e|ed|er|ers|es|ing|ation|ations)$)"), r"\1z"),
    (re.compile(r"(?<=[a-z]{2})our(?=(s|ed|ing|al|able)?$)"), "or"),
    (re.compile(r"(?<=[a-z]{3})ll(?=(ed|ing|er|ers)$)"), "l"),
    (re.compile(r"(?<=[a-z]{2})ogue(?=s?$)"), "og"),
]
_IRREGULAR = {
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
    """The words of a text in the form in which a search compares them.

    >>> fold("KV-cache Utilisations"), fold("kvCacheUtilization")
    (('kv', 'cach', 'utilization'), ('kv', 'cach', 'utilization'))
    """
    plain = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    words = chain.from_iterable(map(_WORD.findall, _CAMEL.split(plain)))
    return tuple(_normal_form(word.casefold()) for word in words)


def letters(text: str) -> str:
    """The letters and digits of a text alone, by which a search compares misspelt ones.

    >>> letters("KV-cache Size")
    'kvcachesize'
    """
    return "".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))


@lru_cache(maxsize=16384)
def _normal_form(word: str) -> str:
    """The form of a word that a search compares: in American spelling, in the singular and without endings.

    Of a counted unit it is the unit's own name.
    """
    singular = word.removesuffix("s")
    word = _IRREGULAR.get(word) or _IRREGULAR.get(singular) or word
    for british, american in _AMERICAN:
        word = british.sub(american, word)
    stem = _stem(word)
    unit = definition(stem) if len(stem) > 2 else None
    return _stem(unit.name.casefold()) if unit is not None and unit.meaning.startswith("[") else stem


def _stem(word: str) -> str:
    """The stem of a word for a search, without its ending of number or tense."""
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


_FILLER_TEXT = """
a an and are as at be by count for from how if in is it its many much n num number of on or per that the to what which
with
"""
FILLERS = frozenset(fold(_FILLER_TEXT))
"""Words with little meaning, which a match may lack."""
