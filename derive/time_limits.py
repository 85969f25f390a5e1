"""Time limits of a query, enforced in every thread.

Loops that could run long call `tick`, which looks at the clock and raises. No signal is involved, so the limit works
in threads too. It counts the CPU time of a query's own thread, so that the answer does not depend on how busy the
machine is; there is also a limit on wall-clock time, three times as long.

Limits set by `with limits(...)` apply to queries inside, in this thread and in those that have set none of their own.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from derive.errors import LimitError
from derive.garbage import collecting_seldom

__all__ = ["limits", "query", "sharing", "tick"]

_SECONDS = 10.0
_WALL = 3  # limit on wall-clock time, as a multiple of that on CPU time


@dataclass(slots=True)
class _Clock:
    """The times at which a query must have ended: in CPU time of its thread, and in wall-clock time."""

    seconds: float
    ends: float
    ends_at_last: float
    ticks: int = 0


_this_thread: ContextVar[float | None] = ContextVar("derive_seconds", default=None)
_all_threads: list[float] = []
_running: ContextVar[_Clock | None] = ContextVar("derive_clock", default=None)


@contextmanager
def limits(*, seconds: float = _SECONDS) -> Iterator[None]:
    """Set the time that each query inside may take.

    >>> with limits(seconds=60):
    ...     pass
    """
    if not (isinstance(seconds, (int, float)) and seconds > 0):
        raise LimitError(f"{seconds!r} seconds is not a time limit.", hint="Give a positive number of seconds.")
    token = _this_thread.set(float(seconds))
    _all_threads.append(float(seconds))
    try:
        yield
    finally:
        _this_thread.reset(token)
        _all_threads.remove(float(seconds))


@contextmanager
def query() -> Iterator[None]:
    """The clock of one query; a query inside a query uses the outer one's."""
    if _running.get() is not None:
        yield
        return
    seconds = _this_thread.get() or (_all_threads[-1] if _all_threads else _SECONDS)
    token = _running.set(_Clock(seconds, time.thread_time() + seconds, time.monotonic() + _WALL * seconds))
    try:
        with collecting_seldom():
            yield
    finally:
        _running.reset(token)


@contextmanager
def sharing(share: float) -> Iterator[None]:
    """Limit a block to a share of the remaining time; a LimitError then ends the block, and not the query."""
    clock = _running.get()
    now, at = time.thread_time(), time.monotonic()
    if clock is None or now >= clock.ends or at >= clock.ends_at_last:
        yield
        return
    ends, ends_at_last = now + share * (clock.ends - now), at + share * (clock.ends_at_last - at)
    token = _running.set(_Clock(clock.seconds, ends, ends_at_last))
    try:
        yield
    finally:
        _running.reset(token)


def tick() -> None:
    """Stop here if the time of the query has run out."""
    clock = _running.get()
    if clock is None:
        return
    clock.ticks += 1
    if clock.ticks & 15 == 0 and (time.thread_time() > clock.ends or time.monotonic() > clock.ends_at_last):
        raise LimitError(
            f"The question took longer than {clock.seconds:g} s.",
            hint=f"Allow more: with derive.limits(seconds={6 * clock.seconds:g}): ...",
            limit=f"{clock.seconds:g} s",
        )
