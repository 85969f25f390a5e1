"""Time limits of a query, on the wall clock, enforced in every thread.

Loops that could run long call `tick`, which looks at the clock and raises. What does not, such as a call of sympy, is
interrupted a moment later: one thread in the background waits for the block that is to end first, and has
`Interruption` raised in its thread. No signal is involved, so both work in threads too. Code in C is left to end by
itself, and so is what must not be cut short (`_UNSAFE`, `_NEVER_CUT`): imports, and the entries and exits of context
managers. So nothing is left half done; caches here store a value when all of it is there.

A share of the time of a query (`sharing`) is counted in CPU time of the query's own thread, so that what is tried
within it does not depend on how busy the machine is.

Where a question needs no more than what is sure, a shorter `Search` saves most of its time.

Limits set by `with limits(...)` apply to queries inside, in this thread and in those that have set none of their own.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, replace
from enum import Enum
from inspect import CO_GENERATOR
from threading import Condition, Lock, Thread, get_ident
from types import FrameType
from typing import ClassVar, TypeVar

from derive.errors import LimitError, LimitKind

_SOON = 0.005  # seconds until a thread that must not be interrupted is looked at again
_AGAIN = 0.25  # seconds until a thread that goes on is interrupted again
_LONGEST_WAIT = 3600.0  # seconds after which a waiting thread looks again; the system takes no number of any size
_UNSAFE = (
    *("_frozen_importlib", "importlib", "llvmlite", "logging", "matplotlib", "mpmath", "numba", "pint", "threading"),
    *("_weakrefset", "weakref", "quantities.definitions", "quantities.registry", "quantities.temporary"),
)
"""Modules with a state for the whole process, which an exception from outside could leave half changed; and those of
weak references, of which Python calls functions when something is collected, and only prints what they raise."""
_SAFE = ("mpmath.libmp",)
"""What of these modules has no state."""
_NEVER_CUT = frozenset({"__enter__", "__exit__", "__del__"})
"""Functions that are never cut short: they begin and end what others rely on."""


class Search(Enum):
    """How far the solutions of a block that has no closed ones are searched, before it stays undecided."""

    NONE = "none"
    COMPLETE = "complete"  # only by boxes: what is found there is proved to be all
    FROM_STARTS = "from starts"  # also from many starting points, which proves nothing


class Interruption(BaseException):
    """Ends a block whose time has run out.

    It is no `Exception`, so that no library takes it for an error of its own and goes on without its result.
    """


@dataclass(eq=False, slots=True)
class _Alarm:
    """A block that is to end: its thread, the frame that it stands in, and when it is interrupted next."""

    thread: int
    frame: FrameType
    due: float


class _Watch:
    """The alarms of all threads, and the thread that waits for the earliest of them."""

    def __init__(self) -> None:
        self._changed = Condition(Lock())
        self._alarms: set[_Alarm] = set()
        self._wakes_at = math.inf
        self._is_running = False

    def add(self, alarm: _Alarm) -> None:
        with self._changed:
            self._alarms.add(alarm)
            if not self._is_running:
                self._is_running = True
                with suppress(RuntimeError):  # no more threads: loops still look at the clock themselves
                    Thread(target=self._run, name="derive-limits", daemon=True).start()
            elif alarm.due < self._wakes_at:
                self._changed.notify()

    def discard(self, alarm: _Alarm) -> None:
        with self._changed:
            self._alarms.discard(alarm)

    def _run(self) -> None:
        """Interrupt each thread whose time limit is due, and sleep until the next one is."""
        with self._changed:
            while True:
                for alarm in self._alarms:
                    if alarm.due <= time.monotonic():
                        pause = _AGAIN if _interrupt(alarm) else _SOON
                        alarm.due = time.monotonic() + pause
                self._wakes_at = min((alarm.due for alarm in self._alarms), default=math.inf)
                if self._wakes_at == math.inf:
                    self._changed.wait()
                else:
                    self._changed.wait(min(max(0.0, self._wakes_at - time.monotonic()), _LONGEST_WAIT))


def _interrupt(alarm: _Alarm) -> bool:
    """Have the time limit's exception raised in its thread, if that is inside the block and may be interrupted there.

    The thread stands still while this one runs, which Python grants for the switch interval. Where the look at its
    frames took longer than half of that, it may have moved on, and nothing is done.
    """
    begun = time.perf_counter()
    frame = sys._current_frames().get(alarm.thread)
    if not _may_be_interrupted(frame, alarm.frame):
        return False
    if time.perf_counter() - begun > sys.getswitchinterval() / 2:
        return False
    thread, raised = ctypes.c_ulong(alarm.thread), ctypes.py_object(Interruption)
    return bool(ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, raised))


def _may_be_interrupted(frame: FrameType | None, block: FrameType) -> bool:
    """Whether every frame from the innermost to that of the time-limited block may be cut short.

    What the garbage collector calls may not: Python prints an exception there, and goes on.
    """
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and frame is not block:
        if frame.f_code.co_name in _NEVER_CUT or frame.f_code in collecting or _is_unsafe(_module(frame)):
            return False
        frame = frame.f_back
    return frame is block


def _is_unsafe(module: str) -> bool:
    return module.startswith(_UNSAFE) and not module.startswith(_SAFE)


def _frame_of_block() -> FrameType:
    """The frame of the function whose `with` sets a time limit: it lasts while context managers are suspended."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_flags & CO_GENERATOR or _module(frame) == "contextlib"):
        frame = frame.f_back
    return frame


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


_watch = _Watch()


def _forget_alarms() -> None:
    """Start a forked process without alarms: the thread that waits for them is not copied into it."""
    global _watch  # noqa: PLW0603
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_alarms)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `Interruption` after a time limit of so many seconds, and again as long as the block goes on.

    >>> try:
    ...     with interrupted_after(0.01):
    ...         while True:
    ...             pass
    ... except Interruption:
    ...     print("ended")
    ended
    """
    watch, alarm = _watch, _Alarm(get_ident(), _frame_of_block(), time.monotonic() + seconds)
    watch.add(alarm)
    try:
        yield
    finally:
        watch.discard(alarm)


S = TypeVar("S")
T = TypeVar("T")

_SECONDS = 10.0
_WALL = 1  # limit on wall-clock time, as a multiple of that on CPU time
_WALL_OF_SHARE = 3  # the same for a share, beside the limit of its query
_GRACE = 0.25  # seconds after the end in which the next `tick` is waited for: what it ends, keeps what it has found


@dataclass(slots=True)
class _Clock:
    """The times at which a query must have ended: in CPU time of its thread, and in wall-clock time.

    Some systems take a millisecond to say the CPU time. A thread has no more of it than wall-clock time has passed, so
    it is not asked for before it could be over (`earliest`, in wall-clock time).
    """

    seconds: float
    ends: float
    ends_at_last: float
    earliest: float
    ticks: int = 0
    is_of_several: bool = False  # of queries, which share its time
    overruns: ClassVar[int] = 0  # errors of all clocks so far

    def is_over(self) -> bool:
        now = time.monotonic()
        return now > self.earliest and (now > self.ends_at_last or time.thread_time() > self.ends)

    def error(self) -> LimitError:
        _Clock.overruns += 1
        limit, more = f"{self.seconds:g} s", f"{6 * self.seconds:g}"
        hint = f"Allow more: with derive.limits(seconds={more}): ..., or --seconds {more} on the command line."
        return LimitError(f"The question took longer than {limit}.", hint=hint, limit=limit, kind=LimitKind.TIME)


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
    """The limit set by `limits` in this thread, or else in any other thread, or else this one."""
    return _this_thread.get() or (_all_threads[-1] if _all_threads else seconds)


@contextmanager
def _running_for(seconds: float, outer: _Clock | None, is_of_several: bool) -> Iterator[None]:
    """Limit the time of what is inside `with`, within the outer clock's; not if both are unlimited."""
    now = time.monotonic()
    ends = now + _WALL * seconds
    if outer is not None:
        ends = min(ends, outer.ends_at_last)
    if ends == math.inf:
        yield
        return
    clock = _Clock(
        seconds,
        ends=time.thread_time() + seconds,
        ends_at_last=ends,
        earliest=min(ends, now + seconds),
        is_of_several=is_of_several,
    )
    with _limited_by(clock):
        yield


@contextmanager
def _limited_by(clock: _Clock) -> Iterator[None]:
    """Run what is inside `with` on a query's clock, which ends it at the time limit with a LimitError."""
    token = _running.set(clock)
    try:
        with interrupted_after(clock.ends_at_last - time.monotonic() + _GRACE):
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
    cpu_now, wall_now = time.thread_time(), time.monotonic()
    wall_left = outer.ends_at_last - wall_now
    granted = share * min(outer.ends - cpu_now, wall_left)
    # Some of the wall-clock time stays for what follows, so that a busy machine does not lose what was found.
    longest = (1 + share) / 2 * wall_left
    ends_at_last = wall_now + min(_WALL_OF_SHARE * _WALL * granted, longest)
    clock = _Clock(
        outer.seconds,
        ends=cpu_now + granted,
        ends_at_last=ends_at_last,
        earliest=wall_now + min(granted, longest),
    )
    with _limited_by(clock):
        yield


def in_this_query(work: Callable[[S], T]) -> Callable[[S], T]:
    """The work, for another thread: it runs there under the time limits of the query that it was made in."""
    clock = _running.get()
    if clock is None:
        return work
    # the CPU time of this thread says nothing about others
    of_threads = replace(clock, ends=math.inf, earliest=clock.ends_at_last)

    def on_its_clock(item: S) -> T:
        with _limited_by(of_threads):
            return work(item)

    return on_its_clock


def overtime() -> LimitError:
    """The error of a query whose time has run out."""
    clock = _running.get()
    assert clock is not None
    return clock.error()


def overruns() -> int:
    """How often time has run out so far: if never while a value was computed, no shorter search is part of it."""
    return _Clock.overruns


def tick() -> None:
    """Stop here if the time limit of the query has run out."""
    clock = _running.get()
    if clock is None:
        return
    clock.ticks += 1
    # Loops call this often: only each sixteenth call reads the clocks.
    if clock.ticks & 15 == 0:
        stop_if_over()


def stop_if_over() -> None:
    """Stop here, as `tick` does, but surely: what follows would take what time did not suffice for as impossible."""
    clock = _running.get()
    if clock is not None and clock.is_over():
        raise clock.error()
