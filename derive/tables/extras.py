"""Imports of optional packages, with a clear error if one is missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from derive.errors import DeriveError

__all__ = ["package"]


def package(name: str, extra: str) -> Any:
    """An optional package, or an error that says how to install it.

    >>> package("abacus", "tables")
    Traceback (most recent call last):
        ...
    quantities.errors.DeriveError: This needs abacus, which is not installed. pip install 'derive-engine[tables]'
    """
    try:
        return import_module(name)
    except ImportError:
        hint = f"pip install 'derive-engine[{extra}]'"
        raise DeriveError(f"This needs {name.partition('.')[0]}, which is not installed.", hint=hint) from None
