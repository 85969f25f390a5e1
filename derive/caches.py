"""What was worked out before, kept for whoever asks again: bounded, and safe to share between threads.

A reader takes the value once and either has it or has not, whatever others do meanwhile. Values are written and given
up under a lock, the oldest first. They are worked out without it, so that two threads that ask for the same at once may
both work it out, and neither waits for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Cache"]

T = TypeVar("T")


class Cache(Generic[T]):
    """At most `size` values by key.

    >>> squares = Cache[int](size=2)
    >>> [squares.of(n, lambda n=n: n * n) for n in (3, 4, 5)], len(squares)
    ([9, 16, 25], 2)
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._held: dict[Hashable, T] = {}
        self._lock = Lock()

    def of(self, key: Hashable, made: Callable[[], T]) -> T:
        """The value that is kept under a key; if there is none, what is made now."""
        found = self._held.get(key, self)
        if not isinstance(found, Cache):
            return found
        value = made()
        with self._lock:
            self._held[key] = value
            while len(self._held) > self.size:
                del self._held[next(iter(self._held))]
        return value

    def __len__(self) -> int:
        return len(self._held)
