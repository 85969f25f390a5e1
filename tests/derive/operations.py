"""Budgets of operations, which say the same on a fast machine and on a slow one, as no number of seconds does."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from unittest.mock import patch

from derive import limits, time_limits

EACH_LOOK = 16
"""Ticks between two looks at the clock."""


def calls(act: Callable[[], object]) -> int:
    """How many functions are called, in Python and in C: a clock that always tells the same."""
    count = 0

    def counted(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


@dataclass
class Clock:
    """A clock that goes on only as it is looked at."""

    each_look: float
    now: float = 0.0

    def monotonic(self) -> float:
        self.now += self.each_look
        return self.now

    def thread_time(self) -> float:
        return self.now


class NoWatch:
    """No thread that ends blocks: the one there is lives on the clock of the machine, before and after."""

    def add(self, alarm: object) -> None:
        pass

    def discard(self, alarm: object) -> None:
        pass


@contextmanager
def limits_by(clock: Clock) -> Iterator[None]:
    """Let time limits look at this clock."""
    with patch.object(time_limits, "time", clock), patch.object(time_limits, "_watch", NoWatch()):
        yield


@contextmanager
def ticks(count: int) -> Iterator[Clock]:
    """Let each query inside take so many ticks, however long they last."""
    clock = Clock(EACH_LOOK)
    with limits_by(clock), limits(seconds=count):
        yield clock
