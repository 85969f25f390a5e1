"""Libraries that a relation file uses by name, as installed packages offer them.

`uses = ["quantities.toml", "llm"]` names files by their path relative to the file that uses them, and libraries by
their entry points `derive.libraries`. A file is read once, however often it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from derive.errors import unknown

if TYPE_CHECKING:
    from derive.library import Library

__all__ = ["installed", "offered"]

_OFFERED = "derive.libraries"


def offered() -> list[str]:
    """The names of the libraries that packages offer.

    >>> "llm" in offered()
    True
    """
    from importlib.metadata import entry_points

    return sorted({entry.name for entry in entry_points(group=_OFFERED)})


def installed(name: str) -> Library:
    """A library that a package offers.

    >>> installed("llm").title
    'The economics of a token'
    >>> installed("lmm")
    Traceback (most recent call last):
        ...
    quantities.errors.UnknownNameError: There is no library 'lmm'. There are llm.
    """
    from importlib.metadata import entry_points  # slow to import, and the built-in files use only files

    offered = {entry.name: entry for entry in entry_points(group=_OFFERED)}
    if name not in offered:
        raise unknown("library", name, list(offered))
    found: Library = offered[name].load()()
    return found
