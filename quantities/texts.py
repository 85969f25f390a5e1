"""The data files of this package."""

from __future__ import annotations

import os

__all__ = ["read"]

_HOME = os.path.dirname(
    os.path.abspath(__file__)
)  # importing importlib.resources takes as long as all other imports together


def read(*path: str) -> str:
    """The text of a file of this package.

    >>> read("units.txt").splitlines()[0][:1]
    '#'
    """
    with open(os.path.join(_HOME, *path), encoding="utf-8") as file:
        return file.read()
