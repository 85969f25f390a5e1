"""Bounded caches of earlier results, safe to share between threads.

A `Memo` is a kind of such things and stands beside the code that works them out; a `Session` holds them for one
library, which does not change itself.

A reader takes the value once and either has it or has not, whatever others do meanwhile. Values are written and given
up under a lock, the oldest first. They are worked out without it, so that two threads that ask for the same at once may
both work it out, and neither waits for the other.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

__all__ = ["Cache", "Memo", "Session"]

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


class Session:
    """What is remembered while questions are put to one library; threads may share it."""

    def __init__(self) -> None:
        self._caches: dict[Any, Cache[Any]] = {}

    def cache(self, kind: Memo[T]) -> Cache[T]:
        """Where things of one kind are kept."""
        return self._caches.get(kind) or self._caches.setdefault(kind, Cache(kind.most))


class Memo(Generic[T]):
    """A kind of things that are worked out once in a session, of which at most so many are kept.

    >>> squares, session = Memo[int](most=2), Session()
    >>> [squares.of(session, n, lambda n=n: n * n) for n in (3, 4, 5)], len(session.cache(squares))
    ([9, 16, 25], 2)
    """

    def __init__(self, most: int) -> None:
        self.most = most

    def of(self, session: Session, key: Hashable, made: Callable[[], T]) -> T:
        """The value that a session keeps under a key; if there is none, what is made now."""
        return session.cache(self).of(key, made)
