"""Postpones Python's full garbage collections while many long-lived objects are built.

A full collection visits all live objects. While a library of many relations is built, or an answer of many steps, it
visits ever more and frees nothing, so the work grows faster than the library. Young objects are collected as usual.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["collecting_seldom"]

_SELDOM = 1000  # collections of the middle generation before a full one

_lock = Lock()
_before: list[int] = []  # the threshold to restore, once for each open block


@contextmanager
def collecting_seldom() -> Iterator[None]:
    """Postpone full collections, in all threads, until the last of these blocks has ended.

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
