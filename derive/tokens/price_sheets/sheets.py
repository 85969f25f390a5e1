"""A price sheet: a profile of the catalogue, or the one profile of a relation file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from derive.errors import ExpressionError, read_all
from derive.library import Library
from derive.model.union import prove_fit
from derive.relation_files.loading import load
from derive.relation_files.sources import is_text
from derive.tokens.relations import library as built_in
from derive.tokens.relations import vocabulary
from quantities.declaration import read_given
from quantities.profiles import Profile
from quantities.value import Value

__all__ = ["Sheet", "printed", "read_sheet", "sheet_names"]


@cache
def _priced() -> frozenset[str]:
    """The names that make a profile a price sheet: prices and their ratios."""
    return frozenset(name for name in vocabulary("prices") if built_in().declared[name].default is None)


@cache
def printed() -> frozenset[str]:
    """The prices that price sheets print, and the price cliff."""
    declared = built_in().declared
    return frozenset(n for n in _priced() if "price" in n and "USD" in declared[n].unit.text) | {"price_cliff"}


@dataclass(frozen=True)
class Sheet:
    """A price sheet, the library that reads it, and further givens."""

    library: Library
    profile: Profile
    given: Mapping[str, Value]

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the sheet states and the library declares."""
        return tuple(name for name in self.profile.values if name in self.library.declared)


def read_sheet(source: str | Path | Profile, given: Mapping[str, Any]) -> Sheet:
    """A price sheet by its name in the catalogue, as a relation file or its text, or as a profile.

    >>> read_sheet("gemini-2-5-pro-prices", {}).profile.values["price_cliff"].number
    200000.0
    """
    library, profile = _read(source)
    if not _priced().intersection(profile.values):
        raise ExpressionError(
            f"{profile.name} states no price of a token.",
            hint='Write input_price = "1.25 USD/Mtoken" and so on: derive list quantities price has them all.',
            text=profile.name,
        )
    return Sheet(library, profile, read_all(lambda name, value: read_given(value, library.declaration(name)), given))


def sheet_names() -> tuple[str, ...]:
    """The price sheets of the catalogue."""
    return tuple(name for name in built_in().profiles if name.endswith("-prices"))


def _read(source: str | Path | Profile) -> tuple[Library, Profile]:
    library = built_in()
    if isinstance(source, Profile):
        prove_fit(source, library.declared)
        return library, source
    has_text = isinstance(source, str) and is_text(source)
    if isinstance(source, str) and not has_text and (source in library.profiles or not _is_path(source)):
        return library, library.profile(source)
    loaded = load(source, beside=library)
    found = list(loaded.profiles.stated.values())
    if len(found) != 1:
        label = "the text" if has_text else Path(source).name
        said = f"there are {len(found)}: {', '.join(profile.name for profile in found)}" if found else "there is none"
        raise ExpressionError(
            f"{label}: a price sheet is one profile, and {said}.",
            hint="Write [profiles.my-prices] and the prices below it.",
            text=label,
        )
    return library | loaded if loaded.relations or loaded.declared else library, found[0]


def _is_path(source: str) -> bool:
    return source.endswith(".toml") or "/" in source or Path(source).is_file()
