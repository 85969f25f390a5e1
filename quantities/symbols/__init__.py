"""The vocabulary of the built-in library: one module a subject, one line a quantity.

One name means one thing everywhere. A quantity that is counted for each chip carries `/chip`, so that a rack's total is
never taken for one chip's. A factor that carries a unit (the 2 of 2 FLOP per parameter and token) is a quantity too.
"""

from __future__ import annotations

from types import ModuleType

from quantities.declaration import Declaration

__all__ = ["vocabulary"]


def vocabulary(*subjects: ModuleType) -> dict[str, Declaration]:
    """The quantities that these modules declare, by name."""
    found = [value for subject in subjects for value in vars(subject).values() if isinstance(value, Declaration)]
    return {quantity.name: quantity for quantity in found}
