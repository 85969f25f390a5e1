"""Ends a block of code after some seconds, wherever it is then: inside sympy as well as in a loop of this package.

One thread in the background waits for the block that is to end first, and has `Interruption` raised in the thread whose
block is not over by then. This works in every thread, and costs nothing until then. Code in C is left to end by itself,
and so is what must not be cut short (`_UNSAFE`, `_WHOLE`): while it runs, the background thread waits and looks again.

What is interrupted leaves nothing half done behind: caches here store a value when all of it is there, and imports and
the entries and exits of context managers, which hold what is global, are never interrupted.
"""

from __future__ import annotations

import ctypes
import gc
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from inspect import CO_GENERATOR
from threading import Condition, Lock, Thread, get_ident
from types import FrameType

__all__ = ["Interruption", "interrupted_after"]

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
_WHOLE = frozenset({"__enter__", "__exit__", "__del__"})
"""Functions that are never cut short: they begin and end what others rely on."""


class Interruption(BaseException):
    """Ends a block whose time has run out.

    It is no `Exception`, so that no library takes it for an error of its own and goes on without its result.
    """


@dataclass(eq=False, slots=True)
class _Alarm:
    """A block that is to end: its thread, the frame that it stands in, and when it is interrupted next."""

    thread: int
    frame: FrameType
    at: float


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
            elif alarm.at < self._wakes_at:
                self._changed.notify()

    def discard(self, alarm: _Alarm) -> None:
        with self._changed:
            self._alarms.discard(alarm)

    def _run(self) -> None:
        with self._changed:
            while True:
                for alarm in self._alarms:
                    if alarm.at <= time.monotonic():
                        pause = _AGAIN if _interrupt(alarm) else _SOON
                        alarm.at = time.monotonic() + pause
                self._wakes_at = min((alarm.at for alarm in self._alarms), default=math.inf)
                if self._wakes_at == math.inf:
                    self._changed.wait()
                else:
                    self._changed.wait(min(max(0.0, self._wakes_at - time.monotonic()), _LONGEST_WAIT))


def _interrupt(alarm: _Alarm) -> bool:
    """Have the exception raised in the alarm's thread, if it is inside the block and may be interrupted there.

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
    """Whether every frame from the innermost to that of the block may be cut short.

    What the garbage collector calls may not: Python prints an exception there, and goes on.
    """
    collecting = {getattr(callback, "__code__", None) for callback in gc.callbacks}
    while frame is not None and frame is not block:
        if frame.f_code.co_name in _WHOLE or frame.f_code in collecting or _is_unsafe(_module(frame)):
            return False
        frame = frame.f_back
    return frame is block


def _is_unsafe(module: str) -> bool:
    return module.startswith(_UNSAFE) and not module.startswith(_SAFE)


def _frame_of_block() -> FrameType:
    """The frame of the function with the `with` statement: the one that lasts while context managers are suspended."""
    frame = sys._getframe(1)
    while frame.f_back is not None and (frame.f_code.co_flags & CO_GENERATOR or _module(frame) == "contextlib"):
        frame = frame.f_back
    return frame


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


_watch = _Watch()


def _forget_alarms() -> None:
    """A forked process begins with one thread, and without the one that waits."""
    global _watch  # noqa: PLW0603
    _watch = _Watch()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_alarms)


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `Interruption` after so many seconds, and again as long as the block goes on.

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
