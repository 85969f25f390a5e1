"""Postpones Python's full garbage collections while many long-lived objects are built.

A full collection walks over all that is alive. While a library of many relations grows, or an answer of many steps, it
walks over ever more and finds nothing, and the work grows faster than the library. What is young is collected as ever.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["collecting_seldom"]

_SELDOM = 1000  # collections of the middle generation before a full one

_lock = Lock()
_before: list[int] = []  # the threshold that will be in force again, once for each that is inside


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Put full collections off, in all threads, until the last that asked for it has left.

    >>> with collecting_seldom(), collecting_seldom():
    ...     gc.get_threshold()[2]
    1000
    """
    with _lock:
        youngest, young, full = gc.get_threshold()
        _before.append(_before[0] if _before else full)
        gc.set_threshold(youngest, young, max(full, _SELDOM))
    try:
        yield
    finally:
        with _lock:
            full = _before.pop()
            if not _before:
                youngest, young, _ = gc.get_threshold()
                gc.set_threshold(youngest, young, full)
