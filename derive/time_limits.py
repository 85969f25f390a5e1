"""Time limits of a query, on the wall clock, enforced in every thread.

Loops that could run long call `tick`, which looks at the clock and raises. What does not, such as a call of sympy, is
interrupted from outside, a moment later (`interrupting`). No signal is involved, so both work in threads too.

A share of the time of a query (`sharing`) is counted in CPU time of the query's own thread, so that what is tried
within it does not depend on how busy the machine is.

Limits set by `with limits(...)` apply to queries inside, in this thread and in those that have set none of their own.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TypeVar

from derive.errors import LimitError
from derive.interrupting import Interruption, interrupted_after

__all__ = ["in_this_query", "limits", "overtime", "query", "several_queries", "sharing", "tick"]

S = TypeVar("S")
T = TypeVar("T")

_SECONDS = 10.0
_WALL = 1  # limit on wall-clock time, as a multiple of that on CPU time
_WALL_OF_SHARE = 3  # the same for a share, beside the limit of its query
_GRACE = 0.25  # seconds after the end in which the next `tick` is waited for: what it ends, keeps what it has found


@dataclass(slots=True)
class _Clock:
    """The times at which a query must have ended: in CPU time of its thread, and in wall-clock time."""

    seconds: float
    ends: float
    ends_at_last: float
    ticks: int = 0
    is_of_several: bool = False  # of queries, which share its time

    def is_over(self) -> bool:
        return time.thread_time() > self.ends or time.monotonic() > self.ends_at_last

    def error(self) -> LimitError:
        more = f"{6 * self.seconds:g}"
        return LimitError(
            f"The question took longer than {self.seconds:g} s.",
            hint=f"Allow more: with derive.limits(seconds={more}): ..., or --seconds {more} on the command line.",
            limit=f"{self.seconds:g} s",
        )


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
    seconds = float(seconds) if seconds < sys.float_info.max else math.inf
    token = _this_thread.set(seconds)
    _all_threads.append(seconds)
    try:
        yield
    finally:
        _this_thread.reset(token)
        _all_threads.remove(seconds)


@contextmanager
def query(seconds: float = _SECONDS) -> Iterator[None]:
    """The clock of one query; a query inside a query uses the outer one's.

    `seconds` is the limit where the asker has set none.
    """
    outer = _running.get()
    if outer is not None and not outer.is_of_several:
        yield
        return
    with _running_for(_asked_seconds(seconds if outer is None else outer.seconds), outer, is_of_several=False):
        yield


@contextmanager
def several_queries(seconds: float) -> Iterator[None]:
    """The clock of many queries together: each of them may take all of the time that is left."""
    if _running.get() is not None:
        yield
        return
    with _running_for(_asked_seconds(seconds), None, is_of_several=True):
        yield


def _asked_seconds(seconds: float) -> float:
    """The limit that holds here: the asker's, or else this one."""
    return _this_thread.get() or (_all_threads[-1] if _all_threads else seconds)


@contextmanager
def _running_for(seconds: float, outer: _Clock | None, is_of_several: bool) -> Iterator[None]:
    ends = time.monotonic() + _WALL * seconds
    if outer is not None:
        ends = min(ends, outer.ends_at_last)
    if ends == math.inf:
        yield
        return
    clock = _Clock(seconds, time.thread_time() + seconds, ends, is_of_several=is_of_several)
    token = _running.set(clock)
    try:
        with interrupted_after(ends - time.monotonic() + _GRACE):
            yield
    except Interruption:
        raise clock.error() from None
    finally:
        _running.reset(token)


@contextmanager
def sharing(share: float) -> Iterator[None]:
    """Limit a block to a share of the remaining time; a LimitError then ends the block, and not the query."""
    outer = _running.get()
    if outer is None or outer.is_over():
        yield
        return
    now, at = time.thread_time(), time.monotonic()
    left = share * min(outer.ends - now, outer.ends_at_last - at)
    clock = _Clock(outer.seconds, now + left, min(at + _WALL_OF_SHARE * _WALL * left, outer.ends_at_last))
    token = _running.set(clock)
    try:
        with interrupted_after(clock.ends_at_last - at + _GRACE):
            yield
    except Interruption:
        raise clock.error() from None
    finally:
        _running.reset(token)


def in_this_query(work: Callable[[S], T]) -> Callable[[S], T]:
    """The work, for another thread: it runs there on the clock of the query that it was made in."""
    clock = _running.get()
    if clock is None:
        return work
    of_threads = replace(clock, ends=math.inf)  # the CPU time of this thread says nothing about others

    def on_its_clock(item: S) -> T:
        token = _running.set(of_threads)
        try:
            with interrupted_after(clock.ends_at_last - time.monotonic() + _GRACE):
                return work(item)
        except Interruption:
            raise clock.error() from None
        finally:
            _running.reset(token)

    return on_its_clock


def overtime() -> LimitError:
    """The error of a query whose time has run out."""
    clock = _running.get()
    assert clock is not None
    return clock.error()


def tick() -> None:
    """Stop here if the time of the query has run out."""
    clock = _running.get()
    if clock is None:
        return
    clock.ticks += 1
    if clock.ticks & 15 == 0 and clock.is_over():
        raise clock.error()
