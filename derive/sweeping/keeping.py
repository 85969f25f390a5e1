"""What one sweep prepared, kept for the next over other numbers: the plans for a target, and functions along axes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, TypeVar

from derive.compiling.abreast import Abreast, found_for
from derive.compiling.cases import Cases

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["functions", "plans"]

T = TypeVar("T")

_KEPT = 256  # of one library


def plans(library: Library, target: str, names: Iterable[str]) -> Cases:
    """What leads to a target from such names."""
    given = tuple(names)
    return _kept(library, (target, given), lambda: found_for(library, target, given))


def functions(library: Library, wanted: Iterable[Cases]) -> Abreast:
    """One function for all that is wanted."""
    listed = list(wanted)
    return _kept(library, tuple(found.outline for found in listed), lambda: Abreast(library, listed))


def _kept(library: Library, key: Hashable, made: Callable[[], T]) -> T:
    kept = library.swept
    if key in kept:
        found: T = kept[key]
        return found
    found = made()
    if len(kept) >= _KEPT:
        kept.clear()
    kept[key] = found
    return found
