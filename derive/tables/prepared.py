"""What one sweep prepared, kept for the next over other numbers: the plans for a target, and functions along axes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from derive.kernels.case_dispatch import Cases
from derive.kernels.several_targets import Abreast, found_for, plans_for

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["beside", "functions", "plans"]


def plans(library: Library, target: str, names: Iterable[str]) -> Cases:
    """What leads to a target from such names."""
    given = tuple(names)
    found: Cases = library.swept.of((target, given), lambda: found_for(library, target, given))
    return found


def beside(library: Library, target: str, names: Iterable[str]) -> Cases:
    """What leads to a quantity that is not a target itself."""
    given = tuple(names)
    found: Cases = library.swept.of(("beside", target, given), lambda: plans_for(library, target, given))
    return found


def functions(library: Library, wanted: Iterable[Cases]) -> Abreast:
    """One function for all that is wanted."""
    listed = list(wanted)
    key = tuple((one.outline, one.is_asked) for one in listed)
    found: Abreast = library.swept.of(key, lambda: Abreast(library, listed))
    return found
